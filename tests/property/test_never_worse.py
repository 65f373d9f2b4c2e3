"""Never worse than the compiler's greedy pass, on any input, whatever is switched on, however little time there is."""

from __future__ import annotations

from dataclasses import fields, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from test_planning import SETTINGS, SWITCHES

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.greedy import Candidate, greedy_slots
from smtalloc.order import conflicts
from smtalloc.plan import Policy, Slots, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program

LIVES = st.tuples(st.integers(0, 14), st.integers(0, 6), st.sampled_from([1, 2, 3, 5, 8, 13]), st.booleans())


def problem(lives: list[tuple[int, int, int, bool]]) -> tuple[Program, tuple[Candidate, ...]]:
    """The same buffers as a program on one queue, and as the pass sees them: (start, length, bytes, host-accessed).
    They stand in the program in the order in which they are first used."""
    lives = sorted(lives, key=lambda life: life[0])
    end = max((start + length for start, length, _, _ in lives), default=0)
    actions: list[Action] = []
    for t in range(end + 1):
        touched = [b for b, (start, length, _, _) in enumerate(lives) if t in (start, start + length)]
        hosted = tuple(Access(b) for b in touched if lives[b][3])
        others = tuple(Access(b) for b in touched if not lives[b][3])
        actions += [Action(t, engine, "op", writes=w) for engine, w in ((HOST, hosted), ("q", others)) if w]
    buffers = tuple(Buffer(f"%{b}", size, element_type="f32") for b, (_, _, size, _) in enumerate(lives))
    candidates = tuple(
        Candidate(f"%{b}", start, start + length, size, "t", "f32", "", (), hosted)
        for b, (start, length, size, hosted) in enumerate(lives)
    )
    return Program("f", buffers, tuple(actions)), candidates


def greedy_plan(candidates: tuple[Candidate, ...], *, fixed: bool) -> Slots:
    slots: dict[int, list[int]] = {}
    for candidate, opener in zip(candidates, greedy_slots(candidates, exclude_host_accessed=fixed), strict=True):
        slots.setdefault(opener, []).append(int(candidate.name.removeprefix("%")))
    return Slots(tuple(tuple(members) for members in slots.values()))


@settings(SETTINGS, max_examples=250)
@given(st.lists(LIVES, max_size=12), st.fixed_dictionaries({name: st.booleans() for name in SWITCHES}), st.booleans())
def test_never_worse_than_the_greedy_passes(
    lives: list[tuple[int, int, int, bool]], switches: dict[str, bool], hurried: bool
) -> None:
    program, candidates = problem(lives)
    options = replace(SolveOptions(time_limit_s=0.0 if hurried else 60.0), **switches)
    for policy, fixed in ((Policy.PROGRAM_ORDER, False), (Policy.HOST_EXCLUSIVE, True)):
        ours = plan_slots(conflicts(program, policy, TypeRule.STRICT), options).plan
        assert ours.cost_bytes(program) <= greedy_plan(candidates, fixed=fixed).cost_bytes(program)


@settings(SETTINGS, max_examples=60)
@given(st.lists(LIVES, max_size=12), st.integers(0, 3))
def test_same_seed_same_plan(lives: list[tuple[int, int, int, bool]], seed: int) -> None:
    program, _ = problem(lives)
    found = conflicts(program, Policy.HAPPENS_BEFORE)
    assert plan_slots(found, SolveOptions(seed=seed)) == plan_slots(found, SolveOptions(seed=seed))
    assert {field.name for field in fields(SolveOptions)} > set(SWITCHES)
