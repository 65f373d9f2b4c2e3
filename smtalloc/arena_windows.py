"""Plans of long arenas, a window of time after the other, by the packing search: what came before stays where it is.

    pieces in order of birth    |  placed, fixed  |  placed, again free  |  next  |  ...
                                                  |<-- the search places these -->|

Where a window does not fit, more of what came before it is free again. Where that does not help either, CP-SAT is asked
(if it is there, and the first quick plan is found). Then the sweep goes back some way and comes again in other windows,
with another seed, each time from further back; after some returns without progress the height is given up. A window
takes the kernel a millisecond, so thousands of blocks take a second. Where every moment is full, first fit ends at 1.4
times the bound, this at 1.06 to 1.13 (bench/results/windows.txt).
"""

from __future__ import annotations

import math
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

from smtalloc.arena_tasks import Task
from smtalloc.solvers import cpsat, kernel
from smtalloc.solvers.base import Status

_NEXT = (10, 20)
"""Pieces that a window adds: from, to."""
_AGAIN, _WIDER = 10, (1, 2, 4)
"""Pieces before it that are free again, and how many times as many where that does not do."""
_NODES = 500
"""Of the search for one window, where the effort is 1."""
_CPSAT_FROM, _CPSAT_EFFORT, _CPSAT_WIDER = 2, 0.0075, 6
"""Effort from which on CP-SAT is asked, its own (`cpsat.pack`) for each of ours, and the width of its windows."""
_RETURNS = 10
"""Of the sweep, in a row without progress."""
_BACK, _FURTHEST_BACK = 60, 2_000
"""Pieces that the first return takes back, and that one takes back at most; doubled from one to the next."""
_MOST_EFFORT = 64
_REFUTED, _PLACES = (100, 200, 400), 6
"""Pieces of windows that are to be refuted, and how many of each length."""
_LEAST = 180
"""Pieces from which on it is worth it."""
_MOST_LIVE = 40
"""At a time, on average: beyond this a window is all borders."""
_WORTH = 1.01
"""Height over bound from which on it is worth it: below, what lives long decides, and windows do not see it."""
_GRAIN = 256
"""Heights tried are no closer than the bound over this."""


def worth(task: Task) -> bool:
    """Is there a kernel, and is the task long, with lives that are intervals and short, and nothing pinned?"""
    if not kernel.AVAILABLE or task.lives is None or not task.plain or len(task) < _LEAST:
        return False
    births, deaths = sorted(lower for lower, _ in task.lives), sorted(upper for _, upper in task.lives)
    live = sum(count - bisect_right(deaths, birth) for count, birth in enumerate(births, 1))
    return live <= _MOST_LIVE * len(task)


