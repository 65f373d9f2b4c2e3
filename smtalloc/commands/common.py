"""What the commands share: exit statuses, writing files."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from enum import IntEnum
from pathlib import Path

from smtalloc.program import InputError, Location


class Exit(IntEnum):
    """Exit statuses of every command."""

    OK = 0
    BAD = 1
    """Unsafe, worse, refuted."""
    USAGE = 2
    """Bad input or usage."""
    UNKNOWN = 3
    """No answer within the limits."""


def worst(statuses: list[Exit]) -> Exit:
    """One status for several answers: bad before unknown before good."""
    for status in (Exit.BAD, Exit.UNKNOWN):
        if status in statuses:
            return status
    return Exit.OK


def write_output(text: str, path: str | None) -> None:
    """To standard output, or to a file: whole or not at all."""
    if path is None or path == "-":
        sys.stdout.write(text)
        return
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent or Path(), prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
            Path(temporary).replace(target)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", Location(path)) from error
