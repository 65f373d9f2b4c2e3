"""Concrete runs of a function with control flow, as straight-line programs.

Loops run as often as their bounds say, or a chosen number of times where an argument decides; branches take a chosen
side where an argument decides, the same each time. Calls have been inlined. The result is a Program without
regions, in which each iteration's allocations are buffers of their own and loop-carried aliases are exact.

Every run is one that can happen: where a condition or bound is computed, none is made up. So a race in a run is a race
of the function. Runs prove nothing: there are more of them than are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from smtalloc.mlir.aliases import is_memref
from smtalloc.mlir.layout import DYNAMIC, as_memref
from smtalloc.mlir.model import ProgramReader
from smtalloc.mlir.profile import Profile
from smtalloc.mlir.reader import value_name
from smtalloc.mlir.roots import Root
from smtalloc.mlir.scalars import constant_value, is_unsigned
from smtalloc.mlir.values import is_pure
from smtalloc.program import Program

_TRIPS = (2, 1, 0)  # iterations of a loop: two show what one iteration does to the next
_MOST_TRIPS = 8  # of a loop with constant bounds; then the run is cut
_VISITS = 4  # of a block, in a function of several; then the run is cut
_MOST_OPS = 4_000


class _CutError(Exception):
    """The run ends here."""


class NotTracedError(Exception):
    """The function does something that has no concrete run here."""


@dataclass(frozen=True)
class Run:
    """One run: its program, where its buffers come from, and how many options there were at each choice."""

    program: Program
    roots: tuple[Root, ...]
    options: tuple[int, ...]
    complete: bool
    """False: it stops inside a long loop. What comes before that happens, but nobody sees the end."""


def run_of(function: func.FuncOp, profile: Profile, choices: Sequence[int], *, split_views: bool = False) -> Run:
    """The run that takes these choices (0 for what comes after them). Raises NotTracedError."""
    return _Tracer(function, profile, split_views, choices).trace()


def next_choices(choices: Sequence[int], options: Sequence[int]) -> list[int] | None:
    """The run after this one, in lexicographic order; None behind the last."""
    taken = [*choices, *([0] * (len(options) - len(choices)))][: len(options)]
    while taken:
        if taken[-1] + 1 < options[len(taken) - 1]:
            return [*taken[:-1], taken[-1] + 1]
        taken.pop()
    return None


class _Tracer(ProgramReader):
    """Executes ops in order; everything about one op is `ProgramReader`'s."""

    def __init__(self, function: func.FuncOp, profile: Profile, split_views: bool, choices: Sequence[int]) -> None:
        super().__init__(function, profile, split_views)
        self.choices = choices
        self.options: list[int] = []
        self.decided: dict[SSAValue, int] = {}
        self.times: dict[SSAValue, int] = {}
        self.sources: dict[SSAValue, tuple[SSAValue, int]] = {}
        self.asserted: set[SSAValue] = set()
        """Inputs that an assertion restricts in a way that is not followed."""
        self.ordinal = 0

    def trace(self) -> Run:
        self._arguments()
        complete = True
        try:
            self._return(self._blocks(list(self.function.body.blocks)))
        except _CutError:
            complete = False
        if not self.asserted.isdisjoint(self.decided):
            raise NotTracedError("an assertion may rule out this run")
        program = self.program()
        names: dict[str, int] = {}
        buffers = tuple(replace(b, name=_numbered(b.name, names)) for b in program.buffers)
        return Run(replace(program, buffers=buffers), tuple(d.root for d in self.drafts), tuple(self.options), complete)

    def _choose(self, options: int) -> int:
        position = len(self.options)
        self.options.append(options)
        return self.choices[position] if position < len(self.choices) else 0

    # --- control ------------------------------------------------------------------------------------------

    def _blocks(self, blocks: list[Block]) -> Operation:
        """Run from the first block to a terminator that leaves; gives that terminator."""
        visits: dict[Block, int] = {}
        block = blocks[0]
        while True:
            visits[block] = visits.get(block, 0) + 1
            end = self._straight(block)
            if not end.successors:
                return end
            if end.name not in ("cf.br", "cf.cond_br"):
                raise NotTracedError(end.name)
            taken = self._condition(end.operands[0]) if end.name == "cf.cond_br" else 0
            target = end.successors[taken]
            if visits.get(target, 0) >= _VISITS:
                raise _CutError
            self._bind(target.args, _successor_operands(end, taken))
            block = target

    def _straight(self, block: Block) -> Operation:
        for op in block.ops:
            if op.has_trait(IsTerminator):
                return op
            self._step(op)
        raise NotTracedError("a block without a terminator")

    def _step(self, op: Operation) -> None:
        self.ordinal += 1
        if self.ordinal > _MOST_OPS:
            raise NotTracedError("too long")
        match op.name:
            case "scf.for":
                self._for(op)
            case "scf.if":
                self._if(op)
            case "scf.execute_region":
                self._bind(op.results, self._blocks(list(op.regions[0].blocks)).operands)
            case "cf.assert" if self._is_input(op.operands[0]):
                if self.decided.setdefault(op.operands[0], 0):
                    raise _CutError  # it fails: nothing behind it runs
            case "cf.assert":
                self.asserted |= self._inputs_of(op.operands[0])
            case "func.call":  # those with a body were inlined (inline.py)
                raise NotTracedError("a call of what is not in the module")
            case _ if self._is_composite(op):
                raise NotTracedError(op.name)
            case _:
                self._within_bounds(op)
                self._defined(op)
                self.sources |= {result: (result, self.ordinal) for result in op.results}
                self._emit(op, self.ordinal, self._trace(op, nested=False), composite=False)

    def _for(self, op: Operation) -> None:
        body = op.regions[0].blocks[0]
        trips = self._trips(op)
        low, step = constant_value(op.operands[0]), constant_value(op.operands[2])
        passed: Sequence[SSAValue] = op.operands[3:]
        for trip in range(trips):
            if trip >= _MOST_TRIPS:
                raise _CutError  # what is behind the loop has not been reached
            if low is not None and step is not None:
                self.names[body.args[0]] = str(low + trip * step)
            else:
                self.names[body.args[0]] = f"{value_name(body.args[0])} (iteration {trip + 1})"
            self._bind(body.args[1:], passed)
            passed = self._straight(body).operands
        self._bind(op.results, passed)

    def _trips(self, op: Operation) -> int:
        """Known where the bounds are constant; open where the upper one is an argument (and always the same then)."""
        low, high, step = (constant_value(v) for v in op.operands[:3])
        if low is None or step is None or step <= 0 or is_unsigned(op):
            raise NotTracedError("a loop with computed bounds")
        if high is not None:
            return max(0, -(-(high - low) // step))
        if not self._is_input(op.operands[1]) or (low, step) != (0, 1):
            raise NotTracedError("a loop with computed bounds")
        sizes = any(use.operation.name == "memref.alloc" for use in op.operands[1].uses)
        options = len(_TRIPS) - 1 if sizes else len(_TRIPS)  # where nothing runs, what it sizes is empty
        return _TRIPS[self._decide(op.operands[1], options)]

    def _if(self, op: Operation) -> None:
        taken = self._condition(op.operands[0])
        blocks = list(op.regions[taken].blocks) if taken < len(op.regions) else []
        if blocks:
            self._bind(op.results, self._straight(blocks[0]).operands)

    def _condition(self, value: SSAValue) -> int:
        """0: true, 1: false. Only an input of the function may be either; what is computed may be one of them only."""
        known = constant_value(value)
        if known is not None:
            return 0 if known else 1
        if not self._is_input(value):
            raise NotTracedError("a computed condition")
        return self._decide(value, 2)

    def _is_input(self, value: SSAValue) -> bool:
        return isinstance(value, BlockArgument) and value.block is self.function.body.blocks[0]

    def _within_bounds(self, op: Operation) -> None:
        """An index that is too large does not happen: nor does a run in which it would."""
        first = {"memref.load": 0, "memref.store": 1}.get(op.name)
        type_ = as_memref(op.operands[first].type) if first is not None else None
        if first is None or type_ is None:
            return
        for index, size in zip(op.operands[first + 1 :], type_.get_shape(), strict=True):
            known = constant_value(index)
            text = str(known) if known is not None else self.names.get(index, "")
            if size != DYNAMIC and text.isdecimal() and int(text) >= size:
                raise NotTracedError("an index out of bounds")

    def _inputs_of(self, value: SSAValue) -> set[SSAValue]:
        """The inputs from which a scalar is computed."""
        seen, open_ = {value}, [value]
        while open_:
            owner = open_.pop().owner
            if isinstance(owner, Operation):
                open_ += [v for v in owner.operands if v not in seen]
                seen.update(owner.operands)
        return {v for v in seen if self._is_input(v)}

    def _decide(self, value: SSAValue, options: int) -> int:
        if value not in self.decided:
            self.decided[value] = self._choose(options)
        return self.decided[value]

    # --- values -------------------------------------------------------------------------------------------

    def _bind(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> None:
        """The targets are now what the sources are, all at once."""
        found = [(self._refs(v) if is_memref(v) else (), self._known_name(v), self._identity(v)) for v in sources]
        for target, (refs, name, source) in zip(targets, found, strict=False):
            self._set(target, refs)
            self.names[target] = name
            self.sources[target] = source

    def _identity(self, value: SSAValue) -> tuple[SSAValue, int]:
        return self.sources.get(value, (value, 0))

    def _known_name(self, value: SSAValue) -> str:
        """A constant by its value, any other scalar by its name in this run."""
        constant = constant_value(value)
        return self._scalar_name(value) if constant is None or is_memref(value) else str(constant)

    def _defined(self, op: Operation) -> None:
        """The results of anything but a pure op are new values each time it runs."""
        if not is_pure(op):
            for result in op.results:
                self.names[result] = self._fresh_name(result)

    def _fresh_name(self, value: SSAValue) -> str:
        self.times[value] = self.times.get(value, 0) + 1
        again = self.times[value]
        return value_name(value) if again == 1 else f"{value_name(value)} (again, {again})"

    def _root(self, value: SSAValue, key: object, op: Operation | None, *, external: bool) -> int:
        """Each time an allocation runs it gives new memory."""
        if key is value and op is not None:
            self.roots_of.pop(key, None)
        return super()._root(value, key, op, external=external)


def _numbered(name: str, names: dict[str, int]) -> str:
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name} (again, {names[name]})"


def _successor_operands(end: Operation, taken: int) -> Sequence[SSAValue]:
    if end.name == "cf.br":
        return end.operands
    groups: Sequence[Sequence[SSAValue]] = (
        getattr(end, "then_arguments", ()),
        getattr(end, "else_arguments", ()),
    )
    return groups[taken]
