"""Ops ordered by tokens: the queues that engines.py puts them on keep exactly the order that the tokens give."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import composed

from smtalloc.commands.races import judge_alone
from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.session import alone, load_text, pairs
from smtalloc.order import Order
from smtalloc.plan import Safe, Unsafe

COPY = "gpu.memcpy {} %{}, %{} : memref<8xf32>, memref<8xf32>"


@st.composite
def modules(draw: st.DrawFn) -> tuple[str, list[set[int]], list[bool]]:
    """A function of copies and waits; for each op the ops whose tokens it takes, and whether it has a token itself."""
    lines: list[str] = []
    taken: list[set[int]] = []
    is_async: list[bool] = []
    for number in range(draw(st.integers(1, 9))):
        given_tokens = [n for n in range(number) if is_async[n]]
        tokens = draw(st.lists(st.sampled_from(given_tokens), max_size=3, unique=True)) if given_tokens else []
        listed = f"[{', '.join(f'%t{n}' for n in tokens)}]" if tokens else ""
        gives = draw(st.sampled_from([True, True, True, False]))
        head = f"%t{number} = " if gives else ""
        mode = " ".join(filter(None, ["async" if gives else "", listed]))
        if draw(st.sampled_from([True, True, False])):
            pair = draw(st.permutations(["a", "b", "c"]))
            lines.append(head + COPY.format(mode, pair[0], pair[1]))
        else:
            lines.append(f"{head}gpu.wait {mode}")
        taken.append(set(tokens))
        is_async.append(gives)
    body = "\n  ".join(lines)
    arguments = "%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>"
    return f"func.func @f({arguments}) {{\n  {body}\n  return\n}}\n", taken, is_async


def by_definition(taken: list[set[int]], is_async: list[bool]) -> set[tuple[int, int]]:
    """i is over before j begins: j (or an op of the host before j) needs i's token, or is behind i of the host."""
    count = len(taken)
    found = {(i, j) for j in range(count) for i in taken[j]}
    found |= {(i, j) for i, j in product(range(count), repeat=2) if i < j and not is_async[i]}
    return composed(found)


@settings(max_examples=250, deadline=None)
@given(modules())
def test_the_order_is_that_of_the_tokens(module: tuple[str, list[set[int]], list[bool]]) -> None:
    text, taken, is_async = module
    program = load_text(text, "t.mlir", "gpu").programs[0]
    order = Order(program)
    expected = by_definition(taken, is_async)
    touching = [i for i, action in enumerate(program.actions) if action.accesses]
    for i, j in product(touching, repeat=2):
        ops = program.actions[i].ordinal, program.actions[j].ordinal
        assert order.hb(i, j) == (ops in expected), (text, ops)


@settings(max_examples=60, deadline=None)
@given(modules())
def test_no_more_queues_than_ops_that_may_run_at_once(module: tuple[str, list[set[int]], list[bool]]) -> None:
    """Greedy chains need not be the fewest, but never more than there are ops, and one for a single chain."""
    text, taken, is_async = module
    program = load_text(text, "t.mlir", "gpu").programs[0]
    assert len(program.queues) <= sum(is_async)
    if all(tokens >= ({n - 1} if n else set()) for n, tokens in enumerate(taken)):
        assert len(program.queues) <= 1


@settings(max_examples=60, deadline=None)
@given(modules())
def test_races_by_happens_before_and_verify_of_the_same_module(
    module: tuple[str, list[set[int]], list[bool]],
) -> None:
    text, _, _ = module
    source = load_text(text, "t.mlir", "gpu")
    verdict = judge_alone(alone(source)[0], {})
    program, order = source.programs[0], Order(source.programs[0])
    unordered = any(
        not order.hb(i, j) and not order.hb(j, i)
        for i, j in product(range(len(program.actions)), repeat=2)
        if i < j
        for x in program.actions[i].accesses
        for y in program.actions[j].accesses
        if x.overlaps(y) and (x in program.actions[i].writes or y in program.actions[j].writes)
    )
    assert isinstance(verdict, Safe) or unordered
    assert not isinstance(verdict, Unsafe) or unordered
    same = pairs(source, load_text(text, "u.mlir", "gpu"))[0]
    assert isinstance(judge_pair(same, {}, minimum=False).verdict, Safe)
