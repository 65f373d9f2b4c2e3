"""`smtalloc check` on arena plans: of .csv and .json problems, and of functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from smtalloc.arena_json import LoadedArena, arena_from_json, capacities_from_json, tails_from_json
from smtalloc.check import Rejection
from smtalloc.check_arena import (
    ArenaAccepted,
    ArenaRejection,
    NoPlanAccepted,
    check_arena_verdict,
    check_claims,
)
from smtalloc.check_program import check_program_arena, program_problem
from smtalloc.check_rules import Rules
from smtalloc.commands.arena_input import is_problem, read_problem
from smtalloc.commands.common import Exit, worst, write_output
from smtalloc.dimensions import with_proven_facts
from smtalloc.formats import Node, answer, dump_json, given_from_json, plan_from_json
from smtalloc.plan import Feasible, Optimal, Policy, TypeRule
from smtalloc.program import InputError, Location, Program

if TYPE_CHECKING:
    from smtalloc.mlir.session import SourceFile

Judged = ArenaAccepted | NoPlanAccepted | ArenaRejection | Rejection


def is_arena(data: object) -> bool:
    """Does any answer of the document say that it is about arenas?"""
    return any(function.get("model") == "arena" for function in _entries(data))


def _entries(data: object) -> list[dict[str, object]]:
    document = cast(dict[str, object], data) if isinstance(data, dict) else {}
    functions = document.get("functions")
    found = cast(list[object], functions) if isinstance(functions, list) else []
    return [cast(dict[str, object], entry) for entry in found if isinstance(entry, dict)]


def require_profile(data: object, plan_path: str, source: SourceFile, profile: str | None) -> None:
    """The profile that the plan was made with, where it says so, must be the one that the program is read with."""
    named = next((entry.get("profile") for entry in _entries(data)[:1]), None)
    if profile is None and isinstance(named, str) and named != source.profile.name:
        raise InputError(
            f"the plan was made with profile '{named}', the program looks like '{source.profile.name}': "
            "say which with --profile",
            Location(plan_path),
        )


def run(data: object, plan_path: str, program_path: str, *, profile: str | None, as_json: bool) -> Exit:
    """Judge each arena plan of the document. 0: all accepted, 1: one rejected, 3: an answer without a plan."""
    document = Node(data, "", plan_path)
    functions = document["functions"].items()
    for function in functions:
        model = function.get("model")
        if model is None or model.one_of("arena", "slots") != "arena":
            raise function.wrong('is no arena plan ("model": "arena")')
    if is_problem(program_path):
        if len(functions) != 1:
            raise InputError(f"has {len(functions)} answers, and {program_path} is one problem", Location(plan_path))
        problem = read_problem(program_path, capacities_from_json(functions[0]))
        loaded = replace(arena_from_json(functions[0], problem), name=problem.name)
        verdict = check_arena_verdict(
            problem,
            loaded.verdict,
            claimed_cost_bytes=loaded.cost_bytes,
            claimed_lower_bound_bytes=loaded.lower_bound_bytes,
            claimed_capacity_bytes=loaded.capacity_bytes,
        )
        results = [(loaded, verdict)]
    else:
        from smtalloc.mlir.session import load  # noqa: PLC0415  only where a module is read

        source = load(program_path, profile)
        require_profile(data, plan_path, source, profile)
        results = _functions(functions, source, plan_path)
    text = (
        dump_json(answer(_json(*result) for result in results)) + "\n"
        if as_json
        else "".join(_text(*result) for result in results)
    )
    write_output(text, None)
    return worst([_status(result) for _, result in results])


def _functions(
    functions: Sequence[Node], source: SourceFile, plan_path: str
) -> list[tuple[LoadedArena, Judged | None]]:
    """By name; functions of one name in their order."""
    by_name: dict[str, list[int]] = {}
    for number, program in enumerate(source.programs):
        by_name.setdefault(program.name, []).append(number)
    seen: Counter[str] = Counter()
    results: list[tuple[LoadedArena, Judged | None]] = []
    for function in functions:
        name = function["name"].text()
        if seen[name] >= len(by_name.get(name, [])):
            raise InputError(f"no function @{name}", Location(source.path))
        results.append(_function(function, source, by_name[name][seen[name]], plan_path))
        seen[name] += 1
    missing = [name for name, found in by_name.items() if seen[name] < len(found)]
    if missing:
        raise InputError(f"has no plan for function @{missing[0]}", Location(plan_path))
    return results


def _program(function: Node, source: SourceFile, number: int, plan_path: str) -> Program:
    """The function with the bounds on dimensions that the plan was made with, by its user's word."""
    program = source.programs[number]
    run_time = function.get("run_time_slots")
    if run_time is not None:
        given = given_from_json(_document(run_time), f"{plan_path}: run_time_slots", program.name)
        if given.values:
            raise run_time.wrong("has a binding, which arenas do not have")
        if given.bounds:
            from smtalloc.mlir.session import load  # noqa: PLC0415

            program = load(source.path, source.profile.name, given.bounds).programs[number]
    return with_proven_facts(program)


