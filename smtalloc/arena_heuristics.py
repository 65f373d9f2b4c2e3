"""Arena plans fast, in Python: first fit over several orders, and a search over orders.

First fit puts each piece at the lowest offset that its placed neighbours leave free. Orders by size, by area and by
life are what TFLite, XLA and TVM use; disturbing the order and fitting again is Vela's search. The compiled kernel
(solvers/kernel.py) does this faster and more; this is what there is without it, and for groups.

Deterministic for a given seed as long as the deadline does not strike.
"""

from __future__ import annotations

import bisect
import heapq
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence

from smtalloc.arena_tasks import Task
from smtalloc.bitsets import bits

Offsets = tuple[int, ...]

_CHECK_EVERY = 256  # pieces between looks at the clock


def stacked(task: Task) -> Offsets:
    """Every piece above all others, fixed ones where they are: a plan whatever the conflicts."""
    offsets = [0] * len(task)
    held = sorted((p.fixed, p.fixed + p.size) for p in task.pieces if p.fixed is not None)
    top = 0
    for i, piece in enumerate(task.pieces):
        if piece.fixed is not None:
            offsets[i] = piece.fixed
            continue
        at = piece.at_or_above(top)
        for lo, hi in held:
            if lo < at + piece.size and at < hi:
                at = piece.at_or_above(hi)
        offsets[i] = at
        top = max(top, at + piece.size)
    return tuple(offsets)


def shelves(task: Task) -> Offsets | None:
    """A plan in n log n, for lives without pins: whole shelves, each taken again when what stood there is over.

    In order of start, each piece takes the smallest free shelf that holds it, as the greedy slot pass does, or opens
    one on top. None for other tasks.
    """
    if task.lives is None or not task.plain:
        return None
    step = math.lcm(*(piece.alignment for piece in task.pieces))
    offsets, top = [0] * len(task), 0
    free: list[tuple[int, int]] = []  # size and offset of shelves, sorted
    busy: list[tuple[int, int, int]] = []  # end of life, size and offset: a heap
    for i in sorted(range(len(task)), key=lambda i: (task.lives[i][0] if task.lives else 0, -task.sizes[i])):
        lower, upper = task.lives[i]
        while busy and busy[0][0] <= lower:
            _, size, at = heapq.heappop(busy)
            bisect.insort(free, (size, at))
        place = bisect.bisect_left(free, (task.sizes[i], -1))
        if place < len(free):
            size, at = free.pop(place)
        else:
            size, at = task.sizes[i], -(-top // step) * step
            top = at + size
        offsets[i] = at
        heapq.heappush(busy, (upper, size, at))
    return tuple(offsets)


def first_plan(task: Task) -> Offsets:
    """What there is before anything was searched."""
    found = (stacked(task), shelves(task))
    return min((offsets for offsets in found if offsets is not None), key=task.top)


def first_fit(task: Task, order: Sequence[int], deadline: float, limit: int | None = None) -> Offsets | None:
    """Place the pieces in this order (fixed ones first). None if the deadline strikes or the limit is exceeded."""
    offsets: list[int] = [0] * len(task)
    placed = 0
    for i, piece in enumerate(task.pieces):
        if piece.fixed is not None:
            offsets[i] = piece.fixed
            placed |= 1 << i
    for count, i in enumerate(order):
        if count % _CHECK_EVERY == 0 and time.monotonic() > deadline:
            return None
        if task.pieces[i].fixed is not None:
            continue
        offsets[i] = lowest(task, i, offsets, placed)
        if limit is not None and offsets[i] + task.sizes[i] > limit:
            return None
        placed |= 1 << i
    return tuple(offsets)


def lowest(task: Task, i: int, offsets: Sequence[int], placed: int) -> int:
    """The lowest offset of piece i that its placed neighbours (bitset) leave free."""
    piece = task.pieces[i]
    size = piece.size
    if not task.special:
        sizes = task.sizes
        taken = [(offsets[j] - size, offsets[j] + sizes[j]) for j in bits(task.neighbours[i] & placed)]
    else:
        near = list(bits(task.neighbours[i] & placed))
        taken = [(offsets[j] + lo, offsets[j] + hi) for j in near for lo, hi in task.spans(j, i)]
    taken.sort()
    at = piece.at_or_above(0)
    moved = True
    while moved:  # one pass is enough, unless a blocked place pushes the piece past intervals already looked at
        moved = False
        for lo, hi in taken:
            if lo >= at:
                break
            if at < hi:
                at = piece.at_or_above(hi)
                moved = bool(piece.blocked) or piece.alignment > 1
    return at


def orders(task: Task) -> Iterator[list[int]]:
    """By size; by size times width of life; by width; by start, larger first; by what the neighbours weigh."""
    items = range(len(task))
    sizes = task.sizes
    yield sorted(items, key=lambda i: (-sizes[i], i))
    if task.lives is not None:
        lives = task.lives
        width = [upper - lower for lower, upper in lives]
        yield sorted(items, key=lambda i: (-sizes[i] * width[i], -sizes[i]))
        yield sorted(items, key=lambda i: (-width[i], -sizes[i]))
        yield sorted(items, key=lambda i: (lives[i][0], -sizes[i]))
        yield sorted(items, key=lambda i: (-sizes[i], -width[i]))
    else:
        degree = [task.neighbours[i].bit_count() for i in items]
        yield sorted(items, key=lambda i: (-sizes[i] * degree[i], -sizes[i]))
        yield sorted(items, key=lambda i: (-degree[i], -sizes[i]))
        yield sorted(items, key=lambda i: (-sizes[i], -degree[i]))
    pressure = [sum(sizes[j] for j in bits(task.neighbours[i])) for i in items]
    yield sorted(items, key=lambda i: (-pressure[i] - sizes[i], -sizes[i]))


def search(
    task: Task, bound: int, *, seed: int, rounds: int, deadline: float, found: Callable[[Offsets], None]
) -> None:
    """Tell `found` each plan that is better than those before, until one needs no more than `bound` units."""
    best: int | None = None
    kept: list[tuple[int, list[int]]] = []  # the order to go on from, and what it needs
    for order in _candidates(task, rounds, random.Random(seed), kept):
        offsets = first_fit(task, order, deadline, best)
        if offsets is None:
            if time.monotonic() > deadline:
                return
            continue
        top = task.top(offsets)
        if not kept or top <= kept[0][0]:
            kept[:] = [(top, order)]
        if best is None or top < best:
            best = top
            found(offsets)
        if top <= bound:
            return


def _candidates(
    task: Task, rounds: int, chance: random.Random, kept: Sequence[tuple[int, list[int]]]
) -> Iterator[list[int]]:
    yield from orders(task)
    for _ in range(rounds if len(task) > 2 else 0):
        if not kept:
            return
        order = list(kept[0][1])
        for _ in range(chance.randint(1, 3)):
            i, j = chance.randrange(len(order)), chance.randrange(len(order))
            if chance.random() < 0.5:
                order[i], order[j] = order[j], order[i]
            else:
                order.insert(j, order.pop(i))
        yield order
