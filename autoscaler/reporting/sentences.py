"""The sentence for a person and the fix, made from a reason's code and parameters.

Apart from the decision, so that wording never changes one. Every code has an entry; a test holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autoscaler.model.instants import rfc3339
from autoscaler.model.quantity import format_amount
from autoscaler.model.reasons import Code, Reason

Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Text:
    """A message and what would change it (None: nothing needs to change)."""

    message: str
    fix: str | None = None


def say(reason: Reason) -> Text:
    """The text of a reason."""
    params = dict(reason.params)
    made = WORDS[reason.code](params)
    return Text(clean(made.message), clean(made.fix) if made.fix else None)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Without control characters: names and messages of others end up on terminals."""
    return _CONTROL.sub("�", text)


def duration(seconds: float) -> str:
    """A Go-style duration to the second: `6m10s`."""
    left = max(0, round(seconds))
    hours, left = divmod(left, 3600)
    minutes, secs = divmod(left, 60)
    parts = [f"{hours}h" if hours else "", f"{minutes}m" if minutes else "", f"{secs}s" if secs else ""]
    return "".join(parts) or "0s"


def instant(seconds: object) -> str:
    """An instant, or "an unknown time"."""
    return rfc3339(float(seconds)) if isinstance(seconds, int | float) else "an unknown time"


def _amount(params: Params, name: str) -> str:
    return format_amount(str(params["resource"]), int(params[name]))


def _resource(p: Params) -> Text:
    resource = p["resource"]
    return Text(
        f"asks for {_amount(p, 'requested')} {resource}, an empty node has {_amount(p, 'available')}",
        f"lower the request of {resource}, or add a pool whose nodes have more of it",
    )


def _selector(p: Params) -> Text:
    wanted = p["key"] if p.get("value") is None else f"{p['key']}={p['value']}"
    return Text(
        f"selects nodes with {wanted}, which nodes of this pool do not have", f"choose a pool that has {wanted}"
    )


def _undeclared(p: Params) -> Text:
    wanted = p["key"] if p.get("value") is None else f"{p['key']}={p['value']}"
    return Text(
        f"selects nodes with {wanted}, and no pool declares that label",
        f"add {wanted} to spec.template.labels of the pool whose nodes carry it, or correct the pod's selector",
    )


def _backoff(p: Params) -> Text:
    cause = p.get("cause", "a failed launch")
    advice = {
        "QuotaExceeded": "ask the cloud for a higher quota",
        "Stockout": "add a group in another zone, or a fallback pool",
    }
    return Text(
        f"the pool takes no new nodes until {instant(p.get('until'))}: {cause}",
        advice.get(str(cause), "wait, or add another pool"),
    )


def _blocked(p: Params) -> Text:
    pod, cause = p.get("pod"), str(p.get("cause"))
    detail = f" ({p['detail']})" if p.get("detail") else ""
    why = {
        "NotReplicated": ("nothing would make it again (NotReplicated)", "delete the pod, or give it a controller"),
        "LocalStorage": (
            f"it keeps data on the node (LocalStorage{detail})",
            "name its volumes in cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes if they may be lost",
        ),
        "SafeToEvictFalse": ("it is annotated safe-to-evict: false (SafeToEvictFalse)", "remove the annotation"),
        "DoNotDisrupt": (f"it asks not to be disrupted (DoNotDisrupt{detail})", "remove the annotation"),
        "PdbExhausted": (
            f"its disruption budget allows no eviction now (PdbExhausted{detail})",
            "let the budget's pods become healthy, or allow a disruption",
        ),
        "PdbOverlap": (
            f"several disruption budgets cover it, which the eviction API refuses (PdbOverlap{detail})",
            "leave one budget for the pod",
        ),
        "SystemPod": (
            "it belongs to kube-system and the pool says systemPods: block (SystemPod)",
            "set systemPods: move",
        ),
        "Job": (f"a Job's work would be lost (Job{detail})", "wait for its end, or set protectJobs: false"),
        "Gang": (f"its gang would stop (Gang{detail})", "wait for its end, or set protectJobs: false"),
        "CustomController": (
            f"its controller is not known to make it again (CustomController{detail})",
            'annotate it cluster-autoscaler.kubernetes.io/safe-to-evict: "true" if it may move',
        ),
        "PodTerminating": ("it is still ending (PodTerminating)", "wait for its grace period"),
    }[cause]
    return Text(f"{pod} keeps the node: {why[0]}", why[1])


def _in_use(p: Params) -> Text:
    pods = p.get("pods")
    if pods is None:
        return Text("the node is in use")
    return Text(f"in use: {p['accelerators']} accelerators requested, {pods} pods ({p['percent']} %)")


