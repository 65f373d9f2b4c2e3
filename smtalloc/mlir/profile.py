"""Profiles: which op runs on which engine, and what it reads and writes. Data (TOML), not code.

`profiles/common.toml` explains the keys; `--profile FILE.toml` takes a user's own.
"""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, cast

from smtalloc.program import InputError, Location

ANY = "any"
NONE = "none"
TOKENS = "tokens"
BODY = "body"

Selector = int | str
Root = Literal["", "alloc", "stack", "runtime", "realloc", "external", "global"]
ReadsOuts = Literal["no", "yes", "body"]


@dataclass(frozen=True, slots=True)
class OpRule:
    """What one op does. `engine` is "host", a queue, "none" or "any"; see common.toml for the other keys."""

    engine: str = ANY
    reads: tuple[Selector, ...] = ()
    writes: tuple[Selector, ...] = ()
    waits: tuple[str, ...] = ()
    reads_outs: ReadsOuts = "no"
    root: Root = ""
    size_operand: int | None = None
    alignment: int = 1
    """Of the memory that a root op gives, in bytes, where the op itself does not say."""
    key: tuple[str, ...] = ()
    """Attributes that tell memories of one root op apart (with `size_operand`); those of one key are one memory."""
    device_only: bool = False
    """Memory that a root op gives: the host cannot address it."""
    frees: int | None = None
    """The operand that is freed; as everywhere, -1 is the last one."""
    index_from: int | None = None
    """Operands from here on index the one element that is accessed."""
    in_place: tuple[Selector, ...] = ()
    """Operands that the op reads element by element, each before it writes the element in the same place."""
    partial: bool = False
    """Touches some bytes of the range, not necessarily all."""
    queue_from: Selector | None = None
    """Names one queue of the engine (or of those in `waits`): an operand, an attribute, or TOKENS."""
    async_engine: str = ""
    """The engine of an op with a result that `records` names; `engine` is that of one without."""
    records: tuple[Selector, ...] = ()
    awaits: tuple[Selector, ...] = ()
    adds: tuple[int, ...] = ()
    """(event, group) operands: awaiting the group awaits the event too."""
    fresh: bool = False
    """The results are queues or events that nothing else names."""
    kernel: str = ""
    """The attribute with the symbol of the function that the op runs on a device, or BODY."""
    steps: bool = False
    """The ops of the region run on the op's engine, one after the other."""
    result_of: int | None = None
    """The memory of a memref result is that of this operand."""
    known: bool = True


UNKNOWN_OP = OpRule(known=False)


@dataclass(frozen=True)
class Profile:
    """Rules by op name; the most specific pattern wins, the profile's own before the common ones."""

    name: str
    summary: str
    queues: tuple[str, ...]
    dialects: tuple[str, ...]
    elements: Mapping[str, Any]
    rules: Mapping[str, OpRule]
    _found: dict[str, OpRule] = field(default_factory=dict[str, OpRule], repr=False, compare=False)

    def rule(self, op_name: str) -> OpRule:
        """The rule for an op, `UNKNOWN_OP` where there is none."""
        if op_name not in self._found:
            patterns = [p for p in self.rules if fnmatch.fnmatchcase(op_name, p)]
            best = max(patterns, key=lambda p: ("*" not in p, len(p)), default=None)
            self._found[op_name] = self.rules[best] if best else UNKNOWN_OP
        return self._found[op_name]

    def element_bits(self, width: int) -> int:
        """Bits that one integer element of this width takes in memory."""
        if width == 1 and self.elements.get("i1", "byte") == "byte":
            return 8
        if width < 8 and self.elements.get("sub_byte", "byte") == "packed":
            return width
        bits = 8
        while bits < width:
            bits *= 2
        return bits

    @property
    def index_bits(self) -> int:
        return int(self.elements.get("index_bits", 64))


def builtin_names() -> tuple[str, ...]:
    """Profiles that come with smtalloc."""
    files = resources.files("smtalloc.mlir").joinpath("profiles").iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name != "common.toml"))


