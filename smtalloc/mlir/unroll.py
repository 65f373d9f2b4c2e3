"""Concrete runs of a function with control flow, as straight-line programs.

Loops run a chosen number of times, branches take a chosen side, calls go into the body of the callee: the result is a
Program without regions, in which each iteration's allocations are buffers of their own and loop-carried aliases are
exact. A race in such a run is a race of the function. Runs prove nothing: there are more of them than are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import builtin, func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from smtalloc.mlir.aliases import Refs, is_memref
from smtalloc.mlir.model import ProgramReader, Root
from smtalloc.mlir.profile import Profile
from smtalloc.mlir.scalars import constant_value
from smtalloc.mlir.values import is_pure
from smtalloc.program import Program

_TRIPS = (2, 1, 0)  # iterations of a loop: two show what one iteration does to the next
_VISITS = 2  # of a block, in a function of several
_MOST_OPS = 4_000
_MOST_CALLS = 8  # nested


class NotTracedError(Exception):
    """The function does something that has no concrete run here."""


@dataclass(frozen=True)
class Run:
    """One run: its program, where its buffers come from, and how many options there were at each choice."""

    program: Program
    roots: tuple[Root, ...]
    options: tuple[int, ...]


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
        self.suffix: dict[SSAValue, str] = {}
        self.ordinal = 0
        self.depth = 0

    def trace(self) -> Run:
        entry = self.function.body.blocks[0]
        for argument in entry.args:
            if is_memref(argument):
                self._root(argument, argument, None, external=True)
        self._return_values(self._blocks(list(self.function.body.blocks)))
        program = self.program()
        names: dict[str, int] = {}
        buffers = tuple(replace(b, name=_numbered(b.name, names)) for b in program.buffers)
        return Run(replace(program, buffers=buffers), tuple(d.root for d in self.drafts), tuple(self.options))

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
            open_ = [s for s in range(len(end.successors)) if visits.get(end.successors[s], 0) < _VISITS]
            if not open_ or end.name not in ("cf.br", "cf.cond_br"):
                raise NotTracedError(end.name)
            taken = open_[self._choose(len(open_))] if len(open_) > 1 else open_[0]
            target = end.successors[taken]
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
            case "scf.while":
                self._while(op)
            case "scf.execute_region":
                self._bind(op.results, self._blocks(list(op.regions[0].blocks)).operands)
            case "func.call":
                self._call(op)
            case _ if self._is_composite(op):
                raise NotTracedError(op.name)
            case _:
                self._emit(op, self.ordinal, self._trace(op, nested=False), composite=False)
        self._defined(op)

    def _for(self, op: Operation) -> None:
        body = op.regions[0].blocks[0]
        trips = self._trips(op)
        passed: Sequence[SSAValue] = op.operands[3:]
        for _ in range(trips):
            self._renew(body.args[0])
            self._bind(body.args[1:], passed)
            passed = self._straight(body).operands
        self._bind(op.results, passed)

    def _trips(self, op: Operation) -> int:
        low, high, step = (constant_value(v) for v in op.operands[:3])
        if low is None or high is None or step is None or step <= 0:
            return _TRIPS[self._choose(len(_TRIPS))]
        return min(max(0, -(-(high - low) // step)), _TRIPS[0])

    def _if(self, op: Operation) -> None:
        condition = op.operands[0]
        known = constant_value(condition)
        if known is None:
            if condition not in self.decided:
                self.decided[condition] = self._choose(2)
            taken = self.decided[condition]
        else:
            taken = 0 if known else 1
        blocks = list(op.regions[taken].blocks) if taken < len(op.regions) else []
        if blocks:
            self._bind(op.results, self._straight(blocks[0]).operands)

    def _while(self, op: Operation) -> None:
        first, second = (next(iter(region.blocks)) for region in op.regions)
        passed: Sequence[SSAValue] = op.operands
        trips = _TRIPS[self._choose(len(_TRIPS))]
        for trip in range(trips + 1):
            self._bind(first.args, passed)
            condition = self._straight(first).operands[1:]
            if trip == trips:
                self._bind(op.results, condition)
                return
            self._bind(second.args, condition)
            passed = self._straight(second).operands

    def _call(self, op: Operation) -> None:
        callee = _callee(op)
        if callee is None or self.depth >= _MOST_CALLS:
            raise NotTracedError(f"{op.name} to a function that is not in the module, or too deep")
        self.depth += 1
        self._bind(callee.body.blocks[0].args, op.operands)
        end = self._blocks(list(callee.body.blocks))
        self.depth -= 1
        self._bind(op.results, end.operands)

    # --- values -------------------------------------------------------------------------------------------

    def _bind(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> None:
        """The targets are now what the sources are, all at once."""
        refs: list[Refs] = [self._refs(source) if is_memref(source) else () for source in sources]
        for target, found in zip(targets, refs, strict=False):
            self._set(target, found)
            self._renew(target)

    def _defined(self, op: Operation) -> None:
        """Its results are new values, unless it is pure and its operands are the ones of the time before."""
        for result in op.results:
            self.decided.pop(result, None)
            if is_pure(op):
                self.suffix[result] = "".join(dict.fromkeys(self.suffix.get(v, "") for v in op.operands))
            else:
                self._renew(result)

    def _renew(self, value: SSAValue) -> None:
        self.times[value] = self.times.get(value, 0) + 1
        self.suffix[value] = "" if self.times[value] == 1 else f" (again, {self.times[value]})"
        self.decided.pop(value, None)

    def _scalar_name(self, value: SSAValue) -> str:
        """A scalar of a later iteration is another one than that of the first."""
        return super()._scalar_name(value) + self.suffix.get(value, "")

    def _return_values(self, end: Operation) -> None:
        for value in end.operands:
            for ref in self._refs(value):
                self.drafts[ref.root].live_out = True

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


def _callee(op: Operation) -> func.FuncOp | None:
    name = op.properties.get("callee", op.attributes.get("callee"))
    module: Operation | None = op
    while module is not None and not isinstance(module, builtin.ModuleOp):
        module = module.parent_op()
    if not isinstance(name, builtin.SymbolRefAttr) or module is None:
        return None
    for candidate in module.body.block.ops:
        if isinstance(candidate, func.FuncOp) and candidate.sym_name.data == name.root_reference.data:
            return candidate if candidate.body.blocks else None
    return None
