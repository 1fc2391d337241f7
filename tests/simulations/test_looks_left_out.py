"""In virtual time the controller leaves looks out, and decides all that one would that looks at every interval."""

import random

import pytest

from simulations.engine import Engine
from simulations.run import prepare
from tests.simulations.worlds import pool, run, write


class EagerEngine(Engine):
    """Looks at every instant of the grid, as a controller of wall time does."""

    __slots__ = ()

    def _look(self):
        super()._look()
        self._look_at = self.grid.after(self.now)


def eager(path):
    simulation = prepare(path)
    simulation.engine.__class__ = EagerEngine
    for _ in simulation.steps():
        pass
    return simulation


def outcome(simulation):
    """Everything but what counts looks: jobs, nodes, ticks and dollars."""
    result = simulation.result(0.0)
    document = {k: v for k, v in result.document.items() if k != "invariants"}
    return document, result.jobs, result.nodes, [t.state for t in result.ticks]


BURSTS = [(f"j{i}", 67.0 * i + 31 * (i % 5), 250 + 313 * (i % 7), 1 + (i % 4 == 0), 1 + i % 8) for i in range(20)]
SUPPLY = {"bootDelay": {"p50": "2m", "p95": "5m"}}
SCHEDULE = {"schedules": [{"cron": "10 0 * * *", "timeZone": "UTC", "duration": "15m", "nodes": 2}], "nodes": 1}


@pytest.mark.parametrize(
    ("pools", "spec"),
    [
        ([pool()], {}),
        ([pool(least=2, most=2)], {}),
        ([pool(most=2)], {"scheduler": {"queue": "strict-fifo"}}),
        ([pool(scaleDown={"idleCooldown": "90s", "cooldownAfterScaleUp": "4m"})], {}),
        ([pool(warmBuffer=SCHEDULE)], {}),
        ([pool(warmBuffer={"percent": "50%", "max": 3})], {}),
        ([pool(scaleUp={"batchWindow": "45s"})], {}),
        ([pool(scaleDown={"threshold": "60%", "protectJobs": False})], {}),
        ([pool(scaleUp={"registrationTimeout": "3m"})], {}),
        (
            [
                pool("spot", capacityType="spot", price=3.0, spot={"fallback": ["base"]}, most=4),
                pool("base", price=9.0, most=6),
            ],
            {
                "spot": [{"pool": "spot", "interruptionsPerHour": 2.5}],
                "stockouts": [{"pool": "spot", "from": "8m", "to": "20m"}],
            },
        ),
    ],
    ids=[
        "plain",
        "fixed",
        "strict",
        "cooldowns",
        "schedule",
        "percent",
        "batches",
        "consolidation",
        "timeouts",
        "spot",
    ],
)
def test_the_outcome_is_that_of_looking_at_every_interval(tmp_path, pools, spec):
    supply = {**SUPPLY, **{k: v for k, v in spec.items() if k != "scheduler"}}
    rest = {k: v for k, v in spec.items() if k == "scheduler"}
    path = write(tmp_path, pools, BURSTS, supply=supply, until="75m", cluster={"loopInterval": "15s"}, **rest)
    lazy, every = run(path), eager(path)
    assert outcome(lazy) == outcome(every)
    assert lazy.engine.controller.looks < every.engine.controller.looks / 2
    assert every.engine.controller.looks == 4500 / 15 + 1
    assert lazy.engine.oracle.violated == every.engine.oracle.violated == []


def random_world(rng, folder):
    """Gangs on a market that comes and goes, refusals, consolidation, budgets: all that makes a pass wait for more."""
    jobs = sorted(
        (round(rng.uniform(0, 3000), 1), round(rng.expovariate(1 / 900) + 5, 1), rng.choice([1, 1, 2, 6, 8]))
        for _ in range(rng.randint(5, 30))
    )
    down = {"idleCooldown": rng.choice(["0s", "45s", "3m"])}
    if rng.random() < 0.6:
        down |= {"threshold": rng.choice(["30%", "90%"]), "protectJobs": False}
    up = {"registrationTimeout": rng.choice(["2m", "15m"]), "backoff": {"initial": rng.choice(["30s", "5m"])}}
    spot = {"capacityType": "spot", "spot": {"fallback": ["base"]}, "scaleDown": down, "scaleUp": up}
    buffer = {"warmBuffer": {"nodes": 1}} if rng.random() < 0.3 else {}
    minutes = sorted(rng.sample(range(1, 60), 4))
    counts = "".join(f"2026-06-01, 00:{at:02}:00, {rng.choice([0, 2, 4, 8])}\n" for at in minutes)
    (folder / "market.csv").write_text("2026-06-01, 00:00:00, 8\n" + counts)
    market = {"pool": "spot", "trace": {"format": "bamboo", "path": "market.csv"}}
    budget = {"reasons": ["Idle", "Underutilized"], "atMost": 2, "per": "5m"}
    return write(
        folder,
        [pool("spot", price=3.0, most=8, **spot), pool("base", price=9.0, most=4, scaleDown=down, **buffer)],
        [(f"j{i}", at, length, pods, rng.choice([1, 4, 8])) for i, (at, length, pods) in enumerate(jobs)],
        supply={"bootDelay": {"p50": "2m", "p95": "5m"}, "spot": [{"pool": "spot", "interruptionsPerHour": 2}, market]},
        cluster={"loopInterval": rng.choice(["4s", "15s"]), "disruption": {"budgets": [budget]}},
        until="80m",
    )


@pytest.mark.parametrize("seed", range(4))
def test_in_random_worlds_too(tmp_path, seed):
    path = random_world(random.Random(seed), tmp_path)
    lazy, every = run(path), eager(path)
    assert outcome(lazy) == outcome(every)
    assert lazy.engine.oracle.violated == every.engine.oracle.violated == []
