"""A plan as text: cost, slots, why it is the minimum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from smtalloc.order import holder_of
from smtalloc.plan import Certificate, Cliques, Dual, Feasible, Optimal, Policy, SlotRefutation, Slots, TypeRule
from smtalloc.program import Program
from smtalloc.show.console import Page, count

if TYPE_CHECKING:
    from smtalloc.commands.plan import Planned
    from smtalloc.mlir.session import SourceFile

_SLOTS = 40  # shown
_NAMES = 12  # per line


def plans_text(
    planned: Sequence[tuple[SourceFile, list[Planned]]], policy: Policy, types: TypeRule, output: str | None
) -> None:
    """Every function of every file."""
    page = Page(output)
    for source, plans in planned:
        how = " (guessed; --profile chooses)" if source.guessed else ""
        page.line(f"{source.path}: profile {source.profile.name}{how}, policy {policy}, types {types}")
        for plan in plans:
            _function(page, plan)
    page.flush()


def _function(page: Page, planned: Planned) -> None:
    program, verdict = planned.program, planned.verdict
    plan, certificate = verdict.plan, verdict.certificate
    without = sum(b.size_bytes or 0 for b in program.buffers if not b.external)
    unshared = f"; without reuse {without:,}" if without > plan.cost_bytes(program) else ""
    word = "OPTIMAL" if isinstance(verdict, Optimal) else "FEASIBLE"
    page.verdict(f"@{program.name}: ", word, f", {_cost(program, plan)}{unshared}, in {planned.seconds:.2f} s")
    if isinstance(verdict, Feasible):
        page.line(f"  at least {certificate.bound_bytes:,} bytes are needed: {verdict.reason}")
    if planned.unsafe:
        page.verdict("  ", "UNSAFE", f" under happens-before: {planned.unsafe}")
    for slot, members in enumerate(plan.members[:_SLOTS]):
        size = plan.size_bytes(slot, program)
        space = program.buffers[members[0]].space
        where = f"  space {space}" if space else ""
        names = " ".join(program.buffers[b].name for b in members[:_NAMES])
        more = f" and {len(members) - _NAMES} more" if len(members) > _NAMES else ""
        shown = "run-time" if size is None else f"{size:,}"
        holder = holder_of(program, members) if any(program.buffers[b].size is not None for b in members) else None
        formula = f"  = {program.buffers[holder].exact_size}" if holder is not None else ""
        page.line(f"  slot{slot:<4} {shown:>12}{where}  {names}{more}{formula}")
    if len(plan.members) > _SLOTS:
        page.line(f"  ... {len(plan.members) - _SLOTS} more slots (--json has all)")
    _left_alone(page, program)
    for line in _proof(program, certificate, optimal=isinstance(verdict, Optimal)):
        page.line(f"  {line}")
    for line in _dimensions(program):
        page.line(f"  {line}")
    for assumption in program.assumptions:
        page.line(f"  assumed: {assumption}")


def _cost(program: Program, plan: Slots) -> str:
    dynamic = plan.dynamic_slots(program)
    known = len(plan.members) - dynamic
    text = f"{plan.cost_bytes(program):,} bytes in {count(known, 'slot')}"
    return text + (f" and {count(dynamic, 'slot')} of run-time size" if dynamic else "")


def _dimensions(program: Program) -> list[str]:
    """What the sizes depend on: for which values the plan holds, and at which its cost is counted."""
    if not program.dimensions:
        return []
    reach = ", ".join(f"{d.name} in {d.least:,}..{d.most:,}" for d in program.dimensions)
    bound = ", ".join(f"{name} = {value:,}" for name, value in program.binding)
    return [
        f"valid for all {reach}: no buffer is larger than its slot",
        f"minimal at {bound}, among plans whose slots are proven so"
        if bound
        else "minimal in the number of slots, among plans whose slots are proven so (--bind counts bytes)",
    ]


def _kind(evidence: Cliques | Dual | SlotRefutation) -> str:
    match evidence:
        case Cliques():
            return "cliques"
        case Dual():
            return "exact linear-programming dual"
        case SlotRefutation():
            return f"refutation of less, DRUP proof of {len(evidence.drup):,} lines"


def _left_alone(page: Page, program: Program) -> None:
    for buffer in program.buffers:
        if buffer.pinned:
            page.line(f"  {buffer.name} stays alone: {buffer.pinned}")


def _proof(program: Program, certificate: Certificate, *, optimal: bool) -> list[str]:
    """The first clique of each part, largest parts first: enough to see why."""
    lines: list[str] = []
    word = "no plan is smaller" if optimal else "no plan is smaller than the bound"
    for part in sorted(certificate.parts, key=lambda p: -p.bound)[:3]:
        shown = part.evidence.shown if isinstance(part.evidence, SlotRefutation) else part.evidence
        cliques = shown.cliques
        if not cliques or len(part.buffers) < 2:
            continue
        largest = max(cliques, key=lambda c: len(c.buffers))
        names = " ".join(program.buffers[b].name for b in largest.buffers[:_NAMES])
        more = " ..." if len(largest.buffers) > _NAMES else ""
        unit = "slots" if part.dynamic else "bytes"
        kind = _kind(part.evidence)
        lines.append(
            f"proof ({kind}): at least {part.bound:,} {unit} for {count(len(part.buffers), 'buffer')}; "
            f"no two of these may share: {names}{more}"
        )
    if not lines:
        lines.append("proof: no two buffers may share")
    return [*lines, f"checked: plan and certificate, by the independent checker; {word}"]
