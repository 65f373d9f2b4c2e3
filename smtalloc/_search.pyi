"""The compiled packing kernel. Import it through smtalloc/solvers/kernel.py only."""

from collections.abc import Callable, Sequence
from threading import Event

class Instance: ...

def instance(
    sizes: Sequence[int],
    lives: Sequence[tuple[int, int]] | None,
    gaps: Sequence[tuple[int, int, int, int, int]],
    conflicts: Sequence[tuple[int, int]] | None,
    alignments: Sequence[int],
    pins: Sequence[tuple[int, int]],
    forbidden: Sequence[tuple[int, int, int]],
) -> Instance: ...
def decide(
    instance: Instance, capacity: int, seconds: float, nodes: int, seed: int, cancel: Event | None
) -> tuple[str, tuple[int, ...], int, int, int]: ...
def minimise(
    instance: Instance,
    lower_bound: int,
    capacity: int,
    seconds: float,
    nodes: int,
    seed: int,
    cancel: Event | None,
    found: Callable[[tuple[int, ...], int, int], None] | None,
) -> tuple[str, tuple[int, ...], int, int, int]: ...
def first_fit(instance: Instance, seconds: float) -> tuple[str, tuple[int, ...], int, int, int]: ...
def slot_search(
    sizes: Sequence[int],
    related: Sequence[bytes],
    bound: int,
    orders: Sequence[Sequence[int]],
    rounds: int,
    seconds: float,
    seed: int,
    cancel: Event | None,
    found: Callable[[tuple[int, ...], int], None] | None,
) -> tuple[tuple[int, ...], int]: ...
def slot_fit(
    rooms: Sequence[int],
    clashes: Sequence[Sequence[int]],
    where: Sequence[int],
    weight: Sequence[int],
    slots: int,
    rounds: int,
    seconds: float,
    seed: int,
    cancel: Event | None,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]: ...
