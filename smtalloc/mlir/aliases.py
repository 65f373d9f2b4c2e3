"""Which root memory a memref value may name, and at which bytes.

Views with constant offsets keep their byte range; whatever is not understood covers the whole root.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import builtin
from xdsl.ir import Operation, SSAValue

from smtalloc.mlir.async_value import ValueType
from smtalloc.mlir.layout import extent, shape_text
from smtalloc.mlir.profile import Profile
from smtalloc.mlir.scalars import constant_value
from smtalloc.program import Access


@dataclass(frozen=True, slots=True)
class Ref:
    """One root that a value may name.

    `base` is the byte offset of the value's base pointer in the root (None: unknown), `[lo, hi)` bounds what can be
    reached through it (`hi` None: to the end of the root). `whole`: the value's own type covers the root exactly.
    """

    root: int
    base: int | None = 0
    lo: int = 0
    hi: int | None = None
    whole: bool = False
    taken: int = 0
    """Of a pool: how often it had been given up for a larger one when the value was taken from it."""

    def anywhere(self) -> Ref:
        return Ref(self.root, None, taken=self.taken)


Refs = tuple[Ref, ...]

# Results are views of operand 0 (LLVM: ViewLikeOpInterface). memref.reshape's second operand is only read.
VIEWS = frozenset(
    f"memref.{name}"
    for name in (
        "cast", "memory_space_cast", "reinterpret_cast", "subview", "view", "collapse_shape", "expand_shape",
        "reshape", "transpose", "assume_alignment", "extract_strided_metadata",
    )
)  # fmt: skip
CASTS = frozenset({"memref.cast", "memref.memory_space_cast", "memref.assume_alignment"})
"""Views that change neither address nor strides."""
_SAME_BYTES = CASTS | {"memref.transpose"}
_RESHAPES = frozenset(f"memref.{name}" for name in ("collapse_shape", "expand_shape", "reshape"))


def is_memref(value: SSAValue) -> bool:
    """Does the value name memory? So does an `!async.value` of one, which an await unwraps."""
    type_ = value.type.value if isinstance(value.type, ValueType) else value.type
    return isinstance(type_, builtin.MemRefType | builtin.UnrankedMemRefType)


def merge(refs: Iterable[Ref]) -> Refs:
    """One Ref per root: where two name it at different bytes, the bounds cover both and the base is unknown."""
    found: dict[int, Ref] = {}
    for ref in refs:
        old = found.get(ref.root)
        if old is None or old == ref:
            found[ref.root] = ref
            continue
        hi = None if old.hi is None or ref.hi is None else max(old.hi, ref.hi)
        taken = min(old.taken, ref.taken)
        base = old.base if old.base == ref.base else None
        found[ref.root] = Ref(ref.root, base, min(old.lo, ref.lo), hi, old.whole and ref.whole, taken)
    return tuple(found[root] for root in sorted(found))


def view_refs(op: Operation, source: Refs, profile: Profile) -> Refs:
    """What the first result of a view op names, given what its source names."""
    if op.name in _SAME_BYTES:
        return source
    if op.name in _RESHAPES:
        return tuple(_reshaped(op, ref) for ref in source)
    if op.name == "memref.view":
        shift = constant_value(op.operands[1])
        moved = (replace(r, base=None if r.base is None or shift is None else r.base + shift) for r in source)
        return tuple(_narrow(op.results[0], replace(ref, whole=False), profile) for ref in moved)
    if op.name == "memref.subview":
        return tuple(_narrow(op.results[0], replace(ref, whole=False), profile) for ref in source)
    if op.name in ("memref.reinterpret_cast", "memref.extract_strided_metadata"):
        # The result may reach bytes of the root that the source's type does not cover.
        fresh = (Ref(r.root, r.base, taken=r.taken) for r in source)
        return tuple(_narrow(op.results[0], ref, profile) for ref in fresh)
    return tuple(ref.anywhere() for ref in source)


def _reshaped(op: Operation, ref: Ref) -> Ref:
    """The same elements under another shape; a strided source may lose its static offset in the result's type."""
    source, result = op.operands[0].type, op.results[0].type
    plain = all(isinstance(t, builtin.MemRefType) and isinstance(t.layout, builtin.NoneAttr) for t in (source, result))
    return ref if plain else replace(ref, whole=False)


