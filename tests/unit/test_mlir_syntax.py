# ruff: noqa: E501  # an op is one line, however long
"""What is read and printed: memref, hip, linalg, constants. In custom and in generic form, and through mlir-opt."""

from __future__ import annotations

import pytest
from support import GENERIC, needs_mlir_opt, through_mlir_opt
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.ir import Operation

from smtalloc.mlir.attributes import ElementsAttr
from smtalloc.mlir.foreign import ForeignOp
from smtalloc.mlir.reader import print_module, read_modules, value_name
from smtalloc.program import InputError

MEMREF = """
memref.alloc() : memref<4xf32>
memref.alloc() {alignment = 64 : i64} : memref<4xf32>
memref.alloc(%n, %i) {alignment = 64 : i64} : memref<?x?xf32, 1>
memref.alloc(%n)[%i] : memref<?x4xf32, affine_map<(d0, d1)[s0] -> ((d0 + s0), d1)>>
memref.alloca() {alignment = 16 : i64} : memref<4xf32>
memref.alloca(%n) : memref<?xi1>
memref.cast %m : memref<4x8xf32> to memref<?x8xf32>
memref.cast %u : memref<*xf32> to memref<4x8xf32>
memref.copy %m, %d : memref<4x8xf32> to memref<?x8xf32>
memref.dim %d, %i : memref<?x8xf32>
memref.dim %u, %i : memref<*xf32>
memref.rank %u : memref<*xf32>
memref.rank %m : memref<4x8xf32>
memref.reshape %m(%s) : (memref<4x8xf32>, memref<2xindex>) -> memref<?x?xf32>
memref.transpose %m (d0, d1) -> (d1, d0) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
memref.view %b[%i][] : memref<4096xi8> to memref<4x8xf32>
memref.view %b[%i][%n] : memref<4096xi8> to memref<?x8xf32>
memref.subview %m[0, 0] [2, 4] [1, 1] : memref<4x8xf32> to memref<2x4xf32, strided<[8, 1]>>
memref.subview %m[%i, 0] [2, %n] [1, 1] : memref<4x8xf32> to memref<2x?xf32, strided<[8, 1], offset: ?>>
memref.reinterpret_cast %v to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xf32> to memref<4x4xf32>
memref.reinterpret_cast %v to offset: [%i], sizes: [%n], strides: [1] : memref<16xf32> to memref<?xf32, strided<[1], offset: ?>>
memref.collapse_shape %m [[0, 1]] : memref<4x8xf32> into memref<32xf32>
memref.expand_shape %m [[0], [1, 2]] output_shape [4, 2, 4] : memref<4x8xf32> into memref<4x2x4xf32>
memref.expand_shape %d [[0], [1, 2]] output_shape [%n, 2, 4] : memref<?x8xf32> into memref<?x2x4xf32>
memref.load %m[%i, %n] : memref<4x8xf32>
memref.load %v[%i] {nontemporal = true} : memref<16xf32>
memref.store %x, %m[%i, %n] : memref<4x8xf32>
memref.dealloc %m : memref<4x8xf32>
memref.realloc %v : memref<16xf32> to memref<32xf32>
memref.realloc %v(%n) {alignment = 8 : i64} : memref<16xf32> to memref<?xf32>
memref.memory_space_cast %v : memref<16xf32> to memref<16xf32, 1>
memref.extract_aligned_pointer_as_index %v : memref<16xf32> -> index
memref.assume_alignment %v, 64 : memref<16xf32>
"""
LINALG = """
linalg.fill ins(%x : f32) outs(%m : memref<4x8xf32>)
linalg.copy ins(%m : memref<4x8xf32>) outs(%m : memref<4x8xf32>)
linalg.add ins(%m, %m : memref<4x8xf32>, memref<4x8xf32>) outs(%m : memref<4x8xf32>)
linalg.matmul ins(%q, %q : memref<4x4xf32>, memref<4x4xf32>) outs(%q : memref<4x4xf32>)
linalg.transpose ins(%q : memref<4x4xf32>) outs(%q : memref<4x4xf32>) permutation = [1, 0]
linalg.broadcast ins(%v : memref<16xf32>) outs(%w : memref<2x16xf32>) dimensions = [0]
linalg.reduce { arith.addf } ins(%w : memref<2x16xf32>) outs(%v : memref<16xf32>) dimensions = [0]
linalg.softmax dimension(1) ins(%w : memref<2x16xf32>) outs(%w : memref<2x16xf32>)
linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%im, %k : memref<1x3x9x9xf32>, memref<8x3x3x3xf32>) outs(%o : memref<1x8x4x4xf32>)
"""
REGIONS = """
linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], library_call = "k"} ins(%v : memref<16xf32>) outs(%v : memref<16xf32>) attrs = {tag = 1 : i64} {
^bb0(%in: f32, %out: f32):
  %9 = linalg.index 0 : index
  linalg.yield %in : f32
}
// op
linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["reduction"]} outs(%v : memref<16xf32>) {
^bb0(%out: f32):
  linalg.yield %out : f32
}
// op
linalg.reduce ins(%w : memref<2x16xf32>) outs(%v : memref<16xf32>) dimensions = [0] (%in: f32, %out: f32) {
  %9 = arith.addf %in, %out : f32
  %10 = arith.mulf %9, %out : f32
  linalg.yield %10 : f32
}
// op
linalg.map ins(%v : memref<16xf32>) outs(%v : memref<16xf32>) (%in: f32, %init: f32) {
  %9 = arith.addf %in, %in : f32
  %10 = arith.mulf %9, %in : f32
  linalg.yield %10 : f32
}
// op
scf.for %j = %i to %n step %i {
  %9 = memref.alloc() : memref<4xf32>
}
// op
%r = scf.for %j = %i to %n step %i iter_args(%a = %v) -> memref<16xf32> {
  scf.yield %a : memref<16xf32>
}
// op
%r = scf.if %c -> (memref<16xf32>) {
  scf.yield %v : memref<16xf32>
} else {
  scf.yield %v : memref<16xf32>
}
// op
scf.while () : () -> () {
  scf.condition(%c)
} do {
  scf.yield
}
"""
HIP = """
hip.add(%ctx) ins(%m, %m : memref<4x8xf32>, memref<4x8xf32>) outs(%m : memref<4x8xf32>)
hip.cast(%ctx) ins(%m : memref<4x8xf32>) outs(%d : memref<?x8xf32>) {to = 1 : i64}
hip.miopen.softmax(%ctx) ins(%m : memref<4x8xf32>) outs(%m : memref<4x8xf32>) {axis = -1 : i64, s = "a b"}
hip.matmul_nbits(%ctx) ins(%m : memref<4x8xf32>) zero_points(%v : memref<16xf32>) g_idx(%v : memref<16xf32>) bias(%v : memref<16xf32>) outs(%m : memref<4x8xf32>)
hip.hipblaslt.graph(%ctx) ins(%m : memref<4x8xf32>) outs(%m : memref<4x8xf32>) graph_id(0)
hip.top_k(%ctx) ins(%m : memref<4x8xf32>) outs(%m, %v : memref<4x8xf32>, memref<16xf32>)
hip.nop(%ctx) ins() outs(%m : memref<4x8xf32>)
%r = hip.alloc(%ctx, %n) : memref<?xf16>
%r = hip.alloc_output(%ctx, %n) {out_idx = 0 : i64} : memref<?xf16>
hip.free(%ctx, %m) : memref<4x8xf32>
hip.free(%ctx, %m) {x} : memref<4x8xf32>
%r = hip.get_pool(%ctx, %n) {domain_id = 1 : i64} : memref<?xi8>
%r = hip.get_constant(%ctx, %n) : memref<4xf32>
%r = hip.readback_scalar(%ctx, %l : memref<i64>) -> i64
%r = hip.readback_dim(%ctx, %l : memref<i64>) -> index
hip.loop(%ctx, %n, %c) iter_args(%m : memref<4x8xf32>) captures(%v : memref<16xf32>) body @f {num_loop_carried = 1 : i32, cond_is_passthrough}
hip.if(%ctx, %c) outs(%m : memref<4x8xf32>) captures(%v : memref<16xf32>) then @f else @g {num_outputs = 1 : i32}
%r = hip.add(%ctx) ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) : tensor<4xf32>
%r, %q2 = hip.pair(%ctx) ins(%t : tensor<4xf32>) : tensor<4xf32>, tensor<4xf32>
%r:2 = hip.pair(%ctx) ins(%t : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
hipsr.something(%ctx) ins(%m : memref<4x8xf32>)
hip.sync(%ctx)
hip.sync
"""


