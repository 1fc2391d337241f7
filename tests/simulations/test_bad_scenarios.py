"""A scenario that cannot be used is refused in one sentence a mistake: file, line, column, path, and what to do."""

import pytest
import yaml

from policies.loading import PolicyError
from simulations.errors import InputError
from simulations.run import prepare
from tests.simulations.worlds import pool, write

JOBS = [("a", 0, 60, 1, 1)]


def refused(path, *sets):
    with pytest.raises((PolicyError, InputError)) as caught:
        prepare(path, sets=sets)
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("spec.sed=1", ["spec.sed", "unknown key", "did you mean seed?"]),
        ("spec.seed=-1", ["spec.seed", "at least 0"]),
        ("spec.seed=one", ["spec.seed", "whole number"]),
        ("spec.workload=[]", ["spec.workload", "must not be empty"]),
        ("spec.workload[0].trace.format=pilly", ["spec.workload[0].trace.format", "philly", "did you mean philly?"]),
        ("spec.workload[0].as=gangs", ["spec.workload[0].as", "job-per-pod", "did you mean gang?"]),
        ("spec.workload[0].scale.arrivals=0", ["spec.workload[0].scale.arrivals", "more than 0"]),
        ("spec.workload[0].pod.cpuPerGpu=many", ["spec.workload[0].pod.cpuPerGpu", "many"]),
        ("spec.workload[0].select.from=soon", ["spec.workload[0].select.from", "soon"]),
        ("spec.workload[0].select.from=2999-01-01T00:00:00Z", ["spec.workload", "has no jobs", "select"]),
        ("spec.workload[0].share={mig: {model: V100}}", ["share.mig.model", '"V100" has no MIG profiles', "A100-40GB"]),
        ("spec.scheduler.queue=fifo", ["spec.scheduler.queue", "best-effort-fifo"]),
        ("spec.supply.bootDelay={fixed: 1m, p50: 2m, p95: 3m}", ["spec.supply.bootDelay", "name one of fixed"]),
        ("spec.supply.bootDelay={p50: 2m}", ["spec.supply.bootDelay", "p50 and p95 go together"]),
        ("spec.supply.bootDelay={p50: 5m, p95: 2m}", ["at most p95"]),
        ("spec.supply.bootDelay.fixed=10", ["spec.supply.bootDelay.fixed", "must be a duration such as 10m"]),
        ("spec.supply.bootDelay.pools={cpu: {fixed: 1m}}", ['the policy has no pool "cpu"', "it has gpu"]),
        ("spec.supply.spot=[{pool: gpu}]", ["spec.supply.spot[0]", "name one of interruptionsPerHour and trace"]),
        ("spec.supply.spot=[{pool: gup, interruptionsPerHour: 1}]", ["spec.supply.spot[0].pool", "it has gpu"]),
        ("spec.supply.stockouts=[{pool: gpu, from: 5m}]", ["spec.supply.stockouts[0].to", "is missing"]),
        ("spec.until=whenever", ["spec.until", "must be drained, a time"]),
        ("spec.until=1960-01-01T00:00:00Z", ["spec.until", "lies before the first submission"]),
        ("spec.policy=nowhere.yaml", ["nowhere.yaml", "does not exist"]),
        ("spec.cluster=nowhere.yaml", ["nowhere.yaml", "No such file"]),
        ("spec.workload[0].trace.path=nowhere.csv", ["nowhere.csv", "check the path"]),
        ("spec.workload[1].as=gang", ["--set", "the list spec.workload has no item 1"]),
        ("spec.seed", ["--set", "spec.path=value"]),
        ("spec..seed=1", ["--set", "spec.path=value"]),
        ("spec.seed.x=1", ["--set", "spec.seed is neither a mapping nor a list"]),
        ("spec.seed=[", ["--set", "the value is no YAML"]),
    ],
)
def test_a_wrong_value_is_refused_with_its_path_and_the_fix(tmp_path, change, says):
    message = refused(write(tmp_path, [pool()], JOBS, seed=1), change)
    assert all(words in message for words in says), message
    assert "\n" not in message.strip() or "share" in change


def test_a_mistake_in_the_file_is_told_with_line_and_column(tmp_path):
    path = write(tmp_path, [pool()], JOBS)
    document = yaml.safe_load(path.read_text())
    document["spec"]["polcy"] = document["spec"].pop("policy")
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    message = refused(path)
    line = path.read_text().splitlines().index("  polcy: policy.yaml") + 1
    assert f"{path}:{line}:3: spec.polcy: unknown key; did you mean policy?" in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kind: NodePool\n", "is no scenario"),
        ("- 1\n", "is no scenario"),
        ("", "has 0 documents"),
        ("kind: Scenario\n---\nkind: Scenario\n", "has 2 documents"),
        ("kind: [Scenario\n", "no valid YAML"),
        ("kind: Scenario\nkind: Scenario\n", "given twice"),
        ("a: &x 1\nb: *x\n", "anchors and aliases are not allowed"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused(tmp_path, text, says):
    path = tmp_path / "scenario.yaml"
    path.write_text(text)
    message = refused(path)
    assert says in message
    assert str(path) in message


def test_a_bad_file_of_delays_is_told_by_its_line(tmp_path):
    (tmp_path / "delays.txt").write_text("# boots\n4m10s\n250\nslow\n")
    path = write(tmp_path, [pool()], JOBS, supply={"bootDelay": {"samples": "delays.txt"}})
    assert "delays.txt:4: must be a duration" in refused(path)
    (tmp_path / "delays.txt").write_text("# nothing\n")
    assert "has no delays" in refused(path)


def test_set_changes_one_value_and_makes_what_is_not_there(tmp_path):
    path = write(tmp_path, [pool()], JOBS)
    found = prepare(
        path,
        sets=[
            "spec.seed=9",
            "spec.workload.0.pod.priority=7",
            'spec.workload[0].pod.nodeSelector["a.b/c"]=d',
            "spec.supply.bootDelay.fixed=1h",
        ],
    )
    spec = found.source.scenario.spec
    assert (found.seed, spec.workload[0].pod.priority, spec.supply.boot_delay.fixed) == (9, 7, 3600.0)
    assert spec.workload[0].pod.node_selector == {"a.b/c": "d"}


def test_a_seed_of_the_command_line_wins(tmp_path):
    path = write(tmp_path, [pool()], JOBS, seed=3)
    assert (prepare(path).seed, prepare(path, seed=5).seed) == (3, 5)
