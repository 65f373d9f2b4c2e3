"""Queries as SMT-LIB text: facts of a program, and the definitions of encodings/ applied to them.

No rule stands in this file. Facts go in as constants, one `define-fun` each; each application of a definition is an
`assert` on a line of its own, so that `grep -v` takes a rule out. Constants end in the index of their buffer in
`Program.buffers` (`size_3`, `host_3`); sharing.smt2 says what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

from smtalloc.bitsets import bits, bitset
from smtalloc.bounds import ClassForm
from smtalloc.order import Conflicts, Order, holds, program_order_lives
from smtalloc.plan import Policy, Slots, TypeRule
from smtalloc.program import HOST, Buffer

POLICY_RULES: Mapping[Policy, tuple[str, ...]] = {
    Policy.PROGRAM_ORDER: ("program_order",),
    Policy.HOST_EXCLUSIVE: ("program_order", "host_exclusive", "happens_before"),
    Policy.HAPPENS_BEFORE: ("happens_before",),
}
"""Definitions of sharing.smt2 that a policy asserts of every pair, beside those on memory and type."""


@cache
def encodings_dir() -> Path:
    """Where the definitions are: beside the package in a checkout, inside it in an installed wheel.

    Raises `FileNotFoundError` if they are in neither place.
    """
    package = Path(__file__).resolve().parent
    for place in (package / "_encodings", package.parent / "encodings"):
        if (place / "sharing.smt2").is_file():
            return place
    raise FileNotFoundError(f"no SMT-LIB definitions beside or inside {package}")


@cache
def definitions(*names: str) -> str:
    """The text of some files of encodings/, by stem, in this order."""
    return "\n".join((encodings_dir() / f"{name}.smt2").read_text(encoding="utf-8") for name in names)


# --- facts -------------------------------------------------------------------------------------------------


class Facts:
    """The facts of sharing.smt2 about the allocations of a program, as text."""

    def __init__(self, conflicts: Conflicts) -> None:
        program = conflicts.program
        self.conflicts, self.program = conflicts, program
        self.engines = (HOST, *program.queues)
        self._order = Order(program)
        self._lives = program_order_lives(program)
        self._actions = program.actions
        self._end = program.actions[-1].ordinal + 1 if program.actions else 0
        self._device = frozenset(x.buffer for a in program.actions if not a.on_host for x in a.accesses)
        self._numbers: dict[tuple[str, str], int] = {}
        self._keys: dict[str, int] = {}

    def in_order(self, members: Sequence[int]) -> list[int]:
        """Members of a slot as their lives follow each other, if they may share it."""
        items, before = self.conflicts.items, self.conflicts.before
        wanted = set(members)
        place = {b: item for item, b in enumerate(items) if b in wanted}
        inside = bitset(place.values())
        return sorted(members, key=lambda b: -(before[place[b]] & inside).bit_count())

    def of(self, buffers: Iterable[int]) -> Iterator[str]:
        yield "; engines: " + ", ".join(f"e{e} = {_comment(name)}" for e, name in enumerate(self.engines))
        for b in buffers:
            buffer = self.program.buffers[b]
            yield f"; buffer {b}: {_comment(buffer.name)}"
            first, last = self._lives[b]
            yield _constant(f"first_{b}", first)
            yield _constant(f"last_{b}", last)
            yield _constant(f"host_{b}", b in self.program.host_accessed)
            yield _constant(f"device_{b}", b in self._device)
            yield _constant(f"pinned_{b}", not buffer.movable)
            yield _constant(f"size_{b}", size_of(buffer))
            yield _constant(f"key_{b}", self._key(b, buffer))
            yield _constant(f"space_{b}", self._number("space", buffer.space))
            yield _constant(f"type_{b}", self._number("type", buffer.element_type))
            for e, engine in enumerate(self.engines):
                done, seen = self._clock(b, engine)
                yield _constant(f"done_{b}_e{e}", done)
                yield _constant(f"seen_{b}_e{e}", seen)

    def rules(self, drop: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """The definitions that hold for every pair under the policy and the type rule."""
        types = ("same_type",) if self.conflicts.types is TypeRule.STRICT else ()
        sizes = ("one_holds_both",) if self.conflicts.symbolic else ()
        names = (*POLICY_RULES[self.conflicts.policy], "unpinned", "same_space", "same_key", *types, *sizes)
        return tuple(name for name in names if name not in drop)

    def apply(self, rule: str, together: str, a: str, b: str) -> str:
        """The definition `rule` applied to the buffers whose constants end in a and b."""
        match rule:
            case "program_order":
                return f"(program_order {together} first_{a} last_{a} first_{b} last_{b})"
            case "host_exclusive":
                return f"(host_exclusive {together} host_{a} device_{a} host_{b} device_{b})"
            case "happens_before":
                return f"(happens_before {together} {self._over(a, b)} {self._over(b, a)})"
            case "unpinned":
                return f"(unpinned {together} pinned_{a} pinned_{b})"
            case "same_space" | "same_type" | "same_key":
                fact = rule.removeprefix("same_")
                return f"({rule} {together} {fact}_{a} {fact}_{b})"
            case "one_holds_both":
                return f"({rule} {together} {self._holds(int(a), int(b))} {self._holds(int(b), int(a))})"
            case _:
                raise ValueError(f"sharing.smt2 has no rule {rule!r} on pairs")

    def _holds(self, holder: int, other: int) -> str:
        buffers = self.program.buffers
        plain = buffers[holder].size is None and buffers[other].size is None  # `fits` and `same_key` decide
        return literal(plain or holds(self.program, holder, other))

    def _over(self, a: str, b: str) -> str:
        return _fold("and", [f"(over_on done_{a}_e{e} seen_{b}_e{e})" for e in range(len(self.engines))])

    def _clock(self, b: int, engine: str) -> tuple[int, int]:
        """`done` and `seen`. The caller touches a returned buffer after the end: behind what the function did to it,
        or, if it did nothing, from the host."""
        accesses = self.program.accesses_of[b]
        done = max((self._actions[i].ordinal for i in accesses if self._actions[i].engine == engine), default=-1)
        seen = min((self._order.seen(i, engine) for i in accesses), default=-1)
        if not self.program.buffers[b].live_out:
            return done, seen
        return self._end + 1, seen if accesses else self._order.seen_at_return(engine)

    def _number(self, kind: str, name: str) -> int:
        return self._numbers.setdefault((kind, name), len(self._numbers))

    def _key(self, b: int, buffer: Buffer) -> int:
        if buffer.size_bytes is not None:
            return 0
        key = (buffer.size_key or f"only {b}") if buffer.size is None else ""  # "": compared by `one_holds_both`
        return self._keys.setdefault(key, len(self._keys) + 1)


def size_of(buffer: Buffer) -> int:
    """In bytes; a size known only at run time counts as one slot."""
    return 1 if buffer.size_bytes is None else buffer.size_bytes


def _constant(name: str, value: int | bool) -> str:
    sort = "Bool" if isinstance(value, bool) else "Int"
    return f"(define-fun {name} () {sort} {literal(value)})"


def literal(value: int | bool) -> str:
    """Of sort Int or Bool; SMT-LIB has no negative numerals."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value >= 0 else f"(- {-value})"


