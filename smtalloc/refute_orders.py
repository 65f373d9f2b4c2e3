"""Refutations over the order of blocks, for pools of any number of bytes: CaDiCaL picks an order, a chain rules it out.

    start with "no three blocks lie in a circle"
    a model  -> its lowest offsets fit? a plan.  Else the chains that are too high are clauses from now on
    no model -> few chains that contradict each other, with a DRUP proof: a bound for the pool

This is lazy "satisfiability modulo theories" over difference logic, with layers where the theory has only paths
(S. Cotton and O. Maler, "Fast and flexible difference constraint propagation for DPLL(T)", SAT 2006; layers are what
disjunctive scheduling calls edge finding). Measured in bench/results/orders.txt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from smtalloc.orders import ChainFinder, Orders
from smtalloc.packing import ArenaProblem
from smtalloc.plan import Chain, ChainRefutation, PoolBound
from smtalloc.refute import MOST_PROOF, Fits
from smtalloc.solvers import cadical

Improve = Callable[[Fits | None], int]
"""See `decide`."""

MOST_BLOCKS = 100
"""Full loads of 40 are closed in seconds, few of 60; with more, the packing search needs the processor more."""
_MOST_CHOICES = 20_000


def decide(
    problem: ArenaProblem,
    blocks: Sequence[int],
    at_most_bytes: int,
    *,
    deadline: float,
    cancelled: Callable[[], bool] = lambda: False,
    improve: Improve | None = None,
) -> Fits | PoolBound | None:
    """A plan of this height, or a bound with its refutation. None: too large for this, or the deadline struck.

    `improve` is told of each plan, and says what to ask about by now (also without a plan, when somebody else may have
    found one): where that is less, the search goes on with all that it has learnt.
    """
    if not cadical.available() or not 0 < len(blocks) <= MOST_BLOCKS:
        return None
    orders = Orders(problem, blocks, max(0, at_most_bytes))
    if orders.impossible:
        return _bound(orders, (), ())
    if len(orders.edges) > _MOST_CHOICES:
        return None
    with cadical.Session(deadline=deadline, cancelled=cancelled) as solver:
        return _search(orders, solver, improve or (lambda _: at_most_bytes))


def _search(orders: Orders, solver: cadical.Session, improve: Improve) -> Fits | PoolBound | None:
    finder = ChainFinder(orders)
    chains = orders.triangles()
    known = set(chains)
    new = chains[:]
    while True:
        model = solver.solve(_clause(chain) for chain in new)
        if model is None:
            return None
        if not isinstance(model, cadical.Model):
            break
        orders.lower_to(improve(None))
        found = finder.find(model.true)
        while isinstance(found, dict) and not orders.impossible:
            plan = Fits(tuple(found[node] for node in orders.node_of))
            if not orders.lower_to(improve(plan)):
                return plan
            found = finder.find(model.true)
        if isinstance(found, dict):
            return _bound(orders, (), ())
        new = [chain for chain in dict.fromkeys(found) if chain not in known]
        if not new:
            return None
        chains += new
        known.update(new)
    core = solver.core()
    if core is None or len(core.drup) > MOST_PROOF:
        return None
    return _bound(orders, tuple(chains[n] for n in core.clauses), core.drup)


def _clause(chain: Chain) -> list[int]:
    return sorted({-literal for step in chain for literal in step}, key=abs)


def _bound(orders: Orders, chains: tuple[Chain, ...], drup: tuple[str, ...]) -> PoolBound:
    pool = orders.problem.blocks[orders.blocks[0]].pool
    return PoolBound(pool, orders.pool + 1, ChainRefutation(orders.blocks, chains, drup))
