"""Windows of time: what they place is a plan, the same on every run, and what they are not for is left to others."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from arenas import judged
from support import needs_cpsat, needs_kernel, needs_sat

from bench.arena_instances import full_load
from smtalloc import arena_windows
from smtalloc.allocate_arena import ArenaOptions
from smtalloc.arena_heuristics import first_plan
from smtalloc.arena_search import Part, Sweeper, WindowProver
from smtalloc.arena_tasks import Task, pool_task
from smtalloc.check_arena import ArenaAccepted
from smtalloc.packing import POOL, ArenaProblem, Block
from smtalloc.plan import PoolBound
from smtalloc.solvers import kernel

_LOAD = 24


def full(count: int, alignment: int = 1) -> ArenaProblem:
    drawn = full_load(random.Random(5), _LOAD, count, parts=3, dying=3)
    found = enumerate(zip(drawn.sizes, drawn.lives, strict=True))
    return ArenaProblem("full", tuple(Block(f"b{j}", size, alignment, life=life) for j, (size, life) in found))


def is_plan(problem: ArenaProblem, task: Task, offsets: tuple[int, ...], *bounds: PoolBound) -> bool:
    return isinstance(judged(problem, task, offsets, *bounds), ArenaAccepted)


def heights(task: Task, seed: int, *, until: int) -> list[tuple[int, tuple[int, ...]]]:
    """What the search tells, until a plan of so many units."""
    found: list[tuple[int, tuple[int, ...]]] = []
    stop = threading.Event()

    def take(offsets: tuple[int, ...]) -> None:
        found.append((task.top(offsets), offsets))
        if task.top(offsets) <= until:
            stop.set()

    arena_windows.search(
        task,
        lambda: _LOAD,
        best=lambda: min([2 * _LOAD, *(height for height, _ in found)]),
        found=take,
        seed=seed,
        cancel=stop,
    )
    return found


@needs_kernel
def test_it_places_what_is_full_all_the_time() -> None:
    problem = full(400)
    task = pool_task(problem, POOL)
    kernels = kernel.first_fit(kernel.Problem(task.sizes, task.lives or ())).height
    found = heights(task, 0, until=27)
    assert [height for height, _ in found] == sorted({height for height, _ in found}, reverse=True)
    assert found[-1][0] <= 27 < kernels
    assert all(is_plan(problem, task, offsets) for _, offsets in found)
    assert found == heights(task, 0, until=27)


@needs_kernel
def test_it_keeps_alignments() -> None:
    problem = full(300, alignment=4)
    task = pool_task(problem, POOL)
    assert any(piece.alignment > 1 for piece in task.pieces)
    found = arena_windows.Sweep(task).pack(3 * _LOAD, 0, 1)
    assert found is not None
    assert is_plan(problem, task, found)


@needs_kernel
def test_below_the_load_there_is_nothing_and_it_returns_and_gives_up() -> None:
    sweep = arena_windows.Sweep(pool_task(full(300), POOL))
    assert sweep.pack(_LOAD - 1, 0, 1) is None
    assert sweep.pack(2 * _LOAD, 0, 1) is not None  # what it gave up is forgotten


@needs_kernel
def test_deadline_and_cancel_end_it() -> None:
    task = pool_task(full(300), POOL)
    stop = threading.Event()
    stop.set()
    assert arena_windows.Sweep(task, cancel=stop).pack(2 * _LOAD, 0, 1) is None
    assert arena_windows.Sweep(task, deadline=time.monotonic()).pack(2 * _LOAD, 0, 1) is None
    assert arena_windows.Sweep(task).pack(2 * _LOAD, 0, 1) is not None


@needs_cpsat
def test_cp_sat_places_what_the_packing_search_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = full(300)
    task = pool_task(problem, POOL)
    none = kernel.Result(kernel.Status.LIMIT, (), 0, 0, 0)
    monkeypatch.setattr(kernel, "decide", lambda *_args, **_switches: none)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    found = arena_windows.Sweep(task, asks_cpsat=True).pack(_LOAD + 6, 0, 2)
    assert found is not None
    assert task.top(found) <= _LOAD + 6
    assert is_plan(problem, task, found)
    assert arena_windows.Sweep(task, asks_cpsat=True).pack(_LOAD + 6, 0, 1) is None  # quick plans come first
    assert arena_windows.Sweep(task).pack(_LOAD + 6, 0, 2) is None


@needs_kernel
def test_near_the_bound_it_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(arena_windows.Sweep, "pack", lambda _sweep, pool, _seed, _effort: asked.append(pool))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    task = pool_task(full(300), POOL)
    for best in (1009, 1011):
        arena_windows.search(task, lambda: 1000, best=lambda best=best: best, found=lambda _: None)
        assert bool(asked) is (best == 1011)


@needs_kernel
def test_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    task = pool_task(full(300), POOL)
    assert arena_windows.worth(task)
    assert not arena_windows.worth(pool_task(full(100), POOL))
    pinned = (replace(task.pieces[0], fixed=0), *task.pieces[1:])
    assert not arena_windows.worth(replace(task, pieces=pinned))
    assert not arena_windows.worth(replace(task, lives=((0, 1),) * len(task)))
    assert not arena_windows.worth(replace(task, lives=None, near=(0,) * len(task)))
    monkeypatch.setattr(kernel, "AVAILABLE", False)
    assert not arena_windows.worth(task)


def run_until(engine: Sweeper | WindowProver, enough: Callable[[], bool]) -> None:
    """In a thread, as `close` does; it must not end by an error."""
    thread = threading.Thread(target=engine.run, args=(math.inf,))
    thread.start()
    while not enough() and thread.is_alive():
        thread.join(0.01)
    engine.cancel()
    thread.join()
    assert engine.error is None


@needs_kernel
def test_large_parts_reach_it() -> None:
    """Larger than what CP-SAT and bundles take."""
    problem = full(6_000)
    task = pool_task(problem, POOL)
    part = Part(problem, task, _LOAD, first_plan(task))
    sweeper = Sweeper(part, ArenaOptions())
    assert sweeper.able
    assert not Sweeper(part, ArenaOptions(windows=False)).able
    assert not Sweeper(part, ArenaOptions(kernel=False)).able
    run_until(sweeper, lambda: part.height <= 1.25 * _LOAD)
    assert part.by == "windows of time"
    assert is_plan(problem, task, part.best)


@needs_kernel
@needs_sat
def test_a_window_that_does_not_fit_is_a_bound_of_the_whole() -> None:
    problem = full(6_000)
    task = pool_task(problem, POOL)
    part = Part(problem, task, _LOAD, first_plan(task))
    prover = WindowProver(part, ArenaOptions())
    assert prover.able
    assert not WindowProver(part, ArenaOptions(refute=False)).able
    short = pool_task(full(300), POOL)
    assert not WindowProver(replace(part, task=short, best=first_plan(short)), ArenaOptions()).able
    run_until(prover, lambda: part.refuted is not None)
    assert part.refuted is not None
    assert part.target == part.refuted.bound_bytes // task.unit > _LOAD
    assert is_plan(problem, task, part.best, part.refuted)
    above = replace(part.refuted, bound_bytes=part.refuted.bound_bytes + task.unit)
    assert not is_plan(problem, task, part.best, above)