@lru_cache
def load_profile(name_or_path: str) -> Profile:
    """A built-in profile by name, or a TOML file by path (anything with a dot or a slash).

    Raises InputError for an unknown name, an unreadable file, or a key that no rule has.
    """
    if name_or_path in builtin_names():
        text = resources.files("smtalloc.mlir").joinpath("profiles", f"{name_or_path}.toml").read_text("utf-8")
        return _profile(text, f"{name_or_path}.toml")
    if not any(c in name_or_path for c in "./\\"):
        known = ", ".join(builtin_names())
        raise InputError(f"unknown profile '{name_or_path}'; known: {known}; or give a .toml file")
    try:
        text = Path(name_or_path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read profile: {error}", Location(name_or_path)) from error
    return _profile(text, name_or_path)


def _profile(text: str, source: str) -> Profile:
    data = _toml(text, source)
    common = _toml(resources.files("smtalloc.mlir").joinpath("profiles", "common.toml").read_text("utf-8"), "common")
    _check_top(data, source)
    queues = _strings(data, "queues", source)
    own = {name: _rule(name, raw, queues, source) for name, raw in _table(data, "ops", source).items()}
    rules = dict(own)
    for name, raw in _table(common, "ops", "common").items():
        if name in own:
            continue
        if "engine" in raw:
            rules[name] = _rule(name, raw, queues, "common")
        else:  # refines the profile's own wildcard rule
            base = max((p for p in own if fnmatch.fnmatchcase(name, p)), key=len, default=None)
            if base:
                rules[name] = replace(own[base], reads_outs=raw["reads_outs"])
    return Profile(
        name=str(data.get("name", source)),
        summary=str(data.get("summary", "")),
        queues=queues,
        dialects=_strings(data, "dialects", source),
        elements=_table(data, "elements", source),
        rules=rules,
    )


_TOP_KEYS = ("name", "summary", "queues", "dialects", "elements", "ops")
_ELEMENTS: dict[str, tuple[Any, ...]] = {
    "i1": ("byte", "packed"),
    "sub_byte": ("byte", "packed"),
    "index_bits": (32, 64),
}


def _check_top(data: Mapping[str, Any], source: str) -> None:
    for key in data:
        if key not in _TOP_KEYS:
            raise InputError(f"profile: unknown key '{key}'", Location(source))
    for key, value in _table(data, "elements", source).items():
        if key not in _ELEMENTS or value not in _ELEMENTS[key] or isinstance(value, bool):
            allowed = ", ".join(map(str, _ELEMENTS.get(key, ()))) or "no such key"
            raise InputError(f"profile: [elements] {key} = {value!r}: {allowed}", Location(source))
    for queue in _strings(data, "queues", source):
        if queue in ("host", NONE, ANY, ""):
            raise InputError(f"profile: a queue cannot be called '{queue}'", Location(source))


def _toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"profile is not TOML: {error}", Location(source)) from error


