"""No seeded world breaks a promise: not the first five thousand, and none of those that once did."""

from __future__ import annotations

import pytest

from simulations.world.torture import outcome_of

SEEDS, SHARDS = 5000, 50
FOUND = {
    "a removal lost its place in the budget to another reason of the same instance": (
        123, 320, 329, 463, 528, 692, 693, 760, 794, 819, 850, 876, 895, 906, 927, 1088, 1217, 1318, 1378, 1444,
    ),
    "a window of a budget was counted from the look, not from the write": (2959,),
    "an idle time outlived a write that failed, a drain, or a hidden group": (113, 372, 1068, 1806, 5746),
    "a list hid a node, and with it that it was in use": (4809,),
    "a clock that jumped made a new node idle before it was ready": (3574, 3661),
    "the first list of a process was cut off, and nothing said so": (1957,),
    "few nodes, of which one in two vanished without a word": (3408, 5562),
    "caps were counted on sizes from before our own raises": (2440,),
    "a raise seemed long ago after the clock had jumped": (1157,),
}  # fmt: skip


@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_world_breaks_a_promise(shard: int) -> None:
    """Worlds of people, faults, clocks and one or two controllers, judged at every step."""
    size = SEEDS // SHARDS
    broken = {o.seed: o.broken for o in map(outcome_of, range(1 + shard * size, 1 + (shard + 1) * size)) if o.broken}
    assert not broken, f"see one with: python -m benchmarks.torture --show {next(iter(broken))}"


@pytest.mark.parametrize("what", FOUND)
def test_what_seeds_found_stays_found(what: str) -> None:
    """Each of these worlds broke a promise once."""
    broken = {o.seed: o.broken for o in map(outcome_of, FOUND[what]) if o.broken}
    assert not broken