def _document(answer_: Node) -> object:
    return {"version": 1, "functions": [answer_.value]}


def _function(function: Node, source: SourceFile, number: int, plan_path: str) -> tuple[LoadedArena, Judged | None]:
    program = _program(function, source, number, plan_path)
    policy = Policy(function["policy"].one_of(*Policy))
    types = TypeRule(function["types"].one_of(*TypeRule))
    capacities = tuple(capacities_from_json(function).items())
    pooled = function.get("get_pool")
    get_pool = pooled is not None and pooled.flag()
    problem = program_problem(program, Rules(program, policy, TypeRule.BYTES), capacities, get_pool=get_pool)
    loaded = arena_from_json(function, problem)
    slots: Optimal | Feasible | None = None
    memories: tuple[str, ...] = ()
    run_time = function.get("run_time_slots")
    if run_time is not None:
        plan = plan_from_json(_document(run_time), program, f"{plan_path}: run_time_slots")
        memories = plan.memories
        if plan.certificate is None:
            raise run_time.wrong("has no certificate")
        slots = Optimal(plan.plan, plan.certificate) if plan.optimal else Feasible(plan.plan, plan.certificate, "")
    tails = tails_from_json(function, memories)
    checked = check_program_arena(
        program, loaded.verdict, slots, tails, policy=policy, types=types, capacities=capacities, get_pool=get_pool
    )
    judged = checked.rejection or checked.arena
    if isinstance(judged, (ArenaAccepted, NoPlanAccepted)):
        judged = check_claims(judged, loaded.cost_bytes, loaded.lower_bound_bytes, loaded.capacity_bytes)
    return loaded, judged


def _status(result: Judged | None) -> Exit:
    if result is None:
        return Exit.UNKNOWN
    return Exit.BAD if isinstance(result, (ArenaRejection, Rejection)) else Exit.OK


def _json(plan: LoadedArena, result: Judged | None) -> dict[str, object]:
    match result:
        case ArenaAccepted():
            return {
                "name": plan.name,
                "model": "arena",
                "verdict": "optimal" if result.optimal else "feasible",
                "cost_bytes": result.cost_bytes,
                "lower_bound_bytes": result.lower_bound_bytes,
            }
        case NoPlanAccepted(pool, bound, capacity):
            found = {"pool": pool, "lower_bound_bytes": bound, "capacity_bytes": capacity}
            return {"name": plan.name, "model": "arena", "verdict": "infeasible", **found}
        case None:
            return {"name": plan.name, "model": "arena", "verdict": "unknown", "reason": "the document has no plan"}
        case _:
            return {
                "name": plan.name,
                "model": "arena",
                "verdict": "unsafe",
                "kind": result.kind,
                "reason": result.reason,
            }


def _text(plan: LoadedArena, result: Judged | None) -> str:
    match result:
        case ArenaAccepted():
            least = f"at least {result.lower_bound_bytes:,} are needed"
            proof = "a minimum, by its certificate" if result.optimal else least
            kept = ", ".join(f"{pool!r} {capacity:,}" for pool, capacity in plan.capacities)
            assumed = f" (capacities as the plan gives them: {kept})" if kept else ""
            return f"{plan.name}: accepted: {result.cost_bytes:,} bytes, {proof}{assumed}\n"
        case NoPlanAccepted(pool, None, _):
            return f"{plan.name}: accepted: no plan, pins of pool {pool} contradict each other\n"
        case NoPlanAccepted(pool, bound, capacity):
            return f"{plan.name}: accepted: no plan, pool {pool} needs {bound:,} bytes and has {capacity:,}\n"
        case None:
            return f"{plan.name}: unknown: the document has no plan\n"
        case _:
            return f"{plan.name}: REJECTED ({result.kind}): {result.reason}\n"
