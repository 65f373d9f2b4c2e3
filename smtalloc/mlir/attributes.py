"""Attributes kept as they were written, because reading them as values would lose bits or expand splats.

xDSL 0.75 reads `dense<0xFF800000> : tensor<f32>` as 4.28e9, copies a splat once per element, and prints floats its own
way. Here an elements attribute is its text, and a float attribute remembers the text of its number.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    FloatAttr,
    FloatData,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, BuiltinAttribute, ParametrizedAttribute, TypedAttribute
from xdsl.irdl import irdl_attr_definition

if TYPE_CHECKING:
    from xdsl.printer import Printer


@irdl_attr_definition
class ElementsAttr(TypedAttribute, BuiltinAttribute, ParametrizedAttribute):
    """`dense<...>`, `dense_resource<...>`, `sparse<...>` or `array<f32: ...>`: its source text.

    The type of `array<...>` is part of its text, the others are followed by `: type`.
    """

    name = "smtalloc.elements"

    text: StringAttr
    type: Attribute

    def print_builtin(self, printer: Printer) -> None:
        self.print_without_type(printer)
        if not self.text.data.startswith("array"):
            printer.print_string(" : ")
            printer.print_attribute(self.type)

    @classmethod
    def get_type_index(cls) -> int:
        return 1

    def print_without_type(self, printer: Printer) -> None:
        printer.print_string(self.text.data)


class SourceFloat(float):
    """A float that prints as it was written."""

    __slots__ = ("text",)

    text: str

    @staticmethod
    def of(value: float, text: str) -> SourceFloat:
        made = SourceFloat(value)
        made.text = text
        return made


def source_float_attr(attr: FloatAttr, text: str) -> FloatAttr:
    """The same attribute, with the text of its number."""
    value = SourceFloat.of(attr.value.data, text)
    return FloatAttr.new((FloatData(value), attr.type))


_HEX = r"0x[0-9a-fA-F]+"
_FLOAT = rf"(?:{_HEX}|-?[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?)"
_INTEGER = rf"(?:{_HEX}|-?[0-9]+|true|false)"


def _literals(element: str) -> re.Pattern[str]:
    """Elements between commas, with brackets around them anyhow."""
    return re.compile(rf"[\[\s]*+(?:{element}[\]\s]*+(?:,[\[\s]*+{element}[\]\s]*+)*+)?[\]\s]*+")


def _pair(element: str) -> str:
    return rf"\(\s*{element}\s*,\s*{element}\s*\)"


_FLOATS, _INTEGERS = _literals(_FLOAT), _literals(_INTEGER)
_PAIRS = _literals(f"(?:{_pair(_FLOAT)}|{_pair(_INTEGER)}|{_FLOAT}|{_INTEGER})")
_ONE_PAIR = re.compile(rf"{_pair(_FLOAT)}|{_pair(_INTEGER)}")
_HEX_STRING = re.compile(r'"0x((?:[0-9a-fA-F]{2})*)"')


def _element_bits(element: Attribute) -> int:
    """Bits of one element in a hex string, 0 if unknown. A lone i1 is a byte; several are packed."""
    if isinstance(element, ComplexType):
        parts = cast("ComplexType[IntegerType | AnyFloat]", element)
        return 2 * _element_bits(parts.element_type)
    if isinstance(element, IndexType):
        return 64
    if isinstance(element, IntegerType):
        return 1 if element.bitwidth == 1 else (element.bitwidth + 7) // 8 * 8
    return (element.bitwidth + 7) // 8 * 8 if isinstance(element, AnyFloat) else 0


def _literals_of(element: Attribute) -> re.Pattern[str]:
    if isinstance(element, AnyFloat):
        return _FLOATS
    return _INTEGERS if isinstance(element, IntegerType | IndexType) else _PAIRS


def _matches_shape(body: str, shape: tuple[int, ...]) -> bool:
    """Are the brackets of `[[1, 2], [3, 4]]` those of the shape? One pass that counts, nothing is built."""
    counts = [0] * (len(shape) + 1)
    depth = 0
    for bracket in re.finditer(r"\[|\]|[^\[\],\s][^\[\],]*", body):
        if bracket[0] == "[":
            depth += 1
            if depth > len(shape):
                return False
            counts[depth] = 0
        elif bracket[0] == "]":
            if depth == 0 or counts[depth] != shape[depth - 1]:
                return False
            depth -= 1
            counts[depth] += 1
        elif depth != len(shape):
            return False
        else:
            counts[depth] += 1
    return depth == 0 and counts[0] == 1


def dense_problem(text: str, type_: Attribute) -> str | None:
    """Why `dense<...>` of this type is malformed, or None. Costs one scan, however large the literal."""
    if not isinstance(type_, MemRefType | TensorType | VectorType):
        return "dense elements need a tensor or vector type"
    shaped = cast("MemRefType[Attribute] | TensorType[Attribute] | VectorType[Attribute]", type_)
    shape = shaped.get_shape()
    if any(size < 0 for size in shape):
        return "dense elements need a static shape"
    body = text[text.index("<") + 1 : -1].strip()
    bits = _element_bits(shaped.element_type)
    if hexadecimal := _HEX_STRING.fullmatch(body):
        found, one, all_ = len(hexadecimal[1]) // 2, (bits + 7) // 8, (bits * prod(shape) + 7) // 8
        return (
            f"dense hex string has {found} bytes, the type needs {all_}" if bits and found not in (one, all_) else None
        )
    if body.startswith('"') and not bits:
        return None
    if not _literals_of(shaped.element_type).fullmatch(body):
        return "malformed dense literal"
    if not body:
        return None if prod(shape) == 0 else "dense literal is empty, the type is not"
    if body[0] == "[" and not _matches_shape(_ONE_PAIR.sub("0", body), shape):
        return "dense literal does not have the shape of its type"
    return None


def elided(attr: Attribute) -> str | None:
    """How MLIR writes an integer where its type goes without saying: in arrays, memory spaces, `graph_id(0)`."""
    if isinstance(attr, IntegerAttr) and cast("IntegerAttr[IntegerType | IndexType]", attr).type == i64:
        return str(attr.value.data)
    return None
