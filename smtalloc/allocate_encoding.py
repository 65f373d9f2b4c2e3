"""Slot plans by z3 alone, in an encoding of one's choice: to compare encodings, not to be fast.

Bounds and certificates are those of allocate.py: cliques. Where z3 says that no plan is cheaper, that is reported, and
is no proof.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from smtalloc import bounds, heuristics
from smtalloc.allocate import SolveOptions
from smtalloc.bounds import ClassForm
from smtalloc.encode import class_assignment, class_query, pairwise_plan, pairwise_query
from smtalloc.encode_slots import SlotEncoding, bits_query, bits_slots, leader_query, leader_slots
from smtalloc.order import Conflicts
from smtalloc.plan import Certificate, Feasible, Optimal, Part, Slots
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3
from smtalloc.task import Task, tasks


def plan_by_encoding(
    conflicts: Conflicts, encoding: SlotEncoding, options: SolveOptions | None = None
) -> Optimal | Feasible:
    """Minimise part by part: at the bound first, then below the best, from the plan of the fewest chains downwards."""
    options = options or SolveOptions()
    deadline = time.monotonic() + options.time_limit_s
    slots: list[tuple[int, ...]] = []
    parts: list[Part] = []
    reasons: set[str] = set()
    for task in tasks(conflicts):
        levels = bounds.clique_levels(task)
        chains = encoding is SlotEncoding.CLASS and not task.is_order  # it counts slots by chains
        seeker = _Seeker(conflicts, task, SlotEncoding.PAIRWISE if chains else encoding, options.seed)
        best = heuristics.packing(task, bounds.fewest_chains(task, range(len(task))))
        least, reason = levels.bound(task), ""
        at: int | None = least
        while best.cost > least and not reason:
            limit = min(at if at is not None else best.cost, best.cost - task.unit)
            found = seeker.ask(limit, deadline)
            if isinstance(found, str):
                reason = found
            elif found is not None:
                best = heuristics.packing(task, found)
            elif limit == best.cost - task.unit:
                reason = f"z3 ({encoding}) found no smaller plan, but gives no certificate that could be checked"
            at = None
        reasons |= {reason} - {""}
        buffers = [conflicts.items[item] for item in task.items]
        slots += best.members(buffers)
        parts.append(Part(tuple(sorted(buffers)), least, levels.evidence(task, buffers), task.dynamic))
    plan, certificate = Slots(tuple(sorted(slots))), Certificate(tuple(parts))
    return Feasible(plan, certificate, "; ".join(sorted(reasons))) if reasons else Optimal(plan, certificate)


def slot_query(
    conflicts: Conflicts, task: Task, encoding: SlotEncoding, cost_at_most: int, form: ClassForm | None = None
) -> str:
    """Is there a plan of the task of at most this cost? `form` is for the class form only (default: a new one)."""
    match encoding:
        case SlotEncoding.CLASS:
            return class_query(conflicts, form or bounds.class_form(task, bounds.clique_levels(task)), cost_at_most)
        case SlotEncoding.PAIRWISE:
            return pairwise_query(conflicts, cost_at_most, items=task.items)
        case SlotEncoding.LEADER:
            return leader_query(task, cost_at_most)
        case SlotEncoding.BITS:
            return bits_query(task, cost_at_most)


class _Seeker:
    """One task in one encoding."""

    def __init__(self, conflicts: Conflicts, task: Task, encoding: SlotEncoding, seed: int) -> None:
        self.conflicts, self.task, self.encoding = conflicts, task, encoding
        self.solver = Z3(seed=seed)
        self.form = bounds.class_form(task, bounds.clique_levels(task))

    def ask(self, cost_at_most: int, deadline: float) -> Sequence[Sequence[int]] | str | None:
        """Slots of at most this cost, None where there are none, or why that is not known."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return "time limit reached"
            answer = self.solver.solve(self.text(cost_at_most), time_limit_s=left)
            if answer.status is Status.UNKNOWN:
                return f"z3 ({self.encoding}) gave up: {answer.reason}"
            if answer.status is Status.UNSAT:
                return None
            found = self.slots(dict(answer.values))
            if found is not None:
                return found

    def text(self, cost_at_most: int) -> str:
        return slot_query(self.conflicts, self.task, self.encoding, cost_at_most, self.form)

    def slots(self, values: dict[str, int | bool]) -> Sequence[Sequence[int]] | None:
        """As items of the task. None if the class form lacked cliques: they are added, and it has to be asked again."""
        match self.encoding:
            case SlotEncoding.CLASS:
                return self._from_classes(class_assignment(self.conflicts, self.form, values))
            case SlotEncoding.PAIRWISE:
                place = {self.conflicts.items[item]: j for j, item in enumerate(self.task.items)}
                return [[place[b] for b in members] for members in pairwise_plan(values).members]
            case SlotEncoding.LEADER:
                return leader_slots(self.task, values)
            case SlotEncoding.BITS:
                return bits_slots(self.task, values)

    def _from_classes(self, classes: Sequence[int]) -> Sequence[Sequence[int]] | None:
        found, lacking = bounds.slots_of_classes(self.form, classes)
        if not lacking:
            return found
        rows = [clique for _, clique in self.form.rows]
        self.form = bounds.class_form(self.task, self.form.levels, [*rows, *lacking])
        return None
