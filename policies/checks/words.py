"""Names as Kubernetes writes them: label keys and values, resource names."""

from __future__ import annotations

import re

from autoscaler.model.quantity import QuantityError, value

_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
DOMAIN_MAX = 253
NATIVE = ("cpu", "memory", "ephemeral-storage", "pods")
HUGEPAGES, VOLUMES = "hugepages-", "attachable-volumes-"


def is_key(key: str) -> bool:
    """True for a label key or taint key: `name` or `domain/name` (apimachinery, IsQualifiedName)."""
    domain, slash, name = key.rpartition("/")
    if slash and not (len(domain) <= DOMAIN_MAX and _DOMAIN.fullmatch(domain)):
        return False
    return _NAME.fullmatch(name) is not None


def is_value(text: str) -> bool:
    """True for a label value (apimachinery, IsValidLabelValue)."""
    return not text or _NAME.fullmatch(text) is not None


def is_extended_resource(name: str) -> bool:
    """True for a resource of a device plugin: `domain/name`."""
    return "/" in name and is_key(name)


def page_size(name: str) -> int | None:
    """Bytes of a page of `hugepages-2Mi`; None for any other resource, or a size that is none."""
    if not name.startswith(HUGEPAGES):
        return None
    try:
        size = value(name.removeprefix(HUGEPAGES))
    except QuantityError:
        return None
    return size if size > 0 else None


def is_resource(name: str) -> bool:
    """True for a resource that a node can offer."""
    if name in NATIVE or is_extended_resource(name):
        return True
    return page_size(name) is not None or (name.startswith(VOLUMES) and is_key(name))