def lines(text: str) -> list[str]:
    return text.strip().split("\n")


def function(op: str, arguments: str) -> str:
    return f"func.func @f({arguments}) {{\n  {op}\n  return\n}}\n"


ARGUMENTS = (
    "%m: memref<4x8xf32>, %d: memref<?x8xf32>, %u: memref<*xf32>, %b: memref<4096xi8>, %s: memref<2xindex>, %i: index, "
    "%n: index, %x: f32, %v: memref<16xf32>, %q: memref<4x4xf32>, %w: memref<2x16xf32>, %im: memref<1x3x9x9xf32>, "
    "%k: memref<8x3x3x3xf32>, %o: memref<1x8x4x4xf32>, %c: i1, %l: memref<i64>, %t: tensor<4xf32>"
)
HIP_ARGUMENTS = f"%ctx: !hip.context, {ARGUMENTS}"


def read(text: str) -> ModuleOp:
    (module,) = read_modules(text, "in.mlir")
    return module


def body(module: ModuleOp) -> list[Operation]:
    """The ops of the first function but its return."""
    function = next(op for op in module.walk() if op.name == "func.func")
    return list(function.regions[0].block.ops)[:-1]


def printed_body(module: ModuleOp) -> str:
    """The op of the function as printed, on one line."""
    text = print_module(module)
    for alias, value in [line.split(" = ", 1) for line in text.split("\n") if line.startswith("#")][::-1]:
        text = (
            text.replace(alias + ",", value + ",").replace(alias + "]", value + "]").replace(alias + ">", value + ">")
        )
    inside = text[text.index(" {\n    ") + 3 : text.rindex("    return")]
    return " ".join(inside.split())


