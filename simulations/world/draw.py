"""From a seed to a world: a policy, some nodes, some work, what people and the cloud do, and a few kinds of faults."""

from __future__ import annotations

import random

from simulations.world.faults import Faults
from simulations.world.policy_texts import FAMILIES
from simulations.world.setup import EventSetup, GroupSetup, Setup, WorkloadSetup
from simulations.world.site import policy_of

WHIMS = (
    ("cordon", 2),
    ("uncordon", 1),
    ("delete_node", 1),
    ("delete_pod", 3),
    ("protect", 1),
    ("untaint", 1),
    ("resize", 3),
    ("spot", 4),
    ("maintenance", 1),
    ("rebalance", 1),
    ("az_rebalance", 2),
    ("fail_machine", 1),
    ("not_ready", 2),
    ("lose_devices", 1),
    ("jump", 2),
    ("burst", 4),
    ("policy", 1),
    ("approve", 1),
)


def draw(seed: int) -> Setup:
    """The world of a seed."""
    rng = random.Random(f"setup/{seed}")
    texts = rng.choice(FAMILIES)
    policies = policy_of(texts[0]).policies
    storm = rng.uniform(600, 1300)
    groups = tuple((name, _group(rng)) for pool in policies.pools for name in pool.groups)
    works = tuple(_workload(rng, n, storm, groups) for n in range(rng.randint(1, 4)))
    return Setup(
        seed=seed,
        policies=texts,
        groups=groups,
        workloads=works,
        events=_events(rng, storm, works, len(texts)),
        faults=Faults.draw(rng),
        controllers=2 if rng.random() < 0.35 else 1,
        interval_s=rng.choice((15.0, 20.0, 30.0)),
        storm_s=storm,
        lag=(0.0, rng.choice((1.0, 2.0, 4.0))),
        daemons=rng.random() < 0.25,
    )


def _group(rng: random.Random) -> GroupSetup:
    return GroupSetup(
        size=rng.choice((0, 0, 1, 1, 2, 3)),
        stock=rng.choice((100, 100, 4, 2)),
        boot=(10.0, rng.choice((20.0, 60.0, 120.0))),
        devices=(0.0, rng.choice((0.0, 30.0, 60.0))),
    )


def _workload(
    rng: random.Random, number: int, storm: float, groups: tuple[tuple[str, GroupSetup], ...]
) -> WorkloadSetup:
    kind = rng.choice(("Job", "Job", "ReplicaSet", "ReplicaSet", "Pod"))
    settled = [name for name, group in groups if group.size]
    on = rng.choice(settled) if settled and rng.random() < 0.4 else ""
    gpus = rng.choice((1, 1, 1, 2, 4))
    mig = on.startswith("mig") or (any(name.startswith("mig") for name, _ in groups) and rng.random() < 0.5)
    resource = rng.choice(("nvidia.com/mig-1g.5gb", "nvidia.com/mig-2g.10gb")) if mig else "nvidia.com/gpu"
    if mig or on.startswith(("one", "spot")):
        gpus = 1
    endless = kind == "ReplicaSet" and rng.random() < 0.7
    replicas = rng.randint(1, 4)
    return WorkloadSetup(
        name=f"{kind.lower()}{number}",
        kind=kind,
        at=0.0 if on or rng.random() < 0.4 else rng.uniform(10, storm * 0.8),
        replicas=replicas,
        requests=((resource, gpus), ("cpu", 1)),
        duration=None if endless else (30.0, rng.choice((120.0, 300.0, 600.0))),
        tolerates="*" if rng.random() < 0.15 else "nvidia.com/gpu",
        grace=rng.choice((1, 30, 30, 90)),
        min_available=rng.choice((0, 1, replicas)) if rng.random() < 0.3 else None,
        on=on,
        unfit=rng.random() < 0.06,
    )


def _events(rng: random.Random, storm: float, works: tuple[WorkloadSetup, ...], texts: int) -> tuple[EventSetup, ...]:
    verbs, weights = zip(*WHIMS, strict=True)
    found = [
        EventSetup(rng.uniform(20, storm), verb, _args(rng, verb, works, texts))
        for verb in rng.choices(verbs, weights, k=rng.randint(0, 8))
    ]
    for begin, end, chance in (
        ("pause", "resume", 0.12),
        ("untag", "tag", 0.1),
        ("vanish", "reappear", 0.1),
        ("stock", "stock", 0.15),
        ("spoil_ledger", "drop_ledger", 0.06),
        ("pdb", "pdb", 0.1),
    ):
        if rng.random() < chance:
            found += _pair(rng, storm, begin, end)
    return tuple(sorted(found, key=lambda e: (e.at, e.verb)))


def _pair(rng: random.Random, storm: float, begin: str, end: str) -> list[EventSetup]:
    at = rng.uniform(20, storm * 0.7)
    until = rng.uniform(at + 20, storm)
    first: tuple[tuple[str, object], ...] = ()
    last: tuple[tuple[str, object], ...] = ()
    if begin == "stock":
        first, last = (("left", 0),), (("left", 100),)
    elif begin == "pdb":
        first, last = (("min", 9),), (("min", 0),)
    elif begin == "pause" and rng.random() < 0.5:
        return [EventSetup(at, begin, (("for", until - at),))]
    return [EventSetup(at, begin, first), EventSetup(until, end, last)]


def _args(
    rng: random.Random, verb: str, works: tuple[WorkloadSetup, ...], texts: int
) -> tuple[tuple[str, object], ...]:
    match verb:
        case "resize":
            return (("by", rng.choice((1, 1, 2, -1))),)
        case "spot":
            return (("notice", rng.random() < 0.6),)
        case "not_ready":
            return (("for", rng.choice((30, 120, 400))),)
        case "jump":
            whose = rng.choice(("api", "a", "b"))
            return (("by", rng.choice((-86400, -300, -40, 40, 300, 86400))), ("whose", whose))
        case "burst":
            return (("app", rng.choice(works).name), ("count", rng.randint(1, 3)))
        case "policy":
            return (("number", rng.randrange(texts)),)
        case _:
            return ()
