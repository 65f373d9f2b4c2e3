"""CaDiCaL (through python-sat, extra `proofs`) for propositional clauses: a model, or a refutation as DRUP.

It runs in a process of its own, because python-sat holds Python's lock while it works and cannot be stopped. Nothing it
says is believed: models are plans that are checked, refutations go into certificates (check_refutation.py).
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

Clause = Sequence[int]

_POLL_S = 0.02


def available() -> bool:
    """Is python-sat installed?"""
    return find_spec("pysat") is not None


@dataclass(frozen=True, slots=True)
class Model:
    """The variables that are true."""

    true: frozenset[int]


@dataclass(frozen=True, slots=True)
class Refuted:
    """Lines of a DRUP proof."""

    drup: tuple[str, ...]


def solve(
    variables: int, clauses: Iterable[Clause], *, deadline: float, cancelled: Callable[[], bool] = lambda: False
) -> Model | Refuted | None:
    """A model, a refutation, or None at the deadline (an instant of `time.monotonic`) or once `cancelled`."""
    text = "\n".join([f"p cnf {variables} 0", *(" ".join(map(str, clause)) for clause in clauses), ""])
    process = subprocess.Popen(
        [sys.executable, "-m", "smtalloc.solvers.cadical"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for us; we end it
    )
    answer: list[str] = []

    def talk() -> None:
        try:
            answer.append(process.communicate(text)[0])
        except (OSError, ValueError):  # it was ended while we wrote
            answer.append("")

    talker = threading.Thread(target=talk, daemon=True)
    talker.start()
    try:
        while talker.is_alive() and time.monotonic() < deadline and not cancelled():
            talker.join(_POLL_S)
    finally:
        if process.poll() is None:
            process.kill()
        talker.join(1)
    return _read(answer[0]) if answer and process.returncode == 0 else None


def _read(text: str) -> Model | Refuted | None:
    status, *lines = text.splitlines() or [""]
    if status == "sat":
        return Model(frozenset(int(word) for word in lines[0].split()) if lines else frozenset())
    return Refuted(tuple(lines)) if status == "unsat" else None


def _main() -> None:
    """The other process: clauses on standard input, one a line behind the header; the answer on standard output."""
    from importlib import import_module  # noqa: PLC0415

    make: Any = import_module("pysat.solvers").Solver  # no stubs
    _, *lines = sys.stdin.read().splitlines()
    with make(name="cadical195", with_proof=True) as solver:
        for line in lines:
            solver.add_clause([int(word) for word in line.split()])
        if solver.solve():
            print("sat", " ".join(str(v) for v in solver.get_model() if v > 0), sep="\n")
        else:
            print("unsat", *(line.removesuffix(" 0") for line in solver.get_proof()), sep="\n")


if __name__ == "__main__":
    _main()
