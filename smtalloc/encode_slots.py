"""Slot questions in two more encodings: the representative form, and slot numbers as bit-vectors.

Both speak of items that share with each other only, largest first (a `Task`), and take which pairs may not share as
facts. The reference is encode.py's pairwise form; these are for comparing (bench/encodings.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from smtalloc.bitsets import bits
from smtalloc.encode import definitions, literal
from smtalloc.encode_arena import fold, with_width
from smtalloc.task import Task


class SlotEncoding(StrEnum):
    """`class` and `pairwise` are written by encode.py."""

    CLASS = "class"
    PAIRWISE = "pairwise"
    LEADER = "leader"
    BITS = "bits"


def leader_query(task: Task, cost_at_most: int) -> str:
    """Is there a plan of the task of at most this cost (bytes, or slots)? Names end in positions in the task."""
    return "\n".join(["(set-logic QF_LIA)", definitions("slots_leader"), *_leader(task, cost_at_most), "(check-sat)\n"])


def _leader(task: Task, cost_at_most: int) -> Iterator[str]:
    everything = task.all
    guests = [task.related[i] & (everything >> i + 1 << i + 1) for i in range(len(task))]
    for i, mask in enumerate(guests):
        yield f"(declare-const x_{i}_{i} Bool)"
        yield from (f"(declare-const x_{i}_{j} Bool)" for j in bits(mask))
    for j in range(len(task)):
        hosts = [f"x_{i}_{j}" for i in range(j) if guests[i] >> j & 1]
        yield f"(assert {fold('housed', [f'x_{j}_{j}', *hosts], 'false')})"
    for i, mask in enumerate(guests):
        for j in bits(mask):
            yield f"(assert (opened x_{i}_{j} x_{i}_{i}))"
            for k in bits(mask & ~task.related[j] & (everything >> j + 1 << j + 1)):
                yield f"(assert (separate x_{i}_{j} x_{i}_{k}))"
    yield f"; costs in units of {task.unit}"
    costs = [f"(cost_of x_{i}_{i} {size // task.unit})" for i, size in enumerate(task.sizes)]
    yield f"(assert (cost_at_most {_sum(costs)} {literal(cost_at_most // task.unit)}))"


def leader_slots(task: Task, values: Mapping[str, int | bool]) -> list[list[int]]:
    """The slots in a model, as items of the task; who could live in several lives in the first."""
    slots: dict[int, list[int]] = {}
    for j in range(len(task)):
        host = next(i for i in range(j + 1) if values.get(f"x_{i}_{j}") is True)
        slots.setdefault(host, []).append(j)
    return list(slots.values())


def bits_query(task: Task, cost_at_most: int) -> str:
    """The same with slot numbers and costs as bit-vectors."""
    number = max(1, len(task).bit_length())
    cost = max(1, (sum(task.sizes) // task.unit + 1).bit_length())
    head = with_width(with_width(definitions("slots_bits"), "Number", number), "Cost", cost)
    return "\n".join(["(set-logic QF_BV)", head, *_bits(task, cost_at_most, number, cost), "(check-sat)\n"])


def _bits(task: Task, cost_at_most: int, number: int, cost: int) -> Iterator[str]:
    def slot(value: int) -> str:
        return f"(_ bv{value} {number})"

    for j in range(len(task)):
        yield f"(declare-const slot_{j} Number)"
        yield f"(assert (numbered {slot(j)} slot_{j}))"
        for i in range(j):
            yield f"(assert (opened slot_{j} {slot(i)} slot_{i}))"
            if not task.related[i] >> j & 1:
                yield f"(assert (separate slot_{i} slot_{j}))"
    yield f"; costs in units of {task.unit}"
    sizes = [f"(_ bv{size // task.unit} {cost})" for size in task.sizes]
    costs = [f"(cost_of {slot(j)} slot_{j} {size} (_ bv0 {cost}))" for j, size in enumerate(sizes)]
    limit = cost_at_most // task.unit
    if limit < 0:
        yield "(assert false) ; no cost is negative"
    elif limit < 1 << cost:
        yield f"(assert (cost_at_most {fold('bvadd', costs, f'(_ bv0 {cost})')} (_ bv{limit} {cost})))"


def bits_slots(task: Task, values: Mapping[str, int | bool]) -> list[list[int]]:
    """The slots in a model, as items of the task."""
    slots: dict[int, list[int]] = {}
    for j in range(len(task)):
        slots.setdefault(int(values.get(f"slot_{j}", j)), []).append(j)
    return list(slots.values())


def _sum(terms: list[str]) -> str:
    return terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})" if terms else "0"
