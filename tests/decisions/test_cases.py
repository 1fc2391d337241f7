"""The decision, case by case: what is seen, and what has to follow from it.

Each case of `cases/*.yaml` is a sentence, with the public thread that taught it where there is one. It is decided in
this process by the same loaders that `plan` uses: twice, with the objects in opposite orders, and once more ten seconds
later with the plan's nodes asked for, when none may be asked for again.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from autoscaler.model.catalog import Catalog
from autoscaler.model.decoding.cloud import decode_cloud
from autoscaler.model.decoding.memory import decode_memory
from autoscaler.model.decoding.objects import decode_objects
from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.memory import Memory
from autoscaler.planning.compile import compile_policies
from autoscaler.planning.decide import decide
from autoscaler.reporting.documents import plan_document
from policies.lint import check
from policies.loading import loads
from providers.catalog.catalog import load_catalog
from tests.decisions.compare import broken_laws, differences
from tests.decisions.expand import API, Case

HERE = Path(__file__).resolve().parent / "cases"
PUBLIC = Path(__file__).resolve().parents[3] / "shared" / "cases"


def cases_of(folder: Path) -> list[Any]:
    """The cases of a folder, each under its sentence."""
    found = []
    for file in sorted(folder.glob("*.yaml")):
        documents = yaml.load_all(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        found += [pytest.param(case, id=f"{file.stem}: {sentence_of(case)}") for case in documents if case]
    return found


def sentence_of(case: dict[str, Any]) -> str:
    return str(case["case"] if "title" not in case else f"{case['case']} {case['title']}")


@cache
def catalog() -> Catalog:
    return load_catalog()


def plan_of(case: Case, *, backwards: bool = False) -> dict[str, Any]:
    """The plan document for a case, its objects in their order or in the opposite one."""
    step = -1 if backwards else 1
    cloud = case.cloud()
    if cloud is not None:
        cloud["groups"] = cloud["groups"][::step]
    return decided(case, case.objects()[::step], cloud, case.state(), parse_rfc3339(case.now))


def decided(
    case: Case, objects: list[Any], cloud: dict[str, Any] | None, state: dict[str, Any] | None, now: float
) -> dict[str, Any]:
    """The plan document for these documents and the case's policy, read as `plan` reads them."""
    file = loads(yaml.dump_all(case.policy(), Dumper=yaml.CSafeDumper, sort_keys=False), "policy.yaml")
    assert [str(p) for p in check(file, catalog()) if p.severity == "error"] == []
    items = {"apiVersion": "v1", "kind": "List", "items": objects}
    groups = None if cloud is None else decode_cloud(json.dumps(cloud).encode(), "cloud.json")
    snapshot = decode_objects(json.dumps(items).encode(), "cluster.json").snapshot(groups)
    memory = Memory() if state is None else decode_memory(json.dumps(state).encode(), "state.json")
    return plan_document(decide(snapshot, compile_policies(file, catalog()), memory, now))


def asked_again(case: Case, plan: dict[str, Any]) -> list[str]:
    """What the next pass buys once the groups were asked for the plan's nodes: nothing, for they are on their way."""
    cloud, now = case.cloud(), parse_rfc3339(case.now)
    if cloud is None or not plan["scaleUp"]:
        return []
    groups = {group["name"]: group for group in cloud["groups"]}
    state = case.state() or {"apiVersion": API, "kind": "ControllerState", "pools": {}}
    for order in plan["scaleUp"]:
        groups[order["group"]]["desired"] = max(groups[order["group"]]["desired"], order["to"])
        state["pools"].setdefault(order["pool"], {})["lastScaleUpAt"] = case.now
    again = decided(case, case.objects(), cloud, state, now + 10)["scaleUp"]
    return [f"asked for again ten seconds later: {order['count']} of {order['group']}" for order in again]


def wrong_with(given: dict[str, Any]) -> list[str]:
    """Every difference between the plan for a case and what it expects."""
    case = Case(given)
    plan = plan_of(case)
    objects = case.objects()
    pods = [f"{o['metadata']['namespace']}/{o['metadata']['name']}" for o in objects if _waits(o)]
    nodes = [o["metadata"]["name"] for o in objects if o["kind"] == "Node"]
    found = [*differences(given["expect"], plan), *broken_laws(plan, pods, nodes), *asked_again(case, plan)]
    if plan_of(case, backwards=True) != plan:
        found.append("the order of the objects changes the plan")
    return found


def _waits(document: dict[str, Any]) -> bool:
    return document["kind"] == "Pod" and not document["spec"].get("nodeName")


@pytest.mark.parametrize("case", cases_of(HERE))
def test_a_decision(case: dict[str, Any]) -> None:
    found = wrong_with(case)
    assert not found, "\n".join(found)


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the folder ../shared/cases is not there")
@pytest.mark.parametrize("case", cases_of(PUBLIC))
def test_a_public_case_is_read_and_decided_the_same_way(case: dict[str, Any]) -> None:
    found = wrong_with(case)
    assert not found, "\n".join(found)


def test_every_case_has_a_sentence_of_its_own() -> None:
    sentences = [sentence_of(parameters.values[0]) for parameters in cases_of(HERE)]

    assert len(set(sentences)) == len(sentences)
    assert len(sentences) > 120
