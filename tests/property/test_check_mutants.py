"""The checker against an oracle that plays every schedule (check_oracle.py): valid plans pass, and mutants fail exactly
when they are wrong. Minima are found among all partitions, bounds byte by byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from check_oracle import Truth, small_truths, truths
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from smtalloc.check import Accepted, ClaimedSlot, Rejection, check_plan
from smtalloc.plan import Certificate, Clique, Cliques, Dual, Part, Slots, Weighted
from smtalloc.program import HOST

# --- claims ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A plan and all that is said about it."""

    truth: Truth
    slots: tuple[tuple[int, ...], ...]
    described: tuple[ClaimedSlot, ...]
    cost: int
    dynamic: int
    parts: tuple[Part, ...]
    optimal: bool

    def judge(self) -> Accepted | Rejection:
        certificate = Certificate(self.parts)
        return check_plan(
            self.truth.program,
            Slots(self.slots),
            policy=self.truth.policy,
            types=self.truth.types,
            certificate=certificate,
            claims_optimal=self.optimal,
            claimed_cost_bytes=self.cost,
            claimed_slots=self.described,
            claimed_dynamic_slots=self.dynamic,
        )

    def placed(self) -> bool:
        return sorted(b for members in self.slots for b in members) == self.truth.allocations and all(self.slots)

    def clashing(self) -> bool:
        pairs = (pair for members in self.slots for pair in combinations(sorted(members), 2))
        return any(not self.truth.ordered[pair] for pair in pairs)

    def true(self) -> bool:
        truth, program = self.truth, self.truth.program
        if not self.placed() or (self.cost, self.dynamic) != truth.cost(self.slots):
            return False
        for members, said in zip(self.slots, self.described, strict=True):
            if any(pair not in truth.safe for pair in combinations(sorted(members), 2)):
                return False
            if said.size_bytes != truth.size(members) or said.alignment not in (1, 2, 4, 8):
                return False
            if any(said.alignment < program.buffers[b].alignment for b in members):
                return False
            if any(said.space != program.buffers[b].space for b in members):
                return False
        certificate = Certificate(self.parts)
        bounds = certificate.bound_bytes, certificate.bound_slots
        met = bounds == (self.cost, self.dynamic)
        return self.proven() and (met or not self.optimal) and bounds[0] <= self.cost and bounds[1] <= self.dynamic

    def proven(self) -> bool:
        truth = self.truth
        if sorted(b for part in self.parts for b in part.buffers) != truth.allocations:
            return not self.parts
        home = {b: n for n, part in enumerate(self.parts) for b in part.buffers}
        return all(home[x] == home[y] for x, y in truth.shares) and all(self.part_holds(part) for part in self.parts)

    def part_holds(self, part: Part) -> bool:
        sizes = {b: self.truth.program.buffers[b].size_bytes for b in part.buffers}
        if any((size is None) != part.dynamic for size in sizes.values()):
            return False
        for clique in part.evidence.cliques:
            members = clique.buffers
            if not set(members) <= set(part.buffers) or len(set(members)) < len(members):
                return False
            if any((sizes[b] or 0) < clique.threshold_bytes for b in members) or not self.truth.conflict(members):
                return False
        found = [(c.threshold_bytes, len(c.buffers)) for c in part.evidence.cliques]
        if part.dynamic:
            return part.bound <= max((count for _, count in found), default=0)
        bound = 0
        for level in range(1, max(sizes.values(), default=0) + 1):  # byte by byte: how many slots reach it?
            step = min(size for size in sizes.values() if size >= level)
            bound += max((count for least, count in found if least >= step), default=0)
        return part.bound <= bound


def parts_of(truth: Truth) -> tuple[Part, ...]:
    """Connected components, each with largest cliques found by brute force."""
    home = {b: {b} for b in truth.allocations}
    for x, y in truth.shares:
        if home[x] is not home[y]:
            home[x] |= home[y]
            for b in home[y]:
                home[b] = home[x]
    return tuple(
        part_of(truth, tuple(sorted(group))) for group in {id(group): group for group in home.values()}.values()
    )


