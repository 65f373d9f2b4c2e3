"""Arena plan -> module: each pool becomes one allocation of bytes, its members views of it at constant offsets.

    %pool = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
    %c256 = arith.constant 256 : index
    %b    = memref.view %pool[%c256][] : memref<4096xi8> to memref<8x8xf32>

With `get_pool` the memory is the runtime's: `%pool = hip.get_pool(%ctx, %c4096) {domain_id = N : i64} : memref<?xi8>`.

The pool is allocated where its first member was, with the largest alignment that any asks for. If members were freed,
the pool is, once, behind its last use; never if one of them is returned. A pool with one member stays the allocation
that it was. Allocations of run-time size share slots (writer.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, builtin, memref
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from smtalloc.arena_program import ProgramArena
from smtalloc.mlir.foreign import SYNTAX, foreign_class
from smtalloc.mlir.layout import DYNAMIC
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.writer import Writer
from smtalloc.packing import POOL
from smtalloc.plan import FeasibleArena, OptimalArena, Pool
from smtalloc.program import InputError

_GET_POOL = "hip.get_pool"
_SYNTAX = "(2:0 {} :"
"""How `hip.get_pool(%ctx, %size) {...} : type` is written (mlir/clauses.py)."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A buffer of a pool: its index, its allocation and its offset in bytes."""

    buffer: int
    op: memref.AllocOp
    offset: int


def apply_arena(model: FunctionModel, found: ProgramArena, *, domain: int | None = None) -> None:
    """Rewrite the function of `model` in place. The model is stale afterwards.

    `domain`: take the pool of space "" from the runtime, by hip.get_pool with this domain. Raises InputError where
    that cannot be, ValueError if there is no plan or a buffer may not move.
    """
    if not isinstance(found.verdict, (OptimalArena, FeasibleArena)):
        raise ValueError("there is no plan to write")
    writer = Writer(model)
    for pool in found.verdict.plan.pools:
        if len(pool.offsets) < 2 and not (domain is not None and pool.name == POOL):
            continue
        members = [_member(model, found.buffers[b], offset) for b, offset in pool.offsets]
        members.sort(key=lambda member: writer.ordinals[member.op])
        taken = domain is not None and pool.name == POOL
        value = _take(model, members, pool, domain or 0) if taken else _allocate(model, members, pool)
        _place(members, value)
        if not taken:
            writer.free([member.buffer for member in members], value)
        else:
            writer.forget_deallocs([member.buffer for member in members])
    if found.slots is not None:
        writer.apply_slots(found.slots.plan)


def _member(model: FunctionModel, buffer: int, offset: int) -> _Member:
    op = model.roots[buffer].op
    if not model.program.buffers[buffer].movable or not isinstance(op, memref.AllocOp):
        raise ValueError(f"{model.program.buffers[buffer].name} cannot move")
    return _Member(buffer, op, offset)


def _allocate(model: FunctionModel, members: Sequence[_Member], pool: Pool) -> SSAValue:
    """The pool's memory, in front of its first member."""
    space = members[0].op.memref.type.memory_space
    type_ = builtin.MemRefType(builtin.i8, [pool.size_bytes], memory_space=space)
    alignment = max(model.program.buffers[member.buffer].alignment for member in members)
    made = memref.AllocOp((), (), type_, builtin.IntegerAttr(alignment, 64) if alignment > 1 else None)
    made.memref.name_hint = "pool"
    Rewriter.insert_op(made, InsertPoint.before(members[0].op))
    return made.memref


def _take(model: FunctionModel, members: Sequence[_Member], pool: Pool, domain: int) -> SSAValue:
    """The pool's memory from the runtime, in front of its first member."""
    context = next((arg for arg in model.entry.args if str(arg.type) == "!hip.context"), None)
    where = members[0].op
    if context is None or model.profile.rule(_GET_POOL).size_operand is None:
        raise InputError(f"--get-pool: @{model.program.name} has no !hip.context, or the profile no {_GET_POOL}")
    if any(op.name == _GET_POOL for op in model.func.walk()):
        raise InputError(f"--get-pool: @{model.program.name} takes a pool already")
    size = _constant(pool.size_bytes)
    type_ = builtin.MemRefType(builtin.i8, [DYNAMIC])
    made = foreign_class(_GET_POOL).create(
        operands=[context, size.result],
        result_types=[type_],
        properties={SYNTAX: builtin.StringAttr(_SYNTAX)},
        attributes={"domain_id": builtin.IntegerAttr(domain, 64)},
    )
    made.results[0].name_hint = "pool"
    Rewriter.insert_op(size, InsertPoint.before(where))
    Rewriter.insert_op(made, InsertPoint.before(where))
    return made.results[0]


def _constant(value: int) -> arith.ConstantOp:
    made = arith.ConstantOp(builtin.IntegerAttr(value, builtin.IndexType()))
    made.result.name_hint = f"c{value}"
    return made


def _place(members: Sequence[_Member], value: SSAValue) -> None:
    """Replace each member's allocation by a view, where the allocation stood; constants stand behind the pool."""
    owner = value.owner
    assert isinstance(owner, Operation)
    constants: dict[int, SSAValue] = {}
    last = owner
    for offset in sorted({member.offset for member in members}):
        made = _constant(offset)
        Rewriter.insert_op(made, InsertPoint.after(last))
        constants[offset], last = made.result, made
    for member in members:
        view = memref.ViewOp(value, constants[member.offset], (), member.op.memref.type)
        view.results[0].name_hint = member.op.memref.name_hint
        Rewriter.insert_op(view, InsertPoint.before(member.op))
        member.op.memref.replace_all_uses_with(view.results[0])
        Rewriter.erase_op(member.op)
