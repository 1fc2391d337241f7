"""Every key of the documented example is accepted, and means what it says; what is left out has its default."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from policies.loading import PolicyFile, loads
from policies.messages import part_of
from policies.schema_cluster import AutoscalerPolicy, ClusterSpec
from policies.schema_pool import NodePool
from tests.policies.files import CLUSTER, NAME, SHARINGS, SMALL, example, linted, the_pool


def value(part: Any, path: str) -> Any:
    """The value at a dotted path of attributes and positions."""
    for step in path.split("."):
        part = part[int(step)] if step.isdigit() else getattr(part, step)
    return part


@pytest.fixture(scope="module")
def file() -> PolicyFile:
    return loads(example(), NAME)


EXAMPLE_OF_CLUSTER = {
    "mode": "observe",
    "loop_interval": 10.0,
    "limits.nodes": 500,
    "limits.gpus": 2000,
    "limits.usd_per_hour": 5000.0,
    "pods.priority_cutoff": -10,
    "pods.ignore_owner_kinds": ("DaemonSet",),
    "pods.ignore_labels": {},
    "pods.scheduler_names": (),
    "accelerator_resources": (),
    "disruption.budgets.0.reasons": ("Idle",),
    "disruption.budgets.0.nodes": 1.0,
    "disruption.budgets.0.at_most": 10,
    "disruption.budgets.0.per": 60.0,
    "disruption.budgets.1.reasons": ("Underutilized", "CheaperReplacement", "Expired"),
    "disruption.budgets.1.nodes": 0.1,
    "disruption.budgets.1.at_most": 10,
    "disruption.budgets.1.per": 3600.0,
    "disruption.max_parallel_drains": 1,
    "disruption.max_unready.nodes": 3,
    "disruption.max_unready.percent": 0.45,
}
EXAMPLE_OF_POOL = {
    "groups.0.provider": "aws",
    "groups.0.name": "h100-spot-1a",
    "groups.0.region": "us-east-1",
    "groups.0.zone": "us-east-1a",
    "groups.0.zones": (),
    "capacity_type": "spot",
    "template.instance_type": "p5.48xlarge",
    "template.labels": {},
    "template.taints.0.key": "nvidia.com/gpu",
    "template.taints.0.value": "true",
    "template.taints.0.effect": "NoSchedule",
    "template.startup_taints": (),
    "template.resources": {},
    "template.reserved": {"cpu": 500, "memory": 4 * 1024**3},
    "template.gpu.model": "H100-80GB",
    "template.gpu.count": 8,
    "template.gpu.sharing.mig.strategy": "mixed",
    "template.gpu.sharing.mig.layout": "all-1g.10gb",
    "price.usd_per_hour": 98.32,
    "weight": 0,
    "limits.min_nodes": 0,
    "limits.max_nodes": 20,
    "warm_buffer.nodes": 1,
    "warm_buffer.gpus": 0,
    "warm_buffer.percent": 0.0,
    "warm_buffer.max": 5,
    "warm_buffer.schedules.0.cron": "0 8 * * 1-5",
    "warm_buffer.schedules.0.time_zone": "Europe/Berlin",
    "warm_buffer.schedules.0.duration": 36000.0,
    "warm_buffer.schedules.0.nodes": 4,
    "warm_buffer.predictive.quantile": 0.95,
    "warm_buffer.predictive.history": 14 * 86400.0,
    "spot.fallback": ("h100-od",),
    "spot.on_demand_base": 2,
    "spot.max_share": 0.8,
    "spot.return_after": 1800.0,
    "scale_up.batch_window": 0.0,
    "scale_up.registration_timeout": 900.0,
    "scale_up.initialization_timeout": 1200.0,
    "scale_up.failure_limit": 3,
    "scale_up.backoff.initial": 300.0,
    "scale_up.backoff.max": 1800.0,
    "scale_down.enabled": True,
    "scale_down.idle_cooldown": 600.0,
    "scale_down.cooldown_after_scale_up": 0.0,
    "scale_down.utilization": "gpu",
    "scale_down.threshold": 0.0,
    "scale_down.protect_jobs": True,
    "scale_down.system_pods": "move",
    "scale_down.drain_timeout": 1800.0,
}


@pytest.mark.parametrize(("path", "wanted"), EXAMPLE_OF_CLUSTER.items())
def test_the_example_of_an_autoscaler_policy_means_what_it_says(file: PolicyFile, path: str, wanted: object) -> None:
    found = value(file.cluster, path)

    assert (type(found), found) == (type(wanted), wanted)


@pytest.mark.parametrize(("path", "wanted"), EXAMPLE_OF_POOL.items())
def test_the_example_of_a_node_pool_means_what_it_says(file: PolicyFile, path: str, wanted: object) -> None:
    found = value(next(p for p in file.pools if p.name == "h100-spot").spec, path)

    assert (type(found), found) == (type(wanted), wanted)


SHARING_OF_EXAMPLE: list[tuple[str, str, object]] = [
    ("timeSlicing", "time_slicing.replicas", 4),
    ("timeSlicing", "time_slicing.rename_by_default", False),
    ("timeSlicing", "time_slicing.fail_requests_greater_than_one", False),
    ("mps", "mps.replicas", 8),
    ("counts", "mig.layout", {"1g.10gb": 2, "3g.40gb": 1}),
    ("devices", "mig.devices.0.indexes", (0, 1)),
    ("devices", "mig.devices.0.layout", "all-1g.10gb"),
    ("layouts", "mig.layouts", ("all-1g.10gb", "all-balanced", "all-disabled")),
]


@pytest.mark.parametrize(("sharing", "path", "wanted"), SHARING_OF_EXAMPLE)
def test_each_way_of_sharing_in_the_example_is_read(sharing: str, path: str, wanted: object) -> None:
    file = loads(example(sharing), NAME)
    gpu = next(p for p in file.pools if p.name == "h100-spot").spec.template.gpu

    assert gpu is not None
    assert value(gpu.sharing, path) == wanted


@pytest.mark.parametrize("sharing", SHARINGS)
def test_linting_finds_no_mistake_in_the_example(sharing: str) -> None:
    assert [told for told in linted(example(sharing)) if told.startswith("error")] == []


GROUPS = [
    ("{gcp: {instanceGroupManager: m, project: my-project, location: us-central1-c}}", "gcp", "m", "us-central1"),
    ("{gcp: {instanceGroupManager: m, project: p, location: europe-west4}}", "gcp", "m", "europe-west4"),
    ("{aws: {autoScalingGroup: m, region: us-east-1}}", "aws", "m", "us-east-1"),
    ("{simulated: {group: m}}", "simulated", "m", None),
    (
        "{kubernetes: {apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineDeployment, name: m, namespace: capi}}",
        "kubernetes",
        "m",
        None,
    ),
]


@pytest.mark.parametrize(("text", "provider", "name", "region"), GROUPS)
def test_a_group_belongs_to_one_provider(text: str, provider: str, name: str, region: str | None) -> None:
    (group,) = the_pool(SMALL.replace("{simulated: {group: g}, zone: z}", text)).spec.groups

    assert (group.provider, group.name, group.region) == (provider, name, region)


@pytest.mark.parametrize(
    ("zones", "zone", "several"),
    [("zone: a", "a", ()), ("zones: [a]", "a", ()), ("zones: [a, b]", None, ("a", "b")), ("zones: []", None, ())],
)
def test_one_zone_in_a_list_is_the_zone_of_the_group(zones: str, zone: str | None, several: tuple[str, ...]) -> None:
    (group,) = the_pool(SMALL.replace("zone: z", zones)).spec.groups

    assert (group.zone, group.zones) == (zone, several)


DEFAULTS_OF_POOL = {
    "capacity_type": "on-demand",
    "template.instance_type": None,
    "template.labels": {},
    "template.taints": (),
    "template.startup_taints": (),
    "template.reserved": {},
    "template.gpu": None,
    "price": None,
    "weight": 0,
    "limits.min_nodes": 0,
    "warm_buffer": None,
    "spot": None,
    "scale_up.batch_window": 0.0,
    "scale_up.registration_timeout": 900.0,
    "scale_up.initialization_timeout": 1200.0,
    "scale_up.failure_limit": 3,
    "scale_up.backoff.initial": 300.0,
    "scale_up.backoff.max": 1800.0,
    "scale_down.enabled": True,
    "scale_down.idle_cooldown": 600.0,
    "scale_down.cooldown_after_scale_up": 0.0,
    "scale_down.utilization": "gpu",
    "scale_down.threshold": 0.0,
    "scale_down.protect_jobs": True,
    "scale_down.system_pods": "move",
    "scale_down.drain_timeout": 1800.0,
}
DEFAULTS_OF_PARTS: list[tuple[str, str, object]] = [
    ("warmBuffer: {}", "warm_buffer.nodes", 0),
    ("warmBuffer: {}", "warm_buffer.gpus", 0),
    ("warmBuffer: {}", "warm_buffer.percent", 0.0),
    ("warmBuffer: {}", "warm_buffer.max", None),
    ("warmBuffer: {}", "warm_buffer.schedules", ()),
    ("warmBuffer: {}", "warm_buffer.predictive", None),
    ("warmBuffer: {predictive: {}}", "warm_buffer.predictive.quantile", 0.95),
    ("warmBuffer: {predictive: {}}", "warm_buffer.predictive.history", 14 * 86400.0),
    (
        'warmBuffer: {schedules: [{cron: "0 8 * * *", duration: 1h, nodes: 1}]}',
        "warm_buffer.schedules.0.time_zone",
        "UTC",
    ),
    ("spot: {}", "spot.fallback", ()),
    ("spot: {}", "spot.on_demand_base", 0),
    ("spot: {}", "spot.max_share", 1.0),
    ("spot: {}", "spot.return_after", 1800.0),
]


@pytest.mark.parametrize(("path", "wanted"), DEFAULTS_OF_POOL.items())
def test_what_a_pool_leaves_out_has_its_default(path: str, wanted: object) -> None:
    found = value(the_pool(SMALL).spec, path)

    assert (type(found), found) == (type(wanted), wanted)


@pytest.mark.parametrize(("line", "path", "wanted"), DEFAULTS_OF_PARTS)
def test_what_a_part_of_a_pool_leaves_out_has_its_default(line: str, path: str, wanted: object) -> None:
    found = value(the_pool(f"{SMALL}  {line}\n").spec, path)

    assert (type(found), found) == (type(wanted), wanted)


def test_defaults_of_sharing_are_those_of_the_device_plugin() -> None:
    def sharing(text: str) -> Any:
        found = the_pool(SMALL.replace("{cpu: 8}", f"{{cpu: 8}}, gpu: {{count: 1, sharing: {text}}}"))
        assert found.spec.template.gpu is not None
        return found.spec.template.gpu.sharing

    sliced = sharing("{timeSlicing: {replicas: 2}}").time_slicing
    mig = sharing("{mig: {layout: all-1g.5gb}}").mig

    assert (sliced.rename_by_default, sliced.fail_requests_greater_than_one) == (False, False)
    assert (mig.strategy, mig.devices, mig.layouts) == ("mixed", (), ())


@pytest.mark.parametrize(("path", "wanted"), EXAMPLE_OF_CLUSTER.items())
def test_the_example_of_an_autoscaler_policy_shows_the_defaults(path: str, wanted: object) -> None:
    assert value(loads(SMALL, NAME).cluster, path) == wanted


def test_a_budget_without_numbers_limits_nothing() -> None:
    file = loads(CLUSTER.replace(', nodes: "100%", atMost: 10, per: 1m', "") + "---\n" + SMALL, NAME)
    budget = file.cluster.disruption.budgets[0]

    assert (budget.nodes, budget.at_most, budget.per, budget.schedule, budget.time_zone) == (
        1.0,
        None,
        None,
        None,
        "UTC",
    )


def keys(model: type[BaseModel], place: str = "") -> set[str]:
    """Every key of the schema with its path."""
    found: set[str] = set()
    for name, field in model.model_fields.items():
        path = f"{place}.{field.alias or name}".lstrip(".")
        inner = part_of(field.annotation)
        found |= {path} | (keys(inner, path) if inner else set())
    return found


def given(node: Any, place: str = "") -> set[str]:
    """Every key of a document with its path, lists passed through."""
    if isinstance(node, list):
        return {path for item in node for path in given(item, place)}
    if not isinstance(node, dict):
        return set()
    return {path for k, v in node.items() for path in {f"{place}.{k}".lstrip("."), *given(v, f"{place}.{k}")}}


NOT_IN_THE_EXAMPLE = {
    "metadata.labels",
    "metadata.annotations",
    "spec.disruption.budgets.schedule",
    "spec.disruption.budgets.timeZone",
    "spec.disruption.budgets.duration",
    "spec.template.startupTaints.key",
    "spec.template.startupTaints.value",
    "spec.template.startupTaints.effect",
    "spec.groups.zones",
    "spec.groups.kubernetes",
    "spec.groups.kubernetes.apiVersion",
    "spec.groups.kubernetes.kind",
    "spec.groups.kubernetes.name",
    "spec.groups.kubernetes.namespace",
    "spec.groups.simulated",
    "spec.groups.simulated.group",
    "spec.groups.gcp",
    "spec.groups.gcp.instanceGroupManager",
    "spec.groups.gcp.project",
    "spec.groups.gcp.location",
    "spec.warmBuffer.gpus",
    "spec.warmBuffer.percent",
}


def test_the_schema_has_the_keys_of_the_example_and_few_more() -> None:
    files = [loads(example(sharing), NAME) for sharing in SHARINGS]
    documents = [document.value for file in files for _, document in file.sources.values()]
    examples = [d for d in documents if d["metadata"]["name"] in ("default", "h100-spot")]
    shown = {path.lstrip(".") for document in examples for path in given(document)}
    known = keys(AutoscalerPolicy) | keys(NodePool)

    assert {path for path in shown - known if "reserved." not in path and "layout." not in path} == set()
    assert known - shown == NOT_IN_THE_EXAMPLE


def test_a_file_without_an_autoscaler_policy_has_its_defaults() -> None:
    assert loads(SMALL, NAME).cluster == ClusterSpec()
    assert loads(CLUSTER + "---\n" + SMALL, NAME).cluster == ClusterSpec()
