"""One program alone: accesses of one buffer that may run in either order, though they should not.

Two actions race on a buffer if they touch a common byte, at least one writes it, and happens-before orders them in
neither direction. A race is reported where turning it round changes what somebody reads. What happens inside a region
is not ordered among engines, so what host and device both touch there is reported as not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from smtalloc.comparison import Comparison, Inputs
from smtalloc.counterexample import action_name
from smtalloc.order import Order
from smtalloc.placement import Correspondence, Place
from smtalloc.plan import Counterexample, Defect
from smtalloc.program import Access, Program
from smtalloc.schedule import linear_extension

_MANY = 8


@dataclass(frozen=True, slots=True)
class Race:
    """Actions `first` and `second` (in program order) on one buffer; `certain` unless an access may not happen."""

    first: int
    second: int
    accesses: tuple[Access, Access]
    certain: bool


def races(program: Program) -> Iterator[Race]:
    """All races on buffers, in program order."""
    order = Order(program)
    return (race for race in conflicting(program) if not order.hb(race.first, race.second))


def conflicting(program: Program) -> Iterator[Race]:
    """All that would be races if nothing were ordered: accesses of a common byte, at least one of them a write."""
    for indices in program.accesses_of:
        for position, second in enumerate(indices):
            for first in indices[:position]:
                a, b = program.actions[first], program.actions[second]
                clash = next(
                    (
                        (x, y)
                        for x in a.accesses
                        for y in b.accesses
                        if x.overlaps(y) and (x in a.writes or y in b.writes)
                    ),
                    None,
                )
                if clash is not None:
                    certain = a.ordinal != b.ordinal and not (clash[0].may or clash[1].may or program.hidden_waits)
                    yield Race(first, second, clash, certain)


def outside(program: Program) -> list[Counterexample]:
    """Accesses beyond the end of their buffer, or in front of it."""
    found: list[Counterexample] = []
    for action in program.actions:
        for access in action.accesses:
            buffer = program.buffers[access.buffer]
            size, end = buffer.size_bytes, access.hi
            if size is None or end is None or access.may or (access.lo >= 0 and end <= size):
                continue
            bytes_ = f"from {access.lo}" if access.lo < 0 else f"up to {end}"
            text = f"{buffer.name}: {action.label} touches bytes {bytes_}, it has {size}"
            found.append(Counterexample(Defect.TOO_SMALL, text, accesses=(access,)))
    return found[:_MANY]


def shown_races(program: Program, inputs: Inputs) -> tuple[list[Counterexample], list[str]]:
    """(races that change what is read, with a schedule; races that are known only conservatively)."""
    identity = Correspondence(program, program, {i: Place(i, 0) for i in range(len(program.buffers))})
    comparison = Comparison(identity, inputs)
    found: list[Counterexample] = []
    unclear: list[str] = []
    for race in races(program):
        name = program.buffers[race.accesses[0].buffer].name
        one, other = action_name(program, race.first), action_name(program, race.second)
        text = f"{name}: {other} does not wait for {one}, and may run first"
        if not race.certain:
            unclear.append(f"{text} (known only conservatively)")
            continue
        schedule = linear_extension(program, [(race.second, race.first)])
        replayed = comparison.replay(schedule) if schedule is not None and len(found) < _MANY else None
        if replayed is not None:
            marks = {race.first: "LATE", race.second: "EARLY"}
            shown = comparison.show(replayed, marks, marks)
            found.append(Counterexample(Defect.RACE, text, shown.steps, shown.expected, shown.actual, race.accesses))
    return found, unclear
