"""Generated networks for the benchmarks: seeded, each a `Program` like those that the reader makes of MLIR.

    chain    a device op per step reads what earlier ones wrote: mostly the last one, sometimes skip connections that
             end much later; now and then a workspace that lives for one op
    blocks   dense blocks: each op reads all that its block has made so far, then a transition closes the block
    host     a chain, and host code beside it: scalars that the host computes and stores, and readbacks that wait for
             the queue; the scalars' lives end in device ops
    types    a chain with buffers of three element types (they may not share under `strict`) and of run-time sizes
    dense    many buffers alive at once, of many sizes: lives and sizes are log-normal, as in MiniMalloc's benchmarks

Feature maps shrink and channels grow with depth, as in convolutional networks, so sizes rise and fall in powers of two
with factors 3 and 5. All sizes are multiples of 512 bytes, except those of scalars.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from smtalloc.program import HOST, Access, Action, Buffer, Program

_QUEUE = "queue"


@dataclass
class _Writer:
    """A program under construction: one op per call of `op`."""

    chance: random.Random
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    actions: list[Action] = field(default_factory=list[Action])

    def buffer(self, size: int | None, element: str = "f32", key: str = "") -> int:
        self.buffers.append(Buffer(f"%{len(self.buffers)}", size, 64, element_type=element, size_key=key))
        return len(self.buffers) - 1

    def op(self, reads: Iterable[int], writes: Iterable[int], *, engine: str = _QUEUE, waits: bool = False) -> None:
        self.actions.append(
            Action(
                len(self.actions),
                engine,
                "op",
                tuple(Access(b) for b in reads),
                tuple(Access(b) for b in writes),
                (_QUEUE,) if waits else (),
            )
        )

    def program(self, name: str) -> Program:
        return Program(name, tuple(self.buffers), tuple(self.actions))


def _feature_map(chance: random.Random, depth: float) -> int:
    """Bytes of a feature map at this depth (0 to 1)."""
    level = round(13 - 5 * math.sin(depth * math.pi)) + chance.choice((-1, 0, 0, 0, 0, 1, 2))
    return 512 * (1 << max(0, level - 5)) * chance.choice((1, 1, 1, 1, 3, 3, 5))


def chain(count: int, seed: int) -> Program:
    """A chain with skip connections and workspaces."""
    writer = _Writer(random.Random(f"chain {count} {seed}"))
    _chain(writer, count, lambda depth: writer.buffer(_feature_map(writer.chance, depth)))
    return writer.program(f"chain-{count}-{seed}")


def _chain(writer: _Writer, count: int, new: Callable[[float], int]) -> None:
    chance = writer.chance
    skips: list[tuple[int, int]] = []  # (op that reads it, buffer)
    last: list[int] = []
    while len(writer.buffers) < count:
        depth, now = len(writer.buffers) / count, len(writer.actions)
        due = [b for end, b in skips if end <= now]
        skips = [(end, b) for end, b in skips if end > now]
        made = [new(depth)]
        if chance.random() < 0.25 and len(writer.buffers) < count:
            made.append(writer.buffer(512 << chance.randrange(8)))  # a workspace
        writer.op([*last, *due], made)
        if chance.random() < 0.3:
            far = chance.random() < 0.3
            skips.append(
                (now + (chance.randint(count // 20 + 4, count // 2 + 4) if far else chance.randint(2, 8)), made[0])
            )
        last = made[:1]
    writer.op([*last, *(b for _, b in skips)], ())


def blocks(count: int, seed: int) -> Program:
    """Dense blocks with transitions."""
    writer = _Writer(random.Random(f"blocks {count} {seed}"))
    chance = writer.chance
    last = writer.buffer(_feature_map(chance, 0.1))
    writer.op((), [last])
    while len(writer.buffers) < count:
        depth = len(writer.buffers) / count
        growth = _feature_map(chance, depth)
        block = [last]
        for _ in range(min(chance.randint(3, 12), count - len(writer.buffers))):
            joined = writer.buffer(growth * (1 + len(block) // 2))
            writer.op(block, [joined])
            if len(writer.buffers) == count:
                break
            made = writer.buffer(growth)
            writer.op([joined], [made])
            block.append(made)
        if len(writer.buffers) < count:
            last = writer.buffer(growth * (1 + len(block) // 4))
            writer.op(block, [last])
    writer.op([last], ())
    return writer.program(f"blocks-{count}-{seed}")


def host(count: int, seed: int) -> Program:
    """A chain with host scalars and readbacks."""
    writer = _Writer(random.Random(f"host {count} {seed}"))
    chance = writer.chance
    result: int | None = None

    def new(depth: float) -> int:
        nonlocal result
        if chance.random() < 0.12 and len(writer.buffers) + 2 < count:
            scalar = writer.buffer(8, "i64")
            writer.op((), [scalar], engine=HOST)
            result = writer.buffer(512, "i64")
            writer.op([scalar], [result])
        elif result is not None and chance.random() < 0.5:
            writer.op([result], (), engine=HOST, waits=True)
            result = None
        return writer.buffer(_feature_map(chance, depth))

    _chain(writer, count, new)
    return writer.program(f"host-{count}-{seed}")


def types(count: int, seed: int) -> Program:
    """A chain of several element types, with some run-time sizes."""
    writer = _Writer(random.Random(f"types {count} {seed}"))
    chance = writer.chance

    def new(depth: float) -> int:
        if chance.random() < 0.15:
            return writer.buffer(None, "f32", chance.choice(("batch", "length")))
        element = chance.choice(("f32", "f32", "f32", "f16", "f16", "i8"))
        size = _feature_map(chance, depth)
        return writer.buffer({"f32": size, "f16": size // 2, "i8": size // 4}[element], element)

    _chain(writer, count, new)
    return writer.program(f"types-{count}-{seed}")


def dense(count: int, seed: int) -> Program:
    """Many alive at once, many sizes."""
    chance = random.Random(f"dense {count} {seed}")
    steps = 4 * count
    starts = [chance.randrange(steps) for _ in range(count)]
    ends = [min(steps, s + max(1, int(chance.lognormvariate(math.log(steps * 0.02), 1.3)))) for s in starts]
    sizes = [512 * max(1, int(chance.lognormvariate(3.2, 1.1))) for _ in range(count)]
    return intervals(f"dense-{count}-{seed}", list(zip(starts, ends, sizes, strict=True)))


def intervals(name: str, lives: Sequence[tuple[int, int, int]]) -> Program:
    """Buffers by (first op, last op, bytes), all on one queue."""
    writer = _Writer(random.Random(0))
    writes: dict[int, list[int]] = {}
    reads: dict[int, list[int]] = {}
    for first, last, size in lives:
        b = writer.buffer(size)
        writes.setdefault(first, []).append(b)
        reads.setdefault(last, []).append(b)
    for step in sorted({*writes, *reads}):
        writer.op(reads.get(step, ()), writes.get(step, ()))
    return writer.program(name)


FAMILIES: Mapping[str, Callable[[int, int], Program]] = {
    "chain": chain,
    "blocks": blocks,
    "host": host,
    "types": types,
    "dense": dense,
}
"""By name: number of buffers (about), seed -> program."""

COUNTS = (50, 100, 200, 500, 1000)


def networks(seeds: int, counts: Sequence[int] = COUNTS) -> list[tuple[str, int, Program]]:
    """The benchmark set: (family, number of buffers asked for, program)."""
    return [(f, n, make(n, seed)) for f, make in FAMILIES.items() for n in counts for seed in range(seeds)]
