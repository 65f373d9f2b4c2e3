"""Functions with control flow: may a pass's sharing break a read on some path, over some back edge?

The graph has a *point* for each op that does something; an edge says which may come next. An execution is a path. What
validate.py asks of a straight line is asked of all paths at once, conservatively (every path counts as possible):

    a write c of buffer b lands on bytes of buffer a; a read r of a should see the write w (or the start)
      1. w .. c .. r on a path, with no write of those bytes of a between c and r: overlap of lives;
      2. r .. c on a path, and nothing orders r before c: c may run early;
      3. c .. w on a path, w is read later, and nothing orders c before w: c may run late.

Only a device action can be passed: `unordered(x, y)` iff x is on a queue, y is not on that queue, and some path from x
to y has no wait for it. Liveness is the textbook one (Aho et al., Compilers, 9.2.5), a byte range at a time.

Memory that is allocated anew in each iteration is other memory each time: paths for it do not cross its allocation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from smtalloc.program import HOST, NO_END, UNKNOWN_QUEUE, Access, Program


@dataclass(frozen=True, slots=True)
class Freed:
    """A buffer that a point frees; `certain` is False where it is one of several, or only on a condition.

    `whole`: is it given the start of an allocation? `twin`: in AFTER, the buffers of BEFORE of which the same free, in
    the same place and on the same condition, frees one there.
    """

    buffer: int
    certain: bool
    where: str
    whole: bool = True
    twin: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Point:
    """One op: its actions, and the memory that it gives or frees (buffers of BEFORE, of AFTER)."""

    actions: tuple[int, ...] = ()
    gives_before: tuple[int, ...] = ()
    gives_after: tuple[int, ...] = ()
    frees_before: tuple[Freed, ...] = ()
    frees_after: tuple[Freed, ...] = ()


@dataclass(frozen=True)
class Flow:
    """The paths of a function. `program.actions` have their point as ordinal; points without successors leave it."""

    program: Program
    points: tuple[Point, ...]
    successors: tuple[tuple[int, ...], ...]
    carried_before: frozenset[int] = frozenset()
    """Buffers that a later iteration may still name when their allocation has run again."""
    carried_after: frozenset[int] = frozenset()
    parallel: tuple[frozenset[int], ...] = ()
    """Bodies whose iterations may run at the same time: what one does is in no order with what another does."""
    _passing: dict[str, list[int]] = field(default_factory=dict[str, list[int]], init=False, repr=False, compare=False)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The points that leave the function."""
        return tuple(point for point, targets in enumerate(self.successors) if not targets)

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.points]
        for point, targets in enumerate(self.successors):
            for target in targets:
                found[target].append(point)
        return tuple(map(tuple, found))

    def unordered_after(self, start: int, barrier: frozenset[int], through: frozenset[int]) -> int:
        """As bits: the actions that a path leads to from action `start` with nothing on it that orders the two.

        Paths do not enter the barrier; where `through` is not empty, they count from one of its points on. On the way,
        an engine or event *knows* that the action is over once its queue, or what has waited for one that knows, says
        so; when the host knows, all that follows comes after.
        """
        actions = self.program.actions
        first = actions[start]
        if first.on_host:
            return 0
        known = frozenset((*first.records, first.engine))
        if UNKNOWN_QUEUE in first.engine:
            known -= {first.engine}
        found = 0
        stack = [(target, known, not through) for target in self.successors[first.ordinal]]
        seen = set(stack)
        while stack:
            point, known, counts = stack.pop()
            if point in barrier:
                continue
            counts = counts or point in through
            told, forgotten = set[str](), set[str]()
            for index in self.points[point].actions:
                action = actions[index]
                if action.engine in known or not known.isdisjoint(action.waits) or not known.isdisjoint(action.awaits):
                    told |= {action.engine, *action.records}
                else:
                    found |= counts << index
                    forgotten.update(action.records)
            if HOST in told:
                continue
            told = {name for name in told if UNKNOWN_QUEUE not in name}
            known = (known - forgotten) | told
            for target in self.successors[point]:
                if (target, known, counts) not in seen:
                    seen.add((target, known, counts))
                    stack.append((target, known, counts))
        return found

    def unordered_after_quickly(self, start: int) -> int:
        """The same where there are no events: on all paths, by the points that are reached without a wait."""
        first = self.program.actions[start]
        if first.on_host:
            return 0
        if first.engine not in self._passing:
            self._passing[first.engine] = self._passed(first.engine)
        return self._passing[first.engine][first.ordinal]

    def _passed(self, queue: str) -> list[int]:
        """Per point, as bits: the actions that some path leads to without a wait for the queue, those in order with it
        left out."""
        actions = self.program.actions
        others = sum((a.engine != queue or UNKNOWN_QUEUE in queue) << index for index, a in enumerate(actions))
        marks = [sum(1 << index for index in point.actions) & others for point in self.points]
        return self._reached(marks, frozenset(a.ordinal for a in actions if queue in a.waits))

    @cached_property
    def ahead(self) -> list[int]:
        """Per point, as bits: the points that some path leads to."""
        return self._reached([1 << point for point in range(len(self.points))], frozenset())

    def _reached(self, marks: Sequence[int], blocked: frozenset[int]) -> list[int]:
        """Per point: the marks, all together, of the points that some path leads to without entering a blocked one."""
        reach = [0] * len(self.points)
        changed = True
        while changed:  # once more than loops are nested
            changed = False
            for point in reversed(range(len(self.points))):
                bits = 0
                for target in self.successors[point]:
                    if target not in blocked:
                        bits |= marks[target] | reach[target]
                if bits != reach[point]:
                    reach[point], changed = bits, True
        return reach

    def walk(self, start: int, blocked: frozenset[int]) -> int:
        """As bits: the points that some path from `start` leads to without entering a blocked one."""
        seen, stack = 0, [start]
        while stack:
            for target in self.successors[stack.pop()]:
                if target not in blocked and not seen >> target & 1:
                    seen |= 1 << target
                    stack.append(target)
        return seen

    def spread(self, starts: Sequence[int], stops: frozenset[int], *, backward: bool) -> bytearray:
        """Where a fact holds that begins behind (backward: before) the starts and ends at the stops.

        Forward, entry p of the answer says whether it holds on entering p; backward, whether it holds on leaving p.
        """
        edges = self.predecessors if backward else self.successors
        holds = bytearray(len(self.points))
        stack = list(starts)
        while stack:
            for target in edges[stack.pop()]:
                if not holds[target]:
                    holds[target] = 1
                    if target not in stops:
                        stack.append(target)
        return holds


