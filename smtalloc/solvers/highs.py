"""Chains that cover a task, as a linear program and as an integer program, by HiGHS. The only importer of highspy.

    variables    n_k >= 0         number of slots of size w_k
                 f_ka >= 0        flow along arc a of the network of class k (networks.py): a unit is a slot's chain
    minimise     sum_k w_k n_k
    subject to   n_k flows into the source of network k, and what flows into a node flows out of it
                 sum of f_ka over the arcs of item j and all k  >= copies of j        for each item j

In mathematics this is the class form (encodings/README.md): the arcs of item j in network k sum to `x_jk`. The networks
make it sparse, for every order, and its duals are a price per item (duals.py).

HiGHS computes in floating point. Nothing it says is believed: its prices become fractions that are checked exactly,
its plans are rebuilt as chains and costed anew (allocate.py).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from smtalloc.networks import IDLE, Classes

_POLL_S = 0.01
_GRACE_S = 0.05
_SMALL = 2_000
"""Rows up to which the simplex method is faster than the interior-point method."""
_KEY = 1e-6


@dataclass(frozen=True)
class Relaxation:
    """An optimum of the linear program: a price per item in bytes, and how many slots there are of each class."""

    prices: tuple[float, ...]
    slots: dict[int, float]


@dataclass(frozen=True)
class Assignment:
    """For each copy of each item the class (index into `Task.widths`) of its slot; `proven`: HiGHS calls it optimal."""

    classes: tuple[tuple[int, ...], ...]
    proven: bool


@dataclass
class _Model:
    """The program, by columns; sizes and costs in units. The rows of the items come first, so that their duals stand
    at the same index."""

    classes: Classes
    copies: Sequence[int]
    rows: int
    costs: list[float] = field(default_factory=list[float])
    starts: list[int] = field(default_factory=lambda: [0])
    index: list[int] = field(default_factory=list[int])
    value: list[float] = field(default_factory=list[float])
    slots: dict[int, int] = field(default_factory=dict[int, int])
    """Class -> column of its number of slots."""
    places: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """Column, item, class."""

    def column(self, cost: float, *entries: tuple[int, float]) -> int:
        self.costs.append(cost)
        for row, factor in entries:
            self.index.append(row)
            self.value.append(factor)
        self.starts.append(len(self.index))
        return len(self.costs) - 1

    def add_class(self, k: int, excluded: Collection[tuple[int, int]]) -> None:
        task = self.classes.task
        chains = self.classes.of(k)
        base, sink = self.rows, chains.nodes - 1
        self.rows += sink  # what reaches the sink need not be conserved
        self.slots[k] = self.column(task.widths[k] / task.unit, (base, 1.0))
        for arc in chains.arcs:
            if (arc.item, k) in excluded:
                continue
            ends = [(base + arc.tail, -1.0)]
            if arc.head < sink:
                ends.append((base + arc.head, 1.0))
            if arc.item != IDLE:
                ends.append((arc.item, 1.0))
                self.places.append((len(self.costs), arc.item, k))
            self.column(0.0, *ends)


def relax(classes: Classes, copies: Sequence[int], chosen: Sequence[int], *, deadline: float) -> Relaxation | None:
    """Solve the linear program with slots of the chosen classes only (the largest must be among them), each item as
    often as `copies` says.

    None if the deadline (`time.monotonic`, in s) comes first.
    """
    model = _model(classes, copies, chosen, (), lambda: time.monotonic() > deadline)
    if model is None:
        return None
    highs: Any = _load(model)
    highs.setOptionValue("solver", "simplex" if model.rows <= _SMALL else "ipm")
    if not _run(highs, deadline) or not _is_optimal(highs):
        return None
    unit, solution = float(classes.task.unit), highs.getSolution()
    prices, values = list(solution.row_dual[: len(classes.task)]), list(solution.col_value)
    return Relaxation(
        tuple(float(price) * unit for price in prices),
        {k: float(values[column]) for k, column in model.slots.items() if values[column] > _KEY},
    )


def minimise(
    classes: Classes,
    copies: Sequence[int],
    chosen: Sequence[int],
    *,
    deadline: float,
    excluded: Collection[tuple[int, int]] = (),
    seed: int = 0,
    enough: int | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Assignment | None:
    """Solve the integer program; the best assignment by the deadline, None if there is none.

    `excluded` are pairs (item, class) to leave out, `enough` is a bound in bytes at which search may stop, `cancelled`
    is asked now and then whether the answer is still wanted.
    """
    model = _model(classes, copies, chosen, excluded, lambda: cancelled() or time.monotonic() > deadline)
    if model is None:
        return None
    highs: Any = _load(model, integer=True)
    highs.setOptionValue("random_seed", seed)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 0.999)
    if enough is not None:
        highs.setOptionValue("objective_target", enough / classes.task.unit + _KEY)
    if not _run(highs, deadline, cancelled) or highs.getInfo().primal_solution_status != 2:  # kSolutionStatusFeasible
        return None
    values = highs.getSolution().col_value
    placed: list[list[int]] = [[] for _ in copies]
    for column, item, k in sorted(model.places, key=lambda place: -place[2]):  # the smallest slots first
        placed[item] += [k] * round(values[column])
    if any(len(found) < count for found, count in zip(placed, copies, strict=True)):
        return None  # beyond the tolerances of floating point
    classes_of = tuple(tuple(found[:count]) for found, count in zip(placed, copies, strict=True))
    return Assignment(classes_of, _is_optimal(highs))


def _model(
    classes: Classes,
    copies: Sequence[int],
    chosen: Sequence[int],
    excluded: Collection[tuple[int, int]],
    over: Callable[[], bool],
) -> _Model | None:
    """None if time is over before it is written."""
    model = _Model(classes, copies, rows=len(classes.task))
    for k in chosen:
        if over():
            return None
        model.add_class(k, excluded)
    return model


def _load(model: _Model, *, integer: bool = False) -> Any:
    import numpy as np  # noqa: PLC0415  comes with highspy, loaded when first used

    module = _module()
    items, columns = len(model.classes.task), len(model.costs)
    lp: Any = module.HighsLp()
    lp.num_col_, lp.num_row_ = columns, model.rows
    lp.col_cost_ = np.array(model.costs)
    lp.col_lower_ = np.zeros(columns)
    lp.col_upper_ = np.full(columns, float(sum(model.copies)))
    lp.row_lower_ = np.concatenate([np.array(model.copies, dtype=float), np.zeros(model.rows - items)])
    lp.row_upper_ = np.concatenate([np.full(items, module.kHighsInf), np.zeros(model.rows - items)])
    lp.a_matrix_.format_ = module.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.array(model.starts, dtype=np.int32)
    lp.a_matrix_.index_ = np.array(model.index, dtype=np.int32)
    lp.a_matrix_.value_ = np.array(model.value)
    if integer:
        kinds = [module.HighsVarType.kContinuous] * columns
        for column in (*model.slots.values(), *(column for column, _, _ in model.places)):
            kinds[column] = module.HighsVarType.kInteger
        lp.integrality_ = kinds
    highs = _quiet(module)
    highs.setOptionValue("threads", 1)
    highs.passModel(lp)
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


def _run(highs: Any, deadline: float, cancelled: Callable[[], bool] = lambda: False) -> bool:
    """Run in a thread of its own, so that Ctrl-C reaches the main thread at once; false if there is no time left, or if
    HiGHS does not stop: its thread is left behind then, and `highs` must not be touched.

    HiGHS looks at its own time limit and at `cancelSolve` only between phases, so the deadline is kept here as well.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        return False
    highs.setOptionValue("time_limit", left)
    highs.HandleUserInterrupt = True
    worker = threading.Thread(target=highs.run, daemon=True)
    worker.start()
    pause = 0.0005
    try:
        while worker.is_alive():
            worker.join(pause)
            pause = min(2 * pause, _POLL_S)
            if time.monotonic() > deadline or cancelled():
                highs.cancelSolve()
                worker.join(_GRACE_S)
                break
    except BaseException:
        highs.cancelSolve()
        worker.join(_GRACE_S)
        raise
    return not worker.is_alive()


def _is_optimal(highs: Any) -> bool:
    return highs.modelStatusToString(highs.getModelStatus()) == "Optimal"
