"""Which node is which instance of which pool.

A node belongs to an instance by the end of its providerID, never by name: names are reused
(aws/karpenter-provider-aws#2734). Only where no cloud state is given does the pool label decide (S6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from autoscaler.model.nodes import POOL_LABEL, Instance, InstanceGroup, InstanceState, Node
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.pools import Policies, Pool

ALIVE = frozenset({InstanceState.PENDING, InstanceState.RUNNING})
FILLS_A_PLACE = ALIVE | {InstanceState.FAILED}


@dataclass(frozen=True, slots=True)
class Member:
    """A node with the instance, group and pool behind it."""

    node: Node
    instance: Instance
    group: str
    pool: Pool


@dataclass(frozen=True, slots=True)
class Membership:
    """The join of cluster and cloud.

    `members`: managed nodes by name. `unregistered`: instances that are alive (or failed) and have no node, with their
    group and pool. `phantoms`: by group, instances that the group was asked for and that do not exist yet.
    `groups`: the cloud's view of each group of the policy; `sizes`: what each of them has or was asked for, if that is
    more. `unknown_groups`: named by the policy, absent in the cloud.
    """

    members: Mapping[str, Member]
    unregistered: tuple[tuple[Instance, str, Pool], ...]
    phantoms: Mapping[str, int]
    groups: Mapping[str, InstanceGroup]
    sizes: Mapping[str, int]
    unknown_groups: frozenset[str]

    def pool_of(self, node: str) -> Pool | None:
        """The pool of a node, None for an unmanaged one."""
        found = self.members.get(node)
        return found.pool if found else None


def instance_id(provider_id: str) -> str:
    """The instance's name at the end of a providerID: `aws:///us-east-1a/i-0abc` -> `i-0abc`; "" for none."""
    return provider_id.rsplit("/", 1)[-1]


def join(snapshot: Snapshot, policies: Policies) -> Membership:
    """Join nodes with the instances of the policy's groups."""
    groups = snapshot.groups
    if groups is None:
        groups = _groups_from_labels(snapshot, policies)
    known: dict[str, InstanceGroup] = {}
    unknown: set[str] = set()
    instances: dict[str, tuple[Instance, str, Pool]] = {}
    for pool in policies.pools:
        for name in pool.groups:
            group = groups.get(name)
            if group is None:
                unknown.add(name)
                continue
            known[name] = group
            if not group.owned:
                continue  # hands off: its nodes are as good as anybody's (S6)
            for instance in group.instances:
                instances[instance.id] = (instance, name, pool)
    members: dict[str, Member] = {}
    registered: set[str] = set()
    for node in snapshot.nodes:
        found = instances.get(instance_id(node.provider_id)) if node.provider_id else None
        if found is None and snapshot.groups is None:
            found = instances.get(f"node/{node.name}")
        if found is not None:
            instance, name, pool = found
            members[node.name] = Member(node, instance, name, pool)
            registered.add(instance.id)
    there = {name: _there(group) for name, group in known.items()}
    return Membership(
        members=members,
        unregistered=tuple(
            found
            for key, found in sorted(instances.items())
            if key not in registered and found[0].state in FILLS_A_PLACE
        ),
        phantoms={n: g.desired - there[n] for n, g in known.items() if g.owned and g.desired > there[n]},
        groups=known,
        sizes={name: max(group.desired, there[name]) for name, group in known.items()},
        unknown_groups=frozenset(unknown),
    )


def _there(group: InstanceGroup) -> int:
    """Instances that the group need not launch any more. A failed one fills its place until it is removed."""
    return sum([i.state in FILLS_A_PLACE for i in group.instances])


def _groups_from_labels(snapshot: Snapshot, policies: Policies) -> Mapping[str, InstanceGroup]:
    """Without a cloud state each labeled node is a running instance of its pool, in the group of its zone."""
    instances: defaultdict[str, list[Instance]] = defaultdict(list)
    for node in snapshot.nodes:
        pool = policies.by_name.get(node.labels.get(POOL_LABEL, ""))
        if pool is None or not pool.groups:
            continue
        zones = {t.zone: t.group for t in reversed(pool.templates)}
        group = zones.get(node.zone, pool.groups[0])
        # A node without providerID still has to be told apart from all others.
        identity = instance_id(node.provider_id) or f"node/{node.name}"
        instances[group].append(Instance(identity, InstanceState.RUNNING, node.created, node.zone))
    return {
        name: InstanceGroup(name, desired=len(instances[name]), instances=tuple(instances[name]))
        for pool in policies.pools
        for name in pool.groups
    }
