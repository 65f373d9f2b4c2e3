"""Plans of every golden and real file: proven, checked, written back, taken by mlir-opt, and called safe by verify."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import (
    SHARED,
    accepted_by_mlir_opt,
    everything,
    inputs,
    name_of,
    needs_mlir_opt,
    needs_shared,
    profile_for,
)

from smtalloc.allocate import SolveOptions
from smtalloc.check import Accepted, Rejection, check_plan
from smtalloc.commands.plan import plan_program
from smtalloc.commands.verify import judge_pair
from smtalloc.encode import pairwise_plan, pairwise_query
from smtalloc.mlir.session import greedy_plan, load, pairs
from smtalloc.order import conflicts
from smtalloc.plan import Optimal, Policy, Safe, TypeRule
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3

pytestmark = needs_shared
QUICK = SolveOptions(time_limit_s=10)


CASES = [
    *(
        (path, Policy.HOST_EXCLUSIVE, TypeRule.BYTES)
        for path in everything()
        if path in inputs() or "golden" in path.parts
    ),
    *(
        (path, Policy.HAPPENS_BEFORE, TypeRule.STRICT)
        for path in inputs()
        if path.stem not in ("densenet121", "ocr_rec")
    ),
]


@needs_mlir_opt
@pytest.mark.parametrize(("path", "policy", "types"), CASES, ids=name_of)
def test_plan_written_back_is_safe(path: Path, policy: Policy, types: TypeRule) -> None:
    source, original = load(str(path), profile_for(path)), load(str(path), profile_for(path))
    planned = [plan_program(p, policy, types, QUICK) for p in source.programs]
    assert all(isinstance(p.checked, Accepted) for p in planned)
    source.apply([p.verdict.plan for p in planned])
    assert accepted_by_mlir_opt(source.text(generic=True)) == ""
    after = source.reread()
    for number, pair in enumerate(pairs(original, after)):
        judged = judge_pair(pair, {}, minimum=False)
        assert isinstance(judged.verdict, Safe), judged.verdict
        assert judged.memory is not None
        plan, program = planned[number].verdict.plan, source.programs[number]
        # What was written takes what the plan says: no memory was lost or added on the way.
        used = {place.memory for i, place in pair.found.places.items() if not program.buffers[i].external}  # type: ignore[union-attr]
        assert len(used) <= len(plan.members)
        assert judged.memory.after_bytes <= plan.cost_bytes(program)


@pytest.mark.parametrize("types", list(TypeRule))
@pytest.mark.parametrize("path", [p for p in inputs() if p.parent.name == "real"], ids=name_of)
def test_real_functions_are_proven(path: Path, types: TypeRule) -> None:
    source = load(str(path), "linalg-device")
    for program in source.programs:
        for policy in (Policy.HOST_EXCLUSIVE, Policy.HAPPENS_BEFORE):
            planned = plan_program(program, policy, types, SolveOptions())
            assert isinstance(planned.verdict, Optimal), planned.verdict.reason


@pytest.mark.parametrize("path", inputs(), ids=name_of)
def test_never_worse_than_the_greedy_pass(path: Path) -> None:
    """Under the greedy pass's own rules (op order, its types) no allocation costs more than it does."""
    source = load(str(path), profile_for(path))
    for number, program in enumerate(source.programs):
        greedy = greedy_plan(source, number)
        best = plan_program(program, Policy.PROGRAM_ORDER, TypeRule.STRICT, QUICK).verdict.plan
        assert best.cost_bytes(program) <= greedy.cost_bytes(program)
        assert best.dynamic_slots(program) <= greedy.dynamic_slots(program)


def test_a_life_runs_from_first_to_last_access() -> None:
    """Both allocations stand at the top of the function, and still share."""
    source = load(str(SHARED / "golden/probes/hoisted_allocs.mlir"), None)
    planned = plan_program(source.programs[0], Policy.HOST_EXCLUSIVE, TypeRule.STRICT, QUICK)
    assert len(planned.verdict.plan.members) == 1


def test_without_its_definitions_the_encoding_gives_the_racy_plan() -> None:
    """Drop both definitions from the text, and z3 puts the host's buffer where the device's is; the checker refuses."""
    (program,) = load(str(SHARED / "golden/probes/gqa_preamble.mlir"), None).programs
    problem = conflicts(program, Policy.HOST_EXCLUSIVE, TypeRule.BYTES)
    both = frozenset({"host_exclusive", "happens_before"})
    assert Z3().solve(pairwise_query(problem, 16)).status is Status.UNSAT, "with them, 16 bytes are not enough"
    answer = Z3().solve(pairwise_query(problem, 16, drop=both))
    assert answer.status is Status.SAT
    plan = pairwise_plan(answer.values)
    assert plan.cost_bytes(program) == 16
    names = [{program.buffers[b].name for b in members} for members in plan.members]
    assert any("%total" in members and len(members) > 1 for members in names)
    refused = check_plan(
        program, plan, policy=Policy.HOST_EXCLUSIVE, types=TypeRule.BYTES, certificate=None, claims_optimal=False
    )
    assert isinstance(refused, Rejection)
    assert refused.kind == "unsafe"
