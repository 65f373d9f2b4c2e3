"""Each rule of the checker, in both directions."""

from __future__ import annotations

import ast
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import smtalloc.check
from smtalloc.check import Accepted, ClaimedSlot, Rejection, check_plan, check_verdict
from smtalloc.plan import (
    Certificate,
    Clique,
    Cliques,
    Dual,
    Feasible,
    Optimal,
    Part,
    Policy,
    Slots,
    TypeRule,
    Weighted,
)
from smtalloc.program import HOST, Access, Action, Buffer, Location, Program

PROGRAM_ORDER, HOST_EXCLUSIVE, HAPPENS_BEFORE = Policy


def program(buffers: list[Buffer], *actions: tuple[str, str] | tuple[str, str, str], step: int = 1) -> Program:
    """Actions as (engine, names of the buffers it writes, queues it waits for), one op each (or all of one op)."""
    index = {buffer.name: b for b, buffer in enumerate(buffers)}
    made: list[Action] = []
    for n, (engine, names, *waits) in enumerate(actions):
        writes = tuple(Access(index[name]) for name in names)
        made.append(Action(n * step, engine, f"op.{n}", (), writes, tuple(waits)))
    return Program("f", tuple(buffers), tuple(made))


def two(*actions: tuple[str, str] | tuple[str, str, str], step: int = 1, **b: object) -> Program:
    """Buffers a and b of 8 bytes; keywords change b."""
    return program([Buffer("a", 8), replace(Buffer("b", 8), **b)], *actions, step=step)  # pyright: ignore


def judge(
    given: Program, *slots: tuple[int, ...], policy: Policy = HAPPENS_BEFORE, types: TypeRule = TypeRule.BYTES, **claims
) -> Accepted | Rejection:
    claims = {"certificate": None, "claims_optimal": False} | claims
    return check_plan(given, Slots(slots), policy=policy, types=types, **claims)


def refused(found: Accepted | Rejection, kind: str, *words: str) -> Rejection:
    assert isinstance(found, Rejection), found
    assert found.kind == kind, found
    assert all(word in found.reason for word in words), found.reason
    assert "\n" not in found.reason
    return found


def accepted(found: Accepted | Rejection) -> Accepted:
    assert isinstance(found, Accepted), found
    return found


DEVICE = (("q", "a"), ("q", "b"))


# --- where buffers are -------------------------------------------------------------------------------------


def test_every_allocation_is_in_one_slot() -> None:
    given = program([Buffer("a", 8), Buffer("b", 8), Buffer("x", 8, external=True)], ("q", "a"), ("q", "b"))
    assert accepted(judge(given, (0, 1))).cost_bytes == 8
    assert accepted(judge(given, (0,), (1,))).cost_bytes == 16
    refused(judge(given, (0,)), "structure", "b is in no slot")
    refused(judge(given, (0, 1), (1,)), "structure", "b is in slot 0 and again in slot 1")
    refused(judge(given, (0, 0), (1,)), "structure", "a is in slot 0 and again in slot 0")
    refused(judge(given, (0, 1), (2,)), "structure", "x is not allocated here")
    refused(judge(given, (0, 1), ()), "structure", "slot 1 has no members")
    for b in (3, -1, 10**30):
        refused(judge(given, (0, 1), (b,)), "structure", "does not exist")


def test_nothing_to_place() -> None:
    assert accepted(judge(program([]), claims_optimal=True)) == Accepted(0, 0, 0, 0)


def test_memory_spaces_do_not_mix() -> None:
    assert accepted(judge(two(*DEVICE, space="1"), (0,), (1,)))
    refused(judge(two(*DEVICE, space="1"), (0, 1)), "structure", "a is in memory space '', b in '1'")


def test_strict_types() -> None:
    given = two(*DEVICE, element_type="f32")
    accepted(judge(given, (0, 1)))
    accepted(judge(given, (0,), (1,), types=TypeRule.STRICT))
    refused(judge(given, (0, 1), types=TypeRule.STRICT), "structure", "a holds i8, b f32")


