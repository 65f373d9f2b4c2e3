"""What presolve leaves out can be put back, and whether everything fits."""

from __future__ import annotations

import time

import pytest
from test_bounds import random_task
from test_prices import plans, random_intervals

from smtalloc.bitsets import bits, bitset
from smtalloc.fit import Fit
from smtalloc.presolve import dominated, twins
from smtalloc.task import Task

SEEDS = pytest.mark.parametrize("seed", range(120))
TASKS = pytest.mark.parametrize("make", [random_task, random_intervals])


def is_plan(task: Task, slots: list[list[int]]) -> bool:
    """Every item once, and every two of a slot may share."""
    inside = all(bitset(slot) & ~(task.related[j] | 1 << j) == 0 for slot in slots for j in slot)
    return inside and sorted(j for slot in slots for j in slot) == list(range(len(task)))


def cost(task: Task, slots: list[list[int]]) -> int:
    return sum(max(task.sizes[j] for j in slot) for slot in slots)


@TASKS
@SEEDS
def test_dominated_items_join_any_plan_of_the_others_for_nothing(make: type[Task], seed: int) -> None:
    task = make(seed)  # type: ignore[call-arg]
    found = dominated(task)
    kept = list(bits(found.kept))
    assert sorted([*kept, *(item for item, _ in found.hosts)]) == list(range(len(task)))
    if len(kept) > 6:
        return
    for plan in plans(task, kept):
        whole = found.complete(plan)
        assert is_plan(task, whole)
        assert cost(task, whole) == cost(task, plan)


def test_a_smaller_buffer_after_a_larger_one_is_dominated_unless_something_is_in_its_way_only() -> None:
    after = Task((0, 1), (8, 4), (0b10, 0), (0, 0b01), False)
    assert dominated(after).hosts == ((1, 0),)
    # %2 lives beside the small %1, after the large %0, which is the only one that could take in %1 or %2
    crowded = Task((0, 1, 2), (8, 4, 4), (0b110, 0, 0), (0, 0b001, 0b001), False)
    assert dominated(crowded).kept == 0b111


@TASKS
@SEEDS
def test_twins_are_interchangeable(make: type[Task], seed: int) -> None:
    task = make(seed)  # type: ignore[call-arg]
    groups = twins(task)
    assert sorted(j for group in groups for j in group) == list(range(len(task)))
    for group in groups:
        assert len({(task.sizes[j], task.before[j], task.after[j]) for j in group}) == 1
        assert not any(task.related[a] >> b & 1 for a in group for b in group)


@TASKS
@SEEDS
def test_a_fit_is_a_plan_in_the_given_slots_and_the_optimum_fits(make: type[Task], seed: int) -> None:
    task = make(seed)  # type: ignore[call-arg]
    best = min(plans(task, list(range(len(task)))), key=lambda plan: cost(task, plan)) if len(task) < 7 else []
    sizes = sorted((max(task.sizes[j] for j in slot) for slot in best), reverse=True) if best else [7] * len(task)
    search = Fit(task, sizes, seed)
    found = search.run(20_000, time.monotonic() + 30)
    assert found is not None
    assert is_plan(task, [list(slot) for slot in found])
    assert len(found) <= len(sizes)
    assert sorted((max(task.sizes[j] for j in slot) for slot in found), reverse=True) <= sizes


def test_what_does_not_fit_is_named() -> None:
    task = random_intervals(3)
    search = Fit(task, [task.sizes[0]], 0)
    assert search.run(500, time.monotonic() + 30) is None
    assert search.hardest(2)
