"""memref as MLIR writes it: the custom syntax that xDSL 0.75 lacks, and checks where it refuses too much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, TypeVar, cast

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue, TypedAttribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryFreeEffect,
    MemoryReadEffect,
    NoMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.bitwise_casts import is_power_of_two
from xdsl.utils.exceptions import VerifyException

from smtalloc.mlir.attributes import ElementsAttr
from smtalloc.mlir.loops import ParallelOp
from smtalloc.mlir.parser import FastParser

_ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)
_OpT = TypeVar("_OpT", bound=IRDLOperation)


def _with_format(op_type: type[_OpT], assembly_format: str) -> type[_OpT]:
    """The class with a custom syntax. A plain subclass, so that `isinstance(op, memref.CastOp)` still holds."""
    program = FormatProgram.from_str(assembly_format, op_type.get_irdl_definition())

    def parse(cls: type[_OpT], parser: Parser) -> _OpT:
        return program.parse(parser, cls)

    def print_(self: _OpT, printer: Printer) -> None:
        program.print(printer, self)

    members = {"parse": classmethod(parse), "print": print_, "__module__": __name__}
    return cast("type[_OpT]", type(op_type.__name__, (op_type,), members))


CastOp = _with_format(memref.CastOp, "$source attr-dict `:` type($source) `to` type($dest)")
MemorySpaceCastOp = _with_format(memref.MemorySpaceCastOp, "$source attr-dict `:` type($source) `to` type($dest)")
ExtractAlignedPointerAsIndexOp = _with_format(
    memref.ExtractAlignedPointerAsIndexOp, "$source attr-dict `:` type($source) `->` type($aligned_pointer)"
)
_Copy = _with_format(memref.CopyOp, "$source `,` $destination attr-dict `:` type($source) `to` type($destination)")


class CopyOp(_Copy):
    """memref.copy between compatible shapes: xDSL wants them equal, MLIR lets `?` stand for any number."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        source, target = cast(MemRefType, self.source.type), cast(MemRefType, self.destination.type)
        if source.element_type != target.element_type:
            raise VerifyException("source and target have different element types")
        pairs = list(zip(source.get_shape(), target.get_shape(), strict=False))
        compatible = all(a == b or DYNAMIC_INDEX in (a, b) for a, b in pairs)
        if source.get_num_dims() != target.get_num_dims() or not compatible:
            raise VerifyException("source and target have different shapes")


def _parse_index_operands(parser: Parser, delimiter: Parser.Delimiter) -> Sequence[SSAValue] | None:
    return parser.parse_optional_comma_separated_list(delimiter, lambda: parser.parse_operand(IndexType()))


def _parse_allocation(cls: type[_OpT], parser: Parser) -> _OpT:
    """`(%d)[%s] {alignment = 64 : i64} : T` of LLVM 23 and before, and LLVM 24's `(%d)[%s] alignment = 64 : T`."""
    sizes = _parse_index_operands(parser, parser.Delimiter.PAREN)
    if sizes is None:
        parser.raise_error("expected '('")
    symbols = _parse_index_operands(parser, parser.Delimiter.SQUARE) or ()
    alignment: Attribute | None = None
    if parser.parse_optional_keyword("alignment"):
        parser.parse_punctuation("=")
        alignment = IntegerAttr(parser.parse_integer(allow_boolean=False), i64)
    attributes = parser.parse_optional_attr_dict()
    if alignment is not None and "alignment" in attributes:
        parser.raise_error("alignment is given twice")
    alignment = attributes.pop("alignment", alignment)
    parser.parse_punctuation(":")
    return cls.build(
        operands=[sizes, symbols],
        result_types=[parser.parse_type()],
        properties={"alignment": alignment},
        attributes=attributes,
    )


def _verify_symbols(op: memref.AllocOp | memref.AllocaOp) -> None:
    """One symbol operand for each unknown of the layout, which xDSL does not check."""
    layout: object = op.memref.type.layout
    if isinstance(layout, AffineMapAttr):
        unknowns = layout.data.num_symbols
    elif isinstance(layout, StridedLayoutAttr):
        parts: Sequence[IntAttr | NoneAttr] = (*layout.strides.data, layout.offset)
        unknowns = sum(isinstance(part, NoneAttr) for part in parts)
    else:
        unknowns = 0
    if len(op.symbol_operands) != unknowns:
        raise VerifyException(f"{len(op.symbol_operands)} symbol operands for a layout with {unknowns} symbols")


