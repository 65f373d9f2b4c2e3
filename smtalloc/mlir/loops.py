"""Loops of scf whose iterations are in no order, and two ops of memref, in the custom form that `mlir-opt` prints
(LLVM 22: SCF.cpp, SCFOps.td, MemRefOps.td, MemRefOps.cpp).

xDSL has no class for them but for scf.parallel, whose custom form it lacks. As in gpu.py, an op is a `ForeignOp` with
the operands and properties that generic form shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnrankedMemRefType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from smtalloc.mlir.foreign import SEGMENTS, foreign_class
from smtalloc.mlir.special import SpecialOp, arrow_types, print_arrow_types, print_values

if TYPE_CHECKING:
    from smtalloc.mlir.parser import FastParser

INDEX = IndexType()


# ------------------------------------------------------------------------------------------------------------ pieces


def indices(parser: Parser) -> list[Parser.Argument]:
    """`(%i, %j)`: the arguments of a loop's body, all of type index."""
    names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False))
    return [name.resolve(INDEX) for name in names]


def expect_as_many(parser: Parser, found: Sequence[object], arguments: Sequence[object], what: str, at: int) -> None:
    """One for each argument of the body."""
    if len(found) != len(arguments):
        parser.raise_error(f"{len(found)} {what} for {len(arguments)} induction variables", at)


def end_with(region: Region, name: str, inner: Sequence[Region] = ()) -> None:
    """Add the terminator that custom form leaves out."""
    block = region.block
    if block.last_op is None or block.last_op.name != name:
        block.add_op(foreign_class(name).create(regions=inner))


def single_block(op: Operation, region: Region, terminator: str) -> Block:
    """The only block of the region. Raises VerifyException unless it is one that ends as it must."""
    if len(region.blocks) != 1:
        raise VerifyException(f"{op.name} needs a body of one block")
    last = region.block.last_op
    if last is None or last.name != terminator:
        raise VerifyException(f"the body of {op.name} does not end in {terminator}")
    return region.block


def verify_indices(values: Iterable[SSAValue], what: str) -> None:
    if any(not isinstance(value.type, IndexType) for value in values):
        raise VerifyException(f"{what} must be of type index")


# -------------------------------------------------------------------------------------------------------------- scf

_BOUNDS = (
    ("staticLowerBound", "dynamicLowerBound"),
    ("staticUpperBound", "dynamicUpperBound"),
    ("staticStep", "dynamicStep"),
)
_IN_PARALLEL = "scf.forall.in_parallel"
_Mixed = tuple[list[int], list[SSAValue]]


