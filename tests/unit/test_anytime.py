"""Deadlines and Ctrl-C: the best plan so far, checked, at once; and what the callback is told meanwhile.

`bench/deadlines.py` measures by how much a deadline is overrun; here the limits are loose, for machines under load.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest
from support import needs_cpsat
from test_allocate import chain, intervals

from smtalloc.allocate import Progress, SolveOptions, plan_slots
from smtalloc.check import Accepted, check_verdict
from smtalloc.order import conflicts
from smtalloc.plan import Feasible, Optimal, Policy, TypeRule
from smtalloc.program import Program

LATE_S = 20.0
POLICY = Policy.HAPPENS_BEFORE


def crowded(count: int, seed: int = 1) -> Program:
    """Many buffers of many sizes alive at once: the linear program alone takes seconds."""
    lives = [(start := (j * 7919 * seed) % (2 * count), start + 1 + (j * j * 31) % (count // 8)) for j in range(count)]
    return intervals(*((a, b, 512 * (3 + (j * j * 37) % 251)) for j, (a, b) in enumerate(lives)))


def checked(program: Program, verdict: Optimal | Feasible) -> Accepted:
    answer = check_verdict(program, verdict, policy=POLICY, types=TypeRule.BYTES)
    assert isinstance(answer, Accepted), answer
    return answer


@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"fit": False},  # the linear program
        {"lp": False, "z3": False, "cpsat": False},  # HiGHS, integers
        {"lp": False, "mip": False, "cpsat": False},  # z3
        {"lp": False, "mip": False, "z3": False},  # CP-SAT, where it is installed
        {"lp": False, "mip": False, "z3": False, "cpsat": False, "rounds": 10**9},  # local search
    ],
)
def test_the_deadline_is_kept(switches: dict[str, int]) -> None:
    program = crowded(400)
    problem = conflicts(program, POLICY)
    started = time.monotonic()
    verdict = plan_slots(problem, SolveOptions(time_limit_s=1.0, **switches))  # type: ignore[arg-type]
    assert time.monotonic() - started < 1.0 + LATE_S
    checked(program, verdict)
    if isinstance(verdict, Feasible):
        assert verdict.reason


@pytest.mark.parametrize("engine", ["mip", "z3", "lp", pytest.param("cpsat", marks=needs_cpsat)])
def test_ctrl_c_stops_the_engine_that_is_at_work(engine: str) -> None:
    """In a process of its own: the signal strikes while HiGHS, z3 or CP-SAT computes."""
    others = {"mip", "z3", "lp", "fit", "cpsat"} - {
        engine
    }  # without "fit" the linear program grows until it has all buffers
    switches = ", ".join(f"{name}=False" for name in sorted(others))
    code = f"""
import signal, sys
sys.path[:0] = {sys.path!r}
from test_anytime import crowded, checked, POLICY
from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.order import conflicts
program = crowded(600)
def ready(progress):
    print("ready", flush=True)
verdict = plan_slots(conflicts(program, POLICY), SolveOptions(time_limit_s=60, rounds=0, progress=ready, {switches}))
signal.signal(signal.SIGINT, signal.SIG_IGN)  # a signal that comes too late
checked(program, verdict)
print(type(verdict).__name__, getattr(verdict, "reason", ""))
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"  # the quick engines are through
        time.sleep(1.0)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        struck = time.monotonic()
        rest = process.communicate(timeout=60)[0].splitlines()
        assert time.monotonic() - struck < LATE_S
    assert rest[-1] in {"Feasible interrupted", "Optimal "}


def test_bounds_close_in_until_the_end() -> None:
    program = crowded(300)
    seen: list[Progress] = []
    verdict = plan_slots(conflicts(program, POLICY), SolveOptions(time_limit_s=3, progress=seen.append))
    answer = checked(program, verdict)
    assert [p.lower_bound_bytes for p in seen] == sorted(p.lower_bound_bytes for p in seen)
    assert [p.cost_bytes for p in seen] == sorted((p.cost_bytes for p in seen), reverse=True)
    assert seen[-1].lower_bound_bytes <= answer.lower_bound_bytes <= answer.cost_bytes <= seen[-1].cost_bytes
    assert len({p.phase for p in seen}) > 1


def test_the_callback_is_asked_on_the_thread_that_plans() -> None:
    threads: set[int] = set()
    options = SolveOptions(lp=False, time_limit_s=5, progress=lambda _: threads.add(threading.get_ident()))
    plan_slots(conflicts(chain(60, 17), POLICY), options)
    assert threads == {threading.get_ident()}
