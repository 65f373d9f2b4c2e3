"""z3 as a solver of SMT-LIB text. The only importer of z3.

Text beats z3's Python objects by a factor of five or more: the parser is in C++. Each question has a context of its own
and runs in a thread of its own, because z3 does not return to Python while it works: the main thread stays free to keep
time and to see Ctrl-C, and interrupts the context.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from smtalloc.solvers.base import Answer, Status

_POLL_S = 0.02
_MOST_REUSED = 1_000_000
"""Characters of a question after which the context is let go, with its memory."""
_idle: list[Any] = []
_LIMITS = frozenset({"timeout", "canceled", "interrupted", "interrupted from keyboard", "max. memory exceeded"})

# Where only Booleans are declared, sums of 0/1 choices become cardinality constraints for the SAT core: class-form
# queries of 200 to 500 buffers take 0.1-3 s so, where the default solver gives up after 15 s.
_COUNTING = ("simplify", "propagate-values", "lia2card", "sat")
_NOT_BOOLEAN = re.compile(r"\((?:declare-const\s+\S+|declare-fun\s+\S+\s*\([^)]*\))\s+(?!Bool\))")


def _module() -> Any:
    import z3  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]  a heavy module, loaded when first used

    return z3  # no stubs: everything behind this line is Any


class Z3:
    """Implements `SmtSolver` (base.py)."""

    def __init__(self, *, seed: int = 0, reuse: bool = False) -> None:
        """`reuse`: take a context that an earlier question left, if there is one: 6 ms less. What a model looks like
        may then depend on the earlier questions."""
        self._seed = seed
        self._reuse = reuse
        self._context: Any = None

    @property
    def name(self) -> str:
        return f"z3 {_module().get_version_string()}"

    def solve(
        self, text: str, *, time_limit_s: float | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> Answer:
        """See `SmtSolver`; `cancelled` is asked now and then whether the answer is still wanted."""
        module = _module()
        context: Any = _idle.pop() if self._reuse and _idle else module.Context()
        self._context = context
        result: list[Answer | BaseException] = []

        def work() -> None:
            try:
                result.append(self._ask(context, text, time_limit_s))
            except BaseException as error:
                result.append(error)

        end = None if time_limit_s is None else time.monotonic() + time_limit_s
        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        try:
            pause = 0.001
            while worker.is_alive():
                worker.join(pause)
                pause = min(2 * pause, _POLL_S)
                if (end is not None and time.monotonic() > end) or cancelled():
                    _interrupt(context)
        except KeyboardInterrupt:
            while worker.is_alive():  # an interrupt that strikes between two steps of z3 is lost
                _interrupt(context)
                worker.join(_POLL_S)
            raise
        finally:
            self._context = None
        if isinstance(result[0], BaseException):
            raise result[0]
        if self._reuse and result[0].status is not Status.UNKNOWN and len(text) < _MOST_REUSED:
            _idle.append(context)
        return result[0]

    def cancel(self) -> None:
        context = self._context
        if context is not None:
            _interrupt(context)

    def _ask(self, context: Any, text: str, time_limit_s: float | None) -> Answer:
        z3 = _module()
        end = None if time_limit_s is None else time.monotonic() + time_limit_s
        if _NOT_BOOLEAN.search(text) is None and ":named" not in text:  # tactics give no unsat cores
            tactics = (z3.Tactic(name, ctx=context) for name in _COUNTING)
            answer = self._check(z3.Then(*tactics).solver(), text, end)
            # The SAT core refuses what it does not know, such as coefficients beyond 32 bits.
            if answer.status is not Status.UNKNOWN or answer.reason in _LIMITS:
                return answer
        return self._check(z3.Solver(ctx=context), text, end)

    def _check(self, solver: Any, text: str, end: float | None) -> Answer:
        z3 = _module()
        solver.set("ctrl_c", False)
        solver.set("random_seed", self._seed)
        try:
            solver.from_string(text)
            if end is not None:
                solver.set("timeout", max(1, int((end - time.monotonic()) * 1000)))
            status = solver.check()
        except z3.Z3Exception as error:
            if "cancel" in str(error):  # the interrupt struck while z3 was reading
                return Answer(Status.UNKNOWN, reason="canceled")
            raise ValueError(f"z3 cannot read the text: {error}") from error
        if status == z3.unsat:
            return Answer(Status.UNSAT, core=tuple(str(name) for name in solver.unsat_core()))
        if status != z3.sat:
            return Answer(Status.UNKNOWN, reason=str(solver.reason_unknown()))
        return Answer(Status.SAT, _values(z3, solver.model()))


def _interrupt(context: Any) -> None:
    """Stop what z3 does in a context. While it reads, the call may raise the error that the reader is about to report:
    that is the reader's to raise."""
    with suppress(_module().Z3Exception):
        context.interrupt()


def _values(z3: Any, model: Any) -> dict[str, int | bool]:
    found: dict[str, int | bool] = {}
    for declaration in model.decls():
        if declaration.arity():
            continue
        value = model[declaration]
        if z3.is_int_value(value) or z3.is_bv_value(value):
            found[str(declaration.name())] = int(value.as_long())
        elif z3.is_true(value) or z3.is_false(value):
            found[str(declaration.name())] = bool(z3.is_true(value))
    return found
