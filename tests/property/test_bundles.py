"""Bundles: whatever is drawn, a plan of the bundles is a plan of the pieces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest
from arena_cases import problems
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import EXAMPLES, needs_kernel

from smtalloc import arena_bundles
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_bundles import Bundle, joined, offsets
from smtalloc.arena_tasks import Task, pool_task
from smtalloc.check_arena import ArenaAccepted, check_arena_verdict
from smtalloc.minimalloc import read_csv
from smtalloc.packing import POOL, ArenaProblem, Block
from smtalloc.plan import OptimalArena

SETTINGS = settings(deadline=None, derandomize=True)
LIKELY = st.sampled_from([0.0, 0.5, 1.0])


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Few sizes and moments, so that much can be joined; sizes are multiples of alignments."""
    blocks: list[Block] = []
    for b in range(draw(st.integers(1, 30))):
        lower = draw(st.integers(0, 5))
        alignment = draw(st.sampled_from([1, 1, 2]))
        life = (lower, lower + draw(st.integers(1, 3)))
        blocks.append(Block(f"b{b}", alignment * draw(st.integers(1, 3)), alignment, life=life))
    return pool_task(ArenaProblem("p", tuple(blocks)), POOL, gcd=False)


def is_a_plan(task: Task, placed: Sequence[int]) -> bool:
    """By hand: aligned, and no byte of two pieces at one moment."""
    assert task.lives is not None
    for i, j in combinations(range(len(task)), 2):
        (a, b), (c, d) = task.lives[i], task.lives[j]
        if a < d and c < b and placed[i] < placed[j] + task.sizes[j] and placed[j] < placed[i] + task.sizes[i]:
            return False
    return all(at >= 0 and at % piece.alignment == 0 for at, piece in zip(placed, task.pieces, strict=True))


def stacked_up(bundles: Sequence[Bundle]) -> list[int]:
    """Each bundle where it is free, in some order: the lowest place above those that are live with it."""
    placed: list[int] = []
    for n, bundle in enumerate(bundles):
        low = 0
        for other, at in zip(bundles[:n], placed, strict=True):
            if bundle.life[0] < other.life[1] and other.life[0] < bundle.life[1]:
                low = max(low, at + other.size)
        placed.append(-(-low // bundle.alignment) * bundle.alignment)
    return placed


@settings(SETTINGS, max_examples=400)
@given(tasks(), st.integers(0, 5), LIKELY, LIKELY, st.randoms(use_true_random=False))
def test_a_plan_of_bundles_is_a_plan_of_pieces(
    task: Task, rounds: int, stack: float, follow: float, chance: Random
) -> None:
    bundles = joined(task, chance, rounds=rounds, stack=stack, follow=follow)
    chance.shuffle(bundles)
    placed = stacked_up(bundles)
    found = offsets(bundles, placed)
    assert len(found) == len(task)
    assert is_a_plan(task, found)
    heights = [at + bundle.size for at, bundle in zip(placed, bundles, strict=True)]
    assert task.top(found) == max(heights)


def test_what_is_joined() -> None:
    """a and b are stacked, c follows them, as in the picture; d has no place."""
    lives = {"a": (2, (0, 3)), "b": (3, (0, 3)), "c": (5, (3, 9)), "d": (5, (4, 9))}
    problem = ArenaProblem("p", tuple(Block(name, size, life=life) for name, (size, life) in lives.items()))
    bundles = joined(pool_task(problem, POOL), Random(0), rounds=2, stack=1, follow=1)
    assert sorted((bundle.life, bundle.size) for bundle in bundles) == [((0, 9), 5), ((4, 9), 5)]
    assert offsets(bundles, [0 if bundle.life == (0, 9) else 5 for bundle in bundles]) in ((0, 2, 0, 5), (3, 0, 0, 5))
    apart = joined(pool_task(problem, POOL), Random(0), rounds=2, stack=0, follow=0)
    assert len(apart) == 4


@needs_kernel
@settings(SETTINGS, max_examples=200)
@given(problems(most=6))
def test_any_problem_is_taken_or_left_alone(problem: ArenaProblem) -> None:
    """Pins, gaps, groups, alignments, sizes of 0: `worth` says no, or the plans that are found are plans."""
    try:
        task = pool_task(problem, POOL)
    except (KeyError, ValueError):
        return
    if not arena_bundles.worth(task):
        return
    seen: list[tuple[int, ...]] = []
    height = sum(task.sizes) + 1

    def best() -> int:
        return min((task.top(found) for found in seen), default=height)

    target = max(task.sizes)
    arena_bundles.search(task, target, best=best, found=seen.append, seed=0, draws=range(8))
    assert all(is_a_plan(task, found) for found in seen)


@needs_kernel
@settings(SETTINGS, max_examples=100)
@given(tasks(), st.integers(0, 3))
def test_each_plan_is_lower_than_what_was_asked_for(task: Task, seed: int) -> None:
    assume(arena_bundles.worth(task))
    found: list[int] = []
    start = sum(task.sizes) + 2 * len(task)
    arena_bundles.search(
        task,
        max(task.sizes),
        best=lambda: min(found, default=start),
        found=lambda placed: found.append(task.top(placed)),
        seed=seed,
        draws=range(12),
    )
    assert all(height < start for height in found)
    assert found == sorted(set(found), reverse=True)


@needs_kernel
@pytest.mark.parametrize(("name", "load"), [("D", 986_112), ("J", 989_184)])
def test_at_the_load_bound_of_what_was_open(name: str, load: int) -> None:
    """No plans at the bound of these two of MiniMalloc's were known."""
    path = EXAMPLES / "minimalloc" / f"{name}.csv"
    problem = read_csv(path.read_text(), str(path), name=name)
    verdict = plan_arena(problem, ArenaOptions(time_limit_s=120))
    assert isinstance(verdict, OptimalArena)
    assert verdict.plan.cost_bytes == load
    assert isinstance(check_arena_verdict(problem, verdict), ArenaAccepted)
