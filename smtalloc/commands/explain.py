"""`smtalloc explain`: why two buffers may, or may not, share."""

from __future__ import annotations

from dataclasses import dataclass

from smtalloc.commands.common import Exit, write_output
from smtalloc.dimensions import Given
from smtalloc.formats import answer, dump_json
from smtalloc.mlir.session import load
from smtalloc.order import Order, conflicts, holds, program_order_lives
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import Buffer, InputError, Location, Program


@dataclass(frozen=True, slots=True)
class Explanation:
    """Per policy, whether the two may share; and the facts that decide it."""

    program: Program
    first: int
    second: int
    allowed: dict[Policy, bool]
    facts: tuple[str, ...]


def run(
    path: str, first: str, second: str, *, function: str | None, profile: str | None, types: TypeRule, as_json: bool
) -> Exit:
    """0 if they may share under the default policy (host-exclusive), 1 if not."""
    found = _find(path, first, second, function, profile)
    result = explain(*found, types)
    if as_json:
        write_output(dump_json(answer([_json(result)])) + "\n", None)
    else:
        write_output(_text(result), None)
    return Exit.OK if result.allowed[Policy.HOST_EXCLUSIVE] else Exit.BAD


def _find(path: str, first: str, second: str, function: str | None, profile: str | None) -> tuple[Program, int, int]:
    names = ["%" + name.removeprefix("%") for name in (first, second)]
    programs = [p for p in load(path, profile).programs if function in (None, p.name, f"@{p.name}")]
    programs = [p for p in programs if function or all(any(b.name == n for b in p.buffers) for n in names)] or programs
    if not programs:
        raise InputError(f"no function {function or 'with a body'}", Location(path))
    index = {buffer.name: b for b, buffer in enumerate(programs[0].buffers)}
    for name in names:
        if name not in index:
            raise InputError(
                f"@{programs[0].name} has no buffer {name} (views go by the buffer they view)", Location(path)
            )
    if names[0] == names[1]:
        raise InputError(f"{names[0]} twice: name two buffers", Location(path))
    return programs[0], index[names[0]], index[names[1]]


def explain(program: Program, first: int, second: int, types: TypeRule) -> Explanation:
    """The policies' answers and why."""
    program = Given().applied(program)
    buffers = program.buffers
    allowed: dict[Policy, bool] = {}
    for policy in Policy:
        relation = conflicts(program, policy, types)
        position = {b: i for i, b in enumerate(relation.items)}
        both = first in position and second in position
        allowed[policy] = both and relation.may_share(position[first], position[second])
    facts = [fact for b in (first, second) for fact in _own_facts(program, b)]
    a, b = buffers[first], buffers[second]
    if a.space != b.space:
        facts.append(f"memory spaces differ: '{a.space}' and '{b.space}'")
    if types is TypeRule.STRICT and a.element_type != b.element_type:
        facts.append(f"element types differ: {a.element_type} and {b.element_type}")
    if a.size is not None or b.size is not None:
        facts.append(_size_fact(program, first, second))
    elif (a.size_bytes is None or b.size_bytes is None) and a.size_key != b.size_key:
        facts.append("sizes known only at run time, and not by the same type and size operands")
    facts.append(_order_fact(program, first, second))
    return Explanation(program, first, second, allowed, tuple(facts))


def _size_fact(program: Program, first: int, second: int) -> str:
    """Which of two sizes that depend on dimensions is enough for both."""
    for holder, other in ((first, second), (second, first)):
        if holds(program, holder, other):
            large, small = program.buffers[holder], program.buffers[other]
            return f"{large.name} ({large.exact_size} bytes) is never smaller than {small.name} ({small.exact_size})"
    one, two = program.buffers[first], program.buffers[second]
    sizes = [b.exact_size if b.exact_size is not None else "a size that is not known" for b in (one, two)]
    return f"neither {one.name} ({sizes[0]} bytes) nor {two.name} ({sizes[1]}) is known to be large enough for both"


def _own_facts(program: Program, index: int) -> list[str]:
    buffer: Buffer = program.buffers[index]
    name = buffer.name
    facts: list[str] = []
    if buffer.external:
        facts.append(f"{name} is not allocated here: it is never moved")
    elif buffer.pinned:
        facts.append(f"{name} stays alone: it {buffer.pinned}")
    if buffer.live_out:
        facts.append(f"{name} is in use after the function returns")
    hosts = [program.actions[a] for a in program.accesses_of[index] if program.actions[a].on_host]
    if hosts:
        facts.append(f"{name} is host-accessed: {hosts[0].op} at {hosts[0].location}")
    first, last = program_order_lives(program)[index]
    used = [program.actions[a] for a in program.accesses_of[index]]
    if used:
        end = "the end" if last > used[-1].ordinal else f"{used[-1].op} at {used[-1].location}"
        facts.append(f"{name} lives from {used[0].op} at {used[0].location} to {end}")
    elif first < 0:
        facts.append(f"{name} is never accessed")
    return facts


def _order_fact(program: Program, first: int, second: int) -> str:
    order = Order(program)
    names = [program.buffers[b].name for b in (first, second)]
    if order.before(first, second):
        return f"every access of {names[0]} happens before every access of {names[1]}"
    if order.before(second, first):
        return f"every access of {names[1]} happens before every access of {names[0]}"
    for a in program.accesses_of[first]:
        for b in program.accesses_of[second]:
            if a != b and not order.hb(a, b) and not order.hb(b, a):
                one, other = program.actions[a], program.actions[b]
                return (
                    f"not ordered: {one.op} at {one.location} ({one.engine}) on {names[0]} and {other.op} at "
                    f"{other.location} ({other.engine}) on {names[1]} may run in either order"
                )
    return f"the lives of {names[0]} and {names[1]} overlap"


def _json(found: Explanation) -> dict[str, object]:
    names = [found.program.buffers[b].name for b in (found.first, found.second)]
    return {
        "name": found.program.name,
        "verdict": "safe" if found.allowed[Policy.HOST_EXCLUSIVE] else "unsafe",
        "buffers": names,
        "may_share": {str(policy): yes for policy, yes in found.allowed.items()},
        "reason": list(found.facts),
    }


def _text(found: Explanation) -> str:
    names = [found.program.buffers[b].name for b in (found.first, found.second)]
    lines = [f"@{found.program.name}: may {names[0]} and {names[1]} share?"]
    lines += [f"  {policy!s:<16} {'yes' if yes else 'no'}" for policy, yes in found.allowed.items()]
    lines += [f"  {fact}" for fact in found.facts]
    return "\n".join(lines) + "\n"
