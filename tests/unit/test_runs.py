"""Functions with control flow: all paths are judged at once; where that is not enough, runs show what is wrong."""

from __future__ import annotations

import pytest
from support import verdicts

from smtalloc.commands.races import judge_alone
from smtalloc.mlir.session import alone, load_text
from smtalloc.mlir.unroll import next_choices, run_of
from smtalloc.plan import Safe, SafetyVerdict, Unknown, Unsafe

HEAD = "func.func @f(%ctx: !hip.context, %a: memref<4xi64>, %b: memref<4xi64>, %n: i64, %m: i64, %i: index, %c: i1) {\n"
BOUNDS = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c4 = arith.constant 4 : index\n"


def text(body: str, rest: str = "") -> str:
    return f"{HEAD}{BOUNDS}{body}\n  return\n}}\n{rest}"


def verdict(before: str, after: str) -> SafetyVerdict:
    """Of the first function."""
    return verdicts(load_text(before, "b.mlir", "hip"), load_text(after, "a.mlir", "hip"))[0]


def races(module: str) -> SafetyVerdict:
    (pair, *_) = alone(load_text(module, "m.mlir", "hip"))
    return judge_alone(pair, {})


LOOP = """  scf.for %k = %c0 to {to} step %c1 {{
    %s = memref.alloc() : memref<4xi64>
    %v = arith.index_cast %k : index to i64
    memref.store %v, %s[%c0] : memref<4xi64>
    hip.neg(%ctx) ins(%s : memref<4xi64>) outs(%b : memref<4xi64>)
{wait}  }}"""
WAIT = "    %w = hip.readback_dim(%ctx, %s : memref<4xi64>) -> index\n"


def hoisted(loop: str) -> str:
    """The allocation of the loop body in front of the loop: one buffer for all iterations."""
    alloc = "    %s = memref.alloc() : memref<4xi64>\n"
    return alloc.lstrip().rstrip("\n") + "\n" + loop.replace(alloc, "")


@pytest.mark.parametrize("to", ["%c4", "%i"])
def test_the_next_iterations_store_against_this_iterations_queued_read(to: str) -> None:
    loop = LOOP.format(to=to, wait="")
    result = verdict(text(loop), text(hoisted(loop)))
    assert isinstance(result, Unsafe)
    assert "(again, 2)" in result.counterexamples[0].summary


def test_a_wait_in_the_body_leaves_nothing_to_find() -> None:
    loop = LOOP.format(to="%c4", wait=WAIT)
    assert isinstance(verdict(text(loop), text(hoisted(loop))), Safe)


def test_one_iteration_does_not_race_with_itself() -> None:
    loop = LOOP.format(to="%c1", wait="")
    assert not isinstance(verdict(text(loop), text(hoisted(loop))), Unsafe)


def test_a_box_refilled_in_a_loop() -> None:
    """One host-mapped cell, stored per iteration, read by queued kernels (hip-ep, runtime_loop.cpp)."""
    body = "  %s = memref.alloc() : memref<4xi64>\n" + LOOP.format(to="%c4", wait="").replace(
        "    %s = memref.alloc() : memref<4xi64>\n", ""
    )
    assert isinstance(races(text(body)), Unsafe)
    waits = body.replace("outs(%b : memref<4xi64>)\n", "outs(%b : memref<4xi64>)\n" + WAIT)
    assert isinstance(races(text(waits)), Safe)


BRANCH = """  %s = memref.alloc() : memref<4xi64>
  %t = memref.alloc() : memref<4xi64>
  hip.neg(%ctx) ins(%a : memref<4xi64>) outs(%s : memref<4xi64>)
  scf.if %c {
    hip.neg(%ctx) ins(%a : memref<4xi64>) outs(%t : memref<4xi64>)
    hip.neg(%ctx) ins(%t : memref<4xi64>) outs(%b : memref<4xi64>)
  } else {
    hip.neg(%ctx) ins(%s : memref<4xi64>) outs(%b : memref<4xi64>)
  }"""


def shared(body: str) -> str:
    return body.replace("  %t = memref.alloc() : memref<4xi64>\n", "").replace("%t", "%s")


def test_only_one_branch_runs() -> None:
    """On no path are both alive."""
    assert isinstance(verdict(text(BRANCH), text(shared(BRANCH))), Safe)


def test_a_use_behind_the_branch() -> None:
    body = BRANCH + "\n  hip.neg(%ctx) ins(%s : memref<4xi64>) outs(%b : memref<4xi64>)"
    assert isinstance(verdict(text(body), text(shared(body))), Unsafe)


