"""Clauses: what a pod asks of a node's labels and name, in one form for all filters that ask it.

A clause is a tuple of node selector terms of which one must match. A pod's clauses must all hold, so a clause without
terms is one that no node meets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from autoscaler.model.labels import NodeSelectorTerm, Requirement
from autoscaler.model.nodes import HOSTNAME

Clause = tuple[NodeSelectorTerm, ...]

NOWHERE: Clause = ()
NAME_FIELD = "metadata.name"


def term_holds(term: NodeSelectorTerm, labels: Mapping[str, str], name: str) -> bool:
    """True if the term matches a node with these labels and this name; a term without expressions matches none."""
    if term.fields:
        return term.matches(labels, name)
    return bool(term.expressions) and all(r.matches(labels) for r in term.expressions)


def clause_holds(clause: Clause, labels: Mapping[str, str], name: str) -> bool:
    """True if one of the terms matches."""
    return any(term_holds(term, labels, name) for term in clause)


def has_key(key: str) -> Clause:
    """The clause that a node carries the label."""
    return (NodeSelectorTerm((Requirement(key, "Exists"),)),)


def reads_name(clause: Clause) -> bool:
    """True if nodes that differ in their name alone may differ in this clause."""
    return any(t.fields or any(r.key == HOSTNAME for r in t.expressions) for t in clause)


def keys_of(clauses: Iterable[Clause]) -> set[str]:
    """The labels that the clauses read, the hostname left out."""
    return {r.key for clause in clauses for term in clause for r in term.expressions if r.key != HOSTNAME}


def names_of(clause: Clause) -> frozenset[str] | None:
    """Names and hostnames of nodes outside which the clause cannot hold; None if it is not so confined."""
    found: set[str] = set()
    for term in clause:
        own = [r.values for r in term.fields if r.key == NAME_FIELD and r.operator == "In"]
        own += [r.values for r in term.expressions if r.key == HOSTNAME and r.operator == "In"]
        if own:
            found.update(own[0])
        elif term.fields or term.expressions:
            return None
    return frozenset(found)


def text(terms: Clause) -> str:
    """The terms as a person would write them: `zone In (a, b) and gpu Exists, or ...`."""
    return ", or ".join(" and ".join(_phrase(r) for r in (*t.expressions, *t.fields)) or "nothing" for t in terms)


def _phrase(requirement: Requirement) -> str:
    match requirement.operator:
        case "Exists" | "DoesNotExist":
            return f"{requirement.key} {requirement.operator}"
        case "Gt" | "Lt":
            return f"{requirement.key} {requirement.operator} {', '.join(requirement.values)}"
        case _:
            return f"{requirement.key} {requirement.operator} ({', '.join(requirement.values)})"
