"""HiGHS behind a small door: imported when first needed, one thread, no time limit, so that answers repeat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase.market import FloatArray

INTEGER = 1
"""HighsVarType.kInteger."""


@cache
def is_available() -> bool:
    """True if HiGHS is installed; every purchase has an answer without it."""
    return find_spec("highspy") is not None


def solver() -> Any:
    """A silent, single-threaded, deterministic HiGHS instance. The import costs 50 ms that most passes save.

    The solver class below `highspy.Highs`, whose own constructor writes a banner to standard output before any option
    can forbid it.
    """
    core = import_module("highspy").Highs.__base__
    highs = core()
    for option, value in (("output_flag", False), ("threads", 1), ("parallel", "off"), ("random_seed", 1)):
        highs.setOptionValue(option, value)
    return highs


class NotSolvedError(Exception):
    """The solver found no optimum: an infeasible program, or one beyond its arithmetic."""


class LinearProgram:
    """Minimize price . x subject to `lower <= A x <= upper`, x >= 0, with columns added as they are found."""

    def __init__(self, lower: FloatArray, upper: FloatArray) -> None:
        self._highs = solver()
        self.columns = 0
        rows = len(lower)
        self._highs.addRows(
            rows, lower, upper, 0, np.zeros(rows, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0)
        )

    def add(self, price: Sequence[float] | FloatArray, columns: FloatArray, most: float = math.inf) -> None:
        """Add `columns` (float64[N, rows]) with their prices; each x at most `most`."""
        count = len(columns)
        entries, rows = np.nonzero(columns)
        self._highs.addCols(
            count,
            np.asarray(price, dtype=np.float64),
            np.zeros(count),
            np.full(count, most),
            len(entries),
            np.searchsorted(entries, np.arange(count)).astype(np.int32),
            rows.astype(np.int32),
            columns[entries, rows],
        )
        self.columns += count

    def solve(self) -> tuple[float, FloatArray, FloatArray]:
        """The objective, x, and the duals of the rows. Raises NotSolvedError."""
        self._highs.run()
        solution = self._highs.getSolution()
        if self._highs.modelStatusToString(self._highs.getModelStatus()) != "Optimal":
            raise NotSolvedError
        value = float(self._highs.getInfo().objective_function_value)
        return value, np.array(solution.col_value), np.array(solution.row_dual)

    def solve_whole(self, nodes: int, gap: float) -> FloatArray | None:
        """A whole-numbered x within `gap` (relative) of the best, or the best of `nodes` branch-and-bound nodes.

        None if none was found.
        """
        highs = self._highs
        every = np.arange(self.columns, dtype=np.int32)
        highs.changeColsIntegrality(self.columns, every, np.full(self.columns, INTEGER, dtype=np.uint8))
        highs.setOptionValue("mip_rel_gap", gap)
        highs.setOptionValue("mip_abs_gap", 0.0)
        highs.setOptionValue("mip_max_nodes", nodes)
        # It costs a third of the time and only speeds up the first answer, which the callers have already.
        highs.setOptionValue("mip_heuristic_run_feasibility_jump", False)
        highs.run()
        solution = highs.getSolution()
        if not solution.value_valid:
            return None
        return np.round(np.array(solution.col_value))
