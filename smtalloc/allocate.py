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

from smtalloc import bounds, encode, heuristics
from smtalloc.bounds import ClassForm, Levels, Multipliers, Task
from smtalloc.heuristics import Packing
from smtalloc.order import Conflicts
from smtalloc.plan import Certificate, Cliques, Dual, Feasible, Optimal, Part, Slots
from smtalloc.solvers.base import Status

_NOTHING: frozenset[tuple[int, int]] = frozenset()
_MOST_ENTRIES = 5_000_000
"""Of the class form's matrix; beyond, building it would take longer than it is worth (some 2,000 buffers)."""
_MOST_PAIRWISE = 60  # buffers; the pairwise form grows with their square


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
    believed: str = ""
    """The solver that says nothing cheaper exists, without evidence that could be checked."""

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


# --- the slow engines --------------------------------------------------------------------------------------


def _close(run: Run, state: State, deadline: float) -> None:
    """Linear program, z3, HiGHS, until cost and bound meet or the deadline (of `time.monotonic`) strikes.

    In orders that are not interval orders the class form starts without some of its cliques. Where an assignment needs
    more slots than it counted, the cliques that say so are added and the engine asks again.
    """
    form = bounds.class_form(state.task, state.levels)
    if sum(clique.bit_count() for _, clique in form.rows) > _MOST_ENTRIES:
        return
    if not state.task.dynamic:  # slots of run-time size are counted by cliques alone
        _raise_by_lp(run, state, form, deadline)
    if state.task.is_order:
        _Seeker(run, state, form).seek(deadline)
    else:
        _seek_pairwise(run, state, deadline)


def _seek_pairwise(run: Run, state: State, deadline: float) -> None:
    """The same where sizes cannot all be compared, so that the class form's count of slots is not enough."""
    from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

    task, cost = state.task, state.bound
    place = {run.conflicts.items[item]: j for j, item in enumerate(task.items)}
    while run.options.z3 and not state.closed and len(task) <= _MOST_PAIRWISE and time.monotonic() < deadline:
        text = encode.pairwise_query(run.conflicts, cost, items=task.items)
        answer = Z3(seed=run.options.seed).solve(text, time_limit_s=_share(deadline, 0.5) - time.monotonic())
        run.report(f"z3: cost {cost} {answer.status}")
        if answer.status is Status.SAT:
            plan = encode.pairwise_plan(answer.values)
            state.offer(heuristics.packing(task, [[place[b] for b in members] for members in plan.members]))
        elif cost == state.best.cost - task.unit:
            state.believed = "z3" if answer.status is Status.UNSAT else state.believed
            return
        cost = state.best.cost - task.unit


def _raise_by_lp(run: Run, state: State, form: ClassForm, deadline: float) -> None:
    if not run.options.lp:
        return
    from smtalloc.solvers import highs  # noqa: PLC0415  loads highspy when first used

    relaxed = highs.relax(form, deadline=deadline)
    if relaxed is not None:
        state.offer_dual(bounds.exact_dual(form, relaxed.duals))
    run.report("linear program")


class _Seeker:
    """Looks for plans of one task. The class form grows by cliques as their lack shows."""

    def __init__(self, run: Run, state: State, form: ClassForm) -> None:
        self.run, self.state, self.form = run, state, form
        self.more: list[int] = []

    def seek(self, deadline: float) -> None:
        """Offer plans to the state, at the bound first: a plan there needs no proof but the bound."""
        options, state = self.run.options, self.state
        if options.z3 and not state.closed:
            status = self._ask_z3(state.bound, _share(deadline, 0.4))
            if status is Status.UNSAT and self.more:
                _raise_by_lp(self.run, state, self.form, deadline)
        if options.mip and not state.closed:
            self._ask_highs(_share(deadline, 0.5))
        while options.z3 and not state.closed and time.monotonic() < deadline:
            status = self._ask_z3(state.best.cost - state.task.unit, deadline)
            if status is Status.UNSAT:
                state.believed = "z3"
            if status is not Status.SAT:
                break

    def _ask_z3(self, cost_at_most: int, deadline: float) -> Status:
        """Is there a plan of this cost? Takes it if there is."""
        from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

        state, conflicts = self.state, self.run.conflicts
        solver = Z3(seed=self.run.options.seed)
        while True:
            excluded = state.multipliers.excluded(state.task, cost_at_most) if state.multipliers else _NOTHING
            text = encode.class_query(conflicts, self.form, cost_at_most, excluded=excluded)
            left = deadline - time.monotonic()
            if left <= 0:
                return Status.UNKNOWN
            answer = solver.solve(text, time_limit_s=left)
            self.run.report(f"z3: cost {cost_at_most} {answer.status}")
            if answer.status is not Status.SAT:
                return answer.status
            if self._take(encode.class_assignment(conflicts, self.form, answer.values)):
                return Status.SAT

    def _ask_highs(self, deadline: float) -> None:
        """The cheapest plan by branch and bound."""
        from smtalloc.solvers import highs  # noqa: PLC0415  loads highspy when first used

        state = self.state
        while True:
            found = highs.minimise(self.form, deadline=deadline, seed=self.run.options.seed, enough=state.bound)
            self.run.report("integer program")
            if found is None:
                return
            if self._take(found.classes):
                if found.proven and not state.closed:
                    state.believed = "HiGHS"
                return

    def _take(self, classes: Sequence[int]) -> bool:
        """Turn an assignment of sizes into slots, the fewest for each size. False if they are more than the form
        counted; it then has the cliques that it lacked."""
        task, slots = self.state.task, list[list[int]]()
        lacking: list[int] = []
        for k in range(len(task.widths)):
            matching = bounds.chain_cover(task, (j for j, size in enumerate(classes) if size == k))
            chains = matching.chains()
            slots += chains
            counted = max(((c & matching.members).bit_count() for kk, c in self.form.rows if kk == k), default=0)
            if len(chains) > counted:
                lacking += bounds.widened(task, matching.antichain())
        self.state.offer(heuristics.packing(task, slots))
        if lacking:
            self.more += lacking
            self.form = bounds.class_form(task, self.state.levels, self.more)
        return not lacking


def _share(deadline: float, part: float) -> float:
    """The moment when this part of the time left until the deadline is over."""
    now = time.monotonic()
    return now + (deadline - now) * part


# --- the answer --------------------------------------------------------------------------------------------


def _slots(conflicts: Conflicts, states: Sequence[State]) -> Slots:
    """As buffers of the program; slots in the order in which their first members stand there."""
    members = (
        tuple(sorted(conflicts.items[state.task.items[j]] for j in slot))
        for state in states
        for slot in state.best.slots
    )
    return Slots(tuple(sorted(members)))


def _guarantee(conflicts: Conflicts, plan: Slots) -> None:
    """Ask z3 whether the plan breaks any definition of the policy (encodings/sharing.smt2)."""
    from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

    answer = Z3().solve(encode.guarantee_query(conflicts, plan))
    if answer.status is not Status.UNSAT:
        raise RuntimeError(
            f"bug in smtalloc: the plan of {conflicts.program.name} breaks the definitions of policy "
            f"{conflicts.policy} (z3 answers {answer.status} to the guarantee query)"
        )


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
    task = state.task
    buffers = [conflicts.items[item] for item in task.items]
    evidence: Cliques | Dual
    if state.multipliers is None:
        evidence = bounds.as_cliques(task, state.levels, buffers)
    else:
        evidence = state.multipliers.evidence(task, state.levels, buffers)
    return Part(tuple(sorted(buffers)), state.bound, evidence, task.dynamic)
