"""The ops of MLIR's gpu dialect in the custom form that `mlir-opt` prints (LLVM 22: GPUOps.td, GPUDialect.cpp).

xDSL's own classes for them have other operand groups than MLIR's, so they are not used: an op of gpu is a `ForeignOp`
with the operands and properties that generic form shows. Ops on the host side are printed as they were read, those
inside kernels in generic form, which `mlir-opt` takes as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from smtalloc.mlir.special import SpecialOp, attributions

if TYPE_CHECKING:
    from smtalloc.mlir.parser import FastParser

TOKEN = "!gpu.async.token"
_INDEX = IndexType()


# ------------------------------------------------------------------------------------------------------------ pieces


def token_type(parser: FastParser) -> Attribute:
    """`!gpu.async.token`."""
    return parser.type_of_text(TOKEN)


def read_async(parser: FastParser) -> tuple[bool, list[SSAValue]]:
    """`async [%a, %b]`, both optional: (does the op give a token, tokens it waits for)."""
    is_async = parser.parse_optional_keyword("async") is not None
    if parser.parse_optional_punctuation("[") is None:
        return is_async, []
    tokens: list[SSAValue] = []
    if parser.parse_optional_punctuation("]") is None:
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        tokens = [parser.resolve_operand(name, token_type(parser)) for name in names]
        parser.parse_punctuation("]")
    return is_async, tokens


def print_async(printer: Printer, op: Operation, tokens: Sequence[SSAValue]) -> None:
    """The same."""
    if any(str(result.type) == TOKEN for result in op.results):
        printer.print_string(" async")
    if tokens:
        printer.print_string(" [")
        printer.print_list(tokens, printer.print_operand)
        printer.print_string("]")


def tokens_of(op: Operation) -> list[SSAValue]:
    """The tokens in front of an op's other operands."""
    count = next((at for at, v in enumerate(op.operands) if str(v.type) != TOKEN), len(op.operands))
    return list(op.operands[:count])


def _results(parser: FastParser, is_async: bool) -> list[Attribute]:
    return [token_type(parser)] if is_async else []


def _parenthesised(parser: FastParser, read: Callable[[], UnresolvedOperand]) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, read)


# ---------------------------------------------------------------------------------------------------- on the host side


class WaitOp(SpecialOp):
    """`gpu.wait async [%a]`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        is_async, tokens = read_async(parser)
        return cls.made([tokens], _results(parser, is_async), attributes=parser.parse_optional_attr_dict())

    def is_regular(self) -> bool:
        return len(tokens_of(self)) == len(self.operands) and not self.shown_properties

    def print_custom(self, printer: Printer) -> None:
        print_async(printer, self, self.operands)
        printer.print_op_attributes(self.attributes)


class TransferOp(SpecialOp):
    """`gpu.memcpy async [%a] %to, %from : T, T`; so are gpu.memset and gpu.dealloc."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        is_async, tokens = read_async(parser)
        start = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        values = parser.resolve_operands(names, types, start)
        return cls.made([tokens, values], _results(parser, is_async), attributes=attributes)

    def is_regular(self) -> bool:
        return len(tokens_of(self)) < len(self.operands) and not self.shown_properties

    def print_custom(self, printer: Printer) -> None:
        tokens = tokens_of(self)
        values = list(self.operands[len(tokens) :])
        print_async(printer, self, tokens)
        printer.print_string(" ")
        printer.print_list(values, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list([value.type for value in values], printer.print_attribute)


class AllocOp(SpecialOp):
    """`%m, %t = gpu.alloc async [%a] host_shared (%sizes)[%symbols] {...} : T`."""

    SEGMENT_NAMES: ClassVar[tuple[str, ...]] = ("asyncDependencies", "dynamicSizes", "symbolOperands")

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        is_async, tokens = read_async(parser)
        shared = parser.parse_optional_keyword("host_shared") is not None
        sizes = [parser.resolve_operand(v, _INDEX) for v in _parenthesised(parser, parser.parse_unresolved_operand)]
        symbols = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(_INDEX)
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        results = [parser.parse_type(), *_results(parser, is_async)]
        properties: dict[str, Attribute] = {"hostShared": UnitAttr()} if shared else {}
        return cls.made([tokens, sizes, symbols or ()], results, properties, attributes)

    def print_custom(self, printer: Printer) -> None:
        groups = self.segments() or {}
        print_async(printer, self, groups["asyncDependencies"])
        printer.print_string(" host_shared (" if "hostShared" in self.properties else " (")
        printer.print_list(groups["dynamicSizes"], printer.print_operand)
        printer.print_string(")")
        if groups["symbolOperands"]:
            printer.print_string("[")
            printer.print_list(groups["symbolOperands"], printer.print_operand)
            printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.results[0].type)


