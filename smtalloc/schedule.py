"""Schedules: total orders of a program's actions that happens-before allows."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from itertools import groupby

from smtalloc.program import HOST, Program


def order_edges(program: Program) -> list[tuple[int, int]]:
    """Pairs of actions (earlier, later) whose transitive closure is `hb`: linear in the number of actions."""
    edges: list[tuple[int, int]] = []
    done: dict[str, list[int]] = {}  # per engine, its latest actions of earlier ordinals
    fresh: dict[str, list[int]] = {}  # of the current ordinal
    current = None
    for index, action in enumerate(program.actions):
        if action.ordinal != current:
            done |= fresh
            fresh, current = {}, action.ordinal
        sources = {HOST, action.engine, *action.waits}
        edges += [(earlier, index) for engine in sources for earlier in done.get(engine, ())]
        fresh.setdefault(action.engine, []).append(index)
    return edges + awaited_records(program)


def awaited_records(program: Program) -> list[tuple[int, int]]:
    """Pairs (recorder, awaiter): by the latest record of the event, of an earlier ordinal.

    Where an engine has several actions of the recorder's ordinal, the event stands for all of them.
    """
    pairs: list[tuple[int, int]] = []
    recorders: dict[str, list[int]] = {}
    for _, same in groupby(range(len(program.actions)), lambda index: program.actions[index].ordinal):
        group = list(same)
        recorded: dict[str, set[str]] = {}  # event -> engines
        for index in group:
            action = program.actions[index]
            pairs += [(earlier, index) for event in action.awaits for earlier in recorders.get(event, ())]
            for event in action.records:
                recorded.setdefault(event, set()).add(action.engine)
        for event, engines in recorded.items():
            recorders[event] = [index for index in group if program.actions[index].engine in engines]
    return pairs


def linear_extension(program: Program, extra: Iterable[tuple[int, int]] = ()) -> list[int] | None:
    """A schedule with the extra (earlier, later) pairs, as near to program order as they let it be; None if cyclic."""
    successors: list[list[int]] = [[] for _ in program.actions]
    missing = [0] * len(program.actions)
    for earlier, later in [*order_edges(program), *extra]:
        successors[earlier].append(later)
        missing[later] += 1
    ready = [index for index, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    schedule: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        schedule.append(index)
        for later in successors[index]:
            missing[later] -= 1
            if not missing[later]:
                heapq.heappush(ready, later)
    return schedule if len(schedule) == len(program.actions) else None
