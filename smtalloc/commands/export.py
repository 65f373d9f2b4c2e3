"""`smtalloc export`: the problem, or the question to a solver, as a file that other tools read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.artefacts import bound_text, misplaced, plan_text, races_text, verdict_text
from smtalloc.commands.common import Exit, write_output
from smtalloc.dimensions import Given
from smtalloc.formats import function_names, load_json, plan_from_json
from smtalloc.mlir.session import Pair, alone, load, load_after, pairs
from smtalloc.order import Conflicts, conflicts, program_order_lives
from smtalloc.placement import Correspondence
from smtalloc.plan import Policy, TypeRule, Unknown
from smtalloc.program import InputError, Location


class Query(StrEnum):
    """What an SMT-LIB text asks. The answer to hope for is `unsat` each time."""

    PLAN = "plan"
    BOUND = "bound"
    VERDICT = "verdict"
    RACES = "races"


def run(
    path: str,
    *,
    after: str | None,
    plan: str | None,
    query: Query | None,
    to: str,
    function: str | None,
    profile: str | None,
    policy: Policy,
    types: TypeRule,
    output: str | None,
) -> Exit:
    """One function: `to` is smt2, csv, json or dot. What smt2 asks: artefacts.py."""
    if to != "smt2" and (after or plan or query):
        raise InputError("--after, --plan and --query go with --to smt2")
    query = query or (Query.PLAN if after is None else Query.VERDICT)
    if (query is Query.VERDICT) != (after is not None):
        raise InputError("--after and --query verdict go together")
    if plan is not None and query not in (Query.PLAN, Query.BOUND):
        raise InputError("--plan goes with --query plan or bound")
    source = load(path, profile)
    if after is not None:
        text = verdict_text(_one(pairs(source, load_after(after, source, profile)), function, path))
    elif query is Query.RACES:
        text = races_text(_one(alone(source), function, path))
    else:
        programs = [p for p in source.programs if function in (None, p.name, f"@{p.name}")]
        if len(programs) != 1:
            names = ", ".join(p.name for p in source.programs) or "none"
            raise InputError(f"--function: choose one of: {names}", Location(path))
        problem = conflicts(Given().applied(programs[0]), policy, types)
        text = _query_text(problem, query, plan) if to == "smt2" else _other(problem, to)
    write_output(text, output)
    return Exit.OK


def _one(found: Iterable[Pair], function: str | None, path: str) -> Correspondence:
    chosen = [p for p in found if function in (None, p.program.name, f"@{p.program.name}")]
    if len(chosen) != 1:
        raise InputError("--function: choose one function", Location(path))
    if isinstance(chosen[0].found, Unknown):
        raise InputError(chosen[0].found.reason, Location(path))
    return chosen[0].found


def _query_text(problem: Conflicts, query: Query, path: str | None) -> str:
    """Of the plan in a file, under the policy that it names; or else of a plan found now."""
    if path is None:
        verdict = plan_slots(problem, SolveOptions())
        plan, certificate = verdict.plan, verdict.certificate
    else:
        data = load_json(path)
        if problem.program.name not in function_names(data, path):
            raise InputError(f"has no plan for function @{problem.program.name}", Location(path))
        written = plan_from_json(data, problem.program, path)
        problem = conflicts(problem.program, written.policy, written.types)
        plan, certificate = written.plan, written.certificate
    flaw = misplaced(problem, plan)
    if flaw:
        raise InputError(flaw, Location(path or ""))
    if query is Query.PLAN:
        return plan_text(problem, plan)
    if certificate is None:
        raise InputError("has no certificate, so no bound", Location(path or ""))
    return bound_text(problem, certificate)


def _other(problem: Conflicts, to: str) -> str:
    match to:
        case "csv":
            return _csv(problem)
        case "json":
            return json.dumps(_json(problem), indent=1) + "\n"
        case _:
            return "".join(_dot(problem))


def _csv(problem: Conflicts) -> str:
    """MiniMalloc's columns: lives as op intervals, `[lower, upper)`. What the engines forbid does not show in it."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["id", "lower", "upper", "size"])
    lives = program_order_lives(problem.program)
    for b in problem.items:
        size, (first, last) = problem.program.buffers[b].size_bytes, lives[b]
        if size is not None and first >= 0:
            rows.writerow([problem.program.buffers[b].name, first, last + 1, size])
    return text.getvalue()


def _json(problem: Conflicts) -> dict[str, object]:
    """Buffers, and every pair that may not share."""
    buffers = [problem.buffer(item) for item in range(len(problem.items))]
    return {
        "version": 1,
        "name": problem.program.name,
        "policy": str(problem.policy),
        "types": str(problem.types),
        "buffers": [
            {"name": b.name, "size_bytes": b.size_bytes, "alignment": b.alignment, "space": b.space, "type": b.type}
            for b in buffers
        ],
        "conflicts": [[buffers[i].name, buffers[j].name] for i, j in _conflicting(problem)],
    }


def _conflicting(problem: Conflicts) -> Iterator[tuple[int, int]]:
    count = len(problem.items)
    yield from ((i, j) for i in range(count) for j in range(i + 1, count) if not problem.may_share(i, j))


def _dot(problem: Conflicts) -> Iterator[str]:
    """The conflict graph for Graphviz: an edge between two buffers that may not share."""
    names: Sequence[str] = [problem.buffer(item).name for item in range(len(problem.items))]
    yield f"graph {json.dumps(problem.program.name)} {{\n"
    for item, name in enumerate(names):
        size = problem.buffer(item).size_bytes
        label = json.dumps(f"{name} {'run-time' if size is None else f'{size:,}'}")
        yield f"  n{item} [label={label}];\n"
    for i, j in _conflicting(problem):
        yield f"  n{i} -- n{j};\n"
    yield "}\n"
