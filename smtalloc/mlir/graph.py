"""The paths of two functions that match op by op, as one graph (smtalloc/flow.py).

Structured control flow (scf, affine) and branches between blocks are followed; the iterations of scf.forall and
scf.parallel are in no order. An op whose regions are not known is one point, whose accesses may happen or not. Both
functions are walked in step, so that the points at which either allocates or frees stand where they belong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator

from smtalloc.flow import Flow, Freed, Point
from smtalloc.mlir.compare import outlives
from smtalloc.mlir.deallocation import freed_by
from smtalloc.mlir.engines import Engines, Where
from smtalloc.mlir.layout import integer_width
from smtalloc.mlir.match import corresponds
from smtalloc.mlir.model import FunctionModel, ProgramReader
from smtalloc.mlir.profile import OpRule
from smtalloc.mlir.reader import location_of
from smtalloc.mlir.scalars import constant_value, is_unsigned
from smtalloc.mlir.twins import Twins


class NotFollowedError(Exception):
    """Control flow that the graph does not have; says what, and where."""


def flow_of(before: FunctionModel, after: FunctionModel, *, split_views: bool = False) -> Flow:
    """The paths of a function before and after a pass. Raises NotFollowedError.

    `split_views` as `before` was read (mlir/model.py).
    """
    return _Walker(before, after, split_views).run()


class _Reader(ProgramReader):
    """Aliases and roots as in the function's model; actions op by op, wherever they stand."""

    def prepare(self) -> None:
        self.run()
        self.actions = []
        self.engines = Engines(self.profile, self.function, self._identity, self._assume)

    def _places(self, op: Operation, rule: OpRule, *, touches: bool, nested: bool) -> tuple[Where, ...]:
        return (self.engines.place_on_path(op, rule),)

    def leaf(self, op: Operation, ordinal: int) -> range:
        """Add the actions of an op whose regions are not followed; their indices."""
        start = len(self.actions)
        self._emit(op, ordinal, self._trace(op, nested=True), composite=self._is_composite(op))
        return range(start, len(self.actions))


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two functions: where its roots are allocated."""

    model: FunctionModel
    births: dict[Operation, int]

    def freed(self, op: Operation) -> tuple[Freed, ...]:
        """What an op of this side frees."""
        frees = self.model.profile.rule(op.name).frees
        if frees is None or frees >= len(op.operands):
            return ()
        where = str(location_of(op))
        return tuple(
            Freed(ref.root, freed.certain and len(freed.refs) == 1, where, ref.base == 0 and ref.lo == 0)
            for freed in freed_by(op, lambda value: self.model.refs.get(value, ()), frees)
            for ref in freed.refs
        )


def _side(model: FunctionModel) -> _Side:
    births = {
        root.op: index
        for index, root in enumerate(model.roots)
        if root.op is not None
        and (not model.program.buffers[index].external or model.profile.rule(root.op.name).root == "stack")
    }
    return _Side(model, births)


class _Walker:
    """Walks both functions; `self.at` are the points that lead to what comes next."""

    def __init__(self, before: FunctionModel, after: FunctionModel, split_views: bool) -> None:
        self.reader = _Reader(before.func, before.profile, split_views)
        self.reader.prepare()
        self.before, self.after = _side(before), _side(after)
        self.profile = before.profile
        self.points: list[Point] = []
        self.edges: list[set[int]] = []
        self.at: list[int] = []
        self.bodies: list[frozenset[int]] = []
        self.twins = Twins(before, after)
        self.overlapping: set[int] = set()
        """Buffers of BEFORE that several iterations, which may run at the same time, have one each of."""

    def run(self) -> Flow:
        mine, theirs = self.before.model.func, self.after.model.func
        self._point(Point())
        self._blocks(list(mine.body.blocks), list(theirs.body.blocks))
        self._point(Point())  # behind every return
        program = self.reader.program()
        flow = Flow(program, tuple(self.points), tuple(tuple(sorted(targets)) for targets in self.edges))
        return replace(
            flow,
            carried_before=_carried(self.before, flow, (p.gives_before for p in self.points)) | self.overlapping,
            carried_after=_carried(self.after, flow, (p.gives_after for p in self.points)),
            parallel=tuple(self.bodies),
        )

    def _point(self, point: Point) -> int:
        number = len(self.points)
        self.points.append(point)
        self.edges.append(set())
        self._lead_to(number)
        self.at = [number]
        return number

    def _lead_to(self, number: int) -> None:
        for source in self.at:
            self.edges[source].add(number)

    # --- blocks --------------------------------------------------------------------------------------------------

    def _blocks(self, mine: Sequence[Block], theirs: Sequence[Block]) -> None:
        """All blocks of a region, from the first; behind it `at` are the ends that leave it."""
        if len(mine) == 1:
            self._ops(mine[0], theirs[0])
            return
        entry = self.at
        starts: dict[Block, int] = {}
        for block in mine:
            self.at = entry if block is mine[0] else []
            starts[block] = self._point(Point())
        ends: list[int] = []
        for b, a in zip(mine, theirs, strict=True):
            self.at = [starts[b]]
            self._ops(b, a)
            last = b.last_op
            if last is None or not last.successors:
                ends += self.at
                continue
            for successor in last.successors:
                self._lead_to(starts[successor])
        self.at = ends

    def _ops(self, mine: Block, theirs: Block) -> None:
        self.twins.clear()
        self.twins.bind(mine.args, theirs.args)
        others = iter(theirs.ops)
        for op in mine.ops:
            if corresponds(op, self.profile):
                counterpart = self._next(others)
                if counterpart is None or counterpart.name != op.name:
                    raise NotFollowedError(f"{op.name} at {location_of(op)} has no counterpart")
                self._op(op, counterpart)
            else:
                self._own(op)
        if self._next(others) is not None:
            raise NotFollowedError("a block has more ops than before")

    def _next(self, others: Iterator[Operation]) -> Operation | None:
        """The next op of AFTER that has a counterpart; what it allocates and frees on the way has its points."""
        for op in others:
            if corresponds(op, self.profile):
                return op
            given, freed = self.after.births.get(op), self.after.freed(op)
            twin = self.twins.take(op) if freed else None
            if twin is not None:
                roots = frozenset(other.buffer for other in self.before.freed(twin))
                freed = tuple(replace(one, twin=roots) for one in freed)
            if given is not None or freed:
                self._point(Point(gives_after=() if given is None else (given,), frees_after=freed))
        return None

    def _own(self, op: Operation) -> None:
        given, freed = self.before.births.get(op), self.before.freed(op)
        if freed:
            self.twins.add(op)
        if given is not None or freed:
            self._point(Point(gives_before=() if given is None else (given,), frees_before=freed))

    # --- ops -----------------------------------------------------------------------------------------------------

    def _op(self, op: Operation, other: Operation) -> None:
        self.twins.clear()
        self._run(op, other)
        self.twins.clear()
        self.twins.bind(op.results, other.results)

    def _run(self, op: Operation, other: Operation) -> None:
        match op.name:
            case "scf.for" | "affine.for":
                self._loop(op, other)
            case "scf.if" | "affine.if":
                self._branches(op, other, exhaustive=len(op.regions) > 1 and bool(op.regions[1].blocks))
            case "scf.index_switch":
                self._branches(op, other, exhaustive=True)
            case "scf.while":
                self._while(op, other)
            case "scf.forall" | "scf.parallel" | "affine.parallel" if not op.results:
                self._parallel(op, other)
            case "scf.execute_region":
                self._blocks(list(op.regions[0].blocks), list(other.regions[0].blocks))
            case _:
                self._leaf(op, other)

    def _leaf(self, op: Operation, other: Operation) -> None:
        if op.successors and op.name not in ("cf.br", "cf.cond_br", "cf.switch"):
            raise NotFollowedError(f"{op.name} at {location_of(op)} goes where it is not known")
        if op.has_trait(IsTerminator):
            return
        inside = (o for each in (op, other) for o in each.walk() if o is not each)
        if any(self.profile.rule(o.name).frees is not None for o in inside):
            raise NotFollowedError(f"the body of {op.name} at {location_of(op)} frees memory")
        actions = self.reader.leaf(op, len(self.points))
        given = self._made_inside(self.before, op), self._made_inside(self.after, other)
        frees = self.before.freed(op)
        roots = frozenset(one.buffer for one in frees)
        freed = frees, tuple(replace(one, twin=roots) for one in self.after.freed(other))
        if actions or any(given) or any(freed):
            number = self._point(Point(tuple(actions), *given, *freed))
            if op.regions:  # its iterations may overlap
                self.edges[number].add(number)
                self.overlapping |= {*given[0]}

    def _made_inside(self, side: _Side, op: Operation) -> tuple[int, ...]:
        """What an op allocates in regions that are not followed; or itself, where no pass may replace it."""
        return tuple(side.births[o] for o in op.walk() if o in side.births)

    def _loop(self, op: Operation, other: Operation) -> None:
        trips = _trips(op)
        if trips == 0:
            return
        head = self._point(Point())
        self._blocks(list(op.regions[0].blocks), list(other.regions[0].blocks))
        if trips != 1:
            self._lead_to(head)
        if trips is None:
            self.at = [*self.at, head]

    def _parallel(self, op: Operation, other: Operation) -> None:
        """A loop whose iterations are in no order among each other."""
        head = self._point(Point())
        self._blocks(list(op.regions[0].blocks), list(other.regions[0].blocks))
        self._lead_to(head)
        self.bodies.append(frozenset(range(head, len(self.points))))
        self.at = [head]

    def _branches(self, op: Operation, other: Operation, *, exhaustive: bool) -> None:
        entry = list(self.at)
        ends: list[int] = [] if exhaustive else list(entry)
        for mine, theirs in zip(op.regions, other.regions, strict=True):
            if not mine.blocks:
                continue
            self.at = list(entry)
            self._blocks(list(mine.blocks), list(theirs.blocks))
            ends += self.at
        self.at = list(dict.fromkeys(ends))

    def _while(self, op: Operation, other: Operation) -> None:
        head = self._point(Point())
        self._blocks(list(op.regions[0].blocks), list(other.regions[0].blocks))
        tested = list(self.at)
        self._blocks(list(op.regions[1].blocks), list(other.regions[1].blocks))
        self._lead_to(head)
        self.at = tested


def _trips(op: Operation) -> int | None:
    """How often a loop runs, where its bounds are constant."""
    if op.name != "scf.for":
        return None
    low, high, step = (constant_value(value) for value in op.operands[:3])
    if low is None or high is None or step is None or step <= 0 or is_unsigned(op):
        return None
    trips = max(0, -(-(high - low) // step))
    wraps = low + trips * step >= 1 << ((integer_width(op.operands[0].type) or 64) - 1)
    return None if trips and wraps else trips


def _carried(side: _Side, flow: Flow, given: Iterable[tuple[int, ...]]) -> frozenset[int]:
    """Roots that are allocated time and again and may outlive the iteration, through a loop's or block's arguments."""
    repeated = {root for point, roots in enumerate(given) for root in roots if flow.ahead[point] >> point & 1}
    if not repeated:
        return frozenset()
    outliving = (v for v in side.model.refs if outlives(v, side.model.func))
    found = {ref.root for value in outliving for ref in side.model.refs[value]}
    return frozenset(repeated & (found | side.model.escaped))
