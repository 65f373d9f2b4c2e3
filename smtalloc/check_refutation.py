"""The independent checker of refutations: the text "these blocks fit", written anew, and a DRUP proof against it.

The text is laid down in docs/certificates.md, with the numbering of its variables. A proof is a list of clauses, each
of which must follow from the text and those before it by *reverse unit propagation* (RUP: assume its negation,
propagate units, meet a contradiction), down to the empty clause. Deletions ("d ...") only take clauses away, which can
make later steps fail and never succeed wrongly. (Goldberg, Novikov, "Verification of proofs of unsatisfiability for CNF
formulas", DATE 2003; Heule, Hunt, Wetzler, "Trimming while checking clausal proofs", FMCAD 2013.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import gcd

from smtalloc.packing import ArenaProblem, Block
from smtalloc.plan import Refutation

_MOST_CLAUSES = 2_000_000
_LINE = re.compile(r"(?:d )?(?:-?[0-9]{1,9} ?)*")


def refutation_flaw(problem: ArenaProblem, evidence: Refutation, bound_bytes: int) -> str:
    """Why the proof does not show that the blocks need `bound_bytes`; empty if it does."""
    if not evidence.blocks or bound_bytes < 1:
        return "the refutation is about nothing"
    text = Text(problem, evidence.blocks, bound_bytes - 1)
    if text.size > _MOST_CLAUSES:
        return f"the refutation is about a text of {text.size} clauses, too many to check"
    return proof_flaw(text.variables, text.clauses(), evidence.drup)


def proof_flaw(variables: int, clauses: Iterable[Sequence[int]], drup: Sequence[str]) -> str:
    """Why the lines are no DRUP proof that the clauses are contradictory; empty if they are one."""
    engine = Propagation(variables)
    for clause in clauses:
        if engine.add(clause):
            return ""  # contradictory by unit propagation alone
    for number, line in enumerate(drup, 1):
        if not _LINE.fullmatch(line):
            return f"line {number} of the proof is no clause"
        words = line.split()
        deletes = words[:1] == ["d"]
        literals = [int(word) for word in (words[1:] if deletes else words)]
        if any(not 0 < abs(literal) <= variables for literal in literals):
            return f"line {number} of the proof names a variable that the text does not have"
        if deletes:
            engine.delete(literals)
            continue
        if not engine.implied(literals):
            return f"line {number} of the proof does not follow from the lines before it"
        if engine.add(literals):
            return ""
    return "the proof ends without a contradiction"


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


class Propagation:
    """Clauses and unit propagation over two watched literals; what is true at the root stays true.

    Literals are ±variable. `_value` is indexed by literal (negative ones from the end): 1 true, -1 false, 0 open.
    """

    def __init__(self, variables: int) -> None:
        self._value = [0] * (2 * variables + 1)
        self._watch: list[list[list[int]]] = [[] for _ in range(2 * variables + 1)]
        self._trail: list[int] = []
        self._done = 0
        self._by_key: dict[tuple[int, ...], list[list[int]]] = {}

    def add(self, clause: Sequence[int]) -> bool:
        """Add a clause; true if that contradicts what holds."""
        literals = list(dict.fromkeys(clause))
        if any(-literal in literals for literal in literals):
            return False
        value = self._value
        literals.sort(key=lambda literal: -value[literal])  # those not false are watched
        if len(literals) > 1:
            self._by_key.setdefault(tuple(sorted(literals)), []).append(literals)
            self._watch[literals[0]].append(literals)
            self._watch[literals[1]].append(literals)
        if not literals or value[literals[0]] < 0:
            return True
        if value[literals[0]] == 0 and (len(literals) == 1 or value[literals[1]] < 0):
            self._set(literals[0])
            return self._propagate()
        return False

    def delete(self, clause: Sequence[int]) -> None:
        """Forget a clause (units stay: what they made true is not taken back)."""
        held = self._by_key.get(tuple(sorted(set(clause))))
        if not held:
            return
        literals = held.pop()
        for watch in (self._watch[literals[0]], self._watch[literals[1]]):
            watch[:] = [other for other in watch if other is not literals]

    def implied(self, clause: Sequence[int]) -> bool:
        """Does assuming the negation of the clause lead to a contradiction by unit propagation?"""
        mark = len(self._trail)
        contradiction = False
        for literal in clause:
            if self._value[literal] > 0:
                contradiction = True
                break
            if self._value[literal] == 0:
                self._set(-literal)
        contradiction = contradiction or self._propagate()
        for literal in self._trail[mark:]:
            self._value[literal] = self._value[-literal] = 0
        del self._trail[mark:]
        self._done = mark
        return contradiction

    def _set(self, literal: int) -> None:
        self._value[literal], self._value[-literal] = 1, -1
        self._trail.append(literal)

    def _propagate(self) -> bool:
        """Until nothing follows; true on a contradiction."""
        value, trail, watches = self._value, self._trail, self._watch
        while self._done < len(trail):
            false = -trail[self._done]
            self._done += 1
            kept: list[list[int]] = []
            clauses = watches[false]
            for position, clause in enumerate(clauses):
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                first = clause[0]
                if value[first] > 0:
                    kept.append(clause)
                    continue
                for n in range(2, len(clause)):
                    if value[clause[n]] >= 0:
                        clause[1], clause[n] = clause[n], false
                        watches[clause[1]].append(clause)
                        break
                else:
                    kept.append(clause)
                    if value[first] < 0:
                        watches[false] = kept + clauses[position + 1 :]
                        return True
                    self._set(first)
            watches[false] = kept
        return False
