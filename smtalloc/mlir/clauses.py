"""The permissive grammar of foreign ops: one loop that reads clauses, one that prints them.

    op     ::= NAME clause*
    clause ::= KEYWORD? `(` operands (`:` types)? `)`     operand group: (%ctx), ins(%a : T), outs(...)
             | KEYWORD `(` attribute `)`                  graph_id(0)
             | KEYWORD symbol                             body @f
             | KEYWORD `=` attribute                      dimensions = [0]
             | operands                                   hip.yield %a, %b : T, T
             | `{` attributes `}` | `attrs` `=` `{` attributes `}`
             | region | `(` arguments `)` region          of linalg.generic; of linalg.reduce
             | `{` NAME attributes? `}`                   linalg.reduce { arith.addf }
             | `->` type | `->` `(` types `)` | `:` types

How an op was written is its *syntax*: one word per clause, as in `WORDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.parser import UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from smtalloc.mlir.attributes import elided
from smtalloc.mlir.lexer import skip
from smtalloc.mlir.templates import strip_names

if TYPE_CHECKING:
    from smtalloc.mlir.foreign import ForeignOp
    from smtalloc.mlir.parser import FastParser

WORDS = {
    "group": re.compile(r"(\w*)\((\d+):(\d+)"),
    "operands": re.compile(r"%(\d+)"),
    "attribute": re.compile(r"(\w+)#"),
    "symbol": re.compile(r"(\w+)@"),
    "assignment": re.compile(r"(\w+)="),
    "payload": re.compile(r"(\w+)~"),
    "dictionary": re.compile(r"\{\}"),
    "attrs": re.compile(r"attrs\{\}"),
    "region": re.compile(r"R"),
    "function": re.compile(r"\(R"),
    "result": re.compile(r"->"),
    "results": re.compile(r"->\("),
    "types": re.compile(r":"),
    "operand_types": re.compile(r":o"),
}
"""The words of a syntax. `ins(3:2` is a group of three operands, the last two typed inside the parentheses."""

_AFTER_BRACE_OF_DICTIONARY = re.compile(
    r'\}|"[^"\n]*"\s*[=,}]|(?!(?:[\w.]*\.)?(?:yield|return)\s*\})[A-Za-z_][\w$.]*\s*[=,}]'
)
_PAYLOAD = re.compile(r"\{\s*([A-Za-z_]\w*\.[\w.]+\s*(?:\{[^{}]*\}\s*)?)\}")
_TAKE_PAYLOAD = frozenset({"linalg.reduce", "linalg.map"})
NAMED = frozenset({"attribute", "symbol", "assignment", "payload"})
"""Kinds of clauses that show one attribute, whose name is the first group of the word."""
PAYLOAD = "payload"
"""The attribute that holds the op between the braces of `linalg.reduce { arith.addf }`."""


@cache
def words_of(syntax: str) -> tuple[tuple[str, re.Match[str]], ...]:
    """The words of a syntax with their kinds. ValueError for a word that is none."""
    return tuple(_kind_of(word) for word in syntax.split())


def _kind_of(word: str) -> tuple[str, re.Match[str]]:
    for kind, pattern in WORDS.items():
        if (match := pattern.fullmatch(word)) is not None:
            return kind, match
    raise ValueError(f"'{word}' is no clause")


@dataclass(slots=True)
class Clauses:
    """What the clauses of an op amount to."""

    words: list[str] = field(default_factory=list[str])
    operands: list[SSAValue] = field(default_factory=list[SSAValue])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    results: list[Attribute] = field(default_factory=list[Attribute])
    regions: list[Region] = field(default_factory=list[Region])

    @property
    def syntax(self) -> StringAttr:
        return StringAttr(" ".join(self.words))


@dataclass(frozen=True, slots=True)
class Header:
    """The clauses of a line up to the brace of its region: the same text is the same clauses on other values."""

    operand_types: tuple[Attribute, ...]
    words: tuple[str, ...]
    attributes: Mapping[str, Attribute]


class ClauseReader:
    """Reads the clauses of one op; `parser` stands behind the op's name."""

    def __init__(self, parser: FastParser, name: str) -> None:
        self._parser = parser
        self._name = name
        self._untyped: list[UnresolvedOperand] = []
        """Operands that the trailing `: types` will type."""
        self._open: UnresolvedOperand | None = None
        """The last of a group without types: a trailing `: type` is its own, unless there is a result to type."""
        self.clauses = Clauses()

    def read(self) -> Clauses:
        """All clauses of the op."""
        header = self._known_header()
        while self._clause(header):
            pass
        if self._untyped:
            self._parser.raise_error("operand without a type", self._untyped[0].span)
        self._close()
        return self.clauses

    def _close(self) -> None:
        """There is no type for the open operand: it has the one it was defined with."""
        if self._open is not None:
            self.clauses.operands.append(self._parser.resolve_untyped(self._open))
            self._open = None

    def _clause(self, header: tuple[str, list[str], int] | None) -> bool:
        """Read one clause, if there is one."""
        parser = self._parser
        token = parser.peek()
        match token.kind:
            case MLIRTokenKind.L_PAREN:
                self._function() if self._is_function() else self._group("")
            case MLIRTokenKind.L_BRACE:
                if header is not None and parser.pos == header[2]:
                    self._learn_header(*header[:2])
                self._braces()
            case MLIRTokenKind.ARROW:
                self._results()
            case MLIRTokenKind.COLON:
                self._types()
            case MLIRTokenKind.PERCENT_IDENT if not self.clauses.words and parser.on_same_line():
                self._operands()
            case MLIRTokenKind.BARE_IDENT:
                return self._keyword(token.text)
            case _:
                return False
        return True

    # -------------------------------------------------------------------------------------------- operands, types

    def _types_in_list(self) -> list[Attribute]:
        return self._parser.parse_comma_separated_list(self._parser.Delimiter.NONE, self._parser.parse_type)

    def _operand_list(self) -> list[UnresolvedOperand]:
        parser = self._parser
        return parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)

    def _group(self, keyword: str) -> None:
        parser, clauses = self._parser, self.clauses
        parser.parse_punctuation("(")
        if parser.peek().kind not in (MLIRTokenKind.PERCENT_IDENT, MLIRTokenKind.R_PAREN):
            self._attribute(keyword, "#", parser.parse_attribute)
            parser.parse_punctuation(")")
            return
        empty = parser.peek().kind is MLIRTokenKind.R_PAREN
        operands = [] if empty else self._operand_list()
        start = parser.pos
        types = self._types_in_list() if parser.parse_optional_punctuation(":") else []
        parser.parse_punctuation(")")
        if len(types) > len(operands):
            parser.raise_error(f"{len(types)} types for {len(operands)} operands", start)
        untyped = operands[: len(operands) - len(types)]
        self._close()
        if untyped and not types and not clauses.words and parser.bound_results == 0:
            self._open = untyped.pop()
        clauses.operands += [parser.resolve_untyped(operand) for operand in untyped]
        clauses.operands += parser.resolve_operands(operands[len(operands) - len(types) :], types, start)
        clauses.words.append(f"{keyword}({len(operands)}:{len(types)}")

    def _operands(self) -> None:
        self._untyped = self._operand_list()
        self.clauses.words.append(f"%{len(self._untyped)}")

    def _types(self) -> None:
        parser, clauses = self._parser, self.clauses
        start = parser.pos
        parser.parse_punctuation(":")
        types = self._types_in_list()
        if self._open is not None:
            self._untyped, self._open = [self._open], None
        if not self._untyped:
            clauses.results += types
            clauses.words.append(":")
            return
        clauses.operands += parser.resolve_operands(self._untyped, types, start)
        self._untyped = []
        clauses.words.append(":o")

    def _results(self) -> None:
        parser, clauses = self._parser, self.clauses
        parser.parse_punctuation("->")
        if parser.parse_optional_punctuation("("):
            clauses.results += self._types_in_list()
            parser.parse_punctuation(")")
            clauses.words.append("->(")
        else:
            clauses.results.append(parser.parse_type())
            clauses.words.append("->")

    # --------------------------------------------------------------------------------------- attributes, regions

    def _attribute(self, keyword: str, mark: str, read: Callable[[], Attribute]) -> None:
        if not keyword or keyword in self.clauses.attributes:
            self._parser.raise_error(f"'{keyword}' is given twice" if keyword else "operand expected")
        self.clauses.attributes[keyword] = read()
        self.clauses.words.append(f"{keyword}{mark}")

    def _dictionary(self, word: str) -> None:
        parser, clauses = self._parser, self.clauses
        start = parser.pos
        found = parser.parse_optional_attr_dict()
        if word in clauses.words or found.keys() & clauses.attributes.keys():
            parser.raise_error("an attribute is given twice", start)
        clauses.attributes |= found
        clauses.words.append(word)

    def _keyword(self, keyword: str) -> bool:
        parser = self._parser
        following = parser.character_after_token()
        if (
            "." in keyword
            or following not in ("(", "@", "=")
            or (not parser.on_same_line() and parser.is_operation_name(keyword))
        ):
            return False
        parser.parse_identifier()
        if following == "(":
            self._group(keyword)
        elif following == "@":
            self._attribute(keyword, "@", lambda: SymbolRefAttr(parser.parse_symbol_name()))
        elif keyword == "attrs":
            parser.parse_punctuation("=")
            self._dictionary("attrs{}")
        else:
            parser.parse_punctuation("=")
            self._attribute(keyword, "=", parser.parse_attribute)
        return True

    def _braces(self) -> None:
        parser = self._parser
        payload = _PAYLOAD.match(parser.text, parser.pos) if self._name in _TAKE_PAYLOAD else None
        if payload is not None and not self.clauses.words:
            parser.resume_from(payload.end())
            self._attribute(PAYLOAD, "~", lambda: StringAttr(payload[1].strip()))
        elif _AFTER_BRACE_OF_DICTIONARY.match(parser.text, skip(parser.text, parser.pos + 1)):
            self._dictionary("{}")
        else:
            self.clauses.regions.append(parser.parse_region())
            self.clauses.words.append("R")

    def _is_function(self) -> bool:
        """`(%in: f32, %init: f32) { ... }` behind the operands of linalg.reduce and linalg.map."""
        return self._name in _TAKE_PAYLOAD and any(word.startswith("outs(") for word in self.clauses.words)

    def _function(self) -> None:
        parser = self._parser
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        self.clauses.regions.append(parser.parse_region(arguments))
        self.clauses.words.append("(R")

    # ---------------------------------------------------------------------------------------------------- headers

    def _known_header(self) -> tuple[str, list[str], int] | None:
        """Jump to the region if the text up to it has been read before; else its key, names, and the brace."""
        parser = self._parser
        start = parser.pos
        end = parser.text.find("\n", start)
        text = parser.text[start:end].rstrip()
        if not text.endswith(" {") or "//" in text or "#" in text.replace("#map", ""):
            return None
        key, names = strip_names(text)
        key = f"{self._name} {parser.bound_results} {key}"
        brace = start + len(text) - 1
        header = parser.headers.get(key)
        values = [value for name in names for value in parser.ssa_values.get(name, ())]
        if header is None or tuple(value.type for value in values) != header.operand_types:
            return key, names, brace
        self.clauses = Clauses(list(header.words), values, dict(header.attributes))
        parser.resume_from(brace)
        return None

    def _learn_header(self, key: str, names: Sequence[str]) -> None:
        parser, clauses = self._parser, self.clauses
        self._close()
        values = [value for name in names for value in parser.ssa_values.get(name, ())]
        if self._untyped or clauses.results or clauses.regions or values != clauses.operands:
            return
        if len(set(names)) == len(names):
            types = tuple(value.type for value in values)
            parser.headers[key] = Header(types, tuple(clauses.words), dict(clauses.attributes))


