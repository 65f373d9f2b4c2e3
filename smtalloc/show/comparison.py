"""The comparison as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from rich.box import MARKDOWN
from rich.table import Table

from smtalloc.commands.compare import Cost, Row, word
from smtalloc.plan import Optimal, TypeRule
from smtalloc.show.console import Page


def comparison_text(rows: Sequence[Row], types: TypeRule, output: str | None) -> None:
    """One line per function, and what the columns mean."""
    page = Page(output)
    table = Table(box=MARKDOWN)
    for heading, side in (
        ("function", "left"),
        ("buffers", "right"),
        ("no reuse", "right"),
        ("greedy", "right"),
        ("greedy is", "left"),
        ("fixed greedy", "right"),
        ("optimal", "right"),
        ("proven", "left"),
        ("gap", "right"),
        ("s", "right"),
    ):
        table.add_column(heading, justify="right" if side == "right" else "left", no_wrap=True)
    for row in rows:
        gap = row.gap_percent
        table.add_row(
            f"{PurePath(row.file).stem} @{row.name}",
            str(row.unshared.slots),
            _cost(row.unshared),
            _cost(row.greedy),
            word(row.greedy_verdict),
            _cost(row.fixed) + ("" if word(row.fixed_verdict) == "safe" else f" ({word(row.fixed_verdict)})"),
            _cost(row.optimal),
            "yes" if isinstance(row.planned.verdict, Optimal) else f">= {_size(_bound(row))}",
            "" if gap is None else f"{gap:.1f} %",
            f"{row.planned.seconds:.2f}",
        )
    page.console.print(table, soft_wrap=False)
    page.line(f"Slots / memory; +n dyn: slots of run-time size. Policy host-exclusive, types {types}.")
    for row in rows:
        bound = ", ".join(f"{name} = {value:,}" for name, value in row.planned.program.binding)
        if bound:
            page.line(f"{PurePath(row.file).stem} @{row.name}: bytes at {bound}; the optimum holds for all values.")
    page.line("gap: fixed greedy over optimal. fixed greedy: without what the host loads or stores.")
    page.flush()


def _bound(row: Row) -> int:
    return row.planned.verdict.certificate.bound_bytes


def _size(size_bytes: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= 10 * factor:
            return f"{size_bytes / factor:,.1f} {unit}"
    return f"{size_bytes:,} B"


def _cost(cost: Cost) -> str:
    known = cost.slots - cost.dynamic_slots
    dynamic = f" +{cost.dynamic_slots} dyn" if cost.dynamic_slots else ""
    return f"{known} / {_size(cost.size_bytes)}{dynamic}"
