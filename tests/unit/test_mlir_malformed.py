"""Whatever is wrong with the input is one InputError of one line with file, line and column. Never anything else."""

from __future__ import annotations

import random
import re
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from smtalloc.mlir.dominance import immediate_dominators
from smtalloc.mlir.reader import print_module, read_modules
from smtalloc.program import InputError, Location

PROGRAM = """// every kind of thing that a mutation can hit
#map = affine_map<(d0, d1) -> (d0, d1)>
!t = memref<4x8xf32>
module @m attributes {hipdnn.pool_size = 512 : i64} {
  memref.global "private" constant @axes : memref<2xi64> = dense<[1, -2]> {alignment = 64 : i64}
  memref.global "private" @w : memref<2x2xf32> = dense<"0x000080BF000080BF0000803F0000803F">
  func.func @f(%ctx: !hip.context, %a: !t, %n: index, %c: i1) -> memref<?xf32> attributes {tag} {
    %0 = memref.get_global @axes : memref<2xi64>
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
    %alloc_0 = memref.alloc(%n)[%n] : memref<?xf32, strided<[1], offset: ?>>
    %cst = arith.constant 0xFF800000 : f32
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%a : memref<4x8xf32>) outs(%alloc : memref<4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %out : f32
      linalg.yield %1 : f32
    }
    hip.add(%ctx) ins(%a, %a : memref<4x8xf32>, memref<4x8xf32>) outs(%alloc : memref<4x8xf32>) {k = 1 : i64, s = "a"}
    %2 = hip.readback_scalar(%ctx, %0 : memref<2xi64>) -> i64
    %3:2 = scf.for %i = %n to %n step %n iter_args(%x = %n, %y = %n) -> (index, index) {
      memref.store %cst, %alloc[%i, %x] : memref<4x8xf32>
      scf.yield %y, %x : index, index
    }
    "hip.free"(%ctx, %alloc) {smtalloc.syntax = "(2:0 :o", z = dense<0> : tensor<2xi32>} : (!hip.context, memref<4x8xf32>) -> ()
    %r = memref.alloc(%3#1) : memref<?xf32>
    cf.cond_br %c, ^bb1(%r : memref<?xf32>), ^bb2
  ^bb1(%z: memref<?xf32>):
    return %z : memref<?xf32>
  ^bb2:
    cf.br ^bb1(%r : memref<?xf32>)
  }
}
"""  # noqa: E501


def refused(text: str) -> InputError:
    """The one error that reading raises."""
    with pytest.raises(InputError) as caught:
        read_modules(text, "in.mlir")
    error = caught.value
    assert error.location is not None
    lines = text.split("\n")
    assert error.location.file == "in.mlir"
    assert 1 <= error.location.line <= len(lines)
    assert 1 <= error.location.column <= len(lines[error.location.line - 1]) + 1
    assert str(error).isprintable(), "one line"
    return error


def accepted(text: str) -> ModuleOp:
    (module,) = read_modules(text, "in.mlir")
    return module


def function(body: str) -> str:
    return f"func.func @f(%c: i1, %m: memref<4xf32>, %n: index, %x: f32) {{\n{body}\n  return\n}}\n"


def test_the_program_that_is_mutated_is_fine() -> None:
    text = print_module(accepted(PROGRAM))
    assert print_module(accepted(text)) == text


