"""What stands in kernels: the ops of MLIR's gpu dialect on the device, and the modules and functions around them.

Read in custom form, printed in generic form (gpu.py says why).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from smtalloc.mlir.special import SpecialOp, argument, attributions, typed_values

if TYPE_CHECKING:
    from smtalloc.mlir.parser import FastParser

_INDEX = IndexType()


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
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: argument(parser))
        results, result_attributes = _function_results(parser)
        workgroup, private = attributions(parser, "workgroup"), attributions(parser, "private")
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
        return cls.made([typed_values(parser)], attributes=attributes)


class PrintfOp(SpecialOp):
    """`gpu.printf "format", %a : T`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        properties: dict[str, Attribute] = {"format": StringAttr(parser.parse_str_literal())}
        attributes = parser.parse_optional_attr_dict()
        values: list[SSAValue] = []
        comma = parser.parse_optional_punctuation(",") is not None
        if comma or (parser.character_now() == "%" and parser.on_same_line()):
            values = typed_values(parser)
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


_DIMENSIONS = (
    "thread_id", "block_id", "block_dim", "grid_dim", "global_id", "cluster_id", "cluster_dim", "cluster_dim_blocks",
    "cluster_block_id", "lane_id", "subgroup_id", "num_subgroups", "subgroup_size",
)  # fmt: skip
OPS: dict[str, type[SpecialOp]] = {
    "gpu.module": ModuleOp,
    "gpu.func": FuncOp,
    "gpu.printf": PrintfOp,
    "gpu.shuffle": ShuffleOp,
    **{f"gpu.{name}": DimensionOp for name in _DIMENSIONS},
    **{f"gpu.{name}": EndOp for name in ("return", "terminator", "yield", "barrier")},
    **{f"gpu.{name}": ReduceOp for name in ("all_reduce", "subgroup_reduce")},
}