def in_generic_form(text: str) -> str:
    return through_mlir_opt(text, GENERIC)


def one_line(op: str) -> str:
    return " ".join(op.split())


def check_both_forms(text: str) -> ModuleOp:
    module = read(text)
    custom, generic = print_module(module), print_module(module, generic=True)
    assert print_module(read(custom)) == custom
    assert print_module(read(generic)) == custom
    assert print_module(read(generic), generic=True) == generic
    return module


@pytest.mark.parametrize("op", lines(MEMREF))
def test_memref(op: str) -> None:
    result = "" if op.split(maxsplit=1)[0] in ("memref.copy", "memref.store", "memref.dealloc") else "%r = "
    module = check_both_forms(function(result + op, ARGUMENTS))
    assert printed_body(module) == result + op


@needs_mlir_opt
def test_mlir_opt_reads_our_memref() -> None:
    ops = [op for op in lines(MEMREF) if "alignment %v" not in op]
    silent = ("memref.copy", "memref.store", "memref.dealloc")
    results = ["" if op.split(maxsplit=1)[0] in silent else f"%r{number} = " for number, op in enumerate(ops)]
    text = function("\n  ".join(map(str.__add__, results, ops)), ARGUMENTS)
    ours = print_module(read(text), generic=True)
    assert in_generic_form(ours) == in_generic_form(text)
    assert print_module(read(in_generic_form(text))).count("memref.") == print_module(read(text)).count("memref.")


def test_while_without_arguments_as_mlir_prints_it() -> None:
    text = "scf.while : () -> () {\n  scf.condition(%c)\n} do {\n  scf.yield\n} attributes {tag}"
    assert "scf.while" in printed_body(check_both_forms(function(text, ARGUMENTS)))


def test_alignment_as_llvm_24_spells_it() -> None:
    new = function("%r = memref.alloc(%n) alignment = 64 : memref<?xf32>", ARGUMENTS)
    old = function("%r = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>", ARGUMENTS)
    assert print_module(read(new)) == print_module(read(old))
    alloca = function("%r = memref.alloca() alignment = 16 {tag} : memref<4xf32>", ARGUMENTS)
    assert printed_body(read(alloca)) == "%r = memref.alloca() {tag, alignment = 16 : i64} : memref<4xf32>"


@pytest.mark.parametrize(
    "op",
    [
        'memref.global "private" constant @g : memref<2xf32> = dense<[1.0, 0x7FC00001]> {alignment = 64 : i64}',
        'memref.global "private" constant @g : memref<f32> = dense<0xFF800000>',
        "memref.global @g : memref<4xi8> = uninitialized",
        "memref.global @g : memref<4xi8>",
        'memref.global "public" @g : memref<4xi8, 1> = dense<"0x01020304"> {tag}',
        "memref.global constant @g : memref<1000000xf32> = dense_resource<__elided__> {alignment = 64 : i64}",
        "memref.global constant @g : memref<2x2xi1> = dense<[[true, false], [false, true]]>",
        "memref.global constant @g : memref<0xf32> = dense<>",
        'memref.global constant @"a b" : memref<2xcomplex<f32>> = dense<[(0.0, 1.0), (2.0, 3.0)]>',
    ],
)
def test_globals(op: str) -> None:
    assert f"  {op}\n" in print_module(check_both_forms(op + "\n"))


