"""Polynomials over dimensions: normal form, ranges, comparisons; how they are read from a module, and its 64 bits."""

from __future__ import annotations

import re

import pytest
from xdsl.rewriter import InsertPoint

from smtalloc.allocate import SolveOptions
from smtalloc.check_sizes import SizeChecker, value_at
from smtalloc.commands.plan import plan_program
from smtalloc.commands.verify import judge_pair
from smtalloc.dimensions import MOST, Given, at, given, parse_binding, parse_bound, with_facts
from smtalloc.encode import guarantee_query
from smtalloc.mlir.arithmetic import expression, symbol_values
from smtalloc.mlir.model import functions
from smtalloc.mlir.profile import load_profile
from smtalloc.mlir.session import load_text, pairs
from smtalloc.mlir.sizes import SizeReader, default_name
from smtalloc.order import conflicts
from smtalloc.plan import Optimal, Policy, Safe, Slots, TypeRule
from smtalloc.program import Access, Action, Buffer, Dimension, InputError, Program
from smtalloc.size_order import SizeOrder, _Proof, query, size_facts
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3
from smtalloc.symbolic import (
    Polynomial,
    Range,
    ceildiv,
    constant,
    divisor_of,
    floordiv,
    maximum,
    minimum,
    modulo,
    range_of,
    symbol,
)

N, M, H = symbol("n"), symbol("m"), symbol("h")
SMALL = {"n": Range(0, 1000), "m": Range(0, 1000), "h": Range(0, 1000)}


def proven(small: Polynomial, large: Polynomial, bounds: dict[str, Range] | None = None) -> bool:
    """By the planner; the checker must agree, and z3 alone."""
    bounds = bounds or SMALL
    answer = SizeOrder(bounds, Z3()).at_most(small, large)
    program = Program("f", (), (), dimensions=tuple(Dimension(n, r.lo, r.hi) for n, r in bounds.items()))
    assert SizeChecker(program).never_larger(small, large) == answer
    assert (Z3().solve(query(large - small, bounds)).status is Status.UNSAT) == answer
    return answer


# --- normal form -------------------------------------------------------------------------------------------


def test_equal_polynomials_are_equal_objects() -> None:
    assert (N + M) * (N - M) == N * N - M * M
    assert N * 0 == constant(0) == Polynomial()
    assert str(N * 256 - M * N * 3 + 4) == "-3*m*n + 256*n + 4"
    assert hash(N + M) == hash(M + N)
    assert (constant(7).value, (N - N).value, N.value) == (7, 0, None)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (floordiv(N * 4 + 5, 4), "n + 1"),
        (floordiv(N * 4 - 5, 4), "n - 2"),  # towards minus infinity
        (floordiv(floordiv(N, 2) + 1, 3), "((n + 2) floordiv 6)"),
        (ceildiv(N * 8, 8), "n"),
        (ceildiv(N, 8), "((n + 7) floordiv 8)"),
        (modulo(N * 8 + 3, 8), "3"),
        (maximum(N, M, N), "max(m, n)"),
        (maximum(maximum(N, M), H), "max(h, m, n)"),
        (maximum(N, N + 2), "n + 2"),
        (minimum(N, N + 2), "n"),
    ],
)
def test_functions_in_normal_form(found: Polynomial, expected: str) -> None:
    assert str(found) == expected


def test_division_by_what_is_not_positive_is_an_error() -> None:
    for divisor in (0, -2):
        with pytest.raises(ValueError, match="not positive"):
            floordiv(N, divisor)


def test_exact_division() -> None:
    assert (N * M * 8).divided(N * 4) == M * 2
    assert (N * M * 8 + M).divided(N) is None
    assert (N * 3).divided(constant(2)) is None
    assert N.divided(N + 1) is None


def test_evaluation_substitution_and_split() -> None:
    size = N * M + floordiv(N, 3) * 2
    assert size.evaluate({"n": 7, "m": 2}) == value_at(size, {"n": 7, "m": 2}) == 18
    with pytest.raises(KeyError):
        size.evaluate({"n": 7})
    assert value_at(size, {"n": 7}) is None
    (atom,) = M.atoms
    assert size.split(atom) == (N, floordiv(N, 3) * 2)
    assert (M * M).split(atom) is None
    assert size.substitute(atom, N + 1) == N * N + N + floordiv(N, 3) * 2


