"""The independent checker of arena plans: does everything lie where it may, and do the bounds prove what they say?

Nothing here, in check_bounds.py (lower bounds), check_refutation.py or check_chains.py (proofs) is shared with what
makes plans: only the types of packing.py, plan.py and program.py are imported, and check_rules.py, the checker's own
rules on programs.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from smtalloc.check_bounds import bound_flaw
from smtalloc.packing import ArenaProblem, Block
from smtalloc.plan import (
    Arena,
    ArenaCertificate,
    ArenaVerdict,
    FeasibleArena,
    InfeasibleArena,
    OptimalArena,
    Pool,
    Reach,
    Unknown,
)

Kind = Literal["structure", "unsafe", "overlap", "cost", "certificate"]
"""What is wrong, most serious first. `unsafe`: some schedule of the program lets two blocks clash."""

_KINDS: tuple[Kind, ...] = ("structure", "unsafe", "overlap", "cost", "certificate")

Explain = Callable[[int, int], tuple[Kind, str]]
"""For two blocks that must not meet, and do: what kind of flaw that is, and one sentence."""


@dataclass(frozen=True, slots=True)
class ArenaRejection:
    """The plan is wrong, or claims what its certificate does not show. `more` holds what else is wrong."""

    kind: Kind
    reason: str
    blocks: tuple[int, ...] = ()
    more: tuple[ArenaRejection, ...] = ()

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({self.kind, *(other.kind for other in self.more)})


@dataclass(frozen=True, slots=True)
class ArenaAccepted:
    """The plan is right, and no plan costs less than the bound."""

    cost_bytes: int
    lower_bound_bytes: int

    @property
    def optimal(self) -> bool:
        return self.cost_bytes == self.lower_bound_bytes


@dataclass(frozen=True, slots=True)
class NoPlanAccepted:
    """There is no plan, indeed. Whether the core is minimal is not checked."""

    pool: str
    lower_bound_bytes: int | None
    """None: pins contradict each other, whatever the size."""
    capacity_bytes: int | None


def check_arena(
    problem: ArenaProblem,
    plan: Arena,
    *,
    certificate: ArenaCertificate | None,
    claims_optimal: bool,
    claimed_cost_bytes: int | None = None,
    claimed_lower_bound_bytes: int | None = None,
    explain: Explain | None = None,
) -> ArenaAccepted | ArenaRejection:
    """Judge an arena plan. What is not claimed (None) is not compared; everything else is recomputed."""
    misplaced = list(_misplaced(problem, plan))
    if misplaced:  # nothing else means anything then
        return _rejection(misplaced)
    flaws = [flaw for pool in plan.pools for flaw in _pool_flaws(problem, pool, explain)]
    cost = sum(pool.size_bytes for pool in plan.pools)
    bound = sum(found.bound_bytes for found in certificate.bounds) if certificate else 0
    if certificate:
        flaws += [ArenaRejection("certificate", reason) for reason in certificate_flaws(problem, certificate)]
    flaws += _claim_flaws(cost, bound, claimed_cost_bytes, claimed_lower_bound_bytes)
    # cannot happen while docs/certificates.md is right; if it does, this is where it shows
    if not flaws and cost < bound:
        flaws.append(
            ArenaRejection("certificate", "the certificate shows that more is needed than this valid plan takes")
        )
    if claims_optimal and cost != bound:
        reason = f"called optimal, but it costs {cost} bytes and the certificate shows only that {bound} are needed"
        flaws.append(ArenaRejection("certificate", reason))
    return _rejection(flaws) if flaws else ArenaAccepted(cost, bound)


def check_claims(
    found: ArenaAccepted | NoPlanAccepted,
    claimed_cost_bytes: int | None,
    claimed_lower_bound_bytes: int | None,
    claimed_capacity_bytes: int | None,
) -> ArenaAccepted | NoPlanAccepted | ArenaRejection:
    """Compare what a document claims of an accepted plan, or of there being none, with what was recomputed."""
    if isinstance(found, NoPlanAccepted):
        if claimed_capacity_bytes in (None, found.capacity_bytes):
            return found
        capacity = "unlimited" if found.capacity_bytes is None else found.capacity_bytes
        reason = f"capacity_bytes is said to be {claimed_capacity_bytes}, but it is {capacity}"
        return ArenaRejection("certificate", reason)
    cost, bound = found.cost_bytes, found.lower_bound_bytes
    flaws = list(_claim_flaws(cost, bound, claimed_cost_bytes, claimed_lower_bound_bytes))
    return _rejection(flaws) if flaws else found


def _claim_flaws(
    cost: int, bound: int, claimed_cost: int | None, claimed_bound: int | None
) -> Iterator[ArenaRejection]:
    if claimed_cost not in (None, cost):
        yield ArenaRejection("cost", f"cost_bytes is said to be {claimed_cost}, but it is {cost}")
    if claimed_bound not in (None, bound):
        reason = f"lower_bound_bytes is said to be {claimed_bound}, but it is {bound}"
        yield ArenaRejection("certificate", reason)


def check_infeasible(problem: ArenaProblem, verdict: InfeasibleArena) -> NoPlanAccepted | ArenaRejection:
    """Judge the claim that the blocks of the core do not fit."""
    core, bound = verdict.core, verdict.bound
    limits = {limits.name: limits for limits in problem.limits}.get(verdict.pool)
    capacity = limits.capacity_bytes if limits else None
    if not core or len(set(core)) < len(core) or not all(0 <= b < len(problem.blocks) for b in core):
        return ArenaRejection("structure", "the core is no set of blocks of the problem")
    if any(problem.blocks[b].pool != verdict.pool for b in core):
        return ArenaRejection("structure", f"the core has blocks that are not of pool {verdict.pool!r}", core)
    if bound is None:
        if _pins_contradict(problem, core):
            return NoPlanAccepted(verdict.pool, None, capacity)
        return ArenaRejection("certificate", "the pins of the core do not contradict each other", core)
    if capacity is None or bound.bound_bytes <= capacity:
        reason = f"{bound.bound_bytes} bytes are said to be needed, which does not exceed the capacity"
        return ArenaRejection("certificate", reason, core)
    evidence = bound.evidence
    named = {evidence.block} if isinstance(evidence, Reach) else set(evidence.blocks)
    if bound.pool != verdict.pool or named != set(core):
        return ArenaRejection("certificate", "the evidence is about other blocks than the core", core)
    reason = bound_flaw(problem, bound)
    return (
        ArenaRejection("certificate", reason, core)
        if reason
        else NoPlanAccepted(verdict.pool, bound.bound_bytes, capacity)
    )


def check_arena_verdict(
    problem: ArenaProblem,
    verdict: ArenaVerdict,
    *,
    claimed_cost_bytes: int | None = None,
    claimed_lower_bound_bytes: int | None = None,
    claimed_capacity_bytes: int | None = None,
    explain: Explain | None = None,
) -> ArenaAccepted | NoPlanAccepted | ArenaRejection | None:
    """Judge an answer of any kind. None: there is nothing to judge (`Unknown`)."""
    match verdict:
        case OptimalArena(plan, certificate) | FeasibleArena(plan, certificate):
            return check_arena(
                problem,
                plan,
                certificate=certificate,
                claims_optimal=isinstance(verdict, OptimalArena),
                claimed_cost_bytes=claimed_cost_bytes,
                claimed_lower_bound_bytes=claimed_lower_bound_bytes,
                explain=explain,
            )
        case InfeasibleArena():
            found = check_infeasible(problem, verdict)
            return (
                found if isinstance(found, ArenaRejection) else check_claims(found, None, None, claimed_capacity_bytes)
            )
        case Unknown():
            return None


def certificate_flaws(problem: ArenaProblem, certificate: ArenaCertificate) -> Iterator[str]:
    """Bounds of different pools of the problem, each right."""
    seen: set[str] = set()
    for bound in certificate.bounds:
        if bound.pool in seen:
            yield f"there are two bounds of pool {bound.pool!r}"
        seen.add(bound.pool)
        reason = bound_flaw(problem, bound)
        if reason:
            yield f"pool {bound.pool!r}: {reason}"


def _rejection(flaws: list[ArenaRejection]) -> ArenaRejection:
    first, *more = sorted(flaws, key=lambda flaw: _KINDS.index(flaw.kind))
    return replace(first, more=tuple(more))


# --- where everything lies ---------------------------------------------------------------------------------


def _misplaced(problem: ArenaProblem, plan: Arena) -> Iterator[ArenaRejection]:
    """Every block once, in the pool that it asks for."""
    seen: dict[int, str] = {}
    pools: set[str] = set()
    for pool in plan.pools:
        if pool.name in pools:
            yield ArenaRejection("structure", f"there are two pools {pool.name!r}")
        pools.add(pool.name)
        for b, offset in pool.offsets:
            if not 0 <= b < len(problem.blocks):
                yield ArenaRejection("structure", f"pool {pool.name!r} has a block {b} that does not exist")
                continue
            block = problem.blocks[b]
            if b in seen:
                yield ArenaRejection("structure", f"{block.name} has two places", (b,))
            if block.pool != pool.name:
                yield ArenaRejection("structure", f"{block.name} is in pool {pool.name!r}, not in {block.pool!r}", (b,))
            if offset < 0:
                yield ArenaRejection("structure", f"{block.name} has the negative offset {offset}", (b,))
            seen[b] = pool.name
    for b, block in enumerate(problem.blocks):
        if b not in seen:
            yield ArenaRejection("structure", f"{block.name} has no place", (b,))


def _pool_flaws(problem: ArenaProblem, pool: Pool, explain: Explain | None) -> Iterator[ArenaRejection]:
    name = f"pool {pool.name!r}"
    top = max((offset + problem.blocks[b].size_bytes for b, offset in pool.offsets), default=0)
    if pool.size_bytes < top:
        yield ArenaRejection("structure", f"{name} has {pool.size_bytes} bytes, but its blocks reach up to {top}")
    elif pool.size_bytes > top:
        yield ArenaRejection(
            "structure", f"{name} has {pool.size_bytes} bytes, more than the {top} that its blocks reach"
        )
    limits = next((limits for limits in problem.limits if limits.name == pool.name), None)
    if limits and limits.capacity_bytes is not None and pool.size_bytes > limits.capacity_bytes:
        yield ArenaRejection(
            "structure", f"{name} has {pool.size_bytes} bytes, its capacity is {limits.capacity_bytes}"
        )
    held = limits.forbidden if limits else ()
    starts: dict[str, tuple[int, int]] = {}
    for b, offset in pool.offsets:
        block = problem.blocks[b]
        reason = _place_flaw(block, offset, (*held, *block.forbidden))
        if block.group:
            first, where = starts.setdefault(block.group, (b, offset))
            if where != offset:
                other = problem.blocks[first].name
                reason = f"{block.name} is at {offset}, {other} of the same group at {where}"
        if reason:
            yield ArenaRejection("structure", reason, (b,))
    pair = _overlap(problem, pool)
    if pair is not None:
        kind, reason = (explain or _explain(problem))(*pair)
        yield ArenaRejection(kind, reason, pair)


def _place_flaw(block: Block, offset: int, held: Sequence[tuple[int, int]]) -> str:
    if block.offset is not None and block.offset != offset:
        return f"{block.name} is at {offset}, but pinned at {block.offset}"
    if offset % block.alignment:
        return f"{block.name} is at {offset}, which is no multiple of its alignment {block.alignment}"
    for lo, hi in held:
        if max(lo, offset) < min(hi, offset + block.size_bytes):
            return f"{block.name} is at {offset} and touches the forbidden bytes [{lo}, {hi})"
    return ""


def _explain(problem: ArenaProblem) -> Explain:
    def told(b: int, c: int) -> tuple[Kind, str]:
        one, two = problem.blocks[b].name, problem.blocks[c].name
        return "overlap", f"{one} and {two} are live at one moment and have bytes in common"

    return told


# --- overlaps ----------------------------------------------------------------------------------------------


def _overlap(problem: ArenaProblem, pool: Pool) -> tuple[int, int] | None:
    """Two blocks with a common byte that must not meet, or None."""
    if problem.apart is not None:
        return _overlap_by_relation(problem, pool)
    grouped = any(problem.blocks[b].group for b, _ in pool.offsets)
    return _overlap_in_groups(problem, pool) if grouped else _overlap_in_time(problem, pool)


def _overlap_by_relation(problem: ArenaProblem, pool: Pool) -> tuple[int, int] | None:
    """From low addresses to high ones: what is open must go with what starts."""
    assert problem.apart is not None
    apart, blocks = problem.apart, problem.blocks
    solid = [(b, at) for b, at in pool.offsets if blocks[b].size_bytes]
    starts = sorted(solid, key=lambda pair: pair[1])
    ends = sorted(solid, key=lambda pair: pair[1] + blocks[pair[0]].size_bytes)
    open_, over = 0, 0
    for b, at in starts:
        while over < len(ends) and ends[over][1] + blocks[ends[over][0]].size_bytes <= at:
            open_ &= ~(1 << ends[over][0])
            over += 1
        clash = apart[b] & open_
        while clash:
            c = clash.bit_length() - 1
            if not blocks[b].group or blocks[b].group != blocks[c].group:
                return min(b, c), max(b, c)
            clash &= ~(1 << c)
        open_ |= 1 << b
    return None


def _overlap_in_time(problem: ArenaProblem, pool: Pool) -> tuple[int, int] | None:
    """From early moments to late ones: the live bytes, sorted by address, must stay disjoint."""
    events: list[tuple[int, bool, int, int, int]] = []  # moment, starts, first byte, end, block
    for b, at in pool.offsets:
        for start, end, lo, hi in live_bytes(problem.blocks[b]):
            events += [(start, True, at + lo, at + hi, b), (end, False, at + lo, at + hi, b)]
    live: list[tuple[int, int, int]] = []
    for _, starts, lo, hi, b in sorted(events):
        place = bisect_left(live, (lo, hi, b))
        if not starts:
            del live[place]
            continue
        for near in live[max(0, place - 1) : place + 1]:
            if near[0] < hi and lo < near[1]:
                return min(b, near[2]), max(b, near[2])
        insort(live, (lo, hi, b))
    return None


def _overlap_in_groups(problem: ArenaProblem, pool: Pool) -> tuple[int, int] | None:
    """Pair by pair: members of a group may meet, so that what is live is not disjoint."""
    placed = [(b, at, list(live_bytes(problem.blocks[b]))) for b, at in pool.offsets]
    for n, (b, at, mine) in enumerate(placed):
        for c, there, theirs in placed[:n]:
            if problem.blocks[b].group and problem.blocks[b].group == problem.blocks[c].group:
                continue
            for start, end, lo, hi in mine:
                if any(
                    max(start, s) < min(end, e) and max(at + lo, there + low) < min(at + hi, there + high)
                    for s, e, low, high in theirs
                ):
                    return min(b, c), max(b, c)
    return None


def live_bytes(block: Block) -> Iterator[tuple[int, int, int, int]]:
    """(from, to, first byte, end) of what is live when, by cutting the life at the ends of its gaps."""
    if block.life is None:
        return
    lower, upper = block.life
    cuts = sorted({lower, upper, *(t for gap in block.gaps for t in (gap.lower, gap.upper) if lower <= t <= upper)})
    for start, end in pairwise(cuts):
        window: tuple[int, int] | None = (0, block.size_bytes)
        for gap in block.gaps:
            if gap.lower <= start and end <= gap.upper:
                window = gap.window
        if window is not None and window[0] < window[1]:
            yield start, end, window[0], window[1]


def _pins_contradict(problem: ArenaProblem, core: Sequence[int]) -> bool:
    """Do the blocks, each at its pin (or that of its group), meet each other or forbidden bytes?"""
    pools = {limits.name: limits.forbidden for limits in problem.limits}
    members = [problem.blocks[b] for b in core]
    pinned = {block.group: block.offset for block in members if block.group and block.offset is not None}
    placed: list[tuple[int, int]] = []
    for b in core:
        block = problem.blocks[b]
        at = block.offset if block.offset is not None else pinned.get(block.group) if block.group else None
        if at is None:
            return False
        free = replace(block, offset=at)
        if _place_flaw(free, at, (*pools.get(block.pool, ()), *block.forbidden)):
            return True
        placed.append((b, at))
    return _overlap(problem, Pool(problem.blocks[core[0]].pool, 0, tuple(placed))) is not None
