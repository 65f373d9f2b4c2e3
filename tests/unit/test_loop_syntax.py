"""scf.forall, scf.parallel, affine.if, affine.parallel and memref's atomics: mistakes in them, and what they mean.

That `tests/unit/dialects/loops.mlir` goes there and back is in test_gpu_syntax.py, with the other dialects.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import GENERIC, needs_mlir_opt, smtalloc, through_mlir_opt, verdict_of

from smtalloc.mlir.aliases import flow
from smtalloc.mlir.model import functions, model_function
from smtalloc.mlir.profile import load_profile
from smtalloc.mlir.reader import print_module, read_modules
from smtalloc.plan import Safe, SafetyVerdict, Unknown
from smtalloc.program import HOST, InputError

LOOPS = Path(__file__).parent / "dialects" / "loops.mlir"
AROUND = """func.func @f(%m: memref<8xf32>, %t: memref<8x8xf32>, %i: index, %x: f32) {{
  {op}
  return
}}
"""


def printed(op: str) -> str:
    (module,) = read_modules(AROUND.format(op=op), "in.mlir")
    return print_module(module)


@needs_mlir_opt
@pytest.mark.parametrize("form", [(), (GENERIC,)], ids=["from-custom", "from-generic"])
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_the_generic_form_is_the_same(form: tuple[str, ...], generic: bool) -> None:
    """Of the text as written, not only of what mlir-opt makes of it: all properties are where they belong."""
    original = LOOPS.read_text()
    texts = [original] if not form else [through_mlir_opt(original, *form)]
    (module,) = read_modules(texts[0], "in.mlir")
    wanted = through_mlir_opt(original, GENERIC)
    assert through_mlir_opt(print_module(module, generic=generic), GENERIC) == wanted


@pytest.mark.parametrize(
    "op",
    [
        "scf.forall (%a, %b) in (%i, 4) {",
        "scf.forall (%a) = (%i) to (8) step (2) {",
        "scf.parallel (%a) = (%i) to (%i) step (%i) {",
        "affine.parallel (%a) = (0) to (min(%i, 8)) step (2) {",
        "affine.if #set(%i)[%i] {",
    ],
)
def test_custom_form_is_printed_as_mlir_opt_prints_it(op: str) -> None:
    inside = (
        op.replace("#set", "affine_set<(d0)[s0] : (d0 - s0 >= 0)>")
        + "\n    memref.store %x, %m[%i] : memref<8xf32>\n  }"
    )
    assert f"{op}\n" in printed(inside)


def test_the_empty_terminator_of_forall_is_left_out() -> None:
    text = "scf.forall (%a) in (4) {\n    scf.forall.in_parallel {\n    }\n  } {mapping = [#gpu.thread<x>]}"
    assert "in_parallel" not in printed(text)
    assert "} {mapping = [#gpu.thread<x>]}" in printed(text)


@pytest.mark.parametrize(
    ("op", "column", "message"),
    [
        ("scf.forall (%a, %b) in (4) {}", 26, "1 upper bounds for 2 induction variables"),
        ("scf.forall (%a) = (0) to (4) {}", 32, "step"),
        ("scf.forall (%a) in (%x) {}", 23, "type"),
        ("scf.forall (%a) in (true) {}", 23, ""),
        ("scf.forall (%a) in (4) shared_outs(%o = %i) -> (index) {}", 26, "generic form only"),
        ("scf.forall (%a) in (4) {\n  ^bb0:\n }", None, "without a block label"),
        ("scf.parallel (%a) = (%i, %i) to (%i) step (%i) {}", 23, "2 lower bounds for 1 induction variables"),
        ("scf.parallel (%a) = (%i) to (%i) step (%i) init (%x) {}", 46, ""),
        ("scf.parallel (%a) = (%i) to (%i) step (%i) init (%x) -> f32 {}", 3, "reductions"),
        ("affine.if %i {}", 13, ""),
        ("affine.if affine_map<(d0) -> (d0)>(%i) {}", 13, "expected an affine set"),
        ("affine.if affine_set<(d0) : (d0 >= 0)>(%i, %i) {}", 41, "1 dimensions and 0 symbols"),
        ("affine.if affine_set<(d0) : (d0 >= 0)>(%i) -> f32 { affine.yield %x : f32 }", 3, "needs an else"),
        ("affine.if affine_set<(d0) : (d0 >= 0)>(%i) -> f32 {} else {}", 3, "affine.yield"),
        ("affine.if affine_set<(d0) : (d0 >= 0)>(%i) { affine.yield %x : f32 }", 3, "does not yield"),
        ("affine.parallel (%a) = (0, 1) to (8) {}", 26, "2 lower bounds for 1 induction variables"),
        ("affine.parallel (%a) = (0) to (%x) {}", 34, "type"),
        ("affine.parallel (%a) = (0) to (max(8, %i)) {}", 34, ""),
        ("affine.parallel (%a) = (0) to (8) step (0) {}", 43, "positive"),
        ('affine.parallel (%a) = (0) to (8) reduce ("nonsense") -> (f32) {}', 45, "no reduction"),
        ('affine.parallel (%a) = (0) to (8) reduce ("addf") {}', 37, "0 results for 1 reductions"),
        ("memref.prefetch %m[%i], look, locality<3>, data : memref<8xf32>", 27, "read or write"),
        ("memref.prefetch %m[%i], read, locality<4>, data : memref<8xf32>", 42, "from 0 to 3"),
        ("memref.prefetch %m[%i, %i], read, locality<3>, data : memref<8xf32>", 21, "2 indices for 1 dimensions"),
        ("memref.generic_atomic_rmw %m[%i] : f32 {}", 38, "memref type"),
        ("memref.generic_atomic_rmw %m[%i] : memref<8xf32> {\n  ^bb0(%o: f32):\n  }", 3, "memref.atomic_yield"),
        (
            "memref.generic_atomic_rmw %m[%i] : memref<8xf32> {\n  ^bb0(%o: f32):\n"
            "    memref.store %x, %m[%i] : memref<8xf32>\n    memref.atomic_yield %o : f32\n  }",
            3,
            "may have side effects",
        ),
    ],
)
def test_mistakes_are_one_line_with_a_place(op: str, column: int | None, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_modules(AROUND.format(op=op), "bad.mlir")
    where = "bad.mlir:" if column is None else f"bad.mlir:2:{column}: "
    assert str(caught.value).startswith(where), str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "op",
    [
        '"scf.forall"() : () -> ()',
        '"scf.forall"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({\n  }) : () -> ()',
        '"affine.if"(%i) : (index) -> ()',
        '"affine.if"(%i) <{condition = affine_set<(d0) : (d0 >= 0)>}> : (index) -> ()',
        '"affine.if"(%i) <{condition = affine_set<(d0) : (d0 >= 0)>}> ({}, {}) : (index) -> ()',
        '"affine.parallel"() ({\n  }) : () -> ()',
        '"memref.prefetch"(%m) : (memref<8xf32>) -> ()',
        '"memref.prefetch"() : () -> ()',
        '"memref.generic_atomic_rmw"(%m, %i) : (memref<8xf32>, index) -> ()',
        '"scf.forall.in_parallel"() : () -> ()',
    ],
)
def test_generic_form_is_checked_too(op: str) -> None:
    with pytest.raises(InputError, match=r"bad\.mlir:2:3: "):
        read_modules(AROUND.format(op=op), "bad.mlir")


def test_bad_text_is_status_2() -> None:
    ran = smtalloc("races", "-", stdin=AROUND.format(op="scf.forall (%a, %b) in (4) {}"))
    assert (ran.status, ran.err) == (2, "error: <stdin>:2:26: 1 upper bounds for 2 induction variables\n")


# ------------------------------------------------------------------------------------------------------ their meaning


def test_an_atomic_update_reads_and_writes_one_element_and_a_prefetch_does_nothing() -> None:
    text = AROUND.format(
        op="""%c2 = arith.constant 2 : index
  memref.prefetch %m[%c2], write, locality<1>, data : memref<8xf32>
  %old = memref.generic_atomic_rmw %m[%c2] : memref<8xf32> {
  ^bb0(%e: f32):
    %s = arith.addf %e, %x : f32
    memref.atomic_yield %s : f32
  }"""
    )
    (module,) = read_modules(text, "in.mlir")
    (function,) = functions(module)
    program = model_function(function, load_profile("hip")).program
    (action,) = program.actions
    assert (action.engine, action.op) == (HOST, "memref.generic_atomic_rmw")
    assert [(a.lo, a.hi, a.may) for a in action.reads] == [(8, 12, False)]
    assert [(a.lo, a.hi, a.may) for a in action.writes] == [(8, 12, False)]


LOOP = """%c1 = arith.constant 1 : index
  {outside}{loop} {{
    {inside}memref.copy %m, %s : memref<8xf32> to memref<8xf32>
    memref.copy %s, %o : memref<8xf32> to memref<8xf32>
    memref.copy %m, %{second} : memref<8xf32> to memref<8xf32>
    memref.copy %{second}, %o : memref<8xf32> to memref<8xf32>
  }}"""
FIRST, SECOND = (f"%{name} = memref.alloc() : memref<8xf32>\n    " for name in "st")


def verdict(loop: str, outside: str, inside: str, second: str) -> SafetyVerdict:
    own = FIRST + SECOND, "t"
    texts = [
        AROUND.replace("%t: memref<8x8xf32>, ", "")
        .replace("%i: index", "%o: memref<8xf32>, %i: index")
        .format(op=LOOP.format(**parts))
        for parts in (
            {"loop": loop, "outside": "", "inside": own[0], "second": own[1]},
            {"loop": loop, "outside": outside, "inside": inside, "second": second},
        )
    ]
    return verdict_of(texts[0], texts[1])


@pytest.mark.parametrize(
    "loop",
    [
        "scf.forall (%a) in (%i)",
        "scf.forall (%a, %b) = (0, %i) to (4, 4) step (1, %c1)",
        "scf.parallel (%a) = (%i) to (%c1) step (%c1)",
        "affine.parallel (%a) = (0) to (8)",
    ],
)
def test_iterations_are_in_no_order(loop: str) -> None:
    """Memory of an iteration may be shared within it; one buffer for all of them is not known to be safe."""
    assert isinstance(verdict(loop, "", FIRST, "s"), Safe)
    assert isinstance(verdict(loop, FIRST, "", "s"), Unknown)
    assert isinstance(verdict(loop, FIRST, SECOND, "t"), Unknown)


@pytest.mark.parametrize(
    "loop",
    ["affine.for %a = 0 to 8", "affine.if affine_set<(d0) : (d0 >= 0)>(%i)"],
)
def test_one_after_the_other_may_share(loop: str) -> None:
    assert isinstance(verdict(loop, "", FIRST, "s"), Safe)
    assert isinstance(verdict(loop, FIRST, "", "s"), Safe)


def pairs(op: str, name: str) -> set[tuple[str, str]]:
    (module,) = read_modules(AROUND.format(op=op), "in.mlir")
    (found,) = (inner for inner in module.walk() if inner.name == name)
    return {(source.name_hint or "?", target.name_hint or "?") for source, target in flow(found)}


def test_what_affine_if_gives_comes_from_its_branches_in_order() -> None:
    op = """%n = memref.alloc() : memref<8xf32>
  %r, %q = affine.if affine_set<(d0) : (d0 >= 0)>(%i) -> (memref<8xf32>, memref<8xf32>) {
    affine.yield %m, %n : memref<8xf32>, memref<8xf32>
  } else {
    affine.yield %n, %n : memref<8xf32>, memref<8xf32>
  }"""
    assert pairs(op, "affine.if") == {("m", "r"), ("n", "r"), ("n", "q")}


def test_what_scf_parallel_gives_may_come_out_of_a_reduction() -> None:
    op = """%n = memref.alloc() : memref<8xf32>
  %r = scf.parallel (%a) = (%i) to (%i) step (%i) init (%m) -> memref<8xf32> {
    scf.reduce(%n : memref<8xf32>) {
    ^bb0(%left: memref<8xf32>, %right: memref<8xf32>):
      %made = memref.alloc() : memref<8xf32>
      scf.reduce.return %made : memref<8xf32>
    }
  }"""
    sources, targets = {"m", "n", "made"}, {"r", "left", "right"}
    assert pairs(op, "scf.parallel") == {(source, target) for source in sources for target in targets}
