"""Happens-before, and which buffers may share under a policy.

`hb` is the least strict partial order on actions with

1. host action -> every later action (the issue of a device action follows it);
2. device action -> every later action of the same queue;
3. device action of queue q -> the host action that waits for q, and every action after it;
4. actions of an engine up to the one that records an event -> the action that awaits this record of the event.

A host action after a device action, with no wait between, is *not* ordered after it:

    host    issue D . . store          the store may land before D has started
    queue             [---- D ----]

Engines run in order, so the order is a vector clock per action with one entry per engine (Mattern 1989), and only the
first and last access per engine matter for `before` on buffers. The same rules as SMT-LIB text: encodings/order.smt2.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from smtalloc.bitsets import bits, bitset
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Action, Buffer, Program

_NEVER = -1


class Order:
    """The happens-before relation of a program, over indices of `Program.actions` and `Program.buffers`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._clocks, self._at_return = _clocks(program)
        self._ends = tuple(self._buffer_ends(b) for b in range(len(program.buffers)))

    def hb(self, first: int, second: int) -> bool:
        """Does action `first` finish before action `second` starts, in every schedule?"""
        action = self.program.actions[first]
        return self.seen(second, action.engine) >= action.ordinal

    def seen(self, action: int, engine: str) -> int:
        """The largest ordinal such that every action of the engine up to it finishes before this action starts."""
        clock = self._clocks[action]
        if engine in (HOST, clock.engine):
            return clock.ordinal - 1
        return max(clock.host.get(engine, _NEVER), clock.queue.get(engine, _NEVER))

    def seen_at_return(self, engine: str) -> int:
        """The same before the host leaves the function; for the host itself its last ordinal."""
        if engine == HOST:
            return self.program.actions[-1].ordinal if self.program.actions else _NEVER
        return self._at_return.get(engine, _NEVER)

    def before(self, first: int, second: int) -> bool:
        """Is every access of buffer `first` ordered before every access of buffer `second`?

        A buffer that is live out, or external, is before nothing; an external one has nothing before it. The caller
        is taken to touch what it is given only behind what the function did to it; memory that the function returns
        untouched it may touch at once, from the host.
        Buffers without accesses are before everything else; among themselves they are ordered by index, so that
        `before` stays a strict partial order.
        """
        buffers = self.program.buffers
        if first == second or buffers[first].external or buffers[second].external or buffers[first].live_out:
            return False
        mine, theirs = self.ends(first), self.ends(second)
        if not theirs and buffers[second].live_out:  # the caller may touch it as soon as it has it
            return all(self._over_at_return(last) for _, last in mine)
        if not theirs:
            return not mine and first < second
        return all(self.hb(last, start) for _, last in mine for start, _ in theirs)

    def ends(self, buffer: int) -> tuple[tuple[int, int], ...]:
        """Per engine that accesses the buffer, the first and the last action that does."""
        return self._ends[buffer]

    def before_rows(self, items: Sequence[int]) -> list[int]:
        """`before` as a relation on some buffers: bit j of row i where `before(items[i], items[j])`.

        `hb(last, start)` says that the ordinal of `last` is at most what `start` has seen of its engine, so the
        buffers that come after one are those that have seen enough of each engine that touches it.
        """
        buffers, actions = self.program.buffers, self.program.actions
        movable = [i for i, b in enumerate(items) if not buffers[b].external]
        used = [i for i in movable if self._ends[items[i]]]
        idle = sum(1 << i for i in movable if not self._ends[items[i]] and not buffers[items[i]].live_out)
        returned = sum(1 << i for i in movable if not self._ends[items[i]] and buffers[items[i]].live_out)
        seen = {
            engine: _AtLeast((min(self.seen(s, engine) for s, _ in self._ends[items[i]]), i) for i in used)
            for engine in {action.engine for action in actions}
        }
        everything = sum(1 << i for i in used)
        rows: list[int] = []
        for i, b in enumerate(items):
            ends = self._ends[b]
            row = everything if not ends else -1
            for _, last in ends:
                row &= seen[actions[last].engine].of(actions[last].ordinal)
            if not ends:
                row |= idle >> i + 1 << i + 1
            if all(self._over_at_return(last) for _, last in ends):
                row |= returned
            rows.append(0 if buffers[b].external or buffers[b].live_out else row & ~(1 << i))
        return rows

    def _over_at_return(self, index: int) -> bool:
        """Has the action finished, in every schedule, when the host leaves the function?"""
        action = self.program.actions[index]
        return self.seen_at_return(action.engine) >= action.ordinal

    def _buffer_ends(self, buffer: int) -> tuple[tuple[int, int], ...]:
        """Per engine that touches the buffer, the first and the last action that does.

        Several pairs where several have the least (greatest) ordinal: of two host actions with one ordinal, one may
        wait for a queue and the other not.
        """
        actions = self.program.actions
        firsts: dict[str, list[int]] = {}
        lasts: dict[str, list[int]] = {}
        for index in self.program.accesses_of[buffer]:
            engine, ordinal = actions[index].engine, actions[index].ordinal
            if ordinal == actions[firsts.setdefault(engine, [index])[0]].ordinal and index != firsts[engine][0]:
                firsts[engine].append(index)
            if ordinal != actions[lasts.setdefault(engine, [index])[0]].ordinal:
                lasts[engine] = [index]
            elif index != lasts[engine][0]:
                lasts[engine].append(index)
        pairs: list[tuple[int, int]] = []
        for engine, first in firsts.items():
            last, length = lasts[engine], max(len(first), len(lasts[engine]))
            pairs += [(first[min(n, len(first) - 1)], last[min(n, len(last) - 1)]) for n in range(length)]
        return tuple(pairs)


