"""Two function models -> Correspondence: what validate.py needs to judge a pass."""

from __future__ import annotations

from bisect import bisect_right

from xdsl.dialects import builtin, func
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from smtalloc.mlir.aliases import is_memref
from smtalloc.mlir.layout import as_memref, element_bits
from smtalloc.mlir.match import Matching, match_functions
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.placing import placing
from smtalloc.mlir.reader import location_of
from smtalloc.mlir.sizes import Assumed
from smtalloc.mlir.values import Numbering
from smtalloc.placement import Correspondence, Free, Kind, Place
from smtalloc.plan import Defect

RETAKEN = "it is taken more than once, and the second time may free the first"


def correspond(before: FunctionModel, after: FunctionModel, assumed: Assumed | None = None) -> Correspondence:
    """Match the functions and say where each buffer went; `assumed` are bounds on dimensions. Raises MismatchError."""
    matching = match_functions(before, after)
    facts = placing(before, after, matching, assumed or {})
    placed = {b: place for b, place in matching.places.items() if not before.program.buffers[b].external}
    return Correspondence(
        before.program,
        after.program,
        matching.places,
        moved=matching.moved,
        frees=_frees(before, after, matching),
        fits=facts.fits
        | frozenset(b for b, place in placed.items() if _fits(before, after, matching.numbering, b, place)),
        hoisted=frozenset(
            b
            for b, place in matching.places.items()
            if (b in placed or kind_of(before, b) is Kind.STACK)
            and _loop(before, b, matching.positions_before) != _loop(after, place.memory, matching.positions_after)
        ),
        kinds={memory: kind_of(after, memory) for memory in range(len(after.roots))},
        device_only=device_only(after),
        unclear=_unclear(after),
        escaped=before.escaped,
        loose_frees=after.loose_frees,
        freed_before=_freed_before(before),
        outgrown=facts.outgrown,
        aligned=facts.aligned,
        apart=facts.apart,
        offsets=facts.offsets,
        missing=facts.missing,
        late_uses=() if before.late_uses else after.late_uses,
        assumptions=(*matching.assumptions, *facts.assumptions),
        assignment=tuple((before.program.buffers[b].name, placed[b]) for b in sorted(placed)),
    )


def kind_of(model: FunctionModel, memory: int) -> Kind:
    """What a root is, for buffers that a pass may put there."""
    op = model.roots[memory].op
    rule = model.profile.rule(op.name) if op is not None else None
    if rule is None:
        return Kind.OTHER
    if rule.root in ("alloc", "runtime", "realloc"):
        return Kind.ALLOCATION
    if rule.root == "stack":
        return Kind.STACK
    return Kind.SCRATCH if rule.size_operand is not None else Kind.OTHER


def device_only(model: FunctionModel) -> frozenset[int]:
    """Memory that the host cannot address, by the profile."""
    ops = [root.op for root in model.roots]
    return frozenset(m for m, op in enumerate(ops) if op is not None and model.profile.rule(op.name).device_only)


def _unclear(model: FunctionModel) -> dict[int, str]:
    """Pools are shared with whoever else takes them, globals with all other code."""
    found = dict.fromkeys(model.retaken, RETAKEN)
    for memory, root in enumerate(model.roots):
        if root.op is not None and root.op.name == "memref.get_global":
            found[memory] = "a global, which other code may use at the same time"
        elif kind_of(model, memory) is Kind.STACK and _is_outlived(model, memory):
            found[memory] = "on the stack, in a region at whose end it may be gone"
    if model.calls:
        for memory in range(len(model.roots)):
            if kind_of(model, memory) is Kind.SCRATCH:
                found.setdefault(memory, "the function calls other code, which may take it too")
    return found


def _freed_before(model: FunctionModel) -> dict[int, int]:
    """Only what is freed for certain: a free that may be of another buffer, or may not run, excuses nothing."""
    found: dict[int, int] = {}
    for dealloc in model.deallocs:
        if len(dealloc.refs) == 1 and dealloc.certain:
            root = dealloc.refs[0].root
            acts = bool(model.profile.rule(dealloc.op.name).writes)  # a dealloc with an action is no use of the memory
            found[root] = min(found.get(root, dealloc.ordinal), dealloc.ordinal - acts)
    return found


_NO_SCOPES = frozenset({"scf.if", "scf.index_switch", "scf.execute_region", "scf.while", "affine.if"})


