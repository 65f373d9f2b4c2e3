"""Random programs and plans for the two checkers, good ones and mutants, from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from smtalloc.check import ClaimedSlot
from smtalloc.check_rules import Rules
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program


@dataclass(frozen=True)
class Claim:
    """A slot plan, and what is said of its slots."""

    members: tuple[tuple[int, ...], ...]
    said: tuple[ClaimedSlot, ...]


def program(random: Random, most_buffers: int = 8, most_actions: int = 9) -> Program:
    """Host and queues, waits, partial accesses, ops on several engines, everything that a buffer can be."""
    buffers = tuple(_buffer(random, b) for b in range(random.randint(1, most_buffers)))
    queues = random.choice([("q",), ("q",), ("q", "r"), ("q", "r", "s")])
    actions: list[Action] = []
    ordinal = 0
    for _ in range(random.randint(0, most_actions)):
        ordinal += random.choice([0, 1, 1, 1, 1, 2])  # 0: one op on several engines; 2: a gap
        engine = random.choice([HOST, HOST, *queues, *queues, *queues])
        touched = [_access(random, buffers, b) for b in random.sample(range(len(buffers)), min(len(buffers), 2))]
        cut = random.randint(0, len(touched))
        both = touched[:1] if random.random() < 0.2 else []  # reads and writes one buffer
        waits = tuple(random.sample(queues, random.choice([0, 1, 1, len(queues)]))) if engine == HOST else ()
        actions.append(Action(ordinal, engine, "op", tuple(touched[:cut] + both), tuple(touched[cut:] + both), waits))
    return Program("f", buffers, tuple(actions))


def _buffer(random: Random, index: int) -> Buffer:
    size = random.choice([0, 1, 2, 3, 8, 8, 64, None])
    return Buffer(
        f"%{index}",
        size,
        alignment=random.choice([1, 1, 2, 4, 8]),
        space=random.choice(["", "", "", "", "1"]),
        size_key=random.choice(["m", "m", "n", ""]) if size is None else "",
        external=random.random() < 0.1,
        live_out=random.random() < 0.15,
        pinned=random.choice(["", "", "", "", "", "", "asked for"]),
    )


def _access(random: Random, buffers: tuple[Buffer, ...], b: int) -> Access:
    size = buffers[b].size_bytes
    if size is None or random.random() < 0.5:
        return Access(b)
    lo = random.randint(0, size)
    return Access(b, lo, random.randint(lo, size), may=random.random() < 0.3)


def unaligned(program: Program) -> Program:
    """The same with one alignment all over, so that nothing but the order matters."""
    return replace(program, buffers=tuple(replace(b, alignment=1) for b in program.buffers))


# --- plans -------------------------------------------------------------------------------------------------


def first_fit(random: Random, program: Program) -> Claim:
    """A plan that keeps the rules, by check_rules.py; buffers in random order."""
    rules = Rules(program, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    slots: list[list[int]] = []
    order = [b for b, buffer in enumerate(program.buffers) if not buffer.external]
    random.shuffle(order)
    for b in order:
        fitting = [slot for slot in slots if all(rules.may_share(a, b) for a in slot)]
        if fitting and random.random() < 0.9:
            random.choice(fitting).append(b)
        else:
            slots.append([b])
    return honest(program, tuple(map(tuple, slots)))


def any_partition(random: Random, program: Program) -> Claim:
    """Buffers thrown into slots."""
    slots: list[list[int]] = [[] for _ in program.buffers]
    for b, buffer in enumerate(program.buffers):
        if not buffer.external:
            slots[random.randrange(min(len(slots), random.choice([1, 2, 9])))].append(b)
    return honest(program, tuple(tuple(members) for members in slots if members))


def honest(program: Program, members: tuple[tuple[int, ...], ...]) -> Claim:
    """What a planner that can count says of these slots."""
    said: list[ClaimedSlot] = []
    for of in members:
        buffers = [program.buffers[b] for b in of if b < len(program.buffers)] or [Buffer("none", 0)]
        sizes = [b.size_bytes for b in buffers]
        known = [size for size in sizes if size is not None]
        size = None if None in sizes else max(known)
        said.append(ClaimedSlot(size, max(b.alignment for b in buffers), buffers[0].space))
    return Claim(members, tuple(said))


def mutants(random: Random, program: Program, claim: Claim) -> Iterator[Claim]:
    """Other claims. They need not be wrong."""
    yield _merged(random, program, claim)
    yield _moved(random, program, claim)
    yield _doubled(random, program, claim)
    yield _dropped(random, program, claim)
    if claim.said:
        n = random.randrange(len(claim.said))
        said = claim.said[n]
        size = 8 if said.size_bytes is None else max(0, said.size_bytes + random.choice([-1, 1, -8, 8]))
        for other in (
            replace(said, size_bytes=random.choice([size, size, None])),
            replace(said, alignment=random.choice([0, 1, 2, 3, 6, 8, 16, said.alignment // 2])),
            replace(said, space=random.choice(["", "1", "2"])),
        ):
            yield replace(claim, said=(*claim.said[:n], other, *claim.said[n + 1 :]))


def _merged(random: Random, program: Program, claim: Claim) -> Claim:
    slots = list(claim.members)
    random.shuffle(slots)
    return honest(program, (slots[0] + slots[1], *slots[2:])) if len(slots) > 1 else claim


def _moved(random: Random, program: Program, claim: Claim) -> Claim:
    slots = [list(members) for members in claim.members]
    if len(slots) < 2:
        return claim
    source, target = random.sample(slots, 2)
    target.append(source.pop(random.randrange(len(source))))
    return honest(program, tuple(tuple(members) for members in slots if members))


def _doubled(random: Random, program: Program, claim: Claim) -> Claim:
    """A buffer again, perhaps an external one, perhaps one that does not exist; or an empty slot."""
    b = random.randint(0, len(program.buffers))
    if not claim.members or random.random() < 0.3:
        more = (b,) if random.random() < 0.7 else ()
        return Claim((*claim.members, more), (*claim.said, honest(program, (more,)).said[0]))
    n = random.randrange(len(claim.members))
    return replace(claim, members=(*claim.members[:n], (*claim.members[n], b), *claim.members[n + 1 :]))


def _dropped(random: Random, program: Program, claim: Claim) -> Claim:
    if not claim.members:
        return claim
    n = random.randrange(len(claim.members))
    left = claim.members[n][1:]
    slots = (*claim.members[:n], *((left,) if left else ()), *claim.members[n + 1 :])
    return honest(program, slots)
