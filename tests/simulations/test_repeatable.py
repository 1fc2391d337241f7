"""Equal inputs and seed give equal bytes; the files of --out say what the document says."""

import csv
import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from simulations.outputs import write_outputs
from simulations.result import Source, sha256_of
from simulations.run import run_scenario
from tests.simulations.worlds import pool, write

JOBS = [(f"j{i}", 53 * i, 400 + 211 * (i % 6), 1 + (i % 5 == 0), 1 + i % 8) for i in range(40)]
POOLS = [
    pool("spot", price=3.0, capacityType="spot", spot={"fallback": ["base"]}, most=5),
    pool("base", price=9.0, most=5, warmBuffer={"nodes": 1}),
]
SUPPLY = {
    "bootDelay": {"p50": "2m", "p95": "5m"},
    "spot": [{"pool": "spot", "interruptionsPerHour": 2.0}],
    "stockouts": [{"pool": "spot", "from": "5m", "to": "20m"}],
}


def outputs(path, folder, **options):
    result = run_scenario(path, **options)
    result.document["wallSeconds"] = 0.0
    return {file.name: file.read_bytes() for file in write_outputs(result, folder)}


def test_two_runs_give_equal_bytes_and_another_seed_others(tmp_path):
    path = write(tmp_path, POOLS, JOBS, supply=SUPPLY)
    first, second = (outputs(path, tmp_path / name) for name in ("a", "b"))
    assert first == second
    assert sorted(first) == ["jobs.csv", "nodes.csv", "report.html", "summary.json", "ticks.csv"]
    assert outputs(path, tmp_path / "c", seed=2)["nodes.csv"] != first["nodes.csv"]


def test_the_order_of_hashes_changes_nothing(tmp_path):
    path = write(tmp_path, POOLS, JOBS, supply=SUPPLY)
    code = (
        "import sys; from pathlib import Path; from simulations.run import run_scenario; "
        "found = run_scenario(Path(sys.argv[1])).document; found['wallSeconds'] = 0; print(found)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


def test_the_document_has_the_keys_of_the_contract_in_order(tmp_path):
    document = run_scenario(write(tmp_path, POOLS, JOBS, supply=SUPPLY)).document
    assert list(document) == [
        "apiVersion",
        "kind",
        "scenario",
        "seed",
        "inputs",
        "jobs",
        "gpuHours",
        "nodes",
        "usd",
        "pools",
        "reasons",
        "invariants",
        "wallSeconds",
    ]
    assert list(document["jobs"]) == [
        "submitted",
        "completed",
        "neverStarted",
        "interruptions",
        "waitSeconds",
        "makespanSeconds",
    ]
    assert list(document["jobs"]["waitSeconds"]) == ["mean", "p50", "p90", "p95", "p99", "max"]
    assert list(document["gpuHours"]) == ["requested", "paid", "busy", "idle", "booting", "utilization"]
    assert list(document["nodes"]) == ["added", "removed", "peak", "hours"]
    assert list(document["usd"]) == ["total", "onDemand", "spot", "reserved", "idle", "booting", "perPool"]
    assert document["wallSeconds"] > 0
    assert document["invariants"]["checked"] > 100
    assert document["invariants"]["violated"] == []


def test_the_tables_add_up_to_the_document(tmp_path):
    path = write(tmp_path, POOLS, JOBS, supply=SUPPLY)
    result = run_scenario(path)
    files = {file.name: file for file in write_outputs(result, tmp_path / "out")}
    tables = {}
    for name in ("jobs.csv", "nodes.csv", "ticks.csv"):
        with files[name].open(newline="") as table:
            tables[name] = list(csv.DictReader(table))
    document = json.loads(files["summary.json"].read_text())
    assert document == result.document
    jobs, nodes = tables["jobs.csv"], tables["nodes.csv"]
    assert len(jobs) == document["jobs"]["submitted"] == 40
    assert sum(int(row["interruptions"]) for row in jobs) == document["jobs"]["interruptions"] > 0
    assert max(float(row["wait_s"]) for row in jobs) == pytest.approx(document["jobs"]["waitSeconds"]["max"])
    assert len(nodes) == document["nodes"]["added"]
    assert sum(float(row["usd"]) for row in nodes) == pytest.approx(document["usd"]["total"], abs=1e-3)
    assert sum(float(row["busy_gpu_hours"]) for row in nodes) == pytest.approx(document["gpuHours"]["busy"], abs=1e-3)
    assert sum(float(row["usd"]) for row in jobs) < document["usd"]["total"]
    peak = max(int(row["ready_nodes"]) + int(row["booting_nodes"]) for row in tables["ticks.csv"])
    assert peak == document["nodes"]["peak"]


def test_the_report_needs_no_network_and_tells_the_numbers(tmp_path):
    result = run_scenario(write(tmp_path, POOLS, JOBS, supply=SUPPLY))
    report = next(f for f in write_outputs(result, tmp_path / "out") if f.suffix == ".html").read_text()
    assert "http" not in report
    assert "<script" not in report
    drawings = re.findall(r"<svg.*?</svg>", report, re.DOTALL)
    assert [len(ElementTree.fromstring(drawing).findall("path")) for drawing in drawings] == [4, 1]
    assert f"${result.document['usd']['total']:,.2f}" in report
    for entry in result.document["inputs"]:
        assert entry["sha256"] in report


def test_a_name_cannot_smuggle_markup_into_the_report(tmp_path):
    path = write(tmp_path, [pool()], [("j", 0, 60, 1, 1)])
    path.write_text(path.read_text().replace("name: small", 'name: "<script>x</script>"'))
    result = run_scenario(path)
    report = next(f for f in write_outputs(result, tmp_path / "out") if f.suffix == ".html").read_text()
    assert "<script>" not in report
    assert "&lt;script&gt;" in report


def test_inputs_are_named_as_the_scenario_names_them(tmp_path):
    path = write(tmp_path, [pool()], [("a", 0, 60, 1, 1)])
    found = run_scenario(path).document["inputs"]
    assert [entry["path"] for entry in found] == ["scenario.yaml", "policy.yaml", "jobs.csv"]
    assert found[2]["sha256"] == sha256_of(Source("jobs.csv", tmp_path / "jobs.csv").path)


def test_progress_and_events_are_told(tmp_path):
    events: list[tuple[float, str]] = []
    run_scenario(write(tmp_path, [pool()], [("a", 0, 60, 1, 1)]), on_event=lambda at, text: events.append((at, text)))
    assert [text for _, text in events] == ["+ 1 gpu: for a", "gpu-000001 is ready", "- gpu-000001: no work for 10m"]
    assert [at for at, _ in events] == [0.0, 0.0, 670.0]


def test_rows_that_were_skipped_are_told(tmp_path):
    jobs = [("a", 0, 60, 1, 1), ("b", 0, "long", 1, 1), ("c", 0, 60, 1, 1), ("d", "", 60, 1, 1)]
    path = write(tmp_path, [pool()], jobs)
    result = run_scenario(path, sets=["spec.workload[0].trace.skipBadRows=true"])
    (note,) = result.notes
    assert result.document["jobs"]["submitted"] == 2
    assert "jobs.csv: 2 rows could not be read and were skipped (lines 3, 5)" in note
    assert 'duration_s: "long" is not a number' in note
    report = next(f for f in write_outputs(result, tmp_path / "out") if f.suffix == ".html").read_text()
    assert "(lines 3, 5)" in report
