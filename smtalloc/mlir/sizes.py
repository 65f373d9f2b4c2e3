"""Sizes of allocations as polynomials over dimensions: `arith`, `affine.apply`, `memref.dim` followed to the arguments.

Arithmetic of a module is modulo 2^64 (or the width of its type), polynomials are exact. So an operation becomes part of
a polynomial only where its result cannot leave the range of its type while the symbols are within their bounds; where
it could, the result is a symbol of its own. Equal operations on equal operands give one symbol.

Bounds of a symbol come from, in this order: `--assume`; the attribute `smtalloc.bounds` of an argument (`[1, 4096]` for
a scalar, one such pair for each `?` of a memref); its type. Dimensions are not negative, nor is what the function
allocates with. What none of them bounds is taken to be at most `MOST`: a bound that is stated with every answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import builtin, func
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from smtalloc.dimensions import DEFAULT, MOST, stated_bound
from smtalloc.mlir.affine import apply_map
from smtalloc.mlir.aliases import CASTS, is_memref
from smtalloc.mlir.layout import DYNAMIC, as_memref, element_bits, integer_width
from smtalloc.mlir.profile import Profile
from smtalloc.mlir.reader import value_name
from smtalloc.mlir.roots import Root
from smtalloc.mlir.values import is_pure, size_operands
from smtalloc.program import Buffer, Dimension, InputError, Program
from smtalloc.size_order import SizeOrder
from smtalloc.symbolic import (
    INT64,
    MOST_TERMS,
    Polynomial,
    Range,
    ceildiv,
    constant,
    floordiv,
    maximum,
    minimum,
    modulo,
    range_of,
    symbol,
)

Assumed = Mapping[str, Range]
"""Bounds that the user states, by name without `%`: `n`, `arg0[2]`."""


@dataclass
class SizeReader:
    """The scalars of the entry block of a function that has one block, as polynomials.

    `name_of` names the symbol of a scalar, or of a memref's dimension: equal names are one symbol.
    """

    function: func.FuncOp
    profile: Profile
    assumed: Assumed
    name_of: Callable[[SSAValue, int | None], str]
    trusted: SizeReader | None = None
    """The reader of another function, whose bounds hold here too; that this one is defined is then not relied on."""

    def __post_init__(self) -> None:
        self.bounds: dict[str, Range] = dict(self.trusted.bounds) if self.trusted else {}
        self.sources: dict[str, str] = {}
        """Where the bounds of each symbol are from: "assumed", "smtalloc.bounds", `DEFAULT`; empty: its type."""
        self.order = SizeOrder(self.bounds)  # monomials only
        self._known: dict[SSAValue, Polynomial] = {}
        self._leaves: dict[SSAValue, frozenset[str]] = {}
        self._computed: dict[object, Polynomial] = {}
        self._sizes = set[SSAValue]() if self.trusted else _sizes_of_memrefs(self.function)
        self._aliases = dict(_dimension_names(self.function))
        for op in self.function.body.blocks[0].ops:  # in order, so that no recursion is deep
            for result in op.results:
                if self._width(result.type) is not None:
                    self.leaves(result)

    def mention(self, value: SSAValue) -> None:
        """Have symbols for a scalar, or for the sizes of a memref."""
        if self._width(value.type) is not None:
            self.value(value)
        type_ = as_memref(value.type)
        for index in range(len(type_.get_shape()) if type_ is not None else 0):
            self.dimension(value, index)

    def leaves(self, value: SSAValue) -> frozenset[str]:
        """The symbols that the computation of a scalar starts from, also where it does not depend on their values."""
        if value not in self._leaves:
            pure = isinstance(value, OpResult) and is_pure(value.op)
            operands = value.op.operands if isinstance(value, OpResult) and pure else ()
            inner = [self.leaves(v) for v in operands if self._width(v.type) is not None]
            self._leaves[value] = self.value(value).symbols().union(*inner)
        return self._leaves[value]

    def leaves_of(self, values: Iterable[SSAValue]) -> frozenset[str]:
        """Of all of them that are scalars."""
        return frozenset[str]().union(*(self.leaves(v) for v in values if self._width(v.type) is not None))

    # --- values ------------------------------------------------------------------------------------------

    def value(self, value: SSAValue) -> Polynomial:
        """Of a scalar of an integer type or `index`, read as signed (`i1` as 0 or 1)."""
        if value not in self._known:
            found = self._computed_value(value) if isinstance(value, OpResult) else None
            if found is not None and isinstance(value, OpResult) and value.op.name in _WRAPPING:
                found = self._wrapped(value.type, found)
            if found is not None and (len(found.terms) > MOST_TERMS or not self._holds(value.type, found)):
                found = None
            self._known[value] = self._opaque(value) if found is None else found
        return self._known[value]

    def _wrapped(self, type_: Attribute, polynomial: Polynomial) -> Polynomial:
        """A number that the type does not hold is what is left of it in the type."""
        number, width = polynomial.value, self._width(type_)
        if number is None or width is None or width == 1 or self._holds(type_, polynomial):
            return polynomial
        rest = number % (1 << width)
        return constant(rest - (1 << width) if rest >> (width - 1) else rest)

    def _width(self, type_: Attribute) -> int | None:
        """Bits of an integer or `index`; None for any other type."""
        return min(64, self.profile.index_bits) if isinstance(type_, builtin.IndexType) else integer_width(type_)

    def _range_of_type(self, type_: Attribute) -> Range:
        width = self._width(type_) or 64
        return Range(0, 1) if width == 1 else Range(-(1 << (width - 1)), (1 << (width - 1)) - 1)

    def _holds(self, type_: Attribute, polynomial: Polynomial) -> bool:
        """Does the type hold every value, so that nothing wraps?"""
        return range_of(polynomial, self.bounds).inside(self._range_of_type(type_))

    def _opaque(self, value: SSAValue) -> Polynomial:
        """A symbol; one for all pure ops that compute the same."""
        if not isinstance(value, OpResult) or not is_pure(value.op):
            return self._symbol(value, None)
        op = value.op
        operands = tuple(str(self.value(v)) if self._width(v.type) is not None else id(v) for v in op.operands)
        attributes = sorted((k, str(v)) for k, v in (*op.properties.items(), *op.attributes.items()))
        key = (op.name, value.index, str(value.type), str(attributes), operands)
        if key not in self._computed:
            self._computed[key] = self._symbol(value, None)
        return self._computed[key]

    def _symbol(self, value: SSAValue, dimension: int | None) -> Polynomial:
        name = self.name_of(value, dimension)
        if name not in self.bounds:
            self.bounds[name], self.sources[name] = self._stated(value, dimension, *self._unstated(value, dimension))
        return symbol(name)

    def _unstated(self, value: SSAValue, dimension: int | None) -> tuple[Range, str]:
        """By its type. What is not computed here, and of 64 bits, is taken to be no larger than `MOST`."""
        reach = self._range_of_type(value.type) if dimension is None else INT64
        leaf = dimension is not None or not isinstance(value, OpResult) or not is_pure(value.op)
        loose = leaf and reach.hi > MOST
        if loose:
            reach = Range(-MOST, MOST)
        if dimension is not None or value in self._sizes:
            reach = Range(0, reach.hi)
        return reach, DEFAULT if loose else ""

    def aliases(self, name: str) -> tuple[str, ...]:
        """Other names of a dimension: of the `memref.dim` ops that read it."""
        return tuple(alias for alias, of in self._aliases.items() if of == name)

    def _stated(self, value: SSAValue, dimension: int | None, most: Range, source: str) -> tuple[Range, str]:
        key = default_name(value, dimension)
        names = [name.removeprefix("%") for name in (key, *self.aliases(key))]
        stated = [(self.assumed[name], "assumed") for name in names if name in self.assumed]
        attribute = _attribute_bounds(self.function, value, dimension)
        stated += [(attribute, "smtalloc.bounds")] if attribute is not None else []
        if not stated:
            return most, source
        (bounds, source), lo = stated[0], most.lo
        lo = max(bounds.lo, lo) if lo == 0 else bounds.lo
        if lo > bounds.hi:
            raise InputError(f"{source}: {key} in {bounds.lo}..{bounds.hi}, but it is never negative")
        return Range(lo, bounds.hi), source

    def _computed_value(self, value: OpResult) -> Polynomial | None:
        op = value.op
        match op.name:
            case "arith.constant":
                attribute = op.get_attr_or_prop("value")
                number = attribute.value.data if isinstance(attribute, builtin.IntegerAttr) else None
                return None if number is None else constant(number & 1 if self._width(value.type) == 1 else number)
            case "memref.dim":
                index = self.value(op.operands[1]).value
                return None if index is None else self.dimension(op.operands[0], index)
            case "affine.apply" | "affine.min" | "affine.max":
                found = apply_map(op, [self.value(v) for v in op.operands], lambda p: self._holds(value.type, p))
                return None if found is None else (minimum if op.name == "affine.min" else maximum)(*found)
            case "arith.select" if not is_memref(value):
                return self._select(op)
            case _ if op.name.startswith("arith.") and all(self._width(v.type) is not None for v in op.operands):
                return self._arith(op, [self.value(v) for v in op.operands])
            case _:
                return None

    def _select(self, op: Operation) -> Polynomial | None:
        if any(self._width(v.type) is None for v in op.operands):
            return None
        condition, yes, no = (self.value(v) for v in op.operands)
        if condition.value is not None:
            return yes if condition.value else no
        return yes if yes == no else None

    def _arith(self, op: Operation, operands: Sequence[Polynomial]) -> Polynomial | None:
        if op.name in _CASTS:
            return self._cast(op, operands[0])
        if len(operands) != 2:
            return None
        left, right = operands
        match op.name:
            case "arith.addi":
                return left + right
            case "arith.subi":
                return left - right
            case "arith.muli":
                return left * right if len(left.terms) * len(right.terms) <= MOST_TERMS else None
            case "arith.maxsi" | "arith.maxui" if op.name.endswith("si") or self._natural(left, right):
                return self._larger(left, right)
            case "arith.minsi" | "arith.minui" if op.name.endswith("si") or self._natural(left, right):
                return self._smaller(left, right)
            case "arith.cmpi":
                return self._compared(op, left, right)
            case _:
                return self._divided(op.name, left, right)

    def _cast(self, op: Operation, operand: Polynomial) -> Polynomial | None:
        """What keeps the value; a narrower type must hold it (`value` asks that)."""
        unsigned = op.name in ("arith.extui", "arith.index_castui")
        source = self._width(op.operands[0].type)
        if source == 1 and not unsigned:
            return operand if operand.value == 0 else None
        return operand if not unsigned or source == 1 or self._natural(operand) else None

    def _natural(self, *polynomials: Polynomial) -> bool:
        """Never negative: then signed and unsigned arithmetic agree."""
        return all(self.order.never_negative(p) for p in polynomials)

    def _larger(self, left: Polynomial, right: Polynomial) -> Polynomial:
        if self.order.at_most(left, right):
            return right
        return left if self.order.at_most(right, left) else maximum(left, right)

    def _smaller(self, left: Polynomial, right: Polynomial) -> Polynomial:
        if self.order.at_most(left, right):
            return left
        return right if self.order.at_most(right, left) else minimum(left, right)

    def _divided(self, name: str, left: Polynomial, right: Polynomial) -> Polynomial | None:
        """Divisions, shifts and masks by constants; divisions without rest by anything (by 0 they are undefined)."""
        operation = name.removeprefix("arith.")
        number = right.value
        if operation in ("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui") and right.terms:
            signed = operation.endswith("si")
            exact = left.divided(right) if signed or self._natural(left, right) else None
            if exact is not None:
                return exact
        if number is None:
            return None
        if operation in ("shli", "shrsi", "shrui") and 0 <= number < 63:
            factor = 1 << number
            if operation == "shli":
                return left * factor
            return floordiv(left, factor) if operation == "shrsi" or self._natural(left) else None
        if operation == "andi":
            return _masked(left, number)
        if number <= 0 or (operation not in ("floordivsi", "ceildivsi") and not self._natural(left)):
            return None
        match operation:
            case "divsi" | "divui" | "floordivsi":
                return floordiv(left, number)
            case "ceildivsi" | "ceildivui":
                return ceildiv(left, number)
            case "remsi" | "remui":
                return modulo(left, number)
            case _:
                return None

    def _compared(self, op: Operation, left: Polynomial, right: Polynomial) -> Polynomial | None:
        """1 or 0 where the comparison always has the same answer."""
        attribute = op.get_attr_or_prop("predicate")
        predicate = attribute.value.data if isinstance(attribute, builtin.IntegerAttr) else -1
        if not 0 <= predicate < 10 or (predicate >= 6 and not self._natural(left, right)):
            return None
        if predicate > 1 and self._width(op.operands[0].type) == 1:  # signed, true is -1
            return None
        order, signed = self.order, predicate if predicate < 6 else predicate - 4
        match signed:  # eq, ne, slt, sle, sgt, sge
            case 0 | 1:
                apart = order.at_most(left + 1, right) or order.at_most(right + 1, left)
                same = left == right
                return constant(int(same == (signed == 0))) if apart or same else None
            case 4 | 5:
                left, right, signed = right, left, signed - 2
            case _:
                pass
        strict = 1 if signed == 2 else 0
        if order.at_most(left + strict, right):
            return constant(1)
        return constant(0) if order.at_most(right + (1 - strict), left) else None

    # --- shapes ------------------------------------------------------------------------------------------

    def dimension(self, value: SSAValue, index: int) -> Polynomial:
        """A size of a memref, followed through views to the op that gave it, or to the argument."""
        type_ = as_memref(value.type)
        if type_ is None or index >= len(type_.get_shape()):
            return self._symbol(value, index)
        if type_.get_shape()[index] != DYNAMIC:
            return constant(type_.get_shape()[index])
        if not isinstance(value, OpResult):
            return self._symbol(value, index)
        op = value.op
        operands = size_operands(op)
        nth = sum(size == DYNAMIC for size in type_.get_shape()[:index])
        if operands is not None and nth < len(operands):
            return self.value(operands[nth])
        if op.name in CASTS:
            return self.dimension(op.operands[0], index)
        if op.name == "memref.collapse_shape":
            return self._collapsed(op, value, index)
        return self._symbol(value, index)

    def _collapsed(self, op: Operation, value: SSAValue, index: int) -> Polynomial:
        """The product of the collapsed sizes, which a memref has room for: it does not wrap."""
        groups = _list(op.get_attr_or_prop("reassociation"))
        product = constant(1)
        for number in _list(groups[index]) if index < len(groups) else ():
            if isinstance(number, builtin.IntegerAttr):
                product *= self.dimension(op.operands[0], number.value.data)
        exact = index < len(groups) and range_of(product, self.bounds).inside(INT64)
        return product if exact else self._symbol(value, index)

    def bytes_of(self, value: SSAValue) -> Polynomial | None:
        """Bytes of a memref without a layout. Its memory exists, so the exact product is what it has."""
        type_ = as_memref(value.type)
        bits = element_bits(type_.element_type, self.profile) if type_ is not None else None
        if type_ is None or bits is None or not isinstance(type_.layout, builtin.NoneAttr):
            return None
        total = constant(bits)
        for index in range(len(type_.get_shape())):
            total *= self.dimension(value, index)
            if len(total.terms) > MOST_TERMS:
                return None
        return ceildiv(total, 8)

    def dimensions(self) -> tuple[Dimension, ...]:
        """All symbols with their bounds, in order of appearance."""
        return tuple(
            Dimension(name, r.lo, r.hi, self.sources[name], self.aliases(name)) for name, r in self.bounds.items()
        )


_CASTS = frozenset(f"arith.{name}" for name in ("index_cast", "index_castui", "extsi", "extui", "trunci"))


_WRAPPING = frozenset({"arith.addi", "arith.subi", "arith.muli"})


def _masked(left: Polynomial, mask: int) -> Polynomial | None:
    """`& -2^k` rounds down to a multiple of 2^k, `& 2^k - 1` is the rest: in two's complement for any sign."""
    if mask < 0 and -mask & (-mask - 1) == 0:
        return floordiv(left, -mask) * -mask
    return modulo(left, mask + 1) if mask > 0 and mask & (mask + 1) == 0 else None