@pytest.mark.parametrize("op", lines(LINALG) + [one.strip() for one in REGIONS.split("// op")])
def test_linalg_and_regions(op: str) -> None:
    module = check_both_forms(function(op, ARGUMENTS))
    assert printed_body(module) == one_line(op).replace("-> memref<16xf32> {", "-> (memref<16xf32>) {")


@needs_mlir_opt
@pytest.mark.parametrize("op", lines(LINALG) + [one.strip() for one in REGIONS.split("// op")])
def test_mlir_opt_reads_our_linalg(op: str) -> None:
    text = function(op, ARGUMENTS)
    theirs = in_generic_form(text)
    ours = print_module(read(text), generic=True)
    assert in_generic_form(ours).replace('smtalloc.syntax = ""', "") == theirs
    again = read(theirs)
    sizes = [named_sizes(found) for found in body(again) if isinstance(found, ForeignOp)]
    assert sizes == [named_sizes(found) for found in body(read(text)) if isinstance(found, ForeignOp)]


def named_sizes(op: ForeignOp) -> dict[str, int]:
    return {keyword: len(values) for keyword, values in op.groups() or () if len(values)}


@pytest.mark.parametrize("op", lines(HIP))
def test_hip(op: str) -> None:
    module = check_both_forms(function(op, HIP_ARGUMENTS))
    assert printed_body(module) == op


@needs_mlir_opt
def test_hip_through_mlir_opt() -> None:
    ops = [op.replace("%r", f"%r{number}").replace("%q2", f"%s{number}") for number, op in enumerate(lines(HIP))]
    module = read(function("\n  ".join(ops), HIP_ARGUMENTS))
    again = read(in_generic_form(print_module(module, generic=True)))

    def described(ops: list[Operation]) -> list[object]:
        foreign = [op for op in ops if isinstance(op, ForeignOp)]
        return [
            (op.name, str(op.syntax), sorted(map(str, op.attributes.items())), len(op.groups() or ())) for op in foreign
        ]

    assert described(body(again)) == described(body(module))
    assert print_module(again).count("hip.") == print_module(module).count("hip.")
    assert '"' not in print_module(again).replace('"a b"', "")


def groups_of(op: str) -> list[tuple[str, list[str]]] | None:
    (found,) = body(read(function(op, HIP_ARGUMENTS)))
    assert isinstance(found, ForeignOp)
    groups = found.groups()
    return (
        None if groups is None else [(keyword, [value_name(value) for value in values]) for keyword, values in groups]
    )


def test_groups() -> None:
    ins_outs = [("", ["%ctx"]), ("ins", ["%m", "%v"]), ("outs", ["%m"])]
    assert groups_of("hip.a(%ctx) ins(%m, %v : memref<4x8xf32>, memref<16xf32>) outs(%m : memref<4x8xf32>)") == ins_outs
    loop = "hip.loop(%ctx, %n, %c) iter_args(%m : memref<4x8xf32>) captures() body @f"
    assert groups_of(loop) == [("", ["%ctx", "%n", "%c"]), ("iter_args", ["%m"]), ("captures", [])]
    assert groups_of("hip.free(%ctx, %m) : memref<4x8xf32>") == [("", ["%ctx", "%m"])]
    assert groups_of("hip.sync") == []
    assert groups_of("linalg.fill ins(%x : f32) outs(%m : memref<4x8xf32>)") == [("ins", ["%x"]), ("outs", ["%m"])]
    unknown = '"hip.add"(%ctx, %m) : (!hip.context, memref<4x8xf32>) -> ()'
    assert groups_of(unknown) is None
    known = '"hip.add"(%ctx, %m) {smtalloc.syntax = "(1:0 outs(1:1"} : (!hip.context, memref<4x8xf32>) -> ()'
    assert groups_of(known) == [("", ["%ctx"]), ("outs", ["%m"])]


def test_foreign_generic_form_stays_generic() -> None:
    op = '"hip.add"(%ctx, %m) {a = 1 : i64} : (!hip.context, memref<4x8xf32>) -> ()'
    assert printed_body(check_both_forms(function(op, HIP_ARGUMENTS))) == op
    op = '"other.op"(%m) <{p = 2 : i64}> ({ }, { ^bb0(%z: f32): "other.end"(%z) : (f32) -> () }) : (memref<4x8xf32>) -> ()'
    check_both_forms(function(op, HIP_ARGUMENTS))


