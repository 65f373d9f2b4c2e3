"""Which buffers may share, recomputed from a Program for the independent checker (check.py).

Lives come from the axioms by another algorithm than order.py's vector clocks, which look back from an action. This one
looks ahead: `Ahead` gives for an action and each engine the first action there that surely comes after it, by going
through the program from its end. Then

    a hb b  iff  b begins behind all actions of some engine up to some ordinal (of the host, of its own queue, of a
                 queue it waits for, of what recorded an event it awaits), and a, or one surely after a, is among them

For a fixed engine that gets harder to satisfy as `a` comes later and easier as `b` comes later, so of each buffer only
the latest actions (as `a`) and the earliest (as `b`) of each engine need to be asked.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Action, Program


class Ahead:
    """What surely comes after an action, by the axioms of program.py's `Action`."""

    def __init__(self, actions: tuple[Action, ...]) -> None:
        self._behind: dict[int, list[tuple[str, int]]] = {}
        """Per action with awaits, by identity: (engine, ordinal up to which it must have finished)."""
        self._awaited: dict[tuple[str, int], list[Action]] = {}
        """Who awaits what an engine recorded at an ordinal."""
        self._after: dict[int, dict[str, int]] = {}
        """Per queue action, by identity: engine -> ordinal of the first action there that is surely after it."""
        self._follow_events(actions)
        self._look_ahead(actions)

    def hb(self, a: Action, b: Action) -> bool:
        """For a of an earlier ordinal."""
        if a.engine in (HOST, b.engine) or (b.engine == HOST and a.engine in b.waits):
            return True
        after = self._after[id(a)]
        if after.get(HOST, b.ordinal) < b.ordinal or after.get(b.engine, b.ordinal) < b.ordinal:
            return True
        if any(after.get(queue, b.ordinal) < b.ordinal for queue in b.waits):
            return True
        return any(
            (a.ordinal if engine == a.engine else after.get(engine, ordinal + 1)) <= ordinal
            for engine, ordinal in self._behind.get(id(b), ())
        )

    def host_knows(self, a: Action) -> int | None:
        """The ordinal of the first host action that is surely after `a`, which is `a` itself on the host."""
        return a.ordinal if a.engine == HOST else self._after[id(a)].get(HOST)

    def _follow_events(self, actions: tuple[Action, ...]) -> None:
        latest: dict[str, set[tuple[str, int]]] = {}
        fresh: dict[str, set[tuple[str, int]]] = {}
        current = None
        for action in actions:
            if action.ordinal != current:
                latest |= fresh
                fresh, current = {}, action.ordinal
            for event in action.awaits:
                for record in sorted(latest.get(event, ())):
                    self._behind.setdefault(id(action), []).append(record)
                    self._awaited.setdefault(record, []).append(action)
            for event in action.records:
                fresh.setdefault(event, set()).add((action.engine, action.ordinal))

    def _look_ahead(self, actions: tuple[Action, ...]) -> None:
        following: dict[str, dict[str, int]] = {}
        """Of each queue: what is after all its actions so far, seen from the end."""
        held: list[Action] = []
        for action in reversed(actions):
            if held and held[0].ordinal != action.ordinal:
                self._pass(held, following)
                held = []
            held.append(action)
        self._pass(held, following)

    def _pass(self, group: list[Action], following: dict[str, dict[str, int]]) -> None:
        """All actions of one ordinal: what is after them, then what they are after."""
        for a in group:
            if a.engine != HOST:
                after = following.get(a.engine, {})
                awaiting = self._awaited.get((a.engine, a.ordinal), ())
                self._after[id(a)] = self._merged([after, *map(self._from, awaiting)]) if awaiting else after
        for a in group:
            if a.engine != HOST:
                following[a.engine] = self._merged([following.get(a.engine, {}), self._from(a)])
        for a in group:
            if a.engine == HOST:
                for queue in a.waits:
                    following[queue] = self._merged([following.get(queue, {}), {HOST: a.ordinal}])

    def _from(self, action: Action) -> dict[str, int]:
        """The action itself, and what is after it; all later actions are after one of the host."""
        if action.engine == HOST:
            return {HOST: action.ordinal}
        return {**self._after[id(action)], action.engine: action.ordinal}

    @staticmethod
    def _merged(parts: list[dict[str, int]]) -> dict[str, int]:
        """The first on each engine; behind the first of the host everything is after it anyway."""
        found: dict[str, int] = {}
        for part in parts:
            for engine, ordinal in part.items():
                found[engine] = min(ordinal, found.get(engine, ordinal))
        limit = found.get(HOST)
        return found if limit is None else {e: n for e, n in found.items() if n <= limit}


