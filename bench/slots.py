"""Slot plans: the networks of ../shared/real and generated ones, against HiGHS and CP-SAT on the class form.

    python -m bench.slots [--real] [--generated] [--seeds N] [--counts 50,100] [--limit S] [--peer-limit S]
                          [--no-peers]

All times are CPU seconds of this process. *plan* is what happens between a program that was read and its verdict: who
may share, presolve, bounds, search, the guarantee query to z3, the certificate. *check* is the independent checker on
top; every verdict is judged by it, and one that it refuses ends the run. Reading (real files) and what a whole
`smtalloc plan FILE` takes stand beside. A peer's time has its model's construction in it. "Proven" means proven, and
within 10 CPU seconds; for peers it is what they say.

CP-SAT is measured where it is installed: extra `cpsat`.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from bench.instances import COUNTS, FAMILIES
from bench.slot_peers import PEERS, Outcome, installed, solve
from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.check import Rejection, check_verdict
from smtalloc.order import conflicts
from smtalloc.plan import Certificate, Feasible, Optimal, Policy, TypeRule
from smtalloc.program import Program

SHARED = Path(os.environ.get("SMTALLOC_SHARED", Path(__file__).parents[1] / ".." / "shared"))
_ENOUGH_S = 10.0
_WARM_UP = FAMILIES["dense"](60, 0)


@dataclass(frozen=True, slots=True)
class Run:
    """One problem."""

    name: str
    buffers: int
    cost: int
    bound: int
    optimal: bool
    rungs: tuple[str, ...]
    """What closes each part of two buffers or more: clique, dual, refutation, open."""
    plan_s: float
    check_s: float
    peers: dict[str, Outcome] = field(default_factory=dict[str, Outcome])

    @property
    def proven(self) -> bool:
        return self.optimal and self.plan_s <= _ENOUGH_S


def measure(
    program: Program,
    policy: Policy,
    types: TypeRule,
    *,
    limit_s: float,
    peers: Sequence[str],
    peer_limit_s: float = 0.0,
    runs: int = 1,
) -> Run:
    """Plan, check, and ask the peers. Times are medians of `runs`. Raises RuntimeError if the checker refuses."""
    timed = [_timed(program, policy, types, limit_s) for _ in range(runs)]
    verdict = timed[-1][0]
    problem = conflicts(program, policy, types)
    outcomes = {peer: solve(problem, peer, peer_limit_s) for peer in peers}
    cost = verdict.plan.cost_bytes(program) + verdict.plan.dynamic_slots(program)
    lower = verdict.certificate.bound_bytes + verdict.certificate.bound_slots
    for peer, outcome in outcomes.items():
        if outcome.cost is None or outcome.relaxed:
            continue
        if outcome.cost < lower or (outcome.proven and outcome.cost > cost):
            raise RuntimeError(f"{program.name}: {peer} says {outcome.cost}, we say {lower} to {cost}")
    return Run(
        program.name,
        len(problem.items),
        cost,
        lower,
        isinstance(verdict, Optimal),
        _rungs(program, verdict),
        statistics.median(plan_s for _, plan_s, _ in timed),
        statistics.median(check_s for _, _, check_s in timed),
        outcomes,
    )


def _timed(
    program: Program, policy: Policy, types: TypeRule, limit_s: float
) -> tuple[Optimal | Feasible, float, float]:
    start = time.process_time()
    verdict = plan_slots(conflicts(program, policy, types), SolveOptions(time_limit_s=limit_s))
    planned = time.process_time()
    checked = check_verdict(program, verdict, policy=policy, types=types)
    done = time.process_time()
    if isinstance(checked, Rejection) and (
        policy is not Policy.PROGRAM_ORDER or any(k != "unsafe" for k in checked.kinds)
    ):
        raise RuntimeError(f"{program.name}: {checked.kind}: {checked.reason}")
    return verdict, planned - start, done - planned


def _rungs(program: Program, verdict: Optimal | Feasible) -> tuple[str, ...]:
    slot_of = verdict.plan.slot_of()
    found: list[str] = []
    for part in verdict.certificate.parts:
        slots = {slot_of[b] for b in part.buffers}
        sizes = (verdict.plan.size_bytes(slot, program) for slot in slots)
        cost = len(slots) if part.dynamic else sum(size or 0 for size in sizes)
        if len(part.buffers) > 1:
            (kind,) = Certificate((part,)).kinds
            found.append(kind if cost == part.bound else "open")
    return tuple(found)


# --- real networks -----------------------------------------------------------------------------------------


def real(runs: int, limit_s: float) -> list[Run]:
    """Every function of every file, all policies, both type rules."""
    from smtalloc.mlir.session import load

    found: list[Run] = []
    rows = [["function", "buffers", "actions", "read", "plan", "plan, worst", "check", "smtalloc plan", "MiB", "rung"]]
    for path in sorted((SHARED / "real").glob("*.mlir")):
        start = time.process_time()
        source = load(str(path), None)
        read = time.process_time() - start
        whole = _command(path)
        for program in source.programs:
            here = [
                measure(program, policy, types, limit_s=limit_s, peers=(), runs=runs)
                for types in TypeRule
                for policy in Policy
            ]
            found += here
            plans = [run.plan_s for run in here]
            rows.append(
                [
                    path.name.removesuffix(".mlir"),
                    str(here[0].buffers),
                    str(len(program.actions)),
                    f"{read:.2f}",
                    f"{statistics.median(plans):.3f}",
                    f"{max(plans):.3f}",
                    f"{statistics.median(run.check_s for run in here):.3f}",
                    f"{whole:.2f}",
                    f"{here[-1].cost / 2**20:.1f}",
                    ", ".join(f"{n} {kind}" for kind, n in Counter(k for run in here for k in run.rungs).items()),
                ]
            )
    _table(rows)
    plans = [run.plan_s for run in found]
    print(
        f"{len(found)} problems, {sum(run.proven for run in found)} proven optimal; plan: median "
        f"{statistics.median(plans):.4f} s, worst {max(plans):.3f} s\n"
    )
    return found


def _command(path: Path) -> float:
    """CPU seconds of `smtalloc plan FILE --emit json`, the interpreter's start and all imports included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "smtalloc.cli", "plan", str(path), "--emit", "json"]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# --- generated networks ------------------------------------------------------------------------------------