def test_pinned_buffers_are_alone() -> None:
    given = two(*DEVICE, pinned="passed to a call")
    accepted(judge(given, (0,), (1,)))
    refused(judge(given, (0, 1)), "structure", "b must have memory of its own (passed to a call)")
    refused(judge(given, (1, 0)), "structure", "b must have memory of its own")


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [("n", "n", True), ("n", "m", False), ("n", "", False), ("", "", False), ("n", None, False)],
)
def test_run_time_sizes_share_only_with_the_same_key(one: str, other: str | None, fits: bool) -> None:
    second = Buffer("b", 8, size_key=one) if other is None else Buffer("b", None, size_key=other)
    given = program([Buffer("a", None, size_key=one), second], *DEVICE)
    accepted(judge(given, (0,), (1,)))
    if fits:
        assert accepted(judge(given, (0, 1))).dynamic_slots == 1
    else:
        refused(judge(given, (0, 1)), "structure", "not known to have the same run-time size")


# --- what is said about slots ------------------------------------------------------------------------------


def test_slot_sizes() -> None:
    given = two(*DEVICE, size_bytes=12)
    accepted(judge(given, (0, 1), claimed_slots=[ClaimedSlot(12, 1, "")]))
    refused(judge(given, (0, 1), claimed_slots=[ClaimedSlot(11, 1, "")]), "structure", "11 bytes", "12 of b")
    refused(judge(given, (0, 1), claimed_slots=[ClaimedSlot(13, 1, "")]), "structure", "13 bytes, more than the 12")
    refused(judge(given, (0, 1), claimed_slots=[ClaimedSlot(None, 1, "")]), "structure", "run-time size")
    refused(judge(given, (0, 1), claimed_slots=[]), "structure", "0 slots are described, but 1")
    dynamic = program([Buffer("a", None)], ("q", "a"))
    accepted(judge(dynamic, (0,), claimed_slots=[ClaimedSlot(None, 1, "")]))
    refused(judge(dynamic, (0,), claimed_slots=[ClaimedSlot(4, 1, "")]), "structure", "only at run time")


@pytest.mark.parametrize("alignment", [16, 64])
def test_slot_alignment_is_enough(alignment: int) -> None:
    accepted(judge(two(*DEVICE, alignment=16), (0, 1), claimed_slots=[ClaimedSlot(8, alignment, "")]))


@pytest.mark.parametrize(
    ("alignment", "words"), [(8, "b asks for 16"), (48, "power of two"), (0, "power of two"), (-16, "power of two")]
)
def test_slot_alignment_is_not_enough(alignment: int, words: str) -> None:
    found = judge(two(*DEVICE, alignment=16), (0, 1), claimed_slots=[ClaimedSlot(8, alignment, "")])
    refused(found, "structure", words)


def test_slot_space_is_that_of_its_members() -> None:
    accepted(judge(two(*DEVICE), (0, 1), claimed_slots=[ClaimedSlot(8, 1, "")]))
    refused(judge(two(*DEVICE), (0, 1), claimed_slots=[ClaimedSlot(8, 1, "1")]), "structure", "space '1'")


# --- lives -------------------------------------------------------------------------------------------------

ORDERED = {
    "host, then host": ((HOST, "a"), (HOST, "b")),
    "host, then queue": ((HOST, "a"), ("q", "b")),
    "one queue": (("q", "a"), ("q", "b")),
    "the host waits, then touches": (("q", "a"), (HOST, "", "q"), (HOST, "b")),
    "the host waits as it touches": (("q", "a"), (HOST, "b", "q")),
    "the host waits, then another queue": (("q", "a"), (HOST, "", "q"), ("r", "b")),
    "nobody touches one": (("q", "a"),),
}
UNORDERED = {
    "queue, then host": (("q", "a"), (HOST, "b")),
    "two queues": (("q", "a"), ("r", "b")),
    "a wait for another queue": (("q", "a"), (HOST, "b", "r")),
    "a wait before": ((HOST, "", "q"), ("q", "a"), (HOST, "b")),
    "a wait after": (("q", "a"), (HOST, "b"), (HOST, "", "q")),
    "a queue cannot wait": (("q", "a"), ("r", "b", "q")),
    "a queue cannot wait for others": (("q", "a"), ("r", "", "q"), ("r", "b")),
    "both at once": (("q", "ab"),),
    "interleaved": (("q", "a"), ("q", "b"), ("q", "a")),
    "a late use on another engine": ((HOST, "a"), ("q", "a"), (HOST, "b")),
}


