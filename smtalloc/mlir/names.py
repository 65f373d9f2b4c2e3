"""The names of values: as the input has them, unique within a function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import cast

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsolatedFromAbove

_SOURCE_NAME = "smtalloc_source_name"
_NAMES = "smtalloc_names"
_SUFFIX = re.compile(r"_\d+$")


def set_source_name(name: str, values: Sequence[SSAValue]) -> None:
    """Remember what the input calls these results, or this argument. `name` has no `%`.

    xDSL's own hint cannot hold `0` and cuts `alloc_3` to `alloc`, so the name stands beside it; the hint is set for
    printers other than ours, and for clones.
    """
    hint = None if name[0].isdigit() else _SUFFIX.sub("", name)
    for index, value in enumerate(values):
        vars(value)[_SOURCE_NAME] = name if len(values) == 1 else f"{name}#{index}"
        value._name = hint  # pyright: ignore[reportPrivateUsage] # the setter would check it again


def source_name(value: SSAValue) -> str:
    """What the input calls the value, or its hint; no `%`, maybe empty."""
    return cast("str | None", vars(value).get(_SOURCE_NAME)) or value.name_hint or ""


class Names:
    """Names of the values of one function (or other isolated op). Values that appear later are named when asked for."""

    def __init__(self, scope: Operation) -> None:
        values = [value for _, value in sorted(_values_of(scope), key=lambda found: found[0])]
        self._of: dict[SSAValue, str] = {}
        self._groups: dict[tuple[Operation, str], str] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, count[int]] = {}
        self._reserved = {source_name(value).partition("#")[0] for value in values}
        """Names of the input: a name made up here is none of them."""
        for value in values:
            self.of(value)

    def of(self, value: SSAValue) -> str:
        """The value's name, without `%`."""
        known = self._of.get(value)
        if known is None:
            known = self._of[value] = self._named(value)
        return known

    def _named(self, value: SSAValue) -> str:
        base, _, part = source_name(value).partition("#")
        if not part:
            return self._unique(base)
        group = cast(OpResult, value).op, base
        if group not in self._groups:
            self._groups[group] = self._unique(base)
        return f"{self._groups[group]}#{part}"

    def _unique(self, base: str) -> str:
        if not base or base in self._taken:
            stem = "" if not base or base.isdigit() else f"{base}_"
            made_up = (f"{stem}{number}" for number in self._numbers.setdefault(stem, count()))
            base = next(name for name in made_up if name not in self._taken and name not in self._reserved)
        self._taken.add(base)
        return base


def _values_of(scope: Operation) -> Iterator[tuple[int, SSAValue]]:
    """Every value named in the scope with the depth of its region, in order of appearance.

    A name used at two depths stays with the outer value.
    """
    stack: list[tuple[int, Operation | Block]] = [
        (0, block) for region in reversed(scope.regions) for block in reversed(region.blocks)
    ]
    while stack:
        depth, node = stack.pop()
        if isinstance(node, Block):
            yield from ((depth, argument) for argument in node.args)
            stack.extend((depth, op) for op in reversed(node.ops))
            continue
        yield from ((depth, result) for result in node.results)
        if node.regions and not node.has_trait(IsolatedFromAbove, value_if_unregistered=False):
            stack.extend((depth + 1, block) for region in reversed(node.regions) for block in reversed(region.blocks))


def _scope_of(value: SSAValue) -> Operation | None:
    """The function (or other isolated op) that the value's name is unique in."""
    block = value.block if isinstance(value, BlockArgument) else None
    op = block.parent_op() if block is not None else cast(OpResult, value).op.parent_op()
    while op is not None and not op.has_trait(IsolatedFromAbove, value_if_unregistered=False):
        parent = op.parent_op()
        if parent is None:
            return op
        op = parent
    return op


def names_of(scope: Operation) -> Names:
    """The names of this function's values, made on first use and kept with the op."""
    kept = vars(scope).get(_NAMES)
    if kept is None:
        kept = vars(scope)[_NAMES] = Names(scope)
    return cast(Names, kept)


def value_name(value: SSAValue) -> str:
    """What the input calls this value, with its `%`; unique within its function."""
    scope = _scope_of(value)
    if scope is None:
        return f"%{source_name(value)}"
    return f"%{names_of(scope).of(value)}"