def test_attributes_added_later_are_printed() -> None:
    for op in ("hip.sync(%ctx)", "%r = hip.alloc(%ctx, %n) : memref<?xf16>", "hip.free(%ctx, %m) : memref<4x8xf32>"):
        module = read(function(op, HIP_ARGUMENTS))
        body(module)[0].attributes["added"] = body(read(function("hip.x {k = 1 : i64}", "")))[0].attributes["k"]
        assert "{added = 1 : i64}" in print_module(module)
        assert body(read(print_module(module)))[0].attributes.keys() == {"added"}


def test_a_clause_may_start_a_line_and_a_call_is_none() -> None:
    module = read(
        "func.func @f(%ctx: !hip.context, %m: memref<4xf32>) {\n"
        "  hip.a(%ctx)\n    ins(%m : memref<4xf32>)\n    outs(%m : memref<4xf32>)\n"
        "  call @g(%m) : (memref<4xf32>) -> ()\n  return\n}\nfunc.func private @g(memref<4xf32>)\n"
    )
    assert [op.name for op in body(module)] == ["hip.a", "func.call"]


@pytest.mark.parametrize(
    "literal",
    ["0xFF800000", "0x7FC00001", "9.99999997E-7", "1.000000e+00", "-0.0", "4.471500e-02", "0.797884583", "-1.0E+9"],
)
def test_floats_keep_their_text(literal: str) -> None:
    module = check_both_forms(function(f"%r = arith.constant {literal} : f32", ""))
    assert printed_body(module) == f"%r = arith.constant {literal} : f32"
    assert isinstance(body(module)[0].properties["value"], FloatAttr)


@pytest.mark.parametrize("type_", ["f16", "bf16", "f64"])
def test_other_floats(type_: str) -> None:
    bits = {"f16": "0xFC00", "bf16": "0xFF80", "f64": "0xFFF0000000000000"}[type_]
    for literal in (bits, "1.5", "0.1"):
        module = check_both_forms(function(f"%r = arith.constant {literal} : {type_}", ""))
        assert printed_body(module) == f"%r = arith.constant {literal} : {type_}"


@pytest.mark.parametrize(
    "text",
    [
        "dense<0xFF800000> : tensor<f32>",
        "dense<1.000000e+00> : tensor<1000000000xf32>",
        "dense<[[1, 2], [-3, 4]]> : tensor<2x2xi32>",
        'dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>',
        "dense_resource<w> : tensor<4xf32>",
        "array<f32: 1.5, 0x7F800000>",
        "array<i64: 1, -2>",
    ],
)
def test_elements_are_kept_as_text(text: str) -> None:
    module = check_both_forms(function(f"hip.c {{value = {text}}}", ""))
    assert printed_body(module) == f"hip.c {{value = {text}}}"


def test_a_splat_is_not_expanded() -> None:
    module = read("memref.global constant @g : memref<1000000000xf32> = dense<0.0>\n")
    value = next(iter(module.ops)).properties["initial_value"]
    assert isinstance(value, ElementsAttr)
    assert value.text.data == "dense<0.0>"
    assert str(value.type) == "tensor<1000000000xf32>"


@pytest.mark.parametrize(
    "literal",
    [
        "dense<[1.0]> : tensor<2xf32>",
        "dense<[[1.0, 2.0]]> : tensor<2xf32>",
        "dense<[1.0, ]> : tensor<2xf32>",
        "dense<[1.0 2.0]> : tensor<2xf32>",
        "dense<nonsense> : tensor<2xf32>",
        "dense<[1.0], [2.0]> : tensor<2xf32>",
        'dense<"0x00"> : tensor<2xf32>',
        'dense<"0xzz"> : tensor<2xf32>',
        "dense<> : tensor<2xf32>",
        "dense<1> : tensor<2xf32>",
        "dense<1.0> : tensor<2xi32>",
        "dense<1> : tensor<?xi32>",
        "dense<1> : i32",
        "dense<1>",
        "dense<1 : tensor<1xi32>",
        "array<f32: x>",
        "array<f32: 1.0",
    ],
)
def test_malformed_elements(literal: str) -> None:
    with pytest.raises(InputError):
        read(function(f"hip.c {{value = {literal}}}", ""))


@needs_mlir_opt
def test_constants_through_mlir_opt() -> None:
    text = function(
        "%a = arith.constant 0xFF800000 : f32\n  %b = arith.constant 9.99999997E-7 : f32\n"
        "  %c = arith.constant 0x7FC00001 : f32\n  %e = arith.constant dense<0xFF800000> : tensor<2xf32>",
        "",
    )
    assert in_generic_form(print_module(read(text), generic=True)) == in_generic_form(text)
    assert in_generic_form(print_module(read(text))) == in_generic_form(text)
