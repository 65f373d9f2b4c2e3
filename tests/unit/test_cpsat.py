"""CP-SAT's ends: the deadline, a wish to stop, Ctrl-C, an effort; what it is not asked; a portfolio without it."""

from __future__ import annotations

import _thread
import math
import subprocess
import sys
import threading
import time

import pytest
from arena_cases import HARD
from support import SHARED, needs_cpsat, needs_sat, needs_shared

from smtalloc.allocate_arena import ArenaOptions, plan_arena
from smtalloc.arena_tasks import Task, pool_task
from smtalloc.check_arena import ArenaAccepted, check_arena_verdict
from smtalloc.minimalloc import read_csv
from smtalloc.packing import POOL, ArenaProblem, Block
from smtalloc.plan import FeasibleArena, OptimalArena
from smtalloc.solvers import cpsat
from smtalloc.solvers.base import Status

_LATE_S = 5.0
"""What a busy machine may add."""


def crowd(count: int) -> ArenaProblem:
    """Nobody fits it at its load (at least, not at once)."""
    blocks = (
        Block(f"b{j}", 1000 + (j * j * 37) % 2511, life=((j * 7919) % count, (j * 7919) % count + 2 + j * j * 31 % 40))
        for j in range(count)
    )
    return ArenaProblem("crowd", tuple(blocks))


def load(task: Task) -> int:
    """Of the fullest moment."""
    lives = task.lives
    assert lives is not None
    return max(sum(s for s, (lo, hi) in zip(task.sizes, lives, strict=True) if lo <= t < hi) for t, _ in lives)


@needs_cpsat
def test_deadline_and_cancel_end_it() -> None:
    task = pool_task(crowd(300), POOL)
    start = time.monotonic()
    assert cpsat.pack(task, load(task), deadline=start + 0.5).status is Status.UNKNOWN
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    found = cpsat.pack(task, load(task), deadline=start + 600, cancelled=stop.is_set)
    assert found.status is Status.UNKNOWN
    assert time.monotonic() - start < 1.0 + _LATE_S
    assert cpsat.pack(task, load(task), deadline=start).status is Status.UNKNOWN


@needs_cpsat
def test_ctrl_c_is_ours() -> None:
    task = pool_task(crowd(300), POOL)
    start = time.monotonic()
    threading.Timer(0.5, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        cpsat.pack(task, load(task), deadline=start + 600)
    assert time.monotonic() - start < 0.5 + _LATE_S


@needs_cpsat
def test_the_process_ends_as_it_should() -> None:
    """The interpreter shuts down while CP-SAT is still stopping."""
    code = f"""
import sys
sys.path[:0] = {sys.path!r}
from test_cpsat import crowd
from smtalloc.allocate_arena import ArenaOptions, plan_arena
plan_arena(crowd(300), ArenaOptions(time_limit_s=0.7, heuristics=False, kernel=False, refute=False, orders=False))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@needs_cpsat
def test_the_same_seed_and_effort_give_the_same_answer() -> None:
    task = pool_task(crowd(60), POOL)
    for pool, effort in ((load(task) * 5 // 4, math.inf), (load(task), 0.01)):
        answers = {cpsat.pack(task, pool, deadline=math.inf, seed=3, effort=effort) for _ in range(3)}
        assert len(answers) == 1
        assert answers.pop().status is (Status.SAT if effort == math.inf else Status.UNKNOWN)


@needs_cpsat
def test_what_does_not_fit_by_itself() -> None:
    for block in (Block("a", 5, life=(0, 1)), Block("a", 2, offset=3), Block("a", 2, 4, forbidden=((0, 1),))):
        task = pool_task(ArenaProblem("p", (block,)), POOL, gcd=False)
        assert cpsat.pack(task, 4, deadline=math.inf).status is Status.UNSAT
        assert cpsat.pack(task, 6, deadline=math.inf).status is Status.SAT


def test_numbers_beyond_its_own_are_not_put_to_it() -> None:
    for size, taken in ((1 << 30, True), (1 << 45, False)):
        blocks = (Block("a", size, life=(0, 2)), Block("b", 1, life=(1, 3)))
        assert cpsat.takes(pool_task(ArenaProblem("p", blocks), POOL)) is taken


@needs_cpsat
@needs_shared
def test_at_the_bound_of_a_real_one() -> None:
    (path,) = SHARED.glob("minimalloc/K.*.csv")
    problem = read_csv(path.read_text(), str(path), name="K")
    verdict = plan_arena(problem, ArenaOptions(heuristics=False, kernel=False, z3=False, refute=False, orders=False))
    assert isinstance(verdict, OptimalArena)
    assert isinstance(check_arena_verdict(problem, verdict), ArenaAccepted)


@needs_cpsat
def test_what_it_says_is_no_certificate() -> None:
    verdict = plan_arena(HARD, ArenaOptions(z3=False, refute=False, orders=False, kernel=False))
    assert isinstance(verdict, FeasibleArena)
    assert (verdict.plan.cost_bytes, verdict.certificate.bound_bytes) == (7, 6)
    assert verdict.reason.startswith("CP-SAT found no smaller plan, but without a certificate")


@needs_sat
def test_the_portfolio_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: False)
    monkeypatch.setattr(cpsat, "pack", None)
    assert isinstance(plan_arena(HARD), OptimalArena)
    alone = plan_arena(HARD, ArenaOptions(kernel=False, refute=False, orders=False))
    assert isinstance(alone, FeasibleArena)
    assert alone.reason.startswith("z3 found no smaller plan")
