"""MiniMalloc's CSV, with all its columns: problems in, problems and plans out.

    id,lower,upper,size,alignment,hint,gaps,offset
    weights,0,9,4096,64,,2-3 4-6@0:1024,

`id` may be called `buffer` or `buffer_id`; `lower` `start` or `begin`; an `end` instead of `upper` is inclusive, and so
are then the ends of gaps. The last four columns may be left out, in any order. A gap is `lo-hi` (nothing is live) or
`lo-hi@wlo:whi` (the block's bytes [wlo, whi) are). An offset pins the block; empty or -1 does not.

Unlike MiniMalloc, this reader takes blank lines, CRLF and quoted names, lives of length 0, and it says where an error
is. Here `gaps` that leave the life are cut to it, as MiniMalloc's have no effect outside.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from smtalloc.packing import POOL, ArenaProblem, Block, Gap, PoolLimits, require_valid
from smtalloc.plan import Arena
from smtalloc.program import InputError, Location

T = TypeVar("T")

_ALIASES = {"buffer": "id", "buffer_id": "id", "start": "lower", "begin": "lower"}
_REQUIRED = ("id", "lower", "size")
_COLUMNS = ("id", "lower", "upper", "end", "size", "alignment", "hint", "gaps", "offset")
_INTEGER = re.compile(r"[+-]?[0-9]{1,400}")
_GAP = re.compile(r"(-?[0-9]{1,400})-(-?[0-9]{1,400})(?:@([0-9]{1,400}):([0-9]{1,400}))?")
_FIELD = re.compile(r'"(?:[^"]|"")*"|[^,]*')


@dataclass(frozen=True, slots=True)
class _Row:
    """The fields of one line, and where each starts."""

    source: str
    line: int
    fields: tuple[str, ...]
    columns: tuple[int, ...]

    def at(self, field: int) -> Location:
        return Location(self.source, self.line, self.columns[field] if field < len(self.columns) else 1)


def read_csv(text: str, source: str, *, name: str, capacity_bytes: int | None = None) -> ArenaProblem:
    """The problem in a text; `source` stands in messages. Raises InputError with file, line and column."""
    rows = _rows(text, source)
    header = next(rows, None)
    if header is None:
        raise InputError("no header (expected columns id, lower, upper, size)", Location(source, 1, 1))
    columns = _columns(header)
    inclusive = 1 if "end" in columns else 0
    blocks: list[Block] = []
    seen: dict[str, int] = {}
    for row in rows:
        if len(row.fields) != len(header.fields):
            raise InputError(f"has {len(row.fields)} fields, the header {len(header.fields)}", row.at(0))
        block = _block(row, columns, inclusive)
        if block.name in seen:
            raise InputError(
                f"the id {block.name!r} is taken already in line {seen[block.name]}", row.at(columns["id"])
            )
        seen[block.name] = row.line
        _validate(block, row)
        blocks.append(block)
    return ArenaProblem(name, tuple(blocks), (PoolLimits(POOL, capacity_bytes),))


def _rows(text: str, source: str) -> Iterator[_Row]:
    """Non-empty lines. Names may be quoted, but no field runs over a line."""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        fields: list[str] = []
        columns: list[int] = []
        at = 0
        while True:
            found = _FIELD.match(line, at)
            assert found is not None  # the second alternative matches everywhere
            raw, at = found[0], found.end()
            columns.append(found.start() + 1)
            fields.append(raw[1:-1].replace('""', '"') if raw.startswith('"') and len(raw) > 1 else raw.strip())
            if at == len(line):
                break
            if line[at] != ",":
                raise InputError("text behind a closing quote", Location(source, number, at + 1))
            at += 1
        yield _Row(source, number, tuple(fields), tuple(columns))


def _columns(header: _Row) -> dict[str, int]:
    """Column -> position, under the names of the module's first lines."""
    found: dict[str, int] = {}
    for position, field in enumerate(header.fields):
        name = _ALIASES.get(field, field)
        if name not in _COLUMNS:
            raise InputError(
                f"unknown column {field!r} (known: {', '.join((*_COLUMNS, *_ALIASES))})", header.at(position)
            )
        if name in found:
            raise InputError(f"the column {name!r} occurs twice", header.at(position))
        found[name] = position
    missing = [name for name in _REQUIRED if name not in found]
    if missing:
        raise InputError(f"the column {missing[0]!r} is missing", header.at(0))
    if ("upper" in found) == ("end" in found):
        raise InputError("needs exactly one of the columns 'upper' (exclusive) and 'end' (inclusive)", header.at(0))
    return found


