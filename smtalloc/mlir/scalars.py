"""Integers that SSA values are known to be."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import builtin
from xdsl.ir import Operation, OpResult, SSAValue

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
_WRAPS = frozenset({"arith.addi", "arith.subi", "arith.muli"})  # modulo 2^width, unless a flag says it never happens
_DEPTH = 200


def constant_value(value: SSAValue, depth: int = 0) -> int | None:
    """The integer that a scalar always is, read as a signed one, or None. Folds index arithmetic of 64 bits.

    Sums and products wrap as the op definition says (arith: two's complement); with `overflow` flags they are poison.
    """
    if not isinstance(value, OpResult) or depth > _DEPTH:
        return None
    op = value.op
    if op.name == "arith.constant":
        attribute = op.get_attr_or_prop("value")
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
    if folded is None or _holds(value, folded):
        return folded
    return _wrapped(value, folded) if op.name in _WRAPS and not _flagged(op) else None


def _holds(value: SSAValue, number: int) -> bool:
    """Does the type hold the number as a signed value, so that nothing wrapped?"""
    width = integer_width(value.type) or 64
    return -(1 << (width - 1)) <= number < 1 << (width - 1)


def _wrapped(value: SSAValue, number: int) -> int:
    """The number modulo 2^width, as a signed one."""
    width = integer_width(value.type) or 64
    half = 1 << (width - 1)
    return (number + half) % (1 << width) - half


def _flagged(op: Operation) -> bool:
    """Does the op promise not to overflow?"""
    flags = op.get_attr_or_prop("overflowFlags")
    return flags is not None and "none" not in str(flags)


def is_unsigned(loop: Operation) -> bool:
    """Does an scf.for compare its bounds as unsigned numbers?"""
    return "unsignedCmp" in loop.properties or "unsignedCmp" in loop.attributes