class ForallOp(SpecialOp):
    """`scf.forall (%i, %j) in (%n, 4) {...}`, `scf.forall (%i) = (0) to (%n) step (2) {...}`.

    With `shared_outs`, which are tensors, it is read in generic form only.
    """

    SEGMENT_NAMES: ClassVar[tuple[str, ...]] = (*(dynamic for _, dynamic in _BOUNDS), "outputs")

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        arguments = indices(parser)
        if parser.parse_optional_keyword("in") is not None:
            count = len(arguments)
            bounds: list[_Mixed] = [([0] * count, []), _mixed(parser, arguments, "upper bounds"), ([1] * count, [])]
        else:
            parser.parse_punctuation("=")
            bounds = [_mixed(parser, arguments, "lower bounds")]
            parser.parse_keyword("to")
            bounds.append(_mixed(parser, arguments, "upper bounds"))
            parser.parse_keyword("step")
            bounds.append(_mixed(parser, arguments, "steps"))
        start = parser.pos
        if parser.parse_optional_keyword("shared_outs") is not None:
            parser.raise_error("scf.forall with shared_outs can be read in generic form only", start)
        region = parser.parse_region(arguments)
        end_with(region, _IN_PARALLEL, [Region(Block())])
        attributes = parser.parse_optional_attr_dict()
        properties: dict[str, Attribute] = {
            static: DenseArrayBase.from_list(i64, values)
            for (static, _), (values, _) in zip(_BOUNDS, bounds, strict=True)
        }
        if (mapping := attributes.pop("mapping", None)) is not None:
            properties["mapping"] = mapping
        groups = [*(dynamic for _, dynamic in bounds), []]
        return cls.made(groups, (), properties, attributes, [region])

    def bounds(self) -> list[list[int | SSAValue]]:
        """Lower bounds, upper bounds, steps. Raises VerifyException where operands and properties do not fit."""
        groups = self.segments()
        if groups is None:
            raise VerifyException(f"{SEGMENTS} does not fit the operands")
        found: list[list[int | SSAValue]] = []
        for static, dynamic in _BOUNDS:
            numbers = self.get_attr_or_prop(static)
            if not isinstance(numbers, DenseArrayBase):
                raise VerifyException(f"scf.forall needs {static}")
            values = cast("DenseArrayBase[IntegerType]", numbers).get_values()
            left = iter(groups[dynamic])
            mixed = [next(left, None) if number == DYNAMIC_INDEX else int(number) for number in values]
            if None in mixed or next(left, None) is not None:
                raise VerifyException(f"{static} does not fit the operands")
            found.append([value for value in mixed if value is not None])
        return found

    def verify_(self) -> None:
        if len(self.regions) != 1:
            raise VerifyException("scf.forall is one region")
        arguments = single_block(self, self.regions[0], _IN_PARALLEL).args
        outputs = (self.segments() or {}).get("outputs", ())
        if [len(bounds) + len(outputs) for bounds in self.bounds()] != [len(arguments)] * 3:
            raise VerifyException("scf.forall needs an argument for each bound, step and output")
        verify_indices(arguments[: len(arguments) - len(outputs)], "induction variables")
        if [value.type for value in outputs] != [result.type for result in self.results]:
            raise VerifyException("the results of scf.forall are not its outputs")

    def is_regular(self) -> bool:
        names = {*(static for static, _ in _BOUNDS), "mapping"}
        return not self.results and self.shown_properties.keys() <= names

    def print_custom(self, printer: Printer) -> None:
        lower, upper, steps = self.bounds()
        block = self.regions[0].block
        printer.print_string(" ")
        print_values(printer, block.args)
        normalised = all(bound == 0 for bound in lower) and all(step == 1 for step in steps)
        words = (("in", upper),) if normalised else (("=", lower), ("to", upper), ("step", steps))
        for word, bounds in words:
            printer.print_string(f" {word} ")
            with printer.in_parens():
                printer.print_list(bounds, lambda bound: _print_bound(printer, bound))
        end = block.last_op
        said = end is not None and bool(end.attributes or any(r.blocks and r.block.ops for r in end.regions))
        printer.print_string(" ")
        printer.print_region(
            self.regions[0], print_entry_block_args=False, print_empty_block=False, print_block_terminators=said
        )
        mapping = {name: self.properties[name] for name in ("mapping",) if name in self.properties}
        printer.print_op_attributes(mapping | self.attributes)


def _mixed(parser: FastParser, arguments: Sequence[Parser.Argument], what: str) -> _Mixed:
    """`(%n, 4)`: a number for each, with a placeholder for those that are values."""
    start = parser.pos

    def bound() -> int | SSAValue:
        if parser.character_now() == "%":
            return parser.parse_operand(INDEX)
        return parser.parse_integer(allow_boolean=False)

    found = parser.parse_comma_separated_list(parser.Delimiter.PAREN, bound)
    expect_as_many(parser, found, arguments, what, start)
    numbers = [value if isinstance(value, int) else DYNAMIC_INDEX for value in found]
    return numbers, [value for value in found if not isinstance(value, int)]


def _print_bound(printer: Printer, bound: int | SSAValue) -> None:
    if isinstance(bound, int):
        printer.print_string(str(bound))
    else:
        printer.print_operand(bound)


