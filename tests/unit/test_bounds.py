"""Chains and antichains, clique bounds, duals rounded to fractions."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from smtalloc.bitsets import bits, bitset
from smtalloc.bounds import chain_cover, clique_levels, fewest_chains, sweep_cliques, widened
from smtalloc.order import conflicts
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.task import Task, tasks


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
    assert len(fewest_chains(task, members)) == len(chains)


@pytest.mark.parametrize("seed", range(150))
def test_levels_are_largest_cliques_of_each_threshold(seed: int) -> None:
    task = random_task(seed)
    levels = clique_levels(task)
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
