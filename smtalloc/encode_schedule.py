"""The axioms of encodings/order.smt2 for the actions of a program: what `encode.py` is for sharing.smt2."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from smtalloc.encode import asserted
from smtalloc.program import Program
from smtalloc.schedule import awaited_records


def schedule_axioms(program: Program) -> list[str]:
    """The axioms of order.smt2 for the actions of a program, as lines.

    Declares `host_i` for a host action with index i in `Program.actions`, and `issue_i`, `start_i`, `finish_i` for a
    device action. Put `definitions("order")` before them; the models are the schedules.
    """
    lines: list[str] = []
    for i, action in enumerate(program.actions):
        events = (f"host_{i}",) if action.on_host else (f"issue_{i}", f"start_{i}", f"finish_{i}")
        lines += [f"(declare-const {event} Int)" for event in events]
        if not action.on_host:
            lines.append(asserted(f"(issued_before_start issue_{i} start_{i})"))
            lines.append(asserted(f"(takes_time start_{i} finish_{i})"))
    lines += _steps(program, lambda _: True, "host_program_order", reached, reached)
    for queue in program.queues:
        lines += _steps(program, lambda i, q=queue: program.actions[i].engine == q, "in_order_queue", finished, started)
    for i, action in enumerate(program.actions):
        for queue in action.waits:
            earlier = [
                a for a, other in enumerate(program.actions) if other.engine == queue and other.ordinal < action.ordinal
            ]
            lines += [asserted(f"(host_waits finish_{a} host_{i})") for a in earlier]
    for earlier, later in awaited_records(program):
        lines.append(asserted(f"(event_awaited {finished(program, earlier)} {started(program, later)})"))
    return lines


def _steps(
    program: Program,
    chosen: Callable[[int], bool],
    axiom: str,
    earlier: Callable[[Program, int], str],
    later: Callable[[Program, int], str],
) -> Iterator[str]:
    """An axiom between the chosen actions of neighbouring ordinals; the others follow by transitivity."""
    last: list[int] = []
    current: list[int] = []
    for i in filter(chosen, range(len(program.actions))):
        if current and program.actions[current[0]].ordinal != program.actions[i].ordinal:
            last, current = current, []
        current.append(i)
        for a in last:
            yield asserted(f"({axiom} {earlier(program, a)} {later(program, i)})")


def reached(program: Program, action: int) -> str:
    """When the host does, or issues, an action."""
    return f"host_{action}" if program.actions[action].on_host else f"issue_{action}"


def started(program: Program, action: int) -> str:
    """When an action begins to touch memory."""
    return f"host_{action}" if program.actions[action].on_host else f"start_{action}"


def finished(program: Program, action: int) -> str:
    """When an action no longer touches memory."""
    return f"host_{action}" if program.actions[action].on_host else f"finish_{action}"
