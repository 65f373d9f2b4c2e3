"""Happens-before, and which buffers may share under a policy.

`hb` is the least strict partial order on actions with

1. host action -> every later action (the issue of a device action follows it);
2. device action -> every later action of the same queue;
3. device action of queue q -> the host action that waits for q, and every action after it.

A host action after a device action, with no wait between, is *not* ordered after it:

    host    issue D . . store          the store may land before D has started
    queue             [---- D ----]

Queues are in-order, so the order is a vector clock per action with one entry per engine, and only the first and last
access per engine matter for `before` on buffers. The same rules as SMT-LIB text: encodings/order.smt2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Buffer, Program

_NEVER = -1


class Order:
    """The happens-before relation of a program, over indices of `Program.actions` and `Program.buffers`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._clocks = _clocks(program)
        self._waits = {queue: a.ordinal for a in program.actions for queue in a.waits}  # the last for each queue
        self._ends = tuple(self._buffer_ends(b) for b in range(len(program.buffers)))

    def hb(self, first: int, second: int) -> bool:
        """Does action `first` finish before action `second` starts, in every schedule?"""
        action = self.program.actions[first]
        return self._clocks[second].get(action.engine, _NEVER) >= action.ordinal

    def seen(self, action: int, engine: str) -> int:
        """The largest ordinal such that every action of the engine up to it finishes before this action starts."""
        return self._clocks[action].get(engine, _NEVER)

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
        mine, theirs = self._ends[first], self._ends[second]
        if not theirs and buffers[second].live_out:  # the caller may touch it as soon as it has it
            return all(self._over_at_return(last) for _, last in mine)
        if not theirs:
            return not mine and first < second
        return all(self.hb(last, start) for _, last in mine for start, _ in theirs)

    def _over_at_return(self, index: int) -> bool:
        """Has the action finished, in every schedule, when the host leaves the function?"""
        action = self.program.actions[index]
        return action.on_host or self._waits.get(action.engine, _NEVER) > action.ordinal

    def _buffer_ends(self, buffer: int) -> tuple[tuple[int, int], ...]:
        """Per engine that touches the buffer, the first and the last action that does."""
        ends: dict[str, tuple[int, int]] = {}
        for index in self.program.accesses_of[buffer]:
            engine = self.program.actions[index].engine
            first, _ = ends.get(engine, (index, index))
            ends[engine] = (first, index)
        return tuple(ends.values())


def _clocks(program: Program) -> list[dict[str, int]]:
    """For each action and engine, the largest ordinal of that engine's actions that all finish before it starts.

    Actions with one ordinal (one op on several engines) are not ordered among themselves, so what the host has
    reached and waited for is taken over by other actions only from one ordinal to the next.
    """
    clocks: list[dict[str, int]] = []
    waited: dict[str, int] = {}  # by waits of earlier ordinals
    pending: dict[str, int] = {}  # by waits of the current ordinal
    current = _NEVER
    for action in program.actions:
        if action.ordinal != current:
            waited |= pending
            pending, current = {}, action.ordinal
        own = dict.fromkeys(action.waits, action.ordinal - 1)
        pending |= own
        clock = {HOST: action.ordinal - 1, **waited, **own}
        if action.engine != HOST:
            clock[action.engine] = action.ordinal - 1
        clocks.append(clock)
    return clocks


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
    allowed = _allowed(program, policy)
    symbolic = any(program.buffers[b].size is not None for b in items)
    kinds = [_kind(program.buffers[b], types, position) for position, b in enumerate(items)]
    before = [0] * len(items)
    for i, first in enumerate(items):
        for j, second in enumerate(items):
            if i == j or kinds[i] != kinds[j] or not allowed(first, second):
                continue
            if not symbolic or one_holds_both(program, first, second):
                before[i] |= 1 << j
    return Conflicts(program, policy, types, items, tuple(before), symbolic)


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


def _allowed(program: Program, policy: Policy) -> Callable[[int, int], bool]:
    """The policy as a predicate: may the first buffer (an index) precede the second in one slot?"""
    order = Order(program)
    lives = program_order_lives(program)
    hosted = program.host_accessed

    def disjoint(first: int, second: int) -> bool:
        empty = lives[first] == lives[second] == EMPTY_LIFE
        return lives[first][1] < lives[second][0] or (empty and first < second)

    match policy:
        case Policy.PROGRAM_ORDER:
            return disjoint
        case Policy.HAPPENS_BEFORE:
            return order.before
        case Policy.HOST_EXCLUSIVE:
            return lambda a, b: a not in hosted and b not in hosted and disjoint(a, b) and order.before(a, b)


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
