"""Bounds closing in, on standard error, when it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smtalloc.allocate import Progress


@contextmanager
def progress_line() -> Generator[Callable[[Progress], None] | None]:
    """A callback that keeps one line up to date; None where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only for terminals
    from rich.status import Status  # noqa: PLC0415

    with Status("reading", console=Console(stderr=True)) as status:
        yield lambda p: status.update(
            f"{p.phase}: {p.lower_bound_bytes:,} <= minimum <= {p.cost_bytes:,} bytes, {p.elapsed_s:.1f} s"
        )
