"""Cutting a schedule down: no single action of what is left can go, and the search stays cheap."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from smtalloc.minimise import minimal, reaching
from smtalloc.program import HOST, Access, Action

needs = st.lists(st.frozensets(st.integers(0, 30), min_size=1, max_size=5), min_size=1, max_size=4)


@given(needs, st.permutations(range(31)), st.frozensets(st.integers(0, 30)))
def test_what_is_left_breaks_and_nothing_can_go(
    causes: list[frozenset[int]], schedule: list[int], start: frozenset[int]
) -> None:
    """It breaks if all actions of one of the causes are there."""

    def breaks(kept: Sequence[int]) -> bool:
        return any(cause <= set(kept) for cause in causes)

    kept = minimal([breaks], schedule, [lambda: start])
    assert breaks(kept)
    assert all(not breaks([i for i in kept if i != out]) for out in kept)
    assert [i for i in schedule if i in kept] == list(kept), "the order stays"


@given(needs, st.permutations(range(31)))
def test_the_first_test_that_can_be_met_counts(causes: list[frozenset[int]], schedule: list[int]) -> None:
    def never(kept: Sequence[int]) -> bool:
        return False

    def breaks(kept: Sequence[int]) -> bool:
        return any(cause <= set(kept) for cause in causes)

    assert minimal([never, breaks], schedule, []) == minimal([breaks], schedule, [])
    assert minimal([never], schedule, []) == tuple(schedule), "nothing breaks: nothing is left out"


def test_a_long_schedule_is_cut_in_halves() -> None:
    runs = 0

    def breaks(kept: Sequence[int]) -> bool:
        nonlocal runs
        runs += 1
        return {17, 900} <= set(kept)

    assert minimal([breaks], range(1000), []) == (17, 900)
    assert runs < 60


def test_what_never_gets_short_ends_at_the_budget() -> None:
    spent = 0

    def breaks(kept: Sequence[int]) -> bool:
        nonlocal spent
        spent += len(kept)
        return len(kept) == 1000

    assert len(minimal([breaks], range(1000), [])) == 1000
    assert spent <= 20_000


def test_results_reach_a_read_through_memory_and_scalars() -> None:
    """0 writes a, 1 loads it, 2 stores what was loaded to b, 3 writes over the end of b, 4 reads b, 5 has no part."""
    a, b, c = (Access(i, 0, 8) for i in range(3))
    actions = (
        Action(0, "q", "op", (), (a,)),
        Action(1, HOST, "memref.load", (a,), (), ("q",), results=("%x",)),
        Action(2, HOST, "memref.store", (), (b,), scalars=("%x",)),
        Action(3, "q", "op", (), (Access(1, 4, 8),)),
        Action(4, "q", "op", (b,), ()),
        Action(5, "q", "op", (a,), (c,)),
    )
    assert reaching([(actions, range(6))], [4], [[]]) == {0, 1, 2, 3, 4}
    assert reaching([(actions, range(6))], [], [[Access(2, 0, 8)]]) == {0, 5}
    assert reaching([(actions, [3, 0, 1, 2, 4])], [4], [[]]) == {0, 1, 2, 4}, "what is written over does not reach it"
