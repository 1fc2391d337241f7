"""Declared groups of pods: wire -> model."""

from __future__ import annotations

from autoscaler.model.decoding import wire_gangs
from autoscaler.model.decoding.convert_meta import MetaReader, all_annotations, named, namespace, text
from autoscaler.model.gangs import JOBSET, KUBERNETES, gang_key
from autoscaler.model.objects import GangSpec

EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
BY_NODE_SELECTOR = "alpha.jobset.sigs.k8s.io/node-selector"


def pod_group(scheme: str, found: wire_gangs.PodGroup, meta_reader: MetaReader) -> GangSpec | None:
    """A PodGroup of any scheduler; None for one of Kubernetes' own whose pods run one by one (policy `basic`)."""
    meta = named(found.metadata)
    spec = found.spec or wire_gangs.PodGroupSpec()
    size = spec.min_member
    topology = ""
    if scheme == KUBERNETES:
        gang = spec.scheduling_policy.gang if spec.scheduling_policy else None
        if gang is None:
            return None
        size = gang.min_count
        constraints = spec.scheduling_constraints or wire_gangs.GroupConstraints()
        topology = next((text(t.key) for t in constraints.topology or () if t.key), "")
    key = gang_key(scheme, namespace(meta), text(meta.name))
    return GangSpec(key, max(1, size or 0), meta_reader.created(meta), topology)


def workload_groups(found: wire_gangs.GroupsWorkload, meta_reader: MetaReader) -> list[GangSpec]:
    """The groups of a Workload of scheduling.k8s.io/v1alpha1, each under `WORKLOAD/GROUP`."""
    meta = named(found.metadata)
    groups = (found.spec.pod_groups if found.spec else None) or ()
    return [
        GangSpec(
            gang_key(KUBERNETES, namespace(meta), f"{meta.name}/{text(group.name)}"),
            max(1, group.policy.gang.min_count or 0),
            meta_reader.created(meta),
        )
        for group in groups
        if group.policy is not None and group.policy.gang is not None
    ]


def job_set(found: wire_gangs.JobSet, meta_reader: MetaReader) -> GangSpec | None:
    """A JobSet that asks for exclusive placement of its jobs; None for any other.

    Placed by node selectors, all its pods exist at once and belong together. Placed by the webhook, the pods of a
    job are created only after the first of them, its leader, has been bound; so the leaders belong together, and to
    wait for more would be to wait forever (https://jobset.sigs.k8s.io/docs/tasks/exclusive_placement). The domain
    of each job is in its pods' own affinity.
    """
    meta = named(found.metadata)
    annotations = all_annotations(meta)
    jobs = 0
    pods = 0
    for job in (found.spec.replicated_jobs if found.spec else None) or ():
        template = job.template or wire_gangs.JobTemplate()
        if not (annotations.get(EXCLUSIVE) or all_annotations(template.metadata).get(EXCLUSIVE)):
            continue
        replicas = 1 if job.replicas is None else job.replicas
        jobs += replicas
        pods += replicas * _pods_at_once(template.spec or wire_gangs.JobSpec())
    if not jobs:
        return None
    size = pods if BY_NODE_SELECTOR in annotations else jobs
    return GangSpec(gang_key(JOBSET, namespace(meta), text(meta.name)), max(1, size), meta_reader.created(meta))


def _pods_at_once(spec: wire_gangs.JobSpec) -> int:
    parallelism = 1 if spec.parallelism is None else spec.parallelism
    return parallelism if spec.completions is None else min(parallelism, spec.completions)