Known = Mapping[str, int]
"""Per queue, an ordinal up to which all its actions have finished. Shared between clocks, so never changed."""

_NOTHING: Known = {}


@dataclass(frozen=True, slots=True)
class _Clock:
    """What has finished when an action starts: by what the host knew at its ordinal, and by what its queue waited for.

    All that its own engine and the host did at earlier ordinals has finished too; that is not written down.
    """

    engine: str
    ordinal: int
    host: Known
    queue: Known


def _clocks(program: Program) -> tuple[list[_Clock], Known]:
    """A clock for each action, and what the host knows at the end.

    Actions with one ordinal (one op on several engines) are not ordered among themselves, so what they do is taken
    over by other actions only from one ordinal to the next. What does not change is shared: an action costs a join
    only where it waits.
    """
    clocks: list[_Clock] = []
    reached = _Reached()
    current = _NEVER
    for action in program.actions:
        if action.ordinal != current:
            reached.flush(current)
            current = action.ordinal
        clock = reached.clock(action)
        clocks.append(clock)
        reached.stage(action, clock)
    reached.flush(current)
    return clocks, reached.host


class _Reached:
    """Where the engines are, while the actions are gone through in order."""

    def __init__(self) -> None:
        self.host: Known = _NOTHING
        self.queues: dict[str, Known] = {}  # what a queue has waited for
        self.events: dict[str, tuple[tuple[str, int, Known], ...]] = {}  # (engine, up to, what that had waited for)
        self._staged: dict[str, Known] = {}  # by engine, of the current ordinal
        self._recorded: dict[str, dict[str, None]] = {}

    def clock(self, action: Action) -> _Clock:
        """What has finished when the action starts."""
        parts = [self.queues.get(action.engine, _NOTHING)]
        for queue in action.waits:
            parts += [{queue: action.ordinal - 1}, self.queues.get(queue, _NOTHING)]
        for event in action.awaits:
            for engine, ordinal, known in self.events.get(event, ()):
                parts += [{engine: ordinal}, known]
        return _Clock(action.engine, action.ordinal, self.host, _joined(parts, self.host))

    def stage(self, action: Action, clock: _Clock) -> None:
        """What the action does takes effect with the next ordinal."""
        staged = self._staged.get(action.engine)
        self._staged[action.engine] = clock.queue if staged is None else _joined([staged, clock.queue], self.host)
        for event in action.records:
            self._recorded.setdefault(event, {})[action.engine] = None

    def flush(self, ordinal: int) -> None:
        """The ordinal is over."""
        for event, engines in self._recorded.items():
            self.events[event] = tuple((e, ordinal, self._staged[e]) for e in engines if e != HOST)  # that all know
        self.queues |= self._staged
        known = self.queues.pop(HOST, _NOTHING)
        if known:
            self.host = _joined([self.host, known], _NOTHING)
        self._staged, self._recorded = {}, {}


