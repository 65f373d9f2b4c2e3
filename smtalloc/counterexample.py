"""Findings -> verdict: each clash becomes a schedule, replayed on values, or it does not count as shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from smtalloc.clashes import END, START, Clash, same_accesses
from smtalloc.comparison import Comparison, Inputs, Replayed, Variant, default_inputs
from smtalloc.order import Order
from smtalloc.placement import Correspondence
from smtalloc.plan import Counterexample, Defect, Proof, Safe, SafetyVerdict, Unknown, Unsafe
from smtalloc.program import Program
from smtalloc.reasons import Reasons
from smtalloc.schedule import linear_extension
from smtalloc.validate import Findings, findings

Search = Callable[[Program, Clash], "list[int] | None"]
"""A schedule (all actions, by index) in which the clash happens; None if there is none."""

_MANY = 8  # counterexamples
_OTHERS = 4  # writes of the same bytes that are moved out of the way


class ReplayError(RuntimeError):
    """A clash without a schedule: a bug in smtalloc, never a verdict."""


def judge(found: Correspondence, result: Findings, inputs: Inputs, search: Search | None = None) -> SafetyVerdict:
    """The verdict on one function. Every race and overlap in it was replayed and read a wrong value.

    A clash that shows no wrong value (what is overwritten is written again with the same) makes no `Unsafe`.
    `search` finds the schedule of a clash; without it, it is the one that differs least from program order.
    """
    defects = [
        Counterexample(problem.defect, problem.text) for problem in result.problems if problem.defect is not None
    ]
    certain = [clash for clash in result.clashes if clash.certain]
    races = _replayed(found, certain, inputs, search or _nearest_schedule)
    if races or defects:
        return Unsafe((*races, *defects))
    missing = [problem.text for problem in result.problems]
    missing += [_uncertain(found, clash) for clash in result.clashes]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        return Unknown(missing[0] + more)
    reasons = Reasons(Order(found.before))
    pairs = [reasons.before(pair.first, pair.second) for pair in result.pairs]
    return Safe(Proof((*pairs, *result.reasons), result.notes))


def judge_runs(runs: Iterable[Correspondence], given: Inputs) -> Unsafe | None:
    """A race or overlap in one of the concrete runs of a function with control flow; None if none shows any."""
    for found in runs:
        if not same_accesses(found):
            continue
        certain = [c for c in findings(found).clashes if c.certain]
        shown = _replayed(found, certain, default_inputs(found.before, given), _nearest_schedule)
        if shown:
            return Unsafe(tuple(shown))
    return None


def _uncertain(found: Correspondence, clash: Clash) -> str:
    names = found.before.buffers
    if clash.certain and clash.read.buffer == clash.written.buffer:
        return (
            f"{action_name(found.before, clash.reader)} reads {names[clash.read.buffer].name} in another place than "
            f"{action_name(found.before, clash.clobber)} wrote it to; the replay shows the same value"
        )
    if clash.read.buffer == clash.written.buffer:
        return (
            f"{action_name(found.before, clash.reader)} may read {names[clash.read.buffer].name} in another place than "
            f"{action_name(found.before, clash.clobber)} wrote it to; the accesses are known only conservatively"
        )
    if clash.certain:
        return (
            f"{action_name(found.before, clash.clobber)} can overwrite {names[clash.read.buffer].name} before "
            f"{action_name(found.before, clash.reader)} reads it; the replay shows the same value"
        )
    return (
        f"{action_name(found.before, clash.clobber)} may write {names[clash.written.buffer].name} over "
        f"{names[clash.read.buffer].name} before {action_name(found.before, clash.reader)} reads it; "
        "the accesses are known only conservatively"
    )


def action_name(program: Program, index: int) -> str:
    """An action for messages: its op and where it stands."""
    if index == END:
        return "the caller"
    if index == START:
        return "the start"
    return program.actions[index].label


def _nearest_schedule(program: Program, clash: Clash) -> list[int] | None:
    pairs = [(clash.source, clash.clobber), (clash.clobber, clash.reader)]
    return linear_extension(program, [(a, b) for a, b in pairs if a not in (b, START) and b != END])


def _replayed(found: Correspondence, clashes: list[Clash], inputs: Inputs, search: Search) -> list[Counterexample]:
    """Counterexamples, one per pair of buffers and reader; races before overlaps.

    Values may happen to be equal; then every input stands for itself, and what is still equal always is.
    """
    seen: set[tuple[int, int, int]] = set()
    shown: list[Counterexample] = []
    fixed = {name: values for name, values in found.before.inputs if name in found.before.fixed}
    comparisons = (Comparison(found, inputs), Comparison(found, fixed))
    for clash in sorted(clashes, key=lambda c: (c.program_order, c.reader, c.clobber)):
        key = (clash.read.buffer, clash.written.buffer, clash.reader)
        if key in seen or len(shown) >= _MANY:
            continue
        seen.add(key)
        tried = (_counterexample(found, clash, comparison, search) for comparison in comparisons)
        one = next((counterexample for counterexample in tried if counterexample is not None), None)
        if one is not None:
            shown.append(one)
    return shown


def _counterexample(
    found: Correspondence, clash: Clash, comparison: Comparison, search: Search
) -> Counterexample | None:
    """The clash as a schedule that reads a wrong value; None if it reads the same. Raises ReplayError without one."""
    schedule = search(found.before, clash)
    if schedule is None:
        raise ReplayError(f"no schedule for {clash}")
    replayed: Replayed | None = None
    for run in _runs(found, clash, schedule):
        one = comparison.replay(*run)
        replayed = replayed or one
        if one is not None and clash.reader in one.wrong:
            replayed = one
            break
    if replayed is None:
        return None
    marks = {clash.clobber: "CLOBBERS", clash.source: "source", clash.reader: "READS WRONG"}
    shown = comparison.show(replayed, marks, marks)
    return Counterexample(
        _defect(found, clash),
        _summary(found, clash),
        shown.steps,
        shown.expected,
        shown.actual,
        (clash.read, clash.written),
        tuple(_repairs(found, clash)),
    )


def _runs(found: Correspondence, clash: Clash, schedule: list[int]) -> Iterator[tuple[list[int], Variant]]:
    """The schedule, with what the ops are free to do; then others, in which no third write hides what happens."""
    early = clash.reader if clash.reader == clash.clobber else None
    yield schedule, Variant(early)
    if clash.source == clash.clobber:
        yield schedule, Variant(early, clash.source)  # two outputs of one op: the other may come last
    if clash.reader == END:
        return
    actions = found.after.actions
    there = [i for i, a in enumerate(actions) if any(w.overlaps(clash.hit) for w in a.writes)]
    there = [i for i in there if i not in (clash.source, clash.clobber, clash.reader)][:_OTHERS]
    if clash.source != clash.clobber:
        apart = _apart(found.before, clash, there)
        if apart is not None:
            yield apart, Variant(early)
    elif clash.read.buffer == clash.written.buffer:
        if any(write.overlaps(clash.hit) for write in actions[clash.reader].writes):
            yield schedule, Variant(clash.reader)  # it may write there before it has read
        for writer in there:  # what is in the place that is read may come late, or early
            for pair in ((clash.reader, writer), (writer, clash.reader)):
                turned = linear_extension(found.before, [pair])
                if turned is not None:
                    yield turned, Variant()


def _apart(program: Program, clash: Clash, others: list[int]) -> list[int] | None:
    """The clash with the other writes in front of the clobber or behind the read, as far as that is possible."""
    pairs = [(a, b) for a, b in pairwise((clash.source, clash.clobber, clash.reader)) if a not in (b, START)]
    best: list[int] | None = None
    for other in others:
        for pair in ((other, clash.clobber), (clash.reader, other)):
            schedule = linear_extension(program, [*pairs, pair])
            if schedule is not None:
                pairs, best = [*pairs, pair], schedule
                break
    return best


def _defect(found: Correspondence, clash: Clash) -> Defect:
    """What a clash is called: a buffer in two places is one whose state got lost, or one read where nobody wrote."""
    if clash.read.buffer != clash.written.buffer:
        return Defect.OVERLAP if clash.program_order else Defect.RACE
    actions = found.before.actions
    if clash.reader != END and any(clash.read.overlaps(write) for write in actions[clash.reader].writes):
        return Defect.MUST_ALIAS
    earlier = found.after.actions if clash.reader == END else found.after.actions[: clash.reader]
    if any(clash.hit.overlaps(write) for action in earlier for write in action.writes):
        return Defect.OVERLAP
    return Defect.UNINITIALISED


def _repairs(found: Correspondence, clash: Clash) -> Iterator[str]:
    """Memory of its own for the smaller of the two; for a race also the wait that orders the two actions."""
    buffers, actions = found.before.buffers, found.before.actions
    pair = [buffers[clash.read.buffer], buffers[clash.written.buffer]]
    movable = [b for b in pair if not b.external and b.size_bytes is not None]
    if pair[0] != pair[1] and movable:
        smaller = min(movable, key=lambda b: b.size_bytes or 0)
        yield f"give {smaller.name} memory of its own: at most {smaller.size_bytes:,} bytes more"
    if clash.program_order:
        return
    # Of the two that nothing orders, the earlier in program order is still queued when the later one runs.
    candidates = [(clash.reader, clash.clobber), (clash.clobber, clash.source)]
    for earlier, later in candidates:
        if earlier != END and later != START and actions[earlier].ordinal < actions[later].ordinal:
            engine = actions[earlier].engine
            what = engine if engine.isidentifier() else action_name(found.before, earlier)  # not "gpu#2"
            yield f"wait for {what} before {action_name(found.before, later)}"
            return


def _summary(found: Correspondence, clash: Clash) -> str:
    before = found.before
    read, written = before.buffers[clash.read.buffer].name, before.buffers[clash.written.buffer].name
    clobber, reader = action_name(before, clash.clobber), action_name(before, clash.reader)
    if clash.read.buffer == clash.written.buffer:
        return f"{read}: {reader} reads it in another place than {clobber} wrote it to"
    if clash.program_order:
        how = "their lives overlap"
    elif before.actions[clash.clobber].on_host:
        how = "the host runs ahead of the queue"
    else:
        how = "the queue runs late"
    where = f"{read} and {written} share AFTER's {found.after.buffers[clash.hit.buffer].name}"
    return f"{where}; {clobber} can overwrite {read} before {reader} reads it: {how}"
