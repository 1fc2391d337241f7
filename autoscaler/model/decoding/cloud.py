"""CloudState: what a cloud knows of its instance groups, from a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from autoscaler.model.decoding.errors import FieldError, InputError, one_of
from autoscaler.model.decoding.strict import decode_strict, instant
from autoscaler.model.decoding.wire import Count
from autoscaler.model.nodes import ErrorClass, Instance, InstanceGroup, InstanceState, LaunchError, Notice, NoticeKind

KIND = "CloudState"
_GONE = (InstanceState.TERMINATING, InstanceState.TERMINATED, InstanceState.FAILED)


class _Notice(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    kind: str | None = None
    at: str | None = None
    ends: str | None = None


class _Instance(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    id: str | None = None
    state: str | None = None
    launched_at: str | None = None
    zone: str | None = None
    protected_from_scale_in: bool | None = None
    notice: _Notice | None = None


class _Error(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    at: str | None = None
    code: str | None = None
    message: str | None = None


class _Group(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    name: str | None = None
    desired: Count | None = None
    min: Count | None = None
    max: Count | None = None
    instances: list[_Instance] | None = None
    errors: list[_Error] | None = None
    owned: bool | None = None


class _CloudState(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    api_version: str
    kind: str
    metadata: dict[str, Any] | None = None
    groups: list[_Group] | None = None


def decode_cloud(data: bytes, source: str) -> tuple[InstanceGroup, ...]:
    """The groups of a CloudState document (YAML or JSON), sorted by name; instances by id, errors oldest first.

    Left out, `desired` is the number of instances that are there or coming, `state` is Running, `min` 0. `launchedAt`
    is asked for: with a guess, an instance that is booting could pass for one that never came. Raises InputError for
    unknown or duplicate keys, groups and instances that appear twice, negative numbers, and words that are no states
    or codes.
    """
    document = decode_strict(data, source, KIND, _CloudState)
    made: dict[str, InstanceGroup] = {}
    homes: dict[str, str] = {}
    try:
        for i, group in enumerate(document.groups or ()):
            found = _group(group, f"groups[{i}]")
            if found.name in made:
                raise FieldError(f"groups[{i}].name", f'"{found.name}" appears twice; a group is listed once')
            made[found.name] = found
            for instance in found.instances:
                home = homes.setdefault(instance.id, found.name)
                if home != found.name:
                    message = f'the instance "{instance.id}" is in the group "{home}" too; an instance has one group'
                    raise FieldError(f"groups[{i}].instances", message)
    except FieldError as error:
        raise InputError(source, str(error)) from None
    return tuple(made[name] for name in sorted(made))


def _group(found: _Group, path: str) -> InstanceGroup:
    name = _required(found.name, f"{path}.name")
    instances = [_instance(x, f"{path}.instances[{i}]") for i, x in enumerate(found.instances or ())]
    _refuse_twice([x.id for x in instances], f"{path}.instances")
    least = found.min or 0
    most = InstanceGroup(name).max if found.max is None else found.max
    if most < least:
        raise FieldError(f"{path}.max", f"{most} is below min, {least}; a group's max is at least its min")
    there = sum(1 for x in instances if x.state not in _GONE)
    errors = [_error(x, f"{path}.errors[{i}]") for i, x in enumerate(found.errors or ())]
    return InstanceGroup(
        name=name,
        desired=there if found.desired is None else found.desired,
        min=least,
        max=most,
        instances=tuple(sorted(instances, key=lambda x: x.id)),
        errors=tuple(sorted(errors, key=lambda x: (x.at, x.code, x.message))),
        owned=found.owned is not False,
    )


def _instance(found: _Instance, path: str) -> Instance:
    return Instance(
        id=_required(found.id, f"{path}.id"),
        state=InstanceState(_word(found.state or InstanceState.RUNNING, InstanceState, f"{path}.state")),
        launched_at=instant(_required(found.launched_at, f"{path}.launchedAt"), f"{path}.launchedAt") or 0.0,
        zone=found.zone or "",
        protected=bool(found.protected_from_scale_in),
        notice=None if found.notice is None else _notice(found.notice, f"{path}.notice"),
    )


def _notice(found: _Notice, path: str) -> Notice:
    kind = NoticeKind(_word(_required(found.kind, f"{path}.kind"), NoticeKind, f"{path}.kind"))
    at = instant(_required(found.at, f"{path}.at"), f"{path}.at")
    return Notice(kind, at or 0.0, instant(found.ends, f"{path}.ends"))


def _error(found: _Error, path: str) -> LaunchError:
    at = instant(_required(found.at, f"{path}.at"), f"{path}.at")
    code = ErrorClass(_word(_required(found.code, f"{path}.code"), ErrorClass, f"{path}.code"))
    return LaunchError(at or 0.0, code, found.message or "")


def _required(value: str | None, path: str) -> str:
    if not value:
        raise FieldError(path, "is missing")
    return value


def _word(value: str, known: Iterable[str], path: str) -> str:
    words = [str(k) for k in known]
    if value not in words:
        raise FieldError(path, one_of(value, words))
    return value


def _refuse_twice(ids: list[str], path: str) -> None:
    seen: set[str] = set()
    for i, found in enumerate(ids):
        if found in seen:
            raise FieldError(f"{path}[{i}].id", f'"{found}" appears twice; an instance is listed once')
        seen.add(found)
