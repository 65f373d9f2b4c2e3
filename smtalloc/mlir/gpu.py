"""The ops of MLIR's gpu dialect in the custom form that `mlir-opt` prints (LLVM 22: GPUOps.td, GPUDialect.cpp).

xDSL's own classes for them have other operand groups than MLIR's, so they are not used: an op of gpu is a `ForeignOp`
with the operands and properties that generic form shows. Ops on the host side are printed as they were read, those
inside kernels in generic form, which `mlir-opt` takes as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from smtalloc.mlir.foreign import SEGMENTS, SPECIAL, ForeignOp

if TYPE_CHECKING:
    from smtalloc.mlir.parser import FastParser

TOKEN = "!gpu.async.token"
_INDEX = IndexType()


class SpecialOp(ForeignOp):
    """A foreign op with a grammar of its own. `SEGMENT_NAMES`: its operand groups, where generic form counts them."""

    SEGMENT_NAMES: ClassVar[tuple[str, ...]] = ()

    @property
    def prints_custom(self) -> bool:
        return type(self).print_custom is not SpecialOp.print_custom and self.is_regular()

    def is_regular(self) -> bool:
        """Does the op have the operands that its custom form can show? (An op in generic form may not.)"""
        return not self.SEGMENT_NAMES or self.segments() is not None

    def segments(self) -> dict[str, Sequence[SSAValue]] | None:
        """The operands by group; None if the op does not say how many are in each."""
        sizes = self.properties.get(SEGMENTS, self.attributes.get(SEGMENTS))
        if not isinstance(sizes, DenseArrayBase):
            return None
        counts = sizes.get_values()
        if len(counts) != len(self.SEGMENT_NAMES) or sum(counts) != len(self.operands):
            return None
        found: dict[str, Sequence[SSAValue]] = {}
        first = 0
        for name, size in zip(self.SEGMENT_NAMES, counts, strict=True):
            found[name] = self.operands[first : first + size]
            first += size
        return found

    def syntax_problem(self) -> str | None:
        return None

    def take_generic_syntax(self) -> str | None:
        return None

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls.read(cast("FastParser", parser))

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        """Read what stands behind the op's name."""
        raise NotImplementedError

    @classmethod
    def made(
        cls,
        groups: Sequence[Sequence[SSAValue]],
        results: Sequence[Attribute] = (),
        properties: dict[str, Attribute] | None = None,
        attributes: dict[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Self:
        """The op with these operand groups."""
        given = dict(properties or {})
        if cls.SEGMENT_NAMES:
            given[SEGMENTS] = DenseArrayBase.from_list(i32, [len(group) for group in groups])
        operands = [value for group in groups for value in group]
        return cls.create(
            operands=operands,
            result_types=list(results),
            properties=given,
            attributes=attributes or {},
            regions=regions,
        )

    def print(self, printer: Printer) -> None:
        self.print_custom(printer)

    def print_custom(self, printer: Printer) -> None:
        """Print what stands behind the op's name."""
        raise NotImplementedError


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
        for keyword in ("clusters", "blocks", "threads"):
            if keyword == "clusters" and parser.parse_optional_keyword(keyword) is None:
                continue
            if keyword != "clusters":
                parser.parse_keyword(keyword)
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
        ids: dict[str, list[Parser.Argument]] = {}
        sizes: dict[str, list[Parser.Argument]] = {}
        values: dict[str, list[SSAValue]] = {"clusters": []}
        for keyword in ("clusters", "blocks", "threads"):
            if keyword == "clusters" and parser.parse_optional_keyword(keyword) is None:
                continue
            if keyword != "clusters":
                parser.parse_keyword(keyword)
            ids[keyword] = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _index_argument(parser))
            parser.parse_keyword("in")
            pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _size(parser))
            sizes[keyword] = [argument for argument, _ in pairs]
            values[keyword] = [value for _, value in pairs]
        shared = [parser.parse_operand(i32)] if parser.parse_optional_keyword("dynamic_shared_memory_size") else []
        outlined = _outlined(parser)
        workgroup, private = _attributions(parser, "workgroup"), _attributions(parser, "private")
        present = [keyword for keyword in ("blocks", "threads", "clusters") if keyword in ids]
        arguments = [a for k in ("blocks", "threads") for a in ids[k]] + [
            a for k in ("blocks", "threads") for a in sizes[k]
        ]
        if "clusters" in present:
            arguments += [*ids["clusters"], *sizes["clusters"]]
        arguments += [argument for argument, _ in (*workgroup, *private)]
        region = parser.parse_region(arguments)
        attributes = parser.parse_optional_attr_dict()
        attributes["workgroup_attributions"] = IntegerAttr(len(workgroup), i64)
        dims = [[value] for keyword in ("blocks", "threads", "clusters") for value in values[keyword]]
        dims += [[]] * (9 - len(dims))
        return cls.made([tokens, *dims, shared], _results(parser, is_async), outlined, attributes, regions=[region])


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


