"""Two function models -> Correspondence: what validate.py needs to judge a pass."""

from __future__ import annotations

from bisect import bisect_left

from xdsl.ir import Operation

from smtalloc.mlir.layout import element_bits
from smtalloc.mlir.match import Matching, match_functions
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.reader import location_of
from smtalloc.mlir.values import Numbering
from smtalloc.placement import Correspondence, Free, Place


def correspond(before: FunctionModel, after: FunctionModel) -> Correspondence:
    """Match the functions and say where each buffer went. Raises MismatchError."""
    matching = match_functions(before, after)
    placed = {b: place for b, place in matching.places.items() if not before.program.buffers[b].external}
    return Correspondence(
        before.program,
        after.program,
        matching.places,
        matching.moved,
        _frees(before, after, matching),
        frozenset(b for b, place in placed.items() if _fits(before, after, matching.numbering, b, place)),
        frozenset(
            b
            for b, place in placed.items()
            if _loop(before, b, matching.positions_before) != _loop(after, place.memory, matching.positions_after)
        ),
        frozenset(
            m for m, root in enumerate(after.roots) if root.op is not None and root.op.name == "memref.get_global"
        ),
        after.loose_frees,
        frozenset(ref.root for dealloc in before.deallocs for ref in dealloc.refs) | before.loose_frees,
        matching.assumptions,
        tuple((before.program.buffers[b].name, placed[b]) for b in sorted(placed)),
    )


def _loop(model: FunctionModel, buffer: int, positions: dict[Operation, int]) -> int | None:
    """The entry-block op that the allocation is inside of, as its matched position; None for one directly in there."""
    op = model.roots[buffer].op
    inside = False
    while op is not None and op.parent_op() is not model.func:
        op, inside = op.parent_op(), True
    return positions.get(op, -1) if op is not None and inside else None


def _frees(before: FunctionModel, after: FunctionModel, matching: Matching) -> tuple[Free, ...]:
    ordinals_before = {op: number for number, op in enumerate(before.entry.ops)}
    ordinals_after = {op: number for number, op in enumerate(after.entry.ops)}
    by_position = {p: ordinals_before[op] for op, p in matching.positions_before.items() if op in ordinals_before}
    pairs = sorted(
        (ordinals_after[op], by_position[p]) for op, p in matching.positions_after.items() if p in by_position
    )
    starts = [theirs for theirs, _ in pairs]
    found: list[Free] = []
    for dealloc in after.deallocs:
        at = bisect_left(starts, dealloc.ordinal) - 1
        behind = pairs[at][1] if at >= 0 else -1
        for ref in dealloc.refs:
            found.append(Free(ref.root, behind, len(dealloc.refs) == 1, location_of(dealloc.op)))
    return tuple(found)


def _fits(before: FunctionModel, after: FunctionModel, numbering: Numbering, buffer: int, place: Place) -> bool:
    """Is a buffer of run-time size provably no larger than its memory? The same dynamic sizes, no smaller a factor."""
    mine, theirs = before.roots[buffer].value, after.roots[place.memory].value
    if place.offset != 0 or mine is None or theirs is None or before.program.buffers[buffer].size_bytes is not None:
        return False
    needed, given = numbering.sizes(mine), numbering.sizes(theirs)
    types = [getattr(value.type, "element_type", None) for value in (mine, theirs)]
    if needed is None or given is None or types[0] is None or types[1] is None:
        return False
    bits = [element_bits(types[0], before.profile), element_bits(types[1], after.profile)]
    if bits[0] is None or bits[1] is None or needed[1] != given[1]:
        return False
    return needed[0] * bits[0] <= given[0] * bits[1]
