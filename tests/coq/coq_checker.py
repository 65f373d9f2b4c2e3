"""The checker that is extracted from the Coq proofs: building it, and asking it about programs and plans."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from pathlib import Path

from smtalloc.check import ClaimedSlot
from smtalloc.encode import encodings_dir
from smtalloc.plan import Clique, Cliques, Dual, Part, SlotRefutation
from smtalloc.program import HOST, Access, Action, Buffer, Program

SOURCES = encodings_dir() / "coq"
TOOLS = ("coqc", "ocamlfind", "ocamlopt", "make")
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]

Members = tuple[tuple[int, ...], ...]
Home = tuple[int, int]
"""Pool and byte offset."""


def build(place: Path) -> Path:
    """Prove and build in `place`, once for all processes that share it. Returns the directory of the results."""
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "-s", "-C", str(SOURCES), f"BUILD={place}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    return place


@dataclass(frozen=True)
class Said:
    """What the checker answers; `bound` is None where no clique was given, or one is none."""

    accepted: bool
    cost: int | None = None
    bound: int | None = None


def ask(checker: Path, text: str) -> list[Said]:
    """Run it once, on many programs and plans."""
    done = subprocess.run([checker], input=text, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return [_read(line.split()) for line in done.stdout.splitlines()]


def _read(words: list[str]) -> Said:
    if words == ["reject"]:
        return Said(False)
    assert words[0] == "accept"
    cost, *bound = words[1:]
    return Said(True, int(cost), int(bound[0]) if bound and bound[0] != "-" else None)


class Writer:
    """Programs and plans in the format of driver.ml. Names of queues, spaces and size keys become numbers."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers: dict[tuple[str, str], int] = {}

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def program(self, program: Program) -> None:
        self.lines.append("program")
        self.lines += [self._buffer(b, buffer) for b, buffer in enumerate(program.buffers)]
        self.lines += [self._action(action) for action in program.actions]

    def slots(
        self,
        members: Members,
        said: Sequence[ClaimedSlot],
        cliques: Sequence[Clique] = (),
        parts: Sequence[Part] = (),
    ) -> None:
        self.lines.append("slots")
        for slot, of in zip(said, members, strict=True):
            size = "?" if slot.size_bytes is None else slot.size_bytes
            self.lines.append(f"slot {size} {slot.alignment} {self._number('space', slot.space)} {_list(of)}")
        for part in parts:
            self._part(part)
        self._check(cliques)

    def arena(
        self, pools: Sequence[tuple[int, int, str]], homes: dict[int, Home], cliques: Sequence[Clique] = ()
    ) -> None:
        """Pools are size, alignment and space."""
        self.lines.append("arena")
        for size, alignment, space in pools:
            self.lines.append(f"pool {size} {alignment} {self._number('space', space)}")
        self.lines += [f"home {b} {pool} {offset}" for b, (pool, offset) in homes.items()]
        self._check(cliques)

    def _part(self, part: Part) -> None:
        """Multipliers become numerators over their common denominator. Of refutations the extracted checker knows
        nothing: it is told what they go by, which does not show the bound."""
        shown = part.evidence.shown if isinstance(part.evidence, SlotRefutation) else part.evidence
        weights = shown.weights if isinstance(shown, Dual) else ()
        scale = lcm(1, *(weighted.weight.denominator for weighted in weights))
        self.lines.append(f"part {scale} {part.bound} {_list(part.buffers)}")
        self.lines += [f"level {c.threshold_bytes} {_list(c.buffers)}" for c in rising([shown])]
        for weighted in weights:
            numerator = int(weighted.weight * scale)
            self.lines.append(f"weight {weighted.slot_bytes} {numerator} {_list(weighted.buffers)}")

    def _check(self, cliques: Sequence[Clique]) -> None:
        self.lines += [f"clique {clique.threshold_bytes} {_list(clique.buffers)}" for clique in cliques]
        self.lines.append("check")

    def _buffer(self, index: int, buffer: Buffer) -> str:
        size = buffer.size_bytes
        if size is None:  # without a key its size is like no other
            size = f"?{self._number('key', buffer.size_key or f'only {index}')}"
        flags = {"external": buffer.external, "live_out": buffer.live_out, "pinned": bool(buffer.pinned)}
        chosen = [name for name, holds in flags.items() if holds]
        return " ".join(["buffer", str(size), str(buffer.alignment), str(self._number("space", buffer.space)), *chosen])

    def _action(self, action: Action) -> str:
        words = ["action", str(action.ordinal), self._engine(action.engine)]
        words += [_access("read", access) for access in action.reads]
        words += [_access("write", access) for access in action.writes]
        words += [f"wait {self._engine(queue)}" for queue in action.waits]
        return " ".join(words)

    def _engine(self, name: str) -> str:
        return "host" if name == HOST else str(self._number("queue", name))

    def _number(self, kind: str, name: str) -> int:
        return self._numbers.setdefault((kind, name), len(self._numbers))


def rising(evidence: Sequence[Cliques | Dual]) -> list[Clique]:
    """By rising thresholds, the largest clique of each part at it or above, for all parts together. (Buffers of
    different parts never share, so together these are a clique again.)"""
    levels = sorted({clique.threshold_bytes for part in evidence for clique in part.cliques})
    found: list[Clique] = []
    for level in levels:
        best = (
            max((c.buffers for c in part.cliques if c.threshold_bytes >= level), key=len, default=())
            for part in evidence
        )
        found.append(Clique(level, tuple(b for members in best for b in members)))
    return found


def _access(kind: str, access: Access) -> str:
    return f"{kind} {access.buffer} {access.lo} {'end' if access.hi is None else access.hi}"


def _list(buffers: Sequence[int]) -> str:
    return " ".join(map(str, buffers))
