"""encodings/ is data: never a package, found where it should be, standard SMT-LIB that solvers read."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from smtalloc.encode import POLICY_RULES, definitions, encodings_dir
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3

NAMES = ("order", "sharing", "slots_class", "slots_pairwise")
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
