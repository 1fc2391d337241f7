"""Wrong input: one sentence with the place and the fix."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.decoding import documents
from autoscaler.model.decoding.errors import InputError
from autoscaler.model.decoding.objects import decode_objects
from tests.decoding.builders import Object, container, listed, pod, thing


def refusal(data: bytes, source: str = "cluster.json") -> str:
    with pytest.raises(InputError) as caught:
        decode_objects(data, source).snapshot()
    return str(caught.value)


def asking(amount: object) -> bytes:
    return listed(thing("Node", "n"), pod("web-1", {"containers": [container({"cpu": amount})]}, namespace="shop"))


NO_QUANTITY = "is no quantity; write a number with a unit such as 500m, 2 or 64Gi"
NO_TIME = "is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z"
CPU = "cluster.json: items[1] (Pod shop/web-1): spec.containers[0].resources.requests.cpu: "
QUANTITIES = [
    ("1x", "'1x' " + NO_QUANTITY),
    ("NaN", "'NaN' " + NO_QUANTITY),
    ("", "'' " + NO_QUANTITY),
    ("-1", "'-1' is negative; amounts of cpu start at 0"),
    ("1e999", "'1e999' has an exponent beyond 128; write the number out"),
    (True, "expected a quantity, found true or false"),
    ([], "expected a quantity, found a list"),
    ({"a": 1}, "expected a quantity, found a mapping"),
]


@pytest.mark.parametrize(("amount", "message"), QUANTITIES)
def test_what_is_no_quantity_is_refused_with_the_path(amount: object, message: str) -> None:
    assert refusal(asking(amount)) == CPU + message


def one_pod(**fields: Any) -> bytes:
    return listed({**pod("p"), **fields})


def with_meta(**meta: Any) -> bytes:
    return listed(pod("p", **meta))


P = "items[0] (Pod default/p): "
TERMS = (
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchExpressions[0]"
)
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
FIELDS: list[tuple[bytes, str]] = [
    (
        listed({"apiVersion": "v1", "kind": "Pod"}),
        "items[0] (Pod): metadata.name: is missing; every object needs a name",
    ),
    (listed(thing("Node", "")), "items[0] (Node): metadata.name: is missing; every object needs a name"),
    (
        listed({"kind": "Pod", "metadata": {"name": "p"}}),
        "items[0] (Pod p): apiVersion: is missing; every object needs apiVersion and kind",
    ),
    (listed({"metadata": {"name": "p"}}), "items[0] (p): kind: is missing; every object needs apiVersion and kind"),
    (listed(5), "items[0]: expected a mapping, found a whole number"),  # type: ignore[arg-type]
    (listed(None), "items[0]: expected a mapping, found nothing"),  # type: ignore[arg-type]
    (one_pod(spec={"containers": 5}), P + "spec.containers: expected a list, found a whole number"),
    (one_pod(spec={"containers": [5]}), P + "spec.containers[0]: expected a mapping, found a whole number"),
    (one_pod(spec=[]), P + "spec: expected a mapping, found a list"),
    (one_pod(spec={"priority": 2**40}), P + "spec.priority: must be at most 2147483647"),
    (one_pod(spec={"priority": "high"}), P + "spec.priority: expected a whole number, found a string"),
    (
        one_pod(
            spec={
                "affinity": {
                    "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{}, {"matchExpressions": [{"values": [True]}]}]}}
                }
            }
        ),
        P + TERMS + ".values[0]: expected a string, found true or false; put it in quotes",
    ),
    (
        one_pod(spec={"topologySpreadConstraints": [{"maxSkew": 0}]}),
        P + "spec.topologySpreadConstraints[0].maxSkew: 0 is not allowed; use 1 or more",
    ),
    (
        with_meta(labels={"a": "b", "c": 1}),
        P + "metadata.labels.c: expected a string, found a whole number; put it in quotes",
    ),
    (with_meta(labels=[]), P + "metadata.labels: expected a mapping, found a list"),
    (
        with_meta(annotations={"karpenter.sh/x": True}),
        P + "metadata.annotations.karpenter.sh/x: expected a string, found true or false; put it in quotes",
    ),
    (with_meta(ownerReferences={}), P + "metadata.ownerReferences: expected a list, found a mapping"),
    (
        with_meta(creationTimestamp="today"),
        P + 'metadata.creationTimestamp: "today" ' + NO_TIME,
    ),
    (
        with_meta(creationTimestamp=5),
        P + "metadata.creationTimestamp: expected a string, found a whole number; put it in quotes",
    ),
    (
        with_meta(deletionTimestamp="2026-06-01T12:00:00"),
        P
        + 'metadata.deletionTimestamp: "2026-06-01T12:00:00" has no time zone; '
        + "add Z for UTC or an offset such as +02:00",
    ),
    (
        one_pod(status={"conditions": [{"type": "PodScheduled", "status": 1}]}),
        P + "status.conditions[0].status: expected a string, found a whole number; put it in quotes",
    ),
    (
        listed(thing("Node", "n", status={"conditions": [{"lastTransitionTime": "x"}]})),
        'items[0] (Node n): status.conditions[0].lastTransitionTime: "x" ' + NO_TIME,
    ),
    (
        listed(thing("Node", "n", status={"capacity": {"cpu": "?"}})),
        "items[0] (Node n): status.capacity.cpu: '?' " + NO_QUANTITY,
    ),
    (
        listed(thing("PodDisruptionBudget", "b", "policy/v1", status={"disruptionsAllowed": -1})),
        "items[0] (PodDisruptionBudget b): status.disruptionsAllowed: must not be negative",
    ),
    (
        listed(thing("PodGroup", "g", "scheduling.x-k8s.io/v1alpha1", spec={"minMember": -1})),
        "items[0] (PodGroup g): spec.minMember: must not be negative",
    ),
    (
        listed(
            thing("DaemonSet", "d", "apps/v1", spec={"template": {"spec": {"containers": [container({"cpu": "?"})]}}})
        ),
        "items[0] (DaemonSet d): spec.template.spec.containers[0].resources.requests.cpu: '?' " + NO_QUANTITY,
    ),
    (
        listed(pod("p"), pod("p", {"priority": 1})),
        "items[1] (Pod default/p): is here a second time and differs from the first; keep one of the two",
    ),
    (
        listed(json.loads(one_pod(spec=1))),
        "items[0], items[0] (Pod default/p): spec: expected a mapping, found a whole number",
    ),
    (
        listed() + b"\n" + one_pod(spec=1),
        "document 2, items[0] (Pod default/p): spec: expected a mapping, found a whole number",
    ),
    (
        json.dumps(pod("p", namespace="x", labels=1)).encode(),
        "Pod x/p: metadata.labels: expected a mapping, found a whole number",
    ),
]


@pytest.mark.parametrize(("data", "message"), FIELDS, ids=[m[:90] for _, m in FIELDS])
def test_a_wrong_field_is_named_with_its_object(data: bytes, message: str) -> None:
    assert refusal(data) == f"cluster.json: {message}"


WANTED = "what `kubectl get nodes,pods,pdb,daemonsets -A -o json` prints"
FILES = [
    (b"", f"is empty; expected {WANTED}"),
    (b" \n\t", f"is empty; expected {WANTED}"),
    (b"\xef\xbb\xbf", f"is empty; expected {WANTED}"),
    (b"# a comment\n---\n", f"holds no object; expected {WANTED}"),
    (b"hello", f"holds a string; expected {WANTED}"),
    (b"5", f"holds a number; expected {WANTED}"),
    ('{"kind": "List"}'.encode("utf-16"), "is UTF-16 text (PowerShell's `>` writes it); save it as UTF-8"),
    (b"\x1f\x8b\x08", "is compressed with gzip; unpack it first (gunzip)"),
    (b"\x7fELF\0\0", f"is a binary file; expected {WANTED}"),
    (b"a: \xff", "is not text in UTF-8 (invalid leading UTF-8 octet); save it as UTF-8"),
    (listed()[:-2], "ends in the middle, after 47 bytes; write the file again"),
    (b'{\n "kind": nope\n}', "2:14: is not valid JSON (invalid character)"),
    (b'{"kind": NaN}', "1:10: is not valid JSON (invalid character)"),
    (listed() + b" x", "1:52: is not valid JSON (trailing characters)"),
    (listed() + b"\n" + listed()[:-2], "document 2: is not valid JSON (input data was truncated)"),
    (b'{"kind":"List","items":{}}', "items: expected a list, found a mapping"),
    (b"kind: List\nitems: {}", "items: expected a list, found a mapping"),
    (b'{"kind":"List","items":' + b"[" * 9000 + b"]" * 9000 + b"}", "is nested too deeply to be Kubernetes objects"),
    (b"kind: [a", "2:1: is not valid YAML (did not find expected ',' or ']')"),
    (b"kind: A\nkind: B", '2:1: the key "kind" appears twice in one mapping; keep one of them'),
    (b"a: *b", "1:4: *b is defined nowhere before; write the value out"),
    (b"a: &b [*b]", "1:8: *b stands inside itself; write the value out"),
    (b"<<: {a: b}", "1:1: merge keys (<<) are not supported; write the values out"),
    (b"[a]: b", "1:1: a mapping's key must be a plain string"),
    (b"a: !!set {b}", "1:4: the tag tag:yaml.org,2002:set is not supported; remove it"),
    (b"a: " + b"[" * 300, "1:203: is nested more than 200 levels deep; no Kubernetes object is"),
    (
        b'{"kind":"Status","apiVersion":"v1","message":"Unauthorized"}',
        "is an error of the API server (Unauthorized); run the command again",
    ),
    (
        b"kind: CloudState\napiVersion: gpu-autoscaler.dev/v1alpha1",
        "holds a CloudState, which is not an object of a cluster; give it with --cloud",
    ),
    (
        b'{"kind":"NodePool","apiVersion":"gpu-autoscaler.dev/v1alpha1"}',
        "holds a NodePool, which is not an object of a cluster; give it with --policy",
    ),
]


@pytest.mark.parametrize(("data", "message"), FILES, ids=[m[:70] for _, m in FILES])
def test_a_wrong_file_is_told_what_is_wrong_with_it(data: bytes, message: str) -> None:
    separator = ":" if message[0].isdigit() else ": "
    assert refusal(data) == f"cluster.json{separator}{message}"


@pytest.mark.parametrize("depth", [500, 700, 5000])
def test_lists_in_lists_without_end_are_refused(depth: int) -> None:
    start, end = b'{"kind":"List","apiVersion":"v1","items":[', b"]}"

    assert refusal(start * depth + end * depth) == "cluster.json: is nested too deeply to be Kubernetes objects"


def test_bytes_that_are_not_utf8_inside_an_object_are_refused_with_its_place() -> None:
    data = b'{"kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"\xff"}}]}'

    assert refusal(data).startswith(
        "cluster.json: items[0] (Pod): is not readable ('utf-8' codec can't decode byte 0xff"
    )


def test_large_yaml_is_refused_with_the_advice_to_use_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "YAML_MAX", 1 << 20)
    data = b"kind: List\nitems: []\n#" + b"x" * (2 << 20)

    assert refusal(data, "big.yaml") == "big.yaml: is 2 MiB of YAML, and YAML over 1 MiB is not read; use `-o json`"


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1,1]"] + [f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]

    assert "holds more than 20,000,000 values, aliases followed; use JSON" in refusal("\n".join(lines).encode())


def told(data: bytes) -> str | None:
    """The refusal, None for what is accepted; any other exception is a failure."""
    try:
        decode_objects(data, "cluster.json").snapshot()
    except InputError as error:
        return str(error)
    return None


GOOD = listed(
    thing("Node", "n1", status={"capacity": {"cpu": "8"}}), pod("p", {"containers": [container({"cpu": "1"})]})
)
GOOD_YAML = (
    b"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: p, labels: {a: b}}\n"
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([GOOD, GOOD_YAML]), st.integers(0, 200), st.integers(0, 3), st.binary(max_size=3))
def test_damage_to_a_file_never_ends_in_a_traceback(good: bytes, at: int, cut: int, put: bytes) -> None:
    damaged = good[:at] + put + good[at + cut :]
    assert told(damaged) is None or re.fullmatch(r"cluster\.json:.*", told(damaged) or "")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.sampled_from(["", "1", "x"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "a", "cpu"]), inner, max_size=2)
    ),
    max_leaves=4,
)
KEYS = ["metadata", "spec", "status", "value", "overhead", "scheduling", "allowedTopologies", "provisioner"]
KINDS = [
    ("v1", "Pod"),
    ("v1", "Node"),
    ("v1", "Namespace"),
    ("v1", "PersistentVolume"),
    ("v1", "PersistentVolumeClaim"),
    ("policy/v1", "PodDisruptionBudget"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "Job"),
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("scheduling.k8s.io/v1alpha1", "Workload"),
    ("scheduling.x-k8s.io/v1alpha1", "PodGroup"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    ("node.k8s.io/v1", "RuntimeClass"),
    ("storage.k8s.io/v1", "StorageClass"),
    ("storage.k8s.io/v1", "CSINode"),
    ("resource.k8s.io/v1", "ResourceClaim"),
]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4), st.booleans())
def test_nonsense_in_any_kind_never_ends_in_a_traceback(kind: tuple[str, str], fields: Object, named: bool) -> None:
    found: Object = {"apiVersion": kind[0], "kind": kind[1], **fields}
    if named:
        found["metadata"] = {"name": "x"}
    assert told(listed(found)) is None or re.fullmatch(r"cluster\.json: .*", told(listed(found)) or "")
