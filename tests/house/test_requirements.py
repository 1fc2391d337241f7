"""The lock files: exact versions with hashes, no hosts, and what pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.house.repository import ROOT

LOCKS = ("runtime.txt", "dev.txt")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")


def lock(name: str) -> Path:
    return ROOT / "requirements" / name


def entries(name: str) -> list[str]:
    """One text for each requirement: its continuation lines joined, comments left out."""
    kept = [line for line in lock(name).read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    return [entry for entry in re.split(r"\n(?=\S)", "\n".join(kept)) if entry.strip()]


def pins(name: str) -> dict[str, Version]:
    matches = (PIN.match(entry) for entry in entries(name))
    return {canonicalize_name(m[1]): Version(m[2]) for m in matches if m}


@cache
def project() -> dict[str, list[str]]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        document = tomllib.load(file)
    wanted = document["project"]["dependencies"]
    return {"runtime.txt": wanted, "dev.txt": wanted + document["dependency-groups"]["dev"]}


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_an_exact_version_with_hashes(name: str) -> None:
    loose = [e.splitlines()[0] for e in entries(name) if not PIN.match(e) or "--hash=sha256:" not in e]

    assert entries(name)
    assert loose == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_address_no_option_and_no_path(name: str) -> None:
    lines = lock(name).read_text(encoding="utf-8").splitlines()

    assert [line for line in lines if "://" in line or re.match(r"\s*-(?!-hash)", line) or " /" in line] == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_what_the_project_asks_for(name: str) -> None:
    locked = pins(name)
    unmet = [
        wanted
        for wanted, requirement in ((text, Requirement(text)) for text in project()[name])
        if locked.get(canonicalize_name(requirement.name)) not in requirement.specifier
    ]

    assert unmet == [], "run `make lock`"


def test_developers_run_the_versions_that_users_run() -> None:
    runtime, dev = pins("runtime.txt"), pins("dev.txt")

    assert {name: version for name, version in runtime.items() if dev.get(name) != version} == {}


def test_every_dependency_has_its_reason_and_its_cost_in_the_documents() -> None:
    text = (ROOT / "docs/design/dependencies.md").read_text(encoding="utf-8").lower()
    names = [canonicalize_name(Requirement(wanted).name) for wanted in project()["dev.txt"]]

    assert [name for name in names if f"`{name}`" not in text] == []
