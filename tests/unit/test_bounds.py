"""Chains and antichains, clique bounds, duals rounded to fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

from smtalloc.bounds import (
    Task,
    bits,
    bitset,
    chain_cover,
    class_form,
    clique_levels,
    exact_dual,
    sweep_cliques,
    tasks,
    widened,
)
from smtalloc.order import conflicts
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program


def random_task(seed: int, most: int = 9) -> Task:
    """Sizes falling, a random strict partial order: arcs along a random permutation, closed under transitivity."""
    chance = random.Random(seed)
    n = chance.randint(1, most)
    order = chance.sample(range(n), n)
    density = chance.random()
    before = [0] * n
    for place in reversed(range(n)):
        item = order[place]
        for later in order[place + 1 :]:
            if chance.random() < density:
                before[item] |= 1 << later | before[later]
    after = [bitset(i for i in range(n) if before[i] >> j & 1) for j in range(n)]
    sizes = sorted((chance.choice([0, 1, 2, 2, 3, 7]) for _ in range(n)), reverse=True)
    return Task(tuple(range(n)), tuple(sizes), tuple(before), tuple(after), False)


def is_clique(task: Task, mask: int) -> bool:
    return not any(task.related[a] >> b & 1 for a, b in combinations(bits(mask), 2))


@pytest.mark.parametrize("seed", range(150))
def test_chains_and_antichain_are_as_many(seed: int) -> None:
    task = random_task(seed)
    chance = random.Random(seed)
    members = chance.sample(range(len(task)), chance.randint(0, len(task)))
    matching = chain_cover(task, members)
    chains, antichain = matching.chains(), matching.antichain()
    assert sorted(j for chain in chains for j in chain) == sorted(members)
    assert all(task.before[a] >> b & 1 for chain in chains for a, b in combinations(chain, 2))
    assert is_clique(task, antichain)
    assert antichain & ~bitset(members) == 0
    assert antichain.bit_count() == len(chains)


@pytest.mark.parametrize("seed", range(150))
def test_levels_are_largest_cliques_of_each_threshold(seed: int) -> None:
    task = random_task(seed)
    levels, _ = clique_levels(task)
    for width, mask in zip(task.widths, levels.cliques, strict=True):
        able = [j for j in range(len(task)) if task.sizes[j] >= width]
        largest = max(
            len(s) for n in range(1, len(able) + 1) for s in combinations(able, n) if is_clique(task, bitset(s))
        )
        assert is_clique(task, mask)
        assert mask.bit_count() == largest
        assert all(task.sizes[j] >= width for j in bits(mask))


@pytest.mark.parametrize("seed", range(60))
def test_sweeping_gives_cliques_and_all_maximal_ones_of_interval_orders(seed: int) -> None:
    task = random_task(seed)
    assert all(is_clique(task, clique) for clique in sweep_cliques(task))
    for clique in sweep_cliques(task):
        assert all(
            is_clique(task, wide) and wide & clique == clique for wide in widened(task, clique & -clique | clique)
        )
    chance = random.Random(seed)
    lives = [(start := chance.randrange(8), start + chance.randrange(1, 5)) for _ in range(7)]
    before = [bitset(j for j, b in enumerate(lives) if a[1] <= b[0]) for a in lives]
    after = [bitset(j for j, b in enumerate(lives) if b[1] <= a[0]) for a in lives]
    intervals = Task(tuple(range(7)), (1,) * 7, tuple(before), tuple(after), False)
    alive = {bitset(j for j, (a, b) in enumerate(lives) if a <= t < b) for t in range(12)}
    maximal = {mask for mask in alive if mask and not any(mask != other and mask & ~other == 0 for other in alive)}
    assert maximal <= set(sweep_cliques(intervals))


@pytest.mark.parametrize("seed", range(60))
def test_any_duals_become_exactly_feasible(seed: int) -> None:
    """The multipliers are repaired whatever they were; the bound is what docs/certificates.md computes from them."""
    task = random_task(seed)
    levels, _ = clique_levels(task)
    form = class_form(task, levels)
    chance = random.Random(seed)
    found = exact_dual(form, [chance.choice([-1.0, 0.0, 0.3, 1 / 3, 1.0, 5.5]) for _ in form.rows])
    dual = found.evidence(task, levels, list(range(len(task))))
    sums = {w: sum((x.weight for x in dual.weights if x.slot_bytes == w), Fraction(0)) for w in task.widths}
    assert all(weighted.weight > 0 for weighted in dual.weights)
    assert all(total <= width for width, total in sums.items())
    prices = [
        min(
            sum((x.weight for x in dual.weights if x.slot_bytes == w and j in x.buffers), Fraction(0))
            for w in task.widths
            if w >= task.sizes[j]
        )
        for j in range(len(task))
    ]
    slots = [min(w - sums[w] for w in task.widths[: k + 1]) for k in range(len(task.widths))] + [Fraction(0)]
    counts = [
        max((len(c.buffers) for c in dual.cliques if c.threshold_bytes >= width), default=0) for width in task.widths
    ]
    bound = sum(prices, Fraction(0)) + sum((slots[k] - slots[k + 1]) * count for k, count in enumerate(counts))
    assert found.bound == task.unit * -(-bound // task.unit)


def test_without_multipliers_the_dual_is_the_clique_bound() -> None:
    for seed in range(50):
        task = random_task(seed)
        levels, _ = clique_levels(task)
        form = class_form(task, levels)
        assert exact_dual(form, [0.0] * len(form.rows)).bound == levels.bound(task)


def test_tasks_split_by_group_and_by_what_shares() -> None:
    found = (
        Buffer("%a", 8),
        Buffer("%b", 4),
        Buffer("%host", 4),
        Buffer("%space", 4, space="1"),
        Buffer("%pinned", 4, pinned="said so"),
        Buffer("%m", None, size_key="m"),
        Buffer("%external", 8, external=True),
    )
    actions = (
        Action(0, "q", "op", writes=(Access(0),)),
        Action(1, "q", "op", writes=(Access(1), Access(3), Access(4), Access(5), Access(6))),
        Action(2, HOST, "op", writes=(Access(2),)),
    )
    problem = conflicts(Program("f", found, actions), Policy.HOST_EXCLUSIVE, TypeRule.BYTES)
    names = [sorted(problem.buffer(i).name for i in task.items) for task in tasks(problem)]
    assert sorted(names) == [["%a", "%b"], ["%host"], ["%m"], ["%pinned"], ["%space"]]
    assert [task.dynamic for task in tasks(problem)].count(True) == 1
