"""The engines on one part of an arena: quick plans, then engines side by side until cost and bound meet.

The packing search, CP-SAT and z3 each run in a thread without Python's lock, CaDiCaL in a process; this thread keeps
time and sees Ctrl-C. Whatever one of them finds is offered to the part, and the others stop when there is nothing left
to do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from smtalloc import arena_bundles, arena_heuristics, arena_proofs, arena_windows, refute, refute_orders
from smtalloc.arena_tasks import Piece, Task
from smtalloc.encode_arena import ArenaEncoding, arena_offsets, arena_query, levels_size
from smtalloc.packing import ArenaProblem
from smtalloc.plan import PoolBound
from smtalloc.refute import Fits
from smtalloc.solvers import cadical, cpsat
from smtalloc.solvers.base import Status
from smtalloc.solvers.packer import Packer
from smtalloc.standing import share

if TYPE_CHECKING:
    from smtalloc.allocate_arena import ArenaOptions

_MOST_Z3 = 150
"""Pieces up to which z3 is asked; it closes arenas of about 50, and 100 where a plan exists."""
_LARGE = 5_000
"""Pieces from which on the packing search is asked once, for all that it can do."""
_SMALL, _SMALL_S = 40, 0.03
"""Pieces up to which a search over orders comes first in any case, and how many seconds it has."""
_MOST_REFUTED = 1_000
"""Pieces up to which it is worth finding out whether the order encoding is small."""
_WINDOW_S = 3.0
"""Of CaDiCaL for one window of time."""
_ALONE_S, _ALONE_SHARE = 0.5, 0.2
"""How long, at most, the packing search and CaDiCaL are left alone before windows of time and CP-SAT join them (and
what share of the time the bundles have before CP-SAT does); most parts are closed by then."""
_FIRST_DRAWS, _MOST_DRAWS = 30, 5_000
"""Of bundles: before the slow engines, and beside them."""
_FIRST_EFFORT = 0.05
"""Of CP-SAT for one height, about half a second. Doubled each time that it got no further."""
_QUICK_SHARE = 0.3
"""Of the time left, for first fit and search over orders."""
_POLL_S = 0.05


@dataclass
class Part:
    """A task and what is known of it. `target`: a plan of this height needs no further search (units)."""

    problem: ArenaProblem
    task: Task
    target: int
    best: tuple[int, ...]
    refuted: PoolBound | None = None
    believed: str = ""
    """The engine that says nothing smaller exists, without evidence that could be checked."""
    by: str = "first fit"
    """The engine that found the best plan."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def height(self) -> int:
        return self.task.top(self.best)

    @property
    def height_bytes(self) -> int:
        return self.height * self.task.unit

    @property
    def closed(self) -> bool:
        return self.height <= self.target

    @cached_property
    def bundles(self) -> bool:
        """Are there enough pieces that may be joined?"""
        return arena_bundles.worth(self.task)

    @cached_property
    def windows(self) -> bool:
        """Is it long, and made for windows of time?"""
        return arena_windows.worth(self.task)

    def bytes_of(self, units: int) -> int:
        """The most that is less than one unit more: a refutation may have a smaller unit than the task."""
        return (units + 1) * self.task.unit - 1

    def offer(self, offsets: tuple[int, ...], by: str = "first fit") -> None:
        with self.lock:
            if self.task.top(offsets) < self.height:
                self.best, self.by = offsets, by

    def refute(self, found: PoolBound) -> None:
        with self.lock:
            self.refuted = found
            self.target = max(self.target, -(-found.bound_bytes // self.task.unit))


def quick(part: Part, options: ArenaOptions, deadline: float) -> None:
    """First fit over several orders; where there is no kernel, a search over orders too."""
    deadline = share(deadline, _QUICK_SHARE)
    if part.closed or not options.heuristics:
        return
    packer = Packer(part.problem, part.task, options.seed) if options.kernel else None
    if packer is not None and packer.takes:
        if len(part.task) > _LARGE:
            return
        found = packer.first_fit(deadline)
        if found.offsets is not None:
            part.offer(found.offsets)
        if options.bundles and not part.closed and part.bundles:
            _draw_bundles(part, options, range(_FIRST_DRAWS), lambda: time.monotonic() > deadline)
        if part.closed or len(part.task) > _SMALL:
            return
        deadline = min(deadline, time.monotonic() + _SMALL_S)
    arena_heuristics.search(
        part.task, part.target, seed=options.seed, rounds=options.rounds, deadline=deadline, found=part.offer
    )


def _draw_bundles(part: Part, options: ArenaOptions, draws: range, cancelled: Callable[[], bool]) -> None:
    arena_bundles.search(
        part.task,
        part.target,
        best=lambda: part.height,
        found=lambda offsets: part.offer(offsets, "bundles"),
        seed=options.seed,
        draws=draws,
        cancelled=cancelled,
    )


def close(
    part: Part,
    options: ArenaOptions,
    deadline: float,
    report: Callable[[str], None],
    capacity_bytes: int | None,
) -> None:
    """Until the part is closed, every engine is done, or the deadline strikes. Ctrl-C is raised as it is. `report` is
    told now and then whose plan is the best."""
    capacity = None if capacity_bytes is None else capacity_bytes // part.task.unit
    joiner = _Joiner(part, options)
    rivals: list[_Rival] = [_Searcher(part, options), _Prover(part, options, capacity), joiner, Sweeper(part, options)]
    rivals.append(WindowProver(part, options))
    rivals = [rival for rival in rivals if rival.able]
    if _asks_cpsat(part.task, options):
        rivals.append(_Decider(part, options, capacity, after=joiner if joiner in rivals else None))
    if options.only_z3:
        rivals = [rival for rival in rivals if isinstance(rival, _Prover)]
    threads = [threading.Thread(target=rival.run, args=(deadline,), daemon=True) for rival in rivals]
    for thread in threads:
        thread.start()
    try:
        shown = time.monotonic()
        while any(thread.is_alive() for thread in threads) and time.monotonic() < deadline:
            if part.closed or (capacity is not None and part.target > capacity):
                break
            next((thread for thread in threads if thread.is_alive()), threads[0]).join(_POLL_S)
            if time.monotonic() - shown > 1:
                shown = time.monotonic()
                report(part.by)
    finally:
        for rival in rivals:
            rival.cancel()
        for thread in threads:
            thread.join(_POLL_S)
    for rival in rivals:
        if rival.error is not None:
            raise rival.error


class _Rival:
    """An engine in a thread of its own. `error` is what ended it, if it was no answer."""

    def __init__(self, part: Part, options: ArenaOptions) -> None:
        self.part, self.options = part, options
        self.cancelled, self.done = threading.Event(), threading.Event()
        self.error: BaseException | None = None

    @property
    def able(self) -> bool:
        raise NotImplementedError

    def run(self, deadline: float) -> None:
        try:
            self.work(deadline)
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()

    def work(self, deadline: float) -> None:
        raise NotImplementedError

    def cancel(self) -> None:
        self.cancelled.set()

    def is_over(self, deadline: float) -> bool:
        """Is there nothing left to do, or no time?"""
        return self.part.closed or self.cancelled.is_set() or time.monotonic() >= deadline


class _Searcher(_Rival):
    """The compiled packing search."""

    def __init__(self, part: Part, options: ArenaOptions) -> None:
        super().__init__(part, options)
        self.packer = Packer(part.problem, part.task, options.seed)

    @property
    def able(self) -> bool:
        return self.options.kernel and self.packer.takes

    def work(self, deadline: float) -> None:
        found = self.packer.minimise(self.part.target, deadline, self._offer, self.cancelled)
        if found.offsets:
            self._offer(found.offsets)
        if found.exhausted and not self.part.closed:
            self.part.believed = "the packing search"

    def _offer(self, offsets: tuple[int, ...]) -> None:
        self.part.offer(offsets, "packing search")


class _Joiner(_Rival):
    """The packing search on bundles, draw after draw."""

    @property
    def able(self) -> bool:
        options, part = self.options, self.part
        return options.bundles and options.kernel and len(part.task) <= _LARGE and part.bundles

    def work(self, deadline: float) -> None:
        _draw_bundles(self.part, self.options, range(_FIRST_DRAWS, _MOST_DRAWS), lambda: self.is_over(deadline))


class Sweeper(_Rival):
    """The packing search on one window of time after the other."""

    @property
    def able(self) -> bool:
        return self.options.windows and self.options.kernel and self.part.windows

    def work(self, deadline: float) -> None:
        if self.cancelled.wait(_alone_s(deadline)):
            return
        arena_windows.search(
            self.part.task,
            lambda: self.part.target,
            best=lambda: self.part.height,
            found=lambda offsets: self.part.offer(offsets, "windows of time"),
            seed=self.options.seed,
            deadline=deadline,
            cancel=self.cancelled,
            asks_cpsat=self.options.cpsat and cpsat.available(),
        )


class WindowProver(_Rival):
    """CaDiCaL, where the whole is too long for it, on windows of time: what does not fit in one does not fit at all."""

    @property
    def able(self) -> bool:
        options, part = self.options, self.part
        asked = options.windows and options.refute and not options.only_z3 and cadical.available()
        return asked and len(part.task) > _MOST_REFUTED and part.windows

    def work(self, deadline: float) -> None:
        if self.cancelled.wait(_alone_s(deadline)):
            return
        task = self.part.task
        for window in arena_windows.short_windows(task, self.options.seed):
            blocks = _blocks(task.pieces[i] for i in window)
            while not self.is_over(deadline) and self._refute(blocks, deadline):
                pass

    def _refute(self, blocks: tuple[int, ...], deadline: float) -> bool:
        """Do these not fit at the target?"""
        part = self.part
        found = arena_proofs.decide(
            part.problem,
            blocks,
            part.bytes_of(part.target),
            deadline=min(deadline, time.monotonic() + _WINDOW_S),
            cancelled=self.cancelled.is_set,
            orders=False,
        )
        if isinstance(found, PoolBound):
            part.refute(found)
        return isinstance(found, PoolBound)


class _Prover(_Rival):
    """CaDiCaL where one of its texts is small enough, z3 else (CP-SAT is better at it, where it is there): at the
    target first, then below the best."""

    def __init__(self, part: Part, options: ArenaOptions, capacity: int | None) -> None:
        super().__init__(part, options)
        self.capacity = capacity
        able, few = cadical.available(), len(part.task) <= _MOST_REFUTED
        self.levels = options.refute and able and few and levels_size(part.task, part.target) <= refute.MOST_CLAUSES
        self.blocks = _blocks(part.task.pieces)
        self.orders = options.orders and able and len(self.blocks) <= refute_orders.MOST_BLOCKS
        self.refutes = self.levels or self.orders
        self.asks_z3 = options.z3 and len(part.task) <= _MOST_Z3 and not _asks_cpsat(part.task, options)

    @property
    def able(self) -> bool:
        return self.refutes or self.asks_z3

    def work(self, deadline: float) -> None:
        # where sizes are bytes, it takes as long to refute the target as what lies below the best
        at = None if self.orders and not self.levels else self.part.target
        while not self.is_over(deadline):
            below = self.part.height - 1
            if self.capacity is not None and below > self.capacity >= self.part.target:
                below = self.capacity
            units = min(at, below) if at is not None else below
            at = None
            if not self._ask(units, deadline, last=units == below):
                return

    def _ask(self, units: int, deadline: float, *, last: bool) -> bool:
        """Is there a plan of this height? False if nobody can tell, or it is told that there is none below the best."""
        if self.refutes and not self.options.only_z3 and self._ask_cadical(units, deadline):
            return True
        return self.asks_z3 and self._ask_z3(units, deadline, last=last)

    def _ask_cadical(self, units: int, deadline: float) -> bool:
        """Takes the plan or the refutation; False if there is neither."""
        part = self.part
        found = arena_proofs.decide(
            part.problem,
            self.blocks,
            part.bytes_of(units),
            deadline=deadline,
            cancelled=self.cancelled.is_set,
            levels=self.levels,
            orders=self.orders,
            improve=lambda plan: self._improve(plan, units),
        )
        if isinstance(found, PoolBound):
            part.refute(found)
        elif found is not None:
            self._offer(found)
        return found is not None

    def _improve(self, plan: Fits | None, units: int) -> int:
        """What to ask about next, in bytes, where plans of so many units were asked for."""
        if plan is not None:
            self._offer(plan)
        part = self.part
        return part.bytes_of(units if part.closed else min(units, part.height - 1))

    def _offer(self, plan: Fits) -> None:
        offset_of, task = dict(zip(self.blocks, plan.offsets, strict=True)), self.part.task
        self.part.offer(tuple(offset_of[piece.blocks[0]] // task.unit for piece in task.pieces), "CaDiCaL")

    def _ask_z3(self, units: int, deadline: float, *, last: bool) -> bool:
        from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

        encoding, task = self.options.encoding, self.part.task
        if encoding is ArenaEncoding.LEVELS and levels_size(task, units) > refute.MOST_CLAUSES:
            return False
        solver = Z3(seed=self.options.seed)
        text = arena_query(task, units, encoding, symmetry=self.options.symmetry)
        left = max(0.0, deadline - time.monotonic())
        answer = solver.solve(text, time_limit_s=left, cancelled=self.cancelled.is_set)
        if answer.status is Status.SAT:
            self.part.offer(arena_offsets(task, encoding, answer.values), "z3")
            return True
        if answer.status is Status.UNSAT and last:
            self.part.believed = "z3"
            if self.options.only_z3 and self.refutes:
                self._ask_cadical(units, deadline)  # a certificate for what z3 says
            return False
        return answer.status is Status.UNSAT


class _Decider(_Rival):
    """CP-SAT: at the target, and where it cannot tell in time, half-way from there to the best; then with more time."""

    def __init__(self, part: Part, options: ArenaOptions, capacity: int | None, *, after: _Rival | None) -> None:
        super().__init__(part, options)
        self.capacity, self.after = capacity, after

    def work(self, deadline: float) -> None:
        if not self._is_wanted(deadline):
            return
        part, effort = self.part, _FIRST_EFFORT
        least = at = part.target
        while not self.is_over(deadline):
            status = self._ask(at, effort, deadline)
            least = max(part.target, at + 1 if status is Status.UNSAT else least)
            most = self._most()
            if least > most:
                if least >= part.height and not part.closed:
                    part.believed = "CP-SAT"
                return
            if status is Status.UNKNOWN and at >= most:
                at, effort = least, 2 * effort
            else:
                at = ((at + 1 if status is Status.UNKNOWN else least) + most) // 2

    def _is_wanted(self, deadline: float) -> bool:
        """Waits for a while, or until the bundles are done; false if the part was closed by then."""
        now = time.monotonic()
        end = now + _ALONE_SHARE * (deadline - now)
        if self.after is None:
            return not self.cancelled.wait(_alone_s(deadline))
        while not self.after.done.is_set() and time.monotonic() < end:
            if self.cancelled.wait(_POLL_S):
                return False
        return not self.cancelled.is_set()

    def _most(self) -> int:
        """The largest pool that is worth asking about."""
        below = self.part.height - 1
        return below if self.capacity is None or self.capacity < self.part.target else min(below, self.capacity)

    def _ask(self, units: int, effort: float, deadline: float) -> Status:
        """Is there a plan of this height?"""
        task, cancelled, seed = self.part.task, self.cancelled.is_set, self.options.seed
        found = cpsat.pack(task, units, deadline=deadline, cancelled=cancelled, seed=seed, effort=effort)
        if found.status is Status.SAT:
            self.part.offer(found.offsets, "CP-SAT")
        return found.status


def _blocks(pieces: Iterable[Piece]) -> tuple[int, ...]:
    return tuple(sorted(b for piece in pieces for b in piece.blocks))


def _alone_s(deadline: float) -> float:
    return max(0.0, min(_ALONE_S, _ALONE_SHARE * (deadline - time.monotonic())))


def _asks_cpsat(task: Task, options: ArenaOptions) -> bool:
    return options.cpsat and not options.only_z3 and cpsat.takes(task) and cpsat.available()
