"""CP-SAT (OR-Tools, extra `cpsat`): arenas as boxes that must not overlap, slots in the class form. The only importer
of ortools.

It runs in a thread without Python's lock. Nothing it says is believed: its plans are costed anew and checked, and
"there is none" is no certificate. One worker: deterministic for a seed, as long as no deadline strikes.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from smtalloc.arena_tasks import Task as ArenaTask
from smtalloc.bitsets import bits
from smtalloc.bounds import ClassForm
from smtalloc.encode_arena import alike
from smtalloc.packing import Span
from smtalloc.solvers.base import Status

_POLL_S = 0.01
_MOST_BOXES, _MOST_SIDES = 4_000, 100_000
"""Pieces of an arena at once, and pairs of them that are not just boxes in time and space."""
_LARGEST = 1 << 40
"""Of any number, so that what CP-SAT multiplies and adds up stays within 64 bits."""


def available() -> bool:
    """Is ortools installed?"""
    return find_spec("ortools") is not None


# --- arenas ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Packed:
    """`offsets` in units of the task if the status is SAT."""

    status: Status
    offsets: tuple[int, ...] = ()


def takes(task: ArenaTask) -> bool:
    """Can the task be put to it, in numbers and in a time that make sense?"""
    ends = [abs(end) for piece in task.pieces for span in piece.blocked for end in span]
    ends += [abs(end) for spans in task.special.values() for span in spans for end in span]
    tall = sum(task.sizes) + max((piece.alignment + (piece.fixed or 0) for piece in task.pieces), default=0)
    if len(task) > _MOST_BOXES or max(ends, default=0) + tall > _LARGEST:
        return False
    return task.lives is not None or sum(mask.bit_count() for mask in task.neighbours) <= 2 * _MOST_SIDES


def pack(
    task: ArenaTask,
    pool: int,
    *,
    deadline: float,
    cancelled: Callable[[], bool] = lambda: False,
    seed: int = 0,
    effort: float = math.inf,
) -> Packed:
    """Is there a plan in a pool of so many units? UNKNOWN at the deadline (an instant of `time.monotonic`), once
    `cancelled`, or after so much `effort`: some ten seconds each, but the same on every run.

    No plan of a larger pool is taken as a hint: MiniMalloc's K takes 0.1 s without, and more than 60 s with one.
    """
    module = _module()
    model: Any = module.CpModel()
    offsets: list[Any] = []
    for i, piece in enumerate(task.pieces):
        places = _places(task, i, pool)
        if not places:
            return Packed(Status.UNSAT)
        count = model.new_int_var_from_domain(module.Domain.from_intervals(places), "")
        offsets.append(count * piece.alignment)
    if task.lives is not None:
        _boxes(model, task, task.lives, offsets)
    elif not _sides(model, task, offsets, lambda: cancelled() or time.monotonic() > deadline):
        return Packed(Status.UNKNOWN)
    for group in alike(task):
        for i, j in pairwise(group):
            model.add(offsets[i] + task.sizes[i] <= offsets[j])
    answer = _run(module, model, deadline, cancelled, seed, effort)
    if answer is None:
        return Packed(Status.UNKNOWN)
    status, solver = answer
    if status in (module.OPTIMAL, module.FEASIBLE):
        return Packed(Status.SAT, tuple(int(solver.value(offset)) for offset in offsets))
    return Packed(Status.UNSAT if status == module.INFEASIBLE else Status.UNKNOWN)


def _places(task: ArenaTask, i: int, pool: int) -> list[list[int]]:
    """Closed intervals of the offsets that piece i may have, counted in its alignment."""
    piece, found = task.pieces[i], list[list[int]]()
    first, last = (0, pool - piece.size) if piece.fixed is None else (piece.fixed, piece.fixed)
    for lo, hi in (*piece.blocked, (pool - piece.size, pool + 1)):  # open intervals that are disjoint, in order
        low, high = -(-first // piece.alignment), min(last, lo) // piece.alignment
        if low <= high:
            found.append([low, high])
        first = max(first, hi)
    return found


def _boxes(model: Any, task: ArenaTask, lives: Sequence[Span], offsets: Sequence[Any]) -> None:
    """Time one way, bytes the other."""
    there = [i for i, (lower, upper) in enumerate(lives) if lower < upper and task.sizes[i]]
    moment = {t: number for number, t in enumerate(sorted({end for i in there for end in lives[i]}))}
    spans = [(moment[lives[i][0]], moment[lives[i][1]]) for i in there]
    model.add_no_overlap_2d(
        [model.new_fixed_size_interval_var(lower, upper - lower, "") for lower, upper in spans],
        [model.new_fixed_size_interval_var(offsets[i], task.sizes[i], "") for i in there],
    )


def _sides(model: Any, task: ArenaTask, offsets: Sequence[Any], over: Callable[[], bool]) -> bool:
    """For each open interval that a difference of offsets must not be in, a Boolean: on which side of it? False if time
    was over before all is said."""
    for i in range(len(task)):
        if over():
            return False
        for j in bits(task.neighbours[i] >> i + 1 << i + 1):
            for lo, hi in task.spans(i, j):
                above = model.new_bool_var("")
                model.add(offsets[j] - offsets[i] >= hi).only_enforce_if(above)
                model.add(offsets[j] - offsets[i] <= lo).only_enforce_if(~above)
    return True


# --- slots -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assigned:
    """The class (index into `Task.widths`) of each item's slot, and what that costs in bytes; `proven`: CP-SAT calls it
    the cheapest."""

    classes: tuple[int, ...]
    cost: int
    proven: bool


def assign(
    form: ClassForm,
    *,
    deadline: float,
    cancelled: Callable[[], bool] = lambda: False,
    seed: int = 0,
    excluded: Collection[tuple[int, int]] = (),
    at_least: int = 0,
    at_most: int | None = None,
    hint: Sequence[int] = (),
) -> Assigned | Status:
    """The cheapest assignment of slot sizes found by the deadline; UNSAT if CP-SAT says that there is none.

    At a cost of `at_least` bytes search stops, since nothing is cheaper; `at_most` bytes is all that it may cost.
    `excluded` are pairs (item, class) to leave out; `hint` is the class of each item to try first.
    """
    module, task = _module(), form.task
    model: Any = module.CpModel()
    x: list[dict[int, Any]] = []
    for j, own in enumerate(task.class_of):
        x.append({k: model.new_bool_var("") for k in range(own + 1) if (j, k) not in excluded})
    for j, chosen in enumerate(x):
        model.add_exactly_one(chosen.values())
        for k, variable in chosen.items() if hint else ():
            model.add_hint(variable, k == hint[j])
    y = [model.new_int_var(least, len(task), "") for least in form.levels.least]
    for k, clique in form.rows:
        if cancelled() or time.monotonic() > deadline:
            return Status.UNKNOWN
        here = [x[j][k] for j in bits(clique) if k in x[j]]
        model.add(sum(here) <= y[k] - (y[k - 1] if k else 0))
    for lower, upper in pairwise(y):
        model.add(lower <= upper)
    cost = sum(step // task.unit * count for step, count in zip(task.steps, y, strict=True))
    model.add(cost >= -(-at_least // task.unit))
    if at_most is not None:
        model.add(cost <= at_most // task.unit)
    model.minimize(cost)
    answer = _run(module, model, deadline, cancelled, seed)
    if answer is None:
        return Status.UNKNOWN
    status, solver = answer
    if status not in (module.OPTIMAL, module.FEASIBLE):
        return Status.UNSAT if status == module.INFEASIBLE else Status.UNKNOWN
    classes = tuple(next(k for k, variable in chosen.items() if solver.boolean_value(variable)) for chosen in x)
    return Assigned(classes, round(solver.objective_value) * task.unit, status == module.OPTIMAL)


# --- running -----------------------------------------------------------------------------------------------


def _module() -> Any:
    from ortools.sat.python import cp_model  # noqa: PLC0415  optional and heavy, loaded when first used

    return cp_model  # hardly typed: everything behind this line is Any


def _run(
    module: Any, model: Any, deadline: float, cancelled: Callable[[], bool], seed: int, effort: float = math.inf
) -> tuple[Any, Any] | None:
    """(status, solver); None if there is no time left.

    The thread is no daemon, and is always waited for: Python ends one that comes back from C++ while the interpreter
    shuts down, and that ends the process by `abort`.
    """
    left = deadline - time.monotonic()
    if left <= 0 or cancelled():
        return None
    solver: Any = module.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.max_time_in_seconds = left
    solver.parameters.max_deterministic_time = effort
    solver.parameters.catch_sigint_signal = False  # Ctrl-C is for us
    found: list[Any] = []
    worker = threading.Thread(target=lambda: found.append(solver.solve(model)))
    worker.start()
    pause = 0.0005
    try:
        while worker.is_alive() and not cancelled() and time.monotonic() < deadline:
            worker.join(pause)
            pause = min(2 * pause, _POLL_S)
    finally:
        while worker.is_alive():
            solver.stop_search()  # unheard if it has hardly begun
            worker.join(_POLL_S)
    if not found:
        raise RuntimeError("CP-SAT ended without an answer")
    if found[0] == module.MODEL_INVALID:
        raise ValueError(f"CP-SAT refuses the model: {model.validate()}")
    return found[0], solver
