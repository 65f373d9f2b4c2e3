"""Bytes that a memref type covers, relative to its base pointer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import builtin
from xdsl.ir import Attribute

from smtalloc.mlir.async_value import ValueType
from smtalloc.mlir.profile import Profile

DYNAMIC = builtin.DYNAMIC_INDEX
MemRef = builtin.MemRefType[Attribute]


def as_memref(type_: Attribute) -> MemRef | None:
    """The type as a ranked memref, if it is one, or holds one (`!async.value<memref<...>>`)."""
    type_ = type_.value if isinstance(type_, ValueType) else type_
    return cast(MemRef, type_) if isinstance(type_, builtin.MemRefType) else None


_FLOAT_BITS = {"tf32": 32, "f80": 128}


def element_bits(element: Attribute, profile: Profile) -> int | None:
    """Bits per element in memory; None for a type of unknown size."""
    width = integer_width(element)
    if width is not None:
        return profile.element_bits(width)
    if isinstance(element, builtin.IndexType):
        return profile.index_bits
    if isinstance(element, builtin.AnyFloat):
        return _FLOAT_BITS.get(element.name, -(-element.bitwidth // 8) * 8)
    return _compound_bits(element, profile)


def integer_width(type_: Attribute) -> int | None:
    """Bits of an integer type; None for any other."""
    return cast("builtin.IntegerType", type_).width.data if isinstance(type_, builtin.IntegerType) else None


def _compound_bits(element: Attribute, profile: Profile) -> int | None:
    """A complex number is two parts; a vector takes its elements rounded up to a power of two (LLVM's layout)."""
    inner, count = element_parts(element)
    part = element_bits(inner, profile) if inner is not None else None
    if part is None or count is None:
        return None
    return 2 * part if isinstance(element, builtin.ComplexType) else 1 << max(3, (part * count - 1).bit_length())


def element_parts(element: Attribute) -> tuple[Attribute | None, int | None]:
    """What a complex number or a vector is made of, and how many of it (None: scalable, or neither of the two)."""
    if isinstance(element, builtin.ComplexType):
        return cast("builtin.ComplexType[builtin.AnyFloat]", element).element_type, 2
    if isinstance(element, builtin.VectorType):
        vector = cast("builtin.VectorType[Attribute]", element)
        scalable = DYNAMIC in vector.get_shape() or any(bool(s) for s in vector.get_scalable_dims())
        return vector.element_type, None if scalable else math.prod(vector.get_shape())
    return None, None


def is_row_major(type_: Attribute) -> bool:
    """Do the elements of this static memref lie one behind the other in the order of their indices?"""
    memref = as_memref(type_)
    layout = strides_of(memref) if memref is not None else None
    if memref is None or layout is None or DYNAMIC in memref.get_shape():
        return False
    running = 1
    for size, stride in reversed(list(zip(memref.get_shape(), layout[1], strict=True))):
        if size != 1 and stride != running:
            return False
        running *= size
    return True


@dataclass(frozen=True, slots=True)
class Extent:
    """Bytes `[lo, hi)` from the base pointer; `dense` if every byte between belongs to an element."""

    lo: int
    hi: int
    dense: bool


def strides_of(type_: MemRef) -> tuple[int | None, list[int | None]] | None:
    """(offset, strides) in elements, None entries where dynamic; None for a layout that is no plain strided one."""
    shape = type_.get_shape()
    if isinstance(type_.layout, builtin.NoneAttr):
        strides: list[int | None] = []
        running: int | None = 1
        for size in reversed(shape):
            strides.insert(0, running)
            running = None if running is None or size == DYNAMIC else running * size
        return 0, strides
    if isinstance(type_.layout, builtin.StridedLayoutAttr):
        return type_.layout.get_offset(), list(type_.layout.get_strides())
    return None


def extent(type_: Attribute, profile: Profile) -> Extent | None:
    """The bytes that a memref of this type covers; None where shape or layout is not static."""
    memref = as_memref(type_)
    if memref is None:
        return None
    bits, layout, shape = element_bits(memref.element_type, profile), strides_of(memref), memref.get_shape()
    if bits is None or layout is None or DYNAMIC in shape:
        return None
    if 0 in shape:
        return Extent(0, 0, True)
    offset, strides = layout
    lo = hi = 0
    for size, stride in zip(shape, strides, strict=True):
        if stride is None:
            if size != 1:
                return None
            continue
        reach = (size - 1) * stride
        lo, hi = lo + min(0, reach), hi + max(0, reach)
    if offset is None:
        return None
    start, end = (offset + lo) * bits, (offset + hi + 1) * bits
    bytes_only = start % 8 == end % 8 == 0  # part of a byte leaves the rest as it was
    return Extent(start // 8, -(-end // 8), bytes_only and _dense(shape, strides))


def _dense(shape: tuple[int, ...], strides: list[int | None]) -> bool:
    """Do the elements fill their span? Smallest stride first, each must step over exactly what the others fill."""
    filled = 1
    for stride, size in sorted(
        (abs(st), sz) for sz, st in zip(shape, strides, strict=True) if sz > 1 and st is not None
    ):
        if stride != filled:
            return False
        filled *= size
    return True


def element_offset(type_: Attribute, indices: list[int | None], profile: Profile) -> Extent | None:
    """The bytes of one element, from the base pointer; None where an index or the layout is not known."""
    memref = as_memref(type_)
    if memref is None:
        return None
    bits, layout = element_bits(memref.element_type, profile), strides_of(memref)
    if bits is None or bits % 8 or layout is None or layout[0] is None:
        return None
    at = layout[0]
    for index, stride, size in zip(indices, layout[1], memref.get_shape(), strict=True):
        if size == 1:
            continue
        if index is None or stride is None or index < 0 or (size != DYNAMIC and index >= size):
            return None
        at += index * stride
    return Extent(at * bits // 8, (at + 1) * bits // 8, True)


def shape_text(type_: Attribute) -> str:
    """Shape and element type, without layout and space: "1x8xi64"; empty for an unranked memref."""
    memref = as_memref(type_)
    if memref is None:
        return ""
    sizes = ["?" if size == DYNAMIC else str(size) for size in memref.get_shape()]
    return "x".join([*sizes, str(memref.element_type)])


def natural_alignment(element: Attribute, profile: Profile) -> int:
    """Bytes that an element is aligned to where nothing else is asked for: its size, up to 16, as a power of two."""
    bits = element_bits(element, profile) or 8
    inner, _ = element_parts(element)
    if inner is not None and not isinstance(element, builtin.VectorType):
        return natural_alignment(inner, profile)
    size = -(-bits // 8)
    return min(16, 1 << (size - 1).bit_length())
