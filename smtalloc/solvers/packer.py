"""The compiled packing search for arena tasks, where it is there and the task is one it takes.

Bytes at this border: the kernel has its own units. What it returns is rounded down to the task's unit, which keeps it a
plan (arena_tasks.py says why).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from smtalloc.arena_tasks import Task, ranges
from smtalloc.bitsets import bits
from smtalloc.packing import ArenaProblem
from smtalloc.solvers import kernel

_TOO_LARGE = 1 << 59


@dataclass(frozen=True)
class Packed:
    """`offsets` in units of the task, None if there are none. `exhausted`: no plan fits in the capacity (believed)."""

    offsets: tuple[int, ...] | None
    exhausted: bool


class Packer:
    """One task, asked in several ways. Deadlines are instants of `time.monotonic`."""

    def __init__(self, problem: ArenaProblem, task: Task, seed: int) -> None:
        self._task, self._seed = task, seed
        self._problem = _as_problem(problem, task) if kernel.AVAILABLE else None

    @property
    def takes(self) -> bool:
        """Is there a kernel, and can this task be put to it?"""
        return self._problem is not None

    @property
    def _asked(self) -> kernel.Problem:
        if self._problem is None:
            raise ValueError("the kernel does not take this task")
        return self._problem

    def first_fit(self, deadline: float) -> Packed:
        result = kernel.first_fit(self._asked, deadline=deadline)
        return self._packed(result)

    def decide(self, units: int, deadline: float, cancel: threading.Event | None = None) -> Packed:
        """Is there a plan in a pool of this many units?"""
        result = kernel.decide(self._asked, units * self._task.unit, deadline=deadline, seed=self._seed, cancel=cancel)
        return self._packed(result)

    def minimise(
        self,
        bound: int,
        deadline: float,
        found: Callable[[tuple[int, ...]], None],
        cancel: threading.Event | None = None,
    ) -> Packed:
        """The best plan; `exhausted` if nothing smaller exists."""
        result = kernel.minimise(
            self._asked,
            lower_bound=bound * self._task.unit,
            deadline=deadline,
            seed=self._seed,
            cancel=cancel,
            found=lambda progress: found(self._units(progress.offsets)),
        )
        return Packed(self._units(result.offsets), result.status == kernel.Status.SOLVED)

    def _packed(self, result: kernel.Result) -> Packed:
        exhausted = result.status == kernel.Status.INFEASIBLE
        return Packed(self._units(result.offsets) if result.offsets else None, exhausted)

    def _units(self, offsets: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(at // self._task.unit for at in offsets)


def _as_problem(problem: ArenaProblem, task: Task) -> kernel.Problem | None:
    """None for tasks with groups, and for numbers beyond its own: the kernel does not know them."""
    if any(len(piece.blocks) != 1 for piece in task.pieces) or _largest(problem, task) * task.unit >= _TOO_LARGE:
        return None
    blocks = [problem.blocks[piece.blocks[0]] for piece in task.pieces]
    by_lives = problem.apart is None
    gaps = {
        i: [kernel.Gap(gap.lower, gap.upper, gap.window) for gap in block.gaps if gap.lower < gap.upper]
        for i, block in enumerate(blocks)
        if block.gaps and by_lives
    }
    forbidden = {i: ranges(problem, piece.blocks[0]) for i, piece in enumerate(task.pieces)}
    return kernel.Problem(
        sizes=[block.size_bytes for block in blocks],
        lives=[block.life or (0, 0) for block in blocks] if by_lives else (),
        conflicts=None if by_lives else [list(bits(row)) for row in task.neighbours],
        alignments=[piece.alignment * task.unit for piece in task.pieces] if _aligned(task) else (),
        pinned={i: block.offset for i, block in enumerate(blocks) if block.offset is not None},
        forbidden={i: found for i, found in forbidden.items() if found},
        gaps=gaps,
    )


def _largest(problem: ArenaProblem, task: Task) -> int:
    places = (end for piece in task.pieces for span in piece.blocked for end in span)
    fixed = (piece.fixed or 0 for piece in task.pieces)
    times = (abs(end) for piece in task.pieces for b in piece.blocks for end in problem.blocks[b].life or ())
    return sum(task.sizes) + sum(piece.alignment for piece in task.pieces) + max((*places, *fixed, *times), default=0)


def _aligned(task: Task) -> bool:
    return any(piece.alignment > 1 for piece in task.pieces)
