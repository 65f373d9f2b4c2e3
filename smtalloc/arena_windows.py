"""Plans of long arenas, by CP-SAT, a window of time after the other: what came before stays where it is.

    pieces in order of birth    |  placed, fixed  |  placed, again free  |  next  |  ...
                                                  |<--- CP-SAT places these --->|

Where a window does not fit, more of what came before it is free again; after some tries the height is given up. First
fit ends 1.4 times above the bound where every moment is full, this 1.1 times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from smtalloc.arena_tasks import Task
from smtalloc.solvers import cpsat
from smtalloc.solvers.base import Status

_NEXT, _AGAIN = 60, 30
"""Pieces that a window adds, and those before it that are free again, at first."""
_TRIES = 6
_LEAST = 2 * (_NEXT + _AGAIN)
"""Pieces from which on it is worth it."""


def worth_windows(task: Task) -> bool:
    """Is it long, with lives that are intervals?"""
    return task.lives is not None and len(task) >= _LEAST


def pack_by_windows(
    task: Task,
    pool: int,
    *,
    deadline: float,
    effort: float,
    cancelled: Callable[[], bool] = lambda: False,
    seed: int = 0,
) -> tuple[int, ...] | None:
    """Offsets in a pool of so many units, None if none were found. The task has lives. `effort` is for each window
    (`cpsat.pack`), more where it is larger."""
    lives = task.lives
    assert lives is not None
    order = sorted(range(len(task)), key=lambda i: lives[i])
    offsets = [0] * len(task)
    done, open_ = 0, list[int]()
    while done < len(order):
        earliest = lives[order[max(0, done - (_AGAIN << _TRIES))]][0]
        open_ = [i for i in open_ if lives[i][1] > earliest]
        for tries in range(_TRIES):
            first = max(0, done - (_AGAIN << tries))
            chosen = order[first : done + _NEXT]
            start, again = lives[chosen[0]][0], set(chosen)
            fixed = [i for i in open_ if lives[i][1] > start and i not in again]
            pieces = [replace(task.pieces[i], fixed=offsets[i]) for i in fixed] + [task.pieces[i] for i in chosen]
            part = replace(task, pieces=tuple(pieces), lives=tuple(lives[i] for i in (*fixed, *chosen)))
            found = cpsat.pack(
                part, pool, deadline=deadline, cancelled=cancelled, seed=seed, effort=effort * (tries + 1)
            )
            if found.status is Status.SAT:
                break
            if cancelled() or (first == 0 and found.status is Status.UNSAT):
                return None
        else:
            return None
        for i, at in zip(chosen, found.offsets[len(fixed) :], strict=True):
            offsets[i] = at
        open_ += order[done : done + _NEXT]
        done += _NEXT
    return tuple(offsets)
