"""The text that refutations of slots are about: what is possible satisfies it, whatever evidence goes in; what is not
possible contradicts it, if all cliques go in; and the planner writes the text that the checker writes.

A solver of 20 lines decides the texts here, so that neither CaDiCaL nor a proof has to be right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from test_planning import SETTINGS, brute_force, problems

from smtalloc.bitsets import bitset
from smtalloc.bounds import clique_levels
from smtalloc.check_rules import Rules
from smtalloc.check_shown import Shown
from smtalloc.check_slot_refutation import SlotText
from smtalloc.duals import Prices, exact_prices
from smtalloc.networks import Classes
from smtalloc.order import Conflicts, conflicts
from smtalloc.plan import Clique, Cliques, Dual, Part, Policy, Row, SlotRefutation, Weighted
from smtalloc.program import Access, Action, Buffer, Program
from smtalloc.refute_slots import Cheaper, Known
from smtalloc.task import Task, tasks

randoms = st.randoms(use_true_random=False)


@st.composite
def crowded(draw: st.DrawFn) -> Conflicts:
    """Lives on one queue, of many sizes: the cliques say less than what is needed, and multipliers leave little."""
    lives = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(1, 9)), min_size=4, max_size=7))
    touched = [[b for b, (first, more, _) in enumerate(lives) if t in (first, first + more)] for t in range(8)]
    actions = (Action(t, "q", "op", writes=tuple(map(Access, here))) for t, here in enumerate(touched))
    found = (Buffer(f"%{b}", size) for b, (_, _, size) in enumerate(lives))
    return conflicts(Program("f", tuple(found), tuple(actions)), Policy.HAPPENS_BEFORE)


subjects = crowded() | problems


def has_model(clauses: Iterable[Iterable[int]]) -> bool:
    """Davis, Putnam, Logemann and Loveland, as in a textbook."""
    left = [frozenset(clause) for clause in clauses]
    while True:
        if frozenset() in left:
            return False
        unit = next((clause for clause in left if len(clause) == 1), None)
        if unit is None:
            break
        (literal,) = unit
        left = [clause - {-literal} for clause in left if literal not in clause]
    if not left:
        return True
    literal = min(min(left, key=len))
    return has_model([*left, {literal}]) or has_model([*left, {-literal}])


def known_parts(problem: Conflicts) -> Iterator[tuple[Task, list[int]]]:
    """Tasks of known size, and their items as buffers of the program."""
    for task in tasks(problem):
        if not task.dynamic:
            yield task, [problem.items[item] for item in task.items]


def cliques_of(rules: Rules, buffers: list[int]) -> list[tuple[int, ...]]:
    return [
        chosen
        for count in range(1, len(buffers) + 1)
        for chosen in combinations(buffers, count)
        if not any(rules.may_share(a, b) for a, b in combinations(chosen, 2))
    ]


def wild(random: Random, rules: Rules, buffers: list[int]) -> Cliques | Dual:
    """Evidence at random, all of it right."""
    size_of = {b: rules.buffers[b].size_bytes or 0 for b in buffers}
    found = cliques_of(rules, buffers)
    some = random.sample(found, min(len(found), random.randint(0, 6)))
    cliques = tuple(Clique(random.randint(0, min(size_of[b] for b in members)), members) for members in some)
    if random.random() < 0.3:
        return Cliques(cliques)
    weights: list[Weighted] = []
    for size in set(size_of.values()):
        left = Fraction(size)
        for members in random.choices(found[len(found) // 3 :], k=random.randint(0, 4)):  # the larger ones
            weight = random.choice([left, left / 2, left / 3, min(left, Fraction(1))])
            if weight > 0 and max(size_of[b] for b in members) <= size:
                weights.append(Weighted(size, weight, members))
                left -= weight
    return Dual(tuple(weights), cliques)


def tight(random: Random, task: Task, buffers: list[int]) -> Dual:
    """Multipliers of prices at random, the best of some: what the planner's are like."""
    found: list[Prices] = []
    for _ in range(12):
        prices = [random.choice([0.0, size / 3, size / 2, float(size)]) for size in task.sizes]
        found.append(exact_prices(Classes(task), [1] * len(task), prices, 1))
    best = max(found, key=lambda prices: prices.bound)
    return best.evidence(task, buffers, clique_levels(task).evidence(task, buffers).cliques)


