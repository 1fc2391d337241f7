"""The openb pods on the openb nodes: the whole cluster as a policy, in seconds."""

from pathlib import Path

import pytest
import yaml

from simulations.importers import read_trace
from simulations.openb_cluster import openb_cluster
from tests.simulations.worlds import API, document

OPENB = Path(__file__).resolve().parents[2].parent / "shared" / "traces" / "openb"
LIST = "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\nn1,64000,262144,2,P100\nn2,96000,393216,8,G2\n"


def test_equal_nodes_are_one_pool_at_its_minimum(tmp_path):
    (tmp_path / "nodes.csv").write_text(LIST)
    head, *pools = yaml.safe_load_all(openb_cluster(tmp_path / "nodes.csv"))
    assert head["spec"]["limits"] == {"nodes": 3, "gpus": 12, "usdPerHour": 1_000_000}
    assert [p["metadata"]["name"] for p in pools] == ["g2-8x-96c-384g", "p100-2x-64c-256g"]
    assert [p["spec"]["limits"] for p in pools] == [{"minNodes": 1, "maxNodes": 1}, {"minNodes": 2, "maxNodes": 2}]


def scenario(folder, nodes, pods, **spec):
    (folder / "policy.yaml").write_text(openb_cluster(nodes))
    head = {"apiVersion": API, "kind": "Scenario", "metadata": {"name": "openb"}}
    workload = [{"trace": {"format": "openb", "path": "pods.csv"}}]
    (folder / "scenario.yaml").write_text(
        yaml.safe_dump({**head, "spec": {"policy": "policy.yaml", "workload": workload, **spec}})
    )
    (folder / "pods.csv").write_bytes(pods.read_bytes())
    return folder / "scenario.yaml"


def test_a_pod_goes_to_the_model_it_asks_for(tmp_path):
    (tmp_path / "nodes.csv").write_text(LIST)
    header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
    rows = "a,1000,1024,1,1000,G2,LS,Running,0,60,0\nb,1000,1024,1,500,P100,LS,Running,0,60,0\n"
    (tmp_path / "list.csv").write_text(header + "scheduled_time\n" + rows + "c,1000,1024,1,1000,T4,LS,Running,0,60,0\n")
    found = document(scenario(tmp_path, tmp_path / "nodes.csv", tmp_path / "list.csv"))
    assert (found["jobs"]["completed"], found["jobs"]["neverStarted"]) == (2, 1)
    assert {name: p["gpuHours"]["busy"] > 0 for name, p in found["pools"].items()} == {
        "g2-8x-96c-384g": True,
        "p100-2x-64c-256g": True,
    }


@pytest.mark.skipif(not OPENB.is_dir(), reason="the public traces are not beside this checkout")
def test_every_pod_of_the_trace_runs_at_once_on_the_nodes_of_the_trace(tmp_path):
    nodes, pods = OPENB / "openb_node_list_gpu_node.csv", OPENB / "openb_pod_list_default.csv"
    found = document(scenario(tmp_path, nodes, pods))
    trace = read_trace("openb", pods)
    assert found["jobs"]["completed"] == len(trace.jobs) == 8152
    assert found["jobs"]["waitSeconds"]["max"] == 0
    assert (found["nodes"]["added"], found["nodes"]["removed"], found["nodes"]["peak"]) == (1213, 0, 1213)
    whole = sum(j.pods * j.gpus_per_pod * j.duration_s for j in trace.jobs) / 3600
    assert found["gpuHours"]["busy"] == pytest.approx(whole, rel=1e-6)
    assert found["invariants"]["violated"] == []
