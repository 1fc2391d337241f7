"""What the judges share: facts of the world that no single object tells, kept up to date record by record.

The judges look at the world itself, never at what a controller believed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from autoscaler.control.claims import Claim, claim_of, is_marked, is_tainted
from autoscaler.control.loop import Policy
from autoscaler.model.nodes import Node
from autoscaler.model.pods import Pod
from simulations.world.records import Record, What
from simulations.world.site import Site

NOTICED_S = 150.0
"""What has been true for so long, every pass knows of: the oldest list is 45 s old, a pass follows within 30 s, and a
plan older than 60 s is not carried out."""


STALE_S = 45.0
"""The oldest list."""
PATIENCE_S = 240.0
"""Devices that show later than this come to a node that is taken for what it offers, or given up."""


@dataclass(slots=True)
class PassFacts:
    """The pass that a controller is in: when it began, and the lists that it got wrong."""

    began: float = 0.0
    number: int = 0
    bad_look: str = ""
    paused: bool = False
    begun_wall: float = 0.0


@dataclass(slots=True)
class Facts:
    """`controllers`: names of the actors that are judged. `bound_at`, `pending`: true instants by pod UID."""

    site: Site
    controllers: frozenset[str]
    passes: dict[str, PassFacts] = field(default_factory=dict)
    bound_at: dict[str, float] = field(default_factory=dict)
    pending_until: dict[str, float] = field(default_factory=dict)
    idle_from: dict[str, float] = field(default_factory=dict)
    ready: set[str] = field(default_factory=set)
    policies: deque[tuple[float, Policy]] = field(default_factory=lambda: deque(maxlen=64))
    foreign_at: float = float("-inf")
    jumped_at: float = float("-inf")
    first_ready: dict[str, float] = field(default_factory=dict)
    looked_at: float = float("-inf")
    hands_on: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.policies.append((self.site.world.now, self.site.policy))
        for node in self.site.store.nodes.values():
            self.ready.add(node.uid)
            self.first_ready[node.uid] = self.idle_from[node.name] = self.site.world.now
        for pod in self.site.store.pods.values():
            if not pod.node:
                self.pending_until[pod.uid] = float("inf")
            elif not pod.is_daemon:
                self.bound_at[pod.uid] = self.site.world.now

    def is_ours(self, record: Record) -> bool:
        """True for what a controller did."""
        return record.actor in self.controllers

    def policies_since(self, seconds: float) -> list[Policy]:
        """The policies that were in force at some time in the last so many seconds."""
        since = self.site.world.now - seconds
        kept = list(self.policies)
        return [p for i, (_, p) in enumerate(kept) if i + 1 == len(kept) or kept[i + 1][0] >= since]

    def watch(self, record: Record) -> None:
        """Keep up."""
        match record.what:
            case What.PASS_BEGAN:
                before = self.passes.get(record.actor, PassFacts())
                paused = self.site.is_paused()
                self.passes[record.actor] = PassFacts(record.at, before.number + 1, "", paused)
            case What.PASS if record.details["report"].plan is not None:
                self.looked_at = self.passes[record.actor].began
            case What.STARTED:
                self.passes[record.actor] = PassFacts(record.at)
            case What.FAULT:
                self._fault(record)
            case What.POD_CREATED:
                self.pending_until[record.details["pod"].uid] = float("inf")
            case What.POD_BOUND:
                pod = record.details["pod"]
                self.pending_until[pod.uid] = record.at
                self.bound_at[pod.uid] = record.at
            case What.NODE_CREATED:
                # Nobody is on it before it is ready, and it may never be: its devices may never show.
                self.idle_from[record.subject] = record.at
            case What.POD_ENDED | What.POD_DELETED:
                self._left(record.details["pod"], record.at)
            case What.NODE_READY | What.NODE_CHANGED:
                self._node(record)
            case What.PERSON:
                self._person(record)
            case _:
                pass

    def _fault(self, record: Record) -> None:
        kind = record.details["kind"]
        if record.actor in self.passes and record.subject.startswith(("observe", "cloud")):
            looked = kind.startswith("a list cut off") or kind.endswith("cannot be read")
            call = record.details.get("call")
            failed = call is not None and call.method == "observe" and "stood still" not in kind
            if looked or failed:
                self.passes[record.actor].bad_look = kind

    def _node(self, record: Record) -> None:
        node = self.site.store.nodes.get(record.subject)
        if node is None or not node.is_ready:
            return
        first = self.first_ready.setdefault(node.uid, record.at)
        if first == record.at:
            self.idle_from[node.name] = record.at
        if record.what is What.NODE_READY:
            self.ready.add(node.uid)
            if record.at - first < PATIENCE_S and self.jumped_at < first:
                self.idle_from[node.name] = record.at

    def _left(self, pod: Pod, at: float) -> None:
        if self.pending_until.get(pod.uid) == float("inf"):
            self.pending_until[pod.uid] = at
        began = self.bound_at.pop(pod.uid, None)
        # A pod that came and went between two looks was seen by nobody.
        if pod.node and not pod.is_daemon and began is not None and began + STALE_S <= self.looked_at:
            self.idle_from[pod.node] = at

    def _person(self, record: Record) -> None:
        did = record.details["did"]
        if did == "policy":
            self.policies.append((record.at, self.site.policy_number(int(record.subject))))
        if did in ("policy", "resize", "stock", "show the group", "add the ownership tag", "delete the ledger"):
            self.foreign_at = record.at
        if did == "clock jump":
            self.jumped_at = record.at
        if record.subject:
            self.hands_on[record.subject] = record.at

    def began(self, record: Record) -> Claim | None:
        """The claim, where the record is the beginning of a drain (not a take-over of one)."""
        if record.what is not What.NODE_PATCHED or not self.is_ours(record):
            return None
        before, after = record.details["before"], record.details["after"]
        return claim_of(after) if is_tainted(after) and not is_marked(before) else None

    def work_on(self, node: str) -> list[Pod]:
        """The pods that hold the node now."""
        return [p for p in self.site.store.on_node.get(node, {}).values() if not p.is_daemon and not p.finished]

    def pending_lately(self, seconds: float) -> int:
        """How many pods were pending at some time in the last so many seconds."""
        since = self.site.world.now - seconds
        return sum(1 for until in self.pending_until.values() if until >= since)

    def machine_group(self, node: Node) -> str:
        """The group of a node, "" for none."""
        machine = self.site.kubelets.machine_of(node)
        return machine.group.name if machine is not None else ""
