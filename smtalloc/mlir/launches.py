"""What a device kernel does to the memory that it is given: read, written, or not known.

Each use of the memory in the kernel's body is looked at, through views of it. Only plain accesses (those of the rules
for the host in the profile) are understood; a loop that carries it, a call, or a body that is elsewhere makes it
unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import builtin
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from smtalloc.mlir.aliases import VIEWS, is_memref
from smtalloc.mlir.profile import BODY, OpRule, Profile, Selector


@dataclass(frozen=True)
class KernelUses:
    """Memrefs given to a kernel: only read; written (and perhaps read); used in a way that is not known."""

    read: list[SSAValue] = field(default_factory=list[SSAValue])
    written: list[SSAValue] = field(default_factory=list[SSAValue])
    unknown: list[SSAValue] = field(default_factory=list[SSAValue])


def kernel_uses(op: Operation, rule: OpRule, profile: Profile) -> KernelUses:
    """What the kernel that the op launches (rule.kernel: a symbol, or its body) does with what it is given."""
    found = KernelUses()
    if rule.kernel == BODY:
        pairs = [(value, value) for value in (*_captured(op), *_made_inside(op, profile))]
    else:
        given: Sequence[SSAValue] = getattr(op, "kernel_operands", op.operands)
        body = _kernel_body(op, rule.kernel)
        if body is None or len(body.args) < len(given):
            found.unknown.extend(value for value in op.operands if is_memref(value))
            return found
        pairs = list(zip(given, body.args, strict=False))
    for value, inner in pairs:
        if is_memref(value):
            uses = set(_uses(inner, op if rule.kernel == BODY else None, profile))
            if None in uses:
                found.unknown.append(value)
            elif "write" in uses:
                found.written.append(value)
            elif uses:
                found.read.append(value)
    return found


def _captured(op: Operation) -> list[SSAValue]:
    """Memrefs from outside that the op's regions use, in order."""
    found: dict[SSAValue, None] = {}
    for region in op.regions:
        for inner in region.walk():
            for value in inner.operands:
                if is_memref(value) and not _is_inside(value.owner, op):
                    found[value] = None
    return list(found)


def _made_inside(op: Operation, profile: Profile) -> list[SSAValue]:
    """Memory that the body gets hold of by itself: globals, allocations. (The stack of a thread is its own.)"""
    found: list[SSAValue] = []
    for region in op.regions:
        for inner in region.walk():
            if profile.rule(inner.name).root not in ("", "stack"):
                found += filter(is_memref, inner.results)
    return found


def _is_inside(owner: Operation | Block, op: Operation) -> bool:
    return owner is not op and op.is_ancestor(owner)


def _uses(value: SSAValue, inside: Operation | None, profile: Profile) -> Iterator[str | None]:
    """ "read", "write", or None for a use that is not known; only uses inside the op count, where one is given."""
    values, seen = [value], {value}
    while values:
        for use in values.pop().uses:
            op, at = use.operation, use.index
            if inside is not None and not _is_inside(op, inside):
                continue
            rule = profile.rule(op.name)
            if op.name in VIEWS and at == 0:
                more = [result for result in op.results if is_memref(result) and result not in seen]
                values += more
                seen |= {*more}
            elif op.regions or op.has_trait(IsTerminator) or rule.frees is not None or rule.root:
                yield None
            elif rule.engine == "none" and rule.known:
                pass
            else:
                yield from _accessed(op, at, rule)


def _accessed(op: Operation, at: int, rule: OpRule) -> Iterator[str | None]:
    """By operand number, as the common rules for loads and stores say it."""
    ways = {at, at - len(op.operands)}  # from the start, and from the end
    reads, writes = not ways.isdisjoint(_numbers(rule.reads)), not ways.isdisjoint(_numbers(rule.writes))
    if not rule.known or rule.engine != "host" or not (reads or writes):
        yield None
    if reads:
        yield "read"
    if writes:
        yield "write"


def _numbers(selectors: Sequence[Selector]) -> set[int]:
    return {selector for selector in selectors if isinstance(selector, int)}


def kernel_of(op: Operation, attribute: str) -> Operation | None:
    """The function that a symbol of the op names, `@module::@function` or `@function`; None if it is not in sight."""
    symbol = op.get_attr_or_prop(attribute)
    if not isinstance(symbol, builtin.SymbolRefAttr):
        return None
    path = [symbol.root_reference.data, *(part.data for part in symbol.nested_references.data)]
    around = op.parent_op()
    while around is not None:
        found: Operation | None = around
        for name in path:
            found = _symbol_in(found, name) if found is not None else None
        if found is not None:
            return found
        around = around.parent_op()
    return None


def _symbol_in(table: Operation, name: str) -> Operation | None:
    for region in table.regions:
        for block in region.blocks:
            for op in block.ops:
                symbol = op.get_attr_or_prop("sym_name")
                if isinstance(symbol, builtin.StringAttr) and symbol.data == name:
                    return op
    return None


def _kernel_body(op: Operation, attribute: str) -> Block | None:
    kernel = kernel_of(op, attribute)
    regions: Sequence[Region] = kernel.regions if kernel is not None else ()
    return regions[0].blocks[0] if len(regions) == 1 and regions[0].blocks else None
