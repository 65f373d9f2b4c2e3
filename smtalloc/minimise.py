"""From a schedule that reads a wrong value to the actions that it takes, none of which can be left out.

Three actions are enough for most clashes: the write that a read should see, the write that comes between, and the
read. Where they are not (what is copied must have been written by somebody), the search starts from the actions whose
results reach the wrong read, and leaves out halves, quarters, and so on down to single ones (delta debugging:
Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from smtalloc.program import Access, Action
from smtalloc.replay import NOMINAL, Memory, Symbol

Breaks = Callable[[Sequence[int]], bool]
"""Do these actions alone, in this order, still read a wrong value?"""

_BUDGET = 20_000  # actions run in all; a counterexample that is not yet minimal by then stays as it is


def minimal(
    tests: Sequence[Breaks], schedule: Sequence[int], starts: Sequence[Callable[[], Iterable[int]]]
) -> tuple[int, ...]:
    """A subsequence of the schedule that breaks, while without any one of its actions it does not.

    `tests` say what to break means, the one that is wanted most first; `starts` are sets of actions to begin with,
    cheapest first. The whole schedule comes last. Where the budget ends first, or not even the whole schedule breaks,
    the result is the best that was found.
    """
    spent = 0

    def affordable(test: Breaks, kept: Sequence[int]) -> bool:
        nonlocal spent
        spent += len(kept)
        return spent <= _BUDGET and test(kept)

    for test in tests:
        for start in (*starts, lambda: schedule):
            chosen = frozenset(start())
            kept = [action for action in schedule if action in chosen]
            if affordable(test, kept):
                return tuple(_shrunk(lambda fewer, test=test: affordable(test, fewer), kept))
    return tuple(schedule)


def _shrunk(breaks: Breaks, kept: list[int]) -> list[int]:
    """Leave out chunks, latest first, as long as that breaks; single ones until no one can go."""
    chunk = max(1, len(kept) // 2)
    while True:
        changed = False
        end = len(kept)
        while end > 0:
            fewer = kept[: max(0, end - chunk)] + kept[end:]
            if breaks(fewer):
                kept, changed = fewer, True
            end -= chunk
        if chunk == 1 and not changed:
            return kept
        chunk = max(1, chunk // 2)


def reaching(
    runs: Sequence[tuple[Sequence[Action], Sequence[int]]], targets: Iterable[int], seen: Sequence[Sequence[Access]]
) -> frozenset[int]:
    """The actions whose results reach the targets in any of the runs (accesses per action, schedule).

    `seen` are, per run, what somebody looks at in the end.
    """
    sources: dict[int, set[int]] = {}
    found = set(targets)
    for (actions, schedule), final in zip(runs, seen, strict=True):
        memories: dict[int, Memory] = {}
        scalars: dict[str, int] = {}
        for index in schedule:
            action = actions[index]
            direct = {writer for access in action.reads for writer in _writers(memories, access)}
            direct |= {scalars[name] for name in action.scalars if name in scalars}
            sources.setdefault(index, set()).update(direct)
            for access in action.writes:
                size = (NOMINAL if access.hi is None else access.hi) - access.lo
                memories.setdefault(access.buffer, Memory("")).write(access.lo, (Symbol(str(index), access.lo, size),))
            scalars |= dict.fromkeys(action.results, index)
        found |= {writer for access in final for writer in _writers(memories, access)}
    return _closure(found, sources)


def _writers(memories: Mapping[int, Memory], access: Access) -> set[int]:
    memory = memories.get(access.buffer)
    pieces = memory.read(access.lo, NOMINAL if access.hi is None else access.hi) if memory is not None else ()
    return {int(piece.name) for piece in pieces if isinstance(piece, Symbol) and piece.name.isdigit()}


def _closure(found: set[int], sources: Mapping[int, set[int]]) -> frozenset[int]:
    waiting = list(found)
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source not in found:
                found.add(source)
                waiting.append(source)
    return frozenset(found)
