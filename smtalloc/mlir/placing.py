"""Where buffers went, in sizes and offsets known only at run time: what fits, what is apart, what is aligned.

Both functions are read as polynomials over the same symbols: a value of AFTER has the symbol of the value of BEFORE
that the matcher gave the same number. Bounds come from BEFORE alone; that it is defined is what validation starts from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from xdsl.dialects import builtin
from xdsl.ir import Block, Operation, OpResult, SSAValue

from smtalloc.dimensions import DEFAULT, stated_bound
from smtalloc.mlir.addresses import peeled
from smtalloc.mlir.aliases import VIEWS
from smtalloc.mlir.layout import as_memref, element_bits, strides_of
from smtalloc.mlir.match import Matching
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.sizes import Assumed, SizeReader, default_name
from smtalloc.mlir.values import Numbering
from smtalloc.placement import Place
from smtalloc.program import Buffer
from smtalloc.size_order import SizeOrder
from smtalloc.solvers.z3 import Z3
from smtalloc.symbolic import UNBOUNDED, Polynomial, constant, divisor_of

_SOME_VALUE = 97
"""Of a dimension, to sort offsets that are then shown to ascend for all values."""


@dataclass(frozen=True)
class Placing:
    """Facts about places, for buffers of BEFORE; what is not in a set is not known."""

    fits: frozenset[int] = frozenset()
    """Buffers that are inside of their memory."""
    outgrown: Mapping[int, str] = field(default_factory=dict[int, str])
    """Buffers that are not inside of it, whatever the dimensions are, and how."""
    aligned: frozenset[int] = frozenset()
    """Buffers at run-time offsets that are as aligned as they ask for."""
    apart: frozenset[tuple[int, int]] = frozenset()
    """Pairs of one memory without a common byte, the smaller index first."""
    offsets: Mapping[int, str] = field(default_factory=dict[int, str])
    """Run-time offsets, as text."""
    assumptions: tuple[str, ...] = ()
    missing: Mapping[int, str] = field(default_factory=dict[int, str])
    """What would have to be known of a buffer that is not in `fits`."""


def placing(before: FunctionModel, after: FunctionModel, matching: Matching, assumed: Assumed) -> Placing:
    """Judge the places of all buffers that move and that plain numbers do not decide."""
    names: dict[int, str] = {}
    numbering = matching.numbering

    def mine(value: SSAValue, dimension: int | None) -> str:
        return names.setdefault(_number(numbering, value, dimension), default_name(value, dimension))

    def theirs(value: SSAValue, dimension: int | None) -> str:
        number = _number(numbering, value, dimension)
        return names.setdefault(number, f"{default_name(value, dimension)} of AFTER")

    def readers() -> tuple[SizeReader, SizeReader]:
        reader = SizeReader(before.func, before.profile, assumed, mine)
        for argument in before.entry.args:  # named and bounded by BEFORE, whichever function is first to use them
            reader.mention(argument)
        return reader, SizeReader(after.func, after.profile, {}, theirs, reader)

    return _placing(before, after, matching.places, matching.starts, readers)


def placing_alone(apart: FunctionModel, plain: FunctionModel, places: Mapping[int, Place], assumed: Assumed) -> Placing:
    """The same for one function, whose views of pools are buffers of their own in `apart`."""
    values = {b: apart.roots[b].value for b in places}
    starts = {b: (value, value) for b, value in values.items() if value is not None}

    def readers() -> tuple[SizeReader, SizeReader]:
        reader = SizeReader(plain.func, plain.profile, assumed, default_name)
        return reader, reader

    return _placing(apart, plain, places, starts, readers)


def _placing(
    before: FunctionModel,
    after: FunctionModel,
    places: Mapping[int, Place],
    starts: Mapping[int, tuple[SSAValue, SSAValue]],
    readers: Callable[[], tuple[SizeReader, SizeReader]],
) -> Placing:
    buffers, memories = before.program.buffers, after.program.buffers
    found = {b: place for b, place in places.items() if not buffers[b].external}
    open_ = {
        place.memory
        for b, place in found.items()
        if place.offset is None or buffers[b].size_bytes is None or memories[place.memory].size_bytes is None
    }
    if not open_ or any(len(model.func.body.blocks) != 1 for model in (before, after)):
        return Placing()
    return _Judge(before, after, starts, *readers()).judge({b: p for b, p in found.items() if p.memory in open_})


@dataclass
class _Judge:
    before: FunctionModel
    after: FunctionModel
    starts: Mapping[int, tuple[SSAValue, SSAValue]]
    reader: SizeReader
    their_reader: SizeReader

    def __post_init__(self) -> None:
        self.order = SizeOrder({}, Z3())
        self.used: set[str] = set()

    def judge(self, places: Mapping[int, Place]) -> Placing:
        buffers = self.before.program.buffers
        spans = {b: (self.offset(b, place), self.size(b)) for b, place in places.items()}
        rooms = {memory: self.room(memory) for memory in {place.memory for place in places.values()}}
        self.order.bounds = {**self.their_reader.bounds, **self.reader.bounds}
        fits: set[int] = set()
        missing: dict[int, str] = {}
        outgrown: dict[int, str] = {}
        for b, place in places.items():
            (at, size), room = spans[b], rooms[place.memory]
            if at is None or size is None or room is None:
                what = "its offset" if at is None else "its size" if size is None else "the size of the memory"
                missing[b] = f"{what} cannot be read"
            elif self.order.never_negative(at) and self.order.at_most(at + size, room):
                fits.add(b)
            elif self.order.at_most(room + 1, at + size) and self.order.never_negative(size - 1):
                outgrown[b] = f"needs bytes {at} to {at + size}, the memory has {room}"
            else:
                missing[b] = f"0 <= {at} and {at + size} <= {room} would have to hold for all values"
                point = self.order.witness(at) or self.order.witness(room - at - size)
                if point:  # no defect yet: the shapes that ops ask for may rule it out
                    missing[b] += f" (not so at {', '.join(f'{name} = {value}' for name, value in point.items())})"
        return Placing(
            frozenset(fits),
            outgrown,
            frozenset(b for b, place in places.items() if self._aligned(buffers[b], spans[b][0], place.memory)),
            frozenset(pair for memory in rooms for pair in self._pairs_apart(places, spans, memory)),
            {b: str(at) for b, (at, _) in spans.items() if at is not None and places[b].offset is None},
            self._assumptions(),
            missing,
        )

    def _assumptions(self) -> tuple[str, ...]:
        """The stated bound of what sizes and offsets were computed from."""
        sources = {**self.their_reader.sources, **self.reader.sources}
        loose = [name for name, source in sources.items() if source == DEFAULT and name in self.used]
        return (stated_bound(loose),) if loose else ()

    def _value(self, reader: SizeReader, value: SSAValue) -> Polynomial:
        self.used |= reader.leaves(value)
        return reader.value(value)

    # --- sizes -------------------------------------------------------------------------------------------

    def size(self, buffer: int) -> Polynomial | None:
        known = self.before.program.buffers[buffer].size_bytes
        return constant(known) if known is not None else self._bytes(self.before, buffer, self.reader)

    def room(self, memory: int) -> Polynomial | None:
        """The size of a memory of AFTER. One that is taken twice may have another."""
        known = self.after.program.buffers[memory].size_bytes
        if known is not None:
            return constant(known)
        return None if memory in self.after.retaken else self._bytes(self.after, memory, self.their_reader)

    def _bytes(self, model: FunctionModel, buffer: int, reader: SizeReader) -> Polynomial | None:
        root = model.roots[buffer]
        if root.op is None or root.value is None or root.op.parent_block() is not model.entry:
            return None
        rule = model.profile.rule(root.op.name)
        if rule.size_operand is not None:
            return self._value(reader, root.op.operands[rule.size_operand])
        if rule.root not in ("alloc", "stack") and root.op.name != "memref.view":
            return None
        self.used |= reader.leaves_of(root.op.operands)
        return reader.bytes_of(root.value)

    # --- offsets -----------------------------------------------------------------------------------------

    def offset(self, buffer: int, place: Place) -> Polynomial | None:
        """In bytes, from the start of the memory."""
        if place.offset is not None:
            return constant(place.offset)
        start = self.starts.get(buffer)
        if start is None:
            return None
        mine, theirs = (as_memref(peeled(value).type) for value in start)
        if mine is None or theirs is None or not all(isinstance(t.layout, builtin.NoneAttr) for t in (mine, theirs)):
            return None  # not both row-major from their first byte
        return self._address(peeled(start[1]))

    def _address(self, value: SSAValue) -> Polynomial | None:
        """Of the first element of a memref of AFTER."""
        type_ = as_memref(value.type)
        bits, layout = (
            (element_bits(type_.element_type, self.after.profile), strides_of(type_)) if type_ else (None, None)
        )
        base = self._base(value)
        if base is None or bits is None or layout is None or layout[0] is None or layout[0] * bits % 8:
            return None
        return base + layout[0] * bits // 8

    def _base(self, value: SSAValue) -> Polynomial | None:
        """Of the base pointer of a memref: only `memref.view` moves it."""
        total = constant(0)
        while isinstance(value, OpResult) and value.op.name in VIEWS:
            if value.op.name == "memref.view":
                shift = value.op.operands[1]
                if _block_of(shift) is not self.after.entry:
                    return None  # one value per iteration
                total += self._value(self.their_reader, shift)
            value = value.op.operands[0]
        refs = self.after.refs.get(value, ())
        own = len(refs) == 1 and self.after.roots[refs[0].root].value is value
        same = len(refs) == 1 and refs[0].whole and refs[0].base == 0  # a pool that is taken again
        return total if own or same else None

    def _aligned(self, buffer: Buffer, at: Polynomial | None, memory: int) -> bool:
        room = self.after.program.buffers[memory].alignment
        return at is not None and room % buffer.alignment == 0 and divisor_of(at) % buffer.alignment == 0

    def _pairs_apart(
        self, places: Mapping[int, Place], spans: Mapping[int, tuple[Polynomial | None, ...]], memory: int
    ) -> Iterator[tuple[int, int]]:
        """Pairs of one memory without a common byte, the smaller index first."""
        members = [b for b, place in places.items() if place.memory == memory]
        stacked = self._stacked({b: spans[b] for b in members})
        for a, b in combinations(members, 2):
            pair = min(a, b), max(a, b)
            if pair in stacked or self._apart(spans[a], spans[b]):
                yield pair

    def _stacked(self, spans: Mapping[int, tuple[Polynomial | None, ...]]) -> set[tuple[int, int]]:
        """Pairs that lie one above the other, by transitivity: a buffer ends below the next offset, and the offsets
        from there on ascend. As many questions as there are buffers, and short ones, as equal terms cancel."""
        at = {b: offset for b, (offset, _) in spans.items() if offset is not None}
        symbols = frozenset[str]().union(*(offset.symbols() for offset in at.values()))
        reach = {name: self.order.bounds.get(name, UNBOUNDED) for name in symbols}
        point = {name: min(max(_SOME_VALUE, r.lo), r.hi) for name, r in reach.items()}
        ladder = sorted(dict.fromkeys(at.values()), key=lambda offset: offset.evaluate(point))
        above = list(pairwise(ladder))
        rises = [self.order.at_most(low, high) for low, high in above]
        rung = {offset: k for k, offset in enumerate(ladder)}
        found: set[tuple[int, int]] = set()
        for b, offset in at.items():
            k, size = rung[offset], spans[b][1]
            if k == len(above) or size is None or not self.order.at_most(size, above[k][1] - offset):
                continue
            broken = next((j for j in range(k + 1, len(rises)) if not rises[j]), len(rises))
            found |= {(min(b, c), max(b, c)) for c, other in at.items() if k < rung[other] <= broken}
        return found

    def _apart(self, one: tuple[Polynomial | None, ...], other: tuple[Polynomial | None, ...]) -> bool:
        (a, a_size), (b, b_size) = one, other
        if a is None or b is None:
            return False
        return (a_size is not None and self.order.at_most(a + a_size, b)) or (
            b_size is not None and self.order.at_most(b + b_size, a)
        )


def _number(numbering: Numbering, value: SSAValue, dimension: int | None) -> int:
    return numbering.of(value) if dimension is None else numbering.dimension(value, dimension)


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner.parent_block() if isinstance(owner, Operation) else owner
