"""Where a run of the slot planner stands: what is known of each task, and how much time is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from smtalloc.bounds import Levels
from smtalloc.duals import Prices
from smtalloc.heuristics import Packing
from smtalloc.options import Progress, SolveOptions
from smtalloc.order import Conflicts
from smtalloc.plan import Cliques, Dual, SlotRefutation
from smtalloc.task import Task


@dataclass
class State:
    """What is known about one task so far; every field is replaced as a whole, so that an interrupt leaves it valid."""

    task: Task
    best: Packing
    levels: Levels
    bound: int
    prices: Prices | None = None
    refutation: SlotRefutation | None = None
    believed: str = ""
    """The solver that says nothing cheaper exists, without evidence that could be checked."""
    frozen: bool = False
    """The search is over: what an engine that is still stopping finds comes too late."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def closed(self) -> bool:
        return self.best.cost <= self.bound

    def offer(self, plan: Packing) -> None:
        with self.lock:
            if plan.cost < self.best.cost and not self.frozen:
                self.best = plan

    def freeze(self) -> None:
        with self.lock:
            self.frozen = True

    def raise_bound(self, levels: Levels) -> None:
        self.levels, self.bound = levels, levels.bound(self.task)

    def offer_prices(self, prices: Prices) -> None:
        if prices.bound > self.bound:
            self.prices, self.bound = prices, prices.bound

    def refute(self, refutation: SlotRefutation, bound: int) -> None:
        """Nothing costs less than `bound`: evidence that makes all other needless."""
        with self.lock:
            if bound > self.bound and not self.frozen:
                self.refutation, self.bound = refutation, bound

    def shown(self, buffers: Sequence[int]) -> Cliques | Dual:
        """What cliques and prices show; `buffers` are the task's items as buffers of the program."""
        cliques = self.levels.evidence(self.task, buffers)
        return cliques if self.prices is None else self.prices.evidence(self.task, buffers, cliques.cliques)

    def evidence(self, buffers: Sequence[int]) -> Cliques | Dual | SlotRefutation:
        return self.refutation or self.shown(buffers)


@dataclass
class Run:
    """One call of `plan_slots`."""

    conflicts: Conflicts
    options: SolveOptions
    started: float = field(default_factory=time.monotonic)
    started_cpu: float = field(default_factory=time.process_time)
    states: list[State] = field(default_factory=list[State])
    pace_s: float = 0.0
    """Per buffer, how long the last question about slots took (guarantee.py); 0 before the first."""

    @property
    def deadline(self) -> float:
        """When search must end, in seconds of `time.monotonic`: what comes after it takes time as well, the longer the
        more others the machine works for. Once that is known, what is left is to ask about the last slots, and the
        independent check."""
        count = len(self.conflicts.items)
        if self.pace_s:
            finish = min(_LAST_SLOTS_S, self.pace_s * count) + _CHECK * self.pace_s * count
        else:
            busy = (time.monotonic() - self.started) / max(1e-3, time.process_time() - self.started_cpu)
            finish = _FINISH_S * min(max(1.0, busy), _MOST_BUSY) * count
        return self.started + max(0.0, self.options.time_limit_s - finish)

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


_MOST_BUSY = 6.0
_FINISH_S = 0.0004
"""Per buffer: the guarantee query and the independent check, on a slow machine."""
_LAST_SLOTS_S = 0.1
_CHECK = 0.4
"""The independent check takes about so much of the time of the guarantee query."""


def share(deadline: float, part: float) -> float:
    """The moment when this part of the time left until the deadline is over."""
    now = time.monotonic()
    return now + (deadline - now) * part
