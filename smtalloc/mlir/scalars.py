"""Integers that SSA values are known to be."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import builtin
from xdsl.ir import OpResult, SSAValue

from smtalloc.mlir.layout import integer_width

_FOLDS: dict[str, Callable[[int, int], int | None]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.maxui": lambda a, b: max(a, b) if min(a, b) >= 0 else None,
    "arith.maxsi": max,
    "arith.minui": lambda a, b: min(a, b) if min(a, b) >= 0 else None,
    "arith.minsi": min,
    "arith.divui": lambda a, b: a // b if a >= 0 and b > 0 else None,
    "arith.divsi": lambda a, b: a // b if a >= 0 and b > 0 else None,
    "arith.ceildivui": lambda a, b: -(-a // b) if a >= 0 and b > 0 else None,
    "arith.ceildivsi": lambda a, b: -(-a // b) if a >= 0 and b > 0 else None,
    "arith.floordivsi": lambda a, b: a // b if b > 0 else None,
    "arith.remui": lambda a, b: a % b if a >= 0 and b > 0 else None,
}
_LIMIT = 1 << 62
_DEPTH = 200


def constant_value(value: SSAValue, depth: int = 0) -> int | None:
    """The integer that a scalar always is, or None. Folds index arithmetic; gives up where 64 bits could wrap."""
    if not isinstance(value, OpResult) or depth > _DEPTH:
        return None
    op = value.op
    if op.name == "arith.constant":
        attribute = op.properties.get("value", op.attributes.get("value"))
        return attribute.value.data if isinstance(attribute, builtin.IntegerAttr) else None
    if op.name in ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui"):
        inner = constant_value(op.operands[0], depth + 1)
        return inner if inner is not None and inner >= 0 and _holds(value, inner) else None
    fold = _FOLDS.get(op.name)
    if fold is None:
        return None
    left = constant_value(op.operands[0], depth + 1)
    right = constant_value(op.operands[1], depth + 1)
    if left is None or right is None:
        return None
    folded = fold(left, right)
    return folded if folded is not None and _holds(value, folded) else None


def _holds(value: SSAValue, number: int) -> bool:
    """Does the type hold the number as a signed value, so that nothing wrapped?"""
    width = integer_width(value.type) or 64
    return abs(number) < min(_LIMIT, 1 << (width - 1))