class InParallelOp(SpecialOp):
    """`scf.forall.in_parallel {...}`, which ends the body of scf.forall. On buffers there is nothing in it."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        region = parser.parse_region(())
        return cls.made([], regions=[region], attributes=parser.parse_optional_attr_dict())

    def verify_(self) -> None:
        if len(self.regions) != 1 or len(self.regions[0].blocks) != 1 or self.operands or self.results:
            raise VerifyException("scf.forall.in_parallel is one block and nothing else")

    def is_regular(self) -> bool:
        return not self.shown_properties

    def print_custom(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.regions[0], print_empty_block=False)
        printer.print_op_attributes(self.attributes)


class ParallelOp(scf.ParallelOp):
    """`scf.parallel (%i) = (%a) to (%b) step (%c) init (%x) -> T {... scf.reduce(%v : T) {...}}`."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        arguments = indices(parser)
        groups: list[list[SSAValue]] = []
        words = (("=", "lower bounds"), ("to", "upper bounds"), ("step", "steps"))
        for word, what in words:
            parser.parse_characters(word)
            start = parser.pos
            bounds = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_operand(INDEX))
            expect_as_many(parser, bounds, arguments, what, start)
            groups.append(list(bounds))
        start = parser.pos
        names = []
        if parser.parse_optional_keyword("init") is not None:
            names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        types = arrow_types(parser)
        initial = parser.resolve_operands(names, types, start)
        region = parser.parse_region(arguments)
        if not isinstance(region.block.last_op, scf.ReduceOp):
            region.block.add_op(scf.ReduceOp())
        attributes = parser.parse_optional_attr_dict()
        return cls.build(operands=[*groups, initial], result_types=[types], regions=[region], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values(printer, self.body.block.args)
        for word, values in (("=", self.lowerBound), ("to", self.upperBound), ("step", self.step)):
            printer.print_string(f" {word} ")
            print_values(printer, values)
        if self.initVals:
            printer.print_string(" init ")
            print_values(printer, self.initVals)
        print_arrow_types(printer, self.result_types)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


# ----------------------------------------------------------------------------------------------------------- memref


def _element(parser: FastParser) -> tuple[UnresolvedOperand, list[SSAValue], int]:
    """`%m[%i, %j]`, whose type stands behind it, and where the indices are."""
    name = parser.parse_unresolved_operand()
    start = parser.pos
    return (
        name,
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parser.parse_operand(INDEX)),
        start,
    )


def _element_type(parser: FastParser, positions: Sequence[SSAValue], at: int) -> MemRefType[Attribute]:
    """`: memref<...>` with as many dimensions as there are indices."""
    parser.parse_punctuation(":")
    start = parser.pos
    type_ = parser.parse_type()
    if not isinstance(type_, MemRefType):
        parser.raise_error("expected a memref type", start)
    ranked = cast("MemRefType[Attribute]", type_)
    if ranked.get_num_dims() != len(positions):
        parser.raise_error(f"{len(positions)} indices for {ranked.get_num_dims()} dimensions", at)
    return ranked


def _verify_element(op: Operation) -> MemRefType[Attribute]:
    type_ = op.operands[0].type if op.operands else None
    if not isinstance(type_, MemRefType) or type_.get_num_dims() != len(op.operands) - 1:
        raise VerifyException(f"{op.name} needs a memref and an index for each of its dimensions")
    verify_indices(op.operands[1:], "indices")
    return cast("MemRefType[Attribute]", type_)


def _print_element(printer: Printer, op: Operation) -> None:
    printer.print_string(" ")
    printer.print_operand(op.operands[0])
    with printer.in_square_brackets():
        printer.print_list(op.operands[1:], printer.print_operand)


_ACCESS = {"read": False, "write": True}
_CACHE = {"instr": False, "data": True}
_PREFETCH = ("isWrite", "localityHint", "isDataCache")