def search(
    task: Task,
    target: Callable[[], int],
    *,
    best: Callable[[], int],
    found: Callable[[tuple[int, ...]], None],
    seed: int = 0,
    deadline: float = math.inf,
    cancel: threading.Event | None = None,
    asks_cpsat: bool = False,
) -> None:
    """Up from the target in steps that double until a plan is found; then down by a quarter of what is left, and again
    with twice the effort, until there is a plan at the target. `best` is the height known so far, `found` is given
    plans that are lower (offsets in units of the task); the target may rise."""
    if best() <= _WORTH * target():
        return
    sweep = Sweep(task, deadline, cancel, asks_cpsat=asks_cpsat)
    grain = step = max(1, target() // _GRAIN)
    while target() + step < best() and not sweep.over:
        offsets = sweep.pack(target() + step, seed, 1)
        if offsets is not None:
            found(offsets)
            break
        step *= 2
    effort = 1
    while best() > target() and effort <= _MOST_EFFORT:
        failed = target() - 1
        while best() - failed > grain and best() - failed > 1:
            at = best() - max(grain, (best() - failed) // 4)
            offsets = sweep.pack(at, seed, effort)
            if sweep.over:
                return
            if offsets is None:
                failed = max(at, target() - 1)
            else:
                found(offsets)
        effort *= 2


def short_windows(task: Task, seed: int) -> Iterator[list[int]]:
    """Pieces of windows of time here and there, to be refuted: the shortest first."""
    lives, chance = task.lives, Random(seed)
    assert lives is not None
    order = sorted(range(len(task)), key=lambda i: lives[i])
    for length in _REFUTED:
        for _ in range(_PLACES):
            first = chance.randrange(max(1, len(order) - length + 1))
            yield order[first : first + length]


class Sweep:
    """A task, and how far it is placed."""

    def __init__(
        self,
        task: Task,
        deadline: float = math.inf,
        cancel: threading.Event | None = None,
        *,
        asks_cpsat: bool = False,
    ) -> None:
        assert task.lives is not None
        self._asks_cpsat = asks_cpsat
        self._task, self._lives, self._deadline, self._cancel = task, task.lives, deadline, cancel
        self._order = sorted(range(len(task)), key=lambda i: (task.lives or ())[i])
        self._aligned = any(piece.alignment > 1 for piece in task.pieces)
        self._offsets = [0] * len(task)
        self._live: list[int] = []
        """Placed, and not over when the earliest window begins that may come."""

    @property
    def over(self) -> bool:
        return time.monotonic() >= self._deadline or (self._cancel is not None and self._cancel.is_set())

    def pack(self, pool: int, seed: int, effort: int) -> tuple[int, ...] | None:
        """Offsets in a pool of so many units, None if none were found."""
        chance = Random(f"{seed}/{pool}/{effort}")
        done = furthest = returns = 0
        back, self._live = _BACK, []
        while done < len(self._order):
            if self.over:
                return None
            count = chance.randint(*_NEXT)
            if self._window(done, count, pool, chance, effort):
                self._live += self._order[done : done + count]
                done += count
                if done > furthest:
                    furthest, returns, back = done, 0, _BACK
                self._live = self._not_over(self._live, done)
                continue
            returns += 1
            if returns > _RETURNS:
                return None
            done, back = max(0, furthest - back), min(2 * back, _FURTHEST_BACK)
            self._live = self._not_over(self._order[:done], done)
        return tuple(self._offsets)

    def _not_over(self, placed: list[int], done: int) -> list[int]:
        """Of these, what any window from here on can meet."""
        if done >= len(self._order):
            return []
        earliest = self._lives[self._order[max(0, done - _AGAIN * max(*_WIDER, _CPSAT_WIDER))]][0]
        return [i for i in placed if self._lives[i][1] > earliest]

    def _window(self, done: int, count: int, pool: int, chance: Random, effort: int) -> bool:
        """Places the next pieces, and anew some of those before them. False if it could not."""
        for wider in _WIDER:
            fixed, chosen = self._around(done, count, wider)
            found = self._searched(fixed, chosen, pool, chance.getrandbits(30), _NODES * effort * wider)
            if self._take(fixed, chosen, found):
                return True
        if not self._asks_cpsat or effort < _CPSAT_FROM:
            return False
        fixed, chosen = self._around(done, count, _CPSAT_WIDER)
        return self._take(fixed, chosen, self._asked(fixed, chosen, pool, chance.getrandbits(30), effort))

    def _around(self, done: int, count: int, wider: int) -> tuple[list[int], list[int]]:
        """What is fixed in such a window, and what is placed."""
        chosen = self._order[max(0, done - _AGAIN * wider) : done + count]
        start, again = self._lives[chosen[0]][0], set(chosen)
        return [i for i in self._live if self._lives[i][1] > start and i not in again], chosen

    def _take(self, fixed: list[int], chosen: list[int], found: Sequence[int]) -> bool:
        if not found:
            return False
        for i, at in zip(chosen, found[len(fixed) :], strict=True):
            self._offsets[i] = at
        return True

    def _searched(self, fixed: list[int], chosen: list[int], pool: int, seed: int, nodes: int) -> Sequence[int]:
        """By the packing search. Empty if it found none."""
        both, pieces = fixed + chosen, self._task.pieces
        problem = kernel.Problem(
            [pieces[i].size for i in both],
            [self._lives[i] for i in both],
            alignments=[pieces[i].alignment for i in both] if self._aligned else (),
            pinned={position: self._offsets[i] for position, i in enumerate(fixed)},
        )
        result = kernel.decide(problem, pool, nodes=nodes, seed=seed, deadline=self._deadline, cancel=self._cancel)
        return result.offsets if result.status is kernel.Status.SOLVED else ()

    def _asked(self, fixed: list[int], chosen: list[int], pool: int, seed: int, effort: int) -> Sequence[int]:
        """By CP-SAT. Empty if it found none."""
        task = self._task
        pieces = [replace(task.pieces[i], fixed=self._offsets[i]) for i in fixed] + [task.pieces[i] for i in chosen]
        lives = tuple(self._lives[i] for i in (*fixed, *chosen))
        part = Task(task.pool, tuple(pieces), task.unit, lives=lives)
        if not cpsat.takes(part):
            return ()
        found = cpsat.pack(
            part,
            pool,
            deadline=self._deadline,
            cancelled=lambda: self._cancel is not None and self._cancel.is_set(),
            seed=seed,
            effort=_CPSAT_EFFORT * effort,
        )
        return found.offsets if found.status is Status.SAT else ()
