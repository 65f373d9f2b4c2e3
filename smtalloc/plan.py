"""Plans, certificates and verdicts: plain values that every room may import.

Verdicts are values: no exceptions, no truth value. Which verdict it is shows in its class (`match` on it).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from smtalloc.program import Access, Action, Program
from smtalloc.symbolic import Polynomial


class Policy(StrEnum):
    """Which pairs of buffers may share bytes (docs/model.md, section "Policies")."""

    PROGRAM_ORDER = "program-order"
    HOST_EXCLUSIVE = "host-exclusive"
    HAPPENS_BEFORE = "happens-before"


class TypeRule(StrEnum):
    """STRICT: one element type per slot, as the compiler pass has it. BYTES: any contents."""

    STRICT = "strict"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Slots:
    """Whole-buffer reuse: each slot lists the buffers (indices into `Program.buffers`) that live in it.

    Slots cover every allocation of the function once; external buffers are in none.
    """

    members: tuple[tuple[int, ...], ...]

    def size_bytes(self, slot: int, program: Program) -> int | None:
        """The largest member, in bytes; None for a slot of run-time size."""
        sizes = [program.buffers[b].size_bytes for b in self.members[slot]]
        known = [size for size in sizes if size is not None]
        return max(known) if len(known) == len(sizes) else None

    def cost_bytes(self, program: Program) -> int:
        """Sum of the slot sizes, over the slots of known size."""
        return sum(self.size_bytes(s, program) or 0 for s in range(len(self.members)))

    def dynamic_slots(self, program: Program) -> int:
        """How many slots have a size known only at run time."""
        return sum(self.size_bytes(s, program) is None for s in range(len(self.members)))

    def alignment(self, slot: int, program: Program) -> int:
        """In bytes: the largest that any member asks for."""
        return max(program.buffers[b].alignment for b in self.members[slot])

    def slot_of(self) -> dict[int, int]:
        """Buffer index -> slot index."""
        return {buffer: slot for slot, members in enumerate(self.members) for buffer in members}


@dataclass(frozen=True, slots=True)
class Clique:
    """Buffers of at least `threshold_bytes`, no two of which may share.

    For buffers of run-time size the threshold is 0 and the clique counts slots.
    """

    threshold_bytes: int
    buffers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cliques:
    """One clique per size threshold `w_1 > w_2 > ...`: any plan has at least `|K_k|` slots of size `w_k` or more,
    so it costs at least `sum (w_k - w_(k+1)) * |K_k|` bytes (`w_(m+1) = 0`)."""

    cliques: tuple[Clique, ...]


@dataclass(frozen=True, slots=True)
class Weighted:
    """A clique of the dual: its members, put into slots of size exactly `slot_bytes`, and its multiplier."""

    slot_bytes: int
    weight: Fraction
    buffers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dual:
    """Exact multipliers of the class-form linear program (docs/certificates.md); they give a lower bound.

    `cliques` carries the threshold cliques that bound the number of slots from below.
    """

    weights: tuple[Weighted, ...]
    cliques: tuple[Clique, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Of these buffers no two may share: those of them in slots of exactly `slot_bytes` need one such slot each."""

    slot_bytes: int
    buffers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SlotRefutation:
    """No plan of the part costs less than the bound: the class form of "less" (docs/certificates.md) has a refutation.

    The checker writes the propositional text itself, from the problem, what `shown` proves of it, and the rows.
    `drup` are the lines of the proof, as in `Refutation`.
    """

    shown: Cliques | Dual
    rows: tuple[Row, ...]
    drup: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Buffers that share with nothing outside the part, and why they need `bound` at least.

    `bound` is in bytes, or in slots where the sizes are known only at run time (`dynamic`).
    """

    buffers: tuple[int, ...]
    bound: int
    evidence: Cliques | Dual | SlotRefutation
    dynamic: bool = False


@dataclass(frozen=True, slots=True)
class Certificate:
    """Evidence for a lower bound that can be checked without trusting the search (check.py)."""

    parts: tuple[Part, ...]

    @property
    def bound_bytes(self) -> int:
        return sum(part.bound for part in self.parts if not part.dynamic)

    @property
    def bound_slots(self) -> int:
        """Least number of slots of run-time size."""
        return sum(part.bound for part in self.parts if part.dynamic)

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(sorted({_KIND[type(part.evidence)] for part in self.parts}))


_KIND = {Cliques: "clique", Dual: "dual", SlotRefutation: "refutation"}


# --- arenas ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pool:
    """One region of memory: `offsets` are pairs (block of the problem, byte offset), by block."""

    name: str
    size_bytes: int
    offsets: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Arena:
    """Each block (index into `ArenaProblem.blocks`) at an offset of its pool; one pool per memory space."""

    pools: tuple[Pool, ...]

    @property
    def cost_bytes(self) -> int:
        return sum(pool.size_bytes for pool in self.pools)

    def offset_of(self) -> dict[int, int]:
        return dict(pair for pool in self.pools for pair in pool.offsets)


@dataclass(frozen=True, slots=True)
class Tail:
    """What a pool holds behind its blocks: slots of run-time size, one behind the other.

    `offsets` are pairs (slot of the slot plan, byte offset), in order of the offsets; `size` is that of the pool, in
    bytes. The pool has this alignment, and all offsets are multiples of it.
    """

    pool: str
    alignment: int
    offsets: tuple[tuple[int, Polynomial], ...]
    size: Polynomial


@dataclass(frozen=True, slots=True)
class Stack:
    """Blocks of which no two may have a common byte, so that they lie one above the other.

    With a `moment`, what counts of each block are the bytes that are live then (gaps have windows).
    """

    blocks: tuple[int, ...]
    moment: int | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """One block that can lie no lower than some offset: it is pinned, or below are bytes that it must not touch."""

    block: int


@dataclass(frozen=True, slots=True)
class Refutation:
    """No layout of these blocks needs less: the order encoding of "less" (docs/certificates.md) has a refutation.

    `drup` are the lines of a DRUP proof: clauses of the propositional text, "d" in front of those that are no longer
    needed. The checker writes the propositional text itself.
    """

    blocks: tuple[int, ...]
    drup: tuple[str, ...]


Chain = tuple[tuple[int, ...], ...]
"""Steps from one layer of blocks up to the next, each the literals that say so (docs/certificates.md)."""


@dataclass(frozen=True, slots=True)
class ChainRefutation:
    """No layout of these blocks needs less: whichever lies below which, some chain of them is too high.

    The variables say which block lies below which. Each chain is a lemma, "not all of its literals hold", which is
    arithmetic on sizes; `drup` are the lines of a proof that the lemmas contradict each other. Unlike that of a
    `Refutation`, the text does not grow with the number of bytes.
    """

    blocks: tuple[int, ...]
    chains: tuple[Chain, ...]
    drup: tuple[str, ...]


Evidence = Stack | Reach | Refutation | ChainRefutation


@dataclass(frozen=True, slots=True)
class PoolBound:
    """A pool needs at least `bound_bytes`, and why."""

    pool: str
    bound_bytes: int
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class ArenaCertificate:
    """A lower bound for each pool; pools are independent, so the bounds add up."""

    bounds: tuple[PoolBound, ...]

    @property
    def bound_bytes(self) -> int:
        return sum(found.bound_bytes for found in self.bounds)


@dataclass(frozen=True, slots=True)
class OptimalArena:
    """No arena plan is smaller, and the certificate says why."""

    plan: Arena
    certificate: ArenaCertificate


@dataclass(frozen=True, slots=True)
class FeasibleArena:
    """A checked plan; the true minimum lies between the certified bound and its cost."""

    plan: Arena
    certificate: ArenaCertificate
    reason: str


@dataclass(frozen=True, slots=True)
class InfeasibleArena:
    """The blocks of `core` need more than the capacity of their pool; `bound` (above the capacity) says why.

    Without a bound they are pinned where they meet, or where they touch bytes that they must not: no pool holds them.
    `minimal`: without any one of them the others fit; False where that was not decided in the time allowed.
    """

    pool: str
    core: tuple[int, ...]
    bound: PoolBound | None
    minimal: bool


# --- verdicts of planning ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Optimal:
    """No plan under the policy is smaller, and the certificate says why."""

    plan: Slots
    certificate: Certificate


@dataclass(frozen=True, slots=True)
class Feasible:
    """A checked plan; the true minimum lies between the certified bound and its cost."""

    plan: Slots
    certificate: Certificate
    reason: str
    """Why the gap is open: the limit reached, or what is only believed (solver answers without a certificate)."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """No answer, and the missing fact."""

    reason: str


ArenaVerdict = OptimalArena | FeasibleArena | InfeasibleArena | Unknown


# --- verdicts of safety ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proof:
    """Why sharing is safe: one line per pair of buffers in common memory."""

    pairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Defect(StrEnum):
    """What is wrong with a module after a pass (names of reference/cases.md)."""

    RACE = "racy"
    OVERLAP = "lifetime-overlap"
    USE_AFTER_FREE = "use-after-free"
    MISALIGNED = "misaligned"
    TOO_SMALL = "too-small"
    SPACE = "space-violation"
    DOUBLE_FREE = "double-free"
    BAD_FREE = "bad-free"
    LEAK = "leak"
    UNINITIALISED = "read-before-write"
    MUST_ALIAS = "must-alias-broken"


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a schedule, and what it read and wrote in the run that shows the defect."""

    action: Action
    text: str
    mark: str = ""
    """What the reader should see here: "clobbers", "reads the wrong value", ..."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A defect that can be shown: for races, a schedule that the axioms allow and the values of both runs."""

    defect: Defect
    summary: str
    schedule: tuple[Step, ...] = ()
    expected: str = ""
    actual: str = ""
    accesses: tuple[Access, ...] = ()
    repairs: tuple[str, ...] = ()
    """What would mend it, each alone: memory of its own (and what that costs), or a wait (and where)."""


@dataclass(frozen=True, slots=True)
class Safe:
    """For every schedule that the order allows, each read returns what it returns without sharing."""

    proof: Proof


@dataclass(frozen=True, slots=True)
class Unsafe:
    """At least one counterexample; the first is the one to look at."""

    counterexamples: tuple[Counterexample, ...] = field(default=())


SafetyVerdict = Safe | Unsafe | Unknown
