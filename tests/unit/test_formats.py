"""Plans as JSON: what is written is read back, and what is not a plan is refused in one line."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smtalloc.check import Accepted, ClaimedSlot, Rejection
from smtalloc.formats import answer, dump_json, function_names, load_json, parse_json, plan_from_json, plan_to_json
from smtalloc.plan import (
    Certificate,
    Clique,
    Cliques,
    Dual,
    Feasible,
    Optimal,
    Part,
    Policy,
    Row,
    SlotRefutation,
    Slots,
    TypeRule,
    Weighted,
)
from smtalloc.program import Access, Action, Buffer, InputError, Program

PROGRAM = Program(
    "f",
    (Buffer("%a", 8, alignment=4), Buffer("%b", 8), Buffer("%n", None), Buffer("%x", 8, external=True)),
    (Action(0, "q", "op", (), (Access(0),)), Action(1, "q", "op", (), (Access(1), Access(2)))),
)
CERTIFICATE = Certificate(
    (
        Part((0, 1), 8, Dual((Weighted(8, Fraction(1, 3), (0,)),), (Clique(8, (0,)),))),
        Part((2,), 1, Cliques((Clique(0, (2,)),)), dynamic=True),
    )
)
VERDICT = Optimal(Slots(((0, 1), (2,))), CERTIFICATE)


def document() -> dict[str, Any]:
    written = answer([plan_to_json(PROGRAM, VERDICT, Policy.HAPPENS_BEFORE, TypeRule.STRICT)])
    return json.loads(dump_json(written))


def test_the_shape() -> None:
    (function,) = document()["functions"]
    assert list(function)[:8] == [
        *("name", "verdict", "policy", "types", "cost_bytes", "lower_bound_bytes"),
        *("dynamic_slots", "dynamic_slots_lower_bound"),
    ]
    assert (function["verdict"], function["policy"], function["types"]) == ("optimal", "happens-before", "strict")
    assert (function["cost_bytes"], function["lower_bound_bytes"]) == (8, 8)
    assert (function["dynamic_slots"], function["dynamic_slots_lower_bound"]) == (1, 1)
    slot = {"memory": "slot0", "size_bytes": 8, "alignment": 4, "space": "", "members": ["%a", "%b"]}
    assert function["slots"][0] == slot
    assert function["slots"][1]["size_bytes"] is None
    assert function["assignment"]["%b"] == {"memory": "slot0", "offset": 0}
    assert set(function["assignment"]) == {"%a", "%b", "%n"}
    dual = function["certificate"]["parts"][0]["evidence"]
    assert dual["weights"] == [{"slot_bytes": 8, "weight": "1/3", "buffers": ["%a"]}]


def test_written_and_read_and_checked() -> None:
    loaded = plan_from_json(document(), PROGRAM, "plan.json")
    assert (loaded.plan, loaded.certificate, loaded.optimal) == (VERDICT.plan, CERTIFICATE, True)
    assert loaded.slots == (ClaimedSlot(8, 4, ""), ClaimedSlot(None, 1, ""))
    assert loaded.memories == ("slot0", "slot1")
    assert loaded.check(PROGRAM) == Accepted(8, 8, 1, 1)


def test_a_feasible_plan_keeps_its_reason() -> None:
    written = plan_to_json(PROGRAM, Feasible(VERDICT.plan, CERTIFICATE, "time limit"), *RULES)
    assert (written["verdict"], written["reason"]) == ("feasible", "time limit")
    assert not plan_from_json(answer([written]), PROGRAM, "plan.json").optimal


RULES = (Policy.HOST_EXCLUSIVE, TypeRule.BYTES)


def test_claims_are_handed_to_the_checker() -> None:
    def changed(change: Callable[[dict[str, Any]], None]) -> Accepted | Rejection:
        data = document()
        change(data["functions"][0])
        return plan_from_json(data, PROGRAM, "plan.json").check(PROGRAM)

    for key in ("cost_bytes", "lower_bound_bytes", "dynamic_slots", "dynamic_slots_lower_bound"):
        assert isinstance(changed(lambda f, key=key: f.update({key: f[key] + 1})), Rejection)
    for key in ("lower_bound_bytes", "dynamic_slots", "dynamic_slots_lower_bound"):  # not said is not wrong
        assert isinstance(changed(lambda f, key=key: f.pop(key)), Accepted)
    assert isinstance(changed(lambda f: f["slots"][0].update(size_bytes=7)), Rejection)
    assert isinstance(changed(lambda f: f["slots"][0].update(alignment=2)), Rejection)
    assert isinstance(changed(lambda f: f.update(certificate=None)), Rejection)
    assert isinstance(changed(lambda f: f["certificate"]["parts"][1].update(bound=2)), Rejection)


def test_functions_are_found_by_name_and_occurrence() -> None:
    first = plan_to_json(PROGRAM, VERDICT, *RULES)
    second = plan_to_json(PROGRAM, Feasible(VERDICT.plan, CERTIFICATE, ""), *RULES)
    data = answer([first, {"name": "g", "verdict": "unknown"}, second])
    assert function_names(data, "plan.json") == ("f", "g", "f")
    assert plan_from_json(data, PROGRAM, "plan.json").optimal
    assert not plan_from_json(data, PROGRAM, "plan.json", occurrence=1).optimal
    with pytest.raises(InputError, match='has no answer for function "f"'):
        plan_from_json(data, PROGRAM, "plan.json", occurrence=2)
    with pytest.raises(InputError, match=r"functions.0..verdict must be one of optimal, feasible"):
        plan_from_json(answer([{"name": "f", "verdict": "unknown"}]), PROGRAM, "plan.json")


# --- documents that are not plans --------------------------------------------------------------------------

FUNCTION = ("functions", 0)
SLOT = (*FUNCTION, "slots", 0)
PLACE = (*FUNCTION, "assignment", "%a")
PART = (*FUNCTION, "certificate", "parts", 0)
WEIGHT = (*PART, "evidence", "weights", 0)
GONE = object()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((), [], "the document must be an object"),
        (("version",), GONE, "the document has no 'version'"),
        (("version",), 2, "version must be 1"),
        (("version",), True, "version must be an integer"),
        (("functions",), {}, "functions must be a list"),
        ((*FUNCTION,), "f", "functions[0] must be an object"),
        ((*FUNCTION, "name"), 3, "functions[0].name must be a string"),
        ((*FUNCTION, "name"), "g", 'has no answer for function "f"'),
        ((*FUNCTION, "verdict"), "safe", 'verdict must be one of optimal, feasible, not "safe"'),
        ((*FUNCTION, "policy"), "none", "policy must be one of program-order, host-exclusive"),
        ((*FUNCTION, "types"), ["bytes"], "types must be a string"),
        ((*FUNCTION, "cost_bytes"), GONE, "functions[0] has no 'cost_bytes'"),
        ((*FUNCTION, "cost_bytes"), None, "cost_bytes must be an integer"),
        ((*FUNCTION, "cost_bytes"), True, "cost_bytes must be an integer"),
        ((*FUNCTION, "cost_bytes"), 8.0, "cost_bytes must be an integer"),
        ((*FUNCTION, "cost_bytes"), -8, "cost_bytes must be an integer of 0 or more"),
        ((*FUNCTION, "cost_bytes"), 10**400, "cost_bytes has more than 400 digits"),
        ((*FUNCTION, "dynamic_slots"), "1", "dynamic_slots must be an integer"),
        ((*FUNCTION, "slots"), None, "functions[0].slots must be a list"),
        ((*SLOT, "size_bytes"), "8", "functions[0].slots[0].size_bytes must be an integer"),
        ((*SLOT, "size_bytes"), GONE, "slots[0] has no 'size_bytes'"),
        ((*SLOT, "space"), 1, "slots[0].space must be a string"),
        ((*SLOT, "members"), "%a", "slots[0].members must be a list"),
        ((*SLOT, "members", 1), "%c", 'slots[0].members[1] names "%c", which the program does not have'),
        ((*SLOT, "members", 1), 1, "slots[0].members[1] must be a string"),
        ((*SLOT, "memory"), "slot1", "assignment cannot be read: two slots have one name"),
        ((*SLOT, "memory"), "s\n" * 99, 'is said to be in "slot0", which does not list it'),
        ((*FUNCTION, "assignment"), [], "assignment must be an object"),
        ((*FUNCTION, "assignment", "%c"), {}, 'assignment["%c"] is not a buffer'),
        ((*FUNCTION, "assignment", "\ud800" * 99), {}, "is not a buffer"),
        ((*PLACE,), GONE, 'assignment has no entry for "%a"'),
        ((*PLACE, "memory"), "slot1", 'assignment["%a"] is said to be in "slot1"'),
        ((*PLACE, "offset"), 4, 'assignment["%a"].offset must be 0'),
        ((*PLACE, "offset"), False, 'assignment["%a"].offset must be an integer'),
        ((*FUNCTION, "certificate"), "yes", "certificate must be an object"),
        ((*PART, "buffers", 0), "?", "certificate.parts[0].buffers[0] names"),
        ((*PART, "bound"), "8", "parts[0].bound must be an integer"),
        ((*PART, "dynamic"), 0, "parts[0].dynamic must be true or false"),
        ((*PART, "evidence", "kind"), "trust me", "evidence.kind must be one of clique, dual, refutation"),
        ((*PART, "evidence", "weights"), GONE, "evidence has no 'weights'"),
        ((*WEIGHT, "weight"), 1, "weights[0].weight must be a string"),
        ((*WEIGHT, "weight"), "1/0", "weights[0].weight has denominator 0"),
        ((*WEIGHT, "weight"), "0.5", 'weights[0].weight must be a fraction "p/q"'),
        ((*WEIGHT, "weight"), "1/-2", "must be a fraction"),
        ((*WEIGHT, "weight"), "1/2\n", "must be a fraction"),
        ((*WEIGHT, "weight"), "١/٢", "must be a fraction"),
        ((*WEIGHT, "weight"), "1" * 401, "must be a fraction"),
    ],
)
def test_wrong_documents(path: tuple[str | int, ...], value: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_from_json(put(document(), path, value), PROGRAM, "plan.json")
    text = str(caught.value)
    assert text.startswith("plan.json: ") and message in text
    assert text.isascii() and text.isprintable() and len(text) < 250


def put(data: Any, path: tuple[str | int, ...], value: object) -> Any:
    if not path:
        return value
    *steps, last = path
    place = data
    for step in steps:
        place = place[step]
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "plan.json:1:1: not JSON"),
        (b'{"version": 1,\n  "functions": [}', "plan.json:2:17: not JSON"),
        (b'{"version": NaN}', "plan.json: NaN is not JSON"),
        (b'{"version": -Infinity}', "plan.json: -Infinity is not JSON"),
        (b'{"version": 1, "version": 1}', 'plan.json: the key "version" is twice in one object'),
        (b'[{"a": {"%b": 1, "%b": 2}}]', 'the key "%b" is twice'),
        (b"[" * 200_000, "plan.json: nested too deeply"),
        (b'{"a":' * 200_000, "plan.json: nested too deeply"),
        (b'{"version": ' + b"1" * 5000 + b"}", "plan.json: a number has too many digits"),
        (b'{"version": "\xff"}', "plan.json: not UTF-8 text (byte 13)"),
        (b'{"version": 1e999}', "version must be an integer"),
        (b'{"version": 1} x', "plan.json:1:16: not JSON"),
    ],
)
def test_wrong_text(text: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_from_json(parse_json(text, "plan.json"), PROGRAM, "plan.json")
    assert message in str(caught.value)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "plan.json"
    file.write_text(dump_json(document()), encoding="utf-8-sig")  # with a byte order mark
    assert load_json(str(file)) == document()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"version": 1}')))
    assert load_json("-") == {"version": 1}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    with pytest.raises(InputError, match="<stdin>:1:2: not JSON"):
        load_json("-")
    with pytest.raises(InputError, match=r"gone\.json: cannot be read: No such file"):
        load_json(str(tmp_path / "gone.json"))
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load_json(str(tmp_path))
    with pytest.raises(InputError, match="cannot be read"):
        load_json("a\0b")


# --- properties --------------------------------------------------------------------------------------------


@st.composite
def claims(draw: st.DrawFn) -> tuple[Program, Optimal | Feasible]:
    """Programs with names of any kind, and plans and certificates that need not be true."""
    names = draw(
        st.lists(st.text(st.characters(exclude_categories=()), max_size=5), min_size=1, max_size=6, unique=True)
    )
    sizes = st.none() | st.integers(0, 2**80)
    buffers = tuple(
        Buffer(name, draw(sizes), 2 ** draw(st.integers(0, 9)), draw(st.text(max_size=2))) for name in names
    )
    home = [draw(st.integers(0, 3)) for _ in buffers]
    slots = (tuple(b for b, n in enumerate(home) if n == slot) for slot in range(4))
    members = st.lists(st.integers(0, len(buffers) - 1), max_size=4).map(tuple)
    naturals = st.integers(0, 2**70)
    cliques = st.lists(st.builds(Clique, naturals, members), max_size=3).map(tuple)
    weights = st.lists(st.builds(Weighted, naturals, st.fractions(), members), max_size=3).map(tuple)
    shown = st.builds(Cliques, cliques) | st.builds(Dual, weights, cliques)
    rows = st.lists(st.builds(Row, naturals, members), max_size=3).map(tuple)
    lines = st.lists(st.sampled_from(["", "1", "-2 1", "d 1", "x"]), max_size=3).map(tuple)
    evidence = shown | st.builds(SlotRefutation, shown, rows, lines)
    parts = st.lists(st.builds(Part, members, naturals, evidence, st.booleans()), max_size=3).map(tuple)
    plan, certificate = Slots(tuple(found for found in slots if found)), Certificate(draw(parts))
    verdict = draw(st.sampled_from([Optimal(plan, certificate), Feasible(plan, certificate, "limit")]))
    return Program(draw(st.text(max_size=4)), buffers, ()), verdict


@settings(max_examples=100, deadline=None)
@given(claims(), st.sampled_from(Policy), st.sampled_from(TypeRule))
def test_round_trip(claim: tuple[Program, Optimal | Feasible], policy: Policy, types: TypeRule) -> None:
    program, verdict = claim
    text = dump_json(answer([plan_to_json(program, verdict, policy, types)]))
    assert text.isascii()
    loaded = plan_from_json(parse_json(text.encode(), "p"), program, "p")
    assert (loaded.plan, loaded.certificate) == (verdict.plan, verdict.certificate)
    assert (loaded.policy, loaded.types, loaded.optimal) == (policy, types, isinstance(verdict, Optimal))
    assert loaded.cost_bytes == verdict.plan.cost_bytes(program)
    assert loaded.lower_bound_bytes == verdict.certificate.bound_bytes
    assert loaded.dynamic_slots_lower_bound == verdict.certificate.bound_slots
    for slot, said in enumerate(loaded.slots):
        assert said.size_bytes == verdict.plan.size_bytes(slot, program)
        assert said.alignment == verdict.plan.alignment(slot, program)
    loaded.check(program)  # whatever it is, it is judged


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from(["%a", "slot0"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner), max_leaves=5
)


@settings(max_examples=400, deadline=None)
@given(st.data(), VALUES)
def test_anything_in_any_place_is_read_or_refused(data: st.DataObject, value: object) -> None:
    places: list[tuple[str | int, ...]] = []

    def walk(node: object, path: tuple[str | int, ...]) -> None:
        places.append(path)
        fields = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, inner in fields:
            walk(inner, (*path, key))

    walk(document(), ())
    changed = put(document(), data.draw(st.sampled_from(places)), copy.deepcopy(value))
    try:
        loaded = plan_from_json(changed, PROGRAM, "plan.json")
    except InputError as error:
        assert str(error).startswith("plan.json: ") and "\n" not in str(error)
        return
    assert isinstance(loaded.check(PROGRAM), Accepted | Rejection)
