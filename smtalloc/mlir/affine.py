"""Affine maps applied to polynomials."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import builtin
from xdsl.ir import Operation
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from smtalloc.symbolic import Polynomial, ceildiv, constant, floordiv, modulo


def apply_map(
    op: Operation, operands: Sequence[Polynomial], holds: Callable[[Polynomial], bool]
) -> tuple[Polynomial, ...] | None:
    """The results of the `map` of `affine.apply`, `.min` or `.max` (dimensions, then symbols).

    None where a part of it may leave 64 bits (`holds` says no), or is no polynomial.
    """
    attribute = op.get_attr_or_prop("map")
    if not isinstance(attribute, builtin.AffineMapAttr):
        return None
    map_: AffineMap = attribute.data
    if len(operands) != map_.num_dims + map_.num_symbols:
        return None
    found: list[Polynomial] = []
    for result in map_.results:
        value = _expression(result, operands[: map_.num_dims], operands[map_.num_dims :], holds)
        if value is None:
            return None
        found.append(value)
    return tuple(found) or None


def _expression(
    expression: AffineExpr,
    dims: Sequence[Polynomial],
    symbols: Sequence[Polynomial],
    holds: Callable[[Polynomial], bool],
) -> Polynomial | None:
    if isinstance(expression, AffineConstantExpr):
        return constant(expression.value)
    if isinstance(expression, AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position]
    if not isinstance(expression, AffineBinaryOpExpr):
        return None
    left = _expression(expression.lhs, dims, symbols, holds)
    right = _expression(expression.rhs, dims, symbols, holds)
    found = None if left is None or right is None else _binary(expression.kind, left, right)
    return found if found is not None and holds(found) else None


def _binary(kind: AffineBinaryOpKind, left: Polynomial, right: Polynomial) -> Polynomial | None:
    match kind:
        case AffineBinaryOpKind.Add:
            return left + right
        case AffineBinaryOpKind.Mul:
            return left * right
        case _:
            pass
    divisor = right.value
    if divisor is None or divisor <= 0:
        return None
    match kind:
        case AffineBinaryOpKind.FloorDiv:
            return floordiv(left, divisor)
        case AffineBinaryOpKind.CeilDiv:
            return ceildiv(left, divisor)
        case AffineBinaryOpKind.Mod:
            return modulo(left, divisor)
        case _:
            return None
