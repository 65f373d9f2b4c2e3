"""Exported queries on every golden input and output: z3 and cvc5 agree, and say what the planner and `verify` say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from support import PASSES, SHARED, inputs, name_of, needs_shared

from smtalloc.allocate import plan_slots
from smtalloc.artefacts import bound_text, plan_text, races_text, verdict_text
from smtalloc.clashes import same_accesses
from smtalloc.mlir.session import SourceFile, alone, load, load_after, pairs
from smtalloc.order import conflicts
from smtalloc.placement import Correspondence
from smtalloc.plan import Certificate, Optimal, Policy, Unknown
from smtalloc.races import races
from smtalloc.solvers import cvc5
from smtalloc.solvers.base import Answer, Status
from smtalloc.solvers.z3 import Z3
from smtalloc.validate import findings

pytestmark = needs_shared
GOLDEN = [path for path in inputs() if path.is_relative_to(SHARED / "golden")]
golden = pytest.mark.parametrize("path", GOLDEN, ids=name_of)

COMMANDS = {"set-info", "set-option", "set-logic", "define-fun", "declare-const", "assert", "check-sat"}


@cache
def source(path: Path) -> SourceFile:
    return load(str(path), None)


def solvers() -> Iterator[Callable[[str], Answer]]:
    yield lambda text: Z3().solve(text, time_limit_s=60)
    if cvc5.Cvc5.installed():  # in this process: starting one for each of some four hundred questions takes minutes
        yield lambda text: cvc5._ask(text, "0")


def asked(text: str) -> Answer:
    """The answer that all solvers give."""
    found = [ask(text) for ask in solvers()]
    assert len({answer.status for answer in found}) == 1, [answer.status for answer in found]
    if found[0].status is Status.UNSAT:
        named = set(re.findall(r":named \|([^|]*)\|", text))
        assert all(answer.core and named.issuperset(answer.core) for answer in found)
    return found[0]


def is_standard(text: str) -> None:
    """Commands of SMT-LIB 2.6 only, printable ASCII, and every assertion has a name of its own."""
    assert text.isascii()
    body = [line for line in text.splitlines() if line.startswith("(")]
    assert {re.split(r"[ ()]", line[1:], maxsplit=1)[0] for line in body} == COMMANDS
    names = [re.fullmatch(r"\(assert \(! .* :named \|([^|\\]+)\|\)\)", line) for line in body if "(assert" in line]
    assert all(names)
    assert len({match[1] for match in names if match}) == len(names)


@golden
def test_plans_and_bounds(path: Path) -> None:
    for program in source(path).programs:
        problem = conflicts(program, Policy.HOST_EXCLUSIVE)
        verdict = plan_slots(problem)
        plan, bound = plan_text(problem, verdict.plan), bound_text(problem, verdict.certificate)
        for text in (plan, bound):
            is_standard(text)
            answer = asked(text)
            assert answer.status is Status.UNSAT
            if verdict.plan.cost_bytes(program):
                assert any(program.buffers[b].name in name for name in answer.core for b in problem.items)
        assert all(f"; {program.buffers[b].name}: used by " in plan for b in problem.items)
        parts = tuple(replace(part, bound=part.bound + 1) for part in verdict.certificate.parts)
        if isinstance(verdict, Optimal) and parts:  # there is a plan that costs less than one more
            assert asked(bound_text(problem, Certificate(parts))).status is Status.SAT


def breaks(found: Correspondence) -> bool:
    """What `verify` finds by happens-before."""
    if not same_accesses(found):
        return any("accesses do not correspond" in problem.text for problem in findings(found).problems)
    return bool(findings(found).clashes)


@golden
def test_verdicts(path: Path) -> None:
    outputs = [path.with_suffix(f".{name}.mlir") for name in PASSES]
    for after in [output for output in outputs if output.exists()]:
        for pair in pairs(source(path), load_after(str(after), source(path), None)):
            if isinstance(pair.found, Unknown):
                continue
            text = verdict_text(pair.found)
            is_standard(text)
            assert all(f"{action.ordinal} {action.op} on {action.engine}" in text for action in pair.program.actions)
            assert (asked(text).status is Status.SAT) == breaks(pair.found)


@golden
def test_races(path: Path) -> None:
    for pair in alone(source(path)):
        assert not isinstance(pair.found, Unknown)
        text = races_text(pair.found)
        is_standard(text)
        expected = any(races(pair.found.before)) or breaks(pair.found)
        assert (asked(text).status is Status.SAT) == expected
