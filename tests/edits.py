"""Single edits to the output of a memory pass, on its ops: what a bug in such a pass might do.

Each edit takes both functions as models (fresh ones: they are changed in place) and a source of random numbers, and
says whether it could be made. `drop_readback` takes the wait out of both modules, since a pass does not remove ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from xdsl.dialects import arith, builtin, memref
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from smtalloc.mlir.layout import DYNAMIC, as_memref, element_bits
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.session import load_text
from smtalloc.mlir.writer import reinterpreted

Edit = Callable[[FunctionModel, FunctionModel, Random], bool]


@dataclass(frozen=True, slots=True)
class _Use:
    """An operand of AFTER, and the buffer of BEFORE that stands there in BEFORE."""

    op: Operation
    operand: int
    buffer: int


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a buffer of BEFORE lives in AFTER."""

    root: int
    offset: int


def _uses(before: FunctionModel, after: FunctionModel) -> Iterator[tuple[_Use, _Home]]:
    """Uses by actions and by the return, in order."""
    mine, theirs = list(before.entry.ops), list(after.entry.ops)
    paired = [(mine[b.ordinal], theirs[a.ordinal])
              for b, a in zip(before.program.actions, after.program.actions, strict=True)]  # fmt: skip
    for b, a in (*paired, (mine[-1], theirs[-1])):
        for number, (value, other) in enumerate(zip(b.operands, a.operands, strict=True)):
            refs, places = before.refs.get(value, ()), after.refs.get(other, ())
            if len(refs) == len(places) == 1 and not before.program.buffers[refs[0].root].external:
                base = places[0].base
                if base is not None and refs[0].base == 0:
                    yield _Use(a, number, refs[0].root), _Home(places[0].root, base)


def _homes(before: FunctionModel, after: FunctionModel) -> dict[int, _Home]:
    return {use.buffer: home for use, home in _uses(before, after)}


def _put(after: FunctionModel, uses: list[_Use], home: _Home) -> bool:
    """Let the uses name other memory. False where no view can say that."""
    root = after.roots[home.root]
    memory = as_memref(root.value.type) if root.value is not None else None
    if memory is None or root.value is None or not uses:
        return False
    if root.op is not None and not root.op.operands:
        root.op.detach()
        Rewriter.insert_op(root.op, InsertPoint.at_start(after.entry))
    elif root.op is not None and any(use.op.is_before_in_block(root.op) for use in uses):
        return False
    for use in uses:
        type_ = as_memref(use.op.operands[use.operand].type)
        if type_ is None or type_.layout != builtin.NoneAttr():
            return False
        view = _view(after, root.value, home.offset, type_, use.op)
        if view is None or (use.op.has_trait(IsTerminator) and view.type != type_):
            return False
        use.op.operands[use.operand] = view
    return True


