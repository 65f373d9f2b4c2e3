"""Two runs side by side: BEFORE in program order, AFTER in some schedule. What differs is the counterexample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from smtalloc.clashes import END
from smtalloc.minimise import minimal, reaching
from smtalloc.placement import Correspondence, Place
from smtalloc.plan import Step
from smtalloc.program import Access, Number, Program
from smtalloc.replay import Memory, Setup, Trace, Value, defined_difference, initial_memory, run, show

Inputs = Mapping[str, tuple[Number, ...]]
"""Values by SSA name of BEFORE: scalars, and memref arguments (all elements, or one for all of them)."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A schedule with what differs in it: its steps, and what the caller (or the first wrong read) sees."""

    steps: tuple[Step, ...]
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Variant:
    """What an op is free to do within itself.

    The action `early_writes` writes before it reads, the action `reversed_writes` its last output first.
    """

    early_writes: int | None = None
    reversed_writes: int | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """A run of AFTER in which some read of defined bytes sees something else than in BEFORE."""

    schedule: tuple[int, ...]
    variant: Variant
    trace: Trace
    wrong: frozenset[int]
    """Actions that read the wrong values; END where the caller does."""


@dataclass(frozen=True)
class Comparison:
    """Runs of one function."""

    found: Correspondence
    inputs: Inputs
    opaque: bool = False
    """Compare where values come from, not what they are (replay.py)."""

    def replay(self, schedule: Sequence[int], variant: Variant = Variant()) -> Replayed | None:
        """Run AFTER by the schedule; None if every read of defined bytes sees what it sees in BEFORE."""
        actual = self._after(schedule, variant)
        wrong = self._wrong(self.expected, actual)
        return Replayed(tuple(schedule), variant, actual, frozenset(wrong)) if wrong else None

    def show(self, replayed: Replayed, core: Iterable[int], marks: Mapping[int, str]) -> Shown:
        """The actions that it takes, with the values of the whole run. `core`: those that probably are enough."""
        kept = frozenset(self.minimal(replayed, core))
        steps = tuple(
            Step(self.found.before.actions[i], self._text(i, replayed.trace), self._mark(i, replayed, marks))
            for i in replayed.schedule
            if i in kept
        )
        return Shown(steps, *self._result(replayed))

    def minimal(self, replayed: Replayed, core: Iterable[int]) -> tuple[int, ...]:
        """The actions of which each is needed for a wrong read (minimise.py).

        What shows only because of the order must go on doing so: in program order the same actions read the right
        values.
        """
        schedule, variant, origins = replayed.schedule, replayed.variant, self._origins

        def breaks(kept: Sequence[int]) -> bool:
            return origins.breaks(kept, variant)

        def only_so(kept: Sequence[int]) -> bool:
            return breaks(kept) and not origins.breaks(sorted(kept), variant)

        tests = (breaks,) if list(schedule) == sorted(schedule) else (only_so, breaks)
        return minimal(tests, schedule, (lambda: core, lambda: self._reaching(replayed)))

    @cached_property
    def _origins(self) -> Comparison:
        """What is left out leaves the inputs of others undefined; so values do not count here."""
        return Comparison(self.found, {}, opaque=True)

    def breaks(self, kept: Sequence[int], variant: Variant = Variant()) -> bool:
        """Do these actions alone read a wrong value when AFTER runs them in this order, and BEFORE in program order?"""
        return bool(self._wrong(self._before(sorted(kept)), self._after(kept, variant)))

    def _reaching(self, replayed: Replayed) -> frozenset[int]:
        """The actions whose results reach a wrong read in either run."""
        before, after = self.found.before, self.found.after
        first = next((i for i in replayed.schedule if i in replayed.wrong), None)
        seen = [Access(b, 0, before.buffers[b].size_bytes) for b, _ in self._observed] if first is None else []
        places = [self.found.places[access.buffer] for access in seen]
        there = [
            Access(p.memory, p.offset or 0, None if a.hi is None else (p.offset or 0) + a.hi)
            for p, a in zip(places, seen, strict=True)
        ]
        runs = ((before.actions, range(len(before.actions))), (after.actions, replayed.schedule))
        return reaching(runs, () if first is None else (first,), (seen, there))

    # --- runs --------------------------------------------------------------------------------------------

    @cached_property
    def expected(self) -> Trace:
        """Without sharing, in program order."""
        return self._before(range(len(self.found.before.actions)))

    def _before(self, schedule: Sequence[int]) -> Trace:
        return run(self._setups[0], schedule)

    def _after(self, schedule: Sequence[int], variant: Variant) -> Trace:
        return run(
            self._setups[1], schedule, early_writes=variant.early_writes, reversed_writes=variant.reversed_writes
        )

    @cached_property
    def _setups(self) -> tuple[Setup, Setup]:
        """BEFORE on its own memory, and on AFTER's."""
        before, buffers = self.found.before, self.found.before.buffers
        types = {b.name: tensor_type(b.type) for b in buffers}
        own = {i: b.name for i, b in enumerate(buffers) if b.external}
        there = {self.found.places[i].memory: name for i, name in own.items() if i in self.found.places}
        return (
            Setup(before, before.actions, own, self.inputs, types, self.opaque),
            Setup(before, self.found.after.actions, there, self.inputs, types, self.opaque),
        )

    @cached_property
    def _observed(self) -> tuple[tuple[int, Place], ...]:
        """Buffers that the caller sees at the end, and where."""
        buffers = self.found.before.buffers
        return () if self.found.cut else tuple(
            (index, place)
            for index, place in sorted(self.found.places.items())
            if (buffers[index].external or buffers[index].live_out) and place.offset is not None
        )  # fmt: skip

    def _wrong(self, expected: Trace, actual: Trace) -> set[int]:
        """Actions (and END) that read a defined value and get another one."""
        wrong = {
            index
            for index in expected.reads
            for want, got in zip(expected.reads[index], actual.reads[index], strict=True)
            if want != got and defined_difference(want, got)
        }
        return wrong | ({END} if next(self._final_differences(expected, actual), None) else set())

    def _final_differences(self, expected: Trace, actual: Trace) -> Iterator[tuple[str, Value, Value, str]]:
        """(name, expected, actual, type) of memory that the caller sees and that ends up different."""
        for index, place in self._observed:
            if index not in expected.final and place.memory not in actual.final:
                continue
            buffer = self.found.before.buffers[index]
            want = self._final(0, expected, index, 0, buffer.size_bytes)
            got = self._final(1, actual, place.memory, place.offset or 0, buffer.size_bytes)
            if defined_difference(want, got):
                yield buffer.name, want, got, tensor_type(buffer.type)

    def _final(self, side: int, trace: Trace, buffer: int, offset: int, size: int | None) -> Value:
        """`size` bytes of what is in a memory at the end; what nothing touched is as it was."""
        memory = initial_memory(self._setups[side], buffer)
        if buffer in trace.final:
            memory = Memory("")
            memory.write(0, trace.final[buffer])
        return memory.read(offset, offset + (size if size is not None else 1 << 40))

    # --- text --------------------------------------------------------------------------------------------

    def _result(self, replayed: Replayed) -> tuple[str, str]:
        """What the caller sees differ, else what the first wrong read saw."""
        final = [*self._final_differences(self.expected, replayed.trace)]
        if final:
            return (
                ", ".join(f"{name} = {show(want, type_)}" for name, want, _, type_ in final),
                ", ".join(f"{name} = {show(got, type_)}" for name, _, got, type_ in final),
            )
        index = min(replayed.wrong)
        reads = self.found.before.actions[index].reads
        for access, want, got in zip(reads, self.expected.reads[index], replayed.trace.reads[index], strict=True):
            if defined_difference(want, got):
                name = self.found.before.buffers[access.buffer].name
                return f"{name} = {show(want, access.type)}", f"{name} = {show(got, access.type)}"
        return "", ""

    def _mark(self, index: int, replayed: Replayed, marks: Mapping[int, str]) -> str:
        return marks.get(index, "wrong" if index in replayed.wrong else "")

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


def default_inputs(program: Program, given: Inputs) -> dict[str, tuple[Number, ...]]:
    """What the user gives, else what the module gives, else distinct integers, so that a mix-up shows."""
    chosen = {**dict(program.inputs), **given}
    for position, buffer in enumerate(program.buffers):
        integer = buffer.element_type.startswith("i") and buffer.element_type != "i1"
        if buffer.external and integer and buffer.size_bytes and buffer.name not in chosen:
            chosen[buffer.name] = (2 + position,)
    return chosen
