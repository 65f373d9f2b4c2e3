"""Slot plan -> module: each slot becomes one allocation, its members views of it.

    one element type:   %slot = memref.alloc() : memref<64xf32>
                        %b    = memref.reinterpret_cast %slot to offset: [0], sizes: [8, 8], strides: [8, 1]
    several:            %slot = memref.alloc() : memref<256xi8>
                        %b    = memref.view %slot[%c0][] : memref<256xi8> to memref<32xi64>
    sizes that depend   %slot = memref.alloc(%n) : memref<?x256xi8>
    on dimensions:      %flat = memref.collapse_shape %slot [[0, 1]] : memref<?x256xi8> into memref<?xi8>
                        %b    = memref.view %flat[%c0][%n] : memref<?xi8> to memref<?x64xf32>

The slot is allocated where its first member was, so it dominates all of them, with the largest alignment that any asks
for. If members were freed, the slot is, once, behind its last use; never if one of them is returned. A slot of run-time
size has the size of the member that is proven to be large enough for all; where that is computed too late, a copy of
the computation stands in front of the slot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, builtin, memref
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from smtalloc.mlir.arithmetic import available, index_constant, inserted, product
from smtalloc.mlir.layout import DYNAMIC, MemRef, as_memref, element_bits, natural_alignment
from smtalloc.mlir.model import FunctionModel
from smtalloc.order import holder_of
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
            found = sorted((_Member(b, allocation(self.model, b)) for b in members), key=lambda m: self.ordinals[m.op])
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
            Rewriter.insert_op(made, after(value))
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


def allocation(model: FunctionModel, buffer: int) -> memref.AllocOp:
    """The op that allocates a buffer. Raises ValueError where it may not move."""
    op = model.roots[buffer].op
    if not model.program.buffers[buffer].movable or not isinstance(op, memref.AllocOp):
        raise ValueError(f"{model.program.buffers[buffer].name} cannot move")
    return op


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
    if any(model.program.buffers[m.buffer].size is not None for m in members):
        type_, dynamic = _symbolic_size(model, members, one_type=len(elements) == 1)
    elif size is None:
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


def _symbolic_size(
    model: FunctionModel, members: list[_Member], *, one_type: bool
) -> tuple[MemRef, tuple[SSAValue, ...]]:
    """Type and size operands of a slot whose size depends on dimensions: those of the member that holds all."""
    holder = holder_of(model.program, [m.buffer for m in members])
    member = next((m for m in members if m.buffer == holder), None)
    if member is None:
        raise ValueError(f"no member of the slot of {model.program.buffers[members[0].buffer].name} holds the others")
    sizes = available(member.op.dynamic_sizes, members[0].op)
    if one_type:
        return member.type, sizes
    bits = element_bits(member.type.element_type, model.profile) or 8
    space, known = member.type.memory_space, model.program.buffers[member.buffer]
    if known.size is None and known.size_bytes is not None:
        return builtin.MemRefType(builtin.i8, [known.size_bytes], memory_space=space), ()
    static = math.prod(size for size in member.type.get_shape() if size != DYNAMIC) * bits
    if static % 8 == 0:  # as many dimensions as there are sizes: whoever allocates multiplies, and knows overflow
        shape = [DYNAMIC] * len(sizes) + [static // 8]
        return builtin.MemRefType(builtin.i8, shape, memory_space=space), sizes
    at = InsertPoint.before(members[0].op)
    whole = inserted(arith.CeilDivUIOp(product([*sizes, static], at), index_constant(8, at)), at)
    return builtin.MemRefType(builtin.i8, [DYNAMIC], memory_space=space), (whole,)


def _flat(value: SSAValue) -> SSAValue:
    """As a memref of one dimension, which `memref.view` asks for."""
    type_ = as_memref(value.type)
    if type_ is None or len(type_.get_shape()) == 1:
        return value
    rank = len(type_.get_shape())
    groups = builtin.ArrayAttr([builtin.ArrayAttr([builtin.IntegerAttr(i, 64) for i in range(rank)])])
    flat = builtin.MemRefType(type_.element_type, [DYNAMIC], memory_space=type_.memory_space)
    made = memref.CollapseShapeOp(operands=[value], result_types=[flat], properties={"reassociation": groups})
    made.result.name_hint = "flat"
    Rewriter.insert_op(made, after(value))
    return made.result


def _move(members: list[_Member], value: SSAValue) -> None:
    """Replace each member's allocation by a view of the slot, where the allocation stood."""
    zero: SSAValue | None = None
    flat = value
    slot_sizes = tuple(value.owner.operands) if isinstance(value.owner, Operation) else ()
    for member in members:
        if member.type == value.type and tuple(member.op.dynamic_sizes) == slot_sizes:
            member.op.memref.replace_all_uses_with(value)
            Rewriter.erase_op(member.op)
            continue
        slot = as_memref(value.type)
        if slot is not None and slot.element_type == member.type.element_type:
            view: Operation = reinterpreted(value, member.type, member.op.dynamic_sizes, InsertPoint.before(member.op))
        else:
            if zero is None:
                zero = index_constant(0, after(value))
                flat = _flat(value)
            view = memref.ViewOp(flat, zero, member.op.dynamic_sizes, member.type)
        put_view(member.op, view)


def put_view(op: memref.AllocOp, view: Operation) -> None:
    """The view stands where the allocation was, under its name."""
    view.results[0].name_hint = op.memref.name_hint
    Rewriter.insert_op(view, InsertPoint.before(op))
    op.memref.replace_all_uses_with(view.results[0])
    Rewriter.erase_op(op)


def after(value: SSAValue) -> InsertPoint:
    """Behind the op that gives the value."""
    owner = value.owner
    assert isinstance(owner, Operation)
    return InsertPoint.after(owner)


def reinterpreted(
    value: SSAValue, type_: MemRef, sizes: Sequence[SSAValue] = (), at: InsertPoint | None = None
) -> memref.ReinterpretCastOp:
    """The start of the memory under another shape, row-major; `sizes` are the dynamic ones. What computes strides goes
    to `at`."""
    shape, dynamic = type_.get_shape(), list(sizes)
    strides: list[int] = []
    computed: list[SSAValue] = []
    running: list[SSAValue | int] = [1]
    for size in reversed(shape):
        static = math.prod(factor for factor in running if isinstance(factor, int))
        values = [factor for factor in running if not isinstance(factor, int)]
        strides.insert(0, DYNAMIC if values else static)
        if values and at is not None:
            stride = product([*values, static], at)
            computed.insert(0, stride)
            running = [stride]
        running.append(dynamic.pop() if size == DYNAMIC else size)
    return memref.ReinterpretCastOp(value, (), tuple(sizes), tuple(computed), [0], list(shape), strides, type_)