def generated(
    seeds: int, counts: Sequence[int], limit_s: float, peers: Sequence[str], peer_limit_s: float
) -> list[Run]:
    """Every family and number of buffers; one row each."""
    head = ["family", "buffers", "proven", "plan", "check", "gap %"]
    rows = [[*head, *(f"{peer} {what}" for peer in peers for what in ("proven", "time", "ratio"))]]
    found: list[Run] = []
    for family, make in FAMILIES.items():
        policy = Policy.HAPPENS_BEFORE if family == "host" else Policy.HOST_EXCLUSIVE
        types = TypeRule.STRICT if family == "types" else TypeRule.BYTES
        for count in counts:
            here = [
                measure(make(count, seed), policy, types, limit_s=limit_s, peers=peers, peer_limit_s=peer_limit_s)
                for seed in range(seeds)
            ]
            found += here
            rows.append([family, str(count), *_summary(here, peers)])
            print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    rows.append(["all", "", *_summary(found, peers)])
    _table(rows)
    print("times: medians; ratio: geometric mean of the peer's time over that of plan\n")
    return found


def _summary(runs: Sequence[Run], peers: Sequence[str]) -> list[str]:
    cells = [
        f"{sum(run.proven for run in runs)}/{len(runs)}",
        f"{statistics.median(run.plan_s for run in runs):.3f}",
        f"{statistics.median(run.check_s for run in runs):.3f}",
        f"{100 * statistics.mean((run.cost - run.bound) / max(1, run.bound) for run in runs):.3f}",
    ]
    for peer in peers:
        outcomes = [run.peers[peer] for run in runs]
        ratio = math.exp(statistics.mean(math.log(run.peers[peer].cpu_s / run.plan_s) for run in runs))
        cells += [
            f"{sum(outcome.proven and outcome.cpu_s <= _ENOUGH_S for outcome in outcomes)}/{len(outcomes)}",
            f"{statistics.median(outcome.cpu_s for outcome in outcomes):.3f}",
            f"{ratio:.2f}",
        ]
    return cells


# --- output ------------------------------------------------------------------------------------------------


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def heading(peers: Sequence[str]) -> None:
    """Machine and versions."""
    versions = ", ".join(f"{peer} {installed(peer)}" for peer in peers)
    print(f"CPU seconds; smtalloc {version('smtalloc')}, z3 {version('z3-solver')}, {versions or 'no peers'}")
    machine = f"{platform.machine()}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}"
    print(f"Python {platform.python_version()}, {machine}, {platform.system()} {platform.release()}\n")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", action="store_true", help="only the real networks")
    parser.add_argument("--generated", action="store_true", help="only the generated ones")
    parser.add_argument("--seeds", type=int, default=3, help="per family and number of buffers, from 0 up")
    parser.add_argument("--counts", default=",".join(map(str, COUNTS)))
    parser.add_argument("--runs", type=int, default=3, help="of which medians are taken, on real networks")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds of wall time per problem")
    parser.add_argument("--peer-limit", type=float, help="the same for peers, --limit if not given")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    peers = [] if options.no_peers or (options.real and not options.generated) else [p for p in PEERS if installed(p)]
    peer_limit_s = options.limit if options.peer_limit is None else options.peer_limit
    heading(peers)
    print(f"limits, wall time: {options.limit:g} s, peers {peer_limit_s:g} s; seeds 0 to {options.seeds - 1}\n")
    measure(
        _WARM_UP, Policy.HOST_EXCLUSIVE, TypeRule.BYTES, limit_s=5, peers=peers, peer_limit_s=5
    )  # loads the solvers
    found: list[Run] = []
    if options.real or not options.generated:
        found += real(options.runs, options.limit)
    if options.generated or not options.real:
        counts = [int(count) for count in options.counts.split(",")]
        found += generated(options.seeds, counts, options.limit, peers, peer_limit_s)
    rungs = Counter(rung for run in found for rung in run.rungs)
    shares = ", ".join(f"{kind} {n} ({100 * n / rungs.total():.1f} %)" for kind, n in rungs.most_common())
    print(f"Parts of two buffers or more, by what closes them: {shares}")


if __name__ == "__main__":
    main()
