"""Lower bounds on slot plans, and the certificates that prove them (docs/certificates.md).

Dilworth's theorem for the clique bound, and the class form, in which integer programs and z3 look for plans. Sizes and
bounds are in bytes, except in a task of run-time size (`Task.dynamic`), where every item counts as one slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from smtalloc.bitsets import bits, bitset
from smtalloc.cliques import searched_cliques
from smtalloc.plan import Clique, Cliques
from smtalloc.task import Task, Timeline

# --- Dilworth: chains and antichains -----------------------------------------------------------------------


class Matching:
    """Fewest chains that cover a growing set of items, and a largest antichain of it.

    Fulkerson's reduction: each item has a left and a right copy, and an edge runs from left i to right j where i is
    before j. A matched edge says "j follows i in its slot", so chains = items - matched edges, and by Dilworth the
    fewest chains are as many as the largest antichain has members. That grows by at most one with each item, so one
    search for an augmenting path per item is enough: from its left copy, then from its right copy. Where `before` is
    not transitive, chains may have members that are not related, and they say nothing about cliques.
    """

    def __init__(self, task: Task) -> None:
        self._before, self._after = task.before, task.after
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
        end = self._augment(item, self._before, self._follows, self._leads, self._free_right)
        if end >= 0:
            self._free_left ^= bit
            self._free_right ^= 1 << end
            return False
        end = self._augment(item, self._after, self._leads, self._follows, self._free_left)
        if end >= 0:
            self._free_right ^= bit
            self._free_left ^= 1 << end
            return False
        return True

    def _augment(self, start: int, edges: Sequence[int], mine: list[int], theirs: list[int], free: int) -> int:
        """Look for an augmenting path from the free copy `start` and flip it; the free copy where it ends, or -1."""
        unseen, stack = self.members, [start]
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


def fewest_chains(task: Task, members: Iterable[int]) -> list[list[int]]:
    """The fewest chains that cover some items of a task: the left-edge algorithm where lives are intervals."""
    line = task.timeline
    if line is None:
        return chain_cover(task, members).chains()
    chains: list[list[int]] = []
    free: list[tuple[int, int]] = []  # (point from which on, chain)
    for j in sorted(members, key=lambda j: line.start[j]):
        if free and free[0][0] <= line.start[j]:
            _, chain = heappop(free)
            chains[chain].append(j)
        else:
            chain = len(chains)
            chains.append([j])
        heappush(free, (line.end[j], chain))
    return chains


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

    def evidence(self, task: Task, buffers: Sequence[int]) -> Cliques:
        """As certificate; thresholds whose clique is no larger than the one above are left out."""
        found: list[Clique] = []
        size = 0
        for width, mask in zip(task.widths, self.cliques, strict=True):
            if mask.bit_count() > size:
                size = mask.bit_count()
                found.append(Clique(0 if task.dynamic else width, tuple(buffers[j] for j in bits(mask))))
        return Cliques(tuple(found))


def clique_levels(task: Task) -> Levels:
    """The largest clique for each size threshold; where `before` is not transitive, the largest found."""
    if not task.is_order:
        return Levels(tuple(searched_cliques(task)))
    if task.timeline is not None:
        return _levels_of_intervals(task, task.timeline)
    matching = Matching(task)
    found: list[int] = []
    position, clique = 0, 0
    for k in range(len(task.widths)):
        grown = False
        while position < len(task) and task.class_of[position] == k:
            grown |= matching.add(position)
            position += 1
        if grown:
            clique = matching.antichain()
        found.append(clique)
    return Levels(tuple(found))


def _levels_of_intervals(task: Task, line: Timeline) -> Levels:
    """How many live at each point, counted from the largest item down."""
    alive = [0] * line.points
    found: list[int] = []
    position, most, clique = 0, 0, 0
    for k in range(len(task.widths)):
        peak = -1
        while position < len(task) and task.class_of[position] == k:
            for point in range(line.start[position], line.end[position]):
                alive[point] += 1
                if alive[point] > most:
                    most, peak = alive[point], point
            position += 1
        if peak >= 0:
            clique = bitset(j for j in range(position) if line.start[j] <= peak < line.end[j])
        found.append(clique)
    return Levels(tuple(found))


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
        allowed &= ~task.at_least(task.widths[k])
    return ClassForm(task, levels, tuple(rows))


def slots_of_classes(form: ClassForm, classes: Sequence[int]) -> tuple[list[list[int]], list[int]]:
    """(slots, cliques that the form lacks) of an assignment of sizes: the fewest slots for each size; where they are
    more than the form counted, the cliques that say so."""
    task, slots = form.task, list[list[int]]()
    lacking: list[int] = []
    for k in range(len(task.widths)):
        matching = chain_cover(task, (j for j, size in enumerate(classes) if size == k))
        chains = matching.chains()
        slots += chains
        counted = max(((c & matching.members).bit_count() for kk, c in form.rows if kk == k), default=0)
        if len(chains) > counted:
            lacking += widened(task, matching.antichain())
    return slots, lacking


def sweep_cliques(task: Task) -> list[int]:
    """Cliques "alive together": for each down-set P of the form "all before item j", the items that need no more than
    P to be over before they start, and are not in P.

    If i is before j, then j needs i in P, so not both are members. In an interval order (lives in program order) these
    are all maximal cliques. In other orders some are missing, and those found are extended to maximal ones.
    """
    line = task.timeline
    if line is not None:
        return _alive_at_points(line)
    found = [_alive(task.after, down) for down in sorted(set(task.after), key=int.bit_count)]
    found += [_alive(task.before, up) for up in sorted(set(task.before), key=int.bit_count)]
    return list(dict.fromkeys(extend(task, clique, range(len(task))) for clique in found))


def _alive_at_points(line: Timeline) -> list[int]:
    changes = [0] * (line.points + 1)
    for j, (start, end) in enumerate(zip(line.start, line.end, strict=True)):
        changes[start] ^= 1 << j
        changes[end] ^= 1 << j
    found: list[int] = []
    alive = 0
    for change in changes[:-1]:
        alive ^= change
        found.append(alive)
    return found


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