class Rules:
    """Which buffers may share, recomputed from the Program."""

    def __init__(self, program: Program, policy: Policy, types: TypeRule) -> None:
        self.buffers = program.buffers
        self.policy = policy
        self.types = types
        self.end = max((a.ordinal for a in program.actions), default=-1) + 1
        self.ahead = Ahead(program.actions)
        touching: list[list[Action]] = [[] for _ in self.buffers]
        for action in program.actions:
            for b in {access.buffer for access in (*action.reads, *action.writes)}:
                touching[b].append(action)
        self.hosted = [any(a.engine == HOST for a in actions) for actions in touching]
        self.first = [_extremes(actions, earliest=True) for actions in touching]
        self.last = [_extremes(actions, earliest=False) for actions in touching]
        self.spans = [self._span(b, actions) for b, actions in enumerate(touching)]

    # -- happens-before --

    def hb(self, a: Action, b: Action) -> bool:
        """The rule of the module's first lines."""
        return a.ordinal < b.ordinal and self.ahead.hb(a, b)

    def clash(self, one: int, two: int) -> tuple[Action | None, Action | None] | None:
        """What keeps buffer `one` from being done before `two` starts: two actions, or None where it is done.

        Returned memory is handed to the caller, who may use it from the host at once. Where nothing here touches
        it, nothing here waits for what was in its place before: every action on that must be known to have finished
        at the end of the function.
        """
        if self.buffers[one].live_out:
            return None, None
        for a in self.last[one]:
            for b in self.first[two]:
                if not self.hb(a, b):
                    return a, b
            if self.buffers[two].live_out and not self.first[two] and self.ahead.host_knows(a) is None:
                return a, None
        return None

    def ordered(self, one: int, two: int) -> bool:
        return self.clash(one, two) is None or self.clash(two, one) is None

    # -- the policies --

    def _span(self, b: int, actions: list[Action]) -> tuple[int, int] | None:
        ordinals = [a.ordinal for a in actions] + [self.end] * self.buffers[b].live_out
        return (min(ordinals), max(ordinals)) if ordinals else None

    def disjoint(self, one: int, two: int) -> bool:
        """Are the lives disjoint as op intervals, engines ignored?"""
        x, y = self.spans[one], self.spans[two]
        return x is None or y is None or x[1] < y[0] or y[1] < x[0]

    def forbidden(self, one: int, two: int) -> str | None:
        """Why the policy keeps two buffers of one slot apart, happens-before aside."""
        name, other = self.buffers[one].name, self.buffers[two].name
        if self.policy is Policy.HOST_EXCLUSIVE and (self.hosted[one] or self.hosted[two]):
            host, rest = (name, other) if self.hosted[one] else (other, name)
            return f"the host accesses {host}, which shares with {rest}"
        if self.policy is not Policy.HAPPENS_BEFORE and not self.disjoint(one, two):
            return f"the lives of {name} and {other} overlap in program order"
        return None

    def unlike(self, one: int, two: int) -> str | None:
        """Why space, type or size keep two buffers apart, whenever they live."""
        a, b = self.buffers[one], self.buffers[two]
        for buffer, other in ((a, b), (b, a)):
            if buffer.pinned:
                return f"{buffer.name} must have memory of its own ({buffer.pinned}), but shares with {other.name}"
        if a.space != b.space:
            return f"{a.name} is in memory space {a.space!r}, {b.name} in {b.space!r}"
        if self.types is TypeRule.STRICT and a.element_type != b.element_type:
            return f"{a.name} holds {a.element_type}, {b.name} {b.element_type}"
        dynamic = a.size_bytes is None or b.size_bytes is None
        if dynamic and (a.size_bytes != b.size_bytes or a.size_key != b.size_key or not a.size_key):
            return f"{a.name} and {b.name} are not known to have the same run-time size"
        return None

    def may_share(self, one: int, two: int) -> bool:
        """May they be in one slot under the policy (program order ignores happens-before, as the greedy pass does)?"""
        if self.forbidden(one, two) or self.unlike(one, two):
            return False
        return self.policy is Policy.PROGRAM_ORDER or self.ordered(one, two)

    @cached_property
    def partners(self) -> list[int]:
        """Per buffer, a bit for each buffer that it may share with."""
        found = [0] * len(self.buffers)
        for one, two in combinations((b for b, buffer in enumerate(self.buffers) if not buffer.external), 2):
            if self.may_share(one, two):
                found[one] |= 1 << two
                found[two] |= 1 << one
        return found


def _extremes(actions: list[Action], *, earliest: bool) -> tuple[Action, ...]:
    """Of each engine, the actions of least (greatest) ordinal. There can be several: of two host actions with one
    ordinal, one may wait for a queue and the other not."""
    best: dict[str, list[Action]] = {}
    for action in actions:
        held = best.setdefault(action.engine, [action])
        if action.ordinal == held[0].ordinal:
            held.append(action)
        elif (action.ordinal < held[0].ordinal) == earliest:
            best[action.engine] = [action]
    return tuple(dict.fromkeys(action for held in best.values() for action in held))
