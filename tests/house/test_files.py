"""What every file of the repository keeps to: it can be read anywhere, says what it is for, and is not too long."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.house.repository import ROOMS, ROOT, files, python_files, relative, text_of, tree_of

LINES_MAX = 400
# A home folder of somebody; `/home/app` and the like inside images are not used here either.
HOME_FOLDER = re.compile(r"(?<![\w.])/(?:home|Users)/[\w.-]+/")
# Lock files of other tools name the hosts they fetched from.
LOCK_FILES_WITH_HOSTS = frozenset({"uv.lock", "pylock.toml", "poetry.lock", "Pipfile.lock", "package-lock.json"})
PACKAGE_ADDRESS = re.compile(r"https?://[^\s\"']+\.(?:whl|tgz|tar\.gz|crate)\b|\"resolved\": *\"http")


def places_of_this_machine() -> list[str]:
    """The folders that hold this checkout and the home folder, as they would look inside a file."""
    folders = {ROOT, ROOT.parent, Path.home()}
    return sorted(f"{folder}/" for folder in folders if len(folder.parts) > 1 and folder != Path("/tmp"))


def lines_with(found: re.Pattern[str]) -> list[str]:
    return [
        f"{relative(path)}:{number}: {line.strip()[:120]}"
        for path in files()
        for number, line in enumerate((text_of(path) or "").splitlines(), start=1)
        if found.search(line)
    ]


def test_no_file_names_a_path_of_this_machine() -> None:
    here = "|".join(re.escape(place) for place in places_of_this_machine())

    assert lines_with(re.compile(rf"(?<![\w.-])(?:{here})")) == []


def test_no_file_names_a_home_folder() -> None:
    assert lines_with(HOME_FOLDER) == []


def test_no_file_names_the_address_of_a_package() -> None:
    assert lines_with(PACKAGE_ADDRESS) == []


def test_no_lock_file_that_names_hosts_is_kept() -> None:
    assert [relative(path) for path in files() if path.name in LOCK_FILES_WITH_HOSTS] == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_package_says_what_lives_in_it(room: str) -> None:
    folders = {path.parent for path in python_files(room)}
    silent = [
        relative(folder)
        for folder in sorted(folders)
        if not (folder / "__init__.py").exists() or not ast.get_docstring(tree_of(folder / "__init__.py"))
    ]

    assert silent == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_starts_with_a_docstring(room: str) -> None:
    assert [relative(p) for p in python_files(room) if not ast.get_docstring(tree_of(p))] == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_top_package_is_marked_as_typed(room: str) -> None:
    assert (ROOT / room / "py.typed").exists()


def test_no_python_file_is_too_long() -> None:
    lengths = {relative(path): len((text_of(path) or "").splitlines()) for path in python_files()}

    assert {name: lines for name, lines in lengths.items() if lines > LINES_MAX} == {}


def test_text_files_end_with_one_newline_and_have_no_carriage_returns() -> None:
    ours = [p for p in files() if p.suffix in {".py", ".md", ".toml", ".txt"} or p.name in {"Makefile", "LICENSE"}]
    wrong = [
        relative(p) for p in ours if (t := text_of(p)) and (not t.endswith("\n") or t.endswith("\n\n") or "\r" in t)
    ]

    assert wrong == []
