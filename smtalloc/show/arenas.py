"""An arena plan as text: pools, offsets, why no plan is smaller; or the blocks that do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from smtalloc.plan import (
    ArenaCertificate,
    ChainRefutation,
    FeasibleArena,
    InfeasibleArena,
    Optimal,
    OptimalArena,
    Policy,
    PoolBound,
    Reach,
    Refutation,
    Stack,
    TypeRule,
    Unknown,
)
from smtalloc.show.console import Page, count

if TYPE_CHECKING:
    from smtalloc.arena_program import ProgramArena
    from smtalloc.commands.plan_arena import ArenaPlanned
    from smtalloc.mlir.session import SourceFile

_BLOCKS = 40  # shown per pool
_NAMES = 12  # per line


def arenas_text(
    planned: Sequence[ArenaPlanned],
    sources: Mapping[str, SourceFile],
    policy: Policy,
    types: TypeRule,
    output: str | None,
) -> None:
    """Every problem, and every function of every file."""
    page = Page(output)
    shown = ""
    for plan in planned:
        if plan.path != shown:
            shown = plan.path
            source = sources.get(plan.path)
            how = " (guessed; --profile chooses)" if source is not None and source.guessed else ""
            rules = f"profile {source.profile.name}{how}, policy {policy}, types {types}" if source else "arena problem"
            page.line(f"{plan.path}: {rules}")
        _answer(page, plan)
    page.flush()


def _answer(page: Page, planned: ArenaPlanned) -> None:
    problem, verdict = planned.problem, planned.found.verdict
    name = f"@{problem.name}: " if planned.program is not None else f"{problem.name}: "
    took = f", in {planned.seconds:.2f} s"
    match verdict:
        case OptimalArena(plan, certificate) | FeasibleArena(plan, certificate):
            word = "OPTIMAL" if isinstance(verdict, OptimalArena) else "FEASIBLE"
            without = sum(block.size_bytes for block in problem.blocks)
            known = " of known size" if planned.found.slots is not None else ""
            unshared = f"; without reuse {without:,}" if without > plan.cost_bytes else ""
            page.verdict(
                name, word, f", {plan.cost_bytes:,} bytes{known} in {count(len(plan.pools), 'pool')}{unshared}{took}"
            )
            if isinstance(verdict, FeasibleArena):
                page.line(f"  at least {certificate.bound_bytes:,} bytes are needed: {verdict.reason}")
            _plan(page, planned, verdict)
            for line in _proof(planned, certificate):
                page.line(f"  {line}")
        case InfeasibleArena(pool, core, bound, minimal):
            page.verdict(name, "INFEASIBLE", took)
            for line in _core(planned, pool, core, bound, minimal=minimal):
                page.line(f"  {line}")
        case Unknown(reason):
            page.verdict(name, "UNKNOWN", took)
            page.line(f"  {reason}")
    for assumption in planned.program.assumptions if planned.program is not None else ():
        page.line(f"  assumed: {assumption}")


def _plan(page: Page, planned: ArenaPlanned, verdict: OptimalArena | FeasibleArena) -> None:
    blocks = planned.problem.blocks
    if planned.unsafe:
        page.verdict("  ", "UNSAFE", f" under happens-before: {planned.unsafe}")
    for pool in verdict.plan.pools:
        page.line(f"  {pool.name} {pool.size_bytes:>12,}")
        for b, offset in sorted(pool.offsets, key=lambda pair: (pair[1], pair[0]))[:_BLOCKS]:
            page.line(f"    {offset:>12,} + {blocks[b].size_bytes:<12,} {blocks[b].name}")
        if len(pool.offsets) > _BLOCKS:
            page.line(f"    ... {len(pool.offsets) - _BLOCKS} more (--json has all)")
    if planned.found.slots is not None and planned.program is not None:
        for slot, members in enumerate(planned.found.slots.plan.members):
            names = " ".join(planned.program.buffers[b].name for b in members[:_NAMES])
            more = f" and {len(members) - _NAMES} more" if len(members) > _NAMES else ""
            page.line(f"  slot{slot:<4} run-time size  {names}{more}")
        for line in _tails(planned.found):
            page.line(f"  {line}")


def _tails(found: ProgramArena) -> Iterator[str]:
    """Where slots of run-time size stand in pools, and what is proven of them."""
    for tail in found.stacked.tails:
        yield f"{tail.pool}, aligned to {tail.alignment}, has {tail.size} bytes with run-time sizes:"
        for slot, offset in tail.offsets[:_BLOCKS]:
            yield f"  slot{slot:<4} at {offset}"
        if len(tail.offsets) > _BLOCKS:
            yield f"  ... {len(tail.offsets) - _BLOCKS} more (--json has all)"
    for reason in dict.fromkeys(reason for _, reason in found.stacked.apart):
        slots = [f"slot{slot}" for slot, other in found.stacked.apart if other == reason]
        more = f" and {len(slots) - _NAMES} more" if len(slots) > _NAMES else ""
        yield f"allocated apart: {' '.join(slots[:_NAMES])}{more}: {reason}"
    if found.slots is not None:
        plan, least = found.slots.plan, found.slots.certificate.bound_slots
        few = "the fewest there can be" if isinstance(found.slots, Optimal) else f"at least {least} are needed"
        yield f"run-time sizes: {count(len(plan.members), 'slot')}, {few}; their bytes are not proven minimal"


def _proof(planned: ArenaPlanned, certificate: ArenaCertificate) -> list[str]:
    ordered = sorted(certificate.bounds, key=lambda bound: -bound.bound_bytes)
    lines = [_why(planned, bound) for bound in ordered[:3] if bound.bound_bytes]
    return [*lines, "checked: plan and certificate, by the independent checker"]


def _why(planned: ArenaPlanned, bound: PoolBound) -> str:
    start = f"proof: {bound.pool} needs at least {bound.bound_bytes:,} bytes: "
    match bound.evidence:
        case Stack(blocks, None):
            return f"{start}no two of these may have a byte in common: {_names(planned, blocks)}"
        case Stack(blocks, moment):
            return f"{start}at moment {moment} so many bytes are live, of {_names(planned, blocks)}"
        case Reach(block):
            return f"{start}{_names(planned, (block,))} cannot lie lower"
        case Refutation(blocks, drup):
            size = f"{len(drup):,} lines"
            return f"{start}less is refuted for {_names(planned, blocks)} (order encoding, DRUP proof of {size})"
        case ChainRefutation(blocks, chains, drup):
            size = f"{count(len(chains), 'chain')}, DRUP proof of {len(drup):,} lines"
            return f"{start}less is refuted for {_names(planned, blocks)} (order of the buffers, {size})"


def _names(planned: ArenaPlanned, blocks: Sequence[int]) -> str:
    names = " ".join(planned.problem.blocks[b].name for b in blocks[:_NAMES])
    return names + (f" and {len(blocks) - _NAMES} more" if len(blocks) > _NAMES else "")


def _core(
    planned: ArenaPlanned, pool: str, core: Sequence[int], bound: PoolBound | None, *, minimal: bool
) -> list[str]:
    names = _names(planned, core)
    if bound is None:
        return [f"pinned where they meet, or touch bytes that they must not: {names}"]
    capacity = planned.problem.limits_of[pool].capacity_bytes
    word = "without any one of them the others fit" if minimal else "perhaps fewer would do (not decided in time)"
    return [
        f"{pool} has {capacity:,} bytes; these {count(len(core), 'buffer')} alone need {bound.bound_bytes:,}: {names}",
        word,
        _why(planned, bound),
        "checked: the certificate, by the independent checker",
    ]
