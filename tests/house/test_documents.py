"""Documents keep their word: links lead somewhere, commands exist, every reason is explained."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoscaler.cli.app import app
from autoscaler.model.reasons import BlockCause, Code
from tests.house.repository import ROOT, markdown_files, relative, text_of

README_LINES_MAX = 110
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"^([a-z][a-z-]*):(?!=)", re.MULTILINE)
MAKE = re.compile(r"(?:^|`)make ([a-z]+)", re.MULTILINE)
VERB = re.compile(r"gpu[-_]autoscaler ([a-z]+)(?=[ `\n])")
CODE_ROW = re.compile(r"^\| `([A-Za-z]+)`", re.MULTILINE)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def links(path: Path) -> Iterator[str]:
    for match in LINK.finditer(FENCE.sub("", text_of(path) or "")):
        yield match[1] or match[2]


def anchors(path: Path) -> set[str]:
    """The anchors of a Markdown file as its headings make them: lower case, words joined by `-`."""
    headings = re.findall(r"^#+\s+(.*?)\s*$", FENCE.sub("", text_of(path) or ""), re.MULTILINE)
    plain = [re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", h).lower() for h in headings]
    return {re.sub(r"[^\w\- ]", "", h).replace(" ", "-") for h in plain}


def broken(path: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):  # an address elsewhere: not asked, for tests need no network
        return False
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if not target.exists() or not target.is_relative_to(ROOT):
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target)


@pytest.mark.parametrize("path", markdown_files(), ids=relative)
def test_every_link_leads_somewhere(path: Path) -> None:
    assert [link for link in links(path) if broken(path, link)] == []


def test_a_link_to_nothing_is_found() -> None:
    readme = ROOT / "README.md"

    assert broken(readme, "docs/no-such-page.md")
    assert broken(readme, "docs/architecture.md#no-such-heading")
    assert not broken(readme, "docs/architecture.md")


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_that_is_named_exists(name: str) -> None:
    named = set(MAKE.findall(read(name)))

    assert named
    assert named - set(TARGET.findall(read("Makefile"))) == set()


def test_every_make_target_has_a_line_of_help() -> None:
    makefile = read("Makefile")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)

    assert phony is not None
    assert set(phony[1].split()) == set(re.findall(r"^([a-z]+):[^=\n]*## \S", makefile, re.MULTILINE))


def test_every_verb_that_a_document_shows_exists() -> None:
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    shown = {
        (relative(path), verb)
        for path in markdown_files()
        for code in CODE.findall(text_of(path) or "")
        for verb in VERB.findall(code)
    }

    assert shown
    assert {(place, verb) for place, verb in shown if verb not in verbs} == set()


def test_the_readme_shows_the_plan_that_its_example_gives() -> None:
    shown = re.search(r"^\$ cd (\S+)\n\$ gpu-autoscaler (.*)\n([\s\S]*?)^```$", read("README.md"), re.MULTILINE)
    assert shown is not None
    folder, arguments, text = shown.groups()

    done = subprocess.run(
        [sys.executable, "-m", "autoscaler.cli.main", *shlex.split(arguments)],
        cwd=ROOT / folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stdout) == (3, text)


def test_the_readme_is_two_screens() -> None:
    assert len(read("README.md").splitlines()) <= README_LINES_MAX


def test_every_reason_code_is_explained_and_no_other() -> None:
    explained = set(CODE_ROW.findall(read("docs/reasons.md")))

    assert explained == {code.value for code in Code} | {cause.value for cause in BlockCause}


def test_every_row_of_a_reason_is_complete() -> None:
    tables = re.findall(r"(?:^\|.*\n)+", read("docs/reasons.md"), re.MULTILINE)
    uneven = [
        line
        for table in tables
        for line in table.splitlines()
        if line.count("|") != table.splitlines()[0].count("|") or re.search(r"\|\s*\|", line)
    ]

    assert uneven == []
