"""Translation validation of a memory pass: is AFTER the same program as BEFORE, for every schedule?

Sound rule first: buffers in common bytes must be ordered, `before(a, b)` or `before(b, a)`. Where they are not, the
reads decide: a read breaks iff a write of another buffer can land between the write it should see and the read.
With hb a partial order, some schedule has `w < c < r` iff neither `c hb w` nor `r hb c` (both extra edges close no
cycle, since `w hb r`), so this test is exact; counterexample.py then replays such a schedule on values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from smtalloc.order import Order
from smtalloc.placement import Correspondence, Moved
from smtalloc.plan import Defect
from smtalloc.program import Access

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


@dataclass(frozen=True, slots=True)
class Problem:
    """A defect that needs no schedule, or a fact that is missing (`defect` None)."""

    defect: Defect | None
    text: str


@dataclass(frozen=True, slots=True)
class SharingPair:
    """Two buffers of BEFORE in common bytes of AFTER, the first before the second."""

    first: int
    second: int
    memory: int


@dataclass(frozen=True)
class Findings:
    """Everything about one function. Safe iff `problems`, `clashes` are empty."""

    pairs: tuple[SharingPair, ...]
    problems: tuple[Problem, ...]
    clashes: tuple[Clash, ...]
    notes: tuple[str, ...]


def findings(found: Correspondence) -> Findings:
    """Judge one function of a pass."""
    order = Order(found.before)
    problems = [*_sizes(found), *_frees(found)]
    pairs, open_pairs = _pairs(found, order)
    clashes: list[Clash] = []
    notes: list[str] = []
    if open_pairs or found.moved:
        if not same_accesses(found):
            problems.append(Problem(None, "buffers share whose order is not known, and the accesses do not correspond"))
        else:
            clashes = [clash for clash in candidates(found) if is_possible(order, clash)]
            if not clashes:
                problems += [Problem(None, f"{m.op}: {names_of(found, m)} is in two places") for m in found.moved]
            names = found.before.buffers
            for first, second, memory in open_pairs:
                if not any({c.read.buffer, c.written.buffer} == {first, second} for c in clashes):
                    notes.append(
                        f"{names[first].name} and {names[second].name} are not ordered in "
                        f"{found.after.buffers[memory].name}, but no read can see it"
                    )
    return Findings(tuple(pairs), tuple(problems), tuple(clashes), tuple(notes))


def names_of(found: Correspondence, moved: Moved) -> str:
    return found.before.buffers[moved.buffer].name


# --- size, alignment, space ----------------------------------------------------------------------------------


def _sizes(found: Correspondence) -> Iterator[Problem]:
    for index, place in found.places.items():
        buffer, memory = found.before.buffers[index], found.after.buffers[place.memory]
        if buffer.external:
            continue
        here = f"{buffer.name} in {memory.name}"
        if place.memory in found.foreign:
            yield Problem(None, f"{here}: the memory of a global")
        if index in found.hoisted:
            yield Problem(None, f"{here}: allocated once per iteration on one side only")
        if buffer.space != memory.space:
            yield Problem(Defect.SPACE, f"{here}: memory space '{memory.space}', the buffer is in '{buffer.space}'")
        offset = place.offset
        if offset is None:
            yield Problem(None, f"{here}: at an offset that is not known")
            continue
        alignment = memory.alignment if not offset else min(memory.alignment, offset & -offset)
        if alignment % buffer.alignment:
            yield Problem(
                Defect.MISALIGNED,
                f"{here}: asks for alignment {buffer.alignment}, gets {alignment}",
            )
        yield from _size(found, index, offset, here)


def _size(found: Correspondence, index: int, offset: int, here: str) -> Iterator[Problem]:
    buffer, memory = found.before.buffers[index], found.after.buffers[found.places[index].memory]
    if offset < 0:
        yield Problem(Defect.TOO_SMALL, f"{here}: starts {-offset} bytes before the memory")
    elif buffer.size_bytes is not None and memory.size_bytes is not None:
        if offset + buffer.size_bytes > memory.size_bytes:
            yield Problem(
                Defect.TOO_SMALL,
                f"{here}: needs bytes {offset} to {offset + buffer.size_bytes}, the memory has {memory.size_bytes}",
            )
    elif index not in found.fits and buffer.size_bytes != 0:
        yield Problem(None, f"{here}: it cannot be shown that it fits (sizes known only at run time)")


# --- frees ---------------------------------------------------------------------------------------------------


def _frees(found: Correspondence) -> Iterator[Problem]:
    before = found.before
    for memory in sorted(found.loose_frees):
        members = [before.buffers[b].name for b, place in found.places.items() if place.memory == memory]
        if len(members) > 1:
            yield Problem(None, f"{found.after.buffers[memory].name} holds {', '.join(members)}, and a region frees it")
    freed: dict[int, str] = {}
    for free in found.frees:
        memory = found.after.buffers[free.memory]
        where = f"{memory.name} is freed at {free.location}"
        if free.memory in freed:
            yield Problem(Defect.DOUBLE_FREE if free.certain else None, f"{where}, and already at {freed[free.memory]}")
        freed.setdefault(free.memory, str(free.location))
        for index, place in found.places.items():
            if place.memory != free.memory:
                continue
            if before.buffers[index].external:
                if index not in found.freed_before:
                    yield Problem(None, f"{where}, which BEFORE leaves to its owner")
                continue
            late = [a for a in before.accesses_of[index] if before.actions[a].ordinal > free.ordinal]
            name = before.buffers[index].name
            defect = Defect.USE_AFTER_FREE if free.certain else None
            if late:
                action = before.actions[late[0]]
                yield Problem(defect, f"{where}, then {action.op} at {action.location} uses {name} in it")
            elif before.buffers[index].live_out and index not in found.freed_before:
                yield Problem(defect, f"{where}, then {name} in it is returned")


# --- pairs in common bytes -----------------------------------------------------------------------------------


def _pairs(found: Correspondence, order: Order) -> tuple[list[SharingPair], list[tuple[int, int, int]]]:
    """(ordered pairs, unordered ones) of buffers of BEFORE in common bytes of AFTER."""
    by_memory: dict[int, list[int]] = {}
    for index, place in found.places.items():
        by_memory.setdefault(place.memory, []).append(index)
    pairs: list[SharingPair] = []
    unordered: list[tuple[int, int, int]] = []
    for memory, members in by_memory.items():
        for position, first in enumerate(members):
            for second in members[position + 1 :]:
                if not _common_bytes(found, first, second):
                    continue
                if order.before(first, second):
                    pairs.append(SharingPair(first, second, memory))
                elif order.before(second, first):
                    pairs.append(SharingPair(second, first, memory))
                else:
                    unordered.append((first, second, memory))
    return pairs, unordered


def _common_bytes(found: Correspondence, first: int, second: int) -> bool:
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
    """Do the accesses of both programs correspond one to one?"""
    before, after = found.before.actions, found.after.actions
    return len(before) == len(after) and all(
        (b.engine, b.op, len(b.reads), len(b.writes)) == (a.engine, a.op, len(a.reads), len(a.writes))
        for b, a in zip(before, after, strict=True)
    )


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
        sources = list(_sources(found, order, by_buffer.get(read.buffer, []), reader, read))
        for source in sources:
            certain = not read.may and len(sources) == 1
            if isinstance(source, _Write):
                certain = certain and not source.mine.may
                if _shift(source.mine, source.theirs) != _shift(read, place):
                    yield Clash(source.action, source.action, reader, read, source.mine, place, certain, True)
                    continue
            target = _Target(reader, read, place, source, certain and not place.may)
            yield from _clobbers(found, by_memory.get(place.buffer, []), target)


def _shift(mine: Access, theirs: Access) -> tuple[int, int]:
    return theirs.buffer, theirs.lo - mine.lo


def _reads(found: Correspondence) -> Iterator[tuple[int, Access, Access]]:
    """(action, access of BEFORE, where it is in AFTER), and what the caller sees at the end."""
    for index, (b, a) in enumerate(zip(found.before.actions, found.after.actions, strict=True)):
        for mine, theirs in zip(b.reads, a.reads, strict=True):
            yield index, mine, theirs
    for index, buffer in enumerate(found.before.buffers):
        place = found.places.get(index)
        if place is not None and (buffer.external or buffer.live_out):
            whole = Access(index, 0, buffer.size_bytes)
            offset = place.offset or 0
            hi = None if buffer.size_bytes is None or place.offset is None else offset + buffer.size_bytes
            yield END, whole, Access(place.memory, offset, hi)


def _sources(
    found: Correspondence, order: Order, writes: list[_Write], reader: int, read: Access
) -> Iterator[_Write | None]:
    """The writes that a read may see in BEFORE, latest first; None: what the caller left in external memory.

    Where only what the memory happened to hold is left to see, the read is of undefined contents: no source.
    """
    for write in reversed(writes):
        ordered = reader == END or order.hb(write.action, reader)
        if not ordered or not write.mine.overlaps(read):
            continue
        yield write
        covers = write.mine.lo <= read.lo and (
            write.mine.hi is None or (read.hi is not None and read.hi <= write.mine.hi)
        )
        if covers and not write.mine.may:
            return
    if found.before.buffers[read.buffer].external:
        yield None


@dataclass(frozen=True, slots=True)
class _Target:
    """A read, where it happens in AFTER, and one of the writes it may see (None: what was there at the start)."""

    reader: int
    read: Access
    place: Access
    source: _Write | None
    certain: bool


def _clobbers(found: Correspondence, writes: list[_Write], target: _Target) -> Iterator[Clash]:
    reader, source = target.reader, target.source
    actions = found.before.actions
    for write in writes:
        if write.mine.buffer == target.read.buffer or not write.theirs.overlaps(target.place):
            continue
        if not found.moved and not _common_bytes(found, write.mine.buffer, target.read.buffer):
            continue  # an access whose bytes are not known stays within its own buffer all the same
        started = source is None or actions[source.action].ordinal <= actions[write.action].ordinal
        unfinished = reader == END or actions[write.action].ordinal <= actions[reader].ordinal
        yield Clash(
            START if source is None else source.action,
            write.action,
            reader,
            target.read,
            write.mine,
            write.theirs,
            target.certain and not write.mine.may and not write.theirs.may,
            started and unfinished,
        )