@pytest.mark.parametrize("name", ORDERED)
def test_ordered_lives_may_share(name: str) -> None:
    accepted(judge(two(*ORDERED[name]), (0, 1)))
    accepted(judge(two(*ORDERED[name]), (1, 0)))


@pytest.mark.parametrize("name", UNORDERED)
@pytest.mark.parametrize("policy", Policy)
def test_unordered_lives_are_unsafe_under_every_policy(name: str, policy: Policy) -> None:
    accepted(judge(two(*UNORDERED[name]), (0,), (1,), policy=policy))
    found = refused(judge(two(*UNORDERED[name]), (0, 1), policy=policy), "unsafe", "unsafe: a and b share slot 0")
    assert found.buffers == (0, 1) and found.slot == 0


def test_actions_of_one_op_are_not_ordered() -> None:
    for actions in ((("q", "a"), (HOST, "b")), ((HOST, "a"), ("q", "b")), (("q", "a"), (HOST, "", "q"), (HOST, "b"))):
        refused(judge(two(*actions, step=0), (0, 1)), "unsafe")
    waited = two(("q", "a"), (HOST, "", "q"), (HOST, "b"))
    device, wait, store = waited.actions
    accepted(judge(waited, (0, 1)))  # ops 0, 1, 2
    refused(judge(replace(waited, actions=(device, replace(wait, ordinal=0), store)), (0, 1)), "unsafe")
    refused(judge(replace(waited, actions=(device, wait, replace(store, ordinal=1))), (0, 1)), "unsafe")


def test_two_host_actions_of_one_op_of_which_one_waits() -> None:
    """The wait orders only the action that has it: both are asked, though both are earliest on their engine."""
    waits = Action(1, HOST, "op", (), (Access(1),), ("q",))
    given = Program("f", (Buffer("a", 8), Buffer("b", 8)), (Action(0, "q", "op", (), (Access(0),)), waits))
    accepted(judge(given, (0, 1)))
    both = replace(given, actions=(*given.actions, replace(waits, waits=())))
    refused(judge(both, (0, 1)), "unsafe")
    refused(judge(replace(both, actions=both.actions[::-1]), (0, 1)), "unsafe")


def test_returned_buffers_live_to_the_end() -> None:
    a, b = Buffer("a", 8), Buffer("b", 8, live_out=True)
    accepted(judge(program([a, b], *DEVICE), (0, 1)))
    refused(judge(program([a, b], ("q", "b"), ("q", "a")), (0, 1)), "unsafe", "b is returned")
    refused(judge(program([replace(a, live_out=True), b], *DEVICE), (0, 1)), "unsafe", "returned")
    refused(judge(program([a, b], ("q", "b"), ("q", "a")), (0, 1), policy=PROGRAM_ORDER), "unsafe", "returned")


def test_returned_but_untouched_memory_belongs_to_the_caller() -> None:
    """The caller may write it from the host at once, so what was there before must be known to be done."""
    a, b = Buffer("a", 8), Buffer("b", 8, live_out=True)
    accepted(judge(program([a, b], (HOST, "a")), (0, 1)))
    accepted(judge(program([a, b], ("q", "a"), (HOST, "", "q")), (0, 1)))
    accepted(judge(program([a, b]), (0, 1)))
    refused(judge(program([a, b], ("q", "a")), (0, 1)), "unsafe", "nothing waits for it before b is returned")
    refused(judge(program([a, b], (HOST, "", "q"), ("q", "a")), (0, 1)), "unsafe")


