"""Arena problems and arena plans as JSON, version 1 (docs/formats.md has the schema).

    {"version": 1, "name": "f",
     "pools": [{"name": "pool", "capacity_bytes": 4096, "forbidden": [[0, 64]]}],
     "buffers": [{"name": "a", "size_bytes": 64, "alignment": 16, "pool": "pool", "life": [0, 4],
                  "gaps": [{"life": [1, 2], "window": [0, 8]}], "offset": 64, "forbidden": [[0, 8]],
                  "group": "g", "hint": 0}],
     "conflicts": [["a", "b"]], "before": [["a", "b"]]}

Only names and sizes are required. Who must not meet whom is said once: by lives; by `conflicts`, all the pairs; or by
`before`, pairs of which the first is over before the second starts (what follows by transitivity may be left out), and
all others must not meet.

A plan is an answer like any other of smtalloc (formats.py):

    {"version": 1, "functions": [
      {"name": "f", "model": "arena", "verdict": "optimal", "cost_bytes": 96, "lower_bound_bytes": 96,
       "pools": [{"memory": "pool", "size_bytes": 96}],
       "assignment": {"a": {"memory": "pool", "offset": 64}},
       "certificate": {"bounds": [{"pool": "pool", "bound_bytes": 96, "evidence":
         {"kind": "stack", "buffers": ["a", "b"], "moment": null}}]}}]}

Other evidence is `{"kind": "reach", "buffer": "a"}`, `{"kind": "refutation", "buffers": [...], "drup": ["-1 2", "d
3", ""]}` and `{"kind": "chains", "buffers": [...], "chains": ["1 -2, 3"], "drup": [...]}`, where commas stand between
the steps of a chain. An infeasible answer has `pool`, `capacity_bytes`, `core`, `minimal` and `bound` (as in "bounds")
instead of a plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from smtalloc.arena_tasks import incomparable
from smtalloc.bitsets import bits
from smtalloc.formats import VERSION, Node
from smtalloc.packing import POOL, ArenaProblem, Block, Gap, PoolLimits, Span, require_valid
from smtalloc.plan import (
    Arena,
    ArenaCertificate,
    ArenaVerdict,
    Chain,
    ChainRefutation,
    Evidence,
    FeasibleArena,
    InfeasibleArena,
    OptimalArena,
    Pool,
    PoolBound,
    Reach,
    Refutation,
    Stack,
    Tail,
    Unknown,
)
from smtalloc.program import InputError, Location
from smtalloc.symbolic import Polynomial
from smtalloc.symbolic_text import parse_polynomial

_CHAIN = re.compile(r" *-?[0-9]{1,9}(?:(?: +| *, *)-?[0-9]{1,9})* *")

T = TypeVar("T")
D = TypeVar("D")

# --- problems ----------------------------------------------------------------------------------------------


def problem_from_json(data: object, source: str, *, name: str) -> ArenaProblem:
    """The problem in a document. `name` is for one that has none. Raises InputError with the place in the document."""
    document = Node(data, "", source)
    if document["version"].number() != VERSION:
        raise document["version"].wrong(f"must be {VERSION}")
    _only(document, "version", "name", "pools", "buffers", "conflicts", "before")
    blocks = tuple(_block(node) for node in document["buffers"].items())
    given = document.get("name")
    pools = document.get("pools")
    problem = ArenaProblem(
        given.text() if given else name, blocks, tuple(_limits(node) for node in pools.items()) if pools else ()
    )
    try:
        require_valid(problem)  # in front of the pairs, which speak of blocks by name
    except InputError as error:
        raise InputError(error.message, Location(source)) from None
    return _related(document, problem)


def _related(document: Node, problem: ArenaProblem) -> ArenaProblem:
    """With the pairs of blocks that must not meet, where the document gives any."""
    index = {block.name: b for b, block in enumerate(problem.blocks)}
    conflicts, before = document.get("conflicts"), document.get("before")
    if conflicts and before:
        raise before.wrong("cannot stand beside 'conflicts'")
    if not conflicts and not before:
        return problem
    lively = next((block for block in problem.blocks if block.life is not None or block.gaps), None)
    if lively is not None:
        raise document["buffers"].wrong(f"{lively.name!r} has a life, but the conflicts are given as pairs")
    if conflicts:
        return replace(problem, apart=_symmetric(conflicts, index))
    order = _closed(document["before"], index)
    return replace(problem, apart=incomparable(order, problem.blocks), before=order)


def _only(node: Node, *known: str) -> None:
    strange = [key for key in node.fields() if key not in known]
    if strange:
        raise node.at(strange[0], None).wrong("is not known here")


def _block(node: Node) -> Block:
    _only(node, "name", "size_bytes", "alignment", "pool", "life", "gaps", "offset", "forbidden", "group", "hint")
    gaps, forbidden = node.get("gaps"), node.get("forbidden")
    return Block(
        name=node["name"].text(),
        size_bytes=node["size_bytes"].number(),
        alignment=_or(node.get("alignment"), Node.number, 1),
        pool=_or(node.get("pool"), Node.text, POOL),
        life=_or(node.get("life"), _life, None),
        gaps=tuple(_gap(gap) for gap in gaps.items()) if gaps else (),
        offset=_or(node.get("offset"), Node.number, None),
        forbidden=tuple(_span(span) for span in forbidden.items()) if forbidden else (),
        group=_or(node.get("group"), Node.text, ""),
        hint=_or(node.get("hint"), Node.number, None),
    )


def _or(node: Node | None, read: Callable[[Node], T], default: D) -> T | D:
    return default if node is None else read(node)


def _moment(node: Node) -> int:
    """An integer of any sign."""
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int):
        raise node.wrong("must be an integer")
    return value


def _span(node: Node, read: Callable[[Node], int] = Node.number) -> Span:
    ends = node.items()
    if len(ends) != 2:
        raise node.wrong("must be [from, to)")
    return read(ends[0]), read(ends[1])


def _life(node: Node) -> Span:
    return _span(node, _moment)


def _gap(node: Node) -> Gap:
    _only(node, "life", "window")
    lower, upper = _life(node["life"])
    return Gap(lower, upper, _or(node.get("window"), _span, None))


def _limits(node: Node) -> PoolLimits:
    _only(node, "name", "capacity_bytes", "forbidden")
    forbidden = node.get("forbidden")
    return PoolLimits(
        node["name"].text(),
        _or(node.get("capacity_bytes"), Node.number, None),
        tuple(_span(span) for span in forbidden.items()) if forbidden else (),
    )


def _pairs(node: Node, index: Mapping[str, int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for pair in node.items():
        both = pair.buffers(index)
        if len(both) != 2 or both[0] == both[1]:
            raise pair.wrong("must be two different buffers")
        found.append((both[0], both[1]))
    return found


def _symmetric(node: Node, index: Mapping[str, int]) -> tuple[int, ...]:
    apart = [0] * len(index)
    for b, c in _pairs(node, index):
        apart[b] |= 1 << c
        apart[c] |= 1 << b
    return tuple(apart)


def _closed(node: Node, index: Mapping[str, int]) -> tuple[int, ...]:
    """The transitive closure; InputError where it is no strict order."""
    before = [0] * len(index)
    for b, c in _pairs(node, index):
        before[b] |= 1 << c
    for k in range(len(before)):
        for b in range(len(before)):
            if before[b] >> k & 1:
                before[b] |= before[k]
    loop = next((b for b, row in enumerate(before) if row >> b & 1), None)
    if loop is not None:
        raise node.wrong(f"is no order: {list(index)[loop]!r} comes before itself")
    return tuple(before)


def problem_to_json(problem: ArenaProblem) -> dict[str, object]:
    """What `problem_from_json` reads; empty fields are left out."""
    names = [block.name for block in problem.blocks]
    found: dict[str, object] = {"version": VERSION, "name": problem.name}
    if problem.limits:
        found["pools"] = [
            _filled({"name": p.name, "capacity_bytes": p.capacity_bytes, "forbidden": _lists(p.forbidden)})
            for p in problem.limits
        ]
    found["buffers"] = [
        _filled(
            {
                "name": block.name,
                "size_bytes": block.size_bytes,
                "alignment": None if block.alignment == 1 else block.alignment,
                "pool": None if block.pool == POOL else block.pool,
                "life": None if problem.apart is not None or block.life is None else list(block.life),
                "gaps": [
                    _filled(
                        {"life": [gap.lower, gap.upper], "window": None if gap.window is None else list(gap.window)}
                    )
                    for gap in block.gaps
                ],
                "offset": block.offset,
                "forbidden": _lists(block.forbidden),
                "group": block.group or None,
                "hint": block.hint,
            }
        )
        for block in problem.blocks
    ]
    if problem.apart is not None:
        found["conflicts"] = [
            [names[b], names[c]] for b, row in enumerate(problem.apart) for c in bits(row >> b + 1 << b + 1)
        ]
    return found


def _filled(fields: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in fields.items() if value is not None and value != []}


def _lists(spans: Sequence[Span]) -> list[list[int]]:
    return [list(span) for span in spans]


# --- plans -------------------------------------------------------------------------------------------------


def verdict_to_json(problem: ArenaProblem, verdict: ArenaVerdict) -> dict[str, object]:
    """The answer for one problem, an element of "functions"."""
    names = [block.name for block in problem.blocks]
    found: dict[str, object] = {"name": problem.name, "model": "arena"}
    match verdict:
        case OptimalArena(plan, certificate) | FeasibleArena(plan, certificate):
            found["verdict"] = "optimal" if isinstance(verdict, OptimalArena) else "feasible"
            found["cost_bytes"] = plan.cost_bytes
            found["lower_bound_bytes"] = certificate.bound_bytes
            if isinstance(verdict, FeasibleArena):
                found["reason"] = verdict.reason
            found["pools"] = [{"memory": pool.name, "size_bytes": pool.size_bytes} for pool in plan.pools]
            found["assignment"] = {
                names[b]: {"memory": pool.name, "offset": at} for pool in plan.pools for b, at in pool.offsets
            }
            found["certificate"] = {"bounds": [_bound_to_json(bound, names) for bound in certificate.bounds]}
        case InfeasibleArena(pool, core, bound, minimal):
            limits = problem.limits_of.get(pool)
            found |= {
                "verdict": "infeasible",
                "pool": pool,
                "capacity_bytes": limits.capacity_bytes if limits else None,
                "core": [names[b] for b in core],
                "minimal": minimal,
                "bound": None if bound is None else _bound_to_json(bound, names),
            }
        case Unknown(reason):
            found |= {"verdict": "unknown", "reason": reason}
    return found


def _bound_to_json(bound: PoolBound, names: Sequence[str]) -> dict[str, object]:
    match bound.evidence:
        case Stack(blocks, moment):
            evidence: dict[str, object] = {"kind": "stack", "buffers": [names[b] for b in blocks], "moment": moment}
        case Reach(block):
            evidence = {"kind": "reach", "buffer": names[block]}
        case Refutation(blocks, drup):
            evidence = {"kind": "refutation", "buffers": [names[b] for b in blocks], "drup": list(drup)}
        case ChainRefutation(blocks, chains, drup):
            evidence = {
                "kind": "chains",
                "buffers": [names[b] for b in blocks],
                "chains": [", ".join(" ".join(map(str, step)) for step in chain) for chain in chains],
                "drup": list(drup),
            }
    return {"pool": bound.pool, "bound_bytes": bound.bound_bytes, "evidence": evidence}


@dataclass(frozen=True, slots=True)
class LoadedArena:
    """What a written arena plan says, none of it checked; claims that were left out are None."""

    name: str
    verdict: ArenaVerdict
    cost_bytes: int | None = None
    lower_bound_bytes: int | None = None
    capacity_bytes: int | None = None
    """Of the pool of an infeasible answer."""
    capacities: tuple[tuple[str, int], ...] = ()
    """By pool, what the plan was asked to keep: its user's word, whatever the problem says."""


