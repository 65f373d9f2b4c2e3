"""plan_slots: verdicts, certificates, limits, interrupts."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from smtalloc import allocate
from smtalloc.allocate import Progress, SolveOptions, plan_slots
from smtalloc.check import Accepted, check_verdict
from smtalloc.order import conflicts
from smtalloc.plan import Certificate, Dual, Feasible, Optimal, Policy, Slots, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program
from smtalloc.solvers import cpsat


def intervals(*lives: tuple[int, int, int | None], engine: str = "q") -> Program:
    """Buffers by (first, last, size), all on one engine; run-time sizes have one key."""
    end = max((last for _, last, _ in lives), default=-1)
    actions = tuple(
        Action(
            t, engine, "op", writes=tuple(Access(b) for b, (first, last, _) in enumerate(lives) if t in (first, last))
        )
        for t in range(end + 1)
    )
    found = tuple(Buffer(f"%{b}", size, size_key="m" if size is None else "") for b, (_, _, size) in enumerate(lives))
    return Program("f", found, actions)


def chain(length: int, sizes: int) -> Program:
    """Each op reads what the one before wrote. The clique bound is not tight: slots alternate, sizes do not."""
    return intervals(*((t, t + 1, 64 * (1 + (t * t * 7919 + 13 * t) % sizes)) for t in range(length)))


def optimum(program: Program, policy: Policy = Policy.HAPPENS_BEFORE) -> Optimal:
    verdict = plan_slots(conflicts(program, policy))
    assert isinstance(verdict, Optimal)
    assert isinstance(check_verdict(program, verdict, policy=policy, types=TypeRule.BYTES), Accepted)
    return verdict


@pytest.mark.parametrize("policy", Policy)
def test_nothing_to_plan(policy: Policy) -> None:
    empty = Program("f", (), ())
    assert optimum(empty, policy) == Optimal(Slots(()), Certificate(()))
    assert optimum(Program("f", (Buffer("%a", 8, external=True),), ()), policy).plan == Slots(())


def test_one_buffer_zero_sizes_and_buffers_without_accesses() -> None:
    assert optimum(intervals((0, 1, 8))).plan == Slots(((0,),))
    assert optimum(intervals((0, 1, 0), (0, 1, 0))).plan.cost_bytes(intervals((0, 1, 0), (0, 1, 0))) == 0
    idle = Program("f", tuple(Buffer(f"%{b}", 8 * b) for b in range(4)), ())
    assert optimum(idle).plan == Slots(((0, 1, 2, 3),))


def test_equal_sizes_close_by_chains() -> None:
    program = intervals(*((t, t + 2, 16) for t in range(0, 40)))
    verdict = optimum(program)
    assert verdict.plan.cost_bytes(program) == 3 * 16
    assert verdict.certificate.kinds == ("clique",)


def test_run_time_sizes_are_counted_in_slots() -> None:
    program = intervals((0, 1, None), (1, 2, None), (2, 3, None), (0, 3, 8))
    verdict = optimum(program)
    assert verdict.plan == Slots(((0, 2), (1,), (3,)))
    assert (verdict.certificate.bound_slots, verdict.certificate.bound_bytes) == (2, 8)


def test_the_host_buffers_of_a_function_are_one_part() -> None:
    lives = [(0, 1, 8), (2, 3, 8)]
    program = intervals(*lives)
    stores = tuple(Action(4 + b, HOST, "store", writes=(Access(2 + b),)) for b in range(3))
    found = (*program.buffers, *(Buffer(f"%h{b}", 4 * b) for b in range(3)))
    verdict = optimum(Program("f", found, program.actions + stores), Policy.HOST_EXCLUSIVE)
    assert len(verdict.certificate.parts) == 2
    assert verdict.certificate.bound_bytes == 8 + 4 + 8


def test_a_chain_needs_the_dual() -> None:
    program = chain(60, 17)
    verdict = optimum(program)
    assert verdict.certificate.kinds == ("dual",)
    (part,) = verdict.certificate.parts
    assert isinstance(part.evidence, Dual)
    assert part.evidence.weights
    without = plan_slots(
        conflicts(program, Policy.HAPPENS_BEFORE), SolveOptions(lp=False, refute=False, time_limit_s=5)
    )
    assert isinstance(without, Feasible)
    assert without.certificate.bound_bytes < verdict.certificate.bound_bytes


def test_what_only_a_solver_says_is_never_optimal() -> None:
    program = chain(12, 5)
    best = optimum(program)
    for options in (SolveOptions(lp=False, refute=False, mip=False), SolveOptions(lp=False, refute=False, z3=False)):
        verdict = plan_slots(conflicts(program, Policy.HAPPENS_BEFORE), options)
        assert verdict.plan.cost_bytes(program) == best.plan.cost_bytes(program)
        if verdict.certificate.bound_bytes < best.certificate.bound_bytes:
            assert isinstance(verdict, Feasible)
            assert "no certificate" in verdict.reason


def test_no_time_at_all_still_gives_a_checked_plan() -> None:
    program = chain(30, 7)
    verdict = plan_slots(conflicts(program, Policy.HOST_EXCLUSIVE), SolveOptions(time_limit_s=0))
    assert isinstance(verdict, Feasible)
    assert "time limit" in verdict.reason
    assert isinstance(check_verdict(program, verdict, policy=Policy.HOST_EXCLUSIVE, types=TypeRule.BYTES), Accepted)


def test_an_interrupt_gives_the_best_so_far() -> None:
    program = chain(60, 17)

    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    verdict = plan_slots(conflicts(program, Policy.HAPPENS_BEFORE), SolveOptions(progress=stop))
    assert isinstance(verdict, Feasible)
    assert verdict.reason == "interrupted"
    assert isinstance(check_verdict(program, verdict, policy=Policy.HAPPENS_BEFORE, types=TypeRule.BYTES), Accepted)


def test_progress_closes_in() -> None:
    program = chain(60, 17)
    seen: list[Progress] = []
    plan_slots(conflicts(program, Policy.HAPPENS_BEFORE), SolveOptions(progress=seen.append))
    assert seen
    assert [p.lower_bound_bytes for p in seen] == sorted(p.lower_bound_bytes for p in seen)
    assert [p.cost_bytes for p in seen] == sorted((p.cost_bytes for p in seen), reverse=True)
    assert all(p.lower_bound_bytes <= p.cost_bytes for p in seen)


def test_a_plan_that_breaks_the_policy_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guarantee is asked of z3 whatever the search did."""
    program = intervals((0, 1, 8), (2, 3, 8))
    bad = Program("f", program.buffers, (*program.actions, Action(4, HOST, "load", reads=(Access(1),))))
    monkeypatch.setattr(allocate, "_slots", lambda *_: Slots(((0, 1),)))
    for policy in (Policy.HOST_EXCLUSIVE, Policy.HAPPENS_BEFORE):
        with pytest.raises(RuntimeError, match="guarantee"):
            plan_slots(conflicts(bad, policy))
    plan_slots(conflicts(bad, Policy.PROGRAM_ORDER))


