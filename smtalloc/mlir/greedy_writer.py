"""The greedy pass's slots -> module, as `hip-optimize-memrefs` itself writes it (with its faults).

A reuser becomes the slot's first buffer, through `memref.reinterpret_cast` where the types differ; its own `dealloc`
goes away; one that is returned also takes the slot's `dealloc` away, but only if it is returned itself (not a view of
it) and its type is the slot's. Alignments stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, memref
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.writer import reinterpreted


def apply_greedy(model: FunctionModel, buffers: Sequence[int], openers: Sequence[int]) -> None:
    """Rewrite the function in place; `openers[i]` is the position in `buffers` of what opened the slot of the i-th."""
    allocations: list[memref.AllocOp] = []
    for buffer in buffers:
        op = model.roots[buffer].op
        assert isinstance(op, memref.AllocOp)
        allocations.append(op)
    for position, opener in enumerate(openers):
        if opener == position:
            continue
        mine, slot = allocations[position], allocations[opener].memref
        for dealloc in _deallocs(mine.memref):
            Rewriter.erase_op(dealloc)
        if mine.memref.type == slot.type:
            if any(isinstance(use.operation, func.ReturnOp) for use in mine.memref.uses):
                for dealloc in _deallocs(slot):
                    Rewriter.erase_op(dealloc)
            mine.memref.replace_all_uses_with(slot)
        else:
            view = reinterpreted(slot, mine.memref.type)
            Rewriter.insert_op(view, InsertPoint.before(mine))
            mine.memref.replace_all_uses_with(view.result)
        Rewriter.erase_op(mine)


def _deallocs(value: SSAValue) -> list[memref.DeallocOp]:
    return [use.operation for use in value.uses if isinstance(use.operation, memref.DeallocOp)]