def _attributions(parser: FastParser, keyword: str) -> list[tuple[Parser.Argument, DictionaryAttr]]:
    """`workgroup(%a : T {attributes}, ...)`."""
    if parser.parse_optional_keyword(keyword) is None:
        return []
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _argument(parser))


def _argument(parser: FastParser) -> tuple[Parser.Argument, DictionaryAttr]:
    name = parser.parse_unresolved_operand().span
    parser.parse_punctuation(":")
    argument = Parser.Argument(name, parser.parse_type())
    return argument, DictionaryAttr(parser.parse_optional_attr_dict())


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


# ----------------------------------------------------------------------------------------------------------- kernels


class ModuleOp(SpecialOp):
    """`gpu.module @m [#targets] attributes {...} {...}`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        properties: dict[str, Attribute] = {"sym_name": parser.parse_symbol_name()}
        if parser.parse_optional_punctuation("<"):
            properties["offloadingHandler"] = parser.parse_attribute()
            parser.parse_punctuation(">")
        targets = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
        if targets:
            properties["targets"] = ArrayAttr(targets)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region()
        return cls.made([], (), properties, dict(attributes.data) if attributes else {}, regions=[region])


_INHERENT = frozenset({"known_block_size", "known_grid_size", "known_cluster_size"})


class FuncOp(SpecialOp):
    """`gpu.func @k(%a : T) -> R workgroup(...) private(...) kernel attributes {...} {...}`; an async.func has less."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        visibility = next((v for v in ("private", "public", "nested") if parser.parse_optional_keyword(v)), None)
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _argument(parser))
        results, result_attributes = _function_results(parser)
        workgroup, private = _attributions(parser, "workgroup"), _attributions(parser, "private")
        kernel = parser.parse_optional_keyword("kernel") is not None
        given = parser.parse_optional_attr_dict_with_keyword()
        attributes = dict(given.data) if given else {}
        properties: dict[str, Attribute] = {k: attributes.pop(k) for k in _INHERENT & attributes.keys()}
        properties["function_type"] = FunctionType.from_lists([a.type for a, _ in arguments], results)
        for key, found in (
            ("arg_attrs", [d for _, d in arguments]),
            ("res_attrs", result_attributes),
            ("workgroup_attrib_attrs", [d for _, d in workgroup]),
            ("private_attrib_attrs", [d for _, d in private]),
        ):
            if any(d.data for d in found):
                properties[key] = ArrayAttr(found)
        if visibility is not None:
            properties["sym_visibility"] = StringAttr(visibility)
        if cls.name == "gpu.func":
            attributes |= {"sym_name": name, "workgroup_attributions": IntegerAttr(len(workgroup), i64)}
            attributes |= {"gpu.kernel": UnitAttr()} if kernel else {}
        else:
            properties["sym_name"] = name
        region = parser.parse_region([argument for argument, _ in (*arguments, *workgroup, *private)])
        return cls.made([], (), properties, attributes, regions=[region])


def _function_results(parser: FastParser) -> tuple[list[Attribute], list[DictionaryAttr]]:
    if parser.parse_optional_punctuation("->") is None:
        return [], []

    def one() -> tuple[Attribute, DictionaryAttr]:
        return parser.parse_type(), DictionaryAttr(parser.parse_optional_attr_dict())

    if parser.character_now() != "(":
        return [parser.parse_type()], []
    pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, one)
    return [type_ for type_, _ in pairs], [attributes for _, attributes in pairs]


