"""A decision case in shorthand, and the documents that it stands for.

A case is a few lines of YAML: `pools`, `nodes`, `pods` and what is expected. It is spelled out to what a person hands
to `plan`: a policy, the objects of `kubectl get -o yaml`, the state of the cloud, and the controller's own state. The
words, over the plain field names of those documents:

* pool: `gpu cpu mem disk res mig-P` (its template's resources) or `type` (from the catalog), `accelerator` (its
  `template.gpu`), `labels taints startupTaints zone zones capacity price weight min max`, `spec` (merged over the
  rest), and of its group: `target` (desired size), `instances`, `errors`, `groupMax`, `unknownTo` (zones whose group
  the cloud does not know); `target` and `errors` by zone if they are mappings.
* node: its pool's shape with what is said here on top (`gpu: absent` takes a resource away); `age registered readyFor
  idle` before now, `ready`, `cordoned`, `draining` (since), `instance instanceState protected orphan` of the machine
  behind it, `providerID`, `pods` on it. `count: 3` stands for three of them, numbered.
* pod: `gpu cpu mem disk res mig-P`, `owner: Kind/name` ("" for none), `age priority labels annotations tolerations
  select gates phase condition nominated`.
* `state` (pools), `removals`, `paused`: the controller's state; `cloud: none`; `objects` as they are; `raw` is merged
  over an object; durations are Go's.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tests.decisions.shorthand import (
    Doc,
    duration,
    group_name,
    merged,
    numbered,
    of_zone,
    reference,
    resources,
    strings,
    taints,
    zones_of,
)

API = "gpu-autoscaler.dev/v1alpha1"
NOON = "2026-06-01T12:00:00Z"
TOLERATES_GPU = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


class Case:
    """One case: `now` as text, and its documents."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.now = str(given.get("now", NOON))
        self._at = datetime.fromisoformat(self.now)
        self._pools: dict[str, Doc] = {name: short or {} for name, short in (given.get("pools") or {}).items()}
        self._nodes = list(numbered(given.get("nodes")))

    def policy(self) -> list[Doc]:
        """The documents of the policy file."""
        cluster = {"mode": "act"} | (self.given.get("policy") or {})
        head = {"apiVersion": API, "kind": "AutoscalerPolicy", "metadata": {"name": "default"}, "spec": cluster}
        return [head, *(self._pool(name, short) for name, short in self._pools.items())]

    def objects(self) -> list[Doc]:
        """The objects of the cluster."""
        found = [self._node(node) for node in self._nodes]
        found += [self._pod(pod, node["name"]) for node in self._nodes for pod in numbered(node.get("pods"))]
        found += [self._pod(pod, None) for pod in numbered(self.given.get("pods"))]
        return found + list(self.given.get("objects") or ())

    def cloud(self) -> Doc | None:
        """The CloudState; None for a case that says `cloud: none`."""
        if self.given.get("cloud") == "none":
            return None
        groups = [
            self._group(name, short, zone)
            for name, short in self._pools.items()
            for zone in zones_of(short)
            if zone not in (short.get("unknownTo") or ())
        ]
        return {"apiVersion": API, "kind": "CloudState", "groups": groups}

    def state(self) -> Doc | None:
        """The ControllerState; None where the case has none."""
        if not any(key in self.given for key in ("state", "removals", "paused")):
            return None
        document: Doc = {"apiVersion": API, "kind": "ControllerState"}
        pools = (self.given.get("state") or {}).items()
        document["pools"] = {name: self._instants(short) for name, short in pools}
        if self.given.get("removals"):
            document["removals"] = [
                {"at": self.ago(short["ago"]), "pool": short["pool"], "reason": short.get("reason", "Idle")}
                for short in self.given["removals"]
                for _ in range(short.get("count", 1))
            ]
        if "paused" in self.given:
            document |= self._instants({"paused": True} | dict(self.given["paused"] or {}))
        return document

    def ago(self, text: object) -> str:
        """The instant that long before now (after it, for a duration with a minus)."""
        return (self._at - duration(text)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _instants(self, short: Mapping[str, Any]) -> Doc:
        """`lastScaleUpAgo: 60s` is `lastScaleUpAt` in instants."""
        return {
            f"{key[:-3]}At" if key.endswith("Ago") else key: self.ago(value) if key.endswith("Ago") else value
            for key, value in short.items()
        }

    def _pool(self, name: str, short: Doc) -> Doc:
        template: Doc = {"resources": resources(short) | {"pods": "110"}}
        if short.get("type"):
            template = {"instanceType": short["type"]}
            if short.get("res"):
                template["resources"] = strings(short["res"])
        if isinstance(short.get("accelerator"), dict):
            template["gpu"] = short["accelerator"]
        template |= {key: taints(short[key]) for key in ("taints", "startupTaints") if short.get(key)}
        if short.get("labels"):
            template["labels"] = short["labels"]
        spec: Doc = {
            "groups": [{"simulated": {"group": group_name(name, short, z)}, "zone": z} for z in zones_of(short)],
            "capacityType": short.get("capacity", "on-demand"),
            "template": template,
            "limits": {"minNodes": short.get("min", 0), "maxNodes": short.get("max", 10)},
            "scaleDown": {"idleCooldown": "10m"},
        }
        if "price" in short:
            spec["price"] = {"usdPerHour": short["price"]}
        if "weight" in short:
            spec["weight"] = short["weight"]
        return {
            "apiVersion": API,
            "kind": "NodePool",
            "metadata": {"name": name},
            "spec": merged(spec, short.get("spec")),
        }

    def _group(self, pool: str, short: Doc, zone: str) -> Doc:
        first = zones_of(short)[0]
        mine = [
            n for n in self._nodes if n.get("pool") == pool and n.get("zone", first) == zone and not n.get("orphan")
        ]
        instances = [self._instance(f"i-{n['name']}" if "instance" not in n else n["instance"], n, zone) for n in mine]
        more = short.get("instances") or []
        instances += [self._instance(x["id"], x, zone) for x in more if x.get("zone", first) == zone]
        document: Doc = {
            "name": group_name(pool, short, zone),
            "desired": of_zone(short.get("target"), zone, first, len(instances)),
            "min": 0,
            "max": short.get("groupMax", 1000),
            "instances": instances,
        }
        errors = of_zone(short.get("errors"), zone, first, [])
        if errors:
            document["errors"] = [
                {"at": self.ago(e["ago"]), "code": e["code"], "message": e.get("message", "")} for e in errors
            ]
        return document

    def _instance(self, identity: str, short: Doc, zone: str) -> Doc:
        state = short.get("instanceState", "Running") if "name" in short else short.get("state", "Running")
        found = {"id": identity, "state": state, "launchedAt": self.ago(short.get("age", "2h")), "zone": zone}
        return found | ({"protectedFromScaleIn": True} if short.get("protected") else {})

    def _node(self, short: Doc) -> Doc:
        pool = self._pools.get(short.get("pool", ""), {})
        shape = {key: value for key, value in {**pool, **short}.items() if value != "absent"}
        shape["res"] = {**(pool.get("res") or {}), **(short.get("res") or {})}
        allocatable = resources(shape) | {"pods": "110"}
        labels = {
            "kubernetes.io/hostname": short["name"],
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            "topology.kubernetes.io/zone": short.get("zone", zones_of(pool)[0]),
            **(pool.get("labels") or {}),
            **(short.get("labels") or {}),
        }
        if short.get("pool"):
            labels["gpu-autoscaler.dev/pool"] = short["pool"]
        annotations = dict(short.get("annotations") or {})
        if "idle" in short:
            annotations["gpu-autoscaler.dev/idle-since"] = self.ago(short["idle"])
        age = short.get("age", "2h")
        ready = {
            "type": "Ready",
            "status": "True" if short.get("ready", True) else "False",
            "lastTransitionTime": self.ago(short.get("readyFor", age)),
        }
        spec: Doc = {
            "providerID": short.get("providerID", f"simulated:///{short.get('instance', 'i-' + short['name'])}")
        }
        kept = self._node_taints(pool, short)
        if kept:
            spec["taints"] = kept
        if short.get("cordoned") or "draining" in short:
            spec["unschedulable"] = True
        document = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": short["name"],
                "uid": f"uid-{short['name']}",
                "creationTimestamp": self.ago(short.get("registered", age)),
                "labels": {k: v for k, v in labels.items() if v is not None},
                "annotations": annotations,
            },
            "spec": spec,
            "status": {"capacity": dict(allocatable), "allocatable": allocatable, "conditions": [ready]},
        }
        return merged(document, short.get("raw"))

    def _node_taints(self, pool: Doc, short: Doc) -> list[Doc]:
        found = taints([*(pool.get("taints") or ()), *(short.get("taints") or ())])
        if not short.get("ready", True):
            found.append({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"})
        if short.get("cordoned") or "draining" in short:
            found.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
        if "draining" in short:
            since = str(int((self._at - duration(short["draining"])).timestamp()))
            found.append({"key": "gpu-autoscaler.dev/draining", "value": since, "effect": "NoSchedule"})
        return found

    def _pod(self, short: Doc, node: str | None) -> Doc:
        namespace, _, name = short["name"].rpartition("/")
        age = short.get("age", "2m")
        requests = resources(short, cpu="1", memory="1Gi")
        metadata: Doc = {
            "name": name,
            "namespace": namespace or "default",
            "uid": f"uid-{name}",
            "creationTimestamp": self.ago(age),
            "labels": short.get("labels") or {},
            "annotations": short.get("annotations") or {},
        }
        owner = short.get("owner", "ReplicaSet")
        if owner:
            metadata["ownerReferences"] = [reference(owner, name)]
        limits = {key: value for key, value in requests.items() if "/" in key}
        spec: Doc = {
            "schedulerName": "default-scheduler",
            "priority": short.get("priority", 0),
            "restartPolicy": "Never" if owner.startswith("Job") else "Always",
            "containers": [{"name": "main", "image": "example", "resources": {"requests": requests, "limits": limits}}],
            "tolerations": TOLERATES_GPU if short.get("tolerations") is None else short["tolerations"],
        }
        if short.get("select"):
            spec["nodeSelector"] = strings(short["select"])
        if short.get("gates"):
            spec["schedulingGates"] = [{"name": gate} for gate in short["gates"]]
        if node is not None:
            spec["nodeName"] = node
            status: Doc = {"phase": short.get("phase", "Running")}
        else:
            why = short.get("condition", "SchedulingGated" if short.get("gates") else "Unschedulable")
            tried = {"type": "PodScheduled", "status": "False", "reason": why, "lastTransitionTime": self.ago(age)}
            status = {"phase": short.get("phase", "Pending"), "conditions": [tried]}
            if short.get("nominated"):
                status["nominatedNodeName"] = short["nominated"]
        document = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
        return merged(document, short.get("raw"))
