"""What can be left out of a task without changing its minimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smtalloc.bitsets import bits
from smtalloc.task import Task


@dataclass(frozen=True, slots=True)
class Dominated:
    """`kept` is a bitset; `hosts` are pairs (item, host) in the order of removal: the item can join whichever slot the
    host is in, once all items removed later are placed."""

    kept: int
    hosts: tuple[tuple[int, int], ...] = ()

    def complete(self, slots: Sequence[Sequence[int]]) -> list[list[int]]:
        """Slots of the kept items -> slots of all, of the same sizes."""
        found = [list(slot) for slot in slots]
        slot_of = {j: s for s, slot in enumerate(found) for j in slot}
        for item, host in reversed(self.hosts):
            slot_of[item] = slot_of[host]
            found[slot_of[host]].append(item)
        return found


def dominated(task: Task) -> Dominated:
    """Items that another one, the host, stands for.

    If j is no larger than i, may share with it, and may share with everything that i may share with, then in any plan
    of the others j can join the slot of i, which stays as large as it is. So the minimum without j is the minimum with
    it. The rule is applied, smallest items first, until it changes nothing.
    """
    kept = task.all
    hosts: list[tuple[int, int]] = []
    related = task.related
    pending = kept
    while pending:
        fresh = 0  # items that lost a neighbour, so that fewer are in their way now
        for j in reversed(list(bits(pending))):
            in_the_way = kept & ~(related[j] | 1 << j)
            host = _host(related[j] & kept & task.at_least(task.sizes[j]), in_the_way, related)
            if host >= 0:
                kept ^= 1 << j
                hosts.append((j, host))
                fresh |= in_the_way
        pending = fresh & kept
    return Dominated(kept, tuple(hosts))


def _host(candidates: int, in_the_way: int, related: Sequence[int]) -> int:
    """A candidate that may share with nothing that is in the way; -1 if there is none."""
    for other in bits(in_the_way):
        candidates &= ~related[other]
        if not candidates:
            break
    return (candidates & -candidates).bit_length() - 1


def twins(task: Task) -> tuple[tuple[int, ...], ...]:
    """Items of one size that share with the same others and not with one another, together; the others alone."""
    found: dict[tuple[int, int, int], list[int]] = {}
    for j in range(len(task)):
        found.setdefault((task.sizes[j], task.before[j], task.after[j]), []).append(j)
    return tuple(tuple(group) for group in found.values())
