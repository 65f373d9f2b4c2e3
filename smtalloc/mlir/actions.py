"""The actions of a function while it is being read: effects on engines, with names for scalars."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from smtalloc.mlir.aliases import accesses, is_memref
from smtalloc.mlir.effects import Effect
from smtalloc.mlir.engines import Engines, Where
from smtalloc.mlir.profile import OpRule, Profile
from smtalloc.mlir.reader import location_of, value_name
from smtalloc.mlir.roots import RootTable
from smtalloc.mlir.scalars import constant_value
from smtalloc.mlir.values import is_pure
from smtalloc.program import HOST, Access, Action


class ActionList(RootTable):
    """The actions so far, and the engines that they run on."""

    def __init__(self, function: func.FuncOp, profile: Profile) -> None:
        super().__init__(function, profile)
        self.actions: list[Action] = []
        self.hidden_waits = False
        self.assumptions: dict[str, None] = {}
        self.names: dict[SSAValue, str] = {}
        self.computed: dict[object, str] = {}
        self.engines = Engines(profile, function, self._identity, self._assume)
        self.on_engine = ""
        """The engine of the op whose steps are being read."""

    def _identity(self, value: SSAValue) -> tuple[SSAValue, int]:
        """Each value is defined once, as far as this reader follows."""
        return value, 0

    def _assume(self, what: str) -> None:
        self.assumptions[what] = None

    def _placed(self, op: Operation, rule: OpRule, found: list[Effect], nested: bool) -> list[Effect]:
        """The effects of an op with a rule on the engine where it runs."""
        if not found or not rule.known or rule.engine in ("any", "none"):
            return found
        if self.on_engine:
            awaits = self.engines.awaited(op, rule)
            return [replace(effect, engine=self.on_engine, waits=(), awaits=awaits) for effect in found]
        touches = any(effect.reads or effect.writes for effect in found)
        places = self._places(op, rule, touches=touches, nested=nested)
        placed = [
            Effect(where.engine, e.reads, e.writes, where.waits, where.records, where.awaits)
            for where in places
            for e in found
        ]
        return placed + ([Effect(HOST, (), (), records=places[0].forgets)] if places[0].forgets else [])

    def _places(self, op: Operation, rule: OpRule, *, touches: bool, nested: bool) -> tuple[Where, ...]:
        return self.engines.place_nested(op, rule) if nested else (self.engines.place(op, rule, touches=touches),)

    def _allocation(self, op: Operation, rule: OpRule, nested: bool) -> list[Effect]:
        """An allocation that a queue does in its turn: whatever is to use the memory must come behind it."""
        if not rule.records and not rule.awaits:
            return []
        given = tuple(a for a, _ in self._operand_accesses(op.results[0])) if len(op.results) > 1 else ()
        return self._placed(op, rule, [Effect(rule.engine, (), given)], nested)

    # --- scalars and actions ------------------------------------------------------------------------------------

    def _operand_accesses(self, value: SSAValue) -> list[tuple[Access, bool]]:
        refs = self._refs(value)
        self.outdated += [ref for ref in refs if ref.taken < self.times_outgrown.get(ref.root, 0)]
        return self._also(accesses(value, refs, self.profile))

    def _scalars(self, op: Operation) -> tuple[str, ...]:
        """The operands that are no memrefs, by name; constants by value."""
        scalars = [value for value in op.operands if not is_memref(value)]
        constants = [constant_value(value) for value in scalars]
        return tuple(self._scalar_name(v) if c is None else str(c) for v, c in zip(scalars, constants, strict=True))

    def _scalar_name(self, value: SSAValue) -> str:
        """One name for all scalars that are computed in the same way."""
        return self.names.get(value) or value_name(value)

    def _name_results(self, op: Operation) -> None:
        """A pure op gives what it gave before to the same operands."""
        if not is_pure(op):
            return
        attributes = sorted((k, str(v)) for k, v in (*op.properties.items(), *op.attributes.items()))
        operands = tuple(self._scalar_name(v) if not is_memref(v) else str(id(v)) for v in op.operands)
        for position, result in enumerate(op.results):
            key = (op.name, position, str(result.type), str(attributes), operands)
            if key not in self.computed:
                self.computed[key] = self._fresh_name(result)
            self.names[result] = self.computed[key]

    def _fresh_name(self, value: SSAValue) -> str:
        return value_name(value)

    def _read_results(self, op: Operation) -> tuple[str, ...]:
        return tuple(self._scalar_name(r) for r in op.results if not is_memref(r))

    def _emit(self, op: Operation, ordinal: int, found: Iterable[Effect], composite: bool) -> None:
        by_engine: dict[str, list[Effect]] = {}
        for effect in found:
            engines = self.engines.anywhere(op) if effect.engine == "any" else (effect.engine,)
            for engine in engines:
                by_engine.setdefault(engine, []).append(effect)
        for engine in sorted(by_engine, key=self._rank):
            parts = by_engine[engine]
            # One access per operand, also where two are equal: validation pairs those of BEFORE and AFTER by position.
            reads = tuple(a for e in parts for a in e.reads)
            writes = tuple(a for e in parts for a in e.writes)
            if composite:
                writes = tuple(dict.fromkeys(replace(a, may=True) for a in writes))
                reads = tuple(dict.fromkeys((*(replace(a, may=True) for a in reads), *writes)))
            waits = tuple(q for e in parts for q in e.waits)
            awaits = tuple(dict.fromkeys(event for e in parts for event in e.awaits))
            records = tuple(dict.fromkeys(event for e in parts for event in e.records))
            if composite and (waits or awaits):
                waits, awaits, self.hidden_waits = (), (), True
            if reads or writes or waits or records or awaits:
                self.actions.append(
                    Action(
                        ordinal, engine, op.name, reads, writes, waits,
                        () if composite else self._scalars(op),
                        () if composite else _attributes(op),
                        () if composite or writes or len(reads) != 1 else self._read_results(op),
                        location_of(op), records, awaits,
                    )
                )  # fmt: skip

    def _rank(self, engine: str) -> tuple[bool, int]:
        """The host first, then the queues in the order of the profile."""
        bases = [queue for queue in self.profile.queues if engine == queue or engine[len(queue) :][:1] in tuple(":#?")]
        return engine != HOST, self.profile.queues.index(bases[0]) if bases else len(self.profile.queues)


def _attributes(op: Operation) -> tuple[tuple[str, str], ...]:
    """What a kernel of replay.py may need; linalg's maps, long and never replayed by kernel, are left out."""
    if op.name.startswith("linalg."):
        return ()
    return tuple(sorted((name, str(value)) for name, value in op.attributes.items() if name != "smtalloc.syntax"))
