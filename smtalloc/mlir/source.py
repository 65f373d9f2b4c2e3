"""Where things stand in the input: the text of a file, offsets in it, and the locations made of them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from xdsl.ir import BuiltinAttribute, Operation

from smtalloc.program import Location

if TYPE_CHECKING:
    from xdsl.printer import Printer


@dataclass(frozen=True, eq=False)
class SourceText:
    """The whole text of one input file. Offsets of every module split off it count from its start."""

    text: str
    filename: str

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def location(self, offset: int) -> Location:
        """Line and column of an offset, both counting from 1."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._line_starts, offset)
        return Location(self.filename, line, offset - self._line_starts[line - 1] + 1)


class InputLocation(BuiltinAttribute):
    """The location attribute of every op that was read: an offset, turned into line and column when asked for.

    It stands where xDSL keeps `loc(...)`, so clones of an op keep it. `loc(...)` in the input is not kept.
    """

    name = "smtalloc.input_location"
    __slots__ = ("offset", "source")

    source: SourceText
    offset: int

    def __init__(self, source: SourceText, offset: int) -> None:
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "offset", offset)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputLocation) and (self.source, self.offset) == (other.source, other.offset)

    def __hash__(self) -> int:
        return hash((self.source, self.offset))

    @property
    def location(self) -> Location:
        return self.source.location(self.offset)

    def print_builtin(self, printer: Printer) -> None:
        where = self.location
        printer.print_string(f'loc("{where.file}":{where.line}:{where.column})')


def input_location(op: Operation) -> InputLocation | None:
    """Where the op stood in the input; None for an op made since."""
    location: object = op.location
    return location if isinstance(location, InputLocation) else None
