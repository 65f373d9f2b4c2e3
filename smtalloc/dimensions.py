"""Programs whose sizes depend on dimensions: which sizes are comparable for all values, and what sizes are at some.

Two buffers of such sizes may share only where one is proven to be large enough for both, whatever the dimensions are
within their bounds (size_order.py); so a plan is valid for all values. Its cost is counted in slots, or in bytes at
given values of the dimensions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from smtalloc.program import Dimension, InputError, Program
from smtalloc.size_order import SizeOrder, size_facts
from smtalloc.solvers.base import SmtSolver
from smtalloc.symbolic import Range

MOST = (1 << 31) - 1
"""Of a dimension that nothing bounds."""
DEFAULT = "default"
"""The source of that bound."""
_STATED = f": taken to be at most {MOST:,}, so that sizes do not overflow (--assume bounds them)"

_Value = TypeVar("_Value")


def stated_bound(names: Iterable[str]) -> str:
    """The assumption about what nothing bounds."""
    return ", ".join(names) + _STATED


def is_stated_bound(assumption: str) -> bool:
    return assumption.endswith(_STATED)


@dataclass(frozen=True)
class Given:
    """What the user says of dimensions, by name without `%`."""

    bounds: Mapping[str, Range] = field(default_factory=dict[str, Range])
    """`--assume`"""
    values: Mapping[str, int] = field(default_factory=dict[str, int])
    """`--bind`"""

    def check(self, programs: Iterable[Program]) -> None:
        """Raises InputError for a name that no function has: a typing error."""
        known = {name for program in programs for d in program.dimensions for name in names_of(d)}
        for option, names in (("--assume", self.bounds), ("--bind", self.values)):
            for name in names:
                if name not in known:
                    having = f"they are {', '.join(sorted(known))}" if known else "there are none"
                    raise InputError(f"{option} {name}: no size depends on a dimension of that name ({having})")

    def applied(self, program: Program) -> Program:
        """With facts about sizes, and sizes at the values. Raises InputError for a value out of bounds."""
        if all(buffer.size is None for buffer in program.buffers):
            return program
        return at(with_proven_facts(program), self.values)


def given(assume: Iterable[str], bind: Iterable[str]) -> Given:
    """From the texts of the options. Raises InputError."""
    return Given(_unique("--assume", map(parse_bound, assume)), _unique("--bind", map(parse_binding, bind)))


def _unique(option: str, pairs: Iterable[tuple[str, _Value]]) -> dict[str, _Value]:
    found: dict[str, _Value] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"{option} {name}: given twice")
        found[name] = value
    return found


def with_proven_facts(program: Program) -> Program:
    """With the facts about its sizes that monomials and z3 prove."""
    if all(buffer.size is None for buffer in program.buffers):
        return program
    from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

    return with_facts(program, Z3())


def with_facts(program: Program, solver: SmtSolver | None) -> Program:
    """With the proven facts about its sizes."""
    sizes = [b.exact_size for b in program.buffers if b.movable and b.exact_size is not None]
    if all(b.size is None for b in program.buffers):
        return program
    bounds = {d.name: Range(d.least, d.most) for d in program.dimensions}
    return replace(program, size_facts=size_facts(sizes, SizeOrder(bounds, solver)).pairs)


def at(program: Program, values: Mapping[str, int]) -> Program:
    """With sizes at these values of the dimensions, by any of their names without `%`; of the others, at the upper
    bounds that the user or an attribute states. Sizes that this does not decide stay as they are.

    Raises InputError for a value outside of the bounds of its dimension.
    """
    binding: dict[str, int] = {}
    for dimension in program.dimensions:
        found = [values[name] for name in names_of(dimension) if name in values]
        if found:
            if not dimension.least <= found[0] <= dimension.most:
                reach = f"{dimension.least}..{dimension.most}"
                raise InputError(f"--bind: {dimension.name} = {found[0]} in @{program.name} is not in {reach}")
            binding[dimension.name] = found[0]
        elif dimension.source not in ("", DEFAULT):
            binding[dimension.name] = dimension.most
    buffers = tuple(
        replace(b, size_bytes=b.size.evaluate(binding))
        if b.size is not None and b.size.symbols() <= set(binding)
        else b
        for b in program.buffers
    )
    return replace(program, buffers=buffers, binding=tuple(binding.items()))


def names_of(dimension: Dimension) -> tuple[str, ...]:
    """What a user may call it."""
    return tuple(name.removeprefix("%") for name in (dimension.name, *dimension.aliases))


def parse_bound(text: str) -> tuple[str, Range]:
    """`n in 1..4096` -> name and bounds. Raises InputError."""
    name, word, bounds = text.strip().partition(" in ")
    least, dots, most = bounds.partition("..")
    if not word or not dots or not name.strip():
        raise InputError(f"--assume {text}: not of the form 'NAME in LEAST..MOST'")
    found = Range(_integer("--assume", text, least), _integer("--assume", text, most))
    if found.lo > found.hi:
        raise InputError(f"--assume {text}: no number is in {found.lo}..{found.hi}")
    return name.strip().removeprefix("%"), found


def parse_binding(text: str) -> tuple[str, int]:
    """`n=1536` -> name and value. Raises InputError."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InputError(f"--bind {text}: not of the form NAME=NUMBER")
    return name.strip().removeprefix("%"), _integer("--bind", text, value)


def _integer(option: str, text: str, number: str) -> int:
    try:
        value = int(number.strip().replace("_", ""), 0)
    except ValueError:
        raise InputError(f"{option} {text}: '{number.strip()}' is not an integer") from None
    if abs(value) >= 1 << 63:
        raise InputError(f"{option} {text}: {number.strip()} has more than 64 bits")
    return value
