"""An independent check of a plan: put its pods where it says, one by one, with naive code of its own.

Nothing here uses the program's scheduling: labels, taints, resources, spread and anti-affinity are read anew.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from autoscaler.model.labels import Labels
from autoscaler.model.nodes import HOSTNAME, Taint
from autoscaler.model.pods import Pod
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import Outcome, Plan
from autoscaler.planning.pools import Policies, Template

SERVED = (Outcome.FITS, Outcome.COMING, Outcome.SCALE_UP)


def problems(snapshot: Snapshot, policies: Policies, plan: Plan) -> list[str]:
    """Sentences about everything that is wrong with the plan; empty for a good one."""
    found = [*_verdicts(snapshot, plan), *_limits(snapshot, policies, plan), *_gangs(snapshot, plan)]
    return found + _places(snapshot, policies, plan)


def _verdicts(snapshot: Snapshot, plan: Plan) -> list[str]:
    seen = Counter(p.key for v in plan.pods for p in v.pods)
    wanted = {p.key for p in snapshot.pods if not p.node}
    out = [f"{key} has {number} outcomes" for key, number in seen.items() if number != 1]
    out += [f"{key} has no outcome" for key in sorted(wanted - set(seen))]
    nodes = Counter(n.node for n in plan.nodes)
    out += [f"node {n.name} has {nodes[n.name]} verdicts" for n in snapshot.nodes if nodes[n.name] != 1]
    for verdict in plan.pods:
        if verdict.outcome in (Outcome.WAITING, Outcome.UNSCHEDULABLE) and verdict.pools:
            names = [name for name, _ in verdict.pools]
            if len(names) != len(set(names)) or len(names) != len(plan.pools):
                out.append(f"{verdict.pods[0].key} does not have one line for every pool")
    return out


def _limits(snapshot: Snapshot, policies: Policies, plan: Plan) -> list[str]:
    """Caps hold with everything that is there and asked for."""
    groups = snapshot.groups or {}
    sizes = {name: max(g.desired, len(g.instances)) for name, g in groups.items()}
    before = dict(sizes)
    templates = {t.group: t for p in policies.pools for t in p.templates}
    out: list[str] = []
    for order in plan.scale_up:
        if order.size_from != sizes.get(order.group, 0) or order.size_to != order.size_from + order.count:
            out.append(f"{order.group}: {order.size_from} -> {order.size_to} does not follow {sizes.get(order.group)}")
        sizes[order.group] = order.size_to
        if len(order.nodes) != order.count:
            out.append(f"{order.group}: {order.count} nodes and {len(order.nodes)} names")
    for pool in policies.pools:
        total, was = sum(sizes.get(g, 0) for g in pool.groups), sum(before.get(g, 0) for g in pool.groups)
        if total > max(pool.max_nodes, was):
            out.append(f"pool {pool.name} would have {total} of at most {pool.max_nodes} nodes")
    grown = sum(sizes.values()) > sum(before.values())
    rules = policies.cluster
    if grown and sum(sizes.values()) > rules.max_nodes:
        out.append(f"{sum(sizes.values())} nodes of at most {rules.max_nodes}")
    gpus = sum(number * templates[g].gpus for g, number in sizes.items())
    if gpus > max(rules.max_gpus, sum(n * templates[g].gpus for g, n in before.items())):
        out.append(f"{gpus} GPUs of at most {rules.max_gpus}")
    usd = sum(n * (templates[g].usd_per_hour or 0.0) for g, n in sizes.items())
    if usd > max(rules.max_usd_per_hour, sum(n * (templates[g].usd_per_hour or 0.0) for g, n in before.items())) + 1e-6:
        out.append(f"${usd} an hour of at most ${rules.max_usd_per_hour}")
    return out


def _gangs(snapshot: Snapshot, plan: Plan) -> list[str]:
    """Of every gang either enough pods are served to run it, or none that was not running before."""
    served: Counter[str] = Counter()
    for verdict in plan.pods:
        if verdict.outcome in SERVED:
            served.update(p.gang for p in verdict.pods if p.gang)
    bound = Counter(p.gang for p in snapshot.pods if p.gang and p.node and not p.finished)
    out = []
    for key, spec in snapshot.gangs.items():
        if served[key] and served[key] + bound[key] < spec.min_member:
            out.append(f"gang {key}: {served[key]} served of {spec.min_member}")
    return out


def _places(snapshot: Snapshot, policies: Policies, plan: Plan) -> list[str]:
    """Every served pod's node exists or is planned, takes the pod, and holds all that it is given."""
    nodes: dict[str, tuple[Labels, tuple[Taint, ...], dict[str, int]]] = {}
    on: defaultdict[str, list[Pod]] = defaultdict(list)
    for node in snapshot.nodes:
        nodes[node.name] = (node.labels, node.taints, dict(node.allocatable))
        on[node.name] = [p for p in snapshot.pods if p.node == node.name and not p.finished]
    by_group: dict[tuple[str, str | None], Template] = {
        (t.group, t.layout): t for p in policies.pools for t in p.templates
    }
    for order in plan.scale_up:
        template = by_group[(order.group, order.layout)]
        for name in order.nodes:
            nodes[name] = (template.labels.plus({HOSTNAME: name}), template.taints, dict(template.allocatable))
    out: list[str] = []
    placed: list[tuple[Pod, str]] = []
    for verdict in plan.pods:
        if verdict.outcome not in SERVED:
            continue
        for pod, name in zip(verdict.pods, verdict.nodes, strict=True):
            if not name and verdict.outcome is Outcome.COMING:
                continue  # capacity whose node object does not exist yet
            if name not in nodes:
                out.append(f"{pod.key} is put on {name}, which does not exist")
                continue
            placed.append((pod, name))
            on[name].append(pod)
    for pod, name in placed:
        out += _against_filters(pod, name, nodes[name])
    for name, pods in on.items():
        out += _over_capacity(name, pods, nodes[name][2])
    return out + _apart(placed, on)


