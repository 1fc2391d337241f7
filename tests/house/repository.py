"""The repository as data for the tests beside this file: its files, its Python modules, what they import."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("policies", "autoscaler", "providers", "simulations")
MADE_BY_TOOLS = frozenset({"dist", "build", "out", "__pycache__"})


@cache
def files() -> tuple[Path, ...]:
    """Every file that belongs to the repository, sorted: git's view, or, in an unpacked archive, what is not hidden."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and (ROOT / ".git").exists():
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not _is_hidden_or_made(path)]
    return tuple(sorted(path for path in found if path.is_file()))


def _is_hidden_or_made(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return any((part.startswith(".") and part != ".ci") or part in MADE_BY_TOOLS for part in parts)


def relative(path: Path) -> str:
    """The path as a person would type it at the root of the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def text_of(path: Path) -> str | None:
    """The content of a text file, None for anything else."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def python_files(*rooms: str) -> tuple[Path, ...]:
    """The Python files under the given folders (`autoscaler/model`), or all of the repository's."""
    every = tuple(path for path in files() if path.suffix == ".py")
    if not rooms:
        return every
    return tuple(path for path in every if any(relative(path).startswith(f"{room}/") for room in rooms))


def markdown_files() -> tuple[Path, ...]:
    """The Markdown files of the repository."""
    return tuple(path for path in files() if path.suffix == ".md")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: the module as it is written out in full, and where."""

    module: str
    line: int


def imports(tree: ast.Module) -> tuple[Import, ...]:
    """Every import of a module, those inside functions included.

    `from a import b` counts as `a.b`, for `b` may be a module; relative imports do not occur here (ruff, TID252).
    """
    found: list[Import] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [Import(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
    return tuple(found)


def calls(tree: ast.Module) -> tuple[Import, ...]:
    """Every call by the dotted name it is written with (`datetime.now`), and where; other calls are left out."""
    found: list[Import] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _dotted(node.func)
            if name:
                found.append(Import(name, node.lineno))
    return tuple(found)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = _dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""
