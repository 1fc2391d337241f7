"""What lint lets pass can be planned with, and what cannot be planned with, lint refuses."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.planning.compile import compile_policies
from policies.lint import check
from policies.loading import loads
from providers.catalog.catalog import load_catalog
from tests.policies.files import NAME

LAYOUTS = st.one_of(
    st.sampled_from(
        ["all-1g.5gb", "all-1g.10gb", "all-2g.10gb", "all-3g.20gb", "all-balanced", "all-disabled", "all-9g"]
    ),
    st.dictionaries(
        st.sampled_from(["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "7g.40gb"]), st.integers(1, 4), min_size=1
    ),
)
DEVICES = st.lists(
    st.fixed_dictionaries({"indexes": st.lists(st.integers(0, 3), min_size=1, max_size=3), "layout": LAYOUTS}),
    min_size=1,
    max_size=3,
)
MIG = st.one_of(
    st.fixed_dictionaries({"layout": LAYOUTS}),
    st.fixed_dictionaries({"layouts": st.lists(LAYOUTS, min_size=1, max_size=3)}),
    st.fixed_dictionaries({"devices": DEVICES}),
)
SHARING = st.one_of(
    st.fixed_dictionaries({"timeSlicing": st.fixed_dictionaries({"replicas": st.integers(2, 8)})}),
    st.fixed_dictionaries({"mps": st.fixed_dictionaries({"replicas": st.integers(2, 8)})}),
    st.tuples(MIG, st.sampled_from(["mixed", "single"])).map(lambda p: {"mig": {"strategy": p[1], **p[0]}}),
)
GPUS = st.fixed_dictionaries(
    {"sharing": SHARING},
    optional={"model": st.sampled_from(["A100-40GB", "H100-80GB", "T4", "B9000"]), "count": st.integers(1, 4)},
)
TEMPLATES = st.fixed_dictionaries(
    {"gpu": GPUS, "resources": st.just({"cpu": 8})},
    optional={"instanceType": st.sampled_from(["p4d.24xlarge", "g4dn.xlarge", "inf2.xlarge", "our-own-box"])},
)


@settings(max_examples=150, deadline=None)
@given(TEMPLATES)
def test_ways_of_sharing_that_lint_lets_pass_are_those_that_a_plan_can_use(template: dict[str, Any]) -> None:
    pool = {
        "apiVersion": "gpu-autoscaler.dev/v1alpha1",
        "kind": "NodePool",
        "metadata": {"name": "a"},
        "spec": {"groups": [{"simulated": {"group": "g"}}], "template": template, "limits": {"maxNodes": 1}},
    }
    file = loads(yaml.dump(pool, Dumper=NoAliases), NAME)
    errors = [p for p in check(file, load_catalog()) if p.severity == "error"]
    (compiled,) = compile_policies(file, load_catalog()).pools

    if compiled.problem:
        assert errors, compiled.problem
    if not errors:
        assert compiled.templates


class NoAliases(yaml.SafeDumper):
    """Values that are one object are written out each time."""

    def ignore_aliases(self, _: object) -> bool:
        return True
