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
from collections.abc import Sequence

from smtalloc.bitsets import bits
from smtalloc.solvers import kernel
from smtalloc.task import Task

_CLOCK_EVERY = 64
_STIRRED = 2
_COMPILED_ROUNDS = 10
"""Rounds of the compiled search per round of the one here: they take about the same time."""


class Fit:
    """The search for one task and one list of slot sizes (bytes, falling). `run` may be called again to go on."""

    def __init__(self, task: Task, sizes: Sequence[int], seed: int) -> None:
        self.task = task
        self.chance = random.Random(seed)
        self.seed = seed
        self.members = [0] * len(sizes)
        self.where: list[int] = [-1] * len(task)
        self.weight: list[int] = [1] * len(task)
        self.blocked = [task.all & ~(mask | 1 << j) for j, mask in enumerate(task.related)]
        """For each item, those that may not be in one slot with it."""
        self.rooms = [sum(size >= wanted for size in sizes) for wanted in task.sizes]
        """For each item, how many of the slots are large enough: the first ones."""
        self.homeless = [j for j in range(len(task)) if not self._settle(j)]  # largest first

    def run(self, rounds: int, deadline: float) -> tuple[tuple[int, ...], ...] | None:
        """The items of each slot, once all have a place; None after so many rounds, or at the deadline
        (`time.monotonic`, in s)."""
        if kernel.AVAILABLE:
            self._eject_compiled(rounds * _COMPILED_ROUNDS, deadline)
        else:
            self._eject(rounds, deadline)
        return None if self.homeless else self.slots()

    def _eject_compiled(self, rounds: int, deadline: float) -> None:
        """The same search by the kernel, from where it stands."""
        self.seed += 1
        found = kernel.slot_fit(
            self.rooms,
            [tuple(bits(mask)) for mask in self.blocked],
            self.where,
            self.weight,
            len(self.members),
            rounds=rounds,
            deadline=deadline,
            seed=self.seed,
        )
        self.where, self.weight, self.homeless = list(found.where), list(found.weight), list(found.homeless)
        self.members = [0] * len(self.members)
        for j, slot in enumerate(self.where):
            if slot >= 0:
                self._put(j, slot)

    def _eject(self, rounds: int, deadline: float) -> None:
        for turn in range(rounds):
            if not self.homeless or (turn % _CLOCK_EVERY == 0 and time.monotonic() > deadline):
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

    def slots(self) -> tuple[tuple[int, ...], ...]:
        """The items of each slot that has any."""
        return tuple(tuple(bits(mask)) for mask in self.members if mask)

    def hardest(self, count: int) -> list[int]:
        """Items that have no place, and those that were hardest to place: so many of each at most."""
        heavy = sorted(range(len(self.task)), key=lambda j: -self.weight[j])
        return list(dict.fromkeys([*self.homeless[-count:], *heavy[:count]]))

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
            cost, in_the_way = 0, self.members[slot] & blocked
            if least >= 0 and in_the_way.bit_count() > least:  # each weighs one at least
                continue
            for other in bits(in_the_way):
                cost += weight[other]
                if least >= 0 and cost > least:
                    break
            if least < 0 or cost < least:
                best, least, ties = slot, cost, 1
            elif cost == least:
                ties += 1
                if self.chance.random() * ties < 1:
                    best = slot
        for other in bits(self.members[best] & blocked):
            self.where[other] = -1
            self.homeless.append(other)
        self.members[best] &= ~blocked
        self._put(item, best)

    def _stir(self) -> None:
        """Move a few items to other slots that can take them."""
        draw, count = self.chance.random, len(self.task)
        for _ in range(_STIRRED):
            item = int(draw() * count)
            slot, old = int(draw() * self.rooms[item]), self.where[item]
            if old < 0 or slot == old or self.members[slot] & self.blocked[item]:
                continue
            self.members[old] ^= 1 << item
            self._put(item, slot)