def test_ranges_and_divisors() -> None:
    assert range_of(N * -2 + 5, SMALL) == Range(-1995, 5)
    assert range_of(floordiv(N - 1, 2), SMALL) == Range(-1, 499)
    assert range_of(maximum(N, constant(10)), SMALL) == Range(10, 1000)
    assert divisor_of(maximum(N * 512, M * 256) + 768) == 256
    assert (divisor_of(N), divisor_of(constant(0))) == (1, 0)


# --- comparisons -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (N * 256, N * 512),
        (N * M, N * M + N),
        (N, floordiv(N + 255, 256) * 256),
        (floordiv(N + 1, 2), N),
        (floordiv(N + 3, 4), floordiv(N + 1, 2)),
        (N * floordiv(H + 3, 4) * 64, N * floordiv(H + 1, 2) * 64),
        (N, maximum(N, M)),
        (minimum(N, M), N),
        (maximum(N, M), N + M),
        (constant(4), N * 0 + 4),
    ],
)
def test_proven(small: Polynomial, large: Polynomial) -> None:
    assert proven(small, large)


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (N * 512, N * 256),
        (N, M),
        (N * M, N),  # m may be 0 on the left only
        (N, N * M),
        (maximum(N, M), N),
        (N + 1, floordiv(N + 255, 256) * 256),
        (floordiv(N + 1, 2) * 2, N),
        (N * N, N * 999),
    ],
)
def test_not_proven_because_false(small: Polynomial, large: Polynomial) -> None:
    assert not proven(small, large)
    assert SizeOrder(SMALL).refuted(large - small)


def test_what_bounds_a_division_is_not_too_narrow() -> None:
    """Without the points that spare the proof what is false: an odd n is rounded down."""
    for divisor in (2, 3, 256):
        rounded = floordiv(N, divisor) * divisor
        assert not _Proof(SMALL).never_negative(rounded - N, 0)
        assert not _Proof(SMALL).never_negative(rounded - N + divisor - 2, 0)
        assert _Proof(SMALL).never_negative(rounded - N + divisor - 1, 0)
        assert _Proof(SMALL).never_negative(N - rounded, 0)


def test_bounds_decide() -> None:
    padded, plain = (N + 2) * (M + 2) * 16, N * M * 32
    assert not proven(padded, plain)
    assert proven(padded, plain, {"n": Range(6, 100), "m": Range(6, 100)})
    assert not proven(padded, plain, {"n": Range(4, 100), "m": Range(4, 100)})


def test_facts_are_closed() -> None:
    facts = size_facts([N, N * 2, N * 4, M], SizeOrder(SMALL))
    assert {(str(a), str(b)) for a, b in facts.pairs if a != b} == {("n", "2*n"), ("n", "4*n"), ("2*n", "4*n")}


@pytest.mark.parametrize("chain", [2, 50], ids=["pairs", "run"])
@pytest.mark.parametrize(
    ("sizes", "sized_at", "status"),
    [((N, N * 2), 0, "unsat"), ((N * 2, N), 9, "unsat"), ((N, N * 2), 9, "sat"), ((N, M), 0, "sat")],
    ids=["fits", "earlier holds", "known too late", "incomparable"],
)
def test_the_guarantee_asks_that_one_holds_both(
    sizes: tuple[Polynomial, Polynomial], sized_at: int, status: str, chain: int
) -> None:
    """z3 over sharing.smt2, on every pair of a slot and on long slots as runs; without the rule it finds nothing."""
    made = [(sizes[0], 0), *[(sizes[1], 1)] * (chain - 1)]
    buffers = tuple(
        Buffer(f"%{b}", None, size=size, made_at=at_, sized_at=sized_at if b else 0)
        for b, (size, at_) in enumerate(made)
    )
    actions = tuple(Action(b, "q", "op", (), (Access(b),)) for b in range(chain))
    dimensions = tuple(Dimension(name, 0, 1000) for name in ("n", "m"))
    program = with_facts(Program("f", buffers, actions, dimensions=dimensions), None)
    text = guarantee_query(conflicts(program, Policy.HAPPENS_BEFORE), Slots((tuple(range(chain)),)))
    assert str(Z3().solve(text).status) == status
    assert Z3().solve(re.sub(r"\(one_holds_both \([^)]*\) \w+ \w+\)", "true", text)).status is Status.UNSAT


# --- read from a module --------------------------------------------------------------------------------------


