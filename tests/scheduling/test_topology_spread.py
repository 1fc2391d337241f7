"""Topology spread: skew, domains, policies, and the domains of nodes that do not exist yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoscaler.model.labels import Labels, LabelSelector
from autoscaler.model.nodes import HOSTNAME, ZONE, Taint
from autoscaler.model.pods import Pod, SpreadConstraint, Toleration
from autoscaler.model.reasons import Code, Reason
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.fleet import Fleet
from autoscaler.scheduling.rows import Row
from tests.scheduling.worlds import GPU, bound, fleet_of, pod, row, selects, term

FITS = None
SKEWED, SKEWED_HOST = Reason.of(Code.TOPOLOGY_SPREAD, key=ZONE), Reason.of(Code.TOPOLOGY_SPREAD, key=HOSTNAME)
WORLD = Snapshot()
WEB = pod("web", labels={"app": "web"})


def evenly(key: str = ZONE, **more: object) -> SpreadConstraint:
    return SpreadConstraint(key, **{"selector": selects(app="web"), **more})  # type: ignore[arg-type]


def spread(*constraints: SpreadConstraint, **given: object) -> Pod:
    return pod("new", **{"labels": {"app": "web"}, "spread": constraints, **given})


def node(name: str, zone: str | None, webs: int | tuple[Pod, ...] = 0, **more: object) -> Row:
    there = webs if isinstance(webs, tuple) else (WEB,) * webs
    pods = tuple(bound(replace(p, name=f"{name}-{n}"), name) for n, p in enumerate(there))
    labels = {ZONE: zone, **dict(more.pop("labels", {}))}  # type: ignore[call-overload]
    return row(name, labels=labels, pods=pods, **more)


def verdicts(item: Pod, *rows: Row) -> list[Reason | None]:
    fleet = fleet_of(WORLD, rows, [item])
    return [fleet.why_not(fleet.table.class_of(item), n) for n in range(len(rows))]


SKEWS = {
    "an even spread takes one more anywhere": (spread(evenly()), [1, 1], [FITS, FITS]),
    "the fuller zone waits": (spread(evenly()), [1, 0], [SKEWED, FITS]),
    "a larger skew waits longer": (spread(evenly(max_skew=2)), [1, 0], [FITS, FITS]),
    "and no longer than that": (spread(evenly(max_skew=2)), [2, 0], [SKEWED, FITS]),
    "a pod that its constraint does not count adds nothing": (
        spread(evenly(), labels={"app": "db"}),
        [1, 0],
        [FITS, FITS],
    ),
    "even then the skew that is there must not be too large": (
        spread(evenly(), labels={"app": "db"}),
        [2, 0],
        [SKEWED, FITS],
    ),
    "a selector that is not there counts nobody": (spread(evenly(selector=None)), [5, 0], [FITS, FITS]),
    "fewer domains than minDomains means that there is an empty one": (
        spread(evenly(min_domains=3)),
        [1, 1],
        [SKEWED, SKEWED],
    ),
    "enough domains for minDomains change nothing": (spread(evenly(min_domains=2)), [1, 1], [FITS, FITS]),
    "matchLabelKeys counts the own revision alone": (
        spread(evenly(match_label_keys=("rev",)), labels={"app": "web", "rev": "2"}),
        [3, 0],
        [FITS, FITS],
    ),
}


@pytest.mark.parametrize(("item", "webs", "expected"), SKEWS.values(), ids=SKEWS)
def test_skew_between_two_zones(item: Pod, webs: list[int], expected: list[Reason | None]) -> None:
    rows = [node(f"n{n}", zone, count) for n, (zone, count) in enumerate(zip("ab", webs, strict=True))]

    assert verdicts(item, *rows) == expected


def test_zones_are_counted_over_all_their_nodes() -> None:
    assert verdicts(spread(evenly()), node("n1", "a", 1), node("n2", "a"), node("n3", "b")) == [SKEWED, SKEWED, FITS]


def test_a_node_without_the_label_is_refused_and_is_no_domain() -> None:
    assert verdicts(spread(evenly()), node("n1", "a", 1), node("n2", None)) == [FITS, SKEWED]


def test_a_node_without_one_of_several_labels_is_no_domain_for_any() -> None:
    item = spread(evenly(), evenly("rack"))
    racked = {"labels": {"rack": "1"}}

    assert verdicts(item, node("n1", "a", 1, **racked), node("n2", "b")) == [
        FITS,
        Reason.of(Code.TOPOLOGY_SPREAD, key="rack"),
    ]


def test_every_constraint_must_hold() -> None:
    item = spread(evenly(), evenly(HOSTNAME))

    assert verdicts(item, node("n1", "a"), node("n2", "a", 1), node("n3", "b", 1)) == [FITS, SKEWED_HOST, SKEWED_HOST]


def test_pods_of_other_namespaces_and_pods_that_are_being_deleted_do_not_count() -> None:
    others = (replace(WEB, namespace="team"), replace(WEB, deleted_at=1.0))

    assert verdicts(spread(evenly()), node("n1", "a", others), node("n2", "b")) == [FITS, FITS]


def test_taking_off_a_pod_that_is_being_deleted_changes_nothing_for_spread() -> None:
    item = spread(evenly(), evenly(HOSTNAME))
    dying = replace(item, deleted_at=1.0)
    fleet = fleet_of(WORLD, [node("n1", "a", (dying,)), node("n2", "b")], [item])
    cls = fleet.table.class_of(item)
    assert [fleet.why_not(cls, n) for n in range(2)] == [FITS, FITS]

    fleet.remove(cls, 0)

    assert fleet.fill(cls, 2) == [(0, 1), (1, 1)]


TAINTED = {"taints": (Taint("gpu"),)}
POLICIES = {
    "a node that the pod does not select is no domain": (
        spread(evenly(), node_selector=(("pool", "x"),)),
        {},
        True,
    ),
    "unless node affinity is ignored": (
        spread(evenly(node_affinity_policy="Ignore"), node_selector=(("pool", "x"),)),
        {},
        False,
    ),
    "required affinity counts as well": (
        spread(evenly(), node_affinity=(term(("pool", "In", ("x",))),)),
        {},
        True,
    ),
    "a tainted node is a domain": (spread(evenly()), TAINTED, False),
    "unless taints are honored": (spread(evenly(node_taints_policy="Honor")), TAINTED, True),
    "a tolerated taint is none": (
        spread(evenly(node_taints_policy="Honor"), tolerations=(Toleration("gpu", "Exists"),)),
        TAINTED,
        False,
    ),
}


@pytest.mark.parametrize(("item", "other", "fits"), POLICIES.values(), ids=POLICIES)
def test_which_nodes_are_domains(item: Pod, other: dict[str, object], fits: bool) -> None:
    # Zone a has one pod already, so one more fits only if zone b does not count as an empty domain.
    first = node("n1", "a", 1, labels={"pool": "x"})

    assert verdicts(item, first, node("n2", "b", **other))[0] == (FITS if fits else SKEWED)


def test_pods_are_spread_over_zones_in_turn() -> None:
    item = spread(evenly(), asks={"cpu": 1000})
    fleet = fleet_of(WORLD, [node("n1", "a"), node("n2", "a"), node("n3", "b"), node("n4", "c")], [item])

    placed = fleet.fill(fleet.table.class_of(item), 30)

    # Zones b and c hold four each, so that zone a may have five.
    assert placed == [(0, 4), (2, 4), (3, 4), (1, 1)]


@pytest.mark.parametrize("count", [1, 5, 6, 7, 8, 9, 10, 11, 23, 40, 41, 99])
@pytest.mark.parametrize("skew", [1, 2])
def test_many_pods_are_spread_evenly_whatever_their_number(skew: int, count: int) -> None:
    item = spread(evenly(max_skew=skew), asks={"cpu": 1})
    rows = [node(f"n{n}", zone, offers={"pods": 40}) for n, zone in enumerate("abc")]
    fleet = fleet_of(WORLD, rows, [item])

    placed = dict(fleet.fill(fleet.table.class_of(item), count))

    assert sum(placed.values()) == count
    counts = [placed.get(n, 0) for n in range(3)]
    assert max(counts) - min(counts) <= skew
    assert counts == sorted(counts, reverse=True)


def test_a_full_zone_holds_the_others_back() -> None:
    item = spread(evenly(), asks={GPU: 1})
    fleet = fleet_of(WORLD, [node("n1", "a"), node("n2", "b", offers={GPU: 1}), node("n3", "a")], [item])

    assert fleet.fill(fleet.table.class_of(item), 9) == [(0, 2), (1, 1)]


def test_a_row_further_up_comes_first_again_as_soon_as_the_floor_has_risen() -> None:
    item = spread(evenly(max_skew=2))
    fleet = fleet_of(WORLD, [node("n1", "a", 2), node("n2", "b")], [item])

    assert fleet.fill(fleet.table.class_of(item), 2) == [(1, 1), (0, 1)]


def open_fleet(item: Pod, *rows: Row, potential: tuple[Row, ...]) -> tuple[Fleet, int]:
    fleet = fleet_of(WORLD, rows, [item])
    for empty in potential:
        fleet.add_potential(empty)
    return fleet, fleet.table.class_of(item)


def test_a_zone_whose_pool_is_still_empty_counts_as_an_empty_domain() -> None:
    item = spread(evenly())
    fleet, cls = open_fleet(item, node("n1", "b"), potential=(node("new/c/potential", "c"),))

    assert fleet.fill(cls, 4) == [(0, 1)]
    index = fleet.add(node("new/c/1", "c"))
    assert fleet.fill(cls, 3) == [(index, 2), (0, 1)]


def test_potential_zones_are_not_there_for_nodes_that_exist() -> None:
    fleet, cls = open_fleet(spread(evenly()), node("n1", "b"), potential=(node("new/c/potential", "c"),))
    fleet.count_potential = False

    assert fleet.fill(cls, 4) == [(0, 4)]
    fleet.count_potential = True
    assert fleet.why_not(cls, 0) == SKEWED


NO_DOMAINS = {
    "a pool with a taint that the pod does not tolerate": node("new/c/potential", "c", **TAINTED),
    "a pool that is too small for the pod": node("new/c/potential", "c", offers={GPU: 0}),
    "a pool without a zone": node("new/c/potential", None),
    "a pool with an empty zone label": node("new/c/potential", ""),
}


@pytest.mark.parametrize("potential", NO_DOMAINS.values(), ids=NO_DOMAINS)
def test_a_pool_that_cannot_serve_the_pod_is_no_domain(potential: Row) -> None:
    fleet, cls = open_fleet(spread(evenly(), asks={GPU: 1}), node("n1", "b"), potential=(potential,))

    assert fleet.fill(cls, 2) == [(0, 2)]


def test_a_node_set_aside_counts_but_takes_nothing() -> None:
    item = spread(evenly())
    fleet = fleet_of(WORLD, [node("n1", "a"), node("n2", "b")], [item])
    cls = fleet.table.class_of(item)
    aside = node("n3", "a", (replace(item, name="there", spec=item.spec, labels=Labels({"app": "web"})),))

    assert fleet.why_not(cls, 0) is None
    fleet.add_aside(aside)

    assert fleet.why_not(cls, 0) == SKEWED
    assert fleet.fill(cls, 3) == [(1, 2), (0, 1)]


def test_a_node_that_comes_back_is_not_counted_twice() -> None:
    item = spread(evenly(max_skew=2))
    there = replace(item, name="there")
    fleet = fleet_of(WORLD, [node("n1", "a"), node("n2", "b")], [item])
    cls = fleet.table.class_of(item)
    fleet.add_aside(node("n3", "a", (there,)))
    assert fleet.why_not(cls, 0) is None
    for _ in range(2):
        token = fleet.mark()
        fleet.add(node("n3", "a", (there,)))
        assert [fleet.why_not(cls, n) for n in range(3)] == [FITS, FITS, FITS]  # one in zone a, not two
        fleet.add(node("n4", "a"))
        fleet.add(node("n3", "a"))  # it was replaced once, and is not a second time
        fleet.place(cls, 0)
        assert [fleet.why_not(cls, n) for n in range(5)] == [SKEWED, FITS, SKEWED, SKEWED, SKEWED]
        fleet.rollback(token)

    assert len(fleet) == 2
    fleet.place(cls, 0)
    assert [fleet.why_not(cls, n) for n in range(2)] == [SKEWED, FITS]


def test_pods_that_nobody_counts_need_no_selector() -> None:
    item = spread(evenly(selector=LabelSelector()), labels={})

    assert verdicts(item, node("n1", "a", 1), node("n2", "b")) == [SKEWED, FITS]
