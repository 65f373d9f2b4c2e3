"""Arenas against brute force in both directions: planner, every encoding, kernel, Python heuristics, refutations."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from arena_cases import KINDS, fits, makes_sense, minimum, problems
from arenas import judged, one_behind_the_other
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import needs_cpsat, needs_kernel, needs_sat
from test_planning import problems as conflict_problems

from smtalloc import order, refute
from smtalloc.allocate import plan_slots
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_bounds import heaviest_antichain, heaviest_moment
from smtalloc.arena_core import restricted
from smtalloc.arena_program import interval_lives, plan_program_arena
from smtalloc.arena_tasks import overlapping, pool_task
from smtalloc.check_arena import ArenaRejection, check_arena_verdict
from smtalloc.check_program import check_program_arena
from smtalloc.encode_arena import ArenaEncoding, arena_offsets, arena_query
from smtalloc.order import Conflicts
from smtalloc.packing import POOL, ArenaProblem, Block, PoolLimits
from smtalloc.plan import (
    Arena,
    ArenaCertificate,
    FeasibleArena,
    InfeasibleArena,
    OptimalArena,
    Policy,
    PoolBound,
    Unknown,
)
from smtalloc.solvers import cadical, cpsat
from smtalloc.solvers.base import Status
from smtalloc.solvers.packer import Packer
from smtalloc.solvers.z3 import Z3

SETTINGS = settings(deadline=None, derandomize=True)
NO_BOUNDS = ArenaCertificate(())
ALONE = ArenaOptions(time_limit_s=20, kernel=False)


def judge(problem: ArenaProblem, options: ArenaOptions) -> OptimalArena | FeasibleArena | InfeasibleArena | Unknown:
    """The planner's answer, which the checker must accept."""
    verdict = plan_arena(problem, options)
    checked = check_arena_verdict(problem, verdict)
    assert not isinstance(checked, ArenaRejection), checked
    return verdict


def is_right(problem: ArenaProblem, verdict: OptimalArena | FeasibleArena | InfeasibleArena | Unknown) -> None:
    least, capacity = minimum(problem), problem.limits[0].capacity_bytes
    if least is None or (capacity is not None and least > capacity):
        if not cadical.available() and isinstance(verdict, Unknown):
            return
        assert isinstance(verdict, InfeasibleArena)
        assert verdict.minimal
        core = restricted(problem, verdict.core)
        most = capacity if least is not None and capacity is not None else 40
        assert not fits(core, most)
        for b in verdict.core:  # smallest: without any one of them the others fit
            assert fits(restricted(problem, [c for c in verdict.core if c != b]), most)
        return
    if not cadical.available() and isinstance(verdict, FeasibleArena):
        assert verdict.certificate.bound_bytes <= least <= verdict.plan.cost_bytes
        return
    assert isinstance(verdict, OptimalArena), verdict
    assert verdict.plan.cost_bytes == verdict.certificate.bound_bytes == least


@settings(SETTINGS, max_examples=300)
@given(problems())
def test_the_plan_is_a_minimum_or_there_is_none(problem: ArenaProblem) -> None:
    assume(makes_sense(problem))
    is_right(problem, judge(problem, ArenaOptions(time_limit_s=20)))


@settings(SETTINGS, max_examples=150)
@given(problems())
def test_without_the_kernel_too(problem: ArenaProblem) -> None:
    assume(makes_sense(problem))
    is_right(problem, judge(problem, ALONE))