@dataclass(frozen=True, slots=True)
class Touch:
    """One access of a buffer: the action, its point, and the bytes of the buffer."""

    action: int
    point: int
    access: Access
    write: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes `[lo, hi)` of a buffer that every access of it touches wholly or not at all.

    `live`: on leaving a point, may they still be read? `defined`: on entering a point, may they hold something?
    """

    lo: int
    hi: int
    live: bytearray
    defined: bytearray


class Contents:
    """When the bytes of one buffer hold something that is still to be read."""

    def __init__(self, flow: Flow, buffer: int, touches: Sequence[Touch], births: frozenset[int]) -> None:
        self.flow, self.buffer, self.touches = flow, buffer, touches
        carried = buffer in flow.carried_before
        self._births = frozenset[int]() if carried else births
        self._kills = not carried
        root = flow.program.buffers[buffer]
        self._at_start = root.external
        self._at_end = root.external or root.live_out

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The bytes that are accessed at all, in order."""
        edges: set[int] = set()
        for touch in self.touches:
            edges |= {touch.access.lo, touch.access.end}
        if self._at_end or self._at_start:
            edges |= {0, NO_END}
        starts = sorted(edges)
        return tuple(self._segment(lo, hi) for lo, hi in pairwise(starts))

    def _segment(self, lo: int, hi: int) -> Segment:
        flow = self.flow
        inside = [t for t in self.touches if t.access.lo <= lo and (t.access.hi is None or hi <= t.access.hi)]
        reads = [t.point for t in inside if not t.write]
        writes = [t.point for t in inside if t.write]
        kills = {t.point for t in inside if t.write and not t.access.may} if self._kills else set[int]()
        stops = frozenset((kills | self._births) - set(reads))
        ends = flow.ends if self._at_end else ()
        live = flow.spread([*reads, *(p for p in ends if p not in stops)], stops, backward=True)
        for end in ends:
            live[end] = 1
        starts = [*writes, *([0] if self._at_start else [])]
        defined = flow.spread(starts, self._births, backward=False)
        if self._at_start and flow.points:
            defined[0] = 1
        return Segment(lo, hi, live, defined)

    def over(self, lo: int, hi: int) -> Iterator[Segment]:
        """The segments with a byte in `[lo, hi)`."""
        return (s for s in self.segments if s.lo < hi and lo < s.hi)


