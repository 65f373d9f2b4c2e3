"""The built-in greedy pass against the real one: every allocation of every file in the same slot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support import name_of, needs_shared, outputs, profile_for

from smtalloc.mlir.session import SourceFile, greedy_plan, load, pairs
from smtalloc.placement import Correspondence

pytestmark = needs_shared
each_output = pytest.mark.parametrize(("before", "after"), outputs("optimize"), ids=name_of)


def slots(assignment: dict[str, object]) -> set[frozenset[str]]:
    """Which allocations are together."""
    together: dict[object, set[str]] = {}
    for name, memory in assignment.items():
        together.setdefault(memory, set()).add(name)
    return {frozenset(names) for names in together.values()}


@each_output
def test_every_allocation_is_in_the_slot_of_the_real_pass(before: Path, after: Path) -> None:
    source, real = load(str(before), profile_for(before)), load(str(after), profile_for(before))
    for number, pair in enumerate(pairs(source, real)):
        found, program = pair.found, source.programs[number]
        assert isinstance(found, Correspondence), found
        assert not found.moved
        theirs: dict[str, object] = {name: place.memory for name, place in found.assignment}
        names = {b.name for b in program.buffers if not b.external}
        assert theirs.keys() == names, "an allocation of the input was not recovered"
        plan = greedy_plan(source, number)
        mine: dict[str, object] = {program.buffers[b].name: s for b, s in plan.slot_of().items()}
        assert slots(mine) == slots(theirs)


def memref_ops(source: SourceFile, number: int) -> Counter[str]:
    return Counter(op.name for op in source.models[number].func.walk() if op.name.startswith("memref."))


@each_output
def test_the_module_is_written_as_the_real_pass_writes_it(before: Path, after: Path) -> None:
    """The same program op by op on the same memory, with as many allocs, casts and deallocs."""
    source, real = load(str(before), profile_for(before)), load(str(after), profile_for(before))
    source.apply_greedy(exclude_host_accessed=False)
    mine = source.reread()
    for number, pair in enumerate(pairs(mine, real)):
        assert isinstance(pair.found, Correspondence), pair.found
        assert all(place.offset == 0 for place in pair.found.places.values())
        assert memref_ops(mine, number) == memref_ops(real, number)
