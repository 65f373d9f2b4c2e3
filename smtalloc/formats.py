"""Plans as JSON (docs: design, "Command line"): written from a verdict, read back with everything it claims.

    {"version": 1, "functions": [
      {"name": "f", "verdict": "optimal", "policy": "host-exclusive", "types": "bytes",
       "cost_bytes": 64, "lower_bound_bytes": 64, "dynamic_slots": 0, "dynamic_slots_lower_bound": 0,
       "slots": [{"memory": "slot0", "size_bytes": 64, "alignment": 16, "space": "", "members": ["%a", "%b"]}],
       "assignment": {"%a": {"memory": "slot0", "offset": 0}, "%b": {"memory": "slot0", "offset": 0}},
       "certificate": {"parts": [{"buffers": ["%a", "%b"], "bound": 64, "dynamic": false, "evidence":
         {"kind": "clique", "cliques": [{"threshold_bytes": 64, "buffers": ["%a"]}]}}]}}]}

Where sizes depend on dimensions: `"dimensions": [{"name": "%n", "least": 1, "most": 4096, "source": "assumed"}]`, and
`"binding": {"%n": 1536}`, the values at which bytes are counted (`"sizes"`, for readers, has the formulas).

Other evidence is `{"kind": "dual", "weights": [{"slot_bytes", "weight": "p/q", "buffers"}], "cliques": [...]}` and
`{"kind": "refutation", "shown": {"kind": "dual", ...}, "rows": [{"slot_bytes", "buffers"}], "drup": ["-1 2", "d 3"]}`.

What is read is not trusted: a document that is not of this shape is an `InputError` with the place in it; whether what
it says is true is for check.py to judge.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NoReturn, cast

from smtalloc.check import Accepted, ClaimedSlot, Rejection, check_plan
from smtalloc.dimensions import Given
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
from smtalloc.program import InputError, Location, Program
from smtalloc.symbolic import Range

VERSION = 1
_MOST_DIGITS = 400  # of a number; no program has more, and arithmetic on what we accept stays quick
_FRACTION = re.compile(r"(-?[0-9]{1,400})(?:/([0-9]{1,400}))?")


# --- writing -----------------------------------------------------------------------------------------------


def answer(functions: Iterable[dict[str, object]]) -> dict[str, object]:
    """The document around the answers for some functions."""
    return {"version": VERSION, "functions": list(functions)}


def dump_json(document: object) -> str:
    """As text: plain ASCII, whatever the names are."""
    return json.dumps(document, indent=2, allow_nan=False)


def plan_to_json(program: Program, verdict: Optimal | Feasible, policy: Policy, types: TypeRule) -> dict[str, object]:
    """The answer for one function, an element of "functions"."""
    plan, certificate = verdict.plan, verdict.certificate
    names = [buffer.name for buffer in program.buffers]
    found: dict[str, object] = {
        "name": program.name,
        "verdict": "optimal" if isinstance(verdict, Optimal) else "feasible",
        "policy": str(policy),
        "types": str(types),
        "cost_bytes": plan.cost_bytes(program),
        "lower_bound_bytes": certificate.bound_bytes,
        "dynamic_slots": plan.dynamic_slots(program),
        "dynamic_slots_lower_bound": certificate.bound_slots,
    }
    if isinstance(verdict, Feasible):
        found["reason"] = verdict.reason
    if program.dimensions:
        found["dimensions"] = [
            {"name": d.name, "least": d.least, "most": d.most, "source": d.source} for d in program.dimensions
        ]
        found["binding"] = dict(program.binding)
        found["sizes"] = {b.name: str(b.size) for b in program.buffers if b.size is not None and not b.external}
    found["slots"] = [
        {
            "memory": f"slot{slot}",
            "size_bytes": plan.size_bytes(slot, program),
            "alignment": plan.alignment(slot, program),
            "space": program.buffers[members[0]].space,
            "members": [names[b] for b in members],
        }
        for slot, members in enumerate(plan.members)
    ]
    found["assignment"] = {
        names[b]: {"memory": f"slot{slot}", "offset": 0} for slot, members in enumerate(plan.members) for b in members
    }
    found["certificate"] = certificate_to_json(certificate, names)
    return found


def certificate_to_json(certificate: Certificate, names: Sequence[str]) -> dict[str, object]:
    """`names` are those of `Program.buffers`."""
    parts: list[object] = []
    for part in certificate.parts:
        parts.append(
            {
                "buffers": [names[b] for b in part.buffers],
                "bound": part.bound,
                "dynamic": part.dynamic,
                "evidence": _evidence_to_json(part.evidence, names),
            }
        )
    return {"parts": parts}


def _evidence_to_json(evidence: Cliques | Dual | SlotRefutation, names: Sequence[str]) -> dict[str, object]:
    if isinstance(evidence, SlotRefutation):
        rows = [{"slot_bytes": row.slot_bytes, "buffers": [names[b] for b in row.buffers]} for row in evidence.rows]
        shown = _evidence_to_json(evidence.shown, names)
        return {"kind": "refutation", "shown": shown, "rows": rows, "drup": list(evidence.drup)}
    cliques = [
        {"threshold_bytes": clique.threshold_bytes, "buffers": [names[b] for b in clique.buffers]}
        for clique in evidence.cliques
    ]
    if isinstance(evidence, Cliques):
        return {"kind": "clique", "cliques": cliques}
    weights = [
        {
            "slot_bytes": weighted.slot_bytes,
            "weight": f"{weighted.weight.numerator}/{weighted.weight.denominator}",
            "buffers": [names[b] for b in weighted.buffers],
        }
        for weighted in evidence.weights
    ]
    return {"kind": "dual", "weights": weights, "cliques": cliques}


# --- reading text ------------------------------------------------------------------------------------------


def load_json(path: str) -> object:
    """The document in a file, or on standard input if `path` is "-"."""
    source = "<stdin>" if path == "-" else path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(f"cannot be read: {reason}", Location(source)) from None
    return parse_json(data, source)


def parse_json(data: bytes, source: str) -> object:
    """JSON as RFC 8259 has it: UTF-8, no NaN, and no key twice in one object."""

    def refuse(name: str) -> NoReturn:
        raise InputError(f"{name} is not JSON", Location(source))

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                raise InputError(f"the key {_shown(key)} is twice in one object", Location(source))
            found[key] = value
        return found

    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=refuse, object_pairs_hook=unique)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})", Location(source)) from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", Location(source, error.lineno, error.colno)) from None
    except RecursionError:
        raise InputError("nested too deeply", Location(source)) from None
    except ValueError:  # Python's limit on the digits of an int
        raise InputError("a number has too many digits", Location(source)) from None


def _shown(text: str) -> str:
    """A foreign text for a message: quoted, one line, ASCII, short."""
    quoted = json.dumps(text)
    return quoted if len(quoted) <= 60 else quoted[:56] + '..."'


# --- reading plans -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoadedPlan:
    """What a written plan says, none of it checked; claims that were left out are None."""

    name: str
    plan: Slots
    policy: Policy
    types: TypeRule
    optimal: bool
    slots: tuple[ClaimedSlot, ...]
    memories: tuple[str, ...]
    """The name of each slot."""
    cost_bytes: int
    lower_bound_bytes: int | None
    dynamic_slots: int | None
    dynamic_slots_lower_bound: int | None
    certificate: Certificate | None

    def check(self, program: Program) -> Accepted | Rejection:
        """Let the independent checker judge all of it."""
        return check_plan(
            program,
            self.plan,
            policy=self.policy,
            types=self.types,
            certificate=self.certificate,
            claims_optimal=self.optimal,
            claimed_cost_bytes=self.cost_bytes,
            claimed_slots=self.slots,
            claimed_lower_bound_bytes=self.lower_bound_bytes,
            claimed_dynamic_slots=self.dynamic_slots,
            claimed_dynamic_slots_lower_bound=self.dynamic_slots_lower_bound,
        )


def function_names(data: object, source: str) -> tuple[str, ...]:
    """The functions that a document answers for, in its order; a name may occur again."""
    return tuple(function["name"].text() for function in _functions(data, source))


def given_from_json(data: object, source: str, name: str, occurrence: int = 0) -> Given:
    """The bounds and values of dimensions that a plan was made with, by its user's word."""
    function = [f for f in _functions(data, source) if f["name"].text() == name][occurrence]
    dimensions, binding = function.get("dimensions"), function.get("binding")
    bounds = {
        d["name"].text().removeprefix("%"): Range(d["least"].integer(), d["most"].integer())
        for d in (dimensions.items() if dimensions else ())
        if d["source"].text() == "assumed"
    }
    values = binding.fields() if binding else {}
    return Given(bounds, {key.removeprefix("%"): binding[key].integer() for key in values} if binding else {})


