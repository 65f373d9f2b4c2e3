"""The class form as a linear program and as an integer program, by HiGHS. The only importer of highspy.

    variables    x_jk in [0, 1]   item j lives in a slot of size w_k, for every k with w_k >= size of j
                 y_k >= h_k       number of slots of size w_k or more (h_k: largest clique, `Levels.least`)
    minimise     sum_k (w_k - w_(k+1)) * y_k
    subject to   sum_k x_jk = 1                              for each item j
                 sum_(j in K) x_jk <= y_k - y_(k-1)          for each row (k, K)
                 0 <= y_k - y_(k-1)

HiGHS computes in floating point. Nothing it says is believed: its duals become fractions that are checked exactly
(bounds.exact_dual), its plans are rebuilt as chains and costed anew (allocate.py).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from smtalloc.bounds import ClassForm, bits

_POLL_S = 0.05


@dataclass(frozen=True)
class Relaxation:
    """Optimum of the linear program, and one dual per row of the form, both in bytes."""

    value: float
    duals: tuple[float, ...]


@dataclass(frozen=True)
class Assignment:
    """For each item the class (index into `Task.widths`) of the slot it lives in; `proven`: HiGHS calls it optimal."""

    classes: tuple[int, ...]
    proven: bool


@dataclass(frozen=True)
class _Columns:
    """Where each variable stands: x_jk at `first[j] + k`, y_k at `slots + k`."""

    first: tuple[int, ...]
    slots: int
    count: int


def relax(form: ClassForm, *, deadline: float) -> Relaxation | None:
    """Solve the linear program; None if the deadline (`time.monotonic`, in s) comes first."""
    highs: Any = _model(form, integer=False)
    if not _run(highs, deadline) or not _is_optimal(highs):
        return None
    unit = float(form.task.unit)
    duals = highs.getSolution().row_dual
    return Relaxation(
        highs.getInfo().objective_function_value * unit,
        tuple(abs(float(duals[r])) * unit for r in range(len(form.rows))),
    )


def minimise(form: ClassForm, *, deadline: float, seed: int = 0, enough: int | None = None) -> Assignment | None:
    """Solve the integer program; the best assignment by the deadline, None if there is none.

    `enough` is a bound in bytes at which search may stop.
    """
    highs: Any = _model(form, integer=True)
    highs.setOptionValue("random_seed", seed)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 0.999)
    if enough is not None:
        highs.setOptionValue("objective_target", enough / form.task.unit + 1e-6)
    if not _run(highs, deadline) or highs.getInfo().primal_solution_status != 2:  # kSolutionStatusFeasible
        return None
    columns, value = _columns(form), highs.getSolution().col_value
    classes = tuple(
        max(range(own + 1), key=lambda k: float(value[start + k]))
        for start, own in zip(columns.first, form.task.class_of, strict=True)
    )
    return Assignment(classes, _is_optimal(highs))


def _columns(form: ClassForm) -> _Columns:
    first: list[int] = []
    count = 0
    for own in form.task.class_of:
        first.append(count)
        count += own + 1
    return _Columns(tuple(first), count, count + len(form.task.widths))


def _model(form: ClassForm, *, integer: bool) -> Any:
    """Rows of the form come first, so that their duals stand at the same index. Costs are in units."""
    module = _module()
    task, columns = form.task, _columns(form)
    starts, index, value = [0], list[int](), list[float]()
    lower, upper = list[float](), list[float]()

    def row(entries: Sequence[tuple[int, float]], at_least: float, at_most: float) -> None:
        index.extend(column for column, _ in entries)
        value.extend(factor for _, factor in entries)
        starts.append(len(index))
        lower.append(at_least)
        upper.append(at_most)

    def exactly(k: int) -> list[tuple[int, float]]:
        """-(y_k - y_(k-1))"""
        return [(columns.slots + k, -1.0)] + ([(columns.slots + k - 1, 1.0)] if k else [])

    for k, clique in form.rows:
        row([(columns.first[j] + k, 1.0) for j in bits(clique)] + exactly(k), -module.kHighsInf, 0.0)
    for k in range(len(task.widths)):
        row(exactly(k), -module.kHighsInf, 0.0)
    for start, own in zip(columns.first, task.class_of, strict=True):
        row([(start + k, 1.0) for k in range(own + 1)], 1.0, 1.0)

    model: Any = module.HighsLp()
    model.num_col_, model.num_row_ = columns.count, len(lower)
    model.col_cost_ = [0.0] * columns.slots + [step / task.unit for step in task.steps]
    model.col_lower_ = [0.0] * columns.slots + [float(least) for least in form.levels.least]
    model.col_upper_ = [1.0] * columns.slots + [float(len(task))] * len(task.widths)
    model.row_lower_, model.row_upper_ = lower, upper
    model.a_matrix_.format_ = module.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = starts, index, value
    if integer:
        model.integrality_ = [module.HighsVarType.kInteger] * columns.count
    highs = _quiet(module)
    highs.setOptionValue("threads", 1)
    highs.passModel(model)
    return highs


def _module() -> Any:
    import highspy  # noqa: PLC0415  a heavy module, loaded when first used

    return highspy  # partly typed only: everything behind this line is Any


def _quiet(module: Any) -> Any:
    """A solver that prints nothing. The constructor of highspy 1.16 enables callbacks, and that writes a banner to
    standard output unless the switch is off by then."""

    class Quiet(module.Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:  # noqa: N802
            self.setOptionValue("output_flag", False)
            module.Highs.enableCallbacks(self)

    return Quiet()


def _run(highs: Any, deadline: float) -> bool:
    """Run in a thread of its own, so that Ctrl-C reaches the main thread at once; false if there is no time left."""
    left = deadline - time.monotonic()
    if left <= 0:
        return False
    highs.setOptionValue("time_limit", left)
    highs.HandleUserInterrupt = True
    worker = threading.Thread(target=highs.run, daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(_POLL_S)
    except KeyboardInterrupt:
        highs.cancelSolve()
        worker.join()
        raise
    return True


def _is_optimal(highs: Any) -> bool:
    return highs.modelStatusToString(highs.getModelStatus()) == "Optimal"
