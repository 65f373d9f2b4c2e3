"""What each step of the arena pipeline is worth: `python bench/ablation_arena.py [--limit S]`.

One step is left out per row, over generated arenas (`random`, `full` and `bytes` of small_arenas.py) and, where
they are there, MiniMalloc's instances and the real functions of ../shared: how many are proven, how far above the bound
the rest is, CPU seconds in all (threads of this process; CaDiCaL's process is waited for and counted too).
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from small_arenas import byte_arena, full_arena, random_arena, show

from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_program import arena_problem
from smtalloc.minimalloc import read_csv
from smtalloc.mlir.session import load
from smtalloc.order import conflicts
from smtalloc.packing import ArenaProblem
from smtalloc.plan import FeasibleArena, OptimalArena, Policy

SHARED = Path(os.environ.get("SMTALLOC_SHARED", Path(__file__).parents[1] / ".." / "shared"))
STEPS = ("gcd", "components", "dominated", "easy", "symmetry", "heuristics", "kernel", "z3", "refute", "orders")


def families(seeds: int) -> Iterator[tuple[str, list[ArenaProblem]]]:
    """(name, instances)."""
    for name, make in (("random", random_arena), ("full", full_arena)):
        yield name, [make(random.Random(seed), size) for size in (20, 40, 80) for seed in range(seeds)]
    yield "bytes", [byte_arena(seed) for seed in range(3 * seeds)]
    real: list[ArenaProblem] = []
    for path in sorted(SHARED.glob("real/*.mlir")):
        for program in load(str(path), "linalg-device").programs:
            real.append(arena_problem(conflicts(program, Policy.HOST_EXCLUSIVE), {})[0])
    if real:
        yield "real", real
    files = sorted(SHARED.glob("minimalloc/*.csv"))
    if files:
        yield "minimalloc", [read_csv(path.read_text(), str(path), name=path.stem) for path in files]


def cpu_seconds() -> float:
    """Of this process, its threads, and the children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def measure(problems: list[ArenaProblem], options: ArenaOptions) -> list[str]:
    """proven, mean gap of the others in percent, CPU seconds."""
    start, proven, gaps = cpu_seconds(), 0, list[float]()
    for problem in problems:
        verdict = plan_arena(problem, options)
        proven += isinstance(verdict, OptimalArena)
        if isinstance(verdict, FeasibleArena):
            gaps.append(100 * (verdict.plan.cost_bytes / verdict.certificate.bound_bytes - 1))
    gap = f"{sum(gaps) / len(gaps):.1f}" if gaps else "-"
    return [f"{proven}/{len(problems)}", gap, f"{cpu_seconds() - start:.2f}"]


def main() -> None:
    """Print one table per family."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds per instance")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[], help="families")
    chosen = parser.parse_args()
    print(f"limit {chosen.limit:g} s per instance; Python {platform.python_version()}, {platform.machine()},")
    print(f"{os.cpu_count()} CPUs, {time.strftime('%F')}")
    everything = ArenaOptions(time_limit_s=chosen.limit)
    for name, problems in families(chosen.seeds):
        if chosen.only and name not in chosen.only:
            continue
        table = [[name, "proven", "gap %", "CPU s"], ["all steps", *measure(problems, everything)]]
        for step in STEPS:
            table.append([f"without {step}", *measure(problems, replace(everything, **{step: False}))])
        show(table)


if __name__ == "__main__":
    main()
