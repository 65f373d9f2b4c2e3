"""Generated arenas, by seed: `python bench/arena_instances.py FAMILY N SEED` prints one as MiniMalloc CSV.

training   forward pass, activations kept for the backward pass in stack order, gradients, workspaces, weights
inference  a chain with skips and short-lived workspaces, sizes from a few powers of two and small multiples
dense       log-normal sizes and lives, as MiniMalloc's set looks
saturated  full load at every moment: what dies is split anew into what is born, so nothing may be wasted
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Mapping

from smtalloc.solvers.kernel import Problem

Row = tuple[int, int, int]
"""Birth, death, size in bytes."""


def training(n: int, seed: int) -> Problem:
    """Each layer: an activation (kept until its backward step), a mask sometimes, gradients and workspaces."""
    draw = random.Random(f"training/{n}/{seed}")
    layers = max(1, n // 6)
    end = 4 * layers
    rows: list[Row] = []
    width = [1 << draw.randint(12, 20) for _ in range(8)]
    for layer in range(layers):
        size = width[8 * layer // layers] * draw.choice([1, 1, 2, 3, 4]) + draw.choice([0, 0, 1, 512])
        forward, backward = 2 * layer, end - 2 * layer
        rows.append((forward, backward + draw.choice([0, 1]), size))
        rows.append((forward, forward + 1 + draw.randint(0, 2), size * draw.choice([1, 2])))
        rows.append((backward, min(end + 4, backward + 2 + draw.randint(0, 3)), size))
        rows.append((backward, backward + 1, size // draw.choice([1, 2, 4])))
        if draw.random() < 0.3:
            rows.append((forward, backward, max(1, size // 8)))
        rows.append((forward, forward + 1, 1 << draw.randint(8, 18)))
        if draw.random() < 0.7:
            rows.append((backward, min(end + 4, backward + draw.randint(1, 64)), 1 << draw.randint(6, 16)))
    return _problem(rows, n, draw)


def inference(n: int, seed: int) -> Problem:
    """One op after the other: its result lives for a few ops, one in eight for many."""
    draw = random.Random(f"inference/{n}/{seed}")
    rows: list[Row] = []
    for step in range(n):
        level = abs(math.sin(step / n * 6.0))
        size = (1 << round(18 - 6 * level)) * draw.choice([1, 1, 1, 2, 3, 5])
        life = draw.randint(20, max(21, min(n // 4, 2000))) if draw.random() < 0.12 else draw.randint(2, 6)
        rows.append((step, step + life, size))
        if draw.random() < 0.3:
            rows.append((step, step + 1, 1 << draw.randint(8, 18)))
    return _problem(rows, n, draw)


def dense(n: int, seed: int) -> Problem:
    """Uniform births, log-normal lives and sizes; about 60 live at a time whatever n is."""
    draw = random.Random(f"dense/{n}/{seed}")
    end = 4 * n
    rows: list[Row] = []
    for _ in range(n):
        birth = draw.randrange(end)
        life = max(1, int(draw.lognormvariate(math.log(100), 1.3)))
        rows.append((birth, min(end, birth + life) + 1, 1024 * max(1, int(draw.lognormvariate(3.2, 1.1)))))
    return _problem(rows, n, draw)


def saturated(n: int, seed: int) -> Problem:
    """The load is the same at every moment."""
    draw = random.Random(f"saturated/{n}/{seed}")
    return full_load(draw, draw.choice([16, 24, 32, 40]), n, parts=3, dying=3)


def full_load(draw: random.Random, capacity: int, n: int, *, parts: int, dying: int) -> Problem:
    """About n buffers: the load is `capacity` at every moment, and now and then more is needed. No buffer is larger
    than the capacity over `parts`; at most `dying` end at a time."""

    def split(size: int) -> list[int]:
        found: list[int] = []
        while size:
            found.append(min(size, draw.randint(1, capacity // parts)))
            size -= found[-1]
        return found

    live = [(0, size) for size in split(capacity)]
    rows: list[Row] = []
    moment = 0
    while len(rows) + len(live) < n:
        moment += 1
        draw.shuffle(live)
        dead = draw.randint(1, min(dying, len(live)))
        gone, live = live[:dead], live[dead:]
        rows += [(birth, moment, size) for birth, size in gone]
        live += [(moment, size) for size in split(sum(size for _, size in gone))]
    rows += [(birth, moment + 1, size) for birth, size in live]
    return _problem(rows, len(rows), draw)


def _problem(rows: list[Row], n: int, draw: random.Random) -> Problem:
    rows = rows[:n]
    draw.shuffle(rows)
    return Problem([size for _, _, size in rows], [(birth, death) for birth, death, _ in rows])


FAMILIES: Mapping[str, Callable[[int, int], Problem]] = {
    "training": training,
    "inference": inference,
    "dense": dense,
    "saturated": saturated,
}


def main() -> None:
    family, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    problem = FAMILIES[family](n, seed)
    print("id,lower,upper,size")
    for j, ((lower, upper), size) in enumerate(zip(problem.lives, problem.sizes, strict=True)):
        print(f"{j},{lower},{upper},{size}")


if __name__ == "__main__":
    main()
