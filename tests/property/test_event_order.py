"""Happens-before with queues, waits and events: against the rules, against all schedules, and among its forms."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import always_before, composed, schedules

from smtalloc.check_rules import Rules
from smtalloc.encode import definitions
from smtalloc.encode_schedule import finished, schedule_axioms, started
from smtalloc.order import Order
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.schedule import linear_extension, order_edges
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3

EVENTS = ("e", "f")


@st.composite
def programs(
    draw: st.DrawFn,
    most: int = 6,
    queues: tuple[str, ...] = ("q", "r"),
    events: tuple[str, ...] = EVENTS,
    together: int = 1,
) -> Program:
    """Actions of the host and of queues; some are of one op (`together` of `together + 3`, where that can be); each
    writes one of three buffers."""
    actions: list[Action] = []
    ordinal = 0
    names = st.lists(st.sampled_from(events), max_size=1).map(tuple) if events else st.just(())
    for _ in range(draw(st.integers(1, most))):
        engine = draw(st.sampled_from([HOST, *queues, *queues]))
        same = {a.engine for a in actions if a.ordinal == ordinal}
        if draw(st.sampled_from([True] * 3 + [False] * together)) or engine in same:
            ordinal += draw(st.integers(1, 2))
        waits = draw(st.sampled_from([(), (), *((queue,) for queue in queues)])) if engine == HOST else ()
        written = (Access(draw(st.integers(0, 2))),)
        actions.append(Action(ordinal, engine, "op", (), written, waits, records=draw(names), awaits=draw(names)))
    live_out = draw(st.booleans())
    return Program("f", (Buffer("a", 8), Buffer("b", 8), Buffer("c", 8, live_out=live_out)), tuple(actions))


def with_and_without_events(most: int = 6, queues: tuple[str, ...] = ("q", "r")) -> st.SearchStrategy[Program]:
    """As many of either kind; among those without, more actions are of one op."""
    return st.one_of(programs(most, queues), programs(most, queues, events=(), together=3))


def closure(program: Program) -> set[tuple[int, int]]:
    """The rules of docs/model.md word by word, closed by composition."""
    actions = program.actions
    indices = range(len(actions))
    found: set[tuple[int, int]] = set()
    for i, j in product(indices, indices):
        a, b = actions[i], actions[j]
        if a.ordinal >= b.ordinal:
            continue
        if a.engine in (HOST, b.engine) or a.engine in b.waits:
            found.add((i, j))
        for event in b.awaits:
            latest = max((c.ordinal for c in actions if event in c.records and c.ordinal < b.ordinal), default=-1)
            by = {c.engine for c in actions if event in c.records and c.ordinal == latest}
            if a.engine in by and a.ordinal <= latest:
                found.add((i, j))
    return composed(found)


def ordered(program: Program) -> set[tuple[int, int]]:
    order = Order(program)
    return {(i, j) for i, j in product(range(len(program.actions)), repeat=2) if order.hb(i, j)}


@settings(max_examples=600, deadline=None)
@given(with_and_without_events())
def test_hb_is_what_holds_in_every_schedule(program: Program) -> None:
    assert ordered(program) == always_before(program)


@settings(max_examples=300, deadline=None)
@given(programs(most=16, queues=("q", "r", "s", "t")))
def test_hb_is_the_closure_of_the_rules(program: Program) -> None:
    assert ordered(program) == closure(program)


@settings(max_examples=300, deadline=None)
@given(programs(most=16, queues=("q", "r", "s", "t")))
def test_the_checker_finds_the_same_order(program: Program) -> None:
    rules = Rules(program, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    order = Order(program)
    actions = program.actions
    assert ordered(program) == {
        (i, j) for i, j in product(range(len(actions)), repeat=2) if rules.hb(actions[i], actions[j])
    }
    for one, two in ((0, 1), (0, 2), (1, 2)):
        if all(program.accesses_of[b] for b in (one, two)):
            assert rules.ordered(one, two) == (order.before(one, two) or order.before(two, one))


def without_events(program: Program) -> Program:
    return replace(program, actions=tuple(replace(a, records=(), awaits=()) for a in program.actions))


@settings(max_examples=300, deadline=None)
@given(programs(most=16, queues=("q", "r", "s")))
def test_without_events_the_order_is_by_waits_alone(program: Program) -> None:
    """The definition from before there were events, on programs without: what an action sees of each engine."""
    plain = without_events(program)
    order = Order(plain)
    for index, b in enumerate(plain.actions):
        for engine in (HOST, *plain.queues):
            waits = [c.ordinal for c in plain.actions if engine in c.waits and (c is b or c.ordinal < b.ordinal)]
            direct = [b.ordinal] if engine in (HOST, b.engine) else []
            assert order.seen(index, engine) == max([*waits, *direct], default=0) - 1


@settings(max_examples=400, deadline=None)
@given(with_and_without_events(), st.data())
def test_linear_extension_is_a_schedule_with_the_extra_pairs(program: Program, data: st.DataObject) -> None:
    indices = st.integers(0, len(program.actions) - 1)
    extra = data.draw(st.lists(st.tuples(indices, indices), max_size=2))
    possible = [
        schedule
        for schedule in schedules(program)
        if all(a != b and schedule.index(a) < schedule.index(b) for a, b in extra)
    ]
    found = linear_extension(program, extra)
    assert (found is None) == (not possible)
    if found is not None:
        assert tuple(found) in possible


@settings(max_examples=400, deadline=None)
@given(with_and_without_events(most=12, queues=("q", "r", "s")))
def test_order_edges_give_hb(program: Program) -> None:
    assert composed(set(order_edges(program))) == ordered(program)


@settings(max_examples=120, deadline=None)
@given(with_and_without_events(most=5))
def test_smt_axioms_and_vector_clocks_agree(program: Program) -> None:
    """`a hb b` iff no model of the axioms has b begin before a is over."""
    solver = Z3()
    axioms = "\n".join(["(set-logic QF_LIA)", definitions("order"), *schedule_axioms(program)])
    found = ordered(program)
    for a, b in product(range(len(program.actions)), repeat=2):
        if a != b:
            against = f"(assert (not (over_before {finished(program, a)} {started(program, b)})))\n(check-sat)\n"
            status = solver.solve(f"{axioms}\n{against}").status
            assert status is (Status.UNSAT if (a, b) in found else Status.SAT)
