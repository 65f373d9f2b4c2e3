"""The README's commands print what the README says."""

from __future__ import annotations

import re
import shlex

import pytest
from support import ROOT, SHARED, needs_shared, smtalloc

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```\n\$ smtalloc ([^\n]*)\n(.*?)```", README, re.DOTALL)


def normal(line: str) -> str:
    """Without the time it took."""
    return re.sub(r"in [\d.]+ s$", "in T s", line.rstrip())


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[command.split()[0] for command, _ in BLOCKS])
def test_shown_output_is_real(command: str, shown: str) -> None:
    printed = [normal(line) for line in smtalloc(*shlex.split(command)).out.splitlines()]
    at = 0
    skip = False
    for line in shown.splitlines():
        if line.strip() == "...":
            skip = True
            continue
        wanted = normal(line)
        if skip:
            assert wanted in printed[at:], line
            at = printed.index(wanted, at)
            skip = False
        assert printed[at] == wanted
        at += 1


@needs_shared
def test_the_table_is_what_compare_prints() -> None:
    """The quick files of it; the last column is time."""
    files = [
        SHARED / "real" / f"{name}.mlir" for name in ("filetype", "squeezenet", "squeezenet.optimize", "transformer2")
    ]
    rows = [cells(line) for line in smtalloc("compare", *files).out.splitlines() if line.startswith("|")]
    shown = [cells(line) for line in README.splitlines() if line.startswith("|")]
    assert len(rows) == len(files) + 2
    for row in [rows[0], *rows[2:]]:
        assert row[:-1] in [line[:-1] for line in shown], row


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_there_is_something_to_check() -> None:
    assert {command.split()[0] for command, _ in BLOCKS} >= {"verify", "plan"}


def test_links_lead_somewhere() -> None:
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "encodings" / "README.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
