"""Is one size never larger than another, for all values of the dimensions? Proofs, and points that refute.

1. Monomials: with every atom written as `lowest value + x`, x >= 0, no coefficient of `b - a` is negative.
2. Functions are replaced by what bounds them, and 1 is asked again: `max(p, q)` is at least p, at least q and always
   one of the two; `p floordiv c` lies between `(p - c + 1) / c` and `p / c`.
3. Terms are compared factor by factor: `n*f <= n*g` if `f <= g`.
4. z3 is asked for values with `b - a < 0` (nonlinear integers, with a limit); common factors are taken out first.

"No" always means "not proven". `refuted` looks for a point where it is false, which spares z3 most of the false ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil

from smtalloc.solvers.base import SmtSolver, Status
from smtalloc.symbolic import (
    UNBOUNDED,
    Atom,
    Bounds,
    Function,
    Monomial,
    Polynomial,
    atom_range,
    range_of,
)

_DEPTH = 8  # functions replaced one after the other
_FUEL = 200  # polynomials looked at for one question
_Z3_STEPS = 5_000_000  # some 0.5 s; counted, not timed, so that answers do not depend on the machine
_Z3_LIMIT_S = 60.0
_POINTS = 300
_RATIOS = tuple(map(Fraction, ("16", "12", "8", "6", "4", "3", "2", "1", "1/2", "1/3", "1/4")))


@dataclass
class SizeOrder:
    """Comparisons of sizes within bounds; answers are kept."""

    bounds: Bounds
    solver: SmtSolver | None = None
    """Asked where monomials do not decide."""
    _known: dict[Polynomial, bool] = field(default_factory=dict[Polynomial, bool])
    _points: dict[frozenset[str], list[dict[str, int]]] = field(
        default_factory=dict[frozenset[str], "list[dict[str, int]]"]
    )

    def at_most(self, small: Polynomial, large: Polynomial) -> bool:
        """Is `small <= large` proven for all values within the bounds?"""
        return self.never_negative(large - small)

    def never_negative(self, polynomial: Polynomial) -> bool:
        """Is it proven to be 0 or more for all values within the bounds?"""
        if polynomial not in self._known:
            self._known[polynomial] = self._decide(polynomial)
        return self._known[polynomial]

    def _decide(self, polynomial: Polynomial) -> bool:
        if _no_negative_term(polynomial, self.bounds):
            return True
        if self.refuted(polynomial):
            return False
        if _Proof(self.bounds).never_negative(polynomial, 0):
            return True
        if self.solver is None:
            return False
        moved = without_common_factor(shifted(polynomial, self.bounds))
        if any(len(monomial) > 1 for monomial, _ in moved.terms) and self._by_factors(moved):
            return True
        return self.solver.solve(query(polynomial, self.bounds), time_limit_s=_Z3_LIMIT_S).status is Status.UNSAT

    def _by_factors(self, moved: Polynomial) -> bool:
        """Is each negative term paid for by positive ones whose factors are larger, one by one?"""
        left = {monomial: c for monomial, c in moved.terms if c > 0}
        for monomial, c in moved.terms:
            owed = Fraction(-c)
            for larger in left if owed > 0 else ():
                times = self._times(monomial, larger) if owed > 0 and left[larger] else None
                if times:
                    paid = min(left[larger], ceil(owed / times))
                    left[larger] -= paid
                    owed -= paid * times
            if owed > 0:
                return False
        return True

    def _times(self, small: Monomial, large: Monomial) -> Fraction | None:
        """A k > 0 with `k*small <= large`, by pairs of factors (all are at least 0), if one is found."""
        if len(small) != len(large):
            return None
        rest, product = list(large), Fraction(1)
        for atom in sorted(small, key=lambda a: a not in rest):  # equal ones first
            found = ((self._ratio(atom, other), other) for other in rest)
            times, partner = next(((times, other) for times, other in found if times), (None, None))
            if times is None or partner is None:
                return None
            rest.remove(partner)
            product *= times
        return product

    def _ratio(self, small: Atom, large: Atom) -> Fraction | None:
        """The same for two atoms, of how far they are above their lowest values."""
        if small == large:
            return Fraction(1)
        low, high = _above_lowest(small, self.bounds), _above_lowest(large, self.bounds)
        return next((k for k in _RATIOS if self.at_most(low * k.numerator, high * k.denominator)), None)

    def refuted(self, polynomial: Polynomial) -> bool:
        """Is there a point, among a few hundred, where it is negative?"""
        return self.witness(polynomial) is not None

    def witness(self, polynomial: Polynomial) -> dict[str, int] | None:
        """Such a point."""
        names = polynomial.symbols()
        if names not in self._points:
            self._points[names] = list(points(sorted(names), self.bounds))
        return next((point for point in self._points[names] if polynomial.evaluate(point) < 0), None)


def points(names: Sequence[str], bounds: Bounds, count: int = _POINTS, seed: int = 0) -> Iterator[dict[str, int]]:
    """Values within the bounds: corners, small ones, and random ones of every magnitude. Deterministic."""
    ranges = {name: bounds.get(name, UNBOUNDED) for name in names}
    for end in ("lo", "hi"):
        yield {name: int(getattr(r, end)) for name, r in ranges.items()}
    chance = random.Random(seed)
    for step in range(count):
        point: dict[str, int] = {}
        for name, r in ranges.items():
            width = r.hi - r.lo
            most = min(width, 4 if step % 3 == 0 else 1 << chance.randrange(width.bit_length() + 1))
            away = chance.randint(0, most)
            point[name] = r.hi - away if step % 7 == 6 else r.lo + away
        yield point


@dataclass
class _Proof:
    """One question; `fuel` bounds the work."""

    bounds: Bounds
    fuel: int = _FUEL

    def never_negative(self, polynomial: Polynomial, depth: int) -> bool:
        if self.fuel <= 0:
            return False
        self.fuel -= 1
        if _no_negative_term(polynomial, self.bounds) or range_of(polynomial, self.bounds).lo >= 0:
            return True
        if depth >= _DEPTH:
            return False
        # A function inside of another one is replaced behind it.
        functions = [atom for atom in polynomial.atoms if atom.function is not Function.SYMBOL]
        return any(self._without(polynomial, atom, depth + 1) for atom in functions)

    def _without(self, polynomial: Polynomial, atom: Atom, depth: int) -> bool:
        """The same, with a lower bound of the polynomial that does not have the atom. K decides the direction."""
        parts = polynomial.split(atom)
        if parts is None:
            return False
        slope, rest = parts
        rising = self._sign(slope)
        falling = not rising and self._sign(slope * -1)
        if not rising and not falling:
            return False
        if atom.function is Function.FLOORDIV:
            dividend = atom.operands[0] - (atom.divisor - 1 if rising else 0)
            return self.never_negative(rest * atom.divisor + slope * dividend, depth)
        replaced = (rest + slope * operand for operand in atom.operands)
        some = rising if atom.function is Function.MAX else falling
        return (any if some else all)(self.never_negative(p, depth) for p in replaced)

    def _sign(self, slope: Polynomial) -> bool:
        return _no_negative_term(slope, self.bounds) or range_of(slope, self.bounds).lo >= 0


def _no_negative_term(polynomial: Polynomial, bounds: Bounds) -> bool:
    """Monomial comparison: no coefficient is negative once every atom is `lowest value + x`, x >= 0."""
    return all(c >= 0 for _, c in shifted(polynomial, bounds).terms)


def shifted(polynomial: Polynomial, bounds: Bounds) -> Polynomial:
    """In terms of how far each atom is above its lowest value; the atoms keep their texts."""
    for atom in polynomial.atoms:
        lowest = atom_range(atom, bounds).lo
        if lowest:
            polynomial = polynomial.substitute(atom, Polynomial((((atom,), 1),)) + lowest)
    return polynomial


def _above_lowest(atom: Atom, bounds: Bounds) -> Polynomial:
    return Polynomial((((atom,), 1),)) - atom_range(atom, bounds).lo


def without_common_factor(polynomial: Polynomial) -> Polynomial:
    """Divided by the atoms that are in all of its terms (of a shifted polynomial: factors that are never negative)."""
    if not polynomial.terms:
        return polynomial
    common = list(polynomial.terms[0][0])
    for monomial, _ in polynomial.terms[1:]:
        left = list(monomial)
        common = [atom for atom in common if atom in left and (left.remove(atom) or True)]
    divisor: Monomial = tuple(common)
    return polynomial.divided(Polynomial(((divisor, 1),))) or polynomial


# --- as SMT-LIB text ---------------------------------------------------------------------------------------


def query(polynomial: Polynomial, bounds: Bounds) -> str:
    """May it be negative within the bounds? `unsat` proves that it never is.

    Where it is a product with factors that are never negative, the question is about the rest: `n*(p - q) < 0` needs
    `p - q < 0`.
    """
    goal = without_common_factor(shifted(polynomial, bounds))
    names: dict[Atom, str] = {}
    lines = [f"(set-option :rlimit {_Z3_STEPS})", "(set-logic QF_NIA)", f"; may this be negative: {polynomial}"]
    for atom in dict.fromkeys(polynomial.all_atoms()):
        names[atom] = f"v{len(names)}"
        lines += _declared(atom, names, bounds)
    lines += [f"(assert (< {_sum(goal, names, bounds)} 0))", "(check-sat)"]
    return "\n".join(lines) + "\n"


def _declared(atom: Atom, names: Mapping[Atom, str], bounds: Bounds) -> Iterator[str]:
    name, reach = names[atom], atom_range(atom, bounds)
    yield f"(declare-const {name} Int) ; {atom.text}"
    yield f"(assert (and (<= {_number(reach.lo)} {name}) (<= {name} {_number(reach.hi)})))"
    inner = [_sum(operand, names) for operand in atom.operands]
    match atom.function:
        case Function.SYMBOL:
            return
        case Function.FLOORDIV:
            least = f"(* {atom.divisor} {name})"
            yield f"(assert (and (<= {least} {inner[0]}) (< {inner[0]} (+ {least} {atom.divisor}))))"
        case _:
            relation = ">=" if atom.function is Function.MAX else "<="
            yield f"(assert (and true {' '.join(f'({relation} {name} {term})' for term in inner)}))"
            yield f"(assert (or false {' '.join(f'(= {name} {term})' for term in inner)}))"


def _sum(polynomial: Polynomial, names: Mapping[Atom, str], lowest: Bounds | None = None) -> str:
    """As a term; with `lowest`, each atom stands for how far it is above its lowest value."""
    return f"(+ 0 0 {' '.join(_term(monomial, c, names, lowest) for monomial, c in polynomial.terms)})"


def _term(monomial: Monomial, c: int, names: Mapping[Atom, str], lowest: Bounds | None) -> str:
    factors = (
        names[atom] if lowest is None else f"(- {names[atom]} {_number(atom_range(atom, lowest).lo)})"
        for atom in monomial
    )
    return f"(* 1 {_number(c)} {' '.join(factors)})"


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


# --- which sizes are never larger than which ---------------------------------------------------------------


@dataclass(frozen=True)
class SizeFacts:
    """For a set of sizes: which are proven to be never larger than which, closed under transitivity."""

    sizes: tuple[Polynomial, ...]
    above: tuple[int, ...]
    """For each size, a bit for each one that is never smaller."""

    @cached_property
    def pairs(self) -> frozenset[tuple[Polynomial, Polynomial]]:
        return frozenset(
            (small, large)
            for i, small in enumerate(self.sizes)
            for j, large in enumerate(self.sizes)
            if self.above[i] >> j & 1
        )


def size_facts(sizes: Iterable[Polynomial], order: SizeOrder) -> SizeFacts:
    """Compare all of them."""
    found = tuple(dict.fromkeys(sizes))
    above = [1 << i for i in range(len(found))]
    for i, small in enumerate(found):
        for j, large in enumerate(found):
            implied = any(above[i] >> k & 1 and above[k] >> j & 1 for k in range(len(found)))
            if implied or order.at_most(small, large):
                above[i] |= 1 << j
    for middle in range(len(found)):  # Warshall
        for i in range(len(found)):
            if above[i] >> middle & 1:
                above[i] |= above[middle]
    return SizeFacts(found, tuple(above))