def default_name(value: SSAValue, dimension: int | None) -> str:
    """`%n` for a scalar, `%a[1]` for a size of a memref, as the input has the names."""
    return value_name(value) + ("" if dimension is None else f"[{dimension}]")


def _sizes_of_memrefs(function: func.FuncOp) -> set[SSAValue]:
    """Values that are a size of some memref on every run: not negative, else the run is undefined.

    Only up to the first op that may not return, and so keep the memref from being made.
    """
    found: set[SSAValue] = set()
    for op in function.body.blocks[0].ops:
        found |= set(size_operands(op) or ())
        quiet = op.name.startswith(("arith.", "memref.", "linalg.", "hip.", "affine.apply"))
        attributes = (*op.properties.values(), *op.attributes.values())
        calls = any(isinstance(a, builtin.SymbolRefAttr) for a in attributes) and op.name != "memref.get_global"
        if not quiet or calls or (op.regions and not op.name.startswith("linalg.")):
            break
    return found


def _dimension_names(function: func.FuncOp) -> Iterator[tuple[str, str]]:
    """(name of a `memref.dim`, name of the dimension of an argument that it reads)."""
    for op in function.body.blocks[0].ops:
        if op.name == "memref.dim" and isinstance(op.operands[0], BlockArgument):
            source = op.operands[1].owner
            attribute = source.properties.get("value") if isinstance(source, Operation) else None
            if isinstance(attribute, builtin.IntegerAttr):
                yield value_name(op.results[0]), default_name(op.operands[0], attribute.value.data)


