"""A safety verdict as text; a schedule as columns, one per engine, in time order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from smtalloc.plan import Counterexample, Safe, Unknown, Unsafe
from smtalloc.program import HOST
from smtalloc.show.console import Page, count

if TYPE_CHECKING:
    from smtalloc.commands.verify import Judged

_COMMAND = {
    False: "smtalloc plan --policy happens-before",
    True: "smtalloc plan --model arena --policy happens-before",
}
_COLUMN = 46
_NARROW = 24  # of more than three engines; what a step says may reach beyond its column, into no other step
_PAIRS = 5
_SHOWN = 2  # counterexamples with a schedule


def verdicts_text(judged: Sequence[Judged], heading: str, output: str | None) -> None:
    """Every function of a file, or of a pair of files."""
    page = Page(output)
    page.line(heading)
    for one in judged:
        match one.verdict:
            case Safe(proof):
                page.verdict(f"@{one.pair.name}: ", "SAFE", f" for every schedule{_memory(one)}")
                for line in proof.pairs[:_PAIRS]:
                    page.line(f"  shared: {line}")
                if len(proof.pairs) > _PAIRS:
                    page.line(f"  ... {len(proof.pairs) - _PAIRS} more pairs share, each ordered (--json has all)")
                for note in proof.notes:
                    page.line(f"  {note}")
            case Unknown(reason):
                page.verdict(f"@{one.pair.name}: ", "UNKNOWN", f": {reason}")
            case Unsafe(counterexamples):
                _unsafe(page, one.pair.name, counterexamples)
        for assumption in one.assumptions:
            page.line(f"  assumed: {assumption}")
    page.flush()


def _memory(judged: Judged) -> str:
    memory = judged.memory
    if memory is None or not memory.before_bytes:
        return ""
    text = f"; {memory.before_bytes:,} bytes before, {memory.after_bytes:,} after"
    if memory.suboptimal:
        text += f"; suboptimal: {memory.minimum_bytes:,} are enough ({_COMMAND[memory.arena]})"
    return text


def _unsafe(page: Page, name: str, counterexamples: Sequence[Counterexample]) -> None:
    kinds = ", ".join(dict.fromkeys(str(c.defect) for c in counterexamples))
    page.verdict(f"@{name}: ", "UNSAFE", f" ({kinds})")
    scheduled = 0
    for counterexample in counterexamples:
        page.line()
        page.line(f"  {counterexample.defect}: {counterexample.summary}")
        if counterexample.schedule and scheduled < _SHOWN:
            scheduled += 1
            _schedule(page, counterexample)
        if counterexample.expected:
            page.line(f"  without sharing: {counterexample.expected}")
            page.line(f"  this schedule:   {counterexample.actual}")
        for repair in counterexample.repairs:
            page.line(f"  mend: {repair}")
    if sum(bool(c.schedule) for c in counterexamples) > _SHOWN:
        page.line(f"  ({count(len(counterexamples), 'counterexample')}; --json has every schedule)")


def _schedule(page: Page, counterexample: Counterexample) -> None:
    engines = [HOST, *sorted({s.action.engine for s in counterexample.schedule} - {HOST})]
    page.line()
    column = _COLUMN if len(engines) <= 3 else _NARROW
    names = [engine if len(engine) < column - 1 else f"{engine[: column - 5]}..." for engine in engines]
    page.line("    " + "".join(name.ljust(column) for name in names))
    page.line("    " + "".join(("-" * (column - 2)).ljust(column) for _ in engines))
    for step in counterexample.schedule:
        where = step.action.location
        place = f"{PurePath(where.file).name}:{where.line}" if where else ""
        lines = [f"{step.action.op}  {place}", *(f"  {part}" for part in step.text.split("; ") if part)]
        if step.mark:
            lines.append(f"  ^ {step.mark}")
        indent = "    " + " " * (column * engines.index(step.action.engine))
        style = "red" if step.mark in ("CLOBBERS", "READS WRONG") else None
        for line in lines:
            page.line(indent + line, style)
    page.line()
