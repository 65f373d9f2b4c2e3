"""Reads of memory that nobody can have written before: what they see is undefined in every schedule."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from smtalloc.order import Order
from smtalloc.plan import Counterexample, Defect
from smtalloc.program import Access, Program

_MANY = 8


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Action `action` reads bytes of which none (or, with `partly`, some) can have been written before."""

    action: int
    read: Access
    partly: bool


def unwritten(program: Program) -> Iterator[Unwritten]:
    """Certain reads of the program's own memory, each byte of which no earlier or concurrent write touches.

    A buffer that some action only may write is left out: it may have been written. So are reads of what the same op
    writes: destinations that a profile only cannot rule out to be read, and writes that leave gaps.
    """
    order = Order(program)
    for buffer, indices in enumerate(program.accesses_of):
        writes = [(i, a) for i in indices for a in program.actions[i].writes if a.buffer == buffer]
        if program.buffers[buffer].external or any(a.may for _, a in writes):
            continue
        for index in indices:
            action = program.actions[index]
            for read in dict.fromkeys(action.reads):
                if read.buffer != buffer or read.may or any(read.overlaps(w) for w in action.writes):
                    continue
                left = _left(read, _possibly_earlier(order, writes, index))
                if left and (read.dense or left == [_span(read)]):
                    yield Unwritten(index, read, left != [_span(read)])


def read_before_write(program: Program) -> list[Counterexample]:
    """Those of which no byte was written."""
    found = [u for u in unwritten(program) if not u.partly]
    return [Counterexample(Defect.UNINITIALISED, text_of(program, u), accesses=(u.read,)) for u in found[:_MANY]]


def text_of(program: Program, found: Unwritten) -> str:
    action, name = program.actions[found.action], program.buffers[found.read.buffer].name
    return f"{name}: {action.label} reads {'bytes' if found.partly else 'it'}, but nobody writes before"


def _span(access: Access) -> tuple[int, int]:
    return access.lo, access.end


def _possibly_earlier(order: Order, writes: Sequence[tuple[int, Access]], reader: int) -> Iterator[Access]:
    """The writes that some schedule runs before the reader; those before it in the text come first, nearest first."""
    at = bisect_left(writes, reader, key=lambda write: write[0])
    yield from (write for _, write in reversed(writes[:at]))
    yield from (write for action, write in writes[at:] if action != reader and not order.hb(reader, action))


def _left(read: Access, writes: Iterator[Access]) -> list[tuple[int, int]]:
    """The bytes of the read that none of the writes touches; none for a read of nothing."""
    left = [_span(read)] if _span(read)[0] < _span(read)[1] else []
    for start, end in map(_span, writes):
        left = [(a, b) for lo, hi in left for a, b in ((lo, min(hi, start)), (max(lo, end), hi)) if a < b]
        if not left:
            break
    return left
