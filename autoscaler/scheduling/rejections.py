"""Why a row does not take a pod: one constructor a code, so that the parameters of each code are said once.

Amounts are raw integers in the units of the model; sentences for people are made from them elsewhere.
"""

from __future__ import annotations

from autoscaler.model.nodes import Taint
from autoscaler.model.reasons import Code, Reason

Rejection = Reason

# Parameter `cause` of VolumeZone and ResourceClaim.
NOT_FOUND = "NotFound"  # the claim, its volume or its storage class does not exist
NOT_BOUND = "NotBound"  # the class binds at once, and the claim is not bound: no node can help
NO_PROVISIONER = "NoProvisioner"  # volumes of the class are made by hand, and none is bound
ELSEWHERE = "Elsewhere"  # the volume or device is, or may only be, on other nodes
NOT_ALLOCATED = "NotAllocated"  # devices for new claims are not simulated

_NODE_UNSCHEDULABLE = Reason.of(Code.NODE_UNSCHEDULABLE)


def node_unschedulable() -> Rejection:
    """The node is cordoned."""
    return _NODE_UNSCHEDULABLE


def node_name_set(node: str) -> Rejection:
    """The pod names another node."""
    return Reason.of(Code.NODE_NAME_SET, node=node)


def taint_not_tolerated(taint: Taint) -> Rejection:
    """The first taint that the pod does not tolerate."""
    return Reason.of(Code.TAINT_NOT_TOLERATED, taint=str(taint))


def node_selector_mismatch(key: str, value: str) -> Rejection:
    """The first pair of the nodeSelector that the node does not carry."""
    return Reason.of(Code.NODE_SELECTOR_MISMATCH, key=key, value=value)


def node_affinity_mismatch(terms: str) -> Rejection:
    """No term of the required node affinity matches."""
    return Reason.of(Code.NODE_AFFINITY_MISMATCH, terms=terms)


def insufficient_resource(resource: str, requested: int, available: int) -> Rejection:
    """The node has less of `resource` left than the pod asks for."""
    return Reason.of(Code.INSUFFICIENT_RESOURCE, resource=resource, requested=requested, available=available)


def mig_profile_not_offered(profile: str) -> Rejection:
    """The pod asks for a MIG profile of which the node has none at all."""
    return Reason.of(Code.MIG_PROFILE_NOT_OFFERED, profile=profile)


def shared_gpu_request_too_large(resource: str, requested: int) -> Rejection:
    """A container asks for more than one share, and the device plugin of the node refuses that."""
    return Reason.of(Code.SHARED_GPU_REQUEST_TOO_LARGE, resource=resource, requested=requested)


def host_port(port: int) -> Rejection:
    """The port is taken on the node."""
    return Reason.of(Code.HOST_PORT, port=port)


def volume_zone(claim: str, cause: str) -> Rejection:
    """The volume of the claim cannot be had on the node."""
    return Reason.of(Code.VOLUME_ZONE, claim=claim, cause=cause)


def volume_limit(driver: str) -> Rejection:
    """The node may attach no more volumes of the driver."""
    return Reason.of(Code.VOLUME_LIMIT, driver=driver)


def topology_spread(key: str) -> Rejection:
    """One more pod in the node's domain of `key` would pass the constraint's maxSkew, or the node has no such label."""
    return Reason.of(Code.TOPOLOGY_SPREAD, key=key)


def pod_affinity(key: str) -> Rejection:
    """The pods that this one must be with are not in the node's domain of `key`."""
    return Reason.of(Code.POD_AFFINITY, key=key)


def pod_anti_affinity(key: str) -> Rejection:
    """Pods that this one must be away from, or that must be away from it, are in the node's domain of `key`."""
    return Reason.of(Code.POD_ANTI_AFFINITY, key=key)


def resource_claim(claim: str, cause: str) -> Rejection:
    """The devices of the claim are elsewhere, or nobody can say where they will be."""
    return Reason.of(Code.RESOURCE_CLAIM, claim=claim, cause=cause)
