"""The independent checker of lower bounds on arenas (docs/certificates.md says why each proves what it does)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import gcd, lcm, prod

from smtalloc.check_chains import chains_flaw
from smtalloc.check_refutation import refutation_flaw
from smtalloc.packing import ArenaProblem, Block
from smtalloc.plan import ChainRefutation, PoolBound, Reach, Refutation, Stack

_MOST_SETS = 100_000


def bound_flaw(problem: ArenaProblem, bound: PoolBound) -> str:
    """Why the evidence does not show that the pool needs `bound_bytes`; empty if it does."""
    evidence = bound.evidence
    blocks = (evidence.block,) if isinstance(evidence, Reach) else evidence.blocks
    misnamed = _misnamed(problem, bound.pool, blocks)
    if misnamed:
        return misnamed
    match evidence:
        case Reach(block):
            shown = _highest_start(problem, block) + problem.blocks[block].size_bytes
        case Stack(_, moment) if moment is None:
            stranger = _not_apart(problem, blocks)
            if stranger:
                return stranger
            shown = _stacked([problem.blocks[b] for b in blocks])
        case Stack(_, moment):
            if problem.apart is not None:
                return "the evidence speaks of a moment, but the problem has none"
            groups = [problem.blocks[b].group for b in blocks if problem.blocks[b].group]
            if len(set(groups)) < len(groups):
                return "the evidence counts two blocks of one group, which may lie on each other"
            assert moment is not None  # the case above
            shown = sum(_live_at(problem.blocks[b], moment) for b in blocks)
        case Refutation():
            return refutation_flaw(problem, evidence, bound.bound_bytes)
        case ChainRefutation():
            return chains_flaw(problem, evidence, bound.bound_bytes)
    if shown < bound.bound_bytes:
        return f"the evidence shows that {shown} bytes are needed, not {bound.bound_bytes}"
    return ""


def _misnamed(problem: ArenaProblem, pool: str, blocks: Sequence[int]) -> str:
    """What is wrong with the names of the blocks; empty if nothing is."""
    if len(set(blocks)) < len(blocks):
        return "the evidence names a block twice"
    for b in blocks:
        if not 0 <= b < len(problem.blocks):
            return f"the evidence names a block {b} that does not exist"
        if problem.blocks[b].pool != pool:
            return f"the evidence names {problem.blocks[b].name}, which is not of this pool"
    return ""


def _stacked(blocks: Sequence[Block]) -> int:
    """The least height of blocks one above the other, or a bound on it where there are too many ways to stack them.

    Blocks whose size is a multiple of every alignment only lift the others, which can be lowered by as much without
    them. Of the rest every set has a least height: some block is topmost, on the least stack of the others. Where that
    is too much to compute, all starts are multiples of a common divisor of the alignments, so every block but the
    topmost ends where the next multiple of it is. A block that is pinned at offset 0 is the lowest.
    """
    floor = max((block.size_bytes for block in blocks if block.offset == 0), default=0)
    solid = [block for block in blocks if block.size_bytes > 0 and block.offset != 0]
    if not solid:
        return floor
    every = lcm(*(block.alignment for block in solid))
    lifting = [block for block in solid if block.size_bytes % every == 0]
    kinds = Counter((block.size_bytes, block.alignment) for block in solid if block.size_bytes % every)
    lift = sum(block.size_bytes for block in lifting)
    if prod(count + 1 for count in kinds.values()) <= _MOST_SETS:
        return lift + _least_height(kinds, floor)
    step = gcd(*(block.alignment for block in solid))
    padded = [block.size_bytes + -block.size_bytes % step for block in solid]
    return floor + sum(padded) - max(-block.size_bytes % step for block in solid)


def _least_height(kinds: Counter[tuple[int, int]], floor: int) -> int:
    """By sets of growing size, as counts per kind, from the floor up."""
    order = list(kinds)
    heights: dict[tuple[int, ...], int] = {(0,) * len(order): floor}
    for _ in range(sum(kinds.values())):
        larger: dict[tuple[int, ...], int] = {}
        for used, height in heights.items():
            for n, (size, alignment) in enumerate(order):
                if used[n] < kinds[order[n]]:
                    more = (*used[:n], used[n] + 1, *used[n + 1 :])
                    top = height + -height % alignment + size
                    larger[more] = min(top, larger.get(more, top))
        heights = larger
    return next(iter(heights.values()))


def _not_apart(problem: ArenaProblem, blocks: Sequence[int]) -> str:
    """Two of the blocks that might have a byte in common, as a sentence; empty if there are none."""
    if problem.apart is None and _hold_one_moment(problem, blocks):
        return ""
    for n, b in enumerate(blocks):
        for c in blocks[:n]:
            if not _whole_conflict(problem, b, c):
                one, two = problem.blocks[c].name, problem.blocks[b].name
                return f"{one} and {two} are said to lie apart, but they may have bytes in common"
    return ""


def _hold_one_moment(problem: ArenaProblem, blocks: Sequence[int]) -> bool:
    """Lives without gaps or groups that all hold one moment: then every two do."""
    found = [problem.blocks[b] for b in blocks]
    lives = [block.life for block in found if block.life is not None]
    if len(found) < 2 or any(block.gaps or block.group for block in found) or len(lives) < len(found):
        return len(found) < 2
    return max(lower for lower, _ in lives) < min(upper for _, upper in lives)


def _whole_conflict(problem: ArenaProblem, b: int, c: int) -> bool:
    """Are both wholly live at some moment (or apart by the relation), and not of one group? (No bytes: no matter.)"""
    one, two = problem.blocks[b], problem.blocks[c]
    if one.group and one.group == two.group:
        return False
    if not one.size_bytes or not two.size_bytes:
        return True
    if problem.apart is not None:
        return bool(problem.apart[b] >> c & 1)
    moments = {t for block in (one, two) if block.life for t in (block.life[0], *(gap.upper for gap in block.gaps))}
    return any(_live_at(one, t) == one.size_bytes and _live_at(two, t) == two.size_bytes for t in moments)


def _live_at(block: Block, moment: int) -> int:
    """How many bytes of it are live then."""
    if block.life is None or not block.life[0] <= moment < block.life[1]:
        return 0
    for gap in block.gaps:
        if gap.lower <= moment < gap.upper:
            return 0 if gap.window is None else gap.window[1] - gap.window[0]
    return block.size_bytes


def _highest_start(problem: ArenaProblem, b: int) -> int:
    """The offset below which a block cannot lie, other blocks aside: its pin, or the first place that is allowed.

    Each step leaves a place only because it is misaligned, or because every place up to the end of the range that is
    touched touches it too.
    """
    block = problem.blocks[b]
    if block.offset is not None:
        return block.offset
    held = [span for limits in problem.limits if limits.name == block.pool for span in limits.forbidden]
    held += block.forbidden
    at = 0
    while True:
        at += -at % block.alignment
        ends = [hi for lo, hi in held if max(lo, at) < min(hi, at + block.size_bytes)]
        if not ends:
            return at
        at = max(ends)
