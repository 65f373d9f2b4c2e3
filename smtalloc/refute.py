"""The propositional text "these blocks fit into a pool of so many bytes", and refutations of it.

Written as docs/certificates.md lays down, variable by variable: check_refutation.py writes it again from the problem,
with code of its own, and a proof about any other text is worth nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from smtalloc.arena_tasks import common_unit, ranges
from smtalloc.packing import ArenaProblem, Span, meetings_of
from smtalloc.plan import PoolBound, Refutation
from smtalloc.solvers import cadical

MOST_CLAUSES = 300_000
MOST_PROOF = 60_000
"""Lines of a proof that are still checked in a few seconds."""


@dataclass(frozen=True)
class Fit:
    """The text: a model is a plan. Offsets are in units of `unit` bytes, the pool has `pool` of them."""

    problem: ArenaProblem
    blocks: tuple[int, ...]
    unit: int
    pool: int
    sizes: tuple[int, ...]
    base: tuple[int, ...]
    """Before the first variable of each block: variable `base + k` says "its offset is at least k"."""
    pairs: tuple[tuple[int, int, Span], ...]
    """(i, j, open interval) for positions i < j in `blocks`, in units; one variable each, in order."""

    @property
    def size(self) -> int:
        """About how many clauses."""
        return (len(self.blocks) + 2 * len(self.pairs)) * (self.pool + 1)

    @property
    def variables(self) -> int:
        return self.base[-1] + len(self.pairs)

    def at_least(self, i: int, k: int) -> int | bool:
        if k <= 0:
            return True
        return self.base[i] + k if k <= self.pool - self.sizes[i] else False

    def clauses(self) -> Iterator[list[int]]:
        for i in range(len(self.blocks)):
            if self.pool < self.sizes[i]:
                yield []
                return
        for i, b in enumerate(self.blocks):
            last = self.pool - self.sizes[i]
            yield from ([-self.base[i] - k, self.base[i] + k - 1] for k in range(2, last + 1))
            for k in range(last + 1):
                if not self._allowed(b, k * self.unit):
                    yield from implication([self.at_least(i, k)], self.at_least(i, k + 1))
        yield from self._aliases()
        for number, (i, j, (lo, hi)) in enumerate(self.pairs, 1):
            order = self.base[-1] + number
            for lower, upper, distance, side in ((i, j, hi, order), (j, i, -lo, -order)):
                for k in range(self.pool - self.sizes[lower] + 1):
                    yield from implication([side, self.at_least(lower, k)], self.at_least(upper, k + distance))

    def _aliases(self) -> Iterator[list[int]]:
        for i, j in combinations(range(len(self.blocks)), 2):
            group = self.problem.blocks[self.blocks[i]].group
            if group and group == self.problem.blocks[self.blocks[j]].group:
                for k in range(1, self.pool + 1):
                    yield from implication([self.at_least(i, k)], self.at_least(j, k))
                    yield from implication([self.at_least(j, k)], self.at_least(i, k))

    def _allowed(self, b: int, offset: int) -> bool:
        block = self.problem.blocks[b]
        if block.offset not in (None, offset) or offset % block.alignment:
            return False
        end = offset + block.size_bytes
        return not any(lo < end and offset < hi for lo, hi in ranges(self.problem, b))

    def offsets(self, true: frozenset[int]) -> tuple[int, ...]:
        """Of a model, in bytes, in the order of `blocks`."""
        found: list[int] = []
        for i in range(len(self.blocks)):
            last = self.pool - self.sizes[i]
            found.append(self.unit * max((k for k in range(1, last + 1) if self.base[i] + k in true), default=0))
        return tuple(found)


def implication(holds: Sequence[int | bool], then: int | bool) -> Iterator[list[int]]:
    """The clause "if all of these hold, then that"; nothing where it is true anyway."""
    if then is True or any(literal is False for literal in holds):
        return
    clause = [-literal for literal in holds if literal is not True]
    yield clause if then is False else [*clause, then]


def fit(problem: ArenaProblem, blocks: Sequence[int], at_most_bytes: int) -> Fit:
    """The text for some blocks of one pool."""
    chosen = tuple(blocks)
    constants: list[int] = []
    for b in chosen:
        block = problem.blocks[b]
        constants += [block.size_bytes, block.offset or 0, *(end for r in ranges(problem, b) for end in r)]
        constants += [end for gap in block.gaps for end in gap.window or ()]
    unit = common_unit(constants, [problem.blocks[b].alignment for b in chosen])
    pool = max(0, at_most_bytes) // unit
    sizes = tuple(problem.blocks[b].size_bytes // unit for b in chosen)
    base = [0]
    for size in sizes:
        base.append(base[-1] + max(0, pool - size))
    pairs: list[tuple[int, int, Span]] = []
    for i, j in combinations(range(len(chosen)), 2):
        for lo, hi in meetings_of(problem, chosen[i], chosen[j]):
            pairs.append((i, j, (lo // unit, hi // unit)))
    return Fit(problem, chosen, unit, pool, sizes, tuple(base), tuple(pairs))


@dataclass(frozen=True, slots=True)
class Fits:
    """Offsets in bytes, in the order of the blocks asked about."""

    offsets: tuple[int, ...]


def decide(
    problem: ArenaProblem,
    blocks: Sequence[int],
    at_most_bytes: int,
    *,
    deadline: float,
    cancelled: Callable[[], bool] = lambda: False,
) -> Fits | PoolBound | None:
    """A plan of this height, or a bound with its refutation. None: too large for this, or the deadline struck."""
    if not cadical.available():
        return None
    text = fit(problem, blocks, at_most_bytes)
    if text.size > MOST_CLAUSES:
        return None
    answer = cadical.solve(text.variables, text.clauses(), deadline=deadline, cancelled=cancelled)
    if isinstance(answer, cadical.Model):
        return Fits(text.offsets(answer.true))
    if answer is None or len(answer.drup) > MOST_PROOF:
        return None
    pool = problem.blocks[text.blocks[0]].pool
    return PoolBound(pool, (text.pool + 1) * text.unit, Refutation(text.blocks, answer.drup))