@pytest.mark.parametrize(
    ("body", "line", "column", "message"),
    [
        ("  memref.copy %y, %m : memref<4xf32> to memref<4xf32>", 2, 15, "%y is used but not defined"),
        ('  "t.a"(%y) : (i32) -> ()\n  %y = "t.b"() : () -> i32', 2, 9, "used before its definition"),
        ('  %y = "t.a"(%y) : (i32) -> i32', 2, 14, "used before its definition"),
        ("  hip.a(%y)\n  %y = arith.constant 1 : i32", 2, 9, "used before its definition"),
        ('  scf.if %c {\n    "t.a"(%y) : (i32) -> ()\n  }\n  %y = "t.b"() : () -> i32', 3, 11, "before its definition"),
        ('  scf.if %c {\n    %y = "t.b"() : () -> i32\n  }\n  "t.a"(%y) : (i32) -> ()', 5, 9, "not defined"),
        ('  "t.a"(%y) : (i32) -> ()\n  scf.if %c {\n    %y = "t.b"() : () -> i32\n  }', 2, 9, "definition"),
        ("  %y = arith.constant 1 : i32\n  %y = arith.constant 1 : i32", 3, 3, "%y is already defined"),
        ("  %y = arith.constant 1 : i32\n  %y = arith.addi %n, %n : index", 3, 3, "%y is already defined"),
        ("  %n = arith.constant 1 : i32", 2, 3, "%n is already defined"),
        ("  %a, %b = arith.constant 1 : i32", 2, 3, "has 1 results, 2 are named"),
        ('  %a:2 = "t.b"() : () -> (i32, i32)\n  "t.a"(%a#2) : (i32) -> ()', 3, 9, "out of bounds"),
        ("  memref.copy %m, %m : memref<4xf32> to memref<4xi32>", 2, 19, "type"),
        ("  %0 = memref.load %m[] : memref<4xf32>", 2, 3, "expected an index for each dimension"),
        ("  %0 = memref.alloc() : memref<?xf32>", 2, 3, "dimension operand count"),
        ("  %0 = memref.alloc() : memref<4xf32, strided<[1], offset: ?>>", 2, 3, "layout with 1 symbols"),
        ("  %0 = arith.constant 1 : f32", 2, 23, "no floating point value"),
        ("  %0 = memref.alloc() {alignment = 3 : i64} : memref<4xf32>", 2, 3, "power of 2"),
        ("  %0 = memref.get_global @nope : memref<4xf32>", 2, 3, "@nope is no global"),
        ("  call @nope() : () -> ()", 2, 3, "'@nope' could not be found"),
        ("  memref.nonsense %m", 2, 3, "can be read in generic form only"),
        ("  tosa.nonsense %m", 2, 3, "generic form only"),
        ("  nonsense", 2, 3, "is not known"),
        ("  hip.a(%c) ins(%m : memref<4xf32>", 3, 3, "Expected"),
        ("  hip.a(%c) ins(%m : memref<4xf32>, i32)", 2, 20, "2 types for 1 operands"),
        ("  hip.a(%c) {a = 1 : i64} {a = 2 : i64}", 2, 27, "given twice"),
        ("  hip.a(%c) body @f body @g", 2, 26, "given twice"),
        ("  hip.yield %m", 2, 13, "operand without a type"),
        ('  "hip.a"(%c) {smtalloc.syntax = "(2:0"} : (i1) -> ()', 2, 10, "does not fit"),
        ('  "hip.a"(%c) {smtalloc.syntax = "what ever"} : (i1) -> ()', 2, 10, "is no clause"),
        ('  "hip.a"(%c) {smtalloc.syntax = 1} : (i1) -> ()', 2, 10, "is not a string"),
        ("  cf.br ^bb7", 2, 9, "bb7"),
        ("  %0 = arith.constant 300 : i8", 2, 3, "range"),
        ("  %0 = arith.constant 0x1FF800000 : f32", 2, 23, "out of range"),
        ('  "t.a"() {s = "abc} : () -> ()', 2, 16, "string"),
        ('  "t.a"() {s = "\\zz"} : () -> ()', 2, 16, "string"),
        ("  %0 = arith.constant 1 : i32 loc(", 2, 34, "location"),
    ],
)
def test_errors_point_at_what_is_wrong(body: str, line: int, column: int, message: str) -> None:
    error = refused(function(body))
    assert message in error.message
    assert error.location is not None
    assert (error.location.line, error.location.column) == (line, column), error


def test_copy_between_compatible_shapes() -> None:
    head = "func.func @f(%a: memref<?x4xf32>, %b: memref<8x?xf32>, %c: memref<8x5xf32>, %d: memref<?x4xi32>) {\n  "
    accepted(head + "memref.copy %a, %b : memref<?x4xf32> to memref<8x?xf32>\n  return\n}")
    for target in ("%c : memref<?x4xf32> to memref<8x5xf32>", "%d : memref<?x4xf32> to memref<?x4xi32>"):
        assert refused(head + f"memref.copy %a, {target}\n  return\n}}").location == Location("in.mlir", 2, 3)


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f() {\n  return\n}\nfunc.func @f() {\n  return\n}\n",
        "memref.global @f : memref<4xf32>\nfunc.func private @f()\n",
        "module {\n  module @f {\n  }\n  func.func private @f()\n}\n",
    ],
)
def test_symbols_are_defined_once(text: str) -> None:
    assert "@f is already defined" in refused(text).message