class LaunchFuncOp(SpecialOp):
    """`gpu.launch_func async [%a] <%object : T> @m::@k clusters in (...) blocks in (...) threads in (...) ...`."""

    SEGMENT_NAMES: ClassVar[tuple[str, ...]] = (
        "asyncDependencies",
        *(f"{of}Size{axis}" for of in ("grid", "block", "cluster") for axis in "XYZ"),
        "dynamicSharedMemorySize",
        "kernelOperands",
        "asyncObject",
    )

    @property
    def kernel_operands(self) -> Sequence[SSAValue]:
        """What the kernel is given; all operands where generic form does not say."""
        groups = self.segments()
        return self.operands if groups is None else groups["kernelOperands"]

    @property
    def async_object(self) -> SSAValue | None:
        """The stream that a lowered op is launched on."""
        return next(iter((self.segments() or {}).get("asyncObject", ())), None)

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        is_async, tokens = read_async(parser)
        stream: list[SSAValue] = []
        if parser.parse_optional_punctuation("<"):
            name = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            stream = [parser.resolve_operand(name, parser.parse_type())]
            parser.parse_punctuation(">")
        properties: dict[str, Attribute] = {"kernel": _symbol(parser)}
        sizes: dict[str, list[UnresolvedOperand]] = {"clusters": []}
        for keyword in _sections(parser):
            parser.parse_keyword("in")
            sizes[keyword] = _parenthesised(parser, parser.parse_unresolved_operand)
        type_ = parser.parse_type() if parser.parse_optional_punctuation(":") else _INDEX
        dims = [
            [parser.resolve_operand(v, type_)] for keyword in ("blocks", "threads", "clusters") for v in sizes[keyword]
        ]
        dims += [[]] * (9 - len(dims))
        shared = [parser.parse_operand(i32)] if parser.parse_optional_keyword("dynamic_shared_memory_size") else []
        args = _typed_operands(parser) if parser.parse_optional_keyword("args") else []
        attributes = parser.parse_optional_attr_dict()
        return cls.made([tokens, *dims, shared, args, stream], _results(parser, is_async), properties, attributes)

    def is_regular(self) -> bool:
        groups = self.segments()
        return groups is not None and isinstance(self.properties.get("kernel"), SymbolRefAttr)

    def print_custom(self, printer: Printer) -> None:
        groups = self.segments() or {}
        print_async(printer, self, groups["asyncDependencies"])
        if groups["asyncObject"]:
            printer.print_string(" <")
            _print_typed(printer, groups["asyncObject"])
            printer.print_string(">")
        printer.print_string(" ")
        printer.print_attribute(self.properties["kernel"])
        for keyword, of in (("clusters", "cluster"), ("blocks", "grid"), ("threads", "block")):
            values = [value for axis in "XYZ" for value in groups[f"{of}Size{axis}"]]
            if values:
                printer.print_string(f" {keyword} in (")
                printer.print_list(values, printer.print_operand)
                printer.print_string(")")
        kind = groups["gridSizeX"][0].type
        if kind != _INDEX:
            printer.print_string(" : ")
            printer.print_attribute(kind)
        if groups["dynamicSharedMemorySize"]:
            printer.print_string(" dynamic_shared_memory_size ")
            printer.print_operand(groups["dynamicSharedMemorySize"][0])
        if groups["kernelOperands"]:
            printer.print_string(" args(")
            _print_typed(printer, groups["kernelOperands"])
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)


def _symbol(parser: FastParser) -> SymbolRefAttr:
    """`@m::@k`."""
    symbol = parser.parse_attribute()
    if not isinstance(symbol, SymbolRefAttr):
        parser.raise_error("expected a symbol")
    return symbol


def _typed_operands(parser: FastParser) -> list[SSAValue]:
    """`(%a : T, %b : T)`."""

    def one() -> SSAValue:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        return parser.resolve_operand(name, parser.parse_type())

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, one)