class PrefetchOp(SpecialOp):
    """`memref.prefetch %m[%i], read, locality<3>, data : T`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        name, positions, at = _element(parser)
        parser.parse_punctuation(",")
        is_write = _one_of(parser, _ACCESS)
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        parser.parse_punctuation("<")
        start = parser.pos
        hint = parser.parse_integer(allow_boolean=False)
        if not 0 <= hint <= 3:
            parser.raise_error("locality is a number from 0 to 3", start)
        parser.parse_punctuation(">")
        parser.parse_punctuation(",")
        is_data = _one_of(parser, _CACHE)
        attributes = parser.parse_optional_attr_dict()
        value = parser.resolve_operand(name, _element_type(parser, positions, at))
        found = IntegerAttr.from_bool(is_write), IntegerAttr(hint, i32), IntegerAttr.from_bool(is_data)
        return cls.made([[value, *positions]], (), dict(zip(_PREFETCH, found, strict=True)), attributes)

    def _numbers(self) -> list[int]:
        found = [self.get_attr_or_prop(name) for name in _PREFETCH]
        types = [i1, i32, i1]
        numbers = [cast("IntegerAttr[IntegerType]", attr) for attr in found if isinstance(attr, IntegerAttr)]
        if len(numbers) != 3 or [number.type for number in numbers] != types:
            raise VerifyException(f"memref.prefetch needs {', '.join(_PREFETCH)}")
        return [number.value.data for number in numbers]

    def verify_(self) -> None:
        _verify_element(self)
        self._numbers()
        if self.results or self.regions:
            raise VerifyException("memref.prefetch has no results and no regions")

    def is_regular(self) -> bool:
        return self.shown_properties.keys() == {*_PREFETCH}

    def print_custom(self, printer: Printer) -> None:
        is_write, hint, is_data = self._numbers()
        _print_element(printer, self)
        printer.print_string(f", {'write' if is_write else 'read'}, locality<{hint}>, {'data' if is_data else 'instr'}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)


def _one_of(parser: FastParser, words: dict[str, bool]) -> bool:
    for word, value in words.items():
        if parser.parse_optional_keyword(word) is not None:
            return value
    parser.raise_error(f"expected {' or '.join(words)}")


_COMPUTE = frozenset({"arith", "math", "index", "complex", "vector", "scf", "affine"})
"""Dialects without effects but on memrefs."""


class GenericAtomicRMWOp(SpecialOp):
    """`%old = memref.generic_atomic_rmw %m[%i] : T {^bb0(%x: E): ... memref.atomic_yield %y : E}`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        name, positions, at = _element(parser)
        type_ = _element_type(parser, positions, at)
        value = parser.resolve_operand(name, type_)
        region = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        return cls.made([[value, *positions]], [type_.element_type], None, attributes, [region])

    def verify_(self) -> None:
        element = _verify_element(self).element_type
        if len(self.regions) != 1:
            raise VerifyException("memref.generic_atomic_rmw is one region")
        block = single_block(self, self.regions[0], "memref.atomic_yield")
        given = [value.type for value in block.last_op.operands] if block.last_op is not None else []
        if not [value.type for value in block.args] == [r.type for r in self.results] == given == [element]:
            raise VerifyException("memref.generic_atomic_rmw does not take and give one element")
        for inner in block.walk():
            memory = any(isinstance(v.type, MemRefType | UnrankedMemRefType) for v in (*inner.operands, *inner.results))
            if memory or (inner.name.partition(".")[0] not in _COMPUTE and inner is not block.last_op):
                raise VerifyException(f"{inner.name} in memref.generic_atomic_rmw may have side effects")

    def is_regular(self) -> bool:
        return not self.shown_properties

    def print_custom(self, printer: Printer) -> None:
        _print_element(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)
        printer.print_string(" ")
        printer.print_region(self.regions[0])
        printer.print_op_attributes(self.attributes)


class AtomicYieldOp(SpecialOp):
    """`memref.atomic_yield %y : E`."""

    @classmethod
    def read(cls, parser: FastParser) -> Self:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.made([[parser.resolve_operand(name, parser.parse_type())]], attributes=attributes)

    def verify_(self) -> None:
        if len(self.operands) != 1 or self.results:
            raise VerifyException("memref.atomic_yield gives one element")

    def is_regular(self) -> bool:
        return not self.shown_properties

    def print_custom(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operands[0])
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)


OPS: dict[str, type[SpecialOp]] = {
    "scf.forall": ForallOp,
    _IN_PARALLEL: InParallelOp,
    "memref.prefetch": PrefetchOp,
    "memref.generic_atomic_rmw": GenericAtomicRMWOp,
    "memref.atomic_yield": AtomicYieldOp,
}
