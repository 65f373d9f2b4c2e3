"""What closes arenas, and what stays open: `python bench/arenas.py [--limit S] [--seeds N] [--only SET...]`.

Per set: how many are proven; *evidence*: how many pools have a plan that costs what some kind of evidence proves
(docs/certificates.md; a stack of the bytes that are live at one moment is a *moment*); *plans by*: whose plan it was,
for proven problems; and of what is open, the gap to the certified bound. A pool without blocks is not counted. CPU
seconds are those of this process, its threads and its children; the limit is wall time. The checker judges every
verdict.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version

from arena_sets import cpu_seconds, generated, large, minimalloc, real, small
from small_arenas import show

from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.check_arena import ArenaRejection, check_arena_verdict
from smtalloc.options import Progress
from smtalloc.packing import ArenaProblem
from smtalloc.plan import FeasibleArena, OptimalArena, PoolBound
from smtalloc.solvers import cadical, cpsat, kernel

_FIRST = "first fit"


@dataclass(frozen=True, slots=True)
class Closed:
    """One problem. `evidence`: per pool what closes it, or "open"; `by`: whose plan it is."""

    name: str
    blocks: int
    optimal: bool
    cost: int
    bound: int
    evidence: tuple[str, ...]
    by: str
    reason: str
    cpu_s: float

    @property
    def gap(self) -> float:
        """In percent of the bound."""
        return 100 * (self.cost / self.bound - 1) if self.bound else 0.0


def kind(bound: PoolBound) -> str:
    """What it is evidence of, from its class, so that a new one shows by itself."""
    if getattr(bound.evidence, "moment", None) is not None:
        return "moment"
    return type(bound.evidence).__name__.lower()


def solve(problem: ArenaProblem, limit_s: float) -> Closed:
    """Plan, check, and see what closed it. Raises RuntimeError if the checker refuses."""
    seen: list[Progress] = []
    start = cpu_seconds()
    verdict = plan_arena(problem, ArenaOptions(time_limit_s=limit_s, progress=seen.append))
    cpu_s = cpu_seconds() - start
    checked = check_arena_verdict(problem, verdict)
    if isinstance(checked, ArenaRejection) or not isinstance(verdict, OptimalArena | FeasibleArena):
        raise RuntimeError(f"{problem.name}: {checked}")
    size = {pool.name: pool.size_bytes for pool in verdict.plan.pools}
    bounds = [bound for bound in verdict.certificate.bounds if problem.pools[bound.pool]]
    return Closed(
        problem.name,
        len(problem.blocks),
        isinstance(verdict, OptimalArena),
        verdict.plan.cost_bytes,
        verdict.certificate.bound_bytes,
        tuple(kind(bound) if size[bound.pool] == bound.bound_bytes else "open" for bound in bounds),
        _finder(seen),
        "" if isinstance(verdict, OptimalArena) else verdict.reason,
        cpu_s,
    )


def _finder(seen: list[Progress]) -> str:
    """The phase in which the cost fell for the last time."""
    found, cost = _FIRST, None
    for progress in seen:
        if cost is not None and progress.cost_bytes < cost:
            found = progress.phase
        cost = progress.cost_bytes
    return found


def counts(counter: Counter[str]) -> str:
    """`a 3, b 1`."""
    return ", ".join(f"{name} {number}" for name, number in counter.most_common()) or "-"


def row(name: str, found: list[Closed]) -> list[str]:
    """One line of the table."""
    gaps = [closed.gap for closed in found if not closed.optimal]
    return [
        name,
        f"{sum(closed.optimal for closed in found)}/{len(found)}",
        counts(Counter(evidence for closed in found for evidence in closed.evidence)),
        counts(Counter(closed.by for closed in found if closed.optimal)),
        f"{sum(gaps) / len(gaps):.2f}" if gaps else "-",
        f"{max(gaps):.2f}" if gaps else "-",
        f"{sum(closed.cpu_s for closed in found):.1f}",
    ]


def sets(seeds: int) -> Mapping[str, Callable[[], list[ArenaProblem]]]:
    """By name; made when they are due."""
    return {
        "minimalloc": minimalloc,
        "real": real,
        "random": lambda: small("random", seeds),
        "full": lambda: small("full", seeds),
        "training": lambda: generated("training", (100, 300, 1000), seeds),
        "inference": lambda: generated("inference", (100, 300, 1000), seeds),
        "dense": lambda: generated("dense", (100, 300, 1000), seeds),
        "saturated": lambda: generated("saturated", (60, 150, 400, 1000), seeds),
        "large": large,
    }


def heading(limit_s: float, seeds: int) -> None:
    """Machine and versions."""
    parts = ("smtalloc", "z3-solver", *("python-sat",) * cadical.available(), *("ortools",) * cpsat.available())
    engines = ", ".join(f"{part} {version(part)}" for part in parts)
    print(f"CPU seconds; {engines}, kernel {'compiled' if kernel.AVAILABLE else 'missing'}")
    machine = f"{platform.machine()}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}"
    system = f"{platform.system()} {platform.release()}"
    print(f"Python {platform.python_version()}, {machine}, {system}, {time.strftime('%F')}")
    print(f"limit {limit_s:g} s of wall time per problem; {seeds} seeds per size of generated sets; planner's seed 0\n")


def main() -> None:
    """Print the table, and what is open."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds per problem")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], help="sets")
    chosen = parser.parse_args()
    heading(chosen.limit, chosen.seeds)
    table = [["set", "proven", "pools by evidence", "proven plans by", "gap %", "worst %", "CPU s"]]
    everything: list[Closed] = []
    for name, make in sets(chosen.seeds).items():
        if chosen.only and name not in chosen.only:
            continue
        found = [solve(problem, chosen.limit) for problem in make()]
        everything += found
        if found:
            table.append(row(name, found))
    show([*table, row("all", everything)])
    for closed in everything:
        if not closed.optimal:
            size = f"{closed.cost:,} of at least {closed.bound:,} bytes, {closed.gap:.2f} %"
            print(f"open: {closed.name} ({closed.blocks} blocks): {size}, plan by {closed.by}; {closed.reason}")


if __name__ == "__main__":
    main()