def _against_filters(pod: Pod, name: str, node: tuple[Labels, tuple[Taint, ...], dict[str, int]]) -> list[str]:
    labels, taints, _ = node
    out = [f"{pod.key} selects {k}={v}, {name} has it not" for k, v in pod.spec.node_selector if labels.get(k) != v]
    hard = [taint for taint in taints if taint.effect in ("NoSchedule", "NoExecute")]
    out += [f"{pod.key} does not tolerate {taint} of {name}" for taint in hard if not _tolerates(pod, taint)]
    return out


def _tolerates(pod: Pod, taint: Taint) -> bool:
    return any(
        (not t.key or t.key == taint.key)
        and (t.operator == "Exists" or t.value == taint.value)
        and t.effect in ("", taint.effect)
        for t in pod.spec.tolerations
    )


def _over_capacity(name: str, pods: list[Pod], room: dict[str, int]) -> list[str]:
    used: Counter[str] = Counter()
    for pod in pods:
        used.update(dict(pod.spec.requests))
        used["pods"] += 1
    return [f"{name} holds {n} {what} of {room.get(what, 0)}" for what, n in used.items() if n > room.get(what, 0)]


def _apart(placed: list[tuple[Pod, str]], on: dict[str, list[Pod]]) -> list[str]:
    """No pod shares its host with one that its (or that one's) anti-affinity names."""
    out = []
    for pod, name in placed:
        for other in on[name]:
            if other.key == pod.key:
                continue
            terms = [t for t in pod.spec.pod_anti_affinity if t.topology_key == HOSTNAME and t.selector is not None]
            if any(t.selector is not None and t.selector.matches(other.labels) for t in terms):
                out.append(f"{pod.key} shares {name} with {other.key}, which it must not")
    return out
