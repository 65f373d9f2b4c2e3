"""Slot plans fast: best fit from the largest item down, over several orders and rules, and iterated local search.

From the largest item down, a slot never grows after it was opened, so a plan's cost is decided by which slots have to
be opened. The rule that matters is therefore not which slot wastes least, but which slot loses least by taking an
item: how many items not yet placed could have gone there and no longer can. An order of items by size with ties broken
in different ways, or slightly disturbed, gives different plans; the search keeps what costs no more.

Deterministic for a given seed as long as the deadline does not strike.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from smtalloc.task import Task


@dataclass(frozen=True)
class Packing:
    """A plan of one task: each slot lists its items. Cost in bytes, or in slots if the task is dynamic."""

    slots: tuple[tuple[int, ...], ...]
    cost: int

    def members(self, buffers: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Of each slot, rising, as buffers of the program; `buffers` are the task's items as such."""
        return (tuple(sorted(buffers[j] for j in slot)) for slot in self.slots)


class Rule(Enum):
    """Which of the slots that could take an item does take it."""

    LEAST_LOSS = auto()
    """The one that stays open to most of the items not yet placed."""
    BEST_FIT = auto()
    """The smallest; least loss among those."""
    FIRST_FIT = auto()
    """The first that was opened, which is the largest."""


def packing(task: Task, slots: Sequence[Sequence[int]]) -> Packing:
    """Wrap slots with their cost. Chains of a relation that is not transitive are cut where members may not share."""
    if not task.is_order:
        slots = [part for slot in slots for part in _cut(task, slot)]
    return Packing(tuple(tuple(s) for s in slots), sum(max(task.sizes[j] for j in s) for s in slots))


def _cut(task: Task, chain: Sequence[int]) -> list[list[int]]:
    """Each item joins the first part of which it may share with all."""
    parts: list[list[int]] = []
    takes: list[int] = []
    for j in chain:
        at = next((k for k, mask in enumerate(takes) if mask >> j & 1), len(parts))
        if at == len(parts):
            parts.append([])
            takes.append(task.all)
        parts[at].append(j)
        takes[at] &= task.related[j]
    return parts


def in_program_order(task: Task) -> Packing:
    """What the compiler's greedy pass does (greedy.py), within what the policy allows: each item, in the order in which
    they stand in the program, joins the slot that wastes least; no slot grows."""
    slots: list[list[int]] = []
    takes: list[int] = []
    for j in sorted(range(len(task)), key=lambda j: task.items[j]):
        size = task.sizes[j]
        able = (s for s, mask in enumerate(takes) if mask >> j & 1 and task.sizes[slots[s][0]] >= size)
        best = min(able, key=lambda s: task.sizes[slots[s][0]], default=None)
        if best is None:
            slots.append([j])
            takes.append(task.related[j])
        else:
            slots[best].append(j)
            takes[best] &= task.related[j]
    return packing(task, slots)


def pack(task: Task, order: Sequence[int], rule: Rule) -> Packing:
    """Place items in this order; a slot is opened only where no open one can take the item (or growing the slot would
    cost as much)."""
    slots: list[list[int]] = []
    takes: list[int] = []  # per slot: items that may share with all its members
    sizes: list[int] = []
    left = task.all
    related = task.related
    for j in order:
        left &= ~(1 << j)
        size = task.sizes[j]
        able = [s for s, mask in enumerate(takes) if mask >> j & 1]
        if able and sizes[able[0]] < size:  # `able` is not sorted by size then; growth decides first
            growth = min(max(0, size - sizes[s]) for s in able)
            able = [s for s in able if max(0, size - sizes[s]) == growth]
        if not able:
            slots.append([j])
            takes.append(related[j])
            sizes.append(size)
            continue
        best = able[0]
        if len(able) > 1 and rule is not Rule.FIRST_FIT:
            lost = left & ~related[j]
            losses = [(takes[s] & lost).bit_count() for s in able]
            sized = [sizes[s] if rule is Rule.BEST_FIT else 0 for s in able]
            best = min(zip(sized, losses, able, strict=True))[2]
        slots[best].append(j)
        takes[best] &= related[j]
        sizes[best] = max(sizes[best], size)
    return packing(task, slots)


def orders(task: Task) -> Iterator[list[int]]:
    """Largest first; ties by start, by end, by few and by many possible partners."""
    items = range(len(task))
    after, before, related = task.after, task.before, task.related
    yield sorted(items, key=lambda j: (-task.sizes[j], after[j].bit_count()))
    yield sorted(items, key=lambda j: (-task.sizes[j], before[j].bit_count()))
    yield sorted(items, key=lambda j: (-task.sizes[j], related[j].bit_count()))
    yield sorted(items, key=lambda j: (-task.sizes[j], -related[j].bit_count()))


@dataclass(frozen=True)
class Placed:
    """A plan and what it came from; local search starts there."""

    plan: Packing
    order: Sequence[int]
    rule: Rule


def portfolio(task: Task, bound: int, *, deadline: float, found: Callable[[Packing], None]) -> Placed | None:
    """The best plan over all orders and rules; stops at `bound`, or at the deadline (`time.monotonic`, in s).

    `found` is told every plan as it is made, so that a caller who is interrupted keeps it.
    """
    best: Placed | None = None
    for order in orders(task):
        for rule in Rule:
            if (best is not None and best.plan.cost <= bound) or time.monotonic() > deadline:
                return best
            plan = pack(task, order, rule)
            if best is None or plan.cost < best.plan.cost:
                best = Placed(plan, order, rule)
                found(plan)
    return best


def improve(
    task: Task,
    bound: int,
    start: Placed,
    *,
    seed: int,
    rounds: int,
    deadline: float,
    found: Callable[[Packing], None],
) -> None:
    """Iterated local search on orders: disturb, pack again, keep what costs no more."""
    chance = random.Random(seed)
    current = start
    for _ in range(rounds if len(task) > 1 else 0):
        if current.plan.cost <= bound or time.monotonic() > deadline:
            break
        order, rule = _disturb(current.order, chance), current.rule
        if chance.random() < 0.1:
            rule = chance.choice(list(Rule))
        plan = pack(task, order, rule)
        if plan.cost < current.plan.cost:
            found(plan)
        if plan.cost <= current.plan.cost:
            current = Placed(plan, order, rule)


def _disturb(order: Sequence[int], chance: random.Random) -> list[int]:
    """Swap two neighbours, move one item, or shake all a little."""
    changed, n = list(order), len(order)
    match chance.randrange(3):
        case 0:
            i = chance.randrange(n)
            k = min(n - 1, max(0, i + chance.randint(-8, 8)))
            changed[i], changed[k] = changed[k], changed[i]
        case 1:
            item = changed.pop(chance.randrange(n))
            changed.insert(chance.randrange(n), item)
        case _:
            reach = chance.random() * 0.05 * n
            keys = {item: place + chance.random() * reach for place, item in enumerate(order)}
            changed.sort(key=lambda item: keys[item])
    return changed
