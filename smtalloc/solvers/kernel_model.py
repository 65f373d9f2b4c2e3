"""What the packing kernel computes on: a problem that was checked, without what cannot move, in units.

The kernel knows free buffers of some bytes with pieces of life, and offsets that are blocked. Everything else is turned
into that here: pins block offsets of those that they meet, a conflict graph becomes cliques that cover it, one moment
each, and all sizes are divided by what divides every one of them, and hence some optimal placement's offsets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import eq, gt

from smtalloc.bitsets import bits

LARGEST = 1 << 60
"""Of any number handed to the kernel, so that sums fit in 64 bits."""


@dataclass(frozen=True, slots=True)
class Gap:
    """During `[lower, upper)` of its life a buffer is not live at all, or occupies `window` of its bytes only.

    The column `gaps` of MiniMalloc's CSV: `lower-upper` or `lower-upper@first:last`. A window is half-open and counts
    from the buffer's offset.
    """

    lower: int
    upper: int
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Buffers to be placed in one arena; buffer j is the j-th entry of `sizes`.

    Who conflicts with whom is given by `lives` (half-open `[lower, upper)`, an empty life conflicts with nothing) or
    by `conflicts` (for each buffer the others it may not share bytes with, as any partial order gives it), not both.
    """

    sizes: Sequence[int]
    lives: Sequence[tuple[int, int]] = ()
    conflicts: Sequence[Sequence[int]] | None = None
    alignments: Sequence[int] = ()
    """One per buffer, or empty: none."""
    pinned: Mapping[int, int] = field(default_factory=dict[int, int])
    """Offset of each buffer that may not be moved."""
    forbidden: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict[int, "Sequence[tuple[int, int]]"])
    """Half-open byte ranges of the arena that a buffer may not touch at any time."""
    gaps: Mapping[int, Sequence[Gap]] = field(default_factory=dict[int, "Sequence[Gap]"])
    """Disjoint gaps of a buffer, with `lives` only."""

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True, slots=True)
class Pieces:
    """Stretches of lives as columns, by owner: `[lower, upper)` in time, and the owner's bytes that are in use then."""

    owner: Sequence[int]
    lower: Sequence[int]
    upper: Sequence[int]
    windows: Sequence[tuple[int, int]]
    """Empty if every piece is all of its owner's bytes."""

    def of(self, position: Mapping[int, int]) -> Pieces:
        """Those of some buffers, numbered anew."""
        kept = [q for q, j in enumerate(self.owner) if j in position]
        return Pieces(
            [position[self.owner[q]] for q in kept],
            [self.lower[q] for q in kept],
            [self.upper[q] for q in kept],
            [self.windows[q] for q in kept] if self.windows else (),
        )

    def window(self, q: int, sizes: Sequence[int]) -> tuple[int, int]:
        return self.windows[q] if self.windows else (0, sizes[self.owner[q]])


@dataclass(frozen=True, slots=True)
class Prepared:
    """The free part of a problem, in units of `unit` bytes. `free`: its buffers, by their number in the problem."""

    problem: Problem
    unit: int
    free: Sequence[int]
    sizes: Sequence[int]
    alignments: Sequence[int]
    blocked: Sequence[Sequence[tuple[int, int]]]
    """Open intervals of offsets, by lower end; empty if there are none at all."""
    pieces: Pieces
    floor: int
    """The highest end of a pinned buffer, in bytes."""

    def units(self, capacity: int) -> int:
        """What it leaves to the free part; negative if the pinned buffers alone are higher."""
        return min(capacity, LARGEST) // self.unit if capacity >= self.floor else -1

    def offsets(self, found: Sequence[int]) -> tuple[int, ...]:
        """A placement of the problem, in bytes, from one of the free part."""
        if len(self.free) == len(self.problem):
            return tuple([offset * self.unit for offset in found])
        offsets = [self.problem.pinned.get(j, 0) for j in range(len(self.problem))]
        for j, offset in zip(self.free, found, strict=True):
            offsets[j] = offset * self.unit
        return tuple(offsets)