def _block(row: _Row, columns: dict[str, int], inclusive: int) -> Block:
    def read(column: str, convert: Callable[[str, Location], T], default: T) -> T:
        """A cell; the default where the column is missing or the cell is empty."""
        at = columns.get(column)
        return default if at is None or not row.fields[at] else convert(row.fields[at], row.at(at))

    def required(column: str) -> int:
        at = columns[column]
        return _integer(row.fields[at], row.at(at))

    lower = required("lower")
    upper = required("end") + 1 if inclusive else required("upper")
    offset = read("offset", _integer, -1)
    hint = read("hint", _integer, -1)
    gaps = read("gaps", lambda text, where: _gaps(text, where, inclusive), ())
    cut = (Gap(max(g.lower, lower), min(g.upper, upper), g.window) for g in gaps)
    return Block(
        name=row.fields[columns["id"]],
        size_bytes=required("size"),
        alignment=read("alignment", _integer, 1),
        life=(lower, upper),
        gaps=tuple(g for g in cut if g.lower < g.upper),
        offset=None if offset == -1 else offset,
        hint=None if hint < 0 else hint,
    )


def _integer(text: str, where: Location) -> int:
    if not _INTEGER.fullmatch(text):
        raise InputError(f"{text[:40]!r} is not an integer", where)
    return int(text)


def _gaps(text: str, where: Location, inclusive: int) -> tuple[Gap, ...]:
    found: list[Gap] = []
    for word in text.split():
        match = _GAP.fullmatch(word)
        if not match:
            raise InputError(f"{word[:40]!r} is not a gap (lo-hi or lo-hi@wlo:whi)", where)
        window = (int(match[3]), int(match[4])) if match[3] else None
        found.append(Gap(int(match[1]), int(match[2]) + inclusive, window))
    return tuple(sorted(found, key=lambda gap: (gap.lower, gap.upper)))


def _validate(block: Block, row: _Row) -> None:
    try:
        require_valid(ArenaProblem("", (block,)))
    except InputError as error:
        raise InputError(error.message, row.at(0)) from None


# --- writing -----------------------------------------------------------------------------------------------


def write_csv(problem: ArenaProblem, plan: Arena | None = None) -> str:
    """MiniMalloc's columns; the optional ones where some block needs them. A plan fills `offset`, else pins do.

    Raises InputError where the problem says more than the columns can: conflicts that are no intervals, groups,
    forbidden ranges, several pools.
    """
    _require_expressible(problem)
    offsets = {b: block.offset for b, block in enumerate(problem.blocks) if block.offset is not None}
    if plan is not None:
        offsets |= plan.offset_of()
    optional = {
        "alignment": any(block.alignment != 1 for block in problem.blocks),
        "hint": any(block.hint is not None for block in problem.blocks),
        "gaps": any(block.gaps for block in problem.blocks),
        "offset": bool(offsets) or plan is not None,
    }
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["id", "lower", "upper", "size", *(name for name, used in optional.items() if used)])
    for b, block in enumerate(problem.blocks):
        lower, upper = block.life or (0, 0)
        cells: dict[str, object] = {
            "alignment": block.alignment,
            "hint": "" if block.hint is None else block.hint,
            "gaps": " ".join(map(_gap_text, block.gaps)),
            "offset": offsets.get(b, -1),
        }
        rows.writerow([block.name, lower, upper, block.size_bytes, *(cells[n] for n, used in optional.items() if used)])
    return text.getvalue()


def _gap_text(gap: Gap) -> str:
    window = "" if gap.window is None else f"@{gap.window[0]}:{gap.window[1]}"
    return f"{gap.lower}-{gap.upper}{window}"


def _require_expressible(problem: ArenaProblem) -> None:
    reasons: Sequence[tuple[bool, str]] = (
        (problem.apart is not None, "its conflicts are no intervals of time"),
        (len(problem.pools) > 1, "it has several pools"),
        (any(block.group for block in problem.blocks), "it has groups"),
        (
            any(b.forbidden for b in problem.blocks) or any(p.forbidden for p in problem.limits),
            "it has forbidden ranges",
        ),
    )
    for holds, reason in reasons:
        if holds:
            raise InputError(f"{problem.name} cannot be written as MiniMalloc CSV: {reason} (use json)")
