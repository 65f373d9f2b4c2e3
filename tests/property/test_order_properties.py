"""`hb` and schedules against brute force, in both directions."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import always_before, schedules

from smtalloc.encode import definitions, finished, schedule_axioms, started
from smtalloc.order import Order
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.schedule import linear_extension, order_edges
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3


@st.composite
def programs(draw: st.DrawFn, most: int = 6) -> Program:
    actions: list[Action] = []
    ordinal = 0
    for _ in range(draw(st.integers(1, most))):
        engine = draw(st.sampled_from([HOST, "q", "q", "r"]))
        # several actions of one op are never of one engine, and never wait
        taken = {a.engine for a in actions if a.ordinal == ordinal}
        if draw(st.booleans()) or engine in taken or any(a.waits for a in actions if a.ordinal == ordinal):
            ordinal += draw(st.integers(1, 2))
            taken = set()
        waits = draw(st.sampled_from([(), (), ("q",), ("r",)])) if engine == HOST and not taken else ()
        actions.append(Action(ordinal, engine, "op", writes=(Access(0),), waits=waits))
    return Program("f", (Buffer("%0", 8),), tuple(actions))


@settings(max_examples=300, deadline=None)
@given(programs())
def test_hb_is_what_holds_in_every_schedule(program: Program) -> None:
    order = Order(program)
    indices = range(len(program.actions))
    found = {(i, j) for i in indices for j in indices if order.hb(i, j)}
    assert found == always_before(program)


@settings(max_examples=200, deadline=None)
@given(programs(), st.data())
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


@settings(max_examples=100, deadline=None)
@given(programs())
def test_order_edges_are_hb_without_what_follows(program: Program) -> None:
    order = Order(program)
    assert all(order.hb(a, b) for a, b in order_edges(program))


@settings(max_examples=60, deadline=None)
@given(programs(most=5))
def test_smt_axioms_and_vector_clocks_agree(program: Program) -> None:
    """`a hb b` iff no model of the axioms has b begin before a is over."""
    order = Order(program)
    solver = Z3()
    axioms = "\n".join(["(set-logic QF_LIA)", definitions("order"), *schedule_axioms(program)])
    for a in range(len(program.actions)):
        for b in range(len(program.actions)):
            if a == b:
                continue
            against = f"(assert (not (over_before {finished(program, a)} {started(program, b)})))\n(check-sat)\n"
            status = solver.solve(f"{axioms}\n{against}").status
            assert status is (Status.UNSAT if order.hb(a, b) else Status.SAT)
