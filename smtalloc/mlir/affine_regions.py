"""affine.if and affine.parallel in the custom form that `mlir-opt` prints (LLVM 22: AffineOps.cpp).

xDSL has no custom form for them, and wants of affine.parallel what MLIR does not. As in gpu.py, an op is a `ForeignOp`
with the operands and properties that generic form shows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser
from xdsl.parser.affine_parser import AffineParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from smtalloc.mlir.attributes import ElementsAttr
from smtalloc.mlir.loops import (
    INDEX,
    end_with,
    expect_as_many,
    indices,
    single_block,
    verify_indices,
)
from smtalloc.mlir.special import SpecialOp, arrow_types, print_arrow_types, print_values

if TYPE_CHECKING:
    from smtalloc.mlir.parser import FastParser

_YIELD = "affine.yield"


def _verify_body(op: SpecialOp, region: Region) -> None:
    """It is one block that ends in as many values as the op gives."""
    end = single_block(op, region, _YIELD).last_op
    if end is not None and [value.type for value in end.operands] != [result.type for result in op.results]:
        raise VerifyException(f"a body of {op.name} does not yield what the op gives")


# --------------------------------------------------------------------------------------------------------------- if


class IfOp(SpecialOp):
    """`affine.if #set(%i)[%n] -> T {...} else {...}`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        start = parser.pos
        condition = parser.parse_attribute()
        if not isinstance(condition, AffineSetAttr):
            parser.raise_error("expected an affine set", start)
        start = parser.pos
        dimensions = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_operand(INDEX))
        symbols = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(INDEX)
        )
        set_ = condition.data
        if (len(dimensions), len(symbols or ())) != (set_.num_dims, set_.num_symbols):
            parser.raise_error(f"the set is of {set_.num_dims} dimensions and {set_.num_symbols} symbols", start)
        types = arrow_types(parser)
        regions = [parser.parse_region(())]
        regions.append(parser.parse_region(()) if parser.parse_optional_keyword("else") is not None else Region())
        for region in regions:
            if region.blocks and not types:
                end_with(region, _YIELD)
        attributes = parser.parse_optional_attr_dict()
        return cls.made([dimensions, symbols or ()], types, {"condition": condition}, attributes, regions)

    def _condition(self) -> AffineSetAttr:
        condition = self.get_attr_or_prop("condition")
        if not isinstance(condition, AffineSetAttr):
            raise VerifyException("affine.if needs a set as its condition")
        return condition

    def verify_(self) -> None:
        set_ = self._condition().data
        if len(self.operands) != set_.num_dims + set_.num_symbols:
            raise VerifyException("affine.if needs an operand for each dimension and symbol of its set")
        verify_indices(self.operands, "the operands of affine.if")
        if len(self.regions) != 2:
            raise VerifyException("affine.if is two regions")
        if self.results and not self.regions[1].blocks:
            raise VerifyException("affine.if with results needs an else")
        for region in self.regions:
            if region.blocks or region is self.regions[0]:
                _verify_body(self, region)
                if region.block.args:
                    raise VerifyException("the bodies of affine.if have no arguments")

    def is_regular(self) -> bool:
        return self.shown_properties.keys() == {"condition"}

    def print_custom(self, printer: Printer) -> None:
        condition = self._condition()
        printer.print_string(" ")
        printer.print_attribute(condition)
        count = condition.data.num_dims
        print_values(printer, self.operands[:count])
        if condition.data.num_symbols:
            with printer.in_square_brackets():
                printer.print_list(self.operands[count:], printer.print_operand)
        print_arrow_types(printer, self.result_types)
        for word, region in zip((" ", " else "), self.regions, strict=True):
            if region.blocks:
                printer.print_string(word)
                _print_body(printer, region, bool(self.results))
        printer.print_op_attributes(self.attributes)


def _print_body(printer: Printer, region: Region, has_results: bool) -> None:
    end = region.block.last_op
    said = has_results or (end is not None and bool(end.attributes))
    printer.print_region(region, print_entry_block_args=False, print_empty_block=False, print_block_terminators=said)


# --------------------------------------------------------------------------------------------------------- parallel

_REDUCTIONS = (
    "addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu", "minimumf", "minnumf", "mins", "minu",
    "mulf", "muli", "ori", "xori",
)  # fmt: skip
"""The names of arith's AtomicRMWKind, by number."""
_PLACES = re.compile(r"\b([ds])([0-9]+)\b")


