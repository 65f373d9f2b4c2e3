"""HiGHS, z3 and CaDiCaL side by side, each in a thread: plans for a task that its linear program has not closed.

HiGHS minimises; z3 decides, at the bound first (a plan there needs no proof but the bound), then below the best plan.
CaDiCaL decides below the best plan, and what it refutes there is a certificate.
In orders that are not interval orders z3's class form starts without some of its cliques: where an assignment needs
more slots than it counted, the cliques that say so are added and z3 is asked again.

CP-SAT, where it is installed, starts when fewer than two of them are left: it is slower than HiGHS on most tasks
(bench/results/slots.txt), and there are two cores.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from smtalloc import bounds, encode, heuristics
from smtalloc.plan import SlotRefutation
from smtalloc.presolve import Dominated
from smtalloc.pricing import Core
from smtalloc.refute_slots import Known, decide, small_enough
from smtalloc.solvers import cadical, cpsat
from smtalloc.solvers.base import Status
from smtalloc.standing import Run, State, share

_MOST_ENTRIES = 5_000_000
"""Of the class form's matrix; beyond, building it would take longer than it is worth (some 2,000 buffers)."""
_NOTHING: frozenset[tuple[int, int]] = frozenset()
_CORES = 2
_POLL_S = 0.01
_GRACE_S = 0.03