def _comment(text: str) -> str:
    return re.sub(r"[^\x20-\x7e]", "?", text)


def _fold(function: str, terms: Sequence[str], empty: str = "0") -> str:
    """`(f t1 t2 ...)`; SMT-LIB has no applications of `+` or `and` to fewer than two terms."""
    if len(terms) < 2:
        return terms[0] if terms else empty
    return f"({function} {' '.join(terms)})"


def asserted(term: str) -> str:
    return f"(assert {term})"


def _query(files: Sequence[str], *blocks: Iterable[str]) -> str:
    lines = ["(set-logic QF_LIA)", definitions(*files)]
    for block in blocks:
        lines.extend(block)
    lines.append("(check-sat)\n")
    return "\n".join(lines)


# --- pairwise ----------------------------------------------------------------------------------------------


def pairwise_query(
    conflicts: Conflicts,
    cost_at_most: int,
    *,
    drop: frozenset[str] = frozenset(),
    items: Sequence[int] | None = None,
) -> str:
    """Is there a plan of these items (positions in `conflicts.items`; all by default) of at most this cost in bytes?

    Buffers of run-time size count as one byte each; ask for them alone to count slots. `drop` names definitions of
    sharing.smt2 that are left out.
    """
    facts = Facts(conflicts)
    chosen = range(len(conflicts.items)) if items is None else items
    buffers = sorted((conflicts.items[i] for i in chosen), key=lambda b: (-size_of(conflicts.program.buffers[b]), b))
    return _query(
        ("sharing", "slots_pairwise"),
        facts.of(buffers),
        _numbering(buffers),
        _pairs(facts, buffers, facts.rules(drop)),
        _pairwise_cost(buffers, cost_at_most),
    )


def _numbering(buffers: Sequence[int]) -> Iterator[str]:
    for number, b in enumerate(buffers):
        yield f"(declare-const slot_{b} Int)"
        yield asserted(f"(numbered {number} slot_{b})")
        for before in range(number):
            inside, a = f"(= slot_{b} {before})", buffers[before]
            yield asserted(f"(opened {inside} {before} slot_{a})")
            yield asserted(f"(fits {inside} size_{b} size_{a})")


