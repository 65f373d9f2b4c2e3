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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smtalloc import _search
else:
    try:
        from smtalloc import _search
    except ImportError:
        _search = None

AVAILABLE: bool = hasattr(_search, "decide")
"""Whether the compiled module can be used. (In a checkout without it, the directory of sources has its name.)"""

_LARGEST = 1 << 60  # of any number handed to the kernel, so that sums fit in 64 bits


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
class Gap:
    """During `[lower, upper)` of its life a buffer is not live at all, or occupies `window` of its bytes only.

    The column `gaps` of MiniMalloc's CSV: `lower-upper` or `lower-upper@first:last`. A window is half-open and counts
    from the buffer's offset.
    """

    lower: int
    upper: int
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Buffers to be placed in one arena; buffer j is the j-th entry of `sizes`.

    Who conflicts with whom is given by `lives` (half-open `[lower, upper)`, an empty life conflicts with nothing) or
    by `conflicts` (for each buffer the others it may not share bytes with, as any partial order gives it), not both.
    """

    sizes: Sequence[int]
    lives: Sequence[tuple[int, int]] = ()
    conflicts: Sequence[Sequence[int]] | None = None
    alignments: Sequence[int] = ()
    """One per buffer, or empty: none."""
    pinned: Mapping[int, int] = field(default_factory=dict[int, int])
    """Offset of each buffer that may not be moved."""
    forbidden: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict[int, "Sequence[tuple[int, int]]"])
    """Half-open byte ranges of the arena that a buffer may not touch at any time."""
    gaps: Mapping[int, Sequence[Gap]] = field(default_factory=dict[int, "Sequence[Gap]"])
    """Disjoint gaps of a buffer, with `lives` only."""

    def __len__(self) -> int:
        return len(self.sizes)


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
    return _result(_search.decide(_instance(problem), min(capacity, _LARGEST), _seconds(deadline), nodes, seed, cancel))


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

    def tell(offsets: tuple[int, ...], height: int, bound: int) -> None:
        if found is not None:
            found(Progress(offsets, height, bound))

    most = -1 if capacity is None else min(capacity, _LARGEST)
    least = min(max(lower_bound, 0), _LARGEST)
    told = None if found is None else tell
    return _result(
        _search.minimise(_instance(problem), least, most, _seconds(deadline), nodes, seed, cancel, told),
    )


def first_fit(problem: Problem, *, deadline: float = math.inf) -> Result:
    """The best of a portfolio of first-fit orders, in about n log n: for large problems and for first upper bounds.

    SOLVED if all orders were tried (or one met the load bound), LIMIT with the best placement so far otherwise;
    INFEASIBLE only if the pinned buffers contradict each other.
    """
    return _result(_search.first_fit(_instance(problem), _seconds(deadline)))


def slot_search(
    sizes: Sequence[int],
    related: Sequence[int],
    *,
    bound: int = 0,
    orders: Sequence[Sequence[int]] = (),
    rounds: int = 1000,
    deadline: float = math.inf,
    seed: int = 0,
    cancel: threading.Event | None = None,
    found: Callable[[tuple[int, ...], int], None] | None = None,
) -> tuple[tuple[int, ...], int]:
    """Slots: the slot of each item and the cost (sum over slots of the largest size in it), by best fit over orders
    and `rounds` rounds of local search on the best order. Stops at `bound`; what it has by the deadline is returned,
    which is nothing and a cost of 2**60 or more if not even one order was finished.

    `related[j]` is a bitset (Python integer) of the items that may share a slot with item j: symmetric, as
    `Task.related` gives it. `orders` are further start orders; the kernel adds its own (size, ties by partners).
    `found` is called in this thread with every improvement: slots and cost. Raises `ValueError` if malformed.
    """
    _require()
    width = (len(sizes) + 63) // 64 * 8
    if any(mask < 0 or mask.bit_length() > len(sizes) for mask in related):
        raise ValueError("a bitset names an item that is not there")
    packed = [mask.to_bytes(width, "little") for mask in related]
    if sum(sizes) >= _LARGEST or min(sizes, default=0) < 0:
        raise ValueError("sizes must not be negative, nor sum to 2**60")
    return _search.slot_search(sizes, packed, bound, orders, rounds, _seconds(deadline), seed, cancel, found)


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
    _require()
    return Fitting(*_search.slot_fit(rooms, clashes, where, weight, slots, rounds, _seconds(deadline), seed, cancel))


def _require() -> None:
    if not AVAILABLE:
        raise RuntimeError("the packing kernel smtalloc._search is not compiled")


def _seconds(deadline: float) -> float:
    return deadline - time.monotonic()


def _result(answer: tuple[str, tuple[int, ...], int, int, int]) -> Result:
    status, offsets, height, bound, nodes = answer
    return Result(Status(status), offsets, height, bound, nodes)


def _instance(problem: Problem) -> _search.Instance:
    """Hand the problem over. What is wrong with it is a `ValueError`."""
    _require()
    if problem.conflicts is not None and (problem.lives or problem.gaps):
        raise ValueError("conflicts stand instead of lives and gaps")
    conflicts = None
    if problem.conflicts is not None:
        if len(problem.conflicts) != len(problem):
            raise ValueError("one list of conflicts per buffer")
        conflicts = [(j, k) for j, others in enumerate(problem.conflicts) for k in others]
    gaps = list[tuple[int, int, int, int, int]]()
    for j, several in problem.gaps.items():
        for gap in several:
            first, last = gap.window or (0, 0)
            gaps.append((j, gap.lower, gap.upper, first, last))
    forbidden = [(j, low, high) for j, ranges in problem.forbidden.items() for low, high in ranges]
    lives = None if conflicts is not None else problem.lives
    try:
        return _search.instance(
            problem.sizes, lives, gaps, conflicts, problem.alignments, list(problem.pinned.items()), forbidden
        )
    except TypeError as error:
        raise ValueError("a number of the problem does not fit in 64 bits") from error
