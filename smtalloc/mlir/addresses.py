"""Are two memrefs the same view of their memory? And how far has the memory moved?

A memref is *placed* where base pointer, static offset and strides say at which bytes of its root it lies. Two placed
memrefs are compared by that. Otherwise the views that lead to them must be the same, one by one, up to the point where
both are placed, or where both are one value that the matcher bound (a loop argument, a select).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from xdsl.dialects import builtin
from xdsl.ir import OpResult, SSAValue

from smtalloc.mlir.aliases import CASTS, VIEWS
from smtalloc.mlir.layout import as_memref, element_bits, strides_of
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.values import MEMORY, Numbering


class OtherViewError(Exception):
    """The two memrefs are not the same view of whatever memory they name."""


@dataclass(frozen=True, slots=True)
class Displacement:
    """How many bytes the memory of AFTER lies behind that of BEFORE; None where only run time tells.

    `base` are the views of AFTER that stand for the run-time part: it must be the same for all uses of a buffer.
    """

    bytes: int | None
    base: tuple[Hashable, ...] = ()
    starts: tuple[SSAValue, SSAValue] | None = field(default=None, compare=False)
    """The memory of BEFORE and what is in its place in AFTER, where only run time tells how far it has moved."""
    bound: bool = False
    """Both are one value that the matcher bound: how far its memory has moved was seen where it was bound."""


def peeled(value: SSAValue) -> SSAValue:
    """Without the casts around it, which change neither address nor strides."""
    while isinstance(value, OpResult) and value.op.name in CASTS:
        value = value.op.operands[0]
    return value


def displacement(
    numbering: Numbering, before: FunctionModel, after: FunctionModel, mine: SSAValue, theirs: SSAValue
) -> Displacement:
    """Compare a memref of BEFORE with its counterpart of AFTER. Raises OtherViewError."""
    left, right = _placed(before, mine), _placed(after, theirs)
    if left is not None and right is not None:
        if left[1] != right[1] or (right[0] - left[0]) % 8:
            raise OtherViewError
        return Displacement((right[0] - left[0]) // 8)
    steps, end = _chain(numbering, mine)
    their_steps, their_end = _chain(numbering, theirs)
    count = len(steps)
    if [key for key, _ in steps] != [key for key, _ in their_steps[:count]]:
        raise OtherViewError
    terminal, their_terminal = numbering.terminal(end), numbering.terminal(their_end)
    if terminal != MEMORY or their_terminal != MEMORY:
        if terminal != their_terminal or len(their_steps) != count:
            raise OtherViewError
        return Displacement(0, bound=True)
    start = steps[-1][1] if steps else mine
    their_start = their_steps[count - 1][1] if count else theirs
    left, right = _placed(before, start), _placed(after, their_start)
    if left is not None and right is not None and left[1] == right[1] and (right[0] - left[0]) % 8 == 0:
        return Displacement((right[0] - left[0]) // 8)
    if len(their_steps) == count and peeled(start).type == peeled(their_start).type:
        return Displacement(0)
    return Displacement(None, tuple(key for key, _ in their_steps[count:]), (start, their_start))


def _placed(model: FunctionModel, value: SSAValue) -> tuple[int, Hashable] | None:
    """(first bit in the root, strides) of a memref that names one root at a known place."""
    value = peeled(value)
    refs, type_ = model.refs.get(value, ()), as_memref(value.type)
    if len(refs) != 1 or refs[0].base is None or type_ is None:
        return None
    bits, layout = element_bits(type_.element_type, model.profile), strides_of(type_)
    if bits is None or layout is None or layout[0] is None:
        return None
    start = refs[0].base * 8 + layout[0] * bits
    known = [stride for stride, size in zip(layout[1], type_.get_shape(), strict=True) if size != 1]
    if None not in known:
        return start, tuple(known)
    return (start, "row-major") if isinstance(type_.layout, builtin.NoneAttr) else None


def _chain(numbering: Numbering, value: SSAValue) -> tuple[list[tuple[Hashable, SSAValue]], SSAValue]:
    """(view, its source) from the value towards its memory, casts left out; and what the last one views."""
    steps: list[tuple[Hashable, SSAValue]] = []
    value = peeled(value)
    while not numbering.is_bound(value) and isinstance(value, OpResult) and value.op.name in VIEWS:
        op = value.op
        steps.append(((numbering.view(op), value.index, numbering.shape(op.operands[0])), op.operands[0]))
        value = peeled(op.operands[0])
    return steps, value
