"""The best checked plan so far, whenever the search ends: at the deadline, at Ctrl-C; and progress on the way."""

from __future__ import annotations

import _thread
import threading
import time
from dataclasses import replace

import pytest
from arenas import judged
from support import SHARED, needs_kernel, needs_shared

from smtalloc.allocate import Progress
from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_heuristics import shelves, stacked
from smtalloc.arena_tasks import pool_task
from smtalloc.check_arena import ArenaAccepted, check_arena_verdict
from smtalloc.minimalloc import read_csv
from smtalloc.packing import POOL, ArenaProblem, Block
from smtalloc.plan import FeasibleArena, OptimalArena

pytestmark = needs_shared
OPEN = ArenaOptions(bundles=False)
"""With this nothing closes D."""
_LATE_S = 5.0
"""What a busy machine may add; the search itself ends within 0.2 s."""


def instance(name: str) -> ArenaProblem:
    (path,) = SHARED.glob(f"*/{name}*.csv")
    return read_csv(path.read_text(), str(path), name=name)


@needs_kernel
@pytest.mark.parametrize("limit", [0.001, 0.3])
def test_the_deadline_leaves_a_checked_plan(limit: float) -> None:
    problem = instance("D.")
    start = time.monotonic()
    verdict = plan_arena(problem, replace(OPEN, time_limit_s=limit))
    assert time.monotonic() - start < limit + _LATE_S
    assert isinstance(verdict, FeasibleArena)
    assert isinstance(check_arena_verdict(problem, verdict), ArenaAccepted)
    assert verdict.reason == f"time limit of {limit:g} s reached"


@needs_kernel
def test_ctrl_c_leaves_a_checked_plan() -> None:
    problem = instance("D.")
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    start = time.monotonic()
    verdict = plan_arena(problem, OPEN)
    assert time.monotonic() - start < 0.3 + _LATE_S
    assert isinstance(verdict, FeasibleArena)
    assert verdict.reason == "interrupted"
    assert isinstance(check_arena_verdict(problem, verdict), ArenaAccepted)


def test_progress_closes_in() -> None:
    seen: list[Progress] = []
    verdict = plan_arena(instance("G_1"), ArenaOptions(time_limit_s=30, progress=seen.append))
    assert isinstance(verdict, OptimalArena)
    assert len(seen) >= 2
    costs, bounds = [p.cost_bytes for p in seen], [p.lower_bound_bytes for p in seen]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert costs[-1] == bounds[-1] == verdict.plan.cost_bytes


def test_the_first_plans_are_plans() -> None:
    problem = instance("pangu")
    task = pool_task(problem, POOL)
    found = shelves(task)
    assert found is not None
    assert task.top(found) < task.top(stacked(task)) / 10
    for offsets in (found, stacked(task)):
        assert isinstance(judged(problem, task, offsets), ArenaAccepted)


def test_nothing_to_plan() -> None:
    verdict = plan_arena(ArenaProblem("p", ()))
    assert isinstance(verdict, OptimalArena)
    assert verdict.plan.cost_bytes == 0
    one = plan_arena(ArenaProblem("p", (Block("a", 0, life=(0, 1)),)))
    assert isinstance(one, OptimalArena)
