"""Effective requests of a pod, as kube-scheduler adds them up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoscaler.model.decoding.convert_requests import AMOUNT_MAX
from autoscaler.model.resources import Amounts
from tests.decoding.builders import Object, container, decoded_pod, decoded_spec, pod

GI = 2**30


def requests(*containers: Object, init: list[Object] | None = None, **spec: Any) -> dict[str, int]:
    return dict(decoded_spec({"containers": list(containers), "initContainers": init or [], **spec}).requests)


def sidecar(**amounts: str) -> Object:
    return container(amounts, restartPolicy="Always")


SUMS = {
    "containers are added up": (requests(container({"cpu": "500m"}), container({"cpu": "1"})), {"cpu": 1500}),
    "a limit stands in for a missing request": (
        requests(container({"cpu": "1"}, {"cpu": "4", "nvidia.com/gpu": "2"})),
        {"cpu": 1000, "nvidia.com/gpu": 2},
    ),
    "an init container counts where it is larger than all containers": (
        requests(container({"cpu": "1", "memory": "4Gi"}), init=[container({"cpu": "2", "memory": "1Gi"})]),
        {"cpu": 2000, "memory": 4 * GI},
    ),
    "init containers run one after the other": (
        requests(container({"cpu": "1"}), init=[container({"cpu": "2"}), container({"cpu": "3"})]),
        {"cpu": 3000},
    ),
    "a sidecar is added to the containers": (requests(container({"cpu": "1"}), init=[sidecar(cpu="2")]), {"cpu": 3000}),
    "a sidecar is added to the init containers after it": (
        requests(container({"cpu": "1"}), init=[sidecar(cpu="2"), container({"cpu": "5"})]),
        {"cpu": 7000},
    ),
    "a sidecar is not added to the init containers before it": (
        requests(container({"cpu": "1"}), init=[container({"cpu": "5"}), sidecar(cpu="2")]),
        {"cpu": 5000},
    ),
    "what the pod as a whole requests replaces the sum": (
        requests(container({"cpu": "1", "nvidia.com/gpu": 1}), resources={"requests": {"cpu": "8", "memory": "1Gi"}}),
        {"cpu": 8000, "memory": GI, "nvidia.com/gpu": 1},
    ),
    "the pod as a whole cannot request devices": (
        requests(container({"nvidia.com/gpu": 1}), resources={"requests": {"nvidia.com/gpu": 8}}),
        {"nvidia.com/gpu": 1},
    ),
    "a limit of the whole pod counts where no container requests the resource": (
        requests(container({"cpu": "1"}), resources={"limits": {"cpu": "8", "memory": "2Gi"}}),
        {"cpu": 1000, "memory": 2 * GI},
    ),
    "huge pages cannot be overcommitted": (
        requests(container({"hugepages-2Mi": "4Mi"}), resources={"limits": {"hugepages-2Mi": "8Mi"}}),
        {"hugepages-2Mi": 8 * 2**20},
    ),
    "overhead comes on top of everything": (
        requests(container({"cpu": "1"}), resources={"requests": {"cpu": "2"}}, overhead={"cpu": "250m"}),
        {"cpu": 2250},
    ),
    "zero is nothing": (requests(container({"cpu": "0", "nvidia.com/gpu": "0"})), {}),
    "null is nothing": (requests(container({"cpu": None, "memory": "1Gi"})), {"memory": GI}),
    "numbers are quantities too": (
        requests(container({"cpu": 0.5, "memory": 1024, "nvidia.com/gpu": 1})),
        {"cpu": 500, "memory": 1024, "nvidia.com/gpu": 1},
    ),
    "less than a thousandth of a core counts as one": (requests(container({"cpu": "100u"})), {"cpu": 1}),
    "a pod without containers asks for nothing": (requests(), {}),
}


@pytest.mark.parametrize("case", SUMS)
def test_requests_are_added_up_as_the_scheduler_does(case: str) -> None:
    found, expected = SUMS[case]

    assert found == expected


@pytest.mark.parametrize("key", ["containers", "initContainers", "resources", "overhead"])
def test_null_where_a_server_may_send_it_is_nothing(key: str) -> None:
    assert decoded_spec({key: None}).requests == ()


def test_amounts_are_sorted_by_name() -> None:
    found: Amounts = decoded_spec({"containers": [container({"memory": "1", "cpu": "1", "a.com/b": "1"})]}).requests

    assert [name for name, _ in found] == ["a.com/b", "cpu", "memory"]


def test_an_amount_that_no_machine_has_is_capped_and_not_an_error() -> None:
    two = [container({"memory": "8Ei"}), container({"memory": "8Ei"})]

    assert decoded_spec({"containers": two}).requests == (("memory", AMOUNT_MAX),)


def test_peaks_are_the_largest_request_of_one_container_for_extended_resources() -> None:
    spec = {
        "containers": [container({"nvidia.com/gpu": 2, "cpu": 4}), container({"nvidia.com/gpu": 3})],
        "initContainers": [container({"nvidia.com/gpu": 1, "rdma/shared": 8})],
    }

    assert decoded_spec(spec).container_peaks == (("nvidia.com/gpu", 3), ("rdma/shared", 8))


def resizing(reason: str, asked: str, allocated: str | None, in_force: str | None) -> int:
    status: Object = {"name": "c"}
    if allocated is not None:
        status["allocatedResources"] = {"cpu": allocated}
    if in_force is not None:
        status["resources"] = {"requests": {"cpu": in_force}}
    found = decoded_pod(
        pod(
            spec={"nodeName": "n", "containers": [container({"cpu": asked, "memory": "1Gi"})]},
            status={
                "phase": "Running",
                "conditions": [{"type": "PodResizePending", "status": "True", "reason": reason}],
                "containerStatuses": [status],
            },
        )
    )
    return found.spec.request("cpu")


@pytest.mark.parametrize(
    ("reason", "asked", "allocated", "in_force", "cpu"),
    [
        ("Deferred", "8", "2", "2", 8000),  # it may be granted any time: room for it is held
        ("Deferred", "1", "2", "4", 4000),  # on the way down the larger one still runs
        ("Infeasible", "64", "2", "3", 3000),  # never granted: what is there counts
        ("Infeasible", "64", None, None, 0),
        ("Deferred", "8", None, None, 8000),
    ],
)
def test_while_requests_change_in_place_the_largest_counts(
    reason: str, asked: str, allocated: str | None, in_force: str | None, cpu: int
) -> None:
    assert resizing(reason, asked, allocated, in_force) == cpu


AMOUNT = st.integers(0, 8)


@given(st.lists(AMOUNT, max_size=4), st.lists(st.tuples(AMOUNT, st.booleans()), max_size=4))
def test_no_moment_of_a_pods_life_needs_more_than_it_requests(
    steady: list[int], starting: list[tuple[int, bool]]
) -> None:
    def one(amount: int, **fields: Any) -> Object:
        return container({"cpu": str(amount)}, **fields)

    inits = [one(amount, restartPolicy="Always" if stays else None) for amount, stays in starting]
    found = requests(*(one(amount) for amount in steady), init=inits).get("cpu", 0)

    moments = [sum(steady) + sum(amount for amount, stays in starting if stays)]
    for i, (amount, _) in enumerate(starting):
        moments.append(amount + sum(earlier for earlier, stays in starting[:i] if stays))
    assert found == 1000 * max(moments)
