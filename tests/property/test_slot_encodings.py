"""Every encoding of slots, HiGHS, CP-SAT and the planner against brute force: the same minimum, in both directions."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from support import needs_cpsat
from test_planning import brute_force, cost_of, problems

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.allocate_encoding import plan_by_encoding
from smtalloc.check import Accepted, check_verdict
from smtalloc.encode_slots import SlotEncoding, bits_query, bits_slots, leader_query, leader_slots
from smtalloc.order import Conflicts
from smtalloc.plan import Feasible, Optimal, Policy
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3
from smtalloc.task import tasks

SETTINGS = settings(deadline=None, derandomize=True)


@settings(SETTINGS, max_examples=60)
@given(problems, st.sampled_from([SlotEncoding.LEADER, SlotEncoding.BITS]))
def test_each_query_has_the_minimum(problem: Conflicts, encoding: SlotEncoding) -> None:
    for task in tasks(problem):
        best = brute_force(problem, task.items)[1 if task.dynamic else 0]
        query, read = (leader_query, leader_slots) if encoding is SlotEncoding.LEADER else (bits_query, bits_slots)
        answer = Z3().solve(query(task, best))
        assert answer.status is Status.SAT
        slots = read(task, answer.values)
        assert sorted(j for slot in slots for j in slot) == list(range(len(task)))
        assert all(task.related[a] >> b & 1 for slot in slots for a, b in combinations(slot, 2))
        assert sum(max(task.sizes[j] for j in slot) for slot in slots) <= best
        assert Z3().solve(query(task, best - 1)).status is Status.UNSAT


@settings(SETTINGS, max_examples=80)
@given(problems, st.sampled_from(SlotEncoding))
def test_planning_by_an_encoding_reaches_the_minimum(problem: Conflicts, encoding: SlotEncoding) -> None:
    verdict = plan_by_encoding(problem, encoding)
    best = brute_force(problem, range(len(problem.items)))
    assert cost_of(problem, verdict.plan) == best
    checked = check_verdict(problem.program, verdict, policy=problem.policy, types=problem.types)
    assert isinstance(checked, Accepted) or (problem.policy is Policy.PROGRAM_ORDER and checked.kinds == {"unsafe"})
    bound = (verdict.certificate.bound_bytes, verdict.certificate.bound_slots)
    assert isinstance(verdict, Optimal if bound == best else Feasible)


@settings(SETTINGS, max_examples=80)
@given(problems)
def test_highs_alone_reaches_the_minimum(problem: Conflicts) -> None:
    verdict = plan_slots(problem, SolveOptions(heuristics=False, z3=False))
    assert cost_of(problem, verdict.plan) == brute_force(problem, range(len(problem.items)))


@needs_cpsat
@settings(SETTINGS, max_examples=80)
@given(problems)
def test_cp_sat_alone_reaches_the_minimum(problem: Conflicts) -> None:
    verdict = plan_slots(problem, SolveOptions(heuristics=False, lp=False, mip=False, z3=False))
    assert cost_of(problem, verdict.plan) == brute_force(problem, range(len(problem.items)))
