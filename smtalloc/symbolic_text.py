"""Polynomials from the text that `str` makes of them, for plans that are read back.

    1024 + 256*%n*%a[0] + 64*((%n + 63) floordiv 64) - min(%n, 3*%m)

Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from smtalloc.symbolic import Polynomial, constant, floordiv, maximum, minimum, symbol

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+)|(?P<symbol>%[\w$.\-]+(?:#\d+)?(?:\[\d+\])?)|(?P<word>[a-z]+|[-+*(),]))")
_MOST_TERMS = 10_000
_MOST_CHARACTERS = 1_000_000
_FUNCTIONS = {"min": minimum, "max": maximum}


def parse_polynomial(text: str) -> Polynomial:
    """The polynomial in its normal form. Raises ValueError where the text is none, or too large."""
    if len(text) > _MOST_CHARACTERS:
        raise ValueError("the expression is too long")
    parser = _Parser(text)
    try:
        found = parser.sum()
    except RecursionError:
        raise ValueError("the expression is nested too deeply") from None
    if parser.next is not None:
        raise ValueError(f"'{parser.next}' is not expected there")
    return found


class _Parser:
    """sum: ['-'] product (('+' | '-') product)*;  product: factor ('*' factor)*;
    factor: number | symbol | '(' sum ['floordiv' number] ')' | ('min' | 'max') '(' sum (',' sum)* ')'"""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self.next: str | None = next(self._tokens, None)

    def sum(self) -> Polynomial:
        sign = -1 if self._skip("-") else 1
        total = self._product() * sign
        while self.next in ("+", "-"):
            sign = -1 if self._take() == "-" else 1
            total = total + self._product() * sign
        return total

    def _product(self) -> Polynomial:
        total = self._factor()
        while self._skip("*"):
            factor = self._factor()
            if len(total.terms) * len(factor.terms) > _MOST_TERMS:
                raise ValueError("the expression has too many terms")
            total *= factor
        return total

    def _factor(self) -> Polynomial:
        token = self._take()
        if token.isdigit():
            return constant(int(token))
        if token.startswith("%"):
            return symbol(token)
        if token in _FUNCTIONS:
            return self._extreme(token)
        if token != "(":
            raise ValueError(f"'{token}' is not expected there")
        inner = self.sum()
        if self._skip("floordiv"):
            divisor = self._take()
            if not divisor.isdigit():
                raise ValueError(f"'{divisor}' is no divisor")
            inner = floordiv(inner, int(divisor))
        self._expect(")")
        return inner

    def _extreme(self, name: str) -> Polynomial:
        self._expect("(")
        operands = [self.sum()]
        while self._skip(","):
            operands.append(self.sum())
        self._expect(")")
        return _FUNCTIONS[name](*operands)

    def _take(self) -> str:
        token = self.next
        if token is None:
            raise ValueError("the expression ends too early")
        self.next = next(self._tokens, None)
        return token

    def _skip(self, token: str) -> bool:
        if self.next != token:
            return False
        self.next = next(self._tokens, None)
        return True

    def _expect(self, token: str) -> None:
        if not self._skip(token):
            raise ValueError(f"'{token}' is expected")


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"'{text[at : at + 10].strip()}' is not expected there")
        at = match.end()
        yield match[0].strip()