def prepare(problem: Problem) -> Prepared | None:
    """None if the pinned buffers contradict the problem. Raises ValueError if it is malformed."""
    _validate(problem)
    pieces = _by_lives(problem) if problem.conflicts is None else _by_conflicts(problem.sizes, problem.conflicts)
    unit = _unit(problem, pieces)
    free: Sequence[int] = range(len(problem))
    blocked: Sequence[Sequence[tuple[int, int]]] = ()
    if problem.pinned or problem.forbidden or 0 in problem.sizes:
        if _pins_clash(problem, pieces):
            return None
        free = [j for j, size in enumerate(problem.sizes) if size and j not in problem.pinned]
        ranges = _blocked(problem, pieces)
        if ranges:
            blocked = [sorted((low // unit, high // unit) for low, high in ranges.get(j, ())) for j in free]
        pieces = pieces.of({j: position for position, j in enumerate(free)})
    aligned = any(unit % alignment for alignment in problem.alignments)
    return Prepared(
        problem,
        unit,
        free,
        [problem.sizes[j] // unit for j in free],
        [max(1, problem.alignments[j] // unit) for j in free] if aligned else (),
        blocked,
        replace(pieces, windows=[(low // unit, high // unit) for low, high in pieces.windows]),
        max((at + problem.sizes[j] for j, at in problem.pinned.items()), default=0),
    )


def _require(ok: bool, what: str) -> None:
    if not ok:
        raise ValueError(what)


def _validate(problem: Problem) -> None:
    sizes, n = problem.sizes, len(problem)
    _require(min(sizes, default=0) >= 0, "a size is negative")
    _require(sum(sizes) < LARGEST, "sizes sum to more than 2**60 bytes")
    _require(len(problem.alignments) in {0, n}, "one alignment per buffer")
    fit = all(1 <= alignment <= LARGEST // (n + 1) for alignment in problem.alignments)
    _require(fit, "alignments must be positive, and small enough to add up")
    named = (*problem.pinned, *problem.forbidden, *problem.gaps)
    _require(all(0 <= j < n for j in named), "no such buffer")
    _require(all(0 <= at < LARGEST for at in problem.pinned.values()), "pinned offsets must be from 0 to 2**60")
    ranges = (found for several in problem.forbidden.values() for found in several)
    _require(all(0 <= low <= high < LARGEST for low, high in ranges), "forbidden ranges must be from 0 to 2**60")
    if problem.conflicts is None:
        _require(len(problem.lives) == n, "one life per buffer")
        return
    _require(not problem.lives and not problem.gaps, "conflicts stand instead of lives and gaps")
    _require(len(problem.conflicts) == n, "one list of conflicts per buffer")
    _require(all(0 <= k < n for others in problem.conflicts for k in others), "no such buffer")
    _require(not any(j in others for j, others in enumerate(problem.conflicts)), "a buffer conflicts with itself")


def _by_lives(problem: Problem) -> Pieces:
    if not problem.lives:
        return Pieces((), (), (), ())
    lower, upper = zip(*problem.lives, strict=True)
    _require(not any(map(gt, lower, upper)), "a life ends before it begins")
    _require(min(lower) > -LARGEST and max(upper) < LARGEST, "times must be below 2**60")
    if not problem.gaps and not any(map(eq, lower, upper)):
        return Pieces(range(len(problem)), lower, upper, ())
    rows: list[tuple[int, int, int, tuple[int, int]]] = []
    alone = max(upper)
    for j, size in enumerate(problem.sizes):
        found = [row for row in _cut(lower[j], upper[j], size, problem.gaps.get(j, ())) if row[0] < row[1]]
        if not found:  # never live, but it needs a place: at a moment of its own
            found, alone = [(alone, alone + 1, (0, size))], alone + 1
        rows += [(j, start, end, window) for start, end, window in found]
    windows = [row[3] for row in rows] if any(row[3] != (0, problem.sizes[row[0]]) for row in rows) else ()
    return Pieces([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows], windows)


def _cut(at: int, end: int, size: int, gaps: Sequence[Gap]) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """A life without its gaps, and the windows in them."""
    for gap in sorted(gaps, key=lambda gap: gap.lower):
        inside = at <= gap.lower < gap.upper <= end
        _require(inside, "gaps lie within the life, disjoint and not empty")
        first, last = gap.window or (0, 0)
        _require(0 <= first <= last <= size, "a window lies within its buffer")
        yield at, gap.lower, (0, size)
        if first < last:
            yield gap.lower, gap.upper, (first, last)
        at = gap.upper
    yield at, end, (0, size)


def _by_conflicts(sizes: Sequence[int], conflicts: Sequence[Sequence[int]]) -> Pieces:
    """Each clique is a moment. In the order of their mean members, so that neighbouring ones have much in common."""
    found = sorted(_cliques(sizes, conflicts), key=lambda clique: sum(clique) / len(clique))
    rows: list[list[int]] = []
    for j, moment in sorted((j, moment) for moment, clique in enumerate(found) for j in clique):
        if rows and rows[-1][0] == j and rows[-1][2] == moment:
            rows[-1][2] += 1
        else:
            rows.append([j, moment, moment + 1])
    return Pieces([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows], ())


def _cliques(sizes: Sequence[int], conflicts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Cliques that cover every conflict: from each uncovered one, grown by the heaviest common neighbours."""
    n = len(sizes)
    heavy = sorted(range(n), key=lambda j: -sizes[j])
    rank = {j: position for position, j in enumerate(heavy)}
    related = [0] * n  # by rank, so that the lowest bit is the heaviest
    for j, others in enumerate(conflicts):
        for k in others:
            related[rank[j]] |= 1 << rank[k]
            related[rank[k]] |= 1 << rank[j]
    uncovered = related.copy()
    for v in range(n):
        if not related[v]:
            yield [heavy[v]]
        while uncovered[v]:
            wanted, common, clique = uncovered[v], related[v], 1 << v
            while common:
                lowest = wanted & -wanted
                clique |= lowest
                common &= related[lowest.bit_length() - 1]
                wanted = common
            members = list(bits(clique))
            for u in members:
                uncovered[u] &= ~clique
            yield [heavy[u] for u in members]


def _unit(problem: Problem, pieces: Pieces) -> int:
    """What divides every size, pin, range and window, and may divide offsets therefore."""
    ends = [end for several in problem.forbidden.values() for found in several for end in found]
    ends += [end for window in pieces.windows for end in window]
    unit = math.gcd(*problem.sizes, *problem.pinned.values(), *ends) or 1
    # An alignment that divides the unit is met by every sum of sizes; otherwise it takes part in the unit.
    if any(unit % alignment for alignment in problem.alignments):
        unit = math.gcd(unit, *(alignment for alignment in problem.alignments if alignment > 1))
    return unit


def _pins_clash(problem: Problem, pieces: Pieces) -> bool:
    """Whether the pinned buffers alone contradict the problem."""
    sizes, pinned = problem.sizes, problem.pinned
    if problem.alignments and any(at % problem.alignments[j] for j, at in pinned.items()):
        return True
    for j, at in pinned.items():
        if any(
            low < at + sizes[j] and at < high and low < high for low, high in problem.forbidden.get(j, ()) if sizes[j]
        ):
            return True
    fixed = [q for q, j in enumerate(pieces.owner) if j in pinned and sizes[j]]
    for q in fixed:
        for p in _met(pieces, q, fixed):
            low, high = _apart(problem, pieces, p, q)
            if low < pinned[pieces.owner[q]] < high:
                return True
    return False


def _met(pieces: Pieces, q: int, among: Sequence[int]) -> Iterator[int]:
    """The pieces of others that are live at some moment of this one."""
    lower, upper, owner = pieces.lower[q], pieces.upper[q], pieces.owner[q]
    return (p for p in among if pieces.lower[p] < upper and lower < pieces.upper[p] and pieces.owner[p] != owner)


def _apart(problem: Problem, pieces: Pieces, fixed: int, q: int) -> tuple[int, int]:
    """The open interval of offsets at which piece q meets a piece of a pinned buffer."""
    at = problem.pinned[pieces.owner[fixed]]
    bottom, top = pieces.window(q, problem.sizes)
    low, high = pieces.window(fixed, problem.sizes)
    return at + low - top, at + high - bottom


def _blocked(problem: Problem, pieces: Pieces) -> dict[int, set[tuple[int, int]]]:
    """Of each free buffer, the open intervals of offsets that forbidden ranges and pinned buffers leave no room at."""
    found: dict[int, set[tuple[int, int]]] = {}
    sizes = problem.sizes
    for j, several in problem.forbidden.items():
        found.setdefault(j, set()).update((low - sizes[j], high) for low, high in several if low < high)
    free = [q for q, j in enumerate(pieces.owner) if j not in problem.pinned]
    for fixed, j in enumerate(pieces.owner):
        if j in problem.pinned and sizes[j]:
            for q in _met(pieces, fixed, free):
                found.setdefault(pieces.owner[q], set()).add(_apart(problem, pieces, fixed, q))
    return found