class DimensionOp(SpecialOp):
    """`gpu.thread_id x upper_bound 64`, `gpu.lane_id`, `gpu.subgroup_id : index`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        properties: dict[str, Attribute] = {}
        axis = next((axis for axis in "xyz" if parser.parse_optional_keyword(axis)), None)
        if axis is not None:
            properties["dimension"] = parser.attribute_of_text(f"#gpu<dim {axis}>")
        if parser.parse_optional_keyword("upper_bound"):
            properties["upper_bound"] = IntegerAttr(parser.parse_integer(allow_boolean=False), _INDEX)
        attributes = parser.parse_optional_attr_dict()
        type_ = parser.parse_type() if parser.parse_optional_punctuation(":") else _INDEX
        return cls.made([], [type_], properties, attributes)


class EndOp(SpecialOp):
    """`gpu.return %a : T`, `gpu.terminator`, `gpu.barrier`: operands, if any, and their types."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        attributes = parser.parse_optional_attr_dict()
        if parser.character_now() != "%" or not parser.on_same_line():
            return cls.made([], attributes=attributes)
        start = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.made([parser.resolve_operands(names, types, start)], attributes=attributes)


class PrintfOp(SpecialOp):
    """`gpu.printf "format", %a : T`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        properties: dict[str, Attribute] = {"format": StringAttr(parser.parse_str_literal())}
        attributes = parser.parse_optional_attr_dict()
        values: list[SSAValue] = []
        comma = parser.parse_optional_punctuation(",") is not None
        if comma or (parser.character_now() == "%" and parser.on_same_line()):
            start = parser.pos
            names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            values = list(parser.resolve_operands(names, types, start))
        return cls.made([values], (), properties, attributes)


class ShuffleOp(SpecialOp):
    """`gpu.shuffle xor %value, %offset, %width : T`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        mode = parser.parse_identifier()
        properties = {"mode": parser.attribute_of_text(f"#gpu<shuffle_mode {mode}>")}
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        if len(names) != 3:
            parser.raise_error("gpu.shuffle takes a value, an offset and a width")
        values = [parser.resolve_operand(name, t) for name, t in zip(names, (type_, i32, i32), strict=True)]
        return cls.made([values], [type_, i1], properties, attributes)


class ReduceOp(SpecialOp):
    """`gpu.all_reduce add %x uniform {} : (T) -> T`, `gpu.subgroup_reduce add %x cluster(size = 4) : (T) -> T`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        properties: dict[str, Attribute] = {}
        if parser.character_now() != "%":
            kind = parser.parse_identifier()
            properties["op"] = parser.attribute_of_text(f"#gpu<all_reduce_op {kind}>")
        name = parser.parse_unresolved_operand()
        if parser.parse_optional_keyword("uniform"):
            properties["uniform"] = UnitAttr()
        if parser.parse_optional_keyword("cluster"):
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _cluster(parser, properties))
        if cls.name == "gpu.subgroup_reduce":
            properties.setdefault("cluster_stride", IntegerAttr(1, i32))
        regions = [parser.parse_region()] if cls.name == "gpu.all_reduce" else []
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_function_type()
        value = parser.resolve_operand(name, type_.inputs.data[0])
        return cls.made([[value]], type_.outputs.data, properties, attributes, regions=regions)


def _cluster(parser: FastParser, properties: dict[str, Attribute]) -> None:
    key = parser.parse_identifier()
    parser.parse_punctuation("=")
    properties[f"cluster_{key}"] = IntegerAttr(parser.parse_integer(allow_boolean=False), i32)


SPECIAL |= {
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
    "gpu.module": ModuleOp,
    "gpu.func": FuncOp,
    **{
        f"gpu.{name}": DimensionOp
        for name in (
            "thread_id", "block_id", "block_dim", "grid_dim", "global_id", "cluster_id", "cluster_dim",
            "cluster_dim_blocks", "cluster_block_id", "lane_id", "subgroup_id", "num_subgroups", "subgroup_size",
        )
    },
    **{f"gpu.{name}": EndOp for name in ("return", "terminator", "yield", "barrier")},
    "gpu.printf": PrintfOp,
    "gpu.shuffle": ShuffleOp,
    "gpu.all_reduce": ReduceOp,
    "gpu.subgroup_reduce": ReduceOp,
}  # fmt: skip
