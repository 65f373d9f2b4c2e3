"""The independent checker: is this plan right, and does its certificate prove what it says?

Nothing in check.py, check_rules.py (who may share) and check_certificate.py (what is proven) is shared with what makes
plans: only the types of program.py and plan.py are imported.

A plan has to satisfy happens-before under *every* policy; where it does not, the rejection is "unsafe".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from smtalloc.check_certificate import certificate_flaws, number
from smtalloc.check_rules import Rules
from smtalloc.check_sizes import SizeChecker, size_of, value_at
from smtalloc.plan import Certificate, Feasible, Optimal, Policy, Slots, TypeRule
from smtalloc.program import HOST, Action, Buffer, Program

Kind = Literal["structure", "unsafe", "policy", "cost", "certificate"]
"""What is wrong, most serious first. `unsafe`: some schedule lets two buffers in one slot clash."""

_KINDS: tuple[Kind, ...] = ("structure", "unsafe", "policy", "cost", "certificate")


@dataclass(frozen=True, slots=True)
class ClaimedSlot:
    """What a written plan says about a slot; `size_bytes` is None where it is known only at run time."""

    size_bytes: int | None
    alignment: int
    space: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """The plan is wrong, or claims what its certificate does not show.

    `more` holds what else is wrong, so that "unsafe, but otherwise as it says" can be told from "wrong altogether".
    """

    kind: Kind
    reason: str
    buffers: tuple[int, ...] = ()
    slot: int | None = None
    more: tuple[Rejection, ...] = ()

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({self.kind, *(other.kind for other in self.more)})


@dataclass(frozen=True, slots=True)
class Accepted:
    """The plan is right, and nothing that may replace it costs less than the bounds."""

    cost_bytes: int
    lower_bound_bytes: int
    dynamic_slots: int
    dynamic_slots_lower_bound: int

    @property
    def optimal(self) -> bool:
        return self.cost_bytes == self.lower_bound_bytes and self.dynamic_slots == self.dynamic_slots_lower_bound


def check_plan(
    program: Program,
    plan: Slots,
    *,
    policy: Policy,
    types: TypeRule,
    certificate: Certificate | None,
    claims_optimal: bool,
    claimed_cost_bytes: int | None = None,
    claimed_slots: Sequence[ClaimedSlot] | None = None,
    claimed_lower_bound_bytes: int | None = None,
    claimed_dynamic_slots: int | None = None,
    claimed_dynamic_slots_lower_bound: int | None = None,
) -> Accepted | Rejection:
    """Judge a slot plan. What is not claimed (None) is not compared; everything else is recomputed."""
    misplaced = list(_misplaced(program, plan))
    if misplaced:  # nothing else means anything then
        return _rejection(misplaced)
    rules = Rules(program, policy, types)
    sizes = [_slot_size(program, members) for members in plan.members]
    cost, dynamic = sum(size or 0 for size in sizes), sizes.count(None)
    bound, dynamic_bound = (certificate.bound_bytes, certificate.bound_slots) if certificate else (0, 0)
    answer = Accepted(cost, bound, dynamic, dynamic_bound)

    flaws = [flaw for slot, members in enumerate(plan.members) for flaw in _mixed(rules, slot, members)]
    flaws += [*_unbound(program), *_outgrown(program, plan)]
    flaws += _slot_claims(program, plan, sizes, claimed_slots)
    flaws += [flaw for slot, members in enumerate(plan.members) for flaw in _clashes(rules, slot, members)]
    flaws += _number_claims(
        ("cost", "cost_bytes", claimed_cost_bytes, cost),
        ("cost", "dynamic_slots", claimed_dynamic_slots, dynamic),
        ("certificate", "lower_bound_bytes", claimed_lower_bound_bytes, bound),
        ("certificate", "dynamic_slots_lower_bound", claimed_dynamic_slots_lower_bound, dynamic_bound),
    )
    if certificate:
        flaws += [Rejection("certificate", reason) for reason in certificate_flaws(rules, certificate)]
    # cannot happen while docs/certificates.md is right; if it does, this is where it shows
    if not flaws and (cost < bound or dynamic < dynamic_bound):
        flaws.append(Rejection("certificate", "the certificate shows that more is needed than this valid plan takes"))
    if claims_optimal and not answer.optimal:
        flaws.append(Rejection("certificate", _gap(answer)))
    return _rejection(flaws) if flaws else answer


def check_verdict(
    program: Program, verdict: Optimal | Feasible, *, policy: Policy, types: TypeRule
) -> Accepted | Rejection:
    """Judge what a planner answered, before it is printed."""
    return check_plan(
        program,
        verdict.plan,
        policy=policy,
        types=types,
        certificate=verdict.certificate,
        claims_optimal=isinstance(verdict, Optimal),
    )


def _rejection(flaws: list[Rejection]) -> Rejection:
    """One value for all that is wrong, the most serious first."""
    first, *more = sorted(flaws, key=lambda flaw: _KINDS.index(flaw.kind))
    return replace(first, more=tuple(more))


def _gap(answer: Accepted) -> str:
    if answer.cost_bytes != answer.lower_bound_bytes:
        cost, bound = number(answer.cost_bytes), number(answer.lower_bound_bytes)
        return f"called optimal, but it costs {cost} bytes and the certificate shows only that {bound} are needed"
    return (
        f"called optimal, but it has {answer.dynamic_slots} slots of run-time size and the certificate shows only that "
        f"{answer.dynamic_slots_lower_bound} are needed"
    )


# --- structure ---------------------------------------------------------------------------------------------


def _misplaced(program: Program, plan: Slots) -> Iterator[Rejection]:
    """Every allocation in exactly one slot, external buffers in none."""
    seen: dict[int, int] = {}
    for slot, members in enumerate(plan.members):
        if not members:
            yield Rejection("structure", f"slot {slot} has no members", slot=slot)
        for b in members:
            if not 0 <= b < len(program.buffers):
                yield Rejection("structure", f"slot {slot} has a buffer {b} that does not exist", slot=slot)
                continue
            name = program.buffers[b].name
            if b in seen:
                reason = f"{name} is in slot {seen[b]} and again in slot {slot}"
                yield Rejection("structure", reason, (b,), slot)
            elif program.buffers[b].external:
                yield Rejection("structure", f"{name} is not allocated here, but is in slot {slot}", (b,), slot)
            seen.setdefault(b, slot)
    for b, buffer in enumerate(program.buffers):
        if not buffer.external and b not in seen:
            yield Rejection("structure", f"{buffer.name} is in no slot", (b,))


def _slot_size(program: Program, members: tuple[int, ...]) -> int | None:
    """The largest member; None where any is known only at run time."""
    largest = 0
    for b in members:
        size = program.buffers[b].size_bytes
        if size is None:
            return None
        largest = max(largest, size)
    return largest


def _mixed(rules: Rules, slot: int, members: tuple[int, ...]) -> Iterator[Rejection]:
    """Spaces, types, run-time sizes and pinned buffers: each member against the first is enough."""
    first = members[0]
    for b in members[1:]:
        reason = rules.unlike(first, b)
        if reason:
            yield Rejection("structure", f"slot {slot}: {reason}", (first, b), slot)
            return


def _unbound(program: Program) -> Iterator[Rejection]:
    """Sizes that were counted at values of the dimensions: the values are possible, and the sizes are those."""
    binding, reach = dict(program.binding), {d.name: (d.least, d.most) for d in program.dimensions}
    for name, value in binding.items():
        if name not in reach or not reach[name][0] <= value <= reach[name][1]:
            yield Rejection("structure", f"{name} cannot be {number(value)}")
            return
    for b, buffer in enumerate(program.buffers):
        if buffer.size is not None and value_at(buffer.size, binding) != buffer.size_bytes:
            yield Rejection("structure", f"{buffer.name} does not have the size that is counted", (b,))


def _outgrown(program: Program, plan: Slots) -> Iterator[Rejection]:
    """In each slot one member is at least as large as every other, for all values of the dimensions, and its size is
    known in front of the first of them."""
    checker = SizeChecker(program)
    for slot, members in enumerate(plan.members):
        buffers = [program.buffers[b] for b in members]
        if len(members) < 2 or all(buffer.size is None for buffer in buffers):
            continue
        opened = min(buffer.made_at for buffer in buffers)
        able = [b for b in buffers if b.made_at == opened or b.sized_at <= opened]
        sizes = {size_of(buffer): None for buffer in buffers}
        if None in sizes or not any(
            all(small is not None and large is not None and checker.never_larger(small, large) for small in sizes)
            for large in dict.fromkeys(size_of(b) for b in able)
        ):
            names = ", ".join(buffer.name for buffer in buffers[:6])
            yield Rejection(
                "structure", f"slot {slot}: no size of {names} is shown to be enough for all", members, slot
            )


def _slot_claims(
    program: Program, plan: Slots, sizes: list[int | None], claimed: Sequence[ClaimedSlot] | None
) -> Iterator[Rejection]:
    if claimed is not None and len(claimed) != len(sizes):
        yield Rejection("structure", f"{len(claimed)} slots are described, but {len(sizes)} have members")
        return
    for slot, members in enumerate(plan.members):
        buffers = [program.buffers[b] for b in members]
        if claimed is None:  # then a slot is what its members need
            said = ClaimedSlot(sizes[slot], max(b.alignment for b in buffers), buffers[0].space)
        else:
            said = claimed[slot]
        reason = _wrong_slot(said, sizes[slot], buffers)
        if reason:
            yield Rejection("structure", f"slot {slot} {reason}", members, slot)


def _wrong_slot(said: ClaimedSlot, size: int | None, buffers: list[Buffer]) -> str | None:
    if said.size_bytes != size:
        return _wrong_size(said.size_bytes, size, buffers)
    if said.alignment <= 0 or said.alignment & (said.alignment - 1):
        return f"has alignment {number(said.alignment)}, which is not a power of two"
    for buffer in buffers:
        if buffer.alignment <= 0 or said.alignment % buffer.alignment:
            return f"has alignment {number(said.alignment)}, but {buffer.name} asks for {buffer.alignment}"
        if buffer.space != said.space:
            return f"is in memory space {said.space!r}, but {buffer.name} is in {buffer.space!r}"
    return None


def _wrong_size(said: int | None, size: int | None, buffers: list[Buffer]) -> str:
    if said is None:
        return f"is said to be of run-time size, but it has {number(size or 0)} bytes"
    if size is None:
        return f"is said to have {number(said)} bytes, but its size is known only at run time"
    for buffer in buffers:
        if (buffer.size_bytes or 0) > said:
            return f"has {number(said)} bytes, too few for the {number(buffer.size_bytes or 0)} of {buffer.name}"
    return f"has {number(said)} bytes, more than the {number(size)} of its largest member"


def _number_claims(*claims: tuple[Kind, str, int | None, int]) -> Iterator[Rejection]:
    for kind, name, claimed, actual in claims:
        if claimed is not None and claimed != actual:
            yield Rejection(kind, f"{name} is said to be {number(claimed)}, but it is {number(actual)}")


def _clashes(rules: Rules, slot: int, members: tuple[int, ...]) -> Iterator[Rejection]:
    """The first pair of a slot that is unsafe, and the first that the policy forbids."""
    unsafe = forbidden = False
    for pair in combinations(members, 2):
        if not unsafe and not rules.ordered(*pair):
            unsafe = True
            yield Rejection("unsafe", _unsafe(rules, slot, *pair), pair, slot)
        reason = None if forbidden else rules.forbidden(*pair)
        if reason:
            forbidden = True
            yield Rejection("policy", f"slot {slot}: {reason} ({rules.policy} forbids it)", pair, slot)


def _unsafe(rules: Rules, slot: int, one: int, two: int) -> str:
    """One sentence with two accesses that can meet in the slot."""
    spans = rules.spans
    if (spans[two] or (0, 0)) < (spans[one] or (0, 0)):
        one, two = two, one
    a, b = rules.clash(one, two) or (None, None)
    name, other = rules.buffers[one].name, rules.buffers[two].name
    start = f"unsafe: {name} and {other} share slot {slot}, but "
    if a is None:
        return f"{start}{name} is returned, so it lives to the end of the function"
    use = f"{_told(a)} uses {name}"
    if b is None:
        return f"{start}{use} and nothing waits for it before {other} is returned"
    return f"{start}{use} and {_told(b)} uses {other}, and nothing orders the first before the second"


def _told(action: Action) -> str:
    where = "on the host" if action.engine == HOST else f"on queue {action.engine}"
    at = f" at {action.location}" if action.location and action.location.line else ""
    return f"{action.op} (op {action.ordinal}{at}, {where})"