def test_same_seed_same_plan() -> None:
    problem = conflicts(chain(80, 23), Policy.HAPPENS_BEFORE)
    assert plan_slots(problem) == plan_slots(problem)


def test_solvers_load_when_first_used() -> None:
    code = "import sys, smtalloc.allocate; print([m for m in ('z3', 'highspy', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    optimum(chain(60, 17))
    assert capfd.readouterr() == ("", "")


def test_a_long_chain_is_quick() -> None:
    program = chain(400, 60)
    problem = conflicts(program, Policy.HOST_EXCLUSIVE)
    started = time.monotonic()
    assert isinstance(plan_slots(problem), Optimal)
    assert time.monotonic() - started < 15, "1.5 s on an idle machine"


NOT_TIGHT = (
    (1, 3, 7), (8, 8, 3), (3, 8, 7), (7, 9, 16), (12, 13, 38), (5, 7, 9), (3, 6, 15), (1, 6, 15), (5, 8, 2),
    (4, 4, 28), (8, 9, 38), (1, 3, 2), (5, 7, 15), (0, 2, 35), (1, 3, 15), (6, 8, 28), (10, 13, 9), (5, 8, 7),
    (10, 12, 15), (9, 10, 3), (11, 13, 9), (7, 12, 35), (10, 12, 6), (12, 12, 7), (0, 3, 38), (4, 5, 7), (9, 12, 7),
    (10, 13, 38), (10, 13, 9), (4, 5, 7), (11, 13, 2), (6, 11, 6), (3, 4, 3), (7, 8, 16), (1, 2, 9), (12, 13, 2),
    (1, 6, 38), (9, 13, 3), (4, 4, 15), (10, 12, 6),
)  # fmt: skip
"""(first, last, bytes). The linear program proves 200; z3 and HiGHS find nothing below 201, and 200 is refuted."""


def test_where_the_dual_is_not_tight_and_nothing_is_refuted_it_says_who_believes_the_plan_minimal() -> None:
    program = intervals(*NOT_TIGHT)
    problem = conflicts(program, Policy.HAPPENS_BEFORE)
    engines = {"mip": "HiGHS", "z3": "z3", **({"cpsat": "CP-SAT"} if cpsat.available() else {})}
    for engine, believer in engines.items():
        alone = {other: other == engine for other in ("mip", "z3", "cpsat")}
        verdict = plan_slots(problem, SolveOptions(refute=False, **alone))
        assert isinstance(verdict, Feasible)
        assert (verdict.plan.cost_bytes(program), verdict.certificate.bound_bytes) == (201, 200)
        believed = f"{believer} found no smaller plan, but gives no certificate that could be checked independently"
        assert verdict.reason == believed