def _view(model: FunctionModel, value: SSAValue, offset: int, type_: object, before: Operation) -> SSAValue | None:
    """The memory from a byte offset on, as a memref of the type."""
    memory, wanted = as_memref(value.type), type_ if isinstance(type_, builtin.MemRefType) else None  # type: ignore[arg-type]
    assert memory is not None and wanted is not None
    if offset == 0 and memory == wanted:
        return value
    if DYNAMIC in wanted.get_shape():
        return None
    if memory.element_type == builtin.i8 and len(memory.get_shape()) == 1:
        made: Operation = memref.ViewOp(value, _constant(offset, before), (), wanted)
    elif memory.element_type == wanted.element_type:
        size = (element_bits(memory.element_type, model.profile) or 0) // 8
        if not size or offset % size:
            return None
        made = _reinterpreted(value, offset // size, wanted)
    else:
        return None
    Rewriter.insert_op(made, InsertPoint.before(before))
    return made.results[0]


def _reinterpreted(value: SSAValue, elements: int, type_: memref.MemRefType) -> Operation:  # type: ignore[type-arg]
    made = reinterpreted(value, type_)
    if elements:
        strides = made.static_strides.get_values()
        layout = builtin.StridedLayoutAttr(list(strides), elements)
        shifted = builtin.MemRefType(type_.element_type, type_.get_shape(), layout, type_.memory_space)
        made = memref.ReinterpretCastOp(value, (), (), (), [elements], list(type_.get_shape()), list(strides), shifted)
    return made


def _constant(value: int, before: Operation) -> SSAValue:
    made = arith.ConstantOp(builtin.IntegerAttr(value, builtin.IndexType()))
    Rewriter.insert_op(made, InsertPoint.before(before))
    return made.result


def _ops(model: FunctionModel, *names: str) -> list[Operation]:
    return [op for op in model.entry.ops if op.name in names]


def into_a_pool(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """No edit, but an output to edit: AFTER is BEFORE again, with its buffers at random offsets of one memory."""
    uses: dict[int, list[_Use]] = {}
    for use, _ in _uses(before, after):
        uses.setdefault(use.buffer, []).append(use)
    chosen = [b for b in uses if not before.program.buffers[b].live_out and random.random() < 0.9]
    size, step = 64 * (1 + len(chosen)), 64
    pool = memref.AllocOp((), (), builtin.MemRefType(builtin.i8, [size]), builtin.IntegerAttr(256, 64))
    Rewriter.insert_op(pool, InsertPoint.at_start(after.entry))
    for buffer in chosen:
        offset = step * random.randrange(max(1, len(chosen)))
        for use in uses[buffer]:
            type_ = use.op.operands[use.operand].type
            view = _view(after, pool.memref, offset, type_, use.op)
            assert view is not None
            use.op.operands[use.operand] = view
        root = after.roots[buffer].op
        for dealloc in after.deallocs:
            if dealloc.refs[0].root == buffer:
                Rewriter.erase_op(dealloc.op)
        if root is not None and not list(root.results[0].uses):
            Rewriter.erase_op(root)
    return bool(chosen)


# --- edits -----------------------------------------------------------------------------------------------------


def swap_two_slots(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """Two buffers change places."""
    homes = _homes(before, after)
    if len(homes) < 2:
        return False
    one, other = random.sample(sorted(homes), 2)
    uses = [use for use, _ in _uses(before, after)]
    return _put(after, [u for u in uses if u.buffer == one], homes[other]) and _put(
        after, [u for u in uses if u.buffer == other], homes[one]
    )


def share_a_slot(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """A buffer moves to where another one is."""
    homes = _homes(before, after)
    if len(homes) < 2:
        return False
    one, other = random.sample(sorted(homes), 2)
    return _put(after, [use for use, _ in _uses(before, after) if use.buffer == one], homes[other])


def retarget_a_view(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """One op gets the memory of another buffer."""
    uses = [*_uses(before, after)]
    if not uses:
        return False
    use, _ = random.choice(uses)
    return _put(after, [use], random.choice(uses)[1])


def shift_a_view(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """A view starts a few bytes earlier or later: for all its uses, or for one op."""
    views = _ops(after, "memref.view")
    step = random.choice((-64, -16, -8, -4, 4, 8, 16, 32, 64, 256))
    if views and random.random() < 0.7:
        view = random.choice(views)
        old = next((ref.base for ref in after.refs[view.results[0]]), None)
        if old is None or old + step < 0:
            return False
        view.operands[1] = _constant(old + step, view)
        return True
    uses = [*_uses(before, after)]
    if not uses:
        return False
    use, home = random.choice(uses)
    chosen = [use] if random.random() < 0.5 else [u for u, _ in uses if u.buffer == use.buffer]
    return home.offset + step >= 0 and _put(after, chosen, _Home(home.root, home.offset + step))


def move_a_dealloc_up(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """A deallocation comes earlier, but not before what it frees."""
    deallocs = _ops(after, "memref.dealloc")
    if not deallocs:
        return False
    op = random.choice(deallocs)
    ops = list(after.entry.ops)
    first = ops.index(op.operands[0].owner) + 1 if op.operands[0].owner in ops else 0  # type: ignore[arg-type]
    if first >= ops.index(op):
        return False
    target = ops[random.randrange(first, ops.index(op))]
    op.detach()
    Rewriter.insert_op(op, InsertPoint.before(target))
    return True


def free_twice(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """Frees memory again, or memory that was not to be freed."""
    deallocs = _ops(after, "memref.dealloc")
    allocs = _ops(after, "memref.alloc")
    if deallocs and (not allocs or random.random() < 0.5):
        freed = random.choice(deallocs).operands[0]
    elif allocs:
        freed = random.choice(allocs).results[0]
    else:
        return False
    Rewriter.insert_op(memref.DeallocOp.get(freed), InsertPoint.before(list(after.entry.ops)[-1]))
    return True


def drop_a_readback(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """One wait fewer, in both modules; where its result is used, the value comes from elsewhere."""
    mine, theirs = (_ops(m, "hip.readback_scalar") for m in (before, after))
    if not mine or len(mine) != len(theirs):
        return False
    number = random.randrange(len(mine))
    for model, op in ((before, mine[number]), (after, theirs[number])):
        argument = next((a for a in model.entry.args if a.type == op.results[0].type), None)
        if argument is not None:
            op.results[0].replace_all_uses_with(argument)
        elif list(op.results[0].uses):
            return False
        Rewriter.erase_op(op)
    return True


def shrink_an_alloc(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """An allocation, or a pool, of fewer bytes."""
    pools = _ops(after, "hip.get_pool", "hip.get_host_scratch")
    allocs = [op for op in _ops(after, "memref.alloc") if not op.operands]
    if pools and (not allocs or random.random() < 0.5):
        pool = random.choice(pools)
        size = next(after.program.buffers[ref.root].size_bytes for ref in after.refs[pool.results[0]])
        if not size:
            return False
        pool.operands[1] = _constant(max(0, size - random.choice((1, 8, 64, 256))), pool)
        return True
    if not allocs:
        return False
    op = random.choice(allocs)
    type_ = as_memref(op.results[0].type)
    if type_ is None or DYNAMIC in type_.get_shape() or type_.layout != builtin.NoneAttr():
        return False
    count = 1
    for size in type_.get_shape():
        count *= size
    if count < 2:
        return False
    smaller = builtin.MemRefType(type_.element_type, [max(1, count - random.choice((1, 1, 4, 8)))], builtin.NoneAttr(),
                                 type_.memory_space)  # fmt: skip
    made = memref.AllocOp((), (), smaller, op.properties.get("alignment"))  # type: ignore[arg-type]
    Rewriter.insert_op(made, InsertPoint.before(op))
    cast = reinterpreted(made.memref, type_)
    Rewriter.insert_op(cast, InsertPoint.before(op))
    for use in list(op.results[0].uses):
        freed = use.operation.name == "memref.dealloc"
        use.operation.operands[use.index] = made.memref if freed else cast.results[0]
    Rewriter.erase_op(op)
    return True


def lower_an_alignment(before: FunctionModel, after: FunctionModel, random: Random) -> bool:
    """An allocation asks for less."""
    allocs = [op for op in _ops(after, "memref.alloc") if "alignment" in op.properties]
    if not allocs:
        return False
    op = random.choice(allocs)
    old = op.properties["alignment"]
    assert isinstance(old, builtin.IntegerAttr)
    lower = old.value.data // random.choice((2, 4))
    if lower < 1 or random.random() < 0.3:
        del op.properties["alignment"]
    else:
        op.properties["alignment"] = builtin.IntegerAttr(lower, 64)
    return True


EDITS: dict[str, Edit] = {
    edit.__name__: edit
    for edit in (
        swap_two_slots, share_a_slot, retarget_a_view, shift_a_view, move_a_dealloc_up, free_twice, drop_a_readback,
        shrink_an_alloc, lower_an_alignment,
    )
}  # fmt: skip


def edited(before: str, after: str, random: Callable[[], Random]) -> Iterator[tuple[str, str, str]]:
    """(name of the edit, BEFORE, AFTER), once for each edit that can be made; `random` is asked before each."""
    for name, edit in EDITS.items():
        mine, theirs = load_text(before, "b.mlir", "hip"), load_text(after, "a.mlir", "hip")
        if edit(mine.models[0], theirs.models[0], random()):
            yield name, mine.text(generic=False), theirs.text(generic=False)
