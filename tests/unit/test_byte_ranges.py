"""Which bytes of its root an op touches: views of views, strides, element types; an unknown offset is anywhere."""

from __future__ import annotations

from itertools import product
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import builtin
from xdsl.ir import Attribute

from smtalloc.mlir.layout import Extent, element_offset, extent, is_row_major
from smtalloc.mlir.profile import load_profile
from smtalloc.mlir.session import load_text
from smtalloc.program import HOST, Program

HIP = load_profile("hip")
ARGUMENTS = "%ctx: !hip.context, %i: index, %a: memref<16x8xf32>, %shape: memref<2xindex>, %bytes: memref<512xi8>"


def program(body: str) -> Program:
    constants = "  %c2 = arith.constant 2 : index\n  %c64 = arith.constant 64 : index\n"
    text = f"func.func @f({ARGUMENTS}) {{\n{constants}{body}\n  return\n}}\n"
    return load_text(text, "t.mlir", "hip").programs[0]


def read(body: str, value: str, type_: str) -> tuple[str, int, int | None, bool, bool]:
    """(root, first byte, end, may, dense) of what an op that reads the value as a whole touches."""
    found = program(
        f"{body}\n  %o = memref.alloc() : memref<f32>\n  hip.sum(%ctx) ins({value} : {type_}) outs(%o : memref<f32>)"
    )
    access = next(a for action in found.actions if action.op == "hip.sum" for a in action.reads)
    return found.buffers[access.buffer].name, access.lo, access.hi, access.may, access.dense