class Portfolio:
    """The engines on one task. `close` returns when they are done, when the task is closed, or at the deadline."""

    def __init__(self, run: Run, state: State, presolved: Dominated, deadline: float) -> None:
        self.run, self.state, self.presolved, self.deadline = run, state, presolved, deadline
        self.levels = bounds.clique_levels(state.task) if run.options.cliques else state.levels
        self._stop = threading.Event()
        self._phases: list[str] = []

    def close(self) -> None:
        """Raises what an engine raises; Ctrl-C stops the engines first."""
        engines, asks_cpsat = self._engines(), self.run.options.cpsat and cpsat.available()
        errors: list[BaseException] = []
        threads: list[threading.Thread] = []
        told = 0
        try:
            while True:
                alive = sum(thread.is_alive() for thread in threads)
                if asks_cpsat and not engines and alive < _CORES and not self.state.believed:
                    asks_cpsat = False
                    engines.append(self._improve)
                for engine in engines:
                    threads.append(threading.Thread(target=self._guarded, args=(engine, errors), daemon=True))
                    threads[-1].start()
                alive, engines = alive + len(engines), []
                if not alive:
                    break
                time.sleep(_POLL_S)
                if self.state.closed or time.monotonic() > self.deadline:
                    break
                if told < len(self._phases):
                    told = len(self._phases)
                    self.run.report(self._phases[told - 1])
        finally:
            self._stop.set()
            end = time.monotonic() + _GRACE_S  # one that is still writing its question is not waited for
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))
        if errors:
            raise errors[0]

    def _engines(self) -> list[Callable[[], None]]:
        """Those that start at once."""
        options, task = self.run.options, self.state.task
        refutes = options.refute and cadical.available() and not task.dynamic and small_enough(task)
        chosen = ((options.mip, self._minimise), (options.z3, self._decide), (refutes, self._refute))
        return [engine for wanted, engine in chosen if wanted]

    def _guarded(self, engine: Callable[[], None], errors: list[BaseException]) -> None:
        try:
            engine()
        except BaseException as error:
            errors.append(error)
            self._stop.set()

    def _minimise(self) -> None:
        """The cheapest plan by branch and bound."""
        from smtalloc.solvers import highs  # noqa: PLC0415  loads highspy when first used

        state, options = self.state, self.run.options
        core = Core(state.task, self.presolved.kept, merge=options.twins)
        found = highs.minimise(
            core.classes,
            core.copies,
            range(len(core.task.widths)),
            deadline=self.deadline,
            excluded=self._excluded_of(core),
            seed=options.seed,
            enough=state.bound,
            cancelled=self._stop.is_set,
        )
        self._phases.append("integer program")
        if found is None:
            return
        by_size: dict[int, list[int]] = {}
        for group, classes in zip(core.groups, found.classes, strict=True):
            for j, k in zip(group, classes, strict=True):
                by_size.setdefault(k, []).append(j)
        slots = [chain for members in by_size.values() for chain in bounds.fewest_chains(state.task, members)]
        state.offer(heuristics.packing(state.task, self.presolved.complete(slots)))
        if found.proven:
            state.believed = "HiGHS"

    def _excluded_of(self, core: Core) -> frozenset[tuple[int, int]]:
        """In the core's own items and classes."""
        state = self.state
        if state.prices is None:
            return _NOTHING
        place = {group[0]: item for item, group in enumerate(core.groups)}
        index = {width: k for k, width in enumerate(core.task.widths)}
        pairs = state.prices.excluded(state.task, state.best.cost - state.task.unit)
        widths = state.task.widths
        return frozenset((place[j], index[widths[k]]) for j, k in pairs if j in place and widths[k] in index)

    # -- CP-SAT --

    def _improve(self) -> None:
        """Something cheaper than the best plan; again, where the slots of what it finds are more than it counted."""
        state, more, hint = self.state, list[int](), self._hint()
        while not state.closed and not self._over(self.deadline):
            form = bounds.class_form(state.task, self.levels, more)
            at_most = state.best.cost - state.task.unit
            if not _moderate(form):
                return
            found = cpsat.assign(
                form,
                deadline=self.deadline,
                cancelled=self._stop.is_set,
                seed=self.run.options.seed,
                excluded=state.prices.excluded(state.task, at_most) if state.prices else _NOTHING,
                at_least=state.bound,
                at_most=at_most,
                hint=hint,
            )
            self._phases.append("CP-SAT")
            if found is Status.UNSAT:
                state.believed = "CP-SAT"
            if isinstance(found, Status):
                return
            lacking = self._take(form, found.classes)
            if not lacking and found.proven:
                state.believed = "CP-SAT"
                return
            more, hint = more + lacking, found.classes

    def _hint(self) -> tuple[int, ...]:
        """The class of each item's slot in the best plan."""
        task, classes = self.state.task, dict[int, int]()
        for slot in self.state.best.slots:
            classes.update(dict.fromkeys(slot, min(task.class_of[j] for j in slot)))
        return tuple(classes[j] for j in range(len(task)))

    # -- z3 --

    def _decide(self) -> None:
        form = bounds.class_form(self.state.task, self.levels)
        if not _moderate(form):
            return
        status, form = self._ask(form, self.state.bound, share(self.deadline, 0.4))
        while not self.state.closed and not self._over(self.deadline):
            status, form = self._ask(form, self.state.best.cost - self.state.task.unit, self.deadline)
            if status is Status.UNSAT:
                self.state.believed = "z3"
            if status is not Status.SAT:
                return

    def _ask(self, form: bounds.ClassForm, cost_at_most: int, deadline: float) -> tuple[Status, bounds.ClassForm]:
        """Is there a plan of this cost? Takes it if there is; the form comes back with the cliques it lacked."""
        from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

        state, conflicts = self.state, self.run.conflicts
        solver = Z3(seed=self.run.options.seed)
        excluded = state.prices.excluded(state.task, cost_at_most) if state.prices else _NOTHING
        more: list[int] = []
        while True:
            text = encode.class_query(
                conflicts, form, cost_at_most, excluded=excluded, cancelled=lambda: self._over(deadline)
            )
            if self._over(deadline):
                return Status.UNKNOWN, form
            left = deadline - time.monotonic()
            answer = solver.solve(text, time_limit_s=left, cancelled=self._stop.is_set)
            self._phases.append(f"z3: cost {cost_at_most} {answer.status}")
            if answer.status is not Status.SAT:
                return answer.status, form
            lacking = self._take(form, encode.class_assignment(conflicts, form, answer.values))
            if not lacking:
                return Status.SAT, form
            more += lacking
            form = bounds.class_form(state.task, self.levels, more)

    # -- CaDiCaL --

    def _refute(self) -> None:
        """Cheaper plans until there is none; then a refutation, if it is small enough to be checked."""
        state, task = self.state, self.state.task
        buffers = [self.run.conflicts.items[item] for item in task.items]
        known = Known(task, buffers, state.shown(buffers))
        more: list[int] = []
        while not state.closed and not self._over(self.deadline):
            form, best = bounds.class_form(task, self.levels, more), state.best.cost
            found = decide(
                known, form.rows, best - known.unit, deadline=self.deadline, cancelled=lambda: self._over(self.deadline)
            )
            if isinstance(found, SlotRefutation):
                state.refute(found, best)
            if not isinstance(found, list):
                return
            lacking = self._take(form, found)
            if not lacking and state.best.cost >= best:
                return  # cannot happen: these slots cost less
            more += lacking

    def _over(self, deadline: float) -> bool:
        return self._stop.is_set() or time.monotonic() >= deadline

    def _take(self, form: bounds.ClassForm, classes: Sequence[int]) -> list[int]:
        """Offer the slots of an assignment of sizes; the cliques that the form lacks."""
        slots, lacking = bounds.slots_of_classes(form, classes)
        self.state.offer(heuristics.packing(self.state.task, slots))
        return lacking


def _moderate(form: bounds.ClassForm) -> bool:
    return sum(clique.bit_count() for _, clique in form.rows) <= _MOST_ENTRIES