def _is_outlived(model: FunctionModel, memory: int) -> bool:
    """May stack memory of a region be used behind the region's end: by a queue, or through what it hands on?

    An alloca is gone when the nearest op with MLIR's trait AutomaticAllocationScope is done with its region: loops have
    it (each iteration), branches do not.
    """
    op = model.roots[memory].op
    parent = op.parent_op() if op is not None else None
    while parent is not None and parent.name in _NO_SCOPES:
        parent = parent.parent_op()
    if parent is None or parent is model.func:
        return False
    actions = model.program.actions
    if any(not a.on_host and any(access.buffer == memory for access in a.accesses) for a in actions):
        return True
    return any(outlives(v, model.func) and any(r.root == memory for r in refs) for v, refs in model.refs.items())


def outlives(value: SSAValue, function: func.FuncOp) -> bool:
    """May the value name what an earlier iteration made? Arguments of loops and blocks, results of ops with regions."""
    if isinstance(value, BlockArgument):
        return value.block is not function.body.blocks[0]
    return isinstance(value, OpResult) and bool(value.op.regions)


def _loop(model: FunctionModel, buffer: int, positions: dict[Operation, int]) -> tuple[tuple[int, int], ...]:
    """(matched position of an op around the allocation, block of it), innermost first; a block may run many times.

    What is handed out in pieces is one memory for the whole function, wherever it is taken, and so is an argument.
    """
    op = model.roots[buffer].op
    around: list[tuple[int, int]] = []
    if op is None or kind_of(model, buffer) is Kind.SCRATCH:
        return ((-1, 0),)
    while op is not None and (block := op.parent_block()) is not None and (region := block.parent_region()) is not None:
        parent = op.parent_op()
        inside = parent is not None and parent is not model.func
        around.append((positions.get(parent, -1) if inside and parent else -1, list(region.blocks).index(block)))
        if not inside:
            break
        op = parent
    return tuple(around)


def _frees(before: FunctionModel, after: FunctionModel, matching: Matching) -> tuple[Free, ...]:
    ordinals_before = before.ordinals
    ordinals_after = after.ordinals
    by_position = {p: ordinals_before[op] for op, p in matching.positions_before.items() if op in ordinals_before}
    pairs = sorted(
        (ordinals_after[op], by_position[p]) for op, p in matching.positions_after.items() if p in by_position
    )
    starts = [theirs for theirs, _ in pairs]
    found: list[Free] = []
    for dealloc in after.deallocs:
        at = bisect_right(starts, dealloc.ordinal) - 1
        behind = pairs[at][1] if at >= 0 else -1
        for ref in dealloc.refs:
            kind = kind_of(after, ref.root)
            whole = ref.base == 0 and ref.lo == 0 and kind in (Kind.ALLOCATION, Kind.OTHER)
            whole &= ref.whole or dealloc.op.name != "memref.realloc"  # the result takes over all of it, or nothing
            surely = kind in (Kind.STACK, Kind.SCRATCH) or (ref.base is not None and ref.base != 0)
            wrong = Defect.BAD_FREE if surely else None
            certain = dealloc.certain and len(dealloc.refs) == 1
            found.append(Free(ref.root, behind, certain, whole, wrong, location_of(dealloc.op)))
    return tuple(found)


def _fits(before: FunctionModel, after: FunctionModel, numbering: Numbering, buffer: int, place: Place) -> bool:
    """Is a buffer of run-time size provably no larger than its memory? The same dynamic sizes, no smaller a factor."""
    mine, theirs = before.roots[buffer].value, after.roots[place.memory].value
    if place.offset != 0 or mine is None or theirs is None or before.program.buffers[buffer].size_bytes is not None:
        return False
    ops = before.roots[buffer].op, after.roots[place.memory].op
    if mine.type == theirs.type and ops[0] is not None and ops[1] is not None and ops[0].name == ops[1].name:
        operands = [[numbering.of(v) for v in op.operands if not is_memref(v)] for op in ops if op is not None]
        if operands[0] == operands[1]:
            return True  # the very same allocation
    needed, given = numbering.sizes(mine), numbering.sizes(theirs)
    memrefs = [as_memref(value.type) for value in (mine, theirs)]
    types = [t.element_type if t is not None and isinstance(t.layout, builtin.NoneAttr) else None for t in memrefs]
    if needed is None or given is None or types[0] is None or types[1] is None:
        return False
    bits = [element_bits(types[0], before.profile), element_bits(types[1], after.profile)]
    if bits[0] is None or bits[1] is None or needed[1] != given[1]:
        return False
    return needed[0] * bits[0] <= given[0] * bits[1]