def test_equal_conditions_take_equal_branches() -> None:
    """%s is overwritten only where it is not read: the second `if` has the first one's condition."""
    body = """  %s = memref.alloc() : memref<4xi64>
  %t = memref.alloc() : memref<4xi64>
  hip.neg(%ctx) ins(%a : memref<4xi64>) outs(%s : memref<4xi64>)
  scf.if %c {
    hip.neg(%ctx) ins(%a : memref<4xi64>) outs(%t : memref<4xi64>)
    hip.neg(%ctx) ins(%t : memref<4xi64>) outs(%b : memref<4xi64>)
  }
  scf.if %c {
  } else {
    hip.neg(%ctx) ins(%s : memref<4xi64>) outs(%b : memref<4xi64>)
  }"""
    assert not isinstance(verdict(text(body), text(shared(body))), Unsafe)


def test_loop_carried_values_swap() -> None:
    """After one iteration %x names the other buffer: what was written to %s is read through the swapped name."""
    body = """  %s = memref.alloc() : memref<4xi64>
  %t = memref.alloc() : memref<4xi64>
  hip.neg(%ctx) ins(%a : memref<4xi64>) outs(%s : memref<4xi64>)
  hip.neg(%ctx) ins(%b : memref<4xi64>) outs(%t : memref<4xi64>)
  %r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %s, %y = %t) -> (memref<4xi64>, memref<4xi64>) {
    hip.neg(%ctx) ins(%x : memref<4xi64>) outs(%b : memref<4xi64>)
    scf.yield %y, %x : memref<4xi64>, memref<4xi64>
  }"""
    assert isinstance(verdict(text(body), text(body)), Safe)
    assert isinstance(verdict(text(body), text(shared(body))), Unsafe)


CALL = """  %s = memref.alloc() : memref<4xi64>
  memref.store %n, %s[%c0] : memref<4xi64>
  func.call @g(%ctx, %s, %b) : (!hip.context, memref<4xi64>, memref<4xi64>) -> ()
  %t = memref.alloc() : memref<4xi64>
  memref.store %m, %t[%c0] : memref<4xi64>
  hip.neg(%ctx) ins(%t : memref<4xi64>) outs(%a : memref<4xi64>)"""
CALLEE = """func.func @g(%ctx: !hip.context, %x: memref<4xi64>, %y: memref<4xi64>) {
  hip.neg(%ctx) ins(%x : memref<4xi64>) outs(%y : memref<4xi64>)
  return
}
"""


def test_calls_are_followed_into_the_module() -> None:
    result = verdict(text(CALL, CALLEE), text(shared(CALL), CALLEE))
    assert isinstance(result, Unsafe)
    assert "b.mlir:14" in result.counterexamples[0].summary, "the read is in the callee"


def test_recursion_ends() -> None:
    callee = CALLEE.replace("  return", "  func.call @g(%ctx, %x, %y) : "
                            "(!hip.context, memref<4xi64>, memref<4xi64>) -> ()\n  return")  # fmt: skip
    assert not isinstance(verdict(text(CALL, callee), text(CALL, callee)), Unsafe)


BLOCKS = """func.func @f(%ctx: !hip.context, %a: memref<4xi64>, %b: memref<4xi64>, %n: i64, %m: i64, %c: i1) {{
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<4xi64>
  {t}
  memref.store %n, %s[%c0] : memref<4xi64>
  hip.neg(%ctx) ins(%s : memref<4xi64>) outs(%b : memref<4xi64>)
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  memref.store %m, {name}[%c0] : memref<4xi64>
  hip.neg(%ctx) ins({name} : memref<4xi64>) outs(%a : memref<4xi64>)
  cf.br ^bb2
^bb2:
  return
}}
"""


def test_several_blocks() -> None:
    before = BLOCKS.format(t="%t = memref.alloc() : memref<4xi64>", name="%t")
    after = BLOCKS.format(t="", name="%s")
    assert isinstance(verdict(before, before), Safe)
    assert isinstance(verdict(before, after), Unsafe)


def test_iterations_store_other_values_unless_nothing_changes() -> None:
    """A loop-invariant store writes the same again: no read can tell."""
    body = """  %s = memref.alloc() : memref<4xi64>
  scf.for %k = %c0 to %c4 step %c1 {
    memref.store %n, %s[%c0] : memref<4xi64>
    hip.neg(%ctx) ins(%s : memref<4xi64>) outs(%b : memref<4xi64>)
  }"""
    assert isinstance(races(text(body)), Unknown)