def capacities_from_json(function: Node) -> dict[str, int]:
    """The capacities that an answer was asked to keep."""
    given = function.get("capacities")
    return {} if given is None else {pool: given.at(pool, value).number() for pool, value in given.fields().items()}


def arena_from_json(function: Node, problem: ArenaProblem) -> LoadedArena:
    """One answer of a document. Raises InputError where it is not of the module's shape."""
    index = {block.name: b for b, block in enumerate(problem.blocks)}
    name = function["name"].text()
    verdict = function["verdict"].one_of("optimal", "feasible", "infeasible", "unknown")
    capacities = tuple(capacities_from_json(function).items())
    if verdict == "unknown":
        return LoadedArena(name, Unknown(function["reason"].text()))
    if verdict == "infeasible":
        bound = function.get("bound")
        core = InfeasibleArena(
            function["pool"].text(),
            function["core"].buffers(index),
            None if bound is None else _bound(bound, index),
            function["minimal"].flag(),
        )
        capacity = _or(function.get("capacity_bytes"), Node.number, None)
        return LoadedArena(name, core, capacity_bytes=capacity, capacities=capacities)
    plan = _plan(function, index)
    certificate = function.get("certificate")
    bounds = tuple(_bound(node, index) for node in certificate["bounds"].items()) if certificate else ()
    shown = ArenaCertificate(bounds)
    return LoadedArena(
        name,
        OptimalArena(plan, shown) if verdict == "optimal" else FeasibleArena(plan, shown, ""),
        function["cost_bytes"].number(),
        _or(function.get("lower_bound_bytes"), Node.number, None),
        capacities=capacities,
    )


