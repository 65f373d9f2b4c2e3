"""What each encoding takes, against size: `python bench/encodings.py [--limit S] [--runs N]`. The research table.

Two questions per instance, put to z3 in every encoding: is there a plan at the minimum ("yes"), and is there one a unit
below it ("no")? The minimum is known beforehand from another engine. Each question runs in a process of its own, whose
CPU time is taken (reading the text included); medians over seeds. "-": the limit struck in most runs.

Instances. `random`: lives and sizes drawn uniformly. `full`: as many bytes are live at every moment, so that a plan at
the bound leaves no room (and where there is none, only search shows it). `nets` for slots: chains of layers with skips.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version

from small_arenas import full_arena, random_arena, show

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.allocate_encoding import slot_query
from smtalloc.arena_tasks import pool_task
from smtalloc.encode_arena import ArenaEncoding, arena_query
from smtalloc.encode_slots import SlotEncoding
from smtalloc.order import Conflicts, conflicts
from smtalloc.packing import POOL, ArenaProblem
from smtalloc.plan import OptimalArena, Policy, TypeRule
from smtalloc.program import Access, Action, Buffer, Program
from smtalloc.task import tasks

_CHILD = """
import math, resource, sys
from smtalloc.solvers.z3 import Z3
seconds = math.ceil(float(sys.argv[1])) + 1
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
answer = Z3().solve(sys.stdin.read())
used = resource.getrusage(resource.RUSAGE_SELF)
print(answer.status, used.ru_utime + used.ru_stime)
"""


def net(chance: random.Random, count: int) -> Conflicts:
    """A chain of device ops: each reads the last buffer, and now and then one from far back."""
    sizes = [chance.choice((1, 2, 3, 4, 6, 8, 12, 16)) for _ in range(count)]
    actions: list[Action] = []
    for b in range(count):
        reads = {b - 1} if b else set[int]()
        if b and chance.random() < 0.3:
            reads.add(chance.randrange(b))
        actions.append(Action(b, "queue", "op", tuple(Access(r) for r in sorted(reads)), (Access(b),)))
    program = Program("net", tuple(Buffer(f"%{b}", size) for b, size in enumerate(sizes)), tuple(actions))
    return conflicts(program, Policy.HAPPENS_BEFORE, TypeRule.BYTES)


def ask(text: str, limit: float) -> tuple[str, float]:
    """(answer, CPU seconds) of z3 in a process of its own, start-up left out."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(limit)], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode == -signal.SIGXCPU:
        return "unknown", limit
    if done.returncode:
        raise RuntimeError(done.stderr)
    status, seconds = done.stdout.split()
    return status, float(seconds) - start_up()


_START: list[float] = []


def start_up() -> float:
    """CPU seconds of such a process that asks nothing."""
    if not _START:
        _START.append(0.0)
        _START[0] = statistics.median(ask("(check-sat)", 10)[1] for _ in range(3))
    return _START[0]


def arena_texts(problem: ArenaProblem) -> dict[str, Callable[[int], str]] | None:
    """Per encoding, the question at the minimum (0) and below it (1); None where the minimum is not known."""
    verdict = plan_arena(problem, ArenaOptions(time_limit_s=30))
    if not isinstance(verdict, OptimalArena):
        return None
    task = pool_task(problem, POOL)
    least = verdict.plan.cost_bytes // task.unit
    return {str(e): (lambda below, e=e: arena_query(task, least - below, e)) for e in ArenaEncoding}


def slot_texts(problem: Conflicts) -> dict[str, Callable[[int], str]] | None:
    """The same for slots. One task: the largest."""
    task = max(tasks(problem), key=len)
    verdict = plan_slots(problem, SolveOptions(time_limit_s=30))
    inside = {problem.items[item] for item in task.items}
    least = sum(
        max(problem.program.buffers[b].size_bytes or 0 for b in members)
        for members in verdict.plan.members
        if inside & set(members)
    )
    return {str(e): (lambda below, e=e: slot_query(problem, task, e, least - below * task.unit)) for e in SlotEncoding}


def rows(
    name: str, sizes: Iterable[int], make: Callable[[random.Random, int], dict[str, Callable[[int], str]] | None],
    runs: int, limit: float,
) -> list[list[str]]:  # fmt: skip
    """Lines of the table for one family."""
    found: list[list[str]] = []
    for size in sizes:
        times: dict[tuple[str, int], list[float]] = {}
        instances = [texts for seed in range(runs) if (texts := make(random.Random(seed), size)) is not None]
        for texts in instances:
            for encoding, text in texts.items():
                for below in (0, 1):
                    status, seconds = ask(text(below), limit)
                    if status == ("sat", "unsat")[1 - below]:
                        raise RuntimeError(f"{name} {size}: {encoding} answers {status}")
                    times.setdefault((encoding, below), []).append(seconds if status != "unknown" else float("inf"))
        for below, word in enumerate(("yes", "no")):
            medians = [statistics.median(t) for (_, which), t in times.items() if which == below]
            cells = ["-" if median == float("inf") else f"{max(0.0, median):.2f}" for median in medians]
            found.append([name, str(size), str(len(instances)), word, *cells])
    return found


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="seeds per size")
    parser.add_argument("--limit", type=float, default=10.0, help="CPU seconds per question")
    parser.add_argument("--arenas", type=int, nargs="*", default=[10, 20, 40, 60])
    parser.add_argument("--slots", type=int, nargs="*", default=[10, 20, 40, 80])
    options = parser.parse_args()
    print(f"CPU seconds, median of {options.runs} seeds, limit {options.limit:g} s; z3 {version('z3-solver')},")
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs, {time.strftime('%F')}")
    arena_families: list[tuple[str, Callable[[random.Random, int], ArenaProblem]]] = [
        ("random", random_arena),
        ("full", full_arena),
    ]
    table: list[list[str]] = [["arenas", "buffers", "seeds", "fits", *ArenaEncoding]]
    for name, make in arena_families:
        table += rows(
            name, options.arenas, lambda chance, n, make=make: arena_texts(make(chance, n)), options.runs, options.limit
        )
    show(table)
    table = [["slots", "buffers", "seeds", "fits", *SlotEncoding]]
    table += rows("nets", options.slots, lambda chance, n: slot_texts(net(chance, n)), options.runs, options.limit)
    show(table)


if __name__ == "__main__":
    main()
