"""Minimum slot plans: presolve, bounds, heuristics, search, proof -> a verdict with its evidence.

    conflicts -> tasks (components) -> clique bound -> best fit     -> equal? done, by cliques
              -> dominated buffers and twins set aside
              -> linear program over chains -> slots -> do all fit? -> equal? done, by exact duals (pricing.py)
              -> local search; HiGHS, z3 and CaDiCaL side by side look for plans, then CP-SAT (portfolio.py)
              -> "it costs less" in propositional logic -> refuted? done, by the refutation (refute_slots.py)
              -> plan -> z3: the plan keeps every definition of the policy (guarantee.py, while the search goes on)

The search may use anything, since nothing rests on it: a verdict is `Optimal` only where cost meets a bound that
check.py verifies again (docs/certificates.md).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from smtalloc import bounds, heuristics
from smtalloc.guarantee import Guarantee
from smtalloc.options import Progress, SolveOptions
from smtalloc.order import Conflicts
from smtalloc.plan import Certificate, Feasible, Optimal, Part, Slots
from smtalloc.presolve import Dominated, dominated
from smtalloc.standing import Run, State
from smtalloc.task import Task, tasks

__all__ = ["Progress", "SolveOptions", "plan_slots"]


def plan_slots(conflicts: Conflicts, options: SolveOptions | None = None) -> Optimal | Feasible:
    """The cheapest assignment of allocations to slots that the policy allows, as far as found in the time allowed.

    Ctrl-C ends the search and gives the best plan so far; a second one is raised as `KeyboardInterrupt`.
    Raises `RuntimeError` if z3 refutes the finished plan: a bug in this program.
    """
    run = Run(conflicts, options or SolveOptions())
    run.states = [_start(t) for t in tasks(conflicts, split=run.options.components, divide=run.options.gcd)]
    guarantee = Guarantee(run)
    interrupted = False
    try:
        _search(run, guarantee)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        guarantee.stop()
        for state in run.states:
            state.freeze()
    try:
        plan = _finished(run, guarantee, at_once=interrupted or run.late)
    except KeyboardInterrupt:
        if interrupted:
            raise
        interrupted = True
        plan = _finished(run, guarantee, at_once=True)
    certificate = Certificate(tuple(_part(conflicts, state) for state in run.states))
    if all(state.closed for state in run.states):
        return Optimal(plan, certificate)
    return Feasible(plan, certificate, _reason(run, interrupted))


def _start(task: Task) -> State:
    levels = bounds.trivial_levels(task)
    return State(task, heuristics.in_program_order(task), levels, levels.bound(task))


def _search(run: Run, guarantee: Guarantee) -> None:
    """Quick engines for all parts first, then the slow ones for what is still open, the small ones first."""
    starts = [None if run.late else _quick(run, state) for state in run.states]
    run.report("cliques and best fit")
    if not all(state.closed for state in run.states):
        guarantee.ahead()
    hard = sorted((s for s in zip(run.states, starts, strict=True) if not s[0].closed), key=lambda s: len(s[0].task))
    for index, (state, start) in enumerate(hard):
        left = run.deadline - time.monotonic()
        if left <= 0:
            return
        _close(run, state, start, time.monotonic() + left / (len(hard) - index))


def _quick(run: Run, state: State) -> heuristics.Placed | None:
    """Clique bound, best fit, and where all sizes are equal the fewest chains, which are a minimum."""
    task, options = state.task, run.options
    if options.cliques:
        state.raise_bound(bounds.clique_levels(task))
    if len(task.widths) == 1:
        state.offer(heuristics.packing(task, bounds.fewest_chains(task, range(len(task)))))
    if not options.heuristics or state.closed:
        return None
    return heuristics.portfolio(task, state.bound, deadline=run.deadline, found=state.offer)


def _close(run: Run, state: State, start: heuristics.Placed | None, deadline: float) -> None:
    """The slow engines, until cost and bound meet or the deadline (of `time.monotonic`) strikes.

    Where sizes cannot all be compared, chains are no slots: then there is no linear program, and z3 looks pair by pair.
    """
    from smtalloc.pairwise import seek_pairwise  # noqa: PLC0415  each only where it is needed
    from smtalloc.portfolio import Portfolio  # noqa: PLC0415
    from smtalloc.pricing import Pricing  # noqa: PLC0415

    options, task = run.options, state.task
    presolved = dominated(task) if options.dominated and task.is_order else Dominated(task.all)
    if options.lp and task.is_order and not task.dynamic:  # slots of run-time size are counted: a clique says it all
        Pricing(run, state, presolved, deadline).close()
    if start is not None and not state.closed:
        heuristics.improve(
            task, state.bound, start, seed=options.seed, rounds=options.rounds, deadline=deadline, found=state.offer
        )
    if not task.is_order:
        seek_pairwise(run, state, deadline)
    elif not state.closed and time.monotonic() < deadline:
        Portfolio(run, state, presolved, deadline).close()


# --- the answer --------------------------------------------------------------------------------------------


def _finished(run: Run, guarantee: Guarantee, *, at_once: bool) -> Slots:
    """The best plan, all slots of which z3 was asked about (encodings/sharing.smt2)."""
    guarantee.settle(at_once=at_once)
    plan = _slots(run.conflicts, run.states)
    guarantee.ask(plan.members)
    return plan


def _slots(conflicts: Conflicts, states: Sequence[State]) -> Slots:
    """As buffers of the program; slots in the order in which their first members stand there."""
    return Slots(tuple(sorted(slot for state in states for slot in state.best.members(_buffers(conflicts, state)))))


def _buffers(conflicts: Conflicts, state: State) -> list[int]:
    return [conflicts.items[item] for item in state.task.items]


def _reason(run: Run, interrupted: bool) -> str:
    """Why the gap is open, in one sentence."""
    if interrupted:
        return "interrupted"
    open_ = [state for state in run.states if not state.closed]
    if all(state.believed for state in open_):
        names = " and ".join(sorted({state.believed for state in open_}))
        return f"{names} found no smaller plan, but gives no certificate that could be checked independently"
    if run.late:
        return f"time limit of {run.options.time_limit_s:g} s reached"
    if not (run.options.lp and run.options.z3):
        return "the engines that are switched on could not close the gap"
    return "no engine closed the gap in its share of the time limit"


def _part(conflicts: Conflicts, state: State) -> Part:
    buffers = _buffers(conflicts, state)
    return Part(tuple(sorted(buffers)), state.bound, state.evidence(buffers), state.task.dynamic)
