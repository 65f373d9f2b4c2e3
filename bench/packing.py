"""The arena packing table: `python bench/packing.py [--help]`.

Per instance: buffers, the bound that our certificate proves, our height, its ratio to the bound, whether it is proven
optimal, our CPU seconds (the whole planner, with the certificate), and those of the peers of the same run. MiniMalloc's
binary is used if it is on PATH; otherwise its CPU seconds at the load bound are quoted (google/minimalloc on a 2-core
machine; issue 4). TFLite's greedy by size is written again here. CP-SAT is asked for a placement at the bound, if
`ortools` is installed and `--ortools` given.

Every answer is judged by the independent checker, and every placement here by a sweep that shares nothing with it.
"""

from __future__ import annotations

import argparse
import bisect
import csv
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from arena_instances import FAMILIES
from arena_sets import arena_of, cpu_seconds
from rich.console import Console
from rich.table import Table

from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_tasks import pool_task
from smtalloc.check_arena import ArenaAccepted, check_arena_verdict
from smtalloc.packing import POOL
from smtalloc.plan import FeasibleArena, OptimalArena
from smtalloc.solvers import base, cpsat, kernel
from smtalloc.solvers.kernel import Problem

SHARED = Path(os.environ.get("SMTALLOC_SHARED", Path(__file__).parents[1] / ".." / "shared"))
QUOTED = {"A": 9.2, "B": 6.6, "C": 0.03, "E": 6.7, "F": 10.5, "G": 2.3, "H": 3.0, "I": 5.6, "K": 0.83}
"""CPU seconds of MiniMalloc at the load bound. D and J: no answer in 120 s."""
BEST_KNOWN = {"D": 1_031_168, "J": 1_039_360}
"""Before smtalloc, in bytes."""
SEED = 1


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Heights and bound in bytes, times in CPU seconds."""

    name: str
    buffers: int
    bound: int
    height: int
    proven: bool
    cpu_s: float
    greedy: int
    peer_s: float | None
    quoted: bool


def read(path: Path) -> Problem:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return Problem([int(r["size"]) for r in rows], [(int(r["lower"]), int(r["upper"])) for r in rows])


def check(problem: Problem, offsets: Sequence[int]) -> None:
    """No byte in use twice: a sweep over time, with what is live sorted by offset. Raises `AssertionError`."""
    events = sorted((t, kind, j) for j, life in enumerate(problem.lives) for t, kind in zip(life, (1, 0), strict=True))
    live: list[tuple[int, int]] = []
    for _, kind, j in events:
        entry = (offsets[j], offsets[j] + problem.sizes[j])
        if problem.sizes[j] == 0 or problem.lives[j][0] == problem.lives[j][1]:
            continue
        at = bisect.bisect_left(live, entry)
        if kind == 0:
            assert live.pop(at) == entry
            continue
        assert at == 0 or live[at - 1][1] <= entry[0], "a byte is in use twice"
        assert at == len(live) or entry[1] <= live[at][0], "a byte is in use twice"
        live.insert(at, entry)


def greedy_by_size(problem: Problem) -> int:
    """TFLite's arena planner: largest first, at the lowest gap that is large enough among those live together."""
    order = sorted(range(len(problem)), key=lambda j: (-problem.sizes[j], problem.lives[j][0]))
    placed: list[tuple[int, int, int, int]] = []
    height = 0
    for j in order:
        lower, upper = problem.lives[j]
        size = problem.sizes[j]
        offset = 0
        for bottom, top, birth, death in placed:
            if birth < upper and lower < death:
                if bottom - offset >= size:
                    break
                offset = max(offset, top)
        bisect.insort(placed, (offset, offset + size, lower, upper))
        height = max(height, offset + size)
    return height


def minimalloc_seconds(path: Path, bound: int, limit_s: float) -> float | None:
    """CPU seconds of the binary at the load bound; infinite if it gave no placement, None if there is no binary."""
    binary = shutil.which("minimalloc")
    if binary is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [
            binary,
            f"--capacity={bound}",
            f"--input={path}",
            f"--output={folder}/out.csv",
            f"--timeout={limit_s:.0f}s",
        ]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        output = Path(folder) / "out.csv"
        return after - before if output.exists() and output.stat().st_size else math.inf


