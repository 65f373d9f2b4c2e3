"""Arena problems: blocks of bytes that want offsets in pools. Plain values; program.py and plan.py are all they need.

A block is what MiniMalloc calls a buffer. Two blocks of one pool must not meet: at no moment may a byte of the pool be
live in both. Which moments those are is said in one of two ways:

- by lives, half-open intervals `[lower, upper)` of any clock, with *gaps* in which nothing, or only a *window* of the
  block's bytes, is live;
- by a relation (`ArenaProblem.apart`), for lives that are no intervals: happens-before is a partial order.

        pool    |      +--------+                         offset of b .. offset of b + size of b
        bytes   |  +---+  b     |
                |  | a |        |        the window of a gap of a: the bytes that stay live in it
                |  |   +--+.....|
                +------------------> time
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from smtalloc.program import InputError

Span = tuple[int, int]
"""Half-open, `lo` included and `hi` not: bytes or moments."""


POOL = "pool"
"""The pool where none is named."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Moments `[lower, upper)` of a life in which only the bytes `window` of the block are live (None: none)."""

    lower: int
    upper: int
    window: Span | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Bytes that are live together, and where they may lie. Everything is in bytes, offsets count from the pool's
    start.

    A block without life (None, or lower = upper) or without bytes meets nothing, but must still lie inside its pool.
    """

    name: str
    size_bytes: int
    alignment: int = 1
    """The offset is a multiple of it. Any positive number; MLIR has powers of two."""
    pool: str = POOL
    life: Span | None = None
    gaps: tuple[Gap, ...] = ()
    """In order, disjoint, inside the life; windows inside the block."""
    offset: int | None = None
    """Pinned there."""
    forbidden: tuple[Span, ...] = ()
    """Bytes of the pool that the block must not touch."""
    group: str = ""
    """Blocks with one non-empty group start at one offset (must alias) and may meet each other."""
    hint: int | None = None
    """Where it might go; no more than a proposal."""

    def sections(self) -> list[tuple[int, int, int, int]]:
        """(from, to, low byte, high byte) of what is live when, in order of time; empty sections are left out."""
        if self.life is None or not self.size_bytes:
            return []
        found: list[tuple[int, int, int, int]] = []
        at, end = self.life
        for gap in self.gaps:
            found.append((at, gap.lower, 0, self.size_bytes))
            if gap.window is not None:
                found.append((gap.lower, gap.upper, *gap.window))
            at = gap.upper
        found.append((at, end, 0, self.size_bytes))
        return [s for s in found if s[0] < s[1] and s[2] < s[3]]


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """What holds for a whole pool: its capacity in bytes (None: any), bytes that nothing may touch."""

    name: str
    capacity_bytes: int | None = None
    forbidden: tuple[Span, ...] = ()


@dataclass(frozen=True)
class ArenaProblem:
    """Blocks and pools. `apart` has a bitset per block of those that it must not meet (symmetric); None: by lives.

    `before`, where it is known, is a strict partial order in which two blocks of one pool may meet iff one is before
    the other (bitset per block). It says nothing new, but finds the largest sets that must not meet (Dilworth).
    """

    name: str
    blocks: tuple[Block, ...]
    limits: tuple[PoolLimits, ...] = ()
    apart: tuple[int, ...] | None = None
    before: tuple[int, ...] | None = None

    @cached_property
    def pools(self) -> dict[str, tuple[int, ...]]:
        """Pool -> its blocks (indices), in order of first mention."""
        found: dict[str, list[int]] = {}
        for b, block in enumerate(self.blocks):
            found.setdefault(block.pool, []).append(b)
        return {pool: tuple(members) for pool, members in found.items()}

    @cached_property
    def limits_of(self) -> dict[str, PoolLimits]:
        """For every pool that has blocks."""
        given = {limits.name: limits for limits in self.limits}
        return {pool: given.get(pool, PoolLimits(pool)) for pool in self.pools}

    @cached_property
    def sections(self) -> tuple[list[tuple[int, int, int, int]], ...]:
        """Those of each block."""
        return tuple(block.sections() for block in self.blocks)


def require_valid(problem: ArenaProblem) -> None:
    """Raise InputError, naming the block, where a problem makes no sense."""
    names: set[str] = set()
    groups: dict[str, Block] = {}
    for block in problem.blocks:
        reason = "its name occurs twice" if block.name in names else _flaw(block)
        first = groups.setdefault(block.group, block) if block.group else block
        if first.pool != block.pool:
            reason = f"its group {block.group!r} is in two pools"
        if reason:
            raise InputError(f"block {block.name!r}: {reason}")
        names.add(block.name)
    pools: set[str] = set()
    for limits in problem.limits:
        if limits.name in pools:
            raise InputError(f"pool {limits.name!r}: its limits are given twice")
        pools.add(limits.name)
        if any(lo < 0 or lo > hi for lo, hi in limits.forbidden):
            raise InputError(f"pool {limits.name!r}: a forbidden range is not [lo, hi) with 0 <= lo <= hi")


def _flaw(block: Block) -> str:
    if block.size_bytes < 0:
        return "its size is negative"
    if block.alignment < 1:
        return "its alignment is not positive"
    if block.life is not None and block.life[0] > block.life[1]:
        return f"it ends at {block.life[1]}, before it starts at {block.life[0]}"
    if block.offset is not None and (block.offset < 0 or block.offset % block.alignment):
        return f"it is pinned at {block.offset}, which is no offset of alignment {block.alignment}"
    if any(lo < 0 or lo > hi for lo, hi in block.forbidden):
        return "a forbidden range is not [lo, hi) with 0 <= lo <= hi"
    return _gap_flaw(block)


def _gap_flaw(block: Block) -> str:
    at, end = block.life or (0, 0)
    for gap in block.gaps:
        if not at <= gap.lower <= gap.upper <= end:
            return f"the gap {gap.lower}-{gap.upper} is outside its life, or before the end of the gap before it"
        if gap.window is not None and not 0 <= gap.window[0] <= gap.window[1] <= block.size_bytes:
            return f"the window {gap.window[0]}:{gap.window[1]} is not inside its {block.size_bytes} bytes"
        at = gap.upper
    return ""


def meetings(one: list[tuple[int, int, int, int]], two: list[tuple[int, int, int, int]]) -> tuple[Span, ...]:
    """For two lists of sections, the differences "offset of two - offset of one" at which some byte is live in both.

    As open intervals `(lo, hi)`: `lo < difference < hi` is wrong. Sorted; overlapping ones are merged, those that only
    touch are not (`(0, 2)` and `(2, 4)` leave 2).
    """
    found: set[Span] = set()
    i = j = 0
    while i < len(one) and j < len(two):
        a, b = one[i], two[j]
        if a[0] < b[1] and b[0] < a[1]:
            found.add((a[2] - b[3], a[3] - b[2]))
        if a[1] <= b[1]:
            i += 1
        else:
            j += 1
    return merged(found)


def meetings_of(problem: ArenaProblem, b: int, c: int) -> tuple[Span, ...]:
    """`meetings` of two blocks of one pool, by their lives or the relation; blocks of one group may meet anywhere."""
    one, two = problem.blocks[b], problem.blocks[c]
    if one.group and one.group == two.group:
        return ()
    if problem.apart is None:
        return meetings(problem.sections[b], problem.sections[c])
    if not problem.apart[b] >> c & 1 or not one.size_bytes or not two.size_bytes:
        return ()
    return ((-two.size_bytes, one.size_bytes),)


def whole_at_once(one: Block, two: Block) -> bool:
    """Is there a moment at which every byte of both is live? (`meetings` may add up to as much without one.)"""
    mine = [s for s in one.sections() if s[2:] == (0, one.size_bytes)]
    theirs = [s for s in two.sections() if s[2:] == (0, two.size_bytes)]
    return any(a[0] < b[1] and b[0] < a[1] for a in mine for b in theirs)


def merged(intervals: set[Span]) -> tuple[Span, ...]:
    """Open intervals whose union is the same, pairwise without a common point, in order."""
    result: list[Span] = []
    for lo, hi in sorted(intervals):
        if result and lo < result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], hi))
        elif lo < hi:
            result.append((lo, hi))
    return tuple(result)
