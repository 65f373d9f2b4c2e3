"""`bufferization.dealloc`: what MLIR's ownership-based buffer deallocation puts in before it is lowered.

    %r:2 = bufferization.dealloc (%a, %b : T, T) if (%c, %d) retain (%x, %y : T, T)

frees each memref whose condition holds, once, unless it is (a view of) memory that a retained memref names
(BufferizationOps.td). The results say of each retained memref whether what it names would have been freed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.dialects import bufferization
from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType, i1
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryFreeEffect
from xdsl.utils.exceptions import VerifyException

from smtalloc.mlir.aliases import Refs
from smtalloc.mlir.scalars import constant_value

_ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)


@irdl_op_definition
class DeallocOp(IRDLOperation):
    """bufferization.dealloc."""

    name = "bufferization.dealloc"

    memrefs = var_operand_def(_ANY_MEMREF)
    conditions = var_operand_def(i1)
    retained = var_operand_def(_ANY_MEMREF)
    updated_conditions = var_result_def(i1)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryFreeEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        memrefs = _parse_typed(parser)
        conditions: Sequence[SSAValue] = ()
        if memrefs:
            parser.parse_keyword("if")
            conditions = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_operand(i1))
        retained = _parse_typed(parser) if parser.parse_optional_keyword("retain") else []
        return cls.build(
            operands=[memrefs, conditions, retained],
            result_types=[[i1] * len(retained)],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        if self.memrefs:
            _print_typed(printer, self.memrefs)
            printer.print_string(" if (")
            printer.print_list(self.conditions, printer.print_operand)
            printer.print_string(")")
        if self.retained:
            printer.print_string(" retain")
            _print_typed(printer, self.retained)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if len(self.memrefs) != len(self.conditions):
            raise VerifyException("one condition for each memref to free")
        if len(self.retained) != len(self.updated_conditions):
            raise VerifyException("one result for each retained memref")


def _parse_typed(parser: Parser) -> list[SSAValue]:
    """`(%a, %b : T, U)`, or nothing."""
    if not parser.parse_optional_punctuation("("):
        return []
    start = parser.pos
    names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types: list[Attribute] = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, start))


def _print_typed(printer: Printer, values: Sequence[SSAValue]) -> None:
    printer.print_string(" (")
    printer.print_list(values, printer.print_operand)
    printer.print_string(" : ")
    printer.print_list([value.type for value in values], printer.print_attribute)
    printer.print_string(")")


BUFFERIZATION = Dialect(
    bufferization.Bufferization.name,
    [*bufferization.Bufferization.operations, DeallocOp],
    list(bufferization.Bufferization.attributes),
)


@dataclass(frozen=True, slots=True)
class Freed:
    """Memory that an op frees: one of what `refs` name; `certain` unless a condition decides at run time."""

    refs: Refs
    certain: bool


def freed_by(op: Operation, refs_of: Callable[[SSAValue], Refs], frees: int) -> list[Freed]:
    """What an op with a `frees` rule frees."""
    if not isinstance(op, DeallocOp):
        return [Freed(refs_of(op.operands[frees]), True)]
    retained = [{ref.root for ref in refs_of(value)} for value in op.retained]
    found: dict[tuple[int, ...], Freed] = {}  # what several of the memrefs name is freed once
    for value, condition in zip(op.memrefs, op.conditions, strict=True):
        refs, holds = refs_of(value), constant_value(condition)
        roots = {ref.root for ref in refs}
        kept = any(len(roots) == 1 and roots == other for other in retained)
        if holds == 0 or kept or not refs:
            continue
        certain = holds is not None and not any(roots & other for other in retained)
        known = found.get(tuple(sorted(roots)))
        if known is None or (certain and not known.certain):
            found[tuple(sorted(roots))] = Freed(refs, certain)
    return list(found.values())
