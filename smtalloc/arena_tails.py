"""Slots of run-time size behind the blocks of a pool, one behind the other, at offsets that are polynomials.

    offset_0 = blocks, rounded up        offset_(k+1) = offset_k + size_k, rounded up        pool = the last one

A slot plan laid out slot by slot is an arena plan (docs/model.md), so nothing new has to be proven of who meets whom.
A slot joins a pool if its size can be computed where the pool is allocated, which is in front of the first op that
allocates anything of the pool, and if no sum can leave 64 bits while the dimensions are within their bounds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from smtalloc.order import holder_of
from smtalloc.plan import Slots, Tail
from smtalloc.program import Program
from smtalloc.symbolic import INT64, MOST_TERMS, Polynomial, Range, ceildiv, constant, range_of

_UNREAD = "the size cannot be read"
_LATE = "the size is known only behind the first use of the pool"
_EARLY = "used before the pool, which is allocated where more sizes are known"
_LARGE = "the pool might exceed 2^63 bytes with it (--assume bounds dimensions)"
_LONG = f"the size of the pool would have more than {MOST_TERMS} terms with it"
_NEGATIVE = "the size is not shown to be 0 or more (--assume bounds dimensions)"


@dataclass(frozen=True, slots=True)
class PoolBlocks:
    """What is known of a pool before run-time sizes: its bytes, and the buffers in it."""

    size_bytes: int = 0
    buffers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Tails:
    """The tails of all pools; and the slots that stay allocations of their own, with the reason."""

    tails: tuple[Tail, ...] = ()
    apart: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Slot:
    number: int
    size: Polynomial
    made_at: int
    """Where its first member is allocated."""
    sized_at: int
    alignment: int


@dataclass
class _Stack:
    program: Program
    bounds: dict[str, Range]
    apart: dict[int, str] = field(default_factory=dict[int, str])

    def slot(self, number: int, members: Sequence[int]) -> _Slot | None:
        """None, with the reason in `apart`, where the slot cannot be in a pool."""
        buffers = self.program.buffers
        holder = holder_of(self.program, members)
        size = None if holder is None else buffers[holder].size
        if size is None or holder is None:
            self.apart[number] = _UNREAD
        elif range_of(size, self.bounds).lo < 0:
            self.apart[number] = _NEGATIVE
        else:
            made_at = min(buffers[b].made_at for b in members)
            alignment = max(buffers[b].alignment for b in members)
            return _Slot(number, size, made_at, buffers[holder].sized_at, alignment)
        return None

    def tail(self, pool: str, blocks: PoolBlocks, slots: Sequence[_Slot], *, lone: bool) -> Tail | None:
        """The slots that fit behind the blocks; None if there is nothing to put together (`lone`: one is enough)."""
        buffers = self.program.buffers
        first = min((buffers[b].made_at for b in blocks.buffers), default=None)
        starts = {slot.made_at for slot in slots if first is None or slot.made_at <= first}
        starts |= set() if first is None else {first}
        known = {at: [s for s in slots if s.made_at >= at >= s.sized_at] for at in starts}
        start = max(starts, key=lambda at: (len(known[at]), at))
        alignment = max(s.alignment for s in slots)
        alignment = max(alignment, *(buffers[b].alignment for b in blocks.buffers), 1)
        offsets: list[tuple[int, Polynomial]] = []
        end = constant(-(-blocks.size_bytes // alignment) * alignment)
        for slot in slots:
            behind = end + ceildiv(slot.size, alignment) * alignment
            if slot not in known[start]:
                self.apart[slot.number] = _LATE if slot.made_at >= start else _EARLY
            elif not computable(behind, self.bounds):
                self.apart[slot.number] = _LARGE
            elif len(behind.terms) > MOST_TERMS:
                self.apart[slot.number] = _LONG
            else:
                offsets.append((slot.number, end))
                end = behind
        if not offsets or len(offsets) + len(blocks.buffers) < (1 if lone else 2):
            return None
        return Tail(pool, alignment, tuple(offsets), end)


def tails(
    program: Program,
    slots: Slots,
    homes: Sequence[tuple[str, str]],
    pools: Mapping[str, PoolBlocks],
    *,
    lone: Collection[str] = (),
) -> Tails:
    """Put slots of run-time size behind the blocks of their pools.

    `homes`: for each slot the pool that it may join, or "" and why it may join none. `pools`: what the pools hold.
    `lone`: pools that are written also for one slot alone.
    """
    stack = _Stack(program, {d.name: Range(d.least, d.most) for d in program.dimensions})
    by_pool: dict[str, list[_Slot]] = {}
    for number, (members, (pool, reason)) in enumerate(zip(slots.members, homes, strict=True)):
        if not pool:
            stack.apart[number] = reason
            continue
        slot = stack.slot(number, members)
        if slot is not None:
            by_pool.setdefault(pool, []).append(slot)
    found = [
        stack.tail(pool, pools.get(pool, PoolBlocks()), chosen, lone=pool in lone) for pool, chosen in by_pool.items()
    ]
    return Tails(tuple(tail for tail in found if tail is not None), tuple(sorted(stack.apart.items())))


def computable(size: Polynomial, bounds: Mapping[str, Range]) -> bool:
    """Do 64-bit operations give the exact value? Sums and products may wrap in between, as long as the result, and
    what functions are applied to, does not."""
    polynomials = [size, *(operand for atom in size.all_atoms() for operand in atom.operands)]
    return all(range_of(polynomial, bounds).inside(INT64) for polynomial in polynomials)
