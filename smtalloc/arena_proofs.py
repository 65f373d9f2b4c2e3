"""Does "these blocks fit" have a plan or a refutation? In whichever propositional text is the better one.

Offsets, "at least k units" (refute.py): quick where a pool has few units. The order of the blocks, with chains as
lemmas (refute_orders.py): as quick for bytes as for large units. They are even at some 200 units
(table 3 of bench/orders.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from smtalloc import refute, refute_orders
from smtalloc.packing import ArenaProblem
from smtalloc.plan import PoolBound
from smtalloc.refute import Fits
from smtalloc.refute_orders import Improve

_FEW_UNITS = 200


def decide(
    problem: ArenaProblem,
    blocks: Sequence[int],
    at_most_bytes: int,
    *,
    deadline: float,
    cancelled: Callable[[], bool] = lambda: False,
    levels: bool = True,
    orders: bool = True,
    improve: Improve | None = None,
) -> Fits | PoolBound | None:
    """A plan of this height, or a bound with its refutation. None: too large for both, or the deadline struck.

    `levels`, `orders`: which of the two texts may be asked. `improve`: see refute_orders.py; the other one ignores it.
    """
    text = refute.fit(problem, blocks, at_most_bytes) if levels else None
    small = text is not None and text.size <= refute.MOST_CLAUSES
    few = small and text is not None and text.pool <= _FEW_UNITS
    found = None
    if orders and not few:
        found = refute_orders.decide(
            problem, blocks, at_most_bytes, deadline=deadline, cancelled=cancelled, improve=improve
        )
    if small and found is None:
        found = refute.decide(problem, blocks, at_most_bytes, deadline=deadline, cancelled=cancelled)
    return found