A, BYTES = "memref<16x8xf32>", "memref<512xi8>"
COLUMN = "memref<16xf32, strided<[8], offset: 3>>"
INNER = "memref<4x2xf32, strided<[8, 1], offset: 34>>"
VIEWS = {
    "column": (f"  %v = memref.subview %a[0, 3] [16, 1] [1, 1] : memref<16x8xf32> to {COLUMN}", COLUMN,
               ("%a", 12, 496, False, False)),
    "subview of a subview": (
        f"  %u = memref.subview %a[2, 2] [8, 4] [1, 1] : {A} to memref<8x4xf32, strided<[8, 1], offset: 18>>\n"
        f"  %v = memref.subview %u[2, 0] [4, 2] [1, 1] : memref<8x4xf32, strided<[8, 1], offset: 18>> to {INNER}",
        INNER, ("%a", 136, 240, False, False)),
    "whole rows": (
        f"  %v = memref.subview %a[4, 0] [2, 8] [1, 1] : {A} to memref<2x8xf32, strided<[8, 1], offset: 32>>",
        "memref<2x8xf32, strided<[8, 1], offset: 32>>", ("%a", 128, 192, False, True)),
    "transposed": (
        "  %v = memref.transpose %a (d0, d1) -> (d1, d0) : memref<16x8xf32> to memref<8x16xf32, strided<[1, 8]>>",
        "memref<8x16xf32, strided<[1, 8]>>", ("%a", 0, 512, False, True)),
    "reinterpret_cast at an offset": (
        "  %v = memref.reinterpret_cast %a to offset: [5], sizes: [3], strides: [4]"
        " : memref<16x8xf32> to memref<3xf32, strided<[4], offset: 5>>",
        "memref<3xf32, strided<[4], offset: 5>>", ("%a", 20, 56, False, False)),
    "reinterpret_cast beyond a subview": (
        "  %u = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1]>>\n"
        "  %v = memref.reinterpret_cast %u to offset: [0], sizes: [16], strides: [1]"
        " : memref<1x8xf32, strided<[8, 1]>> to memref<16xf32>",
        "memref<16xf32>", ("%a", 0, 64, False, True)),
    "reinterpret_cast at an unknown offset": (
        "  %v = memref.reinterpret_cast %a to offset: [%i], sizes: [3], strides: [1]"
        " : memref<16x8xf32> to memref<3xf32, strided<[1], offset: ?>>",
        "memref<3xf32, strided<[1], offset: ?>>", ("%a", 0, None, True, True)),
    "collapsed": ("  %v = memref.collapse_shape %a [[0, 1]] : memref<16x8xf32> into memref<128xf32>",
                  "memref<128xf32>", ("%a", 0, 512, False, True)),
    "reshape": ("  %v = memref.reshape %a(%shape) : (memref<16x8xf32>, memref<2xindex>) -> memref<8x16xf32>",
                "memref<8x16xf32>", ("%a", 0, 512, False, True)),
    "reshape to unknown sizes": (f"  %v = memref.reshape %a(%shape) : ({A}, memref<2xindex>) -> memref<?x?xf32>",
                                 "memref<?x?xf32>", ("%a", 0, 512, False, True)),
    "view": ("  %v = memref.view %bytes[%c64][] : memref<512xi8> to memref<4xf64>", "memref<4xf64>",
             ("%bytes", 64, 96, False, True)),
    "view at an unknown offset": (f"  %v = memref.view %bytes[%i][] : {BYTES} to memref<4xf64>", "memref<4xf64>",
                                  ("%bytes", 0, 512, True, True)),
    "subview of that": (
        "  %u = memref.view %bytes[%i][] : memref<512xi8> to memref<4xf64>\n"
        "  %v = memref.subview %u[1] [2] [1] : memref<4xf64> to memref<2xf64, strided<[1], offset: 1>>",
        "memref<2xf64, strided<[1], offset: 1>>", ("%bytes", 0, 512, True, True)),
    "view of unknown size": (f"  %v = memref.view %bytes[%c64][%i] : {BYTES} to memref<?xf32>", "memref<?xf32>",
                             ("%bytes", 0, 512, True, True)),
    "vector elements": ("  %v = memref.view %bytes[%c64][] : memref<512xi8> to memref<2xvector<3xf32>>",
                        "memref<2xvector<3xf32>>", ("%bytes", 64, 96, False, True)),
    "complex elements": ("  %v = memref.view %bytes[%c64][] : memref<512xi8> to memref<3xcomplex<f64>>",
                         "memref<3xcomplex<f64>>", ("%bytes", 64, 112, False, True)),
    "index elements": ("  %v = memref.view %bytes[%c64][] : memref<512xi8> to memref<3xindex>", "memref<3xindex>",
                       ("%bytes", 64, 88, False, True)),
    "truth values": ("  %v = memref.view %bytes[%c64][] : memref<512xi8> to memref<9xi1>", "memref<9xi1>",
                     ("%bytes", 64, 73, False, True)),
    "nothing": ("  %v = memref.view %bytes[%c64][] : memref<512xi8> to memref<0xf32>", "memref<0xf32>",
                ("%bytes", 64, 64, False, True)),
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_what_a_whole_read_touches(name: str) -> None:
    body, type_, expected = VIEWS[name]
    assert read(body, "%v", type_) == expected


def test_reshape_reads_its_shape_on_the_host() -> None:
    found = program("  %v = memref.reshape %a(%shape) : (memref<16x8xf32>, memref<2xindex>) -> memref<8x16xf32>")
    action = found.actions[0]
    assert (action.op, action.engine) == ("memref.reshape", HOST)
    assert [(found.buffers[a.buffer].name, a.lo, a.hi) for a in action.accesses] == [("%shape", 0, 16)]


@pytest.mark.parametrize(
    ("body", "type_", "at", "expected"),
    [
        (f"  %v = memref.cast %a : {A} to memref<?x8xf32>", "memref<?x8xf32>", "%c2, %c2", (0, 512, True)),
        (f"  %v = memref.subview %a[0, 3] [16, 1] [1, 1] : {A} to {COLUMN}", COLUMN, "%c2", (76, 80, False)),
        (f"  %v = memref.cast %a : {A} to {A}", f"{A}", "%c2, %i", (0, 512, True)),
        (f"  %v = memref.cast %a : {A} to {A}", f"{A}", "%c64, %c2", (0, 512, True)),
        (f"  %v = memref.view %bytes[%c64][] : {BYTES} to memref<9xi1>", "memref<9xi1>", "%c2", (66, 67, False)),
        (f"  %v = memref.view %bytes[%c64][] : {BYTES} to memref<9xindex>", "memref<9xindex>", "%c2", (80, 88, False)),
    ],
    ids=["cast", "column", "unknown index", "index out of range", "i1", "index"],
)  # fmt: skip
def test_what_a_load_touches(body: str, type_: str, at: str, expected: tuple[int, int, bool]) -> None:
    found = program(f"{body}\n  %x = memref.load %v[{at}] : {type_}")
    access = found.actions[-1].reads[0]
    assert (access.lo, access.hi, access.may) == expected


# --- the layout of a type against its elements, one by one -----------------------------------------------------


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    shape = draw(st.lists(st.integers(0, 4), min_size=0, max_size=3))
    strides = draw(st.lists(st.integers(0, 9), min_size=len(shape), max_size=len(shape)))
    return shape, strides, draw(st.integers(0, 5))


def memref_type(shape: list[int], strides: list[int], offset: int, element: Attribute) -> Attribute:
    return builtin.MemRefType(element, shape, builtin.StridedLayoutAttr(strides, offset))


@settings(deadline=None)
@given(layouts(), st.sampled_from([(builtin.f32, 4), (builtin.i8, 1), (builtin.IndexType(), 8), (builtin.i1, 1)]))
def test_extent_is_that_of_the_elements(layout: tuple[list[int], list[int], int], kind: tuple[Attribute, int]) -> None:
    shape, strides, offset = layout
    element, size = kind
    type_ = memref_type(shape, strides, offset, element)
    places = [offset + sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, shape))]
    found = cast(Extent, extent(type_, HIP))
    if not places:
        assert found.lo == found.hi
        return
    covered = {place * size + byte for place in places for byte in range(size)}
    assert (found.lo, found.hi) == (min(covered), max(covered) + 1)
    if found.dense:
        assert len(covered) == found.hi - found.lo
    elif all(stride for stride in strides) and len(set(places)) == len(places):
        assert len(covered) < found.hi - found.lo
    assert is_row_major(type_) == (places == list(range(offset, offset + len(places)))) or 0 in strides


@settings(deadline=None)
@given(layouts(), st.data())
def test_one_element_is_where_its_indices_say(layout: tuple[list[int], list[int], int], data: st.DataObject) -> None:
    shape, strides, offset = layout
    index = [data.draw(st.integers(0, size)) for size in shape]
    found = element_offset(memref_type(shape, strides, offset, builtin.f32), [*index], HIP)
    inside = all(i < size for i, size in zip(index, shape, strict=True))
    at = offset + sum(i * s for i, s in zip(index, strides, strict=True))
    if inside:
        assert found == Extent(at * 4, at * 4 + 4, True)
    elif found is not None:  # a dimension of one element has index 0, whatever is written there
        assert all(size == 1 for i, size in zip(index, shape, strict=True) if i >= size)
