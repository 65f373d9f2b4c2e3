"""The lemmas of encodings/lemmas: theorems about all programs, and countermodels, put to solvers.

A lemma is a file of SMT-LIB 2.6 with `(set-info :status ...)`, which is what a solver must answer. Some comments in it
have a meaning here, each on a line of its own:

    ; needs: order sharing            these files of encodings/ belong in this place
    ; key                             without the next assertion the answer is the other one (unsat -> sat),
    ; counterexample: (assert ...)    ... and still is with these, which say where to look
    ; goal                            the next assertion is the negation of what is proven
    ; example: (assert ...)           in place of the goal these give sat: the hypotheses speak of something
    ; left out: (assert ...)          with this the answer is the other one (sat -> unsat)
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from smtalloc.encode import definitions, encodings_dir
from smtalloc.solvers.base import Answer, SmtSolver, Status

_STATUS = re.compile(r"^\(set-info :status (sat|unsat)\)$", re.MULTILINE)
_NEEDS = re.compile(r"^; needs: (.*)$", re.MULTILINE)
_MARK = re.compile(r"^; (?:(key|goal)|(example|counterexample|left out): (\(assert .*\)))$", re.MULTILINE)
_EVENT = re.compile(r"(host|issue|start|finish)_(\w+)")


@dataclass(frozen=True, slots=True)
class Variant:
    """A lemma with an assertion taken out or put in, and the answer that this must have."""

    what: str
    text: str
    expected: Status


@dataclass(frozen=True, slots=True)
class Lemma:
    """`source` is the text of its file, `says` the first line of it."""

    name: str
    says: str
    expected: Status
    source: str

    @property
    def text(self) -> str:
        """The whole query: the file with the definitions that it needs."""
        return _complete(self.source)

    def variants(self) -> Iterator[Variant]:
        """What shows that the lemma does not hold for a silly reason."""
        other = Status.SAT if self.expected is Status.UNSAT else Status.UNSAT
        for mark in _MARK.finditer(self.source):
            match mark[1] or mark[2]:
                case "key":
                    text, taken = _without_next(self.source, mark.end())
                    text = self._with("counterexample", text)
                    yield Variant(f"without {taken}", _complete(text), other)
                case "left out":
                    text = self.source.replace(mark[0], mark[3])
                    yield Variant(f"with {mark[3]}", _complete(text), other)
                case "goal":
                    text, taken = _without_next(self.source, mark.end())
                    text = self._with("example", text)
                    yield Variant(f"an example without {taken}", _complete(text), Status.SAT)
                case _:
                    pass

    def _with(self, kind: str, text: str) -> str:
        """The text with the assertions that the file has under this mark."""
        more = [mark[3] for mark in _MARK.finditer(self.source) if mark[2] == kind]
        return text.replace("(check-sat)", "\n".join([*more, "(check-sat)"]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a solver says about a lemma."""

    solver: str
    answer: Answer
    seconds: float


def lemmas() -> tuple[Lemma, ...]:
    """All of them, by name. Files without a status are axioms that lemmas need."""
    found: list[Lemma] = []
    for path in sorted(lemmas_dir().glob("*.smt2")):
        source = path.read_text(encoding="utf-8")
        status = _STATUS.search(source)
        if status is not None:
            says = source.partition("\n")[0].removeprefix("; ")
            found.append(Lemma(path.stem, says, Status(status[1]), source))
    return tuple(found)


def lemmas_dir() -> Path:
    return encodings_dir() / "lemmas"


def prove(lemma: Lemma, solver: SmtSolver, *, time_limit_s: float = 10.0) -> Outcome:
    """Put it to a solver."""
    start = time.monotonic()
    answer = solver.solve(lemma.text, time_limit_s=time_limit_s)
    return Outcome(solver.name, answer, time.monotonic() - start)


def schedule(values: Mapping[str, int | bool]) -> tuple[str, ...]:
    """The events of a countermodel in order of their times: constants such as `start_produce` are times of events."""
    events = [(int(value), match) for name, value in values.items() if (match := _EVENT.fullmatch(name))]
    return tuple(f"{match[1]} {match[2]}" for _, match in sorted(events, key=lambda event: (event[0], event[1][0])))


def _complete(source: str) -> str:
    return _NEEDS.sub(lambda needs: definitions(*needs[1].split()), source)


def _without_next(source: str, position: int) -> tuple[str, str]:
    """The text without the command that follows, and that command on one line."""
    start = source.index("(", position)
    depth = 0
    for index in range(start, len(source)):
        depth += {"(": 1, ")": -1}.get(source[index], 0)
        if not depth:
            return source[:start] + source[index + 1 :], " ".join(source[start : index + 1].split())
    raise ValueError(f"no command follows: {source[position:][:60]!r}")
