"""Tasks: parts of a slot problem that share with nothing outside, and when their items live.

Everything works on positions: items are sorted by size, largest first, and sets of them are bitsets (bitsets.py).
Sizes are in bytes, except in a task of run-time size (`Task.dynamic`), where every item counts as one slot.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import neg

from smtalloc.bitsets import bits, bitset, restrict, transpose
from smtalloc.order import Conflicts


@dataclass(frozen=True, slots=True)
class Timeline:
    """Lives as intervals, where the order is an interval order: item j lives at the points p with
    `start[j] <= p < end[j]`, and i is before j iff `end[i] <= start[j]`.

    At each point live the items of a maximal clique, and there is no other maximal clique.
    """

    start: tuple[int, ...]
    end: tuple[int, ...]
    points: int


@dataclass(frozen=True)
class Task:
    """Items that may share with each other only, sorted by size, largest first.

    `items` are positions in `Conflicts.items` (of a part of a task: positions in the task); `before` and `after` are
    bitsets over positions in this task. `before` is a strict partial order (`is_order` says where not) and `after` its
    converse.
    """

    items: tuple[int, ...]
    sizes: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    dynamic: bool
    divide: bool = True
    """May sizes be divided by their common divisor (SolveOptions.gcd)?"""
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
        all sizes are numbers; where not, only cliques.py and pairwise.py apply."""
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

    def at_least(self, size: int) -> int:
        """The items of this size or larger."""
        return (1 << bisect_right(self.sizes, -size, key=neg)) - 1

    @cached_property
    def unit(self) -> int:
        """Greatest common divisor of the sizes; every cost is a multiple of it."""
        return (math.gcd(*self.sizes) or 1) if self.divide else 1

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """`w_k - w_(k+1)` for each class, with 0 below the smallest."""
        return tuple(a - b for a, b in zip(self.widths, (*self.widths[1:], 0), strict=True))

    @cached_property
    def timeline(self) -> Timeline | None:
        """Lives as intervals; None where the order is not an interval order."""
        return timeline_of(self.after)

    def part(self, members: int) -> Task:
        """Some of the items, as a task of their own."""
        kept = list(bits(members))
        before, after = restrict(self.before, kept)
        sizes = tuple(self.sizes[j] for j in kept)
        return Task(tuple(kept), sizes, tuple(before), tuple(after), self.dynamic, self.divide, self.symbolic)


def timeline_of(after: Sequence[int]) -> Timeline | None:
    """Lives as intervals; None where the order is not an interval order (it has two pairs a < b, c < d with neither
    a < d nor c < b). Bit i of `after[j]`: i is before j.

    The canonical ones: sorted by inclusion, the sets "all before j" are the points. j starts at its own, and ends where
    the first set that contains it is. (P. C. Fishburn, "Intransitive indifference with unequal indifference intervals",
    Journal of Mathematical Psychology 7, 1970.)
    """
    downs = sorted(set(after), key=int.bit_count)
    end = [len(downs)] * len(after)
    over = 0
    for point, down in enumerate(downs):
        if over & ~down:
            return None
        for j in bits(down & ~over):
            end[j] = point
        over = down
    point_of = {down: point for point, down in enumerate(downs)}
    return Timeline(tuple(point_of[mask] for mask in after), tuple(end), len(downs))


def tasks(conflicts: Conflicts, *, split: bool = True, divide: bool = True) -> list[Task]:
    """Split a problem into tasks: its groups, and (`split`) within a group the parts that never share with each other.

    Items of a group that share with nothing at all (pinned ones, host-accessed ones under `host-exclusive`) make one
    task together, so that a certificate has one clique for all of them.
    """
    after = transpose(conflicts.before) if split else []
    found: list[Task] = []
    for group in conflicts.groups:
        if not split:
            found.append(_task(conflicts, group, divide))
            continue
        left = bitset(group)
        alone: list[int] = []
        while left:
            part = _component(left & -left, conflicts.before, after)
            left &= ~part
            if part & (part - 1):
                found.append(_task(conflicts, bits(part), divide))
            else:
                alone.append(part.bit_length() - 1)
        if alone:
            found.append(_task(conflicts, alone, divide))
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


def _task(conflicts: Conflicts, members: Iterable[int], divide: bool) -> Task:
    def size(item: int) -> int:
        known = conflicts.buffer(item).size_bytes
        return 1 if known is None else known

    items = sorted(members, key=lambda item: (-size(item), item))
    before, after = restrict(conflicts.before, items)
    return Task(
        items=tuple(items),
        sizes=tuple(size(item) for item in items),
        before=tuple(before),
        after=tuple(after),
        dynamic=conflicts.buffer(items[0]).size_bytes is None,
        divide=divide,
        symbolic=any(conflicts.buffer(item).size is not None for item in items),
    )
