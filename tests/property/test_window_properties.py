"""Windows of time, a few pieces each, against brute force in both directions."""

from __future__ import annotations

from itertools import count
from unittest.mock import patch

from arena_oracle import faults, fits
from hypothesis import given, settings
from hypothesis import strategies as st
from support import needs_kernel

from smtalloc import arena_windows
from smtalloc.arena_tasks import pool_task
from smtalloc.packing import POOL, ArenaProblem, Block
from smtalloc.solvers.kernel import Problem


@st.composite
def drawn(draw: st.DrawFn, most: int) -> Problem:
    """Short lives, some of them empty, sizes and alignments."""
    lives = st.tuples(st.integers(0, 6), st.integers(0, 4)).map(lambda pair: (pair[0], sum(pair)))
    n = draw(st.integers(1, most))
    return Problem(
        [draw(st.integers(1, 4)) for _ in range(n)],
        [draw(lives) for _ in range(n)],
        alignments=[draw(st.sampled_from([1, 1, 2])) for _ in range(n)] if draw(st.booleans()) else (),
    )


def packed(problem: Problem, pool: int, seed: int) -> tuple[int, ...] | None:
    """In windows of one or two pieces; at most four before them are free again."""
    alignments = problem.alignments or [1] * len(problem)
    rows = zip(count(), problem.sizes, alignments, problem.lives, strict=False)
    blocks = tuple(Block(f"b{j}", size, alignment, life=life) for j, size, alignment, life in rows)
    task = pool_task(ArenaProblem("p", blocks), POOL, gcd=False)
    with patch.multiple(arena_windows, _NEXT=(1, 2), _AGAIN=1, _BACK=2):
        found = arena_windows.Sweep(task).pack(pool, seed, 1)
    if found is None:
        return None
    of_block = dict(zip((piece.blocks[0] for piece in task.pieces), found, strict=True))
    return tuple(of_block[j] for j in range(len(problem)))


@needs_kernel
@settings(deadline=None, derandomize=True)
@given(drawn(most=14), st.integers(4, 14), st.integers(0, 3))
def test_what_it_places_is_a_plan(problem: Problem, pool: int, seed: int) -> None:
    found = packed(problem, pool, seed)
    assert found is None or faults(problem, found, pool) == []


@needs_kernel
@settings(deadline=None, derandomize=True)
@given(drawn(most=5), st.integers(1, 9), st.integers(0, 3))
def test_where_all_are_free_again_it_finds_what_there_is(problem: Problem, pool: int, seed: int) -> None:
    found = packed(problem, pool, seed)
    assert (found is not None) is fits(problem, pool)
    assert found is None or faults(problem, found, pool) == []
