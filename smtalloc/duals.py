"""Prices of items that bound the cost of every plan, made exact, and the certificate that they give.

A plan covers the items with chains, one per slot, and pays for each the size of its largest item. So a price `p_j` per
item proves a bound of `sum p_j` bytes if no chain is worth more than its slot:

    for every class k and every chain C of items of size at most w_k:   sum of p_j over C  <=  w_k

This is the dual of the linear program over chains, whose optimum equals that of the class form (docs/certificates.md):
per class, the heaviest chain weighs as much as the lightest cover of the prices by cliques (`networks.layers`), and
those cliques are the multipliers of the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from smtalloc.bitsets import bits
from smtalloc.networks import Classes, depths, heights, layers, network
from smtalloc.plan import Clique, Dual, Weighted
from smtalloc.task import Task

# Optimal prices are mostly integers (in units of the common divisor of all sizes), now and then halves or thirds; the
# last denominator is for whatever is left.
_DENOMINATORS = (1, 2, 6, 60, 1 << 20)
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Prices:
    """Exact prices of some items of a task, in bytes times `1 / denominator`.

    `bound` is what they prove, in bytes, rounded up to the next multiple of the task's unit.
    """

    weights: Mapping[int, int]
    denominator: int
    bound: int

    def evidence(self, task: Task, buffers: Sequence[int], cliques: tuple[Clique, ...]) -> Dual:
        """The multipliers; `buffers` are the task's items as buffers of the program."""
        rows = (
            Weighted(task.widths[k], Fraction(weight, self.denominator), tuple(buffers[j] for j in bits(mask)))
            for k, cover in self._covers(task)
            for weight, mask in cover
        )
        return Dual(tuple(rows), cliques)

    def size(self, task: Task) -> int:
        """How many entries the certificate has, over all its cliques."""
        return sum(mask.bit_count() for _, cover in self._covers(task) for _, mask in cover)

    def _covers(self, task: Task) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """For each class, from the smallest up, the cover of what fits it."""
        priced = sorted(self.weights, key=lambda j: -task.class_of[j])
        known, cover = 0, list[tuple[int, int]]()
        for k in reversed(range(len(task.widths))):
            count = known
            while count < len(priced) and task.class_of[priced[count]] >= k:
                count += 1
            if count > known:
                known = count
                cover = layers(network(task, priced[:known]), self.weights)
            yield k, cover

    def excluded(self, task: Task, cost_at_most: int) -> frozenset[tuple[int, int]]:
        """Pairs (item, class) that no plan of this cost uses: even the heaviest chain through the item leaves more of
        the slot unpaid than the gap."""
        gap = cost_at_most * self.denominator - sum(self.weights.values())
        classes = Classes(task)
        found: list[tuple[int, int]] = []
        for k, width in enumerate(task.widths):
            chains = classes.of(k)
            height, depth = heights(chains, self.weights, 0), depths(chains, self.weights)
            for arc in chains.arcs:
                if arc.item >= 0:
                    worth = height[arc.tail] + self.weights.get(arc.item, 0) + depth[arc.head]
                    if width * self.denominator - worth > gap:
                        found.append((arc.item, k))
        return frozenset(found)


def exact_prices(classes: Classes, copies: Sequence[int], prices: Sequence[float], unit: int) -> Prices:
    """Round floating-point prices (in bytes) of a task's items to fractions for which the condition holds exactly.

    Whatever the prices were, the result is valid. Of several denominators the first that loses nothing is taken, else
    the best. Each item counts as often as `copies` says: copies conflict with one another, so no chain has two.
    `unit` is the common divisor of all sizes that a slot can have, also of items that have no price here.
    """
    task = classes.task
    hoped = ceil(sum(max(p, 0.0) * c for p, c in zip(prices, copies, strict=True)) / unit - _TOLERANCE) * unit
    best = Prices({}, 1, 0)
    for denominator in _DENOMINATORS:
        for rounded in (_nearest, _below):
            scaled = (rounded(max(p, 0.0) / unit * denominator) * unit for p in prices)
            weights = {j: weight for j, weight in enumerate(scaled) if weight and task.sizes[j]}
            found = _repaired(classes, copies, weights, denominator, unit)
            if found.bound > best.bound:
                best = found
            if best.bound >= hoped:
                return best
    return best


def _nearest(value: float) -> int:
    return round(value)


def _below(value: float) -> int:
    return floor(value + _TOLERANCE)


def _repaired(classes: Classes, copies: Sequence[int], weights: dict[int, int], denominator: int, unit: int) -> Prices:
    """Scale down until no chain is worth more than its slot."""
    task = classes.task
    excess = Fraction(1)
    priced = {task.class_of[j] for j in weights}
    for k, width in enumerate(task.widths):
        if k not in priced:  # the heaviest chain is that of a smaller class
            continue
        heaviest = heights(classes.of(k), weights, 0)[-1]
        if heaviest > width * denominator * excess:
            excess = Fraction(heaviest, width * denominator)
    if excess > 1:
        weights = {j: weight * excess.denominator // excess.numerator for j, weight in weights.items()}
    total = sum(weight * copies[j] for j, weight in weights.items())
    bound = -(-total // (denominator * unit)) * unit
    return Prices(weights, denominator, bound)
