"""Nodes and pods that are there when the simulation begins."""

import json

from tests.simulations.worlds import GPU, pool, run, write


def node(name, pool_name="gpu", gpus=8):
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", GPU: str(gpus)}
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "zone-a"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**labels, **({"gpu-autoscaler.dev/pool": pool_name} if pool_name else {})},
        },
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name, on=None, gpus=8, owner="ReplicaSet"):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "ownerReferences": [{"apiVersion": "v1", "kind": owner, "name": "o", "uid": "u", "controller": True}],
        },
        "spec": {
            **({"nodeName": on} if on else {}),
            "containers": [{"name": "c", "resources": {"requests": {GPU: str(gpus)}, "limits": {GPU: str(gpus)}}}],
        },
        "status": {"phase": "Running" if on else "Pending"},
    }


def simulate(tmp_path, *objects, jobs=(("a", 0, 600, 1, 8),), pools=None, **spec):
    (tmp_path / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    return run(
        write(tmp_path, pools or [pool()], jobs, **{"cluster": None, **spec}), sets=["spec.cluster=cluster.json"]
    )


def test_a_job_runs_on_a_node_that_was_there_and_nothing_is_bought(tmp_path):
    simulation = simulate(tmp_path, node("n1"))
    (job,) = simulation.engine.runs
    document = simulation.result(0.0).document
    assert (job.wait_s, document["nodes"]["added"], document["nodes"]["removed"]) == (0, 0, 1)
    assert "cluster.json" in [entry["path"] for entry in document["inputs"]]


def test_pods_that_run_keep_their_room_for_ever(tmp_path):
    simulation = simulate(tmp_path, node("n1"), pod("web", on="n1"), until="3h")
    document = simulation.result(0.0).document
    assert (document["jobs"]["submitted"], document["nodes"]["added"], document["nodes"]["removed"]) == (1, 1, 1)
    assert [m.name for m in simulation.engine.world.machines.values()] == ["n1"]


def test_a_pod_that_waits_gets_a_node_and_is_no_job(tmp_path):
    simulation = simulate(tmp_path, pod("web"), until="1h")
    document = simulation.result(0.0).document
    assert (document["jobs"]["submitted"], document["nodes"]["added"]) == (1, 2)


def test_daemons_stay_with_their_node_and_do_not_hold_it(tmp_path):
    simulation = simulate(
        tmp_path, node("n1"), pod("agent", on="n1", gpus=1, owner="DaemonSet"), jobs=[("a", 0, 60, 1, 4)]
    )
    assert simulation.result(0.0).document["nodes"]["removed"] == 1
    assert simulation.engine.oracle.violated == []


def test_a_node_of_no_pool_is_used_and_neither_paid_for_nor_removed(tmp_path):
    simulation = simulate(tmp_path, node("own", pool_name=None))
    document = simulation.result(0.0).document
    assert (document["jobs"]["waitSeconds"]["max"], document["usd"]["total"], document["nodes"]["peak"]) == (0, 0, 0)


def test_a_pod_that_is_moved_runs_on_elsewhere(tmp_path):
    shrinking = pool(scaleDown={"threshold": "60%", "idleCooldown": "2m"})
    objects = [node("n1"), node("n2"), pod("big", on="n1", gpus=5), pod("small", on="n2", gpus=2)]
    simulation = simulate(tmp_path, *objects, jobs=[("a", 0, 60, 1, 1)], pools=[shrinking], until="1h")
    world = simulation.engine.world
    assert [m.cause for m in world.past] == ["Underutilized"]
    assert {pod.node for pod in world.pods.values()} == {"n1"}
    assert simulation.engine.oracle.violated == []