def test_the_reason_names_the_actions() -> None:
    actions = (
        Action(3, "q", "hip.add", (Access(0),), location=Location("in.mlir", 7, 5)),
        Action(4, HOST, "memref.store", (), (Access(1),)),
    )
    found = judge(Program("f", (Buffer("%sum", 8), Buffer("%len", 8)), actions), (1, 0))
    assert refused(found, "unsafe").reason == (
        "unsafe: %sum and %len share slot 0, but hip.add (op 3 at in.mlir:7:5, on queue q) uses %sum and memref.store "
        "(op 4, on the host) uses %len, and nothing orders the first before the second"
    )


# --- policies ----------------------------------------------------------------------------------------------


def test_host_exclusive() -> None:
    for actions in (ORDERED["the host waits as it touches"], ORDERED["host, then host"], ORDERED["host, then queue"]):
        accepted(judge(two(*actions), (0, 1)))
        accepted(judge(two(*actions), (0,), (1,), policy=HOST_EXCLUSIVE))
        found = judge(two(*actions), (0, 1), policy=HOST_EXCLUSIVE)
        refused(found, "policy", "the host accesses", "host-exclusive forbids it")
    accepted(judge(two(*DEVICE), (0, 1), policy=HOST_EXCLUSIVE))


def test_program_order_is_checked_and_unsafe_is_told_apart() -> None:
    accepted(judge(two(*DEVICE), (0, 1), policy=PROGRAM_ORDER))
    racy = refused(judge(two(("q", "a"), (HOST, "b")), (0, 1), policy=PROGRAM_ORDER), "unsafe")
    assert racy.kinds == {"unsafe"}  # the policy itself has nothing against it
    overlap = refused(judge(two(("q", "a"), ("q", "ab")), (0, 1), policy=PROGRAM_ORDER), "unsafe")
    assert overlap.kinds == {"unsafe", "policy"}
    wrong = judge(two(("q", "a"), (HOST, "b")), (0, 1), policy=PROGRAM_ORDER, claimed_cost_bytes=7)
    assert refused(wrong, "unsafe").kinds == {"unsafe", "cost"}


# --- cost and certificates ---------------------------------------------------------------------------------


def test_cost() -> None:
    accepted(judge(two(*DEVICE), (0,), (1,), claimed_cost_bytes=16, claimed_dynamic_slots=0))
    refused(judge(two(*DEVICE), (0,), (1,), claimed_cost_bytes=15), "cost", "said to be 15, but it is 16")
    refused(judge(two(*DEVICE), (0,), (1,), claimed_dynamic_slots=1), "cost", "dynamic_slots")


STAIRS = program(  # two of 8 bytes are live at op 0, three of 4 or more at op 1
    [Buffer("a", 8), Buffer("b", 8), Buffer("c", 4), Buffer("d", 4)], ("q", "ab"), ("q", "acd"), ("q", "cd")
)
STAIRS_EVIDENCE = Cliques((Clique(8, (0, 1)), Clique(4, (0, 2, 3))))


def stairs(bound: int, evidence: Cliques | Dual, buffers: tuple[int, ...] = (0, 1, 2, 3)) -> Accepted | Rejection:
    certificate = Certificate((Part(buffers, bound, evidence),))
    return judge(STAIRS, (0,), (1, 2), (3,), certificate=certificate, claims_optimal=bound == 20)


def test_cliques_prove_the_minimum() -> None:
    assert accepted(stairs(20, STAIRS_EVIDENCE)) == Accepted(20, 20, 0, 0)
    assert accepted(stairs(20, STAIRS_EVIDENCE)).optimal
    assert not accepted(stairs(19, STAIRS_EVIDENCE)).optimal
    found = judge(STAIRS, (0,), (1, 2), (3,), claims_optimal=True)
    refused(found, "certificate", "costs 20 bytes", "only that 0 are needed")