def cp_sat_seconds(problem: Problem, bound: int, limit_s: float) -> float:
    """CPU seconds of CP-SAT to fit the problem at the bound; infinite if it fails."""
    task = pool_task(arena_of("", problem), POOL)
    start = time.process_time()
    found = cpsat.pack(task, bound // task.unit, deadline=time.monotonic() + limit_s)
    return time.process_time() - start if found.status is base.Status.SAT else math.inf


def measure(name: str, problem: Problem, limit_s: float, *, peer_s: float | None, quoted: bool) -> Row:
    """The planner with its certificate, in CPU seconds of this process and of CaDiCaL's; then everything is checked."""
    arena = arena_of(name, problem)
    start = cpu_seconds()
    verdict = plan_arena(arena, ArenaOptions(time_limit_s=limit_s, seed=SEED))
    cpu_s = cpu_seconds() - start
    assert isinstance(verdict, OptimalArena | FeasibleArena)
    assert isinstance(check_arena_verdict(arena, verdict), ArenaAccepted), "the checker refuses"
    (pool,) = verdict.plan.pools
    check(problem, [at for _, at in pool.offsets])
    greedy = greedy_by_size(problem) if len(problem) <= 2_000 else 0
    bound, proven = verdict.certificate.bound_bytes, isinstance(verdict, OptimalArena)
    return Row(name, len(problem), bound, pool.size_bytes, proven, cpu_s, greedy, peer_s, quoted)


def minimalloc_rows(limit_s: float, *, skip_hard: bool) -> Iterator[Row]:
    for path in sorted((SHARED / "minimalloc").glob("*.csv")):
        name = path.name.split(".")[0]
        if skip_hard and name in BEST_KNOWN:
            continue
        problem = read(path)
        measured = minimalloc_seconds(path, kernel.first_fit(problem).bound, limit_s)
        peer_s = QUOTED.get(name, math.inf) if measured is None else measured
        yield measure(name, problem, limit_s, peer_s=peer_s, quoted=measured is None)


def large_rows(limit_s: float, sizes: Sequence[int]) -> Iterator[Row]:
    for path in sorted((SHARED / "large").glob("*.csv")):
        yield measure(path.stem, read(path), limit_s, peer_s=None, quoted=False)
    for family, make in FAMILIES.items():
        for n in sizes:
            yield measure(f"{family} {n} seed {SEED}", make(n, SEED), limit_s, peer_s=None, quoted=False)


def ratio(height: int, bound: int) -> str:
    return f"{height / bound:.4f}" if bound and height else "-"


def table(title: str, rows: Iterator[Row], console: Console) -> list[Row]:
    """Print as it comes to the log, then the table."""
    shown = Table(title=title)
    for column in (
        "instance",
        "buffers",
        "bound",
        "height",
        "ratio",
        "proven",
        "CPU s",
        "MiniMalloc s",
        "times",
        "greedy",
    ):
        shown.add_column(column, justify="left" if column in {"instance", "proven"} else "right")
    done: list[Row] = []
    for row in rows:
        done.append(row)
        console.log(f"{row.name}: {ratio(row.height, row.bound)} in {row.cpu_s:.3f} s", _stack_offset=2)
        peer, times = "-", "-"
        if row.peer_s is not None:
            peer = "none" if math.isinf(row.peer_s) else f"{row.peer_s:.2f}{' quoted' if row.quoted else ''}"
            times = f"{row.peer_s / row.cpu_s:.0f}" if row.proven and not math.isinf(row.peer_s) else "-"
        best = BEST_KNOWN.get(row.name)
        height = f"{row.height:,}" + (f" (was {best:,})" if best else "")
        cells = (row.name, f"{row.buffers:,}", f"{row.bound:,}", height, ratio(row.height, row.bound))
        proven = "yes" if row.proven else "no"
        shown.add_row(*cells, proven, f"{row.cpu_s:.3f}", peer, times, ratio(row.greedy, row.bound))
    console.print(shown)
    return done


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(math.log(max(value, 1e-4)) for value in values) / len(values))


def header(console: Console, limit_s: float) -> None:
    try:
        ortools = version("ortools")
    except PackageNotFoundError:
        ortools = "not installed"
    console.print(
        f"machine: {platform.machine()}, {os.cpu_count()} cores, {platform.platform()}, load {os.getloadavg()[0]:.1f}"
    )
    console.print(
        f"smtalloc {version('smtalloc')}, Python {platform.python_version()}, ortools {ortools}, 1 thread, seed {SEED}"
    )
    console.print(
        f"MiniMalloc: {shutil.which('minimalloc') or 'not on PATH, its figures are quoted'}; limit {limit_s:g} s"
    )


def million(console: Console) -> None:
    problem = FAMILIES["training"](1_000_000, SEED)
    start = time.process_time()
    answer = kernel.first_fit(problem, deadline=time.monotonic() + 600)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    cpu_s = time.process_time() - start
    check(problem, answer.offsets)
    console.print(
        f"training 1,000,000: {ratio(answer.height, answer.bound)}, {cpu_s:.1f} CPU s, {peak:.2f} GiB resident at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each of MiniMalloc's set")
    parser.add_argument("--large-limit", type=float, default=10.0, help="seconds for each large instance")
    parser.add_argument("--sizes", default="1000,10000,50000", help="buffers of generated instances")
    parser.add_argument("--million", action="store_true", help="and one of 1,000,000 buffers")
    parser.add_argument("--ortools", action="store_true", help="ask CP-SAT too, where it is installed")
    parser.add_argument("--skip-hard", action="store_true", help="leave out D and J")
    options = parser.parse_args()
    if not kernel.AVAILABLE:
        sys.exit("the kernel is not compiled")
    console = Console(width=150)
    header(console, options.time_limit)
    rows = table("MiniMalloc's set", minimalloc_rows(options.time_limit, skip_hard=options.skip_hard), console)
    proven = [row for row in rows if row.proven]
    if proven:
        ours = geometric_mean([row.cpu_s for row in proven])
        peer = geometric_mean([row.peer_s or math.inf for row in proven if row.peer_s and not math.isinf(row.peer_s)])
        console.print(
            f"{len(proven)} proven; geometric mean {ours:.3f} CPU s, MiniMalloc {peer:.3f}, {peer / ours:.0f} times"
        )
    if options.ortools:
        for path in sorted((SHARED / "minimalloc").glob("*.csv")):
            problem = read(path)
            seconds = cp_sat_seconds(problem, kernel.first_fit(problem).bound, options.time_limit)
            console.print(
                f"CP-SAT at the bound, {path.name[0]}: {'no answer' if math.isinf(seconds) else f'{seconds:.1f} CPU s'}"
            )
    table("Large", large_rows(options.large_limit, [int(n) for n in options.sizes.split(",")]), console)
    if options.million:
        million(console)


if __name__ == "__main__":
    main()
