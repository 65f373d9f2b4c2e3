"""Symbolic sizes against evaluation: comparisons, the reading of 64-bit arithmetic, plans at random dimensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_planning import partitions

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.allocate_encoding import plan_by_encoding
from smtalloc.check import Accepted, Rejection, check_verdict
from smtalloc.check_rules import Rules
from smtalloc.check_sizes import SizeChecker, value_at
from smtalloc.dimensions import at, with_facts
from smtalloc.encode_slots import SlotEncoding
from smtalloc.mlir.session import load_text, pairs
from smtalloc.order import conflicts, holder_of
from smtalloc.placement import Correspondence
from smtalloc.plan import Optimal, Policy, Slots, TypeRule
from smtalloc.program import Access, Action, Buffer, Dimension, Program
from smtalloc.size_order import SizeOrder, _Proof
from smtalloc.solvers.z3 import Z3
from smtalloc.symbolic import Polynomial, Range, ceildiv, constant, floordiv, maximum, minimum, symbol

SETTINGS = settings(deadline=None, derandomize=True, max_examples=150)
NAMES = ("n", "m", "h")
QUICK = SolveOptions(time_limit_s=5)

Tree = Callable[[Mapping[str, int]], int]


@st.composite
def bounds(draw: st.DrawFn) -> dict[str, Range]:
    found: dict[str, Range] = {}
    for name in NAMES:
        least = draw(st.sampled_from([-3, 0, 0, 0, 1, 2, 16]))
        found[name] = Range(least, least + draw(st.sampled_from([0, 1, 7, 100, 4096, 1 << 31])))
    return found


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> tuple[Polynomial, Tree]:
    """A polynomial, and the same as plain arithmetic."""
    kind = draw(
        st.sampled_from(
            ["symbol", "number"] if not depth else ["symbol", "+", "-", "*", "k*", "//", "ceil", "max", "min"]
        )
    )
    if kind == "symbol":
        name = draw(st.sampled_from(NAMES))
        return symbol(name), lambda v: v[name]
    if kind == "number":
        number = draw(st.integers(-4, 300))
        return constant(number), lambda _: number
    left, one = draw(expressions(depth - 1))
    if kind in ("//", "ceil", "k*"):
        k = draw(st.sampled_from([1, 2, 3, 4, 8, 256]))
        match kind:
            case "//":
                return floordiv(left, k), lambda v: one(v) // k
            case "ceil":
                return ceildiv(left, k), lambda v: -(-one(v) // k)
            case _:
                return left * k, lambda v: one(v) * k
    right, two = draw(expressions(depth - 1))
    match kind:
        case "+":
            return left + right, lambda v: one(v) + two(v)
        case "-":
            return left - right, lambda v: one(v) - two(v)
        case "*":
            return left * right, lambda v: one(v) * two(v)
        case "max":
            return maximum(left, right), lambda v: max(one(v), two(v))
        case _:
            return minimum(left, right), lambda v: min(one(v), two(v))


@st.composite
def points(draw: st.DrawFn, within: dict[str, Range]) -> dict[str, int]:
    def value(r: Range) -> int:
        return draw(st.one_of(st.integers(r.lo, r.hi), st.integers(r.lo, min(r.hi, r.lo + 9)), st.just(r.hi)))

    return {name: value(r) for name, r in within.items()}


@SETTINGS
@given(expressions(), bounds(), st.data())
def test_normal_form_keeps_the_value(
    pair: tuple[Polynomial, Tree], within: dict[str, Range], data: st.DataObject
) -> None:
    polynomial, tree = pair
    point = data.draw(points(within))
    assert polynomial.evaluate(point) == value_at(polynomial, point) == tree(point)


@SETTINGS
@given(expressions(), expressions(), bounds(), st.data())
def test_never_claims_what_a_point_refutes(
    one: tuple[Polynomial, Tree], two: tuple[Polynomial, Tree], within: dict[str, Range], data: st.DataObject
) -> None:
    """By monomials, by the whole prover with z3, and by the checker."""
    small, large = one[0], two[0]
    dimensions = tuple(Dimension(name, r.lo, r.hi) for name, r in within.items())
    program = Program("f", (), (), dimensions=dimensions)
    order = SizeOrder(within)
    answers = [
        order.at_most(small, large),
        _Proof(within).never_negative(large - small, 0),  # without the points that spare it the false ones
        SizeChecker(program)._by_residues(small, large),
    ]
    if any(answers):
        for _ in range(20):
            point = data.draw(points(within))
            assert one[1](point) <= two[1](point)


@settings(SETTINGS, max_examples=40)
@given(expressions(2), bounds(), st.data())
def test_z3_and_the_checker_never_claim_it_either(
    one: tuple[Polynomial, Tree], within: dict[str, Range], data: st.DataObject
) -> None:
    """On differences that are close to 0: a size against itself with something added to one part."""
    small, large = one[0], one[0] + floordiv(symbol("n"), 2) - data.draw(st.integers(-1, 1))
    dimensions = tuple(Dimension(name, r.lo, r.hi) for name, r in within.items())
    checker = SizeChecker(Program("f", (), (), dimensions=dimensions))
    if SizeOrder(within, Z3()).at_most(small, large) or checker.never_larger(small, large):
        for _ in range(20):
            point = data.draw(points(within))
            assert small.evaluate(point) <= large.evaluate(point)


# --- reading -----------------------------------------------------------------------------------------------

_BINARY = ("addi", "subi", "muli", "divui", "divsi", "floordivsi", "ceildivui", "ceildivsi", "remui", "remsi", "maxui",
           "maxsi", "minui", "minsi", "andi", "shli", "shrui", "shrsi", "xori")  # fmt: skip
_CONSTANTS = (0, 1, 2, 3, 4, 7, 8, 255, 256, -1, -256)
_WORD = 1 << 64


def machine(name: str, a: int, b: int) -> int | None:
    """A 64-bit operation on signed values; None where it is undefined or poison."""

    def signed(value: int) -> int:
        value %= _WORD
        return value - _WORD if value >> 63 else value

    x, y = a % _WORD, b % _WORD
    if ("div" in name or "rem" in name) and b == 0:
        return None
    if name in ("shli", "shrui", "shrsi") and y >= 64:
        return None
    return signed(
        {
            "addi": lambda: a + b,
            "subi": lambda: a - b,
            "muli": lambda: a * b,
            "divui": lambda: x // y,
            "divsi": lambda: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
            "floordivsi": lambda: a // b,
            "ceildivui": lambda: -(-x // y),
            "ceildivsi": lambda: -(-a // b),
            "remui": lambda: x % y,
            "remsi": lambda: abs(a) % abs(b) * (-1 if a < 0 else 1),
            "maxui": lambda: max(x, y),
            "maxsi": lambda: max(a, b),
            "minui": lambda: min(x, y),
            "minsi": lambda: min(a, b),
            "andi": lambda: x & y,
            "shli": lambda: x << y,
            "shrui": lambda: x >> y,
            "shrsi": lambda: a >> y,
            "xori": lambda: x ^ y,
        }[name]()
    )


@st.composite
def straight_lines(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    """Operations on values by number: 0 and 1 are arguments, then the constants, then results."""
    first = 2 + len(_CONSTANTS)
    names = st.sampled_from([*("addi", "muli", "subi") * 5, *_BINARY])
    found: list[tuple[str, int, int]] = []
    for k in range(draw(st.integers(1, 6))):
        values = st.one_of(st.just(max(0, first + k - 1) if k else 0), st.integers(0, 1), st.integers(0, first + k - 1))
        found.append((draw(names), draw(values), draw(values)))
    return found


@settings(SETTINGS, max_examples=300)
@given(
    straight_lines(),
    st.sampled_from([Range(0, 100), Range(-5, 5), Range(0, 1 << 31), Range(0, (1 << 63) - 1)]),
    st.data(),
)
def test_sizes_read_are_what_the_machine_computes(
    operations: list[tuple[str, int, int]], within: Range, data: st.DataObject
) -> None:
    """Whatever the operation, a size that is a polynomial of the arguments alone is the value of the 64-bit machine."""
    names = ["%n", "%m", *(f"%c{k}" for k in range(len(_CONSTANTS)))]
    lines = [f"%c{k} = arith.constant {value} : index" for k, value in enumerate(_CONSTANTS)]
    for k, (name, a, b) in enumerate(operations):
        lines.append(f"%r{k} = arith.{name} {names[a]}, {names[b]} : index")
        names.append(f"%r{k}")
    lines.append(f"%s = memref.alloc({names[-1]}) : memref<?xi8>\n%k = arith.addi %n, %m : index")
    text = "func.func @f(%n: index, %m: index) {\n" + "\n".join(lines) + "\nreturn\n}"
    (program,) = load_text(text, "t.mlir", "hip", {"n": within, "m": within}).programs
    size = program.buffers[0].exact_size
    if size is None or not size.symbols() <= {"%n", "%m"}:
        return
    for _ in range(5):
        values: list[int | None] = [
            data.draw(st.integers(within.lo, within.hi)),
            data.draw(st.integers(within.lo, within.hi)),
            *_CONSTANTS,
        ]
        point = {"%n": values[0] or 0, "%m": values[1] or 0}
        for name, a, b in operations:
            x, y = values[a], values[b]
            values.append(None if x is None or y is None else machine(name, x, y))
        if values[-1] is not None and values[-1] >= 0 and None not in values:  # what is negative is not allocated
            assert size.evaluate(point) == values[-1]


# --- plans -------------------------------------------------------------------------------------------------


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Up to 6 buffers on one queue; sizes are numbers or small polynomials of two dimensions."""
    n, m = symbol("%n"), symbol("%m")
    forms = [n, n * 2, n + 3, m, m * 4, n * m, floordiv(n, 2) + 1, maximum(n, m), n * 8]
    count = draw(st.integers(2, 6))
    buffers: list[Buffer] = []
    for b in range(count):
        size = draw(st.sampled_from([None, *forms, *forms]))
        made = draw(st.integers(0, 9))
        known = draw(st.sampled_from([0, 4, 64])) if size is None else None
        buffers.append(
            Buffer(f"%{b}", known, size_key="k" if size is not None else "", size=size, made_at=made,
                   sized_at=draw(st.sampled_from([0, made])))
        )  # fmt: skip
    actions: list[Action] = []
    for ordinal in range(draw(st.integers(1, 8))):
        touched = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=2, unique=True))
        actions.append(Action(ordinal, "q", "op", (), tuple(Access(b) for b in touched)))
    least = draw(st.sampled_from([0, 1, 6]))
    dimensions = (Dimension("%n", least, 1 << 20), Dimension("%m", 0, 4096))
    return Program("f", tuple(buffers), tuple(actions), dimensions=dimensions)


