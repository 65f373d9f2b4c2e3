"""Refutations of slots: where the linear program is not tight, the plan is proven minimal all the same; what is forged,
cut short or about something else is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from support import needs_sat
from test_allocate import NOT_TIGHT, chain, intervals

from smtalloc import check_slot_refutation
from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.artefacts import bound_text
from smtalloc.check import Accepted, Rejection, check_verdict
from smtalloc.formats import answer, dump_json, parse_json, plan_from_json, plan_to_json
from smtalloc.order import conflicts
from smtalloc.plan import (
    Certificate,
    Clique,
    Cliques,
    Dual,
    Feasible,
    Optimal,
    Part,
    Policy,
    Row,
    SlotRefutation,
    TypeRule,
)
from smtalloc.program import Access, Action, Buffer, Program
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3

POLICY = Policy.HAPPENS_BEFORE
Lives = Sequence[tuple[int, int, int]]

# found among random problems: (first, last, bytes); the linear program proves one byte less than is needed
SMALL = (
    (7, 7, 9), (4, 5, 1), (5, 6, 6), (2, 6, 6), (6, 7, 4), (2, 3, 9), (7, 7, 9), (0, 4, 1), (4, 5, 4), (5, 7, 6),
    (0, 1, 4), (6, 7, 6), (3, 7, 4), (5, 7, 5), (0, 4, 6), (1, 5, 6), (3, 4, 6), (2, 4, 4),
)  # fmt: skip
OF_26 = (
    (8, 8, 20), (8, 8, 22), (0, 0, 24), (1, 4, 22), (1, 3, 8), (0, 2, 39), (8, 8, 24), (6, 8, 13), (7, 8, 24),
    (1, 5, 9), (3, 5, 20), (3, 4, 16), (7, 7, 21), (1, 4, 8), (5, 8, 1), (5, 7, 20), (0, 3, 20), (0, 0, 20),
    (5, 8, 24), (0, 4, 21), (3, 6, 21), (2, 6, 1), (5, 6, 13), (4, 5, 13), (2, 2, 16), (1, 5, 8),
)  # fmt: skip
BY_TWO = (
    (6, 10, 36), (12, 12, 25), (2, 6, 6), (11, 12, 36), (9, 9, 21), (5, 8, 4), (7, 9, 36), (13, 15, 25),
    (17, 17, 18), (11, 11, 19), (14, 14, 24), (13, 13, 31), (14, 14, 6), (18, 18, 24), (11, 12, 24), (12, 12, 18),
    (15, 15, 24), (7, 9, 25), (1, 3, 25), (5, 9, 4), (4, 5, 25), (4, 5, 24), (16, 16, 19), (11, 11, 36), (0, 4, 14),
    (16, 18, 6), (10, 11, 21), (10, 14, 4), (12, 15, 4), (9, 10, 4), (3, 4, 31), (10, 10, 14), (4, 4, 24),
)  # fmt: skip
"""33 buffers: two bytes less are proven."""

PATH = Program(
    "path",
    (Buffer("%a", 2), Buffer("%b", 1), Buffer("%c", 1), Buffer("%d", 4)),
    tuple(Action(t, "q", "op", writes=tuple(map(Access, used))) for t, used in enumerate(((2, 3), (1, 2), (0, 1)))),
)
"""a - b - c - d conflict: cliques show 5 bytes, 6 are needed."""
CLIQUES_ALONE = SolveOptions(lp=False, mip=False, z3=False)


def optimum(program: Program, options: SolveOptions | None = None) -> Optimal:
    verdict = plan_slots(conflicts(program, POLICY), options)
    assert isinstance(verdict, Optimal)
    assert verdict.certificate.kinds == ("refutation",)
    assert isinstance(judged(program, verdict), Accepted)
    return verdict


def judged(program: Program, verdict: Optimal | Feasible) -> Accepted | Rejection:
    return check_verdict(program, verdict, policy=POLICY, types=TypeRule.BYTES)


def least_bytes(lives: Lives) -> int:
    """By trying everything: the largest buffer first, into each slot where it fits in time, or into one of its own."""
    order = sorted(lives, key=lambda life: (-life[2], life))
    best = sum(size for _, _, size in order)

    def place(n: int, slots: list[list[tuple[int, int, int]]], cost: int) -> None:
        nonlocal best
        if cost >= best:
            return
        if n == len(order):
            best = cost
            return
        first, last, size = order[n]
        for slot in slots:
            if all(last < a or b < first for a, b, _ in slot):
                slot.append(order[n])
                place(n + 1, slots, cost)
                slot.pop()
        place(n + 1, [*slots, [order[n]]], cost + size)

    place(0, [], 0)
    return best


@needs_sat
def test_brute_force_says_the_same() -> None:
    program = intervals(*SMALL)
    assert optimum(program).plan.cost_bytes(program) == least_bytes(SMALL) == 50
    linear = plan_slots(conflicts(program, POLICY), SolveOptions(refute=False))
    assert (type(linear), linear.certificate.bound_bytes) == (Feasible, 49)


@needs_sat
@pytest.mark.parametrize(("lives", "bound", "cost"), [(NOT_TIGHT, 200, 201), (OF_26, 182, 183), (BY_TWO, 148, 150)])
def test_what_the_linear_program_leaves_open(lives: Lives, bound: int, cost: int) -> None:
    """The integer program and z3, each alone, find the same minimum, and cannot prove it."""
    program = intervals(*lives)
    assert optimum(program).plan.cost_bytes(program) == cost
    for options in (SolveOptions(refute=False, mip=False), SolveOptions(refute=False, z3=False)):
        believed = plan_slots(conflicts(program, POLICY), options)
        assert isinstance(believed, Feasible)
        assert (believed.certificate.bound_bytes, believed.plan.cost_bytes(program)) == (bound, cost)
        assert "no certificate" in believed.reason


@needs_sat
def test_refutations_do_without_the_other_engines() -> None:
    """CaDiCaL finds the plans too; without multipliers the text says less, and is refuted all the same."""
    for program in (PATH, chain(60, 17), intervals(*NOT_TIGHT)):
        found = optimum(program, CLIQUES_ALONE)
        best = plan_slots(conflicts(program, POLICY))
        assert found.plan.cost_bytes(program) == best.plan.cost_bytes(program)


# --- forgeries ---------------------------------------------------------------------------------------------


def taken_apart(verdict: Optimal) -> tuple[Part, SlotRefutation]:
    (part,) = verdict.certificate.parts
    assert isinstance(part.evidence, SlotRefutation)
    return part, part.evidence


def with_part(verdict: Optimal, part: Part) -> Optimal:
    return replace(verdict, certificate=Certificate((part,)))


@needs_sat
def test_mutants_are_refused() -> None:
    program = intervals(*NOT_TIGHT)
    verdict = optimum(program)
    part, evidence = taken_apart(verdict)
    shown, rows = evidence.shown, evidence.rows
    assert isinstance(shown, Dual)
    steps = [line for line in evidence.drup if not line.startswith("d")]
    assert len(steps) > 10
    twice = Row(rows[0].slot_bytes, (*rows[0].buffers, rows[0].buffers[0]))
    strangers = next(b for b in part.buffers if b not in rows[-1].buffers)
    more = [replace(w, weight=w.weight * 2) for w in shown.weights]
    evidences = {
        "no proof": replace(evidence, drup=()),
        "only the end": replace(evidence, drup=("",)),
        "cut short": replace(evidence, drup=tuple(steps[:5])),
        "from the middle": replace(evidence, drup=tuple(steps[len(steps) // 2 :])),
        "a variable that is none": replace(evidence, drup=("99999",)),
        "no clause": replace(evidence, drup=("1 x",)),
        "no rows": replace(evidence, rows=()),
        "a member twice": replace(evidence, rows=(twice, *rows[1:])),
        "a member that may share": replace(evidence, rows=(*rows, Row(38, tuple(part.buffers)))),
        "a row of no size": replace(evidence, rows=(*rows, Row(37, rows[0].buffers[:1]))),
        "a member that does not fit": replace(evidence, rows=(*rows, Row(2, (part.buffers[0],)))),
        "a member that does not exist": replace(evidence, rows=(*rows, Row(38, (len(program.buffers),)))),
        "a stranger": replace(evidence, rows=(*rows[:-1], Row(rows[-1].slot_bytes, (*rows[-1].buffers, strangers)))),
        "multipliers too large": replace(evidence, shown=Dual(tuple(more), shown.cliques)),
        "a clique that is none": replace(
            evidence, shown=Dual(shown.weights, (*shown.cliques, Clique(2, part.buffers)))
        ),
        "a threshold too high": replace(
            evidence, shown=Dual(shown.weights, tuple(replace(c, threshold_bytes=38) for c in shown.cliques))
        ),
    }
    mutants = {name: replace(part, evidence=changed) for name, changed in evidences.items()}
    mutants["one byte more"] = replace(part, bound=part.bound + 1)
    mutants["of run-time size"] = replace(part, dynamic=True)
    mutants["buffers left out"] = replace(part, buffers=part.buffers[:-1])
    for name, mutant in mutants.items():
        found = judged(program, with_part(verdict, mutant))
        assert isinstance(found, Rejection), name
        assert found.kind == "certificate", name


@needs_sat
def test_a_proof_about_another_program_is_refused() -> None:
    """Where more may share, or something is smaller, the same certificate proves nothing."""
    program = intervals(*SMALL)
    verdict = optimum(program)
    refused = 0
    for b, (first, last, size) in enumerate(SMALL):
        shorter = [*SMALL[:b], (first, max(first, last - 1), size), *SMALL[b + 1 :]]
        smaller = [*SMALL[:b], (first, last, size - 1), *SMALL[b + 1 :]]
        for lives in (shorter, smaller):
            other = intervals(*lives)
            found = judged(other, verdict)
            if isinstance(found, Accepted):  # it still is the minimum there
                assert least_bytes(lives) == found.cost_bytes == found.lower_bound_bytes
            else:
                refused += 1
    assert refused > len(SMALL)


@needs_sat
def test_a_refutation_does_not_claim_a_cheaper_bound_either() -> None:
    """A lower bound is true too, but the proof is about another text: right only by its own steps."""
    program = intervals(*SMALL)
    part, _ = taken_apart(verdict := optimum(program))
    for bound in range(part.bound):
        weaker = replace(part, bound=bound)
        found = judged(program, replace(with_part(verdict, weaker)))
        assert isinstance(found, Rejection), "called optimal"
    plan = verdict.plan
    trivial = Feasible(plan, Certificate((replace(part, bound=0),)), "")
    assert judged(program, trivial) == Accepted(part.bound, 0, 0, 0)


@needs_sat
@pytest.mark.parametrize("limit", ["_MOST_WORK", "MOST_CLAUSES"])
def test_what_is_too_large_is_not_believed(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    program = intervals(*SMALL)
    verdict = optimum(program)
    monkeypatch.setattr(check_slot_refutation, limit, 100)
    found = judged(program, verdict)
    assert isinstance(found, Rejection)
    assert "too large to check" in found.reason


@needs_sat
def test_sums_that_cannot_be_counted_are_not_believed() -> None:
    """Many sizes without a common divisor: their sums double with every class. The planner does not ask then."""
    lives = [(first, last, 1000 * size + n * 7919 % 97) for n, (first, last, size) in enumerate(NOT_TIGHT)]
    program = intervals(*lives)
    verdict = plan_slots(conflicts(program, POLICY), CLIQUES_ALONE)
    assert isinstance(verdict, Feasible)
    (part,) = verdict.certificate.parts
    assert not isinstance(part.evidence, SlotRefutation)
    asked = Part(part.buffers, verdict.plan.cost_bytes(program), SlotRefutation(Cliques(()), (), ("",)))
    found = judged(program, Optimal(verdict.plan, Certificate((asked,))))
    assert isinstance(found, Rejection)
    assert "too large to check" in found.reason


# --- how it is written -------------------------------------------------------------------------------------


@needs_sat
def test_it_goes_through_a_document() -> None:
    program = intervals(*NOT_TIGHT)
    verdict = optimum(program)
    text = dump_json(answer([plan_to_json(program, verdict, POLICY, TypeRule.BYTES)]))
    loaded = plan_from_json(parse_json(text.encode(), "p"), program, "p")
    assert loaded.certificate == verdict.certificate
    assert isinstance(loaded.check(program), Accepted)
    document = json.loads(text)
    evidence = document["functions"][0]["certificate"]["parts"][0]["evidence"]
    assert (evidence["kind"], evidence["shown"]["kind"]) == ("refutation", "dual")
    del evidence["drup"][5:]
    assert isinstance(plan_from_json(document, program, "p").check(program), Rejection)


@needs_sat
def test_the_bound_as_a_question() -> None:
    """With the rows no cheaper plan is possible; without them one is."""
    problem = conflicts(PATH, POLICY)
    part, evidence = taken_apart(optimum(PATH, CLIQUES_ALONE))
    assert Z3().solve(bound_text(problem, Certificate((part,)))).status is Status.UNSAT
    without = replace(part, evidence=evidence.shown)
    assert Z3().solve(bound_text(problem, Certificate((without,)))).status is Status.SAT
