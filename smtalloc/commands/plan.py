"""`smtalloc plan`: the minimum-memory plan of each function, checked before it is shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from smtalloc.allocate import plan_slots
from smtalloc.check import Accepted, Rejection, check_verdict
from smtalloc.commands.common import Exit, worst, write_output
from smtalloc.dimensions import Given
from smtalloc.formats import answer, dump_json, plan_to_json
from smtalloc.mlir.session import SourceFile, load
from smtalloc.options import SolveOptions
from smtalloc.order import Conflicts, conflicts
from smtalloc.plan import Feasible, Optimal, Policy, TypeRule
from smtalloc.program import InputError, Location, Program


@dataclass(frozen=True, slots=True)
class Planned:
    """One function's plan and what the checker says of it. `unsafe`: it breaks happens-before (program-order only)."""

    program: Program
    verdict: Optimal | Feasible
    checked: Accepted | Rejection
    seconds: float

    @property
    def unsafe(self) -> str:
        return self.checked.reason if isinstance(self.checked, Rejection) else ""

    @property
    def status(self) -> Exit:
        if self.unsafe:
            return Exit.BAD
        return Exit.OK if isinstance(self.verdict, Optimal) else Exit.UNKNOWN


class CheckFailedError(RuntimeError):
    """A plan of ours that the independent checker refuses: a bug in smtalloc, never shown as a plan."""


Planner = Callable[[Conflicts, SolveOptions], Optimal | Feasible]


def plan_program(
    program: Program,
    policy: Policy,
    types: TypeRule,
    options: SolveOptions,
    given: Given | None = None,
    planner: Planner = plan_slots,
) -> Planned:
    """Plan one function and have the result checked. Raises CheckFailedError."""
    start = perf_counter()
    program = (given or Given()).applied(program)
    verdict = planner(conflicts(program, policy, types), options)
    seconds = perf_counter() - start
    checked = check_verdict(program, verdict, policy=policy, types=types)
    if isinstance(checked, Rejection) and (
        policy is not Policy.PROGRAM_ORDER or any(k != "unsafe" for k in checked.kinds)
    ):
        raise CheckFailedError(f"@{program.name}: {checked.kind}: {checked.reason}")
    return Planned(program, verdict, checked, seconds)


def run(
    files: Sequence[str],
    *,
    profile: str | None,
    policy: Policy,
    types: TypeRule,
    options: SolveOptions,
    emit: str,
    generic: bool,
    output: str | None,
    given: Given | None = None,
    planner: Planner = plan_slots,
) -> Exit:
    """Plan every function of the files; `emit` is text, json, csv or mlir."""
    given = given or Given()
    if emit == "mlir" and len(files) > 1:
        raise InputError("--emit mlir takes one file")
    sources: list[SourceFile] = []
    for path in files:
        source = load(path, profile, given.bounds)
        if not source.programs:
            raise InputError("no function with a body", Location(path))
        sources.append(source)
    given.check(p for source in sources for p in source.programs)
    planned = [(s, [plan_program(p, policy, types, options, given, planner) for p in s.programs]) for s in sources]
    if emit == "mlir":
        source, plans = planned[0]
        unsafe = next((p for p in plans if p.unsafe), None)
        if unsafe is not None:
            raise InputError(f"the plan of @{unsafe.program.name} is not safe and not written: {unsafe.unsafe}")
        source.apply([p.verdict.plan for p in plans], [p.program for p in plans])
        write_output(source.text(generic=generic), output)
    elif emit == "json":
        write_output(dump_json(answer(_json(planned, policy, types))) + "\n", output)
    elif emit == "csv":
        write_output(_csv(planned), output)
    else:
        from smtalloc.show.plans import plans_text  # noqa: PLC0415 - rich is loaded only to show text

        plans_text(planned, policy, types, output)
    return worst([p.status for _, plans in planned for p in plans])


def _json(
    planned: Sequence[tuple[SourceFile, list[Planned]]], policy: Policy, types: TypeRule
) -> Iterator[dict[str, object]]:
    for source, plans in planned:
        for p in plans:
            yield {
                **plan_to_json(p.program, p.verdict, policy, types),
                "file": source.path,
                "profile": source.profile.name,
                "seconds": round(p.seconds, 3),
                "assumptions": list(p.program.assumptions),
                "safety": {"verdict": "unsafe", "reason": p.unsafe} if p.unsafe else {"verdict": "safe"},
            }


def _csv(planned: Sequence[tuple[SourceFile, list[Planned]]]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["file", "function", "buffer", "memory", "offset", "size_bytes"])
    for source, plans in planned:
        for p in plans:
            for slot, members in enumerate(p.verdict.plan.members):
                for b in members:
                    size = p.program.buffers[b].size_bytes
                    name = p.program.buffers[b].name
                    rows.writerow([source.path, p.program.name, name, f"slot{slot}", 0, "" if size is None else size])
    return text.getvalue()
