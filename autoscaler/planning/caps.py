"""Hard limits on growth: pool maximums, group maximums, and the cluster's nodes, GPUs and dollars (S9).

Everything that exists, starts, or was asked for counts; what this plan adds is counted as it is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autoscaler.model.lazy_numpy import np
from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.membership import Membership
from autoscaler.planning.pools import Policies, Pool, Template
from autoscaler.planning.purchase import Limit

UNLIMITED = 1 << 40  # where a limit does not concern a template; every limit of the policy itself is finite


@dataclass(slots=True)
class Caps:
    """How much may still be added. `group_size`: what each group has or was asked for, planned nodes included."""

    policies: Policies
    group_size: dict[str, int]
    group_max: Mapping[str, int]
    nodes: int
    gpus: int
    usd: float
    spot_bound: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, policies: Policies, membership: Membership) -> Caps:
        """The state before anything is planned."""
        nodes = gpus = 0
        usd = 0.0
        for pool in policies.pools:
            for name in pool.groups:
                size = membership.sizes.get(name, 0)
                if not size:
                    continue
                template = next(iter(pool.templates_of(name)), None)
                nodes += size
                gpus += size * (template.gpus if template else 0)
                usd += size * ((template.usd_per_hour or 0.0) if template else 0.0)
        most = {name: group.max for name, group in membership.groups.items()}
        return cls(policies, dict(membership.sizes), most, nodes, gpus, usd)

    def pool_size(self, pool: Pool) -> int:
        """Nodes that the pool has, expects or will have by this plan."""
        return sum(self.group_size.get(name, 0) for name in pool.groups)

    def headroom(self, template: Template) -> int:
        """How many more nodes of this template all limits together allow."""
        return max(0, min(self._rooms(template)))

    def group_room(self, template: Template) -> int:
        """How many more nodes the template's group may have by its own maximum."""
        return self.group_max.get(template.group, 0) - self.group_size.get(template.group, 0)

    def binding(self, template: Template) -> Reason | None:
        """The limit that forbids one more node of this template, None if there is room."""
        return self.tightest(template) if self.headroom(template) < 1 else None

    def tightest(self, template: Template) -> Reason:
        """The limit that leaves least room for this template."""
        rooms = self._rooms(template)
        return self._limit(template, min(range(len(rooms)), key=rooms.__getitem__))

    def _rooms(self, template: Template) -> tuple[int, ...]:
        """What each limit leaves for this template; in the order of `_limit`."""
        rules, pool = self.policies.cluster, self.policies.by_name[template.pool]
        size = self.pool_size(pool)
        # A little tolerance: sums of binary fractions must not refuse the last node that fits exactly.
        usd = rules.max_usd_per_hour - self.usd + 1e-9
        return (
            pool.max_nodes - size,
            self.group_room(template),
            rules.max_nodes - self.nodes,
            (rules.max_gpus - self.gpus) // template.gpus if template.gpus else UNLIMITED,
            int(usd // template.usd_per_hour) if template.usd_per_hour else UNLIMITED,
            self.spot_bound.get(template.pool, UNLIMITED) - size,
        )

    def _limit(self, template: Template, at: int) -> Reason:
        """The reason of each limit, in the order of `_rooms`."""
        rules, pool = self.policies.cluster, self.policies.by_name[template.pool]
        match at:
            case 0:
                return Reason.of(Code.POOL_AT_MAX, max=pool.max_nodes, pool=pool.name)
            case 1:
                most = self.group_max.get(template.group, 0)
                return Reason.of(Code.POOL_AT_MAX, max=most, group=template.group)
            case 2:
                return Reason.of(Code.CLUSTER_LIMIT_REACHED, limit="nodes", max=rules.max_nodes)
            case 3:
                return Reason.of(Code.CLUSTER_LIMIT_REACHED, limit="gpus", max=rules.max_gpus)
            case 4:
                return Reason.of(Code.COST_CAP_REACHED, max=rules.max_usd_per_hour)
            case _:
                return Reason.of(Code.POOL_AT_MAX, max=self.spot_bound[template.pool], rule="spot.maxShare")

    def add(self, template: Template, count: int = 1) -> None:
        """Count `count` planned nodes (negative takes them back)."""
        self.group_size[template.group] = self.group_size.get(template.group, 0) + count
        self.nodes += count
        self.gpus += count * template.gpus
        self.usd += count * (template.usd_per_hour or 0.0)

    def limits(self, columns: Sequence[Sequence[Template]]) -> tuple[Limit, ...]:
        """The same limits as rows over `columns`, each a family of templates that are alike but for the group."""
        rules = self.policies.cluster
        firsts = [family[0] for family in columns]
        ones = np.ones(len(columns))
        found = [
            Limit(ones, float(rules.max_nodes - self.nodes)),
            Limit(np.array([float(t.gpus) for t in firsts]), float(rules.max_gpus - self.gpus)),
            Limit(np.array([t.usd_per_hour or 0.0 for t in firsts]), rules.max_usd_per_hour - self.usd + 1e-9),
        ]
        for name in sorted({t.pool for t in firsts}):
            pool = self.policies.by_name[name]
            mask = np.array([float(t.pool == name) for t in firsts])
            bound = min(pool.max_nodes, self.spot_bound.get(name, pool.max_nodes))
            found.append(Limit(mask, float(bound - self.pool_size(pool))))
        by_groups: dict[tuple[str, ...], list[int]] = {}
        for at, family in enumerate(columns):
            by_groups.setdefault(tuple(sorted({t.group for t in family})), []).append(at)
        for groups, members in sorted(by_groups.items()):
            room = sum(self.group_max.get(g, 0) - self.group_size.get(g, 0) for g in groups)
            if room < 1_000_000:
                mask = np.zeros(len(columns))
                mask[members] = 1.0
                found.append(Limit(mask, float(max(0, room))))
        return tuple(found)
