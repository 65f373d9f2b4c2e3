"""Which block lies below which, as Booleans, and what makes an order of blocks too high for a pool: chains.

A *node* is a block, or the blocks of one group. Each pair of blocks that may meet has a variable per interval of
distances at which they do (below or above it), and each range of bytes that a block must not touch has one (over or
under it). Either value is an *edge*: one node lies so much above another. Given all of them, the lowest offsets are a
least fixed point; where a node gets too high, the edges that lifted it are a chain, and no plan has them all.

        M  ---------------------------        layers of a chain:  {a, b}  <  x  <  {c, d}
           |      |  c  | d? |      |         whichever of a and b is the lower one, x lies above both of them, and so
           |      |  d  | c? |      |         on with c and d: one chain speaks of four orders
           |   x          x         |
           |   a   |      b   |     |
           |   b   |      a   |     |
        0  ---------------------------

docs/certificates.md lays down the variables and what a chain proves; check_chains.py checks them with code of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, islice, pairwise
from math import gcd, lcm

from smtalloc.arena_tasks import ranges
from smtalloc.bitsets import bits
from smtalloc.packing import ArenaProblem, meetings_of, merged
from smtalloc.plan import Chain

FLOOR = -1
_MOST_CLIQUES = 2_000
_MOST_TRIANGLES = 100_000
_MOST_ROUNDS = 50
"""Times the number of nodes: only where alignments alone lift a circle of nodes it takes more than one."""

Edge = tuple[int, int, int, int]
"""(from, to, distance, literal)"""


class Orders:
    """Some blocks of a pool of `at_most` bytes, and the choices between them."""

    def __init__(self, problem: ArenaProblem, blocks: Sequence[int], at_most: int) -> None:
        self.problem, self.blocks, self.pool = problem, tuple(blocks), at_most
        self.node_of: list[int] = []
        self.size: dict[int, int] = {}
        self.alignment: dict[int, int] = {FLOOR: 1}
        self.lower: dict[int, int] = {FLOOR: 0}
        self.upper: dict[int, int] = {FLOOR: 0}
        self.edges: list[tuple[Edge, Edge]] = []
        """Of each variable, from 1 on: what holds where it is true, and where it is false."""
        self.below: dict[tuple[int, int], int] = {}
        """(x, y), nodes of one block each that lie wholly one above the other: the literal "x lies below y"."""
        self._place_nodes()
        self._add_choices()
        alike = {self.alignment[node] for node in self.size}
        self._spacing = alike.pop() if len(alike) == 1 else None
        """Of all nodes, where they have one alignment."""

    def _place_nodes(self) -> None:
        first: dict[str, int] = {}
        for place, b in enumerate(self.blocks):
            block = self.problem.blocks[b]
            node = first.setdefault(block.group, place) if block.group else place
            self.node_of.append(node)
            self.size[node] = max(self.size.get(node, 0), block.size_bytes)
            self.alignment[node] = lcm(self.alignment.get(node, 1), block.alignment)
            self.lower[node] = max(self.lower.get(node, 0), block.offset or 0)
        self._set_upper()
        for node, alignment in self.alignment.items():
            self.lower[node] = _up(self.lower[node], alignment)

    def lower_to(self, at_most: int) -> bool:
        """From now on a smaller pool, if this is one. What was too high before still is."""
        if at_most >= self.pool:
            return False
        self.pool = at_most
        self._set_upper()
        return True

    def _set_upper(self) -> None:
        for place, b in enumerate(self.blocks):
            node, block = self.node_of[place], self.problem.blocks[b]
            most = self.pool - block.size_bytes
            if block.offset is not None:
                most = min(most, block.offset)
            self.upper[node] = min(self.upper.get(node, most), most)

    def _add_choices(self) -> None:
        for place, b in enumerate(self.blocks):
            size = self.problem.blocks[b].size_bytes
            for lo, hi in merged({(lo - size, hi) for lo, hi in ranges(self.problem, b)}):
                self._choose((FLOOR, self.node_of[place], hi), (self.node_of[place], FLOOR, -lo))
        several = {node for place, node in enumerate(self.node_of) if node != place}
        for i, j in combinations(range(len(self.blocks)), 2):
            x, y = self.node_of[i], self.node_of[j]
            spans = meetings_of(self.problem, self.blocks[i], self.blocks[j])
            for lo, hi in spans:
                self._choose((x, y, hi), (y, x, -lo))
            if spans == ((-self.size[y], self.size[x]),) and not {x, y} & several:
                self.below[x, y], self.below[y, x] = len(self.edges), -len(self.edges)

    def _choose(self, true: tuple[int, int, int], false: tuple[int, int, int]) -> None:
        variable = len(self.edges) + 1
        self.edges.append(((*true, variable), (*false, -variable)))

    @property
    def impossible(self) -> bool:
        """Has some node no place at all?"""
        return any(low > self.upper[node] for node, low in self.lower.items())

    def top(self, layer: Collection[int], height: int) -> int:
        """Where nodes that lie one above the other end at least, if none lies below `height`."""
        sizes = [self.size[node] for node in layer]
        spacing = self.spacing(layer)
        if spacing == 1:
            return height + sum(sizes)
        padding = [-size % spacing for size in sizes]
        return _up(height, spacing) + sum(sizes) + sum(padding) - max(padding)

    def spacing(self, layer: Collection[int]) -> int:
        """All of them start at multiples of it."""
        return self._spacing or gcd(*(self.alignment[node] for node in layer))

    def lifted(self, layer: Collection[int], x: int) -> int:
        """The lowest offset of x above all nodes of a layer; of x itself, if that is empty."""
        if not layer:
            return self.lower[x]
        top = self.top(layer, min(self.lower[node] for node in layer))
        return max(_up(top, self.alignment[x]), self.lower[x])

    def room(self, x: int, layer: Collection[int]) -> int:
        """No offset of x above this one leaves room for the layer above it; of x itself, if that is empty."""
        if not layer:
            return self.upper[x]
        spacing = self.spacing(layer)
        highest = self.pool - self.top(layer, 0) if len(layer) > 1 else min(self.upper[node] for node in layer)
        return highest // spacing * spacing - self.size[x]

    def triangles(self) -> list[Chain]:
        """x below y below z below x: impossible. None at all where that would be too many: they are found one by one,
        as chains that meet their own start."""
        found: list[Chain] = []
        above: dict[int, int] = {}
        for x, y in self.below:
            above[x] = above.get(x, 0) | 1 << y
        for x, y in self.below:
            if x < y:
                for z in bits((above[x] & above[y]) >> y + 1 << y + 1):
                    for circle in ((x, y, z, x), (x, z, y, x)):
                        found.append(tuple((self.below[pair],) for pair in pairwise(circle)))
            if len(found) > _MOST_TRIANGLES:
                return []
        return found

    def cliques(self) -> list[tuple[int, ...]]:
        """Nodes of which every two lie wholly one above the other: the largest such sets, or many of them."""
        near: dict[int, int] = {}
        for x, y in self.below:
            near[x] = near.get(x, 0) | 1 << y
        everything = sum(1 << x for x in near)
        return [tuple(bits(found)) for found in islice(_maximal(near, 0, everything, 0), _MOST_CLIQUES)]


def _maximal(near: dict[int, int], clique: int, left: int, seen: int) -> Iterator[int]:
    """C. Bron and J. Kerbosch, "Finding all cliques of an undirected graph", CACM 1973, with a pivot."""
    if not left:
        if not seen and clique:
            yield clique
        return
    pivot = max(bits(left | seen), key=lambda x: (near[x] & left).bit_count())
    for x in bits(left & ~near[pivot]):
        yield from _maximal(near, clique | 1 << x, left & near[x], seen & near[x])
        left &= ~(1 << x)
        seen |= 1 << x


class ChainFinder:
    """For values of all variables: chains that show that they have no plan, or the lowest offsets."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._cliques: dict[int, list[list[tuple[int, int]]]] = {}
        """Of each node, the cliques that it is in: the others, large ones first, and the literals "it is below me"."""
        for clique in orders.cliques():
            for x in clique:
                others = sorted((y for y in clique if y != x), key=lambda y: -orders.size[y])
                self._cliques.setdefault(x, []).append([(y, orders.below[y, x]) for y in others])

    def find(self, true: frozenset[int]) -> list[Chain] | dict[int, int]:
        """Chains, or the offset of each node. No chain at all: it would be too long."""
        found = [chain for x in self._cliques if (chain := self._around(x, true))]
        return found or self._longest(true)

    def _around(self, x: int, true: frozenset[int]) -> Chain | None:
        """Some of what lies below x, then x, then some of what lies above: too high together? The shortest found."""
        orders, best = self._orders, None
        lower: list[tuple[int, list[int]]] = []
        higher: list[tuple[int, list[int]]] = []
        for clique in self._cliques[x]:
            under: list[int] = []
            over: list[int] = []
            for y, literal in clique:
                (under if _holds(literal, true) else over).append(y)
            lower.append((orders.lifted(under, x), under))
            higher.append((orders.room(x, over), over))
        for height, under in lower:
            for room, over in higher:
                if height > room:
                    chosen = self._few(x, under, over)
                    if best is None or sum(map(len, chosen)) < sum(map(len, best)):
                        best = chosen
        if best is None:
            return None
        steps = (tuple(orders.below[y, x] for y in best[0]), tuple(orders.below[x, y] for y in best[1]))
        return tuple(step for step in steps if step)

    def _few(self, x: int, under: list[int], over: list[int]) -> tuple[list[int], list[int]]:
        """The largest of both sides, as many as are needed."""
        orders = self._orders
        below, above = list[int](), list[int]()
        both = [(orders.size[y], y, below) for y in under] + [(orders.size[y], y, above) for y in over]
        for _, y, side in sorted(both, key=lambda item: (-item[0], item[1])):
            side.append(y)
            if orders.lifted(below, x) > orders.room(x, above):
                break
        return below, above

    def _longest(self, true: frozenset[int]) -> list[Chain] | dict[int, int]:
        """Lift what has something below it, round by round; the first nodes too high have the shortest chains."""
        orders = self._orders
        edges = [pair[0 if variable in true else 1] for variable, pair in enumerate(orders.edges, 1)]
        lids = [edge for edge in edges if edge[1] == FLOOR]
        lifts = [edge for edge in edges if edge[1] != FLOOR]
        at = dict(orders.lower)
        walks: dict[int, _Walk | None] = dict.fromkeys(at)
        rounds = 0
        while True:
            high = [_Walk(edge, walks[edge[0]]) for edge in lids if at[edge[0]] + edge[2] > 0]
            high += [walk for x, walk in walks.items() if walk is not None and at[x] > orders.upper[x]]
            if high:
                return [self._chain(walk.edges(), true) for walk in high]
            rounds += 1
            if rounds > len(at):  # longer than any walk without a circle
                walked = [walk.edges() for walk in walks.values() if walk is not None]
                circles = [circle for edges in walked if (circle := self._circle(edges))]
                if circles or rounds > _MOST_ROUNDS * len(at):
                    return circles
            start, before = dict(at), dict(walks)
            for edge in lifts:
                source, target, distance, _ = edge
                height = _up(start[source] + distance, orders.alignment[target])
                if height > at[target]:
                    at[target], walks[target] = height, _Walk(edge, before[source])
            if at == start:
                return at

    def _chain(self, edges: list[Edge], true: frozenset[int]) -> Chain:
        """Of a walk: a circle in it, or the walk with layers at both ends, or the walk as it is."""
        return self._circle(edges) or self._layered(edges, true) or tuple((edge[3],) for edge in edges)

    def _circle(self, edges: list[Edge]) -> Chain | None:
        """A part of the walk that comes back to its start, higher than it was."""
        seen: dict[int, int] = {edges[0][0]: 0}
        for n, (_, target, _, _) in enumerate(edges):
            if target in seen:
                part = edges[seen[target] : n + 1]
                if sum(self._spaced(edge) for edge in part) > 0:
                    return tuple((edge[3],) for edge in part)
            seen[target] = n + 1
        return None

    def _spaced(self, edge: Edge) -> int:
        source, target, distance, _ = edge
        alignments = [self._orders.alignment[node] for node in (source, target) if node != FLOOR]
        return _up(distance, gcd(*alignments))

    def _layered(self, edges: list[Edge], true: frozenset[int]) -> Chain | None:
        """The first nodes as a layer below the last one that is apart from all of them; the last ones likewise."""
        orders, below = self._orders, self._orders.below
        nodes = [edges[0][0], *(target for _, target, _, _ in edges)]
        low = 0
        while low + 1 < len(nodes) and all((x, nodes[low + 1]) in below for x in nodes[: low + 1]):
            low += 1
        high = len(nodes) - 1
        while high > low and all((nodes[high - 1], y) in below for y in nodes[high:]):
            high -= 1
        under, over = nodes[:low], nodes[high + 1 :]
        height = orders.lifted(under, nodes[low])
        for _, target, distance, _ in edges[low:high]:
            height = max(_up(height + distance, orders.alignment[target]), orders.lower[target])
        steps = [[below[x, nodes[low]] for x in under], *([edge[3]] for edge in edges[low:high])]
        steps.append([below[nodes[high], y] for y in over])
        fine = height > orders.room(nodes[high], over) and all(_holds(v, true) for step in steps for v in step)
        return tuple(tuple(step) for step in steps if step) if fine else None


class _Walk:
    """Edges one behind the other, from the floor of the first one's start."""

    def __init__(self, last: Edge, before: _Walk | None) -> None:
        self._last, self._before = last, before

    def edges(self) -> list[Edge]:
        found: list[Edge] = []
        walk: _Walk | None = self
        while walk is not None:
            found.append(walk._last)
            walk = walk._before
        return found[::-1]


def _holds(literal: int, true: frozenset[int]) -> bool:
    return literal in true if literal > 0 else -literal not in true


def _up(offset: int, alignment: int) -> int:
    return offset + -offset % alignment
