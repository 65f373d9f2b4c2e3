"""MLIR's async dialect, which xDSL does not have: its values, and its ops in custom form (LLVM 22: AsyncOps.td).

As in gpu.py, an op is a `ForeignOp` with the operands and properties that generic form shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from xdsl.dialects.builtin import FunctionType, IndexType, SymbolRefAttr
from xdsl.ir import Dialect, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from smtalloc.mlir.async_value import ValueType
from smtalloc.mlir.gpu_kernels import FuncOp
from smtalloc.mlir.special import SpecialOp, arrow_types, print_arrow_types, typed_values

if TYPE_CHECKING:
    from smtalloc.mlir.parser import FastParser

TOKEN = "!async.token"


ASYNC = Dialect("async", [], [ValueType])


class ExecuteOp(SpecialOp):
    """`async.execute [%tokens] (%v as %w : !async.value<T>) -> !async.value<R> {...}`."""

    SEGMENT_NAMES: ClassVar[tuple[str, ...]] = ("dependencies", "bodyOperands")

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        names = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        tokens = [parser.resolve_operand(name, parser.type_of_text(TOKEN)) for name in names or ()]
        unwrapped: list[tuple[SSAValue, Parser.Argument]] = []
        if parser.character_now() == "(":
            unwrapped = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _unwrapped(parser))
        results = [parser.type_of_text(TOKEN), *arrow_types(parser)]
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region([argument for _, argument in unwrapped])
        given = dict(attributes.data) if attributes else {}
        return cls.made([tokens, [value for value, _ in unwrapped]], results, {}, given, regions=[region])

    def is_regular(self) -> bool:
        groups = self.segments()
        if groups is None or len(self.regions) != 1 or len(self.regions[0].blocks) != 1 or not self.results:
            return False
        return (
            len(groups["bodyOperands"]) == len(self.regions[0].block.args) and self.regions[0].block.last_op is not None
        )

    def print_custom(self, printer: Printer) -> None:
        groups = self.segments() or {}
        if groups["dependencies"]:
            printer.print_string(" [")
            printer.print_list(groups["dependencies"], printer.print_operand)
            printer.print_string("]")
        pairs = list(zip(groups["bodyOperands"], self.regions[0].block.args, strict=True))
        if pairs:
            printer.print_string(" (")
            printer.print_list(pairs, lambda pair: _print_unwrapped(printer, *pair))
            printer.print_string(")")
        types = [result.type for result in self.results[1:]]
        print_arrow_types(printer, types)
        if self.attributes:
            printer.print_string(" attributes")
            printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_region(self.regions[0], print_entry_block_args=False)


def _unwrapped(parser: FastParser) -> tuple[SSAValue, Parser.Argument]:
    """`%v as %w : !async.value<T>`."""
    name = parser.parse_unresolved_operand()
    parser.parse_keyword("as")
    inner = parser.parse_unresolved_operand().span
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    if not isinstance(type_, ValueType):
        parser.raise_error("expected an !async.value<...>")
    return parser.resolve_operand(name, type_), Parser.Argument(inner, type_.value)


def _print_unwrapped(printer: Printer, value: SSAValue, inner: SSAValue) -> None:
    printer.print_operand(value)
    printer.print_string(" as ")
    printer.print_operand(inner)
    printer.print_string(": ")
    printer.print_attribute(value.type)


class AwaitOp(SpecialOp):
    """`%m = async.await %v : !async.value<T>`; async.await_all and async.create_group look alike."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        name = parser.parse_unresolved_operand()
        if cls.name == "async.await_all":
            value = parser.resolve_operand(name, parser.type_of_text("!async.group"))
            return cls.made([[value]], attributes=parser.parse_optional_attr_dict())
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        attributes = parser.parse_optional_attr_dict()
        if cls.name == "async.create_group":
            return cls.made([[parser.resolve_operand(name, IndexType())]], [type_], attributes=attributes)
        results = [type_.value] if isinstance(type_, ValueType) else []
        return cls.made([[parser.resolve_operand(name, type_)]], results, attributes=attributes)

    def is_regular(self) -> bool:
        return len(self.operands) == 1 and not self.shown_properties

    def print_custom(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operands[0])
        if self.name != "async.await_all":
            printer.print_string(" : ")
            of = self.results[0] if self.name == "async.create_group" else self.operands[0]
            printer.print_attribute(of.type)
        printer.print_op_attributes(self.attributes)


class AddToGroupOp(SpecialOp):
    """`%rank = async.add_to_group %t, %group : !async.token`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        group = parser.parse_operand(parser.type_of_text("!async.group"))
        parser.parse_punctuation(":")
        value = parser.resolve_operand(name, parser.parse_type())
        return cls.made([[value, group]], [IndexType()], attributes=parser.parse_optional_attr_dict())

    def is_regular(self) -> bool:
        return len(self.operands) == 2 and not self.shown_properties

    def print_custom(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)
        printer.print_op_attributes(self.attributes)


class EndOp(SpecialOp):
    """`async.yield %a : T`, `async.return`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        first = parser.parse_optional_attr_dict() if cls.name == "async.return" else {}
        values: Sequence[SSAValue] = ()
        if parser.character_now() == "%" and parser.on_same_line():
            values = typed_values(parser)
        attributes = first or parser.parse_optional_attr_dict()
        return cls.made([values], attributes=attributes)

    def print_custom(self, printer: Printer) -> None:
        if self.name == "async.return":
            printer.print_op_attributes(self.attributes)
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list([value.type for value in self.operands], printer.print_attribute)
        if self.name != "async.return":
            printer.print_op_attributes(self.attributes)


class CallOp(SpecialOp):
    """`async.call @f(%a) : (T) -> !async.token`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        callee = SymbolRefAttr(parser.parse_symbol_name())
        start = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_function_type()
        values = parser.resolve_operands(names, type_.inputs.data, start)
        return cls.made([values], type_.outputs.data, {"callee": callee}, attributes)

    def is_regular(self) -> bool:
        return self.shown_properties.keys() == {"callee"}

    def print_custom(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.properties["callee"])
        printer.print_string("(")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        types = [[value.type for value in values] for values in (self.operands, self.results)]
        printer.print_attribute(FunctionType.from_lists(*types))


OPS: dict[str, type[SpecialOp]] = {
    "async.execute": ExecuteOp,
    "async.await": AwaitOp,
    "async.await_all": AwaitOp,
    "async.create_group": AwaitOp,
    "async.add_to_group": AddToGroupOp,
    "async.yield": EndOp,
    "async.return": EndOp,
    "async.call": CallOp,
    "async.func": FuncOp,
}
