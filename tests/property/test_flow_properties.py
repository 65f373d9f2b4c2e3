"""Control flow judged on all paths against concrete runs: what is called safe has no clash in any run.

Programs are nested loops and branches over host stores, loads, device ops and readbacks; the pass gives one allocation
the memory of another that is visible there, or moves an allocation to the front of the function. Each run is a straight
line, whose clashes clashes.py finds exactly (test_validate_properties.py holds that to all schedules).
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest

from smtalloc.mlir import traces, unroll
from smtalloc.mlir.session import load_text, pairs
from smtalloc.placement import Correspondence
from smtalloc.validate import findings

TYPE = "memref<4xi64>"
SIZE = int(os.environ.get("SMTALLOC_PROGRAMS", "50"))  # programs per chunk


@dataclass
class Program:
    """A function as lines with placeholders; what may be renamed where."""

    lines: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    visible: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Allocation -> those whose memory it may be given (they dominate it)."""

    def text(self, renamed: dict[str, str], hoisted: frozenset[str]) -> str:
        front = [f"  %{name} = memref.alloc() : {TYPE}" for name in sorted(hoisted)]
        body: list[str] = []
        for line in self.lines:
            if "memref.alloc" in line:
                name = line.split("=")[0].strip().removeprefix("%")
                if name in renamed or name in hoisted:
                    continue
            body.append(re.sub(r"%(m\d+_)", lambda m: f"%{renamed.get(m[1], m[1])}", line))
        heads = ", ".join(["%ctx: !hip.context", f"%x: {TYPE}", f"%y: {TYPE}", *self.arguments])
        consts = [f"  %c{n} = arith.constant {n} : index" for n in (0, 1)] + ["  %k = arith.constant 7 : i64"]
        return "\n".join([f"func.func @f({heads}) {{", *consts, *front, *body, "  return", "}", ""])


