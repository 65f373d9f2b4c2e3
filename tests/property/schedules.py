"""Brute force over schedules, for tests: every total order that a host and in-order queues can produce.

Shares nothing with order.py: it plays the machine, one step at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

from smtalloc.program import Action, Program


def schedules(program: Program) -> Iterator[tuple[int, ...]]:
    """Every order in which the actions can run, each taken as one point in time.

    State: how far the host has come (by ordinal), and what each queue has not run yet. Actions of one ordinal are
    reached together; the host part then runs before the host goes on.
    """
    actions = program.actions
    ordinals = sorted({a.ordinal for a in actions})

    def play(reached: int, waiting: frozenset[int], done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """`reached`: ordinals issued so far; `waiting`: issued or reached actions that have not run."""
        if len(done) == len(actions):
            yield done
            return
        host_busy = any(actions[i].on_host for i in waiting)
        for i in sorted(waiting):
            action = actions[i]
            if action.on_host:
                # waits for what was queued at earlier ordinals
                blocked = any(
                    actions[j].engine in action.waits and actions[j].ordinal < action.ordinal for j in waiting
                )
            else:
                blocked = any(actions[j].engine == action.engine and j < i for j in waiting)
            blocked = blocked or not waiting.isdisjoint(awaited(actions, actions[i]))
            if not blocked:
                yield from play(reached, waiting - {i}, (*done, i))
        if not host_busy and reached < len(ordinals):
            new = frozenset(i for i, a in enumerate(actions) if a.ordinal == ordinals[reached])
            yield from play(reached + 1, waiting | new, done)

    seen: set[tuple[int, ...]] = set()
    for schedule in play(0, frozenset(), ()):
        if schedule not in seen:
            seen.add(schedule)
            yield schedule


def awaited(actions: tuple[Action, ...], action: Action) -> set[int]:
    """What must have finished for the events that the action awaits: their latest records, and all before on them."""
    found: set[int] = set()
    for event in action.awaits:
        records = [a for a in actions if event in a.records and a.ordinal < action.ordinal]
        latest = max((a.ordinal for a in records), default=-1)
        engines = {a.engine for a in records if a.ordinal == latest}
        found |= {i for i, a in enumerate(actions) if a.engine in engines and a.ordinal <= latest}
    return found


def always_before(program: Program) -> set[tuple[int, int]]:
    """Pairs of actions that run in this order in every schedule."""
    pairs = {(i, j) for i in range(len(program.actions)) for j in range(len(program.actions)) if i != j}
    for schedule in schedules(program):
        position = {action: at for at, action in enumerate(schedule)}
        pairs = {(i, j) for i, j in pairs if position[i] < position[j]}
    return pairs


def composed(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The transitive closure."""
    found = set(pairs)
    while more := {(i, k) for i, j in found for j2, k in found if j == j2} - found:
        found |= more
    return found
