"""All judges of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autoscaler.control.report import PassReport
from simulations.world.oracles.e01_every_reason import EveryReason
from simulations.world.oracles.facts import Facts
from simulations.world.oracles.judge import Judge
from simulations.world.oracles.l01_pods_are_served import PodsAreServed
from simulations.world.oracles.l02_drains_end import DrainsEnd
from simulations.world.oracles.l03_no_futile_buying import NoFutileBuying
from simulations.world.oracles.l04_nothing_to_do import NothingToDo
from simulations.world.oracles.s01_never_lower import NeverLower
from simulations.world.oracles.s02_nobody_on_it import NobodyOnIt
from simulations.world.oracles.s03_the_very_object import TheVeryObject
from simulations.world.oracles.s04_budgets import Budgets
from simulations.world.oracles.s05_no_blind_removal import NoBlindRemoval
from simulations.world.oracles.s06_only_ours import OnlyOurs
from simulations.world.oracles.s07_policy_alone import PolicyAlone
from simulations.world.oracles.s08_nothing_twice import NothingTwice
from simulations.world.oracles.s09_caps import Caps
from simulations.world.oracles.s10_rules_of_drains import RulesOfDrains
from simulations.world.oracles.s11_timers import Timers
from simulations.world.oracles.s12_pause import Pause
from simulations.world.oracles.violation import Violation
from simulations.world.records import Record, What
from simulations.world.site import Site

if TYPE_CHECKING:
    from simulations.world.processes import Process

KINDS: tuple[type[Judge], ...] = (
    NeverLower,
    NobodyOnIt,
    TheVeryObject,
    Budgets,
    NoBlindRemoval,
    OnlyOurs,
    PolicyAlone,
    NothingTwice,
    Caps,
    RulesOfDrains,
    Timers,
    Pause,
    PodsAreServed,
    DrainsEnd,
    NoFutileBuying,
    NothingToDo,
    EveryReason,
)


@dataclass(slots=True)
class Judges:
    """Hands every record to the judges that watch its kind, and keeps what they find."""

    site: Site
    facts: Facts
    judges: list[Judge] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    latest: PassReport | None = None
    _watching: dict[What, list[Callable[[Record], None]]] = field(default_factory=dict)

    @classmethod
    def of(cls, site: Site, processes: Sequence[Process]) -> Judges:
        """The judges of these controllers."""
        made = cls(site, Facts(site, frozenset(p.name for p in processes)))
        made.judges = [kind(made.facts, made.found) for kind in KINDS]
        # Most records are routine that hardly any judge asks for.
        watching = [judge for judge in made.judges if type(judge).watch is not Judge.watch]
        made._watching = {what: [judge.watch for judge in watching if what in judge.watches] for what in What}
        for judge in made.judges:
            if isinstance(judge, PodsAreServed):
                judge.latest = lambda: made.latest
        return made

    def watch(self, record: Record) -> None:
        """See Judge; the facts are of before the record for effects, and of after it for everything else."""
        if record.what is What.PASS and record.details["report"].leading:
            self.latest = record.details["report"]
        self.facts.watch(record)
        for watch in self._watching[record.what]:
            watch(record)

    def calm_begins(self) -> None:
        """See Judge."""
        for judge in self.judges:
            judge.calm_begins()

    def close(self) -> None:
        """See Judge."""
        for judge in self.judges:
            judge.close()

    def found(self, invariant: str, what: str) -> None:
        """A judge has found something."""
        self.violations.append(Violation(self.site.world.now, invariant, what))
