"""Which engine an op runs on, and the events that it records and awaits, by its profile rule.

A queue that an op names is an engine of its own: `stream:side` by an attribute, `stream:0` by a constant, `stream#1` by
an SSA value (numbered as they occur, so that two functions that match op by op have the same names). Two values are
taken as two queues; they may be one, which orders more. `stream?1` is a queue that is not known: nothing is in order
with it.

Tokens are events that one op records, once. Where a profile says no more than that (`queue_from = "tokens"`), ops are
ordered by their tokens alone, and each could be an engine of its own. To have few of them, an op goes on the engine of
a token that it awaits, if nothing else has yet, or on one where everything is over when the host comes to the op: that
orders only what is ordered anyway (a decomposition into chains: Dilworth 1950).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import cast

from xdsl.dialects import builtin, func
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from smtalloc.mlir.profile import TOKENS, OpRule, Profile, Selector
from smtalloc.mlir.reader import location_of, value_name
from smtalloc.mlir.scalars import constant_value
from smtalloc.program import HOST

_CASTS = frozenset({"builtin.unrealized_conversion_cast", "arith.index_cast", "arith.extui", "arith.extsi"})
"""Ops of one operand whose result names the same queue or event."""
EVERY = "*"
"""Behind an engine's name in `waits`: all its queues that the function uses."""


@dataclass(frozen=True, slots=True)
class Where:
    """The engine of one op. `forgets` are events that it may record in a way that is not known."""

    engine: str
    waits: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    awaits: tuple[str, ...] = ()
    forgets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Handle:
    """What names a queue or an event. Two of one kind other than "value" are two different ones."""

    kind: str
    key: Hashable
    text: str

    def may_be(self, other: Handle) -> bool:
        """May both name the same?"""
        if self.kind == other.kind and self.kind != "value":
            return self.key == other.key
        return {self.kind, other.kind} != {"argument", "fresh"} and "token" not in (self.kind, other.kind)


@dataclass
class _Chain:
    """An engine of ops that are ordered by tokens. `tail` are the events of the last op on it."""

    number: int
    base: str
    engine: str
    tail: frozenset[str] = frozenset()


