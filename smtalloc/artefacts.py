"""Plans, verdicts and bounds as SMT-LIB 2.6, for whoever wants to ask a solver of their own.

In each text every assertion has a name that speaks of buffers and ops, so that an unsat core can be read. No rule
stands in this file: it applies the definitions of encodings/ (encode.py says how).

    plan_text      does the plan break a definition of its policy?       unsat: it keeps them all
    bound_text     is there a plan that costs less than the bound?       unsat: there is none
    verdict_text   does some schedule break a read of AFTER?             unsat: none does
    races_text     may two accesses of one buffer run the wrong way round, or does a schedule break a read?  unsat: no
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import gcd

from smtalloc.clashes import candidates, same_accesses
from smtalloc.encode import Facts, definitions, run_conditions, size_of
from smtalloc.encode_schedule import finished, schedule_axioms, started
from smtalloc.order import Conflicts, Order
from smtalloc.placement import Correspondence
from smtalloc.plan import Certificate, Cliques, Dual, Part, SlotRefutation, Slots
from smtalloc.program import HOST, Action, Program
from smtalloc.races import Race, conflicting
from smtalloc.schedule_smt import between
from smtalloc.validate import together

_EVENT = re.compile(r"\b(host|issue|start|finish)_(\d+)\b")
_ALL_PAIRS_UP_TO = 40


def plain(text: str) -> str:
    """Printable ASCII, fit for a comment and for a symbol between bars."""
    return re.sub(r"[^\x20-\x7e]|[|\\]", "?", text)


@dataclass
class _Text:
    """A query in the making."""

    lines: list[str] = field(default_factory=list[str])
    _names: dict[str, int] = field(default_factory=dict[str, int])

    def comment(self, *lines: str) -> None:
        self.lines += [f"; {plain(line)}".rstrip() for line in lines]

    def begin(self, *files: str) -> None:
        self.lines += ["(set-info :smt-lib-version 2.6)", "(set-option :produce-unsat-cores true)"]
        self.lines += ["(set-logic QF_LIA)", definitions(*files)]

    def named(self, term: str, name: str) -> None:
        """An assertion; names that come again are numbered."""
        name = plain(name)
        again = self._names[name] = self._names.get(name, 0) + 1
        self.lines.append(f"(assert (! {term} :named |{name}{f' ({again})' if again > 1 else ''}|))")

    def end(self) -> str:
        return "\n".join([*self.lines, "(check-sat)", ""])


def _all(terms: Sequence[str]) -> str:
    return f"(and true true {' '.join(terms)})"


def _any(terms: Sequence[str]) -> str:
    return f"(or false false {' '.join(terms)})"


def _sum(terms: Sequence[str]) -> str:
    return f"(+ 0 0 {' '.join(terms)})"


def action_label(program: Program, index: int) -> str:
    """Its place, op and engine, and the buffers that it touches."""
    action: Action = program.actions[index]
    touched = dict.fromkeys(program.buffers[access.buffer].name for access in action.accesses)
    return " ".join([f"{action.ordinal} {action.op} on {action.engine}", *touched])


def _about_buffers(text: _Text, program: Program, buffers: Iterable[int]) -> None:
    """Who uses which buffer, as comments."""
    for b in buffers:
        users = [program.actions[i] for i in program.accesses_of[b]]
        used = ", ".join(f"{a.ordinal} {a.op} on {a.engine}" for a in users) or "nobody"
        text.comment(f"{program.buffers[b].name}: used by {used}")


# --- plans -------------------------------------------------------------------------------------------------


def plan_text(conflicts: Conflicts, plan: Slots) -> str:
    """Does the plan break a definition of its policy (sharing.smt2)? In a model, `breaks_i` says where."""
    program, facts, text = conflicts.program, Facts(conflicts), _Text()
    text.comment(
        f"@{program.name}: does this plan break a rule of the policy {conflicts.policy} (types: {conflicts.types})?",
        "unsat: it keeps all of them. sat: the breaks_... that are true say where it does not.",
    )
    _about_buffers(text, program, conflicts.items)
    text.begin("sharing", "slots_pairwise")
    text.lines += facts.of(conflicts.items)
    slot_of = plan.slot_of()
    text.lines += [f"(define-fun slot_{b} () Int {slot_of[b]})" for b in conflicts.items]
    for slot in range(len(plan.members)):
        text.lines.append(f"(define-fun room_{slot} () Int {plan.size_bytes(slot, program) or 1})")
    broken: list[str] = []
    for term, name in _conditions(text, facts, plan):
        broken.append(f"breaks_{len(broken)}")
        text.lines.append(f"(declare-const {broken[-1]} Bool)")
        text.named(f"(=> {broken[-1]} (not {term}))", name)
    text.named(_any(broken), "some rule is broken")
    return text.end()


def misplaced(conflicts: Conflicts, plan: Slots) -> str | None:
    """Does the plan put each allocation into one slot, and nothing else into any? If not, what is wrong."""
    placed = [b for members in plan.members for b in members]
    if sorted(placed) == sorted(conflicts.items) and all(plan.members):
        return None
    return "the plan does not put each allocation into exactly one slot (`smtalloc check` says more)"


def _conditions(text: _Text, facts: Facts, plan: Slots) -> Iterator[tuple[str, str]]:
    """What must hold, and of which buffers it speaks. In large slots, each member with the run of those before it."""
    names = [buffer.name for buffer in facts.program.buffers]
    rules = facts.rules()
    for slot, members in enumerate(plan.members):
        for b in members:
            yield f"(fits true size_{b} room_{slot})", f"{names[b]} fits slot {slot}"
        if len(members) <= _ALL_PAIRS_UP_TO:
            for a, b in combinations(members, 2):
                together = f"(co_located slot_{a} slot_{b})"
                terms = [facts.apply(rule, together, str(a), str(b)) for rule in rules]
                yield _all(terms), f"{names[a]} and {names[b]} in slot {slot}"
            continue
        ordered = facts.in_order(members)
        merged, claims = run_conditions(facts, slot, ordered)
        text.lines += merged
        for step, b in enumerate(ordered[1:]):
            terms = claims[step * len(rules) : (step + 1) * len(rules)]
            yield _all(terms), f"{names[b]} and the {step + 1} before it in slot {slot}"


# --- bounds ------------------------------------------------------------------------------------------------


def bound_text(conflicts: Conflicts, certificate: Certificate) -> str:
    """Is there a plan that costs less than the certificate's bound? One that does costs less in some part."""
    program, facts, text = conflicts.program, Facts(conflicts), _Text()
    text.comment(
        f"@{program.name}: does some plan cost less than {certificate.bound_bytes} bytes (and {certificate.bound_slots}"
        " slots of run-time size)?",
        f"Policy {conflicts.policy}, types: {conflicts.types}. unsat: no plan does.",
        "No slot holds buffers of two parts, so a cheaper plan is cheaper in some part. (That buffers of different",
        "parts never may share is checked by `smtalloc check`, and not asked here.)",
    )
    cliques = [_cliques(conflicts, part) for part in certificate.parts]
    members = sorted({b for of_part in cliques for _, clique in of_part for b in clique})
    _about_buffers(text, program, members)
    text.begin("sharing", "slots_class", "slots_bound")
    text.lines += facts.of(members)
    _pairs(
        text, facts, {pair for found in cliques for _, clique in found for pair in combinations(sorted(set(clique)), 2)}
    )
    cheaper = [_part(text, conflicts, number, part) for number, part in enumerate(certificate.parts)]
    text.named(_any(cheaper), "some part costs less than its bound")
    return text.end()