def sizes(
    body: str, arguments: str = "%n: index, %m: index, %x: i64, %a: memref<?x8x?xf32>", **given: Range
) -> list[str]:
    """The sizes of the allocations, in order."""
    text = f"func.func @f(%ctx: !hip.context, {arguments}) {{\n{body}\nreturn\n}}"
    (program,) = load_text(text, "t.mlir", "hip", given).programs
    return [str(b.exact_size) for b in program.buffers if not b.external]


ALLOC = "%s = memref.alloc(%k) : memref<?xi8>"
OPS = """
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c256 = arith.constant 256 : index
  %cm256 = arith.constant -256 : index
  %c255 = arith.constant 255 : index
  %p = memref.alloc(%n, %m) : memref<?x?xi8>
"""


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("%k = arith.addi %n, %c3 : index", "%n + 3"),
        ("%k = arith.muli %n, %m : index", "%m*%n"),
        ("%q = arith.muli %n, %c2 : index\n%k = arith.subi %q, %n : index", "%n"),
        ("%k = arith.divui %n, %c3 : index", "(%n floordiv 3)"),
        ("%k = arith.divsi %n, %c3 : index", "(%n floordiv 3)"),
        ("%k = arith.ceildivui %n, %c3 : index", "((%n + 2) floordiv 3)"),
        ("%k = arith.remui %n, %c3 : index", "%n - 3*(%n floordiv 3)"),
        ("%k = arith.maxui %n, %m : index", "max(%m, %n)"),
        ("%k = arith.minsi %n, %m : index", "min(%m, %n)"),
        ("%q = arith.addi %n, %c255 : index\n%k = arith.andi %q, %cm256 : index", "256*((%n + 255) floordiv 256)"),
        ("%k = arith.andi %n, %c255 : index", "%n - 256*(%n floordiv 256)"),
        ("%k = arith.shli %n, %c3 : index", "8*%n"),
        ("%k = arith.shrui %n, %c3 : index", "(%n floordiv 8)"),
        ("%q = arith.muli %n, %m : index\n%k = arith.divui %q, %m : index", "%n"),
        ("%i = arith.index_cast %n : index to i64\n%k = arith.index_cast %i : i64 to index", "%n"),
        ("%q = arith.cmpi sge, %n, %c0 : index\n%k = arith.select %q, %n, %m : index", "%n"),
        ("%q = arith.cmpi ult, %n, %c0 : index\n%k = arith.select %q, %n, %m : index", "%m"),
        ("%k = memref.dim %a, %c0 : memref<?x8x?xf32>", "%a[0]"),
        ("%k = memref.dim %p, %c0 : memref<?x?xi8>", "%n"),
        ("%v = memref.cast %p : memref<?x?xi8> to memref<?x?xi8>\n%k = memref.dim %v, %c0 : memref<?x?xi8>", "%n"),
        ("%v = memref.collapse_shape %p [[0, 1]] : memref<?x?xi8> into memref<?xi8>\n"
         "%k = memref.dim %v, %c0 : memref<?xi8>", "%m*%n"),
        ("%k = affine.apply affine_map<(d0)[s0] -> ((d0 * 4 + s0) floordiv 2)>(%n)[%m]", "2*%n + (%m floordiv 2)"),
        ('%k = "affine.max"(%n) {map = affine_map<(d0) -> (d0, 7)>} : (index) -> index', "max(%n, 7)"),
        # what does not fit 8 bits is cut: a symbol, which is then extended
        ("%t = arith.index_cast %n : index to i8\n%k = arith.index_cast %t : i8 to index", "%t"),
    ],
)  # fmt: skip
def test_operations(op: str, expected: str) -> None:
    assert sizes(f"{OPS}{op}\n{ALLOC}") == ["%m*%n", expected]


@pytest.mark.parametrize(
    "op",
    [
        "%q = arith.muli %n, %m : index\n%k = arith.muli %q, %m : index",  # may wrap: three factors of 31 bits
        "%q = arith.subi %n, %m : index\n%k = arith.divui %q, %c3 : index",  # may be negative: not a floor division
        "%k = arith.divui %n, %m : index",
        "%k = arith.xori %n, %m : index",
        "%q = arith.cmpi slt, %n, %m : index\n%k = arith.select %q, %n, %m : index",
        "%k = arith.maxui %n, %cm256 : index",  # as unsigned, -256 is large
    ],
)
def test_what_is_no_polynomial_is_a_symbol(op: str) -> None:
    assert sizes(f"{OPS}{op}\n{ALLOC}") == ["%m*%n", "%k"]