def test_symbols_of_one_name_in_two_modules() -> None:
    accepted("module @a {\n  func.func private @f()\n}\nmodule @b {\n  func.func private @f()\n}\n")


DIAMOND = """func.func @f(%c: i1) {
  %a = arith.constant 1 : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %b = arith.addi %a, %a : i32
  cf.br ^bb3
^bb2:
  cf.br ^bb3
^bb3:
  %d = arith.addi %a, USED : i32
  cf.br ^bb3
}
"""


def test_dominance_between_blocks() -> None:
    accepted(DIAMOND.replace("USED", "%a"))
    error = refused(DIAMOND.replace("USED", "%b"))
    assert error.location == Location("in.mlir", 10, 23)
    # text order is not dominance: ^bb1 stands after the block that uses its value, and dominates it
    accepted(
        "func.func @f() {\n  cf.br ^bb1\n^bb2:\n  %b = arith.addi %a, %a : i32\n  return\n"
        "^bb1:\n  %a = arith.constant 1 : i32\n  cf.br ^bb2\n}\n"
    )
    # nothing reaches ^bb1, so nothing is wrong in it
    accepted("func.func @f() {\n  return\n^bb1:\n  %b = arith.addi %b, %b : i32\n  cf.br ^bb1\n}\n")


def test_immediate_dominators_of_a_diamond() -> None:
    module = accepted(DIAMOND.replace("USED", "%a"))
    entry, left, right, join = next(op for op in module.walk() if op.name == "func.func").regions[0].blocks
    assert immediate_dominators(entry) == {entry: entry, left: entry, right: entry, join: entry}


def test_values_do_not_leave_functions_and_graph_regions_have_no_order() -> None:
    outer = '%o = "t.outer"() : () -> i32\nfunc.func @f() {\n  "t.use"(%o) : (i32) -> ()\n  return\n}\n'
    assert refused(outer).location == Location("in.mlir", 3, 11)
    accepted('"t.use"(%o) : (i32) -> ()\n%o = "t.outer"() : () -> i32\n')
    accepted('"t.graph"() ({\n  "t.use"(%o) : (i32) -> ()\n  %o = "t.outer"() : () -> i32\n}) : () -> ()\n')


def test_names_may_be_used_again_in_regions_side_by_side() -> None:
    accepted(
        function(
            "  scf.if %c {\n    %y = arith.constant 1 : i32\n  }\n  scf.if %c {\n    %y = arith.constant 1 : i32\n  }"
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        "module {",
        "module }",
        "module {}}",
        "func.func @f() { %0 = ",
        "func.func @f() {\n}\n",
        "func.func @f()",
        '"builtin.module"() ({}, {}) : () -> ()',
        '"builtin.module"() : () -> ()',
        '"func.func"() ({ ^bb0: "func.return"() : () -> () }) : () -> ()',
        '"func.func"() <{sym_name = "f", function_type = 1 : i64}> ({ ^bb0: }) : () -> ()',
        '"memref.alloc"() : () -> memref<4xf32>',
        '"memref.alloc"() <{operandSegmentSizes = array<i32: 7, 0>}> : () -> memref<4xf32>',
        '"memref.global"() : () -> ()',
        '"linalg.generic"() <{operandSegmentSizes = array<i32: 7, 0>}> ({ }) : () -> ()}',
        '"x"() : () -> ()',
        '"a\x01.b"() : () -> ()',
        '".."() : () -> ()',
        '""() : () -> ()',
        "#a = #a",
        "!a = !b",
        "#a = 1\n#a = 1",
        "{-#",
        '{-# "',
        "\0",
        "é",
        "²",
        "\ufeff",
        '"',
        '"\\',
        "%",
        "loc",
        "loc(",
        "-----",
        "/",
        "@",
        "memref.global @g : i32",
        "memref.global @g : memref<?xf32>",
        "memref.global @g : memref<4xf32> = 7",
        'memref.global @g : memref<2xf32> = dense<"0x00">',
        '"t.a"() {a = array<f32: 1.0, b>} : () -> ()',
        '"t.a"() {a = dense<(1, 2> : tensor<1xi32>} : () -> ()',
        '"t.a"() {a = memref<4xf32, 1, 2, 3>} : () -> ()',
        '"t.a"() {a = 99999999999999999999999 : i64} : () -> ()',
        '"t.a"() {a = tensor<99999999999999999999999999xf32>, b = affine_map<(d0) -> (d1)>} : () -> ()',
        '"t.a"()[^bb1] : () -> ()',
    ],
)
def test_nonsense(text: str) -> None:
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        '"t.a"() ({' * 2000,
        '"t.a"() ({' * 60 + "}) : () -> ()" * 60,
        "module {" * 5000,
        '"t.a"() {a = ' + "[" * 50000,
        '"t.a"() {a = ' + "[" * 5000 + "]" * 5000 + "} : () -> ()",
        '"t.a"() {a = ' + "{a = " * 5000,
        '"t.a"() : () -> ' + "(" * 5000,
        '"t.a"() : () -> ' + "tuple<" * 5000,
        '"t.a"() : () -> ' + "memref<" * 5000,
        '"t.a"() : () -> ' + "() -> " * 5000,
        '"t.a"() {a = dense<' + "[" * 5000 + "1" + "]" * 5000 + "> : tensor<1xi32>} : () -> ()",
        '"t.a"() {a = affine_map<(d0) -> (' + "(" * 5000 + "d0" + ")" * 5000 + ")>} : () -> ()",
        '"t.a"() : () -> () loc(' + "(" * 50000,
        "#a = loc(" + 'fused["a", ' * 5000,
        "//" * 50000 + '\n"t.a',
        '"' + "a" * 50000,
        '"' + "\\n" * 50000,
        "%" * 50000,
        " " * 50000 + "\n" * 50000 + "?",
    ],
    ids=lambda text: text[:20],
)
def test_deep_and_long_nonsense_ends_soon(text: str) -> None:
    start = time.process_time()
    refused(text)
    assert time.process_time() - start < 5


