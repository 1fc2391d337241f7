"""Seeds without end: each is a world, run from beginning to end, and what it broke is kept.

The state of a torture is one JSON file: the first seed that has not been run, and the seeds that failed. A run that is
stopped goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from simulations.world.draw import draw
from simulations.world.run import run

CHUNK = 50


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one seed: the broken promises in words, and how many passes and effects it took."""

    seed: int
    broken: tuple[str, ...]
    passes: int
    effects: int


@dataclass(slots=True)
class State:
    """How far a torture has come. `failed`: seed and the first promise that it broke."""

    first: int
    next: int
    runs: int = 0
    passes: int = 0
    effects: int = 0
    failed: dict[int, str] = field(default_factory=dict)

    def count(self, outcome: Outcome) -> None:
        """One more seed."""
        self.runs += 1
        self.passes += outcome.passes
        self.effects += outcome.effects
        self.next = outcome.seed + 1
        if outcome.broken:
            self.failed[outcome.seed] = outcome.broken[0]

    def by_invariant(self) -> dict[str, list[int]]:
        """The failing seeds, by the invariant that they broke first."""
        found: dict[str, list[int]] = {}
        for seed, what in self.failed.items():
            found.setdefault(what.split(":", 1)[0], []).append(seed)
        return dict(sorted(found.items()))

    def write(self, path: Path) -> None:
        """Keep it; the file is there whole, or as it was before."""
        text = json.dumps(
            {
                "first": self.first,
                "next": self.next,
                "runs": self.runs,
                "passes": self.passes,
                "effects": self.effects,
                "failed": {str(k): v for k, v in self.failed.items()},
            },
            indent=1,
        )
        draft = path.with_suffix(".new")
        draft.write_text(text + "\n")
        draft.replace(path)

    @classmethod
    def read(cls, path: Path) -> State:
        """Raises OSError, ValueError, KeyError."""
        kept = json.loads(path.read_text())
        failed = {int(k): str(v) for k, v in kept["failed"].items()}
        return cls(kept["first"], kept["next"], kept["runs"], kept["passes"], kept["effects"], failed)


def outcome_of(seed: int) -> Outcome:
    """One seed. What the controller or the world did not expect is an outcome too: a promise to never raise."""
    try:
        done = run(draw(seed))
    except Exception as error:  # whatever it is, it is a finding, and the torture goes on
        return Outcome(seed, (f"Raised: {type(error).__name__}: {error}",), 0, 0)
    return Outcome(seed, tuple(str(v) for v in done.violations), done.passes, done.effects.count)


def outcomes(first: int, count: int, processes: int) -> Iterator[Outcome]:
    """The outcomes of so many seeds, in their order, made by so many processes."""
    seeds = range(first, first + count)
    if processes == 1:
        yield from map(outcome_of, seeds)
        return
    # Workers are renewed now and then, so that no cache of one grows over days.
    with get_context("spawn").Pool(processes, maxtasksperchild=100) as pool:
        yield from pool.imap(outcome_of, seeds, chunksize=CHUNK)
