"""The sets of arena problems that the benchmarks run over, and how their time is counted."""

from __future__ import annotations

import os
import random
import resource
from collections.abc import Sequence
from pathlib import Path

from arena_instances import FAMILIES
from small_arenas import full_arena, random_arena

from smtalloc.arena_program import arena_problem
from smtalloc.minimalloc import read_csv
from smtalloc.mlir.session import load
from smtalloc.order import conflicts
from smtalloc.packing import ArenaProblem, Block
from smtalloc.plan import Policy
from smtalloc.solvers.kernel import Problem

SHARED = Path(os.environ.get("SMTALLOC_SHARED", Path(__file__).parents[1] / ".." / "shared"))
SMALL = {"random": random_arena, "full": full_arena}


def small(family: str, seeds: int) -> list[ArenaProblem]:
    """20, 40 and 80 blocks of small_arenas.py."""
    return [SMALL[family](random.Random(seed), size) for size in (20, 40, 80) for seed in range(seeds)]


def generated(family: str, sizes: Sequence[int], seeds: int) -> list[ArenaProblem]:
    """Of arena_instances.py, seeds from 1 up."""
    pairs = [(size, seed) for size in sizes for seed in range(1, seeds + 1)]
    return [arena_of(f"{family} {size} seed {seed}", FAMILIES[family](size, seed)) for size, seed in pairs]


def arena_of(name: str, problem: Problem) -> ArenaProblem:
    """The kernel's problem (sizes and lives) as a planner's."""
    pairs = zip(problem.sizes, problem.lives, strict=True)
    return ArenaProblem(name, tuple(Block(f"b{j}", size, life=life) for j, (size, life) in enumerate(pairs)))


def minimalloc() -> list[ArenaProblem]:
    return _read("minimalloc")


def large() -> list[ArenaProblem]:
    return _read("large")


def _read(folder: str) -> list[ArenaProblem]:
    paths = sorted((SHARED / folder).glob("*.csv"))
    return [read_csv(path.read_text(), str(path), name=path.name.split(".")[0]) for path in paths]


def real() -> list[ArenaProblem]:
    """Every function of every network, what has a known size."""
    found: list[ArenaProblem] = []
    for path in sorted((SHARED / "real").glob("*.mlir")):
        for program in load(str(path), "linalg-device").programs:
            found.append(arena_problem(conflicts(program, Policy.HOST_EXCLUSIVE), {})[0])
    return found


def cpu_seconds() -> float:
    """Of this process, its threads, and the children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)
