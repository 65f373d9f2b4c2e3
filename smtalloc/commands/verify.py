"""`smtalloc verify`: was a memory pass's output safe?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.allocate_arena import ArenaOptions
from smtalloc.arena_program import plan_program_arena
from smtalloc.commands.common import Exit, worst, write_output
from smtalloc.comparison import Inputs, default_inputs
from smtalloc.counterexample import judge, judge_runs
from smtalloc.dimensions import Given, is_stated_bound
from smtalloc.formats import answer, dump_json
from smtalloc.mlir.session import Pair, load, load_after, pairs
from smtalloc.order import conflicts
from smtalloc.placement import BLOCKS_UNORDERED, Correspondence
from smtalloc.plan import Counterexample, FeasibleArena, OptimalArena, Policy, Safe, SafetyVerdict, Unknown, Unsafe
from smtalloc.program import InputError, Location, Number, Program
from smtalloc.schedule_smt import find_schedule, smt_findings
from smtalloc.show.trace import trace_json
from smtalloc.solvers.z3 import Z3
from smtalloc.validate import findings

_MINIMUM_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of static allocations: before, after, and the certified least (None where it was not looked for)."""

    before_bytes: int
    after_bytes: int
    minimum_bytes: int | None
    arena: bool = False
    """Has AFTER laid buffers out at offsets? Then the least is that of an arena, else of slots."""

    @property
    def suboptimal(self) -> bool:
        """AFTER takes more than a plan that is known to exist."""
        return self.minimum_bytes is not None and self.after_bytes > self.minimum_bytes


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one function."""

    pair: Pair
    verdict: SafetyVerdict
    memory: Memory | None

    @property
    def assumptions(self) -> tuple[str, ...]:
        found = self.pair.found
        if isinstance(found, Unknown):
            return self.pair.program.assumptions
        read = [a for a in (*found.before.assumptions, *found.after.assumptions) if not is_stated_bound(a)]
        made = dict.fromkeys((*read, *found.assumptions))
        if found.flow is not None:  # then its paths are followed
            made = {text: None for text in (*made, *found.flow.program.assumptions) if text != BLOCKS_UNORDERED}
        return tuple(made)


def run(
    before: str,
    after: str,
    *,
    profile: str | None,
    inputs: Inputs,
    as_json: bool,
    output: str | None,
    minimum: bool,
    z3: bool = False,
    trace: str | None = None,
    given: Given | None = None,
) -> Exit:
    """Judge every function. 0: all safe, 1: one unsafe, 3: one unknown. `z3`: it searches the schedules."""
    if before == "-" and after == "-":
        raise InputError("only one of the two can be standard input")
    given = given or Given()
    first = load(before, profile, given.bounds)
    given.check(first.programs)
    if not first.programs:
        raise InputError("no function with a body", Location(before))
    second = load_after(after, first, profile)
    judged = [judge_pair(pair, inputs, minimum=minimum, z3=z3) for pair in pairs(first, second)]
    check_inputs(inputs, [j.pair for j in judged])
    if trace is not None:
        write_output(trace_json([j.verdict for j in judged]), trace)
    if as_json:
        write_output(dump_json(answer(map(verdict_json, judged))) + "\n", output)
    else:
        from smtalloc.show.verdicts import verdicts_text  # noqa: PLC0415 - rich is loaded only to show text

        verdicts_text(judged, f"{before} -> {after}", output)
    return worst([exit_status(j.verdict) for j in judged])


def judge_pair(pair: Pair, inputs: Inputs, *, minimum: bool, z3: bool = False) -> Judged:
    """The verdict on one function and what its memory costs."""
    if isinstance(pair.found, Unknown):
        return Judged(pair, pair.found, None)
    values = default_inputs(pair.found.before, inputs)
    if z3:
        solver = Z3()
        found = smt_findings(pair.found, solver)
        verdict = judge(pair.found, found, values, lambda program, clash: find_schedule(program, clash, solver))
    else:
        verdict = judge(pair.found, findings(pair.found), values)
    if isinstance(verdict, Unknown):
        verdict = judge_runs(pair.runs(), inputs) or verdict
    return Judged(pair, verdict, _memory(pair.found, minimum=minimum and isinstance(verdict, Safe)))


def _memory(found: Correspondence, *, minimum: bool) -> Memory:
    before = sum(b.size_bytes or 0 for b in found.before.buffers if not b.external)
    used = {place.memory for index, place in found.places.items() if not found.before.buffers[index].external}
    after = sum(found.after.buffers[m].size_bytes or 0 for m in used)
    arena = any(place.offset for b, place in found.places.items() if not found.before.buffers[b].external)
    return Memory(before, after, _least(found.before, arena=arena) if minimum else None, arena)


def _least(program: Program, *, arena: bool) -> int | None:
    """What a plan in slots, or in one arena, takes; None if none was found in time."""
    problem = conflicts(program, Policy.HAPPENS_BEFORE)
    if not arena:
        return plan_slots(problem, SolveOptions(time_limit_s=_MINIMUM_SECONDS)).plan.cost_bytes(program)
    verdict = plan_program_arena(problem, ArenaOptions(time_limit_s=_MINIMUM_SECONDS)).verdict
    return verdict.plan.cost_bytes if isinstance(verdict, OptimalArena | FeasibleArena) else None


def exit_status(verdict: SafetyVerdict) -> Exit:
    """0 safe, 1 unsafe, 3 unknown."""
    match verdict:
        case Safe():
            return Exit.OK
        case Unsafe():
            return Exit.BAD
        case Unknown():
            return Exit.UNKNOWN


def check_inputs(inputs: Inputs, judged: Sequence[Pair]) -> None:
    """A --value for a name that no function has is a typing error."""
    known = {buffer.name for pair in judged for buffer in pair.program.buffers}
    known |= {name for pair in judged for action in pair.program.actions for name in action.scalars}
    for name in inputs:
        if name not in known:
            raise InputError(f"--value {name}: no argument or scalar of that name is used")


def parse_value(text: str) -> tuple[str, tuple[Number, ...]]:
    """`%name=1,2,3` -> name and numbers. Raises InputError."""
    name, equals, numbers = text.partition("=")
    if not equals or not name.startswith("%"):
        raise InputError(f"--value {text}: not of the form %name=NUMBER[,NUMBER...]")
    values: list[Number] = []
    for number in numbers.split(","):
        try:
            values.append(int(number, 0))
        except ValueError:
            try:
                values.append(float(number))
            except ValueError:
                raise InputError(f"--value {text}: '{number}' is not a number") from None
    if any(isinstance(v, int) and abs(v) >= 1 << 64 for v in values):
        raise InputError(f"--value {name}: an integer of more than 64 bits")
    return name, tuple(values)


def verdict_json(judged: Judged) -> dict[str, object]:
    """The answer for one function, an element of "functions"."""
    found, verdict = judged.pair.found, judged.verdict
    result: dict[str, object] = {"name": judged.pair.name}
    match verdict:
        case Safe(proof):
            result |= {"verdict": "safe", "proof": list(proof.pairs), "notes": list(proof.notes)}
        case Unknown(reason):
            result |= {"verdict": "unknown", "reason": reason}
        case Unsafe(counterexamples):
            first = counterexamples[0]
            result |= {"verdict": "unsafe", "defect": str(first.defect), "reason": first.summary}
            result |= {"schedule": _schedule_json(first), "expected": first.expected, "actual": first.actual}
            result["counterexamples"] = [
                {"defect": str(c.defect), "reason": c.summary, "schedule": _schedule_json(c), "expected": c.expected,
                 "actual": c.actual, "repairs": list(c.repairs)}
                for c in counterexamples
            ]  # fmt: skip
    if isinstance(found, Correspondence):
        formulas = {found.before.buffers[b].name: text for b, text in found.offsets.items()}
        result["assignment"] = {
            name: {
                "memory": found.after.buffers[place.memory].name,
                "offset": place.offset if place.offset is not None else formulas.get(name),
            }
            for name, place in found.assignment
        }
    if judged.memory is not None:
        result["memory"] = {
            "before_bytes": judged.memory.before_bytes,
            "after_bytes": judged.memory.after_bytes,
            "minimum_bytes": judged.memory.minimum_bytes,
            "suboptimal": judged.memory.suboptimal,
        }
    result["assumptions"] = list(judged.assumptions)
    return result


def _schedule_json(counterexample: Counterexample) -> list[dict[str, str]]:
    return [
        {
            "engine": step.action.engine,
            "op": step.action.op,
            "location": str(step.action.location),
            "text": step.text,
            "mark": step.mark,
        }
        for step in counterexample.schedule
    ]
