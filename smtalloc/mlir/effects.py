"""One op -> what it reads and writes on which engine, by its profile rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation, SSAValue

from smtalloc.mlir.aliases import is_memref
from smtalloc.mlir.foreign import ForeignOp
from smtalloc.mlir.layout import element_offset
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


def effects(op: Operation, rule: OpRule, profile: Profile, touch: Touch) -> list[Effect]:
    """The op's effects; none where it touches no memory and waits for nothing.

    `touch` gives, for a memref operand, the accesses to its roots and whether each covers all bytes of its range.
    """
    if rule.engine == "none":
        return []
    memrefs = [value for value in op.operands if is_memref(value)]
    if not memrefs and not rule.waits:
        return []
    reads, writes = _selected(op, rule.reads, rule), _selected(op, rule.writes, rule)
    if rule.engine == "any" or not rule.known or reads is None or writes is None:
        all_ = tuple(replace(a, may=True) for value in memrefs for a, _ in touch(value))
        return [Effect("any" if not rule.known else rule.engine, all_, all_, rule.waits)]
    read: list[Access] = []
    written: list[Access] = []
    for value in reads:
        read += [_one(op, value, rule, profile, access) for access, _ in touch(value)]
    for value in writes:
        for access, dense in touch(value):
            one = _one(op, value, rule, profile, access)
            written.append(one)
            if one.may or (not dense and one == access) or rule.reads_outs == "yes" or _body_reads(op, rule, value):
                read.append(one)
    return [Effect(rule.engine, tuple(read), tuple(written), rule.waits)]


def _selected(op: Operation, selectors: Sequence[Selector], rule: OpRule) -> list[SSAValue] | None:
    """The memref operands that the selectors name; None if the op's operand groups are not known."""
    groups = op.groups() if isinstance(op, ForeignOp) else None
    found: list[SSAValue] = []
    for selector in selectors:
        if isinstance(selector, int):
            found += op.operands[selector : selector + 1]
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
    first = element_offset(value.type, [0] * len(indices), profile)
    if element is None or first is None:
        return replace(whole, may=True)
    lo = whole.lo + element.lo - first.lo
    return replace(whole, lo=lo, hi=lo + element.hi - element.lo)


def _body_reads(op: Operation, rule: OpRule, value: SSAValue) -> bool:
    """Does a linalg op read what its destination held? For a region with its arguments used it shows; else: yes."""
    if rule.reads_outs != "body":
        return False
    blocks = [block for region in op.regions for block in region.blocks]
    if len(blocks) != 1 or len(blocks[0].args) != len(op.operands):
        return True
    uses = [arg for arg, operand in zip(blocks[0].args, op.operands, strict=True) if operand is value]
    return any(arg.uses for arg in uses)