@dataclass(frozen=True, slots=True)
class Meeting:
    """`clobber` (a write of another buffer) may land on bytes that `victim` (a read or write) needs. Action indices."""

    clobber: int
    victim: int | None
    why: str


class Sharing:
    """Two buffers of BEFORE in one memory of AFTER, or one buffer in two iterations: can they meet?"""

    def __init__(self, flow: Flow, barrier: frozenset[int]) -> None:
        self.flow = flow
        self.barrier = barrier
        self._found: dict[tuple[int, frozenset[int]], int] = {}

    def unordered(self, earlier: Touch, later: Touch) -> bool:
        """Does some path lead from the first action to the second with nothing on it that orders the two?"""
        return self._at_once(earlier, later) or bool(self._after(earlier, frozenset()) >> later.action & 1)

    def _at_once(self, one: Touch, other: Touch) -> bool:
        """May two iterations that run at the same time do both, in memory that they have in common?"""
        return any(one.point in body and other.point in body and not body & self.barrier for body in self.flow.parallel)

    def _after(self, touch: Touch, through: frozenset[int]) -> int:
        """As bits: the actions that some path leads to from this one (by way of `through`), and that may run before."""
        key = (touch.action, through)
        if key not in self._found:
            flow = self.flow
            if flow.program.has_events or through or self.barrier:
                self._found[key] = flow.unordered_after(touch.action, self.barrier, through)
            else:
                self._found[key] = flow.unordered_after_quickly(touch.action)
        return self._found[key]

    def meetings(self, victim: Contents, clobbers: Sequence[tuple[Touch, int, int]]) -> Iterator[Meeting]:
        """Writes of other buffers, with the bytes `[lo, hi)` of the victim that they land on, that may break a read."""
        for clobber, lo, hi in clobbers:
            found = self._one(victim, clobber, lo, hi)
            if found is not None:
                yield found

    def _one(self, victim: Contents, clobber: Touch, lo: int, hi: int) -> Meeting | None:
        hit = list(victim.over(lo, hi))
        live = [s for s in hit if s.live[clobber.point]]
        if any(s.defined[clobber.point] for s in live):
            return Meeting(clobber.action, None, "while it is still to be read")
        for touch in victim.touches:
            end = touch.access.end
            if not (touch.access.lo < hi and lo < end):
                continue
            needed = not touch.write or any(s.live[touch.point] for s in hit if touch.access.lo <= s.lo < end)
            if touch.point == clobber.point and needed:
                return Meeting(clobber.action, touch.action, "in one op")
            if not touch.write and self.unordered(touch, clobber):
                return Meeting(clobber.action, touch.action, "before it has read it")
            if touch.write and needed and self.unordered(clobber, touch):
                return Meeting(clobber.action, touch.action, "after it has been written again")
        return None

    def iterations(self, contents: Contents, birth: int) -> Iterator[Meeting]:
        """One buffer, allocated anew in BEFORE each time `birth` runs, in memory that stays the same."""
        for earlier in contents.touches:
            behind = self._after(earlier, frozenset({birth}))
            for later in contents.touches:
                if later.write and (self._at_once(earlier, later) or behind >> later.action & 1):
                    yield Meeting(later.action, earlier.action, "in the next iteration, before it is done")
