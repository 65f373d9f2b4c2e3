"""`smtalloc plan --model arena`, and plans of .csv and .json problems: offsets in pools, checked before they are
shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_json import tails_to_json, verdict_to_json
from smtalloc.arena_program import ProgramArena, plan_program_arena
from smtalloc.check_arena import ArenaRejection, check_arena_verdict
from smtalloc.check_program import check_program_arena
from smtalloc.commands.arena_input import is_problem, read_problem
from smtalloc.commands.common import Exit, worst, write_output
from smtalloc.dimensions import Given, with_proven_facts
from smtalloc.formats import answer, dump_json, plan_to_json
from smtalloc.minimalloc import write_csv
from smtalloc.order import conflicts
from smtalloc.packing import ArenaProblem
from smtalloc.plan import FeasibleArena, InfeasibleArena, Optimal, OptimalArena, Policy, TypeRule, Unknown
from smtalloc.program import InputError, Location, Program

if TYPE_CHECKING:
    from smtalloc.mlir.session import SourceFile


@dataclass(frozen=True, slots=True)
class ArenaPlanned:
    """One answer, checked. `program` and its file are None for .csv and .json problems."""

    found: ProgramArena
    seconds: float
    path: str
    program: Program | None = None
    unsafe: str = ""
    """It breaks happens-before (program-order only)."""

    @property
    def problem(self) -> ArenaProblem:
        return self.found.problem

    @property
    def status(self) -> Exit:
        if self.unsafe or isinstance(self.found.verdict, InfeasibleArena):
            return Exit.BAD
        closed = isinstance(self.found.verdict, OptimalArena)
        return (
            Exit.OK if closed and (self.found.slots is None or isinstance(self.found.slots, Optimal)) else Exit.UNKNOWN
        )


class ArenaCheckFailedError(RuntimeError):
    """A plan of ours that the independent checker refuses: a bug in smtalloc, never shown as a plan."""


def plan_problem(problem: ArenaProblem, options: ArenaOptions, path: str) -> ArenaPlanned:
    """Plan a problem and have the result checked. Raises ArenaCheckFailedError."""
    start = perf_counter()
    verdict = plan_arena(problem, options)
    seconds = perf_counter() - start
    checked = check_arena_verdict(problem, verdict)
    if isinstance(checked, ArenaRejection):
        raise ArenaCheckFailedError(f"{problem.name}: {checked.kind}: {checked.reason}")
    everything = tuple(range(len(problem.blocks)))
    return ArenaPlanned(ProgramArena(problem, everything, verdict, None), seconds, path)


def plan_function(
    program: Program,
    policy: Policy,
    types: TypeRule,
    options: ArenaOptions,
    capacities: Mapping[str, int],
    path: str,
    *,
    get_pool: bool = False,
) -> ArenaPlanned:
    """Plan a function and have the result checked. Raises ArenaCheckFailedError."""
    start = perf_counter()
    program = with_proven_facts(program)
    found = plan_program_arena(conflicts(program, policy, types), options, capacities, get_pool=get_pool)
    seconds = perf_counter() - start
    checked = check_program_arena(
        program,
        found.verdict,
        found.slots,
        found.stacked.tails,
        policy=policy,
        types=types,
        capacities=tuple(capacities.items()),
        get_pool=get_pool,
    )
    rejection = checked.rejection
    unsafe = ""
    if rejection is not None:
        if policy is not Policy.PROGRAM_ORDER or any(kind != "unsafe" for kind in rejection.kinds):
            raise ArenaCheckFailedError(f"@{program.name}: {rejection.kind}: {rejection.reason}")
        unsafe = rejection.reason
    return ArenaPlanned(found, seconds, path, program, unsafe)


def run(
    files: Sequence[str],
    *,
    profile: str | None,
    policy: Policy,
    types: TypeRule,
    options: ArenaOptions,
    capacities: Mapping[str, int],
    emit: str,
    generic: bool,
    get_pool: bool,
    output: str | None,
    given: Given | None = None,
) -> Exit:
    """Plan every problem and function of the files; `emit` is text, json, csv or mlir. Of `given` only the bounds on
    dimensions are of use: what is known at run time only is counted in slots."""
    given = given or Given()
    if emit == "mlir" and (len(files) > 1 or is_problem(files[0])):
        raise InputError("--emit mlir takes one MLIR file")
    planned: list[ArenaPlanned] = []
    sources: dict[str, SourceFile] = {}
    for path in files:
        if is_problem(path):
            planned.append(plan_problem(read_problem(path, capacities), options, path))
            continue
        from smtalloc.mlir.session import load  # noqa: PLC0415  only where a module is read

        source = sources[path] = load(path, profile, given.bounds)
        if not source.programs:
            raise InputError("no function with a body", Location(path))
        planned += [
            plan_function(p, policy, types, options, capacities, path, get_pool=get_pool) for p in source.programs
        ]
    given.check(p.program for p in planned if p.program is not None)
    strange = set(capacities) - {pool for p in planned for pool in p.problem.pools}
    if strange:
        raise InputError(f"--capacity: there is no pool {min(strange)!r}", Location(files[0]))
    if emit == "mlir":
        write_output(_mlir(sources[files[0]], planned, generic=generic, get_pool=get_pool), output)
    elif emit == "json":
        entries = [
            {**_json(p, sources.get(p.path), policy, types, capacities), **({"get_pool": True} if get_pool else {})}
            for p in planned
        ]
        write_output(dump_json(answer(entries)) + "\n", output)
    elif emit == "csv":
        write_output(_csv(planned), output)
    else:
        from smtalloc.show.arenas import arenas_text  # noqa: PLC0415 - rich is loaded only to show text

        arenas_text(planned, sources, policy, types, output)
    return worst([p.status for p in planned])


def _mlir(source: SourceFile, planned: Sequence[ArenaPlanned], *, generic: bool, get_pool: bool) -> str:
    for p in planned:
        verdict = p.found.verdict
        if p.unsafe:
            raise InputError(f"the plan of @{p.problem.name} is not safe and not written: {p.unsafe}")
        if isinstance(verdict, (InfeasibleArena, Unknown)):
            raise InputError(f"there is no plan of @{p.problem.name} to write")
    programs = [p.program for p in planned if p.program is not None]
    source.apply_arenas([p.found for p in planned], programs, get_pool=get_pool)
    return source.text(generic=generic)


def _json(
    planned: ArenaPlanned,
    source: SourceFile | None,
    policy: Policy,
    types: TypeRule,
    capacities: Mapping[str, int],
) -> dict[str, object]:
    found = {
        **verdict_to_json(planned.problem, planned.found.verdict),
        "file": planned.path,
        "seconds": round(planned.seconds, 3),
    }
    if capacities:
        found["capacities"] = dict(capacities)
    program, slots = planned.program, planned.found.slots
    if program is None or source is None:
        return found
    if slots is not None:
        run_time = plan_to_json(program, slots, policy, types)
        found["run_time_slots"] = run_time
        found["run_time_pools"] = tails_to_json(planned.found.stacked.tails)
        found["run_time_apart"] = {f"slot{slot}": reason for slot, reason in planned.found.stacked.apart}
        for key in ("dynamic_slots", "dynamic_slots_lower_bound"):
            found[key] = run_time[key]
    return {
        **found,
        "policy": str(policy),
        "types": str(types),
        "profile": source.profile.name,
        "assumptions": list(program.assumptions),
        "safety": {"verdict": "unsafe", "reason": planned.unsafe} if planned.unsafe else {"verdict": "safe"},
    }


def _csv(planned: Sequence[ArenaPlanned]) -> str:
    """A problem as MiniMalloc's columns with the offsets; functions as a table of buffers."""
    if len(planned) == 1 and planned[0].program is None:
        verdict = planned[0].found.verdict
        if not isinstance(verdict, (OptimalArena, FeasibleArena)):
            raise InputError(f"there is no plan of {planned[0].problem.name} to write (--emit text says why)")
        return write_csv(planned[0].problem, verdict.plan)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["file", "function", "buffer", "memory", "offset", "size_bytes"])
    for p in planned:
        verdict = p.found.verdict
        pools = verdict.plan.pools if isinstance(verdict, (OptimalArena, FeasibleArena)) else ()
        for pool in pools:
            for b, offset in pool.offsets:
                block = p.problem.blocks[b]
                rows.writerow([p.path, p.problem.name, block.name, pool.name, offset, block.size_bytes])
        slots = p.found.slots.plan.members if p.found.slots is not None else ()
        places = {s: (tail.pool, str(at)) for tail in p.found.stacked.tails for s, at in tail.offsets}
        for slot, members in enumerate(slots):
            memory, at = places.get(slot, (f"slot{slot}", "0"))
            for b in members:
                name = p.program.buffers[b].name if p.program is not None else ""
                rows.writerow([p.path, p.problem.name, name, memory, at, ""])
    return text.getvalue()
