"""Groups of pods over the wire: PodGroups of three schedulers, Kubernetes' Workload, JobSets."""

from __future__ import annotations

from msgspec import Struct

from autoscaler.model.decoding.wire import Count, Meta


class GangPolicy(Struct, gc=False, rename="camel"):
    """scheduling.k8s.io GangSchedulingPolicy."""

    min_count: Count | None = None


class GroupPolicy(Struct, gc=False, rename="camel"):
    """scheduling.k8s.io PodGroupSchedulingPolicy: `gang`, or, where it is absent, pod by pod."""

    gang: GangPolicy | None = None


class TopologyConstraint(Struct, gc=False, rename="camel"):
    """scheduling.k8s.io TopologyConstraint."""

    key: str | None = None


class GroupConstraints(Struct, gc=False, rename="camel"):
    """scheduling.k8s.io PodGroupSchedulingConstraints."""

    topology: list[TopologyConstraint] | None = None


class PodGroupSpec(Struct, gc=False, rename="camel"):
    """The spec of every PodGroup kind: `minMember` of scheduler-plugins and Volcano, a policy in Kubernetes' own."""

    min_member: Count | None = None
    scheduling_policy: GroupPolicy | None = None
    scheduling_constraints: GroupConstraints | None = None


class PodGroup(Struct, gc=False, rename="camel"):
    """PodGroup of scheduling.x-k8s.io, scheduling.volcano.sh or scheduling.k8s.io."""

    metadata: Meta | None = None
    spec: PodGroupSpec | None = None


class WorkloadGroup(Struct, gc=False, rename="camel"):
    """scheduling.k8s.io/v1alpha1 PodGroup, a part of a Workload there."""

    name: str | None = None
    policy: GroupPolicy | None = None


class GroupsSpec(Struct, gc=False, rename="camel"):
    """scheduling.k8s.io/v1alpha1 WorkloadSpec; later versions hold templates, which are no groups yet."""

    pod_groups: list[WorkloadGroup] | None = None


class GroupsWorkload(Struct, gc=False, rename="camel"):
    """scheduling.k8s.io Workload."""

    metadata: Meta | None = None
    spec: GroupsSpec | None = None


class JobSpec(Struct, gc=False, rename="camel"):
    """batch/v1 JobSpec, as much of it as a JobSet needs."""

    parallelism: Count | None = None
    completions: Count | None = None


class JobTemplate(Struct, gc=False, rename="camel"):
    """batch/v1 JobTemplateSpec."""

    metadata: Meta | None = None
    spec: JobSpec | None = None


class ReplicatedJob(Struct, gc=False, rename="camel"):
    """jobset.x-k8s.io ReplicatedJob."""

    replicas: Count | None = None
    template: JobTemplate | None = None


class JobSetSpec(Struct, gc=False, rename="camel"):
    """jobset.x-k8s.io JobSetSpec."""

    replicated_jobs: list[ReplicatedJob] | None = None


class JobSet(Struct, gc=False, rename="camel"):
    """jobset.x-k8s.io/v1alpha2 JobSet."""

    metadata: Meta | None = None
    spec: JobSetSpec | None = None
