"""Slots of run-time size in pools: where they stand, which stay outside, and what the checker refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support import ROOT, SHARED, accepted_by_mlir_opt, needs_mlir_opt, needs_shared, smtalloc

from smtalloc.allocate_arena import ArenaOptions
from smtalloc.arena_program import ProgramArena
from smtalloc.check_program import check_program_arena
from smtalloc.commands.plan_arena import ArenaPlanned, plan_function
from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.session import SourceFile, load, load_text, pairs
from smtalloc.plan import OptimalArena, Policy, Safe, Tail, TypeRule
from smtalloc.program import Program
from smtalloc.symbolic import Polynomial, Range, constant, symbol
from smtalloc.symbolic_text import parse_polynomial

EXAMPLE = ROOT / "tests" / "filecheck" / "plan_arena_dynamic.mlir"
N = symbol("%a[0]")


def planned(source: SourceFile, number: int = 0, *, get_pool: bool = False, **capacities: int) -> ArenaPlanned:
    options = ArenaOptions(time_limit_s=20)
    program = source.programs[number]
    return plan_function(
        program, Policy.HOST_EXCLUSIVE, TypeRule.BYTES, options, capacities, source.path, get_pool=get_pool
    )


def example(**capacities: int) -> tuple[Program, ProgramArena]:
    found = planned(load(str(EXAMPLE), "hip"), **capacities)
    assert found.program is not None
    return found.program, found.found


def refusal(program: Program, found: ProgramArena, *tails: Tail, capacity: int | None = None) -> str:
    """What the checker has against these tails; empty if it accepts them."""
    checked = check_program_arena(
        program,
        found.verdict,
        found.slots,
        tails,
        policy=Policy.HOST_EXCLUSIVE,
        types=TypeRule.BYTES,
        capacities=() if capacity is None else (("pool", capacity),),
    )
    return "" if checked.rejection is None else checked.rejection.reason


# --- where they stand ----------------------------------------------------------------------------------------


def test_slots_stand_behind_the_blocks() -> None:
    program, found = example()
    assert isinstance(found.verdict, OptimalArena)
    (tail,) = found.stacked.tails
    assert (tail.pool, tail.alignment) == ("pool", 64)
    assert [str(offset) for _, offset in tail.offsets] == ["128", "64*((12*%a[0] + 63) floordiv 64) + 128"]
    for n in (0, 1, 5, 16, 1000):
        at = tail.offsets[1][1].evaluate({"%a[0]": n})
        assert at == 128 + (12 * n + 63) // 64 * 64
        assert tail.size.evaluate({"%a[0]": n}) == at + 256 * n
    assert [slot for slot, _ in found.stacked.apart] == [2]
    assert refusal(program, found, tail) == ""


def test_no_tail_in_a_pool_with_a_capacity() -> None:
    """How many bytes it would take is not known."""
    _, found = example(pool=4096)
    assert found.stacked.tails == ()
    assert {reason for _, reason in found.stacked.apart} == {"the pool has a capacity"}


ALLOCATIONS = """
func.func @f(%ctx: !hip.context, %a: memref<?x?xf32>, %b: memref<?xf32>, %n: index, %m: index, %k: index) {{
  %s = memref.alloc(%n) : memref<?x4xf32>
  %t = memref.alloc({sizes}) : memref<{shape}xf32>
  hip.add(%ctx) ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%s : memref<?x4xf32>)
  hip.add(%ctx) ins(%s, %b : memref<?x4xf32>, memref<?xf32>) outs(%t : memref<{shape}xf32>)
  hip.add(%ctx) ins(%s, %t : memref<?x4xf32>, memref<{shape}xf32>) outs(%a : memref<?x?xf32>)
  return
}}
"""


@pytest.mark.parametrize(
    ("sizes", "shape", "bounds", "together"),
    [
        ("%m", "?", {}, True),
        ("%m, %k", "?x?", {}, False),  # (2^31 - 1)^2 * 4 bytes and more do not fit
        ("%m, %k", "?x?", {"m": Range(0, 4096)}, True),
        ("%m, %k", "?x?", {"m": Range(0, 1 << 40), "k": Range(0, 1 << 20)}, True),
        ("%m, %k", "?x?", {"m": Range(0, 1 << 40), "k": Range(0, 1 << 21)}, False),
    ],
)
def test_sums_must_stay_below_64_bits(sizes: str, shape: str, bounds: dict[str, Range], together: bool) -> None:
    text = ALLOCATIONS.format(sizes=sizes, shape=shape)
    found = planned(load_text(text, "t.mlir", "hip", bounds)).found
    if together:
        assert [len(tail.offsets) for tail in found.stacked.tails] == [2]
    else:
        assert found.stacked.tails == ()
        assert [reason for _, reason in found.stacked.apart] == [
            "the pool might exceed 2^63 bytes with it (--assume bounds dimensions)"
        ]


def test_a_returned_slot_stays_outside() -> None:
    text = ALLOCATIONS.format(sizes="%m", shape="?").replace("%k: index) {", "%k: index) -> memref<?xf32> {")
    source = load_text(text.replace("return\n", "return %t : memref<?xf32>\n"), "t.mlir", "hip")
    stacked = planned(source).found.stacked
    assert stacked.tails == ()
    assert [reason for _, reason in stacked.apart] == ["returned, and whoever gets memory frees it from its start"]


# --- mutants -------------------------------------------------------------------------------------------------


def tail_with(tail: Tail, *offsets: Polynomial, size: Polynomial | None = None) -> Tail:
    slots = [slot for slot, _ in tail.offsets]
    return replace(tail, offsets=tuple(zip(slots, offsets, strict=True)), size=tail.size if size is None else size)


def mutants() -> list[tuple[str, str]]:
    return [
        ("at one offset", "is not shown to be behind it"),
        ("too small by one slot", "is not shown to be behind it"),
        ("too small by a byte", "is not shown to be behind it"),
        ("misaligned", "is not shown to be a multiple of 64"),
        ("over the blocks", "is not shown to be behind the 80 bytes"),
        ("exchanged", "is not shown to be behind it"),
        ("negative", "is not shown to be behind the 80 bytes"),
        ("little alignment", "too little for %s"),
        ("odd alignment", "which it cannot have"),
        ("twice", "stands in two places"),
        ("two tails", "a pool has two tails"),
        ("no slot", "does not exist"),
        ("another pool", "must not be in pool elsewhere"),
        ("late", "is not known where the pool is allocated"),
        ("unknown", "%nowhere is not known where the pool is allocated"),
        ("overflow", "may have more than 64 bits"),
        ("hidden overflow", "may have more than 64 bits"),
    ]


@pytest.mark.parametrize(("name", "reason"), mutants(), ids=[name for name, _ in mutants()])
def test_mutants_are_refused(name: str, reason: str) -> None:
    program, found = example()
    (tail,) = found.stacked.tails
    (first, at), (second, behind) = tail.offsets
    late = replace(tail, offsets=(*tail.offsets, (2, tail.size)), size=tail.size + symbol("%late") * 64)
    big = parse_polynomial(f"64*(({(1 << 40) - 2}*%a[0]) floordiv {(1 << 40) - 1})")
    changed = {
        "at one offset": [tail_with(tail, at, at)],
        "too small by one slot": [replace(tail, size=behind)],
        "too small by a byte": [replace(tail, size=tail.size - 1)],
        "misaligned": [tail_with(tail, at + 1, behind + 64, size=tail.size + 64)],
        "over the blocks": [tail_with(tail, at - 64, behind)],
        "exchanged": [tail_with(tail, behind, at)],
        "negative": [tail_with(tail, at - N * 64, behind)],
        "little alignment": [replace(tail, alignment=32)],
        "odd alignment": [replace(tail, alignment=192)],
        "twice": [replace(tail, offsets=((first, at), (first, behind)))],
        "two tails": [replace(tail, offsets=((first, at),)), replace(tail, offsets=((second, behind),))],
        "no slot": [replace(tail, offsets=((first, at), (7, behind)))],
        "another pool": [replace(tail, pool="elsewhere")],
        "late": [late],
        "unknown": [replace(tail, size=tail.size + symbol("%nowhere") * symbol("%nowhere"))],
        "overflow": [replace(tail, size=tail.size + N * N * 64)],
        "hidden overflow": [replace(tail, size=tail.size + big)],
    }[name]
    assert reason in refusal(program, found, *changed)


def test_looser_layouts_are_accepted() -> None:
    """The checker asks for no more than that nothing meets and everything fits."""
    program, found = example()
    (tail,) = found.stacked.tails
    (_, at), (_, behind) = tail.offsets
    assert (
        refusal(program, found, tail_with(tail, at + 64, behind + 128 + N * 64, size=tail.size + 128 + N * 128)) == ""
    )
    assert refusal(program, found, replace(tail, alignment=64, size=tail.size + 1)) == ""
    assert "capacity" in refusal(program, found, tail, capacity=1 << 30)


# --- through files -------------------------------------------------------------------------------------------


def test_written_and_read_back(tmp_path: Path) -> None:
    ran = smtalloc("plan", EXAMPLE, "--model", "arena", "--assume", "a[0] in 1..100", "--json")
    assert ran.status == 0, ran.err
    written = tmp_path / "plan.json"
    written.write_text(ran.out)
    checked = smtalloc("check", written, EXAMPLE)
    assert (checked.status, checked.err) == (0, "")
    (pool,) = ran.json["functions"][0]["run_time_pools"]
    assert pool["slots"][0] == {"memory": "slot0", "offset": "128"}
    for change, status in (("64*((12*%a[0] + 63) floordiv 64)", 1), ("128 + ", 2), ("%b[0]*64 + 128", 1)):
        document = ran.json
        document["functions"][0]["run_time_pools"][0]["slots"][1]["offset"] = change
        written.write_text(json.dumps(document))
        refused = smtalloc("check", written, EXAMPLE)
        assert refused.status == status
        assert len((refused.out + refused.err).splitlines()) == 1


def test_as_a_table() -> None:
    rows = smtalloc("plan", EXAMPLE, "--model", "arena", "--emit", "csv").out.splitlines()
    assert [row.split(",", 2)[2] for row in rows[1:]] == [
        "%k,pool,0,80",
        "%s,pool,128,",
        "%t,pool,64*((12*%a[0] + 63) floordiv 64) + 128,",
        "%u,pool,64*((12*%a[0] + 63) floordiv 64) + 128,",
        "%v,slot2,0,",
    ]


def test_options() -> None:
    ran = smtalloc("plan", EXAMPLE, "--model", "arena", "--bind", "a[0]=5")
    assert (ran.status, "--bind goes with --model slots" in ran.err) == (2, True)
    ran = smtalloc("plan", EXAMPLE, "--model", "arena", "--assume", "zz in 0..5")
    assert (ran.status, "no size depends on a dimension of that name" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-7",
        "1024 + 256*%n*%a[0]",
        "-%n + 3",
        "64*((%n + 63) floordiv 64) - min(%n, 3*%m-x)",
        "max(%0#1, 5*((2*%n) floordiv 3))*%n",
    ],
)
def test_expressions_are_read(text: str) -> None:
    found = parse_polynomial(text)
    assert parse_polynomial(str(found)) == found


@pytest.mark.parametrize(
    "text", ["", "1 +", "(%n", "%n %m", "n", "2**3", "(%n floordiv 0)", "(%n floordiv %m)", "1.5", "(" * 5000]
)
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(ValueError, match=r"expression|expected|divisor|division"):
        parse_polynomial(text)


# --- written back --------------------------------------------------------------------------------------------

BOUNDED = {"arg0[0]": Range(0, 64), "arg0[2]": Range(0, 64), "arg0[3]": Range(0, 512)}


@needs_shared
@needs_mlir_opt
@pytest.mark.parametrize(
    ("name", "bounds", "get_pool", "pooled"),
    [
        ("golden/probes/dynamic_sizes.mlir", {}, True, 1),
        ("real/filetype.mlir", {}, False, 6),
        ("real/ocr_rec.mlir", BOUNDED, False, 19),
    ],
)
def test_written_back(name: str, bounds: dict[str, Range], get_pool: bool, pooled: int) -> None:
    """mlir-opt takes the module, and verify says that it is safe. (Other inputs: golden/test_arenas_of_inputs.py.)"""
    path, profile = str(SHARED / name), "hip" if name.startswith("golden") else "linalg-device"
    source, written = load(path, profile, bounds), load(path, profile, bounds)
    plans = [planned(written, number, get_pool=get_pool) for number in range(len(written.programs))]
    for plan in plans:
        assert sum(len(tail.offsets) for tail in plan.found.stacked.tails) == pooled
    programs = [plan.program for plan in plans if plan.program is not None]
    written.apply_arenas([plan.found for plan in plans], programs, get_pool=get_pool)
    assert accepted_by_mlir_opt(written.text(generic=True)) == ""
    for pair in pairs(source, written.reread()):
        verdict = judge_pair(pair, {}, minimum=False).verdict
        assert isinstance(verdict, Safe), verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "view %pool[%5][%n] : memref<?xi8> to memref<?x64xf32>",
            "view %pool[%c128_0][%n] : memref<?xi8> to memref<?x64xf32>",
        ),
        ("memref.alloc(%7)", "memref.alloc(%5)"),
        ("addi %5, %6", "addi %5, %1"),
        ("muli %3, %c64_0", "muli %3, %c63"),
        ("muli %0, %c256", "muli %0, %c64"),
    ],
)
def test_verify_refuses_mutants_of_the_module(old: str, new: str) -> None:
    text = smtalloc("plan", EXAMPLE, "--model", "arena", "--emit", "mlir").out
    assert text.count(old) == 1
    ran = smtalloc("verify", EXAMPLE, "-", stdin=text.replace(old, new))
    assert ran.status in (1, 3), ran.out
    assert smtalloc("verify", EXAMPLE, "-", stdin=text).status == 0


RESHAPED = """func.func @f(%n: index, %x: memref<?xf32>, %shape: memref<2xindex>, %o: memref<?x?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.copy ins(%x : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.copy ins(%b : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.copy ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  %r = memref.reshape %b(%shape) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
  linalg.copy ins(%r : memref<?x?xf32>) outs(%o : memref<?x?xf32>)
  linalg.copy ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}
"""


def test_a_reshape_of_memory_at_a_run_time_offset(tmp_path: Path) -> None:
    """It is where its operand is; of another buffer it is another one."""
    path = tmp_path / "reshaped.mlir"
    path.write_text(RESHAPED)
    text = smtalloc("plan", path, "--model", "arena", "--emit", "mlir").out
    assert text.count("memref.alloc") == 1
    ran = smtalloc("verify", path, "-", stdin=text)
    assert ran.status == 0, ran.out
    changed = text.replace("memref.reshape %b_0", "memref.reshape %a_0")
    assert changed != text
    assert smtalloc("verify", path, "-", stdin=changed).status in (1, 3)


def test_constants_are_polynomials_too() -> None:
    assert parse_polynomial("128") == constant(128)
