"""Runs a schedule of actions on values.

Memory is bytes where they are known, and otherwise pieces of symbols: the contents of an input nobody gave a value,
or the result of an op without a kernel, which stands for itself (a distinct symbol per op and inputs). Two reads are
equal iff their pieces are; so "this read returns something else" is meaningful for every op.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from smtalloc.kernels import KERNELS, Typed, decode, element_of, encode
from smtalloc.program import Access, Action, Number, Program

NOMINAL = 1 << 48
"""Stands for the end of memory of run-time size."""
_CONCRETE = 4096  # bytes; larger values stay symbolic
UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Symbol:
    """Bytes `[start, start + size)` of a value that stands for itself."""

    name: str
    start: int
    size: int


Piece = bytes | Symbol
Value = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """What each action read and wrote (parallel to its `reads` and `writes`); `final`: memory that was touched, at the
    end."""

    reads: dict[int, tuple[Value, ...]]
    writes: dict[int, tuple[Value, ...]]
    final: dict[int, Value]


@dataclass(slots=True)
class Memory:
    """One buffer's bytes as a sorted list of (offset, piece)."""

    name: str
    pieces: list[tuple[int, Piece]] = field(default_factory=list[tuple[int, "Piece"]])

    def read(self, lo: int, hi: int) -> Value:
        found: list[Piece] = []
        at = lo
        for start, piece in self.pieces:
            end = start + _size(piece)
            if end <= lo or start >= hi:
                continue
            if start > at:
                found.append(Symbol(f"{UNDEFINED} {self.name}", at, start - at))
            found.append(_cut(piece, max(lo - start, 0), min(hi, end) - start))
            at = end
        if at < hi:
            found.append(Symbol(f"{UNDEFINED} {self.name}", at, hi - at))
        return _joined(found)

    def write(self, lo: int, value: Value) -> None:
        hi = lo + sum(map(_size, value))
        kept: list[tuple[int, Piece]] = []
        for start, piece in self.pieces:
            end = start + _size(piece)
            if start < lo:
                kept.append((start, _cut(piece, 0, min(end, lo) - start)))
            if end > hi:
                kept.append((max(start, hi), _cut(piece, max(hi - start, 0), end - start)))
        at = lo
        for piece in value:
            kept.append((at, piece))
            at += _size(piece)
        self.pieces = sorted(((o, p) for o, p in kept if _size(p)), key=lambda item: item[0])


def _size(piece: Piece) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.size


def _cut(piece: Piece, lo: int, hi: int) -> Piece:
    return piece[lo:hi] if isinstance(piece, bytes) else Symbol(piece.name, piece.start + lo, hi - lo)


