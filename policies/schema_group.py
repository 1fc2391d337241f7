"""Instance groups of a pool: where its nodes come from."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from policies.base import List, Part
from policies.problems import InnerError
from policies.scalars import Name

PROVIDERS = ("aws", "gcp", "kubernetes", "simulated")


class AwsGroup(Part):
    """An EC2 Auto Scaling group."""

    auto_scaling_group: Name
    region: Name


class GcpGroup(Part):
    """A Google managed instance group; `location` is its zone or region."""

    instance_group_manager: Name
    project: Name
    location: Name


class KubernetesGroup(Part):
    """A scalable resource of the cluster (a Cluster API MachineDeployment, or any with a /scale)."""

    api_version: Name
    kind: Name
    name: Name
    namespace: Name = "default"


class SimulatedGroup(Part):
    """A group of the simulated cloud."""

    group: Name


class Group(Part):
    """One instance group, by exactly one provider."""

    aws: AwsGroup | None = None
    gcp: GcpGroup | None = None
    kubernetes: KubernetesGroup | None = None
    simulated: SimulatedGroup | None = None
    zone: Name | None = None
    zones: List[Name] = ()

    @model_validator(mode="before")
    @classmethod
    def _single_zone(cls, value: object) -> object:
        """`zones: [a]` means `zone: a`."""
        if isinstance(value, dict) and value.get("zone") is None and _is_single(value.get("zones")):
            return {**{k: v for k, v in value.items() if k != "zones"}, "zone": value["zones"][0]}
        return value

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [p for p in PROVIDERS if getattr(self, p) is not None]
        if len(given) != 1:
            said = "none" if not given else " and ".join(given)
            raise ValueError(f"a group belongs to exactly one of aws, gcp, kubernetes, simulated; got {said}")
        if self.zone is not None and self.zones:
            raise ValueError("give zone for a group in one zone or zones for one over several, not both")
        twice = [(("zones", at), f"{z} is given twice") for at, z in enumerate(self.zones) if z in self.zones[:at]]
        if twice:
            raise InnerError(*twice)
        return self

    @property
    def provider(self) -> str:
        """aws, gcp, kubernetes or simulated."""
        return next(p for p in PROVIDERS if getattr(self, p) is not None)

    @property
    def name(self) -> str:
        """The group's name in a CloudState."""
        if self.aws is not None:
            return self.aws.auto_scaling_group
        if self.gcp is not None:
            return self.gcp.instance_group_manager
        if self.kubernetes is not None:
            return self.kubernetes.name
        assert self.simulated is not None
        return self.simulated.group

    @property
    def region(self) -> str | None:
        """The region, where the provider's block says it."""
        if self.aws is not None:
            return self.aws.region
        if self.gcp is not None:
            parts = self.gcp.location.split("-")
            return "-".join(parts[:2])
        return None


def _is_single(value: object) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)
