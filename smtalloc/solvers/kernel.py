"""The packing kernel `smtalloc/_search` (C++), behind a typed wrapper. The only importer of the compiled module.

`import smtalloc` works without it: `AVAILABLE` is False then and every function here raises `RuntimeError`, so a
planner asks first and falls back to Python. Nothing the kernel returns is believed: callers hand placements to
check.py, and a claim of infeasibility is no certificate.

All sizes, offsets, windows and capacities are in bytes; times are any integers, intervals half-open. The kernel
divides by the common divisor itself. Deadlines are instants of `time.monotonic`, in seconds. The GIL is released
while the kernel works; deadline, `cancel` and Ctrl-C are seen within 0.2 s (Ctrl-C raises `KeyboardInterrupt`; the
best placement so far was told to `found` by then). Deterministic for a seed as long as none of these strikes.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import add
from typing import TYPE_CHECKING

from smtalloc.solvers.kernel_model import LARGEST, Gap, Prepared, Problem, prepare

if TYPE_CHECKING:
    from smtalloc import _search
else:
    try:
        from smtalloc import _search
    except ImportError:
        _search = None

AVAILABLE: bool = hasattr(_search, "decide")
"""Whether the compiled module can be used. (In a checkout without it, the directory of sources has its name.)"""

__all__ = ["AVAILABLE", "Fitting", "Gap", "Problem", "Progress", "Result", "Status"]
__all__ += ["decide", "first_fit", "minimise", "slot_fit"]


class Status(StrEnum):
    SOLVED = "solved"
    """The placement fits (`decide`), is optimal (`minimise`), or was built (`first_fit`)."""
    INFEASIBLE = "infeasible"
    """No placement fits at this capacity: the search was exhaustive."""
    LIMIT = "limit"
    """The deadline or the node limit came first. `minimise` still has its best placement."""
    CANCELLED = "cancelled"
    """`cancel` was set. `minimise` still has its best placement."""


@dataclass(frozen=True, slots=True)
class Result:
    """`offsets` is empty if there is no placement; `height` is its highest byte + 1 and `bound` a lower bound that the
    kernel knows (largest sum of sizes live together, pins, exhausted searches). `nodes` counts search nodes."""

    status: Status
    offsets: tuple[int, ...]
    height: int
    bound: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Best placement so far, and the bound that is known by then."""

    offsets: tuple[int, ...]
    height: int
    bound: int


def decide(
    problem: Problem,
    capacity: int,
    *,
    deadline: float = math.inf,
    nodes: int = 0,
    seed: int = 0,
    cancel: threading.Event | None = None,
) -> Result:
    """Does it fit in `capacity` bytes? SOLVED with a placement, INFEASIBLE (exhaustive), LIMIT or CANCELLED.

    `nodes` limits the search (0: no limit). Raises `ValueError` if the problem is malformed (`minimise` and
    `first_fit` too), `RuntimeError` if the kernel is not compiled.
    """
    if capacity < 0:
        raise ValueError("the capacity is negative")

    def ask(prepared: Prepared, model: _search.Model, poll: Callable[[], bool]) -> _search.Answer:
        return _search.decide(model, prepared.units(capacity), nodes, seed, poll)

    return _result(problem, ask, deadline, cancel)


