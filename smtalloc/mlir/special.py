"""Foreign ops with a grammar of their own: the common part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, cast

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, i32
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from smtalloc.mlir.foreign import SEGMENTS, ForeignOp

if TYPE_CHECKING:
    from smtalloc.mlir.parser import FastParser


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
        sizes = self.get_attr_or_prop(SEGMENTS)
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


def attributions(parser: FastParser, keyword: str) -> list[tuple[Parser.Argument, DictionaryAttr]]:
    """`workgroup(%a : T {attributes}, ...)`."""
    if parser.parse_optional_keyword(keyword) is None:
        return []
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: argument(parser))


def argument(parser: FastParser) -> tuple[Parser.Argument, DictionaryAttr]:
    name = parser.parse_unresolved_operand().span
    parser.parse_punctuation(":")
    argument = Parser.Argument(name, parser.parse_type())
    return argument, DictionaryAttr(parser.parse_optional_attr_dict())


# ------------------------------------------------------------------------------------------------------------ pieces


def arrow_types(parser: Parser) -> list[Attribute]:
    """`-> T` or `-> (T, U)`; nothing where there is no arrow."""
    if parser.parse_optional_punctuation("->") is None:
        return []
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else [*types]


def print_arrow_types(printer: Printer, types: Sequence[Attribute], *, always_parens: bool = False) -> None:
    """The same."""
    if not types:
        return
    parens = always_parens or len(types) > 1
    printer.print_string(" -> (" if parens else " -> ")
    printer.print_list(types, printer.print_attribute)
    printer.print_string(")" if parens else "")


def print_values(printer: Printer, values: Iterable[SSAValue]) -> None:
    """`(%a, %b)`."""
    with printer.in_parens():
        printer.print_list(values, printer.print_operand)


def typed_values(parser: Parser) -> list[SSAValue]:
    """`%a, %b : T, U`."""
    start = parser.pos
    names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return list(parser.resolve_operands(names, types, start))
