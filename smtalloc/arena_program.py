"""A function as an arena problem: its movable allocations of known size in one pool per memory space.

Allocations that must not move are pools of their own, named after themselves. Returned ones start a pool. Allocations
of run-time size share whole slots, as in the slot model (allocate.py), and the slots stand behind the blocks of their
pool (arena_tails.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from smtalloc.allocate import plan_slots
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_tails import PoolBlocks, Tails, tails
from smtalloc.arena_tasks import incomparable
from smtalloc.bitsets import restrict
from smtalloc.options import SolveOptions
from smtalloc.order import Conflicts
from smtalloc.order import conflicts as conflicts_of
from smtalloc.packing import POOL, ArenaProblem, Block, PoolLimits, Span
from smtalloc.plan import ArenaVerdict, Feasible, FeasibleArena, Optimal, OptimalArena, Slots, TypeRule
from smtalloc.program import Buffer, Program
from smtalloc.task import timeline_of


@dataclass(frozen=True, slots=True)
class Seat:
    """The pool of an allocation of known size, and where it has to be in it (None: anywhere)."""

    pool: str
    offset: int | None = None


def seats(program: Program, *, get_pool: bool = False) -> dict[int, Seat]:
    """Where the allocations of known size go: buffer -> seat.

    One pool per memory space. Whoever gets memory back frees it from its start: of the returned allocations of a space
    the largest starts the pool, and the others are pools of their own. So are those that must not move.

    `get_pool`: the pool is memory of the runtime, on the device, aligned to 256 bytes, and kept by it. What the host
    accesses, what is returned, and what is in another memory space then stays outside.
    """
    found: dict[int, Seat] = {}
    returned: dict[str, int] = {}
    for b, buffer in enumerate(program.buffers):
        if buffer.external or buffer.size_bytes is None:
            continue
        pool = _pool_of(program, b, get_pool=get_pool)
        found[b] = Seat(pool or buffer.name)
        if pool and buffer.live_out:
            first = returned.setdefault(pool, b)
            if buffer.size_bytes > (program.buffers[first].size_bytes or 0):
                returned[pool] = b
    for b, seat in found.items():
        if program.buffers[b].live_out and seat.pool in returned:
            found[b] = Seat(seat.pool, 0) if returned[seat.pool] == b else Seat(program.buffers[b].name)
    return found


def _pool_of(program: Program, b: int, *, get_pool: bool) -> str:
    """The pool of the memory space of an allocation; empty where it must stay outside."""
    buffer = program.buffers[b]
    kept = get_pool and (b in program.host_accessed or buffer.live_out or buffer.space or buffer.alignment > 256)
    if kept or not buffer.movable:
        return ""
    return f"{POOL}:{buffer.space}" if buffer.space else POOL


@dataclass(frozen=True)
class ProgramArena:
    """The plan of one function. `buffers`: for each block of the problem, its index in `Program.buffers`.

    `slots` is the plan of the allocations of run-time size, as a slot plan of nothing else; None if there are none.
    `stacked` says which of its slots stand in pools, where, and why the others do not.
    """

    problem: ArenaProblem
    buffers: tuple[int, ...]
    verdict: ArenaVerdict
    slots: Optimal | Feasible | None
    stacked: Tails = field(default_factory=Tails)

    @property
    def dynamic_slots(self) -> int:
        return 0 if self.slots is None else len(self.slots.plan.members)


def plan_program_arena(
    conflicts: Conflicts, options: ArenaOptions, capacities: Mapping[str, int] | None = None, *, get_pool: bool = False
) -> ProgramArena:
    """Plan a function. `capacities` are in bytes, by pool; `get_pool` as in `seats`."""
    problem, buffers = arena_problem(conflicts, capacities or {}, get_pool=get_pool)
    known = set(buffers)
    dynamic = [item for item, b in enumerate(conflicts.items) if b not in known]
    slots = None
    if dynamic:
        some = _restricted(conflicts, dynamic)
        slots = plan_slots(some, SolveOptions(time_limit_s=options.time_limit_s, seed=options.seed))
    verdict = plan_arena(problem, options)
    if slots is None or not isinstance(verdict, (OptimalArena, FeasibleArena)):
        return ProgramArena(problem, buffers, verdict, slots)
    program = conflicts.program
    pools = {
        pool.name: PoolBlocks(pool.size_bytes, tuple(buffers[b] for b, _ in pool.offsets))
        for pool in verdict.plan.pools
    }
    homes = _homes(program, slots.plan, capacities or {}, get_pool=get_pool)
    stacked = tails(program, slots.plan, homes, pools, lone=[POOL] if get_pool else [])
    return ProgramArena(problem, buffers, verdict, slots, stacked)


def _homes(program: Program, slots: Slots, capacities: Mapping[str, int], *, get_pool: bool) -> list[tuple[str, str]]:
    """For each slot its pool; or "", and why it may stand in none."""
    found: list[tuple[str, str]] = []
    for members in slots.members:
        pools = {_pool_of(program, b, get_pool=get_pool) for b in members}
        pool = pools.pop() if len(pools) == 1 else ""
        if any(program.buffers[b].live_out for b in members):
            found.append(("", "returned, and whoever gets memory frees it from its start"))
        elif not pool:
            found.append(("", "memory that must not be in the pool"))
        elif pool in capacities:
            found.append(("", "the pool has a capacity"))
        else:
            found.append((pool, ""))
    return found


def arena_problem(
    conflicts: Conflicts, capacities: Mapping[str, int], *, get_pool: bool = False
) -> tuple[ArenaProblem, tuple[int, ...]]:
    """(problem, buffer of each block). Where the order is one of intervals, they stand as lives.

    A pool holds any bytes: the type rule of `conflicts` is for slots and plays no part.
    """
    program = conflicts.program
    if conflicts.types is not TypeRule.BYTES:
        conflicts = conflicts_of(program, conflicts.policy, TypeRule.BYTES)
    chosen = [item for item, b in enumerate(conflicts.items) if program.buffers[b].size_bytes is not None]
    some = _restricted(conflicts, chosen)
    seat = seats(program, get_pool=get_pool)
    blocks = tuple(_block(program.buffers[b], seat[b]) for b in some.items)
    limits = tuple(PoolLimits(pool, capacity) for pool, capacity in capacities.items())
    problem = ArenaProblem(program.name, blocks, limits)
    lives = [interval_lives(some.before, members) for members in problem.pools.values()]
    if all(found is not None for found in lives):
        life_of = {b: life for found in lives if found is not None for b, life in found.items()}
        lively = tuple(replace(block, life=life_of[b]) for b, block in enumerate(blocks))
        return replace(problem, blocks=lively), some.items
    return replace(problem, apart=incomparable(some.before, blocks), before=some.before), some.items


def _block(buffer: Buffer, seat: Seat) -> Block:
    return Block(buffer.name, buffer.size_bytes or 0, buffer.alignment, seat.pool, offset=seat.offset)


def _restricted(conflicts: Conflicts, chosen: Sequence[int]) -> Conflicts:
    """The same problem with some of the items only."""
    before, _ = restrict(conflicts.before, chosen)
    return replace(conflicts, items=tuple(conflicts.items[item] for item in chosen), before=tuple(before))


def interval_lives(before: Sequence[int], members: Sequence[int]) -> dict[int, Span] | None:
    """Half-open intervals that lie before each other as the order says, if it is an interval order."""
    found = timeline_of(restrict(before, members)[1])
    return None if found is None else dict(zip(members, zip(found.start, found.end, strict=True), strict=True))
