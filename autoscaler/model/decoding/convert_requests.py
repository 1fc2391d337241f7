"""What a pod asks of its node, as kube-scheduler adds it up.

Sources: `PodRequests` and `AggregateContainerRequests` of k8s.io/component-helpers/resource/helpers.go (KEP-753
for sidecars, KEP-2837 for resources of the pod as a whole), and the defaults of the API server
(`SetDefaults_Pod` and `defaultPodRequests` in pkg/apis/core/v1/defaults.go), which pods of templates have not
been through.
"""

from __future__ import annotations

from collections.abc import Mapping

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


def pod_requests(spec: wire_pod.PodSpec, overhead: Mapping[str, int]) -> tuple[Amounts, Amounts]:
    """The effective requests, and the largest request of any single container for each extended resource.

    Effective: the larger of (containers and sidecars together) and (each init container with the sidecars started
    before it); what the pod as a whole requests replaces that sum; then `overhead`.
    """
    steady: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    starting: dict[str, int] = {}
    peaks: dict[str, int] = {}
    for i, container in enumerate(spec.containers or ()):
        asked = container_requests(container, f"spec.containers[{i}]")
        _add(steady, asked)
        _raise(peaks, asked)
    for i, container in enumerate(spec.init_containers or ()):
        asked = container_requests(container, f"spec.initContainers[{i}]")
        _raise(peaks, asked)
        if container.restart_policy == "Always":
            _add(steady, asked)
            _add(sidecars, asked)
            _raise(starting, sidecars)
        else:
            together = dict(sidecars)
            _add(together, asked)
            _raise(starting, together)
    _raise(steady, starting)
    _replace(steady, spec.resources)
    _add(steady, overhead)
    return capped(steady), capped({name: number for name, number in peaks.items() if "/" in name})


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
