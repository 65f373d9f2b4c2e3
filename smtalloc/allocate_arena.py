"""Minimum arena plans: presolve, bounds, heuristics, exact search, proof -> a verdict with its evidence.

    blocks of a pool -> pieces -> heaviest stack, high places          = a bound, with evidence
                     -> first fit over several orders                  reaches the bound? done
                     -> dominated, easy ones aside -> parts -> first fit again
    part -> bundles of pieces, packed                                  at the bound
         -> the packing search  |  CaDiCaL, on the other core          at the bound, then below the best
            (more bundles)      |  windows of time, where it is long   above the bound, then between it and the best
                                |  CP-SAT joins them (else z3)         at the bound, then between it and the best
         -> CaDiCaL refutes "less than the best"                       = a bound, with (chains and) a DRUP proof
    parts -> pool, with what was set aside

Nothing rests on the engines: a verdict is `OptimalArena` only where cost meets a bound that check_arena.py verifies
again, and `InfeasibleArena` only where such a bound exceeds the capacity (docs/certificates.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from smtalloc import arena_bounds, arena_heuristics
from smtalloc.arena_core import contradiction, smallest_core
from smtalloc.arena_search import Part, close, quick
from smtalloc.arena_tasks import Aside, Task, components, dominated, easy, in_units, part_of, pool_task
from smtalloc.encode_arena import ArenaEncoding
from smtalloc.options import Progress
from smtalloc.packing import ArenaProblem, PoolLimits
from smtalloc.plan import (
    Arena,
    ArenaCertificate,
    ArenaVerdict,
    FeasibleArena,
    InfeasibleArena,
    OptimalArena,
    Pool,
    PoolBound,
    Stack,
    Unknown,
)
from smtalloc.solvers import kernel

_MOST_PAIRWISE = 3_000
"""Pieces up to which they are compared pairwise for presolve."""


@dataclass(frozen=True, slots=True)
class ArenaOptions:
    """Switches of `plan_arena`. Each step can be left out; the answer stays honest without any of them."""

    time_limit_s: float = 60.0
    """For the search; writing and checking the plan comes on top."""
    seed: int = 0
    gcd: bool = True
    components: bool = True
    dominated: bool = True
    """Only where the kernel does not search: its orders go wrong without the pieces that guide them (MiniMalloc's A
    takes it 0.3 s with them and 8 s without, I 0.15 s and more than 12)."""
    easy: bool = True
    symmetry: bool = True
    """Equal pieces in one order only, in the encodings."""
    heuristics: bool = True
    rounds: int = 300
    """Rounds of the search over orders in Python, where the compiled kernel is not used."""
    kernel: bool = True
    """The compiled packing search."""
    bundles: bool = True
    """Pieces joined to fewer ones, which the packing search places; where there is a kernel."""
    windows: bool = True
    """The packing search on one window of time after the other, and CaDiCaL on some, in long pools; where there is a
    kernel."""
    z3: bool = True
    """Where CP-SAT is not asked."""
    encoding: ArenaEncoding = ArenaEncoding.ORDER
    """What z3 is asked in."""
    cpsat: bool = True
    """CP-SAT, where ortools is installed: plans, from the bound up."""
    only_z3: bool = False
    """Leave the exact search to z3 alone (`plan --encoding`)."""
    refute: bool = True
    """CaDiCaL on the order encoding, where python-sat is installed and the part is small enough."""
    orders: bool = True
    """CaDiCaL on the order of the blocks, with chains as lemmas: for pools of many units."""
    progress: Callable[[Progress], None] | None = None


@dataclass
class PoolRun:
    """What is known about one pool. Fields are replaced as a whole, so that an interrupt leaves them valid."""

    problem: ArenaProblem
    task: Task
    bound: PoolBound
    limits: PoolLimits
    offsets: tuple[int, ...]
    """A plan of all pieces, in units of the task; what the parts know may be better."""
    parts: list[tuple[tuple[int, ...], Part]] = field(default_factory=list[tuple[tuple[int, ...], Part]])
    """Positions in the task, and the state of the part."""
    aside: list[Aside] = field(default_factory=list[Aside])

    @property
    def bound_units(self) -> int:
        """The bound, rounded down to units: no plan is lower."""
        return self.bound.bound_bytes // self.task.unit

    def raise_bound(self, found: PoolBound) -> None:
        if found.bound_bytes > self.bound.bound_bytes:
            self.bound = found

    def assembled(self) -> tuple[int, ...]:
        """The parts side by side, then what was set aside, in reverse; the better one of that and `offsets`."""
        if not self.parts:
            return self.offsets
        offsets, placed = [0] * len(self.task), 0
        for members, part in self.parts:
            for i, at in zip(members, part.best, strict=True):
                offsets[i] = at * part.task.unit // self.task.unit
                placed |= 1 << i
        for aside in reversed(self.aside):
            i = aside.piece
            if aside.where is None:
                offsets[i] = arena_heuristics.lowest(self.task, i, offsets, placed)
            else:
                offsets[i] = offsets[aside.where]
            placed |= 1 << i
        return min(tuple(offsets), self.offsets, key=self.task.top)

    @property
    def height(self) -> int:
        """Of the best plan, in bytes, as far as the parts say."""
        if not self.parts:
            return self.task.top(self.offsets) * self.task.unit
        return max(part.height_bytes for _, part in self.parts)


@dataclass
class Run:
    """One call of `plan_arena`."""

    problem: ArenaProblem
    options: ArenaOptions
    started: float = field(default_factory=time.monotonic)
    pools: list[PoolRun] = field(default_factory=list[PoolRun])
    interrupted: bool = False

    @property
    def deadline(self) -> float:
        return self.started + self.options.time_limit_s

    @property
    def late(self) -> bool:
        return time.monotonic() >= self.deadline

    def report(self, phase: str) -> None:
        if self.options.progress is not None:
            self.options.progress(
                Progress(
                    phase,
                    sum(pool.bound.bound_bytes for pool in self.pools),
                    sum(pool.height for pool in self.pools),
                    time.monotonic() - self.started,
                )
            )


def plan_arena(problem: ArenaProblem, options: ArenaOptions | None = None) -> ArenaVerdict:
    """Offsets for all blocks, in pools that are as small as was found in the time allowed.

    Ctrl-C ends the search and gives the best plan so far; a second one is raised as `KeyboardInterrupt`.
    Raises InputError where a group cannot have one offset.
    """
    run = Run(problem, options or ArenaOptions())
    impossible = contradiction(problem)
    if impossible is not None:
        return impossible
    run.pools = [_start(problem, pool, run.options) for pool in problem.pools]
    try:
        _search(run)
    except KeyboardInterrupt:
        run.interrupted = True
    return _verdict(run)


def _start(problem: ArenaProblem, pool: str, options: ArenaOptions) -> PoolRun:
    task = pool_task(problem, pool, gcd=options.gcd)
    nothing = PoolBound(pool, 0, Stack(()))
    return PoolRun(problem, task, nothing, problem.limits_of[pool], arena_heuristics.first_plan(task))


def _search(run: Run) -> None:
    """Bounds and quick plans for all pools, then the slow engines for the parts that are still open."""
    for pool in run.pools:
        if run.late:
            return
        _bound(pool)
    run.report("bounds")
    for pool in run.pools:
        if run.late:
            return
        if not _over_capacity(pool):
            _quick(run, pool)
    joined = any(part.by == "bundles" for pool in run.pools for _, part in pool.parts)
    run.report("bundles" if joined else "first fit")
    open_ = [
        (pool, part) for pool in run.pools if not _over_capacity(pool) for _, part in pool.parts if not part.closed
    ]
    open_.sort(key=lambda pair: len(pair[1].task))
    for index, (pool, part) in enumerate(open_):
        left = run.deadline - time.monotonic()
        if left <= 0:
            return
        # a part decides only where it is higher than what another one is known to need
        part.target = max(part.target, pool.bound.bound_bytes // part.task.unit)
        if not part.closed:
            deadline = time.monotonic() + left / (len(open_) - index)
            close(part, run.options, deadline, run.report, pool.limits.capacity_bytes)
        if part.refuted is not None:
            pool.raise_bound(part.refuted)
        run.report(part.by)


def _over_capacity(pool: PoolRun) -> bool:
    return pool.limits.capacity_bytes is not None and pool.bound.bound_bytes > pool.limits.capacity_bytes


def _bound(pool: PoolRun) -> None:
    for found in arena_bounds.pool_bounds(pool.problem, pool.task):
        pool.raise_bound(found)
    if all(len(piece.blocks) == 1 for piece in pool.task.pieces):
        pool.raise_bound(arena_bounds.stack_bound(pool.problem, pool.task, arena_bounds.heaviest(pool.task)))


def _quick(run: Run, pool: PoolRun) -> None:
    """First fit on the whole pool; where that is not enough, presolve, and first fit on what is left."""
    whole = Part(pool.problem, pool.task, pool.bound_units, pool.offsets)
    pool.parts = [(tuple(range(len(pool.task))), whole)]
    quick(whole, run.options, run.deadline)
    pool.offsets = whole.best
    if whole.closed:
        return
    _presolve(run.options, pool)
    for members, part in pool.parts:
        if not run.late and len(members) < len(pool.task):
            quick(part, run.options, run.deadline)


def _presolve(options: ArenaOptions, pool: PoolRun) -> None:
    """Set pieces aside and split the rest; the parts start from the plan of the whole."""
    task = pool.task
    members = list(range(len(task)))
    aside: list[Aside] = []
    if len(task) <= _MOST_PAIRWISE:
        if options.dominated and (options.only_z3 or not (options.kernel and kernel.AVAILABLE)):
            aside += dominated(task)
            gone = {a.piece for a in aside}
            members = [i for i in members if i not in gone]
        if options.easy:
            found = easy(task, members, pool.bound_units)
            aside += found
            gone = {a.piece for a in found}
            members = [i for i in members if i not in gone]
    split = components(part_of(task, members)) if options.components and members else [list(range(len(members)))]
    parts: list[tuple[tuple[int, ...], Part]] = []
    for positions in split:
        chosen = tuple(members[p] for p in positions)
        part = part_of(task, chosen)
        part = in_units(part) if options.gcd else part
        target = pool.bound.bound_bytes // part.unit
        known = tuple(pool.offsets[i] * task.unit // part.unit for i in chosen)
        best = min(known, arena_heuristics.first_plan(part), key=part.top)
        parts.append((chosen, Part(pool.problem, part, target, best)))
    pool.aside = aside
    pool.parts = parts


# --- the answer --------------------------------------------------------------------------------------------


def _verdict(run: Run) -> ArenaVerdict:
    pools: list[Pool] = []
    for pool in run.pools:
        capacity = pool.limits.capacity_bytes
        if capacity is not None and pool.bound.bound_bytes > capacity:
            return _infeasible(run, pool, capacity)
        found = _as_pool(pool)
        if capacity is not None and found.size_bytes > capacity:
            return Unknown(
                f"no plan found for pool {pool.task.pool!r} within {capacity:,} bytes "
                f"(best {found.size_bytes:,}, at least {pool.bound.bound_bytes:,}): {_reason(run)}"
            )
        pools.append(found)
    plan = Arena(tuple(pools))
    certificate = ArenaCertificate(tuple(pool.bound for pool in run.pools))
    if plan.cost_bytes == certificate.bound_bytes:
        return OptimalArena(plan, certificate)
    return FeasibleArena(plan, certificate, _reason(run))


def _as_pool(pool: PoolRun) -> Pool:
    task = pool.task
    offsets = pool.assembled()
    placed = [(b, at * task.unit) for piece, at in zip(task.pieces, offsets, strict=True) for b in piece.blocks]
    return Pool(task.pool, task.top(offsets) * task.unit, tuple(sorted(placed)))


def _infeasible(run: Run, pool: PoolRun, capacity: int) -> InfeasibleArena:
    # some time beyond the limit is worth a core that says something
    deadline = max(run.deadline, time.monotonic() + min(1.0, run.options.time_limit_s))
    return smallest_core(run.problem, pool.task, pool.bound, capacity, 0 if run.interrupted else deadline)


def _reason(run: Run) -> str:
    """Why the gap is open, in one sentence."""
    if run.interrupted:
        return "interrupted"
    open_ = [part for pool in run.pools for _, part in pool.parts if not part.closed]
    believed = sorted({part.believed for part in open_ if part.believed})
    if believed and all(part.believed for part in open_):
        names = " and ".join(believed)
        return f"{names} found no smaller plan, but without a certificate that could be checked independently"
    if run.late:
        return f"time limit of {run.options.time_limit_s:g} s reached"
    return "the engines at hand did not close the gap"
