"""Arena problems from files: MiniMalloc CSV and JSON, told apart by name. (Standard input is MLIR.)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from smtalloc.arena_json import problem_from_json
from smtalloc.formats import parse_json
from smtalloc.minimalloc import read_csv
from smtalloc.packing import POOL, ArenaProblem, PoolLimits
from smtalloc.program import InputError, Location


def is_problem(path: str) -> bool:
    """Is the file an arena problem, by its name? (Everything else is MLIR.)"""
    return PurePath(path).suffix in (".csv", ".json")


def read_problem(path: str, capacities: Mapping[str, int]) -> ArenaProblem:
    """The problem in a .csv or .json file, named after it. Raises InputError with the place."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(f"cannot be read: {reason}", Location(path)) from None
    name = PurePath(path).stem
    if PurePath(path).suffix == ".json":
        return with_capacities(problem_from_json(parse_json(data, path), path, name=name), capacities)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})", Location(path)) from None
    return with_capacities(read_csv(text, path, name=name), capacities)


def with_capacities(problem: ArenaProblem, capacities: Mapping[str, int]) -> ArenaProblem:
    """The problem with these capacities (by pool) instead of its own."""
    limits = {limits.name: limits for limits in problem.limits}
    for pool, capacity in capacities.items():
        limits[pool] = replace(limits.get(pool, PoolLimits(pool)), capacity_bytes=capacity)
    return replace(problem, limits=tuple(limits.values()))


def parse_capacities(texts: Sequence[str]) -> dict[str, int]:
    """`N` or `POOL=N` each, in bytes. Raises InputError."""
    found: dict[str, int] = {}
    for text in texts:
        pool, _, number = text.rpartition("=")
        if not number.isascii() or not number.isdigit() or len(number) > 400:
            raise InputError(f"--capacity {text}: not a number of bytes")
        found[pool or POOL] = int(number)
    return found
