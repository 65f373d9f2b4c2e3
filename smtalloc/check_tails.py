"""The independent checker on slots of run-time size in pools: apart, inside, aligned, computed before they are used.

Nothing is shared with what lays them out (arena_tails.py): sizes are compared by check_sizes.py, and ranges are
computed here. Who may be in one slot is the slot plan's affair (check.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from smtalloc.check_sizes import SizeChecker, size_of, symbols
from smtalloc.plan import Arena, Slots, Tail
from smtalloc.program import Program
from smtalloc.symbolic import Atom, Function, Polynomial

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True)
class TailRules:
    """What a tail is judged by. `pool_of`: for each buffer the pool that it may be in (its own name: none).

    `blocks`: the buffer of each block of the arena. `capacities`: of pools, in bytes."""

    program: Program
    pool_of: Sequence[str]
    blocks: Sequence[int]
    capacities: Mapping[str, int]
    get_pool: bool


def tail_flaw(rules: TailRules, plan: Arena, slots: Slots, tails: Sequence[Tail]) -> str | None:
    """What is wrong with the run-time part of an arena plan, in one sentence; None if nothing is."""
    named = [slot for tail in tails for slot, _ in tail.offsets]
    if len({tail.pool for tail in tails}) < len(tails):
        return "a pool has two tails"
    if len(set(named)) < len(named):
        return "a slot of run-time size stands in two places"
    if any(not 0 <= slot < len(slots.members) for slot in named):
        return "a slot that does not exist stands in a pool"
    checker = SizeChecker(rules.program)
    return next((flaw for tail in tails for flaw in _flaws(rules, checker, plan, slots, tail)), None)


def _flaws(rules: TailRules, checker: SizeChecker, plan: Arena, slots: Slots, tail: Tail) -> Iterator[str]:
    buffers = rules.program.buffers
    inside = [b for slot, _ in tail.offsets for b in slots.members[slot]]
    if any(not 0 <= b < len(buffers) for b in inside) or not inside:
        yield f"pool {tail.pool}: a slot has a buffer that does not exist, or there is no slot"
        return
    static = [
        (pool.size_bytes, rules.blocks[b]) for pool in plan.pools if pool.name == tail.pool for b, _ in pool.offsets
    ]
    for b in inside:
        if rules.pool_of[b] != tail.pool or buffers[b].live_out or buffers[b].external or buffers[b].pinned:
            yield f"{buffers[b].name} must not be in pool {tail.pool}"
        if size_of(buffers[b]) is None:
            yield f"{buffers[b].name} is in pool {tail.pool}, but its size is not known"
            return
    yield from _misaligned(rules, tail, [*inside, *(b for _, b in static)])
    yield from _unknown(rules, tail, [*inside, *(b for _, b in static)])
    yield from _overflow(checker, tail)
    yield from _apart(rules, checker, slots, tail, max((size for size, _ in static), default=0))
    capacity = rules.capacities.get(tail.pool)
    if capacity is not None and not checker.never_larger(tail.size, _number(capacity)):
        yield f"pool {tail.pool} may need more than its capacity of {capacity} bytes"


def _misaligned(rules: TailRules, tail: Tail, members: Sequence[int]) -> Iterator[str]:
    alignment, most = tail.alignment, 256 if rules.get_pool else None
    if alignment <= 0 or alignment & (alignment - 1) or (most is not None and alignment > most):
        yield f"pool {tail.pool} has alignment {alignment}, which it cannot have"
        return
    for b in members:
        if alignment % rules.program.buffers[b].alignment:
            yield f"pool {tail.pool} has alignment {alignment}, too little for {rules.program.buffers[b].name}"
    for slot, offset in tail.offsets:
        if any(coefficient % alignment for _, coefficient in offset.terms):  # then each term is a multiple
            yield f"pool {tail.pool}: offset {offset} of slot {slot} is not shown to be a multiple of {alignment}"


def _unknown(rules: TailRules, tail: Tail, members: Sequence[int]) -> Iterator[str]:
    """The pool is allocated in front of its first member; offsets and size must be known there."""
    buffers = rules.program.buffers
    start = min(buffers[b].made_at for b in members)
    known = {name for b in buffers if b.size is not None and b.sized_at <= start for name in symbols(b.size)}
    for polynomial in (*(offset for _, offset in tail.offsets), tail.size):
        missing = sorted(symbols(polynomial) - known)
        if missing:
            yield f"pool {tail.pool}: {missing[0]} is not known where the pool is allocated"
            return


def _overflow(checker: SizeChecker, tail: Tail) -> Iterator[str]:
    for polynomial in (*(offset for _, offset in tail.offsets), tail.size):
        try:
            lo, hi = _reach(checker, polynomial)
        except _OverflowError as error:
            yield f"pool {tail.pool}: {error}"
            return
        if lo < _LEAST or hi > _MOST:
            yield f"pool {tail.pool}: {polynomial} may have more than 64 bits"
            return


def _apart(rules: TailRules, checker: SizeChecker, slots: Slots, tail: Tail, static: int) -> Iterator[str]:
    """The blocks, then slot after slot, then the end of the pool."""
    pool, offsets = f"pool {tail.pool}", [offset for _, offset in tail.offsets]
    if not checker.never_larger(_number(static), offsets[0]):
        yield f"{pool}: offset {offsets[0]} is not shown to be behind the {static} bytes of known size"
    steps = zip(tail.offsets, pairwise([*offsets, tail.size]), strict=True)
    for (slot, _), (offset, end) in steps:
        needs = {size_of(rules.program.buffers[b]): None for b in slots.members[slot]}
        for size in (*needs, Polynomial()):  # 0: the offsets ascend whatever the sizes are
            if size is None or not checker.never_larger(size, end - offset):
                yield f"{pool}: slot {slot} at {offset} needs {size} bytes, and {end} is not shown to be behind it"
                return


class _OverflowError(ValueError):
    """What a function is applied to may have more than 64 bits."""


def _reach(checker: SizeChecker, polynomial: Polynomial) -> tuple[int, int]:
    """Least and most, by interval arithmetic. Raises _OverflowError."""
    least = most = 0
    for factors, coefficient in polynomial.terms:
        lo = hi = coefficient
        for atom in factors:
            ends = [x * y for x in (lo, hi) for y in _atom_reach(checker, atom)]
            lo, hi = min(ends), max(ends)
        least, most = least + lo, most + hi
    return least, most


def _atom_reach(checker: SizeChecker, atom: Atom) -> tuple[int, int]:
    if atom.function is Function.SYMBOL:
        return checker.least.get(atom.text, _LEAST), checker.most.get(atom.text, _MOST)
    inner = [_reach(checker, operand) for operand in atom.operands]
    for (lo, hi), operand in zip(inner, atom.operands, strict=True):
        if lo < _LEAST or hi > _MOST:
            raise _OverflowError(f"{operand} may have more than 64 bits")
    if atom.function is Function.FLOORDIV:
        return inner[0][0] // atom.divisor, inner[0][1] // atom.divisor
    pick = min if atom.function is Function.MIN else max
    return pick(lo for lo, _ in inner), pick(hi for _, hi in inner)


def _number(value: int) -> Polynomial:
    return Polynomial((((), value),) if value else ())
