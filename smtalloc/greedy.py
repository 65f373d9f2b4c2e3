"""`hip-optimize-memrefs`, faithfully: greedy slot reuse by op order (ROCm hip-ep, OptimizeMemRefs).

Each allocation, in program order, takes the dead slot that wastes least; engines are not looked at. This is the pass
that smtalloc checks, not one to use: `verify` shows where it is unsound. The fixed variant (ROCm hip-ep #1389) leaves
out every allocation that the host loads from or stores to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """One `memref.alloc` of the entry block, as the pass sees it.

    `start` is its op number, `end` the highest op number of a user of it or of an alias (0 where nothing but a
    `dealloc` uses it). `size_bytes` counts bits per element, rounded up in total; 0 where a dimension is dynamic.
    """

    name: str
    start: int
    end: int
    size_bytes: int
    type: str
    element_type: str
    space: str
    size_operands: tuple[str, ...]
    host_accessed: bool


@dataclass(slots=True)
class _Slot:
    opener: int
    end: int


def greedy_slots(candidates: Sequence[Candidate], *, exclude_host_accessed: bool = False) -> tuple[int, ...]:
    """For each candidate, in program order, the index of the candidate that opened its slot.

    `exclude_host_accessed` is the fixed variant: such an allocation neither takes nor offers a slot.
    """
    slots: list[_Slot] = []
    chosen: list[int] = []
    for index, candidate in enumerate(candidates):
        if exclude_host_accessed and candidate.host_accessed:
            chosen.append(index)
            continue
        slot = _best_dead_slot(candidates, slots, candidate)
        if slot is None:
            slots.append(_Slot(index, candidate.end))
            chosen.append(index)
        else:
            slot.end = candidate.end
            chosen.append(slot.opener)
    return tuple(chosen)


def _best_dead_slot(candidates: Sequence[Candidate], slots: Sequence[_Slot], wanted: Candidate) -> _Slot | None:
    best: _Slot | None = None
    least = 0
    for slot in slots:
        opener = candidates[slot.opener]
        if slot.end >= wanted.start or not _compatible(opener, wanted):
            continue
        waste = opener.size_bytes - wanted.size_bytes
        if best is None or waste < least:
            best, least = slot, waste
        if waste == 0:
            break
    return best


def _compatible(opener: Candidate, wanted: Candidate) -> bool:
    """Sizes of 0 (dynamic, or no elements) need identical types and size operands, all others a slot large enough."""
    if (opener.element_type, opener.space) != (wanted.element_type, wanted.space):
        return False
    if opener.size_bytes and wanted.size_bytes:
        return opener.size_bytes >= wanted.size_bytes
    return opener.size_bytes == wanted.size_bytes and (
        (opener.type, opener.size_operands) == (wanted.type, wanted.size_operands)
    )
