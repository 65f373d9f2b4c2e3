"""Random small modules as text: straight-line functions of the hip dialect, with host stores, loads and readbacks."""

from __future__ import annotations

from random import Random

TYPES = (*("memref<8xf32>", "memref<i64>") * 2, "memref<16xf32>", "memref<4xi64>", "memref<4x4xf32>")
ARGUMENTS = (("%in", "memref<8xf32>"), ("%out", "memref<8xf32>"), ("%scalar", "memref<i64>"))
HEAD = "%ctx: !hip.context, %in: memref<8xf32>, %out: memref<8xf32>, %scalar: memref<i64>, %n: i64"


class _Writer:
    """Writes one op after the other; what is read was written before, most of the time."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.alive: list[tuple[str, str]] = []
        self.written: list[tuple[str, str]] = [ARGUMENTS[0], ARGUMENTS[2]]
        self.scalars = ["%n"]

    def alloc(self) -> tuple[str, str]:
        name, type_ = f"%b{len(self.lines)}", self.random.choice(TYPES)
        alignment = self.random.choice(("", "", " {alignment = 16 : i64}", " {alignment = 64 : i64}"))
        self.lines.append(f"{name} = memref.alloc(){alignment} : {type_}")
        self.alive.append((name, type_))
        return name, type_

    def target(self, *types: str) -> tuple[str, str]:
        """Something to write to: an allocation, new or old; now and then the output."""
        found = [b for b in self.alive if not types or b[1] in types]
        if self.random.random() < 0.1 and not types:
            return ARGUMENTS[1]
        return self.random.choice(found) if found and self.random.random() < 0.4 else self.new(*types)

    def new(self, *types: str) -> tuple[str, str]:
        made = self.alloc()
        while types and made[1] not in types:
            self.lines.pop()
            self.alive.pop()
            made = self.alloc()
        return made

    def source(self, *types: str) -> tuple[str, str] | None:
        """Something to read, the latest more often."""
        found = [b for b in self.written if not types or b[1] in types]
        if not found:
            return None
        return found[-1] if self.random.random() < 0.4 else self.random.choice(found)

    def action(self) -> None:
        kind = self.random.choice(("op", "op", "op", "store", "store", "load", "readback", "handshake", "copy", "two"))
        if kind in ("op", "two"):
            ins = [b for b in (self.source(), self.source()) if b][: self.random.choice((1, 1, 2))]
            outs = [self.target()]
            if kind == "two" and (other := self.target()) not in outs:
                outs.append(other)
            outs = [b for b in outs if b not in ins] or [self.new()]
            self._op(ins, outs)
        elif kind == "store":
            name, type_ = target = self.target("memref<i64>")
            self.lines.append(f"memref.store {self.random.choice(self.scalars)}, {name}[] : {type_}")
            self.written.append(target)
        elif kind == "handshake":
            self._handshake()
        elif kind == "copy":
            source = self.source()
            if source is not None and (target := self.target(source[1])) != source:
                self.lines.append(f"memref.copy {source[0]}, {target[0]} : {source[1]} to {target[1]}")
                self.written.append(target)
        elif source := self.source("memref<i64>"):
            self._scalar(kind, *source)

    def _handshake(self) -> None:
        """The queue is done with one buffer, the host waits, and writes another."""
        first = self.new("memref<i64>")
        self._op([ARGUMENTS[0]], [first])
        self._op([first], [ARGUMENTS[1]])
        self._scalar("readback", *ARGUMENTS[2])
        second = self.new("memref<i64>")
        self.lines.append(f"memref.store {self.random.choice(self.scalars)}, {second[0]}[] : {second[1]}")
        self._op([second], [ARGUMENTS[1]])

    def _op(self, ins: list[tuple[str, str]], outs: list[tuple[str, str]]) -> None:
        groups = [f"{word}({', '.join(n for n, _ in found)} : {', '.join(t for _, t in found)})"
                  for word, found in (("ins", ins), ("outs", outs))]  # fmt: skip
        self.lines.append(f"hip.op(%ctx) {' '.join(groups)}")
        self.written += outs

    def _scalar(self, kind: str, name: str, type_: str) -> None:
        made = f"%s{len(self.lines)}"
        text = f"memref.load {name}[] : {type_}"
        if kind == "readback":
            text = f"hip.readback_scalar(%ctx, {name} : {type_}) -> i64"
        self.lines.append(f"{made} = {text}")
        if self.random.random() < 0.6:
            self.scalars.append(made)


def module(random: Random, actions: int) -> str:
    """A function of about so many actions; its last results go to the output or are returned."""
    writer = _Writer(random)
    for _ in range(actions - 1):
        writer.action()
    last = writer.source()
    if last is not None:
        writer._op([last], [ARGUMENTS[1]])
    returned = random.choice(writer.alive) if writer.alive and random.random() < 0.3 else None
    if random.random() < 0.6:
        writer.lines += [f"memref.dealloc {n} : {t}" for n, t in writer.alive if (n, t) != returned]
    body = "\n".join(f"  {line}" for line in writer.lines)
    result, end = (f" -> {returned[1]}", f"return {returned[0]} : {returned[1]}") if returned else ("", "return")
    return f"func.func @f({HEAD}){result} {{\n{body}\n  {end}\n}}\n"
