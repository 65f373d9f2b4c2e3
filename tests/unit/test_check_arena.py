"""The arena checker alone: every forged plan, bound and proof is refused, and says why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from arena_cases import HARD
from support import needs_sat

from smtalloc import refute
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_json import arena_from_json, problem_from_json, problem_to_json, verdict_to_json
from smtalloc.check_arena import (
    ArenaAccepted,
    ArenaRejection,
    NoPlanAccepted,
    check_arena,
    check_arena_verdict,
    check_infeasible,
)
from smtalloc.check_chains import chains_flaw
from smtalloc.check_refutation import Text, refutation_flaw
from smtalloc.check_rup import Propagation, proof_flaw
from smtalloc.formats import Node
from smtalloc.packing import POOL, ArenaProblem, Block, Gap, PoolLimits
from smtalloc.plan import (
    Arena,
    ArenaCertificate,
    ChainRefutation,
    InfeasibleArena,
    OptimalArena,
    Pool,
    PoolBound,
    Reach,
    Refutation,
    Stack,
)


def problem_of(*blocks: Block, capacity: int | None = None) -> ArenaProblem:
    return ArenaProblem("p", blocks, (PoolLimits(POOL, capacity),))


def plan_of(*offsets: int, size: int) -> Arena:
    return Arena((Pool(POOL, size, tuple(enumerate(offsets))),))


def refused(problem: ArenaProblem, plan: Arena, bound: PoolBound | None = None) -> ArenaRejection:
    certificate = None if bound is None else ArenaCertificate((bound,))
    found = check_arena(problem, plan, certificate=certificate, claims_optimal=False)
    assert isinstance(found, ArenaRejection), found
    return found


TWO = problem_of(Block("a", 4, life=(0, 2)), Block("b", 4, life=(1, 3)))


def test_a_right_plan_is_accepted() -> None:
    bound = PoolBound(POOL, 8, Stack((0, 1)))
    found = check_arena(TWO, plan_of(0, 4, size=8), certificate=ArenaCertificate((bound,)), claims_optimal=True)
    assert found == ArenaAccepted(8, 8)


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (plan_of(0, 3, size=7), "a and b are live at one moment"),
        (plan_of(0, size=4), "b has no place"),
        (plan_of(0, -4, size=4), "negative offset"),
        (plan_of(0, 4, size=7), "reach up to 8"),
        (plan_of(0, 4, size=9), "more than the 8"),
        (plan_of(0, 4, 8, size=9), "does not exist"),
        (Arena((Pool(POOL, 8, ((0, 0), (1, 4), (1, 4))),)), "two places"),
        (Arena((Pool(POOL, 4, ((0, 0),)), Pool("q", 4, ((1, 0),)))), "is in pool 'q'"),
        (Arena((Pool(POOL, 4, ((0, 0),)), Pool(POOL, 4, ((1, 0),)))), "two pools"),
    ],
)
def test_wrong_places(plan: Arena, reason: str) -> None:
    assert reason in refused(TWO, plan).reason


@pytest.mark.parametrize(
    ("block", "offset", "reason"),
    [
        (Block("a", 4, 4, life=(0, 1)), 2, "alignment"),
        (Block("a", 4, life=(0, 1), offset=3), 2, "pinned at 3"),
        (Block("a", 4, life=(0, 1), forbidden=((5, 6),)), 2, "forbidden"),
        (Block("a", 4, life=(0, 1), forbidden=((0, 3),)), 2, "forbidden"),
    ],
)
def test_wrong_offsets(block: Block, offset: int, reason: str) -> None:
    assert reason in refused(problem_of(block), plan_of(offset, size=offset + 4)).reason


def test_forbidden_bytes_of_the_pool_capacity_and_groups() -> None:
    held = ArenaProblem("p", (Block("a", 4, life=(0, 1)),), (PoolLimits(POOL, None, ((1, 2),)),))
    assert "forbidden" in refused(held, plan_of(0, size=4)).reason
    assert "capacity" in refused(problem_of(Block("a", 4), capacity=3), plan_of(0, size=4)).reason
    group = problem_of(Block("a", 4, life=(0, 2), group="g"), Block("b", 2, life=(1, 3), group="g"))
    assert "same group" in refused(group, plan_of(0, 4, size=6)).reason
    assert isinstance(check_arena(group, plan_of(0, 0, size=4), certificate=None, claims_optimal=False), ArenaAccepted)


@pytest.mark.parametrize(("second", "right"), [(0, True), (1, False), (2, True)])
def test_windows(second: int, right: bool) -> None:
    """In its gap only byte 1 of a is live: b, one byte, may lie at 0 or 2 of it."""
    problem = problem_of(Block("a", 3, life=(0, 3), gaps=(Gap(1, 2, (1, 2)),)), Block("b", 1, life=(1, 2)))
    found = check_arena(problem, plan_of(0, second, size=3), certificate=None, claims_optimal=False)
    assert isinstance(found, ArenaAccepted) is right


def test_a_relation_is_taken_as_it_is() -> None:
    apart = ArenaProblem("p", (Block("a", 4), Block("b", 4)), apart=(0b10, 0b01))
    assert refused(apart, plan_of(0, 3, size=7)).kind == "overlap"
    free = replace(apart, apart=(0, 0))
    assert isinstance(check_arena(free, plan_of(0, 3, size=7), certificate=None, claims_optimal=False), ArenaAccepted)


def test_claims_are_compared() -> None:
    plan = plan_of(0, 4, size=8)
    for claims in ({"claimed_cost_bytes": 7}, {"claimed_lower_bound_bytes": 1}):
        found = check_arena(TWO, plan, certificate=None, claims_optimal=False, **claims)
        assert isinstance(found, ArenaRejection)
    found = check_arena(TWO, plan, certificate=None, claims_optimal=True)
    assert isinstance(found, ArenaRejection)
    assert found.kind == "certificate"


THREE = problem_of(
    Block("a", 4, 1, life=(0, 2)),
    Block("b", 4, 8, life=(1, 3)),
    Block("c", 2, 8, life=(1, 2)),
    Block("d", 9, life=(5, 6)),
)
FREE = plan_of(10, 0, 8, 0, size=14)


@pytest.mark.parametrize(
    ("bound", "reason"),
    [
        (PoolBound(POOL, 11, Stack((0, 1))), "shows that 8"),
        (PoolBound(POOL, 11, Stack((0, 1, 1))), "twice"),
        (PoolBound(POOL, 11, Stack((0, 1, 9))), "does not exist"),
        (PoolBound("q", 10, Stack((0, 1, 2))), "not of this pool"),
        (PoolBound(POOL, 12, Stack((0, 1, 2, 3))), "may have bytes in common"),
        (PoolBound(POOL, 11, Stack((1, 2))), "shows that 10"),
        (PoolBound(POOL, 11, Stack((1, 2), 1)), "shows that 6"),
        (PoolBound(POOL, 10, Reach(3)), "shows that 9"),
        (PoolBound(POOL, 9, Refutation((0, 1), ())), "without a contradiction"),
        (PoolBound(POOL, 9, Refutation((0, 1), ("0 1",))), "variable"),
        (PoolBound(POOL, 9, Refutation((0, 1), ("x",))), "no clause"),
        (PoolBound(POOL, 5, Refutation((), ())), "about nothing"),
    ],
)
def test_bounds_that_prove_less_than_they_say(bound: PoolBound, reason: str) -> None:
    assert reason in refused(THREE, FREE, bound).reason


def test_two_bounds_of_one_pool_do_not_add_up() -> None:
    bounds = ArenaCertificate((PoolBound(POOL, 4, Stack((0,))), PoolBound(POOL, 4, Stack((1,)))))
    found = check_arena(THREE, FREE, certificate=bounds, claims_optimal=False)
    assert isinstance(found, ArenaRejection)
    assert "two bounds" in found.reason


def test_alignment_counts_in_stacks_only_as_far_as_it_must() -> None:
    """b and c start at multiples of 8, in either order: 10 bytes; a finds room between them."""
    for height, right in ((10, True), (11, False)):
        certificate = ArenaCertificate((PoolBound(POOL, height, Stack((0, 1, 2))),))
        plan = plan_of(4, 0, 8, 0, size=10)
        found = check_arena(THREE, plan, certificate=certificate, claims_optimal=False)
        assert isinstance(found, ArenaAccepted) is right


def test_a_moment_counts_one_block_of_a_group() -> None:
    blocks = (Block("a", 4, life=(0, 2), group="g"), Block("b", 4, life=(0, 2), group="g"))
    assert (
        "one group" in refused(problem_of(*blocks), plan_of(0, 0, size=4), PoolBound(POOL, 8, Stack((0, 1), 0))).reason
    )


# --- refutations -------------------------------------------------------------------------------------------


def tight() -> tuple[ArenaProblem, OptimalArena, PoolBound]:
    """A problem whose minimum is above every stack, with its refutation."""
    verdict = plan_arena(HARD, ArenaOptions(time_limit_s=30))
    assert isinstance(verdict, OptimalArena)
    (bound,) = verdict.certificate.bounds
    assert isinstance(bound.evidence, Refutation)
    return HARD, verdict, bound


@needs_sat
def test_a_refutation_is_checked_and_its_mutants_are_refused() -> None:
    problem, verdict, bound = tight()
    evidence = bound.evidence
    assert isinstance(evidence, Refutation)
    assert isinstance(check_arena_verdict(problem, verdict), ArenaAccepted)
    steps = [line for line in evidence.drup if not line.startswith("d")]
    assert len(steps) > 1, "a proof that is empty cannot be truncated"
    mutants = {
        "off by one": replace(bound, bound_bytes=bound.bound_bytes + 1),
        "empty proof": replace(bound, evidence=Refutation(evidence.blocks, ())),
        "only the end": replace(bound, evidence=Refutation(evidence.blocks, ("",))),
        "truncated": replace(bound, evidence=Refutation(evidence.blocks, tuple(steps[: len(steps) // 2]))),
        "fewer blocks": replace(bound, evidence=Refutation(evidence.blocks[:-1], evidence.drup)),
        "other order": replace(bound, evidence=Refutation(evidence.blocks[::-1], evidence.drup)),
    }
    for name, mutant in mutants.items():
        found = check_arena_verdict(problem, replace(verdict, certificate=ArenaCertificate((mutant,))))
        assert isinstance(found, ArenaRejection), name


@needs_sat
def test_a_proof_about_a_weaker_problem_is_refused() -> None:
    problem, verdict, bound = tight()
    for b, block in enumerate(problem.blocks):
        if block.size_bytes > 1:
            weaker = replace(block, size_bytes=block.size_bytes - 1)
            other = replace(problem, blocks=(*problem.blocks[:b], weaker, *problem.blocks[b + 1 :]))
            certificate = ArenaCertificate((bound,))
            found = check_arena(other, verdict.plan, certificate=certificate, claims_optimal=True)
            assert isinstance(found, ArenaRejection), block.name


@needs_sat
def test_both_writers_of_the_propositional_text_agree() -> None:
    problem, _, bound = tight()
    blocks = tuple(range(len(problem.blocks)))
    for at_most in range(bound.bound_bytes + 2):
        mine = refute.fit(problem, blocks, at_most)
        theirs = Text(problem, blocks, at_most)
        clauses = {tuple(sorted(c)) for c in theirs.clauses() if not any(-x in c for x in c)}
        assert {tuple(sorted(c)) for c in mine.clauses()} == clauses
        assert mine.variables == theirs.variables


@pytest.mark.parametrize(
    "line", ["1" * 60 + "x", "1" * 5000, "1" * 10, "1-2", "--1", "1  2", " 1", "d d 1", "d", "1_0", "\u0661", "1\n"]
)
def test_lines_that_are_no_clauses_are_refused(line: str) -> None:
    """Each at once: one of many digits can be split in too many ways to try them all, and makes no number."""
    assert "is no clause" in proof_flaw(2, [[1, 2]], [line, ""])


@pytest.mark.parametrize("line", ["1", "1 2", "1 2 ", "d 1 2", "d ", "d 2 -1"])
def test_lines_that_are_clauses_are_read(line: str) -> None:
    assert not proof_flaw(2, [[1, 2], [1, -2], [-1, 2], [-1, -2]], ["1", line, ""])


def test_propagation_keeps_to_what_follows() -> None:
    engine = Propagation(3)
    assert not engine.add([1, 2])
    assert not engine.add([-1, 3])
    assert not engine.implied([3])
    assert engine.implied([2, 3])
    assert not engine.add([-2])
    assert engine.implied([3])
    engine.delete([1, 2])
    assert engine.implied([3]), "units stay"
    assert engine.add([-3])


# --- no plan -----------------------------------------------------------------------------------------------


def test_cores_are_checked() -> None:
    problem = replace(THREE, limits=(PoolLimits(POOL, 9),))
    right = InfeasibleArena(POOL, (1, 2), PoolBound(POOL, 10, Stack((1, 2))), True)
    assert isinstance(check_infeasible(problem, right), NoPlanAccepted)
    wrong = [
        replace(right, core=(1,)),
        replace(right, core=()),
        replace(right, core=(1, 2, 9)),
        replace(right, core=(1, 2, 3)),
        replace(right, pool="q"),
        replace(right, bound=None),
        replace(right, bound=PoolBound(POOL, 9, Stack((1, 2)))),
        replace(right, bound=PoolBound(POOL, 11, Stack((1, 2)))),
        replace(right, bound=PoolBound(POOL, 10, Stack((0, 2)))),
    ]
    for verdict in wrong:
        assert isinstance(check_infeasible(problem, verdict), ArenaRejection), verdict
    assert isinstance(check_infeasible(THREE, right), ArenaRejection), "no capacity, no core"


def test_pins_that_contradict_each_other() -> None:
    a, b = Block("a", 4, life=(0, 2), offset=0), Block("b", 4, life=(1, 3), offset=3)
    verdict = plan_arena(problem_of(a, b))
    assert verdict == InfeasibleArena(POOL, (0, 1), None, True)
    assert isinstance(check_infeasible(problem_of(a, b), verdict), NoPlanAccepted)
    apart = problem_of(a, replace(b, offset=4))
    assert isinstance(check_infeasible(apart, verdict), ArenaRejection)


# --- written and read --------------------------------------------------------------------------------------


@needs_sat
def test_everything_survives_json() -> None:
    problem, verdict, _ = tight()
    again = problem_from_json(problem_to_json(problem), "x", name="y")
    assert again.blocks == problem.blocks
    loaded = arena_from_json(Node(verdict_to_json(problem, verdict), "", "x"), again)
    assert loaded.verdict == verdict
    small = replace(THREE, limits=(PoolLimits(POOL, 9),))
    none = plan_arena(small)
    assert isinstance(none, InfeasibleArena)
    assert arena_from_json(Node(verdict_to_json(small, none), "", "x"), small).verdict == none


@pytest.mark.parametrize(
    "gaps", [(Gap(2, 2),), (Gap(0, 0, (0, 2)), Gap(1, 1), Gap(1, 3, (2, 2)), Gap(4, 4)), (Gap(1, 3),)]
)
@pytest.mark.parametrize("clock", [1, -1, 1 << 59, 1 << 60, 1 << 70])
def test_gaps_without_moments_and_clocks_of_any_size(gaps: tuple[Gap, ...], clock: int) -> None:
    """What the problem allows is planned, though the packing kernel knows neither."""
    at = min(0, 4 * clock)
    a = Block("a", 4, life=(at, at + 4 * abs(clock)))
    spread = tuple(replace(g, lower=at + g.lower * abs(clock), upper=at + g.upper * abs(clock)) for g in gaps)
    problem = problem_of(replace(a, gaps=spread), replace(a, name="b", size_bytes=3))
    verdict = plan_arena(problem)
    assert isinstance(verdict, OptimalArena)
    assert check_arena_verdict(problem, verdict) == ArenaAccepted(7, 7)


def test_windows_that_add_up_to_a_whole_are_no_stack() -> None:
    """At one moment the lower half of a is live, at the next the upper one: together as much, but at no moment."""
    a = Block("a", 4, life=(0, 2), gaps=(Gap(0, 1, (0, 2)), Gap(1, 2, (2, 4))))
    problem = problem_of(a, Block("b", 4, life=(0, 2)))
    verdict = plan_arena(problem)
    assert not isinstance(check_arena_verdict(problem, verdict), ArenaRejection)
    assert not isinstance(verdict, InfeasibleArena)
    small = replace(problem, limits=(PoolLimits(POOL, 7),))
    none = plan_arena(small)
    assert not isinstance(check_arena_verdict(small, none), ArenaRejection)


@pytest.mark.parametrize("evidence", ["refutation", "chains"])
def test_evidence_about_too_many_blocks_is_refused_before_its_pairs_are_made(evidence: str) -> None:
    problem = ArenaProblem("p", tuple(Block(f"b{b}", 1, life=(b, b + 1)) for b in range(100_000)))
    blocks = tuple(range(100_000))
    flaw = (
        refutation_flaw(problem, Refutation(blocks, ()), 2)
        if evidence == "refutation"
        else chains_flaw(problem, ChainRefutation(blocks, (), ()), 2)
    )
    assert flaw == "the refutation is about 100000 blocks, too many to check"
