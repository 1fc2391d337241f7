"""The table of rooms in docs/architecture.md: what each room may import, from here and from outside.

import-linter checks the directions; this holds the rows, so that a new dependency of a room is a decision
and not an accident.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass

import pytest

from tests.house.repository import ROOMS, ROOT, calls, imports, python_files, relative, tree_of


@dataclass(frozen=True, slots=True)
class Room:
    """One row: which of our packages and which third-party packages a room may import."""

    ours: frozenset[str]
    packages: frozenset[str]


def room(ours: str = "", packages: str = "") -> Room:
    return Room(frozenset(ours.split()), frozenset(packages.split()))


# `policies` may name one module of the program: there is one parser of Kubernetes quantities.
TABLE = {
    "policies": room("autoscaler.model.quantity", "pydantic pydantic_core yaml cronsim durationpy"),
    "autoscaler/model": room("", "numpy msgspec yaml"),
    "autoscaler/scheduling": room("autoscaler.model", "numpy"),
    "autoscaler/planning": room("autoscaler.scheduling autoscaler.model policies", "numpy highspy"),
    "autoscaler/control": room("autoscaler.planning autoscaler.model policies", "tenacity structlog"),
    "autoscaler/cluster": room("autoscaler.model", "kubernetes urllib3 structlog"),
    "autoscaler/reporting": room("autoscaler.planning autoscaler.model", "yaml msgspec prometheus_client"),
    "providers": room("autoscaler.model", "yaml msgspec boto3 botocore google tenacity"),
}
PURE = ("policies", "autoscaler/model", "autoscaler/scheduling", "autoscaler/planning")
CLIENTS = {"boto3", "botocore", "google", "kubernetes", "urllib3", "requests"}
IMPURE_MODULES = {
    *("time", "random", "secrets", "uuid", "logging"),
    *("threading", "multiprocessing", "asyncio", "subprocess", "socket", "ssl", "http", "urllib"),
    *CLIENTS,
}
CLOCKS = ("datetime.now", "datetime.utcnow", "datetime.today", "date.today")
CHANCE = ("np.random", "numpy.random")


def existing(rooms: tuple[str, ...]) -> list[str]:
    return [name for name in rooms if (ROOT / name).is_dir()]


def outside(module: str) -> bool:
    """True for a third-party package: neither the standard library nor ours."""
    return module.split(".")[0] not in sys.stdlib_module_names and module.split(".")[0] not in ROOMS


def within(module: str, allowed: frozenset[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in allowed)


@pytest.mark.parametrize("name", existing(tuple(TABLE)))
def test_a_room_imports_only_the_rooms_of_its_row(name: str) -> None:
    allowed = TABLE[name].ours | {name.replace("/", ".")}
    found = [
        f"{relative(path)}:{line}: {module}"
        for path in python_files(name)
        for module, line in ((i.module, i.line) for i in imports(tree_of(path)))
        if module.split(".")[0] in ROOMS and not within(module, allowed)
    ]

    assert found == []


@pytest.mark.parametrize("name", existing(tuple(TABLE)))
def test_a_room_imports_only_the_packages_of_its_row(name: str) -> None:
    found = [
        f"{relative(path)}:{i.line}: {i.module}"
        for path in python_files(name)
        for i in imports(tree_of(path))
        if outside(i.module) and i.module.split(".")[0] not in TABLE[name].packages
    ]

    assert found == []


@pytest.mark.parametrize("name", existing(PURE))
def test_a_pure_room_imports_no_clock_no_chance_no_log_and_no_client(name: str) -> None:
    found = [
        f"{relative(path)}:{i.line}: {i.module}"
        for path in python_files(name)
        for i in imports(tree_of(path))
        if i.module.split(".")[0] in IMPURE_MODULES
    ]

    assert found == []


@pytest.mark.parametrize("name", existing(PURE))
def test_a_pure_room_does_not_ask_for_the_time_or_for_chance_by_a_side_door(name: str) -> None:
    found = [
        f"{relative(path)}:{call.line}: {call.module}"
        for path in python_files(name)
        for call in calls(tree_of(path))
        if call.module.endswith(CLOCKS) or call.module.startswith(CHANCE)
    ]

    assert found == []


def test_only_the_command_line_prints() -> None:
    found = [
        f"{relative(path)}:{call.line}"
        for path in python_files(*ROOMS)
        if not relative(path).startswith("autoscaler/cli/")
        for call in calls(tree_of(path))
        if call.module == "print"
    ]

    assert found == []


def test_clients_of_clouds_and_of_kubernetes_are_imported_inside_functions_only() -> None:
    found = [
        f"{relative(path)}:{node.lineno}"
        for path in python_files(*ROOMS)
        for node in tree_of(path).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for i in imports(ast.Module(body=[node], type_ignores=[]))
        if i.module.split(".")[0] in CLIENTS
    ]

    assert found == []


SAMPLE = """
import os.path, numpy as np
from autoscaler.model import nodes
def late():
    from autoscaler.planning.plan import Plan
    return datetime.datetime.now(), np.random.rand(), Plan()
"""


def test_the_reader_of_imports_sees_those_inside_functions_too() -> None:
    found = [i.module for i in imports(ast.parse(SAMPLE))]

    assert found == ["os.path", "numpy", "autoscaler.model.nodes", "autoscaler.planning.plan.Plan"]


def test_the_reader_of_calls_sees_dotted_names() -> None:
    assert {"datetime.datetime.now", "np.random.rand", "Plan"} == {c.module for c in calls(ast.parse(SAMPLE))}
