"""Planning against brute force over all set partitions, and the encodings against each other, in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.bitsets import bitset
from smtalloc.bounds import class_form, clique_levels
from smtalloc.check import Accepted, check_verdict
from smtalloc.encode import class_query, guarantee_query, pairwise_plan, pairwise_query
from smtalloc.order import Conflicts, conflicts
from smtalloc.plan import Feasible, Optimal, Policy, Slots, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3
from smtalloc.task import Task, tasks

SETTINGS = settings(deadline=None, derandomize=True)


@st.composite
def buffers(draw: st.DrawFn, index: int) -> Buffer:
    kind = draw(st.sampled_from(["known"] * 5 + ["dynamic"]))
    size = draw(st.sampled_from([0, 1, 2, 3, 5, 8])) if kind == "known" else None
    rare = st.sampled_from([False] * 6 + [True])
    return Buffer(
        f"%{index}",
        size,
        space=draw(st.sampled_from(["", "", "", "1"])),
        element_type=draw(st.sampled_from(["f32", "f32", "i64"])) if size is not None else "f32",
        size_key="" if size is not None else draw(st.sampled_from(["m", "m", "n", ""])),
        external=draw(rare),
        live_out=draw(rare),
        pinned="told so" if draw(rare) else "",
    )


@st.composite
def programs(draw: st.DrawFn, most: int = 7) -> Program:
    found = tuple(draw(buffers(b)) for b in range(draw(st.integers(0, most))))
    actions: list[Action] = []
    ordinal = -1
    for _ in range(draw(st.integers(0, 9))):
        engine = draw(st.sampled_from([HOST, "q", "q", "q", "r"]))
        same = [a for a in actions if a.ordinal == ordinal]
        if not same or any(a.engine == engine or a.waits for a in same) or draw(st.sampled_from([True] * 5 + [False])):
            ordinal, same = ordinal + 1, []
        waits = draw(st.sampled_from([(), ("q",), ("q", "r")])) if engine == HOST and not same else ()
        touched = draw(st.lists(st.integers(0, len(found) - 1), max_size=2)) if found else []
        cut = draw(st.integers(0, len(touched)))
        reads, writes = (tuple(Access(b) for b in part) for part in (touched[:cut], touched[cut:]))
        records, awaits = (draw(st.sampled_from([(), (), (), ("e",), ("f",)])) for _ in range(2))
        actions.append(Action(ordinal, engine, "op", reads, writes, waits, records=records, awaits=awaits))
    return Program("f", found, tuple(actions))


SWITCHES = [field.name for field in fields(SolveOptions) if isinstance(field.default, bool)]
"""Every step of the planner that can be left out."""

problems = st.builds(conflicts, programs(), st.sampled_from(Policy), st.sampled_from(TypeRule))


def partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for partition in partitions(rest):
        yield [[first], *partition]
        for place in range(len(partition)):
            yield [*partition[:place], [first, *partition[place]], *partition[place + 1 :]]


def slot_cost(problem: Conflicts, slot: Sequence[int]) -> tuple[int, int]:
    """Bytes, and slots of run-time size."""
    sizes = [problem.buffer(item).size_bytes for item in slot]
    known = [size for size in sizes if size is not None]
    return (max(known), 0) if known else (0, 1)


def brute_force(problem: Conflicts, items: Sequence[int]) -> tuple[int, int]:
    """Least bytes and least slots of run-time size; groups never mix, so both are reached together."""
    costs: list[tuple[int, int]] = []
    for partition in partitions(items):
        if all(problem.may_share(a, b) for slot in partition for a, b in combinations(slot, 2)):
            each = [slot_cost(problem, slot) for slot in partition]
            costs.append((sum(c for c, _ in each), sum(s for _, s in each)))
    best = (min(c for c, _ in costs), min(s for _, s in costs))
    assert best in costs
    return best


def cost_of(problem: Conflicts, plan: Slots) -> tuple[int, int]:
    return plan.cost_bytes(problem.program), plan.dynamic_slots(problem.program)


@settings(SETTINGS, max_examples=800)
@given(problems)
def test_the_plan_is_a_minimum_and_the_checker_agrees(problem: Conflicts) -> None:
    verdict = plan_slots(problem)
    best = brute_force(problem, range(len(problem.items)))
    assert isinstance(verdict, Optimal)
    assert cost_of(problem, verdict.plan) == best
    assert (verdict.certificate.bound_bytes, verdict.certificate.bound_slots) == best
    checked = check_verdict(problem.program, verdict, policy=problem.policy, types=problem.types)
    if problem.policy is Policy.PROGRAM_ORDER and not isinstance(checked, Accepted):
        assert checked.kinds == {"unsafe"}
    else:
        assert isinstance(checked, Accepted), checked


@settings(SETTINGS, max_examples=150)
@given(problems, st.fixed_dictionaries({name: st.booleans() for name in SWITCHES}))
def test_any_choice_of_steps_is_honest(problem: Conflicts, switches: dict[str, bool]) -> None:
    options = replace(SolveOptions(), **switches)
    verdict = plan_slots(problem, options)
    best = brute_force(problem, range(len(problem.items)))
    cost, certificate = cost_of(problem, verdict.plan), verdict.certificate
    assert certificate.bound_bytes <= best[0] <= cost[0]
    assert certificate.bound_slots <= best[1] == cost[1]
    assert certificate.bound_slots == best[1] or not options.cliques
    assert isinstance(verdict, Optimal if (certificate.bound_bytes, certificate.bound_slots) == cost else Feasible)
    checked = check_verdict(problem.program, verdict, policy=problem.policy, types=problem.types)
    assert isinstance(checked, Accepted) or (problem.policy is Policy.PROGRAM_ORDER and checked.kinds == {"unsafe"})


def minimum(query: str) -> Status:
    return Z3().solve(query).status


@settings(SETTINGS, max_examples=80)
@given(problems)
def test_pairwise_query_has_the_same_minimum(problem: Conflicts) -> None:
    for kind in (False, True):
        items = [i for i in range(len(problem.items)) if (problem.buffer(i).size_bytes is None) == kind]
        best = brute_force(problem, items)[1 if kind else 0]
        answer = Z3().solve(pairwise_query(problem, best, items=items))
        assert answer.status is Status.SAT
        plan = pairwise_plan(answer.values)
        assert sorted(b for slot in plan.members for b in slot) == sorted(problem.items[i] for i in items)
        assert cost_of(problem, plan)[1 if kind else 0] == best
        assert minimum(pairwise_query(problem, best - 1, items=items)) is Status.UNSAT


def all_cliques(task: Task) -> list[int]:
    items = range(len(task))
    sets = (s for n in items for s in combinations(items, n + 1))
    return [bitset(s) for s in sets if not any(task.related[a] >> b & 1 for a, b in combinations(s, 2))]


def whole_groups(problem: Conflicts) -> Iterator[Task]:
    """Groups as tasks, not split: host-accessed buffers stay among the others."""
    for group in problem.groups:
        items = sorted(group, key=lambda i: -(problem.buffer(i).size_bytes or 0))
        sizes = [problem.buffer(i).size_bytes for i in items]
        if None in sizes:
            continue
        before = [bitset(p for p, j in enumerate(items) if problem.before[i] >> j & 1) for i in items]
        after = [bitset(p for p, j in enumerate(items) if problem.before[j] >> i & 1) for i in items]
        yield Task(tuple(items), tuple(size or 0 for size in sizes), tuple(before), tuple(after), False)


@settings(SETTINGS, max_examples=50)
@given(problems)
def test_class_query_has_the_same_minimum(problem: Conflicts) -> None:
    for task in (*tasks(problem), *whole_groups(problem)):
        best = brute_force(problem, task.items)[1 if task.dynamic else 0]
        levels = clique_levels(task)
        assert levels.bound(task) <= best
        form = class_form(task, levels, all_cliques(task))
        assert minimum(class_query(problem, form, best)) is Status.SAT
        assert minimum(class_query(problem, form, best - 1)) is Status.UNSAT


@settings(SETTINGS, max_examples=80)
@given(problems, st.data())
def test_guarantee_query_tells_every_plan(problem: Conflicts, data: st.DataObject) -> None:
    slots = [data.draw(st.integers(0, 2)) for _ in problem.items]
    members = [tuple(problem.items[i] for i, s in enumerate(slots) if s == slot) for slot in range(3)]
    allowed = all(
        problem.may_share(a, b) for a, b in combinations(range(len(problem.items)), 2) if slots[a] == slots[b]
    )
    plan = Slots(tuple(m for m in members if m))
    expected = Status.UNSAT if allowed else Status.SAT
    assert minimum(guarantee_query(problem, plan)) is expected
    assert minimum(guarantee_query(problem, plan, all_pairs_up_to=1)) is expected
    each = {minimum(guarantee_query(problem, Slots((slot,)))) for slot in plan.members}
    assert (Status.SAT in each) is (expected is Status.SAT), "slots can be asked about one by one"
