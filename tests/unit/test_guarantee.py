"""Slots are put to z3 ahead of the end and once each; no plan is returned of which some slot was not."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import pytest
from test_allocate import chain, intervals

from smtalloc import encode, guarantee
from smtalloc.allocate import Progress, SolveOptions, plan_slots
from smtalloc.bounds import trivial_levels
from smtalloc.check import Accepted, check_verdict
from smtalloc.guarantee import Guarantee
from smtalloc.heuristics import Packing, in_program_order, packing
from smtalloc.order import conflicts
from smtalloc.plan import Feasible, Policy, Slots, TypeRule
from smtalloc.program import Program
from smtalloc.standing import Run, State
from smtalloc.task import tasks

POLICY = Policy.HAPPENS_BEFORE
Asked = list[tuple[tuple[int, ...], ...]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """The slots of each question."""
    found: Asked = []
    query = encode.guarantee_query

    def spy(problem: object, plan: Slots, **more: object) -> str:
        found.append(plan.members)
        return query(problem, plan, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(encode, "guarantee_query", spy)
    yield found


def started(program: Program) -> tuple[Run, State, Guarantee]:
    run = Run(conflicts(program, POLICY), SolveOptions())
    (task,) = tasks(run.conflicts)
    levels = trivial_levels(task)
    state = State(task, in_program_order(task), levels, levels.bound(task))
    run.states = [state]
    return run, state, Guarantee(run)


def members(state: State, plan: Packing) -> set[tuple[int, ...]]:
    return {tuple(sorted(state.task.items[j] for j in slot)) for slot in plan.slots}


def test_a_slot_is_asked_about_once(asked: Asked) -> None:
    _, state, subject = started(chain(60, 17))
    slots = sorted(members(state, state.best))
    subject.ask(slots)
    subject.ask(slots)
    subject.ask(slots[:3])
    assert [sorted(question) for question in asked] == [slots]
    subject.ask([*slots[2:], (0,)])
    assert asked[1:] == [((0,),)]


def test_an_unchanged_plan_is_not_asked_about_again(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarantee, "_FEW", 10)
    _, state, subject = started(chain(60, 17))
    subject.ahead()
    time.sleep(0.1)  # the thread looks, and finds nothing new
    subject.settle(at_once=False)
    subject.ask(members(state, state.best))
    assert sorted(slot for question in asked for slot in question) == sorted(members(state, state.best))


@pytest.mark.parametrize("few", [0, 10**9])
@pytest.mark.parametrize("options", [SolveOptions(), SolveOptions(time_limit_s=0), SolveOptions(lp=False, rounds=5)])
def test_all_slots_of_a_plan_were_asked_about(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, few: int, options: SolveOptions
) -> None:
    monkeypatch.setattr(guarantee, "_FEW", few)
    verdict = plan_slots(conflicts(chain(60, 17), POLICY), options)
    slots = [slot for question in asked for slot in question]
    assert set(verdict.plan.members) <= set(slots)
    assert len(slots) == len(set(slots))


@pytest.mark.parametrize("few", [0, 10**9])
def test_so_were_those_of_a_plan_that_is_cut_short(asked: Asked, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Ctrl-C behind the quick engines, and a plan that would take too long to ask about."""
    monkeypatch.setattr(guarantee, "_FEW", few)
    monkeypatch.setattr(guarantee, "_PATIENCE_S", 0.0)
    program = chain(60, 17)
    phases: list[str] = []

    def stop(progress: Progress) -> None:
        phases.append(progress.phase)
        if len(phases) > 1:
            raise KeyboardInterrupt

    verdict = plan_slots(conflicts(program, POLICY), SolveOptions(fit=False, progress=stop))
    assert isinstance(verdict, Feasible)
    assert set(verdict.plan.members) <= {slot for question in asked for slot in question}
    assert isinstance(check_verdict(program, verdict, policy=POLICY, types=TypeRule.BYTES), Accepted)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("few", [0, 10**9])
def test_the_plan_before_is_taken_only_where_much_is_left(
    monkeypatch: pytest.MonkeyPatch, *, at_once: bool, few: int
) -> None:
    monkeypatch.setattr(guarantee, "_FEW", 0)
    monkeypatch.setattr(guarantee, "_PATIENCE_S", 0.0)
    _, state, subject = started(chain(60, 17))
    before = state.best = packing(state.task, [[j] for j in range(len(state.task))])
    subject.ahead()
    subject.stop()
    state.best = after = in_program_order(state.task)
    monkeypatch.setattr(guarantee, "_FEW", few)
    subject.settle(at_once=at_once)
    assert state.best is (before if at_once and not few else after)


def test_a_proven_plan_is_never_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarantee, "_FEW", 0)
    monkeypatch.setattr(guarantee, "_PATIENCE_S", 0.0)
    _, state, subject = started(intervals((0, 1, 8), (2, 3, 8)))
    state.best = packing(state.task, [[0], [1]])
    subject.ahead()
    subject.stop()
    state.best = best = packing(state.task, [[0, 1]])
    assert state.closed
    subject.settle(at_once=True)
    assert state.best is best


def test_what_z3_refutes_ahead_is_raised_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarantee, "_FEW", 0)
    _, state, subject = started(intervals((0, 2, 8), (1, 3, 8), (4, 5, 8)))
    subject.ahead()
    state.best = Packing(((0, 1, 2),), 8)
    end = time.monotonic() + 20
    while subject._thread is not None and subject._thread.is_alive() and time.monotonic() < end:
        time.sleep(0.01)
    with pytest.raises(RuntimeError, match="breaks the definitions"):
        subject.settle(at_once=False)


def test_a_bad_slot_is_seen_among_good_ones() -> None:
    _, _, subject = started(intervals((0, 2, 8), (1, 3, 8), (4, 5, 8)))
    good: Sequence[tuple[int, ...]] = [(0, 2), (1,)]
    subject.ask(good)
    with pytest.raises(RuntimeError, match="guarantee query"):
        subject.ask([*good, (0, 1)])