def minimise(
    problem: Problem,
    *,
    lower_bound: int = 0,
    capacity: int | None = None,
    deadline: float = math.inf,
    nodes: int = 0,
    seed: int = 0,
    cancel: threading.Event | None = None,
    found: Callable[[Progress], None] | None = None,
) -> Result:
    """Least height: first-fit portfolio, local repair, then exact search at the bound and below the best.

    SOLVED if optimal: the height equals the bound (the larger of `lower_bound`, which the caller vouches for, and
    what the kernel proves). INFEASIBLE if nothing fits in `capacity`. Otherwise LIMIT or CANCELLED with the best
    placement. `found` is called in this thread with every improvement; what it raises ends the search and is raised
    from here.
    """
    if capacity is not None and capacity < 0:
        raise ValueError("the capacity is negative")

    def ask(prepared: Prepared, model: _search.Model, poll: Callable[[], bool]) -> _search.Answer:
        def tell(placed: list[int], bound: int) -> None:
            if found is not None:
                offsets = prepared.offsets(placed)
                found(Progress(offsets, _height(problem, offsets), bound * prepared.unit))

        bound = -(-max(lower_bound, prepared.floor) // prepared.unit)
        most = prepared.units(LARGEST if capacity is None else capacity)
        return _search.minimise(
            model, min(bound, LARGEST), most, nodes, seed, poll, tell if found is not None else None
        )

    return _result(problem, ask, deadline, cancel)


def first_fit(problem: Problem, *, deadline: float = math.inf) -> Result:
    """The best of a portfolio of first-fit orders, in about n log n: for large problems and for first upper bounds.

    SOLVED if all orders were tried (or one met the load bound), LIMIT with the best placement so far otherwise;
    INFEASIBLE only if the pinned buffers contradict each other.
    """
    return _result(problem, lambda _, model, poll: _search.first_fit(model, poll), deadline, None)


@dataclass(frozen=True, slots=True)
class Fitting:
    """Where a fit search stands: the slot of each item (-1: none), its weight, and the items without a slot, of which
    the last is placed next."""

    where: tuple[int, ...]
    weight: tuple[int, ...]
    homeless: tuple[int, ...]


def slot_fit(
    rooms: Sequence[int],
    clashes: Sequence[Sequence[int]],
    where: Sequence[int],
    weight: Sequence[int],
    slots: int,
    *,
    rounds: int,
    deadline: float = math.inf,
    seed: int = 0,
    cancel: threading.Event | None = None,
) -> Fitting:
    """Do all items fit into so many slots? Guided ejection search (fit.py) from an assignment and positive weights.

    Item j may go to the first `rooms[j]` slots, and to none with an item of `clashes[j]`, a symmetric relation. Ends
    when all items have a slot, when the next has no slot that is large enough, after `rounds` placements, or by
    `deadline` and `cancel`. Raises `ValueError` if malformed.
    """
    n = len(rooms)
    if not n == len(clashes) == len(where) == len(weight):
        raise ValueError("one entry per item")
    if not all(0 <= room <= slots and -1 <= slot < room for room, slot in zip(rooms, where, strict=True)):
        raise ValueError("no such slot")
    if min(weight, default=1) <= 0 or sum(weight) + rounds >= LARGEST:
        raise ValueError("weights are positive, and small enough to add up")
    if not all(0 <= k < n and k != j for j, others in enumerate(clashes) for k in others):
        raise ValueError("no such item")
    _require()
    return Fitting(
        *map(tuple, _search.slot_fit(rooms, clashes, where, weight, slots, rounds, seed, _poll(deadline, cancel)))
    )


def _require() -> None:
    if not AVAILABLE:
        raise RuntimeError("the packing kernel smtalloc._search is not compiled")


def _poll(deadline: float, cancel: threading.Event | None) -> Callable[[], bool]:
    """Called by the kernel now and then; Python sees Ctrl-C when it is."""
    return lambda: time.monotonic() >= deadline or (cancel is not None and cancel.is_set())


def _height(problem: Problem, offsets: Sequence[int]) -> int:
    return max(map(add, offsets, problem.sizes), default=0)


def _result(
    problem: Problem,
    ask: Callable[[Prepared, _search.Model, Callable[[], bool]], _search.Answer],
    deadline: float,
    cancel: threading.Event | None,
) -> Result:
    """Put the problem to the kernel, and its answer back into bytes."""
    _require()
    prepared = prepare(problem)
    if prepared is None:
        return Result(Status.INFEASIBLE, (), 0, LARGEST, 0)
    pieces = prepared.pieces
    columns = (pieces.owner, pieces.lower, pieces.upper, pieces.windows)
    model = _search.Model(prepared.sizes, prepared.alignments, prepared.blocked, *columns)
    answer, placed, bound, nodes = ask(prepared, model, _poll(deadline, cancel))
    status = (Status.SOLVED, Status.INFEASIBLE, Status.LIMIT)[answer]
    if status is Status.LIMIT and cancel is not None and cancel.is_set():
        status = Status.CANCELLED
    there = status is Status.SOLVED or len(placed) > 0
    offsets = prepared.offsets(placed) if there else ()
    return Result(status, offsets, _height(problem, offsets), max(bound * prepared.unit, prepared.floor), nodes)
