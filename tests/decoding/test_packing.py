"""One cluster, however its objects are packed and in whatever order: one snapshot."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.decoding.objects import decode_objects
from autoscaler.model.snapshot import Snapshot
from tests.decoding.builders import SOURCE, Object, container, listed, pod, snapshot, thing

CLUSTER: list[Object] = [
    thing("PriorityClass", "high", "scheduling.k8s.io/v1", value=9),
    thing("RuntimeClass", "kata", "node.k8s.io/v1", overhead={"podFixed": {"cpu": "1"}}),
    thing("Node", "n1", status={"capacity": {"cpu": "8"}}),
    thing("Node", "n2", status={"capacity": {"cpu": "4"}}),
    thing("CSINode", "n1", "storage.k8s.io/v1", spec={"drivers": [{"name": "d", "allocatable": {"count": 3}}]}),
    thing("PodGroup", "g", "scheduling.x-k8s.io/v1alpha1", spec={"minMember": 2}),
    thing("JobSet", "j", "jobset.x-k8s.io/v1alpha2", spec={"replicatedJobs": []}),
    thing(
        "StorageClass",
        "s",
        "storage.k8s.io/v1",
        meta={"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    ),
    thing("PersistentVolumeClaim", "c"),
    thing("ConfigMap", "ignored"),
    thing("Deployment", "d", "apps/v1", spec={"replicas": 2}),
    pod("a", {"priorityClassName": "high", "nodeName": "n1"}, labels={"app": "x"}),
    pod("b", {"runtimeClassName": "kata"}, labels={"scheduling.x-k8s.io/pod-group": "g"}),
    pod("c", {"containers": [container({"cpu": "1"})]}, labels={"jobset.sigs.k8s.io/jobset-name": "j"}),
    pod("d", labels={"gpu-autoscaler.dev/pod-group": "x", "gpu-autoscaler.dev/pod-group-size": "2"}),
    pod("e", labels={"gpu-autoscaler.dev/pod-group": "x", "gpu-autoscaler.dev/pod-group-size": "4"}),
]
WHOLE = snapshot(*CLUSTER)


def typed(kind: str, objects: Sequence[Object]) -> Object:
    """`PodList` and the like, whose items lack kind and apiVersion."""
    items = [{k: v for k, v in o.items() if k not in ("kind", "apiVersion")} for o in objects if o["kind"] == kind]
    api = next(o["apiVersion"] for o in objects if o["kind"] == kind)
    return {"kind": f"{kind}List", "apiVersion": api, "metadata": {"resourceVersion": "1"}, "items": items}


def all_typed(objects: Sequence[Object]) -> list[Object]:
    return [typed(kind, objects) for kind in dict.fromkeys(o["kind"] for o in objects)]


def text(value: object) -> bytes:
    return json.dumps(value).encode()


PACKINGS: dict[str, Callable[[list[Object]], bytes]] = {
    "a list": lambda objects: listed(*objects),
    "a list with the kind at its end": lambda objects: text({"items": objects, "kind": "List", "apiVersion": "v1"}),
    "a list of lists": lambda objects: listed(json.loads(listed(*objects[:5])), json.loads(listed(*objects[5:]))),
    "a list of typed lists": lambda objects: listed(*all_typed(objects)),
    "an array": lambda objects: text(objects),
    "an array of lists": lambda objects: text(all_typed(objects)),
    "JSON lines": lambda objects: b"\n".join(text(o) for o in objects),
    "several commands, one after the other": lambda objects: b"\n".join(
        json.dumps(one, indent=4).encode() + b"\n" for one in all_typed(objects)
    ),
    "spread-out JSON": lambda objects: json.dumps(
        {"kind": "List", "apiVersion": "v1", "items": objects}, indent=2
    ).encode(),
    "JSON behind a byte order mark": lambda objects: b"\xef\xbb\xbf\r\n" + listed(*objects),
    "keys in reverse": lambda objects: listed(*(dict(reversed(o.items())) for o in objects)),
    "a YAML list": lambda objects: yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": objects}).encode(),
    "YAML in flow style": lambda objects: b"{apiVersion: v1, kind: List, items: " + text(objects) + b"}",
    "YAML documents": lambda objects: yaml.safe_dump_all(objects, explicit_start=True).encode(),
    "a YAML sequence": lambda objects: yaml.safe_dump(objects).encode(),
    "YAML of typed lists": lambda objects: yaml.safe_dump_all(all_typed(objects)).encode(),
    "YAML with aliases": lambda objects: yaml.safe_dump(objects + objects).encode(),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_the_packing_of_the_objects_changes_nothing(packing: str) -> None:
    found = decode_objects(PACKINGS[packing](CLUSTER), SOURCE).snapshot()

    counted = {"ConfigMap": 2} if packing == "YAML with aliases" else {"ConfigMap": 1}
    assert found.skipped_kinds == counted
    assert without_counts(found) == without_counts(WHOLE)


def without_counts(found: Snapshot) -> Snapshot:
    return Snapshot(**{**{f: getattr(found, f) for f in found.__dataclass_fields__}, "skipped_kinds": {}})


def test_pages_of_a_list_may_come_one_by_one() -> None:
    pages: list[bytes | Object] = [listed(*CLUSTER[:7]), *CLUSTER[7:9], listed(*CLUSTER[9:])]

    assert decode_objects(pages, SOURCE).snapshot() == WHOLE


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_objects_changes_nothing(rng: random.Random) -> None:
    shuffled = rng.sample(CLUSTER, len(CLUSTER))
    found = snapshot(*shuffled)

    assert found == WHOLE
    assert repr(found) == repr(WHOLE)  # nor the order within mappings


def test_an_empty_list_is_an_empty_cluster() -> None:
    for data in (
        listed(),
        b"kind: List\napiVersion: v1\nitems: []\n",
        b'{"kind":"PodList","apiVersion":"v1","items":null}',
    ):
        assert decode_objects(data, SOURCE).snapshot() == Snapshot()


def test_the_same_object_twice_is_one() -> None:
    later = {**CLUSTER[2], "metadata": {"name": "n1", "resourceVersion": "7"}}

    assert snapshot(*CLUSTER, later, *CLUSTER[:5]) == WHOLE


def test_pods_of_one_name_in_two_namespaces_are_two() -> None:
    assert len(snapshot(pod("a"), pod("a", namespace="other")).pods) == 2


def test_progress_tells_bytes_of_yaml_then_objects() -> None:
    told: list[tuple[int, int]] = []
    data = PACKINGS["a YAML list"](CLUSTER)
    decode_objects(data, SOURCE, lambda done, total: told.append((done, total)))

    assert told[-1] == (len(CLUSTER), len(CLUSTER))
    parsed = [done for done, total in told if total == len(data)]
    assert len(parsed) == len(CLUSTER)
    assert parsed == sorted(parsed)
