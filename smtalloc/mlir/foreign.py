"""Ops of dialects that xDSL does not know, made on demand: one class per name, the grammar of `clauses.py` for all.

An op's *syntax* (how its clauses were written) is a property of it. Generic form shows it as one discardable string
attribute, `smtalloc.syntax`, which reading generic form turns back into the property, also after `mlir-opt` has had it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Self, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, StringAttr, i32, i64
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
    var_successor_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoMemoryEffect, NoTerminator, OpTrait, SymbolTable
from xdsl.utils.exceptions import VerifyException

from smtalloc.mlir.clauses import NAMED, ClausePrinter, ClauseReader, Clauses, words_of

if TYPE_CHECKING:
    from smtalloc.mlir.parser import FastParser

SYNTAX = "smtalloc.syntax"
SEGMENTS = "operandSegmentSizes"

CUSTOM_DIALECTS = frozenset({"hip", "hipsr", "linalg"})
"""Dialects whose ops are read in custom form. Any other op that xDSL does not know is read in generic form only."""

_NAME = re.compile(r"[A-Za-z_][\w$]*(?:\.[\w$]+)+", re.ASCII)
_TERMINATORS = frozenset({"yield", "return", "br", "cond_br", "terminator", "condition", "in_parallel", "atomic_yield"})


class ForeignOp(IRDLOperation):
    """An op that xDSL has no class for. Its own class is made by `foreign_class`, one per name."""

    args = var_operand_def()
    res = var_result_def()
    bodies = var_region_def()
    targets = var_successor_def()
    syntax = opt_prop_def(StringAttr, prop_name=SYNTAX)

    SPLITS_ATTRIBUTES: ClassVar[bool] = False
    """Are inherent attributes in one dictionary and discardable ones in another, `attrs = {...}`?"""
    DICTIONARY_FIRST: ClassVar[bool] = False
    """Does the dictionary stand before the operands?"""

    def groups(self) -> list[tuple[str, Sequence[SSAValue]]] | None:
        """The operand groups as written, with their keywords: [("", (ctx,)), ("ins", (...)), ("outs", (...))].

        None for an op in generic form whose syntax nobody recorded.
        """
        if self.syntax is None:
            return None
        found: list[tuple[str, Sequence[SSAValue]]] = []
        first = 0
        for kind, word in words_of(self.syntax.data):
            if kind in ("group", "operands"):
                keyword, size = (word[1], int(word[2])) if kind == "group" else ("", int(word[1]))
                found.append((keyword, self.operands[first : first + size]))
                first += size
        return found

    @property
    def shown_properties(self) -> dict[str, Attribute]:
        """The properties that custom form shows in a dictionary."""
        return {name: attr for name, attr in self.properties.items() if name not in (SYNTAX, SEGMENTS)}

    @property
    def prints_custom(self) -> bool:
        """Can the op be printed as its syntax says?"""
        return self.syntax is not None and self.syntax_problem() is None

    @property
    def always_prints_custom(self) -> bool:
        """Is custom form the only form that says what was read?"""
        return False

    def syntax_problem(self) -> str | None:
        """Why the recorded syntax does not describe this op, or None."""
        if self.syntax is None:
            return None
        try:
            words = words_of(self.syntax.data)
        except ValueError as problem:
            return f"{SYNTAX}: {problem}"
        kinds = [kind for kind, _ in words]
        typed = sum(kinds.count(kind) for kind in ("result", "results", "types"))
        groups = [(int(word[2]), int(word[3])) for kind, word in words if kind == "group"]
        bare = [int(word[1]) for kind, word in words if kind == "operands"]
        fits = (
            sum(size for size, _ in groups) + sum(bare) == len(self.operands)
            and all(types <= size for size, types in groups)
            and kinds.count("region") + kinds.count("function") == len(self.regions)
            and typed == bool(self.results)
            and (bool(bare) or "operand_types" not in kinds or not self.results)
            and not self.successors
            and {word[1] for kind, word in words if kind in NAMED} <= self.attributes.keys() | self.properties.keys()
        )
        return None if fits else f"{SYNTAX} does not fit the op"

    def verify_(self) -> None:
        if (problem := self.syntax_problem()) is not None:
            raise VerifyException(problem)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        clauses = ClauseReader(cast("FastParser", parser), cls.name).read()
        if SYNTAX in clauses.attributes:
            parser.raise_error(f"{SYNTAX} belongs to generic form", start)
        return cls.from_clauses(clauses)

    @classmethod
    def from_clauses(cls, clauses: Clauses) -> Self:
        """The op that was written so."""
        return cls.create(
            operands=clauses.operands,
            result_types=clauses.results,
            properties={SYNTAX: clauses.syntax},
            attributes=clauses.attributes,
            regions=clauses.regions,
        )

    def print(self, printer: Printer) -> None:
        if self.syntax is None:
            printer.print_op_with_default_format(self)
        else:
            ClausePrinter(self, printer).print(self.syntax.data)

    def take_generic_syntax(self) -> str | None:
        """Called on an op read in generic form: take its syntax from the attribute. A problem with it is returned."""
        recorded = self.attributes.pop(SYNTAX, self.properties.pop(SYNTAX, None))
        if recorded is None:
            return None
        if not isinstance(recorded, StringAttr):
            return f"{SYNTAX} is not a string"
        self.properties[SYNTAX] = recorded
        return self.syntax_problem()

    def generic_attributes(self) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
        """Properties and attributes as generic form shows them."""
        properties = {name: attr for name, attr in self.properties.items() if name != SYNTAX}
        recorded = {} if self.syntax is None else {SYNTAX: self.syntax}
        return properties, self.attributes | recorded


# ---------------------------------------------------------------------------------------------------------- linalg


@irdl_attr_definition
class IteratorType(ParametrizedAttribute):
    """`#linalg.iterator_type<parallel>`; the string "parallel" in custom form."""

    name = "linalg.iterator_type"

    kind: StringAttr

    def verify(self) -> None:
        if self.kind.data not in ("parallel", "reduction", "window"):
            raise VerifyException(f"'{self.kind.data}' is no iterator type")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (StringAttr(parser.parse_identifier()),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.kind.data}>")


@cache
def _iterator_attributes(strings: Attribute) -> Attribute:
    if not isinstance(strings, ArrayAttr):
        return strings
    kinds = cast(ArrayAttr[Attribute], strings).data
    if not all(isinstance(kind, StringAttr | IteratorType) for kind in kinds):
        raise VerifyException("iterator types must be strings (no such iterator type)")
    return ArrayAttr(IteratorType(kind) if isinstance(kind, StringAttr) else kind for kind in kinds)


@cache
def _iterator_strings(attributes: Attribute) -> Attribute:
    if not isinstance(attributes, ArrayAttr):
        return attributes
    kinds = cast(ArrayAttr[Attribute], attributes).data
    return ArrayAttr(kind.kind if isinstance(kind, IteratorType) else kind for kind in kinds)


_AS_MANY_INPUTS_AS_OUTPUTS = frozenset({"linalg.transpose", "linalg.broadcast", "linalg.reduce", "linalg.softmax"})


class LinalgOp(ForeignOp):
    """An op of linalg on buffers or tensors: `ins`, `outs`, and for a named op no region in custom form.

    `mlir-opt` wants that region in generic form, and properties that custom form spells otherwise. So a named op read
    in custom form is always printed in custom form; `mlir-opt` reads the mixture.
    """

    DICTIONARY_FIRST: ClassVar[bool] = True

    def groups(self) -> list[tuple[str, Sequence[SSAValue]]] | None:
        if self.syntax is not None:
            return super().groups()
        inputs = self._inputs()
        if inputs is None:
            return None
        return [("ins", self.operands[:inputs]), ("outs", self.operands[inputs:])]

    def _inputs(self) -> int | None:
        """How many operands are inputs, for an op read in generic form: most say so, some go by their definition."""
        segments, count = self.properties.get(SEGMENTS), len(self.operands)
        if isinstance(segments, DenseArrayBase):
            sizes = segments.get_values()
            return sizes[0] if len(sizes) == 2 and sum(sizes) == count else None
        if self.name == "linalg.map" and count:
            return count - 1
        return count // 2 if self.name in _AS_MANY_INPUTS_AS_OUTPUTS and count % 2 == 0 else None

    @property
    def always_prints_custom(self) -> bool:
        return self.syntax is not None


class GenericOp(LinalgOp):
    """`linalg.generic`: the same op in custom and in generic form, so its syntax need not be recorded."""

    SPLITS_ATTRIBUTES: ClassVar[bool] = True
    INHERENT: ClassVar[frozenset[str]] = frozenset({"indexing_maps", "iterator_types", "doc", "library_call"})

    @classmethod
    def from_clauses(cls, clauses: Clauses) -> Self:
        op = super().from_clauses(clauses)
        for name in [name for name in op.attributes if name in cls.INHERENT]:
            op.properties[name] = op.attributes.pop(name)
        if "indexing_maps" not in op.properties:
            raise VerifyException("linalg.generic has no indexing_maps")
        op.properties["iterator_types"] = _iterator_attributes(op.properties.get("iterator_types", ArrayAttr(())))
        groups = dict(op.groups() or ())
        sizes = [len(groups.get(keyword, ())) for keyword in ("ins", "outs")]
        op.properties[SEGMENTS] = DenseArrayBase.from_list(i32, sizes)
        return op

    @property
    def always_prints_custom(self) -> bool:
        return False

    @property
    def shown_properties(self) -> dict[str, Attribute]:
        shown = super().shown_properties
        return shown | {"iterator_types": _iterator_strings(shown["iterator_types"])}

    def take_generic_syntax(self) -> str | None:
        if not {"indexing_maps", "iterator_types"} <= self.properties.keys():
            return "has no indexing_maps or no iterator_types"
        kinds = self.properties["iterator_types"]
        if not isinstance(kinds, ArrayAttr) or not all(
            isinstance(kind, IteratorType) for kind in cast(ArrayAttr[Attribute], kinds).data
        ):
            return "has iterator_types that are none"
        groups = self.groups()
        if groups is not None and "iterator_types" in self.properties:
            words = ["{}", *(f"{keyword}({len(values)}:{len(values)}" for keyword, values in groups if values)]
            words += ["attrs{}"] if self.attributes else []
            words += ["R"] + (["->"] if len(self.results) == 1 else ["->("] if self.results else [])
            self.properties[SYNTAX] = StringAttr(" ".join(words))
        return self.syntax_problem()

    def generic_attributes(self) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
        properties, _ = super().generic_attributes()
        return properties, self.attributes


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the region of a linalg op."""

    name = "linalg.yield"

    values = var_operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"


