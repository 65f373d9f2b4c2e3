"""Slot plan -> module: each slot becomes one allocation, its members views of it.

    one element type:   %slot = memref.alloc() : memref<64xf32>
                        %b    = memref.reinterpret_cast %slot to offset: [0], sizes: [8, 8], strides: [8, 1]
    several:            %slot = memref.alloc() : memref<256xi8>
                        %b    = memref.view %slot[%c0][] : memref<256xi8> to memref<32xi64>

The slot is allocated where its first member was, so it dominates all of them, with the largest alignment that any asks
for. If members were freed, the slot is, once, behind its last use; never if one of them is returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, builtin, memref
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from smtalloc.mlir.layout import MemRef, as_memref, natural_alignment
from smtalloc.mlir.model import FunctionModel
from smtalloc.plan import Slots


@dataclass(frozen=True, slots=True)
class _Member:
    """A buffer of a slot: its index and its allocation."""

    buffer: int
    op: memref.AllocOp

    @property
    def type(self) -> MemRef:
        return self.op.memref.type


def apply_plan(model: FunctionModel, plan: Slots) -> None:
    """Rewrite the function of `model` in place. The model is stale afterwards.

    Raises ValueError if a slot of several members has one that may not move.
    """
    Writer(model).apply_slots(plan)


class Writer:
    """What the model says of the function as it was, while ops are replaced."""

    def __init__(self, model: FunctionModel) -> None:
        self.model = model
        self.ordinals = model.ordinals
        self._ends = _last_uses(model, self.ordinals)
        self._ops = {number: op for op, number in self.ordinals.items()}
        self._deallocs: dict[int, list[Operation]] = {}
        for dealloc in model.deallocs:
            for ref in dealloc.refs:
                self._deallocs.setdefault(ref.root, []).append(dealloc.op)

    def apply_slots(self, plan: Slots) -> None:
        """Each slot of several members becomes one allocation."""
        for slot, members in enumerate(plan.members):
            if len(members) < 2:
                continue
            found = sorted((_member(self.model, b) for b in members), key=lambda m: self.ordinals[m.op])
            value = _allocate(self.model, plan, slot, found)
            _move(found, value)
            self.free([member.buffer for member in found], value)

    def free(self, buffers: Sequence[int], value: SSAValue) -> None:
        """One deallocation of the memory behind its last use, if any of the buffers had one and none is returned."""
        if not self.forget_deallocs(buffers) or any(self.model.program.buffers[b].live_out for b in buffers):
            return
        last = max((self._ends[b] for b in buffers if b in self._ends), default=None)
        made = memref.DeallocOp.get(value)
        if last is None:  # nothing uses the memory
            Rewriter.insert_op(made, _after(value))
        elif self._ops[last].has_trait(IsTerminator):
            Rewriter.insert_op(made, InsertPoint.before(self._ops[last]))
        else:
            Rewriter.insert_op(made, InsertPoint.after(self._ops[last]))

    def forget_deallocs(self, buffers: Sequence[int]) -> bool:
        """Take the buffers' own deallocations away; were there any?"""
        old = {op: None for b in buffers for op in self._deallocs.get(b, ())}
        for op in old:
            Rewriter.erase_op(op)
        return bool(old)


def _member(model: FunctionModel, buffer: int) -> _Member:
    op = model.roots[buffer].op
    if not model.program.buffers[buffer].movable or not isinstance(op, memref.AllocOp):
        raise ValueError(f"{model.program.buffers[buffer].name} cannot move")
    return _Member(buffer, op)


def _last_uses(model: FunctionModel, ordinals: dict[Operation, int]) -> dict[int, int]:
    """Per buffer, the last op of the entry block that uses it or an alias, deallocations aside."""
    ends: dict[int, int] = {}
    for value, refs in model.refs.items():
        for use in value.uses:
            op: Operation | None = use.operation
            if model.profile.rule(use.operation.name).frees is not None:
                continue
            while op is not None and op not in ordinals:
                op = op.parent_op()
            if op is not None:
                for ref in refs:
                    ends[ref.root] = max(ends.get(ref.root, 0), ordinals[op])
    return ends


def _allocate(model: FunctionModel, plan: Slots, slot: int, members: list[_Member]) -> SSAValue:
    """The slot's memory, in front of its first member."""
    first = members[0].op
    size = plan.size_bytes(slot, model.program)
    elements = {m.type.element_type for m in members}
    if size is None:
        type_, dynamic = members[0].type, first.dynamic_sizes
    elif len(elements) == 1:
        largest = max(members, key=lambda m: model.program.buffers[m.buffer].size_bytes or 0)
        type_, dynamic = largest.type, ()
    else:
        type_ = builtin.MemRefType(builtin.i8, [size], memory_space=members[0].type.memory_space)
        dynamic = ()
    alignment = plan.alignment(slot, model.program)
    natural = natural_alignment(type_.element_type, model.profile)
    asked = builtin.IntegerAttr(alignment, 64) if alignment > natural else None
    made = memref.AllocOp(tuple(dynamic), (), type_, asked)
    made.memref.name_hint = "slot"
    Rewriter.insert_op(made, InsertPoint.before(first))
    return made.memref


def _move(members: list[_Member], value: SSAValue) -> None:
    """Replace each member's allocation by a view of the slot, where the allocation stood."""
    zero: SSAValue | None = None
    for member in members:
        if member.type == value.type:
            member.op.memref.replace_all_uses_with(value)
            Rewriter.erase_op(member.op)
            continue
        slot = as_memref(value.type)
        if slot is not None and slot.element_type == member.type.element_type:
            view: Operation = reinterpreted(value, member.type)
        else:
            if zero is None:
                constant = arith.ConstantOp(builtin.IntegerAttr(0, builtin.IndexType()))
                constant.result.name_hint = "c0"
                Rewriter.insert_op(constant, _after(value))
                zero = constant.result
            view = memref.ViewOp(value, zero, (), member.type)
        view.results[0].name_hint = member.op.memref.name_hint
        Rewriter.insert_op(view, InsertPoint.before(member.op))
        member.op.memref.replace_all_uses_with(view.results[0])
        Rewriter.erase_op(member.op)


def _after(value: SSAValue) -> InsertPoint:
    owner = value.owner
    assert isinstance(owner, Operation)
    return InsertPoint.after(owner)


def reinterpreted(value: SSAValue, type_: MemRef) -> memref.ReinterpretCastOp:
    """The start of the memory under another static shape, row-major."""
    strides: list[int] = []
    running = 1
    for size in reversed(type_.get_shape()):
        strides.insert(0, running)
        running *= size
    return memref.ReinterpretCastOp(value, (), (), (), [0], list(type_.get_shape()), strides, type_)