def evidence(random: Random, rules: Rules, task: Task, buffers: list[int]) -> Cliques | Dual:
    draw = random.random()
    if task.is_order and draw < 0.5:
        return tight(random, task, buffers)
    return wild(random, rules, buffers) if draw < 0.8 else Cliques(())


def rows_of(rules: Rules, buffers: list[int]) -> list[Row]:
    """All that there are: per size the cliques of what fits it."""
    size_of = {b: rules.buffers[b].size_bytes or 0 for b in buffers}
    return [
        Row(size, members)
        for size in sorted(set(size_of.values()) - {0})
        for members in cliques_of(rules, [b for b in buffers if size_of[b] <= size])
    ]


def text_of(rules: Rules, buffers: list[int], bound: int, shown: Cliques | Dual, rows: list[Row]) -> SlotText:
    part = Part(tuple(sorted(buffers)), bound, SlotRefutation(shown, tuple(rows), ()))
    weights = shown.weights if isinstance(shown, Dual) else ()
    return SlotText(rules, part, Shown(rules, part, shown.cliques, weights), SlotRefutation(shown, tuple(rows), ()))


def test_what_a_plan_costs_is_never_refuted() -> None:
    """With any evidence and any rows, at any cost that some plan has or that is more."""
    seen: Counter[str] = Counter()

    @settings(SETTINGS, max_examples=300, database=None)
    @given(subjects, randoms)
    def ask(problem: Conflicts, random: Random) -> None:
        rules = Rules(problem.program, problem.policy, problem.types)
        for task, buffers in known_parts(problem):
            least, _ = brute_force(problem, task.items)
            every = rows_of(rules, buffers)
            for _ in range(2):
                rows = random.sample(every, random.choice([len(every), random.randint(0, min(len(every), 12))]))
                shown = evidence(random, rules, task, buffers)
                bound = least + random.choice([1, 1, 1, 2, 3, 6])
                text = text_of(rules, buffers, bound, shown, rows)
                assert not text.contradictory
                assert text.countable
                clauses = list(text.clauses())
                assert has_model(clauses), (problem, shown, rows, bound)
                places = sum(0 < size <= width for size in task.sizes for width in text.widths)
                seen["sizes left out"] += len(text.place) < places
                seen["texts"] += bool(clauses)

    ask()
    assert seen["texts"] >= 300 and seen["sizes left out"] >= 100, seen


def test_what_no_plan_costs_is_refuted_by_all_cliques() -> None:
    """One unit below the minimum: nothing that a plan must satisfy is missing, with evidence or without."""
    seen: Counter[str] = Counter()

    @settings(SETTINGS, max_examples=200, database=None)
    @given(subjects, randoms)
    def ask(problem: Conflicts, random: Random) -> None:
        rules = Rules(problem.program, problem.policy, problem.types)
        for task, buffers in known_parts(problem):
            least, _ = brute_force(problem, task.items)
            rows = rows_of(rules, buffers)
            for shown in (Cliques(()), evidence(random, rules, task, buffers)):
                if least:
                    text = text_of(rules, buffers, least, shown, rows)
                    assert text.contradictory or not has_model(text.clauses())
                    seen[f"{'trivial' if text.contradictory else 'refuted'}"] += 1

    ask()
    assert min(seen["trivial"], seen["refuted"]) >= 30, seen


@settings(SETTINGS, max_examples=200)
@given(subjects, randoms)
def test_the_planner_writes_the_text_of_the_checker(problem: Conflicts, random: Random) -> None:
    rules = Rules(problem.program, problem.policy, problem.types)
    for task, buffers in known_parts(problem):
        least, _ = brute_force(problem, task.items)
        known = Known(task, buffers, shown := evidence(random, rules, task, buffers))
        bound = least + known.unit * random.randint(0, 3)
        mine = Cheaper(known, bound - known.unit, lambda: False)
        place = {b: j for j, b in enumerate(buffers)}
        every = [
            (known.widths.index(row.slot_bytes), bitset(place[b] for b in row.buffers))
            for row in rows_of(rules, buffers)
        ]
        rows = mine.binding(random.sample(every, random.randint(0, min(len(every), 12))))
        named = [Row(known.widths[k], tuple(b for b in buffers if clique >> place[b] & 1)) for k, clique in rows]
        theirs = text_of(rules, buffers, bound, shown, named)
        assert theirs.contradictory == ([] in mine.clauses)
        if not theirs.contradictory:
            assert mine.write(rows)
            assert sorted(map(sorted, mine.clauses)) == sorted(map(sorted, theirs.clauses()))
            assert mine.variables == theirs.variables
