"""Which group a pod belongs to, by the words of each gang scheduler.

A gang's key is `SCHEME|NAMESPACE/NAME`, so that groups of different schedulers never meet. The schemes:

* `scheduling.x-k8s.io` - PodGroup of scheduler-plugins; label `scheduling.x-k8s.io/pod-group`
  (older: `pod-group.scheduling.sigs.k8s.io`, with `.../min-available` for the size)
* `scheduling.volcano.sh` - PodGroup of Volcano; annotation `scheduling.k8s.io/group-name`
  (or `scheduling.volcano.sh/group-name`)
* `scheduling.k8s.io` - Kubernetes' own PodGroup; `spec.schedulingGroup.podGroupName` (1.36+), or
  `spec.workloadRef` (1.35)
* `jobset.x-k8s.io` - JobSet; label `jobset.sigs.k8s.io/jobset-name`; only where the JobSet asks for exclusive
  placement or the pods carry a size
* `gpu-autoscaler.dev` - label or annotation `gpu-autoscaler.dev/pod-group` with `gpu-autoscaler.dev/pod-group-size`
  (also Kueue's `kueue.x-k8s.io/pod-group-name` and annotation `kueue.x-k8s.io/pod-group-total-count`)
"""

from __future__ import annotations

from collections.abc import Mapping

PLUGINS, VOLCANO, KUBERNETES, JOBSET, OWN, KUEUE = (
    "scheduling.x-k8s.io",
    "scheduling.volcano.sh",
    "scheduling.k8s.io",
    "jobset.x-k8s.io",
    "gpu-autoscaler.dev",
    "kueue.x-k8s.io",
)

# (scheme, where, key), in order of precedence.
MEMBERSHIP: tuple[tuple[str, str, str], ...] = (
    (PLUGINS, "label", "scheduling.x-k8s.io/pod-group"),
    (PLUGINS, "label", "pod-group.scheduling.sigs.k8s.io"),
    (PLUGINS, "label", "pod-group.scheduling.sigs.k8s.io/name"),
    (VOLCANO, "annotation", "scheduling.volcano.sh/group-name"),
    (VOLCANO, "annotation", "scheduling.k8s.io/group-name"),
    (OWN, "label", "gpu-autoscaler.dev/pod-group"),
    (OWN, "annotation", "gpu-autoscaler.dev/pod-group"),
    (KUEUE, "label", "kueue.x-k8s.io/pod-group-name"),
    (JOBSET, "label", "jobset.sigs.k8s.io/jobset-name"),
)

# Where a pod itself says how large its group is, for groups that no object declares.
SIZES: tuple[tuple[str, str], ...] = (
    ("label", "pod-group.scheduling.sigs.k8s.io/min-available"),
    ("label", "gpu-autoscaler.dev/pod-group-size"),
    ("annotation", "gpu-autoscaler.dev/pod-group-size"),
    ("annotation", "kueue.x-k8s.io/pod-group-total-count"),
)


def gang_key(scheme: str, namespace: str, name: str) -> str:
    """The key under which pods and PodGroup objects meet."""
    return f"{scheme}|{namespace}/{name}"


def gang_of(namespace: str, labels: Mapping[str, str], annotations: Mapping[str, str]) -> str:
    """The gang's key by labels and annotations, or ""."""
    for scheme, where, key in MEMBERSHIP:
        name = (labels if where == "label" else annotations).get(key)
        if name:
            return gang_key(scheme, namespace, name)
    return ""


def declared_size(labels: Mapping[str, str], annotations: Mapping[str, str]) -> int | None:
    """The size that a pod gives for its own group, if it is a positive number."""
    for where, key in SIZES:
        text = (labels if where == "label" else annotations).get(key)
        if text is not None and text.isascii() and text.isdigit() and int(text) > 0:
            return int(text)
    return None
