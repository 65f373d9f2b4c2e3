"""Random modules through everything: plan, write back, read, verify; and the greedy passes."""

from __future__ import annotations

from generated import HEAD
from hypothesis import event, given, settings
from hypothesis import strategies as st
from support import verdict_of, verdicts

from smtalloc.allocate import SolveOptions
from smtalloc.commands.plan import plan_program
from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.session import greedy_plan, load_text, pairs
from smtalloc.plan import Policy, Safe, TypeRule, Unsafe
from smtalloc.schedule_smt import smt_findings
from smtalloc.solvers.z3 import Z3
from smtalloc.validate import findings

TYPES = ["memref<8xf32>", "memref<16xf32>", "memref<4xi64>", "memref<4x4xf32>", "memref<8xf32, 1>", "memref<i64>"]
QUICK = SolveOptions(time_limit_s=5)


@st.composite
def modules(draw: st.DrawFn) -> str:
    """A straight-line function: allocations, device ops, host stores and loads, copies, readbacks, deallocations."""
    lines: list[str] = []
    alive: list[tuple[str, str]] = []
    made = 0
    for _ in range(draw(st.integers(3, 14))):
        kind = draw(st.sampled_from(["alloc", "alloc", "op", "op", "op", "store", "load", "readback", "free", "cast"]))
        if kind == "alloc" or not alive:
            name, type_ = f"%b{made}", draw(st.sampled_from(TYPES))
            made += 1
            alignment = draw(st.sampled_from(["", " {alignment = 64 : i64}"]))
            lines.append(f"{name} = memref.alloc(){alignment} : {type_}")
            alive.append((name, type_))
            continue
        name, type_ = draw(st.sampled_from(alive))
        other, other_type = draw(st.sampled_from([*alive, ("%in", "memref<8xf32>"), ("%out", "memref<8xf32>")]))
        if kind == "op":
            lines.append(f"hip.op(%ctx) ins({other} : {other_type}) outs({name} : {type_})")
        elif kind == "readback":
            lines.append(f"%r{len(lines)} = hip.readback_scalar(%ctx, %scalar : memref<i64>) -> i64")
        elif kind in ("store", "load") and type_ == "memref<i64>":
            store = f"memref.store %n, {name}[] : {type_}"
            lines.append(store if kind == "store" else f"%l{len(lines)} = memref.load {name}[] : {type_}")
        elif kind == "free":
            lines.append(f"memref.dealloc {name} : {type_}")
            alive.remove((name, type_))
        elif kind == "cast" and type_ == "memref<16xf32>":
            view = f"%v{len(lines)}"
            lines.append(
                f"{view} = memref.expand_shape {name} [[0, 1]] output_shape [4, 4] : {type_} into memref<4x4xf32>"
            )
            alive.append((view, "memref<4x4xf32>"))
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @f({HEAD}) {{\n{body}\n  return\n}}\n"


def freed_early(text: str) -> bool:
    """Does BEFORE itself use a buffer through a view after freeing it, or free it twice?"""
    return not isinstance(verdict_of(text, text), Safe)


@settings(max_examples=60, deadline=None)
@given(modules(), st.sampled_from(list(Policy)), st.sampled_from(list(TypeRule)))
def test_plans_are_safe_when_written_back(text: str, policy: Policy, types: TypeRule) -> None:
    if freed_early(text):
        return
    source = load_text(text, "b.mlir", "hip")
    planned = plan_program(source.programs[0], policy, types, QUICK)
    if planned.unsafe:
        assert policy is Policy.PROGRAM_ORDER
        return
    source.apply([planned.verdict.plan])
    (verdict,) = verdicts(load_text(text, "b.mlir", "hip"), source.reread())
    assert isinstance(verdict, Safe), (text, source.text(generic=False), verdict)


@settings(max_examples=60, deadline=None)
@given(modules())
def test_fixed_greedy_does_not_race_and_costs_no_less_than_the_optimum(text: str) -> None:
    if freed_early(text):
        return
    source = load_text(text, "b.mlir", "hip")
    program = source.programs[0]
    fixed = greedy_plan(source, 0, exclude_host_accessed=True)
    optimum = plan_program(program, Policy.HAPPENS_BEFORE, TypeRule.STRICT, QUICK).verdict.plan
    source.apply_greedy(exclude_host_accessed=True)
    (verdict,) = verdicts(load_text(text, "b.mlir", "hip"), source.reread())
    if isinstance(verdict, Unsafe):  # it moves no deallocation and compares no alignment
        assert {str(c.defect) for c in verdict.counterexamples} <= {"use-after-free", "misaligned", "double-free"}
    assert optimum.cost_bytes(program) <= fixed.cost_bytes(program)


@settings(max_examples=60, deadline=None)
@given(modules())
def test_greedy_races_are_found_by_graph_and_solver_alike(text: str) -> None:
    source = load_text(text, "b.mlir", "hip")
    source.apply_greedy(exclude_host_accessed=False)
    (pair,) = pairs(load_text(text, "b.mlir", "hip"), source.reread())
    by_graph = findings(pair.found)  # type: ignore[arg-type]
    by_solver = smt_findings(pair.found, Z3())  # type: ignore[arg-type]
    event(f"races: {bool(by_graph.clashes)}")
    assert set(by_graph.clashes) == set(by_solver.clashes)
    judge_pair(pair, {}, minimum=False)  # every certain clash replays, or this raises
