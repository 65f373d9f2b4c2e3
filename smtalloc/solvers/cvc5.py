"""cvc5 as a solver of SMT-LIB text. The only importer of cvc5, which the extra `proofs` installs.

Each question runs in a process of its own (this module, run as a script): cvc5 keeps the interpreter's lock while it
works, so that in one process nobody could keep time, see Ctrl-C or cancel.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from smtalloc.solvers.base import Answer, Status

_SKIPPED = frozenset({"check-sat", "get-model", "set-info", "exit"})
"""`check-sat` is asked once, at the end; `set-info :status` would make another answer an error."""


class Cvc5:
    """Implements `SmtSolver` (base.py)."""

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed
        self._process: subprocess.Popen[str] | None = None

    @staticmethod
    def installed() -> bool:
        return find_spec("cvc5") is not None

    @property
    def name(self) -> str:
        return f"cvc5 {version('cvc5')}"

    def solve(self, text: str, *, time_limit_s: float | None = None) -> Answer:
        with subprocess.Popen(
            [sys.executable, "-m", __name__, str(self._seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ) as process:
            self._process = process
            try:
                out, err = process.communicate(text, timeout=time_limit_s)
            except subprocess.TimeoutExpired:
                return Answer(Status.UNKNOWN, reason="timeout")
            finally:
                self._process = None
                process.kill()
        if process.returncode < 0:
            return Answer(Status.UNKNOWN, reason="canceled")
        if process.returncode:
            raise RuntimeError(f"cvc5 failed: {err.strip().splitlines()[-1:]}")
        return _read(out)

    def cancel(self) -> None:
        process = self._process
        if process is not None:
            process.kill()


def _read(out: str) -> Answer:
    """What `_main` wrote."""
    found: dict[str, Any] = json.loads(out)
    if found["error"]:
        raise ValueError(f"cvc5 cannot read the text: {found['error']}")
    return Answer(Status(found["status"]), found["values"], found["reason"], tuple(found["core"]))


# --- in the process of its own -----------------------------------------------------------------------------


def _main() -> None:
    """The question on standard input, the answer on standard output, as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the asker's, who then kills this process
    status, values, reason, error = Status.UNKNOWN, dict[str, "int | bool"](), "", ""
    core: tuple[str, ...] = ()
    try:
        answer = _ask(sys.stdin.read(), sys.argv[1])
        status, values, reason, core = answer.status, dict(answer.values), answer.reason, answer.core
    except RuntimeError as wrong:  # what all of cvc5's own errors are
        error = " ".join(str(wrong).split())
    json.dump({"status": status, "values": values, "reason": reason, "error": error, "core": core}, sys.stdout)


def _ask(text: str, seed: str) -> Answer:
    import cvc5  # noqa: PLC0415  # pyright: ignore  an optional and heavy module, loaded when first used

    module: Any = cvc5  # partly typed only: everything behind this line is Any
    solver = module.Solver(module.TermManager())
    # Model-based instantiation finds models of quantified text too; without it most answers would be "unknown".
    for option, value in (("produce-models", "true"), ("mbqi", "true"), ("seed", seed)):
        solver.setOption(option, value)
    parser = module.InputParser(solver)
    parser.setStringInput(module.InputLanguage.SMT_LIB_2_6, text, "query")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() not in _SKIPPED:
            said = command.invoke(solver, symbols)
            if "(error" in said:
                raise RuntimeError(said)
    result = solver.checkSat()
    if result.isUnsat():
        return Answer(Status.UNSAT, core=_core(solver, symbols.getNamedTerms()))
    if not result.isSat():
        return Answer(Status.UNKNOWN, reason=result.getUnknownExplanation().name.lower())
    return Answer(Status.SAT, _values(solver, symbols.getDeclaredTerms()))


def _core(solver: Any, names: dict[Any, str]) -> tuple[str, ...]:
    """Only where the text asks for cores (`:produce-unsat-cores`), and there every assertion has a name."""
    return tuple(names[term] for term in solver.getUnsatCore() if term in names) if names else ()


def _values(solver: Any, terms: list[Any]) -> dict[str, int | bool]:
    found: dict[str, int | bool] = {}
    for term in terms:
        sort = term.getSort()
        if sort.isInteger():
            found[str(term.getSymbol())] = int(solver.getValue(term).getIntegerValue())
        elif sort.isBoolean():
            found[str(term.getSymbol())] = bool(solver.getValue(term).getBooleanValue())
    return found


if __name__ == "__main__":
    _main()
