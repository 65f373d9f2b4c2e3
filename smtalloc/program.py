"""The model: buffers, accesses, actions, programs.

A program is a sequence of *actions* in host program order. Each action has an *engine*: `HOST`, or the name of a
device *queue* (in-order, asynchronous). docs/model.md has the picture; order.py has the happens-before relation.

Standard library only: every other room may import this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from smtalloc.symbolic import Polynomial, constant

HOST = "host"
UNKNOWN_QUEUE = "?"
"""In the name of an engine: a queue that is not known, with which nothing is in order (mlir/engines.py)."""

Number = int | float

NO_END = 1 << 62
"""Stands for the end of memory of run-time size where byte ranges are compared."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in an input file; line and column count from 1."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


class InputError(Exception):
    """Bad or unsupported input. Prints as one line: where, then what."""

    def __init__(self, message: str, location: Location | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.location = location

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message


@dataclass(frozen=True, slots=True)
class Buffer:
    """Root memory: what one allocation (or argument, or global) names.

    `size_bytes` is None where the size is known only at run time; then `size_key` names it: two buffers with the
    same non-empty key have the same type and the same size operands. Alignment is in bytes, a power of two.
    """

    name: str
    size_bytes: int | None
    alignment: int = 1
    space: str = ""
    element_type: str = "i8"
    type: str = ""
    size_key: str = ""
    external: bool = False
    """Never moved, live at both ends of the program: arguments, globals, memory that escapes."""
    live_out: bool = False
    """Allocated here and returned: live from its first access to the end of the program."""
    pinned: str = ""
    """Why a planner must leave it in memory of its own (empty: it may move)."""
    location: Location | None = None
    size: Polynomial | None = None
    """The size in bytes, where it depends on dimensions (`Program.dimensions`)."""
    made_at: int = 0
    """Ordinal of the op that allocates it."""
    sized_at: int = 0
    """Ordinal of the first op in front of which its size can be computed."""

    @property
    def exact_size(self) -> Polynomial | None:
        """The size as a polynomial, also where it is a number; None where it is not known at all."""
        return self.size if self.size is not None or self.size_bytes is None else constant(self.size_bytes)

    @property
    def movable(self) -> bool:
        """May a planner choose where it lives?"""
        return not self.external and not self.pinned


@dataclass(frozen=True, slots=True)
class Dimension:
    """A number known only at run time, within `[least, most]`; sizes name it."""

    name: str
    least: int
    most: int
    source: str = ""
    """What bounds it: "assumed" (by the user), "smtalloc.bounds" (an attribute), "default" (stated for all of them);
    empty: its type."""
    aliases: tuple[str, ...] = ()
    """Other names that a user may call it by."""


@dataclass(frozen=True, slots=True)
class Access:
    """Bytes `[lo, hi)` of the buffer with this index; `hi` None means up to the end, wherever that is.

    `may`: it happens on these bytes or on some of them, or not at all (unknown op, nested region, unknown index,
    one of several aliases). A write that is not `may` overwrites every byte of its range. Where a write leaves some
    bytes as they were (strided views), the action also reads the range.
    """

    buffer: int
    lo: int = 0
    hi: int | None = None
    may: bool = False
    type: str = ""
    """Shape and element type as the op sees them ("1x8xi64"), where known; replay decodes values by it."""
    dense: bool = True
    """Does it touch every byte of its range (False: a strided view, which leaves gaps)?"""
    in_place: bool = False
    """May the op write element by element over what it reads here (a read), or write so itself (a write)?"""

    @property
    def end(self) -> int:
        """`hi`, or `NO_END`."""
        return NO_END if self.hi is None else self.hi

    def overlaps(self, other: Access) -> bool:
        """Do both touch a common byte of the same buffer?"""
        return (
            self.buffer == other.buffer
            and (other.hi is None or self.lo < other.hi)
            and (self.hi is None or other.lo < self.hi)
        )


@dataclass(frozen=True, slots=True)
class Action:
    """What one engine does for one op.

    `ordinal` is the op's place in host program order; an op that is attributed to several engines gives several
    actions with one ordinal, and those are not ordered among themselves. `waits` names the queues that the host
    waits for before the accesses of this action (only for `engine == HOST`).

    `records` names events: each is over once the engine has finished its actions up to this one (of the host: at
    once). `awaits` names events that must be over before this action starts; the host blocks there, a queue makes
    only what is behind it wait. An await is for the latest record of an earlier ordinal (by all actions of that
    ordinal that record it); where there is none, it orders nothing.
    """

    ordinal: int
    engine: str
    op: str
    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()
    waits: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    """Names of the scalar operands, in order; a literal where the value is constant."""
    attributes: tuple[tuple[str, str], ...] = ()
    results: tuple[str, ...] = ()
    """Names of the scalar results, where they are what the one access read (loads, readbacks)."""
    location: Location | None = None
    records: tuple[str, ...] = ()
    awaits: tuple[str, ...] = ()

    @property
    def accesses(self) -> tuple[Access, ...]:
        return self.reads + self.writes

    @property
    def label(self) -> str:
        """For messages: the op and where it stands."""
        return f"{self.op} at {self.location}"

    @property
    def on_host(self) -> bool:
        return self.engine == HOST


@dataclass(frozen=True)
class Program:
    """One function: its root memory and its actions, in order of `ordinal`."""

    name: str
    buffers: tuple[Buffer, ...]
    actions: tuple[Action, ...]
    assumptions: tuple[str, ...] = ()
    """What the reader assumed where it did not know, one sentence each."""
    inputs: tuple[tuple[str, tuple[Number, ...]], ...] = ()
    """Values that the module gives, by name of buffer or scalar: all elements in order, or one for all of them."""
    fixed: frozenset[str] = frozenset()
    """Those of them that no caller can change: constant globals."""
    hidden_waits: bool = False
    """May more be ordered than `actions` say: waits inside regions, queues or events that may be one and the same?"""
    dimensions: tuple[Dimension, ...] = ()
    """What sizes depend on."""
    size_facts: frozenset[tuple[Polynomial, Polynomial]] = frozenset()
    """Pairs of different sizes of which the first is proven to be never larger than the second."""
    binding: tuple[tuple[str, int], ...] = ()
    """Values of dimensions at which sizes are counted; sizes that they decide have their `size_bytes` too."""

    @cached_property
    def queues(self) -> tuple[str, ...]:
        """Device queues that occur, sorted."""
        named = {a.engine for a in self.actions} | {q for a in self.actions for q in a.waits}
        return tuple(sorted(named - {HOST}))

    @cached_property
    def has_events(self) -> bool:
        """Does some action await an event?"""
        return any(a.awaits for a in self.actions)

    @cached_property
    def accesses_of(self) -> tuple[tuple[int, ...], ...]:
        """For each buffer, the indices of the actions that access it, in program order."""
        found: list[list[int]] = [[] for _ in self.buffers]
        for index, action in enumerate(self.actions):
            for buffer in {access.buffer for access in action.accesses}:
                found[buffer].append(index)
        return tuple(tuple(indices) for indices in found)

    @cached_property
    def host_accessed(self) -> frozenset[int]:
        """Buffers that some host action reads or writes."""
        return frozenset(access.buffer for a in self.actions if a.on_host for access in a.accesses)
