"""Closing a task by its linear program: prices for the bound, and slots to fit the items into.

Most items decide nothing: they find room in slots that others need. So the program starts with a *core*, the items of
the cliques that decide the clique bound, and with slots of few sizes:

    core --> linear program over chains, sizes added while a chain is worth more than its slot
         --> prices: a bound for the whole task, since items without a price may be covered for nothing
         --> slots: do all items fit into them? Then the plan costs what the bound proves.
             If not, the items that are hardest to place join the core.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import accumulate

from smtalloc import heuristics
from smtalloc.bitsets import bits, bitset
from smtalloc.bounds import sweep_cliques
from smtalloc.duals import Prices, exact_prices
from smtalloc.fit import Fit
from smtalloc.networks import Classes, heights
from smtalloc.presolve import Dominated, twins
from smtalloc.standing import Run, State
from smtalloc.task import Task

_CLASSES_AT_ONCE = 20
_FIT_ROUNDS = 12
_LAST_FIT_ROUNDS = 300
"""Per item: with a core, and with the whole task."""
_FIT_ROUNDS_BY_SIZE = 3
"""Per item of the core and size of slot: about as long as the linear program took. Rounds, not seconds, so that the
same seed gives the same plan."""
_JOINING = 8
"""Items that are hardest to place, and so many without a place, join the core at first; twice as many each time."""
_MOST_TIES = 200_000
_MOST_EVIDENCE = 5_000_000
"""Entries of a certificate; beyond, writing and checking it would take longer than it is worth."""
_TOLERANCE = 1e-6


class Core:
    """Some items of a task as a task of their own, twins as one item with copies."""

    def __init__(self, task: Task, members: int, *, merge: bool) -> None:
        chosen = list(bits(members))
        part = task.part(members)
        groups = twins(part) if merge else tuple((j,) for j in range(len(part)))
        self.groups = tuple(tuple(chosen[j] for j in group) for group in groups)
        """Per item of the core, the items of the whole task that it stands for."""
        self.copies = tuple(len(group) for group in groups)
        self.classes = Classes(part.part(bitset(group[0] for group in groups)))

    @property
    def task(self) -> Task:
        return self.classes.task

    def whole(self, prices: Prices) -> Prices:
        """The same prices on the items of the whole task."""
        weights = {j: weight for item, weight in prices.weights.items() for j in self.groups[item]}
        return Prices(weights, prices.denominator, prices.bound)


class Pricing:
    """One task, its items that are not dominated, and the sizes of slots that have mattered so far."""

    def __init__(self, run: Run, state: State, presolved: Dominated, deadline: float) -> None:
        self.run, self.state, self.presolved, self.deadline = run, state, presolved, deadline
        self.kept = list(bits(presolved.kept))
        self.part = state.task.part(presolved.kept)
        self.cliques = [clique & presolved.kept for clique in sweep_cliques(state.task)]
        self.fits: dict[tuple[int, ...], Fit] = {}
        """By the sizes of the slots."""
        self.widths = {max(state.task.sizes[j] for j in slot) for slot in state.best.slots}

    def close(self) -> None:
        """Until cost and bound meet, the core is the whole task, or the deadline strikes."""
        state, options = self.state, self.run.options
        members = self._deciding() if options.core else self.presolved.kept
        joining = _JOINING
        while not state.closed and time.monotonic() < self.deadline:
            slots = self._relax(members)
            if slots is None or state.closed:
                return
            whole = members == self.presolved.kept
            rounds = _FIT_ROUNDS * len(self.kept) + _FIT_ROUNDS_BY_SIZE * members.bit_count() * len(self.widths)
            hardest = self._fit(slots, _LAST_FIT_ROUNDS * len(self.kept) if whole else rounds, joining)
            self.run.report("linear program")
            if whole:
                return
            grown = members | self._joining(hardest)
            members = grown if grown != members else self.presolved.kept
            joining *= 2

    def _deciding(self) -> int:
        """The members of all largest cliques, per size threshold."""
        task, levels = self.state.task, self.state.levels
        tied = len(self.cliques) * len(set(levels.least)) <= _MOST_TIES
        found = last = 0
        for width, least, clique in zip(task.widths, levels.least, levels.cliques, strict=True):
            found |= clique
            if least > last and tied:
                for inside in (other & task.at_least(width) for other in self.cliques):
                    found |= inside if inside.bit_count() >= least else 0
            last = least
        return found & self.presolved.kept

    def _relax(self, members: int) -> list[int] | None:
        """Raise the bound by the prices of a core. The sizes of the slots that its linear program asks for, falling;
        None if the deadline struck."""
        from smtalloc.solvers import highs  # noqa: PLC0415  loads highspy when first used

        core = Core(self.state.task, members, merge=self.run.options.twins)
        task = core.task
        chosen = {k for k, width in enumerate(task.widths) if k == 0 or width in self.widths}
        chosen |= {min((task.class_of[j] for j in slot), default=0) for slot in self._slots_of(core)}
        while True:
            relaxed = highs.relax(core.classes, core.copies, sorted(chosen), deadline=self.deadline)
            if relaxed is None:
                return None
            worth = {j: max(price, 0.0) for j, price in enumerate(relaxed.prices)}
            excess = {
                k: heights(core.classes.of(k), worth, 0.0)[-1] - width
                for k, width in enumerate(task.widths)
                if k not in chosen
            }
            violated = [k for k, value in excess.items() if value > _TOLERANCE * task.widths[0]]
            if not violated:
                break
            chosen |= set(sorted(violated, key=lambda k: -excess[k])[:_CLASSES_AT_ONCE])
        self.widths |= {task.widths[k] for k in chosen}
        found = core.whole(exact_prices(core.classes, core.copies, relaxed.prices, self.state.task.unit))
        if found.bound > self.state.bound and found.size(self.state.task) <= _MOST_EVIDENCE:
            self.state.offer_prices(found)
        return _whole_slots(task.widths, relaxed.slots)

    def _slots_of(self, core: Core) -> Iterable[list[int]]:
        """The best plan, as far as it concerns a core."""
        place = {j: item for item, group in enumerate(core.groups) for j in group}
        return ([place[j] for j in slot if j in place] for slot in self.state.best.slots)

    def _fit(self, sizes: Sequence[int], rounds: int, hardest: int) -> Sequence[int]:
        """Offer a plan with slots of these sizes, with more for what found no place in them. Gives some of the items
        that were hardest to place, none if all fit."""
        state, options = self.state, self.run.options
        if not options.fit or sum(sizes) >= state.best.cost:
            return ()
        search = self.fits.get(tuple(sizes))
        if search is None:
            search = self.fits[tuple(sizes)] = Fit(self.part, sizes, options.seed)
        found = search.run(rounds, self.deadline)
        more = heuristics.pack(self.part, search.homeless, heuristics.Rule.BEST_FIT).slots if found is None else ()
        slots = [[self.kept[j] for j in slot] for slot in (*search.slots(), *more)]
        state.offer(heuristics.packing(state.task, self.presolved.complete(slots)))
        return [self.kept[j] for j in search.hardest(hardest)] if found is None else ()

    def _joining(self, hardest: Sequence[int]) -> int:
        """What joins the core: each of these items, and where most items of its size or larger live with it, those."""
        task = self.state.task
        found = bitset(hardest)
        for j in hardest:
            larger = task.at_least(task.sizes[j])
            here = (clique & larger for clique in self.cliques if clique >> j & 1)
            found |= max(here, key=int.bit_count, default=0)
        return found & self.presolved.kept


def _whole_slots(widths: Sequence[int], counts: dict[int, float]) -> list[int]:
    """Sizes of slots, falling: as many of each size or more as the counts say, rounded up."""
    classes = sorted(counts)
    totals = [-int(-(total - _TOLERANCE) // 1) for total in accumulate(counts[k] for k in classes)]
    found: list[int] = []
    for k, total in zip(classes, totals, strict=True):
        found += [widths[k]] * (total - len(found))
    return found