def _joined(pieces: Sequence[Piece]) -> Value:
    """Neighbouring pieces of one origin become one, so that equal contents have equal values."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if isinstance(last, bytes) and isinstance(piece, bytes):
            found[-1] = last + piece
        elif (
            isinstance(last, Symbol)
            and isinstance(piece, Symbol)
            and (last.name == piece.name and last.start + last.size == piece.start)
        ):
            found[-1] = Symbol(last.name, last.start, last.size + piece.size)
        else:
            found.append(piece)
    return tuple(found)


@dataclass(frozen=True)
class Setup:
    """Which memory each access of an action goes to, and what is in it at the start.

    `actions` are those of BEFORE; `places` gives for each the accesses to use instead (AFTER's, or its own).
    `inputs` gives values by name: memref arguments (all elements) and scalars.
    """

    program: Program
    places: Sequence[Action]
    initial: Mapping[int, str]
    """Memory index -> name of the input whose contents it has at the start."""
    inputs: Mapping[str, tuple[Number, ...]]
    types: Mapping[str, str]
    """Shape and element type of a named memref input."""
    opaque: bool = False
    """Every op but copies and stores gives a symbol of its own, whatever it reads: then only where a value comes from
    counts, and no input of an op needs to be known."""


def run(
    setup: Setup, schedule: Sequence[int], *, early_writes: int | None = None, reversed_writes: int | None = None
) -> Trace:
    """Execute the schedule.

    An op may write its outputs in any order, and parts of them before it has read all its inputs: the action
    `early_writes` writes before it reads, `reversed_writes` writes its last output first.
    """
    memories: dict[int, Memory] = {}
    scalars: dict[str, Value] = {}  # what loads and readbacks gave
    reads: dict[int, tuple[Value, ...]] = {}
    writes: dict[int, tuple[Value, ...]] = {}

    def memory(access: Access) -> Memory:
        if access.buffer not in memories:
            memories[access.buffer] = initial_memory(setup, access.buffer)
        return memories[access.buffer]

    for index in schedule:
        action, place = setup.program.actions[index], setup.places[index]

        def read_all(place: Action = place) -> tuple[Value, ...]:
            return tuple(memory(a).read(a.lo, NOMINAL if a.hi is None else a.hi) for a in place.reads)

        for _ in range(2 if index == early_writes else 1):
            reads[index] = read_all()
            if action.results and len(reads[index]) == 1:
                scalars |= dict.fromkeys(action.results, reads[index][0])
            written = _execute(setup, index, action, reads[index], scalars)
            pairs = list(zip(place.writes, written, strict=True))
            for access, value in reversed(pairs) if index == reversed_writes else pairs:
                memory(access).write(access.lo, value)
            writes[index] = written
    final = {buffer: m.read(0, NOMINAL) for buffer, m in memories.items()}
    return Trace(reads, writes, final)


def initial_memory(setup: Setup, buffer: int) -> Memory:
    """A memory before the first action."""
    name = setup.initial.get(buffer)
    memory = Memory(name or f"memory {buffer}")
    if name is None:
        return memory
    values, type_ = setup.inputs.get(name), setup.types.get(name, "")
    data = _tensor(values, type_) if values is not None else None
    if data is not None:
        memory.write(0, (data,))
    memory.write(len(data or b""), (Symbol(f"input {name}", len(data or b""), NOMINAL - len(data or b"")),))
    return memory


def _tensor(values: tuple[Number, ...], type_: str) -> bytes | None:
    """The values in the type; a single one fills the whole tensor."""
    count = 1
    for size in type_.split("x")[:-1]:
        if not size.isdigit():
            return None
        count *= int(size)
    if count * 8 > _CONCRETE:
        return None
    return encode(values * count if len(values) == 1 else values, type_) if len(values) in (1, count) else None


def _execute(
    setup: Setup, index: int, action: Action, inputs: tuple[Value, ...], scalars: Mapping[str, Value]
) -> tuple[Value, ...]:
    if (
        action.op == "memref.copy"
        and len(inputs) == len(action.writes) == 1
        and not any(a.may for a in action.accesses)
    ):
        target = action.writes[0]
        if sum(map(_size, inputs[0])) == (NOMINAL if target.hi is None else target.hi) - target.lo:
            return inputs  # whatever it is
    if action.op == "memref.store":
        outputs = _store(setup, action, scalars)
    else:
        outputs = None if setup.opaque else _kernel(action, inputs)
    if outputs is not None:
        return outputs
    digest = str(index) if setup.opaque else hashlib.sha256(repr((index, action.op, inputs)).encode()).hexdigest()[:8]
    found: list[Value] = []
    for position, access in enumerate(action.writes):
        size = (NOMINAL if access.hi is None else access.hi) - access.lo
        found.append((Symbol(f"{action.op}#{digest}.{position}", 0, size),))
    return tuple(found)


def _kernel(action: Action, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """Run the op's kernel, where it has one and all its inputs are known bytes."""
    kernel = KERNELS.get(action.op)
    if kernel is None or any(a.may for a in action.accesses) or len(action.reads) != len(inputs):
        return None
    typed: list[Typed] = []
    for access, value in zip(action.reads, inputs, strict=True):
        decoded = decode(value[0], access.type) if len(value) == 1 and isinstance(value[0], bytes) else None
        if decoded is None:
            return None
        typed.append(decoded)
    results = kernel(typed, [a.type for a in action.writes], dict(action.attributes))
    if results is None:
        return None
    encoded = [encode(values, a.type) for values, a in zip(results, action.writes, strict=True)]
    if any(
        data is None or a.hi is None or len(data) != a.hi - a.lo for data, a in zip(encoded, action.writes, strict=True)
    ):
        return None
    return tuple((data,) for data in encoded if data is not None)


def _store(setup: Setup, action: Action, scalars: Mapping[str, Value]) -> tuple[Value, ...] | None:
    """`memref.store value, memref[indices]`: the element becomes the scalar, by number or by name."""
    if len(action.writes) != 1 or not action.scalars:
        return None
    access, name = action.writes[0], action.scalars[0]
    element = element_of(access.type)
    size = (NOMINAL if access.hi is None else access.hi) - access.lo
    read = scalars.get(name)
    if read is not None and sum(map(_size, read)) == size:
        return (read,)
    number: tuple[Number, ...] | None = setup.inputs.get(name)
    if number is None and name.lstrip("-").isdigit():
        number = (int(name),)
    data = encode(number[:1], element) if number else None
    if data is not None and access.hi is not None and len(data) == access.hi - access.lo:
        return ((data,),)
    return ((Symbol(f"value {name}", 0, size),),)


def defined_difference(expected: Value, actual: Value) -> bool:
    """Does a byte that is defined in the first value differ in the second?"""
    starts = (_starts(expected), _starts(actual))
    edges = sorted({*starts[0], *starts[1]})
    for lo, hi in pairwise(edges):
        mine, theirs = _part(expected, lo, hi), _part(actual, lo, hi)
        undefined = isinstance(mine, Symbol) and mine.name.startswith(UNDEFINED)
        if mine is not None and theirs is not None and not undefined and mine != theirs:
            return True
    return False


def _starts(value: Value) -> list[int]:
    """Where the pieces begin, and the end."""
    edges = [0]
    for piece in value:
        edges.append(edges[-1] + _size(piece))
    return edges


def _part(value: Value, lo: int, hi: int) -> Piece | None:
    """Bytes `[lo, hi)`, which lie in one piece; None past the end."""
    at = 0
    for piece in value:
        if at <= lo < at + _size(piece):
            return _cut(piece, lo - at, hi - at)
        at += _size(piece)
    return None


def show(value: Value, type_: str = "") -> str:
    """A value as a person would write it: numbers where the type is known, else where it comes from."""
    if not value:
        return "nothing"
    if len(value) == 1 and isinstance(value[0], bytes):
        typed = decode(value[0], type_)
        if typed is not None:
            shown = [f"{v:,}" if isinstance(v, int) else f"{v:g}" for v in typed.values[:8]]
            more = ", ..." if len(typed.values) > 8 else ""
            return shown[0] if len(typed.values) == 1 else "[" + ", ".join(shown) + more + "]"
    names: list[str] = []
    for piece in value:
        text = f"{len(piece)} bytes" if isinstance(piece, bytes) else piece.name
        if text not in names:
            names.append(text)
    return " + ".join(names[:3]) + (" + ..." if len(names) > 3 else "")
