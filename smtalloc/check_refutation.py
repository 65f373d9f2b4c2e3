"""The independent checker of refutations of arenas: the text "these blocks fit", written anew from the problem.

The text is laid down in docs/certificates.md, with the numbering of its variables; check_rup.py checks the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import gcd

from smtalloc.check_rup import MOST_CLAUSES, proof_flaw
from smtalloc.packing import ArenaProblem, Block
from smtalloc.plan import Refutation

MOST_BLOCKS = 2_000


def refutation_flaw(problem: ArenaProblem, evidence: Refutation, bound_bytes: int) -> str:
    """Why the proof does not show that the blocks need `bound_bytes`; empty if it does."""
    if not evidence.blocks or bound_bytes < 1:
        return "the refutation is about nothing"
    if len(evidence.blocks) > MOST_BLOCKS:
        return f"the refutation is about {len(evidence.blocks)} blocks, too many to check"
    text = Text(problem, evidence.blocks, bound_bytes - 1)
    if text.size > MOST_CLAUSES:
        return f"the refutation is about a text of {text.size} clauses, too many to check"
    return proof_flaw(text.variables, text.clauses(), evidence.drup)


class Text:
    """ "The blocks fit into a pool of `at_most` bytes" (docs/certificates.md, "The propositional text")."""

    def __init__(self, problem: ArenaProblem, blocks: Sequence[int], at_most: int) -> None:
        self.blocks = [problem.blocks[b] for b in blocks]
        self.held = [held_bytes(problem, block) for block in self.blocks]
        self.unit = self._unit()
        self.pool = at_most // self.unit
        self.size_of = [block.size_bytes // self.unit for block in self.blocks]
        self.first: list[int] = []  # the variable "offset at least 1" of each block
        number = 1
        for size in self.size_of:
            self.first.append(number)
            number += max(0, self.pool - size)
        self.pairs: list[tuple[int, int, int, int]] = []
        for i, j in combinations(range(len(blocks)), 2):
            for lo, hi in meeting(problem, blocks[i], blocks[j]):
                self.pairs.append((i, j, lo // self.unit, hi // self.unit))
        self.order = number  # the variable of the first pair
        self.variables = number - 1 + len(self.pairs)
        self.size = (len(self.blocks) + 2 * len(self.pairs)) * (self.pool + 1)

    def _unit(self) -> int:
        unit = 0
        for block, held in zip(self.blocks, self.held, strict=True):
            unit = gcd(unit, block.size_bytes, block.offset or 0, *(end for span in held for end in span))
            unit = gcd(unit, *(end for gap in block.gaps if gap.window for end in gap.window))
        unit = unit or 1
        alignments = {block.alignment for block in self.blocks}
        while any(a % unit and unit % a for a in alignments):
            for a in alignments:
                if a % unit and unit % a:
                    unit = gcd(unit, a)
        return unit

    def clauses(self) -> Iterator[list[int]]:
        if any(size > self.pool for size in self.size_of):
            yield []
            return
        for i, block in enumerate(self.blocks):
            last = self.pool - self.size_of[i]
            for k in range(1, last):
                yield [-(self.first[i] + k), self.first[i] + k - 1]
            for k in range(last + 1):
                if not self._may_start(block, self.held[i], k * self.unit):
                    yield self._implication(None, (i, k), (i, k + 1))
        for i, j in combinations(range(len(self.blocks)), 2):
            if self.blocks[i].group and self.blocks[i].group == self.blocks[j].group:
                for k in range(1, self.pool + 1):
                    yield self._implication(None, (i, k), (j, k))
                    yield self._implication(None, (j, k), (i, k))
        for n, (i, j, lo, hi) in enumerate(self.pairs):
            below = self.order + n
            for k in range(self.pool - self.size_of[i] + 1):
                yield self._implication(below, (i, k), (j, k + hi))
            for k in range(self.pool - self.size_of[j] + 1):
                yield self._implication(-below, (j, k), (i, k - lo))

    def _may_start(self, block: Block, held: Sequence[tuple[int, int]], offset: int) -> bool:
        if offset % block.alignment or (block.offset is not None and block.offset != offset):
            return False
        return all(offset + block.size_bytes <= lo or hi <= offset for lo, hi in held)

    def _implication(self, order: int | None, low: tuple[int, int], high: tuple[int, int]) -> list[int]:
        """order and "offset of low at least k" give "offset of high at least k"; tautologies as `[1, -1]`."""
        literals = [] if order is None else [-order]
        i, k = low
        if k > self.pool - self.size_of[i]:
            return [1, -1]
        if k > 0:
            literals.append(-(self.first[i] + k - 1))
        j, k = high
        if k <= 0:
            return [1, -1]
        if k <= self.pool - self.size_of[j]:
            literals.append(self.first[j] + k - 1)
        return literals


def held_bytes(problem: ArenaProblem, block: Block) -> list[tuple[int, int]]:
    """Non-empty ranges of bytes that the block must not touch; none for a block without bytes."""
    pools = {limits.name: limits.forbidden for limits in problem.limits}
    ranges = (*pools.get(block.pool, ()), *block.forbidden)
    return [(lo, hi) for lo, hi in ranges if lo < hi and block.size_bytes]


def meeting(problem: ArenaProblem, b: int, c: int) -> list[tuple[int, int]]:
    """Open intervals of "offset of c - offset of b" at which the two have a live byte in common, disjoint, in order."""
    one, two = problem.blocks[b], problem.blocks[c]
    if (one.group and one.group == two.group) or not one.size_bytes or not two.size_bytes:
        return []
    if problem.apart is not None:
        return [(-two.size_bytes, one.size_bytes)] if problem.apart[b] >> c & 1 else []
    found: list[tuple[int, int]] = []
    moments = sorted({t for block in (one, two) if block.life for t in (*block.life, *_ends(block))})
    for t in moments:
        mine, theirs = _window(one, t), _window(two, t)
        if mine and theirs:
            found.append((mine[0] - theirs[1], mine[1] - theirs[0]))
    return joined(found)


def joined(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same union of open intervals, disjoint and in order; those that only touch stay two."""
    found: list[tuple[int, int]] = []
    for lo, hi in sorted(intervals):
        if found and lo < found[-1][1]:
            found[-1] = (found[-1][0], max(hi, found[-1][1]))
        else:
            found.append((lo, hi))
    return found


def _ends(block: Block) -> list[int]:
    return [t for gap in block.gaps for t in (gap.lower, gap.upper)]


def _window(block: Block, moment: int) -> tuple[int, int] | None:
    if block.life is None or not block.life[0] <= moment < block.life[1]:
        return None
    window: tuple[int, int] | None = (0, block.size_bytes)
    for gap in block.gaps:
        if gap.lower <= moment < gap.upper:
            window = gap.window
    return window if window and window[0] < window[1] else None