def test_bounds_make_products_exact() -> None:
    body = f"{OPS}%q = arith.muli %n, %m : index\n%k = arith.muli %q, %m : index\n{ALLOC}"
    assert sizes(body, m=Range(0, 4096)) == ["%m*%n", "%m*%m*%n"]
    assert sizes(body, m=Range(0, 1 << 40)) == ["%m*%n", "%k"]


def test_equal_computations_are_one_symbol() -> None:
    body = """
      %p = arith.xori %n, %m : index
      %q = arith.xori %n, %m : index
      %r = arith.xori %m, %n : index
      %s = memref.alloc(%p) : memref<?xi8>
      %t = memref.alloc(%q) : memref<?xf32>
      %u = memref.alloc(%r) : memref<?xi8>"""
    assert sizes(body) == ["%p", "4*%p", "%r"]


def test_each_readback_is_a_symbol() -> None:
    body = """
      %p = hip.readback_dim(%ctx, %b : memref<i32>) -> index
      %q = hip.readback_dim(%ctx, %b : memref<i32>) -> index
      %s = memref.alloc(%p) : memref<?xi8>
      %t = memref.alloc(%q) : memref<?xi8>"""
    assert sizes(body, "%b: memref<i32>") == ["%p", "%q"]


def test_a_scalar_may_be_negative_until_something_is_allocated_with_it() -> None:
    body = "%c3 = arith.constant 3 : index\n%k = arith.divui %n, %c3 : index\n"
    assert sizes(f"{body}{ALLOC}") == ["%k"]
    assert sizes(f"%r = memref.alloc(%n) : memref<?xi8>\n{body}{ALLOC}") == ["%n", "(%n floordiv 3)"]
    asserted = '%t = arith.constant true\ncf.assert %t, "m"\n%r = memref.alloc(%n) : memref<?xi8>'
    assert sizes(f"{body}{ALLOC}\n{asserted}") == ["%k", "%n"], "it may not be reached"


def test_attribute_bounds() -> None:
    arguments = "%n: index {smtalloc.bounds = [1, 64]}, %a: memref<?x4x?xi8> {smtalloc.bounds = [[2, 3], [0, 9]]}"
    body = """
      %c2 = arith.constant 2 : index
      %d = memref.dim %a, %c2 : memref<?x4x?xi8>
      %s = memref.alloc(%n, %d) : memref<?x?xi8>"""
    text = f"func.func @f({arguments}) {{\n{body}\nreturn\n}}"
    (program,) = load_text(text, "t.mlir", "hip").programs
    assert {(d.name, d.least, d.most, d.source) for d in program.dimensions} == {
        ("%n", 1, 64, "smtalloc.bounds"),
        ("%a[2]", 0, 9, "smtalloc.bounds"),
    }
    assert not program.assumptions
    (program,) = load_text(text, "t.mlir", "hip", {"n": Range(5, 6)}).programs
    assert ("%n", 5, 6, "assumed") in {(d.name, d.least, d.most, d.source) for d in program.dimensions}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("%n: index {smtalloc.bounds = [4, 1]}", "[LEAST, MOST] is expected"),
        ("%n: index {smtalloc.bounds = 7 : i64}", "[LEAST, MOST] is expected"),
        ("%n: index {smtalloc.bounds = [-9, -1]}", "never negative"),
    ],
)
def test_bad_attribute_bounds(arguments: str, message: str) -> None:
    text = f"func.func @f({arguments}) {{\n%s = memref.alloc(%n) : memref<?xi8>\nreturn\n}}"
    with pytest.raises(InputError) as error:
        load_text(text, "t.mlir", "hip")
    assert message in str(error.value)