def plan_from_json(data: object, program: Program, source: str, occurrence: int = 0) -> LoadedPlan:
    """The plan for `program` in a document; `occurrence` counts functions of one name (`// -----` splits)."""
    named = [function for function in _functions(data, source) if function["name"].text() == program.name]
    if occurrence >= len(named):
        raise InputError(f"has no answer for function {_shown(program.name)}", Location(source))
    function = named[occurrence]
    verdict = function["verdict"].one_of("optimal", "feasible")
    index = {buffer.name: b for b, buffer in enumerate(program.buffers)}
    slots = function["slots"].items()
    members = tuple(slot["members"].buffers(index) for slot in slots)
    memories = tuple(slot["memory"].text() for slot in slots)
    _agree(function["assignment"], index, memories, members)
    certificate = function.get("certificate")
    return LoadedPlan(
        name=program.name,
        plan=Slots(members),
        policy=Policy(function["policy"].one_of(*Policy)),
        types=TypeRule(function["types"].one_of(*TypeRule)),
        optimal=verdict == "optimal",
        slots=tuple(_slot(slot) for slot in slots),
        memories=memories,
        cost_bytes=function["cost_bytes"].number(),
        lower_bound_bytes=_optional(function.get("lower_bound_bytes")),
        dynamic_slots=_optional(function.get("dynamic_slots")),
        dynamic_slots_lower_bound=_optional(function.get("dynamic_slots_lower_bound")),
        certificate=_certificate(certificate, index) if certificate else None,
    )


