"""Switches of the slot planner, and what it reports while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands: bounds and cost of all parts of known size, in bytes."""

    phase: str
    lower_bound_bytes: int
    cost_bytes: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """Switches of `plan_slots`. Each step can be left out; the answer stays honest without any of them
    (`bench/ablation.py` shows what each is worth)."""

    time_limit_s: float = 60.0
    """For everything up to the finished plan; of it, the time to put the plan to z3 and to the checker is set aside."""
    seed: int = 0
    gcd: bool = True
    """Presolve: bounds are multiples of the greatest common divisor of the sizes."""
    components: bool = True
    """Presolve: buffers that never share with each other are planned apart."""
    dominated: bool = True
    """Presolve: a buffer that can always join another is planned last."""
    twins: bool = True
    """Presolve: buffers of one size and one life are one item with copies in linear and integer programs."""
    cliques: bool = True
    """Bound: a largest clique per size threshold. (Without it: one slot for the largest buffer.)"""
    heuristics: bool = True
    """Best fit in several orders."""
    rounds: int = 100
    """Rounds of local search on orders per part, for what is still open after the linear program."""
    lp: bool = True
    """HiGHS: linear program for the dual bound."""
    core: bool = True
    """The linear program starts with the buffers that decide, and grows. (Without it: with all.)"""
    fit: bool = True
    """Ejection search: do all buffers fit into the slots that the linear program asks for?"""
    mip: bool = True
    """HiGHS: integer program, to find plans."""
    z3: bool = True
    """z3 over the class form, to find plans. (The guarantee query on the final plan is asked in any case.)"""
    refute: bool = True
    """CaDiCaL over the class form, to find plans and to refute "it costs less" (needs the extra `proofs`)."""
    cpsat: bool = True
    """CP-SAT over the class form, where ortools is installed and HiGHS or z3 has left its core: to find plans."""
    progress: Callable[[Progress], None] | None = None