def test_a_constant_size_of_a_dynamic_type() -> None:
    """Known after all: it shares with plain numbers, and is written as its type has it."""
    text = """func.func @f(%ctx: !hip.context, %a: memref<?xf32>) {
      %c8 = arith.constant 8 : index
      %s = memref.alloc(%c8) : memref<?xf32>
      hip.add(%ctx) ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%s : memref<?xf32>)
      hip.add(%ctx) ins(%s, %a : memref<?xf32>, memref<?xf32>) outs(%a : memref<?xf32>)
      %t = memref.alloc() : memref<16xf32>
      hip.add(%ctx) ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%t : memref<16xf32>)
      hip.add(%ctx) ins(%t, %a : memref<16xf32>, memref<?xf32>) outs(%a : memref<?xf32>)
      return
    }"""
    source = load_text(text, "t.mlir", "hip")
    planned = plan_program(source.programs[0], Policy.HOST_EXCLUSIVE, TypeRule.BYTES, SolveOptions())
    assert isinstance(planned.verdict, Optimal)
    assert planned.verdict.plan.cost_bytes(planned.program) == 64
    written = load_text(text, "t.mlir", "hip")
    written.apply([planned.verdict.plan], [planned.program])
    assert "reinterpret_cast %slot to offset: [0], sizes: [%c8], strides: [1]" in written.text(generic=False)
    (pair,) = pairs(source, written.reread())
    assert isinstance(judge_pair(pair, {}, minimum=False).verdict, Safe)


def test_the_stated_bound_is_an_assumption() -> None:
    text = "func.func @f(%n: index) {\n%s = memref.alloc(%n) : memref<?xi8>\nreturn\n}"
    (program,) = load_text(text, "t.mlir", "hip").programs
    assert program.assumptions == (
        f"%n: taken to be at most {MOST:,}, so that sizes do not overflow (--assume bounds them)",
    )
    assert not load_text(text, "t.mlir", "hip", {"n": Range(0, 1 << 62)}).programs[0].assumptions


# --- written to a module -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size",
    [
        constant(0),
        constant(-7),
        symbol("%n") * 256 + 4,
        symbol("%n") * symbol("%a[1]") - symbol("%n") * 3,
        floordiv(symbol("%n") + 255, 256) * 256 + symbol("%a[1]") * 8,
        maximum(symbol("%n") * 512, symbol("%a[1]") * 256, constant(64)) + 128,
        minimum(symbol("%n"), floordiv(symbol("%a[1]"), 3)),
    ],
    ids=str,
)
def test_a_written_polynomial_reads_as_itself(size: Polynomial) -> None:
    """What a layout computes in the module (slots, offsets in an arena) is the polynomial it was planned with."""
    text = """func.func @f(%ctx: !hip.context, %n: index, %a: memref<4x?xf32>) {
      %o = memref.alloc(%n) : memref<?xi8>
      return
    }"""
    (function,) = functions(load_text(text, "t.mlir", "hip").modules[0])
    at_ = InsertPoint.before(list(function.body.blocks[0].ops)[1])
    written = expression(size, symbol_values(function, sorted(size.symbols()), at_), at_)
    assert SizeReader(function, load_profile("hip"), {}, default_name).value(written) == size


# --- what the user gives -------------------------------------------------------------------------------------


def test_options() -> None:
    assert parse_bound("%n in 1..4096") == ("n", Range(1, 4096))
    assert parse_bound("a[0] in 0..0x10") == ("a[0]", Range(0, 16))
    assert parse_binding("%n=1_536") == ("n", 1536)
    assert given(["n in 1..2"], ["n=1"]) == Given({"n": Range(1, 2)}, {"n": 1})


@pytest.mark.parametrize("text", ["n", "n in 1", "n in 5..1", "in 1..2", "n in 1..x", "n in 1..9223372036854775808"])
def test_bad_bounds(text: str) -> None:
    with pytest.raises(InputError, match="--assume"):
        parse_bound(text)


@pytest.mark.parametrize("text", ["n", "=3", "n=", "n=1.5", "n=9223372036854775808"])
def test_bad_bindings(text: str) -> None:
    with pytest.raises(InputError, match="--bind"):
        parse_binding(text)


def test_given_twice_unknown_or_out_of_bounds() -> None:
    with pytest.raises(InputError, match="given twice"):
        given([], ["n=1", "%n=2"])
    text = "func.func @f(%n: index) {\n%s = memref.alloc(%n) : memref<?xi8>\nreturn\n}"
    (program,) = load_text(text, "t.mlir", "hip", {"n": Range(1, 8)}).programs
    with pytest.raises(InputError, match="no size depends on a dimension of that name"):
        Given(values={"m": 1}).check([program])
    with pytest.raises(InputError, match=r"not in 1\.\.8"):
        at(program, {"n": 9})
    assert at(with_facts(program, None), {"n": 8}).buffers[0].size_bytes == 8
    assert at(program, {}).binding == (("%n", 8),), "the worst case of a bound that the user states"