class _BoundReader(AffineParser):
    """`(0, max(%a, symbol(%b) + 1))`: one map for all bounds, `%a` a dimension of it and `symbol(%b)` a symbol."""

    def __init__(self, parser: FastParser, keyword: str) -> None:
        super().__init__(parser.state)
        self._values = parser
        self._keyword = keyword
        self.dimensions: list[SSAValue] = []
        self.symbols: list[SSAValue] = []
        self._met: dict[SSAValue, AffineExpr] = {}
        """The values of the bound being read: what a value is where it is met first, it is in the whole bound."""

    def read(self) -> tuple[AffineMapAttr, ElementsAttr, int]:
        """The map, how many of its results are for each bound, and how many bounds there are."""
        found = self.parse_comma_separated_list(self.Delimiter.PAREN, self._bound)
        results = tuple(expression for bound in found for expression in bound)
        map_ = AffineMap(len(self.dimensions), len(self.symbols), results)
        return AffineMapAttr(map_), _groups_attr([len(bound) for bound in found]), len(found)

    def _bound(self) -> list[AffineExpr]:
        self._met.clear()
        if self.parse_optional_keyword(self._keyword) is None:
            return [self._parse_affine_expr(self._value)]
        return self._parse_multi_affine_expr(self._value)

    def _value(self) -> AffineExpr | None:
        if self.parse_optional_keyword("symbol") is not None:
            self.parse_punctuation("(")
            value = self._values.parse_operand(INDEX)
            self.parse_punctuation(")")
            if value not in self._met:
                self._met[value] = AffineExpr.symbol(_place(self.symbols, value))
            return self._met[value]
        name = self._values.parse_optional_unresolved_operand()
        if name is None:
            return None
        value = self._values.resolve_operand(name, INDEX)
        if value not in self._met:
            self._met[value] = AffineExpr.dimension(_place(self.dimensions, value))
        return self._met[value]


def _place(values: list[SSAValue], value: SSAValue) -> int:
    if value not in values:
        values.append(value)
    return values.index(value)


def _groups_attr(sizes: Sequence[int]) -> ElementsAttr:
    """`dense<[1, 2]> : tensor<2xi32>`; `dense<1>` where all are the same, as MLIR writes it."""
    same = bool(sizes) and len({*sizes}) == 1
    text = str(sizes[0]) if same else str(list(sizes)) if sizes else ""
    return ElementsAttr(StringAttr(f"dense<{text}>"), TensorType(i32, [len(sizes)]))


def _sizes(groups: Attribute | None) -> list[int]:
    """The same, read. Raises VerifyException."""
    type_: object = groups.type if isinstance(groups, ElementsAttr) else None
    if isinstance(groups, ElementsAttr) and isinstance(type_, TensorType):
        shape = cast("TensorType[Attribute]", type_).get_shape()
        text = groups.text.data.removeprefix("dense<").removesuffix(">").strip()
        if len(shape) == 1 and re.fullmatch(r"\[?[0-9,\s]*\]?", text):
            numbers = [int(number) for number in re.findall(r"[0-9]+", text)]
            return numbers if len(numbers) == shape[0] else numbers * shape[0]
    raise VerifyException("affine.parallel needs lowerBoundsGroups and upperBoundsGroups")


