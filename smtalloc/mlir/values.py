"""One number per scalar value, the same in two functions where the values are computed in the same way.

Index arithmetic that a pass added, moved or folded then does not matter when two functions are matched.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.dialects import builtin, func
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from smtalloc.mlir.aliases import CASTS, VIEWS, is_memref
from smtalloc.mlir.layout import DYNAMIC, as_memref
from smtalloc.mlir.scalars import constant_value

MEMORY = "memory"
"""The end of a path: an allocation, a global or an argument, which only its place identifies."""

_PURE_DIALECTS = frozenset({"arith", "math", "index", "complex"})
_PURE_OPS = frozenset({"affine.apply", "affine.min", "affine.max", "memref.dim", "memref.rank"})


def is_pure(op: Operation) -> bool:
    """Scalars in, scalars out, no effect: compared by value, wherever the op stands."""
    if op.regions or not op.results or any(is_memref(r) for r in op.results):
        return False
    return op.name in _PURE_OPS or op.name.partition(".")[0] in _PURE_DIALECTS


class Numbering:
    """Value numbers of both functions. What is not pure must be bound by the matcher, in both, before its uses."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._of: dict[SSAValue, int] = {}

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def bind(self, value: SSAValue, key: Hashable) -> None:
        """Give a value that only its position identifies (argument, result of an action) its number."""
        self._of[value] = self._number(("bound", key))

    def of(self, value: SSAValue) -> int:
        """The number of a scalar; a value that nothing bound gets one of its own."""
        if value not in self._of:
            self._of[value] = self._number(("alone", id(value)))
        return self._of[value]

    def add(self, op: Operation) -> None:
        """Number the results of a pure op, from those of its operands."""
        if op.name == "memref.dim":
            index = constant_value(op.operands[1])
            if index is not None:
                self._of[op.results[0]] = self.dimension(op.operands[0], index)
                return
        for position, result in enumerate(op.results):
            constant = constant_value(result)
            if constant is not None:
                key: Hashable = ("constant", constant, str(result.type))
            else:
                attributes = sorted((k, str(v)) for k, v in (*op.properties.items(), *op.attributes.items()))
                operands = tuple(self.of(v) for v in op.operands)
                key = (op.name, position, str(result.type), str(attributes), operands)
            self._of[result] = self._number(key)

    def metadata(self, op: Operation) -> None:
        """Number the scalars that a view op gives (extract_strided_metadata)."""
        shape = tuple(self.shape(op.operands[0]))
        for position, result in enumerate(op.results):
            if not is_memref(result):
                self._of[result] = self._number((self.view(op), position, shape, self._source(op.operands[0])))

    def _source(self, value: SSAValue) -> Hashable:
        """The views that lead to a memref: offsets and strides depend on nothing else."""
        steps: list[Hashable] = []
        while value not in self._of and isinstance(value, OpResult) and value.op.name in VIEWS:
            steps.append((self.view(value.op), self.shape(value.op.operands[0])))
            value = value.op.operands[0]
        return (*steps, self._of.get(value, str(value.type)))

    def constant(self, value: int) -> int:
        return self._number(("constant", value, "index"))

    def dimension(self, value: SSAValue, index: int) -> int:
        """The number of a memref's size in one dimension; followed through views to the op that gave it."""
        while value not in self._of and isinstance(value, OpResult) and value.op.name in CASTS:
            if _static_size(value, index) is not None:
                break
            value = value.op.operands[0]
        static = _static_size(value, index)
        if static is not None:
            return self.constant(static)
        if value in self._of:
            return self._number(("dimension", self._of[value], index))
        if isinstance(value, OpResult):
            op, type_ = value.op, as_memref(value.type)
            sizes = size_operands(op)
            nth = sum(size == DYNAMIC for size in type_.get_shape()[:index]) if type_ else 0
            if sizes is not None and nth < len(sizes):
                return self.of(sizes[nth])
            if op.name in VIEWS:
                return self._number(("dimension", self.view(op), self.shape(op.operands[0]), index))
            if not any(is_memref(v) for v in op.operands):  # memory made from scalars alone
                return self._number(("dimension", self.view(op), tuple(self.of(v) for v in op.operands), index))
        return self._number(("alone", id(value), index))

    def shape(self, value: SSAValue) -> tuple[int, ...]:
        """The numbers of all sizes of a memref."""
        type_ = value.type
        rank = len(type_.get_shape()) if isinstance(type_, builtin.MemRefType) else 0
        return tuple(self.dimension(value, index) for index in range(rank))

    def view(self, op: Operation) -> Hashable:
        """A view op without what it views: equal for equal views."""
        scalars = tuple(self.of(v) for v in op.operands[1:] if not is_memref(v))
        statics = sorted((k, str(v)) for k, v in op.properties.items())
        return (op.name, str(op.results[0].type), scalars, str(statics))

    def is_bound(self, value: SSAValue) -> bool:
        """Did the matcher bind it (and is it no argument, which is memory)?"""
        return value in self._of and not _is_argument(value)

    def terminal(self, value: SSAValue) -> Hashable:
        """What a chain of views ends in: MEMORY, or the number of a bound value."""
        return self._of[value] if self.is_bound(value) else MEMORY

    def sizes(self, value: SSAValue) -> tuple[int, tuple[int, ...]] | None:
        """(product of the static sizes, numbers of the dynamic ones, sorted) of a memref; None if unranked."""
        type_ = value.type
        if not isinstance(type_, builtin.MemRefType):
            return None
        known, dynamic = 1, list[int]()
        for index, size in enumerate(type_.get_shape()):
            if size == DYNAMIC:
                dynamic.append(self.dimension(value, index))
            else:
                known *= size
        return known, tuple(sorted(dynamic))


def size_operands(op: Operation) -> Sequence[SSAValue] | None:
    """The operands that give the dynamic sizes of the op's memref result, in order."""
    match op.name:
        case "memref.alloc" | "memref.alloca":
            return getattr(op, "dynamic_sizes", None)
        case "memref.view":
            return op.operands[2:]
        case "memref.reinterpret_cast" | "memref.subview":
            sizes: Sequence[SSAValue] = getattr(op, "sizes", ())
            result = as_memref(op.results[0].type)
            static = getattr(op, "static_sizes", None)
            if result is None or static is None or len(static.get_values()) != len(result.get_shape()):
                return None  # a rank-reducing subview drops sizes: then their order says nothing
            return sizes
        case "memref.expand_shape":
            return getattr(op, "output_shape", None)
        case _:
            return None


def _static_size(value: SSAValue, index: int) -> int | None:
    type_ = as_memref(value.type)
    shape = type_.get_shape() if type_ is not None else ()
    return shape[index] if index < len(shape) and shape[index] != DYNAMIC else None


def _is_argument(value: SSAValue) -> bool:
    """Of the function itself, not of a block in it."""
    if not isinstance(value, BlockArgument):
        return False
    parent = value.block.parent_op()
    return isinstance(parent, func.FuncOp) and value.block is parent.body.blocks[0]


def is_skipped(op: Operation) -> bool:
    """Views: followed by their aliases and paths, not matched one to one (a reshape reads its shape operand)."""
    return op.name in VIEWS and op.name != "memref.reshape"
