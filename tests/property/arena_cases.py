"""Small random arena problems, and their minimum by brute force: every offset of every block, in bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import strategies as st

from smtalloc.packing import POOL, ArenaProblem, Block, Gap, PoolLimits, require_valid
from smtalloc.program import InputError

KINDS = ("plain", "gaps", "align", "pins", "groups", "relation", "all")


@st.composite
def blocks(draw: st.DrawFn, name: str, kind: str) -> Block:
    lower = draw(st.integers(0, 5))
    upper = lower + draw(st.integers(0, 5))
    size = draw(st.sampled_from([0, 1, 2, 3, 4, 5, 6]))
    alignment = draw(st.sampled_from([1, 1, 2, 4])) if kind in ("align", "all") else 1
    rare = st.sampled_from([False] * 5 + [True])
    gaps: tuple[Gap, ...] = ()
    if kind in ("gaps", "all") and upper - lower >= 2 and draw(st.booleans()):
        start = draw(st.integers(lower, upper - 1))
        window = None
        if draw(st.booleans()):
            low = draw(st.integers(0, size))
            window = (low, draw(st.integers(low, size)))
        gaps = (Gap(start, draw(st.integers(start + 1, upper)), window),)
    pins = kind in ("pins", "all")
    forbidden = draw(st.integers(0, 6)) if pins and draw(rare) else None
    return Block(
        name,
        size,
        alignment,
        POOL,
        (lower, upper) if kind != "relation" else None,
        gaps,
        draw(st.integers(0, 3)) * alignment if pins and draw(rare) else None,
        () if forbidden is None else ((forbidden, forbidden + draw(st.integers(0, 2))),),
        draw(st.sampled_from(["", "", "g", "h"])) if kind in ("groups", "all") else "",
    )


@st.composite
def problems(draw: st.DrawFn, kind: str | None = None, most: int = 6, capacity: bool = True) -> ArenaProblem:
    kind = kind or draw(st.sampled_from(KINDS))
    found = tuple(draw(blocks(f"b{b}", kind)) for b in range(draw(st.integers(0, most))))
    limit = draw(st.sampled_from([None, 4, 7, 10, 13])) if capacity else None
    held = ((2, 3),) if kind == "pins" and draw(st.booleans()) else ()
    problem = ArenaProblem("p", found, (PoolLimits(POOL, limit, held),))
    if kind == "relation":
        apart = [0] * len(found)
        for b in range(len(found)):
            for c in range(b):
                if draw(st.booleans()):
                    apart[b] |= 1 << c
                    apart[c] |= 1 << b
        problem = replace(problem, apart=tuple(apart))
    return problem


def makes_sense(problem: ArenaProblem) -> bool:
    """Is it valid, with a common offset for each group?"""
    try:
        require_valid(problem)
    except InputError:
        return False
    groups: dict[str, list[Block]] = {}
    for block in problem.blocks:
        if block.group:
            groups.setdefault(block.group, []).append(block)
    for members in groups.values():
        pins = {block.offset for block in members} - {None}
        step = math.lcm(*(block.alignment for block in members))
        if len(pins) > 1 or any(pin % step for pin in pins if pin is not None):
            return False
    return True


def live(block: Block, moment: int) -> range:
    """Which of its bytes are live then."""
    if block.life is None or not block.life[0] <= moment < block.life[1]:
        return range(0)
    for gap in block.gaps:
        if gap.lower <= moment < gap.upper:
            return range(*gap.window) if gap.window else range(0)
    return range(block.size_bytes)


def meet(problem: ArenaProblem, b: int, at: int, c: int, there: int) -> bool:
    """Do two placed blocks break a rule? By the definition: a byte of the pool that is live in both at one moment."""
    one, two = problem.blocks[b], problem.blocks[c]
    if one.group and one.group == two.group:
        return at != there
    if problem.apart is not None:
        apart = problem.apart[b] >> c & 1
        return bool(apart) and max(at, there) < min(at + one.size_bytes, there + two.size_bytes)
    return any(
        max(at + x.start, there + y.start) < min(at + x.stop, there + y.stop)
        for t in range(11)
        if (x := live(one, t)) and (y := live(two, t))
    )


def places(problem: ArenaProblem, b: int, pool: int) -> Iterator[int]:
    block = problem.blocks[b]
    held = (*problem.limits[0].forbidden, *block.forbidden)
    for at in range(pool - block.size_bytes + 1):
        touched = any(max(lo, at) < min(hi, at + block.size_bytes) for lo, hi in held)
        if at % block.alignment == 0 and block.offset in (None, at) and not touched:
            yield at


def fits(problem: ArenaProblem, pool: int) -> bool:
    """Brute force: is there a plan in so many bytes?"""
    order = sorted(range(len(problem.blocks)), key=lambda b: -problem.blocks[b].size_bytes)
    choices = {b: list(places(problem, b, pool)) for b in order}

    def place(n: int, placed: list[tuple[int, int]]) -> bool:
        if n == len(order):
            return True
        b = order[n]
        return any(
            not any(meet(problem, b, at, c, there) for c, there in placed) and place(n + 1, [*placed, (b, at)])
            for at in choices[b]
        )

    return place(0, [])


MOST = 44


def minimum(problem: ArenaProblem) -> int | None:
    """The least pool, whatever its capacity; None if no pool of up to MOST bytes does (then pins contradict)."""
    return next((pool for pool in range(MOST) if fits(problem, pool)), None)


HARD = ArenaProblem(
    "hard",
    tuple(
        Block(f"b{b}", size, life=life)
        for b, (size, life) in enumerate(
            [
                (3, (0, 1)),
                (3, (0, 2)),
                (2, (2, 3)),
                (1, (3, 4)),
                (1, (1, 4)),
                (1, (2, 5)),
                (2, (1, 5)),
                (1, (3, 6)),
                (2, (4, 6)),
                (3, (5, 6)),
            ]
        )
    ),
)
"""At every moment 6 bytes are live, and 7 are needed (a find of a search over problems that are full all the time)."""
