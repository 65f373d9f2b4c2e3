"""Networks of chains, covers by cliques, and prices made exact."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest
from test_bounds import is_clique, random_task

from smtalloc.bitsets import bits, bitset
from smtalloc.duals import Prices, exact_prices
from smtalloc.networks import Classes, heights, layers, network
from smtalloc.plan import Dual
from smtalloc.task import Task

SEEDS = pytest.mark.parametrize("seed", range(100))


def random_intervals(seed: int) -> Task:
    """Lives as intervals of time, sizes falling."""
    chance = random.Random(seed)
    lives = [(start := chance.randrange(8), start + chance.randrange(1, 5)) for _ in range(chance.randint(1, 9))]
    before = [bitset(j for j, b in enumerate(lives) if a[1] <= b[0]) for a in lives]
    after = [bitset(j for j, b in enumerate(lives) if b[1] <= a[0]) for a in lives]
    sizes = sorted((chance.choice([0, 1, 2, 2, 3, 7]) for _ in lives), reverse=True)
    return Task(tuple(range(len(lives))), tuple(sizes), tuple(before), tuple(after), False)


def chains(task: Task, members: list[int]) -> list[tuple[int, ...]]:
    """All sets of members in which every two may share."""
    sets = (s for n in range(1, len(members) + 1) for s in combinations(members, n))
    return [s for s in sets if all(task.related[a] >> b & 1 for a, b in combinations(s, 2))]


@SEEDS
@pytest.mark.parametrize("make", [random_task, random_intervals])
def test_the_heaviest_path_is_the_heaviest_chain_and_cliques_cover_it(make: type[Task], seed: int) -> None:
    task = make(seed)  # type: ignore[call-arg]
    chance = random.Random(seed)
    members = chance.sample(range(len(task)), chance.randint(1, len(task)))
    weights = {j: chance.choice([0, 1, 2, 5]) for j in members}
    found = network(task, members)
    assert all(arc.tail < arc.head < found.nodes for arc in found.arcs)
    heaviest = max(sum(weights[j] for j in chain) for chain in chains(task, members))
    assert heights(found, weights, 0)[-1] == heaviest
    cover = layers(found, weights)
    assert sum(weight for weight, _ in cover) <= heaviest
    assert all(weight > 0 and is_clique(task, mask) for weight, mask in cover)
    for j in members:
        assert sum(weight for weight, mask in cover if mask >> j & 1) == weights[j]


@SEEDS
@pytest.mark.parametrize("make", [random_task, random_intervals])
def test_any_prices_become_exactly_feasible(make: type[Task], seed: int) -> None:
    """Whatever the prices were, no chain is worth more than its slot, and the certificate is what the docs ask for."""
    task = make(seed)  # type: ignore[call-arg]
    chance = random.Random(seed)
    wild = [chance.choice([-1.0, 0.0, 0.3, 1 / 3, 1.0, 2.0, 5.5, 1e9]) for _ in range(len(task))]
    found = exact_prices(Classes(task), [1] * len(task), wild, task.unit)
    total = Fraction(sum(found.weights.values()), found.denominator)
    assert found.bound == task.unit * -(-total // task.unit)
    for chain in chains(task, list(range(len(task)))):
        worth = sum((Fraction(found.weights.get(j, 0), found.denominator) for j in chain), Fraction(0))
        assert worth <= max(task.sizes[j] for j in chain)
    assert_proves(task, found)


def assert_proves(task: Task, found: Prices) -> None:
    """docs/certificates.md, section "Dual"."""
    dual = found.evidence(task, list(range(len(task))), ())
    assert isinstance(dual, Dual)
    for width in task.widths:
        rows = [row for row in dual.weights if row.slot_bytes == width]
        assert sum((row.weight for row in rows), Fraction(0)) <= width
        for row in rows:
            assert is_clique(task, bitset(row.buffers))
            assert all(task.sizes[j] <= width for j in row.buffers)
        for j, weight in found.weights.items():
            if task.sizes[j] <= width:
                share = sum((row.weight for row in rows if j in row.buffers), Fraction(0))
                assert share == Fraction(weight, found.denominator)
    assert found.size(task) == sum(len(row.buffers) for row in dual.weights)


@SEEDS
def test_what_is_excluded_costs_too_much(seed: int) -> None:
    """An excluded pair (item, class) is in no set of chains that covers all items for that cost."""
    task = random_intervals(seed)
    if len(task) > 6:
        return
    chance = random.Random(seed)
    wild = [chance.choice([0.0, 1.0, 2.0]) for _ in range(len(task))]
    found = exact_prices(Classes(task), [1] * len(task), wild, task.unit)
    cost_at_most = found.bound + chance.randint(0, 3)
    excluded = found.excluded(task, cost_at_most)
    for plan in plans(task, list(range(len(task)))):
        classes = [min(task.class_of[j] for j in slot) for slot in plan]
        if sum(task.widths[k] for k in classes) <= cost_at_most:
            used = {(j, k) for slot, k in zip(plan, classes, strict=True) for j in slot}
            assert not used & excluded


def plans(task: Task, items: list[int]) -> list[list[list[int]]]:
    if not items:
        return [[]]
    first, *rest = items
    found: list[list[list[int]]] = []
    for plan in plans(task, rest):
        found.append([[first], *plan])
        for place, slot in enumerate(plan):
            if bitset(slot) & ~task.related[first] == 0:
                found.append([*plan[:place], [first, *slot], *plan[place + 1 :]])
    return found


@SEEDS
def test_a_timeline_is_there_iff_lives_are_intervals(seed: int) -> None:
    line = random_intervals(seed).timeline
    assert line is not None
    task = random_task(seed)
    pairs = [(a, b) for a in range(len(task)) for b in bits(task.before[a])]
    crossing = any(
        not task.before[a] >> d & 1 and not task.before[c] >> b & 1 for (a, b), (c, d) in combinations(pairs, 2)
    )
    assert (task.timeline is None) == crossing
    for one in (task, random_intervals(seed)):
        if (line := one.timeline) is not None:
            assert all(
                (line.end[i] <= line.start[j]) == bool(one.before[i] >> j & 1)
                for i in range(len(one))
                for j in range(len(one))
            )
