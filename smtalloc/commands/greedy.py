"""`smtalloc greedy`: what the compiler pass itself would do."""

from __future__ import annotations

from smtalloc.commands.common import Exit, write_output
from smtalloc.formats import answer, dump_json
from smtalloc.mlir.session import SourceFile, greedy_plan, load
from smtalloc.plan import Slots
from smtalloc.program import InputError, Location, Program


def run(
    path: str, *, profile: str | None, exclude_host_accessed: bool, emit: str, generic: bool, output: str | None
) -> Exit:
    """The pass's slots as text or JSON, or the module as the pass writes it. It claims no safety: see `verify`."""
    source = load(path, profile)
    if not source.programs:
        raise InputError("no function with a body", Location(path))
    plans = [greedy_plan(source, f, exclude_host_accessed=exclude_host_accessed) for f in range(len(source.programs))]
    if emit == "mlir":
        source.apply_greedy(exclude_host_accessed=exclude_host_accessed)
        write_output(source.text(generic=generic), output)
    elif emit == "json":
        write_output(dump_json(answer(map(_json, source.programs, plans))) + "\n", output)
    else:
        write_output(_text(source, plans), output)
    return Exit.OK


def _json(program: Program, plan: Slots) -> dict[str, object]:
    names = [buffer.name for buffer in program.buffers]
    return {
        "name": program.name,
        "verdict": "unknown",
        "reason": "the greedy pass proves nothing; smtalloc verify judges its output",
        "cost_bytes": plan.cost_bytes(program),
        "dynamic_slots": plan.dynamic_slots(program),
        # A slot has the name of the allocation that opened it, as in the pass's output.
        "assignment": {
            names[b]: {"memory": names[members[0]], "offset": 0} for members in plan.members for b in members
        },
    }


def _text(source: SourceFile, plans: list[Slots]) -> str:
    lines: list[str] = []
    for program, plan in zip(source.programs, plans, strict=True):
        lines.append(f"{source.path} @{program.name}: {plan.cost_bytes(program):,} bytes in {len(plan.members)} slots")
        for members in plan.members:
            lines.append("  " + " ".join(program.buffers[b].name for b in members))
    return "\n".join(lines) + "\n"
