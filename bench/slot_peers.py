"""What others make of the same problem: the class form (encodings/README.md) as HiGHS and CP-SAT are commonly given it.

    x_jk in {0, 1}   buffer j lives in a slot of size w_k          sum_k x_jk = 1
    y_k >= h_k       slots of size w_k or more                     y_k >= y_(k-1)
    for each clique K of buffers of size at most w_k               sum_(j in K) x_jk <= y_k - y_(k-1)
    minimise         sum_k (w_k - w_(k+1)) y_k, in units of the common divisor of all sizes

Both get what our own presolve finds cheaply: the split into parts, the maximal cliques, the clique bound `h_k`.
Building the model counts, as it does for us. One thread each. In orders that are not interval orders some cliques are
missing, and what a peer answers is only a lower bound (`Outcome.relaxed`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from smtalloc.bitsets import bits
from smtalloc.bounds import ClassForm, class_form, clique_levels
from smtalloc.order import Conflicts
from smtalloc.solvers import cpsat
from smtalloc.solvers.base import Status
from smtalloc.task import tasks


@dataclass(frozen=True, slots=True)
class Outcome:
    """`cost` in bytes, plus slots of run-time size; None if nothing was found. `proven`: the solver says optimal."""

    cost: int | None
    proven: bool
    cpu_s: float
    relaxed: bool


def solve(problem: Conflicts, peer: str, limit_s: float) -> Outcome:
    """All parts of a problem, by one peer, with `limit_s` seconds of wall time altogether."""
    start, deadline = time.process_time(), time.monotonic() + limit_s
    cost, proven, relaxed = 0, True, False
    for task in tasks(problem):
        levels = clique_levels(task)
        if len(task.widths) == 1:  # Dilworth: no search is needed
            cost += levels.bound(task)
            continue
        relaxed |= task.timeline is None
        left = deadline - time.monotonic()
        found = PEERS[peer](class_form(task, levels), left) if left > 0 else (None, False)
        if found[0] is None:
            return Outcome(None, False, time.process_time() - start, relaxed)
        cost, proven = cost + found[0] * task.unit, proven and found[1]
    return Outcome(cost, proven, time.process_time() - start, relaxed)


def highs(form: ClassForm, limit_s: float) -> tuple[int | None, bool]:
    """Cost in units, and whether HiGHS calls it optimal."""
    import highspy
    import numpy as np

    module: Any = highspy
    task = form.task
    first, columns = _columns(form)
    starts, index, value = [0], list[int](), list[float]()
    lower, upper = list[float](), list[float]()

    def row(entries: list[tuple[int, float]], at_least: float, at_most: float) -> None:
        index.extend(column for column, _ in entries)
        value.extend(factor for _, factor in entries)
        starts.append(len(index))
        lower.append(at_least)
        upper.append(at_most)

    def exactly(k: int) -> list[tuple[int, float]]:
        return [(columns + k, -1.0)] + ([(columns + k - 1, 1.0)] if k else [])

    for k, clique in form.rows:
        row([(first[j] + k, 1.0) for j in bits(clique)] + exactly(k), -module.kHighsInf, 0.0)
    for k in range(len(task.widths)):
        row(exactly(k), -module.kHighsInf, 0.0)
    for begin, own in zip(first, task.class_of, strict=True):
        row([(begin + k, 1.0) for k in range(own + 1)], 1.0, 1.0)
    lp: Any = module.HighsLp()
    lp.num_col_, lp.num_row_ = columns + len(task.widths), len(lower)
    lp.col_cost_ = np.array([0.0] * columns + [step / task.unit for step in task.steps])
    lp.col_lower_ = np.array([0.0] * columns + [float(least) for least in form.levels.least])
    lp.col_upper_ = np.array([1.0] * columns + [float(len(task))] * len(task.widths))
    lp.row_lower_, lp.row_upper_ = np.array(lower), np.array(upper)
    lp.a_matrix_.format_ = module.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = np.array(starts, np.int32), np.array(index, np.int32)
    lp.a_matrix_.value_ = np.array(value)
    lp.integrality_ = [module.HighsVarType.kInteger] * (columns + len(task.widths))
    solver: Any = module.Highs()
    for option, setting in (("output_flag", False), ("threads", 1), ("time_limit", limit_s), ("mip_rel_gap", 0.0)):
        solver.setOptionValue(option, setting)
    solver.passModel(lp)
    solver.run()
    if solver.getInfo().primal_solution_status != 2:
        return None, False
    optimal = solver.modelStatusToString(solver.getModelStatus()) == "Optimal"
    return round(solver.getInfo().objective_function_value), optimal


def cp_sat(form: ClassForm, limit_s: float) -> tuple[int | None, bool]:
    """Cost in units, and whether CP-SAT calls it optimal."""
    found = cpsat.assign(form, deadline=time.monotonic() + limit_s)
    return (None, False) if isinstance(found, Status) else (found.cost // form.task.unit, found.proven)


def _columns(form: ClassForm) -> tuple[list[int], int]:
    first: list[int] = []
    count = 0
    for own in form.task.class_of:
        first.append(count)
        count += own + 1
    return first, count


PEERS: Mapping[str, Callable[[ClassForm, float], tuple[int | None, bool]]] = {"HiGHS": highs, "CP-SAT": cp_sat}


def installed(peer: str) -> str:
    """Version of a peer; empty if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version({"HiGHS": "highspy", "CP-SAT": "ortools"}[peer])
    except PackageNotFoundError:
        return ""
