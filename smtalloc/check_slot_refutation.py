"""The independent checker of refutations of slots: the text "the slots of this part cost less", written anew.

Every clause holds in every plan that costs less (docs/certificates.md, `SlotRefutation`, has the clauses, their reasons
and the numbering of the variables), so if the text has no model, there is no such plan. That the cliques and rows are
cliques is checked before (check_certificate.py).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice, pairwise

from smtalloc.check_rules import Rules
from smtalloc.check_rup import MOST_CLAUSES, proof_flaw
from smtalloc.check_shown import Shown
from smtalloc.plan import Part, SlotRefutation

_MOST_WORK = 50_000_000
Option = int | bool
"""A literal, or what is known to be true or false."""


def slot_refutation_flaw(rules: Rules, part: Part, shown: Shown, evidence: SlotRefutation) -> str:
    """Why the proof does not show that the part needs `part.bound` bytes; empty if it does."""
    too_much = "the refutation is about a text that is too large to check"
    if _work(shown) > _MOST_WORK:
        return too_much
    text = SlotText(rules, part, shown, evidence)
    if text.contradictory:
        return ""
    clauses = list(islice(text.clauses(), MOST_CLAUSES + 1)) if text.countable else None
    if clauses is None or len(clauses) > MOST_CLAUSES:
        return too_much
    return proof_flaw(text.variables, clauses, evidence.drup)


def _work(shown: Shown) -> int:
    """How often a weighted clique is held against a member that fits its size."""
    sizes = sorted(shown.size_of.values())
    return sum(bisect_right(sizes, width) * (1 + len(weights)) for width, weights in shown.weights.items())


class SlotText:
    """ "The slots of the part cost at most `limit` bytes", which is less than its bound."""

    def __init__(self, rules: Rules, part: Part, shown: Shown, evidence: SlotRefutation) -> None:
        self.rules, self.shown, self.rows = rules, shown, evidence.rows
        self.limit = (part.bound - 1) // shown.unit * shown.unit
        self.widths = [size for size in shown.sizes if size]
        self.steps = [size - smaller for size, smaller in pairwise([*self.widths, 0])]
        self.known = shown.tallest[: len(self.widths)]
        self.slack = self.limit - sum(step * known for step, known in zip(self.steps, self.known, strict=True))
        self.spare = self.limit * shown.scale - shown.sum
        self.cliques = [
            [(weight, sum(1 << b for b in members)) for weight, members in shown.weights[width]]
            for width in self.widths
        ]
        self.contradictory = self.slack < 0 or self.spare < 0
        self.variables = 0
        self.place: dict[tuple[int, int], int] = {}
        self.more: list[list[int]] = []
        if not self.contradictory:
            for b, size in shown.size_of.items():
                for k, width in enumerate(self.widths):
                    if 0 < size <= width and self._extra(b, k) <= self.spare:
                        self.place[b, k] = self._variable()
            self.more = [[self._variable() for _ in range(most)] for most in self._most_more()]

    def _variable(self) -> int:
        self.variables += 1
        return self.variables

    def _extra(self, b: int, k: int) -> int:
        """T_jk: what any plan with b in a slot of size `w_k` costs more than B, at least."""
        shown, width = self.shown, self.widths[k]
        company = self.rules.partners[b] | 1 << b
        idle = sum(weight for weight, clique in self.cliques[k] if not clique & company)
        return shown.shares[width].get(b, 0) - shown.prices[b] + idle + shown.left[k] - shown.floors[k]

    def _most_more(self) -> list[int]:
        """How many slots of size `w_k` or more beyond `h_k` there can be, at this cost."""
        tops: list[int] = []
        for k, step in enumerate(self.steps):
            members = sum(size >= self.widths[k] for size in self.shown.size_of.values())
            paid = self.slack // step
            if self.shown.layers[k] > 0:
                paid = min(paid, self.spare // self.shown.layers[k])
            tops.append(min(members, self.known[k] + paid))
        return [min(tops[k:]) - known for k, known in enumerate(self.known)]

    # -- what the clauses speak of --

    def _slots(self, k: int, count: int) -> Option:
        """There are at least so many slots of size `w_k` or more (of size above all, for k = -1)."""
        if count <= self._fewest(k):
            return True
        return self.more[k][count - self._fewest(k) - 1] if count <= self._most(k) else False

    def _fewest(self, k: int) -> int:
        return self.known[k] if k >= 0 else 0

    def _most(self, k: int) -> int:
        return self.known[k] + len(self.more[k]) if k >= 0 else 0

    # -- the clauses --

    def clauses(self) -> Iterator[list[int]]:
        for b, size in self.shown.size_of.items():
            if size:
                yield [self.place[b, k] for k in range(len(self.widths)) if (b, k) in self.place]
        for k in range(len(self.widths)):
            for count in range(2, self._most(k) + 1):
                yield from _either(_not(self._slots(k, count)), self._slots(k, count - 1))
            for count in range(1, self._most(k - 1) + 1):
                yield from _either(_not(self._slots(k - 1, count)), self._slots(k, count))
        yield from self._cost()
        for row in self.rows:
            yield from self._row(self.widths.index(row.slot_bytes), row.buffers)

    @property
    def countable(self) -> bool:
        """Are there few enough sums to tell apart? (Their number can double with every class.)"""
        sums, work = {0}, 0
        for step, more in zip(self.steps, self.more, strict=True):
            room = [min(len(more), (self.slack - spent) // step) for spent in sums]
            work += sum(room) + len(sums)
            if work > MOST_CLAUSES:
                return False
            sums = {spent + step * i for spent, most in zip(sums, room, strict=True) for i in range(most + 1)}
        return True

    def _cost(self) -> Iterator[list[int]]:
        """Slots beyond `h_k` cost at least so much: from class to class, over all sums that stay within the slack."""
        spent: dict[int, Option] = {0: True}
        for step, more in zip(self.steps, self.more, strict=True):
            if not more:
                continue
            number: list[Option] = [True, *more]  # of the more slots, that there are at least i
            reached = {s + step * i for s in spent for i in range(min(len(more), (self.slack - s) // step) + 1)}
            now: dict[int, Option] = {s: s == 0 or self._variable() for s in sorted(reached)}
            for s, so_far in spent.items():
                for i, some in enumerate(number):
                    yield from _either(_not(so_far), _not(some), now.get(s + step * i, False))
                    if s + step * i > self.slack:
                        break
            for fewer, enough in pairwise(now.values()):
                yield from _either(_not(enough), fewer)
            spent = now

    def _row(self, k: int, clique: tuple[int, ...]) -> Iterator[list[int]]:
        """Members of the clique in slots of size `w_k`, and the slots larger than that, are no more than the slots of
        size `w_k` or more."""
        members = set(clique)
        here = [self.place[b, k] for b in self.shown.size_of if b in members and (b, k) in self.place]
        room = self._most(k) - self._fewest(k - 1)
        so_far: list[Option] = [True]  # of the members so far, at least i are here
        for place in here:
            now: list[Option] = [True, *(self._variable() for _ in range(min(len(so_far), room)))]
            for i in range(len(so_far)):
                if i:
                    yield from _either(_not(so_far[i]), now[i])
                yield from _either(-place, _not(so_far[i]), now[i + 1] if i < room else False)
            so_far = now
        for i in range(1, len(so_far)):
            for larger in range(self._fewest(k - 1), self._most(k - 1) + 1):
                yield from _either(_not(so_far[i]), _not(self._slots(k - 1, larger)), self._slots(k, larger + i))


def _not(option: Option) -> Option:
    return not option if isinstance(option, bool) else -option


def _either(*options: Option) -> Iterator[list[int]]:
    """The clause, unless it is true anyway."""
    if True not in (option for option in options if isinstance(option, bool)):
        yield [option for option in options if not isinstance(option, bool)]
