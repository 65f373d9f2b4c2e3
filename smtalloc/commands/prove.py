"""`smtalloc prove`: run every lemma of the model."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from smtalloc.commands.common import Exit, worst, write_output
from smtalloc.formats import VERSION, dump_json
from smtalloc.program import InputError
from smtalloc.prove import Lemma, Outcome, lemmas, prove, schedule
from smtalloc.solvers.base import SmtSolver, Status
from smtalloc.solvers.cvc5 import Cvc5
from smtalloc.solvers.z3 import Z3


def run(names: Sequence[str], *, time_limit_s: float, as_json: bool) -> Exit:
    """Prove the lemmas of these names, or all. 0: all as expected, 1: one is not, 3: a solver gave up."""
    chosen = _chosen(names)
    solvers: list[SmtSolver] = [Z3()]
    if Cvc5.installed():
        solvers.append(Cvc5())
    documents: list[dict[str, object]] = []
    statuses: list[Exit] = []
    width = max(len(lemma.name) for lemma in chosen)
    for lemma in chosen:
        outcomes = [prove(lemma, solver, time_limit_s=time_limit_s) for solver in solvers]
        statuses.append(verdict(lemma, outcomes))
        if as_json:
            documents.append(_json(lemma, outcomes))
        else:
            write_output(_text(lemma, outcomes, width), None)
            sys.stdout.flush()
    if as_json:
        write_output(dump_json({"version": VERSION, "lemmas": documents}) + "\n", None)
    return worst(statuses)


def _chosen(names: Sequence[str]) -> list[Lemma]:
    known = lemmas()
    for name in names:
        if all(name != lemma.name for lemma in known):
            raise InputError(f"no lemma {name}; there are: {', '.join(lemma.name for lemma in known)}")
    return [lemma for lemma in known if not names or lemma.name in names]


def verdict(lemma: Lemma, outcomes: Sequence[Outcome]) -> Exit:
    """The worst of what the solvers say."""
    statuses: list[Exit] = []
    for outcome in outcomes:
        if outcome.answer.status is lemma.expected:
            statuses.append(Exit.OK)
        else:
            statuses.append(Exit.UNKNOWN if outcome.answer.status is Status.UNKNOWN else Exit.BAD)
    return worst(statuses)


def _schedule(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The countermodel of the first solver that has one."""
    return next((found for outcome in outcomes if (found := schedule(outcome.answer.values))), ())


def _json(lemma: Lemma, outcomes: Sequence[Outcome]) -> dict[str, object]:
    found: dict[str, object] = {
        "name": lemma.name,
        "says": lemma.says,
        "verdict": {Exit.OK: "as expected", Exit.BAD: "refuted"}.get(verdict(lemma, outcomes), "unknown"),
        "expected": str(lemma.expected),
        "answers": [
            {
                "solver": outcome.solver,
                "status": str(outcome.answer.status),
                "reason": outcome.answer.reason,
                "seconds": round(outcome.seconds, 3),
            }
            for outcome in outcomes
        ],
    }
    if events := _schedule(outcomes):
        found["schedule"] = list(events)
    return found


def _text(lemma: Lemma, outcomes: Sequence[Outcome], width: int) -> str:
    """One line, and for a countermodel its schedule on a second."""
    answers = "  ".join(f"{o.solver.split()[0]} {o.answer.status!s:<7} {o.seconds:5.2f} s" for o in outcomes)
    mark = {Exit.OK: "ok", Exit.BAD: "WRONG"}.get(verdict(lemma, outcomes), "unknown")
    text = f"{lemma.name:<{width}}  {mark:<7}  expected {lemma.expected!s:<5}  {answers}  {lemma.says}\n"
    if events := _schedule(outcomes):
        text += f"{'':{width}}  schedule: {', '.join(events)}\n"
    return text
