"""Chain refutations, judged alone: what a chain may claim, and every forgery of chains, proofs and problems."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from arena_cases import HARD
from support import needs_sat

from smtalloc import refute_orders
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_json import arena_from_json, problem_to_json, verdict_to_json
from smtalloc.check_arena import ArenaRejection, NoPlanAccepted, check_arena, check_arena_verdict, check_infeasible
from smtalloc.check_bounds import bound_flaw
from smtalloc.check_chains import Orders
from smtalloc.formats import Node
from smtalloc.packing import POOL, ArenaProblem, Block, Gap, PoolLimits
from smtalloc.plan import (
    Arena,
    ArenaCertificate,
    Chain,
    ChainRefutation,
    InfeasibleArena,
    OptimalArena,
    Pool,
    PoolBound,
)
from smtalloc.program import InputError


def problem_of(*blocks: Block, held: tuple[tuple[int, int], ...] = ()) -> ArenaProblem:
    return ArenaProblem("p", blocks, (PoolLimits(POOL, None, held),))


def flaw(problem: ArenaProblem, at_least: int, *chains: Chain, drup: tuple[str, ...] = ()) -> str:
    everything = tuple(range(len(problem.blocks)))
    return bound_flaw(problem, PoolBound(POOL, at_least, ChainRefutation(everything, chains, drup)))


A, B, C = (Block(name, size, life=(0, 1)) for name, size in (("a", 4), ("b", 5), ("c", 6)))
THREE = problem_of(A, B, C)
"""Variables: 1 says that a is below b, 2 a below c, 3 b below c."""
TOPS: tuple[Chain, ...] = (((2, 3),), ((1, -3),), ((-1, -2),))
CIRCLES: tuple[Chain, ...] = (((1,), (3,), (-2,)), ((2,), (-3,), (-1,)))


def test_three_blocks_in_a_stack() -> None:
    assert not flaw(THREE, 15, *TOPS, *CIRCLES, drup=("-1",))
    assert "not too high" in flaw(THREE, 16, *TOPS, *CIRCLES, drup=("-1",))
    assert "without a contradiction" in flaw(THREE, 15, *TOPS)
    assert "line 1" in flaw(THREE, 15, *TOPS, drup=("",))


@pytest.mark.parametrize(
    ("chain", "said"),
    [
        ((), "empty"),
        (((),), "does not|do not"),
        (((1,), ()), "do not"),
        (((4,),), "variable"),
        (((0,),), "variable"),
        (((2,),), "not too high"),
        (((1,), (2,)), "do not put each block"),
        (((2, 2),), "do not put each block"),
        (((1,), (-1,), (2,), (2,)), "do not put each block"),
        (((2, 3), (1,)), "do not put each block"),
        (((1, 2), (3,)), "do not put each block"),
    ],
)
def test_a_chain_that_says_nothing_is_refused(chain: Chain, said: str) -> None:
    found = flaw(THREE, 15, chain, drup=("1", ""))
    assert found.startswith("chain 1")
    assert any(part in found for part in said.split("|"))


def test_what_a_layer_is() -> None:
    late = replace(B, life=(1, 2))
    both = replace(C, life=(0, 2))
    problem = problem_of(A, late, both)  # 1: a below c, 2: b below c
    assert "bytes in common" in flaw(problem, 15, ((1, 2),))
    assert "bytes in common" in flaw(problem, 15, ((-1, -2),))
    assert "not too high" in flaw(problem, 12, ((1,),))
    assert not flaw(problem, 11, ((2,),), ((-2,),), drup=("",))


def test_the_floor_is_in_no_layer() -> None:
    problem = problem_of(A, replace(B, forbidden=((0, 9),)))  # 1: b is over the range; 2: a is below b
    assert "bytes in common" in flaw(problem, 15, ((1, 2),))
    assert not flaw(problem, 14, ((-1,),), ((1,),), drup=("",))
    assert "not too high" in flaw(problem, 15, ((1,),)), "b is at 9"
    under = problem_of(A, replace(B, forbidden=((9, 20),)))
    assert "not too high" in flaw(under, 31, ((2,), (-1,))), "a is at 0, b at 4 and ends at 9"
    assert "chain" not in flaw(problem_of(A, replace(B, forbidden=((8, 20),))), 31, ((2,), (-1,)))


def test_blocks_that_keep_a_window_are_no_layer() -> None:
    """b may reach into a where a keeps only its first byte, so that the two need 6 bytes and no more."""
    holed = replace(A, gaps=(Gap(0, 1, (0, 1)),))
    problem = problem_of(holed, B, C)
    assert "bytes in common" in flaw(problem, 15, ((2, 3),))
    assert "not too high" in flaw(problem, 13, ((2,),), ((3,),))


def test_members_of_a_group_are_one_node() -> None:
    a, b, c = (replace(block, group=group) for block, group in ((A, "g"), (B, "g"), (C, "")))
    problem = problem_of(a, b, c)  # 1: a below c, 2: b below c
    assert "do not" in flaw(problem, 15, ((1, 2),)), "the two are one node, and lie below c once"
    four = problem_of(a, b, c, replace(C, name="d"))  # 1: a below c, 2: a below d, 3, 4: b, 5: c below d
    assert "bytes in common" in flaw(four, 16, ((4, 5),))
    assert not flaw(problem, 11, ((2,),), ((-2,),), drup=("",))
    assert "not too high" in flaw(problem, 12, ((2,),), ((-2,),), drup=("",))


def test_starts_are_rounded_up() -> None:
    wide = [replace(block, alignment=4) for block in (A, B, C)]
    problem = problem_of(*wide)  # 4 + 8 + 6 at least
    assert not flaw(problem, 17, *TOPS, *CIRCLES, drup=("-1",))
    assert "not too high" in flaw(problem, 19, ((2, 3),))
    assert "not too high" in flaw(problem_of(*wide[:2], C), 16, ((2, 3),))
    mixed = [replace(B, name=name, alignment=alignment) for name, alignment in (("d", 4), ("e", 1), ("f", 1), ("g", 1))]
    assert "not too high" in flaw(problem_of(*mixed), 21, ((3, 5, 6),)), "d first, and no byte is lost"


def test_a_layer_is_as_high_as_it_must_be_and_no_higher() -> None:
    for chain in (*TOPS, ((1, 2),), ((-1, 3),), ((-2, -3),), ((1,), (3,))):
        assert "chain" not in flaw(THREE, 15, chain)
        assert "not too high" in flaw(THREE, 16, chain)


def test_a_layer_starts_at_its_lowest_block() -> None:
    pinned = problem_of(A, replace(B, offset=10), C)
    assert "not too high" in flaw(pinned, 16, ((1, 2),)), "c is at 4, whatever the pin of b"
    assert "not too high" in flaw(pinned, 22, ((2, 3),)), "a is at 0"
    assert "chain" not in flaw(pinned, 21, ((3,),)), "but b alone is at 10"


def test_a_block_of_a_layer_stays_below_the_next_layer() -> None:
    """a and b lie apart, but c may reach into a where a keeps only its first byte: b, then a, then c on that byte."""
    problem = problem_of(
        replace(A, life=(0, 2), gaps=(Gap(1, 2, (0, 1)),)), replace(B, life=(0, 2)), replace(C, life=(1, 2))
    )
    assert "reach above" in flaw(problem, 13, ((2, 3),))
    plan = Arena((Pool(POOL, 12, ((0, 5), (1, 0), (2, 6))),))
    assert not isinstance(check_arena(problem, plan, certificate=None, claims_optimal=False), ArenaRejection)


def windows(name: str, size: int, *found: tuple[int, int] | None, alignment: int = 1) -> Block:
    """At each moment the bytes that are live."""
    gaps = tuple(Gap(t, t + 1, window) for t, window in enumerate(found))
    return Block(name, size, alignment, life=(0, len(found)), gaps=gaps)


def test_a_circle_must_rise() -> None:
    level = problem_of(windows("a", 4, (0, 2), (2, 4)), windows("b", 4, (2, 4), (0, 2)))
    assert "not too high" in flaw(level, 5, ((1,), (-2,))), "both may start at one offset"
    sinking = problem_of(windows("a", 4, (0, 1), (3, 4)), windows("b", 4, (0, 1), (0, 1), alignment=4))
    assert "not too high" in flaw(sinking, 9, ((1,), (-2,))), "b may start 1 or 2 bytes above a"


def test_a_circle_has_no_layers() -> None:
    """a, b and d below x below y below a, b and d: each way round is 1 - 4 + 1 bytes, which nothing forbids."""
    small = [windows(name, 1, (0, 1), (0, 1), (0, 1)) for name in "abd"]
    problem = problem_of(*small, windows("x", 6, (0, 6), (0, 1), None), windows("y", 6, None, (5, 6), (0, 1)))
    assert "not too high" in flaw(problem, 21, ((3, 7, 10), (13,), (-5, -9, -12)))


def test_a_pin_is_a_floor_and_a_lid() -> None:
    problem = problem_of(replace(A, offset=3), B, C)
    assert not flaw(problem, 12, ((1,),), ((-1,),), drup=("",))
    assert "not too high" in flaw(problem, 13, ((1,),), ((-1,),), drup=("",))
    nowhere = problem_of(replace(A, offset=3), replace(B, group="g", offset=1), replace(C, group="g", offset=2))
    assert not flaw(nowhere, 1_000), "two pins of one group: there is no plan at all"


def test_a_chain_may_not_count_on_the_text_of_another_problem() -> None:
    """The numbers of the variables depend on the blocks and their order."""
    bound = PoolBound(POOL, 15, ChainRefutation((0, 1, 2), (*TOPS, *CIRCLES), ("-1",)))
    assert not bound_flaw(THREE, bound)
    evidence = bound.evidence
    assert isinstance(evidence, ChainRefutation)
    for blocks in ((0, 1), (0, 0, 2), (0, 1, 3), (), tuple(range(3)) * 700):
        assert bound_flaw(THREE, replace(bound, evidence=replace(evidence, blocks=blocks)))
    assert bound_flaw(replace(THREE, blocks=(A, B, replace(C, pool="other"))), bound)
    assert bound_flaw(problem_of(*(Block("b", 0) for _ in range(2_001))), replace(
        bound, evidence=replace(evidence, blocks=tuple(range(2_001)))))  # fmt: skip


# --- what the planner writes -------------------------------------------------------------------------------

FACTOR = 1009
BYTES = replace(HARD, blocks=tuple(replace(b, size_bytes=FACTOR * b.size_bytes) for b in HARD.blocks))


def refuted() -> tuple[PoolBound, ChainRefutation]:
    """HARD in units of a kilobyte or so: 7 units are needed, at every moment 6 are live."""
    blocks = tuple(range(len(BYTES.blocks)))
    bound = refute_orders.decide(BYTES, blocks, 7 * FACTOR - 1, deadline=time.monotonic() + 20)
    assert isinstance(bound, PoolBound)
    assert isinstance(bound.evidence, ChainRefutation)
    return bound, bound.evidence


@needs_sat
def test_forged_refutations_are_refused() -> None:
    bound, evidence = refuted()
    assert not bound_flaw(BYTES, bound)
    assert bound.bound_bytes == 7 * FACTOR
    assert len(evidence.drup) > 2
    half = len(evidence.drup) // 2
    mutants = {
        "off by one": replace(bound, bound_bytes=bound.bound_bytes + 1),
        "no proof": replace(bound, evidence=replace(evidence, drup=())),
        "only the end": replace(bound, evidence=replace(evidence, drup=("",))),
        "truncated": replace(bound, evidence=replace(evidence, drup=evidence.drup[:half])),
        "no chains": replace(bound, evidence=replace(evidence, chains=())),
        "half of the chains": replace(bound, evidence=replace(evidence, chains=evidence.chains[::2])),
        "fewer blocks": replace(bound, evidence=replace(evidence, blocks=evidence.blocks[:-1])),
        "other order": replace(bound, evidence=replace(evidence, blocks=evidence.blocks[::-1])),
        "no clause": replace(bound, evidence=replace(evidence, drup=("x", *evidence.drup))),
    }
    for name, mutant in mutants.items():
        assert bound_flaw(BYTES, mutant), name


@needs_sat
def test_every_literal_of_every_chain_counts() -> None:
    """One dropped, or turned round: then the chain shows nothing."""
    bound, evidence = refuted()
    orders = Orders(BYTES, evidence.blocks, bound.bound_bytes - 1)
    for chain in evidence.chains:
        assert not orders.chain_flaw(chain)
        for s, step in enumerate(chain):
            for n, literal in enumerate(step):
                for other in ((), (-literal,)):
                    changed = (*step[:n], *other, *step[n + 1 :])
                    assert orders.chain_flaw((*chain[:s], changed, *chain[s + 1 :])), (chain, literal, other)


@needs_sat
def test_a_refutation_of_a_weaker_problem_is_refused() -> None:
    """Each weakening makes 7 units minus a byte enough (see test_check_arena.py on HARD), or only a shorter life."""
    bound, _ = refuted()
    for b, block in enumerate(BYTES.blocks):
        assert block.life is not None
        start, end = block.life
        smaller = replace(block, size_bytes=block.size_bytes - FACTOR)
        gone = replace(block, life=None)
        holed = replace(block, gaps=(Gap(start, end),))
        for weaker in (smaller, gone, holed):
            assert bound_flaw(replace(BYTES, blocks=(*BYTES.blocks[:b], weaker, *BYTES.blocks[b + 1 :])), bound)


@needs_sat
def test_the_search_ends_when_it_is_told_to() -> None:
    blocks = tuple(range(len(BYTES.blocks)))
    late = time.monotonic()
    assert refute_orders.decide(BYTES, blocks, 7 * FACTOR - 1, deadline=late) is None
    asked = refute_orders.decide(BYTES, blocks, 7 * FACTOR - 1, deadline=late + 20, cancelled=lambda: True)
    assert asked is None


BYTE_SIZES = replace(
    HARD, blocks=tuple(replace(b, size_bytes=1009 * b.size_bytes + n) for n, b in enumerate(HARD.blocks))
)
"""No unit but the byte."""


@needs_sat
def test_the_planner_proves_byte_sizes() -> None:
    verdict = plan_arena(BYTE_SIZES, ArenaOptions(time_limit_s=30))
    assert isinstance(verdict, OptimalArena)
    (bound,) = verdict.certificate.bounds
    assert isinstance(bound.evidence, ChainRefutation)
    assert not isinstance(check_arena_verdict(BYTE_SIZES, verdict), ArenaRejection)
    more = ArenaCertificate((replace(bound, bound_bytes=bound.bound_bytes + 1),))
    assert isinstance(check_arena_verdict(BYTE_SIZES, replace(verdict, certificate=more)), ArenaRejection)
    without = plan_arena(BYTE_SIZES, ArenaOptions(time_limit_s=5, orders=False))
    assert not isinstance(without, OptimalArena), "this is what the chains are for"


@needs_sat
def test_a_capacity_of_bytes_is_too_small() -> None:
    problem = replace(BYTE_SIZES, limits=(PoolLimits(POOL, 7 * 1009),))
    verdict = plan_arena(problem, ArenaOptions(time_limit_s=30))
    assert isinstance(verdict, InfeasibleArena)
    assert verdict.bound is not None
    assert isinstance(verdict.bound.evidence, ChainRefutation)
    assert verdict.minimal
    assert isinstance(check_infeasible(problem, verdict), NoPlanAccepted)
    larger = replace(problem, limits=(PoolLimits(POOL, verdict.bound.bound_bytes),))
    assert isinstance(check_infeasible(larger, verdict), ArenaRejection)


# --- documents ---------------------------------------------------------------------------------------------


@needs_sat
def test_refutations_are_written_and_read() -> None:
    verdict = plan_arena(BYTE_SIZES, ArenaOptions(time_limit_s=30))
    written = verdict_to_json(BYTE_SIZES, verdict)
    assert arena_from_json(Node(written, "", "x.json"), BYTE_SIZES).verdict == verdict
    assert problem_to_json(BYTE_SIZES)


@pytest.mark.parametrize("text", ["", "1,", ",1", "1 x", "1 , , 2", "1-2", "--1", "1;2", "1\n,2", "9999999999"])
def test_what_is_no_chain_is_refused(text: str) -> None:
    evidence = {"kind": "chains", "buffers": ["a", "b", "c"], "chains": ["1 -2, 3", text], "drup": []}
    document = {
        "name": "p",
        "verdict": "infeasible",
        "pool": POOL,
        "core": ["a", "b", "c"],
        "minimal": True,
        "bound": {"pool": POOL, "bound_bytes": 15, "evidence": evidence},
    }
    with pytest.raises(InputError, match="is no chain"):
        arena_from_json(Node(document, "", "x.json"), THREE)
    evidence["chains"] = [" 1  -2 ,3 ", "-3"]
    found = arena_from_json(Node(document, "", "x.json"), THREE).verdict
    assert isinstance(found, InfeasibleArena)
    assert found.bound is not None
    assert found.bound.evidence == ChainRefutation((0, 1, 2), (((1, -2), (3,)), ((-3,),)), ())