def _table(data: Mapping[str, Any], key: str, source: str) -> dict[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise InputError(f"profile: [{key}] must be a table", Location(source))
    return cast(dict[str, Any], table)


def _strings(data: Mapping[str, Any], key: str, source: str) -> tuple[str, ...]:
    values = data.get(key, [])
    if not isinstance(values, list) or not all(isinstance(v, str) for v in cast("list[Any]", values)):
        raise InputError(f"profile: {key} must be a list of strings", Location(source))
    return tuple(cast(list[str], values))


_RULE_KEYS = frozenset(f.name for f in fields(OpRule)) - {"known"}
_CHOICES: dict[str, tuple[str, ...]] = {
    "reads_outs": ("no", "yes", "body"),
    "root": ("alloc", "stack", "runtime", "realloc", "external", "global"),
}
_LISTS = {
    "reads": "names (or operand numbers)",
    "writes": "names (or operand numbers)",
    "in_place": "names (or operand numbers)",
    "waits": "names",
    "key": "names",
    "records": 'operand numbers, attributes or "!types"',
    "awaits": 'operand numbers, attributes or "!types"',
    "adds": "operand numbers",
}
_NUMBERS = ("size_operand", "index_from", "alignment", "result_of")


def _rule(name: str, raw: Any, queues: tuple[str, ...], source: str) -> OpRule:
    where = f'profile: [ops."{name}"]'
    if not isinstance(raw, dict):
        raise InputError(f"{where} must be a table", Location(source))
    table = cast("dict[str, Any]", raw)
    for key, value in table.items():
        if key not in _RULE_KEYS:
            raise InputError(f"{where} has an unknown key '{key}'", Location(source))
        if key in _CHOICES and value not in _CHOICES[key]:
            raise InputError(f"{where}: {key} must be one of {', '.join(_CHOICES[key])}", Location(source))
        if key in _LISTS and not _is_list(key, value):
            raise InputError(f"{where}: {key} must be a list of {_LISTS[key]}", Location(source))
        if key in ("device_only", "partial", "fresh", "steps") and not isinstance(value, bool):
            raise InputError(f"{where}: {key} must be true or false", Location(source))
        if key == "frees" and type(value) is not int:
            raise InputError(f"{where}: frees must be an operand number", Location(source))
        if key in _NUMBERS and not (type(value) is int and value >= 0):
            raise InputError(f"{where}: {key} must be a number of 0 or more", Location(source))
        if key in ("kernel", "async_engine") and not (isinstance(value, str) and value):
            raise InputError(f"{where}: {key} must be a name", Location(source))
        if key == "queue_from" and not _is_list("reads", [value]):
            raise InputError(f"{where}: queue_from must be an operand number or a name", Location(source))
    _check_engines(table, queues, where, source)
    if table.get("alignment", 1) < 1 or table.get("alignment", 1).bit_count() != 1:
        raise InputError(f"{where}: alignment must be a power of two", Location(source))
    values: dict[str, Any] = {key: tuple(cast(list[Any], v)) if isinstance(v, list) else v for key, v in table.items()}
    return OpRule(**values)


def _check_engines(table: dict[str, Any], queues: tuple[str, ...], where: str, source: str) -> None:
    engine = table.get("engine")
    if table.get("waits") and engine != "host":
        raise InputError(f"{where}: only the host waits", Location(source))
    if engine not in ("host", NONE, ANY, *queues):
        raise InputError(f"{where}: engine '{engine}' is not host, none, any or one of the queues", Location(source))
    if "async_engine" in table and table["async_engine"] not in queues:
        raise InputError(f"{where}: async_engine must be one of the queues", Location(source))
    for queue in table.get("waits", ()):
        if queue not in queues:
            raise InputError(f"{where}: waits for '{queue}', which is not one of the queues", Location(source))
    named = engine in queues or bool(table.get("waits")) or "async_engine" in table
    if "queue_from" in table and not named:
        raise InputError(f"{where}: queue_from names one queue of an engine, or of those waited for", Location(source))
    if table.get("queue_from") == TOKENS and not table.get("awaits"):
        raise InputError(f'{where}: queue_from = "{TOKENS}" needs awaits', Location(source))
    if (table.get("records") or table.get("awaits")) and engine in (NONE, ANY):
        raise InputError(f"{where}: records and awaits need an engine, host or a queue", Location(source))
    if len(table.get("adds", (0, 0))) != 2:
        raise InputError(f"{where}: adds must be two operand numbers, event and group", Location(source))


def _is_list(key: str, value: Any) -> bool:
    kinds = (str,) if key in ("waits", "key") else (int,) if key == "adds" else (str, int)
    items = cast("list[Any]", value) if isinstance(value, list) else [None]
    return all(type(item) in kinds for item in items)


_GUESSED = ("hip", "gpu", "async", "linalg-device")
"""The most telling first: gpu and async occur in what is lowered from linalg, and linalg beside hip."""


def guess(dialects: frozenset[str]) -> str:
    """The first built-in profile that names one of the dialects; `hip` where none does."""
    return next((name for name in _GUESSED if dialects & set(load_profile(name).dialects)), "hip")
