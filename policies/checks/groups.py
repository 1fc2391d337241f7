"""Instance groups: one pool each, in zones that exist where the provider says they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from policies.checks.facts import Facts
from policies.problems import Path, Problem
from policies.schema_group import Group

_GCP_ZONE = re.compile(r"[a-z]+-[a-z]+[0-9]+-[a-z]")


def check_groups(pools: Sequence[Facts]) -> Iterator[Problem]:
    """A group is named once in all pools, and says where its nodes are."""
    owner: dict[str, tuple[str, Group]] = {}
    for facts in pools:
        for at, group in enumerate(facts.spec.groups):
            path: Path = ("spec", "groups", at)
            if group.name in owner:
                yield facts.error(path, _twice(group, facts.name, *owner[group.name]))
                continue
            owner[group.name] = (facts.name, group)
            yield from _zones(facts, path, group)
            yield from _provider(facts, path, group)


def _twice(group: Group, pool: str, first_pool: str, first: Group) -> str:
    """A CloudState and the nodes' instances know a group by its name alone."""
    where = "this pool" if first_pool == pool else f"pool {first_pool}"
    if first.provider == group.provider and first.region == group.region:
        return f"group {group.name} belongs to {where} already, and a group delivers nodes of one pool; remove one"
    return f"{where} has another group {group.name}, and groups are told apart by name alone; rename one"


def _zones(facts: Facts, path: Path, group: Group) -> Iterator[Problem]:
    if group.gcp is not None and _GCP_ZONE.fullmatch(group.gcp.location):
        location = group.gcp.location
        if group.zones or group.zone not in (None, location):
            yield facts.error(path, f"the group is in {location} alone; write zone: {location}")
        elif group.zone is None:
            yield facts.warning(path, f"has no zone, which pods and volumes ask for; write zone: {location}")
        return
    named = [group.zone] if group.zone else list(group.zones)
    if not named:
        yield facts.warning(
            path, "has no zone, which pods and volumes ask for; give zone, or zones if it spans several"
        )
    region = group.region
    for zone in named if region else ():
        if not zone.startswith(f"{region}-" if group.gcp else str(region)):
            yield facts.warning(path, f"zone {zone} does not look like one of region {region}; correct one of them")


def _provider(facts: Facts, path: Path, group: Group) -> Iterator[Problem]:
    machine = facts.machine
    if machine is not None and group.provider in ("aws", "gcp") and machine.provider != group.provider:
        name = facts.spec.template.instance_type
        message = f"is a group of {group.provider}, and {name} is a machine of {machine.provider}; correct one of them"
        yield facts.error(path, message)
