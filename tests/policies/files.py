"""Policy files as text, and what loading and linting say of them."""

from __future__ import annotations

import pytest

from policies.lint import check
from policies.loading import PolicyError, PolicyFile, loads
from policies.schema_pool import NodePool
from providers.catalog.catalog import load_catalog

NAME = "policy.yaml"

CLUSTER = """\
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: AutoscalerPolicy            # at most one; optional
metadata: {name: default}
spec:
  mode: observe                   # observe (default: plan and report, change nothing) | recommend | act
  loopInterval: 10s
  limits: {nodes: 500, gpus: 2000, usdPerHour: 5000}   # hard caps over all pools, coming capacity included
  pods:
    priorityCutoff: -10           # pods below it are not demand and do not hold a node
    ignoreOwnerKinds: [DaemonSet]
    ignoreLabels: {}
    schedulerNames: []            # empty: every scheduler
  acceleratorResources: []
  disruption:
    budgets:
      - {reasons: [Idle], nodes: "100%", atMost: 10, per: 1m}
      - {reasons: [Underutilized, CheaperReplacement, Expired], nodes: "10%", atMost: 10, per: 1h}
    maxParallelDrains: 1
    maxUnready: {nodes: 3, percent: "45%"}   # above both: no removal anywhere
"""

POOL = """\
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: NodePool
metadata: {name: h100-spot}
spec:
  groups:                         # instance groups that deliver nodes of this one shape
    - aws: {autoScalingGroup: h100-spot-1a, region: us-east-1}
      zone: us-east-1a
    # - gcp: {instanceGroupManager: h100-spot-c, project: my-project, location: us-central1-c}
    # - kubernetes: {...}
    # - simulated: {group: h100-spot-1a}
  capacityType: spot              # on-demand | spot | reserved
  template:
    instanceType: p5.48xlarge     # looked up in the catalog: resources, GPU model and count, price
    labels: {}
    taints: [{key: nvidia.com/gpu, value: "true", effect: NoSchedule}]
    startupTaints: []             # gone once the node is ready
    resources: {}
    reserved: {cpu: 500m, memory: 4Gi}
    gpu:
      model: H100-80GB
      count: 8
      sharing:                    # at most one of the three; none: whole GPUs
SHARING
  price: {usdPerHour: 98.32}
  weight: 0
  limits: {minNodes: 0, maxNodes: 20}
  warmBuffer:
    nodes: 1                      # or gpus: 8, or percent: "10%" of the busy nodes; the largest wins, `max` caps it
    max: 5
    schedules: [{cron: "0 8 * * 1-5", timeZone: Europe/Berlin, duration: 10h, nodes: 4}]
    predictive: {quantile: 0.95, history: 14d}
  spot: {fallback: [h100-od], onDemandBase: 2, maxShare: "80%", returnAfter: 30m}
  scaleUp:
    batchWindow: 0s
    registrationTimeout: 15m      # instance without node
    initializationTimeout: 20m    # node without its GPUs, MIG layout or other declared resources
    failureLimit: 3
    backoff: {initial: 5m, max: 30m}
  scaleDown:
    enabled: true
    idleCooldown: 10m
    cooldownAfterScaleUp: 0s      # per pool, never cluster-wide
    utilization: gpu              # gpu | max (the highest of cpu, memory, gpu)
    threshold: "0%"
    protectJobs: true
    systemPods: move              # move | block
    drainTimeout: 30m
"""

SHARINGS = {
    "timeSlicing": """\
        timeSlicing: {replicas: 4, renameByDefault: false, failRequestsGreaterThanOne: false}""",
    "mps": """\
        mps: {replicas: 8}""",
    "layout": """\
        mig:
          strategy: mixed         # mixed | single
          layout: all-1g.10gb     # a mig-parted name""",
    "counts": """\
        mig:
          strategy: mixed
          layout: {1g.10gb: 2, 3g.40gb: 1}""",
    "devices": """\
        mig:
          strategy: mixed
          devices: [{indexes: [0, 1], layout: all-1g.10gb}]     # the other GPUs stay whole""",
    "layouts": """\
        mig:
          strategy: mixed
          layouts: [all-1g.10gb, all-balanced, all-disabled]    # the planner chooses one for each new node""",
}

FALLBACK = """\
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: NodePool
metadata: {name: h100-od}
spec:
  groups:
    - simulated: {group: h100-od-1a}
      zone: us-east-1a
  template:
    instanceType: p5.48xlarge
    taints: [{key: nvidia.com/gpu, effect: NoSchedule, value: present}]
  limits: {maxNodes: 20}
"""

SMALL = """\
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: NodePool
metadata: {name: a}
spec:
  groups: [{simulated: {group: g}, zone: z}]
  template: {resources: {cpu: 8}}
  limits: {maxNodes: 3}
"""


def example(sharing: str = "layout") -> str:
    """The whole example of the policy file, with one way of sharing."""
    return "---\n".join((CLUSTER, POOL.replace("SHARING", SHARINGS[sharing]), FALLBACK))


def edited(old: str, new: str, text: str | None = None) -> tuple[str, str]:
    """The example (or `text`) with one edit, and line and column of the triangle in `new` ("" without one)."""
    text = example() if text is None else text
    assert text.count(old) == 1, old
    before, triangle, after = text.replace(old, new).partition("▸")
    place = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    return before + after, place if triangle else ""


def pool(spec: str = "", name: str = "a", **parts: str) -> str:
    """A small pool: `parts` replace its groups, template or limits, `spec` has further lines (each indented by two)."""
    groups = parts.pop("groups", f"[{{simulated: {{group: g-{name}}}, zone: z}}]")
    template = parts.pop("template", "{resources: {cpu: 8}}")
    limits = parts.pop("limits", "{maxNodes: 3}")
    price = parts.pop("price", "{usdPerHour: 1}")
    assert not parts
    return f"""\
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: NodePool
metadata: {{name: {name}}}
spec:
  groups: {groups}
  template: {template}
  limits: {limits}
  price: {price}
{spec}"""


def cluster(spec: str) -> str:
    """An AutoscalerPolicy with these lines (each indented by two), and a separator."""
    return f"""\
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: AutoscalerPolicy
metadata: {{name: default}}
spec:
{spec}---
"""


def the_pool(text: str) -> NodePool:
    """The one pool of a file."""
    (found,) = loads(text, NAME).pools
    return found


def problems(text: str) -> list[str]:
    """What loading says, a line each; the file has to be refused."""
    with pytest.raises(PolicyError) as caught:
        loads(text, NAME)
    return [str(problem) for problem in caught.value.problems]


def linted(file: PolicyFile | str) -> list[str]:
    """What linting says: `error: ...` and `warning: ...`, without the name of the file."""
    loaded = loads(file, NAME) if isinstance(file, str) else file
    return [f"{p.severity}: {str(p).removeprefix(NAME + ':')}" for p in check(loaded, load_catalog())]


TAINT = "taints: [{key: nvidia.com/gpu, effect: NoSchedule}]"


def template(text: str, spec: str = "", **parts: str) -> list[str]:
    """Findings of a pool with this template; line 6 has it, from column 14 on."""
    return linted(pool(spec, template=f"{{{text}}}", **parts))
