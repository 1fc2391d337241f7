"""Cells that hold Kubernetes quantities."""

from __future__ import annotations

from autoscaler.model.quantity import QuantityError, amount
from autoscaler.model.resources import CPU, MEMORY
from simulations.importers.table import Row, RowError


def cpu_milli(row: Row, column: str) -> int | None:
    """Thousandths of a core; None for an empty cell."""
    return _amount(row, column, CPU)


def memory_bytes(row: Row, column: str) -> int | None:
    """Bytes; None for an empty cell."""
    return _amount(row, column, MEMORY)


def _amount(row: Row, column: str, resource: str) -> int | None:
    text = row.get(column, "")
    if not text:
        return None
    try:
        found = amount(resource, text)
    except QuantityError as error:
        raise RowError(f"{column}: {error}") from None
    if found < 0:
        raise RowError(f"{column}: {text} is negative; correct the row")
    return found