@pytest.mark.parametrize(
    ("cliques", "words"),
    [
        (((8, (0,)), (4, (0, 2, 3))), "shows only 16"),
        (((8, (0, 1)), (4, (0, 2))), "shows only 16"),
        (((8, (0, 1)),), "shows only 16"),
        (((8, (0, 1)), (5, (0, 2, 3))), "c has 4 bytes, less than the threshold 5"),
        (((8, (0, 1)), (3, (0, 2, 3))), "shows only 16"),
        (((8, (0, 1)), (4, (0, 2, 2))), "c twice"),
        (((8, (0, 1)), (4, (0, 1, 2))), "b and c are in one clique, but may share"),
        (((8, (0, 1)), (4, (0, 2, 9))), "buffer 9, which is not in the part"),
        (((8, (0, 1)), (-4, (0, 2, 3))), "threshold of a clique cannot be -4"),
    ],
)
def test_wrong_cliques(cliques: tuple[tuple[int, tuple[int, ...]], ...], words: str) -> None:
    refused(stairs(20, Cliques(tuple(Clique(*clique) for clique in cliques))), "certificate", words)


def test_the_bound_is_not_above_what_is_shown_nor_above_the_cost() -> None:
    refused(stairs(21, STAIRS_EVIDENCE), "certificate", "said to be 21, but the evidence shows only 20")
    said = {"claims_optimal": False, "claimed_lower_bound_bytes": 19}
    certificate = Certificate((Part((0, 1, 2, 3), 20, STAIRS_EVIDENCE),))
    found = judge(STAIRS, (0,), (1, 2), (3,), certificate=certificate, **said)
    refused(found, "certificate", "lower_bound_bytes is said to be 19, but it is 20")


def test_parts() -> None:
    given = program([Buffer("a", 8), Buffer("b", 8, space="1"), Buffer("c", 4)], ("q", "a"), ("q", "b"), ("q", "c"))
    first, second = Part((0, 2), 8, Cliques((Clique(8, (0,)),))), Part((1,), 8, Cliques((Clique(8, (1,)),)))

    def parts(*found: Part) -> Accepted | Rejection:
        return judge(given, (0, 2), (1,), certificate=Certificate(found))

    assert accepted(parts(first, second)).optimal
    assert accepted(parts(second, first)).optimal
    assert accepted(parts()).lower_bound_bytes == 0  # no claim
    refused(parts(first), "certificate", "b is in no part")
    refused(parts(first, second, second), "certificate", "b is in two parts")
    refused(parts(first, replace(second, buffers=(1, 1))), "certificate", "part 1", "twice")
    refused(parts(first, replace(second, buffers=(7,))), "certificate", "does not exist")
    torn = [replace(first, buffers=(0,)), Part((2,), 4, Cliques((Clique(4, (2,)),))), second]
    refused(parts(*torn), "certificate", "c in part 1", "may share with a")
    refused(parts(first, replace(second, dynamic=True)), "certificate", "counts slots, but has b")


def test_external_buffers_prove_nothing() -> None:
    given = program([Buffer("a", 8), Buffer("x", 8, external=True)], ("q", "ax"))
    certificate = Certificate((Part((0, 1), 16, Cliques((Clique(8, (0, 1)),))),))
    refused(judge(given, (0,), certificate=certificate), "certificate", "counts x")


def test_parts_of_run_time_size() -> None:
    buffers = [Buffer(name, None, size_key="n") for name in "abc"]
    given = program(buffers, ("q", "ab"), ("q", "bc"))

    def part(bound: int, *cliques: Clique, evidence: Cliques | Dual | None = None) -> Accepted | Rejection:
        found = Part((0, 1, 2), bound, evidence or Cliques(cliques), dynamic=True)
        return judge(given, (0, 2), (1,), certificate=Certificate((found,)), claims_optimal=bound == 2)

    assert accepted(part(2, Clique(0, (0, 1)))) == Accepted(0, 0, 2, 2)
    refused(part(2, Clique(0, (0,))), "certificate", "shows only 1")
    refused(part(2, Clique(0, (0, 2))), "certificate", "may share")
    refused(part(2, Clique(1, (0, 1))), "certificate", "threshold")
    refused(part(2, evidence=Dual((Weighted(8, Fraction(1), (0,)),), ())), "certificate", "not by multipliers")
    refused(judge(given, (0, 2), (1,), claims_optimal=True), "certificate", "2 slots of run-time size")