class AllocOp(memref.AllocOp):
    """memref.alloc in both spellings of alignment."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return _parse_allocation(cls, parser)

    def verify_(self) -> None:
        super().verify_()
        _verify_symbols(self)


class AllocaOp(memref.AllocaOp):
    """memref.alloca in both spellings of alignment."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return _parse_allocation(cls, parser)

    def verify_(self) -> None:
        super().verify_()
        _verify_symbols(self)


@irdl_op_definition
class ReallocOp(IRDLOperation):
    """memref.realloc: as large as its type or its operand says, the old memory is freed."""

    name = "memref.realloc"

    source = operand_def(MemRefType)
    dynamic_size = opt_operand_def(IndexType)
    result = result_def(MemRefType)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(MemoryAllocEffect(), MemoryFreeEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source = parser.parse_unresolved_operand()
        sizes = _parse_index_operands(parser, parser.Delimiter.PAREN) or ()
        attributes = parser.parse_optional_attr_dict()
        alignment = attributes.pop("alignment", None)
        parser.parse_punctuation(":")
        value = parser.resolve_operand(source, parser.parse_type())
        parser.parse_keyword("to")
        return cls.build(
            operands=[value, sizes],
            result_types=[parser.parse_type()],
            properties={"alignment": alignment},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        if self.dynamic_size is not None:
            with printer.in_parens():
                printer.print_operand(self.dynamic_size)
        printer.print_op_attributes(self.properties | self.attributes)
        _print_from_to(printer, self.source.type, self.result.type)


@irdl_op_definition
class RankOp(IRDLOperation):
    """memref.rank, of unranked memrefs too."""

    name = "memref.rank"

    memref = operand_def(_ANY_MEMREF)
    rank = result_def(IndexType)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$memref attr-dict `:` type($memref)"


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """memref.reshape: the shape is read from memory."""

    name = "memref.reshape"

    source = operand_def(_ANY_MEMREF)
    shape = operand_def(MemRefType)
    result = result_def(_ANY_MEMREF)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """memref.transpose: a view with permuted dimensions."""

    name = "memref.transpose"

    source = operand_def(MemRefType)
    result = result_def(MemRefType)
    permutation = prop_def(AffineMapAttr)
    traits = traits_def(NoMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source = parser.parse_unresolved_operand()
        permutation = AffineMapAttr(parser.parse_affine_map())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        value = parser.resolve_operand(source, parser.parse_type())
        parser.parse_keyword("to")
        return cls.build(
            operands=[value],
            result_types=[parser.parse_type()],
            properties={"permutation": permutation},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        printer.print_string(f" {self.permutation.data}")
        printer.print_op_attributes(self.attributes)
        _print_from_to(printer, self.source.type, self.result.type)

    def verify_(self) -> None:
        dimensions = cast(MemRefType, self.source.type).get_num_dims()
        map_ = self.permutation.data
        if (
            map_.num_symbols
            or map_.num_dims != dimensions
            or sorted(map(str, map_.results)) != [f"d{dimension}" for dimension in range(dimensions)]
        ):
            raise VerifyException("the map is no permutation of the dimensions")


def _print_from_to(printer: Printer, source: Attribute, target: Attribute) -> None:
    printer.print_string(" : ")
    printer.print_attribute(source)
    printer.print_string(" to ")
    printer.print_attribute(target)


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """memref.global: visibility and initial value are optional, the value is kept as text."""

    name = "memref.global"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def(MemRefType)
    initial_value = opt_prop_def()
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties: dict[str, Attribute | None] = {}
        if (visibility := parser.parse_optional_str_literal()) is not None:
            properties["sym_visibility"] = StringAttr(visibility)
        if parser.parse_optional_keyword("constant"):
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_type()
        if not isinstance(type_, MemRefType):
            parser.raise_error("a global needs a memref type", start)
        properties["type"] = type_
        if parser.parse_optional_punctuation("="):
            properties["initial_value"] = cls._parse_initial_value(parser, cast("MemRefType[Attribute]", type_))
        attributes = parser.parse_optional_attr_dict()
        properties["alignment"] = attributes.pop("alignment", None)
        return cls.build(properties=properties, attributes=attributes)

    @staticmethod
    def _parse_initial_value(parser: Parser, type_: MemRefType[Attribute]) -> Attribute:
        if parser.parse_optional_keyword("uninitialized"):
            return UnitAttr()
        start = parser.pos
        parser = cast(FastParser, parser)
        return parser.elements(parser.parse_elements_text(), TensorType(type_.element_type, type_.shape), start)

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(" ")
            printer.print_attribute(self.sym_visibility)
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        if isinstance(self.initial_value, ElementsAttr):
            printer.print_string(" = ")
            self.initial_value.print_without_type(printer)
        elif self.initial_value is not None:
            printer.print_string(" = uninitialized")
        alignment = {} if self.alignment is None else {"alignment": self.alignment}
        printer.print_op_attributes(alignment | self.attributes)

    def verify_(self) -> None:
        if any(size == DYNAMIC_INDEX for size in self.type.get_shape()):
            raise VerifyException("a global needs a static shape")
        if self.alignment is not None and not is_power_of_two(self.alignment.value.data):
            raise VerifyException("alignment is not a power of two")
        if isinstance(self.initial_value, ElementsAttr):
            expected = TensorType(self.type.element_type, self.type.shape)
            if self.initial_value.type != expected:
                raise VerifyException("the initial value does not have the type of the global")
        elif not isinstance(self.initial_value, UnitAttr | None):
            raise VerifyException("the initial value is neither elements nor uninitialized")


_OURS: tuple[type[Operation], ...] = (
    AllocOp,
    AllocaOp,
    CastOp,
    CopyOp,
    ExtractAlignedPointerAsIndexOp,
    GlobalOp,
    MemorySpaceCastOp,
    RankOp,
    ReallocOp,
    ReshapeOp,
    TransposeOp,
)


class ConstantOp(arith.ConstantOp):
    """arith.constant, of elements kept as text too."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, IntegerAttr | FloatAttr | ElementsAttr):
            parser.raise_error("expected a number or elements", start)
        typed = cast(TypedAttribute, value)
        return cls.create(properties={"value": typed}, attributes=attributes, result_types=[typed.get_type()])

    def verify_(self) -> None:
        value: object = self.properties.get("value")
        if not isinstance(value, ElementsAttr):
            super().verify_()
        elif self.operands or self.result_types != (value.type,):
            raise VerifyException("the result does not have the type of the value")


class WhileOp(scf.WhileOp):
    """scf.while without arguments, which has no parentheses: `scf.while : () -> () {`."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        if parser.parse_optional_punctuation(":") is None:
            return super().parse(parser)
        type_ = parser.parse_function_type()
        if type_.inputs.data:
            parser.raise_error("expected '('", start)
        before = parser.parse_region(())
        parser.parse_keyword("do")
        after = parser.parse_region()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls((), type_.outputs.data, before, after)
        op.attributes |= attributes.data if attributes is not None else {}
        return op


def _overlaid(dialect: Dialect, ours: Sequence[type[Operation]], without: Sequence[str] = ()) -> Dialect:
    """The dialect with our classes in place of its own of the same names; `without` those that are foreign ops."""
    names = {op_type.name for op_type in ours} | {*without}
    kept = [op_type for op_type in dialect.operations if op_type.name not in names]
    return Dialect(dialect.name, [*kept, *ours], list(dialect.attributes))


OVERLAYS = (
    _overlaid(memref.MemRef, _OURS),
    _overlaid(arith.Arith, [ConstantOp]),
    _overlaid(scf.Scf, [WhileOp, ParallelOp]),
    _overlaid(affine.Affine, [], without=["affine.if", "affine.parallel"]),
)
"""The dialects that take the place of xDSL's."""
