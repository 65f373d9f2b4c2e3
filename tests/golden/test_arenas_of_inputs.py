"""Arena plans of every golden and real input: proven, checked, written back, taken by mlir-opt, and called safe by
verify."""

from __future__ import annotations

from pathlib import Path

import pytest
from arenas import one_behind_the_other
from support import (
    SHARED,
    accepted_by_mlir_opt,
    inputs,
    name_of,
    needs_mlir_opt,
    needs_shared,
    profile_for,
)

from smtalloc.allocate import SolveOptions
from smtalloc.allocate_arena import ArenaOptions
from smtalloc.commands.plan import plan_program
from smtalloc.commands.plan_arena import plan_function
from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.session import greedy_plan, load, pairs
from smtalloc.plan import FeasibleArena, OptimalArena, Policy, Safe, TypeRule
from smtalloc.solvers import cadical

pytestmark = needs_shared
QUICK = ArenaOptions(time_limit_s=10)


CASES = [
    *((path, Policy.HOST_EXCLUSIVE, False) for path in inputs()),
    *((path, Policy.HAPPENS_BEFORE, False) for path in inputs() if path.parent.name == "probes"),
    *((path, Policy.HOST_EXCLUSIVE, True) for path in inputs() if path.parent.name == "probes"),
]


@needs_mlir_opt
@pytest.mark.parametrize(("path", "policy", "get_pool"), CASES, ids=name_of)
def test_plan_written_back_is_safe(path: Path, policy: Policy, get_pool: bool) -> None:
    profile = profile_for(path)
    source, original = load(str(path), profile), load(str(path), profile)
    if get_pool and any(not _can_take_a_pool(model) for model in source.models):
        pytest.skip("not for a pool of the runtime: a function has no !hip.context, or takes a pool already")
    planned = [
        plan_function(p, policy, TypeRule.BYTES, QUICK, {}, str(path), get_pool=get_pool) for p in source.programs
    ]
    proven = (OptimalArena,) if cadical.available() else (OptimalArena, FeasibleArena)
    assert all(isinstance(p.found.verdict, proven) for p in planned)
    source.apply_arenas([p.found for p in planned], get_pool=get_pool)
    assert accepted_by_mlir_opt(source.text(generic=True)) == ""
    for pair, plan in zip(pairs(original, source.reread()), planned, strict=True):
        judged = judge_pair(pair, {}, minimum=False)
        assert isinstance(judged.verdict, Safe), judged.verdict
        assert judged.memory is not None
        assert isinstance(plan.found.verdict, OptimalArena | FeasibleArena)
        if not get_pool:  # what was written takes what the plan says
            assert judged.memory.after_bytes <= plan.found.verdict.plan.cost_bytes


def _can_take_a_pool(model: FunctionModel) -> bool:
    context = any(str(argument.type) == "!hip.context" for argument in model.entry.args)
    return context and not any(op.name == "hip.get_pool" for op in model.func.walk())


@pytest.mark.parametrize("path", inputs(), ids=name_of)
def test_never_worse_than_slots_and_the_greedy_pass(path: Path) -> None:
    """An arena holds any slot plan, at the price of alignment between slots; slots cost no more than greedy's."""
    source = load(str(path), profile_for(path))
    for number, program in enumerate(source.programs):
        arena = plan_function(program, Policy.PROGRAM_ORDER, TypeRule.BYTES, QUICK, {}, str(path)).found
        assert isinstance(arena.verdict, (OptimalArena, FeasibleArena))
        greedy = greedy_plan(source, number)
        assert arena.verdict.plan.cost_bytes <= one_behind_the_other(program, greedy)
        slots = plan_program(program, Policy.PROGRAM_ORDER, TypeRule.BYTES, SolveOptions(time_limit_s=5)).verdict.plan
        assert arena.verdict.plan.cost_bytes <= one_behind_the_other(program, slots)
        assert arena.dynamic_slots <= greedy.dynamic_slots(program)


@pytest.mark.parametrize("path", [p for p in inputs() if p.with_suffix(".pool.mlir").exists()], ids=name_of)
def test_never_worse_than_the_pool_pass(path: Path) -> None:
    """Its layout is by program order, in multiples of 256 bytes: under its order an arena takes no more in all."""
    after, source = load(str(path.with_suffix(".pool.mlir")), "hip"), load(str(path), "hip")
    for program, model in zip(source.programs, after.models, strict=True):
        arena = plan_function(program, Policy.PROGRAM_ORDER, TypeRule.BYTES, QUICK, {}, str(path)).found
        assert isinstance(arena.verdict, OptimalArena)
        assert arena.verdict.plan.cost_bytes <= sum(
            buffer.size_bytes or 0
            for buffer, root in zip(model.program.buffers, model.roots, strict=True)
            if not buffer.external or (root.op is not None and root.op.name == "hip.get_pool")
        )


def test_the_shared_inputs_are_there() -> None:
    assert len(inputs()) > 50, SHARED
