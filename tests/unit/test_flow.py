"""Paths: what may run early or late on them, in graphs drawn at random and in small ones by hand."""

from __future__ import annotations

import random

import pytest

from smtalloc.flow import Flow, Point
from smtalloc.program import HOST, Action, Program


def flow(*actions: Action, edges: dict[int, tuple[int, ...]] | None = None) -> Flow:
    """One point per action, one after the other, and more edges."""
    count = len(actions)
    following = {n: {n + 1} for n in range(count - 1)} | {count - 1: set[int]()}
    for source, targets in (edges or {}).items():
        following[source] |= set(targets)
    points = tuple(Point((n,)) for n in range(count))
    return Flow(Program("f", (), actions), points, tuple(tuple(sorted(following[n])) for n in range(count)))


def act(ordinal: int, engine: str, **more: tuple[str, ...]) -> Action:
    return Action(ordinal, engine, f"op{ordinal}", **more)  # type: ignore[arg-type]


def bits(found: int) -> list[int]:
    return [n for n in range(found.bit_length()) if found >> n & 1]


def unordered(graph: Flow, start: int) -> list[int]:
    return bits(graph.unordered_after(start, frozenset(), frozenset()))


def test_the_host_passes_a_queue_until_it_waits() -> None:
    graph = flow(act(0, "q"), act(1, HOST), act(2, "q"), act(3, HOST, waits=("q",)), act(4, HOST))
    assert unordered(graph, 0) == [1]
    assert unordered(graph, 1) == []
    assert unordered(graph, 2) == []


def test_over_the_back_edge() -> None:
    """The store of the next iteration passes the read of this one, unless the body waits."""
    graph = flow(act(0, HOST), act(1, "q"), edges={1: (0,)})
    assert unordered(graph, 1) == [0]
    graph = flow(act(0, HOST), act(1, "q"), act(2, HOST, waits=("q",)), edges={2: (0,)})
    assert unordered(graph, 1) == []


def test_a_wait_on_one_branch_orders_nothing_on_the_other() -> None:
    graph = flow(act(0, "q"), act(1, HOST, waits=("q",)), act(2, HOST), edges={0: (2,)})
    assert unordered(graph, 0) == [2]


def test_an_event_orders_the_queue_that_awaits_it() -> None:
    graph = flow(act(0, "p", records=("e",)), act(1, "q", awaits=("e",)), act(2, "q"), act(3, "r"))
    assert unordered(graph, 0) == [3]


def test_an_event_recorded_again_says_nothing_of_before() -> None:
    graph = flow(act(0, "p", records=("e",)), act(1, "q", records=("e",)), act(2, "r", awaits=("e",)))
    assert unordered(graph, 0) == [1, 2]
    assert unordered(graph, 1) == []


def test_a_queue_that_is_not_known_is_in_order_with_nothing() -> None:
    graph = flow(act(0, "q?1"), edges={0: (0,)})
    assert unordered(graph, 0) == [0]
    assert bits(graph.unordered_after_quickly(0)) == [0]


@pytest.mark.parametrize("seed", range(60))
def test_both_ways_to_find_them_agree(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(2, 12)
    actions: list[Action] = []
    for n in range(count):
        engine = rng.choice([HOST, "p", "q", "q?1"])
        waits = tuple(q for q in ("p", "q") if rng.random() < 0.3) if engine == HOST else ()
        actions.append(act(n, engine, waits=waits))
    edges = {n: tuple(m for m in range(count) if rng.random() < 0.15) for n in range(count)}
    graph = flow(*actions, edges=edges)
    for start in range(count):
        assert unordered(graph, start) == bits(graph.unordered_after_quickly(start))
