"""Cross-checks: what each value alone cannot show."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from policies.checks.cluster import check_cluster, check_minimums, check_weights
from policies.checks.facts import Facts, Known, facts_of
from policies.checks.fallbacks import check_fallbacks
from policies.checks.groups import check_groups
from policies.checks.resources import check_resources
from policies.checks.sharing import check_sharing
from policies.checks.sizes import check_sizes
from policies.checks.template import check_labels, check_template
from policies.loading import PolicyFile
from policies.problems import Problem

__all__ = ["Known", "check"]

EACH_POOL: tuple[Callable[[Facts], Iterator[Problem]], ...] = (
    check_template,
    check_labels,
    check_resources,
    check_sharing,
    check_sizes,
)


def check(file: PolicyFile, catalog: Known) -> tuple[Problem, ...]:
    """All findings, errors first, then by place: errors make the policy unusable, warnings are for a second look."""
    pools = facts_of(file, catalog)
    found = [
        *check_cluster(file),
        *check_minimums(file, pools),
        *check_weights(pools),
        *check_groups(pools),
        *check_fallbacks(pools),
        *(problem for facts in pools for each in EACH_POOL for problem in each(facts)),
    ]
    return tuple(sorted(found, key=lambda p: (p.severity, p.file, p.line, p.column, p.path, p.message)))