@dataclass(frozen=True, slots=True)
class _Node:
    """A value in a document and its place; each method reads it as one type or says that it is none."""

    value: object
    path: str
    source: str

    def wrong(self, message: str) -> InputError:
        return InputError(f"{self.path or 'the document'} {message}", Location(self.source))

    def fields(self) -> dict[str, object]:
        value = self.value
        if not isinstance(value, dict):
            raise self.wrong("must be an object")
        return cast("dict[str, object]", value)

    def at(self, key: str, value: object) -> _Node:
        step = key if re.fullmatch(r"\w{1,60}", key, re.ASCII) else f"[{_shown(key)}]"
        dot = "." if self.path and not step.startswith("[") else ""
        return _Node(value, f"{self.path}{dot}{step}", self.source)

    def get(self, key: str) -> _Node | None:
        """A field that may be left out, or null."""
        value = self.fields().get(key)
        return None if value is None else self.at(key, value)

    def __getitem__(self, key: str) -> _Node:
        fields = self.fields()
        if key not in fields:
            raise self.wrong(f"has no {key!r}")
        return self.at(key, fields[key])

    def items(self) -> list[_Node]:
        value = self.value
        if not isinstance(value, list):
            raise self.wrong("must be a list")
        values = cast("list[object]", value)
        return [_Node(value, f"{self.path}[{n}]", self.source) for n, value in enumerate(values)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("must be a string")
        return self.value

    def one_of(self, *words: str) -> str:
        text = self.text()
        if text not in words:
            raise self.wrong(f"must be one of {', '.join(words)}, not {_shown(text)}")
        return text

    def number(self) -> int:
        """An integer of 0 or more; true and 1.0 are none."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or self.value < 0:
            raise self.wrong("must be an integer of 0 or more")
        if self.value >= 10**_MOST_DIGITS:
            raise self.wrong(f"has more than {_MOST_DIGITS} digits")
        return self.value

    def integer(self) -> int:
        """An integer of at most 64 bits."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or abs(self.value) > 1 << 63:
            raise self.wrong("must be an integer of at most 64 bits")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("must be true or false")
        return self.value

    def fraction(self) -> Fraction:
        match = _FRACTION.fullmatch(self.text())
        if not match:
            raise self.wrong('must be a fraction "p/q"')
        numerator, denominator = int(match[1]), int(match[2] or 1)
        if not denominator:
            raise self.wrong("has denominator 0")
        return Fraction(numerator, denominator)

    def buffers(self, index: Mapping[str, int]) -> tuple[int, ...]:
        found: list[int] = []
        for node in self.items():
            name = node.text()
            if name not in index:
                raise node.wrong(f"names {_shown(name)}, which the program does not have")
            found.append(index[name])
        return tuple(found)


Node = _Node


def _functions(data: object, source: str) -> list[_Node]:
    document = _Node(data, "", source)
    if document["version"].number() != VERSION:
        raise document["version"].wrong(f"must be {VERSION}")
    return document["functions"].items()


def _optional(node: _Node | None) -> int | None:
    return None if node is None else node.number()


def _slot(node: _Node) -> ClaimedSlot:
    size = node["size_bytes"]
    return ClaimedSlot(
        size_bytes=None if size.value is None else size.number(),
        alignment=node["alignment"].number(),
        space=node["space"].text(),
    )


def _agree(
    assignment: _Node, index: dict[str, int], memories: tuple[str, ...], members: tuple[tuple[int, ...], ...]
) -> None:
    """The assignment says the same as the slots do; one that does not is a document of two plans."""
    if len(set(memories)) < len(memories):
        raise assignment.wrong("cannot be read: two slots have one name")
    slots = {memory: set(found) for memory, found in zip(memories, members, strict=True)}
    for name, value in assignment.fields().items():
        place = assignment.at(name, value)
        if name not in index:
            raise place.wrong("is not a buffer of the program")
        memory = place["memory"].text()
        if index[name] not in slots.get(memory, ()):
            raise place.wrong(f"is said to be in {_shown(memory)}, which does not list it as a member")
        if place["offset"].number():
            raise place["offset"].wrong("must be 0 in a plan of slots")
    names = {b: name for name, b in index.items()}
    for b in (b for found in members for b in found):
        if names[b] not in assignment.fields():
            raise assignment.wrong(f"has no entry for {_shown(names[b])}, which a slot lists as a member")


def _certificate(node: _Node, index: dict[str, int]) -> Certificate:
    return Certificate(tuple(_part(part, index) for part in node["parts"].items()))


def _part(node: _Node, index: dict[str, int]) -> Part:
    evidence = node["evidence"]
    refuted = evidence["kind"].one_of("clique", "dual", "refutation") == "refutation"
    return Part(
        buffers=node["buffers"].buffers(index),
        bound=node["bound"].number(),
        evidence=_refutation(evidence, index) if refuted else _basis(evidence, index),
        dynamic=node["dynamic"].flag(),
    )


def _refutation(node: _Node, index: dict[str, int]) -> SlotRefutation:
    rows = (Row(row["slot_bytes"].number(), row["buffers"].buffers(index)) for row in node["rows"].items())
    return SlotRefutation(
        _basis(node["shown"], index), tuple(rows), tuple(line.text() for line in node["drup"].items())
    )


def _basis(node: _Node, index: dict[str, int]) -> Cliques | Dual:
    kind = node["kind"].one_of("clique", "dual")
    cliques = tuple(
        Clique(clique["threshold_bytes"].number(), clique["buffers"].buffers(index))
        for clique in node["cliques"].items()
    )
    if kind == "clique":
        return Cliques(cliques)
    return Dual(tuple(_weighted(weighted, index) for weighted in node["weights"].items()), cliques)


def _weighted(node: _Node, index: dict[str, int]) -> Weighted:
    return Weighted(node["slot_bytes"].number(), node["weight"].fraction(), node["buffers"].buffers(index))