def _pairs(facts: Facts, buffers: Sequence[int], rules: Sequence[str]) -> Iterator[str]:
    for a, b in combinations(buffers, 2):
        together = f"(co_located slot_{a} slot_{b})"
        for rule in rules:
            yield asserted(facts.apply(rule, together, str(a), str(b)))


def _pairwise_cost(buffers: Sequence[int], cost_at_most: int) -> Iterator[str]:
    terms = [f"(cost_of {number} slot_{b} size_{b})" for number, b in enumerate(buffers)]
    yield asserted(f"(cost_at_most {_fold('+', terms)} {literal(cost_at_most)})")


def pairwise_plan(values: Mapping[str, int | bool]) -> Slots:
    """The plan in a model of `pairwise_query`."""
    members: dict[int, list[int]] = {}
    for name, value in values.items():
        if name.startswith("slot_"):
            members.setdefault(int(value), []).append(int(name.removeprefix("slot_")))
    return Slots(tuple(sorted(tuple(sorted(found)) for found in members.values())))


# --- by class ----------------------------------------------------------------------------------------------


def class_query(
    conflicts: Conflicts,
    form: ClassForm,
    cost_at_most: int,
    *,
    excluded: frozenset[tuple[int, int]] = frozenset(),
    cancelled: Callable[[], bool] = lambda: False,
) -> str:
    """Is there an assignment of slot sizes to the items of a task that costs at most this (bytes, or slots)?

    A model is a plan only if `form.rows` has all maximal cliques; otherwise the caller must check that its slots
    suffice. `excluded` are pairs (item, class) left out because no plan of this cost uses them.
    Once `cancelled` says so the text breaks off, and must not be put to a solver.
    """
    text = _ClassText(conflicts, form, cost_at_most, excluded, cancelled)
    return _query(
        ("sharing", "slots_class"),
        Facts(conflicts).of(text.buffers),
        text.slots(),
        text.places(),
        text.guarantee(),
        text.rows(),
        text.cost(),
    )


