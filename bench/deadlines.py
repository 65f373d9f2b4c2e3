"""By how much the slot planner overruns a deadline, and how long it takes to stop at Ctrl-C.

    python -m bench.deadlines

Wall time, so only an idle machine says something. The plan is put to z3 and to the checker within the limit: what is
printed is when the judged verdict was there, less the limit. For Ctrl-C it is counted from the signal.
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
    "HiGHS": {"lp": False, "z3": False, "rounds": 0},
    "z3": {"lp": False, "mip": False, "rounds": 0},
    "local search": {"lp": False, "mip": False, "z3": False, "rounds": 10**9},
}


def overrun(program: Program, limit_s: float, switches: dict[str, bool | int], interrupt_s: float | None) -> float:
    """Seconds between the limit (or the interrupt) and the judged verdict."""
    problem = conflicts(program, Policy.HOST_EXCLUSIVE)
    options = SolveOptions(time_limit_s=limit_s, **switches)  # pyright: ignore[reportArgumentType]
    start = time.monotonic()
    if interrupt_s is not None:
        threading.Timer(interrupt_s, signal.raise_signal, (signal.SIGINT,)).start()
    verdict = plan_slots(problem, options)
    checked = check_verdict(program, verdict, policy=Policy.HOST_EXCLUSIVE, types=TypeRule.BYTES)
    if isinstance(checked, Rejection):
        raise RuntimeError(checked.reason)
    return time.monotonic() - start - (limit_s if interrupt_s is None else interrupt_s)


def main() -> None:
    """Print the table."""
    heading(())
    print(f"{'problem':14} {'at work':16} {'limit 2 s':>10} {'Ctrl-C after 2 s':>18}   (negative: it was done before)")
    for count in (500, 1000, 2000):
        program = FAMILIES["dense"](count, 1)
        for step, switches in _STEPS.items():
            late = overrun(program, 2.0, switches, None)
            struck = overrun(program, 60.0, switches, 2.0)
            print(f"{program.name:14} {step:16} {late:10.2f} {struck:18.2f}", flush=True)


if __name__ == "__main__":
    main()