@settings(SETTINGS, max_examples=150)
@given(problems(), st.integers(0, 2047))
def test_any_choice_of_steps_is_honest(problem: ArenaProblem, switches: int) -> None:
    assume(makes_sense(problem))
    on = [bool(switches >> i & 1) for i in range(11)]
    options = ArenaOptions(
        time_limit_s=5,
        gcd=on[0],
        components=on[1],
        dominated=on[2],
        easy=on[3],
        symmetry=on[4],
        heuristics=on[5],
        kernel=on[6],
        z3=on[7],
        refute=on[8],
        cpsat=on[9],
        orders=on[10],
    )
    verdict = judge(problem, options)
    least, capacity = minimum(problem), problem.limits[0].capacity_bytes
    match verdict:
        case OptimalArena(plan, _):
            assert plan.cost_bytes == least
        case FeasibleArena(plan, certificate):
            assert least is not None
            assert certificate.bound_bytes <= least <= plan.cost_bytes
        case InfeasibleArena():
            assert least is None or (capacity is not None and least > capacity)
        case Unknown():
            assert capacity is not None


def at_minimum(problem: ArenaProblem) -> int:
    least = minimum(problem)
    assume(least is not None)
    assert least is not None
    return least


@settings(SETTINGS, max_examples=100)
@given(problems(capacity=False), st.sampled_from(ArenaEncoding), st.booleans())
def test_every_encoding_has_the_same_minimum(problem: ArenaProblem, encoding: ArenaEncoding, symmetry: bool) -> None:
    assume(makes_sense(problem) and problem.blocks)
    least = at_minimum(problem)
    task = pool_task(problem, POOL)
    answer = Z3().solve(arena_query(task, least // task.unit, encoding, symmetry=symmetry))
    assert answer.status is Status.SAT
    offsets = arena_offsets(task, encoding, answer.values)
    checked = judged(problem, task, offsets)
    assert not isinstance(checked, ArenaRejection), checked
    below = Z3().solve(arena_query(task, least // task.unit - 1, encoding, symmetry=symmetry))
    assert below.status is Status.UNSAT


@needs_kernel
@settings(SETTINGS, max_examples=200)
@given(problems(capacity=False))
def test_the_kernel_has_the_same_minimum(problem: ArenaProblem) -> None:
    assume(makes_sense(problem) and problem.blocks)
    least = at_minimum(problem)
    task = pool_task(problem, POOL)
    packer = Packer(problem, task, 0)
    assume(packer.takes)
    assume(not any(gap.window for block in problem.blocks for gap in block.gaps))  # it refutes nothing with windows
    deadline = time.monotonic() + 20
    found = packer.decide(least // task.unit, deadline)
    assert found.offsets is not None
    assert task.top(found.offsets) <= least // task.unit
    below = packer.decide(least // task.unit - 1, deadline) if least else found
    assert below.exhausted or not least
    best = packer.minimise(0, deadline, lambda _: None)
    assert best.exhausted
    assert best.offsets is not None
    assert task.top(best.offsets) == least // task.unit


@needs_cpsat
@settings(SETTINGS, max_examples=150)
@given(problems(capacity=False))
def test_cp_sat_has_the_same_minimum(problem: ArenaProblem) -> None:
    assume(makes_sense(problem) and problem.blocks)
    least = at_minimum(problem)
    task = pool_task(problem, POOL)
    deadline = time.monotonic() + 20
    found = cpsat.pack(task, least // task.unit, deadline=deadline)
    assert found.status is Status.SAT
    assert task.top(found.offsets) * task.unit <= least
    checked = judged(problem, task, found.offsets)
    assert not isinstance(checked, ArenaRejection), checked
    assert cpsat.pack(task, least // task.unit - 1, deadline=deadline).status is Status.UNSAT


@needs_cpsat
@settings(SETTINGS, max_examples=50)
@given(problems())
def test_cp_sat_alone_finds_the_minimum_and_proves_nothing(problem: ArenaProblem) -> None:
    assume(makes_sense(problem))
    options = ArenaOptions(time_limit_s=20, heuristics=False, kernel=False, z3=False, refute=False, orders=False)
    verdict, least = judge(problem, options), minimum(problem)
    if isinstance(verdict, OptimalArena | FeasibleArena):
        assert verdict.plan.cost_bytes == least
        assert isinstance(verdict, OptimalArena) or verdict.reason.startswith("CP-SAT found no smaller plan")
    elif isinstance(verdict, Unknown):
        assert least is not None
        assert least > (problem.limits[0].capacity_bytes or 0)


@needs_sat
@settings(SETTINGS, max_examples=60)
@given(problems(capacity=False, most=5))
def test_cadical_decides_and_refutes(problem: ArenaProblem) -> None:
    assume(makes_sense(problem) and problem.blocks)
    least = at_minimum(problem)
    everything = tuple(range(len(problem.blocks)))
    deadline = time.monotonic() + 20
    assert isinstance(refute.decide(problem, everything, least, deadline=deadline), refute.Fits)
    if least:
        below = refute.decide(problem, everything, least - 1, deadline=deadline)
        assert isinstance(below, PoolBound)
        assert below.bound_bytes == least


# --- parts -------------------------------------------------------------------------------------------------

lives_lists = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 5)).map(lambda p: (p[0], p[0] + p[1])), max_size=9)


@settings(SETTINGS, max_examples=200)
@given(lives_lists, st.data())
def test_overlaps_and_the_heaviest_moment(lives: list[tuple[int, int]], data: st.DataObject) -> None:
    expected = [
        sum(1 << j for j, b in enumerate(lives) if i != j and max(a[0], b[0]) < min(a[1], b[1]))
        for i, a in enumerate(lives)
    ]
    assert list(overlapping(lives)) == expected
    weights = [data.draw(st.integers(1, 9)) for _ in lives]
    loads = [sum(w for w, (lo, hi) in zip(weights, lives, strict=True) if lo <= t < hi) for t in range(14)]
    heaviest = sum(weights[i] for i in heaviest_moment(lives, weights))
    assert heaviest == max([*loads, *weights])


@settings(SETTINGS, max_examples=200)
@given(st.integers(1, 8), st.randoms(use_true_random=False))
def test_the_heaviest_antichain(count: int, chance: random.Random) -> None:
    before = [0] * count
    for i in range(count):
        for j in range(i + 1, count):
            if chance.random() < 0.4:
                before[i] |= 1 << j
    for i in reversed(range(count)):
        for j in range(count):
            if before[i] >> j & 1:
                before[i] |= before[j]
    weights = [chance.randint(0, 9) for _ in range(count)]

    def antichain(mask: int) -> bool:
        return all(not before[i] & mask for i in range(count) if mask >> i & 1)

    best = max(sum(weights[i] for i in range(count) if m >> i & 1) for m in range(1 << count) if antichain(m))
    found = heaviest_antichain(before, weights)
    assert antichain(sum(1 << i for i in found))
    assert sum(weights[i] for i in found) == best


@settings(SETTINGS, max_examples=200)
@given(lives_lists)
def test_lives_come_back_from_their_order(lives: list[tuple[int, int]]) -> None:
    lives = [(lo, hi) for lo, hi in lives if lo < hi]
    members = range(len(lives))
    before = [sum(1 << j for j in members if lives[i][1] <= lives[j][0]) for i in members]
    found = interval_lives(before, list(members))
    assert found is not None
    assert [sum(1 << j for j in members if found[i][1] <= found[j][0]) for i in members] == before


def test_two_chains_side_by_side_are_no_intervals() -> None:
    assert interval_lives([0b0010, 0, 0b1000, 0], range(4)) is None


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_problem_is_drawn(kind: str) -> None:
    """Guards the guard: the strategies do make feasible and infeasible problems of every kind."""
    found: set[str] = set()

    @settings(SETTINGS, max_examples=60, database=None)
    @given(problems(kind))
    def draw(problem: ArenaProblem) -> None:
        if makes_sense(problem) and problem.blocks:
            found.add(type(plan_arena(problem, ArenaOptions(refute=False, time_limit_s=5))).__name__)

    draw()
    assert {"OptimalArena", "InfeasibleArena"} <= found


def test_the_order_stays_behind_a_part() -> None:
    """A regression: components in order of life were taken for components in order of pieces."""
    lives = ((5, 6), (4, 8), (4, 8))
    blocks = tuple(Block(f"b{b}", size, life=life) for b, (size, life) in enumerate(zip((4, 2, 5), lives, strict=True)))
    problem = ArenaProblem("p", blocks)
    assert isinstance(judge(replace(problem), ArenaOptions()), OptimalArena)


# --- functions ---------------------------------------------------------------------------------------------


def of_pool(problem: ArenaProblem, pool: str) -> ArenaProblem:
    """One pool of a problem, as a problem of the default pool."""
    some = restricted(problem, problem.pools[pool])
    return replace(some, blocks=tuple(replace(block, pool=POOL) for block in some.blocks), limits=(PoolLimits(POOL),))


@settings(SETTINGS, max_examples=200)
@given(conflict_problems, st.booleans())
def test_functions_are_planned_and_checked(conflicts: Conflicts, get_pool: bool) -> None:
    program, policy, types = conflicts.program, conflicts.policy, conflicts.types
    found = plan_program_arena(conflicts, ArenaOptions(time_limit_s=20), get_pool=get_pool)
    assert isinstance(found.verdict, OptimalArena)
    checked = check_program_arena(
        program, found.verdict, found.slots, policy=policy, types=types, get_pool=get_pool
    ).rejection
    assert checked is None or (policy is Policy.PROGRAM_ORDER and checked.kinds == {"unsafe"}), checked
    for pool in found.verdict.plan.pools:
        if len(pool.offsets) <= 5:
            assert pool.size_bytes == minimum(of_pool(found.problem, pool.name))
    slots = plan_slots(conflicts)
    assert found.dynamic_slots == slots.plan.dynamic_slots(program)
    if not get_pool and sum(b.live_out for b in program.buffers) < 2:
        assert found.verdict.plan.cost_bytes <= one_behind_the_other(program, slots.plan)


@settings(SETTINGS, max_examples=100)
@given(conflict_problems, st.integers(0, 10), st.integers(-8, 8))
def test_shifted_plans_of_functions_are_told(conflicts: Conflicts, which: int, by: int) -> None:
    """Move one block: the checker accepts the plan iff the definition says that nothing meets."""
    assume(conflicts.policy is not Policy.PROGRAM_ORDER)
    found = plan_program_arena(conflicts, ArenaOptions(time_limit_s=20))
    assert isinstance(found.verdict, OptimalArena)
    assume(found.problem.blocks)
    moved = which % len(found.problem.blocks)
    offsets = {b: at + (by if b == moved else 0) for b, at in found.verdict.plan.offset_of().items()}
    assume(offsets[moved] >= 0)
    problem = found.problem
    pools = tuple(
        replace(
            pool,
            offsets=tuple((b, offsets[b]) for b, _ in pool.offsets),
            size_bytes=max(offsets[b] + problem.blocks[b].size_bytes for b, _ in pool.offsets),
        )
        for pool in found.verdict.plan.pools
    )
    program = conflicts.program
    relation = order.conflicts(program, conflicts.policy)  # of bytes: element types play no part
    clash = any(
        one.pool == two.pool
        and max(offsets[b], offsets[c]) < min(offsets[b] + one.size_bytes, offsets[c] + two.size_bytes)
        and not relation.may_share(relation.items.index(found.buffers[b]), relation.items.index(found.buffers[c]))
        for b, one in enumerate(problem.blocks)
        for c, two in enumerate(problem.blocks[:b])
    )
    block = problem.blocks[moved]
    misplaced = offsets[moved] % block.alignment or block.offset not in (None, offsets[moved])
    verdict = FeasibleArena(Arena(pools), NO_BOUNDS, "")
    checked = check_program_arena(program, verdict, found.slots, policy=conflicts.policy, types=conflicts.types)
    assert isinstance(checked.arena, ArenaRejection) is (clash or bool(misplaced))