def _limit(p: Params) -> Text:
    return Text(f"the cluster's limit of {p.get('max')} {p['limit']} is reached", f"raise spec.limits.{p['limit']}")


def _pool_at_max(p: Params) -> Text:
    if p.get("rule"):
        return Text(f"the pool may have {p['max']} spot nodes by {p['rule']}", f"change {p['rule']}")
    where = f"group {p['group']}" if p.get("group") else "the pool"
    return Text(f"{where} is at its maximum of {p['max']} nodes", "raise limits.maxNodes of the pool")


def _budget(p: Params) -> Text:
    if p.get("budget") == "maxParallelDrains":
        return Text(f"{p['limit']} node is being drained already, and no more at one time", "raise maxParallelDrains")
    at = f"; the next one may go at {instant(p['next'])}" if p.get("next") is not None else ""
    return Text(f"the disruption budget is spent{at}", "wait, or raise spec.disruption.budgets")


def _no_place(p: Params) -> Text:
    pods = p.get("pods") or ()
    return Text(f"no other node has room for {', '.join(pods)}", "nothing: the node is needed")


def _drift(p: Params) -> Text:
    return Text(
        f"real nodes have {_amount(p, 'actual')} {p['resource']}, the template declares {_amount(p, 'declared')}",
        f"correct template.resources.{p['resource']}",
    )


def _failure_limit(p: Params) -> Text:
    missing = str(p.get("missing"))
    fix = "see why nodes of this pool do not start"
    if "/" in missing:
        fix = f"check that the device plugin DaemonSet for {missing} runs on these nodes and tolerates their taints"
    return Text(f"stopped: {p.get('failures')} nodes in a row came up without {missing}", fix)


def _fixed(message: str, fix: str | None = None) -> Callable[[Params], Text]:
    return lambda _: Text(message, fix)


def _until(prefix: str, fix: str | None = None) -> Callable[[Params], Text]:
    return lambda p: Text(f"{prefix} until {instant(p.get('until'))}", fix)


