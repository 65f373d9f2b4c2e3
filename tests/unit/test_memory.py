"""What gives memory and what takes it away: deallocations by condition, realloc, pools that are taken again, wraps."""

from __future__ import annotations

import pytest
from support import verdict_of

from smtalloc.commands.races import judge_alone
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.scalars import constant_value
from smtalloc.mlir.session import alone, load_text
from smtalloc.plan import Defect, Safe, SafetyVerdict, Unknown, Unsafe
from smtalloc.program import InputError

ARGUMENTS = "%ctx: !hip.context, %x: memref<8xf32>, %o: memref<8xf32>, %n: index, %c: i1, %v: f32"


def module(body: str, arguments: str = ARGUMENTS) -> str:
    constants = "".join(f"  %c{i} = arith.constant {i} : index\n" for i in (0, 32, 64, 128))
    truth = "  %true = arith.constant true\n  %false = arith.constant false\n"
    return f"func.func @f({arguments}) {{\n{constants}{truth}{body}\n  return\n}}\n"


def model(body: str) -> FunctionModel:
    return load_text(module(body), "t.mlir", "hip").models[0]


def races(body: str) -> SafetyVerdict:
    return judge_alone(alone(load_text(module(body), "t.mlir", "hip"))[0], {})


def verify(before: str, after: str) -> SafetyVerdict:
    return verdict_of(module(before), module(after))


def defects(verdict: SafetyVerdict) -> set[Defect]:
    return {c.defect for c in verdict.counterexamples} if isinstance(verdict, Unsafe) else set()


# --- bufferization.dealloc -----------------------------------------------------------------------------------------

TWO = "  %a = memref.alloc() : memref<8xf32>\n  %b = memref.alloc() : memref<8xf32>\n"
T = "memref<8xf32>"


@pytest.mark.parametrize(
    ("dealloc", "expected"),
    [
        (f"bufferization.dealloc (%a : {T}) if (%true)", [("%a", True)]),
        (f"bufferization.dealloc (%a : {T}) if (%false)", []),
        (f"bufferization.dealloc (%a : {T}) if (%c)", [("%a", False)]),
        (f"bufferization.dealloc (%a, %b : {T}, {T}) if (%true, %c)", [("%a", True), ("%b", False)]),
        (f"bufferization.dealloc (%a, %a : {T}, {T}) if (%c, %true)", [("%a", True)]),
        (f"%r = bufferization.dealloc (%a : {T}) if (%true) retain (%a : {T})", []),
        (f"%r = bufferization.dealloc (%a : {T}) if (%true) retain (%b : {T})", [("%a", True)]),
        (f"%r = bufferization.dealloc (%a : {T}) if (%true) retain (%s : {T})", [("%a", False)]),
        (f"%r = bufferization.dealloc (%s : {T}) if (%true) retain (%b : {T})", [("%a", False), ("%b", False)]),
        ("bufferization.dealloc", []),
    ],
)
def test_what_a_conditional_dealloc_frees(dealloc: str, expected: list[tuple[str, bool]]) -> None:
    body = f"{TWO}  %s = arith.select %c, %a, %b : {T}\n  {dealloc}"
    found = model(body)
    names = found.program.buffers
    freed = [(names[r.root].name, d.certain and len(d.refs) == 1) for d in found.deallocs for r in d.refs]
    assert freed == expected
    printed = load_text(module(body), "t.mlir", "hip").text(generic=False)
    again = load_text(printed, "again.mlir", "hip")
    assert len(again.models[0].deallocs) == len(found.deallocs), "it reads back as it was printed"


@pytest.mark.parametrize(
    "text",
    [
        f"bufferization.dealloc (%a : {T}) if (%true, %false)",
        f"bufferization.dealloc (%a : {T})",
    ],
)
def test_a_malformed_dealloc_is_one_line(text: str) -> None:
    with pytest.raises(InputError) as error:
        model(f"{TWO}  {text}")
    assert str(error.value).startswith("t.mlir:")
    assert "\n" not in str(error.value)


# --- pools ---------------------------------------------------------------------------------------------------------

POOLS = """  %p = hip.get_pool(%ctx, %c64) {{domain_id = 0 : i64}} : memref<?xi8>
  %a = memref.view %p[%c0][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %q = hip.get_pool(%ctx, {size}) {{domain_id = {domain} : i64}} : memref<?xi8>
  %b = memref.view %q[%c32][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.add(%ctx) ins({first}, %b : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)"""


