"""Memory that BEFORE gives back and AFTER keeps. No read sees that, but a pass must not do it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from smtalloc.placement import Correspondence, Kind


@dataclass(frozen=True, slots=True)
class Leak:
    """An allocation of AFTER that is never freed; `arena` if it is one of a planner's own, laid out in views."""

    text: str
    arena: bool


def leaks(found: Correspondence) -> Iterator[Leak]:
    """Allocations of AFTER that nobody frees, returns or keeps, though BEFORE frees every buffer in them.

    Where BEFORE leaves one of them to the end of the process, AFTER may do so too. MLIR's static memory planner never
    frees its arena (llvm #205125): one memory for all calls is what it is for.
    """
    freed = {free.memory for free in found.frees} | found.loose_frees
    for memory, inside in sorted(found.members.items()):
        own = found.kinds.get(memory, Kind.ALLOCATION) is Kind.ALLOCATION
        buffer, before = found.after.buffers[memory], [found.before.buffers[index] for index in inside]
        if not own or memory in freed or buffer.live_out or buffer.external:
            continue
        if all(index in found.freed_before and index not in found.escaped for index in inside):
            names = ", ".join(b.name for b in before)
            text = f"{buffer.name} is never freed; before, {names} {'is' if len(inside) == 1 else 'are'}"
            yield Leak(text, all(b.type != buffer.type for b in before))
