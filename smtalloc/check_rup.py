"""The independent checker of DRUP proofs: a propositional text, written by the checker itself, has no model.

A proof is a list of clauses, each of which must follow from the text and those before it by *reverse unit propagation*
(RUP: assume its negation, propagate units, meet a contradiction), down to the empty clause. Deletions ("d ...") only
take clauses away, which can make later steps fail and never succeed wrongly. (Goldberg, Novikov, "Verification of
proofs of unsatisfiability for CNF formulas", DATE 2003; Heule, Hunt, Wetzler, "Trimming while checking clausal proofs",
FMCAD 2013.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MOST_CLAUSES = 2_000_000
_LINE = re.compile(r"(?:d )?(?:-?[0-9]{1,9}(?: -?[0-9]{1,9})* ?)?")
"""Only one way to read a line: else one of digits alone could take as long as there are ways to split it."""


def proof_flaw(variables: int, clauses: Iterable[Sequence[int]], drup: Sequence[str]) -> str:
    """Why the proof does not show that the clauses contradict each other; empty if it does."""
    engine = Propagation(variables)
    for clause in clauses:
        if engine.add(clause):
            return ""  # by unit propagation alone
    for number, line in enumerate(drup, 1):
        if not _LINE.fullmatch(line):
            return f"line {number} of the proof is no clause"
        words = line.split()
        deletes = words[:1] == ["d"]
        literals = [int(word) for word in (words[1:] if deletes else words)]
        if any(not 0 < abs(literal) <= variables for literal in literals):
            return f"line {number} of the proof names a variable that the text does not have"
        if deletes:
            engine.delete(literals)
            continue
        if not engine.implied(literals):
            return f"line {number} of the proof does not follow from the lines before it"
        if engine.add(literals):
            return ""
    return "the proof ends without a contradiction"


class Propagation:
    """Clauses and unit propagation over two watched literals; what is true at the root stays true.

    Literals are ±variable. `_value` is indexed by literal (negative ones from the end): 1 true, -1 false, 0 open.
    """

    def __init__(self, variables: int) -> None:
        self._value = [0] * (2 * variables + 1)
        self._watch: list[list[list[int]]] = [[] for _ in range(2 * variables + 1)]
        self._trail: list[int] = []
        self._done = 0
        self._by_key: dict[tuple[int, ...], list[list[int]]] = {}

    def add(self, clause: Sequence[int]) -> bool:
        """Add a clause; true if that contradicts what holds."""
        literals = list(dict.fromkeys(clause))
        if any(-literal in literals for literal in literals):
            return False
        value = self._value
        literals.sort(key=lambda literal: -value[literal])  # those not false are watched
        if len(literals) > 1:
            self._by_key.setdefault(tuple(sorted(literals)), []).append(literals)
            self._watch[literals[0]].append(literals)
            self._watch[literals[1]].append(literals)
        if not literals or value[literals[0]] < 0:
            return True
        if value[literals[0]] == 0 and (len(literals) == 1 or value[literals[1]] < 0):
            self._set(literals[0])
            return self._propagate()
        return False

    def delete(self, clause: Sequence[int]) -> None:
        """Forget a clause (units stay: what they made true is not taken back)."""
        held = self._by_key.get(tuple(sorted(set(clause))))
        if not held:
            return
        literals = held.pop()
        for watch in (self._watch[literals[0]], self._watch[literals[1]]):
            watch[:] = [other for other in watch if other is not literals]

    def implied(self, clause: Sequence[int]) -> bool:
        """Does assuming the negation of the clause lead to a contradiction by unit propagation?"""
        mark = len(self._trail)
        contradiction = False
        for literal in clause:
            if self._value[literal] > 0:
                contradiction = True
                break
            if self._value[literal] == 0:
                self._set(-literal)
        contradiction = contradiction or self._propagate()
        for literal in self._trail[mark:]:
            self._value[literal] = self._value[-literal] = 0
        del self._trail[mark:]
        self._done = mark
        return contradiction

    def _set(self, literal: int) -> None:
        self._value[literal], self._value[-literal] = 1, -1
        self._trail.append(literal)

    def _propagate(self) -> bool:
        """Until nothing follows; true on a contradiction."""
        value, trail, watches = self._value, self._trail, self._watch
        while self._done < len(trail):
            false = -trail[self._done]
            self._done += 1
            kept: list[list[int]] = []
            clauses = watches[false]
            for position, clause in enumerate(clauses):
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                first = clause[0]
                if value[first] > 0:
                    kept.append(clause)
                    continue
                for n in range(2, len(clause)):
                    if value[clause[n]] >= 0:
                        clause[1], clause[n] = clause[n], false
                        watches[clause[1]].append(clause)
                        break
                else:
                    kept.append(clause)
                    if value[first] < 0:
                        watches[false] = kept + clauses[position + 1 :]
                        return True
                    self._set(first)
            watches[false] = kept
        return False
