"""The theorems depend on nothing, and the checker that is extracted from them answers as check.py and order.py do."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from coq_checker import MISSING, SOURCES, Said, Writer, ask, build, rising
from random_cases import Claim, any_partition, first_fit, honest, mutants, program, unaligned
from support import SHARED, inputs, needs_sat, needs_shared

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.check import Accepted, Rejection, check_plan
from smtalloc.check_rules import Rules
from smtalloc.mlir.session import greedy_plan, load
from smtalloc.order import conflicts
from smtalloc.plan import Certificate, Clique, Cliques, Dual, Part, Policy, SlotRefutation, Slots, TypeRule, Weighted
from smtalloc.program import HOST, Access, Action, Buffer, Program

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (Debian: coq ocaml-nox ocaml-findlib make)"
)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Workers of pytest-xdist have directories of their own beside each other."""
    base = tmp_path_factory.getbasetemp()
    return build((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "coq")


@pytest.fixture(scope="session")
def checker(built: Path) -> Path:
    return built / "checker"


# --- the proofs --------------------------------------------------------------------------------------------


def test_theorems_depend_on_no_axiom(built: Path) -> None:
    said = (built / "theorems.txt").read_text().splitlines()
    asked = (SOURCES / "Theorems.v").read_text().count("Print Assumptions ")
    assert said == ["Closed under the global context"] * asked
    assert asked >= 7


def test_nothing_is_left_open() -> None:
    """`Print Assumptions` would show it too; this says where."""
    for path in SOURCES.glob("*.v"):
        text = path.read_text()
        assert not any(word in text for word in ("Admitted", "admit.", "Axiom", "Parameter", "Conjecture")), path
        assert len(text.splitlines()) < 500, path


# --- slot plans --------------------------------------------------------------------------------------------


def judged(program: Program, claim: Claim) -> Said:
    """What check.py says, of the part that is safety."""
    found = check_plan(
        program,
        Slots(claim.members),
        policy=Policy.HAPPENS_BEFORE,
        types=TypeRule.BYTES,
        certificate=None,
        claims_optimal=False,
        claimed_slots=claim.said,
    )
    return Said(True, found.cost_bytes) if isinstance(found, Accepted) else Said(False)


@pytest.mark.parametrize("seed", range(4))
def test_slot_plans_are_judged_alike(checker: Path, seed: int) -> None:
    random = Random(seed)
    writer, cases = Writer(), list[tuple[Program, Claim]]()
    for _ in range(150):
        subject = program(random)
        writer.program(subject)
        good = first_fit(random, subject)
        claims = [good, any_partition(random, subject), *mutants(random, subject, good)]
        for claim in claims:
            cases.append((subject, claim))
            writer.slots(claim.members, claim.said)
    seen: Counter[bool] = Counter()
    for (subject, claim), answer in zip(cases, ask(checker, writer.text), strict=True):
        assert answer == judged(subject, claim), (subject, claim)
        seen[answer.accepted] += 1
    assert min(seen.values()) > 200, seen


def test_pairs_are_ordered_as_order_py_orders_them(checker: Path) -> None:
    """Each pair of allocations in one slot, all others alone: accepted iff the planner would let them share."""
    random = Random(0)
    writer, expected = Writer(), list[tuple[Program, tuple[int, int], bool]]()
    while len(expected) < 4000:
        subject = unaligned(program(random, 6))
        if len({(a.ordinal, a.engine) for a in subject.actions}) < len(subject.actions):
            continue  # order.py takes for granted that no op gives two actions on one engine
        problem = conflicts(subject, Policy.HAPPENS_BEFORE)
        writer.program(subject)
        for i, j in combinations(range(len(problem.items)), 2):
            pair = problem.items[i], problem.items[j]
            claim = honest(subject, (pair, *((b,) for b in problem.items if b not in pair)))
            writer.slots(claim.members, claim.said)
            expected.append((subject, pair, problem.may_share(i, j)))
    answers = ask(checker, writer.text)
    for (subject, pair, shares), answer in zip(expected, answers, strict=True):
        assert answer.accepted == shares, (subject, pair)
    assert min(Counter(answer.accepted for answer in answers).values()) > 500


def without_dimensions(program: Program) -> Program:
    """Sizes that depend on dimensions are compared by keys alone: that is all the extracted checker knows."""
    return replace(
        program, buffers=tuple(replace(b, size=None) if b.size_bytes is None else b for b in program.buffers)
    )


@needs_shared
def test_real_programs_are_judged_alike(checker: Path) -> None:
    """Every golden and real input: the minimum plan, and the greedy pass's (some of them racy)."""
    writer, cases = Writer(), list[tuple[Program, Claim]]()
    for path in inputs():
        source = load(str(path), None if path.is_relative_to(SHARED / "golden") else "linalg-device")
        for index, whole in enumerate(source.programs):
            subject = without_dimensions(whole)
            planned = plan_slots(conflicts(subject, Policy.HAPPENS_BEFORE), SolveOptions(time_limit_s=1)).plan
            writer.program(subject)
            for plan in (planned, greedy_plan(source, index)):
                claim = honest(subject, plan.members)
                writer.slots(claim.members, claim.said)
                cases.append((subject, claim))
    answers = ask(checker, writer.text)
    for (subject, claim), answer in zip(cases, answers, strict=True):
        assert answer == judged(subject, claim), subject.name
    assert sum(not answer.accepted for answer in answers) >= 3
    assert all(answer.accepted for answer in answers[::2])


# --- bounds ------------------------------------------------------------------------------------------------


def test_clique_bounds_are_those_of_the_certificate(checker: Path) -> None:
    random = Random(1)
    writer, expected = Writer(), list[tuple[Program, int, int | None]]()
    while len(expected) < 300:
        subject = program(random)
        verdict = plan_slots(conflicts(subject, Policy.HAPPENS_BEFORE))
        parts = [part for part in verdict.certificate.parts if not part.dynamic]
        evidence = [part.evidence for part in parts if isinstance(part.evidence, Cliques)]
        if len(evidence) < len(parts):
            continue
        cliques = rising(evidence)
        bound = sum(part.bound for part in parts)
        claim = honest(subject, verdict.plan.members)
        writer.program(subject)
        writer.slots(claim.members, claim.said, cliques)
        expected.append((subject, verdict.plan.cost_bytes(subject), bound if cliques else None))
        wrong = _wrong(random, subject, cliques)
        if wrong:
            writer.slots(claim.members, claim.said, wrong)
            expected.append((subject, verdict.plan.cost_bytes(subject), None))
    answers = ask(checker, writer.text)
    for (subject, cost, bound), answer in zip(expected, answers, strict=True):
        assert answer == Said(True, cost, bound), subject
    assert sum(answer.bound is not None for answer in answers) > 100
    assert sum(answer.bound is None for answer in answers) > 80


def _wrong(random: Random, subject: Program, cliques: list[Clique]) -> list[Clique]:
    """A clique with a member that shares with another, or is too small, or twice."""
    known = [clique for clique in cliques if clique.buffers]
    if not known:
        return []
    rules = Rules(subject, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    clique = random.choice(known)
    more = [clique.buffers[0]]
    for b, buffer in enumerate(subject.buffers):
        small = (buffer.size_bytes or 0) < clique.threshold_bytes or buffer.size_bytes is None
        if buffer.external or small or any(a != b and rules.may_share(a, b) for a in clique.buffers):
            more.append(b)
    worse = Clique(clique.threshold_bytes, (*clique.buffers, random.choice(more)))
    return [worse if other is clique else other for other in cliques]


def believed(subject: Program, claim: Claim, parts: tuple[Part, ...]) -> Said:
    """What check.py says of a plan with evidence."""
    found = check_plan(
        subject,
        Slots(claim.members),
        policy=Policy.HAPPENS_BEFORE,
        types=TypeRule.BYTES,
        certificate=Certificate(parts),
        claims_optimal=False,
    )
    bad = isinstance(found, Rejection)
    assert not bad or found.kinds == {"certificate"}
    return Said(True, claim_cost(subject, claim), None if bad else sum(part.bound for part in parts))


def claim_cost(subject: Program, claim: Claim) -> int:
    return Slots(claim.members).cost_bytes(subject)


def test_certificates_are_judged_alike(checker: Path) -> None:
    """Cliques and multipliers at random, some of them wrong, with bounds at the border of what they show."""
    random = Random(3)
    writer, expected = Writer(), list[tuple[Program, tuple[Part, ...], Said]]()
    while len(expected) < 2500:
        subject = known_sizes(program(random))
        verdict = plan_slots(conflicts(subject, Policy.HAPPENS_BEFORE), SolveOptions(refute=False))
        claim = honest(subject, verdict.plan.members)
        writer.program(subject)
        for _ in range(8 if verdict.certificate.parts else 0):
            parts = tuple(wild(random, subject, part) for part in verdict.certificate.parts)
            for shift in (-1, 0, 1, 2, random.choice([3, 8])):
                shifted = tuple(replace(part, bound=max(0, part.bound + shift)) for part in parts)
                expected.append((subject, shifted, believed(subject, claim, shifted)))
                writer.slots(claim.members, claim.said, parts=shifted)
    answers = ask(checker, writer.text)
    for (subject, parts, answer), found in zip(expected, answers, strict=True):
        assert found == answer, (subject, parts)
    seen = Counter((answer.bound is not None, bool(weights_of(parts))) for _, parts, answer in expected)
    assert len(seen) == 4 and min(seen.values()) > 100, seen


@needs_sat
def test_what_is_refuted_is_not_shown(checker: Path) -> None:
    """It takes no refutation for a proof, and accepts what cliques show: 5 bytes, where 6 are needed."""
    buffers = tuple(Buffer(f"%{b}", size) for b, size in enumerate((2, 1, 1, 4)))
    used = enumerate(((2, 3), (1, 2), (0, 1)))
    subject = Program("f", buffers, tuple(Action(t, "q", "op", writes=tuple(map(Access, pair))) for t, pair in used))
    verdict = plan_slots(conflicts(subject, Policy.HAPPENS_BEFORE), SolveOptions(lp=False))
    (part,) = verdict.certificate.parts
    assert isinstance(part.evidence, SlotRefutation)
    claim, writer = honest(subject, verdict.plan.members), Writer()
    assert believed(subject, claim, (part,)) == Said(True, 6, 6)
    writer.program(subject)
    for found in (part, replace(part, bound=5), replace(part, bound=5, evidence=part.evidence.shown)):
        writer.slots(claim.members, claim.said, parts=[found])
    assert ask(checker, writer.text) == [Said(True, 6, None), Said(True, 6, 5), Said(True, 6, 5)]


@needs_shared
def test_certificates_of_real_programs(checker: Path) -> None:
    """Multipliers that the planner found: their bounds, and not one byte more."""
    writer, expected = Writer(), list[Said]()
    for name in ("0003", "0004", "0024", "0025", "0034", "0044"):
        [subject] = load(str(SHARED / f"golden/random/{name}.mlir"), None).programs
        verdict = plan_slots(conflicts(subject, Policy.HAPPENS_BEFORE))
        parts = tuple(part for part in verdict.certificate.parts if not part.dynamic)
        assert weights_of(parts)
        claim = honest(subject, verdict.plan.members)
        cost = claim_cost(subject, claim)
        writer.program(subject)
        for more in (0, 1):
            writer.slots(claim.members, claim.said, parts=[replace(part, bound=part.bound + more) for part in parts])
        expected += [Said(True, cost, cost), Said(True, cost, None)]
    assert ask(checker, writer.text) == expected


def known_sizes(subject: Program) -> Program:
    return replace(subject, buffers=tuple(replace(b, size_bytes=b.size_bytes or 24) for b in subject.buffers))


def weights_of(parts: tuple[Part, ...]) -> list[Weighted]:
    return [weighted for part in parts if isinstance(part.evidence, Dual) for weighted in part.evidence.weights]


def wild(random: Random, subject: Program, part: Part) -> Part:
    """Multipliers at random: cliques as a rule, spent within bounds as a rule. The bound is what they show, by hand."""
    rules = Rules(subject, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    sizes = {b: subject.buffers[b].size_bytes or 0 for b in part.buffers}
    assert not isinstance(part.evidence, SlotRefutation)
    weights: list[Weighted] = []
    for size in sorted(set(sizes.values())):
        left = Fraction(size)
        for _ in range(random.choice([0, 0, 1, 2])):
            weight = random.choice([left, left / 2, left / 3, Fraction(random.randint(1, size), 3)])
            fits = [b for b in part.buffers if sizes[b] <= size]
            members: list[int] = []
            for b in random.sample(fits, len(fits)):
                if random.random() < 0.02 or not any(rules.may_share(a, b) for a in members):
                    members.append(b)
            if weight > 0:
                weights.append(Weighted(size, weight + random.choice([0] * 30 + [1]), tuple(members)))
                left = max(Fraction(0), left - weight)
    return replace(part, bound=shown(sizes, weights, part), evidence=Dual(tuple(weights), part.evidence.cliques))


def shown(sizes: dict[int, int], weights: list[Weighted], part: Part) -> int:
    """The formula of docs/certificates.md, rounded down."""
    widths = sorted(set(sizes.values()), reverse=True)
    spent = {w: sum((x.weight for x in weights if x.slot_bytes == w), Fraction(0)) for w in widths}
    rest = [min(v - spent[v] for v in widths[: k + 1]) for k in range(len(widths))] + [Fraction(0)]
    pays = [
        min(
            sum((x.weight for x in weights if x.slot_bytes == w and b in x.buffers), Fraction(0))
            for w in widths
            if w >= s
        )
        for b, s in sizes.items()
    ]
    assert not isinstance(part.evidence, SlotRefutation)
    counts = [max((len(c.buffers) for c in part.evidence.cliques if c.threshold_bytes >= w), default=0) for w in widths]
    return int(sum(pays) + sum((rest[k] - rest[k + 1]) * counts[k] for k in range(len(widths))))


# --- arenas ------------------------------------------------------------------------------------------------


def test_arenas_are_judged_as_their_bytes_say(checker: Path) -> None:
    random = Random(2)
    writer, expected = Writer(), list[tuple[Program, object, bool]]()
    for _ in range(3000):
        subject = program(random, 5)
        pools = [
            (random.choice([16, 80, 144]), random.choice([8] * 9 + [1, 3]), space)
            for space in ("", random.choice(["", "1"]))
        ]
        homes: dict[int, tuple[int, int]] = {}
        for b, buffer in enumerate(subject.buffers):
            if buffer.external == (random.random() < 0.01):
                fitting = [n for n, pool in enumerate(pools) if pool[2] == buffer.space]
                pool = random.choice(fitting) if fitting and random.random() < 0.95 else random.randrange(3)
                homes[b] = pool, random.choice([0, 0, 0, 8, 8, 8, 16, 16, 72, 3])
        writer.program(subject)
        writer.arena(pools, homes)
        expected.append((subject, (pools, homes), arena_right(subject, pools, homes)))
    answers = ask(checker, writer.text)
    for (subject, plan, right), answer in zip(expected, answers, strict=True):
        assert answer.accepted == right, (subject, plan)
    assert min(Counter(answer.accepted for answer in answers).values()) > 300


def arena_right(subject: Program, pools: list[tuple[int, int, str]], homes: dict[int, tuple[int, int]]) -> bool:
    """By sets of bytes."""
    rules = Rules(subject, Policy.HAPPENS_BEFORE, TypeRule.BYTES)
    taken: dict[int, set[tuple[int, int]]] = {}
    for b, buffer in enumerate(subject.buffers):
        if buffer.external != (b not in homes):
            return False
        if buffer.external:
            continue
        pool, offset = homes[b]
        if pool >= len(pools) or buffer.size_bytes is None:
            return False
        size, alignment, space = pools[pool]
        taken[b] = {(pool, offset + k) for k in range(buffer.size_bytes)}
        if offset + buffer.size_bytes > size or space != buffer.space:
            return False
        if offset % buffer.alignment or alignment % buffer.alignment:
            return False
    if any(pool[1] not in (1, 2, 4, 8, 16) for pool in pools):
        return False
    for a, b in combinations(taken, 2):
        pinned = subject.buffers[a].pinned or subject.buffers[b].pinned
        if (pinned and homes[a][0] == homes[b][0]) or (taken[a] & taken[b] and not rules.ordered(a, b)):
            return False
    return True


# --- the program around it ---------------------------------------------------------------------------------


def chain(count: int) -> Program:
    """Buffers in a row on two queues, with a wait in between; each is written, then read."""
    actions: list[Action] = []
    for b in range(count):
        queue = "qr"[b % 2]
        actions.append(Action(3 * b, queue, "op", (), (Access(b),)))
        actions.append(Action(3 * b + 1, queue, "op", (Access(b),), ()))
        actions.append(Action(3 * b + 2, HOST, "wait", waits=(queue,)))
    return Program("chain", tuple(Buffer(f"%{b}", 8 * (1 + b % 5)) for b in range(count)), tuple(actions))


def test_five_hundred_buffers_in_one_slot(checker: Path) -> None:
    """Binary numbers, and each buffer's life computed once: well under a second (bounded loosely here)."""
    writer, subject = Writer(), chain(500)
    claim = honest(subject, (tuple(range(500)),))
    writer.program(subject)
    writer.slots(claim.members, claim.said)
    assert ask(checker, writer.text) == [Said(True, 40)]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("buffer 8 1", "line 1"),
        ("buffer 8 1 0\nbuffer x 1 0", "line 2: x is not a number"),
        ("buffer 8 1 0 huge", "line 1: no flag huge"),
        ("action 0 host reads 0 0 end", "line 1: what is reads?"),
        ("check", "line 1: check without a plan"),
        ("arena\nhome 0 0 0\nhome 0 0 1", "line 3: buffer 0 has two homes"),
    ],
)
def test_bad_text_is_refused_with_its_line(checker: Path, text: str, where: str) -> None:
    done = subprocess.run([checker], input=text + "\n", capture_output=True, text=True, check=False, timeout=10)
    assert done.returncode == 2
    assert done.stderr.startswith(where)
    assert done.stdout == ""
