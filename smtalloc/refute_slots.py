"""The propositional text "the slots of this part cost less", and refutations of it.

Written as docs/certificates.md lays down (`SlotRefutation`), variable by variable: check_slot_refutation.py writes it
again from the problem, with code of its own, and a proof about any other text is worth nothing there.

What is proven of the part already goes in: a size of slot that would leave too much unpaid for an item is none that it
has in a cheaper plan. So few items have a choice left, and few slots may come to those that are known to be needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import gcd, lcm

from smtalloc.bitsets import bits, bitset
from smtalloc.plan import Cliques, Dual, Row, SlotRefutation
from smtalloc.refute import MOST_CLAUSES, MOST_PROOF, implication
from smtalloc.solvers import cadical
from smtalloc.task import Task

_MOST_PLACES = 25_000
_CHECK_S = 3e-5
"""Per clause and line: checking a refutation, on a slow machine."""


class Known:
    """What evidence says of a task. Items are positions in it, classes are those of more than 0 bytes."""

    def __init__(self, task: Task, buffers: Sequence[int], shown: Cliques | Dual) -> None:
        self.task, self.buffers, self.shown = task, buffers, shown
        self.order = sorted((j for j, size in enumerate(task.sizes) if size), key=lambda j: buffers[j])
        """The items of the text, in the order of the part's buffers."""
        self.unit = gcd(*task.sizes) or 1
        self.widths = [width for width in task.widths if width]
        self.steps = [a - b for a, b in pairwise([*self.widths, 0])]
        tall = [(clique.threshold_bytes, len(clique.buffers)) for clique in shown.cliques]
        self.least = [max((n for least, n in tall if least >= width), default=0) for width in self.widths]
        weights = shown.weights if isinstance(shown, Dual) else ()
        self.scale = lcm(1, *(weighted.weight.denominator for weighted in weights))
        place = {b: j for j, b in enumerate(buffers)}
        index = {width: k for k, width in enumerate(self.widths)}
        self.cliques: list[list[tuple[int, int]]] = [[] for _ in self.widths]
        for weighted in weights:
            mask = bitset(place[b] for b in weighted.buffers)
            self.cliques[index[weighted.slot_bytes]].append((int(weighted.weight * self.scale), mask))

    @cached_property
    def unpaid(self) -> list[int]:
        """Of each size, what its multipliers leave. (This and what follows is in bytes times `scale`.)"""
        return [
            width * self.scale - sum(u for u, _ in found)
            for width, found in zip(self.widths, self.cliques, strict=True)
        ]

    @cached_property
    def floors(self) -> list[int]:
        return [*accumulate(self.unpaid, min), 0]

    @cached_property
    def prices(self) -> dict[int, int]:
        return {j: min(self.paid(j, k) for k in range(self.task.class_of[j] + 1)) for j in self.order}

    @cached_property
    def bound(self) -> int:
        return sum(self.prices.values()) + sum(self.layer(k) * least for k, least in enumerate(self.least))

    def paid(self, j: int, k: int) -> int:
        return sum(u for u, mask in self.cliques[k] if mask >> j & 1)

    def layer(self, k: int) -> int:
        """What each slot of size `w_k` or more costs at least, beside the prices of its items."""
        return self.floors[k] - self.floors[k + 1]

    def wasted(self, j: int, k: int) -> int:
        """What a slot of size `w_k` with this item in it costs beyond the bound, at least."""
        company = self.task.related[j] | 1 << j
        missed = sum(u for u, mask in self.cliques[k] if not mask & company)
        return self.paid(j, k) - self.prices[j] + missed + self.unpaid[k] - self.floors[k]


