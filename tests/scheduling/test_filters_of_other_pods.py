"""What other pods keep a pod from: host ports, affinity, anti-affinity. A table a filter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoscaler.model.labels import Labels, LabelSelector, Requirement
from autoscaler.model.nodes import HOSTNAME, ZONE
from autoscaler.model.pods import HostPort, Pod, PodAffinityTerm
from autoscaler.model.reasons import Code, Reason
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.rows import Row
from tests.scheduling.worlds import bound, fleet_of, pod, row, selects

FITS = None
WORLD = Snapshot(namespaces={"team": Labels({"tier": "gold"})})


def verdicts(item: Pod, *rows: Row) -> list[Reason | None]:
    fleet = fleet_of(WORLD, rows, [item])
    return [fleet.why_not(fleet.table.class_of(item), n) for n in range(len(rows))]


def claiming(port: int, protocol: str = "TCP", ip: str = "0.0.0.0") -> Pod:
    return pod("server", host_ports=(HostPort(port, protocol, ip),))


def taken(port: int) -> Reason:
    return Reason.of(Code.HOST_PORT, port=port)


PORTS = {
    "the same port is taken": (claiming(80), claiming(80), taken(80)),
    "another port is free": (claiming(80), claiming(81), FITS),
    "another protocol is free": (claiming(80), claiming(80, "UDP"), FITS),
    "another address is free": (claiming(80, ip="10.0.0.1"), claiming(80, ip="10.0.0.2"), FITS),
    "the same address is taken": (claiming(80, ip="10.0.0.1"), claiming(80, ip="10.0.0.1"), taken(80)),
    "all addresses take each of them": (claiming(80), claiming(80, ip="10.0.0.1"), taken(80)),
    "each address keeps all of them from being taken": (claiming(80, ip="10.0.0.1"), claiming(80), taken(80)),
    "no address means all": (claiming(80, ip=""), claiming(80, ip="10.0.0.1"), taken(80)),
    "no protocol means TCP": (claiming(80, ""), claiming(80), taken(80)),
    "a pod without ports is free": (claiming(80), pod(), FITS),
    "port zero is none": (claiming(0), claiming(0), FITS),
}


@pytest.mark.parametrize(("there", "item", "expected"), PORTS.values(), ids=PORTS)
def test_host_ports(there: Pod, item: Pod, expected: Reason | None) -> None:
    assert verdicts(replace(item, name="new"), row("n1", pods=(bound(there, "n1"),))) == [expected]


def test_one_pod_with_a_host_port_goes_to_each_node() -> None:
    item = claiming(80)
    fleet = fleet_of(WORLD, [row("n1"), row("n2"), row("n3")], [item])

    assert fleet.fill(fleet.table.class_of(item), 5) == [(0, 1), (1, 1), (2, 1)]


def in_zone(name: str, zone: str | None, *there: Pod) -> Row:
    pods = tuple(bound(replace(p, name=f"{name}-{n}"), name) for n, p in enumerate(there))
    return row(name, labels={ZONE: zone}, pods=pods)


def near(key: str = ZONE, selector: LabelSelector | None = selects(app="web"), **more: object) -> PodAffinityTerm:  # noqa: B008
    return PodAffinityTerm(key, selector, **more)  # type: ignore[arg-type]


def wants(*terms: PodAffinityTerm, **given: object) -> Pod:
    return pod("new", pod_affinity=terms, **given)


LONELY, LONELY_HOST = Reason.of(Code.POD_AFFINITY, key=ZONE), Reason.of(Code.POD_AFFINITY, key=HOSTNAME)
WEB = pod("web", labels={"app": "web"})
WEB_OF_TEAM = pod("web", "team", labels={"app": "web"})
DYING_WEB = replace(WEB, deleted_at=1.0)
AFFINITY = {
    "a pod goes where the wanted one is": (wants(near()), [FITS, FITS, LONELY], WEB),
    "the domain may be the node alone": (wants(near(HOSTNAME)), [FITS, LONELY_HOST, LONELY_HOST], WEB),
    "a pod that is being deleted is still there": (wants(near()), [FITS, FITS, LONELY], DYING_WEB),
    "nobody is wanted who is not there": (wants(near()), [LONELY, LONELY, LONELY], pod("db", labels={"app": "db"})),
    "the first of its own kind may go anywhere": (wants(near(), labels={"app": "web"}), [FITS, FITS, FITS], None),
    "the second goes to the first": (wants(near(), labels={"app": "web"}), [FITS, FITS, LONELY], WEB),
    "a selector that is not there wants nobody": (wants(near(selector=None)), [LONELY, LONELY, LONELY], WEB),
    "an empty selector wants anybody": (wants(near(selector=LabelSelector())), [FITS, FITS, LONELY], WEB),
    "pods of another namespace are not wanted": (wants(near()), [LONELY, LONELY, LONELY], WEB_OF_TEAM),
    "unless the namespace is named": (wants(near(namespaces=("team",))), [FITS, FITS, LONELY], WEB_OF_TEAM),
    "or selected by its labels": (
        wants(near(namespace_selector=selects(tier="gold"))),
        [FITS, FITS, LONELY],
        WEB_OF_TEAM,
    ),
    "or by the name that every namespace carries": (
        wants(near(namespace_selector=selects(**{"kubernetes.io/metadata.name": "team"}))),
        [FITS, FITS, LONELY],
        WEB_OF_TEAM,
    ),
    "an empty namespace selector is all namespaces": (
        wants(near(namespace_selector=LabelSelector())),
        [FITS, FITS, LONELY],
        WEB_OF_TEAM,
    ),
    "a named namespace leaves the own one out": (wants(near(namespaces=("team",))), [LONELY, LONELY, LONELY], WEB),
    "all terms must be met by one and the same pod": (
        wants(near(), near(selector=selects(color="red"))),
        [LONELY, LONELY, LONELY],
        WEB,
    ),
    "all topologies must hold": (wants(near(), near(HOSTNAME)), [FITS, LONELY_HOST, LONELY], WEB),
    "matchLabelKeys asks for the pod's own value": (
        wants(near(match_label_keys=("rev",)), labels={"rev": "2"}),
        [LONELY, LONELY, LONELY],
        replace(WEB, labels=Labels({"app": "web", "rev": "1"})),
    ),
    "mismatchLabelKeys asks for any other": (
        wants(near(mismatch_label_keys=("rev",)), labels={"rev": "2"}),
        [FITS, FITS, LONELY],
        replace(WEB, labels=Labels({"app": "web", "rev": "1"})),
    ),
    "mismatchLabelKeys refuses the pod's own value": (
        wants(near(mismatch_label_keys=("rev",)), labels={"rev": "1"}),
        [LONELY, LONELY, LONELY],
        replace(WEB, labels=Labels({"app": "web", "rev": "1"})),
    ),
    "keys that the pod does not carry are passed over": (
        wants(near(match_label_keys=("rev",))),
        [FITS, FITS, LONELY],
        replace(WEB, labels=Labels({"app": "web", "rev": "1"})),
    ),
}


@pytest.mark.parametrize(("item", "expected", "there"), AFFINITY.values(), ids=AFFINITY)
def test_affinity(item: Pod, expected: list[Reason | None], there: Pod | None) -> None:
    first = in_zone("n1", "a", *([] if there is None else [there]))

    assert verdicts(item, first, in_zone("n2", "a"), in_zone("n3", "b")) == expected


def test_a_node_without_the_topology_label_has_no_company() -> None:
    item = wants(near(), labels={"app": "web"})

    assert verdicts(item, in_zone("n1", None), in_zone("n2", "a")) == [LONELY, FITS]
    fleet = fleet_of(WORLD, [], [item])
    assert fleet.why_not_empty(fleet.table.class_of(item), in_zone("new", None)) == LONELY


def test_company_outside_of_every_domain_does_not_keep_the_first_one_away() -> None:
    # kube-scheduler counts by domain, and the running pod is in none.
    item = wants(near(), labels={"app": "web"})

    assert verdicts(item, in_zone("n1", None, WEB), in_zone("n2", "a")) == [LONELY, FITS]


def test_pods_that_want_each_other_fill_one_zone() -> None:
    item = wants(near(), labels={"app": "web"}, asks={"cpu": 1000})
    fleet = fleet_of(WORLD, [in_zone("n1", "a"), in_zone("n2", "b"), in_zone("n3", "a")], [item])

    assert fleet.fill(fleet.table.class_of(item), 9) == [(0, 4), (2, 4)]


def avoids(*terms: PodAffinityTerm, **given: object) -> Pod:
    return pod("new", pod_anti_affinity=terms, **given)


CROWDED, CROWDED_HOST = Reason.of(Code.POD_ANTI_AFFINITY, key=ZONE), Reason.of(Code.POD_ANTI_AFFINITY, key=HOSTNAME)
SHY_OF_WEB = pod("shy", pod_anti_affinity=(near(),))
APART = {
    "a pod keeps away from the domain of those it avoids": (avoids(near()), [CROWDED, CROWDED, FITS], WEB),
    "the domain may be the node alone": (avoids(near(HOSTNAME)), [CROWDED_HOST, FITS, FITS], WEB),
    "a pod that is being deleted is still avoided": (avoids(near(HOSTNAME)), [CROWDED_HOST, FITS, FITS], DYING_WEB),
    "others do not matter": (avoids(near()), [FITS, FITS, FITS], pod("db", labels={"app": "db"})),
    "a pod that is there keeps those away that it avoids": (
        pod("new", labels={"app": "web"}),
        [CROWDED, CROWDED, FITS],
        SHY_OF_WEB,
    ),
    "it lets all others come": (pod("new", labels={"app": "db"}), [FITS, FITS, FITS], SHY_OF_WEB),
    "and all of other namespaces": (pod("new", "team", labels={"app": "web"}), [FITS, FITS, FITS], SHY_OF_WEB),
    "one term of several is enough": (
        avoids(near(selector=selects(app="db")), near(HOSTNAME)),
        [CROWDED_HOST, FITS, FITS],
        WEB,
    ),
    "a selector that is not there avoids nobody": (avoids(near(selector=None)), [FITS, FITS, FITS], WEB),
    "NotIn avoids those without the label too": (
        avoids(near(selector=LabelSelector((Requirement("app", "NotIn", ("db",)),)))),
        [CROWDED, CROWDED, FITS],
        pod("plain"),
    ),
    "matchLabelKeys leaves other revisions alone": (
        avoids(near(match_label_keys=("rev",)), labels={"rev": "2"}),
        [FITS, FITS, FITS],
        replace(WEB, labels=Labels({"app": "web", "rev": "1"})),
    ),
}


@pytest.mark.parametrize(("item", "expected", "there"), APART.values(), ids=APART)
def test_anti_affinity(item: Pod, expected: list[Reason | None], there: Pod) -> None:
    assert verdicts(item, in_zone("n1", "a", there), in_zone("n2", "a"), in_zone("n3", "b")) == expected


def test_a_node_without_the_topology_label_keeps_nobody_apart() -> None:
    assert verdicts(avoids(near()), in_zone("n1", None, WEB), in_zone("n2", None)) == [FITS, FITS]


def test_an_empty_topology_label_is_a_domain_and_no_label_is_none() -> None:
    item = avoids(near())

    assert verdicts(item, in_zone("n1", "", WEB), in_zone("n2", ""), in_zone("n3", None)) == [CROWDED, CROWDED, FITS]
    fleet = fleet_of(WORLD, [in_zone("n1", "", WEB), in_zone("n2", ""), in_zone("n3", None)], [item])
    assert fleet.fill(fleet.table.class_of(item), 2) == [(2, 2)]


def test_pods_that_avoid_their_own_kind_go_one_to_a_node() -> None:
    item = avoids(near(HOSTNAME), labels={"app": "web"})
    fleet = fleet_of(WORLD, [in_zone("n1", "a"), in_zone("n2", "a", WEB), in_zone("n3", "a")], [item])

    assert fleet.fill(fleet.table.class_of(item), 5) == [(0, 1), (2, 1)]


def test_a_simple_pod_keeps_away_once_a_shy_one_is_placed() -> None:
    shy, web = replace(SHY_OF_WEB, name="s"), replace(WEB, name="w")
    fleet = fleet_of(WORLD, [in_zone("n1", "a"), in_zone("n2", "b")], [shy, web])
    token = fleet.mark()

    assert fleet.fill(fleet.table.class_of(shy), 1) == [(0, 1)]
    assert fleet.fill(fleet.table.class_of(web), 2) == [(1, 2)]
    fleet.rollback(token)
    assert fleet.fill(fleet.table.class_of(web), 2) == [(0, 2)]
