"""xDSL's parser, made several times faster and stricter where its reading would lose something.

What is faster: tokens (`lexer.py`); shaped types, numbers and attribute dictionaries, which are read once per spelling;
scopes, which cost what they hold; and whole lines (`templates.py`). What is kept that xDSL drops: the position of every
op, the true name of every value, the text of elements attributes and floats.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, AttributeInvT, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRToken, MLIRTokenKind

from smtalloc.mlir.attributes import ElementsAttr, dense_problem, source_float_attr
from smtalloc.mlir.clauses import Header
from smtalloc.mlir.foreign import ForeignContext, ForeignOp, has_custom_form
from smtalloc.mlir.lexer import FastLexer, skip
from smtalloc.mlir.names import set_source_name
from smtalloc.mlir.source import InputLocation, SourceText
from smtalloc.mlir.templates import Line, Templates, ends_op, strip_names

MAX_NESTING = 50
"""Regions inside regions. Python's recursion limit would come at about 80."""

_SHAPED_TYPE = re.compile(r"(?:memref|tensor)<[^<>#!\n]*+(?:<[^<>#!\n]*+>[^<>#!\n]*+)*+>")
_TYPED_NUMBER = re.compile(
    r"(-?(?:0x[0-9a-fA-F]++|[0-9]++(?:\.[0-9]*+(?:[eE][+-]?[0-9]++)?)?)) : "
    r"(?:[su]?i[0-9]++|index|b?f[0-9]++|tf32)(?![\w.$])"
)
_FLAT_DICTIONARY = re.compile(r"\{[^{}\"/\n]*+(?:\"[^\"\\\n]*+\"[^{}\"/\n]*+)*+\}")
_FLAT_PROPERTIES = re.compile(rf"<{_FLAT_DICTIONARY.pattern}>")
_SCALAR_TYPE = re.compile(r"[su]?i[0-9]+|b?f[0-9]+|index")
_FUNCTION_TYPE = re.compile(
    rf"\([^()\n\"]*+\) -> (?:\([^()\n\"]*+\)|{_SHAPED_TYPE.pattern}|(?:{_SCALAR_TYPE.pattern})(?![\w.$]))"
)
_BLOCK_ARGUMENTS = re.compile(r"\(%[^()\n\"]*+\)(?=:)")
_ELEMENTS = ("dense", "dense_resource", "sparse")
_FLOAT_ARRAY = re.compile(r"array\s*<\s*(?:b?f[0-9]|tf32)")
_BRACKETS = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|//[^\n]*+|->|[<>]')
_LAYOUT = re.compile(r'("(?:[^"\\\n]++|\\.)*+")|(?://[^\n]*+|\s++)+')
_SHORT = frozenset({"builtin", "func"})
"""Dialects whose ops may be written without their dialect's name."""
_T = TypeVar("_T")


