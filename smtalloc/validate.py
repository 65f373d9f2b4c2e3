"""Translation validation of a memory pass: is AFTER the same program as BEFORE, for every schedule?

Sound rule first: buffers in common bytes must be ordered, `before(a, b)` or `before(b, a)`. Where they are not, the
reads decide (clashes.py), and counterexample.py replays a schedule that breaks one on values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from smtalloc.clashes import Clash, candidates, common_bytes, is_possible, same_accesses
from smtalloc.flow import Flow
from smtalloc.flow_findings import flow_findings
from smtalloc.leaks import leaks
from smtalloc.order import Order
from smtalloc.placement import Correspondence, Free, Kind, Place
from smtalloc.plan import Defect


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
    reasons: tuple[str, ...] = ()
    """Why sharing is safe on all paths, where the function has more than one."""


def findings(found: Correspondence) -> Findings:
    """Judge one function of a pass."""
    if found.flow is not None:
        return _on_all_paths(found, found.flow)
    order = Order(found.before)
    problems, notes = _alone(found)
    pairs, open_pairs = _pairs(found, order)
    clashes: list[Clash] = []
    if open_pairs or found.moved:
        if not same_accesses(found):
            problems.append(Problem(None, "buffers share whose order is not known, and the accesses do not correspond"))
        else:
            clashes = [clash for clash in candidates(found) if is_possible(order, clash)]
            if not clashes:
                problems += _in_two_places(found)
            names = found.before.buffers
            for first, second, memory in open_pairs:
                if any({c.read.buffer, c.written.buffer} == {first, second} for c in clashes):
                    continue
                pair = names[first], names[second]
                where = f"{pair[0].name} and {pair[1].name} in {found.after.buffers[memory].name}"
                outside = [b.external or b.live_out for b in pair]
                if _conservative(found, first) or _conservative(found, second):
                    problems.append(Problem(None, f"{where} are not ordered, and their accesses are not known exactly"))
                elif all(outside) and not found.escaped & {first, second}:
                    problems.append(Problem(Defect.OVERLAP, f"{where}: both are the caller's"))
                elif _rereads(found, first, second) or _rereads(found, second, first):
                    problems.append(Problem(Defect.OVERLAP, f"{where}: one op writes both and reads one of them again"))
                elif any(outside):
                    problems.append(Problem(None, f"{where} are not ordered, and one of them is the caller's"))
                else:
                    notes.append(f"{where} are not ordered, but no read can see it")
    return Findings(tuple(pairs), tuple(problems), tuple(clashes), tuple(notes))


def _on_all_paths(found: Correspondence, flow: Flow) -> Findings:
    problems, notes = _alone(found)
    problems += _in_two_places(found)
    paths = flow_findings(found, flow)
    problems += [Problem(None, text) for text in paths.missing]
    return Findings((), tuple(problems), (), tuple(notes), paths.reasons)


def _alone(found: Correspondence) -> tuple[list[Problem], list[str]]:
    """What is wrong with buffers each for itself, and what is only noted."""
    kept = list(leaks(found))
    problems = [*_sizes(found), *_frees(found), *(Problem(Defect.LEAK, k.text) for k in kept if not k.arena)]
    return problems, [leak.text for leak in kept if leak.arena]


def _in_two_places(found: Correspondence) -> list[Problem]:
    names = found.before.buffers
    return [Problem(None, f"{m.op}: {names[m.buffer].name} is in two places") for m in found.moved]


def _conservative(found: Correspondence, buffer: int) -> bool:
    """Does some access of the buffer only maybe happen, or only somewhere in its range?"""
    actions = [found.before.actions[a] for a in found.before.accesses_of[buffer]]
    return any(access.may for action in actions for access in action.accesses if access.buffer == buffer)


def _rereads(found: Correspondence, one: int, other: int) -> bool:
    """Does some op read and write the one buffer while it writes the other?"""
    for index in found.before.accesses_of[one]:
        action = found.before.actions[index]
        written = {access.buffer for access in action.writes}
        if {one, other} <= written and any(access.buffer == one for access in action.reads):
            return True
    return False


def _overlapping(found: Correspondence, members: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs with a byte in common, lowest offsets first: a sweep over the memory."""
    order = sorted(members, key=lambda b: found.places[b].offset or 0)
    active: list[int] = []
    for second in order:
        at = found.places[second].offset or 0
        active = [first for first in active if (end := _end(found, first)) is None or end > at]
        yield from ((first, second) for first in active if common_bytes(found, first, second))
        active.append(second)


def _end(found: Correspondence, buffer: int) -> int | None:
    offset, size = found.places[buffer].offset, found.before.buffers[buffer].size_bytes
    return None if offset is None or size is None else offset + size


# --- size, alignment, space ----------------------------------------------------------------------------------


def _every_place(found: Correspondence) -> list[tuple[int, Place]]:
    """Where each buffer is: in one place, unless some op finds it in another."""
    moved = ((m.buffer, place) for m in found.moved for place in m.places)
    return list(dict.fromkeys((*found.places.items(), *moved)))


