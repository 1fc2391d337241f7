"""What a pod asks of its node, as kube-scheduler adds it up.

Sources: `PodRequests` and `AggregateContainerRequests` of k8s.io/component-helpers/resource/helpers.go (KEP-753
for sidecars, KEP-2837 for resources of the pod as a whole), and the defaults of the API server
(`SetDefaults_Pod` and `defaultPodRequests` in pkg/apis/core/v1/defaults.go), which pods of templates have not
been through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from autoscaler.model.decoding import wire, wire_pod
from autoscaler.model.decoding.errors import FieldError
from autoscaler.model.quantity import QuantityError, amount, text_of
from autoscaler.model.resources import Amounts, amounts

AMOUNT_MAX = 2**53
"""Larger amounts count as this: 8 PiB of memory, more than any machine has. So sums stay within 64 bits, and one
pod that asks for `8Ei`, which an API server accepts, is a pod that fits nowhere and not an error."""

_POD_LEVEL = ("cpu", "memory")
_HUGE = "hugepages-"


def resource_list(resources: wire.Resources | None, path: str) -> dict[str, int]:
    """Amounts by resource, zeros included; FieldError for what is no quantity or negative."""
    found: dict[str, int] = {}
    for name, value in (resources or {}).items():
        if value is None:  # Go reads null as a quantity of zero
            found[name] = 0
            continue
        try:
            number = amount(name, text_of(value))
        except QuantityError as error:
            raise FieldError(f"{path}.{name}", str(error)) from None
        if number < 0:
            raise FieldError(f"{path}.{name}", f"{text_of(value)} is negative; an amount is zero or more")
        found[name] = min(number, AMOUNT_MAX)
    return found


def capped(found: Mapping[str, int]) -> Amounts:
    """Sorted amounts, none above `AMOUNT_MAX`."""
    return amounts((name, min(number, AMOUNT_MAX)) for name, number in found.items())


def container_requests(container: wire_pod.Container, path: str) -> dict[str, int]:
    """Requests of one container; a limit stands in where there is no request."""
    resources = container.resources
    if resources is None:
        return {}
    limits = resource_list(resources.limits, f"{path}.resources.limits")
    return {**limits, **resource_list(resources.requests, f"{path}.resources.requests")}


@dataclass(frozen=True, slots=True)
class Resize:
    """A change of requests in place that is under way (KEP-1287): what each container has by its status.

    `infeasible`: the node will never grant it, so what the spec asks for does not count.
    """

    statuses: Mapping[str, wire_pod.ContainerStatus]
    infeasible: bool


def pod_requests(
    spec: wire_pod.PodSpec, overhead: Mapping[str, int], resize: Resize | None = None
) -> tuple[Amounts, Amounts]:
    """The effective requests, and the largest request of any single container for each extended resource.

    Effective: the larger of (containers and sidecars together) and (each init container with the sidecars started
    before it); what the pod as a whole requests replaces that sum; then `overhead`. While a resize is under way, the
    largest of what is asked for, allocated and in force.
    """
    asked = _Containers(
        [container_requests(c, f"spec.containers[{i}]") for i, c in enumerate(spec.containers or ())],
        [container_requests(c, f"spec.initContainers[{i}]") for i, c in enumerate(spec.init_containers or ())],
    )
    peaks: dict[str, int] = {}
    for request in (*asked.steady, *asked.starting):
        _raise(peaks, request)
    total = _together(spec, asked)
    if resize is not None:
        total = {} if resize.infeasible else total
        for having in (_allocated, _in_force):
            _raise(total, _together(spec, _by_status(spec, asked, resize, having)))
    _replace(total, spec.resources)
    _add(total, overhead)
    return capped(total), capped({name: number for name, number in peaks.items() if "/" in name})


@dataclass(frozen=True, slots=True)
class _Containers:
    """Requests of each container (`steady`) and of each init container (`starting`), in their order."""

    steady: list[dict[str, int]]
    starting: list[dict[str, int]]


def _together(spec: wire_pod.PodSpec, requests: _Containers) -> dict[str, int]:
    """The requests of all containers by the formula of KEP-753."""
    steady: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for request in requests.steady:
        _add(steady, request)
    for container, request in zip(spec.init_containers or (), requests.starting, strict=True):
        if container.restart_policy == "Always":
            _add(steady, request)
            _add(sidecars, request)
        else:
            together = dict(sidecars)
            _add(together, request)
            _raise(peak, together)
    _raise(steady, peak)
    return steady


Having = Callable[[wire_pod.ContainerStatus, str], dict[str, int] | None]


def _allocated(status: wire_pod.ContainerStatus, path: str) -> dict[str, int] | None:
    """What the node has set aside for the container; None if the status does not tell."""
    found = status.allocated_resources
    return None if found is None else resource_list(found, f"{path}.allocatedResources")


def _in_force(status: wire_pod.ContainerStatus, path: str) -> dict[str, int] | None:
    """What the container runs with."""
    found = status.resources.requests if status.resources is not None else None
    return _allocated(status, path) if found is None else resource_list(found, f"{path}.resources.requests")


def _by_status(spec: wire_pod.PodSpec, asked: _Containers, resize: Resize, having: Having) -> _Containers:
    def of(containers: list[wire_pod.Container] | None, requests: list[dict[str, int]]) -> list[dict[str, int]]:
        found = []
        for container, request in zip(containers or (), requests, strict=True):
            status = resize.statuses.get(container.name or "")
            told = None if status is None else having(status, f"status of container {container.name}")
            found.append(told if told is not None else {} if resize.infeasible else request)
        return found

    return _Containers(of(spec.containers, asked.steady), of(spec.init_containers, asked.starting))


def _replace(found: dict[str, int], whole: wire_pod.ResourceRequirements | None) -> None:
    """Put what the pod as a whole requests in place of the sum, for the resources that this is supported for.

    A limit of the whole pod stands in for a request where no container requests the resource; for huge pages,
    which cannot be overcommitted, always.
    """
    if whole is None:
        return
    requests = resource_list(whole.requests, "spec.resources.requests")
    limits = resource_list(whole.limits, "spec.resources.limits")
    for name, number in limits.items():
        if name.startswith(_HUGE) or (name in _POD_LEVEL and name not in found):
            found[name] = number
    found.update((name, n) for name, n in requests.items() if name in _POD_LEVEL or name.startswith(_HUGE))


def _add(into: dict[str, int], more: Mapping[str, int]) -> None:
    for name, number in more.items():
        into[name] = into.get(name, 0) + number


def _raise(into: dict[str, int], other: Mapping[str, int]) -> None:
    for name, number in other.items():
        if number > into.get(name, -1):
            into[name] = number
