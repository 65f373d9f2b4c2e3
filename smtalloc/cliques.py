"""Largest cliques of relations that are not transitive, by branch and bound.

Where sizes depend on dimensions and cannot all be compared, "may share" is no comparability relation of an order
(`Task.is_order`), and no matching finds its largest cliques (Dilworth's theorem does not hold).
"""

from __future__ import annotations

from smtalloc.bitsets import bitset
from smtalloc.task import Task

_NODES = 3000
"""Of the search, over all size thresholds."""


def searched_cliques(task: Task) -> list[int]:
    """For each class, a large clique of items of its size or more; each has no fewer members than the one before."""
    found: list[int] = []
    clique, position = 0, 0
    for k in range(len(task.widths)):
        while position < len(task) and task.class_of[position] == k:
            if not clique & task.related[position]:
                clique |= 1 << position
            position += 1
        clique = largest_clique(task, (1 << position) - 1, clique, _NODES // len(task.widths))
        found.append(clique)
    return found


def largest_clique(task: Task, members: int, start: int, budget: int = _NODES) -> int:
    """A clique among some items, no smaller than `start`: branch and bound, the largest if the budget of nodes lasts.

    The bound: of items that may all share with each other (a class of the greedy colouring) a clique has at most one
    (E. Tomita and T. Seki, "An efficient branch-and-bound algorithm for finding a maximum clique", DMTCS 2003).
    """
    best, left = start, budget
    stack = [(members, 0)]
    while stack and left > 0:
        candidates, clique = stack.pop()
        left -= 1
        size = clique.bit_count()
        if size > best.bit_count():
            best = clique
        branches: list[int] = []
        uncoloured, colours = candidates, 0
        while uncoloured:
            colours += 1
            alike = uncoloured
            while alike:
                item = (alike & -alike).bit_length() - 1
                uncoloured ^= 1 << item
                alike &= uncoloured & task.related[item]
                if size + colours > best.bit_count():
                    branches.append(item)
        rest = candidates & ~bitset(branches)
        for item in branches:  # each with those before it: no clique is looked at twice
            stack.append((rest & ~task.related[item], clique | 1 << item))
            rest |= 1 << item
    return best
