"""One op -> what it reads and writes on which engine, by its profile rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import builtin
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from smtalloc.mlir.aliases import is_memref
from smtalloc.mlir.foreign import ForeignOp
from smtalloc.mlir.launches import kernel_uses
from smtalloc.mlir.layout import DYNAMIC, as_memref, element_offset, extent, is_row_major
from smtalloc.mlir.profile import OpRule, Profile, Selector
from smtalloc.mlir.scalars import constant_value
from smtalloc.program import Access

Touch = Callable[[SSAValue], list[tuple[Access, bool]]]


@dataclass(frozen=True, slots=True)
class Effect:
    """What one op does on one engine ("any": on every engine)."""

    engine: str
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    waits: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    awaits: tuple[str, ...] = ()


def effects(op: Operation, rule: OpRule, profile: Profile, touch: Touch) -> list[Effect]:
    """The op's effects; none where it touches no memory, waits for nothing and has nothing to do with events.

    `waits` are those of the rule: engines.py knows which queues and events the op means.

    `touch` gives, for a memref operand, the accesses to its roots and whether each covers all bytes of its range.
    """
    if rule.engine == "none":
        return []
    if rule.kernel:
        return [_launch(op, rule, profile, touch)]
    memrefs = [value for value in op.operands if is_memref(value)]
    if not memrefs and not (rule.waits or rule.records or rule.awaits or rule.adds):
        return []
    reads, writes = selected(op, rule.reads, rule), selected(op, rule.writes, rule)
    if rule.engine == "any" or not rule.known or reads is None or writes is None:
        all_ = tuple(replace(a, may=True) for value in memrefs for a, _ in touch(value))
        return [Effect("any" if not rule.known else rule.engine, all_, all_, rule.waits)]
    read: list[Access] = []
    written: list[Access] = []
    over = selected(op, rule.in_place, rule) or []
    for value in reads:
        in_place = reads.count(value) <= over.count(value) and is_row_major(value.type)
        shape = _only_shape(op, rule, value)
        for access, _ in touch(value):
            one = _one(op, value, rule, profile, access)
            read.append(replace(one, in_place=in_place, may=one.may or shape))
    for value in writes:
        for access, dense in touch(value):
            one = _one(op, value, rule, profile, access)
            if rule.reads_outs == "body" and not _covers(op, value):
                one = replace(one, may=True)
            written.append(replace(one, in_place=bool(over) and is_row_major(value.type)))
            if one.may or (not dense and one == access) or rule.reads_outs == "yes" or _body_reads(op, rule, value):
                read.append(one)
    return [Effect(rule.engine, tuple(read), tuple(written), rule.waits)]


def _launch(op: Operation, rule: OpRule, profile: Profile, touch: Touch) -> Effect:
    """What the kernel does to the memory that it is given. It may leave bytes of what it stores to as they were."""
    uses = kernel_uses(op, rule, profile)
    read = [access for value in (*uses.read, *uses.written) for access, _ in touch(value)]
    written = [access for value in uses.written for access, _ in touch(value)]
    open_ = [replace(access, may=True) for value in uses.unknown for access, _ in touch(value)]
    return Effect(rule.engine, (*read, *open_), (*written, *open_), rule.waits)


def realloc_effect(op: Operation, rule: OpRule, touch: Touch) -> Effect:
    """A new size for an allocation: what it held is copied, as far as both go (memref.realloc; C's realloc).

    The new memory may be the old: what is still queued on the old one then meets what is done to the new one, so the
    old one counts as perhaps written too.
    """
    old, new = [a for a, _ in touch(op.operands[0])], [a for a, _ in touch(op.results[0])]
    ends = [a.hi for a in (*old, *new)]
    kept = min(hi for hi in ends if hi is not None) if None not in ends else None
    copied = tuple(replace(a, hi=kept, may=a.may or kept is None, type="") for a in old)
    written = tuple(replace(a, hi=kept, may=a.may or kept is None, type="") for a in new)
    return Effect(rule.engine, copied, (*written, *(replace(a, hi=None, may=True, type="") for a in old)))


def selected(op: Operation, selectors: Sequence[Selector], rule: OpRule) -> list[SSAValue] | None:
    """The memref operands that the selectors name; None if the op's operand groups are not known."""
    groups = op.groups() if isinstance(op, ForeignOp) else None
    found: list[SSAValue] = []
    for selector in selectors:
        if isinstance(selector, int):
            if not -len(op.operands) <= selector < len(op.operands):
                return None  # the rule is not about such an op: everything may happen
            found.append(op.operands[selector])
        elif selector == "all":
            found += op.operands
        elif groups is None:
            return None
        elif selector == "others":
            found += [v for keyword, values in groups if keyword not in rule.writes for v in values]
        else:
            found += [v for keyword, values in groups if keyword == selector for v in values]
    return [value for value in found if is_memref(value)]


def _one(op: Operation, value: SSAValue, rule: OpRule, profile: Profile, whole: Access) -> Access:
    """Narrow an access to the one element that the op's indices name."""
    if rule.partial:
        return replace(whole, may=True)
    if rule.index_from is None:
        return whole
    indices = [constant_value(index) for index in op.operands[rule.index_from :]]
    element = element_offset(value.type, indices, profile)
    if whole.may or whole.hi is None:
        return whole if not whole.may and not indices else replace(whole, may=True)
    reach = extent(value.type, profile)
    if element is None or reach is None:
        return replace(whole, may=True)
    lo = whole.lo - reach.lo + element.lo  # `whole` begins at the lowest element, which need not be the first
    return replace(whole, lo=lo, hi=lo + element.hi - element.lo, dense=True)


def _covers(op: Operation, value: SSAValue) -> bool:
    """Does a linalg op write every element of this destination?

    Its map must be a projected permutation (each result a loop of its own), and no loop may be empty: loops that the
    map leaves out run over sizes that are not the destination's. For ops without maps all sizes must be static.
    """
    shapes = [type_.get_shape() for v in op.operands if (type_ := as_memref(v.type)) is not None]
    certain = all(size not in (0, DYNAMIC) for shape in shapes for size in shape)
    attribute = op.get_attr_or_prop("indexing_maps")
    maps = cast("builtin.ArrayAttr[Attribute]", attribute).data if isinstance(attribute, builtin.ArrayAttr) else ()
    if len(maps) != len(op.operands):
        return certain
    for operand, map_ in zip(op.operands, maps, strict=True):
        if operand is not value:
            continue
        if not isinstance(map_, builtin.AffineMapAttr):
            return False
        results = map_.data.results
        loops = {r.position for r in results if isinstance(r, AffineDimExpr)}
        if len(loops) != len(results) or (len(loops) != map_.data.num_dims and not certain):
            return False
    return True


def _only_shape(op: Operation, rule: OpRule, value: SSAValue) -> bool:
    """Is it an input of a linalg op whose elements nobody uses: the window of a pooling?"""
    if rule.reads_outs != "body":
        return False
    if op.name.startswith("linalg.pooling_") and len(op.operands) > 1 and op.operands[1] is value:
        return op.operands[0] is not value
    return _element_used(op, value) is False


def _body_reads(op: Operation, rule: OpRule, value: SSAValue) -> bool:
    """Does a linalg op read what its destination held? For a region with its arguments used it shows; else: yes."""
    return rule.reads_outs == "body" and _element_used(op, value) is not False


def _element_used(op: Operation, value: SSAValue) -> bool | None:
    """Does the body of a linalg op use the elements of this operand? None where there is no such body to look at."""
    blocks = [block for region in op.regions for block in region.blocks]
    if len(blocks) != 1 or len(blocks[0].args) != len(op.operands):
        return None
    return any(arg.uses for arg, operand in zip(blocks[0].args, op.operands, strict=True) if operand is value)
