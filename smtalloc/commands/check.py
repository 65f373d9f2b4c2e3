"""`smtalloc check`: the independent checker on a written plan."""

from __future__ import annotations

from collections import Counter

from smtalloc.check import Accepted, Rejection
from smtalloc.commands import check_arena
from smtalloc.commands.arena_input import is_problem
from smtalloc.commands.common import Exit, worst, write_output
from smtalloc.formats import LoadedPlan, answer, dump_json, function_names, given_from_json, load_json, plan_from_json
from smtalloc.program import InputError, Location, Program


def run(plan_path: str, program_path: str, *, profile: str | None, as_json: bool) -> Exit:
    """Judge each plan of the file against the function of its name. 0: all accepted, 1: one rejected."""
    if plan_path == "-" and program_path == "-":
        raise InputError("only one of the two can be standard input")
    data = load_json(plan_path)
    if check_arena.is_arena(data) or is_problem(program_path):
        return check_arena.run(data, plan_path, program_path, profile=profile, as_json=as_json)
    from smtalloc.mlir.session import load  # noqa: PLC0415  only where a module is read

    by_name: dict[str, list[Program]] = {}
    source = load(program_path, profile)
    check_arena.require_profile(data, plan_path, source, profile)
    for program in source.programs:
        by_name.setdefault(program.name, []).append(program)
    results: list[tuple[LoadedPlan, Accepted | Rejection]] = []
    assumed: dict[int, str] = {}
    seen: Counter[str] = Counter()
    for name in function_names(data, plan_path):
        programs = by_name.get(name, [])
        if seen[name] >= len(programs):
            raise InputError(f"no function @{name}", Location(program_path))
        given = given_from_json(data, plan_path, name, seen[name])
        program = programs[seen[name]]
        if given.bounds:
            at = source.programs.index(program)
            program = load(program_path, profile or source.profile.name, given.bounds).programs[at]
        program = given.applied(program)
        plan = plan_from_json(data, program, plan_path, seen[name])
        results.append((plan, plan.check(program)))
        assumed[len(results) - 1] = ", ".join(f"%{name} in {r.lo}..{r.hi}" for name, r in given.bounds.items())
        seen[name] += 1
    missing = [name for name, programs in by_name.items() if seen[name] < len(programs)]
    if missing:
        raise InputError(f"has no plan for function @{missing[0]}", Location(plan_path))
    text = (
        dump_json(answer(_json(*r) for r in results)) + "\n"
        if as_json
        else "".join(_text(*r, source.profile.name, assumed[n]) for n, r in enumerate(results))
    )
    write_output(text, None)
    return worst([Exit.OK if isinstance(r, Accepted) else Exit.BAD for _, r in results])


def _json(plan: LoadedPlan, result: Accepted | Rejection) -> dict[str, object]:
    if isinstance(result, Rejection):
        return {"name": plan.name, "verdict": "unsafe", "kind": result.kind, "reason": result.reason}
    return {
        "name": plan.name,
        "verdict": "optimal" if result.optimal else "feasible",
        "cost_bytes": result.cost_bytes,
        "lower_bound_bytes": result.lower_bound_bytes,
        "dynamic_slots": result.dynamic_slots,
        "dynamic_slots_lower_bound": result.dynamic_slots_lower_bound,
    }


def _text(plan: LoadedPlan, result: Accepted | Rejection, profile: str, assumed: str) -> str:
    if isinstance(result, Rejection):
        return f"@{plan.name}: REJECTED ({result.kind}): {result.reason}\n"
    dynamic = f" and {result.dynamic_slots} slots of run-time size" if result.dynamic_slots else ""
    proof = "a minimum, by its certificate" if result.optimal else f"at least {result.lower_bound_bytes:,} are needed"
    rules = f"profile {profile}, policy {plan.policy}, types {plan.types}" + (f", assumed {assumed}" if assumed else "")
    return f"@{plan.name}: accepted: {result.cost_bytes:,} bytes{dynamic}, {proof} ({rules})\n"