def test_choices_are_counted_up() -> None:
    seen = []
    choices: list[int] | None = []
    while choices is not None:
        seen.append(choices)
        choices = next_choices(choices, [2, 3])
    assert seen == [[], [0, 1], [0, 2], [1], [1, 1], [1, 2]]


def test_a_run_is_straight() -> None:
    source = load_text(text(LOOP.format(to="%c4", wait="")), "m.mlir", "hip")
    run = run_of(source.models[0].func, source.profile, [])
    assert [a.op for a in run.program.actions] == ["memref.store", "hip.neg"] * 4
    ordinals = [a.ordinal for a in run.program.actions]
    assert ordinals == sorted(set(ordinals))
    assert len({b.name for b in run.program.buffers}) == len(run.program.buffers)


PARALLEL = """  "scf.parallel"(%c0, %i, %c1) <{{operandSegmentSizes = array<i32: 1, 1, 1, 0>}}> ({{
  ^bb0(%k: index):
    %s = memref.alloc() : memref<4xi64>
    hip.neg(%ctx) ins(%a : memref<4xi64>) outs(%s : memref<4xi64>)
    hip.neg(%ctx) ins(%s : memref<4xi64>) outs(%b : memref<4xi64>)
{alloc}    hip.neg(%ctx) ins(%a : memref<4xi64>) outs({t} : memref<4xi64>)
    hip.neg(%ctx) ins({t} : memref<4xi64>) outs(%b : memref<4xi64>)
    "scf.reduce"() : () -> ()
  }}) : (index, index, index) -> ()"""
T = "    %t = memref.alloc() : memref<4xi64>\n"


def test_iterations_at_the_same_time() -> None:
    """Memory of one iteration may be shared within it; memory of all of them may not be one buffer of each."""
    before = text(PARALLEL.format(alloc=T, t="%t"))
    assert isinstance(verdict(before, text(PARALLEL.format(alloc="", t="%s"))), Safe)
    outside = text(T.strip() + "\n" + PARALLEL.format(alloc="", t="%t"))
    result = verdict(before, outside)
    assert isinstance(result, Unknown)
    assert "next iteration" in result.reason


@pytest.mark.parametrize("op", ["call", "loop", "if"])
def test_bodies_of_other_functions_are_judged_where_they_run(op: str) -> None:
    """%s is still to be read in the body; %t may have its memory behind it, not before it."""
    header = "%ctx: !hip.context, {}%x: memref<4xi64>, %y: memref<4xi64>"
    runs = {
        "call": "func.call @g(%ctx, %s, %b) : (!hip.context, memref<4xi64>, memref<4xi64>) -> ()",
        "loop": "hip.loop(%ctx, %i, %c) iter_args(%b : memref<4xi64>) captures(%s : memref<4xi64>) body @g "
        "{num_loop_carried = 1 : i32, cond_is_passthrough}",
        "if": "hip.if(%ctx, %c) outs(%b : memref<4xi64>) captures(%s : memref<4xi64>) then @g else @g "
        "{num_outputs = 1 : i32}",
    }
    read, written = ("%y", "%x") if op == "loop" else ("%x", "%y")
    callee = (
        f"func.func private @g({header.format('%n: memref<i64>, %d: memref<i1>, ' if op == 'loop' else '')}) {{\n"
        f"  hip.neg(%ctx) ins({read} : memref<4xi64>) outs({written} : memref<4xi64>)\n  return\n}}\n"
    )
    fill = "  hip.neg(%ctx) ins(%a : memref<4xi64>) outs(%t : memref<4xi64>)\n"
    end = "  hip.neg(%ctx) ins(%t : memref<4xi64>) outs(%b : memref<4xi64>)"
    start = "  %s = memref.alloc() : memref<4xi64>\n  %t = memref.alloc() : memref<4xi64>\n"
    start += "  hip.neg(%ctx) ins(%a : memref<4xi64>) outs(%s : memref<4xi64>)\n"
    run = f"  {runs[op]}\n"
    behind, ahead = start + run + fill + end, start + fill + run + end
    assert isinstance(verdict(text(behind, callee), text(shared(behind), callee)), Safe)
    assert isinstance(verdict(text(ahead, callee), text(shared(ahead), callee)), Unsafe)


def test_recursion_is_refused_with_a_message() -> None:
    module = "func.func @g(%a: memref<4xi64>) {\n  func.call @g(%a) : (memref<4xi64>) -> ()\n  return\n}\n"
    result = verdict(module, module)
    assert isinstance(result, Unknown)
    assert "@g calls itself, and recursion is not followed" in result.reason
