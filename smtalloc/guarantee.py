"""Slots are put to z3: do they keep every definition of the policy (encodings/sharing.smt2)? Ahead, while the search
goes on.

A definition speaks of two buffers of one slot, so slots can be asked about one by one, and one that was asked about
before is not asked about again. For 2,000 buffers z3 takes a third of a second; at the deadline, or at Ctrl-C, only
the slots of the last plans are left to ask about.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator

from smtalloc import encode
from smtalloc.heuristics import Packing
from smtalloc.plan import Slots
from smtalloc.solvers.base import Status
from smtalloc.standing import Run, State

Members = tuple[int, ...]
"""Of a slot, as buffers of the program, rising."""

_BATCH = 150
"""Buffers in one question ahead: some 0.03 s, so that little is lost when the search ends."""
_POLL_S = 0.02
_REST = 4.0
"""Times as long as it worked the thread rests: a fifth of a processor at most."""
_PATIENCE_S = 0.1
_FEW = 300
"""Buffers that may be left to ask about at the end, whatever that takes."""


class Guarantee:
    """What z3 was asked about the slots of one problem."""

    def __init__(self, run: Run) -> None:
        self._run, self._conflicts = run, run.conflicts
        self._facts = encode.Facts(run.conflicts)
        self._kept: set[Members] = set()
        self._plans: dict[int, Packing] = {}
        """By task: the last plan of which all slots are kept."""
        self._errors: list[BaseException] = []
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def _slots(self, state: State, plan: Packing) -> Iterator[Members]:
        return plan.members([self._conflicts.items[item] for item in state.task.items])

    def ask(self, slots: Iterable[Members]) -> None:
        """Raises `RuntimeError` if z3 does not say of all of them that they keep every definition."""
        from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

        fresh = tuple(sorted({slot for slot in slots if slot not in self._kept}))
        if not fresh:
            return
        started = time.monotonic()
        text = encode.guarantee_query(self._conflicts, Slots(fresh), facts=self._facts)
        answer = Z3(reuse=True).solve(text)
        if answer.status is not Status.UNSAT:
            raise RuntimeError(
                f"bug in smtalloc: the plan of {self._conflicts.program.name} breaks the definitions of policy "
                f"{self._conflicts.policy} (z3 answers {answer.status} to the guarantee query)"
            )
        self._kept.update(fresh)
        self._run.pace_s = (time.monotonic() - started) / sum(map(len, fresh))

    # -- while the search goes on --

    def ahead(self) -> None:
        """If there is much to ask, ask about the best plans now, which shows how long it takes, then as they come."""
        if len(self._conflicts.items) <= _FEW:
            return
        for number, state in enumerate(self._run.states):
            self._confirm(number, state.best, self._slots(state, state.best), rest=0.0)
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        try:
            while not self._over.wait(_POLL_S):
                for number, state in enumerate(self._run.states):
                    plan = state.best
                    if self._plans.get(number) is not plan:
                        self._confirm(number, plan, self._slots(state, plan), rest=_REST)
        except BaseException as error:
            self._errors.append(error)

    def _confirm(self, number: int, plan: Packing, slots: Iterable[Members], *, rest: float) -> None:
        for batch in _batches(slot for slot in slots if slot not in self._kept):
            started = time.monotonic()
            self.ask(batch)
            if self._run.late or self._over.wait(rest * (time.monotonic() - started)):
                return
        self._plans[number] = plan

    def stop(self) -> None:
        """Ask about no more plans; the question at work is not waited for."""
        self._over.set()

    # -- at the end --

    def settle(self, *, at_once: bool) -> None:
        """The search is over. If an answer is wanted at once, and it would take too long to ask about the slots of the
        last plans, take the plans before, which were asked about. Raises what `ask` raised."""
        self.stop()
        if self._thread is not None:
            self._thread.join()
        if self._errors:
            raise self._errors[0]
        open_ = [(number, state) for number, state in enumerate(self._run.states) if not state.closed]
        left = {slot for _, state in open_ for slot in self._slots(state, state.best)} - self._kept
        count = sum(map(len, left))
        if at_once and count > _FEW and count * self._run.pace_s > _PATIENCE_S:
            for number, state in open_:
                state.best = self._plans.get(number, state.best)


def _batches(slots: Iterable[Members]) -> Iterator[list[Members]]:
    batch: list[Members] = []
    for slot in slots:
        batch.append(slot)
        if sum(map(len, batch)) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
