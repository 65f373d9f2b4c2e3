"""Which buffers may share, recomputed from a Program for the independent checker (check.py).

Lives come from the axioms by another algorithm than order.py's vector clocks: the direct rule

    a hb b  iff  a.ordinal < b.ordinal, and a is on the host, or both are on one engine, or some host action c waits
                 for a's queue with a.ordinal < c.ordinal, where c is b or c.ordinal < b.ordinal

For a fixed engine the rule gets harder to satisfy as `a` comes later and easier as `b` comes later, so of each buffer
only the latest actions (as `a`) and the earliest (as `b`) of each engine need to be asked.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import combinations

from smtalloc.check_sizes import size_of
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Action, Buffer, Program


class Rules:
    """Which buffers may share, recomputed from the Program."""

    def __init__(self, program: Program, policy: Policy, types: TypeRule) -> None:
        self.buffers = program.buffers
        self.size_facts = program.size_facts
        self.policy = policy
        self.types = types
        self.end = max((a.ordinal for a in program.actions), default=-1) + 1
        waits: dict[str, set[int]] = {}
        for action in program.actions:
            if action.engine == HOST:
                for queue in action.waits:
                    waits.setdefault(queue, set()).add(action.ordinal)
        self.waits = {queue: sorted(ordinals) for queue, ordinals in waits.items()}
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
        """The direct rule of the module's first lines."""
        if a.ordinal >= b.ordinal:
            return False
        if a.engine in (HOST, b.engine) or (b.engine == HOST and a.engine in b.waits):
            return True
        return self._waited(a) < b.ordinal

    def _waited(self, a: Action) -> float:
        """The ordinal from which on later actions know that `a` has finished."""
        if a.engine == HOST:
            return a.ordinal
        ordinals = self.waits.get(a.engine, [])
        at = bisect_right(ordinals, a.ordinal)
        return ordinals[at] if at < len(ordinals) else float("inf")

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
            if self.buffers[two].live_out and not self.first[two] and self._waited(a) == float("inf"):
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
