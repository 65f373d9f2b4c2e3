"""Every golden and real file reads, prints, and reads back as the same program: by us, and by mlir-opt between."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from support import GENERIC, SHARED, everything, needs_mlir_opt, needs_shared, through_mlir_opt
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from smtalloc.mlir.foreign import SEGMENTS, SYNTAX, ForeignOp, GenericOp, LinalgOp
from smtalloc.mlir.reader import location_of, print_modules, read_file, read_modules

FILES = everything()

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SHARED)))


@pytest.fixture(autouse=True)
def garbage_waits() -> Iterator[None]:
    """Collecting garbage among a million ops that live doubles the time of these tests."""
    gc.disable()
    yield
    gc.enable()


text_of: Callable[[Attribute], str] = cache(str)


def program(module: ModuleOp) -> list[object]:
    """The module without names, locations, syntax and the order of attributes.

    The region of a named linalg op is left out: custom form does not show it, `mlir-opt` makes it from the op's name.
    """
    numbers: dict[SSAValue | Block, int] = {}

    def of_op(op: Operation) -> list[object]:
        # order of visits numbers the values
        shown = (op.properties | op.attributes).items()
        attributes = {name: text_of(attr) for name, attr in shown if name not in (SYNTAX, SEGMENTS)}
        if isinstance(op, LinalgOp) and not isinstance(op, GenericOp):
            attributes.pop("indexing_maps", None)  # those that go without saying are shown in generic form only
            regions = []
        else:
            regions = [[of_block(block) for block in region.blocks] for region in op.regions]
        for result in op.results:
            numbers.setdefault(result, len(numbers))
        return [
            op.name,
            [numbers.setdefault(operand, len(numbers)) for operand in op.operands],
            [text_of(result.type) for result in op.results],
            sorted(attributes.items()),
            [numbers.setdefault(successor, len(numbers)) for successor in op.successors],
            regions,
        ]

    def of_block(block: Block) -> list[object]:
        numbers.setdefault(block, len(numbers))
        for argument in block.args:
            numbers.setdefault(argument, len(numbers))
        return [[text_of(argument.type) for argument in block.args], [of_op(op) for op in block.ops]]

    return of_op(module)


def groups(modules: list[ModuleOp]) -> list[object]:
    """The operand groups of every foreign op."""
    ops = [op for module in modules for op in module.walk() if isinstance(op, ForeignOp)]
    return [[(keyword, len(values)) for keyword, values in found] if (found := op.groups()) else None for op in ops]


def in_generic_form(text: str) -> str:
    return through_mlir_opt(text, "--split-input-file", GENERIC)


@needs_shared
@each_file
def test_prints_what_it_reads_back(path: Path) -> None:
    modules = read_file(str(path))
    programs = [program(module) for module in modules]
    custom, generic = print_modules(modules), print_modules(modules, generic=True)
    from_custom, from_generic = read_modules(custom, "custom.mlir"), read_modules(generic, "generic.mlir")
    for again in (from_custom, from_generic):
        assert [program(module) for module in again] == programs
        assert groups(again) == groups(modules)
    assert print_modules(from_custom, generic=True) == generic
    assert print_modules(from_generic) == custom


@needs_shared
@needs_mlir_opt
@pytest.mark.parametrize("folder", ["golden/probes", "golden/random", "real"])
def test_mlir_opt_reads_the_same_program(folder: str) -> None:
    """One run of mlir-opt per folder: starting it costs more than most files."""
    modules = [module for path in FILES if path.parent == SHARED / folder for module in read_file(str(path))]
    again = read_modules(in_generic_form(print_modules(modules, generic=True)), "mlir-opt.mlir")
    for ours, theirs in zip(modules, again, strict=True):
        assert program(theirs) == program(ours), location_of(ours)
        assert groups([theirs]) == groups([ours]), location_of(ours)


@needs_shared
@needs_mlir_opt
@pytest.mark.parametrize("path", sorted(SHARED.glob("real/*[!e].mlir")), ids=lambda path: path.name)
def test_custom_form_of_registered_dialects_is_mlir(path: Path) -> None:
    """The real networks have no foreign dialect but linalg: mlir-opt reads them, and our custom form of them."""
    original = path.read_text()
    ours = print_modules(read_modules(original, str(path)))
    assert in_generic_form(ours) == in_generic_form(original)


@needs_shared
@needs_mlir_opt
@pytest.mark.parametrize("name", ["transformer2", "squeezenet"])
def test_reads_the_generic_form_that_mlir_opt_prints(name: str) -> None:
    original = (SHARED / "real" / f"{name}.mlir").read_text()
    custom, generic = read_modules(original, name), read_modules(in_generic_form(original), name)
    assert [program(module) for module in generic] == [program(module) for module in custom]
    assert groups(generic) == groups(custom)
