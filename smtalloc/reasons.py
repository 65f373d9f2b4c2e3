"""Why the accesses of one buffer are over before those of another begin: the happens-before path, in words."""

from __future__ import annotations

from bisect import bisect_right

from smtalloc.order import Order
from smtalloc.program import HOST


class Reasons:
    """The reasons of one program."""

    def __init__(self, order: Order) -> None:
        self.order = order
        actions = order.program.actions
        self._syncs = [i for i, a in enumerate(actions) if a.waits or a.awaits or a.records]

    def before(self, first: int, second: int) -> str:
        """One sentence for `before(first, second)` of two buffers: the last action, what orders it, the first action.

        With several engines, one part per pair of engines; what needs no wait is left out where something does.
        """
        buffers = self.order.program.buffers
        names = f"{buffers[first].name} before {buffers[second].name}"
        lasts, starts = self.order.ends(first), self.order.ends(second)
        if not lasts or not starts:
            return f"{names}: one of them is never accessed"
        actions = self.order.program.actions
        pairs = [(last, start) for _, last in lasts for start, _ in starts]
        waited = [p for p in pairs if not actions[p[0]].on_host and actions[p[0]].engine != actions[p[1]].engine]
        parts = [self._path(last, start) for last, start in waited or [max(pairs)]]
        return f"{names}: " + "; ".join(dict.fromkeys(parts))

    def _path(self, last: int, start: int) -> str:
        a, b = self.order.program.actions[last], self.order.program.actions[start]
        if a.on_host:
            how = "host first"
        elif a.engine == b.engine:
            how = f"both on {a.engine}"
        else:
            how = self._steps(last, start)
        return f"{a.label}, then {b.label} ({how})"

    def _steps(self, last: int, start: int) -> str:
        """The wait, or the events, by which the engine of `start` learns that `last` is over.

        Knowledge spreads along the actions: who is known to be behind `last`, and by which waits.
        """
        actions = self.order.program.actions
        knows: dict[str, tuple[str, ...]] = dict.fromkeys((actions[last].engine, *actions[last].records), ())
        engine = actions[start].engine
        at = bisect_right(self._syncs, last)
        while engine not in knows and HOST not in knows and at < len(self._syncs) and self._syncs[at] <= start:
            action = actions[self._syncs[at]]
            source = next((name for name in (*action.waits, *action.awaits) if name in knows), None)
            if source is not None:
                here = f"{action.label} waits for {source}"
                knows.setdefault(action.engine, (*knows[source], here))
            for event in action.records:
                if action.engine in knows:
                    knows[event] = knows[action.engine]
                else:
                    knows.pop(event, None)
            at += 1
        return ", ".join(knows.get(engine, knows.get(HOST, ()))) or "ordered"
