"""A judge is handed only the kinds of facts that it names, so it must name every kind that it reads."""

from __future__ import annotations

import inspect
import re

import pytest

from simulations.world.oracles.judge import Judge
from simulations.world.oracles.judges import KINDS
from simulations.world.records import What

WATCHING = [kind for kind in KINDS if kind.watch is not Judge.watch]


@pytest.mark.parametrize("kind", WATCHING, ids=lambda kind: kind.__name__)
def test_a_judge_watches_every_kind_of_fact_that_it_reads(kind: type[Judge]) -> None:
    source = inspect.getsource(kind.watch)
    read = {What[name] for name in re.findall(r"What\.([A-Z_]+)", source)}
    if "began(" in source:
        read.add(What.NODE_PATCHED)
    assert read <= kind.watches