class ClausePrinter:
    """Prints an op from its syntax."""

    def __init__(self, op: ForeignOp, printer: Printer) -> None:
        self._op = op
        self._printer = printer
        self._operands = iter(op.operands)
        self._regions = iter(op.regions)
        self._just_printed: Sequence[SSAValue] = ()
        """The operands whose types may follow later."""

    def print(self, syntax: str) -> None:
        words = words_of(syntax)
        named = {word[1] for kind, word in words if kind in NAMED}
        inherent = {name: attr for name, attr in self._op.shown_properties.items() if name not in named}
        discardable = {name: attr for name, attr in self._op.attributes.items() if name not in named}
        if not self._op.SPLITS_ATTRIBUTES:
            inherent, discardable = inherent | discardable, {}
        kinds = [kind for kind, _ in words]
        dictionary = None if "dictionary" in kinds else 0 if self._op.DICTIONARY_FIRST else _end_of_operands(kinds)
        attrs = None if "attrs" in kinds else next((at for at, kind in enumerate(kinds) if kind == "region"), None)
        for at, (kind, word) in enumerate(words):
            if kind == "dictionary" or at == dictionary:
                self._printer.print_op_attributes(inherent)
            if (kind == "attrs" or at == attrs) and discardable:
                self._printer.print_string(" attrs =")
                self._printer.print_op_attributes(discardable)
            self._word(kind, word)
        if dictionary == len(words):
            self._printer.print_op_attributes(inherent)

    def _word(self, kind: str, word: re.Match[str]) -> None:
        match kind:
            case "group" | "operands":
                self._group(kind, word)
            case "region" | "function":
                self._region(kind)
            case "result" | "results" | "types" | "operand_types":
                self._types(kind)
            case "dictionary" | "attrs":
                pass
            case _:
                self._attribute(kind, word[1])

    def _group(self, kind: str, word: re.Match[str]) -> None:
        printer = self._printer
        if kind == "operands":
            self._just_printed = list(islice(self._operands, int(word[1])))
            printer.print_string(" ")
            printer.print_list(self._just_printed, printer.print_operand)
            return
        values = list(islice(self._operands, int(word[2])))
        typed = int(word[3])
        printer.print_string(f" {word[1]}" if word[1] else "")
        with printer.in_parens():
            printer.print_list(values, printer.print_operand)
            if typed:
                printer.print_string(" : ")
                printer.print_list([value.type for value in values[-typed:]], printer.print_attribute)
        self._just_printed = values[-1:]

    def _attribute(self, kind: str, name: str) -> None:
        printer = self._printer
        attr = (self._op.properties | self._op.attributes)[name]
        before, after = {
            "attribute": (f" {name}(", ")"),
            "symbol": (f" {name} ", ""),
            "assignment": (f" {name} = ", ""),
        }.get(kind, (" { ", " }"))
        printer.print_string(before)
        if kind == "payload":
            printer.print_string(cast(StringAttr, attr).data)
        elif (short := elided(attr)) is not None:
            printer.print_string(short)
        else:
            printer.print_attribute(attr)
        printer.print_string(after)

    def _region(self, kind: str) -> None:
        printer = self._printer
        region = next(self._regions)
        if kind == "function":
            printer.print_string(" ")
            with printer.in_parens():
                printer.print_list(region.block.args, printer.print_block_argument)
        printer.print_string(" ")
        printer.print_region(region, print_entry_block_args=kind != "function")

    def _types(self, kind: str) -> None:
        printer = self._printer
        printer.print_string(" -> " if kind in ("result", "results") else " : ")
        types = [value.type for value in (self._just_printed if kind == "operand_types" else self._op.results)]
        if kind == "results":
            with printer.in_parens():
                printer.print_list(types, printer.print_attribute)
        else:
            printer.print_list(types, printer.print_attribute)


def _end_of_operands(kinds: Sequence[str]) -> int:
    """Where a dictionary goes that the syntax has no place for: before the types at the end."""
    types = ("result", "results", "types", "operand_types")
    return next((at for at, kind in enumerate(kinds) if kind in types), len(kinds))
