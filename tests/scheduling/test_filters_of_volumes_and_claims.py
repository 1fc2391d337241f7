"""Volumes that only some nodes can have, attach limits, and claims of devices. A table a filter."""

from __future__ import annotations

import pytest

from autoscaler.model.nodes import HOSTNAME, ZONE
from autoscaler.model.objects import ResourceClaim, StorageClass, Volume, VolumeClaim
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Code, Reason
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.rows import Row
from tests.scheduling.worlds import bound, fleet_of, pod, row, term

FITS = None
IN_A = (term((ZONE, "In", ("a",))),)
IN_B = (term((ZONE, "In", ("b",))),)
ON_N1 = (term((HOSTNAME, "In", ("n1",))),)


def snapshot() -> Snapshot:
    volumes = [
        Volume("pv-a", IN_A, "ebs"),
        Volume("pv-b", IN_B, "ebs"),
        Volume("pv-1", ON_N1),
        Volume("pv", None, "nfs"),
    ]
    volumes += [Volume(f"pv-{n}", None, "ebs") for n in range(10, 20)]
    classes = [
        StorageClass("late", "ebs", binds_late=True, is_default=True),
        StorageClass("late-b", "ebs", binds_late=True, topologies=IN_B),
        StorageClass("now", "ebs"),
        StorageClass("local", "kubernetes.io/no-provisioner", binds_late=True),
    ]
    claims = [VolumeClaim("default", f"on-{v.name}", v.name) for v in volumes]
    claims += [VolumeClaim("default", f"by-{c.name}", "", c.name) for c in classes]
    claims += [
        VolumeClaim("default", "lost", "pv-gone"),
        VolumeClaim("default", "by-nobody"),
        VolumeClaim("default", "by-unknown", "", "nope"),
        VolumeClaim("team", "theirs", "pv-a"),
    ]
    devices = [
        ResourceClaim("default", "free"),
        ResourceClaim("default", "in-a", allocated=True, nodes=IN_A),
        ResourceClaim("default", "in-b", allocated=True, nodes=IN_B),
        ResourceClaim("default", "anywhere", allocated=True),
        ResourceClaim("team", "theirs", allocated=True),
    ]
    return Snapshot(
        volume_claims={f"{c.namespace}/{c.name}": c for c in claims},
        volumes={v.name: v for v in volumes},
        storage_classes={c.name: c for c in classes},
        resource_claims={f"{c.namespace}/{c.name}": c for c in devices},
    )


def verdict(world: Snapshot, item: Pod, node: Row) -> Reason | None:
    fleet = fleet_of(world, [node], [item])
    return fleet.why_not(fleet.table.class_of(item), 0)


def elsewhere(claim: str, cause: str = "Elsewhere") -> Reason:
    return Reason.of(Code.VOLUME_ZONE, claim=claim, cause=cause)


ZONES = {
    "a volume of the node's zone": (("on-pv-a",), FITS),
    "a volume of another zone": (("on-pv-b",), elsewhere("on-pv-b")),
    "a volume that is everywhere": (("on-pv",), FITS),
    "a volume of this very node": (("on-pv-1",), FITS),
    "every volume must be in reach, the first that is not is named": (("on-pv-a", "on-pv-b"), elsewhere("on-pv-b")),
    "a claim of a late-binding class is made where the pod goes": (("by-late",), FITS),
    "a late-binding class may be confined to other zones": (("by-late-b",), elsewhere("by-late-b")),
    "a claim of an immediate class must be bound first": (("by-now",), elsewhere("by-now", "NotBound")),
    "a class whose volumes are made by hand makes none": (("by-local",), elsewhere("by-local", "NoProvisioner")),
    "a claim without class or volume is not bound": (("by-nobody",), elsewhere("by-nobody", "NotBound")),
    "a claim of an unknown class": (("by-unknown",), elsewhere("by-unknown", "NotFound")),
    "a claim that does not exist": (("none",), elsewhere("none", "NotFound")),
    "a claim whose volume does not exist": (("lost",), elsewhere("lost", "NotFound")),
    "a claim of another namespace is none": (("theirs",), elsewhere("theirs", "NotFound")),
}


@pytest.mark.parametrize(("volumes", "expected"), ZONES.values(), ids=ZONES)
def test_where_a_volume_can_be_had(volumes: tuple[str, ...], expected: Reason | None) -> None:
    assert verdict(snapshot(), pod(volumes=volumes), row("n1")) == expected


def test_a_volume_of_one_node_is_out_of_reach_of_others() -> None:
    assert verdict(snapshot(), pod(volumes=("on-pv-1",)), row("n2")) == elsewhere("on-pv-1")