class _ClassText:
    """The blocks of `class_query`."""

    def __init__(
        self,
        conflicts: Conflicts,
        form: ClassForm,
        cost_at_most: int,
        excluded: frozenset[tuple[int, int]],
        cancelled: Callable[[], bool],
    ) -> None:
        self.cancelled = cancelled
        self.form, self.task, self.cost_at_most = form, form.task, cost_at_most
        self.buffers = [conflicts.items[item] for item in form.task.items]
        self.classes = [
            [k for k in range(own + 1) if (j, k) not in excluded] for j, own in enumerate(form.task.class_of)
        ]
        self.host_exclusive = conflicts.policy is Policy.HOST_EXCLUSIVE

    def _extras(self) -> list[int]:
        """For each class, how many slots beyond the known ones the limit can pay for."""
        task, least = self.task, self.form.levels.least
        slack = max(0, self.cost_at_most - self.form.levels.bound(task))
        paid = [slack // step if step else len(task) for step in task.steps]
        most = [min(len(task), known + more) for known, more in zip(least, paid, strict=True)]
        return [min(most[k:]) - known for k, known in enumerate(least)]

    def slots(self) -> Iterator[str]:
        """How many slots there are of each size or more: unary, which z3 turns into cardinality constraints."""
        for k, (width, known, extra) in enumerate(
            zip(self.task.widths, self.form.levels.least, self._extras(), strict=True)
        ):
            yield _constant(f"w_{k}", width)
            for i in range(extra):
                yield f"(declare-const extra_{k}_{i} Bool)"
                if i:
                    yield asserted(f"(counted extra_{k}_{i} extra_{k}_{i - 1})")
            counts = [f"(count extra_{k}_{i})" for i in range(extra)]
            yield f"(define-fun slots_{k} () Int {_fold('+', [str(known), *counts])})"

    def places(self) -> Iterator[str]:
        """Each buffer lives in a slot of some size that it fits."""
        for j, b in enumerate(self.buffers):
            if self.cancelled():
                return
            for k in self.classes[j]:
                yield f"(declare-const x_{b}_{k} Bool)"
                yield asserted(f"(fits x_{b}_{k} size_{b} w_{k})")
            yield asserted(_fold("or", [f"x_{b}_{k}" for k in self.classes[j]], "false"))

    def guarantee(self) -> Iterator[str]:
        """A host-accessed buffer has its slot for itself."""
        if not self.host_exclusive:
            return
        for b in self.buffers:
            yield f"(declare-const alone_{b} Bool)"
            yield asserted(f"(host_exclusive_alone host_{b} alone_{b})")
        for k in range(len(self.task.widths)):
            own = [f"(count (owns x_{b}_{k} alone_{b}))" for j, b in enumerate(self.buffers) if k in self.classes[j]]
            yield f"(define-fun own_{k} () Int {_fold('+', own)})"

    def rows(self) -> Iterator[str]:
        written: set[str] = set()
        for k, clique in (*self.form.rows, *((k, 0) for k in range(len(self.task.widths)))):
            if self.cancelled():
                return
            live = [self.buffers[j] for j in bits(clique) if k in self.classes[j]]
            if self.host_exclusive:
                terms, own = [f"(count (shares x_{b}_{k} alone_{b}))" for b in live], f"own_{k}"
            else:
                terms, own = [f"(count x_{b}_{k})" for b in live], "0"
            larger = f"slots_{k - 1}" if k else "0"
            row = f"(enough_slots {_fold('+', terms)} {own} slots_{k} {larger})"
            if row not in written:
                written.add(row)
                yield asserted(row)

    def cost(self) -> Iterator[str]:
        unit = self.task.unit
        yield f"; costs in units of {unit}"
        terms = [f"(layer_cost slots_{k} {step // unit})" for k, step in enumerate(self.task.steps)]
        yield asserted(f"(cost_at_most {_fold('+', terms)} {literal(self.cost_at_most // unit)})")


def class_assignment(conflicts: Conflicts, form: ClassForm, values: Mapping[str, int | bool]) -> tuple[int, ...]:
    """For each item of the task the class of its slot, from a model of `class_query`: the smallest that holds."""
    found: list[int] = []
    for item, own in zip(form.task.items, form.task.class_of, strict=True):
        b = conflicts.items[item]
        found.append(max(k for k in range(own + 1) if values.get(f"x_{b}_{k}") is True))
    return tuple(found)


# --- guarantee ---------------------------------------------------------------------------------------------


def guarantee_query(conflicts: Conflicts, plan: Slots, *, all_pairs_up_to: int = 8, facts: Facts | None = None) -> str:
    """Does the plan, or a part of its slots, break any definition of its policy? `unsat` says that it keeps them all.

    Asserts the facts, the plan as constants, and that not all definitions hold. In slots of up to `all_pairs_up_to`
    members they are applied to every pair; in larger ones to each member and all those before it taken as one buffer
    (slots_pairwise.smt2), which implies the same for every pair in a text of linear size.
    """
    facts = facts or Facts(conflicts)
    program, slot_of = conflicts.program, plan.slot_of()
    buffers = sorted(slot_of)
    runs: list[str] = []
    conditions = [f"(fits true size_{b} room_{slot_of[b]})" for b in buffers]
    for slot, members in enumerate(plan.members):
        if len(members) <= all_pairs_up_to:
            conditions += _all_pairs(facts, members)
        else:
            merged, claims = run_conditions(facts, slot, facts.in_order(members))
            runs += merged
            conditions += claims
    return _query(
        ("sharing", "slots_pairwise"),
        facts.of(buffers),
        (_constant(f"slot_{b}", slot_of[b]) for b in buffers),
        (_constant(f"room_{s}", plan.size_bytes(s, program) or 1) for s in range(len(plan.members))),
        runs,
        ["(assert (not (and true true", *conditions, ")))"],
    )


def _all_pairs(facts: Facts, members: Sequence[int]) -> Iterator[str]:
    rules = facts.rules()
    for a, b in combinations(members, 2):
        together = f"(co_located slot_{a} slot_{b})"
        for rule in rules:
            yield facts.apply(rule, together, str(a), str(b))


def run_conditions(facts: Facts, slot: int, members: Sequence[int]) -> tuple[list[str], list[str]]:
    """The members of a slot, each together with the run of those before it: definitions of the runs, conditions."""
    merged: list[tuple[str, str, str]] = [
        ("first", "Int", "earlier"),
        ("last", "Int", "later"),
        ("host", "Bool", "or"),
        ("device", "Bool", "or"),
        ("pinned", "Bool", "or"),
    ]
    for e in range(len(facts.engines)):
        merged += [(f"done_{{}}_e{e}", "Int", "later"), (f"seen_{{}}_e{e}", "Int", "earlier")]
    lines: list[str] = []
    conditions: list[str] = []
    run = str(members[0])
    for step, (previous, b) in enumerate(pairwise(members), 1):
        together = f"(co_located slot_{previous} slot_{b})"
        for rule in facts.rules():  # equality passes from member to member
            if rule == "one_holds_both":  # and this does not
                pairs = [facts.apply(rule, together, str(a), str(b)) for a in members[:step]]
                conditions.append(f"(and true {' '.join(pairs)})")
                continue
            a = str(previous) if rule.startswith("same_") else run
            conditions.append(facts.apply(rule, together, a, str(b)))
        longer = f"run_{slot}_{step}"
        for fact, sort, merge in merged:
            pattern = fact if "{" in fact else fact + "_{}"
            value = f"({merge} {pattern.format(run)} {pattern.format(b)})"
            lines.append(f"(define-fun {pattern.format(longer)} () {sort} {value})")
        run = longer
    return lines, conditions