def _sizes(found: Correspondence) -> Iterator[Problem]:
    others = frozenset(place.memory for b, place in found.places.items() if found.before.buffers[b].external)
    for index, place in _every_place(found):
        buffer, memory = found.before.buffers[index], found.after.buffers[place.memory]
        if buffer.external:
            if index in found.hoisted and found.flow is None:
                yield Problem(None, f"{buffer.name}: allocated once per iteration on one side only")
            continue
        here = f"{buffer.name} in {memory.name}"
        yield from _memory(found, index, place, here, others)
        if index in found.hoisted and found.flow is None:
            yield Problem(None, f"{here}: allocated once per iteration on one side only")
        if buffer.space != memory.space:
            yield Problem(Defect.SPACE, f"{here}: memory space '{memory.space}', the buffer is in '{buffer.space}'")
        offset = place.offset
        if offset is None:
            yield from _run_time(found, index, place, here)
            continue
        alignment = memory.alignment if not offset else min(memory.alignment, offset & -offset)
        if alignment % buffer.alignment:
            yield Problem(
                Defect.MISALIGNED,
                f"{here}: asks for alignment {buffer.alignment}, gets {alignment}",
            )
        yield from _size(found, index, place, offset, here)


def _run_time(found: Correspondence, index: int, place: Place, here: str) -> Iterator[Problem]:
    """Alignment and size at an offset known only at run time."""
    if index not in found.offsets or place != found.places[index]:
        yield Problem(None, f"{here}: at an offset that is not known")
        return
    here = f"{here} at offset {found.offsets[index]}"
    if index not in found.aligned:
        asked = found.before.buffers[index].alignment
        yield Problem(None, f"{here}: it cannot be shown that this is a multiple of its alignment, {asked}")
    if index in found.outgrown:
        yield Problem(Defect.TOO_SMALL, f"{here}: {found.outgrown[index]}")
    elif index not in found.fits and found.before.buffers[index].size_bytes != 0:
        yield Problem(None, f"{here}: it cannot be shown that it fits: {found.missing.get(index, 'no fact is known')}")


def _memory(found: Correspondence, index: int, place: Place, here: str, others: frozenset[int]) -> Iterator[Problem]:
    """May such a buffer live in such memory at all? `others`: memory in which external buffers are."""
    buffer = found.before.buffers[index]
    kind = found.kinds.get(place.memory, Kind.ALLOCATION)
    taken = place.memory in others
    if kind is Kind.OTHER and not taken:
        yield Problem(None, f"{here}: memory that is not the function's own")
    if place.memory in found.unclear:
        yield Problem(None, f"{here}: {found.unclear[place.memory]}")
    returned = buffer.live_out and index not in found.escaped and place == found.places[index]
    if returned and not taken and kind is Kind.SCRATCH:
        late = "whoever takes that memory next may write over it, or free it"
        yield Problem(None, f"{here}: returned, but {late}")
    elif returned and not taken and (kind is not Kind.ALLOCATION or place.offset != 0):
        yield Problem(None, f"{here}: returned, but not the start of an allocation")
    if place.memory in found.device_only and index in found.before.host_accessed:
        moved = any(m.buffer == index for m in found.moved)  # then some of its accesses are elsewhere
        for a in found.before.accesses_of[index]:
            action, there = found.before.actions[a], found.after.actions[a].accesses if moved else ()
            if action.on_host and (not moved or any(x.buffer == place.memory for x in there)):
                yield Problem(Defect.SPACE, f"{here}: {action.label} on the host cannot address it")
                break
    if kind is Kind.STACK:
        yield from _on_stack(found, index, here)


def _on_stack(found: Correspondence, index: int, here: str) -> Iterator[Problem]:
    """Memory that is gone when the function returns."""
    if found.before.buffers[index].live_out:
        kept = index in found.escaped
        how = "perhaps kept by other code" if kept else "returned"
        yield Problem(None if kept else Defect.USE_AFTER_FREE, f"{here}: {how}, but on the stack of the function")
    actions = [found.before.actions[a] for a in found.before.accesses_of[index]]
    for action in actions:
        waited = any(action.engine in w.waits and w.ordinal > action.ordinal for w in found.before.actions)
        if action.on_host or waited:
            continue
        sure = not found.before.hidden_waits and any(a.buffer == index and not a.may for a in action.accesses)
        late = f"{here}: on the stack, which may be gone before {action.label} is done"
        yield Problem(Defect.USE_AFTER_FREE if sure else None, late)
        return


