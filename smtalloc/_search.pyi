"""The compiled packing kernel. Import it through smtalloc/solvers/kernel.py only, which checks what it hands over."""

from collections.abc import Callable, Sequence

Answer = tuple[int, list[int], int, int]
"""0 solved, 1 infeasible, 2 open; offsets, bound and nodes."""

class Model:
    def __init__(
        self,
        sizes: Sequence[int],
        alignments: Sequence[int],
        blocked: Sequence[Sequence[tuple[int, int]]],
        owner: Sequence[int],
        lower: Sequence[int],
        upper: Sequence[int],
        windows: Sequence[tuple[int, int]],
    ) -> None: ...

def first_fit(model: Model, poll: Callable[[], bool]) -> Answer: ...
def decide(model: Model, capacity: int, nodes: int, seed: int, poll: Callable[[], bool]) -> Answer: ...
def minimise(
    model: Model,
    bound: int,
    capacity: int,
    nodes: int,
    seed: int,
    poll: Callable[[], bool],
    found: Callable[[list[int], int], None] | None,
) -> Answer: ...
def slot_fit(
    rooms: Sequence[int],
    clashes: Sequence[Sequence[int]],
    where: Sequence[int],
    weight: Sequence[int],
    slots: int,
    rounds: int,
    seed: int,
    poll: Callable[[], bool],
) -> tuple[list[int], list[int], list[int]]: ...