@dataclass
class Engines:
    """The engines of one function, while its ops are gone through in order."""

    profile: Profile
    function: func.FuncOp
    identity: Callable[[SSAValue], tuple[SSAValue, int]]
    """Where a value comes from, and how often that was defined before (in a run in which it may be several times)."""
    assume: Callable[[str], None]
    unclear: bool = False
    """May more be ordered than is known?"""
    _used: dict[str, dict[str, Handle | None]] = field(default_factory=dict[str, dict[str, "Handle | None"]])
    _numbers: dict[tuple[str, Hashable], str] = field(default_factory=dict[tuple[str, Hashable], str])
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    _handles: dict[str, Handle] = field(default_factory=dict[str, Handle])
    """Events that are recorded again and again (no tokens), by name."""
    _recorded: set[str] = field(default_factory=set[str])
    _tokens: dict[Hashable, str] = field(default_factory=dict[Hashable, str])
    _members: dict[Hashable, list[str]] = field(default_factory=dict[Hashable, list[str]])
    _behind: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What the op that recorded an event had awaited."""
    _over: set[str] = field(default_factory=set[str])
    """Events that the host has waited for."""
    _chains: list[_Chain] = field(default_factory=list[_Chain])
    _tails: dict[str, _Chain] = field(default_factory=dict[str, _Chain])
    _idle: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    # --- one op --------------------------------------------------------------------------------------------------

    def place(self, op: Operation, rule: OpRule, *, touches: bool) -> Where:
        """An op of a straight line, in its turn. `touches`: does it access memory?"""
        awaits = awaited = self.awaited(op, rule)
        waits = self._waits(op, rule, nested=False)
        self._add_to_group(op, rule)
        tokens, named, engine = self._records(op, rule)
        if engine != HOST and not touches and not awaits and rule.queue_from == TOKENS:
            engine = HOST  # it is over at once
        if engine == HOST:
            self._host_awaits(awaits)
            self._over |= set(tokens)
        elif rule.queue_from == TOKENS and getattr(op, "async_object", None) is None:
            engine, awaits = self._chain(engine, awaits, tokens)
        else:
            engine = self._queue(op, rule, engine, nested=False)
        records = (*tokens, *(self._event(handle) for handle in named))
        self._behind |= dict.fromkeys(tokens, awaited)
        forgets = tuple(name for handle in named for name in self._others(handle))
        self._recorded |= set(records)
        return Where(engine, waits, records, awaits, forgets)

    def place_nested(self, op: Operation, rule: OpRule) -> tuple[Where, ...]:
        """An op that may run any number of times: what it awaits orders nothing, what it records may be anything.

        On a queue that is not known its runs may overlap: then it is on two of those.
        """
        _, named, engine = self._records(op, rule)
        waits = self._waits(op, rule, nested=True)
        self.unclear |= bool(rule.awaits)
        base = engine
        if engine != HOST:
            engine = self._queue(op, rule, engine, nested=True)
        forgets = tuple(name for handle in named for name in (self._event(handle), *self._others(handle)))
        engines = self.overlapping(base, op) if "?" in engine else (engine,)
        return tuple(Where(engine, waits, forgets=forgets) for engine in engines)

    def place_on_path(self, op: Operation, rule: OpRule) -> Where:
        """An op where paths are followed (smtalloc/flow.py): each time it runs it records anew what it records.

        A token is recorded before it is awaited on every path, since its op dominates; another event only counts if
        it is the same one each time. A queue that is not known is in order with nothing, not even with itself.
        """
        awaits = self.awaited(op, rule)
        self._add_to_group(op, rule)
        tokens, named, engine = self._records(op, rule)
        waits = self._waits(op, rule, nested=True)
        if engine != HOST:
            engine = self._queue(op, rule, engine, nested=True)
        known = [handle for handle in named if self._is_one(handle)]
        records = (*tokens, *map(self._event, known))
        forgets = [name for handle in named for name in self._others(handle)]
        forgets += [self._event(handle) for handle in named if handle not in known]
        self._recorded |= set(records)
        return Where(engine, waits, records, awaits, tuple(dict.fromkeys(forgets)))

    def awaited(self, op: Operation, rule: OpRule) -> tuple[str, ...]:
        """The events that the op awaits, as far as they are known."""
        return tuple(dict.fromkeys(self._awaited(op, rule)))

    def anywhere(self, op: Operation) -> tuple[str, ...]:
        """The engines of an op that may run on any of them, any number of times."""
        found: list[str] = [HOST]
        for queue in self.profile.queues:
            found += self.overlapping(queue, op) if queue in self._divided else (queue,)
        return tuple(found)

    def overlapping(self, base: str, op: Operation) -> tuple[str, str]:
        """Two engines with which nothing is in order, for an op whose own runs may overlap as well."""
        return self.unknown(base, op), self.unknown(base, (op, "again"))

    def forgotten(self) -> tuple[str, ...]:
        """The events that code which nobody knows may record again."""
        return tuple(sorted(self._recorded & self._handles.keys()))

    def expanded(self, waits: Sequence[str]) -> tuple[str, ...]:
        """`waits` with the queues for `EVERY` one of an engine; asked at the end of the function."""
        found: list[str] = []
        for queue in waits:
            base = queue.removesuffix(EVERY)
            found += [queue] if base == queue else [base, *self._used.get(base, ())]
        return tuple(dict.fromkeys(found))

    def may_be_one(self) -> bool:
        """May two queues with different names be one?"""
        queues = ([handle for handle in used.values() if handle is not None] for used in self._used.values())
        return any(one.may_be(other) for handles in queues for one, other in combinations(handles, 2))

    def unknown(self, base: str, key: Hashable) -> str:
        """A queue with which nothing is in order; one for each key."""
        self.unclear = True
        name = self._numbered(base, "?", ("unknown", key))
        self._used.setdefault(base, {}).setdefault(name, None)
        return name

    # --- queues --------------------------------------------------------------------------------------------------

    def _queue(self, op: Operation, rule: OpRule, base: str, *, nested: bool) -> str:
        if rule.queue_from is None or rule.queue_from == TOKENS:
            return self.unknown(base, op) if rule.queue_from == TOKENS else base
        handle = self._handle(op, rule.queue_from)
        if handle is None or (nested and not self._is_stable(op, rule.queue_from)):
            self.assume(f"the queue of {op.name} at {location_of(op)} is not known: nothing is in order with it")
            return self.unknown(base, op)
        name = f"{base}:{handle.text}"
        if handle.kind not in ("attribute", "constant"):
            name = self._numbered(base, "#", handle.key)
        self._used.setdefault(base, {}).setdefault(name, handle)
        return name

    def _waits(self, op: Operation, rule: OpRule, *, nested: bool) -> tuple[str, ...]:
        if rule.queue_from is None or rule.queue_from == TOKENS:
            return tuple(queue + EVERY if queue in self._divided else queue for queue in rule.waits)
        if not rule.waits:
            return ()
        named = tuple(self._queue(op, rule, queue, nested=nested) for queue in rule.waits)
        return tuple(name for name in named if "?" not in name)

    @cached_property
    def _divided(self) -> frozenset[str]:
        """Engines of which ops name the queues."""
        rules = [rule for rule in self.profile.rules.values() if rule.queue_from is not None]
        return frozenset(engine for rule in rules for engine in (rule.engine, rule.async_engine, *rule.waits))

    def _numbered(self, base: str, mark: str, key: Hashable) -> str:
        known = self._numbers.get((base, key))
        if known is None:
            self._counts[base + mark] = self._counts.get(base + mark, 0) + 1
            known = self._numbers[base, key] = f"{base}{mark}{self._counts[base + mark]}"
        return known

    def _is_stable(self, op: Operation, selector: Selector) -> bool:
        """Is it the same queue each time the op runs?"""
        if not isinstance(selector, int):
            return True
        value = _resolved(op.operands[selector])
        entry = self.function.body.blocks[0]
        return (
            value.owner is entry
            or (isinstance(value, OpResult) and value.op.parent_block() is entry)
            or (constant_value(value) is not None)
        )

    def _is_one(self, handle: Handle) -> bool:
        """Does it name the same event each time?"""
        key = handle.key
        value = cast("tuple[object, int]", key)[0] if isinstance(key, tuple) else None
        return handle.kind in ("attribute", "constant", "argument") or (
            isinstance(value, OpResult) and value.op.parent_block() is self.function.body.blocks[0]
        )

    # --- handles and events --------------------------------------------------------------------------------------

    def _handle(self, op: Operation, selector: Selector) -> Handle | None:
        """What an operand or attribute names; None if the op does not have it."""
        if not isinstance(selector, int):
            attribute = op.attributes.get(selector, op.properties.get(selector))
            if attribute is None:
                return None
            text = attribute.data if isinstance(attribute, builtin.StringAttr) else str(attribute)
            return Handle("attribute", text, text)
        return self._handle_of(op.operands[selector]) if selector < len(op.operands) else None

    def _handle_of(self, value: SSAValue) -> Handle:
        constant = constant_value(value)
        if constant is not None:
            return Handle("constant", constant, str(constant))
        value = _resolved(value)
        identity = self.identity(value)
        if identity in self._tokens:
            return Handle("token", identity, self._tokens[identity])
        root = identity[0]
        kind = "value"
        if isinstance(root, BlockArgument) and root.owner is self.function.body.blocks[0]:
            kind = "argument"
        elif isinstance(root, OpResult) and self.profile.rule(root.op.name).fresh:
            kind = "fresh"
        return Handle(kind, identity, value_name(value))

    def _event(self, handle: Handle) -> str:
        """The event's name in actions."""
        if handle.kind == "token":
            return handle.text
        name = self._names(handle)
        self._handles[name] = handle
        return name

    def _names(self, handle: Handle) -> str:
        """Unique, and readable where it can be."""
        key = ("event", (handle.kind, handle.key))
        if key not in self._numbers:
            taken = set(self._numbers.values())
            text, number = handle.text, 2
            while text in taken:
                text, number = f"{handle.text} ({number})", number + 1
            self._numbers[key] = text
        return self._numbers[key]

    def _records(self, op: Operation, rule: OpRule) -> tuple[tuple[str, ...], list[Handle], str]:
        """(tokens, events that may be recorded again, the engine of such an op)."""
        tokens: list[str] = []
        named: list[Handle] = []
        for selector in rule.records:
            if isinstance(selector, str) and selector.startswith("!"):
                for result in op.results:
                    if is_of_type(result, selector):
                        identity = self.identity(result)
                        handle = Handle("token", identity, value_name(result))
                        self._tokens[identity] = self._names(handle)
                        tokens.append(self._tokens[identity])
            elif (handle := self._handle(op, selector)) is not None:
                named.append(handle)
        return tuple(tokens), named, rule.async_engine if rule.async_engine and tokens else rule.engine

    def _awaited(self, op: Operation, rule: OpRule) -> Iterator[str]:
        for selector in rule.awaits:
            if isinstance(selector, str) and selector.startswith("!"):
                handles = [self._handle_of(value) for value in op.operands if is_of_type(value, selector)]
            else:
                handles = [handle for handle in (self._handle(op, selector),) if handle is not None]
            for handle in handles:
                yield from self._events_of(op, handle)

    def _events_of(self, op: Operation, handle: Handle) -> Sequence[str]:
        if handle.key in self._members:
            return self._members[handle.key]
        name = self._event(handle)
        if name in self._recorded:
            return (name,)
        self.unclear = True
        self.assume(f"what {handle.text} stands for, which {op.name} at {location_of(op)} awaits, is not known")
        return ()

    def _others(self, handle: Handle) -> list[str]:
        """Events recorded so far that this may be, under another name."""
        mine = self._event(handle)
        found = [n for n, other in self._handles.items() if n != mine and n in self._recorded and handle.may_be(other)]
        self.unclear |= bool(found)
        return found

    def _add_to_group(self, op: Operation, rule: OpRule) -> None:
        if not rule.adds or max(rule.adds) >= len(op.operands):
            return
        event, group = (self._handle_of(op.operands[at]) for at in rule.adds)
        self._members.setdefault(group.key, []).extend(self._events_of(op, event))

    # --- chains --------------------------------------------------------------------------------------------------

    def _chain(self, base: str, awaits: tuple[str, ...], tokens: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """An engine on which all that is queued comes before the op anyway; what is left to await."""
        found = next((self._tails[event] for event in awaits if event in self._tails), None) or self._idle_chain(base)
        if found is None:
            found = _Chain(len(self._chains), base, self._numbered(base, "#", ("chain", len(self._chains))))
            self._chains.append(found)
            self._used.setdefault(base, {})[found.engine] = None
        for event in found.tail:
            self._tails.pop(event, None)
        left = tuple(event for event in awaits if event not in found.tail and event not in self._over)
        found.tail = frozenset(tokens) or frozenset({f"{found.engine} for good"})
        self._tails |= dict.fromkeys(tokens, found)
        return found.engine, left

    def _idle_chain(self, base: str) -> _Chain | None:
        """The first on which all is over. (One that has been gone on with since is not idle any more.)"""
        idle = self._idle.get(base, [])
        while idle:
            found = self._chains[heapq.heappop(idle)]
            if found.tail <= self._over:
                return found
        return None

    def _host_awaits(self, events: Sequence[str]) -> None:
        """From here on they are over, and with them what their recorders awaited."""
        stack = [*events]
        while stack:
            event = stack.pop()
            if event not in self._over and event not in self._handles:
                self._over.add(event)
                chain = self._tails.get(event)
                if chain is not None and chain.tail <= self._over:
                    heapq.heappush(self._idle.setdefault(chain.base, []), chain.number)
                stack += self._behind.get(event, ())


def _resolved(value: SSAValue) -> SSAValue:
    while isinstance(value, OpResult) and value.op.name in _CASTS and len(value.op.operands) == 1:
        value = value.op.operands[0]
    return value


def is_of_type(value: SSAValue, selector: str) -> bool:
    """Is the value of the type, or of one with parameters: "!async.value" is any `!async.value<...>`?"""
    text = str(value.type)
    return text == selector or text.startswith(selector + "<")
