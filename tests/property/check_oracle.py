"""An oracle for tests of the checker: small random programs, and what may share in them by playing every schedule.

It shares no code with check.py. Happens-before is read off the schedules of a small machine: a host that reaches ops in
order and waits for queues to drain, and in-order queues that start and finish what was issued to them.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import strategies as st
from schedules import awaited

from smtalloc.plan import Policy, TypeRule
from smtalloc.program import HOST, Access, Action, Buffer, Program

# --- programs ----------------------------------------------------------------------------------------------


def often(usual: Any, *rare: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from([usual] * 6 + list(rare))


@st.composite
def buffers(draw: st.DrawFn, index: int) -> Buffer:
    size = draw(st.sampled_from([1, 2, 3, 5, 6, 8, 8, None]))
    return Buffer(
        f"%{index}",
        size,
        alignment=draw(st.sampled_from([1, 2, 4])),
        space=draw(often("", "1")),
        element_type=draw(often("f32", "i8")),
        size_key=draw(st.sampled_from(["m", "m", "m", "n", ""])) if size is None else "",
        external=draw(often(False, True)),
        live_out=draw(often(False, True)),
        pinned=draw(often("", "", "passed to an unknown op")),
    )


@st.composite
def programs(draw: st.DrawFn, most_buffers: int = 7) -> Program:
    found = tuple(draw(buffers(b)) for b in range(draw(st.integers(2, most_buffers))))
    actions: list[Action] = []
    ordinal = 0
    for _ in range(draw(st.sampled_from([7, 6, 5, 4, 3, 2, 0]))):
        engine = draw(st.sampled_from([HOST, "q", "q", "r"]))
        ordinal += draw(st.sampled_from([1, 1, 1, 0, 2]))  # 0: one op on several engines; 2: a gap
        touched = draw(st.lists(st.integers(0, len(found) - 1), max_size=3))
        cut = draw(st.integers(0, len(touched)))
        waits = draw(st.sampled_from([(), ("q",), ("q",), ("r",), ("q", "r")])) if engine == HOST else ()
        reads, writes = (tuple(Access(b) for b in part) for part in (touched[:cut], touched[cut:]))
        records, awaits = (draw(st.sampled_from([(), (), (), ("e",), ("f",)])) for _ in range(2))
        actions.append(Action(ordinal, engine, f"op{ordinal}", reads, writes, waits, records=records, awaits=awaits))
    return Program("f", found, tuple(actions))


# --- the oracle --------------------------------------------------------------------------------------------


def clashes(actions: tuple[Action, ...]) -> set[tuple[int, int]]:
    """(i, j) such that in some schedule action j starts while action i has not finished."""
    found: set[tuple[int, int]] = set()
    todo, seen = [(0,) * len(actions)], set()
    while todo:  # 0 not reached by the host, 1 issued, 2 started, 3 finished
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        for j, action in enumerate(actions):
            earlier = [i for i, other in enumerate(actions) if other.ordinal < action.ordinal]
            queues = action.waits if action.engine == HOST else (action.engine,)
            needed = {*(i for i in earlier if actions[i].engine in queues), *awaited(actions, action)}
            drained = all(state[i] == 3 for i in needed)
            reached = all(state[i] >= (3 if actions[i].engine == HOST else 1) for i in earlier)
            then = state[j] + 1
            if action.engine == HOST:
                possible, starts, then = state[j] == 0 and reached and drained, True, 3
            else:
                possible, starts = (reached, drained, True, False)[state[j]], state[j] == 1
            if possible:
                todo.append((*state[:j], then, *state[j + 1 :]))
                if starts:
                    found |= {(i, j) for i in range(len(actions)) if state[i] != 3}
    return found


class Truth:
    """What may share, by brute force. The caller of the function is one more host action at its end."""

    def __init__(self, program: Program, policy: Policy, types: TypeRule) -> None:
        self.program, self.policy, self.types = program, policy, types
        self.end = max((a.ordinal for a in program.actions), default=0) + 1
        actions = (*program.actions, Action(self.end, HOST, "return"))
        bad = clashes(actions)
        self.uses = [self._uses(b) for b in range(len(program.buffers))]
        self.allocations = [b for b, buffer in enumerate(program.buffers) if not buffer.external]
        pairs = list(combinations(self.allocations, 2))
        self.ordered = {
            (x, y): any(
                not program.buffers[a].live_out and all((i, j) not in bad for i in self.uses[a] for j in self.uses[b])
                for a, b in ((x, y), (y, x))
            )
            for x, y in pairs
        }
        self.shares = {pair for pair in pairs if self._alike(*pair) and self._allowed(*pair)}
        self.safe = {pair for pair in pairs if self._alike(*pair) and self._allowed(*pair) and self.ordered[pair]}

    def _uses(self, b: int) -> list[int]:
        uses = [i for i, a in enumerate(self.program.actions) if b in {x.buffer for x in a.reads + a.writes}]
        return uses or [len(self.program.actions)] * self.program.buffers[b].live_out

    def _alike(self, x: int, y: int) -> bool:
        a, b = self.program.buffers[x], self.program.buffers[y]
        if a.pinned or b.pinned or a.space != b.space:
            return False
        if self.types is TypeRule.STRICT and a.element_type != b.element_type:
            return False
        if a.size_bytes is None and b.size_bytes is None:
            return a.size_key == b.size_key != ""
        return a.size_bytes is not None and b.size_bytes is not None

    def _allowed(self, x: int, y: int) -> bool:
        if self.policy is Policy.HAPPENS_BEFORE:
            return self.ordered[x, y]
        if self.policy is Policy.HOST_EXCLUSIVE:
            engines = {a.engine for b in (x, y) for a in self.program.actions if b in {c.buffer for c in a.accesses}}
            if HOST in engines or not self.ordered[x, y]:
                return False
        return not (self._busy(x) & self._busy(y))

    def _busy(self, b: int) -> set[int]:
        at = [self.program.actions[i].ordinal for i in self.uses[b] if i < len(self.program.actions)]
        at += [self.end] * self.program.buffers[b].live_out
        return set(range(min(at), max(at) + 1)) if at else set()

    def conflict(self, members: tuple[int, ...]) -> bool:
        """No two of them may share."""
        return all(pair not in self.shares for pair in combinations(sorted(members), 2))

    def size(self, members: tuple[int, ...]) -> int | None:
        sizes = [self.program.buffers[b].size_bytes for b in members]
        return None if None in sizes else max(sizes)

    def cost(self, slots: tuple[tuple[int, ...], ...]) -> tuple[int, int]:
        sizes = [self.size(members) for members in slots]
        return sum(size for size in sizes if size is not None), sizes.count(None)

    def minimum(self) -> tuple[int, int]:
        """Least bytes and least slots of run-time size, over all partitions that the policy allows."""
        best = [10**9, 10**9]

        def place(rest: list[int], slots: tuple[tuple[int, ...], ...]) -> None:
            if not rest:
                best[:] = [min(pair) for pair in zip(best, self.cost(slots), strict=True)]
                return
            b = rest[0]
            for n, members in enumerate(slots):
                if all((x, b) in self.shares for x in members):
                    place(rest[1:], (*slots[:n], (*members, b), *slots[n + 1 :]))
            place(rest[1:], (*slots, (b,)))

        place(self.allocations, ())
        return best[0], best[1]


truths = st.builds(Truth, programs(), st.sampled_from(Policy), st.sampled_from(TypeRule))
small_truths = st.builds(Truth, programs(5), st.sampled_from(Policy), st.sampled_from(TypeRule))
