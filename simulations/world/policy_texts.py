"""The policies of drawn worlds: few, small, and quick in everything, so that an hour holds many lives of a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

HEAD = """apiVersion: gpu-autoscaler.dev/v1alpha1
kind: AutoscalerPolicy
metadata: {{name: world}}
spec:
  mode: act
  limits: {{nodes: {nodes}, gpus: {gpus}, usdPerHour: {usd}}}
  disruption:
    maxParallelDrains: {drains}
    budgets:
    - {{reasons: [Idle, Underutilized, CheaperReplacement, Expired], nodes: {at_once}, atMost: {at_most}, per: {per}}}
    - {{reasons: [Unhealthy], nodes: 2, atMost: 3, per: 10m}}
"""
POOL = """---
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: NodePool
metadata: {{name: {name}}}
spec:
  groups: [{groups}]
  template: {template}
  limits: {{minNodes: {least}, maxNodes: {most}}}
  scaleUp: {{registrationTimeout: 3m, initializationTimeout: 5m, backoff: {{initial: 1m, max: 4m}}}}
  scaleDown: {{idleCooldown: {cooldown}, drainTimeout: 4m{more}}}
{rest}"""
SINGLE = "{instanceType: g5.2xlarge}"
QUAD = "{instanceType: g5.12xlarge}"
MIG = "{instanceType: p4d.24xlarge, gpu: {model: A100-40GB, count: 8, sharing: {mig: {layout: all-balanced}}}}"


@dataclass(frozen=True, slots=True)
class Shape:
    """A pool: its groups with their zones, its template."""

    name: str
    groups: tuple[tuple[str, str], ...]
    template: str = SINGLE
    rest: str = ""


ONE = Shape("one", (("one-a", "us-east-1a"),))
TWO = Shape("two", (("two-a", "us-east-1a"), ("two-b", "us-east-1b")), QUAD)
SPOT = Shape("spot", (("spot-a", "us-east-1a"),), SINGLE, "  capacityType: spot\n  spot: {fallback: [one]}\n")
SLICED = Shape("mig", (("mig-a", "us-east-1a"),), MIG)
BUFFERED = Shape("one", (("one-a", "us-east-1a"),), SINGLE, "  warmBuffer: {nodes: 1}\n")


def policy_text(
    shapes: tuple[Shape, ...],
    *,
    cooldown: str = "90s",
    most: int = 5,
    least: int = 0,
    at_most: int = 4,
    per: str = "10m",
    at_once: str = "2",
    drains: int = 2,
    threshold: str = "",
    limits: Mapping[str, int] | None = None,
) -> str:
    """A policy file of these pools."""
    limits = limits or {"nodes": 20, "gpus": 80, "usd": 900}
    text = HEAD.format(drains=drains, at_once=at_once, at_most=at_most, per=per, **limits)
    for shape in shapes:
        groups = ", ".join(f"{{simulated: {{group: {name}}}, zone: {zone}}}" for name, zone in shape.groups)
        more = f", threshold: {threshold}, protectJobs: false" if threshold else ""
        text += POOL.format(
            name=shape.name,
            groups=groups,
            template=shape.template,
            least=least,
            most=most,
            cooldown=cooldown,
            more=more,
            rest=shape.rest,
        )
    return text


FAMILIES: tuple[tuple[str, ...], ...] = (
    # (in force at the start, what people may put in its place)
    (policy_text((ONE,)), policy_text((ONE,), cooldown="30s"), policy_text((TWO,))),
    (policy_text((ONE, TWO)), policy_text((TWO,)), policy_text((ONE, TWO), most=2)),
    (policy_text((ONE, SPOT)), policy_text((ONE,)), policy_text((ONE, SPOT), cooldown="3m")),
    (policy_text((BUFFERED, TWO)), policy_text((ONE, TWO)), policy_text((BUFFERED,), least=1)),
    (policy_text((ONE, TWO), threshold="60%"), policy_text((ONE, TWO)), policy_text((ONE,), threshold="60%")),
    (policy_text((ONE, TWO, SPOT), least=1), policy_text((ONE, TWO, SPOT)), policy_text((SPOT, ONE), most=1)),
    (policy_text((ONE, TWO), at_most=1, per="15m", at_once="1", drains=1), policy_text((ONE, TWO), at_most=1)),
    (policy_text((ONE, TWO), limits={"nodes": 4, "gpus": 9, "usd": 20}), policy_text((ONE,))),
    (policy_text((SLICED, ONE)), policy_text((ONE,))),
)
