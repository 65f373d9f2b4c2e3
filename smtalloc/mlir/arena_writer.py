"""Arena plan -> module: each pool becomes one allocation of bytes, its members views of it at constant offsets.

    %pool = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
    %c256 = arith.constant 256 : index
    %b    = memref.view %pool[%c256][] : memref<4096xi8> to memref<8x8xf32>

With `get_pool` the memory is the runtime's: `%pool = hip.get_pool(%ctx, %c4096) {domain_id = N : i64} : memref<?xi8>`.

Slots of run-time size stand behind the blocks; their offsets and the size of the pool are computed in front of it:

    %bytes = arith.muli %n, %c256 : index
    %size  = arith.addi %bytes, %c4096 : index
    %pool  = memref.alloc(%size) {alignment = 64 : i64} : memref<?xi8>
    %b     = memref.view %pool[%c4096][%n] : memref<?xi8> to memref<?x64xf32>

The pool is allocated where its first member was, with the largest alignment that any asks for. If members were freed,
the pool is, once, behind its last use; never if one of them is returned. A pool with one member stays the allocation
that it was. Other allocations of run-time size share slots (writer.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, builtin, memref
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from smtalloc.arena_program import ProgramArena
from smtalloc.mlir.arithmetic import expression, index_constant, inserted, symbol_values
from smtalloc.mlir.foreign import SYNTAX, foreign_class
from smtalloc.mlir.layout import DYNAMIC
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.writer import Writer, after, allocation, put_view
from smtalloc.packing import POOL
from smtalloc.plan import FeasibleArena, OptimalArena, Pool, Slots, Tail
from smtalloc.program import InputError
from smtalloc.symbolic import Polynomial, constant

_GET_POOL = "hip.get_pool"
_SYNTAX = "(2:0 {} :"
"""How `hip.get_pool(%ctx, %size) {...} : type` is written (mlir/clauses.py)."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A buffer of a pool: its index, its allocation and its offset in bytes."""

    buffer: int
    op: memref.AllocOp
    offset: Polynomial


def apply_arena(model: FunctionModel, found: ProgramArena, *, domain: int | None = None) -> None:
    """Rewrite the function of `model` in place. The model is stale afterwards.

    `domain`: take the pool of space "" from the runtime, by hip.get_pool with this domain. Raises InputError where
    that cannot be, ValueError if there is no plan or a buffer may not move.
    """
    if not isinstance(found.verdict, (OptimalArena, FeasibleArena)):
        raise ValueError("there is no plan to write")
    writer = Writer(model)
    tails = {tail.pool: tail for tail in found.stacked.tails}
    pools = {pool.name: pool for pool in found.verdict.plan.pools}
    for name in dict.fromkeys((*pools, *tails)):
        pool, tail = pools.get(name, Pool(name, 0, ())), tails.get(name)
        taken = domain is not None and name == POOL
        if tail is None and len(pool.offsets) < 2 and not taken:
            continue
        members = sorted(_members(model, found, pool, tail), key=lambda member: writer.ordinals[member.op])
        computed = {} if tail is None else _computed(model, tail, members[0].op)
        size = pool.size_bytes if tail is None else computed[tail.size]
        value = _take(model, members, size, domain or 0) if taken else _allocate(model, members, size)
        _place(members, value, computed)
        if not taken:
            writer.free([member.buffer for member in members], value)
        else:
            writer.forget_deallocs([member.buffer for member in members])
    if found.slots is not None:
        pooled = {slot for tail in tails.values() for slot, _ in tail.offsets}
        members_of = found.slots.plan.members
        writer.apply_slots(Slots(tuple(members for slot, members in enumerate(members_of) if slot not in pooled)))


def _members(model: FunctionModel, found: ProgramArena, pool: Pool, tail: Tail | None) -> list[_Member]:
    where = [(found.buffers[b], constant(offset)) for b, offset in pool.offsets]
    for slot, offset in tail.offsets if tail is not None else ():
        assert found.slots is not None
        where += [(b, offset) for b in found.slots.plan.members[slot]]
    return [_Member(b, allocation(model, b), offset) for b, offset in where]


def _computed(model: FunctionModel, tail: Tail, op: Operation) -> dict[Polynomial, SSAValue]:
    """Offsets known only at run time, and the size, in front of an op; each from the one before it."""
    at = InsertPoint.before(op)
    ends = [*(offset for _, offset in tail.offsets), tail.size]
    symbols = symbol_values(model.func, sorted(frozenset[str]().union(*(end.symbols() for end in ends))), at)
    steps: dict[Polynomial, SSAValue] = {}
    found: dict[Polynomial, SSAValue] = {}
    last, value = constant(0), None
    for end in ends:
        step = end - last
        if end.value is None and step.terms:
            if step not in steps:
                steps[step] = expression(step, symbols, at)
            value = steps[step] if value is None else inserted(arith.AddiOp(value, steps[step]), at)
            found[end], last = value, end
    if tail.size not in found:
        found[tail.size] = index_constant(tail.size.value or 0, at)
    return found


def _allocate(model: FunctionModel, members: Sequence[_Member], size: int | SSAValue) -> SSAValue:
    """The pool's memory, in front of its first member."""
    space = members[0].op.memref.type.memory_space
    shape = [size] if isinstance(size, int) else [DYNAMIC]
    type_ = builtin.MemRefType(builtin.i8, shape, memory_space=space)
    alignment = max(model.program.buffers[member.buffer].alignment for member in members)
    aligned = builtin.IntegerAttr(alignment, 64) if alignment > 1 else None
    made = memref.AllocOp(() if isinstance(size, int) else (size,), (), type_, aligned)
    made.memref.name_hint = "pool"
    Rewriter.insert_op(made, InsertPoint.before(members[0].op))
    return made.memref


def _take(model: FunctionModel, members: Sequence[_Member], size: int | SSAValue, domain: int) -> SSAValue:
    """The pool's memory from the runtime, in front of its first member."""
    context = next((arg for arg in model.entry.args if str(arg.type) == "!hip.context"), None)
    if context is None or model.profile.rule(_GET_POOL).size_operand is None:
        raise InputError(f"--get-pool: @{model.program.name} has no !hip.context, or the profile no {_GET_POOL}")
    if any(op.name == _GET_POOL for op in model.func.walk()):
        raise InputError(f"--get-pool: @{model.program.name} takes a pool already")
    at = InsertPoint.before(members[0].op)
    made = foreign_class(_GET_POOL).create(
        operands=[context, index_constant(size, at) if isinstance(size, int) else size],
        result_types=[builtin.MemRefType(builtin.i8, [DYNAMIC])],
        properties={SYNTAX: builtin.StringAttr(_SYNTAX)},
        attributes={"domain_id": builtin.IntegerAttr(domain, 64)},
    )
    made.results[0].name_hint = "pool"
    Rewriter.insert_op(made, at)
    return made.results[0]


def _place(members: Sequence[_Member], value: SSAValue, computed: Mapping[Polynomial, SSAValue]) -> None:
    """Replace each member's allocation by a view, where the allocation stood; constants stand behind the pool."""
    offsets = dict(computed)
    last = value
    for number in sorted({offset for member in members if (offset := member.offset.value) is not None}):
        offsets[constant(number)] = last = index_constant(number, after(last))
    for member in members:
        view = memref.ViewOp(value, offsets[member.offset], member.op.dynamic_sizes, member.op.memref.type)
        put_view(member.op, view)
