"""Calls replaced by the bodies they run, in a copy of the module, for analysis only.

`func.call` becomes the callee's ops; `hip.loop` an `scf.for` (a counted loop, run only if its condition holds; any
number of iterations where the body decides), `hip.if` an `scf.if`. The bodies' signatures are those of ROCm's hip-ep:

    hip.loop   (ctx, iter, cond, v_in..., captures..., [cond_out,] v_out...)          v_out is the buffer of v_in
               (ctx, iter, cond, v_in..., captures..., frame) -> (status, [cond_out,] next...)
    hip.if     (ctx, captures..., outs...)

A call that does not fit, or whose callee has no body here, stays: then it may do anything. Recursion is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, builtin, func, scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from smtalloc.mlir.foreign import ForeignOp, foreign_class
from smtalloc.mlir.names import set_source_name, source_name
from smtalloc.mlir.reader import location_of
from smtalloc.mlir.scalars import constant_value
from smtalloc.mlir.source import input_location

_MOST_OPS = 200_000
OPAQUE, OPAQUE_MEMORY = "smtalloc.opaque", "smtalloc.opaque_memory"
"""A scalar, and memory, that the runtime makes up (iteration number, condition, frame)."""


@dataclass(frozen=True)
class Inlined:
    """A module without calls into its own bodies, and the functions where one is left, with the reason."""

    module: builtin.ModuleOp
    refused: dict[str, str] = field(default_factory=dict[str, str])


def has_calls(module: builtin.ModuleOp) -> bool:
    """Is there a call whose callee has a body in the module?"""
    bodies = _bodies(module)
    return any(name in bodies for op in module.walk() for name in _targets(op))


def inline_calls(module: builtin.ModuleOp) -> Inlined:
    """A copy of the module in which every function has the bodies of what it calls in it."""
    bodies = _bodies(module)
    copy = module.clone()
    for mine, other in zip(module.walk(), copy.walk(), strict=True):
        _copy_names(mine, other)
    inliner = _Inliner(bodies)
    for op in list(copy.walk()):
        if isinstance(op, func.FuncOp) and op.body.blocks:
            inliner.expand(op, (op.sym_name.data,), op.sym_name.data)
    return Inlined(copy, inliner.refused)


def _bodies(module: builtin.ModuleOp) -> dict[str, func.FuncOp]:
    """Functions with a body, by name; names that are not unique are left out."""
    found: dict[str, func.FuncOp] = {}
    twice: set[str] = set()
    for op in module.walk():
        if isinstance(op, func.FuncOp):
            name = op.sym_name.data
            if name in found:
                twice.add(name)
            found[name] = op
    return {name: op for name, op in found.items() if op.body.blocks and name not in twice}


def _targets(op: Operation) -> Iterator[str]:
    """The functions that the op runs."""
    keys = {"func.call": ("callee",), "hip.loop": ("body",), "hip.if": ("then", "else")}.get(op.name, ())
    for key in keys:
        symbol = op.get_attr_or_prop(key)
        if isinstance(symbol, builtin.SymbolRefAttr) and not symbol.nested_references.data:
            yield symbol.root_reference.data


def _copy_names(mine: Operation, other: Operation) -> None:
    """Clones lose what the input calls their values."""
    pairs = list(zip(mine.results, other.results, strict=True))
    for region, copied in zip(mine.regions, other.regions, strict=True):
        for block, its_copy in zip(region.blocks, copied.blocks, strict=True):
            pairs += list(zip(block.args, its_copy.args, strict=True))
    for value, its_copy in pairs:
        name = source_name(value)
        if name:
            set_source_name(name.partition("#")[0], [its_copy])


class _Inliner:
    def __init__(self, bodies: dict[str, func.FuncOp]) -> None:
        self.bodies = bodies
        self.refused: dict[str, str] = {}
        self.count = 0

    def expand(self, around: Operation, stack: tuple[str, ...], function: str) -> None:
        """Replace the calls in the op; `stack` are the functions whose bodies are around it."""
        for op in [op for op in around.walk() if any(name in self.bodies for name in _targets(op))]:
            again = next((name for name in _targets(op) if name in stack), None)
            if again is not None:
                reason = f"{op.name} at {location_of(op)}: @{again} calls itself, and recursion is not followed"
                self.refused.setdefault(function, reason)
            elif self.count > _MOST_OPS:
                self.refused.setdefault(
                    function, f"{op.name} at {location_of(op)}: too many ops with all calls inlined"
                )
            else:
                for new in self._replace(op):
                    self.expand(new, (*stack, *_targets(op)), function)

    def _replace(self, op: Operation) -> list[Operation]:
        """Put the bodies where the call was; what is new there, or nothing where the call stays."""
        match op.name:
            case "func.call":
                made = self._inline(str(*_targets(op)), op.operands)
            case "hip.loop":
                made = self._loop(op)
            case _:
                made = self._if(op)
        if made is None or [v.type for v in made.results] != [r.type for r in op.results]:
            return []
        block = op.parent_block()
        assert block is not None
        block.insert_ops_before(made.ops, op)
        for new in made.ops:
            if input_location(new) is None:
                new.location = op.location
        for result, value in zip(op.results, made.results, strict=True):
            result.replace_all_uses_with(value)
        op.detach()
        op.erase()
        return made.ops

    def _inline(self, name: str, arguments: Sequence[SSAValue]) -> _Made | None:
        """The ops of a function's body for these arguments, in no block yet; None if they do not fit."""
        function = self.bodies.get(name)
        if function is None or [a.type for a in function.body.blocks[0].args] != [a.type for a in arguments]:
            return None
        copy = function.clone()
        for mine, other in zip(function.walk(), copy.walk(), strict=True):
            _copy_names(mine, other)
            self.count += 1
        region = copy.detach_region(0)
        entry = region.blocks[0]
        for argument, value in zip(entry.args, arguments, strict=True):
            argument.replace_all_uses_with(value)
        if len(region.blocks) == 1:
            end = entry.last_op
            if not isinstance(end, func.ReturnOp):
                return None
            results = tuple(end.operands)
            end.detach()
            end.erase()
            return _Made(_taken(entry), results)
        for argument in list(entry.args):
            entry.erase_arg(argument)
        for block in region.blocks:
            if isinstance(block.last_op, func.ReturnOp):
                Rewriter.replace_op(block.last_op, scf.YieldOp(*block.last_op.operands))
        around = scf.ExecuteRegionOp(function.function_type.outputs.data, region)
        return _Made([around], tuple(around.results))

    # --- hip ---------------------------------------------------------------------------------------------------------

    def _loop(self, op: Operation) -> _Made | None:
        groups = _groups(op)
        first, carried = groups.get("", ()), groups.get("iter_args", ())
        function = self.bodies.get(str(*_targets(op)))
        if len(first) != 3 or function is None:
            return None
        types = [argument.type for argument in function.body.blocks[0].args]
        counted = "cond_is_passthrough" in op.attributes and isinstance(first[1].type, builtin.IndexType)
        fresh = _Fresh()
        values = [first[0], *(fresh.value(t) for t in types[1:3]), *carried, *groups.get("captures", ())]
        bound = first[1] if counted and not op.results else fresh.value(builtin.IndexType())
        low, step = fresh.number(0), fresh.number(1)
        if op.results:
            return self._returning_loop(op, function, values, carried, (low, bound, step), fresh)
        missing = types[len(values) :]
        outs = [*([fresh.value(missing[0])] if missing and len(missing) == len(carried) + 1 else []), *carried]
        made = self._inline(function.sym_name.data, [*values, *(outs if missing else ())])
        if made is None:
            return None
        body = Block([*made.ops, scf.YieldOp()], arg_types=[builtin.IndexType()])
        loop: Operation = scf.ForOp(low, bound, step, [], body)
        if counted and constant_value(first[2]) != 1 and first[2].type == builtin.i1:
            loop = scf.IfOp(first[2], [], [loop, scf.YieldOp()])
        return _Made([*fresh.ops, loop], ())

    def _returning_loop(
        self,
        op: Operation,
        function: func.FuncOp,
        values: list[SSAValue],
        carried: Sequence[SSAValue],
        bounds: tuple[SSAValue, SSAValue, SSAValue],
        fresh: _Fresh,
    ) -> _Made | None:
        """The form that returns what it carries: what one iteration returns is what the next gets."""
        body = Block(arg_types=[builtin.IndexType(), *(v.type for v in carried)])
        values[3 : 3 + len(carried)] = body.args[1:]
        rest = [argument.type for argument in function.body.blocks[0].args][len(values) :]
        made = self._inline(function.sym_name.data, [*values, *map(fresh.value, rest)])
        if made is None or len(made.results) < len(carried):
            return None
        body.add_ops([*made.ops, scf.YieldOp(*made.results[len(made.results) - len(carried) :])])
        loop = scf.ForOp(*bounds, carried, body)
        others = [fresh.value(result.type) for result in op.results[len(carried) :]]
        return _Made([*fresh.ops, loop], (*loop.results, *others))

    def _if(self, op: Operation) -> _Made | None:
        groups = _groups(op)
        first, names = groups.get("", ()), list(_targets(op))
        if len(first) != 2 or len(names) != 2 or op.results:
            return None
        values = [first[0], *groups.get("captures", ()), *groups.get("outs", ())]
        sides = [self._inline(name, values) for name in names]
        if sides[0] is None or sides[1] is None:
            return None
        fresh = _Fresh()
        condition = first[1] if first[1].type == builtin.i1 else fresh.value(builtin.i1)
        branches = [Region(Block([*side.ops, scf.YieldOp()])) for side in (sides[0], sides[1])]
        return _Made([*fresh.ops, scf.IfOp(condition, [], branches[0], branches[1])], ())


def _groups(op: Operation) -> dict[str, Sequence[SSAValue]]:
    """Operands by the keyword they stand behind; none where that is not known."""
    return dict(op.groups() or ()) if isinstance(op, ForeignOp) else {}


@dataclass(frozen=True, slots=True)
class _Made:
    """Ops in no block yet, and what they give."""

    ops: list[Operation]
    results: tuple[SSAValue, ...]


class _Fresh:
    """Values that the runtime makes up."""

    def __init__(self) -> None:
        self.ops: list[Operation] = []

    def value(self, type_: Attribute) -> SSAValue:
        memory = isinstance(type_, builtin.MemRefType | builtin.UnrankedMemRefType)
        op = foreign_class(OPAQUE_MEMORY if memory else OPAQUE).create(result_types=[type_])
        self.ops.append(op)
        return op.results[0]

    def number(self, value: int) -> SSAValue:
        op = arith.ConstantOp.from_int_and_width(value, builtin.IndexType())
        self.ops.append(op)
        return op.results[0]


def _taken(block: Block) -> list[Operation]:
    ops = list(block.ops)
    for op in ops:
        op.detach()
    return ops
