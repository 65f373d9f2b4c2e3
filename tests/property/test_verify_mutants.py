"""Single edits to safe outputs: what the second judge (brute.py) calls harmful, `verify` must call unsafe.

Everything goes through text: the edited module is printed, read, matched, judged. The bases are plans of smtalloc's
own, the greedy pass's, pools with random offsets, and the golden outputs; those that are not safe count as edits too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from edits import EDITS, edited, into_a_pool
from generated import module
from two_judges import Record, agree, outcome

from smtalloc.allocate import SolveOptions
from smtalloc.commands.plan import plan_program
from smtalloc.mlir.session import SourceFile, load_text
from smtalloc.plan import Policy, Safe, TypeRule

QUICK = SolveOptions(time_limit_s=5)
CHUNKS, PER_CHUNK = 16, 18
MOST = 24  # actions
NO_EDIT = "no edit"


def planned(source: SourceFile, random: Random) -> None:
    policy, types = random.choice(list(Policy)), random.choice(list(TypeRule))
    source.apply([plan_program(source.programs[0], policy, types, QUICK).verdict.plan])


def base(random: Random) -> tuple[str, str]:
    """A module, and the output of some memory pass on it."""
    before = module(random, random.randint(3, 10))
    source = load_text(before, "a.mlir", "hip")
    kind = random.choice(("plan", "plan", "greedy", "pool", "pool"))
    if kind == "plan":
        planned(source, random)
    elif kind == "greedy":
        source.apply_greedy(exclude_host_accessed=False)
    else:
        into_a_pool(load_text(before, "b.mlir", "hip").models[0], source.models[0], random)
    return before, source.text(generic=False)


def judged(cases: Iterator[tuple[str, str, str]], counts: dict[str, Counter[str]]) -> None:
    for name, before, after in cases:
        found = outcome(before, after, MOST)
        if found is not None:
            counts[name][agree(found, f"{name}\n{before}\n{after}\n{found.verdict}")] += 1


def record(record_property: Record, counts: dict[str, Counter[str]]) -> None:
    """For the summary of the run (conftest.py). A harmful edit is either caught or, rarely, not decided."""
    total = Counter[str]()
    for name, words in counts.items():
        record_property(f"evidence: mutants of verify, {name.replace('_', ' ')}", dict(words))
        total.update({} if name == NO_EDIT else words)
    record_property("evidence: mutants of verify, all edits", dict(total))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_harmful_edits_are_caught(chunk: int, record_property: Record) -> None:
    counts = {name: Counter[str]() for name in (NO_EDIT, *EDITS)}
    for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK):
        random = Random(seed)
        before, after = base(random)
        found = outcome(before, after, MOST)
        if found is None:
            continue
        counts[NO_EDIT][agree(found, f"{seed}\n{before}\n{after}\n{found.verdict}")] += 1
        if isinstance(found.verdict, Safe):
            judged(edited(before, after, lambda source=random: source), counts)
    record(record_property, counts)
    edits = sum((words for name, words in counts.items() if name != NO_EDIT), Counter[str]())
    assert edits["harmful, unknown"] == 0, (
        "a buffer in two places, of which one is too small (validate.py looks at one)"
    )
    assert edits["harmful, caught"] > 10, "too few edits did harm to mean anything"
