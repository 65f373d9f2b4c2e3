"""The independent checker on arena plans of functions: who must not meet whom comes from the program itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from smtalloc.check import Accepted, Rejection, check_verdict
from smtalloc.check_arena import ArenaAccepted, ArenaRejection, Explain, Kind, NoPlanAccepted, check_arena_verdict
from smtalloc.check_rules import Rules
from smtalloc.check_tails import TailRules, tail_flaw
from smtalloc.packing import ArenaProblem, Block, PoolLimits
from smtalloc.plan import ArenaVerdict, Feasible, FeasibleArena, Optimal, OptimalArena, Policy, Tail, TypeRule
from smtalloc.program import Buffer, Program


@dataclass(frozen=True, slots=True)
class ProgramChecked:
    """What the checker says of the arena, of the slots of run-time size (None: there are none), and of those of them
    that stand in pools (None: nothing against them)."""

    arena: ArenaAccepted | NoPlanAccepted | ArenaRejection | None
    slots: Accepted | Rejection | None
    tails: Rejection | None = None

    @property
    def rejection(self) -> ArenaRejection | Rejection | None:
        for found in (self.tails, self.arena, self.slots):
            if isinstance(found, (ArenaRejection, Rejection)):
                return found
        return None


def check_program_arena(
    program: Program,
    verdict: ArenaVerdict,
    slots: Optimal | Feasible | None,
    tails: Sequence[Tail] = (),
    *,
    policy: Policy,
    types: TypeRule,
    capacities: tuple[tuple[str, int], ...] = (),
    get_pool: bool = False,
) -> ProgramChecked:
    """Judge the plan of one function. The blocks are its allocations of known size, in order.

    `get_pool`: the pool is device memory of the runtime (aligned to 256 bytes), which the host cannot address and which
    cannot be returned.
    """
    rules = Rules(program, policy, TypeRule.BYTES)
    chosen = known_buffers(program)
    problem = program_problem(program, rules, capacities, get_pool=get_pool)
    arena = check_arena_verdict(problem, verdict, explain=_explain(rules, chosen))
    if policy is Policy.PROGRAM_ORDER and isinstance(verdict, (OptimalArena, FeasibleArena)):
        arena = _with_safety(program, verdict, arena, get_pool=get_pool)
    rest = tuple(
        replace(buffer, external=True) if buffer.size_bytes is not None else buffer for buffer in program.buffers
    )
    dynamic = any(not buffer.external for buffer in rest)
    if slots is None and tails:
        return ProgramChecked(arena, Rejection("structure", "slots of run-time size are in a pool, but there are none"))
    if not dynamic and slots is None:
        return ProgramChecked(arena, None)
    if slots is None:
        return ProgramChecked(arena, Rejection("structure", "the allocations of run-time size have no plan"))
    checked = check_verdict(replace(program, buffers=rest), slots, policy=policy, types=types)
    pool_of = tuple(_pool(buffer, get_pool and rules.hosted[b], get_pool) for b, buffer in enumerate(program.buffers))
    tail_rules = TailRules(program, pool_of, chosen, dict(capacities), get_pool)
    return ProgramChecked(arena, checked, _judge_tails(tail_rules, verdict, slots, tails))


def _judge_tails(
    rules: TailRules, verdict: ArenaVerdict, slots: Optimal | Feasible, tails: Sequence[Tail]
) -> Rejection | None:
    if not tails:
        return None
    if not isinstance(verdict, (OptimalArena, FeasibleArena)):
        return Rejection("structure", "slots of run-time size are in a pool, but there is no plan of pools")
    if any(not 0 <= b < len(rules.blocks) for pool in verdict.plan.pools for b, _ in pool.offsets):
        return Rejection("structure", "a pool has a block that does not exist")
    flaw = tail_flaw(rules, verdict.plan, slots.plan, tails)
    return None if flaw is None else Rejection("structure", flaw)


def known_buffers(program: Program) -> tuple[int, ...]:
    """The allocations of known size: block -> buffer."""
    return tuple(b for b, buffer in enumerate(program.buffers) if not buffer.external and buffer.size_bytes is not None)


def program_problem(
    program: Program, rules: Rules, capacities: tuple[tuple[str, int], ...] = (), *, get_pool: bool = False
) -> ArenaProblem:
    """What the rules say of each pair of one pool."""
    chosen = known_buffers(program)
    pools = [_pool(program.buffers[b], get_pool and rules.hosted[b], get_pool) for b in chosen]
    starts = _returned(program, chosen, pools)
    blocks: list[Block] = []
    for b, pool in zip(chosen, pools, strict=True):
        buffer = program.buffers[b]
        leaves = buffer.live_out and b not in starts
        offset = 0 if b in starts and pool != buffer.name else None
        where = buffer.name if leaves else pool
        blocks.append(Block(buffer.name, buffer.size_bytes or 0, buffer.alignment, where, offset=offset))
    apart = [0] * len(chosen)
    for i, b in enumerate(chosen):
        for j in range(i):
            if blocks[i].pool == blocks[j].pool and not rules.partners[b] >> chosen[j] & 1:
                apart[i] |= 1 << j
                apart[j] |= 1 << i
    limits = tuple(PoolLimits(pool, capacity) for pool, capacity in capacities)
    return ArenaProblem(program.name, tuple(blocks), limits, tuple(apart))


def _pool(buffer: Buffer, hosted: bool, get_pool: bool) -> str:
    """One pool per memory space; memory that must not move, or that a device pool cannot hold, is one of its own."""
    if buffer.external or buffer.pinned:
        return buffer.name
    if get_pool and (hosted or buffer.live_out or buffer.space != "" or buffer.alignment > 256):
        return buffer.name
    return "pool" if not buffer.space else f"pool:{buffer.space}"


def _returned(program: Program, chosen: tuple[int, ...], pools: list[str]) -> set[int]:
    """Who gets memory back frees it from its start: one returned buffer per pool, the largest, the first of equals."""
    sizes: dict[str, tuple[int, int]] = {}
    for b, pool in zip(chosen, pools, strict=True):
        if program.buffers[b].live_out:
            sizes[pool] = max(sizes.get(pool, (-1, 0)), (program.buffers[b].size_bytes or 0, -b))
    return {-b for _, b in sizes.values()}


def _explain(rules: Rules, chosen: tuple[int, ...]) -> Explain:
    def told(i: int, j: int) -> tuple[Kind, str]:
        b, c = chosen[i], chosen[j]
        one, two = rules.buffers[b].name, rules.buffers[c].name
        if not rules.ordered(b, c):
            return "unsafe", f"unsafe: {one} and {two} have bytes in common, and nothing orders one before the other"
        return "overlap", f"{one} and {two} have bytes in common: {rules.forbidden(b, c)} ({rules.policy} forbids it)"

    return told


def _with_safety(
    program: Program,
    verdict: OptimalArena | FeasibleArena,
    arena: ArenaAccepted | NoPlanAccepted | ArenaRejection | None,
    *,
    get_pool: bool,
) -> ArenaAccepted | NoPlanAccepted | ArenaRejection | None:
    """A policy that ignores the engines: happens-before has to hold all the same."""
    strict = Rules(program, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    problem = program_problem(program, strict, get_pool=get_pool)
    bare = FeasibleArena(verdict.plan, replace(verdict.certificate, bounds=()), "")
    found = check_arena_verdict(problem, bare, explain=_explain(strict, known_buffers(program)))
    if not isinstance(found, ArenaRejection) or (isinstance(arena, ArenaRejection) and "unsafe" in arena.kinds):
        return arena
    more = (arena, *arena.more) if isinstance(arena, ArenaRejection) else ()
    return replace(found, more=(*found.more, *more))
