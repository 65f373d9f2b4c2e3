"""Values that a module itself gives: small constant globals, and `smtalloc.value` attributes of arguments.

    func.func @f(%n: i64 {smtalloc.value = 4096 : i64}, %m: memref<2xi64> {smtalloc.value = [3, 4]})

They decide nothing; a replayed counterexample shows them.
"""

from __future__ import annotations

import re

from xdsl.dialects import builtin, func
from xdsl.ir import Attribute, Operation

from smtalloc.mlir.attributes import ElementsAttr
from smtalloc.program import Number

_MOST = 64  # elements
_DENSE = re.compile(r"dense\s*<([\s\d.,eE+\-\[\]]*)>$")


def numbers(attribute: Attribute | None) -> tuple[Number, ...] | None:
    """The numbers in an attribute: a single one, or all elements in order; None where it has none, or too many."""
    match attribute:
        case builtin.IntegerAttr():
            return (attribute.value.data,)
        case builtin.FloatAttr():
            return (float(attribute.value.data),)
        case builtin.ArrayAttr():
            parts = [numbers(part) for part in attribute.data]
            return tuple(n for part in parts if part for n in part) if all(parts) and len(parts) <= _MOST else None
        case ElementsAttr():
            found = _DENSE.match(attribute.text.data)
            words = found[1].replace("[", " ").replace("]", " ").replace(",", " ").split() if found else []
            return tuple(_number(word) for word in words) if 0 < len(words) <= _MOST else None
        case _:
            return None


def _number(word: str) -> Number:
    try:
        return int(word)
    except ValueError:
        return float(word)


def argument_values(function: func.FuncOp) -> dict[int, tuple[Number, ...]]:
    """Values of arguments, by position."""
    if function.arg_attrs is None:
        return {}
    found: dict[int, tuple[Number, ...]] = {}
    for position, attributes in enumerate(function.arg_attrs.data):
        value = numbers(attributes.data.get("smtalloc.value"))
        if value is not None:
            found[position] = value
    return found


def alias_groups(function: func.FuncOp) -> dict[int, Number]:
    """Positions of the arguments that may name common memory, with the number of their group: `smtalloc.may_alias`."""
    if function.arg_attrs is None:
        return {}
    found: dict[int, Number] = {}
    for position, attributes in enumerate(function.arg_attrs.data):
        group = numbers(attributes.data.get("smtalloc.may_alias"))
        if group is not None:
            found[position] = group[0]
    return found


def global_values(op: Operation) -> tuple[Number, ...] | None:
    """The initial value of the global that a `memref.get_global` names, if it is constant and small."""
    found = global_op(op)
    constant = found is not None and "constant" in found.properties
    return numbers(found.properties.get("initial_value")) if found is not None and constant else None


def global_op(op: Operation) -> Operation | None:
    """The `memref.global` that a `memref.get_global` names, in the nearest module around it."""
    module = op.parent_op() or op
    while not isinstance(module, builtin.ModuleOp) and module.parent_op() is not None:
        module = module.parent_op() or module
    name = op.get_attr_or_prop("name")
    if not isinstance(name, builtin.SymbolRefAttr) or not isinstance(module, builtin.ModuleOp):
        return None
    for candidate in module.body.block.ops:
        symbol = candidate.get_attr_or_prop("sym_name")
        if candidate.name == "memref.global" and symbol == name.root_reference:
            return candidate
    return None