def _joined(parts: Sequence[Known], below: Known) -> Known:
    """The larger ordinal of each queue, without what is known anyhow."""
    parts = [part for part in parts if part]
    if len(parts) < 2 and not (parts and len(parts[0]) == 1):
        return parts[0] if parts else _NOTHING
    found: dict[str, int] = {}
    for part in parts:
        for queue, ordinal in part.items():
            if ordinal > found.get(queue, _NEVER) and ordinal > below.get(queue, _NEVER):
                found[queue] = ordinal
    return found


@dataclass(frozen=True)
class Conflicts:
    """Which allocations of a program may share a slot: the problem that planners solve.

    `items` are the allocations (indices into `Program.buffers`; external buffers are not among them). All other
    fields speak of positions in `items`. `before[i]` has bit j set iff item i may precede item j in one slot; it is a
    strict partial order, so its incomparability graph is perfect (Dilworth 1950): as many slots suffice as the
    largest clique of pairwise conflicting items has members. Only sizes that cannot be compared break this
    (`Task.is_order`): two buffers that fit into a third may be too different to share without it.
    """

    program: Program
    policy: Policy
    types: TypeRule
    items: tuple[int, ...]
    before: tuple[int, ...]
    symbolic: bool = False
    """Are there sizes that depend on dimensions?"""

    def buffer(self, item: int) -> Buffer:
        return self.program.buffers[self.items[item]]

    def may_share(self, first: int, second: int) -> bool:
        return bool(self.before[first] >> second & 1 or self.before[second] >> first & 1)

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Items that the type rules let share, together; no slot ever spans two groups."""
        found: dict[tuple[str, ...], list[int]] = {}
        for item in range(len(self.items)):
            found.setdefault(_kind(self.buffer(item), self.types, item), []).append(item)
        return tuple(tuple(group) for group in found.values())


def conflicts(program: Program, policy: Policy, types: TypeRule = TypeRule.BYTES) -> Conflicts:
    """The sharing relation of a policy.

    `host-exclusive` includes `happens-before`: with one queue that adds nothing (encodings/lemmas), with several it
    is what keeps the plan safe.
    """
    items = tuple(b for b, buffer in enumerate(program.buffers) if not buffer.external)
    kinds: dict[tuple[str, ...], int] = {}
    kind_of = [_kind(program.buffers[b], types, position) for position, b in enumerate(items)]
    for position, kind in enumerate(kind_of):
        kinds[kind] = kinds.get(kind, 0) | 1 << position
    allowed = _allowed(program, policy, items)
    before = [row & kinds[kind] & ~(1 << i) for i, (row, kind) in enumerate(zip(allowed, kind_of, strict=True))]
    symbolic = bitset(i for i, b in enumerate(items) if program.buffers[b].size is not None)
    for i, row in enumerate(before if symbolic else ()):  # pairs of plain sizes are decided already
        open_ = row if symbolic >> i & 1 else row & symbolic
        before[i] &= ~bitset(j for j in bits(open_) if not one_holds_both(program, items[i], items[j]))
    return Conflicts(program, policy, types, items, tuple(before), symbolic=bool(symbolic))


def holds(program: Program, holder: int, other: int) -> bool:
    """Is memory of the size of one buffer large enough for another one too, for all values of the dimensions, and is
    that size known where the slot of the two is allocated: in front of the earlier of them?"""
    mine, theirs = program.buffers[holder], program.buffers[other]
    known = mine.made_at <= theirs.made_at or mine.sized_at <= theirs.made_at
    return known and _enough(program, holder, other)


def holder_of(program: Program, members: Sequence[int]) -> int | None:
    """The first member of a slot whose size is enough for all of them, for all values of the dimensions, and known in
    front of the first of them; None where none is known to be."""
    opener = min(members, key=lambda b: program.buffers[b].made_at)
    for b in sorted(members, key=lambda b: program.buffers[b].made_at):
        others = [other for other in members if other != b]
        if (b == opener or holds(program, b, opener)) and all(_enough(program, b, other) for other in others):
            return b
    return None


def _enough(program: Program, holder: int, other: int) -> bool:
    large, small = program.buffers[holder].exact_size, program.buffers[other].exact_size
    return large is not None and small is not None and (large == small or (small, large) in program.size_facts)


def one_holds_both(program: Program, first: int, second: int) -> bool:
    """True also where both sizes are plain numbers, or named by `size_key`: the kinds decide about those."""
    if program.buffers[first].size is None and program.buffers[second].size is None:
        return True
    return holds(program, first, second) or holds(program, second, first)


def _allowed(program: Program, policy: Policy, items: Sequence[int]) -> list[int]:
    """The policy as a relation on items: bit j of row i where item i may precede item j in one slot.

    Both rules say of two buffers that a number of one is at most a number of the other, so the rows come from sorted
    lists, never pair by pair (tests hold them to the pairwise definitions).
    """
    match policy:
        case Policy.PROGRAM_ORDER:
            return _disjoint_rows(program, items)
        case Policy.HAPPENS_BEFORE:
            return Order(program).before_rows(items)
        case Policy.HOST_EXCLUSIVE:
            alone = sum(1 << i for i, b in enumerate(items) if b in program.host_accessed)
            rows = zip(_disjoint_rows(program, items), Order(program).before_rows(items), strict=True)
            return [0 if alone >> i & 1 else a & b & ~alone for i, (a, b) in enumerate(rows)]


def _disjoint_rows(program: Program, items: Sequence[int]) -> list[int]:
    """Lives disjoint in program order; buffers without a life are before all others, and among themselves by index."""
    lives = program_order_lives(program)
    starts = _AtLeast((lives[b][0], i) for i, b in enumerate(items))
    empty = sum(1 << i for i, b in enumerate(items) if lives[b] == EMPTY_LIFE)
    return [
        starts.of(lives[b][1] + 1) | (empty >> i + 1 << i + 1 if lives[b] == EMPTY_LIFE else 0)
        for i, b in enumerate(items)
    ]


class _AtLeast:
    """Elements by a number each; `of(x)` is the set of those whose number is x or more."""

    def __init__(self, numbered: Iterable[tuple[int, int]]) -> None:
        found: dict[int, int] = {}
        for number, element in numbered:
            found[number] = found.get(number, 0) | 1 << element
        self._numbers = sorted(found)
        self._masks = [0]
        for number in reversed(self._numbers):
            self._masks.append(self._masks[-1] | found[number])
        self._masks.reverse()

    def of(self, least: int) -> int:
        return self._masks[bisect_left(self._numbers, least)]


EMPTY_LIFE = (-1, -1)


def program_order_lives(program: Program) -> tuple[tuple[int, int], ...]:
    """Per buffer, the ordinals of its first and last access, both included; `EMPTY_LIFE` where there is none.

    A returned buffer lives to the end: one past the last ordinal.
    """
    end = program.actions[-1].ordinal + 1 if program.actions else 0
    lives: list[tuple[int, int]] = []
    for buffer, indices in enumerate(program.accesses_of):
        first, last = EMPTY_LIFE
        if indices:
            first, last = program.actions[indices[0]].ordinal, program.actions[indices[-1]].ordinal
        if program.buffers[buffer].live_out:
            first, last = (first if indices else end), end
        lives.append((first, last))
    return tuple(lives)


def _kind(buffer: Buffer, types: TypeRule, item: int) -> tuple[str, ...]:
    """Two allocations may meet in a slot only if this is equal."""
    if not buffer.movable:
        return ("pinned", str(item))
    if buffer.size_bytes is None:
        element = buffer.element_type if types is TypeRule.STRICT else ""
        key = (buffer.size_key or str(item)) if buffer.size is None else ""
        return ("dynamic", buffer.space, element, key)
    if types is TypeRule.STRICT:
        return ("static", buffer.space, buffer.element_type)
    return ("static", buffer.space)
