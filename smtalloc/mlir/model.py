"""A function of a module -> Program: roots, aliases, actions.

Ordinals are the positions of ops in the entry block. An op with regions that the profile does not describe is one
item there: all that its nested host ops touch is one host action, all that its device ops touch one action per queue,
none of them ordered among themselves, and waits inside order nothing. That covers every number of iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from xdsl.dialects import builtin, func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from smtalloc.mlir.aliases import VIEWS, Ref, Refs, accesses, flow, is_memref, merge, view_refs
from smtalloc.mlir.constants import argument_values, global_values
from smtalloc.mlir.effects import Effect, effects
from smtalloc.mlir.profile import UNKNOWN_OP, OpRule, Profile
from smtalloc.mlir.reader import location_of, value_name
from smtalloc.mlir.roots import Root, RootTable
from smtalloc.mlir.scalars import constant_value
from smtalloc.mlir.sizes import Assumed, with_sizes
from smtalloc.mlir.values import is_pure
from smtalloc.program import HOST, Access, Action, Number, Program

_QUIET = frozenset({"cf.assert", "func.constant", "linalg.index"})  # without a rule, and without any effect on memory
_STRUCTURED = ("scf.", "affine.")  # these do nothing but run their regions
_WIDEN = 2  # round of a loop body from which loop-carried aliases lose their byte ranges


@dataclass(frozen=True, slots=True)
class Dealloc:
    """A `dealloc` of what `refs` name, at an ordinal of the entry block."""

    ordinal: int
    refs: Refs
    op: Operation


@dataclass(frozen=True)
class FunctionModel:
    """A function, its Program, and how the two belong together."""

    func: func.FuncOp
    profile: Profile
    program: Program
    roots: tuple[Root, ...]
    refs: dict[SSAValue, Refs]
    deallocs: tuple[Dealloc, ...]
    loose_frees: frozenset[int]
    """Buffers that some op frees inside a region, or in a function of several blocks: when is not followed."""
    outer_frees: frozenset[int]
    """Those of them that were not allocated in the block that frees them."""
    retaken: frozenset[int]
    """Pools that the function takes more than once: the second time may free what the first gave."""
    escaped: frozenset[int]
    """Buffers that other code may keep."""
    calls: bool
    """Does the function run code that is not looked at (calls, unknown ops)?"""

    @property
    def entry(self) -> Block:
        return self.func.body.blocks[0]


def functions(module: builtin.ModuleOp) -> list[func.FuncOp]:
    """The functions of a module that have a body, in order."""
    return [op for op in module.body.walk() if isinstance(op, func.FuncOp) and op.body.blocks]


def model_function(
    function: func.FuncOp, profile: Profile, *, split_views: bool = False, assumed: Assumed | None = None
) -> FunctionModel:
    """Read one function as a Program.

    `split_views`: each `memref.view` of memory that is handed out in pieces (a pool, host scratch) is a buffer of its
    own, as if it had been allocated. That is the program that the layout of the pool was made for. `assumed` are
    bounds on dimensions.
    """
    model = ProgramReader(function, profile, split_views).run()
    return replace(model, program=with_sizes(model.program, model.roots, function, profile, assumed or {}))


class ProgramReader(RootTable):
    """Reads the ops of a function, one after the other: aliases, roots, actions."""

    def __init__(self, function: func.FuncOp, profile: Profile, split_views: bool) -> None:
        super().__init__(function, profile)
        self.split_views = split_views
        self.actions: list[Action] = []
        self.deallocs: list[Dealloc] = []
        self.loose_frees: set[int] = set()
        self.outer_frees: set[int] = set()
        self.escaped: set[int] = set()
        self.calls = False
        self.hidden_waits = False
        self.assumptions: dict[str, None] = {}
        self.names: dict[SSAValue, str] = {}
        self.computed: dict[object, str] = {}

    def run(self) -> FunctionModel:
        blocks = list(self.function.body.blocks)
        for argument in blocks[0].args:
            if is_memref(argument):
                self._root(argument, argument, None, external=True)
        if len(blocks) == 1:
            for ordinal, op in enumerate(blocks[0].ops):
                self._entry_op(op, ordinal)
        else:
            self._several_blocks(blocks)
        return FunctionModel(
            self.function,
            self.profile,
            self.program(),
            tuple(draft.root for draft in self.drafts),
            self.refs,
            tuple(self.deallocs),
            frozenset(self.loose_frees),
            frozenset(self.outer_frees),
            self.unclear_pools(),
            frozenset(self.escaped),
            self.calls,
        )

    def program(self) -> Program:
        """What was read so far."""
        buffers = tuple(draft.finished() for draft in self.drafts)
        return Program(
            self.function.sym_name.data,
            buffers,
            tuple(self.actions),
            tuple(self.assumptions),
            self._inputs(),
            frozenset(
                d.buffer.name for d in self.drafts if d.root.op is not None and d.root.op.name == "memref.get_global"
            ),
            self.hidden_waits,
        )

    def _inputs(self) -> tuple[tuple[str, tuple[Number, ...]], ...]:
        arguments = self.function.body.blocks[0].args
        found = {value_name(arguments[at]): value for at, value in argument_values(self.function).items()}
        for draft in self.drafts:
            if draft.root.op is not None and draft.root.op.name == "memref.get_global":
                value = global_values(draft.root.op)
                if value is not None:
                    found[draft.buffer.name] = value
        return tuple(found.items())

    # --- entry block -------------------------------------------------------------------------------------

    def _entry_op(self, op: Operation, ordinal: int) -> None:
        if op.next_op is None and not op.successors:  # func.return, or some other dialect's
            self._return(op)
        if isinstance(op, func.ReturnOp):
            return
        found = self._trace(op, nested=False)
        rule = self.profile.rule(op.name)
        if rule.frees is not None and rule.frees < len(op.operands):
            refs = self._refs(op.operands[rule.frees])
            self.deallocs.append(Dealloc(ordinal, refs, op))
            if len(refs) > 1 or op.name != "memref.dealloc":
                for ref in refs:
                    self.drafts[ref.root].reasons.append(f"freed by {op.name} at {location_of(op)}")
        self._emit(op, ordinal, found, composite=self._is_composite(op))

    def _return(self, op: Operation) -> None:
        for value in op.operands:
            for ref in self._refs(value):
                self.drafts[ref.root].live_out = True

    def _several_blocks(self, blocks: Sequence[Block]) -> None:
        """Control flow between blocks is not followed: everything may happen at any time, in any number."""
        self.assumptions["the function has several blocks: every access is taken to be possible at any time"] = None
        everything: list[Effect] = []
        arguments = [argument for block in blocks[1:] for argument in block.args if is_memref(argument)]
        stable = False
        while not stable:  # blocks need not stand in the order in which they run
            before = self._known()
            everything = [e for block in blocks for op in block.ops for e in self._trace(op, nested=True)]
            stable = self._carry_between(blocks, arguments) and self._known() == before
        for block in blocks:
            if block.last_op is not None and not block.last_op.successors:
                self._return(block.last_op)
        for draft in self.drafts:
            draft.reasons.append("the function has several blocks")
        self._emit(self.function, 0, everything, composite=True)

    def _carry_between(self, blocks: Sequence[Block], arguments: Sequence[SSAValue]) -> bool:
        """Block arguments may be any memref that some terminator hands on. True once that adds nothing."""
        passed = [v for b in blocks if b.last_op is not None for v in b.last_op.operands if is_memref(v)]
        refs = merge(ref.anywhere() for value in passed for ref in self._refs(value))
        stable = all(self.refs.get(argument) == refs for argument in arguments)
        for argument in arguments:
            self._set(argument, refs)
        return stable

    # --- any op ------------------------------------------------------------------------------------------

    def _is_composite(self, op: Operation) -> bool:
        return bool(op.regions) and (not self.profile.rule(op.name).known or _uses_memory(op))

    def _trace(self, op: Operation, nested: bool) -> list[Effect]:
        """Aliases of the op's results, new roots, and its effects (with those of the ops inside it)."""
        rule = self.profile.rule(op.name)
        self._name_results(op)
        if rule.root and op.results:
            self._allocate(op, nested)
            return []
        if self.split_views and op.name == "memref.view" and self._is_handed_out(op.operands[0]):
            self._root(op.results[0], op.results[0], op, external=False)
            return []
        if op.name in VIEWS:
            self._set(op.results[0], view_refs(op, self._refs(op.operands[0]), self.profile))
            return effects(op, rule, self.profile, self._operand_accesses) if rule.known else []
        if op.name == "arith.select" and is_memref(op.results[0]):
            self._set(op.results[0], merge(ref for v in op.operands[1:] for ref in self._refs(v)))
            return []
        if rule.frees is not None and rule.frees < len(op.operands):
            if nested:
                for ref in self._refs(op.operands[rule.frees]):
                    self.loose_frees.add(ref.root)
                    origin = self.drafts[ref.root].root.op
                    if origin is None or origin.parent_block() is not op.parent_block():
                        self.outer_frees.add(ref.root)
                    self.drafts[ref.root].reasons.append(f"freed inside a region at {location_of(op)}")
            return []
        if self._is_composite(op):
            return self._regions(op)
        if op.has_trait(IsTerminator):
            return []  # hands values on: `flow` follows them
        found = effects(op, rule, self.profile, self._operand_accesses)
        if not rule.known or rule.engine == "any":
            self._unknown(op, rule.known)
        self._results_from_operands(op)
        return found + self._memrefs_stored(op, rule, found)

    def _regions(self, op: Operation) -> list[Effect]:
        pairs = flow(op)
        branches = any(len(region.blocks) > 1 for region in op.regions)  # then not in the order in which they run
        found: list[Effect] = []
        for round_ in count():
            before = {target: self.refs.get(target, ()) for _, target in pairs}
            known = self._known() if branches else None
            for source, target in pairs:
                # In the first round, what the body hands on has not been met yet.
                sources = self._refs(source) if round_ else self.refs.get(source, ())
                new = (*self.refs.get(target, ()), *sources)
                # From the third round on only the roots count: those are finitely many, so this ends.
                self._set(target, merge(ref.anywhere() if round_ >= _WIDEN else ref for ref in new))
            found = [e for region in op.regions for b in region.blocks for o in b.ops for e in self._trace(o, True)]
            if branches:
                if round_ and self._known() == known:
                    break
            elif not pairs or (round_ and all(self.refs.get(target, ()) == refs for target, refs in before.items())):
                break
        if not op.name.startswith(_STRUCTURED):
            found += effects(op, UNKNOWN_OP, self.profile, self._operand_accesses)
            self._unknown(op, known=False)
            found += self._captured(op)
        return found

    def _known(self) -> tuple[int, dict[SSAValue, Refs]]:
        """All that is known of aliases: as long as it changes, what was read before is not final."""
        return len(self.drafts), dict(self.refs)

    def _captured(self, op: Operation) -> list[Effect]:
        """Memrefs that the body of an op nobody knows uses: when it runs, where, and how long it keeps them is open."""
        captured = [v for region in op.regions for o in region.walk() for v in o.operands if is_memref(v)]
        for value in captured:
            for ref in self._refs(value):
                self._escapes(ref.root, op)
        if captured:
            self.assumptions[
                f"the body of {op.name} at {location_of(op)} uses memory: on every engine, at any time"
            ] = None
        accesses = tuple(replace(a, may=True) for v in captured for a, _ in self._operand_accesses(v))
        return [Effect("any", accesses, accesses)] if accesses else []

    def _unknown(self, op: Operation, known: bool) -> None:
        """Operands escape."""
        memrefs = [value for value in op.operands if is_memref(value)]
        self.calls |= known or bool(memrefs) or not (is_pure(op) or op.name in _QUIET)
        for value in memrefs:
            for ref in self._refs(value):
                self._escapes(ref.root, op)
        if memrefs:
            what = "calls other code" if known else "is not in the profile"
            self.assumptions[
                f"{op.name} at {location_of(op)} {what}: taken to read and write its operands on every engine, "
                "and to keep them"
            ] = None

    def _results_from_operands(self, op: Operation) -> None:
        """A memref that an op returns may be any of its operands, or memory from elsewhere."""
        for result in op.results:
            if is_memref(result):
                own = self._root(result, result, op, external=True)
                aliases = [ref.anywhere() for value in op.operands for ref in self._refs(value)]
                aliases += [Ref(root, None) for root in sorted(self.escaped)]
                size = self.drafts[own].buffer.size_bytes
                fresh = Ref(own, 0, 0, size, whole=True) if not aliases else Ref(own, None)
                self._set(result, merge([*aliases, fresh]))

    def _memrefs_stored(self, op: Operation, rule: OpRule, found: list[Effect]) -> list[Effect]:
        """A memref that an op takes but does not access as memory (stored into another memref) escapes."""
        if rule.engine == "none":
            return []
        touched = {a.buffer for effect in found for a in (*effect.reads, *effect.writes)}
        kept = [v for v in op.operands if any(ref.root not in touched for ref in self._refs(v))]
        for value in kept:
            for ref in self._refs(value):
                self._escapes(ref.root, op)
        accesses = tuple(replace(a, may=True) for v in kept for a, _ in self._operand_accesses(v))
        return [Effect("any", accesses, accesses)] if accesses else []

    def _escapes(self, root: int, op: Operation) -> None:
        """From here on somebody else may use it: it stays where it is, and lives to the end."""
        self.drafts[root].reasons.append(f"escapes through {op.name} at {location_of(op)}")
        self.drafts[root].live_out = True
        self.escaped.add(root)

    # --- scalars and actions ------------------------------------------------------------------------------------

    def _operand_accesses(self, value: SSAValue) -> list[tuple[Access, bool]]:
        return accesses(value, self._refs(value), self.profile)

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
            engines = (HOST, *self.profile.queues) if effect.engine == "any" else (effect.engine,)
            for engine in engines:
                by_engine.setdefault(engine, []).append(effect)
        for engine in (HOST, *self.profile.queues):
            parts = by_engine.get(engine)
            if not parts:
                continue
            # One access per operand, also where two are equal: validation pairs those of BEFORE and AFTER by position.
            reads = tuple(a for e in parts for a in e.reads)
            writes = tuple(a for e in parts for a in e.writes)
            if composite:
                writes = tuple(dict.fromkeys(replace(a, may=True) for a in writes))
                reads = tuple(dict.fromkeys((*(replace(a, may=True) for a in reads), *writes)))
            waits = tuple(q for e in parts for q in e.waits)
            if composite and waits:
                waits, self.hidden_waits = (), True
            if reads or writes or waits:
                self.actions.append(
                    Action(
                        ordinal, engine, op.name, reads, writes, waits,
                        () if composite else self._scalars(op),
                        () if composite else _attributes(op),
                        () if composite or writes or len(reads) != 1 else self._read_results(op),
                        location_of(op),
                    )
                )  # fmt: skip


def _attributes(op: Operation) -> tuple[tuple[str, str], ...]:
    """What a kernel of replay.py may need; linalg's maps, long and never replayed by kernel, are left out."""
    if op.name.startswith("linalg."):
        return ()
    return tuple(sorted((name, str(value)) for name, value in op.attributes.items() if name != "smtalloc.syntax"))


def _uses_memory(op: Operation) -> bool:
    """Does the body of an op handle memrefs, or call what may?"""
    inside = (o for region in op.regions for o in region.walk())
    return any(o.name.startswith("func.") or any(is_memref(v) for v in (*o.operands, *o.results)) for o in inside)
