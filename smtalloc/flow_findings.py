"""Functions with control flow: what a pass did to their memory, judged on all paths (flow.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from smtalloc.clashes import common_bytes
from smtalloc.flow import Contents, Flow, Freed, Meeting, Point, Sharing, Touch
from smtalloc.placement import Correspondence, Kind
from smtalloc.program import HOST, NO_END, Access

_ANEW = frozenset({Kind.ALLOCATION, Kind.STACK})


@dataclass(frozen=True, slots=True)
class FlowFindings:
    """`missing`: what stands in the way of Safe, one sentence each. `reasons`: why sharing is safe, pair by pair."""

    missing: tuple[str, ...]
    reasons: tuple[str, ...]


def flow_findings(found: Correspondence, flow: Flow) -> FlowFindings:
    """Judge the sharing and the frees of one function on all its paths. What it does not know counts as missing."""
    judge = _Judge(found, flow)
    missing: list[str] = []
    reasons: list[str] = []
    for memory, members in found.members.items():
        problems = [*judge.outside(memory, members), *judge.memory(memory, members), *judge.leaks(memory, members)]
        missing += problems
        if not problems:
            reasons += judge.reasons(memory, members)
    missing += judge.frees()
    return FlowFindings(tuple(dict.fromkeys(missing)), tuple(reasons))


def races_on_paths(flow: Flow) -> Iterator[str]:
    """Accesses of one buffer, one of them a write, that some path leaves unordered: which may run before which."""
    empty = Correspondence(flow.program, flow.program, {})
    judge = _Judge(empty, flow)
    for buffer, touches in enumerate(judge.touches):
        name = flow.program.buffers[buffer].name
        births = frozenset[int]() if buffer in flow.carried_before else judge.births[0].get(buffer, frozenset())
        sharing = Sharing(flow, frozenset(p for p in births if flow.ahead[p] >> p & 1))
        for first in touches:
            for second in touches:
                if not (first.write or second.write) or not first.access.overlaps(second.access):
                    continue
                one, other = flow.program.actions[first.action], flow.program.actions[second.action]
                if first.point == second.point and one.on_host and not other.on_host:
                    yield f"{name}: {one.label} touches it on the host and on {other.engine} at once"
                elif sharing.unordered(first, second):
                    yield f"{name}: {other.label} does not wait for {one.label}, and may run first"


class _Judge:
    def __init__(self, found: Correspondence, flow: Flow) -> None:
        self.found, self.flow = found, flow
        self.buffers = flow.program.buffers
        self.touches: list[list[Touch]] = [[] for _ in self.buffers]
        for index, action in enumerate(flow.program.actions):
            for write, accesses in ((False, action.reads), (True, action.writes)):
                for access in accesses:
                    self.touches[access.buffer].append(Touch(index, action.ordinal, access, write))
        self._contents: dict[int, Contents] = {}

    @cached_property
    def births(self) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
        """For buffers of BEFORE, and of AFTER, the points that allocate them."""
        sides: list[dict[int, set[int]]] = [{}, {}]
        for number, point in enumerate(self.flow.points):
            for side, gives in zip(sides, (point.gives_before, point.gives_after), strict=True):
                for buffer in gives:
                    side.setdefault(buffer, set()).add(number)
        before, after = ({b: frozenset(points) for b, points in side.items()} for side in sides)
        return before, after

    def contents(self, buffer: int) -> Contents:
        if buffer not in self._contents:
            births = self.births[0].get(buffer, frozenset())
            self._contents[buffer] = Contents(self.flow, buffer, self.touches[buffer], births)
        return self._contents[buffer]

    # --- one memory ----------------------------------------------------------------------------------------------

    def memory(self, memory: int, members: Sequence[int]) -> Iterator[str]:
        """What is not known to be right about what lives in this memory."""
        repeats = [b for b in members if self._outlived(b, memory)]
        if len(members) < 2 and not repeats and not self._renewed_under(members[0], memory):
            return
        sharing = Sharing(self.flow, self._barrier(memory))
        for buffer in members:
            if self._renewed_under(buffer, memory):
                yield f"{self._in(buffer, memory)}: the memory is new before the buffer's contents are read"
        for buffer in repeats:
            yield from self._iterations(sharing, buffer, memory)
        for buffer in members:
            clobbers = [c for other in members if other != buffer for c in self._clobbers(buffer, other)]
            for meeting in sharing.meetings(self.contents(buffer), clobbers):
                yield self._told(buffer, memory, meeting)
                break

    def outside(self, memory: int, members: Sequence[int]) -> Iterator[str]:
        """Two buffers that the caller or other code holds when the function is over must not be one."""
        kept = [b for b in members if self.buffers[b].external or self.buffers[b].live_out]
        for first, second in combinations(kept, 2):
            theirs = self.buffers[first].external and self.buffers[second].external
            if not theirs and common_bytes(self.found, first, second):
                yield f"{self._in(first, memory)}: {self.buffers[second].name} is there too, and the caller has both"

    def leaks(self, memory: int, members: Sequence[int]) -> Iterator[str]:
        """Memory that some path never frees, though BEFORE frees all that is in it on every path."""
        root, flow = self.found.after.buffers[memory], self.flow
        own = self.found.kinds.get(memory, Kind.ALLOCATION) is Kind.ALLOCATION and memory in self.births[1]
        if not own or root.live_out or any(self.buffers[b].external or self.buffers[b].live_out for b in members):
            return
        for buffer in members:
            freed = self._where(lambda p, b=buffer: any(f.buffer == b for f in p.frees_before))
            births = self.births[0].get(buffer, frozenset())
            if self._leaks(births, freed, carried=buffer in flow.carried_before):
                return
        births = self.births[1][memory]
        freed = self._where(
            lambda p: any(f.buffer == memory and (f.certain or not f.twin.isdisjoint(members)) for f in p.frees_after)
        )
        once = not freed and not any(flow.ahead[p] >> p & 1 for p in births)
        if once and all(self.buffers[b].type != root.type for b in members):
            return  # an arena, see leaks.py
        if self._leaks(births, freed, carried=memory in flow.carried_after):
            names = ", ".join(self.buffers[b].name for b in members)
            yield f"{root.name} is never freed on some path; before, {names} {'is' if len(members) == 1 else 'are'}"

    def _leaks(self, births: frozenset[int], frees: frozenset[int], *, carried: bool) -> bool:
        """Does a path lead from an allocation to the end, or to the next one, without a free?"""
        ends = {*self.flow.ends, *(() if carried else births)}
        return any(self.flow.walk(p, frees) >> end & 1 for p in births - frees for end in ends)

    def _barrier(self, memory: int) -> frozenset[int]:
        """The points that make the memory anew; none where an iteration may still hold the memory of one before."""
        if self.found.kinds.get(memory, Kind.ALLOCATION) not in _ANEW or memory in self.flow.carried_after:
            return frozenset()
        births = self.births[1].get(memory, frozenset())
        return frozenset(p for p in births if self.flow.ahead[p] >> p & 1)

    def _outlived(self, buffer: int, memory: int) -> bool:
        """Is the buffer allocated anew, time and again, while its memory stays the same?"""
        barrier = self._barrier(memory)
        births = self.births[0].get(buffer, frozenset())
        return any(self.flow.walk(p, barrier) >> p & 1 for p in births) and buffer in self.found.hoisted

    def _renewed_under(self, buffer: int, memory: int) -> bool:
        """May the buffer hold something that is still to be read when its memory is allocated?"""
        if buffer not in self.found.hoisted:
            return False
        births = self.births[1].get(memory, frozenset())
        return any(s.live[p] and s.defined[p] for p in births for s in self.contents(buffer).segments)

    def _iterations(self, sharing: Sharing, buffer: int, memory: int) -> Iterator[str]:
        if buffer in self.flow.carried_before:
            yield f"{self._in(buffer, memory)}: an iteration hands it on to the next, which gets the same memory"
            return
        for birth in sorted(self.births[0].get(buffer, ())):
            for meeting in sharing.iterations(self.contents(buffer), birth):
                yield self._told(buffer, memory, meeting)
                return

    def _clobbers(self, buffer: int, other: int) -> Iterator[tuple[Touch, int, int]]:
        """Writes of `other`, with the bytes of `buffer` that they land on."""
        if (min(buffer, other), max(buffer, other)) in self.found.apart:
            return
        mine, theirs = self.found.places[buffer], self.found.places[other]
        size = self.buffers[buffer].size_bytes
        end = NO_END if size is None else size
        for touch in self.touches[other]:
            if not touch.write:
                continue
            lo, hi = 0, end
            if mine.offset is not None and theirs.offset is not None:
                lo, hi = _moved(touch.access, theirs.offset - mine.offset, self.buffers[other].size_bytes)
                lo, hi = max(lo, 0), min(hi, end)
            if lo < hi:
                yield touch, lo, hi

    # --- frees ---------------------------------------------------------------------------------------------------

    def frees(self) -> Iterator[str]:
        """Accesses behind a free, second frees on some path, and frees of what is no allocation."""
        frees = [(number, freed) for number, point in enumerate(self.flow.points) for freed in point.frees_after]
        for number, freed in frees:
            behind = self.flow.walk(number, self._renewals(freed.buffer))
            where = f"{self.found.after.buffers[freed.buffer].name} is freed at {freed.where}"
            if not self._is_start(freed):
                yield f"{where}, but perhaps not by the start of an allocation"
            for second, other in frees:
                again = other.buffer == freed.buffer and behind >> second & 1
                if again and not (self._as_before(freed) and self._as_before(other)):
                    yield f"{where}, and perhaps again at {other.where}"
            for buffer in self.found.members.get(freed.buffer, ()):
                if not self._as_before(freed, buffer):
                    yield from self._used_behind(buffer, number, behind, where)

    def _renewals(self, memory: int) -> frozenset[int]:
        """Behind which points nothing names the memory that was there before."""
        return frozenset() if memory in self.flow.carried_after else self.births[1].get(memory, frozenset())

    def _is_start(self, freed: Freed) -> bool:
        kind = self.found.kinds.get(freed.buffer, Kind.ALLOCATION)
        if kind is Kind.OTHER and not any(self.buffers[b].external for b in self.found.members.get(freed.buffer, ())):
            return False
        inside = freed.twin.intersection(self.found.members.get(freed.buffer, ()))
        as_before = bool(inside) and all(self.found.places[b].offset == 0 for b in inside)
        return kind in (Kind.ALLOCATION, Kind.OTHER) and (freed.whole or as_before)

    def _as_before(self, freed: Freed, buffer: int | None = None) -> bool:
        """Does BEFORE free this buffer (without one: the only one) in the memory by the same free? Then what that does
        wrong is its own defect."""
        members = self.found.members.get(freed.buffer, [])
        inside = freed.twin.intersection(members)
        wanted = frozenset(members) if buffer is None else frozenset({buffer})
        return len(wanted) == 1 and inside == wanted and not wanted & self.found.hoisted

    def _used_behind(self, buffer: int, number: int, behind: int, where: str) -> Iterator[str]:
        """`number`: the point that frees, `behind`: the points that may come after it."""
        root = self.buffers[buffer]
        if root.external and self._kept(buffer, number):
            yield f"{where}, and {root.name} in it is not the function's own"
        for touch in self.touches[buffer]:
            if behind >> touch.point & 1:
                yield f"{where}, and {self._label(touch.action)} may use {root.name} in it"
                return
        if root.live_out and self._kept(buffer, number):
            yield f"{where}, and {root.name} in it may be returned"

    def _kept(self, buffer: int, number: int) -> bool:
        """Does a path lead over this point to the end on which BEFORE does not free the buffer?"""
        freed = self._where(lambda p: any(f.buffer == buffer and f.certain for f in p.frees_before))
        births = self.births[0].get(buffer, frozenset({0})) if buffer not in self.flow.carried_before else {0}
        reached = any(self.flow.walk(p, freed) >> number & 1 for p in births) or number in births
        behind = self.flow.walk(number, freed)
        return reached and (number in freed or any(behind >> p & 1 for p in self.flow.ends))

    def _where(self, holds: Callable[[Point], bool]) -> frozenset[int]:
        return frozenset(number for number, point in enumerate(self.flow.points) if holds(point))

    # --- words ---------------------------------------------------------------------------------------------------

    def reasons(self, memory: int, members: Sequence[int]) -> Iterator[str]:
        """For each pair in common bytes: why the two do not meet."""
        barrier = self._barrier(memory)
        points = {b: {t.point for t in self.touches[b]} for b in members}
        ahead = self.flow.ahead
        if barrier:
            ahead = {p: self.flow.walk(p, barrier) for p in sorted(set[int]().union(*points.values()))}
        for index, one in enumerate(members):
            for other in members[index + 1 :]:
                if not any(self._clobbers(one, other)) and not any(self._clobbers(other, one)):
                    continue
                forth = any(ahead[p] >> q & 1 for p in points[one] for q in points[other])
                back = any(ahead[q] >> p & 1 for p in points[one] for q in points[other])
                names = self.buffers[one].name, self.buffers[other].name
                place = self.found.after.buffers[memory].name
                if not forth and not back:
                    yield f"{names[0]}, {names[1]} in {place}: no path uses both"
                elif forth and back:
                    yield f"{names[0]}, {names[1]} in {place}: what one holds is never read once the other is written"
                else:
                    first, second = (one, other) if forth else (other, one)
                    pair = f"{self.buffers[first].name} before {self.buffers[second].name} in {place}, on every path"
                    yield f"{pair}: {self._what_orders(first, second)}"

    def _what_orders(self, first: int, second: int) -> str:
        actions = self.flow.program.actions
        engines = [{actions[t.action].engine for t in self.touches[b]} for b in (first, second)]
        queues = sorted(engines[0] - {HOST})
        if not queues:
            return "host first"
        if len(engines[0] | engines[1]) == 1:
            return f"both on {queues[0]}"
        return f"behind the last use on {' and '.join(queues)} a wait or an event"

    def _told(self, buffer: int, memory: int, meeting: Meeting) -> str:
        clobber = self._label(meeting.clobber)
        victim = "" if meeting.victim is None else f" {self._label(meeting.victim)}:"
        return f"{self._in(buffer, memory)}:{victim} {clobber} may write over it {meeting.why}"

    def _label(self, action: int) -> str:
        return self.flow.program.actions[action].label

    def _in(self, buffer: int, memory: int) -> str:
        return f"{self.buffers[buffer].name} in {self.found.after.buffers[memory].name}"


def _moved(access: Access, shift: int, size: int | None) -> tuple[int, int]:
    hi = access.end if access.hi is not None or size is None else size
    return access.lo + shift, hi + shift if hi != NO_END else NO_END
