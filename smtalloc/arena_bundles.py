"""Bundles: pieces that are placed as one, for the packing search.

Two pieces of one life may stand on each other, and a piece may take over the place of one of its size that ends when it
starts. Joined in these ways, again and again, the buffers of a network become fewer and longer ones:

    +-----+                 +-----+------+              +------------+
    |  a  +------+          |     |      |              |            |
    +-----+  c   |    ->    | a b |  c   |      ->      |   a b c    |
    |  b  |      |          |     |      |              |            |
    +-----+------+          +-----+------+              +------------+

A plan of the bundles is a plan of the pieces, but not the other way round: that bundles do not fit says nothing, and
which of several pieces take over, or stay single, is drawn. Few draws keep a plan at the bound; those that do leave so
little freedom that the search walks into it with next to no backtracking. So many draws get a few nodes each. (Plans of
MiniMalloc's D and J at the load bound, not known before: every other draw of D has one, of J one in 120.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import NamedTuple

from smtalloc.arena_tasks import Piece, Task
from smtalloc.packing import Span
from smtalloc.solvers import kernel

_NODES_EACH = 2
"""Of the search for each draw, per bundle."""
_WORTH = 0.9
"""Where joining all that can be joined leaves more than this share, there is nothing to gain."""
_BETWEEN_EVERY = 4
"""So often a height half-way between the bound and the best is asked about."""
_ROUNDS, _STACK, _FOLLOW = (6, 9), (0.9, 0.8, 0.7, 0.6), (1.0, 1.0, 0.9)
"""What is drawn from: how often to join, how likely each join on each other and in a row is made. (Of J's draws with
certain joins in few rounds, one in 750 has a plan at the bound; of these one in 120.)"""


class Bundle(NamedTuple):
    """A rectangle of life and bytes. `parts` are pieces (numbers) or bundles, each with its offset inside."""

    life: Span
    size: int
    alignment: int
    parts: tuple[tuple[int | Bundle, int], ...]


def worth(task: Task) -> bool:
    """Is there a kernel, and are there lives and enough pieces that may be joined?"""
    if not kernel.AVAILABLE or task.lives is None or task.special or not all(map(_simple, task.pieces)):
        return False
    return len(_most(task)) <= _WORTH * len(task)


def _most(task: Task) -> list[Bundle]:
    """All that can be joined is."""
    return joined(task, Random(0), rounds=5, stack=1.0, follow=1.0)


def search(
    task: Task,
    target: int,
    *,
    best: Callable[[], int],
    found: Callable[[tuple[int, ...]], None],
    seed: int,
    draws: Iterable[int],
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """One draw after the other, until there is a plan at the target. `best` is the height known so far, `found` is
    given plans that are lower (offsets in units of the task)."""
    for number in draws:
        if best() <= target or cancelled():
            return
        chance = Random(f"{seed}/{number}")
        rounds, stack, follow = chance.choice(_ROUNDS), chance.choice(_STACK), chance.choice(_FOLLOW)
        bundles = joined(task, chance, rounds=rounds, stack=stack, follow=follow) if number else _most(task)
        height = (target + best() - 1) // 2 if number % _BETWEEN_EVERY == _BETWEEN_EVERY - 1 else target
        placed = _place(bundles, height, seed + number)
        if placed is not None:
            found(offsets(bundles, placed))


def _place(bundles: Sequence[Bundle], height: int, seed: int) -> tuple[int, ...] | None:
    problem = kernel.Problem(
        [bundle.size for bundle in bundles],
        [bundle.life for bundle in bundles],
        alignments=[bundle.alignment for bundle in bundles] if any(b.alignment > 1 for b in bundles) else (),
    )
    result = kernel.decide(problem, height, nodes=_NODES_EACH * len(bundles), seed=seed)
    return result.offsets if result.status is kernel.Status.SOLVED else None


# --- joining -----------------------------------------------------------------------------------------------


def joined(task: Task, chance: Random, *, rounds: int, stack: float, follow: float) -> list[Bundle]:
    """All pieces, in bundles. `stack` and `follow` are how likely each possible join is made."""
    assert task.lives is not None
    pairs = enumerate(zip(task.pieces, task.lives, strict=True))
    bundles = [Bundle(life, piece.size, piece.alignment, ((i, 0),)) for i, (piece, life) in pairs]
    for _ in range(rounds):
        bundles = _following(_stacked(bundles, chance, stack), chance, follow)
    return bundles


def _simple(piece: Piece) -> bool:
    """No pins and no forbidden bytes; another one of its alignment can stand on it."""
    return piece.fixed is None and not piece.blocked and piece.size > 0 and piece.size % piece.alignment == 0


def _stacked(bundles: Sequence[Bundle], chance: Random, likely: float) -> list[Bundle]:
    """Those of one life on each other."""
    found: list[Bundle] = []
    together: dict[tuple[Span, int], list[Bundle]] = defaultdict(list)
    for bundle in bundles:
        together[bundle.life, bundle.alignment].append(bundle)
    for (life, alignment), members in together.items():
        if len(members) == 1 or chance.random() >= likely:
            found += members
            continue
        parts: list[tuple[int | Bundle, int]] = []
        height = 0
        for member in members:
            parts.append((member, height))
            height += member.size
        found.append(Bundle(life, height, alignment, tuple(parts)))
    return found


def _following(bundles: Sequence[Bundle], chance: Random, likely: float) -> list[Bundle]:
    """Those of one size one after the other, where one starts when another ends."""
    chains: list[list[Bundle]] = []
    ending: dict[tuple[int, int, int], list[list[Bundle]]] = defaultdict(list)
    for bundle in sorted(bundles, key=lambda b: (b.life[0], chance.random())):
        (start, end), size, alignment, _ = bundle
        over = ending[start, size, alignment]
        if over and chance.random() < likely:
            chain = over.pop(chance.randrange(len(over)))
            chain.append(bundle)
        else:
            chain = [bundle]
            chains.append(chain)
        ending[end, size, alignment].append(chain)
    return [chain[0] if len(chain) == 1 else _in_a_row(chain) for chain in chains]


def _in_a_row(chain: Sequence[Bundle]) -> Bundle:
    first = chain[0]
    return Bundle(
        (first.life[0], chain[-1].life[1]), first.size, first.alignment, tuple((bundle, 0) for bundle in chain)
    )


def offsets(bundles: Sequence[Bundle], placed: Sequence[int]) -> tuple[int, ...]:
    """Of the pieces, where the bundles are placed."""
    found: dict[int, int] = {}
    open_ = [(part, base + at) for bundle, base in zip(bundles, placed, strict=True) for part, at in bundle.parts]
    while open_:
        part, base = open_.pop()
        if isinstance(part, int):
            found[part] = base
        else:
            open_ += [(inner, base + at) for inner, at in part.parts]
    return tuple(found[i] for i in range(len(found)))