def _cliques(conflicts: Conflicts, part: Part) -> list[tuple[int, tuple[int, ...]]]:
    """Thresholds (or exact sizes of slots) and members."""
    return [(c.threshold_bytes, c.buffers) for c in _shown(part).cliques] + _rows(part)


def _shown(part: Part) -> Cliques | Dual:
    return part.evidence.shown if isinstance(part.evidence, SlotRefutation) else part.evidence


def _rows(part: Part) -> list[tuple[int, tuple[int, ...]]]:
    """Exact sizes of slots and members: what has a multiplier, and what a refutation goes by."""
    shown = _shown(part)
    found = [(w.slot_bytes, w.buffers) for w in shown.weights] if isinstance(shown, Dual) else []
    if isinstance(part.evidence, SlotRefutation):
        found += [(row.slot_bytes, row.buffers) for row in part.evidence.rows]
    return list(dict.fromkeys(found))


def _pairs(text: _Text, facts: Facts, pairs: Iterable[tuple[int, int]]) -> None:
    """When the two may be together. That they may not follows from the facts: the solver sees it."""
    names = [buffer.name for buffer in facts.program.buffers]
    for a, b in sorted(pairs):
        together = f"together_{a}_{b}"
        text.lines.append(f"(declare-const {together} Bool)")
        terms = [facts.apply(rule, together, str(a), str(b)) for rule in facts.rules()]
        text.named(_all(terms), f"when {names[a]} and {names[b]} may share")


