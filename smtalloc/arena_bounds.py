"""Lower bounds on arenas: the heaviest set of blocks that lie one above the other, and places that are too high.

- by lives: the heaviest moment, by a sweep;
- by a partial order: the heaviest antichain, as a minimum cut (Dilworth's theorem with weights: with a copy of each
  element per byte it is Fulkerson's reduction, and equal copies make a transport problem of it);
- else: the best of some maximal cliques, a bound that may be loose.

Alignment counts where it provably does: small sets are stacked in the best order; of others, if all alignments are
multiples of g, each block but the topmost takes its size rounded up to g.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from smtalloc.arena_tasks import Task, piece_of
from smtalloc.bitsets import bits
from smtalloc.packing import ArenaProblem, Span
from smtalloc.plan import PoolBound, Reach, Stack

_MOST_STACKS = 20_000
"""Sets of blocks up to which the lowest stack is computed exactly; the checker allows more."""
_MOST_MOMENTS = 400


def rounded(size: int, step: int) -> int:
    return -(-size // step) * step


def stack_height(parts: Iterable[tuple[int, int]], bottom: int = 0) -> int:
    """How many bytes a stack of (size, alignment) needs at least: exactly, where that is quick to see.

    It stands on `bottom` bytes (a block that is pinned at offset 0). A block whose size is a multiple of all alignments
    only shifts what lies above it. For the rest, the lowest stack of a set is one of a smaller set with one block on
    it, as low as that allows; equal blocks make few sets.
    """
    found = Counter((size, alignment) for size, alignment in parts if size)
    common = math.lcm(*(alignment for _, alignment in found))
    shifting = sum(size * count for (size, _), count in found.items() if size % common == 0)
    rest = [(size, alignment, count) for (size, alignment), count in found.items() if size % common]
    if math.prod(count + 1 for _, _, count in rest) <= _MOST_STACKS:
        return shifting + _lowest_stack(rest, bottom)
    step = math.gcd(*(alignment for _, alignment in found)) or 1
    slack = max((rounded(size, step) - size for size, _ in found), default=0)
    return bottom + sum(rounded(size, step) * count for (size, _), count in found.items()) - slack


def _lowest_stack(kinds: Sequence[tuple[int, int, int]], bottom: int) -> int:
    """Of (size, alignment, count): the lowest height over all orders, for each smaller number of each kind first."""
    strides = [1]
    for _, _, count in kinds:
        strides.append(strides[-1] * (count + 1))
    height = [bottom] * strides[-1]
    for state in range(1, strides[-1]):
        best = -1
        for (size, alignment, count), stride in zip(kinds, strides, strict=False):
            if state // stride % (count + 1):
                top = rounded(height[state - stride], alignment) + size
                best = top if best < 0 or top < best else best
        height[state] = best
    return height[-1]


@dataclass(frozen=True)
class Heaviest:
    """A set of pieces that lie one above the other, and the units that it needs."""

    pieces: tuple[int, ...]
    units: int


def heaviest(task: Task) -> Heaviest:
    """The best set that is found; a largest one for lives and orders (alignment aside)."""
    step = math.gcd(*(piece.alignment for piece in task.pieces)) or 1
    found = [_heaviest(task, [rounded(size, step) for size in task.sizes])]
    if step > 1:  # the topmost block is not rounded: another set may be better
        found.append(_heaviest(task, task.sizes))
    if any(piece.alignment > 1 for piece in task.pieces):
        if task.lives is not None and len(task) <= _MOST_MOMENTS:
            found += _moments(task.lives)
        widest = max(piece.alignment for piece in task.pieces)
        found.append(_heaviest(task, [rounded(size, widest) for size in task.sizes]))
    return max((_measured(task, members) for members in found), key=lambda h: h.units)


def _measured(task: Task, members: Sequence[int]) -> Heaviest:
    pieces = [task.pieces[i] for i in members]
    low = [piece.size for piece in pieces if piece.fixed == 0]
    above = [(piece.size, piece.alignment) for piece in pieces if piece.fixed != 0]
    return Heaviest(tuple(sorted(members)), stack_height(above, max(low, default=0)))


def _heaviest(task: Task, weights: Sequence[int]) -> list[int]:
    if task.lives is not None:
        return heaviest_moment(task.lives, weights)
    if task.before is not None and not task.special:
        return heaviest_antichain(task.before, weights)
    return max(_cliques(task, weights), key=lambda clique: sum(weights[i] for i in clique), default=list[int]())


def heaviest_moment(lives: Sequence[Span], weights: Sequence[int]) -> list[int]:
    """Intervals that hold one moment, with the largest weight."""
    best, moment, load = -1, 0, 0
    ends: list[tuple[int, int]] = []
    for i in sorted(range(len(lives)), key=lambda i: lives[i][0]):
        lower, upper = lives[i]
        while ends and ends[0][0] <= lower:
            load -= weights[heapq.heappop(ends)[1]]
        if lower < upper:
            heapq.heappush(ends, (upper, i))
            load += weights[i]
            if load > best:
                best, moment = load, lower
    found = [i for i, (lower, upper) in enumerate(lives) if lower <= moment < upper]
    lone = max(range(len(lives)), key=lambda i: weights[i], default=None)  # without a life it still needs its bytes
    return found if lone is None or (found and best >= weights[lone]) else [lone]


def _moments(lives: Sequence[Span]) -> Iterator[list[int]]:
    """What is live at each moment at which something starts and the next event is an end: the maximal sets."""
    starts = sorted({lower for lower, upper in lives if lower < upper})
    ends = sorted({upper for lower, upper in lives if lower < upper})
    for n, moment in enumerate(starts):
        following = starts[n + 1] if n + 1 < len(starts) else None
        if following is None or any(moment < end <= following for end in ends):
            yield [i for i, (lower, upper) in enumerate(lives) if lower <= moment < upper]


def _cliques(task: Task, weights: Sequence[int]) -> Iterator[list[int]]:
    """Maximal cliques without special pairs, grown greedily around each of the heaviest pieces."""
    tied = [0] * len(task)
    for i, j in task.special:
        tied[i] |= 1 << j
        tied[j] |= 1 << i
    order = sorted(range(len(task)), key=lambda i: -weights[i])
    for first in order[:200]:
        able = task.neighbours[first] & ~tied[first]
        clique = [first]
        while able:
            following = max(bits(able), key=lambda i: (weights[i], task.neighbours[i].bit_count(), -i))
            clique.append(following)
            able &= task.neighbours[following] & ~tied[following]
        yield clique


# --- antichains --------------------------------------------------------------------------------------------


class _Transport:
    """The largest flow from elements (left copies) to later ones (right copies), each with its weight as capacity."""

    def __init__(self, before: Sequence[int], weights: Sequence[int]) -> None:
        self.before = before
        self.left, self.right = list(weights), list(weights)  # capacity left over
        self.into: list[dict[int, int]] = [{} for _ in weights]  # per right copy: left copy -> flow
        self.open = 0
        for i, weight in enumerate(weights):
            self.open |= bool(weight) << i

    def run(self) -> int:
        """Push all that fits; the bitset of a heaviest antichain."""
        for i, row in enumerate(self.before):  # greedily first: most of the flow
            for j in bits(row & self.open):
                if not self.left[i]:
                    break
                self._push([(i, j)], min(self.left[i], self.right[j]))
        while True:
            path = self._path()
            if isinstance(path, int):
                return path
            amount = min(self.left[path[0][0]], self.right[path[-1][1]])
            for (_, j), (i, _) in pairwise(path):
                amount = min(amount, self.into[j][i])
            self._push(path, amount)

    def _push(self, path: Sequence[tuple[int, int]], amount: int) -> None:
        """Along left-right edges; between two of them flow is taken back."""
        self.left[path[0][0]] -= amount
        last = path[-1][1]
        self.right[last] -= amount
        if not self.right[last]:
            self.open &= ~(1 << last)
        for i, j in path:
            self.into[j][i] = self.into[j].get(i, 0) + amount
        for (_, j), (i, _) in pairwise(path):
            self.into[j][i] -= amount
            if not self.into[j][i]:
                del self.into[j][i]

    def _path(self) -> list[tuple[int, int]] | int:
        """A shortest path with room, or, where there is none, the antichain of the minimum cut."""
        queue = deque(i for i, room in enumerate(self.left) if room)
        from_right = dict.fromkeys(queue, -1)
        seen, parent = 0, dict[int, int]()
        while queue:
            i = queue.popleft()
            reached = self.before[i] & ~seen
            if hit := reached & self.open:
                j = (hit & -hit).bit_length() - 1
                path = [(i, j)]
                while from_right[path[-1][0]] >= 0:
                    right = from_right[path[-1][0]]
                    path.append((parent[right], right))
                return path[::-1]
            seen |= reached
            for j in bits(reached):
                parent[j] = i
                for back in self.into[j]:
                    if back not in from_right:
                        from_right[back] = j
                        queue.append(back)
        return sum(1 << i for i in from_right) & ~seen


def heaviest_antichain(before: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Elements of a strict partial order (bitset of later ones per element), no two comparable, of largest weight."""
    return list(bits(_Transport(before, weights).run()))


