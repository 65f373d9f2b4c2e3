"""Which functions an op runs, and whether those leave the memory alone that is handed out in pieces."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import builtin, func
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from smtalloc.mlir.aliases import VIEWS
from smtalloc.mlir.profile import Profile
from smtalloc.mlir.values import is_pure

QUIET = frozenset({"cf.assert", "func.constant", "linalg.index"})
"""Ops without a rule, and without any effect on memory."""
_STRUCTURED = ("scf.", "affine.", "cf.")  # these do nothing but run their regions, or choose what runs next


def leaves_pools_alone(op: Operation, profile: Profile) -> bool:
    """Do all functions that the op names have bodies in its module that take no pool (or host scratch), whatever they
    call included? False for an op that names none: what it runs is not known."""
    seen: set[func.FuncOp] = set()
    open_ = [op]
    while open_:
        callees = list(_callees(open_.pop()))
        if not callees:
            return False
        for callee in callees:
            if callee is None:
                return False
            if callee in seen:
                continue
            seen.add(callee)
            for inner in callee.body.walk():
                rule = profile.rule(inner.name)
                if rule.size_operand is not None:
                    return False
                if rule.engine == "any" and (rule.known or not _is_quiet(inner)):
                    open_.append(inner)
    return True


def _is_quiet(op: Operation) -> bool:
    quiet = op.name in QUIET or op.name in VIEWS or op.name == "arith.select" or op.name.startswith(_STRUCTURED)
    return quiet or is_pure(op) or op.has_trait(IsTerminator)


def _callees(op: Operation) -> Iterator[func.FuncOp | None]:
    """The functions that the op's attributes name; None for one without a body in its module."""
    for attribute in (*op.properties.values(), *op.attributes.values()):
        if isinstance(attribute, builtin.SymbolRefAttr):
            yield function_named(op, attribute)


def function_named(op: Operation, name: builtin.SymbolRefAttr) -> func.FuncOp | None:
    """The function of this name in the nearest module around the op, if it has a body."""
    module: Operation | None = op
    while module is not None and not isinstance(module, builtin.ModuleOp):
        module = module.parent_op()
    if module is None or len(name.nested_references):
        return None
    for candidate in module.body.block.ops:
        if isinstance(candidate, func.FuncOp) and candidate.sym_name.data == name.root_reference.data:
            return candidate if candidate.body.blocks else None
    return None
