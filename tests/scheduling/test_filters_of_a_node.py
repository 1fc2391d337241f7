"""What a node itself lets in: cordon, names, taints, labels, room, shares of GPUs. A table a filter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoscaler.model.labels import NodeSelectorTerm, Requirement
from autoscaler.model.nodes import HOSTNAME, ZONE, Taint
from autoscaler.model.pods import Pod, Toleration
from autoscaler.model.reasons import Code, Reason
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.filters import FILTERS
from autoscaler.scheduling.rows import Row
from tests.scheduling.worlds import GPU, bound, fleet_of, pod, row, term

FITS = None
EMPTY = Snapshot()


def reason(code: Code, **params: str | int) -> Reason:
    return Reason.of(code, **params)


def verdict(item: Pod, node: Row) -> Reason | None:
    fleet = fleet_of(EMPTY, [node], [item])
    return fleet.why_not(fleet.table.class_of(item), 0)


def on_cordoned(*tolerations: Toleration) -> tuple[Pod, Row]:
    return pod(tolerations=tolerations), row(unschedulable=True)


CORDON = "node.kubernetes.io/unschedulable"
CORDONS = {
    "a cordoned node takes no pod": (on_cordoned(), reason(Code.NODE_UNSCHEDULABLE)),
    "a pod that tolerates the cordon is let through": (on_cordoned(Toleration(CORDON, "Exists")), FITS),
    "a pod that tolerates everything is let through": (on_cordoned(Toleration("", "Exists")), FITS),
    "a toleration of another effect does not help": (
        on_cordoned(Toleration(CORDON, "Exists", effect="NoExecute")),
        reason(Code.NODE_UNSCHEDULABLE),
    ),
}

NAMES = {
    "a pod that names the node runs there": ((pod(node_name="n1"), row("n1")), FITS),
    "a pod that names another node does not": (
        (pod(node_name="n2"), row("n1")),
        reason(Code.NODE_NAME_SET, node="n2"),
    ),
    "it is the node's name that counts, not its hostname": (
        (pod(node_name="host"), row("n1", labels={HOSTNAME: "host"})),
        reason(Code.NODE_NAME_SET, node="host"),
    ),
}


def tainted(text: str, *tolerations: Toleration) -> tuple[Pod, Row]:
    found = []
    for item in text.split():
        head, effect = item.rsplit(":", 1)
        key, _, value = head.partition("=")
        found.append(Taint(key, value, effect))
    return pod(tolerations=tolerations), row(taints=tuple(found))


def not_tolerated(taint: str) -> Reason:
    return reason(Code.TAINT_NOT_TOLERATED, taint=taint)


TAINTS = {
    "a NoSchedule taint without a toleration is named": (
        tainted("dedicated=ml:NoSchedule"),
        not_tolerated("dedicated=ml:NoSchedule"),
    ),
    "a NoExecute taint keeps new pods away too": (tainted("broken:NoExecute"), not_tolerated("broken:NoExecute")),
    "a PreferNoSchedule taint refuses nobody": (tainted("busy:PreferNoSchedule"), FITS),
    "the first taint in the node's order is named": (
        tainted("z:NoSchedule a:NoSchedule"),
        not_tolerated("z:NoSchedule"),
    ),
    "Equal needs the same value": (tainted("gpu=yes:NoSchedule", Toleration("gpu", "Equal", "yes")), FITS),
    "Equal with another value does not tolerate": (
        tainted("gpu=yes:NoSchedule", Toleration("gpu", "Equal", "no")),
        not_tolerated("gpu=yes:NoSchedule"),
    ),
    "no operator means Equal": (tainted("gpu=yes:NoSchedule", Toleration("gpu", "", "yes")), FITS),
    "Exists takes any value": (tainted("gpu=yes:NoSchedule", Toleration("gpu", "Exists")), FITS),
    "Exists of another key does not tolerate": (
        tainted("gpu=yes:NoSchedule", Toleration("cpu", "Exists")),
        not_tolerated("gpu=yes:NoSchedule"),
    ),
    "Exists without a key tolerates everything": (tainted("a:NoSchedule b:NoExecute", Toleration("", "Exists")), FITS),
    "a toleration of one effect leaves the others": (
        tainted("a:NoSchedule a:NoExecute", Toleration("a", "Exists", effect="NoSchedule")),
        not_tolerated("a:NoExecute"),
    ),
    "every taint needs its toleration": (
        tainted("a:NoSchedule b:NoSchedule", Toleration("a", "Exists")),
        not_tolerated("b:NoSchedule"),
    ),
    "Gt tolerates a taint of a larger value": (tainted("level=5:NoSchedule", Toleration("level", "Gt", "4")), FITS),
    "Gt does not tolerate the same value": (
        tainted("level=4:NoSchedule", Toleration("level", "Gt", "4")),
        not_tolerated("level=4:NoSchedule"),
    ),
    "Lt tolerates a taint of a smaller value": (tainted("level=-3:NoSchedule", Toleration("level", "Lt", "2")), FITS),
    "Lt compares numbers, not text": (tainted("level=9:NoSchedule", Toleration("level", "Lt", "10")), FITS),
    "Gt on a value that is no number does not tolerate": (
        tainted("level=high:NoSchedule", Toleration("level", "Gt", "4")),
        not_tolerated("level=high:NoSchedule"),
    ),
    "Gt on a number that Go would not read does not tolerate": (
        tainted("level=1_000:NoSchedule", Toleration("level", "Gt", "4")),
        not_tolerated("level=1_000:NoSchedule"),
    ),
    "nor on one that does not fit 64 bits": (
        tainted("level=9223372036854775808:NoSchedule", Toleration("level", "Gt", "4")),
        not_tolerated("level=9223372036854775808:NoSchedule"),
    ),
    "an unknown operator does not tolerate": (
        tainted("gpu:NoSchedule", Toleration("gpu", "Like")),
        not_tolerated("gpu:NoSchedule"),
    ),
}


def labeled(labels: dict[str, str], **spec: object) -> tuple[Pod, Row]:
    return pod(**spec), row("n1", labels=labels)


def affine(labels: dict[str, str], *terms: NodeSelectorTerm) -> tuple[Pod, Row]:
    return labeled(labels, node_affinity=terms)


def not_affine(terms: str) -> Reason:
    return reason(Code.NODE_AFFINITY_MISMATCH, terms=terms)


NAME_IS = NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n1",)),))
LABELS = {
    "a nodeSelector is met by its labels": (labeled({"gpu": "a10"}, node_selector=(("gpu", "a10"),)), FITS),
    "a nodeSelector of another value is named": (
        labeled({"gpu": "a10"}, node_selector=(("gpu", "h100"),)),
        reason(Code.NODE_SELECTOR_MISMATCH, key="gpu", value="h100"),
    ),
    "a nodeSelector on an absent label is named": (
        labeled({}, node_selector=(("gpu", "h100"),)),
        reason(Code.NODE_SELECTOR_MISMATCH, key="gpu", value="h100"),
    ),
    "all pairs of a nodeSelector must hold, the first that does not is named": (
        labeled({"a": "1"}, node_selector=(("a", "1"), ("b", "2"), ("c", "3"))),
        reason(Code.NODE_SELECTOR_MISMATCH, key="b", value="2"),
    ),
    "a nodeSelector on the hostname holds for that node": (
        labeled({}, node_selector=((HOSTNAME, "n1"),)),
        FITS,
    ),
    "In takes any of its values": (affine({"gpu": "a10"}, term(("gpu", "In", ("l4", "a10")))), FITS),
    "In on an absent label does not hold": (
        affine({}, term(("gpu", "In", ("l4", "a10")))),
        not_affine("gpu In (l4, a10)"),
    ),
    "NotIn holds for an absent label": (affine({}, term(("gpu", "NotIn", ("l4",)))), FITS),
    "NotIn does not hold for its values": (
        affine({"gpu": "l4"}, term(("gpu", "NotIn", ("l4",)))),
        not_affine("gpu NotIn (l4)"),
    ),
    "Exists asks for the key alone": (affine({"gpu": ""}, term(("gpu", "Exists", ()))), FITS),
    "DoesNotExist refuses the key": (
        affine({"gpu": ""}, term(("gpu", "DoesNotExist", ()))),
        not_affine("gpu DoesNotExist"),
    ),
    "Gt compares numbers": (affine({"mem": "80"}, term(("mem", "Gt", ("9",)))), FITS),
    "Lt does not hold for the same number": (
        affine({"mem": "80"}, term(("mem", "Lt", ("80",)))),
        not_affine("mem Lt 80"),
    ),
    "Gt on text does not hold": (affine({"mem": "big"}, term(("mem", "Gt", ("9",)))), not_affine("mem Gt 9")),
    "one of several terms is enough": (
        affine({"a": "1"}, term(("b", "Exists", ())), term(("a", "Exists", ()))),
        FITS,
    ),
    "all expressions of a term must hold": (
        affine({"a": "1"}, term(("a", "Exists", ()), ("b", "Exists", ()))),
        not_affine("a Exists and b Exists"),
    ),
    "terms are told apart in the reason": (
        affine({}, term(("a", "Exists", ())), term(("b", "In", ("1",)))),
        not_affine("a Exists, or b In (1)"),
    ),
    "an empty term matches no node": (affine({}, NodeSelectorTerm()), not_affine("nothing")),
    "an affinity without terms matches no node": (affine({}), not_affine("")),
    "a field is the node's name": (affine({}, NAME_IS), FITS),
    "a field of another name does not hold": (
        (pod(node_affinity=(NAME_IS,)), row("n2")),
        not_affine("metadata.name In (n1)"),
    ),
    "expressions and fields of a term must both hold": (
        affine({}, NodeSelectorTerm((Requirement("a", "Exists"),), NAME_IS.fields)),
        not_affine("a Exists and metadata.name In (n1)"),
    ),
    "nodeSelector and affinity must both hold": (
        labeled({"a": "1"}, node_selector=(("a", "1"),), node_affinity=(term((ZONE, "In", ("b",))),)),
        not_affine(f"{ZONE} In (b)"),
    ),
}


def asking(asks: dict[str, int], offers: dict[str, int] | None = None, *there: Pod, **more: object) -> tuple[Pod, Row]:
    pods = tuple(bound(replace(p, name=f"there-{n}"), "n1") for n, p in enumerate(there))
    return pod(asks=asks), row("n1", offers=offers or {}, pods=pods, **more)


def short(resource: str, requested: int, available: int) -> Reason:
    return reason(Code.INSUFFICIENT_RESOURCE, resource=resource, requested=requested, available=available)


ROOM = {
    "a request up to what is offered fits": (asking({"cpu": 4000}), FITS),
    "a request above it is named with what there is": (asking({"cpu": 4001}), short("cpu", 4001, 4000)),
    "pods on the node take their part": (asking({"cpu": 1001}, {}, pod(asks={"cpu": 3000})), short("cpu", 1001, 1000)),
    "finished pods take nothing": (
        (pod(asks={"cpu": 4000}), row("n1", pods=(pod(asks={"cpu": 1}, node="n1", phase="Succeeded"),))),
        FITS,
    ),
    "pods that are being deleted still take their part": (
        (
            pod(asks={"cpu": 4000}),
            row("n1", pods=(pod(asks={"cpu": 1}, node="n1", phase="Running", deleted_at=1.0),)),
        ),
        short("cpu", 4000, 3999),
    ),
    "what is reserved is taken": (asking({"cpu": 4000}, reserved=(("cpu", 100),)), short("cpu", 4000, 3900)),
    "the number of pods counts": (asking({}, {"pods": 1}, pod()), short("pods", 1, 0)),
    "a resource that the node does not have is zero": (
        asking({"example.com/fpga": 1}),
        short("example.com/fpga", 1, 0),
    ),
    "an overdrawn node has nothing left, not less": (
        asking({"cpu": 1}, {}, pod(asks={"cpu": 9000})),
        short("cpu", 1, 0),
    ),
    "what is not asked for may be overdrawn": (asking({GPU: 1}, {}, pod(asks={"cpu": 9000})), FITS),
    "what the node has none of is named first": (asking({"cpu": 9000, GPU: 8}, {GPU: 0}), short(GPU, 8, 0)),
    "a short accelerator is named before a short core": (asking({"cpu": 9000, GPU: 8}), short(GPU, 8, 2)),
    "whole GPUs are not MIG slices": (
        asking({"nvidia.com/mig-1g.10gb": 1}),
        reason(Code.MIG_PROFILE_NOT_OFFERED, profile="1g.10gb"),
    ),
    "a profile that is offered but used up is a matter of room": (
        asking({"nvidia.com/mig-1g.10gb": 2}, {"nvidia.com/mig-1g.10gb": 1}),
        short("nvidia.com/mig-1g.10gb", 2, 1),
    ),
    "another profile of the node does not help": (
        asking({"nvidia.com/mig-3g.20gb": 1}, {"nvidia.com/mig-1g.5gb": 7}),
        reason(Code.MIG_PROFILE_NOT_OFFERED, profile="3g.20gb"),
    ),
}

SHARED = "nvidia.com/gpu.shared"
REFUSES = frozenset({SHARED})


def sharing(request: int, peak: int, refuses: frozenset[str]) -> tuple[Pod, Row]:
    item = pod(asks={SHARED: request})
    item = replace(item, spec=replace(item.spec, container_peaks=((SHARED, peak),)))
    return item, row(offers={SHARED: 32}, refuses_above_one=refuses)


SHARES = {
    "one share fits": (sharing(1, 1, REFUSES), FITS),
    "a container that asks for two is refused by the plugin": (
        sharing(2, 2, REFUSES),
        reason(Code.SHARED_GPU_REQUEST_TOO_LARGE, resource=SHARED, requested=2),
    ),
    "two containers with one share each are not": (sharing(2, 1, REFUSES), FITS),
    "a plugin that does not refuse takes it": (sharing(2, 2, frozenset()), FITS),
    "more shares than there are is a matter of room": (sharing(40, 40, REFUSES), short(SHARED, 40, 32)),
}

ORDER = {
    "the cordon is named before the taint": (
        (pod(), row(unschedulable=True, taints=(Taint("a"),))),
        reason(Code.NODE_UNSCHEDULABLE),
    ),
    "the taint is named before the labels": (
        (pod(node_selector=(("a", "1"),)), row(taints=(Taint("a"),))),
        not_tolerated("a:NoSchedule"),
    ),
    "the labels are named before the room": (
        (pod(node_selector=(("a", "1"),), asks={"cpu": 9000}), row()),
        reason(Code.NODE_SELECTOR_MISMATCH, key="a", value="1"),
    ),
}


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        pytest.param(case, expected, id=sentence)
        for table in (CORDONS, NAMES, TAINTS, LABELS, ROOM, SHARES, ORDER)
        for sentence, (case, expected) in table.items()
    ],
)
def test_what_a_node_lets_in(case: tuple[Pod, Row], expected: Reason | None) -> None:
    assert verdict(*case) == expected


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        pytest.param(case, expected, id=sentence)
        for table in (CORDONS, NAMES, TAINTS, LABELS, SHARES)
        for sentence, (case, expected) in table.items()
    ],
)
def test_an_empty_node_is_judged_by_the_same_filters(case: tuple[Pod, Row], expected: Reason | None) -> None:
    item, node = case
    fleet = fleet_of(EMPTY, [], [item])
    cls = fleet.table.class_of(item)

    assert fleet.why_not_empty(cls, node) == expected
    assert fleet.why_not_empty(cls, node) == expected  # from memory


def test_an_empty_node_is_judged_without_its_pods() -> None:
    item = pod(asks={"cpu": 4000})
    fleet = fleet_of(EMPTY, [], [item])
    node = row("n1", pods=(bound(pod("other", asks={"cpu": 4000}), "n1"),))

    assert fleet.why_not_empty(fleet.table.class_of(item), node) is None
    assert fleet.why_not_empty(fleet.table.class_of(item), replace(node, reserved=(("cpu", 1),))) == short(
        "cpu", 4000, 3999
    )


def test_the_filters_are_asked_in_the_order_of_the_scheduler() -> None:
    assert [check.__module__.rsplit(".", 1)[1] for check in FILTERS] == [
        "node_unschedulable",
        "node_name",
        "taints",
        "node_affinity",
        "host_ports",
        "mig_profile",
        "resources",
        "shared_gpu",
        "volume_limits",
        "volumes_zone",
        "topology_spread",
        "pod_affinity",
        "pod_anti_affinity",
        "resource_claims",
    ]
