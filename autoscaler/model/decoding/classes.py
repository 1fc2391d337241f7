"""What a pod spec takes from elsewhere in the cluster: priority and runtime classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from autoscaler.model.decoding import wire_pod
from autoscaler.model.decoding.convert_requests import resource_list
from autoscaler.model.pods import Toleration

# The two classes that every cluster has (pkg/apis/scheduling/types.go).
_BUILT_IN = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


@dataclass(frozen=True, slots=True)
class PriorityClass:
    """A priority by name; `is_default` for pods that name no class."""

    name: str
    value: int
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class RuntimeClass:
    """What a runtime adds to the pods that use it (node.k8s.io/v1)."""

    name: str
    overhead: tuple[tuple[str, int], ...] = ()
    node_selector: tuple[tuple[str, str], ...] = ()
    tolerations: tuple[Toleration, ...] = ()


@dataclass(frozen=True, slots=True)
class Classes:
    """The priority and runtime classes of a cluster."""

    priorities: Mapping[str, PriorityClass] = field(default_factory=dict)
    runtimes: Mapping[str, RuntimeClass] = field(default_factory=dict)

    def priority(self, value: int | None, class_name: str | None) -> int:
        """The priority of a pod: its own, that of its class, that of the default class, or 0.

        Admission resolves it for every pod; templates and hand-written pods have only the name. Of several
        default classes the smallest value counts (`globalDefault` in pkg/apis/scheduling/types.go).
        """
        if value is not None:
            return value
        if class_name:
            found = self.priorities.get(class_name)
            return found.value if found else _BUILT_IN.get(class_name, 0)
        return min((c.value for c in self.priorities.values() if c.is_default), default=0)


NO_CLASSES = Classes()


def toleration(found: wire_pod.Toleration) -> Toleration:
    """A toleration; no operator means Equal."""
    return Toleration(found.key or "", found.operator or "Equal", found.value or "", found.effect or "")


def tolerations(found: Iterable[wire_pod.Toleration] | None) -> set[Toleration]:
    """Tolerations as a set: their order and repetition mean nothing."""
    return {toleration(t) for t in found or ()}


def runtime_class(name: str, found: wire_pod.RuntimeClass) -> RuntimeClass:
    """A RuntimeClass by what it adds to pods."""
    overhead = resource_list(found.overhead.pod_fixed if found.overhead else None, "overhead.podFixed")
    scheduling = found.scheduling or wire_pod.RuntimeScheduling()
    return RuntimeClass(
        name=name,
        overhead=tuple(sorted(overhead.items())),
        node_selector=tuple(sorted((k, v or "") for k, v in (scheduling.node_selector or {}).items())),
        tolerations=tuple(sorted(tolerations(scheduling.tolerations), key=repr)),
    )
