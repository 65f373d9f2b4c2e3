"""What a slot plan takes as an arena."""

from __future__ import annotations

from smtalloc.plan import Slots
from smtalloc.program import Program


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
