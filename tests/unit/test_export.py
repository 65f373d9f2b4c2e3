"""`export`: files that other tools read."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from support import EXAMPLES, SHARED, needs_shared, smtalloc

from smtalloc.allocate import plan_slots
from smtalloc.artefacts import bound_text, plan_text, races_text
from smtalloc.encode import guarantee_query
from smtalloc.order import conflicts
from smtalloc.placement import Correspondence, Place
from smtalloc.plan import Certificate, Clique, Cliques, Part, Policy, Slots
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.solvers.base import SmtSolver, Status
from smtalloc.solvers.cvc5 import Cvc5
from smtalloc.solvers.z3 import Z3

PREAMBLE = EXAMPLES / "gqa_preamble.mlir"


def solvers() -> list[SmtSolver]:
    return [Z3(), Cvc5()] if Cvc5.installed() else [Z3()]


def test_a_plans_guarantee_is_unsat_for_every_solver() -> None:
    text = smtalloc("export", PREAMBLE, "--to", "smt2").out
    assert "(check-sat)" in text
    assert "%sum" in text, "comments name the buffers"
    assert {s.solve(text, time_limit_s=60).status for s in solvers()} == {Status.UNSAT}


def test_the_schedule_of_the_greedy_pass_is_sat_for_every_solver() -> None:
    text = smtalloc("export", PREAMBLE, "--to", "smt2", "--after", EXAMPLES / "gqa_preamble.greedy.mlir").out
    assert {s.solve(text, time_limit_s=60).status for s in solvers()} == {Status.SAT}
    safe = smtalloc("export", PREAMBLE, "--to", "smt2", "--after", PREAMBLE).out
    assert {s.solve(safe, time_limit_s=60).status for s in solvers()} == {Status.UNSAT}


def test_an_unsat_core_names_the_buffers() -> None:
    text = smtalloc("export", PREAMBLE, "--to", "smt2", "--query", "bound").out
    for solver in solvers():
        answer = solver.solve(text, time_limit_s=60)
        assert answer.status is Status.UNSAT
        assert {"when %sum and %last may share", "when %last and %length may share"} <= set(answer.core)


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("untouched", ["returned", "never used"])
def test_large_slots_are_asked_in_the_order_of_their_lives(policy: Policy, untouched: str) -> None:
    """A slot of many members is asked as a run; one that nobody touches has no access to be sorted by."""
    chain = 45
    buffers = [Buffer(f"b{b}", 64) for b in range(chain)]
    extra = Buffer("extra", 64, live_out=untouched == "returned")
    actions = tuple(Action(b, "q", "op", writes=(Access(b),)) for b in range(chain))
    for place in (0, chain):
        program = Program("f", (*buffers, extra), actions)
        problem = conflicts(program, policy)
        plan = plan_slots(problem).plan
        members = [*range(chain)]
        members.insert(place, chain)
        for given, status in ((plan, Status.UNSAT), (Slots((tuple(members),)), None)):
            asked = {Z3().solve(make(problem, given)).status for make in (plan_text, guarantee_query)}
            assert len(asked) == 1
            assert status is None or asked == {status}


def test_a_written_plan_and_its_bound(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(smtalloc("plan", PREAMBLE, "--json").out)
    ours = [smtalloc("export", PREAMBLE, "--to", "smt2", "--query", q, "--plan", plan) for q in ("plan", "bound")]
    assert all(ran.status == 0 for ran in ours)
    assert {s.solve(ran.out).status for s in solvers() for ran in ours} == {Status.UNSAT}
    greedy = tmp_path / "greedy.json"
    as_greedy = smtalloc("plan", PREAMBLE, "--policy", "program-order", "--json").out
    greedy.write_text(as_greedy.replace('"policy": "program-order"', '"policy": "host-exclusive"'))
    text = smtalloc("export", PREAMBLE, "--to", "smt2", "--plan", greedy).out
    for solver in solvers():
        answer = solver.solve(text)
        assert answer.status is Status.SAT
        broken = [name for name, value in answer.values.items() if name.startswith("breaks_") and value is True]
        assert broken
        assert all(re.search(rf"=> {name} .*:named \|%\w+ and %\w+ in slot", text) for name in broken)


def test_a_clique_that_is_none_proves_nothing() -> None:
    def clique(*buffers: int) -> Certificate:
        return Certificate((Part((0, 1, 2), 8 * len(buffers), Cliques((Clique(8, buffers),))),))

    actions = tuple(Action(n, "q", f"op{n}", (), (Access(b),)) for n, b in enumerate((0, 1, 0, 2)))
    problem = conflicts(Program("f", tuple(Buffer(f"%{b}", 8) for b in range(3)), actions), Policy.HAPPENS_BEFORE)
    for solver in solvers():
        assert solver.solve(bound_text(problem, clique(0, 1))).status is Status.UNSAT
        assert solver.solve(bound_text(problem, clique(0, 1, 2))).status is Status.SAT, "2 shares with both"
        assert solver.solve(bound_text(problem, clique(0, 0))).status is Status.SAT, "one buffer, twice"


def test_races_of_one_module() -> None:
    text = smtalloc("export", PREAMBLE, "--to", "smt2", "--query", "races").out
    assert {s.solve(text).status for s in solvers()} == {Status.UNSAT}


def test_races_are_found_and_a_wait_mends_them() -> None:
    def alone(*waits: str) -> Correspondence:
        read = Action(1, HOST, "load", (Access(0),), waits=waits)
        program = Program("f", (Buffer("%a", 8),), (Action(0, "q", "fill", (), (Access(0),)), read))
        return Correspondence(program, program, {0: Place(0, 0)})

    for solver in solvers():
        assert solver.solve(races_text(alone())).status is Status.SAT
        answer = solver.solve(races_text(alone("q")))
        assert answer.status is Status.UNSAT
        assert any(name.startswith("host_waits: finish 0 fill on q %a") for name in answer.core)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--to", "csv", "--query", "plan"], "--after, --plan and --query go with --to smt2"),
        (["--to", "smt2", "--query", "verdict"], "--after and --query verdict go together"),
        (["--to", "smt2", "--query", "bound", "--after", str(PREAMBLE)], "--after and --query verdict go together"),
        (["--to", "smt2", "--query", "races", "--plan", str(PREAMBLE)], "--plan goes with --query plan or bound"),
    ],
)
def test_what_does_not_go_together(arguments: list[str], says: str) -> None:
    ran = smtalloc("export", PREAMBLE, *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert says in ran.err


def test_a_plan_that_leaves_a_buffer_out_is_refused(tmp_path: Path) -> None:
    document = smtalloc("plan", PREAMBLE, "--json").json
    function = document["functions"][0]
    gone = function["slots"].pop()
    for name in gone["members"]:
        del function["assignment"][name]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document))
    ran = smtalloc("export", PREAMBLE, "--to", "smt2", "--plan", path)
    assert ran.status == 2
    assert "does not put each allocation into exactly one slot" in ran.err


def test_lives_as_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(smtalloc("export", PREAMBLE, "--to", "csv").out)))
    assert [row["id"] for row in rows] == ["%sum", "%last", "%length"]
    assert all(int(row["lower"]) < int(row["upper"]) and row["size"] == "8" for row in rows)


def test_conflicts_as_json_and_dot() -> None:
    problem = smtalloc("export", PREAMBLE, "--to", "json").json
    assert sorted(map(sorted, problem["conflicts"])) == [["%last", "%length"], ["%last", "%sum"], ["%length", "%sum"]]
    dot = smtalloc("export", PREAMBLE, "--to", "dot", "--policy", "program-order").out
    assert dot.count(" -- ") == 1
    if shutil.which("dot") is None:
        return
    assert dot.startswith("graph ")


@needs_shared
@pytest.mark.parametrize("arguments", [[], ["--function", "nope"]])
def test_one_function_is_exported(arguments: list[str]) -> None:
    ran = smtalloc("export", SHARED / "golden/probes/loops.mlir", "--to", "csv", *arguments)
    assert ran.status == 2
    assert "choose one of: fa_, fb_, fc_" in ran.err
