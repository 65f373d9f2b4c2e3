"""Is every value defined before it is used? xDSL resolves names wherever they stand; MLIR does not.

A walk keeps the set of values that are visible where it stands: those of dominating blocks and of regions around. In a
graph region (a module, an op that nobody has registered) the order of ops means nothing and all of them are visible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from smtalloc.mlir.foreign import ForeignOp, LinalgOp


@dataclass(frozen=True, slots=True)
class Violation:
    """`op` uses `value`, whose definition does not dominate it."""

    op: Operation
    value: SSAValue


def violations(module: ModuleOp) -> Iterator[Violation]:
    """Uses that are not dominated by their definitions, in order of appearance."""
    for region in module.regions:
        yield from _in_region(region, set(), graph=True)


def _in_region(region: Region, visible: set[SSAValue], *, graph: bool) -> Iterator[Violation]:
    blocks = list(region.blocks)
    defined = _values(blocks) if graph else []
    visible.update(defined)
    if len(blocks) < 2 or graph:
        for block in blocks:
            yield from _in_block(block, visible)
            visible.difference_update(() if graph else _values([block]))
    else:
        yield from _in_blocks(blocks, visible)
    visible.difference_update(defined)


def _in_block(block: Block, visible: set[SSAValue]) -> Iterator[Violation]:
    """Check a block; its values stay visible."""
    visible.update(block.args)
    for op in block.ops:
        for operand in op.operands:
            if operand not in visible:
                yield Violation(op, operand)
        if op.regions:
            yield from _in_regions(op, visible)
        visible.update(op.results)


def _in_regions(op: Operation, visible: set[SSAValue]) -> Iterator[Violation]:
    isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
    graph = isinstance(op, ModuleOp) or (isinstance(op, ForeignOp) and not isinstance(op, LinalgOp))
    for region in op.regions:
        yield from _in_region(region, set() if isolated else visible, graph=graph)


def _values(blocks: Sequence[Block]) -> list[SSAValue]:
    values: list[SSAValue] = []
    for block in blocks:
        values.extend(block.args)
        for op in block.ops:
            values.extend(op.results)
    return values


def _in_blocks(blocks: Sequence[Block], visible: set[SSAValue]) -> Iterator[Violation]:
    """Walk the dominator tree. In blocks that nothing reaches, every value of the region is visible."""
    dominator = immediate_dominators(blocks[0])
    children: dict[Block, list[Block]] = {block: [] for block in blocks}
    for block, above in dominator.items():
        if above is not block:
            children[above].append(block)
    stack: list[tuple[Block, bool]] = [(blocks[0], True)]
    while stack:
        block, entering = stack.pop()
        if not entering:
            visible.difference_update(_values([block]))
            continue
        yield from _in_block(block, visible)
        stack.append((block, False))
        stack.extend((child, True) for child in reversed(children[block]))
    everything = _values(blocks)
    visible.update(everything)
    for block in blocks:
        if block not in dominator:
            yield from _in_block(block, visible)
    visible.difference_update(everything)


def _reverse_postorder(entry: Block) -> list[Block]:
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, successors = stack[-1]
        following = next((block for block in successors if block not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(_successors(following))))
    return order[::-1]


def _successors(block: Block) -> Sequence[Block]:
    return tuple(block.last_op.successors) if block.last_op is not None else ()


def immediate_dominators(entry: Block) -> dict[Block, Block]:
    """The immediate dominator of every reachable block, the entry's being itself.

    Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm (2001).
    """
    order = _reverse_postorder(entry)
    number = {block: at for at, block in enumerate(order)}
    predecessors: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for successor in _successors(block):
            predecessors[successor].append(block)
    dominator = {entry: entry}

    def common(left: Block, right: Block) -> Block:
        while left is not right:
            while number[left] > number[right]:
                left = dominator[left]
            while number[right] > number[left]:
                right = dominator[right]
        return left

    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [before for before in predecessors[block] if before in dominator]
            above = known[0]
            for before in known[1:]:
                above = common(above, before)
            if dominator.get(block) is not above:
                dominator[block] = above
                changed = True
    return dominator
