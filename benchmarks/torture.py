"""Seeded worlds for as long as one likes. `python -m benchmarks.torture --runs 100000 --seed 1`.

`--show SEED` reproduces one world and prints its timeline; with `--shrink` made as small as it can be while it still
breaks the same promise. A torture that is stopped goes on where it was, if it is called with the same first seed.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import fields
from pathlib import Path
from time import monotonic

from simulations.world.draw import draw
from simulations.world.faults import Faults
from simulations.world.run import run
from simulations.world.setup import Setup
from simulations.world.shrink import breaks, shrunk
from simulations.world.timeline import timeline
from simulations.world.torture import CHUNK, State, outcomes

TOLD_EVERY_S = 2.0


def torture(runs: int, seed: int, processes: int, kept: Path) -> int:
    """Run them; 1 if a promise was broken."""
    state = _resumed(kept, seed)
    left = seed + runs - state.next
    if state.next > seed:
        print(f"goes on at seed {state.next} ({state.runs} runs are in {kept})")
    began = told = monotonic()
    before = state.runs
    try:
        for outcome in outcomes(state.next, max(0, left), processes):
            state.count(outcome)
            if outcome.broken:
                print(f"seed {outcome.seed}: {outcome.broken[0]}")
            now = monotonic()
            if now - told >= TOLD_EVERY_S and sys.stderr.isatty():
                told = now
                speed = (state.runs - before) / (now - began)
                print(
                    f"\r{state.runs:,} runs, {speed:.0f} a second, {len(state.failed)} failed ", end="", file=sys.stderr
                )
            if state.runs % (20 * CHUNK) == 0:
                state.write(kept)
    except KeyboardInterrupt:
        print("stopped; call it again to go on")
    state.write(kept)
    _summary(state, state.runs - before, monotonic() - began, processes)
    return 1 if state.failed else 0


def _resumed(kept: Path, seed: int) -> State:
    try:
        state = State.read(kept)
    except FileNotFoundError:
        return State(seed, seed)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{kept}: cannot be read ({error}); remove it to begin again")
    return state if state.first == seed else State(seed, seed)


def _summary(state: State, runs: int, seconds: float, processes: int) -> None:
    speed = runs / seconds if seconds else 0.0
    print(
        f"{state.runs:,} runs from seed {state.first} to {state.next - 1}: {state.passes:,} passes, "
        f"{state.effects:,} effects; {speed:.1f} runs a second now, {speed / processes:.1f} a core"
    )
    if not state.failed:
        print("no promise was broken")
    for invariant, seeds in state.by_invariant().items():
        shown = ", ".join(str(s) for s in seeds[:10])
        print(f"{invariant}: {len(seeds)} seeds failed ({shown}); see one with --show {seeds[0]}")


def show(seed: int, *, smaller: bool) -> int:
    """Print the timeline of one world; 1 if it breaks a promise."""
    setup = draw(seed)
    done = run(setup)
    if smaller and done.violations:
        invariant = done.violations[0].invariant
        print(f"seed {seed} breaks {invariant}; leaving out what is not needed for that ...", file=sys.stderr)
        setup = shrunk(setup, breaks(invariant))
        done = run(setup)
    print(_told(setup))
    for line in timeline(done.site.world.log, done.violations):
        print(line)
    return 1 if done.violations else 0


def _told(setup: Setup) -> str:
    present = [f"{f.name} {getattr(setup.faults, f.name):.2f}" for f in fields(Faults) if getattr(setup.faults, f.name)]
    groups = [f"{name} ({group.size} nodes)" for name, group in setup.groups]
    works = [f"{w.name} ({w.replicas} x {dict(w.requests)}, on {w.on or 'none'})" for w in setup.workloads]
    events = [f"{e.verb} at {int(e.at // 60)}:{e.at % 60:04.1f}" for e in setup.events]
    parts = (("groups", groups), ("work", works), ("events", events), ("faults", present))
    head = f"seed {setup.seed}, {setup.controllers} controllers, a pass every {setup.interval_s:.0f} s"
    return "\n".join([head, *(f"{name}: {', '.join(told) or 'none'}" for name, told in parts), setup.policies[0]])


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture", description=__doc__)
    parser.add_argument("--runs", type=int, default=5000, help="how many seeds (default 5000)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="default: one for each core")
    parser.add_argument("--kept", type=Path, default=Path("torture.json"), help="where progress and failing seeds are")
    parser.add_argument("--show", type=int, metavar="SEED", help="reproduce one world and print its timeline")
    parser.add_argument("--shrink", action="store_true", help="with --show: as small as it still fails")
    args = parser.parse_args()
    if args.show is not None:
        return show(args.show, smaller=args.shrink)
    return torture(args.runs, args.seed, args.processes, args.kept)


if __name__ == "__main__":
    sys.exit(main())
