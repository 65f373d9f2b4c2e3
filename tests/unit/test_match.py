"""Matching before and after: what may differ, what may not, and what is recovered."""

from __future__ import annotations

import pytest
from support import verdict_of

from smtalloc.mlir.session import load_text, pairs
from smtalloc.placement import Correspondence
from smtalloc.plan import Defect, Safe, Unknown, Unsafe

HEAD = "func.func @f(%ctx: !hip.context, %a: memref<64xf32>, %b: memref<64xf32>, %i: index, %j: index, %c: i1) {\n"


def text(body: str) -> str:
    return f"{HEAD}{body}\n  return\n}}\n"


def found(before: str, after: str) -> Correspondence | Unknown:
    return pairs(load_text(before, "b.mlir", "hip"), load_text(after, "a.mlir", "hip"))[0].found


BODY = """  %s = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  %v = memref.subview %s[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  %m = arith.addi %i, %j : index
  %w = memref.subview %s[%m] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  hip.add(%ctx) ins(%v : memref<4xf32, strided<[1], offset: ?>>) outs(%w : memref<4xf32, strided<[1], offset: ?>>)
  hip.neg(%ctx) ins(%s : memref<64xf32>) outs(%b : memref<64xf32>) {axis = 1 : i64}"""


def test_index_arithmetic_may_be_moved_and_written_again() -> None:
    after = BODY.replace("  %m = arith.addi %i, %j : index\n", "")
    after = "  %m = arith.addi %i, %j : index\n  %unused = arith.muli %i, %i : index\n" + after
    assert isinstance(found(text(BODY), text(after)), Correspondence)
    assert isinstance(verdict_of(text(BODY), text(after)), Safe)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("hip.add(%ctx)", "hip.sub(%ctx)", "a.mlir:7:3: hip.sub where b.mlir:7:3 has hip.add"),
        ("outs(%b : memref<64xf32>)", "outs(%a : memref<64xf32>)", "is %a, before %b"),
        ("%s[%i] [4]", "%s[%j] [4]", "is not the view"),
        ("arith.addi %i, %j", "arith.muli %i, %j", "is not the view"),
        ("axis = 1", "axis = 2", "attribute 'axis' is 2 : i64, before 1 : i64"),
        ("  hip.neg(%ctx) ins(%s", "  hip.neg(%ctx) ins(%a", "may read %s in another place"),
    ],
)
def test_what_does_not_correspond_is_said(old: str, new: str, message: str) -> None:
    assert old in BODY
    result = verdict_of(text(BODY), text(BODY.replace(old, new)))
    assert not isinstance(result, Safe)
    if isinstance(result, Unknown):
        assert any(part in result.reason for part in message.split("|")), result.reason


def test_missing_and_added_ops() -> None:
    lines = BODY.splitlines()
    missing, added = (
        "\n".join(lines[:-1]),
        BODY + "\n  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)",
    )
    for after, words in ((missing, "func.return where b.mlir:8:3 has hip.neg"), (added, "hip.neg where")):
        result = found(text(BODY), text(after))
        assert isinstance(result, Unknown)
        assert words in result.reason


def test_an_attribute_on_one_side_is_an_assumption() -> None:
    result = found(text(BODY), text(BODY.replace(" {axis = 1 : i64}", "")))
    assert isinstance(result, Correspondence)
    assert any("'axis' stands only before" in line for line in result.assumptions)


SELECT = """  %s = memref.alloc() : memref<64xf32>
  %t = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.neg(%ctx) ins(%b : memref<64xf32>) outs(%t : memref<64xf32>)
  %m = arith.select %c, %s, %t : memref<64xf32>
  hip.neg(%ctx) ins(%m : memref<64xf32>) outs(%b : memref<64xf32>)"""


def test_select_arms_must_stay_in_place() -> None:
    assert isinstance(verdict_of(text(SELECT), text(SELECT)), Safe)
    swapped = SELECT.replace("%c, %s, %t", "%c, %t, %s")
    assert not isinstance(verdict_of(text(SELECT), text(swapped)), Safe)


TWO = """  %s = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.neg(%ctx) ins(%s : memref<64xf32>) outs(%b : memref<64xf32>)
  %t = memref.alloc() : memref<16xi64>
  hip.cast(%ctx) ins(%b : memref<64xf32>) outs(%t : memref<16xi64>)
  hip.cast(%ctx) ins(%t : memref<16xi64>) outs(%a : memref<64xf32>)"""


