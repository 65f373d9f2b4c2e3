"""`export`: files that other tools read."""

from __future__ import annotations

import csv
import io
import shutil

import pytest
from support import EXAMPLES, SHARED, needs_shared, smtalloc

from smtalloc.solvers.base import SmtSolver, Status
from smtalloc.solvers.z3 import Z3

PREAMBLE = EXAMPLES / "gqa_preamble.mlir"


def solvers() -> list[SmtSolver]:
    found: list[SmtSolver] = [Z3()]
    try:
        from smtalloc.solvers.cvc5 import Cvc5
    except ImportError:
        return found
    return [*found, Cvc5()]


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
