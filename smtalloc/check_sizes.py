"""Are sizes that depend on dimensions never larger than others? For the independent checker (check.py).

Nothing is shared with what plans (size_order.py) but the types of symbolic.py. The method is another one, too: cases
by residue. With `m` a common multiple of the divisors, each dimension is `least + m*q + r` with `0 <= r < m` and
`q >= 0`; for fixed r every floor division by a divisor of m is exact, so both sizes are polynomials in the q, and one
is never larger if no coefficient of the difference is negative. Where that does not decide (minima, maxima, upper
bounds that matter), z3 is asked with a text of this file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import lcm, prod

from smtalloc.program import Buffer, Program
from smtalloc.solvers.base import Status
from smtalloc.symbolic import Atom, Function, Polynomial

_MOST_CASES = 4096
_STEPS = 20_000_000  # of z3, some 2 s
_TIME_LIMIT_S = 60.0

Terms = dict[tuple[str, ...], int]
"""A polynomial: sorted names of the factors -> coefficient."""


class SizeChecker:
    """Comparisons for one program."""

    def __init__(self, program: Program) -> None:
        self.least = {d.name: d.least for d in program.dimensions}
        self.most = {d.name: d.most for d in program.dimensions}
        self._answers: dict[tuple[Polynomial, Polynomial], bool] = {}

    def never_larger(self, small: Polynomial, large: Polynomial) -> bool:
        """Is `small <= large` shown for all values of the dimensions within their bounds?"""
        key = small, large
        if key not in self._answers:
            known = symbols(small) | symbols(large) <= set(self.least)
            self._answers[key] = known and (self._by_residues(small, large) or self._by_z3(small, large))
        return self._answers[key]

    # --- cases by residue --------------------------------------------------------------------------------

    def _by_residues(self, small: Polynomial, large: Polynomial) -> bool:
        moduli: dict[str, int] = dict.fromkeys(sorted(symbols(small) | symbols(large)), 1)
        for atom in {*_atoms(small), *_atoms(large)}:
            for name in _symbols_of(atom) if atom.function is Function.FLOORDIV else ():
                moduli[name] = lcm(moduli[name], atom.divisor)
        if prod(moduli.values()) > _MOST_CASES:
            return False
        for residues in product(*(range(m) for m in moduli.values())):
            values: dict[str, Terms] = {}
            for (name, m), r in zip(moduli.items(), residues, strict=True):
                values[name] = _without_zeros({(): self.least[name] + r, (name,): m})
            left, right = _expanded(small, values), _expanded(large, values)
            if left is None or right is None:
                return False
            if any(right.get(factors, 0) < left.get(factors, 0) for factors in left.keys() | right.keys()):
                return False
        return True

    # --- z3 ----------------------------------------------------------------------------------------------

    def _by_z3(self, small: Polynomial, large: Polynomial) -> bool:
        from smtalloc.solvers.z3 import Z3  # noqa: PLC0415  loads z3 when first used

        return Z3().solve(self.text(small, large), time_limit_s=_TIME_LIMIT_S).status is Status.UNSAT

    def text(self, small: Polynomial, large: Polynomial) -> str:
        """Values at which `small` is larger than `large`: SMT-LIB text."""
        lines = [f"(set-option :rlimit {_STEPS})", "(set-logic QF_NIA)"]
        names: dict[str, str] = {}
        for atom in (*_atoms(small), *_atoms(large)):
            if atom.text in names:
                continue
            name = names[atom.text] = f"x{len(names)}"
            parts = [_smt(operand, names) for operand in atom.operands]
            if atom.function is Function.SYMBOL:
                lines.append(f"(declare-const {name} Int)")
                lines.append(f"(assert (<= {_smt_number(self.least[atom.text])} {name}))")
                lines.append(f"(assert (<= {name} {_smt_number(self.most[atom.text])}))")
            elif atom.function is Function.FLOORDIV:
                lines.append(f"(define-fun {name} () Int (div {parts[0]} {atom.divisor}))")
            else:
                relation = "<=" if atom.function is Function.MIN else ">="
                term = parts[0]
                for part in parts[1:]:
                    term = f"(ite ({relation} {term} {part}) {term} {part})"
                lines.append(f"(define-fun {name} () Int {term})")
        lines.append(f"(assert (> {_smt(small, names)} {_smt(large, names)}))")
        return "\n".join([*lines, "(check-sat)", ""])


# --- polynomials -------------------------------------------------------------------------------------------


def value_at(size: Polynomial, binding: Mapping[str, int]) -> int | None:
    """The size at these values of the dimensions; None where one is missing."""
    total = 0
    for factors, coefficient in size.terms:
        values = [_atom_at(atom, binding) for atom in factors]
        if None in values:
            return None
        total += coefficient * prod(v for v in values if v is not None)
    return total


def _atom_at(atom: Atom, binding: Mapping[str, int]) -> int | None:
    if atom.function is Function.SYMBOL:
        return binding.get(atom.text)
    values = [value_at(operand, binding) for operand in atom.operands]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    if atom.function is Function.FLOORDIV:
        return known[0] // atom.divisor
    return min(known) if atom.function is Function.MIN else max(known)


def _expanded(size: Polynomial, values: Mapping[str, Terms]) -> Terms | None:
    """With the dimensions replaced; None where a floor division is not exact, or there is a minimum or maximum."""
    total: Terms = {}
    for factors, coefficient in size.terms:
        term: Terms = {(): coefficient}
        for atom in factors:
            factor = _expanded_atom(atom, values)
            if factor is None:
                return None
            term = _times(term, factor)
        for key, c in term.items():
            total[key] = total.get(key, 0) + c
    return _without_zeros(total)


def _expanded_atom(atom: Atom, values: Mapping[str, Terms]) -> Terms | None:
    if atom.function is Function.SYMBOL:
        return values[atom.text]
    if atom.function is not Function.FLOORDIV:
        return None
    inner = _expanded(atom.operands[0], values)
    if inner is None or any(c % atom.divisor for key, c in inner.items() if key):
        return None
    return _without_zeros({key: c // atom.divisor for key, c in inner.items()})


def _times(left: Terms, right: Terms) -> Terms:
    found: Terms = {}
    for a, c in left.items():
        for b, d in right.items():
            key = tuple(sorted((*a, *b)))
            found[key] = found.get(key, 0) + c * d
    return found


def _without_zeros(terms: Terms) -> Terms:
    return {key: c for key, c in terms.items() if c}


def _atoms(size: Polynomial) -> Iterator[Atom]:
    """Operands before the functions of them."""
    for factors, _ in size.terms:
        for atom in factors:
            for operand in atom.operands:
                yield from _atoms(operand)
            yield atom


def symbols(size: Polynomial) -> set[str]:
    return {atom.text for atom in _atoms(size) if atom.function is Function.SYMBOL}


def _symbols_of(atom: Atom) -> set[str]:
    return {name for operand in atom.operands for name in symbols(operand)}


def _smt(size: Polynomial, names: Mapping[str, str]) -> str:
    terms = [f"(* 1 {_smt_number(c)} {' '.join(names[atom.text] for atom in factors)})" for factors, c in size.terms]
    return f"(+ 0 0 {' '.join(terms)})"


def _smt_number(value: int) -> str:
    return f"(- {-value})" if value < 0 else str(value)


# --- buffers -----------------------------------------------------------------------------------------------


def size_of(buffer: Buffer) -> Polynomial | None:
    """The size as a polynomial; None where it is not known."""
    if buffer.size is not None:
        return buffer.size
    if buffer.size_bytes is None:
        return None
    return Polynomial((((), buffer.size_bytes),) if buffer.size_bytes else ())
