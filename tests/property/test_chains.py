"""Chain refutations against brute force: there is one wherever a pool is too small, and nowhere else."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import cast

import pytest
from arena_cases import makes_sense, minimum, problems
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import needs_sat

from smtalloc import orders, refute_orders
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.check_arena import ArenaRejection, check_arena_verdict
from smtalloc.check_bounds import bound_flaw
from smtalloc.packing import POOL, ArenaProblem, Block, Gap, PoolLimits
from smtalloc.plan import Arena, ArenaCertificate, Chain, ChainRefutation, FeasibleArena, OptimalArena, Pool, PoolBound
from smtalloc.refute import Fits

SETTINGS = settings(deadline=None, derandomize=True)


def decide(problem: ArenaProblem, at_most: int) -> Fits | PoolBound:
    blocks = tuple(range(len(problem.blocks)))
    found = refute_orders.decide(problem, blocks, at_most, deadline=time.monotonic() + 20)
    assert found is not None
    if isinstance(found, PoolBound):
        assert not bound_flaw(problem, found)
        assert found.bound_bytes == at_most + 1
        return found
    size = max(at + b.size_bytes for at, b in zip(found.offsets, problem.blocks, strict=True))
    plan = Arena((Pool(POOL, size, tuple(enumerate(found.offsets))),))
    free = replace(problem, limits=tuple(replace(limits, capacity_bytes=None) for limits in problem.limits))
    checked = check_arena_verdict(free, FeasibleArena(plan, ArenaCertificate(()), ""))
    assert not isinstance(checked, ArenaRejection), checked
    assert size <= at_most
    return found


@needs_sat
@settings(SETTINGS, max_examples=80)
@given(problems(capacity=False), st.booleans(), st.booleans())
def test_chains_decide_every_kind_of_problem(problem: ArenaProblem, triangles: bool, cliques: bool) -> None:
    """Also where circles are found one by one, and where there are no layers."""
    assume(makes_sense(problem) and problem.blocks)
    least = minimum(problem)
    with pytest.MonkeyPatch.context() as patch:
        if not triangles:
            patch.setattr(orders, "_MOST_TRIANGLES", -1)
        if not cliques:
            patch.setattr(orders, "_MOST_CLIQUES", 0)
        if least is None:
            assert isinstance(decide(problem, 40), PoolBound)
            return
        assert isinstance(decide(problem, least), Fits)
        if least:
            assert isinstance(decide(problem, least - 1), PoolBound)


def lowest(blocks: tuple[Block, ...]) -> int:
    """Brute force for lives without more: some order of the offsets is that of a lowest plan, in which each block lies
    on those before it."""
    best = sum(b.size_bytes + b.alignment for b in blocks)
    for order in permutations(blocks):
        tops: list[tuple[Block, int]] = []
        for b in order:
            assert b.life is not None
            under = [top for c, top in tops if c.life and max(b.life[0], c.life[0]) < min(b.life[1], c.life[1])]
            at = max(under, default=0)
            tops.append((b, at + -at % b.alignment + b.size_bytes))
        best = min(best, max((top for _, top in tops), default=0))
    return best


@st.composite
def byte_sized(draw: st.DrawFn) -> ArenaProblem:
    found: list[Block] = []
    alignment = st.sampled_from(draw(st.sampled_from([[1], [64], [1, 8, 64], [48, 64]])))
    for b in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, 5))
        life = (start, start + draw(st.integers(1, 4)))
        found.append(Block(f"b{b}", draw(st.integers(1, 5000)), draw(alignment), life=life))
    return ArenaProblem("bytes", tuple(found), (PoolLimits(POOL),))


@needs_sat
@settings(SETTINGS, max_examples=60)
@given(byte_sized())
def test_chains_decide_byte_sizes(problem: ArenaProblem) -> None:
    least = lowest(problem.blocks)
    assert isinstance(decide(problem, least), Fits)
    assert isinstance(decide(problem, least - 1), PoolBound)


@needs_sat
@settings(SETTINGS, max_examples=60)
@given(byte_sized(), st.booleans())
def test_plans_of_byte_sizes_are_minima(problem: ArenaProblem, kernel: bool) -> None:
    verdict = plan_arena(problem, ArenaOptions(time_limit_s=20, kernel=kernel, z3=False))
    assert not isinstance(check_arena_verdict(problem, verdict), ArenaRejection)
    assert isinstance(verdict, OptimalArena)
    assert verdict.plan.cost_bytes == lowest(problem.blocks)


@needs_sat
@settings(SETTINGS, max_examples=40)
@given(byte_sized(), st.integers(0, 20_000))
def test_one_search_goes_down_to_the_minimum(problem: ArenaProblem, slack: int) -> None:
    least, blocks, heights = lowest(problem.blocks), tuple(range(len(problem.blocks))), list[int]()

    def improve(plan: Fits | None) -> int:
        if plan is not None:
            heights.append(max(at + b.size_bytes for at, b in zip(plan.offsets, problem.blocks, strict=True)))
        return min([least + slack, *(height - 1 for height in heights)])

    deadline = time.monotonic() + 20
    found = refute_orders.decide(problem, blocks, least + slack, deadline=deadline, improve=improve)
    assert isinstance(found, PoolBound)
    assert found.bound_bytes == least == heights[-1]
    assert not bound_flaw(problem, found)


# --- forgeries ---------------------------------------------------------------------------------------------

Forge = Callable[[random.Random, PoolBound, ChainRefutation, ArenaProblem], tuple[PoolBound, ArenaProblem]]


def _some_chain(
    chance: random.Random, evidence: ChainRefutation, change: Callable[[list[int]], list[int]]
) -> ChainRefutation:
    chains: list[Chain] = list(evidence.chains)
    if chains:
        n = chance.randrange(len(chains))
        steps = [list(step) for step in chains[n]]
        s = chance.randrange(len(steps))
        steps[s] = change(steps[s])
        chains[n] = tuple(tuple(step) for step in steps)
    return replace(evidence, chains=tuple(chains))


def _forge_certificate(chance: random.Random, bound: PoolBound) -> PoolBound:
    evidence = cast("ChainRefutation", bound.evidence)
    count = max([1, *(abs(literal) for chain in evidence.chains for step in chain for literal in step)])
    changed = chance.choice(
        [
            _some_chain(chance, evidence, lambda step: step[1:]),
            _some_chain(chance, evidence, lambda step: [-step[0], *step[1:]]),
            _some_chain(chance, evidence, lambda step: [*step[:-1], chance.randint(1, count) * chance.choice([1, -1])]),
            _some_chain(chance, evidence, lambda step: [*step, chance.randint(1, count) * chance.choice([1, -1])]),
            replace(evidence, chains=tuple(chain[::-1] for chain in evidence.chains)),
            replace(evidence, chains=tuple(chain[:1] for chain in evidence.chains)),
            replace(evidence, chains=tuple(chance.sample(evidence.chains, len(evidence.chains)))[1:]),
            replace(evidence, blocks=tuple(chance.sample(evidence.blocks, len(evidence.blocks)))),
            replace(evidence, blocks=evidence.blocks[1:]),
            replace(evidence, drup=evidence.drup[1:]),
            evidence,
        ]
    )
    return replace(bound, evidence=changed, bound_bytes=bound.bound_bytes + chance.choice([0, 0, 1, 2]))


def _weaken(chance: random.Random, problem: ArenaProblem) -> ArenaProblem:
    if not problem.blocks:
        return problem
    b = chance.randrange(len(problem.blocks))
    block = problem.blocks[b]
    weaker = [replace(block, alignment=1), replace(block, offset=None), replace(block, forbidden=())]
    weaker.append(replace(block, group="" if block.group else "g"))
    if block.size_bytes and not block.gaps:
        weaker.append(replace(block, size_bytes=block.size_bytes - 1))
    if block.life is not None and block.life[0] < block.life[1]:
        start, end = block.life
        weaker.append(replace(block, life=None, gaps=()))
        if not block.gaps:
            weaker += [replace(block, life=(start + 1, end)), replace(block, gaps=(Gap(start, start + 1, (0, 1)),))]
    blocks = (*problem.blocks[:b], chance.choice(weaker), *problem.blocks[b + 1 :])
    found = replace(problem, blocks=blocks)
    if problem.apart is not None and chance.random() < 0.5:
        c = chance.randrange(len(blocks))
        apart = [
            row & ~(1 << c) if n == b else row & ~(1 << b) if n == c else row for n, row in enumerate(problem.apart)
        ]
        found = replace(found, apart=tuple(apart))
    return found


@needs_sat
def test_what_is_accepted_is_true() -> None:
    """Forged certificates about weakened problems: the checker takes none that claims more than brute force finds."""
    told: dict[bool, int] = {True: 0, False: 0}

    @settings(SETTINGS, max_examples=140, database=None)
    @given(problems(capacity=False, most=5), st.randoms(use_true_random=False))
    def forge(problem: ArenaProblem, chance: random.Random) -> None:
        assume(makes_sense(problem) and len(problem.blocks) > 1)
        least = minimum(problem)
        assume(least)
        found = decide(problem, (least or 1) - 1)
        assert isinstance(found, PoolBound)
        for _ in range(6):
            bound, other = found, problem
            if chance.random() < 0.7:
                bound = _forge_certificate(chance, bound)
            if chance.random() < 0.6:
                other = _weaken(chance, other)
            if not makes_sense(other):
                continue
            accepted = not bound_flaw(other, bound)
            told[accepted] += 1
            if accepted:
                true = minimum(other)
                assert true is None or true >= bound.bound_bytes

    forge()
    assert min(told.values()) > 100, "too few of one kind for the test to mean anything"