def _print_typed(printer: Printer, values: Sequence[SSAValue]) -> None:
    def one(value: SSAValue) -> None:
        printer.print_operand(value)
        printer.print_string(" : ")
        printer.print_attribute(value.type)

    printer.print_list(values, one)


class LaunchOp(SpecialOp):
    """`gpu.launch async [%a] blocks(%x, ...) in (%sx = %c, ...) threads(...) in (...) {...}`."""

    SEGMENT_NAMES: ClassVar[tuple[str, ...]] = LaunchFuncOp.SEGMENT_NAMES[:11]

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        is_async, tokens = read_async(parser)
        ids: dict[str, list[Parser.Argument]] = {"clusters": []}
        sizes: dict[str, list[Parser.Argument]] = {"clusters": []}
        values: dict[str, list[SSAValue]] = {"clusters": []}
        for keyword in _sections(parser):
            ids[keyword] = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _index_argument(parser))
            parser.parse_keyword("in")
            pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _size(parser))
            sizes[keyword] = [argument for argument, _ in pairs]
            values[keyword] = [value for _, value in pairs]
        shared = [parser.parse_operand(i32)] if parser.parse_optional_keyword("dynamic_shared_memory_size") else []
        outlined = _outlined(parser)
        workgroup, private = attributions(parser, "workgroup"), attributions(parser, "private")
        grids, clusters = ("blocks", "threads"), ("clusters",)
        arguments = [a for words in (grids, clusters) for kind in (ids, sizes) for word in words for a in kind[word]]
        arguments += [argument for argument, _ in (*workgroup, *private)]
        region = parser.parse_region(arguments)
        attributes = parser.parse_optional_attr_dict()
        attributes["workgroup_attributions"] = IntegerAttr(len(workgroup), i64)
        dims = [[value] for keyword in ("blocks", "threads", "clusters") for value in values[keyword]]
        dims += [[]] * (9 - len(dims))
        return cls.made([tokens, *dims, shared], _results(parser, is_async), outlined, attributes, regions=[region])


def _sections(parser: FastParser) -> Iterator[str]:
    """The keywords of a launch's dimensions, each when it has been read; `clusters` may be left out."""
    if parser.parse_optional_keyword("clusters") is not None:
        yield "clusters"
    for keyword in ("blocks", "threads"):
        parser.parse_keyword(keyword)
        yield keyword


def _index_argument(parser: FastParser) -> Parser.Argument:
    return Parser.Argument(parser.parse_unresolved_operand().span, _INDEX)


def _size(parser: FastParser) -> tuple[Parser.Argument, SSAValue]:
    """`%size = %value`."""
    argument = _index_argument(parser)
    parser.parse_punctuation("=")
    return argument, parser.parse_operand(_INDEX)


def _outlined(parser: FastParser) -> dict[str, Attribute]:
    """`module(@m) function(@f)`: where the body is to go."""
    found: dict[str, Attribute] = {}
    for keyword in ("module", "function"):
        if parser.parse_optional_keyword(keyword) is not None:
            parser.parse_punctuation("(")
            found[keyword] = _symbol(parser)
            parser.parse_punctuation(")")
    return found


class RegisterOp(SpecialOp):
    """`gpu.host_register %m : T`, `gpu.set_default_device %n`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        type_ = parser.parse_type() if parser.parse_optional_punctuation(":") else i32
        return cls.made([[parser.resolve_operand(name, type_)]], attributes=attributes)

    def is_regular(self) -> bool:
        return len(self.operands) == 1 and not self.shown_properties

    def print_custom(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operands[0])
        printer.print_op_attributes(self.attributes)
        if self.name != "gpu.set_default_device":
            printer.print_string(" : ")
            printer.print_attribute(self.operands[0].type)


OPS: dict[str, type[SpecialOp]] = {
    "gpu.wait": WaitOp,
    "gpu.memcpy": TransferOp,
    "gpu.memset": TransferOp,
    "gpu.dealloc": TransferOp,
    "gpu.alloc": AllocOp,
    "gpu.launch_func": LaunchFuncOp,
    "gpu.launch": LaunchOp,
    "gpu.host_register": RegisterOp,
    "gpu.host_unregister": RegisterOp,
    "gpu.set_default_device": RegisterOp,
}
