"""What a memory pass did to a function: the same actions, on other memory. Plain values; mlir/match.py finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from smtalloc.flow import Flow
from smtalloc.plan import Defect
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


BLOCKS_UNORDERED = "the function has several blocks: every access is taken to be possible at any time"
"""What a reader assumes of such a function where its paths are not followed."""


class Kind(StrEnum):
    """What a buffer of AFTER is, for those that a pass may put into it."""

    ALLOCATION = "allocation"
    STACK = "stack"
    SCRATCH = "scratch"
    """Handed out in pieces, and not of this call alone: pools, host scratch."""
    OTHER = "other"
    """Arguments, globals, outputs, constants: memory of somebody else."""


@dataclass(frozen=True, slots=True)
class Free:
    """AFTER frees a buffer of its own behind the op with this ordinal of BEFORE (-1: before all of them).

    `certain` is False where the op frees one of several buffers, `whole` where it is not known to be given the start
    of an allocation; `wrong` is then the defect, or None where it may be the start all the same.
    """

    memory: int
    ordinal: int
    certain: bool = True
    whole: bool = True
    wrong: Defect | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class LateUse:
    """AFTER uses memory that was given up before; `certain` unless the access may not happen."""

    text: str
    certain: bool


@dataclass(frozen=True)
class Correspondence:
    """One function before and after a pass, matched op by op.

    The actions of both programs correspond one to one, in order. `places` has an entry for every buffer of BEFORE that
    an op uses; external buffers are in it too. `fits` says of buffers whose size, offset or memory is known only at
    run time whether they provably fit where they went. `hoisted` are buffers whose memory is allocated once per
    iteration in one program only.
    """

    before: Program
    after: Program
    places: dict[int, Place]
    moved: tuple[Moved, ...] = ()
    frees: tuple[Free, ...] = ()
    fits: frozenset[int] = frozenset()
    hoisted: frozenset[int] = frozenset()
    kinds: Mapping[int, Kind] = field(default_factory=dict[int, Kind])
    """Of buffers of AFTER; ALLOCATION where nothing is said."""
    device_only: frozenset[int] = frozenset()
    """Buffers of AFTER that the host cannot address."""
    unclear: Mapping[int, str] = field(default_factory=dict[int, str])
    """Buffers of AFTER whose contents other code may change, and why."""
    escaped: frozenset[int] = frozenset()
    """Buffers of BEFORE that other code may keep."""
    loose_frees: frozenset[int] = frozenset()
    """Buffers of AFTER that are freed inside a region, by the op that frees one of their members in BEFORE too."""
    freed_before: Mapping[int, int] = field(default_factory=dict[int, int])
    """Buffers that BEFORE frees itself, and behind the op with which ordinal it first may."""
    outgrown: Mapping[int, str] = field(default_factory=dict[int, str])
    """Buffers that do not fit, whatever the dimensions are, and by how much."""
    aligned: frozenset[int] = frozenset()
    """Buffers at offsets known only at run time that provably are as aligned as they ask for."""
    apart: frozenset[tuple[int, int]] = frozenset()
    """Pairs of buffers of BEFORE in one memory that provably have no byte in common; the smaller index first."""
    offsets: Mapping[int, str] = field(default_factory=dict[int, str])
    """Offsets known only at run time, as formulas."""
    missing: Mapping[int, str] = field(default_factory=dict[int, str])
    """What is not known of buffers that are not in `fits`."""
    flow: Flow | None = None
    """The paths of a function with control flow; its actions are then judged by these, not by `before.actions`."""
    unfollowed: str = ""
    """Why there is no `flow`, though there is control flow and something in it is freed."""
    late_uses: tuple[LateUse, ...] = ()
    """In AFTER, and not in BEFORE."""
    cut: bool = False
    """The programs stop before the end: nobody sees what is in memory then."""
    assumptions: tuple[str, ...] = ()
    assignment: tuple[tuple[str, Place], ...] = ()
    """Allocation of BEFORE (by name) -> where it went, in program order."""

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """Memory of AFTER -> the buffers of BEFORE in it."""
        found: dict[int, list[int]] = {}
        for buffer, place in self.places.items():
            found.setdefault(place.memory, []).append(buffer)
        return found
