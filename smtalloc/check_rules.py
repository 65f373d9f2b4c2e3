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

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from smtalloc.check_sizes import size_of
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Action, Buffer, Program


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
        self.size_facts = program.size_facts
        self.policy = policy
        self.types = types
        self.end = max((a.ordinal for a in program.actions), default=-1) + 1
        self.ahead = Ahead(program.actions)
        self.events = any(action.awaits for action in program.actions)
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
        if a.size is not None or b.size is not None:
            return self._incomparable(a, b)
        dynamic = a.size_bytes is None or b.size_bytes is None
        if dynamic and (a.size_bytes != b.size_bytes or a.size_key != b.size_key or not a.size_key):
            return f"{a.name} and {b.name} are not known to have the same run-time size"
        return None

    def _incomparable(self, a: Buffer, b: Buffer) -> str | None:
        """Why neither size is listed as enough for both. What the list says is shown where a slot uses it."""
        if (a.size_bytes is None) != (b.size_bytes is None):
            return f"the size of {a.name} and that of {b.name} are not both known"
        first, second = (a, b) if a.made_at <= b.made_at else (b, a)
        one, two = size_of(first), size_of(second)
        if one is not None and two is not None:
            if one == two or (two, one) in self.size_facts:
                return None
            if (one, two) in self.size_facts and second.sized_at <= first.made_at:
                return None
        return f"neither the memory of {a.name} nor that of {b.name} is known to be large enough for both"

    def may_share(self, one: int, two: int) -> bool:
        """May they be in one slot under the policy (program order ignores happens-before, as the greedy pass does)?"""
        if self.forbidden(one, two) or self.unlike(one, two):
            return False
        return self.policy is Policy.PROGRAM_ORDER or self.ordered(one, two)

    @cached_property
    def partners(self) -> list[int]:
        """Per buffer, a bit for each buffer that it may share with: `may_share`, for all pairs at once.

        Every part of the rule compares a number of one buffer with a number of the other, so what a buffer may follow
        is the head of a list sorted by that number.
        """
        found = self._alike()
        if self.policy is Policy.HOST_EXCLUSIVE:
            device = sum(1 << b for b, hosted in enumerate(self.hosted) if not hosted)
            found = [mask & device if device >> b & 1 else 0 for b, mask in enumerate(found)]
        if self.policy is not Policy.HAPPENS_BEFORE:
            found = _both(found, self._over_in_program_order())
        if self.policy is not Policy.PROGRAM_ORDER:
            found = _both(found, self._over_in_every_schedule())
        return found

    def _alike(self) -> list[int]:
        """Those that `unlike` has nothing against; external ones with nothing."""
        members: dict[tuple[str, ...], int] = {}
        keys: list[tuple[str, ...]] = []
        for b, buffer in enumerate(self.buffers):
            known = ("known",) if buffer.size_bytes is not None else ("run-time", buffer.size_key)
            size = ("run-time", "by dimensions") if buffer.size is not None and buffer.size_bytes is None else known
            key = (buffer.space, buffer.element_type if self.types is TypeRule.STRICT else "", *size)
            if buffer.pinned or buffer.external or size == ("run-time", ""):
                key = ("alone", str(b))
            keys.append(key)
            members[key] = members.get(key, 0) | 1 << b
        found = [members[key] & ~(1 << b) for b, key in enumerate(keys)]
        for b, buffer in enumerate(self.buffers):
            if buffer.size is None:
                continue
            for other in range(len(self.buffers)):
                if found[b] >> other & 1 and self._incomparable(buffer, self.buffers[other]):
                    found[b] &= ~(1 << other)
                    found[other] &= ~(1 << b)
        return found

    def _over_in_program_order(self) -> list[int]:
        """Per buffer, those whose lives end before its own begins, or that have none."""
        idle = sum(1 << b for b, span in enumerate(self.spans) if span is None)
        ends = _Below([(span[1], b) for b, span in enumerate(self.spans) if span is not None])
        return [idle | (ends.of(span[0]) if span is not None else -1) for span in self.spans]

    def _over_in_every_schedule(self) -> list[int]:
        """Per buffer `two`, those `one` for which `clash(one, two)` is None."""
        if self.events:
            return self._pairwise()
        stays = sum(1 << b for b, buffer in enumerate(self.buffers) if buffer.live_out)
        reached: dict[str, _Below] = {}
        known: dict[str, _Below] = {}
        for engine in {a.engine for actions in self.last for a in actions}:
            last = [(max(a.ordinal for a in actions if a.engine == engine), b) for b, actions in self._on(engine)]
            reached[engine] = _Below(last, rest=len(self.buffers))
            over = [(max(self._waited(a) for a in actions if a.engine == engine), b) for b, actions in self._on(engine)]
            known[engine] = _Below(over, rest=len(self.buffers))
        rows: list[int] = []
        for two, actions in enumerate(self.first):
            row = (1 << len(self.buffers)) - 1
            for b in actions:
                for engine in reached:
                    direct = engine in (HOST, b.engine) or (b.engine == HOST and engine in b.waits)
                    row &= (reached if direct else known)[engine].of(b.ordinal)
            if self.buffers[two].live_out and not actions:
                for late in known.values():
                    row &= late.of(float("inf"))
            rows.append(row & ~stays)
        return rows

    def _pairwise(self) -> list[int]:
        """The same where events let queues wait for each other: pair by pair."""
        everything = range(len(self.buffers))
        return [sum(1 << one for one in everything if self.clash(one, two) is None) for two in everything]

    def _waited(self, a: Action) -> float:
        """The ordinal of the first host action that is surely after `a`, if there is one."""
        known = self.ahead.host_knows(a)
        return float("inf") if known is None else known

    def _on(self, engine: str) -> list[tuple[int, tuple[Action, ...]]]:
        return [(b, actions) for b, actions in enumerate(self.last) if any(a.engine == engine for a in actions)]


class _Below:
    """Buffers by a number each; `of(x)` has those whose number is below x, and of `rest` buffers those without one."""

    def __init__(self, numbered: Iterable[tuple[float, int]], rest: int = 0) -> None:
        held = 0
        found: dict[float, int] = {}
        for number, b in numbered:
            held |= 1 << b
            found[number] = found.get(number, 0) | 1 << b
        self._numbers = sorted(found)
        self._masks = [(1 << rest) - 1 & ~held]
        for number in self._numbers:
            self._masks.append(self._masks[-1] | found[number])

    def of(self, limit: float) -> int:
        return self._masks[bisect_left(self._numbers, limit)]


def _both(kept: list[int], rows: list[int]) -> list[int]:
    """Of the pairs in `kept`, which is symmetric, those that are in `rows` one way round or the other."""
    size = len(rows)
    everything = (1 << size) - 1
    text = "".join(format(row & everything, f"0{size}b") for row in reversed(rows))
    turned = (int(text[size - 1 - b :: size], 2) for b in range(size))  # column b, read from the last row up
    return [mask & (row | column) for mask, row, column in zip(kept, rows, turned, strict=True)]


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