def part_of(truth: Truth, members: tuple[int, ...]) -> Part:
    sizes = {b: truth.program.buffers[b].size_bytes for b in members}
    if None in sizes.values():
        clique = largest(truth, members)
        return Part(members, len(clique), Cliques((Clique(0, clique),)), dynamic=True)
    steps = sorted(set(sizes.values()), reverse=True)
    cliques = [Clique(w, largest(truth, tuple(b for b in members if sizes[b] >= w))) for w in steps]
    bound = sum(max(len(c.buffers) for c in cliques if c.threshold_bytes >= min(w for w in steps if w > level))
                for level in range(steps[0]))  # fmt: skip
    return Part(members, bound, Cliques(tuple(cliques)))


def largest(truth: Truth, members: tuple[int, ...]) -> tuple[int, ...]:
    for count in range(len(members), 0, -1):
        for chosen in combinations(members, count):
            if truth.conflict(chosen):
                return chosen
    return ()


def first_fit(truth: Truth) -> Claim:
    slots: list[tuple[int, ...]] = []
    for b in truth.allocations:
        for n, members in enumerate(slots):
            if all((x, b) in truth.safe for x in members):
                slots[n] = (*members, b)
                break
        else:
            slots.append((b,))
    parts = parts_of(truth)
    claim = described(truth, tuple(slots), parts)
    bound = Certificate(parts).bound_bytes, Certificate(parts).bound_slots
    return replace(claim, optimal=bound == (claim.cost, claim.dynamic))


def described(truth: Truth, slots: tuple[tuple[int, ...], ...], parts: tuple[Part, ...]) -> Claim:
    """What an honest planner says of these slots, however bad they are."""
    at = truth.program.buffers
    said = tuple(ClaimedSlot(truth.size(m), max(at[b].alignment for b in m), at[m[0]].space) for m in slots if m)
    return Claim(truth, slots, said, *truth.cost(tuple(m for m in slots if m)), parts, False)


# --- mutants -----------------------------------------------------------------------------------------------

Mutant = Callable[[Random, Claim], Claim | None]
"""Another claim, or None where the claim has nothing to mutate. It need not be wrong: the oracle says."""


def two_swapped(random: Random, claim: Claim) -> Claim | None:
    if len(claim.slots) < 2:
        return None
    m, n = random.sample(range(len(claim.slots)), 2)
    x, y = random.choice(claim.slots[m]), random.choice(claim.slots[n])
    turn = {x: y, y: x}
    return redescribed(claim, tuple(tuple(turn.get(b, b) for b in members) for members in claim.slots))


def redescribed(claim: Claim, slots: tuple[tuple[int, ...], ...]) -> Claim:
    """Other slots, with an honest description; still called optimal if it costs as little."""
    other = described(claim.truth, slots, claim.parts)
    return replace(other, optimal=claim.optimal and (other.cost, other.dynamic) == (claim.cost, claim.dynamic))


def merged(random: Random, claim: Claim) -> Claim | None:
    claim = (random.random() < 0.5 and split(random, claim)) or claim
    if len(claim.slots) < 2:
        return None
    m, n = random.sample(range(len(claim.slots)), 2)
    rest = tuple(members for k, members in enumerate(claim.slots) if k not in (m, n))
    return redescribed(claim, (*rest, claim.slots[m] + claim.slots[n]))


def host_with_device(random: Random, claim: Claim) -> Claim | None:
    actions = claim.truth.program.actions
    host = {c.buffer for a in actions if a.engine == HOST for c in a.accesses} & set(claim.truth.allocations)
    device = {c.buffer for a in actions if a.engine != HOST for c in a.accesses} & set(claim.truth.allocations)
    pairs = [(x, y) for x in sorted(host) for y in sorted(device - host)]
    if not pairs:
        return None
    safe = [(x, y) for x, y in pairs if (min(x, y), max(x, y)) in claim.truth.safe]
    moved, to = random.choice(safe or pairs)
    slots = (tuple(b for b in members if b != moved) for members in claim.slots)
    return redescribed(claim, tuple((*members, moved) if to in members else members for members in slots if members))


