"""Slots of run-time size in pools, against plain numbers: at every point of the bounds nothing meets, everything fits,
is aligned, and is below 2^63; and what the checker accepts is so as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from smtalloc.arena_tails import PoolBlocks, tails
from smtalloc.check_tails import TailRules, tail_flaw
from smtalloc.plan import Arena, Pool, Slots, Tail
from smtalloc.program import Buffer, Dimension, Program
from smtalloc.symbolic import Polynomial, ceildiv, constant, maximum, symbol

N, M = symbol("%n"), symbol("%m")
FORMS: list[Polynomial] = [
    N * 4,
    M * 12,
    N * M * 4,
    N * 64 + M,
    ceildiv(N * 3, 8),
    maximum(N * 2, M * 3) + 5,
    N * 4 - M * 4,  # may be negative
    N * N * M * 8,
]


@st.composite
def programs(draw: st.DrawFn) -> tuple[Program, int]:
    """One block of known size, and buffers of run-time size in slots of their own; the bytes of the block."""
    most = draw(st.sampled_from([3, 100, 1 << 20, (1 << 31) - 1]))
    dimensions = (Dimension("%n", draw(st.sampled_from([0, 0, 2])), most), Dimension("%m", 0, most))
    static = draw(st.integers(0, 200))
    alignments = st.sampled_from([1, 4, 64])
    buffers = [Buffer("%k", static, draw(alignments), made_at=draw(st.integers(0, 6)))]
    for number in range(draw(st.integers(1, 5))):
        made = draw(st.integers(0, 6))
        buffers.append(
            Buffer(
                f"%b{number}",
                None,
                draw(alignments),
                size_key="k",
                size=draw(st.sampled_from(FORMS)),
                made_at=made,
                sized_at=draw(st.integers(0, made)),
            )
        )
    return Program("f", tuple(buffers), (), dimensions=dimensions), static


def rules(program: Program) -> TailRules:
    return TailRules(program, ["pool"] * len(program.buffers), [0], {}, get_pool=False)


def arena(static: int) -> Arena:
    return Arena((Pool("pool", static, ((0, 0),)),))


def slots_of(program: Program) -> Slots:
    return Slots(tuple((b,) for b in range(1, len(program.buffers))))


def points(program: Program) -> list[dict[str, int]]:
    n, m = program.dimensions
    values = [sorted({d.least, min(d.least + 1, d.most), min(7, d.most), d.most}) for d in (n, m)]
    return [{"%n": max(x, n.least), "%m": y} for x in values[0] for y in values[1]]


def sound(program: Program, static: int, tail: Tail, point: Mapping[str, int]) -> bool:
    """By plain numbers."""
    size = tail.size.evaluate(point)
    spans: list[tuple[int, int]] = [(0, static)]
    for slot, offset in tail.offsets:
        (b,) = slots_of(program).members[slot]
        need, at = program.buffers[b].size, offset.evaluate(point)
        assert need is not None
        spans.append((at, at + need.evaluate(point)))
        if at % program.buffers[b].alignment or tail.alignment % program.buffers[b].alignment:
            return False
    inside = all(lo >= 0 and hi <= size for lo, hi in spans)
    return inside and size < 1 << 63 and not _meet(spans)


def _meet(spans: Sequence[tuple[int, int]]) -> bool:
    full = sorted(span for span in spans if span[0] < span[1])
    return any(one[1] > two[0] for one, two in pairwise(full))


@settings(deadline=None)  # z3 may be asked
@given(programs())
def test_what_is_laid_out_is_sound_and_accepted(case: tuple[Program, int]) -> None:
    program, static = case
    slots = slots_of(program)
    found = tails(program, slots, [("pool", "")] * len(slots.members), {"pool": PoolBlocks(static, (0,))})
    placed = [slot for tail in found.tails for slot, _ in tail.offsets]
    assert sorted([*placed, *(slot for slot, _ in found.apart)]) == list(range(len(slots.members)))
    for tail in found.tails:
        assert tail_flaw(rules(program), arena(static), slots, [tail]) is None
        start = min(program.buffers[b].made_at for b in (0, *(slots.members[slot][0] for slot, _ in tail.offsets)))
        for slot, _ in tail.offsets:
            assert program.buffers[slots.members[slot][0]].sized_at <= start
        for point in points(program):
            assert sound(program, static, tail, point)


SHIFTS = [constant(-64), constant(-4), constant(1), constant(64), N * 4, N * -4, M * 64, N * N * M * 8]


@settings(deadline=None)  # z3 may be asked
@given(programs(), st.integers(0, 5), st.sampled_from(SHIFTS))
def test_what_is_accepted_is_sound(case: tuple[Program, int], which: int, shift: Polynomial) -> None:
    """Offsets or the size changed: refused, or right all the same."""
    program, static = case
    slots = slots_of(program)
    found = tails(program, slots, [("pool", "")] * len(slots.members), {"pool": PoolBlocks(static, (0,))})
    for tail in found.tails:
        offsets = [(slot, at + shift if k == which else at) for k, (slot, at) in enumerate(tail.offsets)]
        size = tail.size if which < len(offsets) else tail.size + shift
        changed = replace(tail, offsets=tuple(offsets), size=size)
        if tail_flaw(rules(program), arena(static), slots, [changed]) is None:
            assert all(sound(program, static, changed, point) for point in points(program))