class Cheaper:
    """The text: what every plan satisfies whose slots cost at most `limit` bytes. `write` fills `clauses`.

    `places` are the variables "j lives in a slot of size `w_k`"; `more[k]` has those of "there are i slots of size
    `w_k` or larger beside those that are known to be needed", for i = 1, 2, ...
    """

    def __init__(self, known: Known, limit: int, cancelled: Callable[[], bool]) -> None:
        """Once `cancelled`, it breaks off, and `write` says so."""
        self.known, self.cancelled = known, cancelled
        self.variables = 0
        self.clauses: list[list[int]] = []
        self.slack = limit - sum(step * least for step, least in zip(known.steps, known.least, strict=True))
        """What is left for more slots than are known to be needed."""
        self._spare = limit * known.scale - known.bound
        if self.slack < 0 or self._spare < 0:
            self.clauses.append([])
        self.places = {place: self._new() for place in self._choices()}
        self.more = [[self._new() for _ in range(most)] for most in self._extras()]

    def _choices(self) -> Iterator[tuple[int, int]]:
        known = self.known
        for j in known.order:
            if self.cancelled():
                return
            yield from ((j, k) for k in range(known.task.class_of[j] + 1) if known.wasted(j, k) <= self._spare)

    def _extras(self) -> list[int]:
        known, sizes = self.known, self.known.task.sizes
        most: list[int] = []
        for k, step in enumerate(known.steps):
            paid = [max(self.slack, 0) // step]
            if known.layer(k):
                paid.append(max(self._spare, 0) // known.layer(k))
            most.append(min(known.least[k] + min(paid), sum(size >= known.widths[k] for size in sizes)))
        return [min(most[k:]) - least for k, least in enumerate(known.least)]

    def _new(self) -> int:
        self.variables += 1
        return self.variables

    def binding(self, rows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Those of the rows (class, clique) that are not satisfied anyway."""
        return [
            (k, clique)
            for k, clique in rows
            if k < len(self.more)
            and sum((j, k) in self.places for j in bits(clique)) > self.known.least[k] - self._most(k - 1)
        ]

    def write(self, rows: Sequence[tuple[int, int]]) -> bool:
        """All clauses; false if they are too many, or once `cancelled`."""
        if self.cancelled() or not self._countable():
            return False
        for part in (self._homes(), self._counts(), self._cost(), self._rows(rows)):
            for clause in part:
                self.clauses.append(clause)
                if len(self.clauses) > MOST_CLAUSES or (len(self.clauses) % 1000 == 0 and self.cancelled()):
                    return False
        return True

    def _homes(self) -> Iterator[list[int]]:
        for j in self.known.order:
            yield [self.places[j, k] for k in range(self.known.task.class_of[j] + 1) if (j, k) in self.places]

    def _least(self, k: int) -> int:
        return self.known.least[k] if k >= 0 else 0

    def _most(self, k: int) -> int:
        return self.known.least[k] + len(self.more[k]) if k >= 0 else 0

    def _slots(self, k: int, count: int) -> int | bool:
        """There are so many slots of size `w_k` or larger."""
        if count <= self._least(k):
            return True
        return self.more[k][count - self._least(k) - 1] if count <= self._most(k) else False

    def _counts(self) -> Iterator[list[int]]:
        for k, more in enumerate(self.more):
            yield from ([-after, before] for before, after in pairwise(more))
            for count in range(1, self._most(k - 1) + 1):
                yield from implication([self._slots(k - 1, count)], self._slots(k, count))

    def _sums(self, reached: Iterable[int], k: int) -> Iterator[int]:
        """For each cost so far, and each number of more slots of class k that it leaves room for: the cost then."""
        step, most = self.known.steps[k], len(self.more[k])
        for spent in reached:
            for i in range(min(most, (self.slack - spent) // step) + 1):
                yield spent + step * i

    def _countable(self) -> bool:
        """Are the sums few enough to be told apart?"""
        reached, work = {0}, 0
        for k in range(len(self.more)):
            after: set[int] = set()
            for spent in self._sums(reached, k):
                after.add(spent)
                work += 1
                if work > MOST_CLAUSES:
                    return False
            reached = after
        return True

    def _cost(self) -> Iterator[list[int]]:
        """What slots beyond the known ones cost, class by class: "it is at least so much"."""
        reached: dict[int, int | bool] = {0: True}
        for k, (step, more) in enumerate(zip(self.known.steps, self.more, strict=True)):
            if not more:
                continue
            sums = sorted(set(self._sums(reached, k)))
            after: dict[int, int | bool] = {spent: self._new() if spent else True for spent in sums}
            for spent, before in reached.items():
                for i in range(min(len(more), (self.slack - spent) // step + 1) + 1):
                    yield from implication([before, more[i - 1] if i else True], after.get(spent + step * i, False))
            for lower, higher in pairwise(after.values()):
                yield from implication([higher], lower)
            reached = after

    def _rows(self, rows: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
        """Members of a clique in slots of one size are counted one by one, as far as there is room for them."""
        for k, clique in rows:
            room = self._most(k) - self._least(k - 1)
            counted: list[int | bool] = []
            for j in self.known.order:
                if not clique >> j & 1 or (j, k) not in self.places:
                    continue
                longer: list[int | bool] = [self._new() for _ in range(min(len(counted) + 1, room))]
                for c in range(min(len(counted), room) + 1):
                    fewer = counted[c - 1] if c else True
                    yield from implication([self.places[j, k], fewer], longer[c] if c < room else False)
                for before, now in zip(counted, longer, strict=False):
                    yield from implication([before], now)
                counted = longer
            for c, some in enumerate(counted, 1):
                for larger in range(self._least(k - 1), self._most(k - 1) + 1):
                    yield from implication([some, self._slots(k - 1, larger)], self._slots(k, larger + c))

    def classes(self, true: frozenset[int]) -> list[int]:
        """Of a model: for each item of the task the class of its slot, the smallest that holds."""
        found = list(self.known.task.class_of)
        for (j, k), variable in sorted(self.places.items()):
            if variable in true:
                found[j] = k
        return found


def small_enough(task: Task) -> bool:
    """Is a text about this task one that could be written and checked? (Items times the sizes that they fit.)"""
    return sum(k + 1 for k in task.class_of) <= _MOST_PLACES


def decide(
    known: Known,
    rows: Sequence[tuple[int, int]],
    limit: int,
    *,
    deadline: float,
    cancelled: Callable[[], bool],
) -> list[int] | SlotRefutation | None:
    """Classes of the items in which they may cost at most `limit` bytes (they do if the rows have all cliques that
    matter), or why they cannot. None: too large for this, or there is no time left."""
    text = Cheaper(known, limit, cancelled)
    rows = text.binding(rows)
    if not text.write(rows):
        return None
    answer = cadical.solve(text.variables, text.clauses, deadline=deadline, cancelled=cancelled)
    if isinstance(answer, cadical.Model):
        return text.classes(answer.true)
    if answer is None or len(answer.drup) > MOST_PROOF:
        return None
    if time.monotonic() + _CHECK_S * (len(text.clauses) + len(answer.drup)) > deadline:
        return None
    named = (Row(known.widths[k], tuple(known.buffers[j] for j in bits(clique))) for k, clique in rows)
    return SlotRefutation(known.shown, tuple(named), answer.drup)