def split(random: Random, claim: Claim) -> Claim | None:
    shared = [n for n, members in enumerate(claim.slots) if len(members) > 1]
    if not shared:
        return None
    n = random.choice(shared)
    first, *rest = claim.slots[n]
    return redescribed(claim, (*claim.slots[:n], *claim.slots[n + 1 :], (first,), tuple(rest)))


def still_optimal_split(random: Random, claim: Claim) -> Claim | None:
    other = split(random, claim)
    return replace(other, optimal=True) if other else None


def dropped(random: Random, claim: Claim) -> Claim | None:
    if not claim.slots:
        return None
    gone = random.choice(claim.truth.allocations)
    slots = tuple(tuple(b for b in members if b != gone) for members in claim.slots)
    if random.random() < 0.5:
        return replace(claim, slots=slots)
    return redescribed(claim, tuple(members for members in slots if members))


def duplicated(random: Random, claim: Claim) -> Claim | None:
    if not claim.slots:
        return None
    n = random.randrange(len(claim.slots))
    again = random.randrange(len(claim.truth.program.buffers))  # an external one too
    return replace(claim, slots=(*claim.slots[:n], (*claim.slots[n], again), *claim.slots[n + 1 :]))


def size_cut(random: Random, claim: Claim) -> Claim | None:
    return resized(random, claim, -1)


def size_raised(random: Random, claim: Claim) -> Claim | None:
    return resized(random, claim, 1)


def resized(random: Random, claim: Claim, by: int) -> Claim | None:
    known = [n for n, said in enumerate(claim.described) if said.size_bytes is not None]
    if not known:
        return None
    n = random.choice(known)
    said = replace(claim.described[n], size_bytes=(claim.described[n].size_bytes or 0) + by)
    return redescribe(claim, n, said)


def redescribe(claim: Claim, n: int, said: ClaimedSlot) -> Claim:
    return replace(claim, described=(*claim.described[:n], said, *claim.described[n + 1 :]))


def run_time_flipped(random: Random, claim: Claim) -> Claim | None:
    if not claim.slots:
        return None
    n = random.randrange(len(claim.slots))
    size = 8 if claim.described[n].size_bytes is None else None
    return redescribe(claim, n, replace(claim.described[n], size_bytes=size))