class FastParser(Parser):
    """Reads one module of a file. `base` is where its text starts in the file."""

    def __init__(self, ctx: ForeignContext, source: SourceText, start: int, end: int) -> None:
        lexer = FastLexer(Input(source.text[start:end], source.filename))
        AttrParser.__init__(self, ParserState(lexer), ctx)
        self.ssa_values: dict[str, tuple[SSAValue, ...]] = {}
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self.forward_ssa_references = {}
        self._context = ctx
        self.source = source
        self.base = start
        self.text: str = lexer.input.content
        self.metadata = ""
        """The `{-# ... #-}` section, verbatim."""
        self.operation_start: int | None = None
        """Where the op being read starts."""
        self.bound_results = 0
        """How many results the op being read is given names for."""
        self.unverified: list[Operation] = []
        """Ops whose like has not been seen before, in order of appearance."""
        self.headers: dict[str, Header] = {}
        """What `ClauseReader` learnt from lines that end in the brace of a region."""
        self._templates = Templates()
        self._types: dict[str, TypeAttribute] = {}
        self._numbers: dict[str, Attribute] = {}
        self._dictionaries: dict[str, dict[str, Attribute]] = {}
        self._properties: dict[str, dict[str, Attribute]] = {}
        self._function_types: dict[str, FunctionType] = {}
        self._argument_types: dict[str, tuple[Attribute, ...]] = {}
        self._scope: list[str] = []
        self._nesting = 0
        self._first_use: dict[str, Span[str]] = {}

    # ------------------------------------------------------------------------------------------------ the module

    def read_module(self) -> ModuleOp:
        """The module of the text, or its top-level ops in a module, as `mlir-opt` does it."""
        ops: list[Operation] = []
        while (kind := self._current_token.kind) is not MLIRTokenKind.EOF:
            if kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
                self._parse_alias_def()
            elif kind is MLIRTokenKind.FILE_METADATA_BEGIN:
                self._parse_file_metadata_dictionary()
            elif (op := self.parse_optional_operation()) is not None:
                ops.append(op)
            else:
                self.raise_error(f"expected an operation, got '{self._current_token.text}'")
        for name in self.forward_ssa_references:
            self.raise_error(f"value %{name} is used but not defined", self._first_use[name])
        if len(ops) == 1 and isinstance(ops[0], ModuleOp):
            return ops[0]
        module = ModuleOp(ops)
        module.location = self._location(0)
        return module

    def _location(self, position: int) -> LocationAttr:
        return cast(LocationAttr, InputLocation(self.source, self.base + position))

    def _parse_file_metadata_dictionary(self) -> None:
        start = self.pos
        at = start + 3
        while (found := re.compile(r'"|#-\}').search(self.text, at)) is not None:
            if found[0] == "#-}":
                self.metadata = self.text[start : found.end()]
                self._resume_from(found.end())
                return
            at = self.text.find('"', found.end()) + 1
            if at == 0:
                break
        self.raise_error("file metadata is not closed", start)

    # ------------------------------------------------------------------------------------------------ operations

    def parse_operation(self) -> Operation:
        start = self.pos
        line = self._templates.line(self.text, start)
        if line is not None and (op := self._from_template(line)) is not None:
            op.location = self._location(start)
            return op
        return self._parse_operation_slowly(start, line)

    def _from_template(self, line: Line) -> Operation | None:
        """The op of this line, if a line that differs only in names has been read before."""
        template = line.template
        if template is None or not self._is_new(line.result):
            return None
        operands: list[SSAValue] = []
        for name, type_ in zip(line.operands, template.operand_types, strict=True):
            known = self.ssa_values.get(name)
            if known is None or known[0].type != type_:
                return None
            operands.append(known[0])
        before = self._current_token, self.lexer.pos
        self._resume_from(line.end)
        if not ends_op(self._current_token.kind, self._current_token.text):
            self._parser_state.current_token, self.lexer.pos = before
            return None
        op = template.create(operands)
        if template.verify_each:
            self.unverified.append(op)
        if line.result is not None:
            self._define(line.result, op.results)
        return op

    def _is_new(self, name: str | None) -> bool:
        """Has nobody defined or used this name yet?"""
        return name not in self.ssa_values and name not in self.forward_ssa_references

    def _parse_operation_slowly(self, start: int, line: Line | None) -> Operation:
        around, self.operation_start = self.operation_start, start
        bound = self._parse_op_result_list()
        self.bound_results = sum(size for _, size in bound)
        custom = self._parse_optional_token(MLIRTokenKind.BARE_IDENT)
        name = custom.text if custom else self.expect(self.parse_optional_str_literal, "operation name expected")
        op_type = self._operation_class(name, start, generic=custom is None)
        stack = self._parser_state.dialect_stack
        stack.append(op_type.dialect_name())
        op = self._parse_generic_operation(op_type) if custom is None else op_type.parse(self)
        stack.pop()
        self.parse_optional_location()
        op.location = self._location(start)
        count = sum(size for _, size in bound)
        if count and len(op.results) != count:
            self.raise_error(f"'{op.name}' has {len(op.results)} results, {count} are named", start)
        first = 0
        for span, size in bound:
            self._register_ssa_definition(span.text[1:], op.results[first : first + size], span)
            first += size
        self.unverified.append(op)
        if line is not None and self.follows(line.end) and ends_op(self._current_token.kind, self._current_token.text):
            named = [value for name in line.operands for value in self.ssa_values.get(name, ())]
            self._templates.learn(line, op, named)
        self.operation_start = around
        return op

    def _operation_class(self, name: str, start: int, *, generic: bool) -> type[Operation]:
        found = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if found is None:
            self.raise_error(f"operation '{name}' is not known", start)
        if not generic and not has_custom_form(found):
            self.raise_error(f"operation '{name}' can be read in generic form only", start)
        return found

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        start = self.pos
        op = super()._parse_generic_operation(op_type)
        if isinstance(op, ForeignOp) and (problem := op.take_generic_syntax()) is not None:
            self.raise_error(problem, start)
        return op

    def parse_optional_location(self) -> LocationAttr | None:
        """`loc(...)` is read over: aliases in it may be defined after their use, and errors point at our own text."""
        if not self.parse_optional_keyword("loc"):
            return None
        start = self.pos
        depth = 0
        while True:
            token = self._consume_token()
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0 and token.text == ")":
                return UNKNOWN_LOC
            if depth == 0 or token.kind is MLIRTokenKind.EOF:
                self.raise_error("malformed location", start)

    # ------------------------------------------------------------------------------------------- values and scopes

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span[str]) -> None:
        if name in self.ssa_values:
            self.raise_error(f"value %{name} is already defined", span)
        super()._register_ssa_definition(name, values, span)
        self._define(name, values)

    def _define(self, name: str, values: Sequence[SSAValue]) -> None:
        self.ssa_values[name] = tuple(values)
        self._scope.append(name)
        set_source_name(name, values)

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeInvT) -> SSAValue[AttributeInvT]:
        if operand.operand_name not in self.ssa_values:
            self._first_use.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def resolve_untyped(self, operand: UnresolvedOperand) -> SSAValue:
        """A value whose type the syntax does not repeat: it must have been defined before."""
        known = self.ssa_values.get(operand.operand_name)
        if known is None:
            self.raise_error(f"value {operand.span.text} is used before its definition", operand.span)
        if operand.index >= len(known):
            self.raise_error(f"{operand.span.text} has {len(known)} results", operand.span)
        return known[operand.index]

    def parse_optional_region(self, arguments: Sequence[Parser.Argument] | None = None) -> Region | None:
        """As xDSL's, but a scope is undone by name instead of copying all names in sight for every region."""
        if self._current_token.kind is not MLIRTokenKind.L_BRACE:
            return None
        if self._nesting == MAX_NESTING:
            self.raise_error(f"regions are nested more than {MAX_NESTING} deep")
        outer_blocks, outer_references = self.blocks, self.forward_block_references
        self.blocks, self.forward_block_references = {}, defaultdict(list)
        scope = len(self._scope)
        self._nesting += 1
        self._consume_token()
        region = self._parse_region_body(arguments)
        for reference in self.forward_block_references.values():
            self.raise_error(f"block {reference[0].text} is not defined in this region", reference[0])
        self._nesting -= 1
        for name in self._scope[scope:]:
            del self.ssa_values[name]
        del self._scope[scope:]
        self.blocks, self.forward_block_references = outer_blocks, outer_references
        return region

    def _parse_region_body(self, arguments: Sequence[Parser.Argument] | None) -> Region:
        region = Region()
        kind = self._current_token.kind
        if arguments is not None or kind not in (MLIRTokenKind.CARET_IDENT, MLIRTokenKind.R_BRACE):
            if kind is MLIRTokenKind.CARET_IDENT:
                self.raise_error("a region with named arguments starts without a block label")
            entry = Block(arg_types=[argument.type for argument in arguments or ()])
            for value, argument in zip(entry.args, arguments or (), strict=True):
                self._register_ssa_definition(argument.name.text[1:], (value,), argument.name)
            self._parse_block_body(entry)
            region.add_block(entry)
        while self._current_token.kind is not MLIRTokenKind.R_BRACE:
            region.add_block(self._parse_block())
        self._consume_token()
        return region

    def _parse_optional_block_arg_list(self, block: Block) -> Block | None:
        match = _BLOCK_ARGUMENTS.match(self.text, self.pos)
        if match is None:
            return super()._parse_optional_block_arg_list(block)
        key, names = strip_names(match[0])
        known = self._argument_types.get(key)
        if known is None or len({*names}) != len(names) or not all(map(self._is_new, names)):
            super()._parse_optional_block_arg_list(block)
            if self.follows(match.end()) and len(names) == len(block.args):
                self._argument_types[key] = tuple(argument.type for argument in block.args)
            return block
        for index, (name, type_) in enumerate(zip(names, known, strict=True)):
            self._define(name, (block.insert_arg(type_, index),))
        self._resume_from(match.end())
        return block

    # ------------------------------------------------------------------------------------------ types, attributes

    def _memoised(self, pattern: re.Pattern[str], memo: dict[str, _T], read: Callable[[], _T | None]) -> _T | None:
        """Read once per spelling. Only remembered when the slow way consumed exactly what the pattern matched."""
        match = pattern.match(self.text, self.pos)
        if match is None:
            return read()
        spelling = match[0]
        known = memo.get(spelling)
        if known is not None:
            self._resume_from(match.end())
            return known
        value = read()
        if value is not None and self.follows(match.end()):
            memo[spelling] = value
        return value

    def follows(self, position: int) -> bool:
        """Is the current token the first one at or after this position?"""
        return skip(self.text, position) == self.pos

    def parse_comma_separated_list(
        self, delimiter: Parser.Delimiter, parse: Callable[[], _T], context_msg: str = ""
    ) -> list[_T]:
        """As xDSL's, but a single type behind `->` needs no parentheses: `scf.for ... -> memref<4xf32> {`."""
        if delimiter is self.Delimiter.PAREN and self._current_token.kind is not MLIRTokenKind.L_PAREN:
            start = self.pos
            if self.text[max(0, start - 80) : start].rstrip().endswith("->"):
                return [parse()]
        return super().parse_comma_separated_list(delimiter, parse, context_msg)

    def parse_optional_type(self) -> TypeAttribute | None:
        text = self._current_token.text
        if text in ("memref", "tensor"):
            return self._memoised(_SHAPED_TYPE, self._types, super().parse_optional_type)
        if (known := self._types.get(text)) is not None:
            self._consume_token()
            return known
        type_ = super().parse_optional_type()
        if type_ is not None and _SCALAR_TYPE.fullmatch(text):
            self._types[text] = type_
        return type_

    def parse_optional_attribute(self) -> Attribute | None:
        if self._current_token.text in ("memref", "tensor") or self._current_token.text in self._types:
            return self.parse_optional_type()
        return super().parse_optional_attribute()

    def parse_optional_function_type(self) -> FunctionType | None:
        if self._current_token.kind is not MLIRTokenKind.L_PAREN:
            return None
        return self._memoised(_FUNCTION_TYPE, self._function_types, super().parse_optional_function_type)

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        found = self._memoised(_TYPED_NUMBER, self._numbers, self._parse_number_attr)
        return cast("IntegerAttr | FloatAttr | None", found)

    def _parse_number_attr(self) -> Attribute | None:
        start = self.pos
        match = _TYPED_NUMBER.match(self.text, start)
        attr = super().parse_optional_builtin_int_or_float_attr()
        if match is None or not isinstance(attr, FloatAttr):
            return attr
        if match[1].removeprefix("-").isdigit():
            self.raise_error("a decimal integer is no floating point value", start)
        return source_float_attr(attr, match[1])

    def parse_optional_dictionary_attr_dict(self) -> dict[str, Attribute]:
        if self._current_token.kind is not MLIRTokenKind.L_BRACE:
            return {}
        read = super().parse_optional_dictionary_attr_dict
        return dict(self._memoised(_FLAT_DICTIONARY, self._dictionaries, read) or {})

    def parse_optional_properties_dict(self) -> dict[str, Attribute]:
        if self._current_token.kind is not MLIRTokenKind.LESS:
            return {}
        read = super().parse_optional_properties_dict
        return dict(self._memoised(_FLAT_PROPERTIES, self._properties, read) or {})

    def _parse_optional_builtin_parametrized_attr(self) -> Attribute | None:
        name = self._current_token.text
        if name in _ELEMENTS or (name == "array" and _FLOAT_ARRAY.match(self.text, self.pos)):
            return self._parse_elements()
        return super()._parse_optional_builtin_parametrized_attr()

    def _parse_elements(self) -> ElementsAttr:
        start = self.pos
        text = self.parse_elements_text()
        if text.startswith("array"):
            return ElementsAttr(StringAttr(text), self._float_array_type(text, start))
        self.parse_punctuation(":", " before the type of elements")
        return self.elements(text, self.parse_type(), start)

    def _float_array_type(self, text: str, start: int) -> Attribute:
        element, _, values = text[text.index("<") + 1 : -1].partition(":")
        inner = AttrParser(ParserState(FastLexer(Input(element, ""))), self.ctx)
        for value in values.split(",") if values.strip() else ():
            if not re.fullmatch(r"\s*(?:-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|0x[0-9a-fA-F]+)\s*", value):
                self.raise_error("malformed array", start)
        return inner.parse_type()

    def elements(self, text: str, type_: Attribute, start: int) -> ElementsAttr:
        """Elements of this text and type, checked."""
        if text.startswith("dense<") and (problem := dense_problem(text, type_)) is not None:
            self.raise_error(problem, start)
        return ElementsAttr(StringAttr(text), type_)

    def parse_elements_text(self) -> str:
        """`KEYWORD<...>` at the current token, verbatim but for comments and line breaks."""
        start = self.pos
        keyword = self._consume_token(MLIRTokenKind.BARE_IDENT).text
        if keyword not in (*_ELEMENTS, "array"):
            self.raise_error("expected an elements attribute", start)
        if self._current_token.kind is not MLIRTokenKind.LESS:
            self.raise_error(f"expected '<' after {keyword}")
        depth = 0
        for found in _BRACKETS.finditer(self.text, self.pos):
            depth += (found[0] == "<") - (found[0] == ">")
            if depth == 0:
                body = self.text[self.pos + 1 : found.start()]
                self._resume_from(found.end())
                return f"{keyword}<{_on_one_line(body)}>"
        self.raise_error(f"{keyword}<...> is not closed", start)

    def _parse_dialect_symbol_body(self) -> str:
        return _on_one_line(super()._parse_dialect_symbol_body())

    # ------------------------------------------------------------------------------------- for the clause reader

    def peek(self) -> MLIRToken:
        """The token to be read next."""
        return self._current_token

    @property
    def state(self) -> ParserState[MLIRTokenKind]:
        """Where the parser stands, for another one to go on from there."""
        return self._parser_state

    def resume_from(self, position: int) -> None:
        """Go on reading here."""
        self._resume_from(position)

    def on_same_line(self) -> bool:
        """Does something stand before the current token on its line?"""
        start = self.pos
        return bool(self.text[self.text.rfind("\n", 0, start) + 1 : start].strip())

    def character_after_token(self) -> str:
        """The first character behind the current token that is not blank."""
        after = skip(self.text, self.pos + len(self._current_token.text))
        return self.text[after : after + 1]

    def character_now(self) -> str:
        """The first character of the current token."""
        return self._current_token.text[:1]

    def type_of_text(self, text: str) -> Attribute:
        """The type with this spelling."""
        if text not in self._types:
            inner = AttrParser(ParserState(FastLexer(Input(text, ""))), self.ctx)
            self._types[text] = inner.parse_type()
        return self._types[text]

    def attribute_of_text(self, text: str) -> Attribute:
        """The attribute with this spelling."""
        return AttrParser(ParserState(FastLexer(Input(text, ""))), self.ctx).parse_attribute()

    def is_operation_name(self, name: str) -> bool:
        """Is this the short name of an op that may stand in the region being read, like `call`?"""
        stack = self._parser_state.dialect_stack[:-1]
        return any(self._context.known_op(f"{dialect}.{name}") is not None for dialect in stack if dialect in _SHORT)


def _on_one_line(text: str) -> str:
    """The text with a blank for line breaks and comments: printers indent what follows a line break."""
    if "\n" not in text:
        return text
    return _LAYOUT.sub(lambda found: found[1] or " ", text).strip()