def _part(text: _Text, conflicts: Conflicts, number: int, part: Part) -> str:
    """The block of one part; returns the constant that says that it is cheaper than its bound."""
    program = conflicts.program
    sizes = {b: size_of(program.buffers[b]) for b in part.buffers}
    widths = sorted(set(sizes.values()), reverse=True)
    unit = gcd(*widths) or 1
    text.comment(f"part {number}: " + ", ".join(program.buffers[b].name for b in part.buffers))
    text.comment(f"sizes: {', '.join(map(str, widths))} " + ("(run-time: counted)" if part.dynamic else "bytes"))
    slots = [f"slots_{number}_{k}" for k in range(len(widths))]
    text.lines += [f"(declare-const {name} Int)" for name in slots]
    for larger, name, width in zip(["0", *slots], slots, widths, strict=False):
        text.named(f"(among {larger} {name})", f"part {number}: slots of {width} or more")
    for place, clique in enumerate(_shown(part).cliques):
        members = tuple(dict.fromkeys(clique.buffers))
        level = next((k for k, w in enumerate(widths) if part.dynamic or w <= clique.threshold_bytes), None)
        if level is not None and members and sizes.keys() >= set(members):
            large = [f"(large size_{b} {widths[level]})" for b in members]
            apart = _apart(text, f"apart_{number}_{place}", members, large)
            told = f"part {number}: slots of {widths[level]} or more, for {_names(program, members)}"
            text.named(f"(a_slot_each {apart} {len(members)} {slots[level]})", told)
    if rows := _rows(part):
        _places(text, program, number, rows, sizes, widths)
    steps = [w - lower for w, lower in zip(widths, [*widths[1:], 0], strict=True)]
    cost = _sum([f"(layer_cost {name} {step // unit})" for name, step in zip(slots, steps, strict=True)])
    cheaper = f"cheaper_{number}"
    text.lines.append(f"(declare-const {cheaper} Bool)  ; in units of {unit}")
    told = f"part {number} costs less than {part.bound}"
    text.named(f"(=> {cheaper} (cheaper {cost} {-(-part.bound // unit)}))", told)
    return cheaper


def _apart(text: _Text, name: str, members: Sequence[int], large: Sequence[str] = ()) -> str:
    terms = [f"(not together_{a}_{b})" for a, b in combinations(sorted(members), 2)]
    text.lines.append(f"(define-fun {name} () Bool {_all([*large, *terms])})")
    return name


def _names(program: Program, buffers: Sequence[int]) -> str:
    return ", ".join(program.buffers[b].name for b in buffers)


def _places(
    text: _Text,
    program: Program,
    number: int,
    rows: Sequence[tuple[int, tuple[int, ...]]],
    sizes: dict[int, int],
    widths: Sequence[int],
) -> None:
    """The integer program that is refuted (multipliers refute its linear program): where each buffer lives, and the
    cliques that need slots there."""
    places = {b: [k for k, w in enumerate(widths) if w >= size] for b, size in sizes.items()}
    for b, levels in places.items():
        for k in levels:
            text.lines.append(f"(declare-const x_{b}_{k} Int)")
            text.named(f"(zero_or_one x_{b}_{k})", f"{program.buffers[b].name} in {widths[k]} bytes or not")
        found = _sum([f"x_{b}_{k}" for k in levels])
        text.named(f"(lives_once {found})", f"{program.buffers[b].name} lives somewhere")
    for place, (slot_bytes, clique) in enumerate(rows):
        members = tuple(dict.fromkeys(clique))
        k = next((k for k, w in enumerate(widths) if w == slot_bytes), None)
        if k is None or any(k not in places.get(b, ()) for b in members):
            continue  # no evidence, and `check` says so
        apart = _apart(text, f"apart_{number}_w{place}", members)
        living = _sum([f"x_{b}_{k}" for b in members])
        slots = f"(of_this_size slots_{number}_{k} {f'slots_{number}_{k - 1}' if k else '0'})"
        told = f"part {number}: slots of {widths[k]} exactly, for {_names(program, members)}"
        text.named(f"(a_slot_each {apart} {living} {slots})", told)


# --- verdicts ----------------------------------------------------------------------------------------------