def _attribute_bounds(function: func.FuncOp, value: SSAValue, dimension: int | None) -> Range | None:
    """`smtalloc.bounds` of an argument. Raises InputError where it is none."""
    if not isinstance(value, BlockArgument) or value.block is not function.body.blocks[0] or not function.arg_attrs:
        return None
    attribute = function.arg_attrs.data[value.index].data.get("smtalloc.bounds")
    if attribute is None:
        return None
    if dimension is None:
        return _pair(attribute, value)
    type_ = as_memref(value.type)
    dynamic = [i for i, size in enumerate(type_.get_shape()) if size == DYNAMIC] if type_ is not None else []
    pairs = _list(attribute)
    if len(pairs) != len(dynamic) or dimension not in dynamic:
        raise InputError(f"smtalloc.bounds of {value_name(value)}: one [LEAST, MOST] for each '?' is expected")
    return _pair(pairs[dynamic.index(dimension)], value)


def _list(attribute: Attribute | None) -> tuple[Attribute, ...]:
    """The elements of an array attribute; of any other none."""
    return cast("builtin.ArrayAttr[Attribute]", attribute).data if isinstance(attribute, builtin.ArrayAttr) else ()


def _pair(attribute: Attribute, value: SSAValue) -> Range:
    values = [n.value.data for n in _list(attribute) if isinstance(n, builtin.IntegerAttr)]
    if len(values) != 2 or len(_list(attribute)) != 2 or values[0] > values[1]:
        raise InputError(f"smtalloc.bounds of {value_name(value)}: [LEAST, MOST] is expected, not {attribute}")
    return Range(values[0], values[1])


