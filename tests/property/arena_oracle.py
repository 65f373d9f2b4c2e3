"""Arena problems judged by their definition: bytes at moments. Slow, small, and sharing nothing with the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from smtalloc.solvers.kernel import Problem


def window(problem: Problem, buffer: int, moment: int) -> tuple[int, int] | None:
    """Which of its own bytes the buffer occupies then."""
    lower, upper = problem.lives[buffer]
    if not lower <= moment < upper:
        return None
    for gap in problem.gaps.get(buffer, ()):
        if gap.lower <= moment < gap.upper:
            return gap.window
    return 0, problem.sizes[buffer]


def clash(problem: Problem, x: int, at_x: int, y: int, at_y: int) -> bool:
    """Whether two buffers at these offsets share a byte at a moment when both occupy it."""
    if problem.conflicts is not None:
        related = y in problem.conflicts[x] or x in problem.conflicts[y]
        return related and _meet(at_x, at_x + problem.sizes[x], at_y, at_y + problem.sizes[y])
    for moment in range(*problem.lives[x]):
        mine, other = window(problem, x, moment), window(problem, y, moment)
        if mine and other and _meet(at_x + mine[0], at_x + mine[1], at_y + other[0], at_y + other[1]):
            return True
    return False


def allowed(problem: Problem, buffer: int, offset: int) -> bool:
    """Alignment, pin and forbidden ranges."""
    if problem.alignments and offset % problem.alignments[buffer] != 0:
        return False
    if problem.pinned.get(buffer, offset) != offset:
        return False
    end = offset + problem.sizes[buffer]
    return not any(_meet(offset, end, low, high) for low, high in problem.forbidden.get(buffer, ()))


def faults(problem: Problem, offsets: Sequence[int], capacity: int) -> list[str]:
    """What is wrong with a placement; nothing if it is right."""
    n = len(problem.sizes)
    if len(offsets) != n:
        return ["not one offset per buffer"]
    found = [f"{j} sticks out" for j in range(n) if not 0 <= offsets[j] <= capacity - problem.sizes[j]]
    # A buffer of no bytes may stand anywhere.
    found += [f"{j} may not be at {offsets[j]}" for j in range(n) if not allowed(problem, j, offsets[j])]
    for x in range(n):
        found += [f"{x} and {y} clash" for y in range(x) if clash(problem, x, offsets[x], y, offsets[y])]
    return found


def fits(problem: Problem, capacity: int) -> bool:
    """Every offset of every buffer is tried."""
    n = len(problem.sizes)
    placed: list[int] = []

    def extend() -> bool:
        j = len(placed)
        if j == n:
            return True
        for offset in range(capacity - problem.sizes[j] + 1):
            if not allowed(problem, j, offset):
                continue
            if any(clash(problem, j, offset, k, placed[k]) for k in range(j)):
                continue
            placed.append(offset)
            if extend():
                return True
            placed.pop()
        return False

    return extend()


def least_height(problem: Problem, most: int) -> int | None:
    """The least capacity up to `most` at which the problem fits."""
    return next((capacity for capacity in range(most + 1) if fits(problem, capacity)), None)


def as_conflicts(problem: Problem) -> Problem:
    """The same problem (no windows) with its conflicts listed."""
    n = len(problem.sizes)
    lists = [[k for k in range(n) if k != j and _live_together(problem, j, k)] for j in range(n)]
    return replace(problem, lives=(), gaps={}, conflicts=lists)


def as_smt(problem: Problem, capacity: int) -> str:
    """Does it fit? In SMT-LIB, for problems of sizes and lives alone."""
    n = len(problem.sizes)
    lines = ["(set-logic QF_IDL)", *(f"(declare-const o{j} Int)" for j in range(n))]
    lines += [f"(assert (and (<= 0 o{j}) (<= o{j} {capacity - problem.sizes[j]})))" for j in range(n)]
    for x in range(n):
        for y in range(x):
            if _live_together(problem, x, y):
                under, over = (f"(<= (- o{a} o{b}) (- {problem.sizes[a]}))" for a, b in ((x, y), (y, x)))
                lines.append(f"(assert (or {under} {over}))")
    return "\n".join([*lines, "(check-sat)\n"])


def _live_together(problem: Problem, x: int, y: int) -> bool:
    return any(window(problem, x, t) and window(problem, y, t) for t in range(*problem.lives[x]))


def _meet(a: int, b: int, c: int, d: int) -> bool:
    return a < b and c < d and a < d and c < b
