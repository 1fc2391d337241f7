"""People and the cloud's own whims: what happens to a cluster that no controller asked for. One verb each."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from autoscaler.control.switch import approved_data, paused_data, resumed_data
from autoscaler.model.nodes import DO_NOT_DISRUPT, InstanceState, Node, Notice, NoticeKind
from autoscaler.model.ports import DocumentName
from simulations.world.core import World
from simulations.world.groups import Group, Groups, Machine
from simulations.world.kubelets import Kubelets
from simulations.world.records import What
from simulations.world.setup import EventSetup
from simulations.world.store import Store
from simulations.world.workloads import Workloads

NOTICE_S = 120.0


@dataclass(slots=True)
class People:
    """Does the events of a setup. `swap`: puts another policy (by its number) in force; `digest`: of that one."""

    world: World
    store: Store
    groups: Groups
    kubelets: Kubelets
    workloads: Workloads
    rng: random.Random
    swap: Callable[[int], None]
    digest: Callable[[], str]

    def do(self, event: EventSetup) -> None:
        """One event. One that finds nothing to act on does nothing."""
        verb = getattr(self, f"_{event.verb}", None)
        if verb is None:
            raise ValueError(f"no verb {event.verb}")
        verb(event)
        self.workloads.changed()

    def _tell(self, did: str, subject: str = "", **details: object) -> None:
        self.world.tell("person", What.PERSON, subject, did=did, **details)

    def _node(self, event: EventSetup) -> Node | None:
        """The node that the event names by pool, or any."""
        group = event.arg("group")
        names = sorted(self.store.nodes)
        if group is not None:
            names = [n for n in names if (m := self.kubelets.machine_of(self.store.nodes[n])) and m.group.name == group]
        if event.arg("busy") is not None:
            names = [n for n in names if self._is_busy(n) == event.arg("busy")]
        return self.store.nodes[self.rng.choice(names)] if names else None

    def _is_busy(self, node: str) -> bool:
        return any(not p.is_daemon for p in self.store.on_node.get(node, {}).values())

    def _group(self, event: EventSetup) -> Group:
        names = sorted(self.groups.by_name)
        return self.groups.by_name[event.arg("group") or self.rng.choice(names)]

    def _machine(self, event: EventSetup) -> Machine | None:
        group = event.arg("group")
        found = [m for m in self.groups.machines.values() if m.alive and (group is None or m.group.name == group)]
        if event.arg("busy") is not None:
            found = [m for m in found if self._is_busy(m.node) == event.arg("busy")]
        return self.rng.choice(sorted(found, key=lambda m: m.id)) if found else None

    # kubectl

    def _cordon(self, event: EventSetup) -> None:
        node = self._node(event)
        if node is not None:
            self._tell("cordon", node.name)
            self.store.put_node("person", replace(node, unschedulable=True))

    def _uncordon(self, event: EventSetup) -> None:
        node = self._node(event)
        if node is not None:
            self._tell("uncordon", node.name)
            self.store.put_node("person", replace(node, unschedulable=False))

    def _delete_node(self, event: EventSetup) -> None:
        node = self._node(event)
        if node is not None:
            self._tell("delete node", node.name)
            self.workloads.kill_on(node.name)
            self.store.drop_node("person", node.name)

    def _delete_pod(self, event: EventSetup) -> None:
        app = event.arg("app")
        keys = sorted(k for k, p in self.store.pods.items() if p.labels.get("app") and app in (None, p.labels["app"]))
        if keys:
            pod = self.store.pods[self.rng.choice(keys)]
            self._tell("delete pod", pod.key)
            self.workloads.delete(pod, pod.deletion_grace_s)

    def _protect(self, event: EventSetup) -> None:
        node = self._node(event)
        if node is not None:
            self._tell("annotate do-not-disrupt", node.name)
            self.store.put_node("person", replace(node, annotations=node.annotations.plus({DO_NOT_DISRUPT: "true"})))

    def _unprotect(self, _: EventSetup) -> None:
        for node in list(self.store.nodes.values()):
            if DO_NOT_DISRUPT in node.annotations:
                self._tell("remove do-not-disrupt", node.name)
                self.store.put_node("person", replace(node, annotations=node.annotations.without(DO_NOT_DISRUPT)))

    def _untaint(self, _: EventSetup) -> None:
        """Somebody removes the taint of a drain by hand."""
        for node in list(self.store.nodes.values()):
            taints = tuple(t for t in node.taints if "draining" not in t.key)
            if taints != node.taints:
                self._tell("remove the drain's taint", node.name)
                self.store.put_node("person", replace(node, taints=taints))

    # The controller's switch and policy

    def _pause(self, event: EventSetup) -> None:
        seconds = event.arg("for")
        until = self.world.wall() + seconds if seconds else None
        self._switch(paused_data(self._switched(), until, "by hand"))
        self._tell("pause", seconds=seconds, until=until)

    def _resume(self, _: EventSetup) -> None:
        self._switch(resumed_data(self._switched()))
        self._tell("resume")

    def _approve(self, _: EventSetup) -> None:
        self._switch(approved_data(self._switched(), self.digest()))
        self._tell("approve", self.digest())

    def _switched(self) -> dict[str, str]:
        found = self.store.documents.get(DocumentName.SWITCH)
        return dict(found.data) if found is not None else {}

    def _switch(self, data: dict[str, str]) -> None:
        self.store.write_document("person", DocumentName.SWITCH, data)

    def _spoil_ledger(self, _: EventSetup) -> None:
        self._tell("spoil the ledger")
        found = self.store.documents.get(DocumentName.LEDGER)
        data = {**(found.data if found is not None else {}), "state": "{not: [json"}
        self.store.write_document("person", DocumentName.LEDGER, data)

    def _drop_ledger(self, _: EventSetup) -> None:
        """The unreadable ledger is deleted, as the documentation tells people to."""
        if self.store.documents.pop(DocumentName.LEDGER, None) is not None:
            self._tell("delete the ledger")

    def _policy(self, event: EventSetup) -> None:
        number = int(event.arg("number", 1))
        self.swap(number)
        self._tell("policy", str(number))

    # The cloud's console

    def _resize(self, event: EventSetup) -> None:
        group = self._group(event)
        size = max(0, group.desired + int(event.arg("by", 1)))
        self._tell("resize", group.name, before=group.desired, after=size)
        self.groups.set_desired(group, size, "person")

    def _stock(self, event: EventSetup) -> None:
        """The cloud runs out of capacity, or has it again."""
        group = self._group(event)
        group.stock = int(event.arg("left", 0))
        self._tell("stock", group.name, left=group.stock)
        self.groups.reconcile(group)

    def _untag(self, event: EventSetup) -> None:
        group = self._group(event)
        group.owned = False
        self.groups.version += 1
        self._tell("remove the ownership tag", group.name)

    def _tag(self, event: EventSetup) -> None:
        group = self._group(event)
        group.owned = True
        self.groups.version += 1
        self._tell("add the ownership tag", group.name)

    def _vanish(self, event: EventSetup) -> None:
        """The group is hidden from us (a lost permission, a wrong region): it lives on."""
        group = self._group(event)
        group.exists = False
        self.groups.version += 1
        self._tell("hide the group", group.name)

    def _reappear(self, event: EventSetup) -> None:
        group = self._group(event)
        group.exists = True
        self.groups.version += 1
        self._tell("show the group", group.name)
        self.groups.reconcile(group)

    # The cloud's whims

    def _spot(self, event: EventSetup) -> None:
        """A spot instance is taken, with a notice of two minutes or without."""
        machine = self._machine(event)
        if machine is None:
            return
        if event.arg("notice", True):
            self._notice(machine, NoticeKind.SPOT, self.world.wall() + NOTICE_S)
            self.world.after(NOTICE_S, lambda: self.groups.take(machine, "spot interruption"))
        else:
            self.groups.take(machine, "spot interruption without notice")

    def _maintenance(self, event: EventSetup) -> None:
        machine = self._machine(event)
        if machine is not None:
            self._notice(machine, NoticeKind.MAINTENANCE, self.world.wall() + 3 * NOTICE_S)
            self.world.after(3 * NOTICE_S, lambda: self.groups.take(machine, "maintenance"))

    def _rebalance(self, event: EventSetup) -> None:
        """A recommendation only; the instance may live on."""
        machine = self._machine(event)
        if machine is not None:
            self._notice(machine, NoticeKind.REBALANCE, None)

    def _notice(self, machine: Machine, kind: NoticeKind, ends: float | None) -> None:
        machine.shown = replace(machine.shown, notice=Notice(kind, self.world.wall(), ends))
        self.groups.version += 1
        self.world.tell("cloud", What.NOTICE, machine.id, kind=str(kind), node=machine.node)

    def _az_rebalance(self, event: EventSetup) -> None:
        machine = self._machine(event)
        if machine is not None:
            self.groups.take(machine, "rebalancing of zones")

    def _fail_machine(self, event: EventSetup) -> None:
        """The instance dies; the cloud says Failed and keeps it in the group."""
        machine = self._machine(event)
        if machine is not None and not machine.node:
            self.groups.show(machine, InstanceState.FAILED)
            self._tell("the launch fails", machine.id)

    # Nodes

    def _not_ready(self, event: EventSetup) -> None:
        node = self._node(event)
        if node is None:
            return
        self._tell("not ready", node.name)
        self.kubelets.flip_ready(node, "Unknown")
        back = event.arg("for")
        if back:
            self.world.after(float(back), lambda: self._ready_again(node))

    def _ready_again(self, node: Node) -> None:
        now = self.store.nodes.get(node.name)
        if now is not None and now.uid == node.uid:
            self._tell("ready again", node.name)
            self.kubelets.flip_ready(now, "True")

    def _lose_devices(self, event: EventSetup) -> None:
        node = self._node(event)
        if node is not None:
            self._tell("the devices vanish", node.name)
            self.kubelets.lose_devices(node)

    def _pdb(self, event: EventSetup) -> None:
        """Somebody sets another minAvailable."""
        app = event.arg("app")
        for name, budget in list(self.store.budgets.items()):
            if app in (None, name):
                self.store.budgets[name] = replace(budget, min_available=int(event.arg("min", 0)))
                self.store.objects += 1
                self._tell("PodDisruptionBudget", name, min=event.arg("min", 0))

    def _burst(self, event: EventSetup) -> None:
        """More pods of a workload."""
        setup = self.workloads.setups.get(str(event.arg("app")))
        if setup is not None:
            self._tell("more pods", setup.name, count=event.arg("count", 1))
            self.workloads.add(setup, int(event.arg("count", 1)))

    # Clocks

    def _jump(self, event: EventSetup) -> None:
        """A wall clock jumps: of the API server, or of a controller's machine."""
        by, whose = float(event.arg("by", 60)), str(event.arg("whose", "api"))
        self._tell("clock jump", whose, by=by)
        if whose == "api":
            self.world.api_skew += by
        else:
            self.world.skews[whose] = self.world.skews.get(whose, 0.0) + by
