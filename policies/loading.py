"""A policy file, or a folder of them, into models; every mistake with file, line, column, path and advice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from policies.documents import Document, parse
from policies.messages import problem_at, problems_of
from policies.problems import Path as Keys
from policies.problems import PolicyError, Problem, Severity, dotted, shown
from policies.schema_cluster import AutoscalerPolicy, ClusterSpec
from policies.schema_pool import NodePool
from policies.suggestions import did_you_mean

API_VERSION = "gpu-autoscaler.dev/v1alpha1"
FILE_BYTES_MAX = 16 << 20
SUFFIXES = (".yaml", ".yml")
KINDS: Mapping[str, type[AutoscalerPolicy] | type[NodePool]] = {
    "AutoscalerPolicy": AutoscalerPolicy,
    "NodePool": NodePool,
}

__all__ = ["API_VERSION", "PolicyError", "PolicyFile", "Problem", "load", "loads", "problems_of"]


@dataclass(frozen=True)
class PolicyFile:
    """The loaded policy: cluster rules (or their defaults) and pools sorted by name.

    `sources`: file and document of each pool by name, of the AutoscalerPolicy by "".
    """

    cluster: ClusterSpec
    pools: tuple[NodePool, ...]
    sources: Mapping[str, tuple[str, Document]] = field(default_factory=dict)

    def problem(self, name: str, path: Keys, message: str, *, warning: bool = False) -> Problem:
        """A problem at `path` of the document of pool `name` ("" for the AutoscalerPolicy)."""
        severity: Severity = "warning" if warning else "error"
        source = self.sources.get(name)
        if source is None:
            return Problem(message, path=dotted(path), severity=severity)
        return Problem(message, source[0], *source[1].place(path), dotted(path), severity)


def load(path: Path) -> PolicyFile:
    """A policy file, or all `*.yaml` and `*.yml` of a folder that are not hidden. Raises PolicyError."""
    try:
        files = _files(path) if path.is_dir() else [path]
    except OSError as wrong:
        raise PolicyError(Problem(f"cannot be read: {wrong.strerror}", str(path))) from None
    if not files:
        raise PolicyError(Problem("has no .yaml or .yml file; put the policy there", str(path)))
    problems: list[Problem] = []
    texts: list[tuple[str, str]] = []
    for file in files:
        try:
            texts.append((str(file), _read(file)))
        except PolicyError as wrong:
            problems += wrong.problems
    return _assemble(texts, str(path), problems)


def loads(text: str, name: str) -> PolicyFile:
    """A policy from text; `name` stands for the file in messages. Raises PolicyError."""
    return _assemble([(name, text)], name, [])


def _files(folder: Path) -> list[Path]:
    """Hidden files are left out: editors keep drafts there, and mounted ConfigMaps their older versions."""
    found = (p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and not p.name.startswith("."))
    return sorted(p for p in found if p.is_file())


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            raise PolicyError(Problem(f"is over {FILE_BYTES_MAX >> 20} MiB; this is no policy file", str(path)))
        return content.decode("utf-8")
    except FileNotFoundError:
        raise PolicyError(Problem("does not exist; give the path of a policy file or folder", str(path))) from None
    except OSError as wrong:
        raise PolicyError(Problem(f"cannot be read: {wrong.strerror}", str(path))) from None
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        message = f"is not UTF-8 text (line {line}); a policy is a YAML file in UTF-8"
        raise PolicyError(Problem(message, str(path))) from None


def _assemble(files: Iterable[tuple[str, str]], where: str, problems: list[Problem]) -> PolicyFile:
    """The policy of all files; `problems` are those that were met on the way here."""
    clusters: list[tuple[AutoscalerPolicy, str, Document]] = []
    pools: dict[str, NodePool] = {}
    sources: dict[str, tuple[str, Document]] = {}
    for name, text in files:
        parsed = parse(text, name)
        problems += parsed.problems
        for document in parsed.documents:
            model, wrongs = _validated(document, name)
            problems += wrongs
            if isinstance(model, AutoscalerPolicy):
                clusters.append((model, name, document))
            elif isinstance(model, NodePool):
                if model.name in sources:
                    problems.append(_second(model, name, document, sources[model.name]))
                else:
                    pools[model.name], sources[model.name] = model, (name, document)
    for _, name, document in clusters[1:]:
        message = f"is a second AutoscalerPolicy, the first is at {_location(*clusters[0][1:])}; keep one"
        problems.append(problem_at(document, name, ("kind",), message))
    if not problems and not pools:
        problems.append(Problem("has no NodePool; add one, or there is nothing to buy", where))
    if problems:
        raise PolicyError(*sorted(problems, key=lambda p: (p.file, p.line, p.column, p.path, p.message)))
    if clusters:
        sources[""] = (clusters[0][1], clusters[0][2])
    spec = clusters[0][0].spec if clusters else ClusterSpec()
    return PolicyFile(spec, tuple(pools[n] for n in sorted(pools)), sources)


def _second(pool: NodePool, name: str, document: Document, first: tuple[str, Document]) -> Problem:
    message = f"there is a pool {pool.name} already, at {_location(*first)}; rename one"
    return problem_at(document, name, ("metadata", "name"), message)


def _location(name: str, document: Document) -> str:
    return f"{name}:{document.place(())[0]}"


def _validated(document: Document, name: str) -> tuple[AutoscalerPolicy | NodePool | None, list[Problem]]:
    """The model of a document, or None and everything that is wrong with it."""
    value = document.value
    found = list(document.problems)
    if not isinstance(value, dict):
        if not found:
            found.append(problem_at(document, name, (), "is no policy document; it begins with apiVersion and kind"))
        return None, found
    kind, version = value.get("kind"), value.get("apiVersion")
    if isinstance(version, str) and version != API_VERSION:
        message = f"must be {API_VERSION}, got {shown(version)}{did_you_mean(version, [API_VERSION])}"
        return None, [*found, problem_at(document, name, ("apiVersion",), message)]
    if not isinstance(kind, str) or kind not in KINDS:
        return None, found if ("kind",) in document.broken else [*found, _no_kind(document, name, value)]
    model = KINDS[kind]
    try:
        valid = model.model_validate(value)
    except ValidationError as wrong:
        # A second sentence on what is no YAML value at all would only repeat the first.
        broken = {dotted(path) for path in document.broken}
        found += [p for p in problems_of(wrong, model, document, name) if p.path not in broken]
        return None, found
    return (None if found else valid), found


def _no_kind(document: Document, name: str, value: Mapping[str, object]) -> Problem:
    kinds = " or ".join(KINDS)
    if "kind" not in value:
        near = next((key for key in value if key.lower() == "kind"), None)
        return problem_at(document, name, (near or "kind",), f"the key kind is missing; write kind: {kinds}")
    kind = value["kind"]
    close = did_you_mean(kind, KINDS) if isinstance(kind, str) else ""
    return problem_at(document, name, ("kind",), f"must be {kinds}, got {shown(kind)}{close}")