def pooled(size: int, first: int, second: int) -> str:
    return f"""  %size = arith.constant {size} : index
  %p = hip.get_pool(%ctx, %size) : memref<?xi8>
  %o1 = arith.constant {first} : index
  %o2 = arith.constant {second} : index
  %s = memref.view %p[%o1][] : memref<?xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.neg(%ctx) ins(%s : memref<64xf32>) outs(%b : memref<64xf32>)
  %t = memref.view %p[%o2][] : memref<?xi8> to memref<16xi64>
  hip.cast(%ctx) ins(%b : memref<64xf32>) outs(%t : memref<16xi64>)
  hip.cast(%ctx) ins(%t : memref<16xi64>) outs(%a : memref<64xf32>)"""


@pytest.mark.parametrize(
    ("size", "first", "second", "defects"),
    [
        (256, 0, 0, set()),
        (256, 0, 128, set()),
        (256, 0, 136, {Defect.TOO_SMALL}),
        (512, 0, 132, {Defect.MISALIGNED}),
        (255, 0, 0, {Defect.TOO_SMALL}),
        (512, 256, 0, set()),
    ],
)
def test_pool_offsets_are_recovered(size: int, first: int, second: int, defects: set[Defect]) -> None:
    result = verdict_of(text(TWO), text(pooled(size, first, second)))
    got = {c.defect for c in result.counterexamples} if isinstance(result, Unsafe) else set()
    assert got == defects
    correspondence = found(text(TWO), text(pooled(size, first, second)))
    assert isinstance(correspondence, Correspondence)
    assert {name: place.offset for name, place in correspondence.assignment} == {"%s": first, "%t": second}


def test_alignment_of_an_offset() -> None:
    aligned = TWO.replace("memref.alloc() : memref<16xi64>", "memref.alloc() {alignment = 64 : i64} : memref<16xi64>")
    assert isinstance(verdict_of(text(aligned), text(pooled(512, 0, 64))), Safe)
    result = verdict_of(text(aligned), text(pooled(512, 0, 32)))
    assert isinstance(result, Unsafe)
    assert result.counterexamples[0].defect is Defect.MISALIGNED


def test_lives_that_overlap() -> None:
    overlapping = TWO.replace("ins(%t : memref<16xi64>) outs(%a", "ins(%s : memref<64xf32>) outs(%a")
    after = pooled(256, 0, 0).replace("ins(%t : memref<16xi64>) outs(%a", "ins(%s : memref<64xf32>) outs(%a")
    result = verdict_of(text(overlapping), text(after))
    assert isinstance(result, Unsafe)
    assert result.counterexamples[0].defect is Defect.OVERLAP
    assert result.counterexamples[0].schedule


def test_dead_write_still_takes_its_place() -> None:
    """An output that nobody reads occupies its memory while its op runs (onnxruntime #21019)."""
    before = """  %s = memref.alloc() : memref<64xf32>
  %t = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.neg(%ctx) ins(%b : memref<64xf32>) outs(%t : memref<64xf32>)
  hip.neg(%ctx) ins(%s : memref<64xf32>) outs(%b : memref<64xf32>)"""
    after = before.replace("  %t = memref.alloc() : memref<64xf32>\n", "").replace("%t", "%s")
    result = verdict_of(text(before), text(after))
    assert isinstance(result, Unsafe)
    assert result.counterexamples[0].defect is Defect.OVERLAP


def test_memory_of_the_caller_is_not_free() -> None:
    """A buffer put into an argument overwrites what the caller gets to see."""
    before = """  %s = memref.alloc() : memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.neg(%ctx) ins(%s : memref<64xf32>) outs(%b : memref<64xf32>)"""
    after = before.replace("  %s = memref.alloc() : memref<64xf32>\n", "").replace("%s", "%a")
    result = verdict_of(text(before), text(after))
    assert isinstance(result, Unsafe)
    assert "%a" in result.counterexamples[0].actual


LOOP = """  %s = memref.alloc() : memref<64xf32>
  %t = memref.alloc() : memref<64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  scf.for %k = %c0 to %i step %c1 {
    hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%t : memref<64xf32>)
    hip.neg(%ctx) ins(%t : memref<64xf32>) outs(%b : memref<64xf32>)
  }
  hip.neg(%ctx) ins(%s : memref<64xf32>) outs(%b : memref<64xf32>)"""