@pytest.mark.parametrize(
    ("size", "domain", "first", "expected"),
    [
        ("%c64", 0, "%a", Safe),
        ("%c32", 0, "%a", Safe),  # smaller: the same memory stays
        ("%c128", 0, "%a", Unsafe),
        ("%c128", 1, "%a", Safe),
        ("%c128", 0, "%x", Unknown),  # nothing is used late, but whether the memory is the same depends on the caller
        ("%n", 0, "%a", Unknown),
    ],
)
def test_a_pool_that_is_taken_again(size: str, domain: int, first: str, expected: type[SafetyVerdict]) -> None:
    verdict = races(POOLS.format(size=size, domain=domain, first=first))
    assert isinstance(verdict, expected), verdict
    assert defects(verdict) <= {Defect.USE_AFTER_FREE}


@pytest.mark.parametrize(("size", "expected"), [("%c64", Safe), ("%c32", Unknown), ("%c128", Unknown)])
def test_a_pool_that_is_first_taken_on_one_path(size: str, expected: type[SafetyVerdict]) -> None:
    """A smaller taking says nothing of the memory unless the larger one has surely been before it."""
    body = f"""  scf.if %c {{
    %p = hip.get_pool(%ctx, %c64) {{domain_id = 0 : i64}} : memref<?xi8>
    %a = memref.view %p[%c0][] : memref<?xi8> to memref<8xf32>
    hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  }}
  %q = hip.get_pool(%ctx, {size}) {{domain_id = 0 : i64}} : memref<?xi8>
  %b = memref.view %q[%c0][] : memref<?xi8> to memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  hip.neg(%ctx) ins(%b : memref<8xf32>) outs(%o : memref<8xf32>)"""
    assert isinstance(races(body), expected), races(body)


def test_an_unchanged_module_with_a_late_use_is_no_worse_than_before() -> None:
    body = POOLS.format(size="%c128", domain=0, first="%a")
    assert Defect.USE_AFTER_FREE not in defects(verify(body, body))


# --- stack, realloc ------------------------------------------------------------------------------------------------

LOCAL = """  %s = memref.{kind}() : memref<8xf32>
  hip.neg(%ctx) ins(%x : memref<8xf32>) outs(%s : memref<8xf32>)
  hip.neg(%ctx) ins(%s : memref<8xf32>) outs(%o : memref<8xf32>)"""
WAIT = "\n  %k = memref.alloc() : memref<i64>\n  %r = hip.readback_scalar(%ctx, %k : memref<i64>) -> i64"


def test_the_stack_is_gone_before_the_queue_is_done() -> None:
    heap, stack = LOCAL.format(kind="alloc"), LOCAL.format(kind="alloca")
    assert defects(verify(heap, stack)) == {Defect.USE_AFTER_FREE}
    assert isinstance(verify(heap + WAIT, stack + WAIT), Safe)


def test_realloc_stays_where_it_was_and_frees_its_operand_once() -> None:
    body = """  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %b = memref.realloc %a : memref<4xf32> to memref<8xf32>
  %w = memref.load %b[%c0] : memref<8xf32>
  memref.store %w, %o[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>"""
    assert isinstance(verify(body, body), Safe)
    both = body + "\n  memref.dealloc %a : memref<4xf32>"
    assert Defect.DOUBLE_FREE in defects(verify(body, both))
    pinned = {b.name: b.pinned for b in model(body).program.buffers if not b.external}
    assert all(pinned.values()), pinned


# --- constants that wrap ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%a = arith.constant 9223372036854775807 : index\n  %r = arith.addi %a, %a : index", -2),
        ("%a = arith.constant 4294967296 : index\n  %r = arith.muli %a, %a : index", 0),
        ("%a = arith.constant 4294967296 : index\n  %r = arith.muli %a, %a overflow<nuw> : index", None),
        ("%a = arith.constant 100 : i8\n  %r = arith.addi %a, %a : i8", -56),
        ("%a = arith.constant -9223372036854775808 : i64\n  %r = arith.subi %a, %a : i64", 0),
    ],
)
def test_sums_and_products_wrap(body: str, expected: int | None) -> None:
    found = model("  " + body)
    result = next(op.results[0] for op in found.func.walk() if op.results and op.results[0].name_hint == "r")
    assert constant_value(result) == expected
