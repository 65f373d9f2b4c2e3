"""MLIR text to modules and back. Whatever is wrong with the input is one `InputError` that says where."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError

from smtalloc.mlir import affine_regions, asyncs, gpu, gpu_kernels, loops
from smtalloc.mlir.deallocation import BUFFERIZATION
from smtalloc.mlir.dominance import Violation, violations
from smtalloc.mlir.foreign import LINALG, SPECIAL, ForeignContext
from smtalloc.mlir.names import source_name, value_name
from smtalloc.mlir.overlay import OVERLAYS
from smtalloc.mlir.parser import FastParser
from smtalloc.mlir.printer import METADATA, module_text
from smtalloc.mlir.source import SourceText, input_location
from smtalloc.mlir.verify import Symbols, problem_of
from smtalloc.program import InputError, Location

__all__ = ["location_of", "print_module", "print_modules", "read_file", "read_modules", "value_name"]

_SPLIT = re.compile(r"^// -----[ \t\r]*$", re.MULTILINE)
SEPARATOR = "// -----\n"


@cache
def _context() -> ForeignContext:
    """One for the process: types of unknown dialects have classes, which must be the same in all modules."""
    context = ForeignContext(allow_unregistered=True)
    SPECIAL.update({**gpu.OPS, **gpu_kernels.OPS, **asyncs.OPS, **loops.OPS, **affine_regions.OPS})
    ours = (*OVERLAYS, BUFFERIZATION, LINALG, asyncs.ASYNC)
    for dialect in ours:
        context.load_dialect(dialect)
    for name, factory in get_all_dialects().items():
        if name not in {"gpu", *(dialect.name for dialect in ours)}:  # gpu.py says why
            context.register_dialect(name, factory)
    return context


def read_file(path: str) -> list[ModuleOp]:
    """The modules of a file; `-` is standard input."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", Location(path)) from None
    filename = "<stdin>" if path == "-" else path
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = SourceText(data[: error.start].decode("utf-8"), filename)
        raise InputError("is not UTF-8 text", before.location(error.start)) from None
    return read_modules(text, filename)


def read_modules(text: str, filename: str) -> list[ModuleOp]:
    """The modules of a text: one, or one for each part between `// -----` lines. Ops without a module get one."""
    source = SourceText(text, filename)
    modules: list[ModuleOp] = []
    start = 0
    with _garbage_kept():
        for end, following in [*(match.span() for match in _SPLIT.finditer(text)), (len(text), 0)]:
            modules.append(_read_module(source, start, end))
            start = following
    return modules


@contextmanager
def _garbage_kept() -> Generator[None]:
    """Nearly all that reading makes is kept; looking for garbage in it costs a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_module(source: SourceText, start: int, end: int) -> ModuleOp:
    parser: FastParser | None = None
    try:
        parser = FastParser(_context(), source, start, end)
        module = parser.read_module()
        _check(module, parser.unverified, source)
    except InputError:
        raise
    except ParseError as error:
        raise InputError(_one_line(error.msg), source.location(start + error.span.start)) from None
    except RecursionError:
        raise InputError("is nested too deeply", source.location(_position(parser, start))) from None
    except Exception as error:  # xDSL's constructors and verifiers raise whatever comes to hand
        message = _one_line(str(error)) or type(error).__name__
        raise InputError(message, source.location(_position(parser, start))) from None
    if parser.metadata:
        vars(module)[METADATA] = parser.metadata
    return module


def _position(parser: FastParser | None, start: int) -> int:
    """The op being read, for errors that do not know better."""
    if parser is None:
        return start
    return start + (parser.pos if parser.operation_start is None else parser.operation_start)


def _one_line(message: str) -> str:
    line = " ".join(message.split())
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in line)


def _check(module: ModuleOp, unverified: Sequence[Operation], source: SourceText) -> None:
    """What reading alone does not find: ops against their own rules, then symbols, then dominance.

    Of each kind the first in the text is reported.
    """
    problems = [problem for op in unverified if (problem := problem_of(op)) is not None]
    if not problems:
        symbols = Symbols(module)
        problems = symbols.problems + [found for op in unverified if (found := symbols.problem_of(op)) is not None]
    found = [(_offset_of(problem.op), f"'{problem.op.name}': {_one_line(problem.message)}") for problem in problems]
    if not found:
        found = [_use(violation, source) for violation in violations(module)]
    if found:
        offset, message = min(found)
        raise InputError(message, source.location(offset))


def _use(violation: Violation, source: SourceText) -> tuple[int, str]:
    """Where the op names the value, as far as its text shows it."""
    start = _offset_of(violation.op)
    name = "%" + source_name(violation.value).partition("#")[0]
    if violation.op.results:
        start = source.text.find("=", start)
    use = re.compile(re.escape(name) + r"(?![\w.$-])").search(source.text, start)
    message = f"value {name} is used before its definition, or where it is not visible"
    return (use.start() if use else start), message


def _offset_of(op: Operation) -> int:
    own = input_location(op)
    return own.offset if own is not None else 0


def print_module(module: ModuleOp, *, generic: bool = False) -> str:
    """The module as text that reads back as the same program. In generic form `mlir-opt` reads it too, given
    `--allow-unregistered-dialect`; named linalg ops read in custom form are printed in custom form there as well."""
    return module_text(module, generic=generic)


def print_modules(modules: Sequence[ModuleOp], *, generic: bool = False) -> str:
    """The modules as one text, `// -----` between them."""
    return SEPARATOR.join(print_module(module, generic=generic) for module in modules)


def location_of(op: Operation) -> Location:
    """Where the op stood in the input. An op made since has only the file of the op around it, if any."""
    if (own := input_location(op)) is not None:
        return own.location
    around = (found for ancestor in _ancestors(op) if (found := input_location(ancestor)) is not None)
    return Location(next((found.source.filename for found in around), ""))


def _ancestors(op: Operation) -> Iterator[Operation]:
    while (parent := op.parent_op()) is not None:
        yield parent
        op = parent
