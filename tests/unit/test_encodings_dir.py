"""encodings/ is data: never a package, found where it should be, standard SMT-LIB that solvers read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from smtalloc import encode
from smtalloc.allocate import plan_slots
from smtalloc.artefacts import bound_text, plan_text, races_text, verdict_text
from smtalloc.bounds import class_form, clique_levels
from smtalloc.clashes import candidates
from smtalloc.encode import POLICY_RULES, class_query, definitions, encodings_dir, guarantee_query, pairwise_query
from smtalloc.order import conflicts
from smtalloc.placement import Correspondence, Place
from smtalloc.plan import Certificate, Clique, Dual, Part, Policy, Slots, TypeRule, Weighted
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.schedule_smt import schedule_query
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3
from smtalloc.task import tasks

NAMES = ("order", "sharing", "slots_bound", "slots_class", "slots_pairwise")
DEFINITION = re.compile(r"^\(define-fun (\S+)", re.MULTILINE)


def test_never_a_package() -> None:
    """A package of that name would shadow Python's own, and the interpreter would not start."""
    assert not list(encodings_dir().rglob("*.py"))


def test_python_starts_beside_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "print(1)"], cwd=encodings_dir().parent, capture_output=True, check=True
    )
    assert done.stdout.strip() == b"1"


def test_found_in_an_installed_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "smtalloc" / "_encodings"
    inside.mkdir(parents=True)
    (inside / "sharing.smt2").write_text("; here\n")
    monkeypatch.setattr("smtalloc.encode.__file__", str(tmp_path / "smtalloc" / "encode.py"))
    encodings_dir.cache_clear()
    try:
        assert encodings_dir() == inside
        (inside / "sharing.smt2").unlink()
        encodings_dir.cache_clear()
        with pytest.raises(FileNotFoundError):
            encodings_dir()
    finally:
        encodings_dir.cache_clear()


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_read_by_z3(name: str) -> None:
    assert Z3().solve(definitions(name)).status is Status.SAT
    assert DEFINITION.findall(definitions(name))


@pytest.mark.parametrize("name", NAMES)
def test_each_definition_has_a_comment_and_is_in_the_readme(name: str) -> None:
    text = definitions(name)
    for found in DEFINITION.finditer(text):
        block = text[: found.start()].rsplit("\n\n", 1)[-1]
        assert block.startswith(";"), f"{name}: {found[1]} has no comment"
    readme = (encodings_dir() / "README.md").read_text()
    assert f"`{name}.smt2`" in readme


def test_every_rule_of_a_policy_is_a_definition_of_the_form_together_implies() -> None:
    text = definitions("sharing")
    pairs = {"same_space", "same_type", "same_key", "one_holds_both"}
    for rule in {rule for rules in POLICY_RULES.values() for rule in rules} | pairs:
        body = text.split(f"(define-fun {rule} ((together Bool)", 1)[1]
        assert body.split("Bool\n", 1)[1].startswith("  (=> together ")


# --- no second copy of a rule --------------------------------------------------------------------------------

A, B, C = range(3)


def program() -> Program:
    """Two queues, a wait, a returned buffer, and a host store into what a queued action may still read."""
    actions = (
        Action(0, "q", "produce", (), (Access(A),)),
        Action(1, "q", "consume", (Access(A),), (Access(C),)),
        Action(2, HOST, "store", (), (Access(B),)),
        Action(3, HOST, "read", (Access(B), Access(C)), (), waits=("q",)),
        Action(4, "r", "other", (Access(C),), ()),
        Action(5, "q", "more", (), (Access(4),)),
        Action(6, "q", "and more", (), (Access(5),)),
    )
    buffers = (Buffer("%a", 8), Buffer("%b", 4), Buffer("%c", 8, live_out=True), Buffer("%d", None, size_key="n"))
    return Program("f", (*buffers, Buffer("%e", 8), Buffer("%f", 8)), actions)


