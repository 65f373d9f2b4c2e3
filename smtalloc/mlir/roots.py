"""Where memory comes from: the buffers of a function while it is being read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xdsl.dialects import builtin, func
from xdsl.ir import Operation, SSAValue

from smtalloc.mlir.aliases import Ref, Refs, is_memref
from smtalloc.mlir.constants import alias_groups
from smtalloc.mlir.layout import MemRef, as_memref, element_bits, extent, natural_alignment
from smtalloc.mlir.profile import Profile
from smtalloc.mlir.reader import location_of, value_name
from smtalloc.mlir.scalars import constant_value
from smtalloc.program import Access, Buffer


@dataclass(frozen=True, slots=True)
class Root:
    """Where a buffer comes from: the op that makes the memory (None for arguments), and the value that names it."""

    op: Operation | None
    value: SSAValue | None


@dataclass
class Draft:
    """A buffer while its function is being read."""

    buffer: Buffer
    root: Root
    reasons: list[str] = field(default_factory=list[str])
    live_out: bool = False

    def finished(self) -> Buffer:
        """With what the whole function said of it."""
        inside = not self.buffer.external
        pinned = "; ".join(dict.fromkeys(self.reasons)) if inside else ""
        return replace(self.buffer, live_out=self.live_out and inside, pinned=pinned)


class RootTable:
    """The roots of a function, and what each memref may name of them."""

    def __init__(self, function: func.FuncOp, profile: Profile) -> None:
        self.function = function
        self.profile = profile
        self.drafts: list[Draft] = []
        self.refs: dict[SSAValue, Refs] = {}
        self.roots_of: dict[object, int] = {}
        self.ops_of: dict[object, Operation] = {}
        self.aliased: dict[int, tuple[int, ...]] = {}
        """Arguments that the module says may name the memory of others."""
        self.retaken: set[int] = set()
        self.taken_bytes: dict[int, int] = {}
        """Of pools: the largest size that was asked for, where it is known and was asked for on every path."""
        self.times_outgrown: dict[int, int] = {}
        """Of pools: how often a larger size was asked for, which gives up what was there if it was smaller."""
        self.outdated: list[Ref] = []
        """What has been accessed through views of pools that have been given up."""
        self.named: dict[str, dict[object, tuple[str, ...]]] = {}
        self.mixed: set[object] = set()

    def _arguments(self) -> None:
        """Each argument is memory of its own, unless the module says that it may be another's."""
        groups: dict[object, list[int]] = {}
        named = alias_groups(self.function)
        for position, argument in enumerate(self.function.body.blocks[0].args):
            if is_memref(argument):
                root = self._root(argument, argument, None, external=True)
                if position in named:
                    groups.setdefault(named[position], []).append(root)
        for group in groups.values():
            self.aliased |= {root: tuple(other for other in group if other != root) for root in group}

    def _also(self, found: list[tuple[Access, bool]]) -> list[tuple[Access, bool]]:
        """With what an access may touch of the arguments that may be the same memory."""
        others = {(access.type, other) for access, _ in found for other in self.aliased.get(access.buffer, ())}
        return found + [(Access(other, may=True, type=type_), False) for type_, other in sorted(others)]

    def unclear_pools(self) -> frozenset[int]:
        """Pools that are taken with several sizes, or whose keys do not tell them apart."""
        return frozenset(self.retaken | {self.roots_of[key] for key in self.mixed if key in self.roots_of})

    def _allocate(self, op: Operation, nested: bool) -> None:
        rule = self.profile.rule(op.name)
        result = op.results[0]
        if rule.root == "global":
            name = op.get_attr_or_prop("name")
            self._root(result, ("global", str(name)), op, external=True)
            return
        if rule.root == "external":
            # One memory per op name wherever it is taken, or per value of the profile's key (hip.get_pool: the domain).
            named = tuple(str(op.attributes.get(name, op.properties.get(name, ""))) for name in rule.key)
            key: object = (op.name, named) if rule.size_operand is not None else result
            self._unclear_key(op.name, named, key)
            if rule.size_operand is not None and key in self.roots_of:
                self._taken_again(key, op, nested)
            self.ops_of[key] = op
            root = self._root(result, key, op, external=True)
            size = self.drafts[root].buffer.size_bytes
            if size is not None and rule.size_operand is not None and not nested:
                self.taken_bytes.setdefault(root, size)
            return
        root = self._root(result, result, op, external=rule.root == "stack")
        reasons = self.drafts[root].reasons
        if rule.root in ("runtime", "realloc"):
            reasons.append(f"allocated by {op.name}")
        if nested:
            reasons.append("allocated inside a region")
        type_ = as_memref(result.type)
        if type_ is None or not isinstance(type_.layout, builtin.NoneAttr):
            reasons.append("has a layout")
        symbols = getattr(op, "symbol_operands", ())
        if symbols:
            reasons.append("has symbol operands")

    def _unclear_key(self, name: str, named: tuple[str, ...], key: object) -> None:
        """A key that is left out has a default, which may be another one's value: both may be one memory."""
        known = self.named.setdefault(name, {})
        known[key] = named
        if any("" in other for other in known.values()) and len(known) > 1:
            self.mixed |= set(known)

    def _taken_again(self, key: object, op: Operation, nested: bool) -> None:
        """A size that the memory has already leaves all as it is. For a larger one it may be given up for new memory.

        It stays if it was that large before, so both count as one memory, whose contents are then not known to last.
        """
        root, first = self.roots_of[key], self.ops_of[key]
        size, known = op.operands[self.profile.rule(op.name).size_operand or 0], self.taken_bytes.get(root)
        if size in first.operands and (self._is_fixed(size) or not (nested or first is op)):
            return
        asked = constant_value(size)
        if asked is not None and (
            asked == self.drafts[root].buffer.size_bytes or (known is not None and asked <= known)
        ):
            return
        self.retaken.add(root)
        self.drafts[root].buffer = replace(self.drafts[root].buffer, size_bytes=None)
        if asked is None or known is None or nested:
            self.taken_bytes.pop(root, None)
        else:
            self.taken_bytes[root] = asked
            self.times_outgrown[root] = self.times_outgrown.get(root, 0) + 1

    def _is_fixed(self, value: SSAValue) -> bool:
        """Is it the same each time an op is run: defined outside all regions?"""
        return value.owner is self.function.body.blocks[0] or (
            isinstance(value.owner, Operation) and value.owner.parent_block() is self.function.body.blocks[0]
        )

    def _is_handed_out(self, value: SSAValue) -> bool:
        """Memory that a pass lays out: pools and scratch, by their profile rule."""
        origins = [self.drafts[ref.root].root.op for ref in self._refs(value)]
        return (
            len(origins) == 1
            and origins[0] is not None
            and (self.profile.rule(origins[0].name).size_operand is not None)
        )

    def _root(self, value: SSAValue, key: object, op: Operation | None, *, external: bool) -> int:
        if key not in self.roots_of:
            self.roots_of[key] = len(self.drafts)
            self.drafts.append(Draft(self._buffer(value, op, external), Root(op, value)))
        root = self.roots_of[key]
        self._set(value, (self._whole(root),))
        return root

    def _buffer(self, value: SSAValue, op: Operation | None, external: bool) -> Buffer:
        type_ = value.type
        reach = extent(type_, self.profile)
        size = reach.hi if reach is not None and (not external or reach.lo == 0) else None
        rule = self.profile.rule(op.name) if op else None
        if rule and rule.size_operand is not None and op and rule.size_operand < len(op.operands):
            size = constant_value(op.operands[rule.size_operand])
        alignment = op.get_attr_or_prop("alignment") if op else None
        memref = as_memref(type_)
        known = memref is not None and element_bits(memref.element_type, self.profile) is not None
        natural = natural_alignment(memref.element_type, self.profile) if memref is not None else 1
        asked = max(natural, rule.alignment if rule else 1)
        if isinstance(alignment, builtin.IntegerAttr):
            asked = alignment.value.data
        names = ",".join(value_name(v) for v in op.operands) if op and not external else ""
        return Buffer(
            name=value_name(value),
            size_bytes=size,
            alignment=asked,
            space=_space(memref),
            element_type=str(memref.element_type) if memref is not None else "",
            type=str(type_),
            size_key=f"{type_} ({names})" if size is None and not external and known else "",
            external=external,
            location=location_of(op) if op else location_of(self.function),
        )

    def _whole(self, root: int) -> Ref:
        size = self.drafts[root].buffer.size_bytes
        return Ref(root, 0, 0, size, whole=True, taken=self.times_outgrown.get(root, 0))

    def _refs(self, value: SSAValue) -> Refs:
        if value not in self.refs and is_memref(value):
            return tuple(Ref(root, None) for root in range(len(self.drafts)))
        return self.refs.get(value, ())

    def _set(self, value: SSAValue, refs: Refs) -> None:
        self.refs[value] = refs


def _space(type_: MemRef | None) -> str:
    """The memory space; 0 is the default, which may be left out."""
    if type_ is None or type_.memory_space == builtin.NoneAttr():
        return ""
    text = str(type_.memory_space)
    return "" if text.partition(" ")[0] == "0" else text
