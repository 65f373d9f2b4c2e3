"""Arena problems for the tests of the kernel."""

from __future__ import annotations

import random

from smtalloc.solvers.kernel import Problem


def saturated(draw: random.Random, capacity: int, n: int, *, parts: int, dying: int) -> tuple[Problem, int]:
    """About n buffers and the capacity: the load is full at every moment, so nothing may be wasted, and now and then
    that cannot be done. No buffer is larger than the capacity over `parts`; at most `dying` end at a time."""

    def split(size: int) -> list[int]:
        found: list[int] = []
        while size:
            found.append(min(size, draw.randint(1, capacity // parts)))
            size -= found[-1]
        return found

    live, rows, moment = [(0, size) for size in split(capacity)], list[tuple[int, int, int]](), 0
    while len(rows) + len(live) < n:
        moment += 1
        draw.shuffle(live)
        dead = draw.randint(1, min(dying, len(live)))
        gone, live = live[:dead], live[dead:]
        rows += [(birth, moment, size) for birth, size in gone]
        live += [(moment, size) for size in split(sum(size for _, size in gone))]
    rows += [(birth, moment + 1, size) for birth, size in live]
    draw.shuffle(rows)
    return Problem([size for *_, size in rows], [(birth, death) for birth, death, _ in rows]), capacity
