"""What each step of the slot planner is worth: all steps, then each one left out.

    python -m bench.ablation [--seeds N] [--counts 50,200] [--limit S]

Generated networks (bench/instances.py) and, where ../shared is, the real ones whose clique bound is not tight. Times
are CPU seconds, as in bench/slots.py; *ratio* is the geometric mean of the time without the step over that with all.
The checker judges every verdict. A problem counts as proven within 10 CPU seconds.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from bench.instances import FAMILIES, networks
from bench.slots import SHARED, heading
from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.check import Rejection, check_verdict
from smtalloc.order import Conflicts, conflicts
from smtalloc.plan import Optimal, Policy, TypeRule

_ENOUGH_S = 10.0
SWITCHES = tuple(field.name for field in fields(SolveOptions) if isinstance(field.default, bool))


@dataclass(frozen=True, slots=True)
class Result:
    """One problem with one choice of steps."""

    proven: bool
    gap: float
    cpu_s: float


def solve(problem: Conflicts, options: SolveOptions) -> Result:
    """Plan, check, measure. Raises RuntimeError if the checker refuses."""
    start = time.process_time()
    verdict = plan_slots(problem, options)
    cpu_s = time.process_time() - start
    checked = check_verdict(problem.program, verdict, policy=problem.policy, types=problem.types)
    if isinstance(checked, Rejection):
        raise RuntimeError(f"{problem.program.name}: {checked.kind}: {checked.reason}")
    gap = (checked.cost_bytes - checked.lower_bound_bytes) / max(1, checked.lower_bound_bytes)
    return Result(isinstance(verdict, Optimal) and cpu_s <= _ENOUGH_S, gap, cpu_s)


def problems(seeds: int, counts: Sequence[int]) -> list[Conflicts]:
    """The set that every choice of steps is measured on."""
    found: list[Conflicts] = []
    for family, _, program in networks(seeds, counts):
        policy = Policy.HAPPENS_BEFORE if family == "host" else Policy.HOST_EXCLUSIVE
        types = TypeRule.STRICT if family == "types" else TypeRule.BYTES
        found.append(conflicts(program, policy, types))
    for name in ("squeezenet", "densenet121"):
        path = SHARED / "real" / f"{name}.mlir"
        if path.exists():
            from smtalloc.mlir.session import load

            found += [conflicts(p, Policy.HOST_EXCLUSIVE) for p in load(str(path), None).programs]
    return found


def row(name: str, results: Sequence[Result], base: Sequence[Result]) -> str:
    """One line of the table."""
    ratio = math.exp(statistics.mean(math.log(r.cpu_s / b.cpu_s) for r, b in zip(results, base, strict=True)))
    proven, total = sum(r.proven for r in results), sum(r.cpu_s for r in results)
    gap = 100 * statistics.mean(r.gap for r in results)
    return f"{name:16} {proven:4}/{len(results):<4} {total:9.2f} {ratio:7.2f} {gap:9.4f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--counts", default="50,100,200")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of wall time per problem")
    options = parser.parse_args()
    heading(())
    everything = SolveOptions(time_limit_s=options.limit)
    solve(conflicts(FAMILIES["dense"](60, 0), Policy.HOST_EXCLUSIVE), everything)  # loads the solvers
    chosen = problems(options.seeds, [int(count) for count in options.counts.split(",")])
    base = [solve(problem, everything) for problem in chosen]
    print(f"{'left out':16} {'proven':>9} {'CPU s':>9} {'ratio':>7} {'gap %':>9}")
    print(row("nothing", base, base), flush=True)
    variants: dict[str, dict[str, bool | int]] = {name: {name: False} for name in SWITCHES}
    variants["local search"] = {"rounds": 0}
    solvers = {"mip": False, "z3": False, "refute": False, "cpsat": False}
    variants["lp and solvers"] = {"lp": False, **solvers}
    variants["all search"] = {"heuristics": False, "fit": False, "rounds": 0, **solvers}
    for name, switches in variants.items():
        results = [solve(problem, replace(everything, **switches)) for problem in chosen]  # pyright: ignore[reportArgumentType]
        print(row(name, results, base), flush=True)


if __name__ == "__main__":
    main()