# --- a program with sizes --------------------------------------------------------------------------------------


def with_sizes(
    program: Program, roots: Sequence[Root], function: func.FuncOp, profile: Profile, assumed: Assumed
) -> Program:
    """Give the buffers of run-time size their sizes, where those can be read. Functions of one block only.

    Raises InputError for bounds that contradict what is known.
    """
    ordinals = {op: number for number, op in enumerate(function.body.blocks[0].ops)}
    measured = [b for b, root in enumerate(roots) if root.op in ordinals and program.buffers[b].size_bytes is None]
    if len(function.body.blocks) != 1 or not any(program.buffers[b].size_key for b in measured):
        return program
    reader, first = SizeReader(function, profile, assumed, default_name), computable_from(function)
    buffers: list[Buffer] = []
    for buffer, root in zip(program.buffers, roots, strict=True):
        if root.op not in ordinals or root.op is None or buffer.external:
            buffers.append(buffer)
            continue
        size = reader.bytes_of(root.op.results[0]) if buffer.size_bytes is None and buffer.size_key else None
        at = max((first.get(v, 0) for v in root.op.operands), default=0)
        buffers.append(replace(buffer, size=size, made_at=ordinals[root.op], sized_at=at))
    found = reader.dimensions()
    used = {name for buffer in buffers if buffer.size is not None for name in buffer.size.symbols()}
    dimensions = tuple(d for d in found if d.name in used)
    needed = used.union(*(reader.leaves_of(op.operands) for b in measured if (op := roots[b].op) is not None))
    loose = [d.name for d in found if d.source == DEFAULT and d.name in needed]
    assumptions = (*program.assumptions, *((stated_bound(loose),) if loose else ()))
    return replace(program, buffers=tuple(buffers), dimensions=dimensions, assumptions=assumptions)


# --- where a size can be computed ------------------------------------------------------------------------------


def computable_from(function: func.FuncOp) -> dict[SSAValue, int]:
    """For each scalar of the entry block the first op in front of which it can be computed, by copies of pure ops."""
    found: dict[SSAValue, int] = {}
    for ordinal, op in enumerate(function.body.blocks[0].ops):
        copied = may_be_copied(op)
        first = max((found.get(v, 0) for v in op.operands), default=0) if copied else ordinal + 1
        found |= dict.fromkeys(op.results, first)
    return found


def may_be_copied(op: Operation) -> bool:
    """Pure, and defined whatever its operands are: of divisions and shifts, which an assert may guard, only those by a
    constant."""
    if not is_pure(op) or op.name == "memref.rank":
        return False
    if not any(part in op.name for part in ("div", "rem", ".sh")):
        return True
    owner = op.operands[1].owner if len(op.operands) > 1 else None
    attribute = owner.properties.get("value") if isinstance(owner, Operation) else None
    most = 64 if ".sh" in op.name else 1 << 62
    return isinstance(attribute, builtin.IntegerAttr) and 0 < attribute.value.data < most
