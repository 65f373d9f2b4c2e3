"""Do all items of a task fit into slots of given sizes? Guided ejection search.

An item that fits into no slot as things stand is put where the items in its way weigh least, and those are put back
later. An item that is hard to place grows heavier each time, so the search learns which items must not be moved about
(Nagata and Bräysy, "A powerful route minimization heuristic", Operations Research Letters 37, 2009; there for vehicle
routing). Between two ejections some items move to other slots that could take them.

It finds fits, and never shows that there is none. Deterministic for a seed as long as the deadline does not strike.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from smtalloc.bitsets import bits
from smtalloc.task import Task

_CLOCK_EVERY = 64


@dataclass(frozen=True)
class Fit:
    """`slots`: the items of each slot, where all found a place. `heavy`: the items that were hardest to place."""

    slots: tuple[tuple[int, ...], ...] | None
    heavy: tuple[int, ...] = ()


def fit(
    task: Task,
    sizes: Sequence[int],
    start: Sequence[Sequence[int]],
    *,
    seed: int,
    rounds: int,
    deadline: float,
    cancelled: Callable[[], bool] = lambda: False,
) -> Fit:
    """Place all items into slots of these sizes (bytes, falling); `start` says where some of them may begin."""
    search = _Search(task, sizes, seed)
    search.place_all(start)
    return search.run(rounds, deadline, cancelled)


class _Search:
    def __init__(self, task: Task, sizes: Sequence[int], seed: int) -> None:
        self.task = task
        self.chance = random.Random(seed)
        self.members = [0] * len(sizes)
        self.where = [-1] * len(task)
        self.weight = [1] * len(task)
        self.blocked = [task.all & ~(mask | 1 << j) for j, mask in enumerate(task.related)]
        """For each item, those that may not be in one slot with it."""
        self.rooms = [sum(size >= wanted for size in sizes) for wanted in task.sizes]
        """For each item, how many of the slots are large enough: the first ones."""
        self.homeless: list[int] = []

    def place_all(self, start: Sequence[Sequence[int]]) -> None:
        """As proposed, then each of the others where it fits best, largest first."""
        for slot, chain in enumerate(start[: len(self.members)]):
            for j in chain:
                if slot < self.rooms[j] and self.where[j] < 0 and not self.members[slot] & self.blocked[j]:
                    self._put(j, slot)
        for j in range(len(self.task)):
            if self.where[j] < 0 and not self._settle(j):
                self.homeless.append(j)

    def run(self, rounds: int, deadline: float, cancelled: Callable[[], bool]) -> Fit:
        for turn in range(rounds):
            if not self.homeless:
                return Fit(tuple(tuple(bits(mask)) for mask in self.members if mask))
            if turn % _CLOCK_EVERY == 0 and (time.monotonic() > deadline or cancelled()):
                break
            item = self.homeless.pop()
            if self._settle(item):
                continue
            if not self.rooms[item]:
                self.homeless.append(item)
                break
            self.weight[item] += 1
            self._force(item)
            self._stir()
        if not self.homeless:
            return Fit(tuple(tuple(bits(mask)) for mask in self.members if mask))
        most = max(self.weight)
        heavy = [j for j, weight in enumerate(self.weight) if 2 * weight > most]
        return Fit(None, tuple(dict.fromkeys([*self.homeless, *heavy])))

    def _put(self, item: int, slot: int) -> None:
        self.members[slot] |= 1 << item
        self.where[item] = slot

    def _settle(self, item: int) -> bool:
        """Put it into the smallest slot that has room for it."""
        blocked = self.blocked[item]
        for slot in reversed(range(self.rooms[item])):
            if not self.members[slot] & blocked:
                self._put(item, slot)
                return True
        return False

    def _force(self, item: int) -> None:
        """Put it where what is in its way weighs least, and take that out."""
        blocked, weight = self.blocked[item], self.weight
        best, least = 0, -1
        ties = 1
        for slot in range(self.rooms[item]):
            cost = 0
            for other in bits(self.members[slot] & blocked):
                cost += weight[other]
                if least >= 0 and cost > least:
                    break
            if least < 0 or cost < least:
                best, least, ties = slot, cost, 1
            elif cost == least:
                ties += 1
                if self.chance.randrange(ties) == 0:
                    best = slot
        for other in bits(self.members[best] & blocked):
            self.where[other] = -1
            self.homeless.append(other)
        self.members[best] &= ~blocked
        self._put(item, best)

    def _stir(self) -> None:
        """Move a few items to other slots that can take them."""
        for _ in range(3):
            item = self.chance.randrange(len(self.task))
            slot = self.chance.randrange(self.rooms[item]) if self.rooms[item] else -1
            old = self.where[item]
            if slot < 0 or old < 0 or slot == old or self.members[slot] & self.blocked[item]:
                continue
            self.members[old] ^= 1 << item
            self._put(item, slot)