def _size(found: Correspondence, index: int, place: Place, offset: int, here: str) -> Iterator[Problem]:
    buffer, memory = found.before.buffers[index], found.after.buffers[place.memory]
    judged = place == found.places[index]  # what is known of run-time sizes is known of that place
    if offset < 0:
        yield Problem(Defect.TOO_SMALL, f"{here}: starts {-offset} bytes before the memory")
    elif buffer.size_bytes is not None and memory.size_bytes is not None:
        if offset + buffer.size_bytes > memory.size_bytes:
            yield Problem(
                Defect.TOO_SMALL,
                f"{here}: needs bytes {offset} to {offset + buffer.size_bytes}, the memory has {memory.size_bytes}",
            )
    elif judged and index in found.outgrown:
        yield Problem(Defect.TOO_SMALL, f"{here}: {found.outgrown[index]}")
    elif not (judged and index in found.fits) and buffer.size_bytes != 0:
        why = f": {found.missing[index]}" if judged and index in found.missing else ""
        yield Problem(None, f"{here}: it cannot be shown that it fits (sizes known only at run time){why}")


# --- frees ---------------------------------------------------------------------------------------------------


def _frees(found: Correspondence) -> Iterator[Problem]:
    yield from (Problem(Defect.USE_AFTER_FREE if use.certain else None, use.text) for use in found.late_uses)
    before = found.before
    if found.unfollowed:
        yield Problem(None, found.unfollowed)
    for memory in sorted(found.loose_frees if found.flow is None else ()):
        members = [before.buffers[b].name for b in found.members.get(memory, ())]
        if len(members) > 1:
            yield Problem(None, f"{found.after.buffers[memory].name} holds {', '.join(members)}, and a region frees it")
    freed: dict[int, str] = {}
    for free in found.frees:
        memory = found.after.buffers[free.memory]
        where = f"{memory.name} is freed at {free.location}"
        if free.memory in found.loose_frees and found.flow is None:
            yield Problem(None, f"{where}, and perhaps inside a region too")
        if not free.whole and free.certain:
            yield Problem(free.wrong, f"{where}, but not by the start of an allocation")
        elif not free.whole and free.wrong is not None:
            yield Problem(None, f"{where}, but perhaps not by the start of an allocation")
        if free.memory in freed:
            yield Problem(Defect.DOUBLE_FREE if free.certain else None, f"{where}, and already at {freed[free.memory]}")
        freed.setdefault(free.memory, str(free.location))
        for index in dict.fromkeys(b for b, place in _every_place(found) if place.memory == free.memory):
            if before.buffers[index].external and index not in found.freed_before:
                yield Problem(None, f"{where}, which BEFORE leaves to its owner")
                continue
            yield from _used_late(found, free, index, where)


def _used_late(found: Correspondence, free: Free, index: int, where: str) -> Iterator[Problem]:
    """Accesses behind the free, unless BEFORE frees before them as well; and what the caller or others still hold."""
    before, name = found.before, found.before.buffers[index].name
    own = found.freed_before.get(index)
    late = [a for a in before.accesses_of[index] if before.actions[a].ordinal > free.ordinal]
    late = [a for a in late if own is None or before.actions[a].ordinal <= own]
    if any(m.buffer == index for m in found.moved):  # some of them are elsewhere
        there = found.after.actions
        late = [a for a in late if any(x.buffer == free.memory for x in there[a].accesses)]
    if late:
        sure = [a for a in late if any(x.buffer == index and not x.may for x in before.actions[a].accesses)]
        action = before.actions[(sure or late)[0]]
        defect = Defect.USE_AFTER_FREE if free.certain and sure else None
        yield Problem(defect, f"{where}, then {action.label} uses {name} in it")
    elif before.buffers[index].live_out and own is None and found.places[index].memory == free.memory:
        if index in found.escaped:
            yield Problem(None, f"{where}, and other code may have kept {name} in it")
        else:
            yield Problem(Defect.USE_AFTER_FREE if free.certain else None, f"{where}, then {name} in it is returned")


# --- pairs in common bytes -----------------------------------------------------------------------------------


def together(found: Correspondence, order: Order) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Per memory of AFTER, the pairs of buffers of BEFORE in it that say whether all may be there.

    Of a chain of `before`, neighbours: the rest follows, since `before` is transitive
    (encodings/lemmas/before_transitive.smt2). Otherwise all pairs in common bytes.
    """
    for memory, inside in found.members.items():
        members = sorted(inside, key=lambda b: found.before.accesses_of[b][:1])
        chain = list(pairwise(members))
        yield memory, chain if all(order.before(a, b) for a, b in chain) else list(_overlapping(found, members))


def _pairs(found: Correspondence, order: Order) -> tuple[list[SharingPair], list[tuple[int, int, int]]]:
    """(ordered pairs, unordered ones) of buffers of BEFORE in common bytes of AFTER."""
    pairs: list[SharingPair] = []
    unordered: list[tuple[int, int, int]] = []
    for memory, members in together(found, order):
        for first, second in members:
            if not common_bytes(found, first, second):
                continue
            if order.before(first, second):
                pairs.append(SharingPair(first, second, memory))
            elif order.before(second, first):
                pairs.append(SharingPair(second, first, memory))
            else:
                unordered.append((first, second, memory))
    return pairs, unordered