def test_a_volume_pins_to_its_zone_on_new_nodes_too() -> None:
    item = pod(volumes=("on-pv-b",))
    fleet = fleet_of(snapshot(), [], [item])
    cls = fleet.table.class_of(item)

    assert fleet.why_not_empty(cls, row("new/a/1")) == elsewhere("on-pv-b")
    assert fleet.why_not_empty(cls, row("new/b/1", labels={ZONE: "b"})) is None


def test_pods_with_volumes_go_only_where_these_are() -> None:
    item = pod(volumes=("on-pv-b",))
    fleet = fleet_of(snapshot(), [row("n1"), row("n2", labels={ZONE: "b"}), row("n3")], [item])

    assert fleet.static_mask(fleet.table.class_of(item)).tolist() == [False, True, False]
    assert fleet.fill(fleet.table.class_of(item), 3) == [(1, 3)]


def limited(limits: dict[str, int], there: list[tuple[str, ...]]) -> Row:
    pods = tuple(bound(pod(f"there-{n}", volumes=volumes), "n1") for n, volumes in enumerate(there))
    return row("n1", pods=pods, attach_limits=tuple(sorted(limits.items())))


FULL = Reason.of(Code.VOLUME_LIMIT, driver="ebs")
LIMITS = {
    "below the limit": (limited({"ebs": 2}, [("on-pv-10",)]), ("on-pv-11",), FITS),
    "at the limit": (limited({"ebs": 1}, [("on-pv-10",)]), ("on-pv-11",), FULL),
    "two new volumes count twice": (limited({"ebs": 2}, [("on-pv-10",)]), ("on-pv-11", "on-pv-12"), FULL),
    "a volume that is attached already needs no place": (limited({"ebs": 1}, [("on-pv-10",)]), ("on-pv-10",), FITS),
    "a volume that two pods share is attached once": (
        limited({"ebs": 2}, [("on-pv-10",), ("on-pv-10",)]),
        ("on-pv-11",),
        FITS,
    ),
    "volumes of another driver do not count": (limited({"ebs": 1}, [("on-pv",)]), ("on-pv-10",), FITS),
    "a driver without a limit has none": (limited({"disk": 1}, [("on-pv-10",)]), ("on-pv-11",), FITS),
    "a claim that is still to be provisioned counts by its class": (
        limited({"ebs": 1}, [("on-pv-10",)]),
        ("by-late",),
        FULL,
    ),
    "a limit of zero takes no volume": (limited({"ebs": 0}, []), ("on-pv-10",), FULL),
    "claims of running pods that are gone do not count": (limited({"ebs": 1}, [("none",)]), ("on-pv-10",), FITS),
}


@pytest.mark.parametrize(("node", "volumes", "expected"), LIMITS.values(), ids=LIMITS)
def test_how_many_volumes_a_node_attaches(node: Row, volumes: tuple[str, ...], expected: Reason | None) -> None:
    assert verdict(snapshot(), pod(volumes=volumes), node) == expected


def test_placed_pods_attach_their_volumes_and_removed_ones_detach_them() -> None:
    first, second = pod("a", volumes=("on-pv-10",)), pod("b", volumes=("on-pv-11",))
    fleet = fleet_of(snapshot(), [row("n1", attach_limits=(("ebs", 1),))], [first, second])
    a, b = fleet.table.class_of(first), fleet.table.class_of(second)

    assert fleet.fill(a, 2) == [(0, 2)]  # both mount the same volume
    assert fleet.why_not(b, 0) == FULL
    fleet.remove(a, 0, 2)
    assert fleet.why_not(b, 0) is None


CLAIMS = {
    "a claim that is allocated here": (("in-a",), FITS),
    "a claim that is allocated elsewhere": (("in-b",), "Elsewhere"),
    "a claim whose devices are everywhere": (("anywhere",), FITS),
    "a claim that is not allocated is not simulated": (("free",), "NotAllocated"),
    "a name without a claim is a template's": (("template",), "NotAllocated"),
    "a claim of another namespace is none": (("theirs",), "NotAllocated"),
}


@pytest.mark.parametrize(("claims", "cause"), CLAIMS.values(), ids=CLAIMS)
def test_where_a_claim_of_devices_is_met(claims: tuple[str, ...], cause: str | None) -> None:
    expected = None if cause is None else Reason.of(Code.RESOURCE_CLAIM, claim=claims[0], cause=cause)

    assert verdict(snapshot(), pod(claims=claims), row("n1")) == expected
