"""How much of a node is in use, and by what.

On a node with accelerators only the accelerators count by default: DaemonSets and guests on its cores are no
reason to pay for idle GPUs (kubernetes/autoscaler#1367). A requested GPU is a used one, whatever its load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autoscaler.model.pods import Pod
from autoscaler.model.resources import CPU, MEMORY, Amounts, is_accelerator
from autoscaler.planning.demand import holds_nothing
from autoscaler.planning.pools import ClusterRules, ScaleDownRules

GPU_RUNTIMES = ("nvidia",)


@dataclass(frozen=True, slots=True)
class Use:
    """`share`: 0..1 by the pool's rule. `pods`: those that do work. `sneaky`: one that uses GPUs without asking."""

    share: float
    pods: tuple[Pod, ...]
    accelerators_used: int
    accelerators: int
    sneaky: Pod | None = None

    @property
    def idle(self) -> bool:
        """True if the node does no work by its pool's rule."""
        return self.share == 0.0


def use_of(pods: Sequence[Pod], allocatable: Amounts, down: ScaleDownRules, cluster: ClusterRules) -> Use:
    """The use of a node by its bound pods."""
    working = tuple(p for p in pods if not holds_nothing(p, cluster.priority_cutoff))
    extra = cluster.accelerator_resources
    offered = {name: amount for name, amount in allocatable if is_accelerator(name, extra)}
    used = dict.fromkeys(offered, 0)
    cpu = memory = 0
    for pod in working:
        for name, amount in pod.spec.requests:
            if name in used:
                used[name] += amount
            elif name == CPU:
                cpu += amount
            elif name == MEMORY:
                memory += amount
    shares = [min(1.0, used[name] / offered[name]) for name in offered if offered[name]]
    by_gpu = max(shares, default=0.0)
    there = dict(allocatable)
    by_host = max(_part(cpu, there.get(CPU, 0)), _part(memory, there.get(MEMORY, 0)))
    if offered and down.utilization == "gpu":
        share = by_gpu
    else:
        # Pods that ask for nothing still are work on a node that is judged by cores and memory.
        share = max(by_gpu, by_host, 1e-9 if working else 0.0)
    sneaky = next((p for p in working if _uses_gpu_unasked(p, extra)), None) if offered else None
    return Use(share, working, sum(used.values()), sum(offered.values()), sneaky)


def _part(used: int, there: int) -> float:
    return min(1.0, used / there) if there else 0.0


def _uses_gpu_unasked(pod: Pod, extra: frozenset[str]) -> bool:
    """A GPU runtime without a GPU request: the device plugin does not count it, the GPU is used all the same.

    See NVIDIA/gpu-operator#2570; NVIDIA_VISIBLE_DEVICES=all in such a pod opens every GPU of the node.
    """
    runtime = pod.spec.runtime_class
    if not any(runtime == r or runtime.startswith(f"{r}-") for r in GPU_RUNTIMES):
        return False
    return not any(is_accelerator(name, extra) for name, _ in pod.spec.requests)
