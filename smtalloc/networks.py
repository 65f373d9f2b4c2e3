"""The chains of a task as the paths of a network, for the linear program over chains and for the proof of its dual.

A slot holds a chain: items each before the next. In an interval order the network runs along the points of time, and
an item is an arc from its start to its end:

    0 --> 1 --> 2 --> 3        idle arcs
    0 --a--> 2 --c--> 3        items

In any other order each item is an arc of its own, and arcs lead from it to the next items that may follow. Either way
the items along a path from the source (node 0) to the sink (the last node) are a chain, and every chain is along one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from smtalloc.bitsets import bits, bitset
from smtalloc.task import Task, Timeline

IDLE = -1

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Arc:
    """From node `tail` to node `head` (`tail < head`); the item along it, or IDLE."""

    tail: int
    head: int
    item: int


@dataclass(frozen=True, slots=True)
class Network:
    """Arcs sorted by tail, so that one pass meets every node after all arcs into it."""

    nodes: int
    arcs: tuple[Arc, ...]


def network(task: Task, members: Iterable[int]) -> Network:
    """The chains of some items of a task."""
    chosen = list(members)
    line = task.timeline
    nodes, arcs = _along_points(line, chosen) if line is not None else _from_item_to_item(task, chosen)
    return Network(nodes, tuple(sorted(arcs, key=lambda arc: (arc.tail, arc.head, arc.item))))


def _along_points(line: Timeline, members: Sequence[int]) -> tuple[int, list[Arc]]:
    """Only points where some of these items start; of several with no end between, the last."""
    starts = sorted({line.start[j] for j in members})
    ends = sorted({line.end[j] for j in members})
    kept: list[int] = []
    for point, following in zip(starts, [*starts[1:], line.points + 1], strict=True):
        at = bisect_left(ends, point + 1)
        if at < len(ends) and ends[at] <= following:
            kept.append(point)
    arcs = [Arc(node, node + 1, IDLE) for node in range(len(kept))]
    arcs += [Arc(bisect_left(kept, line.start[j]), bisect_left(kept, line.end[j]), j) for j in members]
    return len(kept) + 1, arcs


def _from_item_to_item(task: Task, members: Sequence[int]) -> tuple[int, list[Arc]]:
    """Items in topological order, a node on either side of each; arcs between items with none in between."""
    order = sorted(members, key=lambda j: (task.after[j].bit_count(), j))
    place = {j: position for position, j in enumerate(order)}
    inside = bitset(members)
    before: list[int] = []  # by place: places of the items before
    arcs: list[Arc] = []
    last = (1 << len(order)) - 1  # places of items that nothing follows
    for position, j in enumerate(order):
        mine = bitset(place[i] for i in bits(task.after[j] & inside))
        before.append(mine)
        tail = 2 * position + 1
        arcs.append(Arc(tail, tail + 1, j))
        if not mine:
            arcs.append(Arc(0, tail, IDLE))
        while mine:
            latest = mine.bit_length() - 1
            mine &= ~(before[latest] | 1 << latest)
            arcs.append(Arc(2 * latest + 2, tail, IDLE))
            last &= ~(1 << latest)
    sink = 2 * len(order) + 1
    arcs += [Arc(2 * position + 2, sink, IDLE) for position in bits(last)]
    return sink + 1, arcs


class Classes:
    """The networks of a task, one for each class: the chains of items of size `w_k` or less."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.of = cache(self._of)

    def _of(self, k: int) -> Network:
        larger = self.task.at_least(self.task.widths[k - 1]).bit_length() if k else 0
        return network(self.task, range(larger, len(self.task)))


def heights(chains: Network, weights: Mapping[int, Number], zero: Number) -> list[Number]:
    """For each node the largest weight of a path from the source to it; the last is that of the heaviest chain."""
    found = [zero] * chains.nodes
    for arc in chains.arcs:
        reached = found[arc.tail] + weights.get(arc.item, zero)
        found[arc.head] = max(found[arc.head], reached)
    return found


def depths(chains: Network, weights: Mapping[int, int]) -> list[int]:
    """For each node the largest weight of a path from it to the sink."""
    found = [0] * chains.nodes
    for arc in reversed(chains.arcs):
        reached = found[arc.head] + weights.get(arc.item, 0)
        found[arc.tail] = max(found[arc.tail], reached)
    return found


def layers(chains: Network, weights: Mapping[int, int]) -> list[tuple[int, int]]:
    """Cliques with a weight each (weight, bitset): every item lies in cliques of its weight in total, and the weights
    sum to that of the heaviest chain (the dual of the longest path: Dilworth 1950, weighted).

    An item of weight p whose arc starts at height h covers the heights from h to h + p. If i is before j, then j
    starts where i is over, or higher: the items that cover one height are a clique.
    """
    height = heights(chains, weights, 0)
    changes: dict[int, int] = {}
    for arc in chains.arcs:
        weight = weights.get(arc.item, 0)
        if weight:
            for level in (height[arc.tail], height[arc.tail] + weight):
                changes[level] = changes.get(level, 0) ^ 1 << arc.item
    found: list[tuple[int, int]] = []
    here, covering = 0, 0
    for level in sorted(changes):
        if covering:
            found.append((level - here, covering))
        here, covering = level, covering ^ changes[level]
    return found
