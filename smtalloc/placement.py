"""What a memory pass did to a function: the same actions, on other memory. Plain values; mlir/match.py finds them."""

from __future__ import annotations

from dataclasses import dataclass

from smtalloc.program import Location, Program


@dataclass(frozen=True, slots=True)
class Place:
    """Where a buffer of BEFORE lives in AFTER: a buffer there, and the byte offset in it (None: not known)."""

    memory: int
    offset: int | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A buffer that is in one place for one op and in another for a later one; `op` says which."""

    buffer: int
    places: tuple[Place, Place]
    op: str


@dataclass(frozen=True, slots=True)
class Free:
    """AFTER frees a buffer of its own behind the op with this ordinal of BEFORE (-1: before all of them).

    `certain` is False where the op frees one of several buffers.
    """

    memory: int
    ordinal: int
    certain: bool = True
    location: Location | None = None


@dataclass(frozen=True)
class Correspondence:
    """One function before and after a pass, matched op by op.

    The actions of both programs correspond one to one, in order. `places` has an entry for every buffer of BEFORE that
    an op uses; external buffers are in it too. `fits` says of buffers of run-time size whether they provably fit where
    they went. `hoisted` are buffers whose memory is allocated once per iteration in one program only.
    """

    before: Program
    after: Program
    places: dict[int, Place]
    moved: tuple[Moved, ...] = ()
    frees: tuple[Free, ...] = ()
    fits: frozenset[int] = frozenset()
    hoisted: frozenset[int] = frozenset()
    foreign: frozenset[int] = frozenset()
    """Buffers of AFTER that no pass may take as memory for others (globals)."""
    loose_frees: frozenset[int] = frozenset()
    """Buffers of AFTER that are freed inside a region, by the op that frees one of their members in BEFORE too."""
    freed_before: frozenset[int] = frozenset()
    """Buffers that BEFORE frees itself."""
    assumptions: tuple[str, ...] = ()
    assignment: tuple[tuple[str, Place], ...] = ()
    """Allocation of BEFORE (by name) -> where it went, in program order."""
