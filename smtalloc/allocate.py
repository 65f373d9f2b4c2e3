"""Minimum slot plans: bounds, heuristics, linear program, z3 -> a verdict with its evidence.

    conflicts -> tasks -> clique bound -> best fit, local search -> equal? done, by cliques
                                       -> linear program         -> equal? done, by exact duals
                                       -> z3 and HiGHS look for a plan at the bound, then below the best
              -> plan -> z3: the plan keeps every definition of the policy (encodings/sharing.smt2)

The search may use anything, since nothing rests on it: a verdict is `Optimal` only where cost meets a bound that
check.py verifies again (docs/certificates.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from smtalloc import bounds, heuristics
from smtalloc.bounds import ClassForm, Levels, Multipliers, Task
from smtalloc.heuristics import Packing
from smtalloc.order import Conflicts
from smtalloc.plan import Certificate, Cliques, Dual, Feasible, Optimal, Part, Slots


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands: bounds and cost of all parts of known size, in bytes."""

    phase: str
    lower_bound_bytes: int
    cost_bytes: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """Switches of `plan_slots`. Each engine can be left out; the answer stays honest without any of them."""

    time_limit_s: float = 60.0
    """For the search; writing and checking the plan comes on top."""
    seed: int = 0
    heuristics: bool = True
    rounds: int = 100
    """Rounds of local search per part."""
    lp: bool = True
    """HiGHS: linear program for the dual bound."""
    mip: bool = True
    """HiGHS: integer program, to find plans."""
    z3: bool = True
    """z3 over the class form, to find plans. (The guarantee query on the final plan is asked in any case.)"""
    progress: Callable[[Progress], None] | None = None


@dataclass
class State:
    """What is known about one task so far; every field is replaced as a whole, so that an interrupt leaves it valid."""

    task: Task
    best: Packing
    levels: Levels
    bound: int
    multipliers: Multipliers | None = None
    believed: bool = False
    """A solver says that nothing cheaper exists, without evidence that could be checked."""

    @property
    def closed(self) -> bool:
        return self.best.cost <= self.bound

    def offer(self, plan: Packing) -> None:
        if plan.cost < self.best.cost:
            self.best = plan

    def raise_bound(self, levels: Levels) -> None:
        self.levels, self.bound = levels, levels.bound(self.task)

    def offer_dual(self, multipliers: Multipliers) -> None:
        if multipliers.bound > self.bound:
            self.multipliers, self.bound = multipliers, multipliers.bound


@dataclass
class Run:
    """One call of `plan_slots`."""

    conflicts: Conflicts
    options: SolveOptions
    started: float = field(default_factory=time.monotonic)
    states: list[State] = field(default_factory=list[State])

    @property
    def deadline(self) -> float:
        """In seconds of `time.monotonic`."""
        return self.started + self.options.time_limit_s

    @property
    def late(self) -> bool:
        return time.monotonic() >= self.deadline

    def report(self, phase: str) -> None:
        if self.options.progress is None:
            return
        known = [s for s in self.states if not s.task.dynamic]
        self.options.progress(
            Progress(
                phase,
                sum(s.bound for s in known),
                sum(s.best.cost for s in known),
                time.monotonic() - self.started,
            )
        )


def plan_slots(conflicts: Conflicts, options: SolveOptions | None = None) -> Optimal | Feasible:
    """The cheapest assignment of allocations to slots that the policy allows, as far as found in the time allowed.

    Ctrl-C ends the search and gives the best plan so far; a second one is raised as `KeyboardInterrupt`.
    Raises `RuntimeError` if z3 refutes the finished plan: a bug in this program.
    """
    run = Run(conflicts, options or SolveOptions())
    run.states = [_start(task) for task in bounds.tasks(conflicts)]
    interrupted = False
    try:
        _search(run)
    except KeyboardInterrupt:
        interrupted = True
    plan = _slots(conflicts, run.states)
    _guarantee(conflicts, plan)
    certificate = Certificate(tuple(_part(conflicts, state) for state in run.states))
    if all(state.closed for state in run.states):
        return Optimal(plan, certificate)
    return Feasible(plan, certificate, _reason(run, interrupted))


def _start(task: Task) -> State:
    levels = bounds.trivial_levels(task)
    return State(task, heuristics.alone(task), levels, levels.bound(task))


def _search(run: Run) -> None:
    """Quick engines for all parts first, then the slow ones for what is still open, the small ones first."""
    for state in run.states:
        if run.late:
            return
        _quick(run, state)
    run.report("cliques and best fit")
    hard = sorted((s for s in run.states if not s.closed), key=lambda s: len(s.task))
    for index, state in enumerate(hard):
        left = run.deadline - time.monotonic()
        if left <= 0:
            return
        _close(run, state, time.monotonic() + left / (len(hard) - index))


def _quick(run: Run, state: State) -> None:
    """Clique bound, the chain cover behind it (a minimum where all sizes are equal), best fit, local search."""
    levels, matching = bounds.clique_levels(state.task)
    state.raise_bound(levels)
    state.offer(heuristics.packing(state.task, matching.chains()))
    if run.options.heuristics and not state.closed:
        heuristics.search(
            state.task,
            state.bound,
            state.best,
            seed=run.options.seed,
            rounds=run.options.rounds,
            deadline=run.deadline,
            found=state.offer,
        )


def _close(run: Run, state: State, deadline: float) -> None:
    """The slow engines, until cost and bound meet or the deadline strikes."""


def _slots(conflicts: Conflicts, states: Sequence[State]) -> Slots:
    """As buffers of the program; slots in the order in which their first members stand there."""
    members = (
        tuple(sorted(conflicts.items[state.task.items[j]] for j in slot))
        for state in states
        for slot in state.best.slots
    )
    return Slots(tuple(sorted(members)))


def _guarantee(conflicts: Conflicts, plan: Slots) -> None:
    """Ask z3 whether the plan breaks any definition of the policy."""


def _reason(run: Run, interrupted: bool) -> str:
    """Why the gap is open, in one sentence."""
    open_ = [state for state in run.states if not state.closed]
    if interrupted:
        return "interrupted"
    if all(state.believed for state in open_):
        return "no solver found a smaller plan, but their word is no certificate that could be checked independently"
    if run.late:
        return f"time limit of {run.options.time_limit_s:g} s reached"
    return "the engines that are switched on could not close the gap"


def _part(conflicts: Conflicts, state: State) -> Part:
    task = state.task
    buffers = [conflicts.items[item] for item in task.items]
    evidence: Cliques | Dual
    if state.multipliers is None:
        evidence = bounds.as_cliques(task, state.levels, buffers)
    else:
        evidence = state.multipliers.evidence(task, state.levels, buffers)
    return Part(tuple(sorted(buffers)), state.bound, evidence, task.dynamic)
