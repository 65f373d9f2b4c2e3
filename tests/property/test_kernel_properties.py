"""The packing kernel against brute force, both ways: what it places fits, and what it calls infeasible does not."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

from arena_oracle import as_conflicts, as_smt, clash, faults, fits, least_height
from hypothesis import given, settings
from hypothesis import strategies as st
from support import needs_kernel

from bench.arena_instances import full_load
from smtalloc.solvers import kernel
from smtalloc.solvers.base import Status as SolverStatus
from smtalloc.solvers.kernel import Gap, Problem, Status
from smtalloc.solvers.z3 import Z3

pytestmark = needs_kernel

MOST = 16
"""Heights beyond this are not looked for by brute force."""


@st.composite
def problems(
    draw: st.DrawFn, *, gaps: bool = True, windows: bool = True, placed: bool = True, most: int = 5
) -> Problem:
    """A few small buffers, with any of: gaps, windows, alignments, pins, forbidden ranges, empty buffers and lives."""
    n = draw(st.integers(1, most))
    sizes = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    lives = [tuple(sorted(draw(st.tuples(st.integers(0, 5), st.integers(0, 5))))) for _ in range(n)]
    problem = Problem(sizes, lives)
    if placed and draw(st.booleans()):
        problem = replace(
            problem,
            alignments=draw(st.lists(st.sampled_from([1, 1, 2, 3, 4]), min_size=n, max_size=n)),
            pinned=draw(st.dictionaries(st.integers(0, n - 1), st.integers(0, 6), max_size=2)),
            forbidden=draw(
                st.dictionaries(
                    st.integers(0, n - 1),
                    st.lists(
                        st.tuples(st.integers(0, 6), st.integers(0, 3)).map(lambda r: (r[0], r[0] + r[1])), max_size=2
                    ),
                    max_size=2,
                )
            ),
        )
    if gaps and draw(st.booleans()):
        problem = replace(problem, gaps={j: draw(_gaps(lives[j], sizes[j] if windows else 0)) for j in range(n)})
    return problem


@st.composite
def _gaps(draw: st.DrawFn, life: tuple[int, int], size: int) -> list[Gap]:
    moments = sorted(draw(st.sets(st.integers(*life), max_size=4)))
    found: list[Gap] = []
    for lower, upper in zip(moments[::2], moments[1::2], strict=False):
        window = None
        if size and draw(st.booleans()):
            first, last = sorted(draw(st.tuples(st.integers(0, size), st.integers(0, size))))
            window = (first, last)
        found.append(Gap(lower, upper, window))
    return found


@settings(max_examples=250, deadline=None)
@given(problems(windows=False))
def test_the_least_height_is_that_of_brute_force(problem: Problem) -> None:
    least = least_height(problem, MOST)
    answer = kernel.minimise(problem)
    if least is None:
        assert answer.status is Status.INFEASIBLE or answer.height > MOST
        return
    assert (answer.status, answer.height) == (Status.SOLVED, least)
    assert not faults(problem, answer.offsets, least)
    if least > 0:
        assert kernel.decide(problem, least - 1).status is Status.INFEASIBLE


@settings(max_examples=150, deadline=None)
@given(problems())
def test_with_windows_it_places_and_does_not_refute(problem: Problem) -> None:
    """First fit and repair only: what they find fits, and only a bound makes it the least height."""
    least = least_height(problem, MOST)
    answer = kernel.minimise(problem)
    if answer.status is Status.INFEASIBLE:
        assert least is None
        return
    assert not faults(problem, answer.offsets, answer.height)
    assert answer.bound <= (MOST + 1 if least is None else least) <= answer.height
    if answer.status is Status.SOLVED and least is not None:
        assert answer.height == least
    if least:
        assert kernel.decide(problem, least - 1).status in {Status.INFEASIBLE, Status.LIMIT}


@settings(max_examples=150, deadline=None)
@given(problems(windows=False), st.integers(0, MOST))
def test_lives_and_conflicts_are_decided_alike(problem: Problem, capacity: int) -> None:
    """The same problem in two sets of cliques: moments, and those of a graph."""
    expected = Status.SOLVED if fits(problem, capacity) else Status.INFEASIBLE
    for same in (problem, as_conflicts(problem)):
        answer = kernel.decide(same, capacity)
        assert answer.status is expected
        if expected is Status.SOLVED:
            assert not faults(problem, answer.offsets, capacity)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=5), st.data())
def test_any_conflict_relation(sizes: list[int], data: st.DataObject) -> None:
    n = len(sizes)
    pairs = [(x, y) for x in range(n) for y in range(x)]
    chosen = data.draw(st.sets(st.sampled_from(pairs)))
    problem = Problem(sizes, conflicts=[[y for x, y in chosen if x == j] for j in range(n)])
    least = least_height(problem, sum(sizes))
    answer = kernel.minimise(problem)
    assert (answer.status, answer.height) == (Status.SOLVED, least)
    assert not faults(problem, answer.offsets, answer.height)


def test_full_load_everywhere() -> None:
    """Larger than brute force can do: the searches over moments and over a graph against z3, which knows neither."""
    draw = random.Random(20)
    refuted = 0
    for _ in range(500):
        capacity = draw.choice([8, 12])
        problem = full_load(draw, capacity, draw.randint(14, 20), parts=2, dying=2)
        answers = [kernel.decide(problem, capacity), kernel.decide(as_conflicts(problem), capacity)]
        for answer in answers:
            assert answer.status is Status.INFEASIBLE or not faults(problem, answer.offsets, capacity)
        assert answers[0].status is answers[1].status
        if answers[0].status is Status.INFEASIBLE:
            refuted += 1
            assert Z3().solve(as_smt(problem, capacity)).status is SolverStatus.UNSAT
    assert refuted >= 10, "too few of these are infeasible for the test to mean anything"


@settings(max_examples=100, deadline=None)
@given(problems(most=9))
def test_first_fit_places_rightly(problem: Problem) -> None:
    answer = kernel.first_fit(problem)
    if answer.status is Status.SOLVED:
        assert not faults(problem, answer.offsets, answer.height)
        assert answer.bound <= answer.height
    else:
        assert answer.status is Status.INFEASIBLE  # pins alone contradict
        assert kernel.minimise(problem).status is Status.INFEASIBLE


def test_the_oracle_itself() -> None:
    """MiniMalloc says NOT_FOUND on this one (its column `gaps`: 1-2@2:3); it fits in 6, and not in 5."""
    gaps = {1: [Gap(1, 2, (2, 3))], 2: [Gap(1, 2, (2, 3))]}
    problem = Problem([2, 3, 3], [(1, 2), (0, 6), (0, 6)], gaps=gaps)
    assert fits(problem, 6) and not fits(problem, 5)
    assert clash(problem, 0, 2, 1, 0) and not clash(problem, 0, 0, 1, 0)


@st.composite
def fittings(draw: st.DrawFn) -> tuple[list[int], list[set[int]], int]:
    """For each item how many slots are large enough and with whom it clashes; the number of slots."""
    n, slots = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    rooms = draw(st.lists(st.integers(0, slots), min_size=n, max_size=n))
    clashes = [set[int]() for _ in range(n)]
    for a, b in itertools.combinations(range(n), 2):
        if draw(st.booleans()):
            clashes[a].add(b)
            clashes[b].add(a)
    return rooms, clashes, slots


@given(fittings(), st.integers(0, 3))
def test_the_fit_search_keeps_the_rules_and_finds_small_fits(
    case: tuple[list[int], list[set[int]], int], seed: int
) -> None:
    rooms, clashes, slots = case
    start, weight = [-1] * len(rooms), [1] * len(rooms)
    found = kernel.slot_fit(rooms, [sorted(c) for c in clashes], start, weight, slots, rounds=2000, seed=seed)
    assert all(-1 <= slot < room for slot, room in zip(found.where, rooms, strict=True))
    assert not any(found.where[j] == found.where[k] >= 0 for j, others in enumerate(clashes) for k in others)
    assert sorted(found.homeless) == [j for j, slot in enumerate(found.where) if slot < 0]
    choices = itertools.product(*(range(room) for room in rooms))
    fit = any(all(c[j] != c[k] for j, others in enumerate(clashes) for k in others) for c in choices)
    assert fit == (not found.homeless)
