"""Small generated arenas for the research tables, and how a table is printed. Seeded by the caller."""

from __future__ import annotations

import random

from arena_instances import full_load

from smtalloc.packing import ArenaProblem, Block


def random_arena(chance: random.Random, count: int) -> ArenaProblem:
    """Lives and sizes drawn uniformly."""
    blocks: list[Block] = []
    for b in range(count):
        start = chance.randrange(2 * count)
        blocks.append(Block(f"b{b}", chance.randint(1, 16), life=(start, start + chance.randint(1, count // 2 + 1))))
    return ArenaProblem("random", tuple(blocks))


def full_arena(chance: random.Random, count: int) -> ArenaProblem:
    """At every moment the same number of bytes is live: what ends is replaced by blocks of the same sum."""
    live = [(0, size) for size in _pieces(chance, 4 + count // 4)]
    blocks: list[Block] = []
    moment = 0
    while len(blocks) + len(live) < count:
        moment += 1
        ending = set(chance.sample(range(len(live)), min(len(live), 2)))
        over = [live[n] for n in ending]
        blocks += [Block(f"b{len(blocks) + n}", size, life=(start, moment)) for n, (start, size) in enumerate(over)]
        live = [pair for n, pair in enumerate(live) if n not in ending]
        live += [(moment, size) for size in _pieces(chance, sum(size for _, size in over))]
    blocks += [Block(f"b{len(blocks) + n}", size, life=(start, moment + 1)) for n, (start, size) in enumerate(live)]
    return ArenaProblem("full", tuple(blocks))


def _pieces(chance: random.Random, total: int) -> list[int]:
    found: list[int] = []
    while total:
        found.append(chance.randint(1, min(total, 5)))
        total -= found[-1]
    return found


def byte_arena(seed: int) -> ArenaProblem:
    """Of 15 to 40 blocks, full at every moment in bytes, or nearly so in units that are no multiples of anything."""
    chance = random.Random(f"bytes/{seed}")
    count = chance.randint(15, 40)
    if seed % 2 == 0:
        found = full_load(chance, chance.randrange(20_000, 200_000), count, parts=3, dying=3)
        sizes = list(found.sizes)
    else:
        found = full_load(chance, chance.choice([16, 24, 32, 40]), count, parts=3, dying=3)
        unit = chance.randrange(1000, 9000)
        sizes = [size * unit + chance.randint(0, unit // 50) for size in found.sizes]
    pairs = zip(sizes, found.lives, strict=True)
    return ArenaProblem(f"bytes{seed}", tuple(Block(f"b{b}", size, life=life) for b, (size, life) in enumerate(pairs)))


def show(table: list[list[str]]) -> None:
    """In columns."""
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    for line in table:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
    print()
