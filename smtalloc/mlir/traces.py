"""Both functions run in step: straight-line correspondences of functions with control flow."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.ir import SSAValue

from smtalloc.mlir.profile import Profile
from smtalloc.mlir.unroll import NotTracedError, Run, next_choices, run_of
from smtalloc.placement import Correspondence, Moved, Place

MOST_RUNS = 24


def has_control_flow(function: func.FuncOp, profile: Profile) -> bool:
    """Regions that the profile does not describe, several blocks, or calls."""
    blocks = list(function.body.blocks)
    return len(blocks) > 1 or any(
        op.name == "func.call" or (op.regions and not profile.rule(op.name).known) for op in blocks[0].ops
    )


def traces(before: func.FuncOp, after: func.FuncOp, profile: Profile) -> Iterator[Correspondence]:
    """Runs of two functions that match op by op, with the same choices in both; none where a run is not possible."""
    choices: list[int] | None = []
    for _ in range(MOST_RUNS):
        if choices is None:
            return
        try:
            mine, theirs = run_of(before, profile, choices), run_of(after, profile, choices)
        except NotTracedError:
            return
        if (mine.options, mine.complete) != (theirs.options, theirs.complete) or len(mine.program.actions) != len(
            theirs.program.actions
        ):
            return
        yield _in_step(mine, theirs, _arguments(before, after))
        choices = next_choices(choices, mine.options)


def traces_alone(function: func.FuncOp, profile: Profile) -> Iterator[Correspondence]:
    """Runs of one function: its pools' views as buffers of their own, and where they are."""
    choices: list[int] | None = []
    for _ in range(MOST_RUNS):
        if choices is None:
            return
        try:
            apart, plain = run_of(function, profile, choices, split_views=True), run_of(function, profile, choices)
        except NotTracedError:
            return
        yield _in_step(apart, plain, _arguments(function, function))
        choices = next_choices(choices, plain.options)


def _arguments(before: func.FuncOp, after: func.FuncOp) -> dict[SSAValue, SSAValue]:
    return dict(zip(before.body.blocks[0].args, after.body.blocks[0].args, strict=True))


def _in_step(mine: Run, theirs: Run, arguments: dict[SSAValue, SSAValue]) -> Correspondence:
    """Where each buffer is, from the accesses of the actions, which correspond one to one."""
    places: dict[int, Place] = {}
    moved: list[Moved] = []
    by_value = {root.value: index for index, root in enumerate(theirs.roots)}
    for index, root in enumerate(mine.roots):
        counterpart = by_value.get(arguments.get(root.value)) if root.value is not None else None
        if counterpart is not None:
            places[index] = Place(counterpart, 0)
    for b, a in zip(mine.program.actions, theirs.program.actions, strict=True):
        for here, there in zip(b.accesses, a.accesses, strict=False):
            if here.may or there.may:
                continue
            place = Place(there.buffer, there.lo - here.lo)
            old = places.setdefault(here.buffer, place)
            if old != place:
                moved.append(Moved(here.buffer, (old, place), a.label))
    fits = frozenset(range(len(mine.program.buffers)))  # sizes are judged on the function itself
    return Correspondence(mine.program, theirs.program, places, tuple(moved), fits=fits, cut=not mine.complete)
