"""Memory as pieces, kernels, and comparisons of what was read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smtalloc.kernels import KERNELS, Typed, decode, encode, shape_of
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.replay import Memory, Setup, Symbol, defined_difference, run, show


@given(st.lists(st.tuples(st.integers(0, 12), st.binary(min_size=0, max_size=6)), max_size=8))
def test_memory_is_an_array_of_bytes(writes: list[tuple[int, bytes]]) -> None:
    memory, array = Memory("m"), [None] * 24
    for at, data in writes:
        memory.write(at, (data,))
        array[at : at + len(data)] = data  # type: ignore[assignment]
    for lo in range(20):
        for hi in range(lo, 20):
            got = memory.read(lo, hi)
            flat: list[int | None] = []
            for piece in got:
                flat += list(piece) if isinstance(piece, bytes) else [None] * piece.size
            assert flat == array[lo:hi]


def test_symbols_split_and_join() -> None:
    memory = Memory("m")
    memory.write(0, (Symbol("x", 0, 8),))
    assert memory.read(2, 6) == (Symbol("x", 2, 4),)
    memory.write(2, memory.read(2, 6))
    assert memory.read(0, 8) == (Symbol("x", 0, 8),), "writing back what was read changes nothing"
    memory.write(4, (b"\x01",))
    assert memory.read(0, 8) == (Symbol("x", 0, 4), b"\x01", Symbol("x", 5, 3))


def test_difference_counts_defined_bytes_only() -> None:
    undefined = Memory("m").read(0, 4)
    assert not defined_difference(undefined, (b"abcd",))
    assert defined_difference((b"abcd",), undefined)
    assert defined_difference((b"ab", Symbol("x", 0, 2)), (b"ab", Symbol("x", 1, 2)))
    assert not defined_difference((b"abcd",), (b"ab", b"cd"))


@pytest.mark.parametrize(
    ("type_", "values"),
    [("2xi64", (-1, 1 << 40)), ("i32", (7,)), ("3xf32", (0.5, -2.0, 1.0)), ("2xf16", (1.0, 0.25)), ("index", (3,)),
     ("2x1xi1", (1, 0))],
)  # fmt: skip
def test_values_survive_encoding(type_: str, values: tuple[float, ...]) -> None:
    data = encode(values, type_)
    assert data is not None
    assert decode(data, type_) == Typed(type_, values)


def test_unknown_types_are_not_guessed() -> None:
    assert encode((1,), "i4") is None
    assert decode(b"1234", "4xf8E4M3FN") is None
    assert shape_of("?xf32") is None


@pytest.mark.parametrize(
    ("op", "inputs", "output", "result"),
    [
        ("hip.sub", [Typed("1x1xi64", (1537,)), Typed("i64", (1,))], "1x1xi64", [1536]),
        ("hip.add", [Typed("2xf32", (1.0, 2.0)), Typed("f32", (0.5,))], "2xf32", [1.5, 2.5]),
        ("hip.div", [Typed("2xi32", (7, -7)), Typed("i32", (2,))], "2xi32", [3, -3]),
        ("hip.cast", [Typed("1xi64", (5,))], "1xi32", [5]),
        ("hip.reduce_sum", [Typed("1x3xi64", (1, 2, 3)), Typed("1xi64", (1,))], "1x1xi64", [6]),
        ("hip.reduce_sum", [Typed("2x3xi64", (1,) * 6), Typed("1xi64", (1,))], "1xi64", None),
        ("hip.reduce_sum", [Typed("2x2xi64", (1,) * 4), Typed("1xi64", (1,))], "2x1xi64", None),
        ("hip.div", [Typed("i32", (1,)), Typed("i32", (0,))], "i32", None),
        ("hip.add", [Typed("3xi32", (1, 2, 3)), Typed("2xi32", (1, 2))], "3xi32", None),
    ],
)
def test_kernels(op: str, inputs: list[Typed], output: str, result: list[float] | None) -> None:
    got = KERNELS[op](inputs, [output], {})
    assert got == (None if result is None else [result])


def test_an_op_without_a_kernel_stands_for_itself() -> None:
    """Equal inputs, equal result; other inputs, another result; another op, another result."""
    buffers = (Buffer("%a", 4, external=True), Buffer("%o", 4))
    actions = (
        Action(0, "q", "x.y", (Access(0, 0, 4),), (Access(1, 0, 4),)),
        Action(1, HOST, "memref.store", (), (Access(0, 0, 4, type="i32"),), scalars=("5",)),
        Action(2, "q", "x.y", (Access(0, 0, 4),), (Access(1, 0, 4),)),
    )
    program = Program("f", buffers, actions)
    setup = Setup(program, actions, {0: "%a"}, {}, {})
    first, again = run(setup, [0, 1, 2]), run(setup, [0, 1, 2])
    assert first == again
    assert first.writes[0] != first.writes[2]
    assert show(first.writes[1][0], "i32") == "5"


def test_a_store_of_a_named_value() -> None:
    program = Program(
        "f", (Buffer("%a", 8),), (Action(0, HOST, "memref.store", (), (Access(0, 0, 8, type="i64"),), scalars=("%n",)),)
    )
    unnamed = run(Setup(program, program.actions, {}, {}, {}), [0])
    assert show(unnamed.writes[0][0], "i64") == "value %n"
    named = run(Setup(program, program.actions, {}, {"%n": (4096,)}, {}), [0])
    assert show(named.writes[0][0], "i64") == "4,096"