def racy() -> Correspondence:
    """%a and %b in one memory."""
    after = Program(
        "f",
        (Buffer("%m", 8), Buffer("%c", 8, live_out=True), Buffer("%d", None), Buffer("%e", 8), Buffer("%f", 8)),
        tuple(
            Action(a.ordinal, a.engine, a.op, tuple(map(_moved, a.reads)), tuple(map(_moved, a.writes)), a.waits)
            for a in program().actions
        ),
    )
    return Correspondence(
        program(), after, {A: Place(0, 0), B: Place(0, 0), C: Place(1, 0), 4: Place(3, 0), 5: Place(4, 0)}
    )


def _moved(access: Access) -> Access:
    return Access(max(0, access.buffer - 1))


RACY = Slots(((A, B), (C,), (3,), (4, 5)))


def queries() -> Iterator[str]:
    """Every text that the package makes, of every policy."""
    for policy in Policy:
        problem = conflicts(program(), policy, TypeRule.STRICT)
        verdict = plan_slots(problem)
        yield pairwise_query(problem, 16)
        yield guarantee_query(problem, RACY)
        yield guarantee_query(problem, RACY, all_pairs_up_to=1)
        yield plan_text(problem, RACY)
        yield bound_text(problem, verdict.certificate)
        dual = Dual((Weighted(8, Fraction(1), (A, C)),), (Clique(8, (A, C)),))
        yield bound_text(problem, Certificate((Part((A, B, C), 16, dual),)))
        for task in tasks(problem):
            yield class_query(problem, class_form(task, clique_levels(task)), 64)
    yield schedule_query(racy().before, list(candidates(racy())))
    yield verdict_text(racy())
    yield races_text(racy())


def test_queries_apply_definitions_and_connectives_only() -> None:
    """Nothing that an assertion says is written in Python: it applies what these files define, and joins it."""
    defined = {found for name in NAMES for found in DEFINITION.findall(definitions(name))}
    used: set[str] = set()
    for text in queries():
        own = text
        for name in NAMES:
            own = own.replace(definitions(name), "")
        own = re.sub(r"\|[^|]*\||;.*", "", own)
        assert not re.search(r"\(define-fun \S+ \(\(", own), "a function is defined in Python"
        bodies = re.findall(r"^\((?:assert|define-fun \S+ \(\) \w+) (.*)\)$", own, re.MULTILINE)
        heads = {head for body in bodies for head in re.findall(r"\(([^\s()]+)", body)}
        assert heads <= defined | {"and", "or", "not", "=>", "+", "-", "=", "!"}, heads - defined
        used |= heads
        assert all(re.fullmatch(r"- \d+", minus) for minus in re.findall(r"\((- [^()]*)", own)), "a literal, no sum"
        assert all(re.fullmatch(r"= slot_\d+ \d+", equal) for equal in re.findall(r"\((= [^()]*)", own))
    # used by other definitions, or for events and run-time sizes, which these queries do not have
    unused = defined - used
    assert unused == {"opens", "apart_from_device", "apart_from_all", "event_awaited", "one_holds_both"}


@pytest.mark.parametrize(
    ("file", "definition", "other"),
    [
        ("sharing", "(=> together (or a_then_b b_then_a))", "true"),
        ("sharing", "(=> inside (<= size room))", "false"),
        ("order", "(< finished host)", "false"),
        ("order", "(< finished_a started_b)", "false"),
        ("slots_bound", "(=> apart (<= members slots))", "true"),
    ],
)
def test_these_very_files_are_asked(
    file: str, definition: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Change a definition in a copy of the directory: the answers of the package change with it."""

    def answers() -> list[Status]:
        return [Z3().solve(text).status for text in queries()]

    before = answers()
    inside = tmp_path / "smtalloc" / "_encodings"
    shutil.copytree(encodings_dir(), inside)
    path = inside / f"{file}.smt2"
    assert path.read_text().count(definition) == 1
    path.write_text(path.read_text().replace(definition, other))
    monkeypatch.setattr("smtalloc.encode.__file__", str(tmp_path / "smtalloc" / "encode.py"))
    monkeypatch.setattr("smtalloc.guarantee.Guarantee.ask", lambda *_: None)  # it would refuse the planner's plans
    try:
        encodings_dir.cache_clear()
        encode.definitions.cache_clear()
        assert answers() != before
    finally:
        encodings_dir.cache_clear()
        encode.definitions.cache_clear()
