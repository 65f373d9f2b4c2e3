"""Both judges of a memory pass on one pair of functions: `verify`, and brute.py. They must agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import brute

from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.session import Pair, load_text, pairs
from smtalloc.plan import Counterexample, Safe, SafetyVerdict, Unknown, Unsafe

Record = Callable[[str, object], None]
"""pytest's `record_property`."""

WRONG_READS = {"racy", "lifetime-overlap", "read-before-write"}
UNKNOWN_TO_BRUTE = {"leak"}
"""No value shows it, so the second judge does not look for it."""


@dataclass(frozen=True)
class Outcome:
    """One pair of modules, and both judges on it."""

    before: FunctionModel
    after: FunctionModel
    verdict: SafetyVerdict
    brute: brute.Judged


def outcome(before: str, after: str, most: int = brute.MOST_ACTIONS) -> Outcome | None:
    """Of two modules of one function each; None where the second judge does not judge."""
    mine, theirs = load_text(before, "b.mlir", "hip"), load_text(after, "a.mlir", "hip")
    (pair,) = pairs(mine, theirs)
    try:
        return judge_both(pair, mine.models[0], theirs.models[0], most)
    except brute.NotJudgedError:
        return None


def judge_both(pair: Pair, before: FunctionModel, after: FunctionModel, most: int = brute.MOST_ACTIONS) -> Outcome:
    """Raises NotJudgedError where the second judge does not judge."""
    judged = brute.judge(before, after, most)
    return Outcome(before, after, judge_pair(pair, {}, minimum=False).verdict, judged)


def agree(found: Outcome, text: str) -> str:
    """Assert that neither judge calls safe what the other shows to be wrong; what happened, in a word."""
    match found.verdict:
        case Safe():
            assert not found.brute.harmful, f"missed {found.brute}\n{text}"
            return "harmless, safe"
        case Unsafe(counterexamples):
            said = {"wrong-read" if str(c.defect) in WRONG_READS else str(c.defect) for c in counterexamples}
            said -= UNKNOWN_TO_BRUTE
            if not said:
                return "harmful, caught" if found.brute.harmful else "harmless, only a leak"
            assert found.brute.harmful, f"false alarm {[c.summary for c in counterexamples]}\n{text}"
            assert said <= found.brute.defects, f"{said} is not {found.brute.defects}\n{text}"
            for counterexample in counterexamples:
                if counterexample.schedule:
                    is_minimal(found, counterexample, text)
            return "harmful, caught"
        case Unknown():
            return "harmful, unknown" if found.brute.harmful else "harmless, unknown"


def is_minimal(found: Outcome, counterexample: Counterexample, text: str) -> None:
    """The schedule respects the order and reads a wrong value; without any one of its actions it reads none."""
    ordinals = [action.ordinal for action in found.before.program.actions]
    schedule = [ordinals.index(step.action.ordinal) for step in counterexample.schedule]
    assert brute.possible(found.before.program, schedule), text
    ways = [way for way in brute.Within if brute.reads_wrong(found.before, found.after, schedule, way)]
    assert ways, f"{schedule}\n{text}"

    def wrong(kept: list[int]) -> bool:
        return brute.reads_wrong(found.before, found.after, kept, ways[0])

    in_order = wrong(sorted(schedule))
    for left_out in schedule:
        fewer = [index for index in schedule if index != left_out]
        # What then shows in program order too is another defect.
        still = wrong(fewer) and (in_order or not wrong(sorted(fewer)))
        assert not still, f"{left_out} can be left out of {schedule}\n{text}"
