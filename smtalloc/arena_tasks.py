"""Presolve: an arena problem as tasks, one for each set of blocks that are tied together by conflicts.

    blocks -> pieces (blocks of one group are one) -> dominated and easily placed pieces set aside
           -> components of the conflict graph, each in its own unit (common divisor)

Why each step loses nothing:

- *unit*: where all sizes, pins, forbidden ends and windows are multiples of g, and each alignment divides g or is a
  multiple of it, rounding every offset of a plan down to a multiple of g keeps it a plan. (`x + s <= y` with s = kg
  gives `floor(x/g) + k <= floor(y/g)`.)
- *dominated*: a, not in conflict with b, no larger, no more aligned, and in conflict only with what b conflicts with,
  can always lie where b starts.
- *easy*: where the free bytes between the neighbours of a, in a pool of the size that is needed anyway, cannot all be
  in gaps too short for a, it can be placed after all others.
- *component*: blocks without conflict in common never decide about each other; a pool is as large as its largest part.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from smtalloc.bitsets import bits, restrict, transpose
from smtalloc.packing import ArenaProblem, Block, Span, meetings, merged, whole_at_once
from smtalloc.program import InputError


@dataclass(frozen=True, slots=True)
class Piece:
    """Blocks at one offset. Sizes and places in units of the task.

    `blocked` are open intervals of offsets at which the piece would touch bytes it must not.
    """

    blocks: tuple[int, ...]
    size: int
    alignment: int
    fixed: int | None = None
    blocked: tuple[Span, ...] = ()

    def at_or_above(self, start: int) -> int:
        """The lowest allowed offset from here on; a fixed piece has only one."""
        if self.fixed is not None:
            return self.fixed
        start = -(-start // self.alignment) * self.alignment
        for lo, hi in self.blocked:
            if lo < start < hi:
                start = -(-hi // self.alignment) * self.alignment
        return start

    @property
    def lowest(self) -> int:
        return self.at_or_above(0)


@dataclass(frozen=True)
class Task:
    """Pieces of one pool that conflicts tie together, in units of `unit` bytes.

    Two neighbours keep `offset_j - offset_i` out of some open intervals (`spans`). If all conflicts are those of
    `lives` (half-open intervals), these are given; else `near` has a bitset of neighbours per piece. `special` holds
    what is not just "one above the other", for i < j. `before` is a strict partial order whose incomparable pairs are
    the neighbours, where one is known.
    """

    pool: str
    pieces: tuple[Piece, ...]
    unit: int
    lives: tuple[Span, ...] | None = None
    near: tuple[int, ...] | None = None
    special: Mapping[tuple[int, int], tuple[Span, ...]] = field(default_factory=dict[tuple[int, int], tuple[Span, ...]])
    before: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.pieces)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(piece.size for piece in self.pieces)

    @cached_property
    def neighbours(self) -> tuple[int, ...]:
        """Per piece a bitset of those it conflicts with."""
        if self.near is not None:
            return self.near
        assert self.lives is not None
        return overlapping(self.lives)

    def spans(self, i: int, j: int) -> tuple[Span, ...]:
        """Open intervals in which `offset_j - offset_i` of two neighbours must not be."""
        if i > j:
            return tuple((-hi, -lo) for lo, hi in reversed(self.spans(j, i)))
        found = self.special.get((i, j))
        return ((-self.sizes[j], self.sizes[i]),) if found is None else found

    @cached_property
    def plain(self) -> bool:
        """No pins, no blocked places, nothing special: what the search kernel takes."""
        return not self.special and all(p.fixed is None and not p.blocked for p in self.pieces)

    def top(self, offsets: Sequence[int]) -> int:
        """How large the pool must be for these offsets, in units."""
        return max((at + size for at, size in zip(offsets, self.sizes, strict=True)), default=0)


@dataclass(frozen=True)
class Aside:
    """A piece that is placed when all others are: at the offset of another one, or at the lowest free one (None)."""

    piece: int
    where: int | None


def overlapping(lives: Sequence[Span]) -> tuple[int, ...]:
    """Per half-open interval a bitset of the others that it overlaps; empty intervals overlap nothing."""
    count = len(lives)
    starts = sorted(range(count), key=lambda i: lives[i][0])
    ends = sorted(range(count), key=lambda i: lives[i][1])
    everything = bitset_of(i for i in range(count) if lives[i][0] < lives[i][1])
    found = [0] * count
    over, at = 0, 0  # those that end at or before the start of i
    for i in starts:
        while at < count and lives[ends[at]][1] <= lives[i][0]:
            over |= 1 << ends[at]
            at += 1
        found[i] = everything & ~over
    later, at = 0, count - 1  # those that start at or after the end of i
    for i in reversed(ends):
        while at >= 0 and lives[starts[at]][0] >= lives[i][1]:
            later |= 1 << starts[at]
            at -= 1
        found[i] &= ~later
    return tuple(mask & ~(1 << i) if everything >> i & 1 else 0 for i, mask in enumerate(found))


def bitset_of(members: Iterable[int]) -> int:
    """Like `bitsets.bitset`, in linear time for many members."""
    flags = bytearray()
    for member in members:
        byte = member >> 3
        if byte >= len(flags):
            flags.extend(bytes(byte + 1 - len(flags)))
        flags[byte] |= 1 << (member & 7)
    return int.from_bytes(flags, "little")


def incomparable(before: Sequence[int], blocks: Sequence[Block]) -> tuple[int, ...]:
    """Who must not meet whom: all of one pool that the order does not relate (`ArenaProblem.apart`)."""
    after = transpose(before)
    pools: dict[str, int] = {}
    for b, block in enumerate(blocks):
        pools[block.pool] = pools.get(block.pool, 0) | 1 << b
    return tuple(pools[block.pool] & ~(before[b] | after[b] | 1 << b) for b, block in enumerate(blocks))


# --- a pool as one task ------------------------------------------------------------------------------------


def pool_task(problem: ArenaProblem, pool: str, *, gcd: bool = True) -> Task:
    """All blocks of a pool, before they are split. Raises InputError where a group cannot have one offset."""
    members = problem.pools[pool]
    blocks = problem.blocks
    pieces = [piece_of(problem, group) for group in _groups(blocks, members)]
    simple = problem.apart is None and all(len(p.blocks) == 1 and not blocks[p.blocks[0]].gaps for p in pieces)
    if simple:
        lives = [(blocks[p.blocks[0]].life or (0, 0)) if p.size else (0, 0) for p in pieces]
        task = Task(pool, tuple(pieces), 1, lives=tuple(lives))
    else:
        task = _related(problem, pool, pieces)
    return in_units(task) if gcd else task


def _groups(blocks: Sequence[Block], members: Sequence[int]) -> list[tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for b in members:
        found.setdefault(f"g{blocks[b].group}" if blocks[b].group else f"b{b}", []).append(b)
    return [tuple(group) for group in found.values()]


def ranges(problem: ArenaProblem, b: int) -> list[Span]:
    """Bytes that a block must not touch; none for a block without bytes."""
    block = problem.blocks[b]
    if not block.size_bytes:
        return []
    return [r for r in (*problem.limits_of[block.pool].forbidden, *block.forbidden) if r[0] < r[1]]


def piece_of(problem: ArenaProblem, members: tuple[int, ...]) -> Piece:
    """Blocks at one offset, other blocks aside. Raises InputError where there is none that suits them all."""
    blocks = [problem.blocks[b] for b in members]
    pins = {block.offset for block in blocks} - {None}
    alignment = math.lcm(*(block.alignment for block in blocks))
    fixed = next(iter(pins), None)
    if len(pins) > 1 or (fixed is not None and fixed % alignment):
        raise InputError(f"group {blocks[0].group!r}: its pins and alignments allow no common offset")
    blocked = {(lo - problem.blocks[b].size_bytes, hi) for b in members for lo, hi in ranges(problem, b)}
    return Piece(members, max(block.size_bytes for block in blocks), alignment, fixed, merged(blocked))


def _related(problem: ArenaProblem, pool: str, pieces: list[Piece]) -> Task:
    """Conflicts of any kind: a relation, gaps, groups."""
    near = [0] * len(pieces)
    special: dict[tuple[int, int], tuple[Span, ...]] = {}
    for i, j, spans in _conflicts(problem, pieces):
        near[i] |= 1 << j
        near[j] |= 1 << i
        if spans != ((-pieces[j].size, pieces[i].size),) or not _wholly(problem, pieces[i], pieces[j]):
            special[i, j] = spans
    before = None
    if problem.before is not None and all(len(piece.blocks) == 1 for piece in pieces):
        before = tuple(restrict(problem.before, [piece.blocks[0] for piece in pieces])[0])
    return Task(pool, tuple(pieces), 1, near=tuple(near), special=special, before=before)


def _wholly(problem: ArenaProblem, one: Piece, two: Piece) -> bool:
    """Do two pieces in conflict lie one above the other, for a reason that a certificate can name?"""
    if problem.apart is not None:
        return True
    blocks = problem.blocks
    return any(whole_at_once(blocks[b], blocks[c]) for b in one.blocks for c in two.blocks)


def _conflicts(problem: ArenaProblem, pieces: list[Piece]) -> Iterator[tuple[int, int, tuple[Span, ...]]]:
    """(i, j, intervals) for i < j in conflict."""
    blocks = problem.blocks
    if problem.apart is not None:
        home = {b: i for i, piece in enumerate(pieces) for b in piece.blocks}
        found: dict[tuple[int, int], set[Span]] = {}
        for b, i in home.items():
            for c in bits(problem.apart[b]):
                j = home.get(c, i)
                if i < j and blocks[b].size_bytes and blocks[c].size_bytes:
                    found.setdefault((i, j), set()).add((-blocks[c].size_bytes, blocks[b].size_bytes))
        yield from ((i, j, merged(spans)) for (i, j), spans in sorted(found.items()))
        return
    sections = problem.sections
    hulls = [_hull([s for b in piece.blocks for s in sections[b]]) for piece in pieces]
    for i, mask in enumerate(overlapping(hulls)):
        for j in bits(mask >> i + 1 << i + 1):
            spans = merged(
                {
                    span
                    for b in pieces[i].blocks
                    for c in pieces[j].blocks
                    for span in meetings(sections[b], sections[c])
                }
            )
            if spans:
                yield i, j, spans


def _hull(sections: list[tuple[int, int, int, int]]) -> Span:
    return (min(s[0] for s in sections), max(s[1] for s in sections)) if sections else (0, 0)


def in_units(task: Task) -> Task:
    """The same in the largest unit that loses nothing."""
    constants = list(task.sizes)
    for piece in task.pieces:
        constants += [piece.fixed or 0, *(end for span in piece.blocked for end in span)]
    constants += [end for spans in task.special.values() for span in spans for end in span]
    unit = common_unit(constants, [piece.alignment for piece in task.pieces])
    if unit == 1:
        return task
    return replace(
        task,
        unit=task.unit * unit,
        pieces=tuple(
            Piece(
                piece.blocks,
                piece.size // unit,
                max(1, piece.alignment // unit),
                None if piece.fixed is None else piece.fixed // unit,
                tuple((lo // unit, hi // unit) for lo, hi in piece.blocked),
            )
            for piece in task.pieces
        ),
        special={pair: tuple((lo // unit, hi // unit) for lo, hi in spans) for pair, spans in task.special.items()},
    )


def common_unit(constants: Iterable[int], alignments: Iterable[int]) -> int:
    """The greatest g that divides all constants and of each alignment is a divisor or a multiple."""
    unit = math.gcd(*constants) or 1
    left = sorted(set(alignments))
    while True:
        odd = next((a for a in left if a % unit and unit % a), None)
        if odd is None:
            return unit
        unit = math.gcd(unit, odd)


# --- set aside, split --------------------------------------------------------------------------------------


def components(task: Task) -> list[list[int]]:
    """Pieces tied together by conflicts, as lists in order."""
    if task.lives is not None:
        return _interval_components(task.lives)
    left, found = (1 << len(task)) - 1, list[list[int]]()
    while left:
        part = fresh = left & -left
        while fresh:
            reached = 0
            for i in bits(fresh):
                reached |= task.neighbours[i]
            fresh = reached & ~part
            part |= fresh
        left &= ~part
        found.append(list(bits(part)))
    return found


def _interval_components(lives: Sequence[Span]) -> list[list[int]]:
    found: list[list[int]] = []
    current, end = list[int](), None
    for i in sorted(range(len(lives)), key=lambda i: lives[i]):
        lower, upper = lives[i]
        if lower == upper:
            found.append([i])
        elif end is None or lower >= end:
            current, end = [i], upper
            found.append(current)
        else:
            current.append(i)
            end = max(end, upper)
    return [sorted(part) for part in found]


def part_of(task: Task, members: Sequence[int]) -> Task:
    """The task of some of its pieces, in ascending order."""
    if len(members) == len(task):
        return task
    pieces = tuple(task.pieces[i] for i in members)
    if task.lives is not None:
        return Task(task.pool, pieces, task.unit, lives=tuple(task.lives[i] for i in members))
    place = {i: p for p, i in enumerate(members)}
    near, _ = restrict(task.neighbours, members)
    special = {(place[i], place[j]): spans for (i, j), spans in task.special.items() if i in place and j in place}
    before = None if task.before is None else tuple(restrict(task.before, members)[0])
    return Task(task.pool, pieces, task.unit, near=tuple(near), special=special, before=before)


def dominated(task: Task) -> list[Aside]:
    """Pieces that can lie where another starts (module's first lines)."""
    tied = {i for pair in task.special for i in pair}
    free = [i for i, p in enumerate(task.pieces) if p.fixed is None and not p.blocked and i not in tied]
    found: list[Aside] = []
    kept: list[int] = []
    for i in sorted(free, key=lambda i: (-task.sizes[i], -task.neighbours[i].bit_count(), i)):
        mine, near = task.pieces[i], task.neighbours[i]
        for k in kept:
            over = task.neighbours[k]
            if not near & ~over and not over >> i & 1 and task.pieces[k].alignment % mine.alignment == 0:
                found.append(Aside(i, k))
                break
        else:
            kept.append(i)
    return found


def easy(task: Task, members: Sequence[int], pool: int) -> list[Aside]:
    """Of these pieces, those that fit into a pool of `pool` units wherever the others lie; the first goes last."""
    inside = bitset_of(members)
    tied = {i for pair in task.special for i in pair}
    near = {i: task.neighbours[i] & inside for i in members}
    taken = {i: sum(task.sizes[j] for j in bits(near[i])) for i in members}  # bytes of neighbours still there
    found: list[Aside] = []
    gone: set[int] = set()
    look = sorted(members, key=lambda i: -task.sizes[i])
    while look:
        i = look.pop()
        piece = task.pieces[i]
        if i in gone or i in tied or piece.fixed is not None or piece.blocked:
            continue
        room = -(-max(0, pool - taken[i]) // (near[i].bit_count() + 1))  # of the largest gap, at least
        if room < piece.size + piece.alignment - 1:
            continue
        found.append(Aside(i, None))
        gone.add(i)
        for j in bits(near[i]):
            near[j] &= ~(1 << i)
            taken[j] -= piece.size
            look.append(j)
    return found
