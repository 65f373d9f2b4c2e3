"""CaDiCaL (through python-sat, extra `proofs`) for propositional clauses: a model, or a refutation as DRUP.

It runs in a process of its own, because python-sat holds Python's lock while it works and cannot be stopped. Nothing it
says is believed: models are plans that are checked, refutations go into certificates (check_refutation.py).
"""

from __future__ import annotations

import json
import os
import select
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


@dataclass(frozen=True, slots=True)
class Core:
    """Which clauses contradict each other, by number from 0 in the order in which they were added, and the proof."""

    clauses: tuple[int, ...]
    drup: tuple[str, ...]


class Session:
    """A solver that keeps its clauses from one question to the next. Every answer is None at the deadline, or once
    `cancelled`; nothing is to be asked after that."""

    def __init__(self, *, deadline: float, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._deadline, self._cancelled = deadline, cancelled
        self._process = subprocess.Popen(
            [sys.executable, "-m", "smtalloc.solvers.cadical", _SESSION],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us; we end it
        )

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def solve(self, more: Iterable[Clause]) -> Model | bool | None:
        """A model of all clauses so far and these; False if there is none."""
        answer = self._ask("\n".join([*(" ".join(map(str, clause)) for clause in more), "solve", ""]))
        return False if answer == "unsat" else None if answer is None else Model(frozenset(map(int, answer.split())))

    def core(self) -> Core | None:
        """Once there is no model: clauses that have none, few of them, and the lines of a DRUP proof."""
        answer = self._ask("core\n")
        if answer is None:
            return None
        found = json.loads(answer)
        return Core(tuple(found["clauses"]), tuple(found["drup"]))

    def _ask(self, text: str) -> str | None:
        write, read = self._process.stdin, self._process.stdout
        assert write is not None
        assert read is not None
        try:
            write.write(text.encode())
            write.flush()
        except OSError:  # it has ended
            return None
        found = b""
        while not found.endswith(b"\n"):
            if time.monotonic() >= self._deadline or self._cancelled():
                return None
            if select.select([read], [], [], _POLL_S)[0]:
                more = os.read(read.fileno(), 1 << 16)
                if not more:
                    return None
                found += more
        return found.decode().strip()


_SESSION = "session"
_TRIMS = 4
"""How often a core is looked for in the core before."""


def _session() -> None:
    """The other process: clauses and commands on standard input, an answer of one line for each command."""
    make = _solver()
    clauses: list[list[int]] = []
    with make(name="cadical195") as solver:
        for line in sys.stdin:
            if line == "solve\n":
                answer = " ".join(str(v) for v in solver.get_model() if v > 0) if solver.solve() else "unsat"
            elif line == "core\n":
                answer = json.dumps(_core(make, clauses))
            else:
                clauses.append([int(word) for word in line.split()])
                solver.add_clause(clauses[-1])
                continue
            print(answer, flush=True)


def _core(make: Any, clauses: list[list[int]]) -> dict[str, object]:
    """Each clause with a switch of its own; those in whose switches the contradiction lies, again and again."""
    first = max((abs(literal) for clause in clauses for literal in clause), default=0) + 1
    chosen = list(range(len(clauses)))
    for _ in range(_TRIMS):
        switched = [[*clauses[n], -(first + n)] for n in chosen]
        with make(name="cadical195", bootstrap_with=switched) as solver:
            solver.solve(assumptions=[first + n for n in chosen])
            before, chosen = len(chosen), sorted(literal - first for literal in solver.get_core() or ())
        if len(chosen) > 0.9 * before:
            break
    with make(name="cadical195", bootstrap_with=[clauses[n] for n in chosen], with_proof=True) as solver:
        solver.solve()
        return {"clauses": chosen, "drup": _drup(solver)}


def _drup(solver: Any) -> list[str]:
    """Lines of its proof, without the 0 that ends each."""
    return [line.removesuffix("0").rstrip() for line in solver.get_proof()]


def _solver() -> Any:
    from importlib import import_module  # noqa: PLC0415

    return import_module("pysat.solvers").Solver  # no stubs


def _main() -> None:
    """The other process: clauses on standard input, one a line behind the header; the answer on standard output."""
    make = _solver()
    _, *lines = sys.stdin.read().splitlines()
    with make(name="cadical195", with_proof=True) as solver:
        for line in lines:
            solver.add_clause([int(word) for word in line.split()])
        if solver.solve():
            print("sat", " ".join(str(v) for v in solver.get_model() if v > 0), sep="\n")
        else:
            print("unsat", *_drup(solver), sep="\n")


if __name__ == "__main__":
    _session() if sys.argv[1:] == [_SESSION] else _main()
