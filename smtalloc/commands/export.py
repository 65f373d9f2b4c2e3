"""`smtalloc export`: the problem, or the question to a solver, as a file that other tools read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.clashes import candidates, same_accesses
from smtalloc.commands.common import Exit, write_output
from smtalloc.dimensions import Given
from smtalloc.encode import guarantee_query
from smtalloc.mlir.session import load, load_after, pairs
from smtalloc.order import Conflicts, conflicts, program_order_lives
from smtalloc.placement import Correspondence
from smtalloc.plan import Policy, TypeRule, Unknown
from smtalloc.program import InputError, Location
from smtalloc.schedule_smt import schedule_query


def run(
    path: str,
    *,
    after: str | None,
    to: str,
    function: str | None,
    profile: str | None,
    policy: Policy,
    types: TypeRule,
    output: str | None,
) -> Exit:
    """One function: `to` is smt2, csv, json or dot. With `after`, smt2 asks for a schedule that breaks that output."""
    if after is not None:
        if to != "smt2":
            raise InputError("--after goes with --to smt2")
        write_output(schedule_query_of(_pair(path, after, function, profile)), output)
        return Exit.OK
    source = load(path, profile)
    programs = [p for p in source.programs if function in (None, p.name, f"@{p.name}")]
    if len(programs) != 1:
        names = ", ".join(p.name for p in source.programs) or "none"
        raise InputError(f"--function: choose one of: {names}", Location(path))
    problem = conflicts(Given().applied(programs[0]), policy, types)
    if to == "smt2":
        write_output(guarantee_query(problem, plan_slots(problem, SolveOptions()).plan), output)
    elif to == "csv":
        write_output(_csv(problem), output)
    elif to == "json":
        write_output(json.dumps(_json(problem), indent=1) + "\n", output)
    else:
        write_output("".join(_dot(problem)), output)
    return Exit.OK


def _pair(before: str, after: str, function: str | None, profile: str | None) -> Correspondence:
    first = load(before, profile)
    second = load_after(after, first, profile)
    found = [p for p in pairs(first, second) if function in (None, p.name, f"@{p.name}")]
    if len(found) != 1:
        raise InputError("--function: choose one function", Location(before))
    if isinstance(found[0].found, Unknown):
        raise InputError(found[0].found.reason, Location(after))
    return found[0].found


def schedule_query_of(found: Correspondence) -> str:
    """`unsat`: no schedule lets a write of another buffer land between a write and the read that should see it."""
    if not same_accesses(found):
        raise InputError("the accesses of the two do not correspond")
    return schedule_query(found.before, list(candidates(found)))


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
