"""What a solver of SMT-LIB text is: text in, answer out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Status(StrEnum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """`values` maps the declared constants of sort Int, Bool and (_ BitVec n) (unsigned) to their values in the model,
    if `status` is SAT."""

    status: Status
    values: Mapping[str, int | bool] = field(default_factory=dict[str, "int | bool"])
    reason: str = ""
    """Why the status is UNKNOWN, in the solver's words."""
    core: tuple[str, ...] = ()
    """If the status is UNSAT and every assertion has a name (`:named`): those of some that together have no model."""


class SmtSolver(Protocol):
    """A solver of SMT-LIB 2.6 text. One instance may be asked many times, one question at a time."""

    @property
    def name(self) -> str:
        """Name and version."""
        ...

    def solve(self, text: str, *, time_limit_s: float | None = None) -> Answer:
        """Decide the assertions in `text`. UNKNOWN after `time_limit_s` seconds (parsing included) or `cancel`.

        Ctrl-C stops the solver and is raised as `KeyboardInterrupt`. Raises `ValueError` if the text is malformed.
        """
        ...

    def cancel(self) -> None:
        """End the running `solve`, from another thread; nothing happens if there is none."""
        ...
