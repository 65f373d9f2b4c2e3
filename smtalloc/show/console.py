"""Where text goes: a terminal with colours, or plain lines of any length."""

from __future__ import annotations

import io
import sys

from rich.console import Console
from rich.text import Text

from smtalloc.commands.common import write_output

STYLES = {
    "SAFE": "bold green",
    "OPTIMAL": "bold green",
    "FEASIBLE": "bold yellow",
    "UNKNOWN": "bold yellow",
    "UNSAFE": "bold red",
    "INFEASIBLE": "bold red",
}


class Page:
    """Lines for one answer; `flush` writes them once, to a file or to standard output."""

    def __init__(self, output: str | None) -> None:
        self._output = output
        terminal = output is None and sys.stdout.isatty()
        self._buffer = io.StringIO()
        self.console = Console(
            file=self._buffer,
            force_terminal=terminal,
            width=None if terminal else 200,
            highlight=False,
            soft_wrap=True,
            legacy_windows=False,
        )

    def line(self, text: str = "", style: str | None = None) -> None:
        self.console.print(Text(text.rstrip(), style=style or ""))

    def verdict(self, before: str, word: str, after: str = "") -> None:
        """A line with a coloured verdict in it."""
        self.console.print(Text.assemble(before, (word, STYLES.get(word, "")), after))

    def flush(self) -> None:
        text = self._buffer.getvalue()
        write_output("\n".join(line.rstrip() for line in text.split("\n")), self._output)


def count(number: int, noun: str) -> str:
    """1 slot, 2 slots."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
