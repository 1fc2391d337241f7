"""A row that cannot be read stops the import with its line and the fix, or is listed; nothing is lost in silence."""

import pytest

from simulations.errors import InputError
from simulations.importers import read_trace

JOBS = "id,submitted_at,duration_s,pods,gpus_per_pod\n"
PHILLY = "timestamp,duration,num_gpus\n"
OPENB = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
)
SLURM = "JobID|Submit|Start|End|ElapsedRaw|State|NNodes|AllocTRES\n"
T = "2026-06-01T12:00:00Z"


@pytest.mark.parametrize(
    ("format_name", "text", "line", "says"),
    [
        ("jobs", JOBS + f"a,{T},60,1,1\nb,{T},soon,1,1\n", 3, ['duration_s: "soon" is not a number', "write one"]),
        ("jobs", JOBS + f"a,{T},-1,1,1\n", 2, ["duration_s", "below 0", "correct the row"]),
        ("jobs", JOBS + "a,yesterday,60,1,1\n", 2, ['"yesterday" is no time', "RFC 3339"]),
        ("jobs", JOBS + f"a,{T},60,0,1\n", 2, ["pods", "below 1"]),
        ("jobs", JOBS + f"a,{T},60,1.5,1\n", 2, ["pods: 1.5 is not a whole number"]),
        ("jobs", JOBS + f"a,{T},60,1\n", 2, ["4 cells where the header names 5 columns"]),
        ("jobs", JOBS + f"a,{T},60,1,1\na,{T},60,1,1\n", 3, ['"a" was used on line 2 already']),
        ("jobs", JOBS + f",{T},60,1,1\n", 2, ["id is missing"]),
        ("jobs", JOBS + f"a,{T},inf,1,1\n", 2, ["not finite"]),
        ("philly", PHILLY + "2017-09-21 08:12:29,5,0\n", 2, ["num_gpus", "below 1"]),
        ("openb", OPENB + "p,1,1,2,500,,LS,Running,0,5,0\n", 2, ["gpu_milli: 500 does not go with num_gpu 2"]),
        ("openb", OPENB + "p,1,1,1,500,,LS,Running,9,5,9\n", 2, ["deletion_time", "before the start"]),
        ("openb", OPENB + "p,1,1,1,500,,LS,Gone,0,5,0\n", 2, ['"Gone" is none of Running']),
        ("slurm", SLURM + f"1|{T}|{T}|{T}|x|COMPLETED|1|gres/gpu=1\n", 2, ["ElapsedRaw", "not a number"]),
        ("slurm", SLURM + f"1|{T}|{T}|{T}|9|COMPLETED|1|mem=12Q,gres/gpu=1\n", 2, ['"12Q" is not a size such as 64G']),
    ],
)
def test_a_bad_row_is_named_by_its_line_with_the_fix(tmp_path, format_name, text, line, says):
    path = tmp_path / "trace.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_trace(format_name, path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert "\n" not in message
    assert all(words in message for words in says), message
    skipped = read_trace(format_name, path, skip_bad_rows=True)
    assert [row.line for row in skipped.skipped] == [line]
    assert skipped.skipped[0].message in message


@pytest.mark.parametrize(
    ("format_name", "text", "says"),
    [
        (
            "jobs",
            "id,submited_at,duration_s,pods,gpus_per_pod\n",
            ['"submitted_at" is missing', 'rename "submited_at"'],
        ),
        ("jobs", JOBS.replace("\n", ",gpu_modle\n") + f"a,{T},60,1,1,x\n", ['"gpu_modle" is unknown', '"gpu_model"']),
        ("jobs", JOBS.replace("\n", ",id\n"), ['"id" stands there twice']),
        ("philly", "", ["the file is empty", "timestamp"]),
        ("slurm", "JobID|Submit|State\n1|x|y\n", ["neither AllocTRES nor ReqTRES"]),
        ("pilly", "x", ['format "pilly" is unknown', 'did you mean "philly"']),
    ],
)
def test_a_file_that_is_no_such_table_is_refused_even_where_rows_are_skipped(tmp_path, format_name, text, says):
    path = tmp_path / "trace.csv"
    path.write_text(text)
    for skip in (False, True):
        with pytest.raises(InputError) as caught:
            read_trace(format_name, path, skip_bad_rows=skip)
        assert all(words in str(caught.value) for words in says), str(caught.value)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "the line is not JSON"),
        ("[1]", "no JSON object"),
        ('{"id": {"a": 1}}', '"id" is no plain value'),
        ('{"id": "a"}', "submitted_at is missing"),
    ],
)
def test_a_bad_json_line_is_named_or_listed(tmp_path, line, says):
    path = tmp_path / "jobs.jsonl"
    good = '{"id": "g", "submitted_at": 0, "duration_s": 5, "pods": 1, "gpus_per_pod": 1}'
    path.write_text(f"{good}\n{line}\n")
    with pytest.raises(InputError, match=rf":2: .*{says}"):
        read_trace("jobs", path)
    trace = read_trace("jobs", path, skip_bad_rows=True)
    assert (len(trace.jobs), [row.line for row in trace.skipped]) == (1, [2])


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.csv: No such file or directory; check the path"):
        read_trace("jobs", tmp_path / "nowhere.csv")


def test_a_file_that_is_no_text_is_one_sentence(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_bytes(b"id,\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8; save the file as UTF-8 text"):
        read_trace("jobs", path)
