"""The outputs of the real passes, and edits of them, judged twice: `verify` and the second judge (brute.py) agree."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from random import Random

import brute
import pytest
from edits import edited
from support import PASSES, SHARED, name_of, needs_shared, outputs
from two_judges import Record, agree, judge_both, outcome

from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.session import load, pairs
from smtalloc.plan import Safe

pytestmark = needs_shared

SMALL = 20  # actions, for edits; the second judge itself takes all golden files
CASES = [case for case in outputs(*PASSES) if case[0].parent.parent == SHARED / "golden"]
EDITED = [case for case in CASES if case[0].stat().st_size < 4000]


@pytest.mark.parametrize(("before", "after"), CASES, ids=name_of)
def test_verdict_is_what_brute_force_says(before: Path, after: Path, record_property: Record) -> None:
    mine, theirs = load(str(before), "hip"), load(str(after), "hip")
    for pair, model, other in zip(pairs(mine, theirs), mine.models, theirs.models, strict=True):
        what = f"{before.parent.name}, {after.name.split('.')[1]}"
        verdict = judge_pair(pair, {}, minimum=False).verdict
        record_property(f"evidence: golden, {what}, verify", {type(verdict).__name__.lower(): 1})
        try:
            found = judge_both(pair, model, other, most=100)
            word = agree(found, f"{after} @{pair.name}")
            size = f"up to {brute.MOST_ACTIONS} actions" if len(model.program.actions) <= brute.MOST_ACTIONS else "more"
            record_property(f"evidence: golden, {what}, both judges ({size})", {word: 1})
        except brute.NotJudgedError as reason:
            record_property(f"evidence: golden, {what}, not judged by brute force", {str(reason): 1})


@pytest.mark.parametrize("chunk", range(8))
def test_harmful_edits_of_golden_outputs_are_caught(chunk: int, record_property: Record) -> None:
    counts = Counter[str]()
    for before, after in EDITED[chunk::8]:
        source, other = load(str(before), "hip"), load(str(after), "hip")
        if len(source.models) != 1 or len(source.programs[0].actions) > SMALL:
            continue
        (pair,) = pairs(source, other)
        if not isinstance(judge_pair(pair, {}, minimum=False).verdict, Safe):
            continue
        texts = source.text(generic=False), other.text(generic=False)
        for name, mine, theirs in edited(*texts, partial(Random, after.name)):
            found = outcome(mine, theirs, most=SMALL)
            if found is not None:
                counts[agree(found, f"{name} of {after}\n{theirs}\n{found.verdict}")] += 1
    record_property("evidence: mutants of verify, golden outputs", dict(counts))
