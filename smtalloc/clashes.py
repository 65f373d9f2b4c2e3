"""Reads that may see another buffer's bytes.

A read breaks iff a write of another buffer can land between the write it should see and the read. With hb a partial
order, some schedule has `w < c < r` iff neither `c hb w` nor `r hb c` (both extra edges close no cycle, since
`w hb r`), so the test is exact, byte by byte, where the accesses are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from smtalloc.order import Order
from smtalloc.placement import Correspondence
from smtalloc.program import NO_END, Access

END = 1 << 60
"""The reader after all actions: the caller, for returned and external memory."""
START = -1
"""The writer before all actions: the caller, for the contents of external memory."""


@dataclass(frozen=True, slots=True)
class Clash:
    """`clobber` may land between `source` and `reader`. All three are action indices (or START, END).

    `read` is the access of BEFORE that then sees something else, `hit` the memory of AFTER where it happens.
    `certain` is False where one of the accesses may not happen, or not on these bytes.
    """

    source: int
    clobber: int
    reader: int
    read: Access
    written: Access
    hit: Access
    certain: bool
    program_order: bool
    """Does it happen even when all actions run in program order? Then it is an overlap, not a race."""


def common_bytes(found: Correspondence, first: int, second: int) -> bool:
    """Do two buffers of BEFORE have a byte of AFTER in common?"""
    if (min(first, second), max(first, second)) in found.apart:
        return False

    def span(index: int) -> tuple[int, int | None]:
        offset, size = found.places[index].offset, found.before.buffers[index].size_bytes
        if offset is None:
            return 0, None
        return offset, None if size is None else offset + size

    (lo, hi), (other_lo, other_hi) = span(first), span(second)
    if (hi is not None and lo == hi) or (other_hi is not None and other_lo == other_hi):
        return False
    return (other_hi is None or lo < other_hi) and (hi is None or other_lo < hi)


# --- reads that may see another buffer's bytes -----------------------------------------------------------------


def same_accesses(found: Correspondence) -> bool:
    """Do the accesses of both programs correspond one to one, each in the place of its buffer?"""
    before, after = found.before.actions, found.after.actions
    if len(before) != len(after):
        return False
    moved = {m.buffer for m in found.moved}
    return all(
        (b.engine, b.op, len(b.reads), len(b.writes)) == (a.engine, a.op, len(a.reads), len(a.writes))
        and all(_in_place(found, x, y, moved) for x, y in zip(b.accesses, a.accesses, strict=True))
        for b, a in zip(before, after, strict=True)
    )


def _in_place(found: Correspondence, mine: Access, theirs: Access, moved: set[int]) -> bool:
    place = found.places.get(mine.buffer)
    if mine.buffer in moved:
        return True
    if place is None or place.memory != theirs.buffer:
        return False
    return mine.may or theirs.may or place.offset is None or theirs.lo - mine.lo == place.offset


@dataclass(frozen=True, slots=True)
class _Write:
    """A write of action `action`: the access of BEFORE and where it lands in AFTER."""

    action: int
    mine: Access
    theirs: Access


def is_possible(order: Order, clash: Clash) -> bool:
    """Does some schedule run the clobber between the source and the reader?

    Writing to another place than the one that is read (source and clobber are then the same) breaks every schedule.
    """
    if clash.source == clash.clobber and clash.read.buffer == clash.written.buffer:
        return True
    early = clash.source != START and order.hb(clash.clobber, clash.source)
    late = clash.reader != END and order.hb(clash.reader, clash.clobber)
    return not early and not late


def candidates(found: Correspondence) -> Iterator[Clash]:
    """Every write of another buffer in the memory that a read reads, whatever the order of the two."""
    order = Order(found.before)
    writes = [
        _Write(index, mine, theirs)
        for index, (b, a) in enumerate(zip(found.before.actions, found.after.actions, strict=True))
        for mine, theirs in zip(b.writes, a.writes, strict=True)
    ]
    by_buffer: dict[int, list[_Write]] = {}
    by_memory: dict[int, list[_Write]] = {}
    for write in writes:
        by_buffer.setdefault(write.mine.buffer, []).append(write)
        by_memory.setdefault(write.theirs.buffer, []).append(write)
    for reader, read, place in _reads(found):
        for source in _sources(found, order, by_buffer.get(read.buffer, []), reader, read):
            write = source.write
            if found.moved and write is not None and _shift(write.mine, write.theirs) != _shift(read, place):
                certain = source.certain and not read.may
                yield Clash(write.action, write.action, reader, read, write.mine, place, certain, True)
                continue
            yield from _clobbers(found, by_memory.get(place.buffer, []), _Target(reader, read, place, source))


def _shift(mine: Access, theirs: Access) -> tuple[int, int]:
    return theirs.buffer, theirs.lo - mine.lo


def _reads(found: Correspondence) -> Iterator[tuple[int, Access, Access]]:
    """(action, access of BEFORE, where it is in AFTER), and what the caller sees at the end."""
    for index, (b, a) in enumerate(zip(found.before.actions, found.after.actions, strict=True)):
        for mine, theirs in zip(b.reads, a.reads, strict=True):
            yield index, mine, theirs
    if found.cut:
        return
    for index, buffer in enumerate(found.before.buffers):
        place = found.places.get(index)
        if place is not None and (buffer.external or buffer.live_out):
            whole = Access(index, 0, buffer.size_bytes)
            offset = place.offset or 0
            hi = None if buffer.size_bytes is None or place.offset is None else offset + buffer.size_bytes
            yield END, whole, Access(place.memory, offset, hi)


@dataclass(frozen=True, slots=True)
class _Source:
    """Bytes `[lo, hi)` of a read, and the write it sees there (None: what the caller left in external memory).

    `certain` is False where it may not be this one (the write, or a later one, is a `may`).
    """

    write: _Write | None
    lo: int
    hi: int
    certain: bool


def _sources(found: Correspondence, order: Order, writes: list[_Write], reader: int, read: Access) -> Iterator[_Source]:
    """The writes that a read may see in BEFORE, latest first, byte range by byte range.

    Where only what the memory happened to hold is left to see, the read is of undefined contents: no source.
    """
    left = [(read.lo, read.end, True)]
    for write in reversed(writes):
        if not left:
            return
        if not (reader == END or order.hb(write.action, reader)):
            continue
        kept: list[tuple[int, int, bool]] = []
        for lo, hi, certain in left:
            start, end = max(lo, write.mine.lo), min(hi, write.mine.end)
            if start >= end:
                kept.append((lo, hi, certain))
                continue
            yield _Source(write, start, end, certain and not write.mine.may)
            kept += [(a, b, certain) for a, b in ((lo, start), (end, hi)) if a < b]
            if write.mine.may:
                kept.append((start, end, False))
        left = kept
    if found.before.buffers[read.buffer].external:
        for lo, hi, certain in left:
            yield _Source(None, lo, hi, certain)


@dataclass(frozen=True, slots=True)
class _Target:
    """A read, where it happens in AFTER, and a source of some of its bytes."""

    reader: int
    read: Access
    place: Access
    source: _Source

    @property
    def bytes(self) -> Access:
        """Where the bytes of the source are in AFTER; all of the access where that is not known exactly."""
        if self.read.may or self.place.may:
            return self.place
        shift = self.place.lo - self.read.lo
        hi = None if self.source.hi == NO_END else self.source.hi + shift
        return Access(self.place.buffer, self.source.lo + shift, hi)


def _clobbers(found: Correspondence, writes: list[_Write], target: _Target) -> Iterator[Clash]:
    reader, source = target.reader, target.source.write
    actions, bytes_ = found.before.actions, target.bytes
    exact = target.source.certain and not target.read.may and not target.place.may
    for write in writes:
        if write.mine.buffer == target.read.buffer or not write.theirs.overlaps(bytes_):
            continue
        if not found.moved and not common_bytes(found, write.mine.buffer, target.read.buffer):
            continue  # an access whose bytes are not known stays within its own buffer all the same
        if write.action == reader and _in_place_over(target.place, write.theirs):
            continue
        started = source is None or actions[source.action].ordinal <= actions[write.action].ordinal
        unfinished = reader == END or actions[write.action].ordinal <= actions[reader].ordinal
        # A wait inside a region may order what looks unordered; what breaks in program order breaks all the same.
        exact_here = exact and (not found.before.hidden_waits or (started and unfinished))
        yield Clash(
            START if source is None else source.action,
            write.action,
            reader,
            target.read,
            write.mine,
            write.theirs,
            exact_here and not write.mine.may and not write.theirs.may and _surely_meet(bytes_, target.read, write),
            started and unfinished,
        )


def _in_place_over(read: Access, write: Access) -> bool:
    """Does an op write each element only when it has read the one in its place?"""
    marked = read.in_place and write.in_place and not (read.may or write.may) and read.hi is not None
    return marked and (read.lo, read.hi, read.type) == (write.lo, write.hi, write.type)


def _surely_meet(bytes_: Access, read: Access, write: _Write) -> bool:
    """Do both touch a common byte, though one may leave gaps? Not known where both do."""
    theirs = write.theirs
    if read.dense and theirs.dense:
        return True
    sparse, dense = (bytes_, theirs) if theirs.dense else (theirs, bytes_)
    if not (read.dense or theirs.dense):
        return False
    return dense.lo <= sparse.lo and (dense.hi is None or (sparse.hi is not None and sparse.hi <= dense.hi))
