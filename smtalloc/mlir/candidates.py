"""What `hip-optimize-memrefs` sees of a function: the input of `smtalloc.greedy`."""

from __future__ import annotations

import math

from xdsl.dialects import builtin, memref
from xdsl.ir import Attribute, Operation

from smtalloc.greedy import Candidate
from smtalloc.mlir.aliases import Refs
from smtalloc.mlir.layout import DYNAMIC, MemRef, element_parts, integer_width
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.reader import value_name

_HOST_OPS = ("memref.load", "memref.store")


def greedy_candidates(model: FunctionModel) -> tuple[tuple[int, ...], tuple[Candidate, ...]]:
    """(buffer indices, candidates): the used allocations directly in the entry block, in program order.

    Empty for a function of several blocks, which the pass leaves alone.
    """
    if len(model.func.body.blocks) != 1:
        return (), ()
    ordinals = model.ordinals
    ends, hosted = _uses(model, ordinals)
    found: list[tuple[int, Candidate]] = []
    for buffer, root in enumerate(model.roots):
        op = root.op
        if not isinstance(op, memref.AllocOp) or op not in ordinals or not op.memref.uses:
            continue
        type_ = op.memref.type
        found.append(
            (
                buffer,
                Candidate(
                    name=model.program.buffers[buffer].name,
                    start=ordinals[op],
                    end=ends.get(buffer, 0),
                    size_bytes=_pass_bytes(type_),
                    type=str(type_),
                    element_type=str(type_.element_type),
                    space=str(type_.memory_space),
                    size_operands=tuple(value_name(v) for v in op.operands),
                    host_accessed=buffer in hosted,
                ),
            )
        )
    found.sort(key=lambda pair: pair[1].start)
    return tuple(b for b, _ in found), tuple(c for _, c in found)


def _uses(model: FunctionModel, ordinals: dict[Operation, int]) -> tuple[dict[int, int], set[int]]:
    """Per buffer the last entry-block op that uses an alias, and the buffers with a host load or store."""
    ends: dict[int, int] = {}
    hosted: set[int] = set()
    for value, own in model.refs.items():
        refs = _with_reallocated(model, own)
        for use in value.uses:
            op = use.operation
            if op.name == "memref.dealloc":
                continue
            top: Operation | None = op
            while top is not None and top not in ordinals:
                top = top.parent_op()
            for ref in refs:
                if top is not None:
                    ends[ref.root] = max(ends.get(ref.root, 0), ordinals[top])
                if op.name in _HOST_OPS:
                    hosted.add(ref.root)
    return ends, hosted


def _with_reallocated(model: FunctionModel, refs: Refs) -> Refs:
    """To the pass, `memref.realloc` is an op that it knows nothing of: the result may be the operand."""
    found = [*refs]
    open_ = [model.roots[ref.root].op for ref in refs]
    while open_:
        op = open_.pop()
        if op is not None and op.name == "memref.realloc":
            more = model.refs.get(op.operands[0], ())
            open_ += [model.roots[ref.root].op for ref in more if ref not in found]
            found += more
    return tuple(found)


def _pass_bytes(type_: MemRef) -> int:
    """The pass's own size: elements times bits, rounded up to whole bytes; 0 where a dimension is dynamic."""
    shape = type_.get_shape()
    if DYNAMIC in shape:
        return 0
    return -(-math.prod(shape) * _bits(type_.element_type) // 8)


def _bits(element: Attribute) -> int:
    width = integer_width(element)
    if width is not None:
        return width
    if isinstance(element, builtin.IndexType):
        return 64
    if isinstance(element, builtin.AnyFloat):
        return element.bitwidth
    inner, count = element_parts(element)
    return _bits(inner) * count if inner is not None and count is not None else 0
