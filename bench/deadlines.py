"""By how much the slot planner overruns a deadline, and how long it takes to stop at Ctrl-C.

    python -m bench.deadlines

Wall time, so only an idle machine says something; the CPU time after the moment stands beside it. The plan is put to z3
and to the checker within the limit: what is printed is when the judged verdict was there, less the limit. For Ctrl-C it
is counted from the signal.
"""

from __future__ import annotations

import signal
import threading
import time

from bench.instances import FAMILIES
from bench.slots import heading
from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.check import Rejection, check_verdict
from smtalloc.order import conflicts
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import Program

_STEPS: dict[str, dict[str, bool | int]] = {
    "all": {},
    "linear program": {"fit": False, "rounds": 0},
    "HiGHS": {"lp": False, "z3": False, "refute": False, "rounds": 0},
    "z3": {"lp": False, "mip": False, "refute": False, "rounds": 0},
    "local search": {"lp": False, "mip": False, "z3": False, "refute": False, "rounds": 10**9},
}


def overrun(
    program: Program, limit_s: float, switches: dict[str, bool | int], interrupt_s: float | None
) -> tuple[float, float]:
    """Seconds between the limit (or the interrupt) and the judged verdict: wall time, and CPU time of all threads."""
    problem = conflicts(program, Policy.HOST_EXCLUSIVE)
    options = SolveOptions(time_limit_s=limit_s, **switches)  # pyright: ignore[reportArgumentType]
    spent: list[float] = []

    def strike() -> None:
        spent.append(time.process_time())
        if interrupt_s is not None:
            signal.raise_signal(signal.SIGINT)

    moment = limit_s if interrupt_s is None else interrupt_s
    start = time.monotonic()
    timer = threading.Timer(moment, strike)
    timer.start()
    verdict = plan_slots(problem, options)
    checked = check_verdict(program, verdict, policy=Policy.HOST_EXCLUSIVE, types=TypeRule.BYTES)
    if isinstance(checked, Rejection):
        raise RuntimeError(checked.reason)
    wall_s, cpu_s = time.monotonic() - start - moment, time.process_time()
    timer.cancel()
    return wall_s, cpu_s - spent[0] if spent else 0.0


def main() -> None:
    """Print the table."""
    heading(())
    print(f"{'':31} {'limit 2 s':>17}   {'Ctrl-C after 2 s':>17}   (negative: it was done before)")
    print(f"{'problem':14} {'at work':16} {'wall':>8} {'CPU':>8}   {'wall':>8} {'CPU':>8}")
    for count in (500, 1000, 2000):
        program = FAMILIES["dense"](count, 1)
        for step, switches in _STEPS.items():
            late = overrun(program, 2.0, switches, None)
            struck = overrun(program, 60.0, switches, 2.0)
            cells = (f"{wall_s:8.2f} {cpu_s:8.2f}" for wall_s, cpu_s in (late, struck))
            print(f"{program.name:14} {step:16} {'   '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
