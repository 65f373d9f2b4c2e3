"""xDSL's printer with the names of the input, aliases for maps, and foreign ops in either form."""

from __future__ import annotations

from io import StringIO
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    AnyFloat,
    ArrayAttr,
    MemRefType,
    ModuleOp,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from smtalloc.mlir.attributes import SourceFloat, elided
from smtalloc.mlir.foreign import ForeignOp
from smtalloc.mlir.names import Names, names_of

_DEFAULT_TYPE = " : i64>"
_SHORT_NAMES = {"builtin.module": "module", "func.return": "return", "func.call": "call"}


class ModulePrinter(Printer):
    """Prints one module; `aliases` are to be printed before it."""

    def __init__(self, stream: StringIO, *, generic: bool) -> None:
        super().__init__(stream, print_generic_format=generic)
        self.aliases: dict[Attribute, str] = {}
        self._scopes: list[Names] = []
        self._texts: dict[int, tuple[Attribute, str]] = {}
        """Texts by identity; the attribute beside its text keeps its identity taken."""

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._scopes[-1].of(value)
        self.print_string(f"%{name}")
        return name

    def _print_results(self, op: Operation) -> None:
        """`%0:2 = ` where the names are `%0#0` and `%0#1`, else each name."""
        sizes: dict[str, int] = {}
        for result in op.results:
            base = self._scopes[-1].of(result).partition("#")[0]
            sizes[base] = sizes.get(base, 0) + 1
        if sizes:
            self.print_string(", ".join(f"%{base}:{size}" if size > 1 else f"%{base}" for base, size in sizes.items()))
            self.print_string(" = ")

    def print_op(self, op: Operation) -> None:
        isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
        if self._scopes:
            self._print_results(op)
        if isolated or not self._scopes:
            self._scopes.append(names_of(op))
            self.enter_scope()
        self._print_name_and_rest(op)
        if isolated:
            self._scopes.pop()
            self.exit_scope()

    def _print_name_and_rest(self, op: Operation) -> None:
        generic = self.print_generic_format
        if isinstance(op, ForeignOp):
            generic = not op.prints_custom or (generic and not op.always_prints_custom)
        if generic or type(op).print is Operation.print:
            self.print_string(f'"{op.name}"')
            self._print_generic(op)
        else:
            short = op.name != "func.call" or _is_in_function(op)
            self.print_string(_SHORT_NAMES.get(op.name, op.name) if short else op.name)
            op.print(self)

    def _print_generic(self, op: Operation) -> None:
        if isinstance(op, ForeignOp):
            properties, attributes = op.generic_attributes()
        else:
            properties, attributes = op.properties, op.attributes
        self.print_operands(op.operands)
        self.print_successors(op.successors)
        self._print_op_properties(properties)
        self.print_regions(op.regions)
        self.print_op_attributes(attributes)
        self.print_string(" : ")
        self.print_operation_type(op)

    def print_float(self, value: float, type: AnyFloat) -> None:
        if isinstance(value, SourceFloat):
            self.print_string(value.text)
        else:
            super().print_float(value, type)

    def print_attribute(self, attribute: Attribute) -> None:
        self.print_string(self._known_text(attribute))

    def _known_text(self, attribute: Attribute) -> str:
        """Once per attribute object: modules share types by the thousand."""
        known = self._texts.get(id(attribute))
        if known is None:
            known = self._texts[id(attribute)] = attribute, self._text_of(attribute)
        return known[1]

    def _text_of(self, attribute: Attribute) -> str:
        if isinstance(attribute, AffineMapAttr | AffineSetAttr):
            kind = "map" if isinstance(attribute, AffineMapAttr) else "set"
            return self.aliases.setdefault(attribute, f"#{kind}{len(self.aliases) or ''}")
        if isinstance(attribute, ArrayAttr):
            elements = cast("ArrayAttr[Attribute]", attribute).data
            return f"[{', '.join(elided(element) or self._known_text(element) for element in elements)}]"
        outside, self.stream = self.stream, StringIO()
        super().print_attribute(attribute)
        text, self.stream = self.stream.getvalue(), outside
        if isinstance(attribute, MemRefType | UnrankedMemRefType) and text.endswith(_DEFAULT_TYPE):
            text = text.removesuffix(_DEFAULT_TYPE) + ">"  # of the memory space
        return text


def _is_in_function(op: Operation) -> bool:
    """Is the function around the op a func.func, where names of func need no prefix?"""
    around = op.parent_op()
    while around is not None and not around.has_trait(IsolatedFromAbove, value_if_unregistered=False):
        around = around.parent_op()
    return around is None or around.name == "func.func"


def module_text(module: ModuleOp, *, generic: bool) -> str:
    """The module with its aliases and its resources."""
    stream = StringIO()
    printer = ModulePrinter(stream, generic=generic)
    printer.print_op(module)
    head = "".join(f"{alias} = {attribute}\n" for attribute, alias in printer.aliases.items())
    tail = cast("str", vars(module).get(METADATA, ""))
    return f"{head}{stream.getvalue()}\n" + (f"\n{tail}\n" if tail else "")


METADATA = "smtalloc_metadata"
"""Where a module keeps the text of its `{-# ... #-}` section."""
