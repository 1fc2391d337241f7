"""Where a simulated day stands, in a word: the burst, the boot, a loss, a stock-out, idleness, the night."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from simulations.engine import Engine

SHOWN_S = 20 * 60.0
"""A loss or a stock-out is told for so long after the last one."""
MANY = 3


class Chapter(StrEnum):
    """What the day is about now."""

    WORK = "work"
    BURST = "burst"
    BOOT = "boot"
    SPOT_LOSS = "spot loss"
    STOCK_OUT = "stock-out"
    IDLE = "idle"
    NIGHT = "night"


WORDS = {
    Chapter.WORK: "jobs run, nobody waits",
    Chapter.BURST: "more jobs come than there are nodes for",
    Chapter.BOOT: "nodes are on their way",
    Chapter.SPOT_LOSS: "the cloud took nodes away",
    Chapter.STOCK_OUT: "the cloud has no capacity of a kind",
    Chapter.IDLE: "nodes have nothing to do; they go when their time is over",
    Chapter.NIGHT: "no node is left, and nothing is paid for",
}


@dataclass(slots=True)
class Story:
    """Looks at the world after each instant. `told`: the chapters that there were, in order of their first time."""

    chapter: Chapter = Chapter.WORK
    told: list[Chapter] = field(default_factory=list)
    _losses: int = 0
    _refusals: int = 0
    _lost_at: float = float("-inf")
    _refused_at: float = float("-inf")

    def observe(self, engine: Engine) -> bool:
        """Follow the world; True if a chapter begins that was not there before."""
        cloud, now = engine.cloud, engine.now
        losses, refusals = cloud.interruptions.total(), cloud.stockouts.total()
        if losses > self._losses:
            self._losses, self._lost_at = losses, now
        if refusals > self._refusals:
            self._refusals, self._refused_at = refusals, now
        self.chapter = self._chapter(engine)
        if self.chapter in self.told:
            return False
        self.told.append(self.chapter)
        return True

    def _chapter(self, engine: Engine) -> Chapter:
        gauges, now = engine.world.gauges, engine.now
        if now - self._lost_at < SHOWN_S and self._lost_at >= self._refused_at:
            return Chapter.SPOT_LOSS
        if now - self._refused_at < SHOWN_S:
            return Chapter.STOCK_OUT
        if len(engine.scheduler.waiting) >= MANY:
            return Chapter.BURST
        if gauges.booting:
            return Chapter.BOOT
        if not gauges.ready and engine.world.past:
            return Chapter.NIGHT
        return Chapter.IDLE if gauges.idle else Chapter.WORK
