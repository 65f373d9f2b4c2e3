"""Why a pool is too small: a set of blocks that does not fit, with evidence, and no smaller than it must be.

Deletion: leave out one block after the other for as long as the rest still cannot fit. What cannot fit is shown by a
certificate each time; that the last set is minimal is shown by plans of all its subsets that lack one block.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from smtalloc import arena_heuristics, arena_proofs
from smtalloc.arena_bounds import blocks_height, fewest_members
from smtalloc.arena_tasks import Task, piece_of, pool_task, ranges
from smtalloc.bitsets import restrict
from smtalloc.packing import ArenaProblem, meetings_of, whole_at_once
from smtalloc.plan import ChainRefutation, InfeasibleArena, PoolBound, Reach, Refutation, Stack
from smtalloc.solvers.packer import Packer

_SUBSET_S = 5.0
"""For one subset, at most."""


def contradiction(problem: ArenaProblem) -> InfeasibleArena | None:
    """Pinned blocks that meet each other, or bytes that they must not touch: no pool of any size helps."""
    pins = pinned_offsets(problem)
    for b, at in pins.items():
        end = at + problem.blocks[b].size_bytes
        if any(lo < end and at < hi for lo, hi in ranges(problem, b)):
            return _contradicts(problem, b)
    for b, c in combinations(pins, 2):
        if problem.blocks[b].pool != problem.blocks[c].pool:
            continue
        if any(lo < pins[c] - pins[b] < hi for lo, hi in meetings_of(problem, b, c)):
            return _contradicts(problem, b, c)
    return None


def pinned_offsets(problem: ArenaProblem) -> dict[int, int]:
    """Block -> where it is pinned, by itself or by another one of its group."""
    groups = {block.group: block.offset for block in problem.blocks if block.group and block.offset is not None}
    found: dict[int, int] = {}
    for b, block in enumerate(problem.blocks):
        at = block.offset if block.offset is not None else groups.get(block.group)
        if at is not None:
            found[b] = at
    return found


def _contradicts(problem: ArenaProblem, *blocks: int) -> InfeasibleArena:
    """These blocks, and those that pin them for their group."""
    core = set(blocks)
    for b in blocks:
        group = problem.blocks[b].group
        if problem.blocks[b].offset is None and not any(
            problem.blocks[c].group == group and problem.blocks[c].offset is not None for c in core
        ):
            core.add(
                next(c for c, block in enumerate(problem.blocks) if block.group == group and block.offset is not None)
            )
    return InfeasibleArena(problem.blocks[blocks[0]].pool, tuple(sorted(core)), None, minimal=True)


def smallest_core(
    problem: ArenaProblem, task: Task, bound: PoolBound, capacity: int, deadline: float
) -> InfeasibleArena:
    """From a bound above the capacity: a set of blocks that needs too much, minimal if time allows."""
    core, evidence = _first(problem, task, bound, capacity)
    minimal = True
    for b in sorted(core, key=lambda b: (problem.blocks[b].size_bytes, b)):
        if len(core) == 1:
            break
        rest = tuple(c for c in core if c != b)
        fits, found = _decide(problem, rest, evidence, capacity, min(deadline, time.monotonic() + _SUBSET_S))
        if found is not None:
            core, evidence = rest, found
        elif not fits:
            minimal = False
    return InfeasibleArena(bound.pool, core, evidence, minimal)


def _first(problem: ArenaProblem, task: Task, bound: PoolBound, capacity: int) -> tuple[tuple[int, ...], PoolBound]:
    evidence = bound.evidence
    if isinstance(evidence, Reach):
        return (evidence.block,), bound
    if isinstance(evidence, Refutation | ChainRefutation):
        return evidence.blocks, bound
    if task.lives is not None and evidence.moment is None:
        fewest = fewest_members(task.lives, task.sizes, capacity // task.unit)
        if fewest:
            blocks = tuple(sorted(task.pieces[i].blocks[0] for i in fewest))
            return blocks, _stacked(problem, blocks, None)
    chosen: list[int] = []
    for b in sorted(evidence.blocks, key=lambda b: -problem.blocks[b].size_bytes):
        chosen.append(b)
        found = _stacked(problem, tuple(sorted(chosen)), evidence.moment)
        if found.bound_bytes > capacity:
            return tuple(sorted(chosen)), found
    return evidence.blocks, bound


def _stacked(problem: ArenaProblem, blocks: tuple[int, ...], moment: int | None) -> PoolBound:
    """What blocks that lie one above the other need."""
    found = [problem.blocks[b] for b in blocks]
    if moment is None:
        height = blocks_height(problem, blocks)
    else:
        sections = [s for block in found for s in block.sections()]
        height = sum(hi - lo for start, end, lo, hi in sections if start <= moment < end)
    return PoolBound(found[0].pool, height, Stack(blocks, moment))


def _lie_apart(problem: ArenaProblem, blocks: tuple[int, ...]) -> bool:
    """Can no two of the blocks have a common byte? (Both wholly live at some moment; not of one group.)"""
    for b, c in combinations(blocks, 2):
        one, two = problem.blocks[b], problem.blocks[c]
        if one.group and one.group == two.group:
            return False
        whole = bool(problem.apart[b] >> c & 1) if problem.apart is not None else whole_at_once(one, two)
        if not whole and one.size_bytes and two.size_bytes:
            return False
    return True


def _decide(
    problem: ArenaProblem, blocks: tuple[int, ...], evidence: PoolBound, capacity: int, deadline: float
) -> tuple[bool, PoolBound | None]:
    """(they fit, evidence that they do not); (False, None) where neither was shown in time."""
    stacks = [_stacked(problem, blocks, None)] if _lie_apart(problem, blocks) else []
    if isinstance(evidence.evidence, Stack) and evidence.evidence.moment is not None:
        stacks.append(_stacked(problem, blocks, evidence.evidence.moment))
    for found in stacks:
        if found.bound_bytes > capacity:
            return False, found
    for b in blocks:
        high = piece_of(problem, (b,)).lowest + problem.blocks[b].size_bytes
        if high > capacity:
            return False, PoolBound(evidence.pool, high, Reach(b))
    if _fits(problem, blocks, capacity, deadline):
        return True, None
    refuted = arena_proofs.decide(problem, blocks, capacity, deadline=deadline)
    if isinstance(refuted, PoolBound):
        return False, refuted
    return refuted is not None, None


def _fits(problem: ArenaProblem, blocks: Sequence[int], capacity: int, deadline: float) -> bool:
    part = restricted(problem, blocks)
    task = pool_task(part, part.blocks[0].pool)
    units = capacity // task.unit
    best = [task.top(arena_heuristics.stacked(task))]
    arena_heuristics.search(
        task, units, seed=0, rounds=50, deadline=deadline, found=lambda offsets: best.append(task.top(offsets))
    )
    if min(best) <= units:
        return True
    packer = Packer(part, task, 0)
    return packer.takes and packer.decide(units, deadline).offsets is not None


def restricted(problem: ArenaProblem, blocks: Sequence[int]) -> ArenaProblem:
    """The problem of some of the blocks."""

    def local(rows: tuple[int, ...] | None) -> tuple[int, ...] | None:
        return None if rows is None else tuple(restrict(rows, blocks)[0])

    return replace(
        problem,
        blocks=tuple(problem.blocks[b] for b in blocks),
        apart=local(problem.apart),
        before=local(problem.before),
    )