def verdict_text(found: Correspondence) -> str:
    """Is sharing in AFTER safe? By the rule of docs/model.md, "Verifying a pass": buffers in common bytes are ordered,
    or else no schedule lets a write of the one land between a write of the other and the read that should see it."""
    text = _Text()
    text.comment(
        f"@{found.before.name}: do its buffers, where AFTER puts them, get into each other's way in some schedule?",
        "unsat: never. sat: the constants below that are true say which, and the times are such a schedule:",
        "  unordered_...  an access of the buffer that should come first is not over when one of the other begins,",
        "  clash_...      a write lands between a write of another buffer and the read that should see that.",
        "(Sizes, alignment, memory spaces and frees are judged by `smtalloc verify`, and not asked here.)",
    )
    return _schedules(text, found, ())


def races_text(found: Correspondence) -> str:
    """One module alone: the same of its pools' views, and accesses of one buffer that may run in either order."""
    text = _Text()
    text.comment(
        f"@{found.before.name}: may an access begin before an earlier one of the same bytes is over (one writes), or",
        "do buffers in the views of a pool get into each other's way in some schedule?",
        "unsat: never. sat: the constants below that are true say which, and the times are such a schedule.",
    )
    return _schedules(text, found, list(conflicting(found.before)))


def _schedules(text: _Text, found: Correspondence, races: Sequence[Race]) -> str:
    """The axioms of order.smt2, and what must not happen in a schedule that keeps them."""
    program = _with_return(found.before)
    for index in range(len(program.actions)):
        text.comment(f"action {index}: {action_label(program, index)}")
    text.begin("order")
    for line in schedule_axioms(program):
        if line.startswith("(assert "):
            term = line.removeprefix("(assert ").removesuffix(")")
            text.named(term, _axiom_name(program, term))
        else:
            text.lines.append(line)
    possible: list[str] = []
    for kind, term, name in (*_race_claims(program, races), *_sharing_claims(program, found)):
        possible.append(f"{kind}_{len(possible)}")
        text.lines.append(f"(declare-const {possible[-1]} Bool)")
        text.named(f"(=> {possible[-1]} {term})", name)
    text.named(_any(possible), "something goes wrong")
    return text.end()


def _with_return(program: Program) -> Program:
    """The host leaves the function: then the caller may touch what was returned."""
    end = program.actions[-1].ordinal + 1 if program.actions else 0
    return replace(program, actions=(*program.actions, Action(end, HOST, "return")))


def _late(program: Program, first: int, second: int) -> str:
    return f"(not (over_before {finished(program, first)} {started(program, second)}))"


def _race_claims(program: Program, races: Sequence[Race]) -> Iterator[tuple[str, str, str]]:
    for race in races:
        one, other = action_label(program, race.first), action_label(program, race.second)
        name = program.buffers[race.accesses[0].buffer].name
        yield "race", _late(program, race.first, race.second), f"{name}: {other} begins before {one} is over"


def _sharing_claims(program: Program, found: Correspondence) -> Iterator[tuple[str, str, str]]:
    """Kind, term and name of what must not happen, for each two buffers with a byte in common."""
    order = Order(found.before)
    open_pairs: set[frozenset[int]] = set()
    same = same_accesses(found)
    for memory, (a, b) in ((memory, pair) for memory, pairs in together(found, order) for pair in pairs):
        first, second = (b, a) if order.before(b, a) else (a, b)
        names = program.buffers[first].name, program.buffers[second].name
        where = found.after.buffers[memory].name
        if order.before(first, second):
            earlier, later = found.before.accesses_of[first], found.before.accesses_of[second]
            if not later and program.buffers[second].live_out:
                later = (len(program.actions) - 1,)
            terms = [_late(program, x, y) for x in earlier for y in later]
            yield "unordered", _any(terms), f"{names[0]} is not over before {names[1]} in {where}"
        elif same:
            open_pairs.add(frozenset((first, second)))
        else:
            yield (
                "unordered",
                "true",
                f"{names[0]} and {names[1]} in {where}: not ordered, and accesses do not correspond",
            )
    if same and (open_pairs or found.moved):
        for clash in candidates(found):
            if found.moved or frozenset((clash.read.buffer, clash.written.buffer)) in open_pairs:
                over, under = (program.buffers[x.buffer].name for x in (clash.written, clash.read))
                told = f"{over} over {under}: {action_label(program, clash.clobber)}"
                yield "clash", _all(between(program, clash)), told


def _axiom_name(program: Program, term: str) -> str:
    """`in_order_queue: finish 3 ..., start 5 ...`, with the ops and their buffers."""
    events = (f"{m[1]} {action_label(program, int(m[2]))}" for m in _EVENT.finditer(term))
    return f"{term[1:].split(' ', 1)[0]}: {' then '.join(events)}"
