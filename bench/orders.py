"""Refutations over the order of blocks: `python bench/orders.py [--count N] [--limit S]`.

1. full loads of byte sizes (`byte_arena`): how many are proven, with and without these refutations
2. of those that they close: what a refutation takes, and what it takes without layers (lemmas of difference logic)
3. full loads of few and of many units: this text against the order encoding of offsets (refute.py)
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from ablation_arena import cpu_seconds
from arena_instances import full_load
from small_arenas import byte_arena, show

from smtalloc import orders, refute, refute_orders
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.check_bounds import bound_flaw
from smtalloc.packing import ArenaProblem, Block
from smtalloc.plan import ChainRefutation, FeasibleArena, OptimalArena, PoolBound


def planned(count: int, limit: float) -> list[tuple[ArenaProblem, PoolBound]]:
    """Table 1; the problems that chains close, with the bound that does."""
    table, closed = [["bytes", "proven", "CPU s"]], list[tuple[ArenaProblem, PoolBound]]()
    for name, on in (("without orders", False), ("with orders", True)):
        start, proven = cpu_seconds(), 0
        for problem in map(byte_arena, range(count)):
            verdict = plan_arena(problem, ArenaOptions(time_limit_s=limit, orders=on))
            proven += isinstance(verdict, OptimalArena)
            if isinstance(verdict, OptimalArena) and on:
                (bound,) = verdict.certificate.bounds
                closed += [(problem, bound)] if isinstance(bound.evidence, ChainRefutation) else []
        table.append([name, f"{proven}/{count}", f"{cpu_seconds() - start:.1f}"])
    show(table)
    return closed


def measured(decide: Callable[..., Any], problem: ArenaProblem, at_most: int, limit: float) -> list[str]:
    """CPU seconds to the answer; lemmas and lines of proof in it; CPU seconds to check it."""
    start = cpu_seconds()
    found = decide(problem, range(len(problem.blocks)), at_most, deadline=time.monotonic() + limit)
    used, start = cpu_seconds() - start, cpu_seconds()
    if not isinstance(found, PoolBound):
        return [f"{'plan' if found else '-'} {used:.2f}", "", "", ""]
    assert not bound_flaw(problem, found)
    lemmas = str(len(found.evidence.chains)) if isinstance(found.evidence, ChainRefutation) else ""
    lines = str(len(getattr(found.evidence, "drup", ())))
    return [f"{used:.2f}", lemmas, lines, f"{cpu_seconds() - start:.2f}"]


def layers(closed: list[tuple[ArenaProblem, PoolBound]], limit: float) -> None:
    """Table 2."""
    head = ["CPU s", "lemmas", "DRUP", "check s"]
    table = [["bytes", "blocks", *head, *(f"paths: {word}" for word in head)]]
    for problem, bound in closed[:12]:
        row = [problem.name, str(len(problem.blocks))]
        row += measured(refute_orders.decide, problem, bound.bound_bytes - 1, limit)
        row += _without_layers(problem, bound.bound_bytes - 1, limit)
        table.append(row)
    show(table)


def _without_layers(problem: ArenaProblem, at_most: int, limit: float) -> list[str]:
    with patch.object(orders, "_MOST_CLIQUES", 0), patch.object(orders.ChainFinder, "_layered", return_value=None):
        return measured(refute_orders.decide, problem, at_most, limit)


def units(limit: float) -> None:
    """Table 3."""
    table = [
        ["units", "blocks", "clauses", "levels: CPU s", "DRUP", "check s", "orders: CPU s", "lemmas", "DRUP", "check s"]
    ]
    for capacity in (40, 100, 250, 600):
        left = 4
        for seed in range(100):
            draw = random.Random(f"{capacity}/{seed}")
            drawn = full_load(draw, capacity, draw.choice((20, 28, 36)), parts=3, dying=3)
            pairs = zip(drawn.sizes, drawn.lives, strict=True)
            problem = ArenaProblem("u", tuple(Block(f"b{b}", s, life=life) for b, (s, life) in enumerate(pairs)))
            found = plan_arena(problem, ArenaOptions(time_limit_s=0.7, z3=False, refute=False, orders=False))
            if not isinstance(found, FeasibleArena):
                continue
            if not left:
                break
            left -= 1
            below, blocks = found.plan.cost_bytes - 1, range(len(problem.blocks))
            text, lemmas = (
                measured(refute.decide, problem, below, limit),
                measured(refute_orders.decide, problem, below, limit),
            )
            clauses = str(refute.fit(problem, blocks, below).size)
            table.append([str(capacity), str(len(blocks)), clauses, text[0], *text[2:], *lemmas])
    show(table)


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds per question")
    parser.add_argument("--count", type=int, default=40)
    chosen = parser.parse_args()
    print(f"limit {chosen.limit:g} s; Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs,")
    print(f"load {os.getloadavg()[0]:.1f}, {time.strftime('%F')}\n")
    layers(planned(chosen.count, chosen.limit), chosen.limit)
    units(chosen.limit)


if __name__ == "__main__":
    main()
