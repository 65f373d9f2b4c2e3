"""The sharing relation from sorted lists against its definition, pair by pair."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from test_planning import SETTINGS, programs

from smtalloc.check_rules import Rules
from smtalloc.order import EMPTY_LIFE, Order, conflicts, program_order_lives
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import Program


def kinds_meet(program: Program, types: TypeRule, one: int, two: int) -> bool:
    """May space, type and size meet in one slot?"""
    a, b = program.buffers[one], program.buffers[two]
    if not (a.movable and b.movable) or a.space != b.space:
        return False
    if types is TypeRule.STRICT and a.element_type != b.element_type:
        return False
    if a.size_bytes is None or b.size_bytes is None:
        return a.size_bytes is b.size_bytes and a.size_key == b.size_key != ""
    return True


def may_precede(program: Program, order: Order, policy: Policy, one: int, two: int) -> bool:
    """The policies as docs/model.md has them."""
    lives, hosted = program_order_lives(program), program.host_accessed
    empty = lives[one] == lives[two] == EMPTY_LIFE
    disjoint = lives[one][1] < lives[two][0] or (empty and one < two)
    match policy:
        case Policy.PROGRAM_ORDER:
            return disjoint
        case Policy.HAPPENS_BEFORE:
            return order.before(one, two)
        case Policy.HOST_EXCLUSIVE:
            return not {one, two} & hosted and disjoint and order.before(one, two)


@settings(SETTINGS, max_examples=600)
@given(programs(), st.sampled_from(Policy), st.sampled_from(TypeRule))
def test_rows_are_the_pairwise_definition(program: Program, policy: Policy, types: TypeRule) -> None:
    problem, order = conflicts(program, policy, types), Order(program)
    for i, one in enumerate(problem.items):
        for j, two in enumerate(problem.items):
            expected = i != j and kinds_meet(program, types, one, two) and may_precede(program, order, policy, one, two)
            assert bool(problem.before[i] >> j & 1) == expected, (one, two)


@settings(SETTINGS, max_examples=200)
@given(programs())
def test_before_rows_are_before(program: Program) -> None:
    order, buffers = Order(program), range(len(program.buffers))
    rows = order.before_rows(buffers)
    assert [[bool(rows[a] >> b & 1) for b in buffers] for a in buffers] == [
        [order.before(a, b) for b in buffers] for a in buffers
    ]


@settings(SETTINGS, max_examples=800)
@given(programs(), st.sampled_from(Policy), st.sampled_from(TypeRule))
def test_partners_of_the_checker_are_its_pairwise_rule(program: Program, policy: Policy, types: TypeRule) -> None:
    rules = Rules(program, policy, types)
    for a, one in enumerate(program.buffers):
        for b, two in enumerate(program.buffers):
            expected = a != b and not one.external and not two.external and rules.may_share(a, b)
            assert bool(rules.partners[a] >> b & 1) == expected, (a, b)
