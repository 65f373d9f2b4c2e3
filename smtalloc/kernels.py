"""Concrete kernels for replay: what an op computes on small typed values.

A kernel takes the op's inputs as lists of numbers and gives a list per output, or None where it does not apply; replay
then takes a result that stands for itself (an uninterpreted function of the op and its inputs).
Sources: op definitions of hip-ep (ONNX semantics) and of MLIR's memref dialect.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from smtalloc.program import Number

_FLOATS = {"f16": "e", "f32": "f", "f64": "d"}


@dataclass(frozen=True, slots=True)
class Typed:
    """A small tensor in row-major order; `type` as in `Access.type` ("1x8xi64")."""

    type: str
    values: tuple[Number, ...]


def element_of(type_: str) -> str:
    return type_.rpartition("x")[2] if "x" in type_ and not type_.startswith("index") else type_


def shape_of(type_: str) -> tuple[int, ...] | None:
    """The static shape, () for a scalar; None where a size is dynamic."""
    sizes = type_.split("x")[:-1]
    return tuple(map(int, sizes)) if all(size.isdigit() for size in sizes) else None


def element_bytes(element: str) -> int | None:
    """Bytes of one element, for the types that kernels know."""
    if element == "index":
        return 8
    if element in _FLOATS:
        return struct.calcsize(_FLOATS[element])
    if element == "i1":
        return 1
    if element.startswith("i") and element[1:].isdigit() and int(element[1:]) % 8 == 0:
        return int(element[1:]) // 8
    return None


def decode(data: bytes, type_: str) -> Typed | None:
    """Bytes as numbers (little endian, integers signed); None for a type that kernels do not know."""
    element = element_of(type_)
    width = element_bytes(element)
    if width is None or len(data) % width:
        return None
    parts = [data[i : i + width] for i in range(0, len(data), width)]
    if element in _FLOATS:
        return Typed(type_, tuple(struct.unpack("<" + _FLOATS[element], part)[0] for part in parts))
    signed = element != "i1"
    return Typed(type_, tuple(int.from_bytes(part, "little", signed=signed) for part in parts))


def encode(values: Sequence[Number], type_: str) -> bytes | None:
    """Numbers as bytes, wrapped to the width of the type."""
    element = element_of(type_)
    width = element_bytes(element)
    if width is None:
        return None
    if element in _FLOATS:
        return b"".join(_float_bytes(v, _FLOATS[element]) for v in values)
    if not all(isinstance(v, int) or math.isfinite(v) for v in values):
        return None
    return b"".join((int(v) % (1 << 8 * width)).to_bytes(width, "little") for v in values)


def _float_bytes(value: Number, code: str) -> bytes:
    try:
        return struct.pack("<" + code, value)
    except OverflowError:
        return struct.pack("<" + code, math.copysign(math.inf, value))


Kernel = Callable[[Sequence[Typed], Sequence[str], Mapping[str, str]], "list[list[Number]] | None"]
"""(inputs, types of the outputs, attributes) -> values of the outputs."""


def _count(type_: str) -> int | None:
    shape = shape_of(type_)
    return None if shape is None else math.prod(shape)


def _elementwise(function: Callable[[Number, Number], Number]) -> Kernel:
    def kernel(
        inputs: Sequence[Typed], outputs: Sequence[str], attributes: Mapping[str, str]
    ) -> list[list[Number]] | None:
        if len(inputs) != 2 or len(outputs) != 1:
            return None
        count = _count(outputs[0])
        if count is None or any(len(i.values) not in (1, count) for i in inputs):
            return None  # general broadcasting is left uninterpreted
        left, right = ([i.values[0]] * count if len(i.values) == 1 else list(i.values) for i in inputs)
        try:
            return [[function(a, b) for a, b in zip(left, right, strict=True)]]
        except (ArithmeticError, ValueError):
            return None

    return kernel


def _divide(a: Number, b: Number) -> Number:
    if isinstance(a, int) and isinstance(b, int):
        return int(a / b) if abs(a) < 1 << 52 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a / b


def _convert(
    inputs: Sequence[Typed], outputs: Sequence[str], attributes: Mapping[str, str]
) -> list[list[Number]] | None:
    """Cast or copy: the same numbers, encoded in the output's type."""
    if len(inputs) != 1 or len(outputs) != 1 or len(inputs[0].values) != _count(outputs[0]):
        return None
    return [list(inputs[0].values)]


def _reduce_sum(
    inputs: Sequence[Typed], outputs: Sequence[str], attributes: Mapping[str, str]
) -> list[list[Number]] | None:
    """Sum over the axes of the second input, where that leaves one element."""
    if not inputs or len(outputs) != 1 or _count(outputs[0]) != 1:
        return None
    shape = shape_of(inputs[0].type)
    axes = (
        {int(a) % len(shape) for a in inputs[1].values} if shape and len(inputs) > 1 else set(range(len(shape or ())))
    )
    if shape is None or any(size != 1 for axis, size in enumerate(shape) if axis not in axes):
        return None
    return [[sum(inputs[0].values)]]


KERNELS: dict[str, Kernel] = {
    "hip.add": _elementwise(lambda a, b: a + b),
    "hip.sub": _elementwise(lambda a, b: a - b),
    "hip.mul": _elementwise(lambda a, b: a * b),
    "hip.div": _elementwise(_divide),
    "hip.max": _elementwise(max),
    "hip.min": _elementwise(min),
    "hip.cast": _convert,
    "hip.reduce_sum": _reduce_sum,
    "memref.copy": _convert,
}
