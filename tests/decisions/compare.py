"""What a case expects, against the plan document. Only what `expect` names is compared.

* `scaleUp: {pool: nodes}`, `scaleUpGroups: {group: nodes}`, `layouts: {layout: nodes}`, `usdPerHourAdded`
* `scaleDown: [node]`, `scaleDownCount`, `terminate: [instance]`, `reconfigure: {node: layout}`, `cancelDrain: [node]`
* `outcomes: {outcome: pods}`, `pods`, `nodes`, `pools`: fields of the entries; `reason` is its code, `why` by pool the
  code of the pool's line, `says` words of the entry's text; a list of values means any of them
* `held: [code]`, `cost: {field: dollars}`
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

Doc = Mapping[str, Any]


def differences(expect: Doc, plan: Doc) -> list[str]:
    """One sentence for each difference."""
    added = plan["scaleUp"]
    found = [
        *_counts("scaleUp", expect, _total((x["pool"], x["count"]) for x in added)),
        *_counts("scaleUpGroups", expect, _total((x["group"], x["count"]) for x in added)),
        *_counts("layouts", expect, _total((x["layout"], x["count"]) for x in added)),
        *_names("scaleDown", expect, [x["node"] for x in plan["scaleDown"]]),
        *_names("terminate", expect, [x["instance"] for x in plan["terminate"]]),
        *_names("cancelDrain", expect, [x["node"] for x in plan["cancelDrain"]]),
        *_names("held", expect, [x["code"] for x in plan["held"]]),
        *_numbers(expect, plan),
    ]
    if "reconfigure" in expect:
        got = {x["node"]: x["to"] for x in plan["reconfigure"]}
        found += [] if got == expect["reconfigure"] else [f"reconfigure: {got}"]
    outcomes = Counter(x["outcome"] for x in plan["pods"])
    for outcome, number in (expect.get("outcomes") or {}).items():
        if outcomes[outcome] != number:
            found.append(f"outcomes: expected {number} {outcome}, got {dict(outcomes)}")
    for part, key in (("pods", "pod"), ("nodes", "node"), ("pools", "pool")):
        entries = {x[key]: x for x in plan[part]}
        for name, wanted in (expect.get(part) or {}).items():
            full = name if part != "pods" or "/" in name else f"default/{name}"
            found += _entry(f"{key} {name}", wanted, entries.get(full))
    return found


def _total(items: Any) -> dict[str, int]:
    total: Counter[str] = Counter()
    for name, number in items:
        total[name] += number
    return dict(total)


def _counts(key: str, expect: Doc, got: Mapping[str, int]) -> list[str]:
    if key not in expect:
        return []
    wanted = {name: number for name, number in expect[key].items() if number}
    return [] if got == wanted else [f"{key}: expected {wanted}, got {dict(got)}"]


def _names(key: str, expect: Doc, got: list[str]) -> list[str]:
    if key not in expect or sorted(expect[key]) == sorted(got):
        return []
    return [f"{key}: expected {sorted(expect[key])}, got {sorted(got)}"]


def _numbers(expect: Doc, plan: Doc) -> list[str]:
    found = []
    if expect.get("scaleDownCount", len(plan["scaleDown"])) != len(plan["scaleDown"]):
        found.append(f"scaleDownCount: expected {expect['scaleDownCount']}, got {len(plan['scaleDown'])}")
    usd = sum((x["usdPerHour"] or 0.0) * x["count"] for x in plan["scaleUp"])
    if abs(expect.get("usdPerHourAdded", usd) - usd) > 0.01:
        found.append(f"usdPerHourAdded: expected {expect['usdPerHourAdded']}, got {usd:.3f}")
    for key, wanted in (expect.get("cost") or {}).items():
        if abs(plan["cost"][key] - wanted) > 0.001:
            found.append(f"cost.{key}: expected {wanted}, got {plan['cost'][key]}")
    return found


def _entry(what: str, wanted: Doc, got: Doc | None) -> list[str]:
    if got is None:
        return [f"{what}: not in the plan"]
    found = []
    for key, value in wanted.items():
        if key == "why":
            lines = {line["pool"]: line["reason"]["code"] for line in got["pools"]}
            found += [
                f"{what}: pool {p} says {lines.get(p)}" for p, code in value.items() if not _is(lines.get(p), code)
            ]
        elif key == "says":
            text = json.dumps(got, ensure_ascii=False)
            words = value if isinstance(value, list) else [value]
            found += [f"{what}: its text does not say {word!r}: {text}" for word in words if word not in text]
        else:
            actual = (got.get("reason") or {}).get("code") if key == "reason" else got.get(key)
            if not _is(actual, value):
                found.append(f"{what}: {key} is {actual}, not {value}")
    return found


def _is(actual: object, wanted: object) -> bool:
    return actual in wanted if isinstance(wanted, list) else actual == wanted


def broken_laws(plan: Doc, pending: list[str], nodes: list[str]) -> list[str]:
    """What holds for every plan: one outcome a pending pod, one verdict a node, a sentence for each reason."""
    pods = Counter(x["pod"] for x in plan["pods"])
    verdicts = Counter(x["node"] for x in plan["nodes"])
    found = [f"{name} has {pods[name]} outcomes" for name in pending if pods[name] != 1]
    found += [f"{name} is judged and does not wait" for name in pods if name not in pending]
    found += [f"node {name} has {verdicts[name]} verdicts" for name in nodes if verdicts[name] != 1]
    pools = {x["pool"] for x in plan["pools"]}
    for pod in plan["pods"]:
        if (
            pod["outcome"] in ("Waiting", "Unschedulable")
            and pod["pools"]
            and {x["pool"] for x in pod["pools"]} != pools
        ):
            found.append(f"{pod['pod']} has no line for some pool")
    for entry in (*plan["pods"], *plan["nodes"], *plan["scaleUp"], *plan["scaleDown"], *plan["terminate"]):
        if not entry["reason"]["message"]:
            found.append(f"no sentence: {entry}")
    gone = [x["instance"] for x in (*plan["scaleDown"], *plan["terminate"])]
    found += [f"{instance} goes twice" for instance, times in Counter(gone).items() if times > 1]
    return found
