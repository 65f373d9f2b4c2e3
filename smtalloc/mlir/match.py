"""Before and after a memory pass: the same ops on other memory. Recovers where each buffer went.

Allocations, deallocations, views and pure scalar ops may differ; all other ops must correspond one to one, in order,
with equal scalars, and memrefs of equal shape. What does not correspond is said, with the place.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue

from smtalloc.mlir.addresses import Displacement, OtherViewError, displacement, peeled
from smtalloc.mlir.aliases import Ref, is_memref
from smtalloc.mlir.constants import global_op
from smtalloc.mlir.engines import is_of_type
from smtalloc.mlir.foreign import ForeignOp
from smtalloc.mlir.launches import kernel_of
from smtalloc.mlir.layout import DYNAMIC, as_memref, strides_of
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.profile import BODY, Profile
from smtalloc.mlir.reader import location_of, value_name
from smtalloc.mlir.values import Numbering, is_pure, is_skipped
from smtalloc.placement import Moved, Place


class MismatchError(Exception):
    """The two functions are not the same program: what differs, and where in AFTER (or BEFORE)."""


@dataclass(frozen=True)
class Matching:
    """The correspondence of two functions."""

    places: dict[int, Place]
    moved: tuple[Moved, ...]
    assumptions: tuple[str, ...]
    positions_before: dict[Operation, int]
    """Number of a matched op, counted over the matched ones in the order of the text."""
    positions_after: dict[Operation, int]
    numbering: Numbering
    starts: dict[int, tuple[SSAValue, SSAValue]]
    """Of buffers at run-time offsets: their memory in BEFORE, and what is in its place in AFTER."""


def match_functions(before: FunctionModel, after: FunctionModel) -> Matching:
    """Match op by op. Raises MismatchError."""
    return _Matcher(before, after).run()


class _Matcher:
    def __init__(self, before: FunctionModel, after: FunctionModel) -> None:
        self.before, self.after = before, after
        self.numbering = Numbering()
        self.places: dict[int, Place] = {}
        self.moved: list[Moved] = []
        self.assumptions: dict[str, None] = {}
        self.unresolved: list[tuple[SSAValue, SSAValue, str]] = []
        self.bases: dict[int, tuple[Hashable, ...]] = {}
        self.starts: dict[int, tuple[SSAValue, SSAValue]] = {}
        self.serial = 0
        self.returning = False
        self.positions: tuple[dict[Operation, int], dict[Operation, int]] = ({}, {})

    def run(self) -> Matching:
        mine, theirs = self.before.func, self.after.func
        if mine.function_type != theirs.function_type:
            raise MismatchError(f"{location_of(theirs)}: @{theirs.sym_name.data} has another type than before")
        self._blocks(list(mine.body.blocks), list(theirs.body.blocks))
        for mine_value, their_value, op in self.unresolved:
            self._check_aliases(mine_value, their_value, op)
        return Matching(
            self.places,
            tuple(self.moved),
            tuple(self.assumptions),
            *self.positions,
            numbering=self.numbering,
            starts=self.starts,
        )

    # --- structure ---------------------------------------------------------------------------------------

    def _blocks(self, mine: list[Block], theirs: list[Block]) -> None:
        if len(mine) != len(theirs):
            raise MismatchError(f"{_where(theirs)}: {len(theirs)} blocks, {len(mine)} before")
        for b, a in zip(mine, theirs, strict=True):
            if len(b.args) != len(a.args):
                raise MismatchError(f"{_where(theirs)}: another number of block arguments")
            for arg_before, arg_after in zip(b.args, a.args, strict=True):
                self._bind(arg_before, arg_after, ("argument", self.serial))
        for b, a in zip(mine, theirs, strict=True):
            self._ops(b, a)

    def _ops(self, mine: Block, theirs: Block) -> None:
        left, right = self._matched(mine, self.before), self._matched(theirs, self.after)
        while True:
            b, a = next(left, None), next(right, None)
            if b is None and a is None:
                return
            if a is None and b is not None:
                raise MismatchError(f"{location_of(b)}: {b.name} has no counterpart after")
            if b is None and a is not None:
                raise MismatchError(f"{location_of(a)}: {a.name} has no counterpart before")
            assert a is not None and b is not None
            self.positions[0][b] = self.positions[1][a] = len(self.positions[0])
            self._op(b, a)

    def _matched(self, block: Block, model: FunctionModel) -> Iterator[Operation]:
        """The ops that must correspond; pure ones are numbered on the way."""
        for op in block.ops:
            if is_pure(op):
                self.numbering.add(op)
            elif is_skipped(op):
                self.numbering.metadata(op)
            elif corresponds(op, model.profile):
                yield op

    def _op(self, b: Operation, a: Operation) -> None:
        where = location_of(a)
        if b.name != a.name:
            raise MismatchError(f"{where}: {a.name} where {location_of(b)} has {b.name}")
        if (len(b.operands), len(b.results), len(b.regions)) != (len(a.operands), len(a.results), len(a.regions)):
            raise MismatchError(f"{where}: {a.name} has other operands, results or regions than at {location_of(b)}")
        self._attributes(b, a)
        self._structure(b, a)
        self._same_kernel(b, a)
        self.returning = isinstance(b, func.ReturnOp)
        for number, (mine, theirs) in enumerate(zip(b.operands, a.operands, strict=True)):
            self._operand(mine, theirs, f"operand {number} of {a.name} at {where}")
        self.serial += 1
        for number, (mine, theirs) in enumerate(zip(b.results, a.results, strict=True)):
            self._bind(mine, theirs, ("result", self.serial, number))
        for mine, theirs in zip(b.regions, a.regions, strict=True):
            self._blocks(list(mine.blocks), list(theirs.blocks))

    def _structure(self, b: Operation, a: Operation) -> None:
        """Operands must stand in groups of the same names and sizes, successors at the same places."""
        if _groups(b) != _groups(a) or _successors(b) != _successors(a):
            raise MismatchError(f"{location_of(a)}: {a.name} has other operand groups or successors than before")

    def _same_kernel(self, b: Operation, a: Operation) -> None:
        """A kernel that both modules hold must be the same, op by op."""
        symbol = self.before.profile.rule(b.name).kernel
        if symbol in ("", BODY):
            return
        mine, theirs = kernel_of(b, symbol), kernel_of(a, symbol)
        if mine is None and theirs is None:
            return
        if mine is None or theirs is None or not mine.clone().is_structurally_equivalent(theirs.clone()):
            raise MismatchError(f"{location_of(a)}: {a.name} runs another kernel than before")

    def _attributes(self, b: Operation, a: Operation) -> None:
        mine, theirs = _all_attributes(b), _all_attributes(a)
        for key in mine.keys() | theirs.keys():
            if key not in mine or key not in theirs:
                side = "before" if key in mine else "after"
                self.assumptions[
                    f"{a.name} at {location_of(a)}: attribute '{key}' stands only {side}; "
                    "taken to be a default that the printer leaves out"
                ] = None
            elif mine[key] != theirs[key] and str(mine[key]) != str(theirs[key]):
                where = f"{location_of(a)}: {a.name}"
                raise MismatchError(f"{where}: attribute '{key}' is {theirs[key]}, before {mine[key]}")

    def _bind(self, mine: SSAValue, theirs: SSAValue, key: tuple[object, ...]) -> None:
        self.serial += 1
        if not is_memref(mine) and mine.type != theirs.type:
            raise MismatchError(f"{value_name(theirs)} has type {theirs.type}, before {mine.type}")
        for value in (mine, theirs):
            self.numbering.bind(value, (key, self.serial))
        if is_memref(mine):
            self._same_external(mine, theirs)

    def _same_external(self, mine: SSAValue, theirs: SSAValue) -> None:
        """An argument, or memory from elsewhere, is the same memory in both."""
        own = [[r for r in m.refs.get(v, ()) if m.roots[r.root].value is v]
               for m, v in ((self.before, mine), (self.after, theirs))]  # fmt: skip
        if own[0] and own[1]:
            self.places[own[0][0].root] = Place(own[1][0].root, 0)

    # --- operands ----------------------------------------------------------------------------------------

    def _operand(self, mine: SSAValue, theirs: SSAValue, what: str) -> None:
        if is_memref(mine) != is_memref(theirs):
            raise MismatchError(f"{what} is {theirs.type}, before {mine.type}")
        if not is_memref(mine):
            if self.numbering.of(mine) != self.numbering.of(theirs):
                raise MismatchError(
                    f"{what}: {value_name(theirs)} is not the value {value_name(mine)} that stood there before"
                )
            return
        if not _same_shape(mine, theirs):
            raise MismatchError(f"{what} has type {theirs.type}, before {mine.type}")
        if self.numbering.shape(peeled(mine)) != self.numbering.shape(peeled(theirs)):
            raise MismatchError(f"{what}: {value_name(theirs)} cannot be shown to have the sizes of {value_name(mine)}")
        b, a = self.before.refs.get(mine, ()), self.after.refs.get(theirs, ())
        if not b or not a:
            raise MismatchError(f"{what}: the memory that {value_name(theirs)} names is not known")
        shift = self._shift(mine, theirs, what)
        for ref in b:
            if shift.bound and self.bases.get(ref.root):  # a memref.reshape: its operand was compared
                continue
            if self.bases.setdefault(ref.root, shift.base) != shift.base:
                name = self._before_name(ref.root)
                raise MismatchError(f"{what}: {name} is at another run-time offset than for an op before it")
        if len(b) == 1 and len(a) == 1:
            if shift.starts is not None:
                self.starts.setdefault(b[0].root, shift.starts)
            self._place(b[0], Place(a[0].root, shift.bytes), what)
        else:
            self.unresolved.append((mine, theirs, what))

    def _shift(self, mine: SSAValue, theirs: SSAValue, what: str) -> Displacement:
        try:
            return displacement(self.numbering, self.before, self.after, mine, theirs)
        except OtherViewError:
            names = value_name(theirs), value_name(mine)
            raise MismatchError(f"{what}: {names[0]} is not the view {names[1]} that stood there before") from None

    def _place(self, b: Ref, place: Place, what: str) -> None:
        if self._is_external(b.root):
            self._expect_external(b.root, place, what)
            return
        old = self.places.setdefault(b.root, place)
        if old != place:
            if old.memory == place.memory and None in (old.offset, place.offset):
                self.places[b.root] = Place(old.memory, None)
            else:
                self.moved.append(Moved(b.root, (old, place), what))
                if self.returning:
                    self.places[b.root] = place  # this is where the caller looks

    def _is_external(self, root: int) -> bool:
        return self.before.program.buffers[root].external

    def _expect_external(self, root: int, place: Place, what: str) -> None:
        known = self.places.get(root)
        if known is None:
            mine, theirs = self.before.roots[root].op, self.after.roots[place.memory].op
            taken = any(p.memory == place.memory for b, p in self.places.items() if self._is_external(b))
            if taken or place.offset != 0 or mine is None or theirs is None or not self._same_root_op(mine, theirs):
                raise MismatchError(f"{what} is {self._after_name(place)}, before {self._before_name(root)}")
            self.places[root] = Place(place.memory, 0)
        elif known.memory != place.memory or place.offset != 0:
            raise MismatchError(f"{what} is {self._after_name(place)}, before {self._before_name(root)}")

    def _same_root_op(self, mine: Operation, theirs: Operation) -> bool:
        scalars = [[self.numbering.of(v) for v in op.operands if not is_memref(v)] for op in (mine, theirs)]
        same = (
            mine.name == theirs.name and scalars[0] == scalars[1] and _all_attributes(mine) == _all_attributes(theirs)
        )
        if not same or mine.name != "memref.get_global":
            return same
        return self._same_global(global_op(mine), global_op(theirs))

    def _same_global(self, mine: Operation | None, theirs: Operation | None) -> bool:
        """Equal in type, value and everything else. The contents of resources are not looked at."""
        if mine is None or theirs is None:
            return False
        values = [{key: str(value) for key, value in _all_attributes(op).items()} for op in (mine, theirs)]
        if "dense_resource" in values[0].get("initial_value", ""):
            self.assumptions["resources of one name (dense_resource) hold the same data"] = None
        return values[0] == values[1]

    def _before_name(self, root: int) -> str:
        return self.before.program.buffers[root].name

    def _after_name(self, place: Place) -> str:
        return self.after.program.buffers[place.memory].name

    def _check_aliases(self, mine: SSAValue, theirs: SSAValue, what: str) -> None:
        """A value that may be one of several buffers must after be one of their places."""
        targets = {ref.root for ref in self.after.refs.get(theirs, ())}
        for ref in self.before.refs.get(mine, ()):
            place = self.places.get(ref.root)
            if place is None:
                if len(targets) == 1:
                    self.places[ref.root] = Place(next(iter(targets)), None)
                    continue
                raise MismatchError(
                    f"{what} may be several buffers, and where {self._before_name(ref.root)} went is not known"
                )
            if place.memory not in targets:
                raise MismatchError(
                    f"{what} may be {self._before_name(ref.root)}, which is not in the memory it names after"
                )


def _where(blocks: list[Block]) -> str:
    parent = blocks[0].parent_op() if blocks else None
    return str(location_of(parent)) if parent is not None else "?"


def _groups(op: Operation) -> object:
    """Names and sizes of the operand groups; segment sizes where there are no names."""
    groups = op.groups() if isinstance(op, ForeignOp) else None
    if groups is not None:
        return [(keyword, len(values)) for keyword, values in groups]
    merged = {**op.attributes, **op.properties}
    return [str(merged[key]) for key in ("operandSegmentSizes", "operand_segment_sizes") if key in merged]


def _successors(op: Operation) -> list[int]:
    region = op.parent_region()
    blocks = list(region.blocks) if region is not None else []
    return [blocks.index(successor) for successor in op.successors]


def _gives_token(op: Operation, profile: Profile) -> bool:
    """Is the op part of the order by tokens? Then it has a counterpart, though it allocates or frees."""
    records = profile.rule(op.name).records
    return any(isinstance(s, str) and is_of_type(result, s) for s in records for result in op.results)


# Memory that a pass may take away or put in; other root ops (outputs, constants) are matched one to one.
_REPLACED = frozenset({"alloc", "stack", "runtime", "global"})


def corresponds(op: Operation, profile: Profile) -> bool:
    """Must the op have a counterpart? Allocations, deallocations, views and pure scalar ops may differ."""
    rule = profile.rule(op.name)
    if is_pure(op) or is_skipped(op):
        return False
    return _gives_token(op, profile) or (
        rule.root not in _REPLACED
        and (rule.root != "external" or rule.size_operand is None)
        and (rule.frees is None or rule.root == "realloc")
    )


_IGNORED = frozenset({"smtalloc.syntax", "operandSegmentSizes", "operand_segment_sizes"})


def _all_attributes(op: Operation) -> dict[str, object]:
    merged = {**op.attributes, **op.properties}
    return {key: value for key, value in merged.items() if key not in _IGNORED}


def _same_shape(mine: SSAValue, theirs: SSAValue) -> bool:
    b, a = as_memref(mine.type), as_memref(theirs.type)
    if b is None or a is None:
        b, a = as_memref(peeled(mine).type), as_memref(peeled(theirs).type)  # of an unranked one: what was cast
        return mine.type == theirs.type and (b and (b.get_shape(), b.element_type)) == (
            a and (a.get_shape(), a.element_type)
        )
    sizes = list(zip(b.get_shape(), a.get_shape(), strict=False))
    if len(b.get_shape()) != len(a.get_shape()) or b.element_type != a.element_type:
        return False
    if any(x != y and DYNAMIC not in (x, y) for x, y in sizes):
        return False
    return _same_layout(mine, theirs)


def _same_layout(mine: SSAValue, theirs: SSAValue) -> bool:
    """Equal strides, wherever a dimension has more than one element."""
    b, a = as_memref(mine.type), as_memref(theirs.type)
    if b is None or a is None:
        return mine.type == theirs.type
    if b.layout == a.layout and b.get_shape() == a.get_shape():
        return True
    left, right = strides_of(b), strides_of(a)
    if left is None or right is None:
        return b.layout == a.layout
    return all(x == y or size == 1 for x, y, size in zip(left[1], right[1], b.get_shape(), strict=True))
