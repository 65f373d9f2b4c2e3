"""Reads of what nobody wrote, and ops that work in place, against all schedules and all orders within an op."""

from __future__ import annotations

from itertools import permutations

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from schedules import schedules
from test_validate_properties import FILTERED, moved_action, programs

from smtalloc.clashes import Clash
from smtalloc.placement import Correspondence, Place
from smtalloc.program import Access, Action, Buffer, Program
from smtalloc.unwritten import unwritten
from smtalloc.validate import findings


def always_unwritten(program: Program, action: int, read: Access) -> set[int]:
    """The bytes of a read that no write reaches before it, in any schedule."""
    left = set(range(read.lo, read.hi or 0))
    for schedule in schedules(program):
        for earlier in schedule[: schedule.index(action)]:
            for write in program.actions[earlier].writes:
                if write.buffer == read.buffer:
                    left -= set(range(write.lo, write.hi or 0))
    return left


@given(programs())
@settings(max_examples=150, deadline=None, suppress_health_check=FILTERED)
def test_unwritten_in_every_schedule(program: Program) -> None:
    found = {(u.action, u.read): u.partly for u in unwritten(program)}
    for index, action in enumerate(program.actions):
        for read in action.reads:
            if program.buffers[read.buffer].external or any(read.overlaps(write) for write in action.writes):
                assert (index, read) not in found
                continue
            left = always_unwritten(program, index, read)
            event("unwritten" if left else "written")
            assert ((index, read) in found) == bool(left)
            if left:
                assert found[index, read] == (len(left) < (read.hi or 0) - read.lo)


ELEMENTS = 3


def correct(shift: int, in_place: bool) -> bool:
    """One op reads `ELEMENTS` elements at 0 and writes as many at `shift`. Does each output come from its own input?

    An op reads and writes in any order of its elements; one that works in place reads each before it writes it.
    """
    for order in permutations(range(ELEMENTS)):
        memory: dict[int, object] = {i: ("in", i) for i in range(ELEMENTS)}
        for element in order:
            source = memory[element]
            memory[shift + element] = ("out", source)
        if any(memory[shift + i] != ("out", ("in", i)) for i in range(ELEMENTS)):
            return False
    return in_place or abs(shift) >= ELEMENTS


@settings(deadline=None)
@given(st.integers(-4, 4), st.booleans(), st.booleans(), st.sampled_from(["3xi8", "1x3xi8"]))
def test_in_place_only_over_the_same_bytes(shift: int, reads_so: bool, writes_so: bool, type_: str) -> None:
    """Any other overlap is a clash, and so is one under another shape, whose elements may stand elsewhere."""
    read = Access(0, 0, ELEMENTS, type="3xi8", in_place=reads_so)
    write = Access(1, 0, ELEMENTS, type=type_, in_place=writes_so)
    buffers = (Buffer("%in", ELEMENTS, external=False), Buffer("%out", ELEMENTS))
    first = Action(0, "q", "first", writes=(Access(0, 0, ELEMENTS),))
    last = Action(2, "q", "last", reads=(Access(1, 0, ELEMENTS),))
    before = Program("f", buffers, (first, Action(1, "q", "op", (read,), (write,)), last))
    places = {0: Place(0, 4), 1: Place(0, 4 + shift)}
    after = Program("f", (Buffer("%m", 16),), tuple(moved_action(a, places) for a in before.actions))
    result = findings(Correspondence(before, after, places))
    assume(not result.problems)
    clashes: tuple[Clash, ...] = result.clashes
    assert (not clashes) == correct(shift, reads_so and writes_so and type_ == "3xi8")
