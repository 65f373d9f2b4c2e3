"""What each step of the arena pipeline is worth: `python bench/ablation_arena.py [--limit S]`.

One step is left out per row, over generated arenas (`random`, `full` and `bytes` of small_arenas.py, `saturated` of
arena_instances.py) and, where they are there, MiniMalloc's instances and the real functions of ../shared: how many are
proven, how far above the bound the rest is, CPU seconds in all (threads of this process; CaDiCaL's process is waited
for and counted too).
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from dataclasses import fields, replace

from arena_sets import cpu_seconds, generated, minimalloc, real, small
from small_arenas import byte_arena, show

from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.packing import ArenaProblem
from smtalloc.plan import FeasibleArena, OptimalArena

STEPS = tuple(field.name for field in fields(ArenaOptions) if field.default is True)


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
    families = {
        "random": lambda: small("random", chosen.seeds),
        "full": lambda: small("full", chosen.seeds),
        "bytes": lambda: [byte_arena(seed) for seed in range(3 * chosen.seeds)],
        "saturated": lambda: generated("saturated", (150, 400), chosen.seeds),
        "real": real,
        "minimalloc": minimalloc,
    }
    for name, make in families.items():
        problems = make() if not chosen.only or name in chosen.only else []
        if not problems:
            continue
        table = [[name, "proven", "gap %", "CPU s"], ["all steps", *measure(problems, everything)]]
        for step in STEPS:
            table.append([f"without {step}", *measure(problems, replace(everything, **{step: False}))])
        show(table)


if __name__ == "__main__":
    main()
