"""z3 as a solver of text: limits end it wherever it is, also while it reads."""

from __future__ import annotations

import time

import pytest

from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3


def large(terms: int) -> str:
    """A text that takes z3 a while to read."""
    lines = ["(set-logic QF_LIA)"]
    lines += [f"(declare-const x{i} Int)" for i in range(terms)]
    sums = " ".join(f"(* {i % 7 + 1} x{i})" for i in range(terms))
    lines += [f"(assert (<= (+ {sums}) {bound}))" for bound in range(200)]
    return "\n".join([*lines, "(check-sat)"])


@pytest.mark.parametrize("limit", [0.001, 0.02, 0.1, 0.3])
def test_a_limit_that_strikes_while_reading_is_no_error(limit: float) -> None:
    started = time.monotonic()
    answer = Z3().solve(large(2_000), time_limit_s=limit)
    assert answer.status in (Status.UNKNOWN, Status.SAT)
    assert time.monotonic() - started < 30


def test_malformed_text_is_an_error() -> None:
    with pytest.raises(ValueError, match="cannot read"):
        Z3().solve("(assert (= x 1))\n(check-sat)")


def test_an_interrupt_that_z3_answers_with_somebody_elses_error_is_no_error() -> None:
    """Seen in bench/ablation.py: the error of the thread that reads comes back from the interrupt as well."""
    import z3

    from smtalloc.solvers.z3 import Z3

    class Context:
        def interrupt(self) -> None:
            raise z3.Z3Exception("canceled")

    solver = Z3()
    solver._context = Context()
    solver.cancel()
