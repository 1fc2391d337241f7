"""Time of one decision, next to first fit a pod at a time. `python -m benchmarks.decide`.

First: on a snapshot that was never decided on (classes, rows and uses of nodes are made). Warm: again on the same
snapshot, as in a loop whose caches are kept up to date by what changes. Garbage collection is frozen, as the
controller does it once its caches are filled.
"""

from __future__ import annotations

import gc
import sys
from statistics import median
from time import perf_counter

from autoscaler.model.memory import NO_MEMORY
from autoscaler.planning.decide import decide
from autoscaler.planning.plan import Outcome
from benchmarks.clusters import NOW, Size, cluster
from benchmarks.first_fit import first_fit

SIZES = (
    (Size(5_000, 1_000, 100, 50), 15.0),
    (Size(50_000, 5_000, 100, 100), 50.0),
    (Size(150_000, 15_000, 1_000, 500), 200.0),
)
TINY = Size(4, 4, 3, 3)
BASELINE = Size(2_000, 400, 100, 50)
REPEATS = 7
SEED = 1


def main() -> int:
    """Print the table; always 0: figures are reported, not judged."""
    _say("decide: pods x nodes x templates (classes)        first ms   warm ms  target ms   fits  bought  nodes")
    for size, target in (*SIZES, (TINY, 1.0)):
        first, warm, line = _timed(size)
        _say(
            f"{size.pods:>9,} x {size.nodes:>6,} x {size.templates:>5,} ({size.classes:>3})"
            f"{first:>22,.1f} {warm:>9,.1f} {target:>10,.0f}  {line}"
        )
    for size, _ in SIZES:
        _say(f"nothing pending, {size.nodes:,} nodes, {size.templates:,} templates: {_quiet(size):,.1f} ms warm")
    size = BASELINE
    snapshot, policies = cluster(size, SEED)
    began = perf_counter()
    placed, opened = first_fit(snapshot, policies)
    plain = (perf_counter() - began) * 1000
    _, warm, line = _timed(size)
    _say(
        f"plain first fit, {size.pods:,} x {size.nodes:,} x {size.templates:,}: {plain:,.0f} ms, {placed:,} fit, "
        f"{opened:,} nodes; decide in the same run {warm:,.1f} ms ({plain / warm:,.0f} times less): {line}"
    )
    return 0


def _timed(size: Size) -> tuple[float, float, str]:
    snapshot, policies = cluster(size, SEED)
    gc.collect()
    gc.freeze()
    began = perf_counter()
    decide(snapshot, policies, NO_MEMORY, NOW)
    first = (perf_counter() - began) * 1000
    gc.freeze()
    times = []
    for _ in range(REPEATS):
        began = perf_counter()
        plan = decide(snapshot, policies, NO_MEMORY, NOW)
        times.append((perf_counter() - began) * 1000)
    fits = sum(len(v.pods) for v in plan.pods if v.outcome is Outcome.FITS)
    bought = sum(len(v.pods) for v in plan.pods if v.outcome is Outcome.SCALE_UP)
    nodes = sum(order.count for order in plan.scale_up)
    gc.unfreeze()
    return first, median(times), f"{fits:>6,} {bought:>7,} {nodes:>6,}"


def _quiet(size: Size) -> float:
    """A pass with nothing to place and nothing to buy: every node is judged all the same."""
    snapshot, policies = cluster(Size(0, size.nodes, size.templates, size.classes), SEED)
    times = []
    gc.freeze()
    for _ in range(REPEATS):
        began = perf_counter()
        decide(snapshot, policies, NO_MEMORY, NOW)
        times.append((perf_counter() - began) * 1000)
    gc.unfreeze()
    return median(times)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