# a -- b -- c -- d conflict, of 2, 1, 1, 4 bytes: cliques show 5 bytes, the minimum is 6
PATH = program([Buffer("a", 2), Buffer("b", 1), Buffer("c", 1), Buffer("d", 4)], ("q", "cd"), ("q", "cb"), ("q", "ab"))
PATH_CLIQUES = (Clique(4, (3,)), Clique(1, (0, 1)))
ONE = Fraction(1)
PATH_WEIGHTS = (
    *(Weighted(4, ONE, (0, 1)), Weighted(4, ONE, (2, 3)), Weighted(2, ONE, (0, 1)), Weighted(2, ONE, (1, 2))),
    Weighted(1, ONE, (1, 2)),
)


def path(bound: int, weights: tuple[Weighted, ...], cliques: tuple[Clique, ...] = PATH_CLIQUES) -> Accepted | Rejection:
    certificate = Certificate((Part((0, 1, 2, 3), bound, Dual(weights, cliques)),))
    return judge(PATH, (1, 3), (0, 2), certificate=certificate, claims_optimal=True)


def test_multipliers_close_what_cliques_leave_open() -> None:
    assert accepted(path(6, PATH_WEIGHTS)).optimal
    refused(path(6, ()), "certificate", "shows only 5")
    refused(path(5, ()), "certificate", "costs 6 bytes")
    refused(path(7, PATH_WEIGHTS), "certificate", "shows only 6")
    # slots of 4 bytes are used up: what is left of smaller ones does not count, larger ones may take their place
    refused(
        path(3, (replace(PATH_WEIGHTS[0], weight=ONE * 2), replace(PATH_WEIGHTS[1], weight=ONE * 2))),
        "certificate",
        "shows only 2",
    )
    # 5 + 1/3 bytes are not possible: a cost is a whole number of bytes, and of the common divisor of the sizes
    third = (replace(PATH_WEIGHTS[0], weight=Fraction(1, 3)), *PATH_WEIGHTS[1:])
    accepted(path(6, third))


@pytest.mark.parametrize(
    ("n", "change", "words"),
    [
        (0, {"weight": Fraction(0)}, "multiplier 0 is not positive"),
        (0, {"weight": Fraction(-1, 2)}, "multiplier -1/2 is not positive"),
        (4, {"weight": Fraction(3, 2)}, "slots of 1 bytes sum to 3/2"),
        (0, {"slot_bytes": 3}, "slots of 3 bytes, the size of no member"),
        (1, {"slot_bytes": 2}, "d does not fit the 2 bytes"),
        (0, {"buffers": (0, 2)}, "a and c are in one clique, but may share"),
        (0, {"buffers": (1, 1)}, "b twice"),
        (0, {"buffers": (1, 5)}, "not in the part"),
        (1, {"buffers": (3,)}, "shows only 5"),
    ],
)
def test_wrong_multipliers(n: int, change: dict[str, object], words: str) -> None:
    weights = list(PATH_WEIGHTS)
    weights[n] = replace(weights[n], **change)  # pyright: ignore
    refused(path(6, tuple(weights)), "certificate", words)


def test_huge_numbers_are_not_spelled_out() -> None:
    huge = 10**5000
    refused(path(huge, PATH_WEIGHTS), "certificate", "a number of 16610 bits")
    refused(judge(two(*DEVICE), (0, 1), claimed_slots=[ClaimedSlot(huge, huge, "")]), "structure", "bits")


def test_multipliers_that_nobody_can_count_in() -> None:
    odd = [Fraction(1, 2**2000 + n) for n in (1, 3, 5)]
    weights = tuple(replace(w, weight=weight) for w, weight in zip(PATH_WEIGHTS, odd, strict=False))
    refused(path(5, weights), "certificate", "no common denominator")
    accepted(path(6, (*PATH_WEIGHTS[:-1], replace(PATH_WEIGHTS[-1], weight=1 - odd[0]))))


