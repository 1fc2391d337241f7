"""CloudState: what a cloud knows, from a file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autoscaler.model.decoding.cloud import decode_cloud
from autoscaler.model.decoding.errors import InputError
from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.nodes import ErrorClass, Instance, InstanceGroup, InstanceState, LaunchError

HEAD = "apiVersion: gpu-autoscaler.dev/v1alpha1\nkind: CloudState\n"
EXAMPLE = (
    HEAD
    + """
groups:
  - name: h100-spot-1a
    desired: 2
    min: 0
    max: 20
    instances:
      - {id: i-2, state: Pending, launchedAt: 2026-06-01T11:30:00Z}
      - {id: i-1, state: Running, launchedAt: 2026-06-01T11:00:00Z, zone: us-east-1a, protectedFromScaleIn: true}
    errors:
      - {at: 2026-06-01T11:59:50Z, code: Stockout, message: none left}
      - {at: 2026-06-01T11:59:40Z, code: Throttled}
  - name: a10
    instances:
      - {id: i-4, state: Terminating, launchedAt: "2026-06-01T11:00:00Z"}
      - {id: i-3, launchedAt: "2026-06-01T13:00:00+02:00"}
"""
)
ELEVEN = parse_rfc3339("2026-06-01T11:00:00Z")
EXPECTED = (
    InstanceGroup(
        "a10", 1, instances=(Instance("i-3", launched_at=ELEVEN), Instance("i-4", InstanceState.TERMINATING, ELEVEN))
    ),
    InstanceGroup(
        "h100-spot-1a",
        2,
        0,
        20,
        (
            Instance("i-1", InstanceState.RUNNING, ELEVEN, "us-east-1a", protected=True),
            Instance("i-2", InstanceState.PENDING, ELEVEN + 1800),
        ),
        (
            LaunchError(ELEVEN + 3580, ErrorClass.THROTTLED),
            LaunchError(ELEVEN + 3590, ErrorClass.STOCKOUT, "none left"),
        ),
    ),
)


def test_a_cloud_state_is_read_and_sorted() -> None:
    assert decode_cloud(EXAMPLE.encode(), "cloud.yaml") == EXPECTED


def test_the_same_in_json_is_the_same() -> None:
    document = {
        "kind": "CloudState",
        "apiVersion": "gpu-autoscaler.dev/v1alpha1",
        "metadata": {"name": "x"},
        "groups": [{"name": "a10", "desired": 1, "instances": [{"id": "i-3", "launchedAt": "2026-06-01T11:00:00Z"}]}],
    }

    found = decode_cloud(json.dumps(document).encode(), "cloud.json")

    assert found == (InstanceGroup("a10", 1, instances=(Instance("i-3", launched_at=ELEVEN),)),)


@pytest.mark.parametrize("groups", ["", "groups: []", "groups: null"])
def test_no_groups_is_a_cloud_without_any(groups: str) -> None:
    assert decode_cloud((HEAD + groups).encode(), "cloud.yaml") == ()


def group(**fields: Any) -> str:
    return HEAD + "groups: [" + json.dumps({"name": "a", **fields}) + "]"


def instances(*found: Any) -> str:
    return group(instances=list(found))


def instance(**fields: Any) -> dict[str, Any]:
    return {"id": "i-1", "launchedAt": "2026-06-01T11:00:00Z", **fields}


REFUSED = [
    ("", "cloud.yaml: is empty; expected a document of kind CloudState"),
    ("- a", "cloud.yaml: expected a mapping of kind CloudState, found list"),
    ("kind: CloudState", "cloud.yaml: apiVersion is missing; expected gpu-autoscaler.dev/v1alpha1"),
    (HEAD.replace("Cloud", "Controller"), 'cloud.yaml: kind is "ControllerState"; expected CloudState'),
    (HEAD + "---\n" + HEAD, "cloud.yaml: holds 2 documents; expected one of kind CloudState"),
    (HEAD + "group: []", 'cloud.yaml: group: is not a known key; did you mean "groups"?'),
    (HEAD + "kind: x", 'cloud.yaml:3:1: the key "kind" appears twice in one mapping; keep one of them'),
    ('{"kind": "a", "kind": "b"}', 'cloud.yaml: the key "kind" appears twice in one object; keep one of them'),
    ('{"kind": NaN}', "cloud.yaml:1:10: is not valid JSON (invalid character)"),
    ('{"kind": "CloudState"', "cloud.yaml: ends in the middle, after 21 bytes; write the file again"),
    (HEAD + "groups: {a: 1}", "cloud.yaml: groups: expected a list, found a mapping"),
    (HEAD + "groups: [5]", "cloud.yaml: groups[0]: expected a mapping, found a whole number"),
    (HEAD + "groups: [{desired: 1}]", "cloud.yaml: groups[0].name: is missing"),
    (HEAD + "groups: [{name: a}, {name: a}]", 'cloud.yaml: groups[1].name: "a" appears twice; a group is listed once'),
    (group(desird=1), 'cloud.yaml: groups[0].desird: is not a known key; did you mean "desired"?'),
    (group(desired=-1), "cloud.yaml: groups[0].desired: must not be negative"),
    (group(desired=1.5), "cloud.yaml: groups[0].desired: expected a whole number, found a number"),
    (group(desired=True), "cloud.yaml: groups[0].desired: expected a whole number, found true or false"),
    (group(desired=2**40), "cloud.yaml: groups[0].desired: must be at most 2147483647"),
    (group(min=3, max=2), "cloud.yaml: groups[0].max: 2 is below min, 3; a group's max is at least its min"),
    (instances({"id": "i-1"}), "cloud.yaml: groups[0].instances[0].launchedAt: is missing"),
    (
        instances(instance(launchedAt="2026-06-01T11:00:00")),
        'cloud.yaml: groups[0].instances[0].launchedAt: "2026-06-01T11:00:00" has no time zone; '
        "add Z for UTC or an offset such as +02:00",
    ),
    (
        instances(instance(state="running")),
        'cloud.yaml: groups[0].instances[0].state: "running" is not one of Pending, Running, Terminating, Terminated, '
        'Failed; did you mean "Running"?',
    ),
    (
        instances(instance(protectedFromScaleln=True)),
        "cloud.yaml: groups[0].instances[0].protectedFromScaleln: is not a known key; "
        'did you mean "protectedFromScaleIn"?',
    ),
    (
        instances(instance(), instance()),
        'cloud.yaml: groups[0].instances[1].id: "i-1" appears twice; an instance is listed once',
    ),
    (
        HEAD + "groups: " + json.dumps([{"name": name, "instances": [instance()]} for name in "ab"]),
        'cloud.yaml: groups[1].instances: the instance "i-1" is in the group "a" too; an instance has one group',
    ),
    (group(errors=[{"code": "Stockout"}]), "cloud.yaml: groups[0].errors[0].at: is missing"),
    (
        group(errors=[{"at": "2026-06-01T11:00:00Z", "code": "Quota"}]),
        'cloud.yaml: groups[0].errors[0].code: "Quota" is not one of Stockout, QuotaExceeded, Throttled, '
        "BadConfiguration, Unauthorized, Transient",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[m[:80] for _, m in REFUSED])
def test_a_wrong_cloud_state_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_cloud(text.encode(), "cloud.yaml")

    assert str(caught.value) == message
