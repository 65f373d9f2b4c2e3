"""One op per line, most lines alike: what was read once need not be read again.

`%7 = arith.addf %5, %6 : f32` and `%9 = arith.addf %1, %2 : f32` differ in names only. The line without its names is
the key of a *template*: the op's class, types, properties and attributes, and which name became which operand. A later
line with that key and operands of the same types is the same op on other values; xDSL's parser never sees it.

Sound because an op's text, its operands' types and the aliases (which are never redefined) determine what xDSL reads,
and because only an op is learnt that took up its whole line, is followed by something that cannot continue it, and
whose names are all different and all operands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import HasParent, IsTerminator
from xdsl.utils.mlir_lexer import MLIRTokenKind

_LINE = re.compile(r'(?:%([\w$.-]++) = )?+(?=["\w]+\.)([^\n]*+)')
_NAME = re.compile(r"%([\w$.-]++)")
_UNFIT = re.compile(r"//|[{]\s*$|\^|%[\w$.-]+#")
"""Comments, regions, successors and parts of tuples of results are left to the parser."""

_NEVER_CONTINUES = frozenset(
    {
        MLIRTokenKind.PERCENT_IDENT,
        MLIRTokenKind.R_BRACE,
        MLIRTokenKind.CARET_IDENT,
        MLIRTokenKind.STRING_LIT,
        MLIRTokenKind.EOF,
    }
)


def strip_names(text: str) -> tuple[str, list[str]]:
    """The text with `%` for every `%name`, and the names."""
    return _NAME.sub("%", text), _NAME.findall(text)


def ends_op(kind: MLIRTokenKind, text: str) -> bool:
    """Can a token of this kind on the next line only be the start of something else?"""
    return kind in _NEVER_CONTINUES or (kind is MLIRTokenKind.BARE_IDENT and ("." in text or text == "return"))


@dataclass(frozen=True, slots=True)
class Template:
    """What all ops with one key have in common."""

    op_type: type[Operation]
    operand_types: tuple[Attribute, ...]
    """In the order of the names in the line."""
    order: tuple[int, ...]
    """For each operand, the index of its name in the line."""
    result_types: tuple[Attribute, ...]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    verify_each: bool
    """False: whether it verifies depends on nothing but the template."""

    def create(self, named: Sequence[SSAValue]) -> Operation:
        return self.op_type.create(
            operands=[named[index] for index in self.order],
            result_types=self.result_types,
            properties=dict(self.properties),
            attributes=dict(self.attributes),
        )


@dataclass(slots=True)
class Line:
    """An op that may take up the rest of its line."""

    key: str
    operands: list[str]
    result: str | None
    end: int
    template: Template | None


class Templates:
    """The templates learnt from one module."""

    def __init__(self) -> None:
        self._templates: dict[str, Template] = {}

    def line(self, text: str, start: int) -> Line | None:
        """The line that starts here, or None where it cannot be a template's."""
        match = _LINE.match(text, start)
        if match is None or _UNFIT.search(match[2]):
            return None
        key, operands = strip_names(match[2].rstrip())
        return Line(key, operands, match[1], match.end(), self._templates.get(key))

    def learn(self, line: Line, op: Operation, named: Sequence[SSAValue]) -> None:
        """Remember the op read from this line, if others like it can be made from it."""
        if op.regions or op.successors or len(set(named)) != len(named) or len(named) != len(op.operands):
            return
        index = {value: at for at, value in enumerate(named)}
        order = tuple(index.get(operand, -1) for operand in op.operands)
        if -1 in order or (line.result is not None and len(op.results) != 1):
            return
        self._templates[line.key] = Template(
            type(op),
            tuple(value.type for value in named),
            order,
            tuple(result.type for result in op.results),
            dict(op.properties),
            dict(op.attributes),
            op.has_trait(IsTerminator, value_if_unregistered=False) or bool(op.get_traits_of_type(HasParent)),
        )
