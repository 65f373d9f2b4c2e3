"""Arena questions as SMT-LIB text: facts of a task, and the definitions of encodings/arena_*.smt2 applied to them.

"Do these pieces fit into a pool of so many units?", in one of four encodings:

| name | decides | theory |
|---|---|---|
| offsets | offsets | difference logic (linear arithmetic where alignments are left) |
| order | which piece lies below which | Booleans and difference logic |
| bits | offsets | bit-vectors |
| levels | offsets, as "at least k" | Booleans alone |

No rule stands in this file. Names end in positions in `Task.pieces`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

from smtalloc.arena_tasks import Piece, Task
from smtalloc.bitsets import bits
from smtalloc.encode import definitions, literal
from smtalloc.packing import Span


class ArenaEncoding(StrEnum):
    OFFSETS = "offsets"
    ORDER = "order"
    BITS = "bits"
    LEVELS = "levels"


def arena_query(task: Task, pool: int, encoding: ArenaEncoding, *, symmetry: bool = True) -> str:
    """Is there a plan of this task in a pool of `pool` units? `symmetry`: equal pieces in one order only."""
    writer = {
        ArenaEncoding.OFFSETS: _Offsets,
        ArenaEncoding.ORDER: _Order,
        ArenaEncoding.BITS: _Bits,
        ArenaEncoding.LEVELS: _Levels,
    }[encoding](task, pool, _chains(task) if symmetry else {})
    return "\n".join(
        [*writer.head(), f"; one unit is {task.unit} bytes; the pool has {pool}", *writer.body(), "(check-sat)\n"]
    )


def arena_offsets(task: Task, encoding: ArenaEncoding, values: Mapping[str, int | bool]) -> tuple[int, ...]:
    """The offsets in a model of `arena_query`, in units. A piece that nothing is said of lies at its lowest place."""
    if encoding is not ArenaEncoding.LEVELS:
        return tuple(int(values.get(f"o_{i}", piece.lowest)) for i, piece in enumerate(task.pieces))
    levels = [0] * len(task)
    for name, value in values.items():
        if name.startswith("at_") and value is True:
            _, i, k = name.split("_")
            levels[int(i)] = max(levels[int(i)], int(k))
    return tuple(levels)


def alike(task: Task) -> list[list[int]]:
    """Pieces in conflict with each other that nothing tells apart: their offsets can be swapped."""
    tied = {i for pair in task.special for i in pair}
    found: dict[tuple[int, int, int], list[int]] = {}
    for i, piece in enumerate(task.pieces):
        if i not in tied and piece.fixed is None and not piece.blocked and piece.size:
            found.setdefault((piece.size, piece.alignment, task.neighbours[i] | 1 << i), []).append(i)
    return [group for group in found.values() if len(group) > 1]


def _chains(task: Task) -> dict[tuple[int, int], None]:
    """Pairs (i, j), i < j, of which i is to lie below j; neighbours in a group of equal ones only."""
    return {(i, j): None for group in alike(task) for i, j in pairwise(group)}


class _Writer:
    """What the encodings have in common: who is in conflict with whom."""

    files: tuple[str, ...] = ()

    def __init__(self, task: Task, pool: int, chains: Mapping[tuple[int, int], None]) -> None:
        self.task, self.pool, self.chains = task, pool, chains

    def head(self) -> Iterator[str]:
        logic = "QF_LIA" if any(piece.alignment > 1 for piece in self.task.pieces) else "QF_IDL"
        yield f"(set-logic {logic})"
        yield definitions(*self.files)

    def body(self) -> Iterator[str]:
        for i, piece in enumerate(self.task.pieces):
            yield from self.piece(i, piece)
        for i in range(len(self.task)):
            for j in bits(self.task.neighbours[i] >> i + 1 << i + 1):
                spans = self.task.spans(i, j)
                for number, span in enumerate(spans):
                    yield from self.pair(i, j, f"{i}_{j}" if len(spans) == 1 else f"{i}_{j}_{number}", span)

    def piece(self, i: int, piece: Piece) -> Iterator[str]:
        raise NotImplementedError

    def pair(self, i: int, j: int, name: str, span: Span) -> Iterator[str]:
        raise NotImplementedError


class _Offsets(_Writer):
    files = ("arena_offsets",)

    def piece(self, i: int, piece: Piece) -> Iterator[str]:
        yield f"(declare-const o_{i} Int)"
        yield f"(assert (inside o_{i} {piece.size} {self.pool}))"
        yield from _placed(i, piece)
        yield from (f"(assert (avoids o_{i} {literal(lo)} {hi}))" for lo, hi in piece.blocked)

    def pair(self, i: int, j: int, name: str, span: Span) -> Iterator[str]:
        if (i, j) in self.chains:
            yield f"(assert (first_below o_{i} {self.task.sizes[i]} o_{j}))"
        else:
            yield f"(assert (apart o_{i} o_{j} {literal(span[0])} {literal(span[1])}))"


class _Order(_Writer):
    files = ("arena_order",)

    def piece(self, i: int, piece: Piece) -> Iterator[str]:
        yield f"(declare-const o_{i} Int)"
        yield f"(assert (inside o_{i} {piece.size} {self.pool}))"
        yield from _placed(i, piece)
        for number, (lo, hi) in enumerate(piece.blocked):
            yield f"(declare-const under_{i}_{number} Bool)"
            yield f"(assert (avoids under_{i}_{number} o_{i} {literal(lo)} {hi}))"

    def pair(self, i: int, j: int, name: str, span: Span) -> Iterator[str]:
        yield f"(declare-const below_{name} Bool)"
        yield f"(assert (far_above below_{name} o_{i} o_{j} {literal(span[1])}))"
        yield f"(assert (far_below below_{name} o_{i} o_{j} {literal(span[0])}))"
        if (i, j) in self.chains:
            yield f"(assert (first_below below_{name}))"


def _placed(i: int, piece: Piece) -> Iterator[str]:
    if piece.fixed is not None:
        yield f"(assert (pinned o_{i} {piece.fixed}))"
    if piece.alignment > 1:
        yield f"(assert (aligned o_{i} {piece.alignment}))"


class _Bits(_Writer):
    files = ("arena_bits",)

    def __init__(self, task: Task, pool: int, chains: Mapping[tuple[int, int], None]) -> None:
        super().__init__(task, pool, chains)
        constants = [pool, *task.sizes, *(p.alignment for p in task.pieces), *(p.fixed or 0 for p in task.pieces)]
        constants += [end for p in task.pieces for span in p.blocked for end in span]
        constants += [abs(end) for spans in task.special.values() for span in spans for end in span]
        self.width = (2 * max(constants, default=0) + 1).bit_length()

    def head(self) -> Iterator[str]:
        yield "(set-logic QF_BV)"
        yield with_width(definitions(*self.files), "Address", self.width)

    def _bits(self, value: int) -> str:
        return f"(_ bv{value} {self.width})"

    def piece(self, i: int, piece: Piece) -> Iterator[str]:
        yield f"(declare-const o_{i} Address)"
        if piece.size > self.pool:
            yield "(assert false) ; larger than the pool"
            return
        yield f"(assert (inside o_{i} {self._bits(self.pool - piece.size)}))"
        if piece.fixed is not None:
            yield f"(assert (pinned o_{i} {self._bits(piece.fixed)}))"
        if piece.alignment > 1:
            yield f"(assert (aligned o_{i} {self._bits(piece.alignment)}))"
        for lo, hi in piece.blocked:
            if lo < 0:
                yield f"(assert (starts_at o_{i} {self._bits(hi)}))"
            else:
                yield f"(assert (avoids o_{i} {self._bits(lo)} {self._bits(hi)}))"

    def pair(self, i: int, j: int, name: str, span: Span) -> Iterator[str]:
        lo, hi = span
        above = self._at_least(i, hi, j)
        under = f"(beyond o_{j} {self._bits(-lo)} o_{i})" if lo < 0 else f"(within o_{i} {self._bits(lo)} o_{j})"
        yield f"(assert {above})" if (i, j) in self.chains else f"(assert (apart {above} {under}))"

    def _at_least(self, i: int, distance: int, j: int) -> str:
        """offset of j >= offset of i + distance"""
        if distance >= 0:
            return f"(beyond o_{i} {self._bits(distance)} o_{j})"
        return f"(within o_{j} {self._bits(-distance)} o_{i})"


class _Levels(_Writer):
    files = ("arena_levels",)

    def head(self) -> Iterator[str]:
        yield "(set-logic QF_UF)"
        yield definitions(*self.files)

    def _at(self, i: int, k: int) -> str:
        """Is the offset of i at least k?"""
        if k <= 0:
            return "true"
        return f"at_{i}_{k}" if k <= self.pool - self.task.sizes[i] else "false"

    def piece(self, i: int, piece: Piece) -> Iterator[str]:
        last = self.pool - piece.size
        if last < 0:
            yield "(assert false) ; larger than the pool"
            return
        yield from (f"(declare-const at_{i}_{k} Bool)" for k in range(1, last + 1))
        yield from (f"(assert (falls at_{i}_{k} at_{i}_{k - 1}))" for k in range(2, last + 1))
        for k in range(last + 1):
            if piece.at_or_above(k) != k:
                yield f"(assert (skips {self._at(i, k)} {self._at(i, k + 1)}))"

    def pair(self, i: int, j: int, name: str, span: Span) -> Iterator[str]:
        lo, hi = span
        yield f"(declare-const below_{name} Bool)"
        if (i, j) in self.chains:
            yield f"(assert below_{name})"
        for lower, upper, order, distance in ((i, j, f"below_{name}", hi), (j, i, f"(not below_{name})", -lo)):
            for k in range(max(0, 1 - distance), self.pool - self.task.sizes[lower] + 1):
                yield f"(assert (pushes {order} {self._at(lower, k)} {self._at(upper, k + distance)}))"


def levels_size(task: Task, pool: int) -> int:
    """About how many clauses the encoding `levels` has."""
    conflicts = sum(mask.bit_count() for mask in task.neighbours) // 2
    return (len(task) + 2 * conflicts) * (pool + 1)


def with_width(text: str, sort: str, width: int) -> str:
    """Definitions with the width of a bit-vector sort put in."""
    lines = text.splitlines()
    return "\n".join(
        f"(define-sort {sort} () (_ BitVec {width}))" if line.startswith(f"(define-sort {sort} ") else line
        for line in lines
    )


def fold(function: str, terms: Sequence[str], empty: str) -> str:
    """`(f (f t1 t2) t3)`: for functions of exactly two arguments."""
    found = terms[0] if terms else empty
    for term in terms[1:]:
        found = f"({function} {found} {term})"
    return found
