"""Sizes known only at run time: integer polynomials over dimensions.

    1024*%n*%m + 256*((%h + 3) floordiv 4)

An *atom* is a dimension (a symbol), or a floor division, minimum or maximum of polynomials. A polynomial is a sum of
products of atoms with integer coefficients, in a normal form: equal polynomials are equal objects. They stand for exact
integers; that the 64-bit arithmetic of a module gives just these is shown where they are read (mlir/sizes.py).

Standard library only: program.py imports this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from math import gcd, prod


class Function(StrEnum):
    """What an atom is."""

    SYMBOL = "symbol"
    FLOORDIV = "floordiv"
    """Rounded towards minus infinity, by a positive integer."""
    MIN = "min"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Atom:
    """Equal iff the texts are: the text of a function is made of the texts of its operands."""

    text: str
    function: Function = field(default=Function.SYMBOL, compare=False)
    operands: tuple[Polynomial, ...] = field(default=(), compare=False)
    divisor: int = field(default=1, compare=False)
    """Of FLOORDIV."""


Monomial = tuple[Atom, ...]
"""A product: its factors sorted by text, one that occurs n times n times. The empty one is 1."""


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from lo to hi, both included."""

    lo: int
    hi: int

    def __add__(self, other: Range) -> Range:
        return Range(self.lo + other.lo, self.hi + other.hi)

    def __mul__(self, other: Range) -> Range:
        ends = (self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi)
        return Range(min(ends), max(ends))

    def inside(self, other: Range) -> bool:
        return other.lo <= self.lo and self.hi <= other.hi


Bounds = Mapping[str, Range]
"""The values of each symbol, by name. A symbol that is not in it may have any value of `UNBOUNDED`."""

