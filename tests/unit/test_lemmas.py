"""The lemmas of encodings/lemmas: each solver gives the expected answer, and the other one without what matters."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from support import smtalloc

from smtalloc.commands.common import Exit
from smtalloc.commands.prove import verdict
from smtalloc.encode import encodings_dir
from smtalloc.prove import Lemma, Outcome, Variant, lemmas, lemmas_dir, prove, schedule
from smtalloc.solvers.base import Answer, SmtSolver, Status
from smtalloc.solvers.cvc5 import Cvc5
from smtalloc.solvers.z3 import Z3

LEMMAS = lemmas()
VARIANTS = [(lemma, variant) for lemma in LEMMAS for variant in lemma.variants()]
LIMIT_S = 10.0

needs_cvc5 = pytest.mark.skipif(not Cvc5.installed(), reason="cvc5 is not installed (extra: proofs)")
solvers = pytest.mark.parametrize("solver", [Z3, pytest.param(Cvc5, marks=needs_cvc5)])


def _numbered(value: object) -> str | None:
    return value.name if isinstance(value, Lemma) else value.what[:60] if isinstance(value, Variant) else None


@solvers
@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.name)
def test_lemma(lemma: Lemma, solver: Callable[[], SmtSolver]) -> None:
    outcome = prove(lemma, solver(), time_limit_s=LIMIT_S)
    assert outcome.answer.status is lemma.expected, outcome.answer.reason


@solvers
@pytest.mark.parametrize(("lemma", "variant"), VARIANTS, ids=_numbered)
def test_not_for_a_silly_reason(lemma: Lemma, variant: Variant, solver: Callable[[], SmtSolver]) -> None:
    """Without a key a lemma fails, with what it left out a countermodel goes away, and hypotheses have examples."""
    answer = solver().solve(variant.text, time_limit_s=LIMIT_S)
    assert answer.status is variant.expected, f"{lemma.name} {variant.what}: {answer.reason}"


# --- the files ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.name)
def test_lemma_says_what_matters(lemma: Lemma) -> None:
    """A theorem marks its key hypotheses and its goal, a countermodel what it leaves out."""
    kinds = [variant.what.split()[0] for variant in lemma.variants()]
    if lemma.expected is Status.UNSAT:
        assert "without" in kinds
        assert kinds.count("an") == 1
    else:
        assert set(kinds) == {"with"}
    marks = re.findall(r"^; (?:key|goal|example|counterexample|left out)\b.*$", lemma.source, re.MULTILINE)
    examples = len(re.findall(r"^; (?:counter)?example: ", lemma.source, re.MULTILINE))
    assert len(marks) == len(kinds) + examples, "a mark that nothing reads"
    assert lemma.source.rstrip().endswith("(check-sat)")
    assert "; needs: " not in lemma.text


def test_each_set_of_axioms_has_a_sane_file() -> None:
    """Every combination of axioms that a lemma uses is also used by a file that shows it to be consistent."""

    def axioms(lemma: Lemma) -> frozenset[str]:
        return frozenset(re.findall(r"lemmas/(axioms_\w+)", lemma.source))

    sane = [axioms(lemma) for lemma in LEMMAS if lemma.name.startswith("sane_")]
    assert all(any(axioms(lemma) <= other for other in sane) for lemma in LEMMAS)
    used = frozenset[str]().union(*sane)
    assert used == {path.stem for path in lemmas_dir().glob("axioms_*.smt2")}


def test_readme_names_every_lemma() -> None:
    text = (encodings_dir() / "README.md").read_text(encoding="utf-8")
    missing = [path.stem for path in lemmas_dir().glob("*.smt2") if f"`{path.stem}`" not in text]
    assert not missing


# --- the command -------------------------------------------------------------------------------------------


def test_prove_prints_a_countermodel_as_a_schedule() -> None:
    ran = smtalloc("prove", "exclusion_needed", "before_transitive")
    assert ran.status == 0
    first, second, third = ran.out.splitlines()
    assert first.startswith("before_transitive")
    assert second.startswith("exclusion_needed")
    assert "z3 sat" in second
    order = third.strip().removeprefix("schedule: ").split(", ")
    assert order.index("finish produce") < order.index("host store") < order.index("start consume")


def test_prove_as_json() -> None:
    [lemma] = smtalloc("prove", "--json", "exclusion_host_pairs").json["lemmas"]
    assert (lemma["name"], lemma["expected"], lemma["verdict"]) == ("exclusion_host_pairs", "sat", "as expected")
    assert lemma["answers"][0]["solver"].startswith("z3 ")
    assert lemma["schedule"].index("host store_b") < lemma["schedule"].index("start read_a")


def test_prove_knows_its_lemmas() -> None:
    ran = smtalloc("prove", "nonsense")
    assert ran.status == 2
    assert "no lemma nonsense" in ran.err


def test_exit_status() -> None:
    lemma = LEMMAS[0]
    other = Status.SAT if lemma.expected is Status.UNSAT else Status.UNSAT

    def status(*found: Status) -> Exit:
        return verdict(lemma, [Outcome("a solver", Answer(status), 0.0) for status in found])

    assert status(lemma.expected, lemma.expected) is Exit.OK
    assert status(lemma.expected, Status.UNKNOWN) is Exit.UNKNOWN
    assert status(other, Status.UNKNOWN) is Exit.BAD
    assert verdict(replace(lemma, expected=other), [prove(lemma, Z3())]) is Exit.BAD


def test_schedule_is_in_order_of_time() -> None:
    values: dict[str, int | bool] = {"start_b": 3, "host_a": -1, "finish_b": 10, "other": 2, "issue_b": 0}
    assert schedule(values) == ("host a", "issue b", "start b", "finish b")


# --- cvc5 as a solver --------------------------------------------------------------------------------------

HARD = "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)(assert (and (< 1 x y z) {}))"
HARD = HARD.format("(= (+ (* x x x) (* y y y)) (* z z z))") + "(check-sat)"


@solvers
def test_values(solver: Callable[[], SmtSolver]) -> None:
    text = "(declare-const n Int)(declare-const p Bool)(assert (and p (= n (- 7))))(check-sat)"
    assert solver().solve("(set-logic QF_LIA)" + text) == Answer(Status.SAT, {"n": -7, "p": True})


@solvers
@pytest.mark.parametrize("text", ["(set-logic QF_LIA)(assert (< x 1))", "(assert"])
def test_malformed_text(solver: Callable[[], SmtSolver], text: str) -> None:
    with pytest.raises(ValueError, match="cannot read the text"):
        solver().solve(text)


@needs_cvc5
def test_time_limit() -> None:
    assert Cvc5().solve(HARD, time_limit_s=0.5).status is Status.UNKNOWN


@needs_cvc5
def test_cancel() -> None:
    solver = Cvc5()
    solver.cancel()  # nothing runs
    timer = threading.Timer(0.5, solver.cancel)
    timer.start()
    assert solver.solve(HARD, time_limit_s=20).status is Status.UNKNOWN
    timer.join()