# --- evidence ----------------------------------------------------------------------------------------------


def stack_bound(problem: ArenaProblem, task: Task, found: Heaviest) -> PoolBound:
    """As evidence about blocks. The pieces have one block each (`block_pairs_only`)."""
    blocks = tuple(sorted(task.pieces[i].blocks[0] for i in found.pieces))
    return PoolBound(task.pool, blocks_height(problem, blocks), Stack(blocks))


def blocks_height(problem: ArenaProblem, blocks: Sequence[int]) -> int:
    """What blocks that lie one above the other need at least, in bytes."""
    found = [problem.blocks[b] for b in blocks]
    bottom = max((block.size_bytes for block in found if block.offset == 0), default=0)
    return stack_height(((block.size_bytes, block.alignment) for block in found if block.offset != 0), bottom)


def pool_bounds(problem: ArenaProblem, task: Task) -> Iterator[PoolBound]:
    """Bounds of a whole pool that are not about cliques of pieces: the largest block, high places, moments."""
    members = problem.pools[task.pool]
    for piece in task.pieces:
        for b in piece.blocks:
            yield PoolBound(task.pool, problem.blocks[b].size_bytes, Stack((b,)))
        if piece.lowest:
            tops = {b: piece_of(problem, (b,)).lowest + problem.blocks[b].size_bytes for b in piece.blocks}
            b = max(tops, key=lambda b: (tops[b], -b))
            yield PoolBound(task.pool, tops[b], Reach(b))
    if problem.apart is None and any(problem.blocks[b].gaps or problem.blocks[b].group for b in members):
        yield _heaviest_sections(problem, task.pool)