def test_as_deep_as_allowed_prints_and_reads_back() -> None:
    depth = 45
    text = "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * depth + "}\n" * depth + "return\n}\n"
    printed = print_module(accepted(text))
    assert print_module(accepted(printed)) == printed
    assert print_module(accepted(print_module(accepted(text), generic=True))) == printed
    assert sys.getrecursionlimit() == 1000


TOKENS = re.compile(r'"[^"\n]*"|[\w.$]+|[%#!^@][\w$.-]+|\s+|.')


def mutated(text: str, chance: random.Random) -> str:
    """The text with one to three things done to it."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.randint(1, 40))
        tokens = TOKENS.findall(text) or [""]
        one, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(8):
            case 0:
                text = text[:at]
            case 1:
                text = text[:at] + text[end:]
            case 2:
                text = text[:end] + text[at:end] + text[end:]
            case 3:
                text = text[:at] + chance.choice('\0\x01\n"%()<>{}[]\\#^@:=,é\x80\U0001f600') + text[at:]
            case 4 | 5:
                tokens[one], tokens[other] = tokens[other], tokens[one]
                text = "".join(tokens)
            case 6:
                tokens[one] = tokens[other]
                text = "".join(tokens)
            case _:
                del tokens[one]
                text = "".join(tokens)
    return text


GENERIC = print_module(accepted(PROGRAM), generic=True)


@settings(max_examples=400, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([PROGRAM, GENERIC]))
def test_mutations_are_read_or_refused(chance: random.Random, text: str) -> None:
    text = mutated(text, chance)
    try:
        modules = read_modules(text, "in.mlir")
    except InputError:
        refused(text)
        return
    for module in modules:
        custom, generic = print_module(module), print_module(module, generic=True)
        assert print_module(accepted(custom)) == custom
        assert print_module(accepted(generic), generic=True) == generic


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_modules(text, "in.mlir")
    except InputError:
        refused(text)


@pytest.mark.parametrize("kind", ["para\\80llel", "", "serial"])
def test_iterator_types_are_the_known_ones(kind: str) -> None:
    """Any other text would be printed as a bare word in generic form."""
    body = (
        f'  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["{kind}"]}} '
        "outs(%m : memref<4xf32>) {\n  ^bb0(%o: f32):\n    linalg.yield %o : f32\n  }\n"
    )
    error = refused(f"func.func @f(%m: memref<4xf32>) {{\n{body}  return\n}}\n")
    assert "iterator type" in str(error)
