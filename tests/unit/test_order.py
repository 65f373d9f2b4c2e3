"""Happens-before on small programs, each rule on its own."""

from __future__ import annotations

import pytest

from smtalloc.order import Order, conflicts
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program

Q, R = "q", "r"


def buffers(count: int, **facts: object) -> tuple[Buffer, ...]:
    return tuple(Buffer(f"%{i}", 8, **facts) for i in range(count))  # type: ignore[arg-type]


def program(*actions: tuple[object, ...], count: int = 4, found: tuple[Buffer, ...] = ()) -> Program:
    """Actions as (engine, buffer) or (engine, buffer, waits); ordinals count up."""
    made = [
        Action(i, a[0], f"op{i}", writes=(Access(a[1]),) if a[1] is not None else (), waits=a[2] if len(a) > 2 else ())  # type: ignore[arg-type,misc]
        for i, a in enumerate(actions)
    ]
    return Program("f", found or buffers(count), tuple(made))


def test_host_action_is_before_everything_later() -> None:
    order = Order(program((HOST, 0), (Q, 1), (HOST, 2)))
    assert order.hb(0, 1)
    assert order.hb(0, 2)


def test_host_action_after_a_device_action_is_not_ordered() -> None:
    order = Order(program((Q, 0), (HOST, 1)))
    assert not order.hb(0, 1)
    assert not order.hb(1, 0)


def test_queue_is_in_order_and_queues_are_not_ordered_among_themselves() -> None:
    order = Order(program((Q, 0), (Q, 1), (R, 2)))
    assert order.hb(0, 1)
    assert not order.hb(0, 2)


def test_wait_orders_what_was_queued_before_it_with_all_later_actions() -> None:
    order = Order(program((Q, 0), (HOST, None, (Q,)), (HOST, 1), (R, 2), (Q, 3)))
    assert order.hb(0, 1)
    assert order.hb(0, 2)
    assert order.hb(0, 3)
    assert order.hb(0, 4)


def test_wait_does_not_order_what_is_queued_after_it() -> None:
    order = Order(program((HOST, None, (Q,)), (Q, 0), (HOST, 1)))
    assert not order.hb(1, 2)


def test_wait_for_one_queue_says_nothing_of_another() -> None:
    order = Order(program((R, 0), (HOST, None, (Q,)), (HOST, 1)))
    assert not order.hb(0, 2)


def test_a_readback_waits_before_it_reads() -> None:
    order = Order(program((Q, 0), (HOST, 0, (Q,))))
    assert order.hb(0, 1)


def test_actions_of_one_op_are_not_ordered() -> None:
    one = Action(3, HOST, "loop", writes=(Access(0),))
    other = Action(3, Q, "loop", writes=(Access(1),))
    later = Action(4, HOST, "store", writes=(Access(2),))
    order = Order(Program("f", buffers(3), (one, other, later)))
    assert not order.hb(0, 1)
    assert not order.hb(1, 0)
    assert order.hb(0, 2)
    assert not order.hb(1, 2)


def test_before_needs_every_access() -> None:
    order = Order(program((Q, 0), (HOST, 0), (Q, 1)))
    assert order.before(0, 1)
    assert not order.before(1, 0)
    late = Order(program((Q, 0), (Q, 1), (HOST, 0)))
    assert not late.before(0, 1)


def test_live_out_is_before_nothing() -> None:
    found = (Buffer("%0", 8, live_out=True), Buffer("%1", 8))
    order = Order(program((Q, 0), (Q, 1), found=found))
    assert not order.before(0, 1)
    assert Order(program((Q, 1), (Q, 0), found=found)).before(1, 0)


def test_external_memory_is_ordered_with_nothing() -> None:
    found = (Buffer("%0", 8, external=True), Buffer("%1", 8))
    order = Order(program((Q, 0), (Q, 1), found=found))
    assert not order.before(0, 1)
    assert not order.before(1, 0)


def test_buffers_without_accesses_keep_before_a_strict_order() -> None:
    order = Order(program((Q, 0), count=3))
    assert order.before(1, 2)
    assert not order.before(2, 1)
    assert order.before(1, 0)
    assert not order.before(0, 1)


@pytest.mark.parametrize(
    ("policy", "shares"),
    [(Policy.PROGRAM_ORDER, True), (Policy.HOST_EXCLUSIVE, False), (Policy.HAPPENS_BEFORE, False)],
)
def test_host_write_into_a_dead_device_buffer(policy: Policy, shares: bool) -> None:
    """The preamble: only the policy that ignores engines lets the two share."""
    assert conflicts(program((Q, 0), (Q, 0), (HOST, 1), (Q, 1), count=2), policy).may_share(0, 1) is shares


def test_a_readback_lets_happens_before_share_and_host_exclusive_not() -> None:
    """Where a wait orders a device buffer and a host-accessed one, only the exact rule shares."""
    found = program((Q, 0), (HOST, None, (Q,)), (HOST, 1), count=2)
    assert conflicts(found, Policy.HAPPENS_BEFORE).may_share(0, 1)
    assert not conflicts(found, Policy.HOST_EXCLUSIVE).may_share(0, 1)


def test_host_exclusive_keeps_to_happens_before_with_two_queues() -> None:
    found = program((Q, 0), (R, 1), count=2)
    assert conflicts(found, Policy.PROGRAM_ORDER).may_share(0, 1)
    assert not conflicts(found, Policy.HOST_EXCLUSIVE).may_share(0, 1)


def test_type_rules_and_spaces() -> None:
    found = (
        Buffer("%0", 8, element_type="f32"),
        Buffer("%1", 8, element_type="i64"),
        Buffer("%2", 8, element_type="f32", space="1"),
        Buffer("%3", None, element_type="f32", size_key="n"),
        Buffer("%4", None, element_type="f32", size_key="n"),
        Buffer("%5", 8, element_type="f32", pinned="escapes"),
    )
    chain = program(*((Q, i) for i in range(6)), found=found)
    strict = conflicts(chain, Policy.HAPPENS_BEFORE, TypeRule.STRICT)
    loose = conflicts(chain, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    assert loose.may_share(0, 1)
    assert not strict.may_share(0, 1)
    for relation in (strict, loose):
        assert not relation.may_share(0, 2)
        assert not relation.may_share(0, 3)
        assert relation.may_share(3, 4)
        assert not relation.may_share(0, 5)
