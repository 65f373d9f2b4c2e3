"""Offsets as a plan that the independent checker judges, and what a slot plan takes as an arena."""

from __future__ import annotations

from collections.abc import Sequence

from smtalloc.arena_tasks import Task
from smtalloc.check_arena import ArenaAccepted, ArenaRejection, NoPlanAccepted, check_arena_verdict
from smtalloc.packing import ArenaProblem
from smtalloc.plan import Arena, ArenaCertificate, FeasibleArena, Pool, PoolBound, Slots
from smtalloc.program import Program


def judged(
    problem: ArenaProblem, task: Task, offsets: Sequence[int], *bounds: PoolBound
) -> ArenaAccepted | NoPlanAccepted | ArenaRejection | None:
    """A plan of the one pool of a problem (offsets in units of the task), beside these bounds."""
    placed = sorted((b, at * task.unit) for piece, at in zip(task.pieces, offsets, strict=True) for b in piece.blocks)
    plan = Arena((Pool(task.pool, task.top(offsets) * task.unit, tuple(placed)),))
    return check_arena_verdict(problem, FeasibleArena(plan, ArenaCertificate(bounds), ""))


def one_behind_the_other(program: Program, plan: Slots) -> int:
    """Bytes of a slot plan whose slots of a space lie one behind the other, each at its alignment; those that hold
    what is returned or pinned lie apart."""
    tops: dict[str, int] = {}
    apart = 0
    for slot in sorted(range(len(plan.members)), key=lambda s: -plan.alignment(s, program)):
        size = plan.size_bytes(slot, program) or 0
        buffers = [program.buffers[b] for b in plan.members[slot]]
        if not buffers[0].movable or any(b.live_out for b in buffers):
            apart += size
            continue
        alignment, space = plan.alignment(slot, program), buffers[0].space
        tops[space] = -(-tops.get(space, 0) // alignment) * alignment + size
    return apart + sum(tops.values())
