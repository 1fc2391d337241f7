"""The nodes of the openb list as a policy: one pool for each shape, all of its nodes there from the start.

So that the trace's pods can be run against the trace's cluster. GPU models are those of the list (G2 and G3 are
names that Alibaba gave to models it does not name), told by the label `nvidia.com/gpu.product`; prices are not
known.
"""

from __future__ import annotations

from pathlib import Path

from simulations.importers.openb import Shape, read_nodes

HEAD = """# Written from {source}: {nodes} nodes, {gpus} GPUs. One pool for each shape of node.
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: AutoscalerPolicy
metadata: {{name: openb}}
spec:
  mode: act
  limits: {{nodes: {nodes}, gpus: {gpus}, usdPerHour: 1000000}}
"""
POOL = """---
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: NodePool
metadata: {{name: {name}}}
spec:
  groups: [{{simulated: {{group: {name}}}, zone: openb}}]
  capacityType: reserved
  template:
    labels: {{nvidia.com/gpu.product: {model}}}
    resources: {{cpu: {cpu}m, memory: {memory}Mi, nvidia.com/gpu: {gpus}, pods: 256}}
  price: {{usdPerHour: 0}}
  limits: {{minNodes: {count}, maxNodes: {count}}}
"""


def openb_cluster(node_list: Path) -> str:
    """The policy file as text. Raises InputError where the list cannot be read."""
    shapes = read_nodes(node_list)
    nodes = sum(shapes.values())
    gpus = sum(shape.gpus * count for shape, count in shapes.items())
    parts = [HEAD.format(source=node_list.name, nodes=nodes, gpus=gpus)]
    for shape, count in shapes.items():
        parts.append(
            POOL.format(
                name=pool_name(shape),
                model=shape.model,
                cpu=shape.cpu_milli,
                memory=shape.memory_mib,
                gpus=shape.gpus,
                count=count,
            )
        )
    return "".join(parts)


def pool_name(shape: Shape) -> str:
    """`g2-8x-96c-384g`: model, GPUs, cores, memory in GiB."""
    return f"{shape.model.lower()}-{shape.gpus}x-{shape.cpu_milli // 1000}c-{shape.memory_mib // 1024}g"