def _narrow(value: SSAValue, ref: Ref, profile: Profile) -> Ref:
    reach = extent(value.type, profile)
    if reach is None or ref.base is None:
        return ref
    return replace(ref, lo=ref.base + reach.lo, hi=ref.base + reach.hi)


def accesses(value: SSAValue, refs: Refs, profile: Profile) -> list[tuple[Access, bool]]:
    """What an op that works on the whole of this memref touches; the flag: does it touch every byte in between?"""
    reach = extent(value.type, profile)
    several = len(refs) > 1
    shown = shape_text(value.type)
    found: list[tuple[Access, bool]] = []
    for ref in refs:
        if reach is not None and ref.base is not None:
            lo, hi = ref.base + reach.lo, ref.base + reach.hi
            found.append((Access(ref.root, lo, hi, several, shown, reach.dense), reach.dense))
        elif ref.whole and ref.base == 0:
            found.append((Access(ref.root, ref.lo, ref.hi, several, shown), True))
        else:
            found.append((Access(ref.root, ref.lo, ref.hi, True, shown), False))
    return found


def flow(op: Operation) -> list[tuple[SSAValue, SSAValue]]:
    """(source, target) pairs: a region's argument, or a result of the op, that may be the source value.

    Exact per position for most ops of scf and for affine.if;
    of any other op with regions everything may be everything.
    """
    last = [block.last_op for region in op.regions for block in region.blocks if block.last_op is not None]
    ends = [end for end in last if not end.successors]
    pairs: list[tuple[SSAValue, SSAValue]] = []
    for region in op.regions:  # branches between the blocks of a region may hand anything to any of them
        passed = [
            v for b in region.blocks if b.last_op is not None and b.last_op.successors for v in b.last_op.operands
        ]
        pairs += [(v, argument) for v in passed for b in list(region.blocks)[1:] for argument in b.args]
    match op.name:
        case "scf.for" if len(op.regions) == 1 and len(op.regions[0].blocks) == 1:
            arguments = op.regions[0].blocks[0].args[1:]
            for sources in (op.operands[3:], ends[0].operands if ends else ()):
                pairs += _zip(sources, arguments) + _zip(sources, op.results)
        case "scf.if" | "affine.if" | "scf.execute_region" | "scf.index_switch":
            for end in ends:
                pairs += _zip(end.operands, op.results)
        case "scf.while" if len(ends) == 2:
            condition, after = ends
            second = condition.parent_op() and list(op.regions)[-1]
            pairs += _zip(op.operands, op.regions[0].blocks[0].args)
            pairs += _zip(condition.operands[1:], second.blocks[0].args if second else ())
            pairs += _zip(condition.operands[1:], op.results)
            pairs += _zip(after.operands, op.regions[0].blocks[0].args)
        case "scf.parallel" if len(ends) == 1 and len(ends[0].regions) == len(op.results):
            pairs += _reductions(op, ends[0])
        case "memref.generic_atomic_rmw":
            pass  # the body is given an element
        case _:
            sources = [*op.operands, *(operand for end in ends for operand in end.operands)]
            targets = [arg for region in op.regions for block in region.blocks for arg in block.args]
            pairs += [(source, target) for source in sources for target in (*targets, *op.results)]
    return [(source, target) for source, target in pairs if is_memref(source) and is_memref(target)]


def _reductions(op: Operation, reduce: Operation) -> list[tuple[SSAValue, SSAValue]]:
    """Of scf.parallel: a partial result is an initial value, what an iteration gives, or what a reduction gives."""
    initial = op.operands[len(op.operands) - len(op.results) :]
    pairs: list[tuple[SSAValue, SSAValue]] = []
    for result, first, given, region in zip(op.results, initial, reduce.operands, reduce.regions, strict=True):
        combined = [v for b in region.blocks if b.last_op is not None for v in b.last_op.operands]
        targets = (result, *(argument for block in region.blocks for argument in block.args))
        pairs += [(source, target) for source in (first, given, *combined) for target in targets]
    return pairs


def _zip(sources: Sequence[SSAValue], targets: Sequence[SSAValue]) -> list[tuple[SSAValue, SSAValue]]:
    return list(zip(sources, targets, strict=False))