def realigned(random: Random, claim: Claim) -> Claim | None:
    """Lowered, as a rule; raised or odd sometimes."""
    if not claim.slots:
        return None
    n = random.randrange(len(claim.slots))
    alignment = claim.described[n].alignment
    return redescribe(claim, n, replace(claim.described[n], alignment=random.choice([1, alignment // 2, 3, 6, 8])))


def other_space(random: Random, claim: Claim) -> Claim | None:
    if not claim.slots:
        return None
    n = random.randrange(len(claim.slots))
    return redescribe(claim, n, replace(claim.described[n], space=random.choice(["", "1", "2"])))


def cheaper(random: Random, claim: Claim) -> Claim | None:
    return replace(claim, cost=claim.cost - 1)


def fewer_dynamic(random: Random, claim: Claim) -> Claim | None:
    return replace(claim, dynamic=claim.dynamic - 1)


def called_optimal(random: Random, claim: Claim) -> Claim | None:
    return None if claim.optimal else replace(claim, optimal=True)


def bound_raised(random: Random, claim: Claim) -> Claim | None:
    return repart(random, claim, lambda part: replace(part, bound=part.bound + 1))


def bound_lowered(random: Random, claim: Claim) -> Claim | None:
    return repart(random, claim, lambda part: replace(part, bound=part.bound - 1))


def repart(random: Random, claim: Claim, change: Callable[[Part], Part]) -> Claim | None:
    if not claim.parts:
        return None
    n = random.randrange(len(claim.parts))
    return replace(claim, parts=(*claim.parts[:n], change(claim.parts[n]), *claim.parts[n + 1 :]))


def reclique(random: Random, claim: Claim, change: Callable[[Part, Clique], Clique]) -> Claim | None:
    def changed(part: Part) -> Part:
        cliques = list(part.evidence.cliques)
        n = random.randrange(len(cliques))
        cliques[n] = change(part, cliques[n])
        return replace(part, evidence=Cliques(tuple(cliques)))

    return repart(random, claim, changed)


def member_missing(random: Random, claim: Claim) -> Claim | None:
    def change(_: Part, clique: Clique) -> Clique:
        gone = random.choice(clique.buffers)
        return replace(clique, buffers=tuple(b for b in clique.buffers if b != gone))

    return reclique(random, claim, change)


def member_twice(random: Random, claim: Claim) -> Claim | None:
    def change(_: Part, clique: Clique) -> Clique:
        members = [b for b in clique.buffers if random.random() < 0.8]
        return replace(clique, buffers=(*members, random.choice(clique.buffers)))

    return reclique(random, claim, change)


def member_replaced(random: Random, claim: Claim) -> Claim | None:
    def change(part: Part, clique: Clique) -> Clique:
        old = random.choice(clique.buffers)
        anywhere = random.random() < 0.3
        new = random.choice(range(len(claim.truth.program.buffers)) if anywhere else part.buffers)
        return replace(clique, buffers=tuple(new if b == old else b for b in clique.buffers))

    return reclique(random, claim, change)


def threshold_moved(random: Random, claim: Claim) -> Claim | None:
    by = random.choice([-1, 1])
    return reclique(random, claim, lambda _, c: replace(c, threshold_bytes=max(0, c.threshold_bytes + by)))


def part_torn(random: Random, claim: Claim) -> Claim | None:
    """Cut in two, each with the best evidence of its own: wrong where a slot can span both."""
    torn = [n for n, part in enumerate(claim.parts) if len(part.buffers) > 1]
    if not torn:
        return None
    n = random.choice(torn)
    members = random.sample(claim.parts[n].buffers, len(claim.parts[n].buffers))
    cut = random.randrange(1, len(members))
    halves = (part_of(claim.truth, tuple(half)) for half in (members[:cut], members[cut:]))
    return replace(claim, parts=(*claim.parts[:n], *halves, *claim.parts[n + 1 :]), optimal=False)


def part_twice(random: Random, claim: Claim) -> Claim | None:
    return replace(claim, parts=(*claim.parts, random.choice(claim.parts)), optimal=False) if claim.parts else None


def part_missing(random: Random, claim: Claim) -> Claim | None:
    n = random.randrange(len(claim.parts)) if claim.parts else 0
    return replace(claim, parts=claim.parts[:n] + claim.parts[n + 1 :], optimal=False) if claim.parts else None


MUTANTS: tuple[Mutant, ...] = (
    *(two_swapped, merged, host_with_device, split, still_optimal_split, dropped, duplicated, size_cut, size_raised),
    *(run_time_flipped, realigned, other_space, cheaper, fewer_dynamic, called_optimal, bound_raised, bound_lowered),
    *(member_missing, member_twice, member_replaced, threshold_moved, part_torn, part_twice, part_missing),
)

SOMETIMES_HARMLESS = {
    *("two_swapped", "merged", "host_with_device", "split", "realigned", "other_space"),
    *("member_replaced", "threshold_moved", "part_missing"),
}


# --- tests -------------------------------------------------------------------------------------------------


@settings(max_examples=250, deadline=None, derandomize=True)
@given(truths)
def test_a_valid_plan_is_accepted(truth: Truth) -> None:
    claim = first_fit(truth)
    assert claim.true()
    found = claim.judge()
    assert isinstance(found, Accepted), found
    assert (found.cost_bytes, found.dynamic_slots) == (claim.cost, claim.dynamic)
    assert found.optimal == claim.optimal


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_mutant_is_rejected_exactly_if_it_is_wrong(mutant: Mutant) -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=[*HealthCheck])
    @given(truths, st.randoms(use_true_random=False))
    def mutate(truth: Truth, random: Random) -> None:
        claim = mutant(random, first_fit(truth))
        assume(claim is not None)
        assert claim is not None
        found, true = claim.judge(), claim.true()
        assert isinstance(found, Accepted) == true, (found, claim)
        if isinstance(found, Rejection) and claim.placed():
            assert ("unsafe" in found.kinds) == claim.clashing()
        seen["harmless" if true else "wrong"] += 1

    mutate()
    assert seen["wrong"] >= 5 or mutant in (bound_lowered, split)  # a smaller claim, a larger plan: both true
    assert seen["harmless"] >= 1 or mutant.__name__ not in SOMETIMES_HARMLESS


@settings(max_examples=150, deadline=None, derandomize=True)
@given(truths, st.data())
def test_any_partition_is_judged_as_the_schedules_judge_it(truth: Truth, data: st.DataObject) -> None:
    home = [data.draw(st.integers(0, 2)) for _ in truth.allocations]
    slots = (tuple(b for b, n in zip(truth.allocations, home, strict=True) if n == slot) for slot in range(3))
    claim = described(truth, tuple(members for members in slots if members), parts_of(truth))
    found = claim.judge()
    assert isinstance(found, Accepted) == claim.true(), found
    assert ("unsafe" in getattr(found, "kinds", ())) == claim.clashing()


def test_no_accepted_bound_is_above_the_minimum() -> None:
    """Random cliques and multipliers, some of them wrong: the highest bound that the checker believes is a true one."""
    seen: Counter[str] = Counter()

    @settings(max_examples=150, deadline=None, derandomize=True, database=None)
    @given(small_truths, st.randoms(use_true_random=False))
    def believe(truth: Truth, random: Random) -> None:
        claim = replace(first_fit(truth), optimal=False)
        known = [n for n, part in enumerate(claim.parts) if not part.dynamic]
        least = truth.minimum()
        for n in known and random.choices(known, k=10):
            part = claim.parts[n]
            evidence = wild(random, truth, part)
            for bound in range(part.bound + 3, -1, -1):
                weaker = replace(part, bound=bound, evidence=evidence)
                found = replace(claim, parts=(*claim.parts[:n], weaker, *claim.parts[n + 1 :])).judge()
                if isinstance(found, Accepted):
                    assert found.lower_bound_bytes <= least[0]
                    seen["tight"] += found.lower_bound_bytes == least[0] and bool(evidence.weights)
                    break
            seen[type(found).__name__] += 1

    believe()
    assert seen["tight"] >= 100 and seen["Accepted"] >= 500 and seen["Rejection"] >= 10, seen


def wild(random: Random, truth: Truth, part: Part) -> Dual:
    """Evidence at random: cliques, and multipliers that use up their slots, as a rule."""
    sizes = {b: truth.program.buffers[b].size_bytes or 0 for b in part.buffers}
    weights: list[Weighted] = []
    for size in set(sizes.values()):
        left = Fraction(size)
        fits = [b for b in part.buffers if sizes[b] <= size]
        for _ in range(random.choice([0, 1, 2, 3])):
            weight = random.choice([left, left / 2, min(left, Fraction(random.randint(1, 2 * size), 3))])
            members = tuple(random.sample(fits, random.randint(1, len(fits))))
            if weight > 0 and (truth.conflict(members) or random.random() < 0.02):
                weights.append(Weighted(size, weight + random.choice([0] * 40 + [1]), members))
                left -= weight
    return Dual(tuple(weights), part.evidence.cliques if random.random() < 0.9 else ())
