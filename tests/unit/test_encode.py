"""The queries: what they assert, what happens when a definition is taken out, and that other solvers read them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from smtalloc.allocate import plan_slots
from smtalloc.bounds import class_form, clique_levels
from smtalloc.encode import (
    class_assignment,
    class_query,
    definitions,
    guarantee_query,
    pairwise_plan,
    pairwise_query,
)
from smtalloc.encode_schedule import finished, schedule_axioms, started
from smtalloc.order import Conflicts, Order, conflicts
from smtalloc.plan import Policy, Slots
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3
from smtalloc.task import tasks

SUM, SUB, TOTAL = range(3)


def action(ordinal: int, engine: str, reads: tuple[int, ...], writes: tuple[int, ...], *waits: str) -> Action:
    return Action(
        ordinal, engine, "op", tuple(Access(b) for b in reads), tuple(Access(b) for b in writes), waits=tuple(waits)
    )


def preamble() -> Program:
    """The preamble of grouped-query attention: the device reduces a mask, the host stores a length."""
    found = tuple(Buffer(name, 8, alignment=64) for name in ("%sum", "%sub", "%total"))
    actions = (
        action(0, "q", (), (SUM,)),
        action(1, "q", (SUM,), (SUB,)),
        action(2, "q", (SUB,), ()),
        action(3, HOST, (), (TOTAL,)),
        action(4, "q", (TOTAL,), ()),
    )
    return Program("gqa_preamble", found, actions)


def readback() -> Program:
    """The host reads a device buffer back, and only then writes another."""
    found = (Buffer("%device", 8), Buffer("%host", 8))
    actions = (action(0, "q", (), (0,)), action(1, HOST, (0,), (), "q"), action(2, HOST, (), (1,)))
    return Program("readback", found, actions)


def device_readback() -> Program:
    """A wait alone orders a buffer of the device before one of the host."""
    found = (Buffer("%device", 8), Buffer("%host", 8))
    actions = (action(0, "q", (), (0,)), action(1, HOST, (), (), "q"), action(2, HOST, (), (1,)))
    return Program("wait", found, actions)


def without(text: str, *definitions_: str) -> str:
    """The text with the assertions of some definitions filtered out, line by line, as a reader would."""
    return "\n".join(
        line for line in text.splitlines() if not line.startswith(tuple(f"(assert ({name} " for name in definitions_))
    )


def cheapest(conflicts_: Conflicts, *dropped: str) -> Slots:
    """A cheapest plan of the pairwise text after dropping definitions, by z3."""
    for cost in range(0, 1000):
        answer = Z3().solve(without(pairwise_query(conflicts_, cost), *dropped))
        if answer.status is Status.SAT:
            return pairwise_plan(answer.values)
    raise AssertionError("no plan")


def test_dropping_both_definitions_brings_the_race_back() -> None:
    problem = conflicts(preamble(), Policy.HOST_EXCLUSIVE)
    racy = Slots(((SUM, TOTAL), (SUB,)))
    kept = cheapest(problem)
    assert kept == Slots(((SUM,), (SUB,), (TOTAL,)))
    assert cheapest(problem, "host_exclusive") == kept, "happens-before alone forbids it"
    assert cheapest(problem, "happens_before") == kept, "and so does host-exclusive alone"
    dropped = cheapest(problem, "host_exclusive", "happens_before")
    assert dropped.cost_bytes(problem.program) == 16
    assert any(TOTAL in slot and len(slot) == 2 for slot in dropped.members), "the host's buffer shares with the device"
    # The plan that the compiler pass makes is one of these minima, and z3 refuses it under the policy.
    assert Z3().solve(guarantee_query(problem, racy)).status is Status.SAT
    assert Z3().solve(guarantee_query(conflicts(preamble(), Policy.PROGRAM_ORDER), racy)).status is Status.UNSAT


def test_the_keyword_drops_the_same_lines() -> None:
    problem = conflicts(preamble(), Policy.HOST_EXCLUSIVE)
    names = frozenset({"host_exclusive", "happens_before"})
    assert pairwise_query(problem, 16, drop=names) == without(pairwise_query(problem, 16), *names) + "\n"


def test_each_assertion_stands_on_its_own_line() -> None:
    text = pairwise_query(conflicts(preamble(), Policy.HOST_EXCLUSIVE), 24)
    body = text.split(definitions("sharing", "slots_pairwise"))[1]
    for line in body.strip().splitlines():
        assert line.startswith(("(assert (", "(define-fun ", "(declare-const ", ";", "(check-sat)"))
        assert line.startswith(";") or line.count("(") == line.count(")")


@pytest.mark.parametrize("program", [readback(), device_readback()], ids=lambda p: p.name)
def test_a_readback_orders_host_and_device_but_host_exclusive_keeps_them_apart(program: Program) -> None:
    shared, apart = Slots(((0, 1),)), Slots(((0,), (1,)))
    assert plan_slots(conflicts(program, Policy.HAPPENS_BEFORE)).plan == shared
    assert plan_slots(conflicts(program, Policy.HOST_EXCLUSIVE)).plan == apart
    problem = conflicts(program, Policy.HOST_EXCLUSIVE)
    assert cheapest(problem) == apart
    assert cheapest(problem, "host_exclusive") == shared


def test_class_text_asserts_the_guarantee_by_its_definition() -> None:
    """Even where the cliques do not know that host-accessed buffers are apart."""
    exclusive = conflicts(device_readback(), Policy.HOST_EXCLUSIVE)
    relaxed = conflicts(device_readback(), Policy.HAPPENS_BEFORE)
    (task,) = tasks(relaxed)
    form = class_form(task, clique_levels(task))
    text = class_query(exclusive, form, 8)
    assert "(assert (host_exclusive_alone host_1 alone_1))" in text
    assert Z3().solve(text).status is Status.UNSAT
    assert Z3().solve(class_query(exclusive, form, 16)).status is Status.SAT
    assert Z3().solve(without(text, "host_exclusive_alone")).status is Status.SAT
    assert Z3().solve(class_query(relaxed, form, 8)).status is Status.SAT


def test_class_assignment_reads_the_model() -> None:
    found = (Buffer("%a", 8), Buffer("%b", 4))
    problem = conflicts(
        Program("f", found, (action(0, "q", (), (0,)), action(1, "q", (), (1,)))), Policy.HAPPENS_BEFORE
    )
    (task,) = tasks(problem)
    form = class_form(task, clique_levels(task))
    answer = Z3().solve(class_query(problem, form, 8))
    assert class_assignment(problem, form, answer.values) == (0, 0)
    excluded = frozenset({(1, 0)})
    assert Z3().solve(class_query(problem, form, 8, excluded=excluded)).status is Status.UNSAT


def test_runs_imply_pairs() -> None:
    """The members so far of a slot as one buffer: a definition that holds for it holds for each of them."""
    declare = "".join(
        f"(declare-const first_{b} Int)(declare-const last_{b} Int)(assert (<= (- 1) first_{b} last_{b}))"
        f"(assert (= (= first_{b} (- 1)) (= last_{b} (- 1))))"
        f"(declare-const host_{b} Bool)(declare-const device_{b} Bool)(declare-const done_{b} Int)"
        f"(declare-const seen_{b} Int)"
        for b in "abc"
    )
    merged = """
        (define-fun first_m () Int (earlier first_a first_b)) (define-fun last_m () Int (later last_a last_b))
        (define-fun host_m () Bool (or host_a host_b)) (define-fun device_m () Bool (or device_a device_b))
        (define-fun done_m () Int (later done_a done_b)) (define-fun seen_m () Int (earlier seen_a seen_b))"""

    def rules(a: str) -> str:
        return f"""(and (program_order true first_{a} last_{a} first_c last_c)
            (host_exclusive true host_{a} device_{a} host_c device_c)
            (happens_before true (over_on done_{a} seen_c) (over_on done_c seen_{a})))"""

    def query(claim: str) -> str:
        return definitions("sharing", "slots_pairwise") + declare + merged + f"(assert {rules('m')})(assert {claim})"

    assert Z3().solve(query("true")).status is Status.SAT
    assert Z3().solve(query(f"(not (and {rules('a')} {rules('b')}))")).status is Status.UNSAT


def test_large_slots_are_asked_in_linear_text() -> None:
    def chain(length: int) -> Conflicts:
        found = tuple(Buffer(f"%{b}", 8) for b in range(length))
        actions = tuple(action(b, "q", (), (b,)) for b in range(length))
        return conflicts(Program("chain", found, actions), Policy.HOST_EXCLUSIVE)

    texts = [guarantee_query(chain(n), Slots((tuple(range(n)),))) for n in (200, 400)]
    assert len(texts[1]) < 2.2 * len(texts[0])
    assert all(Z3().solve(text).status is Status.UNSAT for text in texts)


@pytest.mark.parametrize("program", [preamble(), readback(), device_readback()], ids=lambda p: p.name)
def test_order_axioms_say_what_the_vector_clocks_say(program: Program) -> None:
    order = Order(program)
    axioms = definitions("order") + "\n".join(schedule_axioms(program))
    for a, b in [(a, b) for a, b in combinations(range(len(program.actions)), 2)]:
        claim = f"(assert (not (over_before {finished(program, a)} {started(program, b)})))"
        expected = Status.UNSAT if order.hb(a, b) else Status.SAT
        assert Z3().solve(axioms + claim).status is expected


@pytest.mark.parametrize("policy", Policy)
def test_cvc5_gives_the_same_answers(policy: Policy) -> None:
    """Nothing of the text is z3's own."""
    cvc5: Any = pytest.importorskip("cvc5", reason="cvc5 is not installed (extra: proofs)")

    def ask(text: str) -> str:
        solver = cvc5.Solver(cvc5.TermManager())
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
        answers: list[str] = []
        while not (command := parser.nextCommand()).isNull():
            answers.append(str(command.invoke(solver, parser.getSymbolManager())))
        return "".join(answers).strip()

    problem = conflicts(preamble(), policy)
    verdict = plan_slots(problem)
    best = verdict.plan.cost_bytes(problem.program)
    texts = [pairwise_query(problem, best), pairwise_query(problem, best - 1)]
    for limit in (1, 40):
        texts.append(guarantee_query(problem, verdict.plan, all_pairs_up_to=limit))
    for task in tasks(problem):
        form = class_form(task, clique_levels(task))
        texts += [class_query(problem, form, cost) for cost in (8, 15, 16, 24)]
    for text in texts:
        assert ask(text) == Z3().solve(text).status


def test_names_cannot_break_the_text() -> None:
    found = (Buffer("%a\n(assert false)", 8, space="x\n)", element_type="(λ)"),)
    problem = conflicts(Program("f", found, (action(0, "q\n)", (), (0,)),)), Policy.HOST_EXCLUSIVE)
    assert Z3().solve(pairwise_query(problem, 8)).status is Status.SAT
