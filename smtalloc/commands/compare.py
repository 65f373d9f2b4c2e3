"""`smtalloc compare`: greedy passes against the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smtalloc.allocate import SolveOptions
from smtalloc.commands.common import Exit, worst, write_output
from smtalloc.commands.plan import Planned, plan_program
from smtalloc.commands.verify import judge_pair
from smtalloc.dimensions import Given
from smtalloc.formats import answer, dump_json
from smtalloc.mlir.session import greedy_plan, load, load_after, pairs
from smtalloc.plan import Optimal, Policy, Safe, SafetyVerdict, Slots, TypeRule, Unsafe
from smtalloc.program import InputError, Location, Program


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes of the slots of known size, and how many slots have a size known only at run time."""

    slots: int
    size_bytes: int
    dynamic_slots: int

    @staticmethod
    def of(plan: Slots, program: Program) -> Cost:
        return Cost(len(plan.members), plan.cost_bytes(program), plan.dynamic_slots(program))


@dataclass(frozen=True, slots=True)
class Row:
    """One function: without reuse, the greedy pass, its fixed variant, and the certified minimum."""

    file: str
    name: str
    unshared: Cost
    greedy: Cost
    greedy_verdict: SafetyVerdict
    fixed: Cost
    fixed_verdict: SafetyVerdict
    optimal: Cost
    planned: Planned

    @property
    def gap_percent(self) -> float | None:
        """How much more than the minimum the fixed greedy pass takes (bytes; slots where no size is known)."""
        for mine, least in (
            (self.fixed.size_bytes, self.optimal.size_bytes),
            (self.fixed.dynamic_slots, self.optimal.dynamic_slots),
        ):
            if least:
                return 100 * (mine / least - 1)
        return None


def run(
    files: Sequence[str],
    *,
    profile: str | None,
    types: TypeRule,
    options: SolveOptions,
    as_json: bool,
    output: str | None,
    given: Given | None = None,
) -> Exit:
    """Compare every function of the files. 0, or 3 where a minimum is not proven."""
    if any(path == "-" for path in files):
        raise InputError("compare reads each file several times: give files, not standard input")
    rows: list[Row] = []
    given = given or Given()
    given.check(p for path in files for p in load(path, profile, given.bounds).programs)
    for path in files:
        found = list(_rows(path, profile, types, options, given))
        if not found:
            raise InputError("no function with a body", Location(path))
        rows += found
    if as_json:
        write_output(dump_json(answer(map(_json, rows))) + "\n", output)
    else:
        from smtalloc.show.comparison import comparison_text  # noqa: PLC0415 - rich is loaded only to show text

        comparison_text(rows, types, output)
    return worst([Exit.OK if isinstance(row.planned.verdict, Optimal) else Exit.UNKNOWN for row in rows])


def _rows(path: str, profile: str | None, types: TypeRule, options: SolveOptions, given: Given) -> list[Row]:
    source = load(path, profile, given.bounds)
    verdicts: list[list[SafetyVerdict]] = []
    for exclude in (False, True):
        rewritten = load_after(path, source, profile)
        rewritten.apply_greedy(exclude_host_accessed=exclude)
        after = rewritten.reread()
        verdicts.append([judge_pair(pair, {}, minimum=False).verdict for pair in pairs(source, after)])
    rows: list[Row] = []
    for number, program in enumerate(source.programs):
        planned = plan_program(program, Policy.HOST_EXCLUSIVE, types, options, given)
        program = planned.program  # noqa: PLW2901 - with its sizes at the given values
        alone = Slots(tuple((b,) for b, buffer in enumerate(program.buffers) if not buffer.external))
        rows.append(
            Row(
                path,
                program.name,
                Cost.of(alone, program),
                Cost.of(greedy_plan(source, number), program),
                verdicts[0][number],
                Cost.of(greedy_plan(source, number, exclude_host_accessed=True), program),
                verdicts[1][number],
                Cost.of(planned.verdict.plan, program),
                planned,
            )
        )
    return rows


def word(verdict: SafetyVerdict) -> str:
    """Safe, or what is wrong."""
    match verdict:
        case Safe():
            return "safe"
        case Unsafe(counterexamples):
            return "UNSAFE: " + ", ".join(dict.fromkeys(str(c.defect) for c in counterexamples))
        case _:
            return "unknown"


def _json(row: Row) -> dict[str, object]:
    def cost(of: Cost) -> dict[str, object]:
        return {"slots": of.slots, "bytes": of.size_bytes, "dynamic_slots": of.dynamic_slots}

    return {
        "name": row.name,
        "file": row.file,
        "verdict": "optimal" if isinstance(row.planned.verdict, Optimal) else "feasible",
        "unshared": cost(row.unshared),
        "greedy": {**cost(row.greedy), "safety": word(row.greedy_verdict)},
        "greedy_fixed": {**cost(row.fixed), "safety": word(row.fixed_verdict)},
        "optimal": cost(row.optimal),
        "lower_bound_bytes": row.planned.verdict.certificate.bound_bytes,
        "gap_percent": row.gap_percent,
        "binding": dict(row.planned.program.binding),
        "seconds": round(row.planned.seconds, 3),
    }
