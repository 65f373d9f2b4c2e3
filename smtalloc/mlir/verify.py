"""What xDSL's parser lets pass and MLIR's does not: each op's own rules, blocks without an end, symbols."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Operation, Region
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from smtalloc.mlir.foreign import ForeignOp
from smtalloc.mlir.overlay import GlobalOp


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an op."""

    op: Operation
    message: str


def problem_of(op: Operation) -> Problem | None:
    """What is wrong with this op by its own rules or by its place, or None."""
    message = _misplaced(op) or next((found for region in op.regions if (found := _unterminated(op, region))), None)
    if message is None:
        try:
            _verify(op)
        except Exception as error:  # xDSL's verifiers raise whatever comes to hand
            message = str(error) or type(error).__name__
    return None if message is None else Problem(op, message)


def _verify(op: Operation) -> None:
    """xDSL's check. Not its `IsolatedFromAbove` for modules and functions: it walks all of them, and dominance implies
    it."""
    if isinstance(op, ModuleOp):
        blocks = [len(region.blocks) for region in op.regions]
        if blocks != [1] or op.operands or op.results or op.regions[0].block.args:
            raise VerifyException("a module is one block and nothing else")
    elif isinstance(op, func.FuncOp):
        _verify_function(op)
    else:
        op.verify_()


def _verify_function(op: func.FuncOp) -> None:
    if len(op.regions) != 1 or op.operands or op.results:
        raise VerifyException("a function is one region and nothing else")
    function_type: object = op.properties.get("function_type")
    if not isinstance(function_type, FunctionType) or not isinstance(op.properties.get("sym_name"), StringAttr):
        raise VerifyException("a function needs a name and a type")
    entry = op.body.first_block
    if entry is None and op.properties.get("sym_visibility") not in (StringAttr("private"), StringAttr("nested")):
        raise VerifyException("a function without a body must be private")
    if entry is not None and function_type.inputs.data != tuple(argument.type for argument in entry.args):
        raise VerifyException("the arguments of the first block are not those of the function type")


def _misplaced(op: Operation) -> str | None:
    if not op.successors:
        return None
    block = op.parent
    if block is None or block.last_op is not op:
        return "an op with successors must be the last of its block"
    if any(successor.parent is not block.parent for successor in op.successors):
        return "successor is in another region"
    return None


def _unterminated(op: Operation, region: Region) -> str | None:
    several = region.first_block is not region.last_block
    if not several and (isinstance(op, ForeignOp) or op.has_trait(NoTerminator)):
        return None
    for block in region.blocks:
        last = block.last_op
        if last is None:
            return "a block is empty, it needs a terminator"
        if not (last.has_trait(IsTerminator) or (isinstance(last, ForeignOp) and (several or last.successors))):
            return f"'{last.name}' ends a block but is no terminator"
    return None


class Symbols:
    """The symbol table of a module, and of the modules in it."""

    def __init__(self, module: ModuleOp) -> None:
        self.problems: list[Problem] = []
        """Symbols that are defined twice."""
        self._tables: dict[Operation, dict[str, Operation]] = {}
        self._add(module)

    def _add(self, module: Operation) -> None:
        table = self._tables[module] = {}
        for op in [op for region in module.regions for block in region.blocks for op in block.ops]:
            name = op.properties.get("sym_name") or op.attributes.get("sym_name")
            if isinstance(name, StringAttr) and table.setdefault(name.data, op) is not op:
                self.problems.append(Problem(op, f"symbol @{name.data} is already defined"))
            if isinstance(op, ModuleOp) or op.name == "gpu.module":
                self._add(op)

    def _target(self, op: Operation, symbol: SymbolRefAttr) -> Operation | None:
        around = op.parent_op()
        while around is not None and around not in self._tables:
            around = around.parent_op()
        path = [symbol.root_reference, *symbol.nested_references]
        for name in path:
            around = self._tables.get(around, {}).get(name.data) if around is not None else None
        return around

    def problem_of(self, op: Operation) -> Problem | None:
        """A global or a function that is not there, or has another type."""
        if isinstance(op, memref.GetGlobalOp):
            target = self._target(op, op.name_)
            if not isinstance(target, GlobalOp):
                return Problem(op, f"{op.name_} is no global")
            if target.type != op.memref.type:
                return Problem(op, f"{op.name_} has type {target.type}")
        if isinstance(op, func.CallOp):
            target = self._target(op, op.callee)
            if not isinstance(target, func.FuncOp):
                return Problem(op, f"{op.callee} is no function")
            if target.function_type != FunctionType.from_lists(list(op.operand_types), list(op.result_types)):
                return Problem(op, f"{op.callee} has type {target.function_type}")
        return None