WORDS: Mapping[Code, Callable[[Params], Text]] = {
    Code.SCHEDULING_GATED: _fixed("the pod has scheduling gates", "whoever set the gates (often a queue) removes them"),
    Code.DAEMON_SET_POD: _fixed("DaemonSet pods come with their node and are no demand"),
    Code.PRIORITY_BELOW_CUTOFF: lambda p: Text(
        f"its priority {p['priority']} is below the cutoff {p['cutoff']}", "raise its priority, or lower priorityCutoff"
    ),
    Code.IGNORED_BY_POLICY: lambda p: Text(f"the policy ignores it ({p['rule']})", "change spec.pods of the policy"),
    Code.OTHER_SCHEDULER: lambda p: Text(
        f"it belongs to scheduler {p['scheduler']}", "add the scheduler to spec.pods.schedulerNames"
    ),
    Code.POD_TERMINATING: _fixed("the pod is being deleted"),
    Code.POD_FINISHED: lambda p: Text(f"the pod has ended ({p['phase']})"),
    Code.NOT_YET_UNSCHEDULABLE: _fixed("the scheduler has not yet found it unschedulable"),
    Code.BATCH_WINDOW: _until("waits for more pods to buy together", "shorten scaleUp.batchWindow"),
    Code.POD_SCALE_UP_DELAY: _until("asked by its own annotation to wait", "remove pod-scale-up-delay"),
    Code.GANG_INCOMPLETE: lambda p: Text(
        f"{p['have']} of the {p['need']} pods of its gang exist", "the gang's controller makes the other pods"
    ),
    Code.GANG_SHORT: lambda p: Text(
        f"its gang needs {p['need']} places at once, {p['have']} can be had", "raise the limit named for the pools"
    ),
    Code.POOL_IN_BACKOFF: _backoff,
    Code.POOL_AT_MAX: _pool_at_max,
    Code.CLUSTER_LIMIT_REACHED: _limit,
    Code.COST_CAP_REACHED: lambda p: Text(
        f"the cost cap of ${p['max']:,.2f} an hour would be passed", "raise spec.limits.usdPerHour"
    ),
    Code.POD_HAS_DELETION_PENDING: _fixed("it waits for a pod that is being deleted to leave its node"),
    Code.REPLACEMENT_EXPECTED: _fixed("a replacement is on its way"),
    Code.FUTILE_SCALE_UP: _fixed("nodes were bought for it and did not help", "see why it does not run on them"),
    Code.PAUSED: lambda p: Text(
        "paused"
        + (f" until {instant(p['until'])}" if p.get("until") else "")
        + (f": {p['why']}" if p.get("why") else ""),
        "gpu-autoscaler resume",
    ),
    Code.POOL_DEGRADED: lambda p: Text(f"the pool takes no new nodes: {p.get('cause')}", "see the pool's own reason"),
    Code.TAINT_NOT_TOLERATED: lambda p: Text(
        f"does not tolerate the taint {p['taint']}", f"add a toleration for {p['taint']} to the pod"
    ),
    Code.NODE_SELECTOR_MISMATCH: _selector,
    Code.NODE_AFFINITY_MISMATCH: lambda p: Text(
        "its node affinity matches no node of this pool" + (f": {p['terms']}" if p.get("terms") else ""),
        "change the affinity, or the labels of the pool's template",
    ),
    Code.NO_POOL_DECLARES_LABEL: _undeclared,
    Code.INSUFFICIENT_RESOURCE: _resource,
    Code.SHARED_GPU_REQUEST_TOO_LARGE: lambda p: Text(
        f"a container asks for {p['requested']} of the shared {p['resource']}, and the plugin refuses more than one",
        "ask for 1, or use a pool with whole GPUs",
    ),
    Code.MIG_PROFILE_NOT_OFFERED: lambda p: Text(
        f"the pool's MIG layouts have no {p['profile']}", f"add a layout with {p['profile']} to the pool"
    ),
    Code.TOPOLOGY_SPREAD: lambda p: Text(
        f"a node here would break its spread over {p.get('key')}", "let the other domains grow, or raise maxSkew"
    ),
    Code.POD_AFFINITY: _fixed("no pod that it must run beside is there", "start that pod first"),
    Code.POD_ANTI_AFFINITY: _fixed("a pod that it must not run beside is there", "relax the anti-affinity"),
    Code.HOST_PORT: lambda p: Text(f"host port {p.get('port')} is taken", "use another port"),
    Code.VOLUME_ZONE: lambda p: Text(
        f"its volume {p.get('claim')} cannot be reached from this pool",
        "add a group in the volume's zone, or use a StorageClass that binds late",
    ),
    Code.VOLUME_LIMIT: lambda p: Text(f"no more volumes of {p.get('driver')} can be attached", "use fewer volumes"),
    Code.RESOURCE_CLAIM: lambda p: Text(
        f"its ResourceClaim {p.get('claim')} is allocated elsewhere"
        if p.get("cause") == "Elsewhere"
        else f"its ResourceClaim {p.get('claim')} is not allocated, and devices of new nodes are not simulated",
        "allocate the claim on a node that is there, or ask for a device-plugin resource",
    ),
    Code.NODE_NAME_SET: lambda p: Text(f"it names the node {p.get('node')}", "remove spec.nodeName"),
    Code.GANG_TOPOLOGY: lambda p: Text(
        f"no single {p['topologyKey']} has room for all {p['need']} pods of its gang", "raise a pool's maximum there"
    ),
    Code.GPU_POOL_FOR_GPU_PODS: _fixed(
        "it asks for no GPU, and a pool without GPUs can serve it", "raise the limit of that pool"
    ),
    Code.NODE_UNSCHEDULABLE: _fixed("the node is cordoned", "uncordon it"),
    Code.NO_POOLS: _fixed("the policy has no pool", "add a NodePool"),
    Code.FITS_EXISTING_NODE: _fixed("fits a node that is there; the scheduler's turn"),
    Code.COMING_NODE: lambda p: Text(f"a node of {p.get('pool')} is on its way for it"),
    Code.NEW_NODE: lambda p: Text(f"a node of {p.get('pool')} is bought for it"),
    Code.RECONFIGURED_NODE: lambda p: Text(f"an idle node of {p.get('pool')} gets the layout {p.get('layout')} for it"),
    Code.MIN_NODES: lambda p: Text(f"the pool is filled to its minimum of {p.get('min')}"),
    Code.WARM_BUFFER: lambda p: Text(f"kept ready: the warm buffer wants {p.get('wanted')} idle nodes"),
    Code.SPOT_REPLACEMENT: _fixed("replaces a spot node that is being taken away"),
    Code.IN_USE: _in_use,
    Code.INITIALIZING: lambda p: Text(
        f"starting: waits for {p.get('waitingFor')}" + (f" until {instant(p['until'])}" if p.get("until") else "")
    ),
    Code.COOLING_DOWN: lambda p: Text(f"idle; becomes removable in {duration(p['left'])}"),
    Code.COOLDOWN_AFTER_SCALE_UP: lambda p: Text(
        f"its pool has just grown; removable in {duration(p['left'])}", "shorten scaleDown.cooldownAfterScaleUp"
    ),
    Code.IDLE_TIMER_STARTED: lambda p: Text(f"idle since now; becomes removable in {duration(p['left'])}"),
    Code.POOL_AT_MIN: lambda p: Text(f"the pool keeps its minimum of {p['min']}", "lower limits.minNodes"),
    Code.RESERVED_FOR_POD: lambda p: Text(
        "a pending pod is about to use it" + (f"; waits for {p['waitingFor']}" if p.get("waitingFor") else "")
    ),
    Code.BLOCKED_BY_POD: _blocked,
    Code.NO_PLACE_FOR_PODS: _no_place,
    Code.BUDGET_SPENT: _budget,
    Code.OUTSIDE_WINDOW: lambda p: Text(f"removals are allowed again at {instant(p.get('opens'))}"),
    Code.SCALE_DOWN_DISABLED: lambda p: Text(f"removal is switched off by {p.get('by')}", f"remove {p.get('by')}"),
    Code.PROTECTED_FROM_SCALE_IN: lambda p: Text(
        f"the cloud protects {p.get('instance')} from scale-in", "remove the protection in the cloud"
    ),
    Code.GPU_IN_USE_WITHOUT_REQUEST: lambda p: Text(
        f"{p['pod']} uses GPUs without a request", f"give {p['pod']} a GPU request, so that it is counted"
    ),
    Code.CLUSTER_UNHEALTHY: lambda p: Text(
        f"{p.get('unready')} of {p.get('nodes')} nodes are not ready: nothing is removed anywhere", "mend the nodes"
    ),
    Code.SNAPSHOT_INCOMPLETE: _fixed("the view of the cluster is incomplete: nothing is removed"),
    Code.RUNS_CONTROLLER: _fixed("the autoscaler itself runs here", "run it on a node that is not managed"),
    Code.UNMANAGED: _fixed("the node is in no pool of the policy"),
    Code.EXTERNAL_DRAIN: _fixed("somebody else cordoned the node", "uncordon or delete it"),
    Code.DRAINING: _fixed("being drained"),
    Code.NODE_NOT_READY: lambda p: Text(f"not ready since {instant(p.get('since'))}", "see the node's conditions"),
    Code.OBSERVE_MODE: lambda p: Text(
        f"mode {p.get('mode')}: nothing of this is done", "set mode: act in the AutoscalerPolicy"
    ),
    Code.IDLE: lambda p: Text("no work" + (f" for {duration(p['idleFor'])}" if p.get("idleFor") is not None else "")),
    Code.UNDERUTILIZED: lambda p: Text(
        f"{p['percent']} % in use, at most the threshold of {p['threshold']} %, and its pods fit elsewhere"
        if p.get("percent") is not None
        else "its pods fit elsewhere"
    ),
    Code.INITIALIZATION_FAILED: lambda p: Text(
        f"came up without {p.get('missing')} and ran out of time", "see the device plugin and driver on this node"
    ),
    Code.UNHEALTHY: lambda p: Text(f"unhealthy: {p.get('condition')}"),
    Code.INTERRUPTED: _fixed("the cloud takes the instance away"),
    Code.EXPIRED: _fixed("the node has reached its maximum age"),
    Code.CHEAPER_REPLACEMENT: _fixed("a cheaper node takes over"),
    Code.NEVER_REGISTERED: lambda p: Text(
        f"the instance did not become a node within {duration(p.get('timeout') or 0)}", "see its boot log"
    ),
    Code.LAUNCH_FAILED: _fixed("the launch failed", "see the group's activity in the cloud"),
    Code.HEALTHY: _fixed("healthy"),
    Code.AT_MAX: lambda p: Text(f"at its maximum of {p.get('max')} nodes", "raise limits.maxNodes"),
    Code.BACKOFF: _backoff,
    Code.CONFIG_ERROR: lambda p: Text(f"cannot be used: {p.get('detail')}", "correct the pool or its group"),
    Code.FAILURE_LIMIT: _failure_limit,
    Code.TEMPLATE_DRIFT: _drift,
    Code.NOT_OWNED: _fixed("the group does not carry this cluster's ownership tag", "tag the group"),
    Code.DEGRADED: lambda p: Text(f"takes no new nodes: {p.get('cause')}", "see the group in the cloud"),
    Code.NOT_LEADER: _fixed("another replica leads"),
    Code.CONFIG_HELD: _fixed("the new policy would remove more than the budget", "gpu-autoscaler approve"),
    Code.CLOUD_THROTTLED: _fixed("the cloud asks for fewer calls"),
}