def test_cliques_are_of_the_policy() -> None:
    """Under program order a queue and the host do not conflict; under host-exclusive even ordered ones do."""
    certificate = Certificate((Part((0, 1), 16, Cliques((Clique(8, (0, 1)),))),))
    racy, waited = two(("q", "a"), (HOST, "b")), two(("q", "a"), (HOST, "b", "q"))
    for given, policy, proven in (
        *((racy, PROGRAM_ORDER, False), (racy, HOST_EXCLUSIVE, True), (racy, HAPPENS_BEFORE, True)),
        *((waited, PROGRAM_ORDER, False), (waited, HOST_EXCLUSIVE, True), (waited, HAPPENS_BEFORE, False)),
    ):
        found = judge(given, (0,), (1,), policy=policy, certificate=certificate, claims_optimal=True)
        assert isinstance(found, Accepted) == proven, (policy, found)


def test_returned_buffers_conflict_in_program_order_too() -> None:
    given = program([Buffer("a", 8), Buffer("b", 8, live_out=True)], ("q", "b"), ("q", "a"))
    certificate = Certificate((Part((0, 1), 16, Cliques((Clique(8, (0, 1)),))),))
    accepted(judge(given, (0,), (1,), policy=PROGRAM_ORDER, certificate=certificate, claims_optimal=True))


# --- the rest ----------------------------------------------------------------------------------------------


def test_verdicts() -> None:
    certificate = Certificate((Part((0, 1, 2, 3), 20, STAIRS_EVIDENCE),))
    plan, rules = Slots(((0,), (1, 2), (3,))), {"policy": HAPPENS_BEFORE, "types": TypeRule.BYTES}
    accepted(check_verdict(STAIRS, Optimal(plan, certificate), **rules))
    worse = Slots(((0,), (1,), (2,), (3,)))
    accepted(check_verdict(STAIRS, Feasible(worse, certificate, "time limit"), **rules))
    refused(check_verdict(STAIRS, Optimal(worse, certificate), **rules), "certificate", "costs 24 bytes")


def test_the_checker_imports_nothing_that_makes_plans() -> None:
    here = Path(smtalloc.check.__file__).parent
    parts = ("check_rules", "check_certificate", "check_shown", "check_slot_refutation", "check_rup", "check_sizes")
    for part in ("check", *parts):
        for node in ast.walk(ast.parse((here / f"{part}.py").read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
            ours = {name for name in names if name.split(".")[0] in ("smtalloc", "")}
            allowed = ("plan", "program", *parts)
            types = ("symbolic", "solvers.base", "solvers.z3")  # of sizes: their form, and a solver of its texts
            assert ours <= {f"smtalloc.{name}" for name in (*allowed, *types)}


def test_it_is_quick() -> None:
    """3,000 actions, 400 buffers, 4 slots of 100, a clique for each of 400 sizes."""
    buffers = tuple(Buffer(f"%{b}", 1000 + b) for b in range(400))
    actions = tuple(
        Action(n, "q", "op", tuple(Access((b + k) % 400) for k in range(3) if b + k < 400), (Access(b),))
        for n, b in ((n, n * 400 // 3000) for n in range(3000))
    )
    given = Program("f", buffers, actions)
    slots = tuple(tuple(range(k, 400, 4)) for k in range(4))
    cliques = Cliques(tuple(Clique(1000 + b, tuple(range(b, min(b + 3, 400)))) for b in range(399, -1, -1)))
    certificate = Certificate((Part(tuple(range(400)), 1398 + 1397 + 1397, cliques),))
    start = time.process_time()
    found = judge(given, *slots, policy=HOST_EXCLUSIVE, certificate=certificate)
    assert time.process_time() - start < 1
    assert accepted(found).cost_bytes == 1396 + 1397 + 1398 + 1399
