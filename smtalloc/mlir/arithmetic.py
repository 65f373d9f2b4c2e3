"""Index arithmetic that a rewrite puts into a function: constants, products, polynomials, copies of computations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith, builtin, func, memref
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from smtalloc.mlir.reader import value_name
from smtalloc.mlir.sizes import may_be_copied
from smtalloc.symbolic import Atom, Function, Polynomial


def inserted(op: Operation, at: InsertPoint) -> SSAValue:
    """The result of an op that is put there."""
    Rewriter.insert_op(op, at)
    return op.results[0]


def index_constant(value: int, at: InsertPoint) -> SSAValue:
    made = inserted(arith.ConstantOp(builtin.IntegerAttr(value, builtin.IndexType())), at)
    made.name_hint = f"c{value}" if value >= 0 else f"cm{-value}"
    return made


def product(factors: Sequence[SSAValue | int], at: InsertPoint) -> SSAValue:
    """Multiplied from left to right; a factor of 1 is left out."""
    total: SSAValue | None = None
    for factor in factors:
        if factor == 1 and (total is not None or len(factors) > 1):
            continue
        value = index_constant(factor, at) if isinstance(factor, int) else factor
        total = value if total is None else inserted(arith.MuliOp(total, value), at)
    return index_constant(1, at) if total is None else total


def available(values: Sequence[SSAValue], op: Operation) -> tuple[SSAValue, ...]:
    """The values in front of an op of the same block: as they are where they stand before it, else by copies of the
    pure ops that compute them. Raises ValueError where that cannot be."""
    copies: dict[SSAValue, SSAValue] = {}
    block = op.parent_block()
    earlier = _before(op, block) if block is not None else frozenset[Operation]()
    return tuple(_available(value, op, earlier, copies) for value in values)


def _before(op: Operation, block: Block) -> frozenset[Operation]:
    found: list[Operation] = []
    for other in block.ops:
        if other is op:
            break
        found.append(other)
    return frozenset(found)


def _available(
    value: SSAValue, op: Operation, earlier: frozenset[Operation], copies: dict[SSAValue, SSAValue]
) -> SSAValue:
    if not isinstance(value, OpResult) or value.op in earlier or value.op.parent_block() is not op.parent_block():
        return value
    if value not in copies:
        if not may_be_copied(value.op):
            raise ValueError(f"{value.op.name} cannot be computed earlier")
        operands = [_available(v, op, earlier, copies) for v in value.op.operands]
        clone = value.op.clone(dict(zip(value.op.operands, operands, strict=True)))
        Rewriter.insert_op(clone, InsertPoint.before(op))
        for old, new in zip(value.op.results, clone.results, strict=True):
            new.name_hint = old.name_hint
            copies[old] = new
    return copies[value]


def symbol_values(function: func.FuncOp, names: Iterable[str], at: InsertPoint) -> dict[str, SSAValue]:
    """Values of symbols that are named as sizes.default_name has it: scalars of the entry block, by copies of the ops
    that compute them where those stand later; and sizes of memrefs, read by a `memref.dim` that is put there.

    Raises KeyError for a name that is neither, ValueError for a scalar that cannot be computed so early.
    """
    block = function.body.blocks[0]
    known = {value_name(v): v for v in (*block.args, *(r for op in block.ops for r in op.results))}
    found: dict[str, SSAValue] = {}
    for name in names:
        memref_name, bracket, index = name.partition("[")
        value = known[memref_name]
        if bracket:
            value = inserted(memref.DimOp(value, index_constant(int(index.rstrip("]")), at)), at)
        elif at.insert_before is not None:
            (value,) = available([value], at.insert_before)
        found[name] = value
    return found


def expression(polynomial: Polynomial, symbols: Mapping[str, SSAValue], at: InsertPoint) -> SSAValue:
    """Ops that compute a polynomial in `index` arithmetic. Raises KeyError for a symbol without a value.

    Modulo 2^64: exact if the polynomial and the operands of its functions are within 64 bits.
    """
    total: SSAValue | None = None
    for factors, coefficient in polynomial.terms:
        term = product([*(_atom(atom, symbols, at) for atom in factors), coefficient], at)
        total = term if total is None else inserted(arith.AddiOp(total, term), at)
    return index_constant(0, at) if total is None else total


def _atom(atom: Atom, symbols: Mapping[str, SSAValue], at: InsertPoint) -> SSAValue:
    if atom.function is Function.SYMBOL:
        return symbols[atom.text]
    values = [expression(operand, symbols, at) for operand in atom.operands]
    if atom.function is Function.FLOORDIV:
        return inserted(arith.FloorDivSIOp(values[0], index_constant(atom.divisor, at)), at)
    total = values[0]
    for value in values[1:]:
        op = arith.MaxSIOp(total, value) if atom.function is Function.MAX else arith.MinSIOp(total, value)
        total = inserted(op, at)
    return total
