"""Frees that are the same before and after a pass: in the same place, by the same value, on the same condition.

What such a free does wrong in AFTER it does wrong in BEFORE, as long as its memory is allocated in the same place too.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, OpResult, SSAValue

from smtalloc.mlir.aliases import CASTS, is_memref
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.scalars import constant_value
from smtalloc.mlir.values import is_pure


class Twins:
    """The frees of BEFORE since the last op that both functions have, while both are walked in step."""

    def __init__(self, before: FunctionModel, after: FunctionModel) -> None:
        self.before, self.after = before, after
        self._open: list[Operation] = []
        self._bound: dict[SSAValue, SSAValue] = {}
        self.bind(before.func.body.blocks[0].args, after.func.body.blocks[0].args)

    def bind(self, mine: Sequence[SSAValue], theirs: Sequence[SSAValue]) -> None:
        """Results of matched ops, and arguments of their blocks: the same values."""
        self._bound |= dict(zip(mine, theirs, strict=True))

    def clear(self) -> None:
        self._open.clear()

    def add(self, op: Operation) -> None:
        """A free of BEFORE."""
        self._open.append(op)

    def take(self, op: Operation) -> Operation | None:
        """The free of BEFORE that is the same as this one of AFTER; each is given once."""
        twin = next((mine for mine in self._open if self._is_twin(mine, op)), None)
        if twin is not None:
            self._open.remove(twin)
        return twin

    def _is_twin(self, mine: Operation, theirs: Operation) -> bool:
        if (
            mine.name != theirs.name
            or mine.properties != theirs.properties
            or len(mine.operands) != len(theirs.operands)
        ):
            return False
        return all(map(self._is_same, mine.operands, theirs.operands))

    def _is_same(self, mine: SSAValue, theirs: SSAValue) -> bool:
        if mine in self._bound:
            return self._bound[mine] is theirs
        if is_memref(mine) and is_memref(theirs):
            return self._names_one(self.before, mine) and self._names_one(self.after, theirs)
        known = constant_value(mine)
        if known is not None:
            return known == constant_value(theirs)
        if not (isinstance(mine, OpResult) and isinstance(theirs, OpResult)):
            return False
        one, other = mine.op, theirs.op
        alike = one.name == other.name and mine.index == theirs.index and len(one.operands) == len(other.operands)
        if not (alike and is_pure(one) and one.properties == other.properties and one.attributes == other.attributes):
            return False
        return all(map(self._is_same, one.operands, other.operands))

    def _names_one(self, model: FunctionModel, value: SSAValue) -> bool:
        """Is it certain which memory the value names? A block's argument may name that of an earlier iteration."""
        while isinstance(value, OpResult) and value.op.name in CASTS:
            value = value.op.operands[0]
        refs = model.refs.get(value, ())
        return len(refs) == 1 and model.roots[refs[0].root].value is value