class ParallelOp(SpecialOp):
    """`affine.parallel (%i) = (0) to (min(%n, 8)) step (2) reduce ("addf") -> (f32) {...}`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        arguments = indices(parser)
        properties: dict[str, Attribute] = {}
        operands: list[list[SSAValue]] = []
        for side, word, keyword in (("lower", "=", "max"), ("upper", "to", "min")):
            parser.parse_characters(word)
            start = parser.pos
            bounds = _BoundReader(parser, keyword)
            properties[f"{side}BoundsMap"], properties[f"{side}BoundsGroups"], count = bounds.read()
            expect_as_many(parser, range(count), arguments, f"{side} bounds", start)
            operands += [bounds.dimensions, bounds.symbols]
        steps = [1] * len(arguments)
        start = parser.pos
        if parser.parse_optional_keyword("step") is not None:
            steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _step(parser))
            expect_as_many(parser, steps, arguments, "steps", start)
        properties["steps"] = ArrayAttr([IntegerAttr(step, i64) for step in steps])
        start = parser.pos
        kinds: list[int] = []
        if parser.parse_optional_keyword("reduce") is not None:
            kinds = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _reduction(parser))
        properties["reductions"] = ArrayAttr([IntegerAttr(kind, i64) for kind in kinds])
        types = arrow_types(parser)
        if len(types) != len(kinds):
            parser.raise_error(f"{len(types)} results for {len(kinds)} reductions", start)
        region = parser.parse_region(arguments)
        if not types:
            end_with(region, _YIELD)
        attributes = parser.parse_optional_attr_dict()
        return cls.made(operands, types, properties, attributes, [region])

    def _side(self, side: str) -> tuple[AffineMap, list[int]]:
        """The map of the lower or upper bounds, and how many of its results are for each."""
        map_ = self.get_attr_or_prop(f"{side}BoundsMap")
        if not isinstance(map_, AffineMapAttr):
            raise VerifyException("affine.parallel needs lowerBoundsMap and upperBoundsMap")
        return map_.data, _sizes(self.get_attr_or_prop(f"{side}BoundsGroups"))

    def _numbers(self, name: str) -> list[int]:
        """Of an array of integers."""
        array = self.get_attr_or_prop(name)
        elements = cast("ArrayAttr[Attribute]", array).data if isinstance(array, ArrayAttr) else (None,)
        numbers = [element.value.data for element in elements if isinstance(element, IntegerAttr)]
        if len(numbers) != len(elements):
            raise VerifyException(f"affine.parallel needs {name}")
        return numbers

    def verify_(self) -> None:
        if len(self.regions) != 1:
            raise VerifyException("affine.parallel is one region")
        _verify_body(self, self.regions[0])
        arguments = self.regions[0].block.args
        verify_indices((*arguments, *self.operands), "induction variables and operands")
        sides = [self._side(side) for side in ("lower", "upper")]
        if sum(map_.num_dims + map_.num_symbols for map_, _ in sides) != len(self.operands):
            raise VerifyException("affine.parallel needs an operand for each dimension and symbol of its bounds")
        counts = [len(self._numbers("steps")), *(len(sizes) for _, sizes in sides)]
        if counts != [len(arguments)] * 3 or any(len(map_.results) != sum(sizes) for map_, sizes in sides):
            raise VerifyException("affine.parallel needs bounds and a step for each argument")
        kinds = self._numbers("reductions")
        if len(kinds) != len(self.results) or not all(0 <= kind < len(_REDUCTIONS) for kind in kinds):
            raise VerifyException("affine.parallel needs a reduction for each result")

    def is_regular(self) -> bool:
        sides = [f"{side}Bounds{what}" for side in ("lower", "upper") for what in ("Map", "Groups")]
        return self.shown_properties.keys() == {*sides, "steps", "reductions"}

    def print_custom(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values(printer, self.regions[0].block.args)
        operands = list(self.operands)
        for side, word, keyword in (("lower", "=", "max"), ("upper", "to", "min")):
            map_, sizes = self._side(side)
            printer.print_string(f" {word} ")
            _print_bounds(printer, map_, sizes, operands, keyword)
            operands = operands[map_.num_dims + map_.num_symbols :]
        steps = self._numbers("steps")
        if any(step != 1 for step in steps):
            printer.print_string(f" step ({', '.join(map(str, steps))})")
        kinds = self._numbers("reductions")
        if kinds:
            printer.print_string(" reduce (" + ", ".join(f'"{_REDUCTIONS[kind]}"' for kind in kinds) + ")")
        print_arrow_types(printer, self.result_types, always_parens=True)
        printer.print_string(" ")
        _print_body(printer, self.regions[0], bool(self.results))
        printer.print_op_attributes(self.attributes)


def _step(parser: Parser) -> int:
    start = parser.pos
    step = parser.parse_integer(allow_boolean=False)
    if step <= 0:
        parser.raise_error("a step must be positive", start)
    return step


def _reduction(parser: Parser) -> int:
    start = parser.pos
    name = parser.parse_str_literal()
    if name not in _REDUCTIONS:
        parser.raise_error(f"'{name}' is no reduction", start)
    return _REDUCTIONS.index(name)


def _print_bounds(
    printer: Printer, map_: AffineMap, sizes: Sequence[int], operands: Sequence[SSAValue], keyword: str
) -> None:
    results = iter(map_.results)
    with printer.in_parens():
        for number, size in enumerate(sizes):
            printer.print_string(", " if number else "")
            group = [next(results) for _ in range(size)]
            if size == 1:
                _print_expression(printer, group[0], map_, operands)
                continue
            printer.print_string(keyword)
            with printer.in_parens():
                printer.print_list(group, lambda result: _print_expression(printer, result, map_, operands))


def _print_expression(printer: Printer, result: AffineExpr, map_: AffineMap, operands: Sequence[SSAValue]) -> None:
    """The expression with its values in place of `d0` and `s0`."""
    text = str(result)
    at = 0
    for found in _PLACES.finditer(text):
        printer.print_string(text[at : found.start()])
        at = found.end()
        if found[1] == "d":
            printer.print_operand(operands[int(found[2])])
        else:
            printer.print_string("symbol(")
            printer.print_operand(operands[map_.num_dims + int(found[2])])
            printer.print_string(")")
    printer.print_string(text[at:])


OPS: dict[str, type[SpecialOp]] = {"affine.if": IfOp, "affine.parallel": ParallelOp}