@settings(SETTINGS, max_examples=60)
@given(programs(), st.sampled_from([{}, {"n": 10, "m": 3}, {"n": 7}]), st.data())
def test_plans_hold_for_all_dimensions(program: Program, values: dict[str, int], data: st.DataObject) -> None:
    """The checker accepts; every slot holds its members at every point; and where it says so, nothing is cheaper."""
    ready = at(with_facts(program, Z3()), values)
    problem = conflicts(ready, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    verdict = plan_slots(problem, QUICK)
    checked = check_verdict(ready, verdict, policy=Policy.HAPPENS_BEFORE, types=TypeRule.BYTES)
    assert isinstance(checked, Accepted), checked
    for members in verdict.plan.members:
        sizes = [program.buffers[b].exact_size for b in members]
        holder = holder_of(ready, members) if any(program.buffers[b].size is not None for b in members) else None
        if holder is None:
            continue
        for _ in range(5):
            point = {
                d.name: data.draw(st.one_of(st.integers(d.least, d.most), st.integers(d.least, d.least + 9)))
                for d in program.dimensions
            }
            room = program.buffers[holder].exact_size
            assert room is not None
            assert all(size is not None and size.evaluate(point) <= room.evaluate(point) for size in sizes)
    if isinstance(verdict, Optimal):
        cost = verdict.plan.cost_bytes(ready), verdict.plan.dynamic_slots(ready)
        for found in partitions(range(len(problem.items))):
            if all(problem.may_share(a, b) for slot in found for a, b in combinations(slot, 2)):
                other = Slots(tuple(tuple(problem.items[i] for i in slot) for slot in found))
                assert other.cost_bytes(ready) >= cost[0]
                assert other.dynamic_slots(ready) >= cost[1]


@settings(SETTINGS, max_examples=60)
@given(programs(), st.sampled_from([{}, {"n": 10, "m": 3}, {"n": 7}]), st.sampled_from(list(Policy)))
def test_the_planner_and_the_checker_let_the_same_pairs_share(
    program: Program, values: dict[str, int], policy: Policy
) -> None:
    """In bulk and pair by pair, also beside buffers of which no size is known."""
    unknown = (Buffer("%u", None, size_key="u"), Buffer("%v", None, size_key="u"), Buffer("%w", None))
    ready = at(with_facts(replace(program, buffers=(*program.buffers, *unknown)), Z3()), values)
    problem, rules = conflicts(ready, policy, TypeRule.BYTES), Rules(ready, policy, TypeRule.BYTES)
    for a, b in combinations(range(len(ready.buffers)), 2):
        expected = rules.may_share(a, b)
        assert problem.may_share(a, b) == expected, (a, b)
        assert bool(rules.partners[a] >> b & 1) == bool(rules.partners[b] >> a & 1) == expected, (a, b)


@settings(SETTINGS, max_examples=40)
@given(programs(), st.sampled_from([{}, {"n": 10, "m": 3}]), st.sampled_from(list(SlotEncoding)))
def test_encodings_know_that_chains_are_no_slots(
    program: Program, values: dict[str, int], encoding: SlotEncoding
) -> None:
    ready = at(with_facts(program, Z3()), values)
    verdict = plan_by_encoding(conflicts(ready, Policy.HAPPENS_BEFORE, TypeRule.BYTES), encoding, QUICK)
    checked = check_verdict(ready, verdict, policy=Policy.HAPPENS_BEFORE, types=TypeRule.BYTES)
    assert isinstance(checked, Accepted), checked


@settings(SETTINGS, max_examples=60)
@given(programs(), st.data())
def test_plans_with_a_slot_that_may_be_too_small_are_refused(program: Program, data: st.DataObject) -> None:
    """Two slots made one, whatever the list of facts says: accepted only where no point shows it wrong."""
    ready = at(with_facts(program, Z3()), {"n": 10, "m": 3})
    problem = conflicts(ready, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    verdict = plan_slots(problem, QUICK)
    assume(len(verdict.plan.members) > 1)
    first, second = data.draw(st.permutations(range(len(verdict.plan.members))))[:2]
    merged = tuple(sorted((*verdict.plan.members[first], *verdict.plan.members[second])))
    others = [m for k, m in enumerate(verdict.plan.members) if k not in (first, second)]
    sizes = [ready.buffers[b].exact_size for b in merged]
    lie = frozenset((a, b) for a in sizes for b in sizes if a is not None and b is not None)
    told = replace(ready, size_facts=ready.size_facts | lie)
    plan = replace(verdict, plan=Slots((merged, *others)))
    checked = check_verdict(told, plan, policy=Policy.HAPPENS_BEFORE, types=TypeRule.BYTES)
    if isinstance(checked, Rejection) and "structure" not in checked.kinds:
        return  # refused for another reason
    opened = min(ready.buffers[b].made_at for b in merged)
    holds = [
        all(
            small is not None and large is not None and all(small.evaluate(p) <= large.evaluate(p) for p in SAMPLES)
            for small in sizes
        )
        for b, large in zip(merged, sizes, strict=True)
        if ready.buffers[b].made_at == opened or ready.buffers[b].sized_at <= opened
    ]
    if isinstance(checked, Accepted):
        assert any(holds) or all(ready.buffers[b].size is None for b in merged)


SAMPLES = [{"%n": n, "%m": m} for n in (6, 7, 8, 100, 1 << 20) for m in (0, 1, 2, 5, 4096)]


@settings(SETTINGS, max_examples=30)
@given(programs())
def test_sizes_that_were_counted_wrongly_are_refused(program: Program) -> None:
    ready = at(with_facts(program, Z3()), {"n": 10, "m": 3})
    assume(any(b.size is not None for b in ready.buffers))
    wrong = tuple(
        replace(b, size_bytes=b.size_bytes + 1) if b.size is not None and b.size_bytes is not None else b
        for b in ready.buffers
    )
    told = replace(ready, buffers=wrong)
    verdict = plan_slots(conflicts(told, Policy.HAPPENS_BEFORE, TypeRule.BYTES), QUICK)
    assert isinstance(check_verdict(told, verdict, policy=Policy.HAPPENS_BEFORE, types=TypeRule.BYTES), Rejection)
    unbound = replace(ready, binding=(("%n", 1 << 40), *ready.binding[1:]))
    assert isinstance(check_verdict(unbound, verdict, policy=Policy.HAPPENS_BEFORE, types=TypeRule.BYTES), Rejection)


# --- places ------------------------------------------------------------------------------------------------

_AT = ("%c0", "%b", "%c", "%d", "%e", "%g")
_OFFSETS: dict[str, Callable[[int, int], int]] = {
    "%c0": lambda n, m: 0,
    "%b": lambda n, m: 256 * n,
    "%c": lambda n, m: 256 * m,
    "%d": lambda n, m: 256 * (n + m),
    "%e": lambda n, m: 256 * max(n, m),
    "%g": lambda n, m: (256 * n + 100) // 256 * 256 + 256,
}


@settings(SETTINGS, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("nm"), st.sampled_from(_AT)), min_size=1, max_size=4),
    st.sampled_from(_AT[1:]),
    st.data(),
)
def test_places_are_as_they_are_said_to_be(slabs: list[tuple[str, str]], pool: str, data: st.DataObject) -> None:
    """What `verify` takes for inside, apart and aligned is so at every point; what is so for all of many points of this
    family is mostly found."""
    arguments = "(%ctx: !hip.context, %a: memref<?x64xf32>, %n: index, %m: index)"
    uses = [
        f"hip.add(%ctx) ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%s{k} : memref<?x64xf32>)"
        for k in range(len(slabs))
    ]
    before = [f"%s{k} = memref.alloc(%{size}) : memref<?x64xf32>" for k, (size, _) in enumerate(slabs)]
    prelude = """%c0 = arith.constant 0 : index
      %c100 = arith.constant 100 : index
      %c256 = arith.constant 256 : index
      %b = arith.muli %n, %c256 : index
      %c = arith.muli %m, %c256 : index
      %d = arith.addi %c, %b : index
      %e = arith.maxui %b, %c : index
      %f = arith.addi %b, %c100 : index
      %h = arith.divui %f, %c256 : index
      %i = arith.muli %h, %c256 : index
      %g = arith.addi %i, %c256 : index"""
    after = [prelude, f"%p = hip.get_pool(%ctx, {pool}) : memref<?xi8>"]
    after += [
        f"%s{k} = memref.view %p[{at_}][%{size}] : memref<?xi8> to memref<?x64xf32>"
        for k, (size, at_) in enumerate(slabs)
    ]
    keep = "%u = memref.alloc(%n, %m) : memref<?x?xi8>"  # both are sizes in BEFORE
    texts = [
        f"func.func @f{arguments} {{\n" + "\n".join([*lines, keep, *uses]) + "\nreturn\n}" for lines in (before, after)
    ]
    (pair,) = pairs(*(load_text(text, f"{k}.mlir", "hip") for k, text in enumerate(texts)))
    found = pair.found
    assert isinstance(found, Correspondence), found
    index = {found.before.buffers[b].name: b for b in found.places}
    members = [index[f"%s{k}"] for k in range(len(slabs))]
    values = st.tuples(st.integers(0, 5000), st.integers(0, 5000))
    points = [*data.draw(st.lists(values, min_size=5, max_size=5)), (0, 0), (0, 9), (9, 0), (9, 9)]
    spans = [
        [(_OFFSETS[at_](n, m), _OFFSETS[at_](n, m) + 256 * (n if size == "n" else m)) for size, at_ in slabs]
        for n, m in points
    ]
    rooms = [_OFFSETS[pool](n, m) for n, m in ((0, 9), (9, 0))]
    for k, b in enumerate(members):
        if b in found.fits:
            assert spans[-3][k][1] <= rooms[0]
            assert spans[-2][k][1] <= rooms[1]
        if slabs[k][1] == "%c0" and pool == "%d":
            assert b in found.fits
        assert found.places[b].offset == 0 or b in found.aligned
    for (j, one), (k, two) in combinations(enumerate(members), 2):
        apart = all(s[j][1] <= s[k][0] or s[k][1] <= s[j][0] for s in spans)
        assert apart or (min(one, two), max(one, two)) not in found.apart
