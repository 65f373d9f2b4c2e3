"""The schedule search as an SMT query: axioms and clashes are instances of the definitions in encodings/order.smt2."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from smtalloc.clashes import END, START, Clash, candidates, same_accesses
from smtalloc.encode import definitions
from smtalloc.encode_schedule import finished, reached, schedule_axioms, started
from smtalloc.placement import Correspondence
from smtalloc.program import Program
from smtalloc.solvers.base import SmtSolver, Status
from smtalloc.validate import Findings, findings


def schedule_query(program: Program, clashes: Iterable[Clash]) -> str:
    """Standard SMT-LIB 2.6. `sat`: in some schedule one of the clashes happens, `clash_i` says which. `unsat`: in none.

    Clashes that happen in every schedule (a read in another place than the write) are `true`.
    """
    lines = ["(set-logic QF_LIA)", definitions("order"), *schedule_axioms(program)]
    names: list[str] = []
    for number, clash in enumerate(clashes):
        names.append(f"clash_{number}")
        lines.append(f"(declare-const clash_{number} Bool)  ; {_told(program, clash)}")
        lines.append(f"(assert (=> clash_{number} (and true {' '.join(between(program, clash))})))")
    lines.append(f"(assert (or false {' '.join(names)}))")
    lines.append("(check-sat)")
    return "\n".join(lines) + "\n"


def between(program: Program, clash: Clash) -> list[str]:
    """The clobber begins when the source is over, and is over when the reader begins."""
    pairs = [(clash.source, clash.clobber), (clash.clobber, clash.reader)]
    return [
        f"(over_before {finished(program, a)} {started(program, b)})"
        for a, b in pairs
        if a not in (b, START) and b != END
    ]


def _told(program: Program, clash: Clash) -> str:
    names = program.buffers
    text = f"{names[clash.written.buffer].name} over {names[clash.read.buffer].name}"
    return text.replace("\n", " ").encode("ascii", "replace").decode()


def smt_findings(found: Correspondence, solver: SmtSolver, time_limit_s: float = 60.0) -> Findings:
    """`validate.findings` with the solver deciding which clashes are possible, on all candidates.

    One query answers for a function that is safe; else each model shows at least one clash, until none is left.
    Raises TimeoutError if the solver gives up.
    """
    base = findings(found)
    left = list(candidates(found)) if same_accesses(found) else []
    possible: list[Clash] = []
    while left:
        answer = solver.solve(schedule_query(found.before, left), time_limit_s=time_limit_s)
        if answer.status is Status.UNKNOWN:
            raise TimeoutError(f"{solver.name}: {answer.reason or 'no answer'}")
        if answer.status is Status.UNSAT:
            break
        shown = {n for n in range(len(left)) if answer.values.get(f"clash_{n}") is True}
        possible += [left[n] for n in sorted(shown)]
        left = [clash for n, clash in enumerate(left) if n not in shown]
    return replace(base, clashes=tuple(possible))


def find_schedule(program: Program, clash: Clash, solver: SmtSolver, time_limit_s: float = 60.0) -> list[int] | None:
    """A schedule with the clash, by the solver; None if it proves that there is none.

    Raises TimeoutError if the solver gives up.
    """
    answer = solver.solve(schedule_query(program, [clash]), time_limit_s=time_limit_s)
    if answer.status is Status.UNSAT:
        return None
    if answer.status is Status.UNKNOWN:
        raise TimeoutError(f"{solver.name}: {answer.reason or 'no answer'}")

    def time_of(event: str) -> int:
        return int(answer.values.get(event, 0))

    # Ties are between events that nothing orders: what begins earlier, then what the host reaches earlier.
    return sorted(
        range(len(program.actions)),
        key=lambda i: (time_of(started(program, i)), time_of(reached(program, i)), i),
    )
