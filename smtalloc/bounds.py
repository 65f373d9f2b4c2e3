"""Lower bounds on slot plans, and the certificates that prove them (docs/certificates.md).

Everything here works on a `Task`: items that share with nothing outside it, largest first, as bitsets. A bitset is a
Python integer; bit j stands for item j of the task.

Sizes and bounds are in bytes, except in a task of run-time size (`Task.dynamic`), where every item counts as one slot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from smtalloc.order import Conflicts
from smtalloc.plan import Clique, Cliques, Dual, Weighted

# Rounding duals of the linear program: they are mostly integers (in units of the common divisor of all sizes), now and
# then halves or thirds; the last denominator is for whatever is left.
_DENOMINATORS = (1, 2, 6, 60, 1 << 20)


def bits(mask: int) -> Iterator[int]:
    """The members of a bitset, smallest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def bitset(members: Iterable[int]) -> int:
    mask = 0
    for member in members:
        mask |= 1 << member
    return mask


@dataclass(frozen=True)
class Task:
    """Items that may share with each other only, sorted by size, largest first.

    `items` are positions in `Conflicts.items`; `before` and `after` are bitsets over positions in this task. `before`
    is a strict partial order (`is_order` says where not) and `after` its converse.
    """

    items: tuple[int, ...]
    sizes: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    dynamic: bool
    symbolic: bool = False
    """Are there sizes that depend on dimensions?"""

    def __len__(self) -> int:
        return len(self.items)

    @property
    def all(self) -> int:
        return (1 << len(self.items)) - 1

    @cached_property
    def related(self) -> tuple[int, ...]:
        """For each item, those that it may share with."""
        return tuple(b | a for b, a in zip(self.before, self.after, strict=True))

    @cached_property
    def is_order(self) -> bool:
        """Is `before` transitive? Then chains are slots, and the largest clique says how many are needed. It is where
        all sizes are numbers."""
        return not self.symbolic or all(not self.before[j] & ~mask for mask in self.before for j in bits(mask))

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The distinct sizes `w_1 > w_2 > ...`; the size of any slot is one of them."""
        return tuple(sorted(set(self.sizes), reverse=True))

    @cached_property
    def class_of(self) -> tuple[int, ...]:
        """For each item, which of `widths` its size is."""
        index = {width: k for k, width in enumerate(self.widths)}
        return tuple(index[size] for size in self.sizes)

    @cached_property
    def unit(self) -> int:
        """Greatest common divisor of the sizes; every cost is a multiple of it."""
        return math.gcd(*self.sizes) or 1

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """`w_k - w_(k+1)` for each class, with 0 below the smallest."""
        return tuple(a - b for a, b in zip(self.widths, (*self.widths[1:], 0), strict=True))


def tasks(conflicts: Conflicts) -> list[Task]:
    """Split a problem into tasks: its groups, and within a group the parts that never share with each other.

    Items of a group that share with nothing at all (pinned ones, host-accessed ones under `host-exclusive`) make one
    task together, so that a certificate has one clique for all of them.
    """
    after = [0] * len(conflicts.items)
    for item, mask in enumerate(conflicts.before):
        for other in bits(mask):
            after[other] |= 1 << item
    found: list[Task] = []
    for group in conflicts.groups:
        left = bitset(group)
        alone: list[int] = []
        while left:
            part = _component(left & -left, conflicts.before, after)
            left &= ~part
            if part & (part - 1):
                found.append(_task(conflicts, bits(part), after))
            else:
                alone.append(part.bit_length() - 1)
        if alone:
            found.append(_task(conflicts, alone, after))
    return found


def _component(start: int, before: Sequence[int], after: Sequence[int]) -> int:
    part, fresh = start, start
    while fresh:
        reached = 0
        for item in bits(fresh):
            reached |= before[item] | after[item]
        fresh = reached & ~part
        part |= reached
    return part


def _task(conflicts: Conflicts, members: Iterable[int], after: Sequence[int]) -> Task:
    def size(item: int) -> int:
        known = conflicts.buffer(item).size_bytes
        return 1 if known is None else known

    items = sorted(members, key=lambda item: (-size(item), item))
    place = {item: position for position, item in enumerate(items)}

    def local(mask: int) -> int:
        return bitset(place[other] for other in bits(mask) if other in place)

    return Task(
        items=tuple(items),
        sizes=tuple(size(item) for item in items),
        before=tuple(local(conflicts.before[item]) for item in items),
        after=tuple(local(after[item]) for item in items),
        dynamic=conflicts.buffer(items[0]).size_bytes is None,
        symbolic=conflicts.symbolic,
    )


# --- Dilworth: chains and antichains -----------------------------------------------------------------------


class Matching:
    """Fewest chains that cover a growing set of items, and a largest antichain of it.

    Fulkerson's reduction: each item has a left and a right copy, and an edge runs from left i to right j where i is
    before j. A matched edge says "j follows i in its slot", so chains = items - matched edges, and by Dilworth the
    fewest chains are as many as the largest antichain has members. That grows by at most one with each item, so one
    search for an augmenting path per item is enough: from its left copy, then from its right copy. Where `before` is
    not transitive both may be found, chains may have members that are not related, and antichains need not be largest.
    """

    def __init__(self, task: Task) -> None:
        self._before, self._after, self._is_order = task.before, task.after, task.is_order
        self._follows = [-1] * len(task)  # left i is matched to right _follows[i]
        self._leads = [-1] * len(task)  # right j is matched to left _leads[j]
        self._free_left = self._free_right = 0
        self.members = 0

    def add(self, item: int) -> bool:
        """Add an item; true if one more chain is needed."""
        bit = 1 << item
        self.members |= bit
        self._free_left |= bit
        self._free_right |= bit
        # One copy after the other, or a path between the two might hide a second path; in an order there is none.
        near = self.members if self._is_order else self.members ^ bit
        left = self._augment(item, self._before, self._follows, self._leads, self._free_right, near)
        if left >= 0:
            self._free_left ^= bit
            self._free_right ^= 1 << left
            if self._is_order:
                return False
        right = self._augment(item, self._after, self._leads, self._follows, self._free_left, self.members)
        if right >= 0:
            self._free_right ^= bit
            self._free_left ^= 1 << right
        return left < 0 and right < 0

    def _augment(
        self, start: int, edges: Sequence[int], mine: list[int], theirs: list[int], free: int, unseen: int
    ) -> int:
        """Look for an augmenting path from the free copy `start` and flip it; the free copy where it ends, or -1."""
        stack = [start]
        parent: dict[int, int] = {}
        while stack:
            near = stack.pop()
            reached = edges[near] & unseen
            if hit := reached & free:
                end = far = (hit & -hit).bit_length() - 1
                while True:
                    old = mine[near]
                    mine[near], theirs[far] = far, near
                    if near == start:
                        return end
                    far, near = old, parent[old]
            unseen &= ~reached
            for far in bits(reached):
                parent[far] = near
                stack.append(theirs[far])
        return -1

    def antichain(self) -> int:
        """A largest antichain (Koenig): items with the left copy reachable from a free left copy by an alternating
        path, and the right copy not; these are the items with no copy in a minimum vertex cover."""
        left = fresh = self._free_left
        right = 0
        while fresh:
            item = (fresh & -fresh).bit_length() - 1
            fresh &= fresh - 1
            reached = self._before[item] & self.members & ~right
            right |= reached
            for far in bits(reached):
                bit = 1 << self._leads[far]
                if not left & bit:
                    left |= bit
                    fresh |= bit
        return left & ~right

    def chains(self) -> list[list[int]]:
        """The cover: each chain in order."""
        found: list[list[int]] = []
        for head in bits(self._free_right):
            chain, item = [head], self._follows[head]
            while item >= 0:
                chain.append(item)
                item = self._follows[item]
            found.append(chain)
        return found


def chain_cover(task: Task, members: Iterable[int]) -> Matching:
    """The fewest chains for some items of a task."""
    matching = Matching(task)
    for item in members:
        matching.add(item)
    return matching


# --- the clique bound --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Levels:
    """A largest clique for each class: `cliques[k]` is a bitset over items of size `w_k` or more."""

    cliques: tuple[int, ...]

    @cached_property
    def least(self) -> tuple[int, ...]:
        """How many slots of size `w_k` or more any plan has at least."""
        return tuple(mask.bit_count() for mask in self.cliques)

    def bound(self, task: Task) -> int:
        return sum(step * count for step, count in zip(task.steps, self.least, strict=True))

    def evidence(self, task: Task, buffers: Sequence[int]) -> tuple[Clique, ...]:
        """As certificate; thresholds whose clique is no larger than the one above are left out."""
        found: list[Clique] = []
        size = 0
        for width, mask in zip(task.widths, self.cliques, strict=True):
            if mask.bit_count() > size:
                size = mask.bit_count()
                found.append(Clique(0 if task.dynamic else width, tuple(buffers[j] for j in bits(mask))))
        return tuple(found)


def clique_levels(task: Task) -> tuple[Levels, Matching]:
    """The largest clique for each size threshold, and the fewest chains for all items."""
    matching = Matching(task)
    found: list[int] = []
    position, clique = 0, 0
    for k in range(len(task.widths)):
        grown = False
        while position < len(task) and task.class_of[position] == k:
            grown |= matching.add(position)
            position += 1
        if not task.is_order:
            near = max(clique, extend(task, matching.antichain(), range(position)), key=int.bit_count)
            clique = largest_clique(task, matching.members, near, _NODES // len(task.widths))
        elif grown:
            clique = matching.antichain()
        found.append(clique)
    return Levels(tuple(found)), matching


_NODES = 3000


def largest_clique(task: Task, members: int, start: int, budget: int = _NODES) -> int:
    """A clique among some items, no smaller than `start`: branch and bound, the largest if the budget of nodes lasts.

    For relations that are not transitive, where no matching finds it. The bound: of items that may all share with each
    other (a class of the greedy colouring) a clique has at most one (E. Tomita and T. Seki, "An efficient
    branch-and-bound algorithm for finding a maximum clique", DMTCS 2003).
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


def trivial_levels(task: Task) -> Levels:
    """No work at all: one slot as large as the largest item."""
    return Levels((1,) * len(task.widths))


# --- the class form ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClassForm:
    """Which size of slot does each item live in? (encodings/slots_class.smt2)

    `rows` are pairs (k, clique of items of size at most `w_k`): those of its members that live in slots of size `w_k`
    need one such slot each. With all maximal cliques that is also enough, because y slots suffice where the largest
    clique has y members (Dilworth); so no slot needs a number, and no symmetry between slots is left.
    """

    task: Task
    levels: Levels
    rows: tuple[tuple[int, int], ...]


def class_form(task: Task, levels: Levels, more: Iterable[int] = ()) -> ClassForm:
    """The class form over the cliques found by sweeping, and `more`."""
    rows: list[tuple[int, int]] = []
    cliques = [*sweep_cliques(task), *more]
    allowed = task.all
    for k in range(len(task.widths)):
        here = [clique & allowed for clique in cliques]
        # Sweeping in order of time, a clique is contained in another only if it is in a neighbour.
        for t, clique in enumerate(here):
            after = here[t + 1] if t + 1 < len(here) else 0
            last = rows[-1][1] if rows and rows[-1][0] == k else 0
            if clique and clique & ~after and clique & ~last:
                rows.append((k, clique))
        allowed &= ~bitset(j for j in range(len(task)) if task.class_of[j] == k)
    return ClassForm(task, levels, tuple(rows))


def sweep_cliques(task: Task) -> list[int]:
    """Cliques "alive together": for each down-set P of the form "all before item j", the items that need no more than
    P to be over before they start, and are not in P.

    If i is before j, then j needs i in P, so not both are members. In an interval order (lives in program order) these
    are all maximal cliques. In other orders some are missing, and those found are extended to maximal ones.
    """
    downs = sorted(set(task.after), key=int.bit_count)
    found = [_alive(task.after, down) for down in downs]
    if all(a & ~b == 0 for a, b in pairwise(downs)):
        return found
    ups = sorted(set(task.before), key=int.bit_count)
    found += [_alive(task.before, up) for up in ups]
    return list(dict.fromkeys(extend(task, clique, range(len(task))) for clique in found))


def _alive(needs: Sequence[int], over: int) -> int:
    return bitset(j for j, need in enumerate(needs) if need & ~over == 0 and not over >> j & 1)


def extend(task: Task, clique: int, order: Iterable[int]) -> int:
    """A maximal clique around this one; items join in the given order."""
    free = task.all & ~clique
    for j in bits(clique):
        free &= ~task.related[j]
    for j in order:
        if free >> j & 1:
            clique |= 1 << j
            free &= ~(task.related[j] | 1 << j)
    return clique


def widened(task: Task, clique: int) -> list[int]:
    """Several maximal cliques around one: joined by large and by small items first, by early and by late ones."""
    items = range(len(task))
    orders = (
        items,
        reversed(items),
        sorted(items, key=lambda j: task.after[j].bit_count()),
        sorted(items, key=lambda j: task.before[j].bit_count()),
    )
    return list(dict.fromkeys(extend(task, clique, order) for order in orders))


# --- duals -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Multipliers:
    """Exact dual of the class form: rows with their weight, in bytes times `1 / denominator`.

    `bound` is what they prove, in bytes, rounded up to the next multiple of the unit.
    """

    rows: tuple[tuple[int, int, int], ...]
    denominator: int
    scaled_bound: int
    prices: tuple[dict[int, int], ...]
    """Per class: item -> sum of the weights of that class's rows that contain it."""
    bound: int

    def evidence(self, task: Task, levels: Levels, buffers: Sequence[int]) -> Dual:
        return Dual(
            tuple(
                Weighted(task.widths[k], Fraction(weight, self.denominator), tuple(buffers[j] for j in bits(mask)))
                for k, mask, weight in self.rows
            ),
            levels.evidence(task, buffers),
        )

    def excluded(self, task: Task, cost_at_most: int) -> frozenset[tuple[int, int]]:
        """Pairs (item, class) that no plan of this cost uses: their reduced cost exceeds the gap."""
        gap = cost_at_most * self.denominator - self.scaled_bound
        found: list[tuple[int, int]] = []
        for j, own in enumerate(task.class_of):
            prices = [self.prices[k].get(j, 0) for k in range(own + 1)]
            least = min(prices)
            found += [(j, k) for k, price in enumerate(prices) if price - least > gap]
        return frozenset(found)


def exact_dual(form: ClassForm, duals: Sequence[float]) -> Multipliers:
    """Round floating-point multipliers of `form.rows` (in bytes) to fractions that are exactly feasible.

    The only condition is that the weights of class k sum to at most `w_k` (docs/certificates.md); the other
    multipliers follow from the weights, best possible. Of several denominators the best bound is taken.
    """
    unit = form.task.unit
    return max((_round(form, [d / unit for d in duals], den) for den in _DENOMINATORS), key=lambda m: m.bound)


def _round(form: ClassForm, duals: Sequence[float], denominator: int) -> Multipliers:
    task, unit = form.task, form.task.unit
    room = [width * denominator for width in task.widths]
    rows: list[tuple[int, int, int]] = []
    for (k, mask), value in zip(form.rows, duals, strict=True):
        weight = min(round(max(value, 0.0) * denominator) * unit, room[k])
        if weight > 0:
            room[k] -= weight
            rows.append((k, mask, weight))
    prices: tuple[dict[int, int], ...] = tuple({} for _ in task.widths)
    for k, mask, weight in rows:
        for j in bits(mask):
            prices[k][j] = prices[k].get(j, 0) + weight
    total = sum(min(prices[k].get(j, 0) for k in range(own + 1)) for j, own in enumerate(task.class_of))
    # room[k] is now w_k - S_k; M_k is its running minimum
    slots = [min(room[: k + 1]) for k in range(len(room))]
    for k, count in enumerate(form.levels.least):
        total += (slots[k] - (slots[k + 1] if k + 1 < len(slots) else 0)) * count
    bound = -(-total // (denominator * unit)) * unit
    return Multipliers(tuple(rows), denominator, total, prices, bound)


def as_cliques(task: Task, levels: Levels, buffers: Sequence[int]) -> Cliques:
    return Cliques(levels.evidence(task, buffers))