def _plan(function: Node, index: Mapping[str, int]) -> Arena:
    """Of the problem's own buffers; what an assignment says of others (slots of run-time size) stands elsewhere."""
    sizes = {node["memory"].text(): node["size_bytes"].number() for node in function["pools"].items()}
    if len(sizes) < len(function["pools"].items()):
        raise function["pools"].wrong("has two pools of one name")
    offsets: dict[str, list[tuple[int, int]]] = {memory: [] for memory in sizes}
    assignment = function["assignment"]
    for name, value in assignment.fields().items():
        place = assignment.at(name, value)
        memory = place["memory"].text()
        if name not in index:
            if memory in sizes:
                raise place.wrong("is not a buffer of the problem")
            continue
        if memory not in sizes:
            raise place["memory"].wrong(f"names {memory!r}, which is none of the pools")
        offsets[memory].append((index[name], place["offset"].number()))
    return Arena(tuple(Pool(memory, size, tuple(sorted(offsets[memory]))) for memory, size in sizes.items()))


def tails_to_json(tails: Sequence[Tail]) -> list[object]:
    """Run-time parts of pools; the names of slots are those of `run_time_slots`."""
    return [
        {
            "memory": tail.pool,
            "alignment": tail.alignment,
            "size_bytes": str(tail.size),
            "slots": [{"memory": f"slot{slot}", "offset": str(offset)} for slot, offset in tail.offsets],
        }
        for tail in tails
    ]


