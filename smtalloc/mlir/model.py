"""A function of a module -> Program: roots, aliases, actions.

Ordinals are the positions of ops in the entry block. An op with regions that the profile does not describe is one
item there: all that its nested host ops touch is one host action, all that its device ops touch one action per queue,
none of them ordered among themselves, and waits inside order nothing. That covers every number of iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from xdsl.dialects import builtin, func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from smtalloc.mlir.actions import ActionList
from smtalloc.mlir.aliases import VIEWS, Ref, Refs, flow, is_memref, merge, view_refs
from smtalloc.mlir.callees import QUIET, leaves_pools_alone
from smtalloc.mlir.constants import argument_values, global_values
from smtalloc.mlir.deallocation import freed_by
from smtalloc.mlir.effects import Effect, effects, realloc_effect
from smtalloc.mlir.launches import kernel_uses
from smtalloc.mlir.profile import UNKNOWN_OP, OpRule, Profile
from smtalloc.mlir.reader import location_of, value_name
from smtalloc.mlir.roots import Root
from smtalloc.mlir.sizes import Assumed, with_sizes
from smtalloc.mlir.values import is_pure
from smtalloc.placement import BLOCKS_UNORDERED, LateUse
from smtalloc.program import HOST, Action, Number, Program

_STRUCTURED = ("scf.", "affine.")  # these do nothing but run their regions
_WIDEN = 2  # round of a loop body from which loop-carried aliases lose their byte ranges


@dataclass(frozen=True, slots=True)
class Dealloc:
    """A `dealloc` of what `refs` name, at an ordinal of the entry block."""

    ordinal: int
    refs: Refs
    op: Operation
    certain: bool = True
    """False where a condition decides that only run time tells."""


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
    retaken: frozenset[int]
    """Pools that the function takes more than once: the second time may free what the first gave."""
    escaped: frozenset[int]
    """Buffers that other code may keep."""
    calls: bool
    """Does the function run code that is not looked at (calls, unknown ops)?"""
    late_uses: tuple[LateUse, ...]
    """Of pools that may have been given up."""

    @property
    def entry(self) -> Block:
        return self.func.body.blocks[0]

    @property
    def ordinals(self) -> dict[Operation, int]:
        """The place of each op of the entry block in host program order."""
        return entry_ordinals(self.entry, self.profile)


def entry_ordinals(entry: Block, profile: Profile) -> dict[Operation, int]:
    """The ordinals of the ops of a block; one whose body is done step by step has one more for each op in it."""
    ordinals: dict[Operation, int] = {}
    ordinal = 0
    for op in entry.ops:
        ordinals[op] = ordinal
        ordinal += 1
        if profile.rule(op.name).steps:
            ordinal += sum(1 for region in op.regions for block in region.blocks for _ in block.ops)
    return ordinals


def functions(module: builtin.ModuleOp) -> list[func.FuncOp]:
    """The functions of a module that have a body, in order; not those of a gpu.module, which run on the device."""
    return [
        op
        for op in module.body.walk()
        if isinstance(op, func.FuncOp) and op.body.blocks and getattr(op.parent_op(), "name", "") != "gpu.module"
    ]


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


class ProgramReader(ActionList):
    """Reads the ops of a function, one after the other: aliases, roots, actions."""

    def __init__(self, function: func.FuncOp, profile: Profile, split_views: bool) -> None:
        super().__init__(function, profile)
        self.split_views = split_views
        self.deallocs: list[Dealloc] = []
        self.late_uses: list[LateUse] = []
        self.loose_frees: set[int] = set()
        self.escaped: set[int] = set()
        self.calls = False

    def run(self) -> FunctionModel:
        blocks = list(self.function.body.blocks)
        self._arguments()
        if len(blocks) == 1:
            for op, ordinal in entry_ordinals(blocks[0], self.profile).items():
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
            self.unclear_pools(),
            frozenset(self.escaped),
            self.calls,
            tuple(self.late_uses),
        )

    def program(self) -> Program:
        """What was read so far."""
        buffers = tuple(draft.finished() for draft in self.drafts)
        return Program(
            self.function.sym_name.data,
            buffers,
            tuple(replace(a, waits=self.engines.expanded(a.waits)) if a.waits else a for a in self.actions),
            tuple(self.assumptions),
            self._inputs(),
            frozenset(
                d.buffer.name for d in self.drafts if d.root.op is not None and d.root.op.name == "memref.get_global"
            ),
            self.hidden_waits or self.engines.unclear or self.engines.may_be_one(),
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
        rule = self.profile.rule(op.name)
        if rule.steps and self._is_stepwise(op):
            self._steps(op, rule, ordinal)
            return
        found = self._trace(op, nested=False)
        self._note_outdated(op, found)
        if rule.frees is not None and rule.frees < len(op.operands):
            for freed in freed_by(op, self._refs, rule.frees):
                self.deallocs.append(Dealloc(ordinal, freed.refs, op, freed.certain))
                if len(freed.refs) > 1 or op.name != "memref.dealloc":
                    for ref in freed.refs:
                        self.drafts[ref.root].reasons.append(f"freed by {op.name} at {location_of(op)}")
        self._emit(op, ordinal, found, composite=self._is_composite(op))

    def _note_outdated(self, op: Operation, found: list[Effect]) -> None:
        """The op used a pool through a view from before it was taken again, larger: then that memory may be gone."""
        sure = {a.buffer for e in found for a in (*e.reads, *e.writes) if not (a.may or self._is_composite(op))}
        for ref in dict.fromkeys(self.outdated):
            name = self.drafts[ref.root].buffer.name
            text = f"{name} is taken again, larger, and then {op.name} at {location_of(op)} uses what was taken first"
            self.late_uses.append(LateUse(text, ref.root in sure))
        self.outdated.clear()

    def _return(self, op: Operation) -> None:
        for value in op.operands:
            for ref in self._refs(value):
                self.drafts[ref.root].live_out = True

    def _is_stepwise(self, op: Operation) -> bool:
        """Are all ops of the region accesses of the host's kind, or scalar ones?"""
        if len(op.regions) != 1 or len(op.regions[0].blocks) != 1:
            return False
        for inner in op.regions[0].blocks[0].ops:
            rule = self.profile.rule(inner.name)
            quiet = is_pure(inner) or inner.has_trait(IsTerminator) or inner.name in (*VIEWS, *QUIET)
            if inner.regions and not (rule.known and inner.name.startswith("linalg.")):
                return False
            if rule.steps or rule.frees is not None or rule.waits or rule.queue_from is not None:
                return False
            if not quiet and not (rule.known and rule.engine in (HOST, "none")):
                return False
        return True

    def _steps(self, op: Operation, rule: OpRule, ordinal: int) -> None:
        """An op whose region runs on its engine, op by op: behind what it awaits, before what it records."""
        where = self.engines.place(op, rule, touches=True)
        body = op.regions[0].blocks[0]
        for argument, value in zip(body.args, op.operands[len(op.operands) - len(body.args) :], strict=True):
            if is_memref(argument):
                self._set(argument, self._refs(value))
        location = location_of(op)
        if where.awaits:
            self.actions.append(Action(ordinal, where.engine, op.name, awaits=where.awaits, location=location))
        self.on_engine = where.engine
        for step, inner in enumerate(body.ops, 1):
            self._emit(inner, ordinal + step, self._trace(inner, nested=True), composite=False)
        self.on_engine = ""
        end = body.last_op
        passed = list(end.operands) if end is not None else []
        for result, value in zip(op.results[len(op.results) - len(passed) :], passed, strict=True):
            if is_memref(result):
                self._set(result, self._refs(value))
        last = ordinal + sum(1 for _ in body.ops)
        self.actions.append(
            Action(last, where.engine, end.name if end else op.name, records=where.records, location=location)
        )

    def _several_blocks(self, blocks: Sequence[Block]) -> None:
        """Control flow between blocks is not followed: everything may happen at any time, in any number."""
        self.assumptions[BLOCKS_UNORDERED] = None
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
        rule = self.profile.rule(op.name)
        return bool(op.regions) and not rule.kernel and (not rule.known or _uses_memory(op))

    def _trace(self, op: Operation, nested: bool) -> list[Effect]:
        """Aliases of the op's results, new roots, and its effects (with those of the ops inside it)."""
        rule = self.profile.rule(op.name)
        self._name_results(op)
        if rule.root and op.results:
            self._allocate(op, nested)
            if rule.root != "realloc":
                return self._allocation(op, rule, nested)
            if nested:
                self._freed_inside(op, 0)
            return [realloc_effect(op, rule, self._operand_accesses)]
        if self.split_views and op.name == "memref.view" and self._is_handed_out(op.operands[0]):
            self._root(op.results[0], op.results[0], op, external=False)
            return []
        if self._is_alias(op, rule):
            quiet = op.name in VIEWS or op.name == "arith.select"
            return self._own_effects(op, rule, nested) if rule.known or not quiet else []
        if rule.frees is not None and rule.frees < len(op.operands):
            if nested:
                self._freed_inside(op, rule.frees)
            return self._own_effects(op, rule, nested)
        if self._is_composite(op):
            return self._regions(op)
        if op.has_trait(IsTerminator):
            return []  # hands values on: `flow` follows them
        if rule.kernel:
            self._kernel_aliases(op, rule)
        found = self._own_effects(op, rule, nested)
        if not rule.known or rule.engine == "any":
            found += self._unknown(op, rule.known)
        self._results_from_operands(op)
        return found + self._memrefs_stored(op, rule, found)

    def _is_alias(self, op: Operation, rule: OpRule) -> bool:
        """Does the op give a memref that another one is? Then its result is known now."""
        if op.name in VIEWS:
            self._set(op.results[0], view_refs(op, self._refs(op.operands[0]), self.profile))
        elif op.name == "arith.select" and is_memref(op.results[0]):
            self._set(op.results[0], merge(ref for v in op.operands[1:] for ref in self._refs(v)))
        elif rule.result_of is not None and op.operands[rule.result_of : rule.result_of + 1]:
            source = op.operands[rule.result_of]
            if source not in self.refs:
                return False
            for result in filter(is_memref, op.results):
                self._set(result, self._refs(source))
        else:
            return False
        return True

    def _freed_inside(self, op: Operation, frees: int) -> None:
        for ref in merge(ref for freed in freed_by(op, self._refs, frees) for ref in freed.refs):
            self.loose_frees.add(ref.root)
            self.drafts[ref.root].reasons.append(f"freed inside a region at {location_of(op)}")

    def _own_effects(self, op: Operation, rule: OpRule, nested: bool) -> list[Effect]:
        return self._placed(op, rule, effects(op, rule, self.profile, self._operand_accesses), nested)

    def _kernel_aliases(self, op: Operation, rule: OpRule) -> None:
        """What the memrefs in a kernel's body name; `effects` knows what it does to them."""
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    if is_memref(argument):
                        self._root(argument, argument, None, external=True)
                for inner in block.ops:
                    self._trace(inner, nested=True)
        uses = kernel_uses(op, rule, self.profile)
        for value in uses.unknown:
            for ref in self._refs(value):
                self._escapes(ref.root, op)
        if uses.unknown:
            self._assume(
                f"what the kernel of {op.name} at {location_of(op)} does is not known: it may read and write "
                "what it is given, and keep it"
            )

    def _regions(self, op: Operation) -> list[Effect]:
        pairs = flow(op)
        branches = any(len(region.blocks) > 1 for region in op.regions)  # then not in the order in which they run
        loops = branches or any(isinstance(target, BlockArgument) for _, target in pairs)
        found: list[Effect] = []
        for round_ in count():
            before = {target: self.refs.get(target, ()) for _, target in pairs}
            known = self._known() if branches else None
            for source, target in pairs:
                # In the first round, what the body hands on has not been met yet.
                sources = self._refs(source) if round_ else self.refs.get(source, ())
                new = (*self.refs.get(target, ()), *sources)
                # From the third round on only the roots count: those are finitely many, so this ends.
                self._set(target, merge(ref.anywhere() if loops and round_ >= _WIDEN else ref for ref in new))
            found = [e for region in op.regions for b in region.blocks for o in b.ops for e in self._trace(o, True)]
            if branches:
                if round_ and self._known() == known:
                    break
            elif not pairs or (round_ and all(self.refs.get(target, ()) == refs for target, refs in before.items())):
                break
        if not op.name.startswith(_STRUCTURED):
            found += effects(op, UNKNOWN_OP, self.profile, self._operand_accesses)
            found += self._unknown(op, known=False)
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

    def _unknown(self, op: Operation, known: bool) -> list[Effect]:
        """Operands escape, and events may be recorded again."""
        memrefs = [value for value in op.operands if is_memref(value)]
        runs = known or bool(memrefs) or not (is_pure(op) or op.name in QUIET)
        self.calls |= runs and not leaves_pools_alone(op, self.profile)
        for value in memrefs:
            for ref in self._refs(value):
                self._escapes(ref.root, op)
        if memrefs:
            what = "calls other code" if known else "is not in the profile"
            self.assumptions[
                f"{op.name} at {location_of(op)} {what}: taken to read and write its operands on every engine, "
                "and to keep them"
            ] = None
        forgotten = self.engines.forgotten() if runs else ()
        self.hidden_waits |= bool(forgotten)
        return [Effect(HOST, (), (), records=forgotten)] if forgotten else []

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
        if rule.engine == "none" or rule.kernel or rule.adds:
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


def _uses_memory(op: Operation) -> bool:
    """Does the body of an op handle memrefs, or call what may?"""
    inside = (o for region in op.regions for o in region.walk())
    return any(o.name.startswith("func.") or any(is_memref(v) for v in (*o.operands, *o.results)) for o in inside)