class Generator:
    """A random program and a random pass over it, both from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.program = Program()
        self.numbers = count()
        self.block(0, ())

    def block(self, depth: int, scope: tuple[str, ...]) -> None:
        for _ in range(self.rng.randint(2, 4 if depth else 7)):
            kinds = ["alloc", "device", "device", "store", "load", "wait", *(["for", "if", "carry"] * (depth < 2))]
            kind = self.rng.choice(kinds) if scope else "alloc"
            number, pad = next(self.numbers), "  " * (depth + 1)
            if kind == "alloc":
                scope = (*scope, self.allocation(f"m{number}_", pad, scope))
            elif kind == "carry":
                scope = (*scope, *self.carrying_loop(number, depth, scope))
            elif kind in ("for", "if"):
                self.control(kind, number, depth, scope)
            else:
                self.action(kind, number, pad, scope)

    def add(self, *lines: str) -> None:
        self.program.lines += lines

    def allocation(self, name: str, pad: str, scope: tuple[str, ...]) -> str:
        self.program.visible[name] = scope
        self.add(f"{pad}%{name} = memref.alloc() : {TYPE}")
        first = self.rng.choice(["device", "store", "nothing"])
        if first == "device":
            self.add(f"{pad}hip.neg(%ctx) ins(%x : {TYPE}) outs(%{name} : {TYPE})")
        elif first == "store":
            self.add(f"{pad}memref.store %k, %{name}[%c0] : {TYPE}")
        return name

    def action(self, kind: str, number: int, pad: str, scope: tuple[str, ...]) -> None:
        one = self.rng.choice(scope)
        if kind == "device":
            other = self.rng.choice([*(s for s in scope if s != one), "y"])
            self.add(f"{pad}hip.neg(%ctx) ins(%{one} : {TYPE}) outs(%{other} : {TYPE})")
        elif kind == "store":
            self.add(f"{pad}memref.store %k, %{one}[%c0] : {TYPE}")
        elif kind == "load":
            self.add(f"{pad}%l{number} = memref.load %{one}[%c0] : {TYPE}")
            self.add(f"{pad}memref.store %l{number}, %y[%c1] : {TYPE}")
        else:
            self.add(f"{pad}%w{number} = hip.readback_dim(%ctx, %{one} : {TYPE}) -> index")

    def control(self, kind: str, number: int, depth: int, scope: tuple[str, ...]) -> None:
        pad = "  " * (depth + 1)
        self.program.arguments.append(f"%n{number}: index" if kind == "for" else f"%n{number}: i1")
        loop = f"scf.for %i{number} = %c0 to %n{number} step %c1 {{"
        self.add(pad + (loop if kind == "for" else f"scf.if %n{number} {{"))
        self.block(depth + 1, scope)
        if kind == "if" and self.rng.random() < 0.5:
            self.add(f"{pad}}} else {{")
            self.block(depth + 1, scope)
        self.add(f"{pad}}}")

    def carrying_loop(self, number: int, depth: int, scope: tuple[str, ...]) -> tuple[str, ...]:
        """Two buffers go round: swapped, or one is replaced by what the iteration has allocated."""
        pad = "  " * (depth + 1)
        first, second = self.rng.choice(scope), self.rng.choice(scope)
        self.program.arguments.append(f"%n{number}: index")
        names = f"p{number}_", f"q{number}_"
        results = f"r{number}_", f"t{number}_"
        self.add(
            f"{pad}%{results[0]}, %{results[1]} = scf.for %i{number} = %c0 to %n{number} step %c1 "
            f"iter_args(%{names[0]} = %{first} , %{names[1]} = %{second} ) -> ({TYPE}, {TYPE}) {{"
        )
        self.block(depth + 1, (*scope, *names))
        handed = names
        if self.rng.random() < 0.4:
            handed = (self.allocation(f"m{number}_", pad + "  ", (*scope, *names)), names[0])
        self.add(f"{pad}  scf.yield %{handed[1]} , %{handed[0]} : {TYPE}, {TYPE}", f"{pad}}}")
        return results

    def modules(self) -> tuple[str, str]:
        """(before, after): up to three allocations renamed or moved."""
        visible = self.program.visible
        renamed: dict[str, str] = {}
        hoisted: set[str] = set()
        for name in self.rng.sample(sorted(visible), min(len(visible), self.rng.randint(1, 3))):
            targets = [t for t in visible[name] if t in visible and t not in renamed]
            if targets and name not in renamed.values() and self.rng.random() < 0.7:
                renamed[name] = self.rng.choice(targets)
            else:
                hoisted.add(name)
        return self.program.text({}, frozenset()), self.program.text(renamed, frozenset(hoisted - set(renamed)))


def runs(before: str, after: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Correspondence, Iterator[Correspondence]]:
    monkeypatch.setattr(traces, "MOST_RUNS", 80)
    monkeypatch.setattr(unroll, "_TRIPS", (3, 2, 0))
    (pair,) = pairs(load_text(before, "b.mlir", "hip"), load_text(after, "a.mlir", "hip"))
    assert isinstance(pair.found, Correspondence)
    return pair.found, pair.runs()


@pytest.mark.parametrize("chunk", range(4))
def test_what_is_called_safe_is_safe_in_every_run(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """And of what is not called safe, a run shows a clash nearly always: the analysis is not exact, but of use."""
    safe = flagged = for_nothing = 0
    for seed in range(chunk * SIZE, (chunk + 1) * SIZE):
        before, after = Generator(seed).modules()
        found, concrete = runs(before, after, monkeypatch)
        if found.flow is None:
            continue  # a straight line: judged otherwise
        problems = findings(found).problems
        clashing = any(run.moved or findings(run).clashes for run in concrete)
        assert problems or not clashing, f"seed {seed}\n{before}\n{after}"
        safe += not problems
        flagged += bool(problems)
        for_nothing += bool(problems) and not clashing
    print(f"{safe} safe, {flagged} not; {for_nothing} of these without a run that shows it")
    assert safe > SIZE / 10
    assert flagged > SIZE / 10
    assert for_nothing <= 0.4 * flagged
