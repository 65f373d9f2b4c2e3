"""Findings -> verdict: each clash becomes a schedule, replayed on values, or it does not count as shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from smtalloc.clashes import END, START, Clash
from smtalloc.placement import Correspondence
from smtalloc.plan import Counterexample, Defect, Proof, Safe, SafetyVerdict, Step, Unknown, Unsafe
from smtalloc.program import Action, Number, Program
from smtalloc.replay import Memory, Setup, Trace, Value, defined_difference, run, show
from smtalloc.schedule import linear_extension
from smtalloc.validate import Findings, SharingPair

Inputs = Mapping[str, tuple[Number, ...]]
"""Values by SSA name of BEFORE: scalars, and memref arguments (all elements, or one for all of them)."""

Search = Callable[[Program, Clash], "list[int] | None"]
"""A schedule (all actions, by index) in which the clash happens; None if there is none."""

_SHOWN_WHOLE = 24  # actions; of longer programs only what matters is shown
_MANY = 8  # counterexamples


class ReplayError(RuntimeError):
    """A clash that the replay does not show: a bug in smtalloc, never a verdict."""


def judge(found: Correspondence, findings: Findings, inputs: Inputs, search: Search | None = None) -> SafetyVerdict:
    """The verdict on one function. Every race and overlap in it was replayed and read a wrong value.

    `search` finds the schedule of a clash; without it, it is the one that differs least from program order.
    """
    defects = [
        Counterexample(problem.defect, problem.text) for problem in findings.problems if problem.defect is not None
    ]
    certain = [clash for clash in findings.clashes if clash.certain]
    races = list(_replayed(found, certain, inputs, search or _nearest_schedule))
    if races or defects:
        return Unsafe((*races, *defects))
    missing = [problem.text for problem in findings.problems]
    missing += [_uncertain(found, clash) for clash in findings.clashes]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        return Unknown(missing[0] + more)
    return Safe(Proof(tuple(_reason(found.before, pair) for pair in findings.pairs), findings.notes))


def _reason(program: Program, pair: SharingPair) -> str:
    """Why the first buffer's accesses are over before the second's begin."""
    first, second = program.buffers[pair.first].name, program.buffers[pair.second].name
    last, start = program.accesses_of[pair.first], program.accesses_of[pair.second]
    if not last or not start:
        return f"{first} before {second}: one of them is never accessed"
    a, b = program.actions[last[-1]], program.actions[start[0]]
    how = f"both on {a.engine}" if a.engine == b.engine else "the host waits between" if not a.on_host else "host first"
    return f"{first} before {second}: {a.op} at {a.location}, then {b.op} at {b.location} ({how})"


def _uncertain(found: Correspondence, clash: Clash) -> str:
    names = found.before.buffers
    if clash.read.buffer == clash.written.buffer:
        return (
            f"{_action_name(found.before, clash.reader)} may read {names[clash.read.buffer].name} in another place than "
            f"{_action_name(found.before, clash.clobber)} wrote it to; the accesses are known only conservatively"
        )
    return (
        f"{_action_name(found.before, clash.clobber)} may write {names[clash.written.buffer].name} over "
        f"{names[clash.read.buffer].name} before {_action_name(found.before, clash.reader)} reads it; "
        "the accesses are known only conservatively"
    )


def _action_name(program: Program, index: int) -> str:
    if index == END:
        return "the caller"
    if index == START:
        return "the start"
    action = program.actions[index]
    return f"{action.op} at {action.location}"


def _nearest_schedule(program: Program, clash: Clash) -> list[int] | None:
    pairs = [(clash.source, clash.clobber), (clash.clobber, clash.reader)]
    return linear_extension(program, [(a, b) for a, b in pairs if a not in (b, START) and b != END])


def _replayed(found: Correspondence, clashes: list[Clash], inputs: Inputs, search: Search) -> Iterator[Counterexample]:
    """Counterexamples, one per pair of buffers and reader; races before overlaps."""
    seen: set[tuple[int, int, int]] = set()
    for clash in sorted(clashes, key=lambda c: (c.program_order, c.reader, c.clobber)):
        key = (clash.read.buffer, clash.written.buffer, clash.reader)
        if key in seen or len(seen) >= _MANY:
            continue
        seen.add(key)
        yield _Replay(found, clash, inputs, search).counterexample()


@dataclass
class _Replay:
    """One clash, run."""

    found: Correspondence
    clash: Clash
    inputs: Inputs
    search: Search

    def counterexample(self) -> Counterexample:
        before, clash = self.found.before, self.clash
        schedule = self.search(before, clash)
        if schedule is None:
            raise ReplayError(f"no schedule for {clash}")
        alone = list(range(len(before.actions)))
        expected = run(self._setup(before.actions, {i: i for i in range(len(before.buffers))}), alone)
        places = {place.memory: index for index, place in self.found.places.items() if before.buffers[index].external}
        shared = self._setup(self.found.after.actions, places)
        early = clash.reader if clash.reader == clash.clobber else None
        actual = run(shared, schedule, early_writes=early)
        wrong = self._wrong(expected, actual)
        if not wrong and clash.source == clash.clobber:  # two outputs of one op: the other may come last
            actual = run(shared, schedule, early_writes=early, reversed_writes=clash.source)
            wrong = self._wrong(expected, actual)
        if not wrong:
            raise ReplayError(f"the schedule {schedule} reads the same values as without sharing ({clash})")
        steps = tuple(self._steps(schedule, expected, actual, wrong))
        want, got = self._result(expected, actual, wrong)
        defect = Defect.OVERLAP if clash.program_order else Defect.RACE
        return Counterexample(defect, self._summary(), steps, want, got, (clash.read, clash.written))

    def _setup(self, places: tuple[Action, ...], initial: Mapping[int, int]) -> Setup:
        before = self.found.before
        types = {
            before.buffers[a.buffer].name: a.type for action in before.actions for a in action.accesses if not a.may
        }
        whole = {b.name: b.type.removeprefix("memref<").partition(",")[0].rstrip(">") for b in before.buffers}
        names = {memory: before.buffers[b].name for memory, b in initial.items() if before.buffers[b].external}
        return Setup(before, places, names, self.inputs, {**types, **whole})

    def _wrong(self, expected: Trace, actual: Trace) -> set[int]:
        """Actions (and END) that read a defined value and get another one."""
        wrong = {
            index
            for index in expected.reads
            for want, got in zip(expected.reads[index], actual.reads[index], strict=True)
            if defined_difference(want, got)
        }
        if self._final_differences(expected, actual):
            wrong.add(END)
        return wrong

    def _final_differences(self, expected: Trace, actual: Trace) -> list[tuple[str, Value, Value, str]]:
        """(name, expected, actual, type) of memory that the caller sees and that ends up different."""
        differences: list[tuple[str, Value, Value, str]] = []
        for index, buffer in enumerate(self.found.before.buffers):
            place = self.found.places.get(index)
            if place is None or not (buffer.external or buffer.live_out) or place.offset is None:
                continue
            size = buffer.size_bytes
            want = _bytes(expected.final.get(index, ()), 0, size)
            got = _bytes(actual.final.get(place.memory, ()), place.offset, size)
            if want and defined_difference(want, got):
                type_ = buffer.type.removeprefix("memref<").partition(",")[0].rstrip(">")
                differences.append((buffer.name, want, got, type_))
        return differences

    def _result(self, expected: Trace, actual: Trace, wrong: set[int]) -> tuple[str, str]:
        """What the caller sees differ, else what the first wrong read saw."""
        final = self._final_differences(expected, actual)
        if final:
            return (
                ", ".join(f"{name} = {show(want, type_)}" for name, want, _, type_ in final),
                ", ".join(f"{name} = {show(got, type_)}" for name, _, got, type_ in final),
            )
        index = min(wrong)
        for access, want, got in zip(
            self.found.before.actions[index].reads, expected.reads[index], actual.reads[index], strict=True
        ):
            if defined_difference(want, got):
                name = self.found.before.buffers[access.buffer].name
                return f"{name} = {show(want, access.type)}", f"{name} = {show(got, access.type)}"
        return "", ""

    def _summary(self) -> str:
        before, after, clash = self.found.before, self.found.after, self.clash
        read, written = before.buffers[clash.read.buffer].name, before.buffers[clash.written.buffer].name
        memory = after.buffers[clash.hit.buffer].name
        clobber, reader = _action_name(before, clash.clobber), _action_name(before, clash.reader)
        if clash.read.buffer == clash.written.buffer:
            return f"{read}: {reader} reads it in another place than {clobber} wrote it to"
        if clash.clobber != START and before.actions[clash.clobber].on_host:
            how = "the host runs ahead of the queue"
        elif clash.program_order:
            how = "their lives overlap"
        else:
            how = "the queue runs late"
        where = f"{read} and {written} share AFTER's {memory}"
        return f"{where}; {clobber} can overwrite {read} before {reader} reads it: {how}"

    def _steps(self, schedule: list[int], expected: Trace, actual: Trace, wrong: set[int]) -> Iterator[Step]:
        clash, before = self.clash, self.found.before
        marks = {clash.clobber: "CLOBBERS", clash.source: "source", clash.reader: "READS WRONG"}
        changed = {i for i in actual.writes if actual.writes[i] != expected.writes[i]}
        key = {clash.source, clash.clobber, clash.reader} | wrong | changed
        touched = {clash.read.buffer, clash.written.buffer}
        for index in schedule:
            action = before.actions[index]
            relevant = index in key or any(a.buffer in touched for a in action.accesses)
            if len(schedule) > _SHOWN_WHOLE and not relevant:
                continue
            mark = marks.get(index, "wrong" if index in wrong else "")
            yield Step(action, self._text(action, index, expected, actual), mark)

    def _text(self, action: Action, index: int, expected: Trace, actual: Trace) -> str:
        parts: list[str] = []
        names = self.found.before.buffers
        for verb, accesses, want, got in (
            ("reads", action.reads, expected.reads[index], actual.reads[index]),
            ("writes", action.writes, expected.writes[index], actual.writes[index]),
        ):
            for access, was, now in zip(accesses, want, got, strict=True):
                text = f"{verb} {names[access.buffer].name} = {show(now, access.type)}"
                if defined_difference(was, now):
                    text += f" instead of {show(was, access.type)}"
                parts.append(text)
        return "; ".join(parts)


def _bytes(value: Value, offset: int, size: int | None) -> Value:
    """`size` bytes from `offset` of a memory's final contents."""
    memory = Memory("")
    memory.write(0, value)
    return memory.read(offset, offset + (size if size is not None else 1 << 40)) if value else ()


def default_inputs(program: Program, given: Inputs) -> dict[str, tuple[Number, ...]]:
    """What the user gives, else what the module gives, else distinct integers, so that a mix-up shows."""
    chosen = {**dict(program.inputs), **given}
    for position, buffer in enumerate(program.buffers):
        integer = buffer.element_type.startswith("i") and buffer.element_type != "i1"
        if buffer.external and integer and buffer.size_bytes and buffer.name not in chosen:
            chosen[buffer.name] = (2 + position,)
    return chosen