@irdl_op_definition
class IndexOp(IRDLOperation):
    """The index of an iteration of the linalg op around it."""

    name = "linalg.index"

    dim = prop_def(IntegerAttr)
    result = result_def(IndexType)
    traits = traits_def(NoMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        dimension = IntegerAttr(parser.parse_integer(allow_boolean=False, allow_negative=False), i64)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(properties={"dim": dimension}, attributes=attributes, result_types=[parser.parse_type()])

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dim.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : index")


LINALG = Dialect("linalg", [YieldOp, IndexOp], [IteratorType])


# --------------------------------------------------------------------------------------------------- making classes


@cache
def foreign_class(name: str) -> type[ForeignOp]:
    """The class of the ops with this name, `dialect.op`."""
    base = GenericOp if name == "linalg.generic" else LinalgOp if name.startswith("linalg.") else SPECIAL.get(name)
    base = base or ForeignOp
    traits: list[OpTrait] = [NoTerminator()]
    if name in _ISOLATED:
        traits.append(IsolatedFromAbove())
    if name == "gpu.module":
        traits.append(SymbolTable())
    if name.rpartition(".")[2] in _TERMINATORS:
        traits.append(IsTerminator())
    members = {"name": name, "traits": traits_def(*traits), "__module__": __name__}
    identifier = "".join(part.capitalize() for part in re.split(r"\W+|_", name)) + "Op"
    defined = irdl_op_definition(cast(type[ForeignOp], type(identifier, (base,), members)))
    # the generated verifier knows no properties but the declared ones; a foreign op may have any
    return cast(type[ForeignOp], type(identifier, (defined,), {"verify_": base.verify_, "__module__": __name__}))


_ISOLATED = frozenset({"gpu.module", "gpu.func", "async.func"})


SPECIAL: dict[str, type[ForeignOp]] = {}
"""Ops with a grammar of their own, by name: reader.py fills it with the `OPS` of gpu.py, asyncs.py, loops.py etc."""


def has_custom_form(op_type: type[Operation]) -> bool:
    """Can ops of this class be read in custom form?"""
    if issubclass(op_type, ForeignOp):
        return op_type.dialect_name() in CUSTOM_DIALECTS or op_type.name in SPECIAL
    return op_type.parse.__func__ is not Operation.parse.__func__  # pyright: ignore[reportFunctionMemberAccess]


class ForeignContext(Context):
    """A context in which every `dialect.op` has a class: xDSL's where it has one, else a foreign one."""

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        for candidate in (name, *(f"{dialect}.{name}" for dialect in reversed(dialect_stack))):
            if (known := self.known_op(candidate)) is not None:
                return known
        if name == "return" and dialect_stack and dialect_stack[-1] == "async":
            return foreign_class("async.return")
        return foreign_class(name) if _NAME.fullmatch(name) else None

    def known_op(self, name: str) -> type[Operation] | None:
        """xDSL's class for ops of this full name."""
        return self._get_known_op(name)