def tails_from_json(function: Node, slots: Sequence[str]) -> tuple[Tail, ...]:
    """What an answer says of them; `slots` are the names in `run_time_slots`. Raises InputError."""
    written = function.get("run_time_pools")
    found: list[Tail] = []
    for node in written.items() if written is not None else ():
        offsets: list[tuple[int, Polynomial]] = []
        for slot in node["slots"].items():
            name = slot["memory"].text()
            if name not in slots:
                raise slot["memory"].wrong("is no slot of run_time_slots")
            offsets.append((slots.index(name), _polynomial(slot["offset"])))
        found.append(
            Tail(node["memory"].text(), node["alignment"].number(), tuple(offsets), _polynomial(node["size_bytes"]))
        )
    return tuple(found)


def _polynomial(node: Node) -> Polynomial:
    try:
        return parse_polynomial(node.text())
    except ValueError as error:
        raise node.wrong(f"is no expression: {error}") from None


def _bound(node: Node, index: Mapping[str, int]) -> PoolBound:
    evidence = node["evidence"]
    kind = evidence["kind"].one_of("stack", "reach", "refutation", "chains")
    found: Evidence
    if kind == "reach":
        named = evidence["buffer"].text()
        if named not in index:
            raise evidence["buffer"].wrong(f"names {named!r}, which the problem does not have")
        found = Reach(index[named])
    elif kind == "stack":
        moment = evidence.get("moment")
        found = Stack(evidence["buffers"].buffers(index), None if moment is None else _moment(moment))
    else:
        lines = tuple(line.text() for line in evidence["drup"].items())
        blocks = evidence["buffers"].buffers(index)
        if kind == "refutation":
            found = Refutation(blocks, lines)
        else:
            found = ChainRefutation(blocks, tuple(_chain(chain) for chain in evidence["chains"].items()), lines)
    return PoolBound(node["pool"].text(), node["bound_bytes"].number(), found)


def _chain(node: Node) -> Chain:
    """Literals with blanks between them, steps with commas."""
    text = node.text()
    if not _CHAIN.fullmatch(text):
        raise node.wrong('is no chain (such as "1 -2, 3")')
    return tuple(tuple(int(word) for word in step.split()) for step in text.split(","))
