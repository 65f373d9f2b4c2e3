"""Plans by z3 over pairs, for tasks whose relation is no order: sizes depend on dimensions and cannot all be compared.

The linear program, the class form and presolve count slots by chains, which are slots only in an order.
"""

from __future__ import annotations

import time

from smtalloc import encode, heuristics
from smtalloc.solvers.base import Status
from smtalloc.standing import Run, State, share

_MOST = 60  # buffers; the pairwise form grows with their square


def seek_pairwise(run: Run, state: State, deadline: float) -> None:
    """Ask for a plan at the bound, then for one below the best, until there is none or the deadline
    (`time.monotonic`, in s) strikes. `best` is replaced, the bound is not touched."""
    from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

    task, cost = state.task, state.bound
    place = {run.conflicts.items[item]: j for j, item in enumerate(task.items)}
    while run.options.z3 and not state.closed and len(task) <= _MOST and time.monotonic() < deadline:
        text = encode.pairwise_query(run.conflicts, cost, items=task.items)
        answer = Z3(seed=run.options.seed).solve(text, time_limit_s=share(deadline, 0.5) - time.monotonic())
        run.report(f"z3: cost {cost} {answer.status}")
        if answer.status is Status.SAT:
            plan = encode.pairwise_plan(answer.values)
            state.offer(heuristics.packing(task, [[place[b] for b in members] for members in plan.members]))
        elif cost == state.best.cost - task.unit:
            state.believed = "z3" if answer.status is Status.UNSAT else state.believed
            return
        cost = state.best.cost - task.unit
