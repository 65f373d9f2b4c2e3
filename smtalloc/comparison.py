"""Two runs side by side: BEFORE in program order, AFTER in some schedule. What differs is the counterexample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from smtalloc.clashes import END
from smtalloc.placement import Correspondence
from smtalloc.plan import Step
from smtalloc.program import Action, Number, Program
from smtalloc.replay import Memory, Setup, Trace, Value, defined_difference, run, show

Inputs = Mapping[str, tuple[Number, ...]]
"""Values by SSA name of BEFORE: scalars, and memref arguments (all elements, or one for all of them)."""

_SHOWN_WHOLE = 24  # actions; of longer programs only what matters is shown


@dataclass(frozen=True, slots=True)
class Shown:
    """A schedule with what differs in it: its steps, and what the caller (or the first wrong read) sees."""

    steps: tuple[Step, ...]
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Focus:
    """What a schedule is to show: marks by action, and the buffers (of BEFORE) that matter."""

    marks: Mapping[int, str]
    buffers: frozenset[int] = field(default=frozenset())


@dataclass(frozen=True)
class Comparison:
    """Runs of one function."""

    found: Correspondence
    inputs: Inputs

    @cached_property
    def expected(self) -> Trace:
        """Without sharing, in program order."""
        before = self.found.before
        return run(self._setup(before.actions, {i: i for i in range(len(before.buffers))}), range(len(before.actions)))

    def show(
        self,
        schedule: Sequence[int],
        focus: Focus,
        *,
        early_writes: int | None = None,
        reversed_writes: int | None = None,
    ) -> Shown | None:
        """Run AFTER by the schedule; None if every read of defined bytes sees what it sees in BEFORE."""
        buffers = self.found.before.buffers
        places = {place.memory: index for index, place in self.found.places.items() if buffers[index].external}
        actual = run(
            self._setup(self.found.after.actions, places),
            schedule,
            early_writes=early_writes,
            reversed_writes=reversed_writes,
        )
        wrong = self._wrong(actual)
        if not wrong:
            return None
        return Shown(tuple(self._steps(schedule, focus, actual, wrong)), *self._result(actual, wrong))

    def _setup(self, places: tuple[Action, ...], initial: Mapping[int, int]) -> Setup:
        before = self.found.before
        names = {memory: before.buffers[b].name for memory, b in initial.items() if before.buffers[b].external}
        return Setup(before, places, names, self.inputs, {b.name: tensor_type(b.type) for b in before.buffers})

    def _wrong(self, actual: Trace) -> set[int]:
        """Actions (and END) that read a defined value and get another one."""
        expected = self.expected
        wrong = {
            index
            for index in expected.reads
            for want, got in zip(expected.reads[index], actual.reads[index], strict=True)
            if defined_difference(want, got)
        }
        return wrong | ({END} if self._final_differences(actual) else set())

    def _final_differences(self, actual: Trace) -> list[tuple[str, Value, Value, str]]:
        """(name, expected, actual, type) of memory that the caller sees and that ends up different."""
        differences: list[tuple[str, Value, Value, str]] = []
        if self.found.cut:
            return differences
        for index, buffer in enumerate(self.found.before.buffers):
            place = self.found.places.get(index)
            if place is None or not (buffer.external or buffer.live_out) or place.offset is None:
                continue
            size = buffer.size_bytes
            want = _bytes(self.expected.final.get(index, ()), 0, size)
            got = _bytes(actual.final.get(place.memory, ()), place.offset, size)
            if want and defined_difference(want, got):
                differences.append((buffer.name, want, got, tensor_type(buffer.type)))
        return differences

    def _result(self, actual: Trace, wrong: set[int]) -> tuple[str, str]:
        """What the caller sees differ, else what the first wrong read saw."""
        final = self._final_differences(actual)
        if final:
            return (
                ", ".join(f"{name} = {show(want, type_)}" for name, want, _, type_ in final),
                ", ".join(f"{name} = {show(got, type_)}" for name, _, got, type_ in final),
            )
        index = min(wrong)
        reads = self.found.before.actions[index].reads
        for access, want, got in zip(reads, self.expected.reads[index], actual.reads[index], strict=True):
            if defined_difference(want, got):
                name = self.found.before.buffers[access.buffer].name
                return f"{name} = {show(want, access.type)}", f"{name} = {show(got, access.type)}"
        return "", ""

    def _steps(self, schedule: Sequence[int], focus: Focus, actual: Trace, wrong: set[int]) -> Iterator[Step]:
        expected, actions = self.expected, self.found.before.actions
        key = {i for i in actual.writes if actual.writes[i] != expected.writes[i]} | wrong | set(focus.marks)
        for index in schedule:
            relevant = index in key or any(a.buffer in focus.buffers for a in actions[index].accesses)
            if len(schedule) > _SHOWN_WHOLE and not relevant:
                continue
            mark = focus.marks.get(index, "wrong" if index in wrong else "")
            yield Step(actions[index], self._text(index, actual), mark)

    def _text(self, index: int, actual: Trace) -> str:
        parts: list[str] = []
        action, names = self.found.before.actions[index], self.found.before.buffers
        for verb, accesses, want, got in (
            ("reads", action.reads, self.expected.reads[index], actual.reads[index]),
            ("writes", action.writes, self.expected.writes[index], actual.writes[index]),
        ):
            for access, was, now in zip(accesses, want, got, strict=True):
                text = f"{verb} {names[access.buffer].name} = {show(now, access.type)}"
                if defined_difference(was, now):
                    text += f" instead of {show(was, access.type)}"
                parts.append(text)
        parts += [f"awaits {event}" for event in action.awaits] + [f"records {event}" for event in action.records]
        return "; ".join(parts)


def tensor_type(memref: str) -> str:
    """Shape and element type in the text of a memref type."""
    return memref.removeprefix("memref<").partition(",")[0].rstrip(">")


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