INT64 = Range(-(1 << 63), (1 << 63) - 1)
UNBOUNDED = INT64
MOST_TERMS = 64
"""Of a polynomial that is followed through a module: what grows beyond is a symbol there (mlir/sizes.py)."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Monomials with their coefficients, none of them 0, sorted. `+`, `-` and `*` take polynomials and integers."""

    terms: tuple[tuple[Monomial, int], ...] = ()

    @property
    def value(self) -> int | None:
        """The number that a constant is; None if there is a symbol in it."""
        if not self.terms:
            return 0
        factors, number = self.terms[0]
        return None if factors or len(self.terms) > 1 else number

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms of the monomials (not those inside of their operands), in order of appearance."""
        return tuple(dict.fromkeys(atom for monomial, _ in self.terms for atom in monomial))

    def symbols(self) -> frozenset[str]:
        """The names of all symbols, also those inside of functions."""
        return frozenset(atom.text for atom in self.all_atoms() if atom.function is Function.SYMBOL)

    def all_atoms(self) -> Iterator[Atom]:
        """All atoms, operands before the functions of them; some more than once."""
        for atom in self.atoms:
            for operand in atom.operands:
                yield from operand.all_atoms()
            yield atom

    def __add__(self, other: Polynomial | int) -> Polynomial:
        return _collect((*self.terms, *as_polynomial(other).terms))

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + as_polynomial(other) * -1

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        if isinstance(other, int):
            return Polynomial(tuple((monomial, c * other) for monomial, c in self.terms)) if other else Polynomial()
        return _collect((_product(left, right), c * d) for left, c in self.terms for right, d in other.terms)

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts: list[str] = []
        for monomial, c in self.terms:
            factors = "*".join(atom.text for atom in monomial)
            size = abs(c)
            body = factors if factors and size == 1 else f"{size}*{factors}" if factors else str(size)
            sign = ("-" if c < 0 else "") if not parts else (" - " if c < 0 else " + ")
            parts.append(sign + body)
        return "".join(parts)

    def evaluate(self, binding: Mapping[str, int]) -> int:
        """The value where the symbols have these values. Raises KeyError for a symbol that has none."""
        total = 0
        for monomial, c in self.terms:
            for atom in monomial:
                c *= _evaluate(atom, binding)  # noqa: PLW2901 - the running product
            total += c
        return total

    def substitute(self, atom: Atom, value: Polynomial) -> Polynomial:
        """With `value` in place of an atom of the monomials (not inside of other atoms)."""
        total = Polynomial()
        for monomial, c in self.terms:
            rest = tuple(other for other in monomial if other != atom)
            product = Polynomial(((rest, c),))
            for _ in range(len(monomial) - len(rest)):
                product *= value
            total += product
        return total

    def split(self, atom: Atom) -> tuple[Polynomial, Polynomial] | None:
        """(K, R) with `self == K*atom + R` and no atom in K or R; None where it has a higher power."""
        inside: list[tuple[Monomial, int]] = []
        outside: list[tuple[Monomial, int]] = []
        for monomial, c in self.terms:
            rest = tuple(other for other in monomial if other != atom)
            if len(rest) + 1 < len(monomial):
                return None
            (inside if len(rest) < len(monomial) else outside).append((rest, c))
        return _collect(inside), _collect(outside)

    def divided(self, divisor: Polynomial) -> Polynomial | None:
        """The quotient by a divisor of one term, where it leaves no remainder in any term; else None."""
        if len(divisor.terms) != 1:
            return None
        (factors, c), quotient = divisor.terms[0], list[tuple[Monomial, int]]()
        for monomial, d in self.terms:
            left = list(monomial)
            for factor in factors:
                if factor not in left:
                    return None
                left.remove(factor)
            if d % c:
                return None
            quotient.append((tuple(left), d // c))
        return _collect(quotient)


def constant(value: int) -> Polynomial:
    return Polynomial((((), value),)) if value else Polynomial()


def symbol(name: str) -> Polynomial:
    return _atom(Atom(name))


def as_polynomial(value: Polynomial | int) -> Polynomial:
    return constant(value) if isinstance(value, int) else value


def floordiv(dividend: Polynomial, divisor: int) -> Polynomial:
    """Rounded towards minus infinity. Raises ValueError unless the divisor is positive.

    What the divisor divides comes out of the division, and a division of a division becomes one:
    `(4*n + 5) floordiv 4 = n + 1`, `((n floordiv 2) + 1) floordiv 3 = (n + 2) floordiv 6`.
    """
    if divisor <= 0:
        raise ValueError(f"division by {divisor}, which is not positive")
    whole, rest = list[tuple[Monomial, int]](), list[tuple[Monomial, int]]()
    for monomial, c in dividend.terms:
        whole.append((monomial, c // divisor))
        rest.append((monomial, c % divisor))
    out, left = _collect(whole), _collect(rest)
    if left.value is not None:
        return out
    inner = next(iter(left.terms), None) if len(left.terms) < 3 else None
    if inner is not None and inner[1] == 1 and len(inner[0]) == 1 and inner[0][0].function is Function.FLOORDIV:
        atom, shift = inner[0][0], left - Polynomial((inner,))
        if shift.value is not None:
            return out + floordiv(atom.operands[0] + shift * atom.divisor, atom.divisor * divisor)
    text = f"(({left}) floordiv {divisor})" if len(left.terms) > 1 else f"({left} floordiv {divisor})"
    return out + _atom(Atom(text, Function.FLOORDIV, (left,), divisor))


def ceildiv(dividend: Polynomial, divisor: int) -> Polynomial:
    """Rounded towards plus infinity. Raises ValueError unless the divisor is positive."""
    return floordiv(dividend + (divisor - 1), divisor)


def modulo(dividend: Polynomial, divisor: int) -> Polynomial:
    """The rest of `floordiv`, never negative. Raises ValueError unless the divisor is positive."""
    return dividend - floordiv(dividend, divisor) * divisor


def minimum(*operands: Polynomial) -> Polynomial:
    return _extreme(Function.MIN, operands)


def maximum(*operands: Polynomial) -> Polynomial:
    return _extreme(Function.MAX, operands)


def _extreme(function: Function, operands: Iterable[Polynomial]) -> Polynomial:
    """Flat, each operand once, in the order of the texts; of operands that differ by a number only one stays."""
    flat: list[Polynomial] = []
    for operand in operands:
        lone = operand.terms[0] if len(operand.terms) == 1 else None
        nested = lone is not None and lone[1] == 1 and len(lone[0]) == 1 and lone[0][0].function is function
        flat += lone[0][0].operands if nested and lone is not None else (operand,)
    kept: list[Polynomial] = []
    for operand in flat:
        for index, other in enumerate(kept):
            apart = (operand - other).value
            if apart is not None:
                if (apart > 0) == (function is Function.MAX):
                    kept[index] = operand
                break
        else:
            kept.append(operand)
    if len(kept) == 1:
        return kept[0]
    kept.sort(key=str)
    return _atom(Atom(f"{function}({', '.join(map(str, kept))})", function, tuple(kept)))


def range_of(polynomial: Polynomial, bounds: Bounds) -> Range:
    """Values that it cannot leave while the symbols are within their bounds (interval arithmetic: maybe too wide)."""
    total = Range(0, 0)
    for monomial, c in polynomial.terms:
        total += reduce(Range.__mul__, (atom_range(atom, bounds) for atom in monomial), Range(c, c))
    return total


def atom_range(atom: Atom, bounds: Bounds) -> Range:
    """The same for an atom."""
    if atom.function is Function.SYMBOL:
        return bounds.get(atom.text, UNBOUNDED)
    ranges = [range_of(operand, bounds) for operand in atom.operands]
    match atom.function:
        case Function.FLOORDIV:
            return Range(ranges[0].lo // atom.divisor, ranges[0].hi // atom.divisor)
        case Function.MIN:
            return Range(min(r.lo for r in ranges), min(r.hi for r in ranges))
        case _:
            return Range(max(r.lo for r in ranges), max(r.hi for r in ranges))


def divisor_of(polynomial: Polynomial) -> int:
    """A number that divides it at every point (0 if it is 0 at every point)."""
    return gcd(*(c * prod(_atom_divisor(atom) for atom in monomial) for monomial, c in polynomial.terms))


def _atom_divisor(atom: Atom) -> int:
    """One of several values (minimum, maximum) is a multiple of what divides all of them."""
    if atom.function in (Function.MIN, Function.MAX):
        return gcd(*(divisor_of(operand) for operand in atom.operands))
    return 1


def _evaluate(atom: Atom, binding: Mapping[str, int]) -> int:
    values = [operand.evaluate(binding) for operand in atom.operands]
    match atom.function:
        case Function.SYMBOL:
            return binding[atom.text]
        case Function.FLOORDIV:
            return values[0] // atom.divisor
        case Function.MIN:
            return min(values)
        case Function.MAX:
            return max(values)


def _atom(atom: Atom) -> Polynomial:
    return Polynomial((((atom,), 1),))


def _product(left: Monomial, right: Monomial) -> Monomial:
    return tuple(sorted((*left, *right), key=_text)) if left and right else left or right


def _collect(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
    found: dict[Monomial, int] = {}
    for monomial, c in terms:
        found[monomial] = found.get(monomial, 0) + c
    return Polynomial(tuple(sorted(((m, c) for m, c in found.items() if c), key=_degree)))


def _degree(term: tuple[Monomial, int]) -> tuple[int, tuple[str, ...]]:
    """Highest degree first, the constant last."""
    return -len(term[0]), tuple(atom.text for atom in term[0])


def _text(atom: Atom) -> str:
    return atom.text
