"""How `verify` grows: straight-line functions, greedily reused, judged after reading.

    python bench/verify.py [ACTIONS ...]

Prints CPU seconds per stage and the peak memory of the process, for each number of actions (buffers: three tenths).
"""

from __future__ import annotations

import platform
import random
import resource
import sys
import time

from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.session import load_text, pairs

SEED = 1


def module(actions: int, buffers: int, seed: int = SEED) -> str:
    """A chain of device ops with short-lived buffers, a host store into every fiftieth, a readback now and then."""
    chance = random.Random(seed)
    lines: list[str] = []
    recent = ["%in"]
    every = actions / buffers
    made = 0
    for number in range(actions):
        if made < number / every:
            made += 1
            name = f"%b{made}"
            size = chance.choice([64, 128, 256, 1024, 4096])
            lines.append(f"{name} = memref.alloc() : memref<{size}xf32>")
            lines.append(
                f"hip.op(%ctx) ins({recent[-1]} : {type_of(recent[-1], lines)}) outs({name} : memref<{size}xf32>)"
            )
            recent = [*recent[-6:], name]
            continue
        source, target = chance.choice(recent), chance.choice(recent[-3:])
        if number % 500 == 0:
            lines.append(f"%r{number} = hip.readback_scalar(%ctx, %scalar : memref<i64>) -> i64")
        else:
            lines.append(
                f"hip.op(%ctx) ins({source} : {type_of(source, lines)}) outs({target} : {type_of(target, lines)})"
            )
    head = "%ctx: !hip.context, %in: memref<64xf32>, %scalar: memref<i64>"
    return f"func.func @f({head}) {{\n" + "\n".join(f"  {line}" for line in lines) + "\n  return\n}\n"


_TYPES = {"%in": "memref<64xf32>"}


def type_of(name: str, lines: list[str]) -> str:
    """The type of a buffer, from the line that allocates it."""
    if name not in _TYPES:
        start = f"{name} = memref.alloc() : "
        _TYPES[name] = next(line.removeprefix(start) for line in reversed(lines) if line.startswith(start))
    return _TYPES[name]


def measure(actions: int) -> None:
    """One row."""
    _TYPES.clear()
    _TYPES["%in"] = "memref<64xf32>"
    text = module(actions, actions * 3 // 10)
    start = time.process_time()
    before, after = load_text(text, "before.mlir", "hip"), load_text(text, "after.mlir", "hip")
    after.apply_greedy(exclude_host_accessed=True)
    after = after.reread()
    read = time.process_time()
    found = pairs(before, after)
    matched = time.process_time()
    judged = judge_pair(found[0], {}, minimum=False)
    done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"| {actions:7,} | {len(before.programs[0].buffers):6,} | {read - start:7.2f} | {matched - read:6.2f} "
        f"| {done - matched:6.2f} | {done - read:6.2f} | {peak:7,.0f} | {type(judged.verdict).__name__} |",
        flush=True,
    )


def main() -> None:
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, seed {SEED}; CPU seconds")
    print("| actions | buffers | read 3x | match  | judge  | both   | MiB     | verdict |")
    print("|---------|---------|---------|--------|--------|--------|---------|---------|")
    for actions in [int(a) for a in sys.argv[1:]] or [1_000, 3_000, 10_000, 50_000]:
        measure(actions)


if __name__ == "__main__":
    main()