def test_a_loop_that_overwrites_is_not_called_safe() -> None:
    after = LOOP.replace("  %t = memref.alloc() : memref<64xf32>\n", "").replace("%t", "%s")
    result = verdict_of(text(LOOP), text(after))
    assert isinstance(result, Unsafe)
    assert result.counterexamples[0].defect is Defect.OVERLAP


@pytest.mark.parametrize("where", ["in", "out"])
def test_allocations_may_move_across_a_loop(where: str) -> None:
    """Each iteration writes %t before it reads it, both on one queue."""
    inside = LOOP.replace("  %t = memref.alloc() : memref<64xf32>\n", "").replace(
        "step %c1 {\n", "step %c1 {\n    %t = memref.alloc() : memref<64xf32>\n"
    )
    before, after = (LOOP, inside) if where == "in" else (inside, LOOP)
    assert isinstance(verdict_of(text(before), text(after)), Safe)


def test_allocations_may_not_move_into_a_loop_that_carries_their_contents() -> None:
    """%t is read before it is written: what it holds comes from the iteration before."""
    swapped = LOOP.split("\n")
    at = next(n for n, line in enumerate(swapped) if "outs(%t" in line)
    swapped[at], swapped[at + 1] = swapped[at + 1], swapped[at]
    before = "\n".join(swapped)
    inside = before.replace("  %t = memref.alloc() : memref<64xf32>\n", "").replace(
        "step %c1 {\n", "step %c1 {\n    %t = memref.alloc() : memref<64xf32>\n"
    )
    result = verdict_of(text(before), text(inside))
    assert isinstance(result, Unsafe)
    assert result.counterexamples[0].defect is Defect.UNINITIALISED


def test_a_deallocation_inside_a_region_may_not_move() -> None:
    inside = LOOP.replace(
        "outs(%b : memref<64xf32>)\n  }", "outs(%b : memref<64xf32>)\n    memref.dealloc %t : memref<64xf32>\n  }"
    )
    assert not isinstance(verdict_of(text(LOOP), text(inside)), Safe)
    assert isinstance(verdict_of(text(inside), text(inside)), Safe)


def test_freeing_what_is_not_ours() -> None:
    after = BODY + "\n  memref.dealloc %a : memref<64xf32>"
    result = verdict_of(text(BODY), text(after))
    assert isinstance(result, Unknown)
    assert "leaves to its owner" in result.reason


def test_double_free() -> None:
    before = TWO + "\n  memref.dealloc %s : memref<64xf32>\n  memref.dealloc %t : memref<16xi64>"
    after = TWO + "\n  memref.dealloc %s : memref<64xf32>\n  memref.dealloc %s : memref<64xf32>"
    result = verdict_of(text(before), text(after))
    assert isinstance(result, Unsafe)
    assert {c.defect for c in result.counterexamples} == {Defect.DOUBLE_FREE, Defect.LEAK}


def test_memory_space_must_stay() -> None:
    before = (
        text(TWO)
        .replace("memref.alloc() : memref<16xi64>", "memref.alloc() : memref<16xi64, 1>")
        .replace("memref<16xi64>)", "memref<16xi64, 1>)")
    )
    assert not isinstance(verdict_of(before, text(TWO)), Safe)


def test_globals_must_keep_their_values() -> None:
    weights = 'memref.global "private" constant @w : memref<2xf32> = dense<{}>\n'
    use = (
        "  %w = memref.get_global @w : memref<2xf32>\n  hip.neg(%ctx) ins(%w : memref<2xf32>) outs(%b : memref<64xf32>)"
    )
    before, after, split = (weights.format(value) + text(use) for value in ("1.0", "2.0", "1.0"))
    assert isinstance(found(before, split), Correspondence)
    assert isinstance(found(before, after), Unknown)
    assert isinstance(found(before, "\n// -----\n" + after), Unknown)


def test_two_external_buffers_may_not_become_one() -> None:
    before = """  %x = hip.alloc_output(%ctx) {out_idx = 0 : i64} : memref<64xf32>
  %y = hip.alloc_output(%ctx) {out_idx = 0 : i64} : memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  hip.neg(%ctx) ins(%b : memref<64xf32>) outs(%y : memref<64xf32>)"""
    after = before.replace("  %y = hip.alloc_output(%ctx) {out_idx = 0 : i64} : memref<64xf32>\n", "").replace(
        "%y", "%x"
    )
    assert isinstance(verdict_of(text(before), text(before)), Safe)
    assert isinstance(found(text(before), text(after)), Unknown)