def _heaviest_sections(problem: ArenaProblem, pool: str) -> PoolBound:
    """Where lives have gaps: the moment at which most bytes are live, one block of each group."""
    sections = {b: problem.sections[b] for b in problem.pools[pool]}
    best = PoolBound(pool, 0, Stack(()))
    for moment in sorted({s[0] for found in sections.values() for s in found}):
        live: dict[str, tuple[int, int]] = {}
        for b, found in sections.items():
            for start, end, lo, hi in found:
                if start <= moment < end:
                    key = problem.blocks[b].group or f" {b}"
                    live[key] = max(live.get(key, (0, b)), (hi - lo, b))
        load = sum(size for size, _ in live.values())
        if load > best.bound_bytes:
            best = PoolBound(pool, load, Stack(tuple(sorted(b for _, b in live.values())), moment))
    return best


def fewest_members(lives: Sequence[Span], sizes: Sequence[int], capacity: int) -> list[int]:
    """Of the intervals that hold one moment, the fewest whose sizes exceed the capacity; empty if none do."""
    best: list[int] = []
    live: set[int] = set()
    events = sorted((moment, kind, i) for i, life in enumerate(lives) for kind, moment in ((1, life[0]), (0, life[1])))
    for _, kind, i in events:
        if not kind:
            live.discard(i)
            continue
        if lives[i][0] == lives[i][1]:
            continue
        live.add(i)
        chosen, total = list[int](), 0
        for j in sorted(live, key=lambda j: (-sizes[j], j)):
            chosen.append(j)
            total += sizes[j]
            if total > capacity or (best and len(chosen) >= len(best)):
                break
        if total > capacity and (not best or len(chosen) < len(best)):
            best = chosen
    return best
