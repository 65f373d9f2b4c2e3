"""The independent checker of chain refutations: each chain is too high, and together they leave no order of the blocks.

docs/certificates.md lays down the variables, what a chain is and why its clause holds in every plan. Nothing here
looks for a chain: literals name edges ("this node lies so much above that one"), and a chain is summed up from the
floor, layer by layer. What follows from the clauses is the affair of check_refutation.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import gcd, lcm

from smtalloc.check_refutation import MOST_BLOCKS, held_bytes, joined, meeting
from smtalloc.check_rup import proof_flaw
from smtalloc.packing import ArenaProblem
from smtalloc.plan import Chain, ChainRefutation

_FLOOR = -1
"""The node at offset 0, which both the lower and the upper limits of offsets speak of."""

_Edge = tuple[int, int, int]
"""(from, to, distance): the offset of `to` is at least that of `from` plus the distance."""


def chains_flaw(problem: ArenaProblem, evidence: ChainRefutation, bound_bytes: int) -> str:
    """Why the chains and the proof do not show that the blocks need `bound_bytes`; empty if they do."""
    if not evidence.blocks or bound_bytes < 1:
        return "the refutation is about nothing"
    if len(evidence.blocks) > MOST_BLOCKS:
        return f"the refutation is about {len(evidence.blocks)} blocks, too many to check"
    orders = Orders(problem, evidence.blocks, bound_bytes - 1)
    if any(orders.lower[node] > orders.upper[node] for node in orders.lower):
        return ""  # some block has no place at all
    for number, chain in enumerate(evidence.chains, 1):
        flaw = orders.chain_flaw(chain)
        if flaw:
            return f"chain {number}: {flaw}"
    clauses = [[-literal for step in chain for literal in step] for chain in evidence.chains]
    return proof_flaw(len(orders.edges), clauses, evidence.drup)


class Orders:
    """Which block of a pool of `at_most` bytes lies below which: one variable per choice, two edges each.

    A *node* is a block, or all blocks of one group; it is named by the place of its first block.
    """

    def __init__(self, problem: ArenaProblem, blocks: Sequence[int], at_most: int) -> None:
        self.pool = at_most
        self.sizes = [problem.blocks[b].size_bytes for b in blocks]
        groups = [problem.blocks[b].group for b in blocks]
        self.node = [groups.index(group) if group else place for place, group in enumerate(groups)]
        self.alignment: dict[int, int] = {_FLOOR: 1}
        self.lower: dict[int, int] = {_FLOOR: 0}
        self.upper: dict[int, int] = {_FLOOR: 0}
        self.edges: list[tuple[_Edge, _Edge]] = []
        """Of each variable, from 1 on: what holds if it is true, and if it is false."""
        self._limits(problem, blocks)
        self._choices(problem, blocks)

    def _limits(self, problem: ArenaProblem, blocks: Sequence[int]) -> None:
        for place, node in enumerate(self.node):
            block = problem.blocks[blocks[place]]
            self.alignment[node] = lcm(self.alignment.get(node, 1), block.alignment)
            least, most = 0, self.pool - block.size_bytes
            if block.offset is not None:
                least, most = block.offset, min(most, block.offset)
            self.lower[node] = max(self.lower.get(node, 0), least)
            self.upper[node] = min(self.upper.get(node, most), most)
        for node, least in self.lower.items():
            self.lower[node] = _up(least, self.alignment[node])

    def _choices(self, problem: ArenaProblem, blocks: Sequence[int]) -> None:
        apart: set[tuple[int, int]] = set()
        for place, node in enumerate(self.node):
            size = self.sizes[place]
            for lo, hi in joined((lo - size, hi) for lo, hi in held_bytes(problem, problem.blocks[blocks[place]])):
                self.edges.append(((_FLOOR, node, hi), (node, _FLOOR, -lo)))
        for i, j in combinations(range(len(blocks)), 2):
            for lo, hi in meeting(problem, blocks[i], blocks[j]):
                self.edges.append(((self.node[i], self.node[j], hi), (self.node[j], self.node[i], -lo)))
                if lo <= -self.sizes[j] and hi >= self.sizes[i]:
                    apart |= {(i, j), (j, i)}
        single = {node for node in self.node if self.node.count(node) == 1}
        self.apart = {pair for pair in apart if single.issuperset(pair)}
        """Nodes of one block each that have no byte in common, whatever the order."""

    def chain_flaw(self, chain: Chain) -> str:
        """Why the literals of a chain could all hold; empty if they cannot."""
        if not chain or any(not 0 < abs(literal) <= len(self.edges) for step in chain for literal in step):
            return "it is empty, or names a variable that there is not"
        steps = [[self.edges[abs(literal) - 1][literal < 0] for literal in step] for step in chain]
        layer = {source for source, _, _ in steps[0]}
        first, alone, circle = layer, True, 0
        height = min(self.lower[node] for node in layer) if layer else 0
        for step in steps:
            above = {target for _, target, _ in step}
            pairs = {(source, target) for source, target, _ in step}
            if not step or len(pairs) < len(step) or pairs != {(x, y) for x in layer for y in above}:
                return "its literals do not put each block of a layer below each of the next"
            if not self._is_layer(above) or not self._is_layer(layer):
                return "two blocks of a layer may have bytes in common"
            if len(layer) > 1 and any(distance < self.sizes[source] for source, _, distance in step):
                return "a block of a layer may reach above the next layer"
            alone = alone and len(layer) == len(above) == 1
            circle += sum(self._spaced(edge) for edge in step)
            height = self._next(layer, height, step)
            layer = above
        if alone and layer == first and circle > 0:
            return ""
        if len(layer) == 1:
            return "" if height > self.upper[next(iter(layer))] else "it is not too high"
        return "" if self._top(layer, height) > self.pool else "it is not too high"

    def _is_layer(self, layer: set[int]) -> bool:
        return all((x, y) in self.apart for x, y in combinations(layer, 2))

    def _spaced(self, edge: _Edge) -> int:
        """The distance of an edge: two offsets differ by a multiple of what divides both alignments."""
        source, target, distance = edge
        ends = [self.alignment[node] for node in (source, target) if node != _FLOOR]
        return _up(distance, gcd(*ends))

    def _next(self, layer: set[int], height: int, step: Sequence[_Edge]) -> int:
        """No node of the next layer lies lower, if none of this layer lies lower than `height`."""
        found: dict[int, int] = {}
        top = self._top(layer, height) if len(layer) > 1 else None
        for _, target, distance in step:
            at = height + distance if top is None else top
            found[target] = max(_up(at, self.alignment[target]), self.lower[target])
        return min(found.values())

    def _top(self, layer: set[int], height: int) -> int:
        """Where blocks one above the other end at least; all of them start at multiples of a common divisor."""
        spacing = gcd(*(self.alignment[node] for node in layer))
        padding = [-self.sizes[node] % spacing for node in layer]
        return _up(height, spacing) + sum(self.sizes[node] for node in layer) + sum(padding) - max(padding)


def _up(offset: int, alignment: int) -> int:
    return offset + -offset % alignment
