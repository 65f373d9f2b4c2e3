"""Validation against brute force: every schedule of small programs, bytes as tokens of who wrote them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from schedules import schedules

from smtalloc.counterexample import judge
from smtalloc.placement import Correspondence, Moved, Place
from smtalloc.plan import Defect, Safe, Unknown, Unsafe
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.schedule_smt import find_schedule, smt_findings
from smtalloc.solvers.z3 import Z3
from smtalloc.validate import findings

SIZE = 4
# Programs that race on their own have no right value to compare with: they are drawn and left out.
FILTERED = [HealthCheck.filter_too_much, HealthCheck.too_slow]


@st.composite
def accesses(draw: st.DrawFn, buffer: int) -> Access:
    lo, hi = draw(st.sampled_from([(0, SIZE)] * 4 + [(0, 2), (2, SIZE), (1, 3)]))
    return Access(buffer, lo, hi)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    count = draw(st.integers(2, 4))
    found = tuple(Buffer(f"%{i}", SIZE, external=draw(st.sampled_from([False] * 5 + [True]))) for i in range(count))
    found = tuple(
        b if b.external else Buffer(b.name, SIZE, live_out=draw(st.sampled_from([False] * 4 + [True]))) for b in found
    )
    actions: list[Action] = []
    for ordinal in range(draw(st.integers(2, 6))):
        engine = draw(st.sampled_from([HOST, "q", "q", "r"]))
        waits = draw(st.sampled_from([(), ("q",), ("r",)])) if engine == HOST else ()
        touched = st.lists(st.integers(0, count - 1).flatmap(accesses), max_size=2, unique_by=lambda a: a.buffer)
        reads, writes = tuple(draw(touched)), tuple(draw(touched))
        records, awaits = (draw(st.sampled_from([(), (), ("e",), ("f",)])) for _ in range(2))
        actions.append(Action(ordinal, engine, f"op{ordinal}", reads, writes, waits, records=records, awaits=awaits))
    return Program("f", found, tuple(actions))


@st.composite
def passes(draw: st.DrawFn) -> Correspondence:
    """A program, and its buffers put into one or two memories at random offsets. External ones stay."""
    before = draw(programs())
    memories = [Buffer(f"%m{i}", 3 * SIZE) for i in range(2)]
    externals = [b for b in before.buffers if b.external]
    places: dict[int, Place] = {}
    for index, buffer in enumerate(before.buffers):
        if buffer.external:
            places[index] = Place(len(memories) + externals.index(buffer), 0)
        else:
            places[index] = Place(draw(st.sampled_from([0, 0, 1])), draw(st.sampled_from([0, 0, 0, 2, 4])))
    after = Program("f", (*memories, *externals), tuple(moved_action(a, places) for a in before.actions))
    return Correspondence(before, after, places)


def moved_action(action: Action, places: dict[int, Place]) -> Action:
    def there(access: Access) -> Access:
        place = places[access.buffer]
        assert access.hi is not None and place.offset is not None
        return replace(access, buffer=place.memory, lo=access.lo + place.offset, hi=access.hi + place.offset)

    return replace(action, reads=tuple(map(there, action.reads)), writes=tuple(map(there, action.writes)))


# --- the oracle ----------------------------------------------------------------------------------------------

Token = tuple[object, ...]


def observed(
    names: Program, actions: tuple[Action, ...], schedule: tuple[int, ...], final: list[Access], variant: int = 0
) -> list[list[Token | None]]:
    """Per read, in order of actions, and per final access: who wrote each byte (None: undefined).

    Variants: an op may write its last output first (1), or write before it reads (2).
    """
    memory: dict[tuple[int, int], Token] = {}
    seen: dict[int, list[list[Token | None]]] = {}

    def look(access: Access) -> list[Token | None]:
        assert access.hi is not None
        start = [("input", names.buffers[access.buffer].name, at) for at in range(access.lo, access.hi)]
        external = names.buffers[access.buffer].external
        return [
            memory.get((access.buffer, at), start[at - access.lo] if external else None)
            for at in range(access.lo, access.hi)
        ]

    def write(index: int) -> None:
        numbered = list(enumerate(actions[index].writes))
        for number, access in reversed(numbered) if variant == 1 else numbered:
            assert access.hi is not None
            for at in range(access.lo, access.hi):
                memory[access.buffer, at] = (index, number, at - access.lo)

    for index in schedule:
        if variant == 2:
            write(index)
        seen[index] = [look(access) for access in actions[index].reads]
        write(index)
    return [read for index in range(len(actions)) for read in seen[index]] + [look(access) for access in final]


def all_observations(found: Correspondence) -> Iterator[list[list[Token | None]]]:
    after = found.after
    final = [
        Access(found.places[i].memory, found.places[i].offset or 0, (found.places[i].offset or 0) + SIZE)
        for i, b in enumerate(found.before.buffers)
        if b.external or b.live_out
    ]
    for schedule in schedules(found.before):
        for variant in range(3):
            yield observed(after, after.actions, schedule, final, variant)


def broken(found: Correspondence) -> bool:
    """Does some schedule show a defined byte of BEFORE as something else? BEFORE must have no race of its own."""
    before = found.before
    final = [Access(i, 0, SIZE) for i, b in enumerate(before.buffers) if b.external or b.live_out]
    runs = {
        repr(observed(before, before.actions, schedule, final, variant))
        for schedule in schedules(before)
        for variant in range(3)
    }
    assume(len(runs) == 1)
    expected = observed(before, before.actions, tuple(range(len(before.actions))), final)
    return any(
        want is not None and want != got
        for run in all_observations(found)
        for wants, gots in zip(expected, run, strict=True)
        for want, got in zip(wants, gots, strict=True)
    )


SEEN: Counter[str] = Counter()


@settings(max_examples=500, deadline=None, suppress_health_check=FILTERED)
@given(passes())
def test_verdict_is_what_brute_force_says(found: Correspondence) -> None:
    wrong = broken(found)
    verdict = judge(found, findings(found), {})
    races = [c for c in verdict.counterexamples if c.schedule] if isinstance(verdict, Unsafe) else []
    event(f"{type(verdict).__name__}, wrong {wrong}")
    SEEN[f"{type(verdict).__name__}"] += 1
    outside = any(b.external or b.live_out for b in found.before.buffers)
    assert bool(races) == wrong
    if isinstance(verdict, Unknown):
        assert outside and ("caller" in verdict.reason or "returned" in verdict.reason)
    if not wrong and isinstance(verdict, Unsafe):
        again = any({a.buffer for a in x.reads} & {a.buffer for a in x.writes} for x in found.before.actions)
        without = {Defect.TOO_SMALL, Defect.MISALIGNED} | ({Defect.OVERLAP} if outside or again else set())
        assert {c.defect for c in verdict.counterexamples} <= without


@settings(max_examples=60, deadline=None)
@given(passes())
def test_solver_and_graph_agree(found: Correspondence) -> None:
    solver = Z3()
    by_graph, by_solver = findings(found), smt_findings(found, solver)
    assert set(by_graph.clashes) == set(by_solver.clashes)
    for clash in by_solver.clashes[:3]:
        assert find_schedule(found.before, clash, solver) is not None


@settings(max_examples=150, deadline=None, suppress_health_check=FILTERED)
@given(passes(), st.data())
def test_reading_from_another_place_is_found(found: Correspondence, data: st.DataObject) -> None:
    """One access of AFTER goes to the other memory, as if a pass had swapped two slots for one op."""
    places = [(i, n) for i, a in enumerate(found.after.actions) for n, _ in enumerate(a.reads)]
    assume(places)
    index, number = data.draw(st.sampled_from(places))
    action = found.after.actions[index]
    read = action.reads[number]
    assume(read.buffer < 2)
    there = Access(1 - read.buffer, read.lo, read.hi)
    reads = (*action.reads[:number], there, *action.reads[number + 1 :])
    actions = list(found.after.actions)
    actions[index] = replace(action, reads=reads)
    buffer = found.before.actions[index].reads[number].buffer
    moved = Moved(buffer, (found.places[buffer], Place(there.buffer, found.places[buffer].offset)), "op")
    changed = Correspondence(
        found.before, Program("f", found.after.buffers, tuple(actions)), found.places, moved=(moved,)
    )
    wrong = broken(changed)
    verdict = judge(changed, findings(changed), {})
    if wrong:
        assert isinstance(verdict, Unsafe)
        assert any(c.schedule for c in verdict.counterexamples)
    else:
        assert not isinstance(verdict, Safe)  # two places are never called safe


@pytest.fixture(scope="module", autouse=True)
def both_directions_occur() -> Iterator[None]:
    yield
    if SEEN:
        assert SEEN["Safe"] > 20
        assert SEEN["Unsafe"] > 20
