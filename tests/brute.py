"""A second judge of a memory pass, for small functions: play every schedule, compare every byte that is read.

It takes two function models from the reader (accesses, engines, waits, deallocations; that reading is tested
elsewhere) and shares nothing else with `verify`: no order, no matching, no clashes, no replay.

Which collapse is exact. A device action is issued, starts and finishes; here every action is one point in time. Say
some run, with actions that overlap in time however they like, reads byte x in action R from a write of action C.
Take for each action the moment at which it touches x for that read (R: its read, every other: its last write of x
before that read, else its first), or any moment of it if it does not touch x. `a hb b` means that a is over before b
starts, so the order of these moments respects happens-before, and it is one of the orders played here; R reads C's
write in it too. Only what one action does within itself is left: it may write one output before another, and before
it has read all inputs. Those cases are looked at one by one (`_early_writes`, and both orders of outputs that meet).

An op's result is a term of its own, so two bytes are equal iff the same op instance wrote them at the same place;
copies and stores hand on what they read. Until the first wrong read all inputs are right, so terms need no inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import permutations

from xdsl.dialects import func
from xdsl.ir import BlockArgument

from smtalloc.mlir.model import FunctionModel
from smtalloc.program import Access, Action, Program

MOST_ACTIONS = 12

Where = tuple[str, int]
"""("before" | "after", index of a buffer there)."""
Term = tuple[object, ...]
"""What one segment of memory holds; None where nothing was ever written (undefined)."""
Contents = tuple["Term | None", ...]


class NotJudgedError(Exception):
    """Outside what this judge can decide, and why."""


@dataclass(frozen=True)
class Judged:
    """`defects`: what is wrong (words of smtalloc.plan.Defect); `schedule`: one that reads a wrong value."""

    defects: frozenset[str]
    schedule: tuple[int, ...] = ()
    states: int = 0

    @property
    def harmful(self) -> bool:
        return bool(self.defects)


def judge(before: FunctionModel, after: FunctionModel, most: int = MOST_ACTIONS) -> Judged:
    """All defects of AFTER. Raises NotJudgedError, also where BEFORE is itself racy or uses freed memory."""
    mine, theirs = before.program, after.program
    for program in (mine, theirs):
        _expect_simple(program, most)
    if len(mine.actions) != len(theirs.actions):
        raise NotJudgedError("another number of actions")
    for b, a in zip(mine.actions, theirs.actions, strict=True):
        if (b.op, b.engine, b.waits) != (a.op, a.engine, a.waits) or _shapes(b) != _shapes(a):
            raise NotJudgedError("actions do not pair up")
    if _frees(before):
        raise NotJudgedError("BEFORE uses memory that it freed")
    views = _final_views(before, after)
    alone = [_View(view.before, view.before, view.given) for view in views]
    if _Player(mine, mine, alone).wrong_schedule() is not None:
        raise NotJudgedError("BEFORE races with itself")
    found = _Player(mine, theirs, views)
    wrong = found.wrong_schedule()
    defects = {*_frees(after), *_memory(before, after, views)}
    if wrong is not None or found.early_writes():
        defects.add("wrong-read")
    return Judged(frozenset(defects), wrong or (), found.states)


class Within(Enum):
    """What an op may do within itself."""

    IN_ORDER = "read all, then write the outputs in order"
    ANY_OUTPUT_FIRST = "read all, then write the outputs in any order"
    EARLY = "write before it has read all"


def reads_wrong(
    before: FunctionModel, after: FunctionModel, schedule: Sequence[int], within: Within = Within.ANY_OUTPUT_FIRST
) -> bool:
    """Do these actions alone, in this order, read a wrong value in AFTER (BEFORE runs them in program order)?"""

    def only(program: Program, kept: Sequence[int]) -> Program:
        return replace(program, actions=tuple(program.actions[i] for i in kept))

    kept = sorted(schedule)
    player = _Player(only(before.program, kept), only(after.program, kept), _final_views(before, after))
    if within is Within.EARLY:
        return player.early_writes()
    return player.wrong_in([kept.index(i) for i in schedule], in_order=within is Within.IN_ORDER)


def possible(program: Program, order: Sequence[int]) -> bool:
    """Is there a schedule of all actions in which these come in this order?"""
    rank = {index: position for position, index in enumerate(order)}
    everything = (1 << len(program.actions)) - 1
    waiting, seen = [0], {0}
    while waiting:
        done = waiting.pop()
        if done == everything:
            return True
        for index in ready(program.actions, done):
            missing = [i for i in order[: rank.get(index, 0)] if not done >> i & 1]
            if not missing and (more := done | 1 << index) not in seen:
                seen.add(more)
                waiting.append(more)
    return False


def _expect_simple(program: Program, most: int) -> None:
    if len(program.actions) > most:
        raise NotJudgedError("too many actions")
    if len({a.ordinal for a in program.actions}) != len(program.actions):
        raise NotJudgedError("one op on several engines")
    for action in program.actions:
        for access in action.accesses:
            if access.may or not access.dense:
                raise NotJudgedError("an access that is not exact")
            if access.hi is None:
                raise NotJudgedError("a size that is known only at run time")
    if any(getattr(action, "awaits", ()) for action in program.actions):
        raise NotJudgedError("events")  # `ready` knows waits of the host only
    if program.hidden_waits:
        raise NotJudgedError("waits inside regions")


def _shapes(action: Action) -> list[tuple[int, str]]:
    """Length and type of each access: all that a pass may not change."""
    return [(_hi(a) - a.lo, a.type.partition(",")[0]) for a in action.accesses] + [(len(action.reads), "")]


def _hi(access: Access) -> int:
    assert access.hi is not None
    return access.hi


# --- defects of memory -----------------------------------------------------------------------------------------


def _frees(model: FunctionModel) -> set[str]:
    """What a module alone does wrong with its deallocations."""
    found: set[str] = set()
    if model.loose_frees:
        raise NotJudgedError("freed inside a region")
    freed: dict[int, int] = {}
    for dealloc in model.deallocs:
        if len(dealloc.refs) != 1:
            raise NotJudgedError("one of several buffers is freed")
        ref = dealloc.refs[0]
        op = model.roots[ref.root].op
        rule = model.profile.rule(op.name) if op is not None else None
        if rule is None or rule.root not in ("alloc", "runtime") or ref.base != 0 or ref.lo != 0:
            found.add("bad-free")
        if ref.root in freed:
            found.add("double-free")
        freed.setdefault(ref.root, dealloc.ordinal)
    for action in model.program.actions:
        for access in action.accesses:
            if access.lo < _hi(access) and freed.get(access.buffer, action.ordinal) < action.ordinal:
                found.add("use-after-free")
    for root in freed:
        if model.program.buffers[root].live_out:
            found.add("use-after-free")
    return found


def _memory(before: FunctionModel, after: FunctionModel, views: Sequence[_View]) -> set[str]:
    """Size, alignment and space of the memory that each buffer of BEFORE went to, by its accesses and the return."""
    found: set[str] = set()
    pairs = [
        (mine, theirs, a.on_host)
        for b, a in zip(before.program.actions, after.program.actions, strict=True)
        for mine, theirs in zip(b.accesses, a.accesses, strict=True)
    ]
    for mine, theirs, on_host in (*pairs, *((view.before, view.after, False) for view in views)):
        buffer, memory = before.program.buffers[mine.buffer], after.program.buffers[theirs.buffer]
        if buffer.external:
            continue
        shift = theirs.lo - mine.lo
        if buffer.size_bytes is None or memory.size_bytes is None:
            raise NotJudgedError("a size that is known only at run time")
        if shift < 0 or shift + buffer.size_bytes > memory.size_bytes:
            found.add("too-small")
        starts = [memory.alignment * k + shift for k in range(1, buffer.alignment + 1)]
        if any(start % buffer.alignment for start in starts):
            found.add("misaligned")
        op = after.roots[theirs.buffer].op
        device_only = op is not None and after.profile.rule(op.name).device_only
        if buffer.space != memory.space or (device_only and on_host):
            found.add("space-violation")
    return found


# --- what is seen at the end -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _View:
    """Bytes of BEFORE that the caller sees, and where it looks in AFTER."""

    before: Access
    after: Access
    given: bool = False
    """Does it hold what the caller put there at the start?"""


def _final_views(before: FunctionModel, after: FunctionModel) -> list[_View]:
    """Arguments and other external memory, and what is returned."""
    found: list[_View] = []
    twins: dict[int, int] = {}
    by_argument = {root.value.index: i for i, root in enumerate(after.roots) if isinstance(root.value, BlockArgument)}
    for index, root in enumerate(before.roots):
        if isinstance(root.value, BlockArgument):
            twins[index] = by_argument[root.value.index]
    for b, a in zip(before.program.actions, after.program.actions, strict=True):
        for mine, theirs in zip(b.accesses, a.accesses, strict=True):
            op, other = before.roots[mine.buffer].op, after.roots[theirs.buffer].op
            same = mine.lo == theirs.lo and op is not None and other is not None and op.name == other.name
            if same and before.program.buffers[mine.buffer].external:
                twins.setdefault(mine.buffer, theirs.buffer)
    for index, twin in twins.items():
        size = before.program.buffers[index].size_bytes
        if size is None:
            raise NotJudgedError("a size that is known only at run time")
        found.append(_View(Access(index, 0, size), Access(twin, 0, size), given=True))
    ends = [model.entry.last_op for model in (before, after)]
    if not all(isinstance(end, func.ReturnOp) for end in ends):
        raise NotJudgedError("no plain return")
    for mine, theirs in zip(*(end.operands for end in ends if end is not None), strict=True):
        b, a = before.refs.get(mine, ()), after.refs.get(theirs, ())
        if not b and not a:
            continue
        if len(b) != 1 or len(a) != 1 or b[0].base is None or a[0].base is None or b[0].hi is None or a[0].hi is None:
            raise NotJudgedError("returns memory at a place that is not known")
        found.append(_View(Access(b[0].root, b[0].lo, b[0].hi), Access(a[0].root, a[0].lo, a[0].hi)))
    return found


# --- playing ---------------------------------------------------------------------------------------------------


class _Segments:
    """Memory cut so finely that nothing below ever touches a part of a segment."""

    def __init__(self, links: Sequence[tuple[Where, int, Where, int, int]]) -> None:
        cuts: dict[Where, set[int]] = {}
        for one, lo, other, other_lo, length in links:
            cuts.setdefault(one, set()).update((lo, lo + length))
            cuts.setdefault(other, set()).update((other_lo, other_lo + length))
        changed = True
        while changed:  # what is a border on one side of a link is one on the other
            changed = False
            for one, lo, other, other_lo, length in links:
                here = {c - lo for c in cuts[one] if lo <= c <= lo + length}
                there = {c - other_lo for c in cuts[other] if other_lo <= c <= other_lo + length}
                if here != there:
                    cuts[one] |= {c + lo for c in there}
                    cuts[other] |= {c + other_lo for c in here}
                    changed = True
        self.starts = {where: sorted(found) for where, found in cuts.items()}

    def of(self, where: Where, access: Access) -> list[tuple[int, int]]:
        """(start in memory, start in the access) of each segment of the access."""
        return [(c, c - access.lo) for c in self.starts.get(where, ()) if access.lo <= c < _hi(access)]


def ready(actions: Sequence[Action], done: int) -> Iterator[int]:
    """Actions that may run next, given the bit set of those that have: the host goes in order and waits where it says
    so; a queue runs what the host has issued, in order."""
    for index, action in enumerate(actions):
        if not done >> index & 1:
            earlier = [actions[i] for i in range(index) if not done >> i & 1]
            if not any(e.on_host or e.engine == action.engine or e.engine in action.waits for e in earlier):
                yield index


@dataclass(frozen=True, slots=True)
class _State:
    done: int
    """Bit set of actions."""
    memory: frozenset[tuple[tuple[int, int], Term | None]]
    """(memory, start of segment) -> what it holds."""
    scalars: frozenset[tuple[str, Contents]]


class _Player:
    """Runs of AFTER, and the one run of BEFORE that they are compared with."""

    def __init__(self, before: Program, after: Program, views: Sequence[_View]) -> None:
        self.before, self.after = before, after
        self.views = views
        self.segments = _Segments([*self._links()])
        self.states = 0
        self.expected = dict(enumerate(self._reference()))

    def _links(self) -> Iterator[tuple[Where, int, Where, int, int]]:
        pairs = [(x, y) for b, a in zip(self.before.actions, self.after.actions, strict=True)
                 for x, y in zip(b.accesses, a.accesses, strict=True)]  # fmt: skip
        pairs += [(v.before, v.after) for v in self.views]
        for mine, theirs in pairs:
            yield ("before", mine.buffer), mine.lo, ("after", theirs.buffer), theirs.lo, _hi(mine) - mine.lo
        for side, program in (("before", self.before), ("after", self.after)):
            loads: dict[str, list[Access]] = {}
            for number, action in enumerate(program.actions):
                source: list[Access] = list(action.reads[:1]) if action.op == "memref.copy" else []
                if action.op == "memref.store" and action.scalars:
                    source = loads.get(self.before.actions[number].scalars[0], [])
                for read in source:
                    for write in action.writes:
                        length = min(_hi(read) - read.lo, _hi(write) - write.lo)
                        yield (side, read.buffer), read.lo, (side, write.buffer), write.lo, length
                for name in self.before.actions[number].results:
                    loads.setdefault(name, []).extend(action.reads[:1])

    def _reference(self) -> Iterator[tuple[Contents, ...]]:
        """What each action of BEFORE reads when all run in program order on memory of their own; the caller last."""
        state = self._start("before")
        for index in range(len(self.before.actions)):
            yield self._reads("before", self.before.actions[index], state)
            state = self._step("before", index, state, None)
        yield self._finals("before", state)

    def _start(self, side: str) -> _State:
        memory: dict[tuple[int, int], Term | None] = {}
        for where, starts in self.segments.starts.items():
            if where[0] == side:
                garbage: Term | None = None if side == "before" else ("left over", where[1])
                memory |= {(where[1], at): garbage and (*garbage, at) for at in starts}
        for view in self.views:
            access = view.before if side == "before" else view.after
            if view.given:
                for at, start in self.segments.of((side, access.buffer), access):
                    memory[access.buffer, at] = ("given", view.before.buffer, start)
        return _State(0, frozenset(memory.items()), frozenset())

    def _look(self, side: str, access: Access, state: _State) -> Contents:
        memory = dict(state.memory)
        return tuple(memory[access.buffer, at] for at, _ in self.segments.of((side, access.buffer), access))

    def _reads(self, side: str, action: Action, state: _State) -> tuple[Contents, ...]:
        return tuple(self._look(side, access, state) for access in action.reads)

    def _finals(self, side: str, state: _State) -> tuple[Contents, ...]:
        return tuple(self._look(side, v.before if side == "before" else v.after, state) for v in self.views)

    def _written(self, side: str, index: int, number: int, reads: tuple[Contents, ...], state: _State) -> Contents:
        """What output `number` of an action holds, segment by segment."""
        action = (self.before if side == "before" else self.after).actions[index]
        access = action.writes[number]
        segments = self.segments.of((side, access.buffer), access)
        handed = None
        if action.op == "memref.copy" and len(reads) == 1:
            handed = reads[0]
        names = self.before.actions[index].scalars
        if action.op == "memref.store" and names:
            handed = dict(state.scalars).get(names[0])
            if handed is None:
                return tuple(("value", names[0], start) for _, start in segments)
        if handed is not None and len(handed) == len(segments):
            return handed
        return tuple(("result", index, number, start) for _, start in segments)

    def _step(self, side: str, index: int, state: _State, order: Sequence[int] | None) -> _State:
        """`order`: the order in which the outputs are written."""
        action = (self.before if side == "before" else self.after).actions[index]
        reads = self._reads(side, action, state)
        memory, scalars = dict(state.memory), dict(state.scalars)
        for number in order if order is not None else range(len(action.writes)):
            access = action.writes[number]
            places = self.segments.of((side, access.buffer), access)
            for (at, _), term in zip(places, self._written(side, index, number, reads, state), strict=True):
                memory[access.buffer, at] = term
        if len(reads) == 1:
            scalars |= dict.fromkeys(self.before.actions[index].results, reads[0])
        return _State(state.done | 1 << index, frozenset(memory.items()), frozenset(scalars.items()))

    def _orders(self, index: int) -> list[Sequence[int]]:
        """The orders of an op's outputs: all, where two of them meet in memory."""
        writes = self.after.actions[index].writes
        meet = any(x is not y and x.overlaps(y) for x in writes for y in writes)
        return [*permutations(range(len(writes)))] if meet else [range(len(writes))]

    def wrong_schedule(self) -> tuple[int, ...] | None:
        """A schedule in which some read, or the caller at the end, sees another value than in BEFORE."""
        stack: list[tuple[_State, tuple[int, ...]]] = [(self._start("after"), ())]
        seen: set[_State] = set()
        everything = (1 << len(self.after.actions)) - 1
        while stack:
            state, schedule = stack.pop()
            if state in seen:
                continue
            seen.add(state)
            self.states = len(seen)
            if state.done == everything and _differ(self.expected[len(schedule)], self._finals("after", state)):
                return schedule
            for index in ready(self.after.actions, state.done):
                if _differ(self.expected[index], self._reads("after", self.after.actions[index], state)):
                    return (*schedule, index)
                for order in self._orders(index):
                    stack.append((self._step("after", index, state, order), (*schedule, index)))
        return None

    def wrong_in(self, schedule: Sequence[int], *, in_order: bool) -> bool:
        """Does this one schedule read a wrong value, in some order of the outputs of each op (or in their own)?"""
        states = {self._start("after")}
        for index in schedule:
            action = self.after.actions[index]
            if any(_differ(self.expected[index], self._reads("after", action, state)) for state in states):
                return True
            orders = [None] if in_order else self._orders(index)
            states = {self._step("after", index, state, order) for state in states for order in orders}
        return any(_differ(self.expected[len(schedule)], self._finals("after", state)) for state in states)

    def early_writes(self) -> bool:
        """Does some op write over one of its own inputs, which in BEFORE it does not?"""
        for index, (b, a) in enumerate(zip(self.before.actions, self.after.actions, strict=True)):
            for number, (mine, theirs) in enumerate(zip(b.writes, a.writes, strict=True)):
                values = self._written("after", index, number, self.expected[index], self._start("after"))
                written = dict(zip(self._bytes("after", theirs), values, strict=True))
                own = dict(zip(self._bytes("after", theirs), self._bytes("before", mine), strict=True))
                for read, there, wants in zip(b.reads, a.reads, self.expected[index], strict=True):
                    if _element_by_element(there, theirs):
                        continue
                    places = zip(self._bytes("before", read), self._bytes("after", there), wants, strict=True)
                    for origin, place, want in places:
                        if place in written and own[place] != origin and want not in (None, written[place]):
                            return True
        return False

    def _bytes(self, side: str, access: Access) -> list[tuple[int, int]]:
        return [(access.buffer, at) for at, _ in self.segments.of((side, access.buffer), access)]


def _element_by_element(read: Access, write: Access) -> bool:
    """Does the op say of both that it goes element by element, and are they the same elements?"""
    marked = getattr(read, "in_place", False) and getattr(write, "in_place", False)
    return marked and (read.buffer, read.lo, read.hi, read.type) == (write.buffer, write.lo, write.hi, write.type)


def _differ(expected: tuple[Contents, ...], actual: tuple[Contents, ...]) -> bool:
    """Is there a defined byte that is another one?"""
    return any(
        want is not None and want != got
        for wants, gots in zip(expected, actual, strict=True)
        for want, got in zip(wants, gots, strict=True)
    )
