"""`verify` on what MLIR's own memory passes do, run live: their outputs are safe, and edits that break them are not."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from support import MLIR_OPT, needs_mlir_opt

from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.session import load_text, pairs
from smtalloc.plan import Defect, Safe, SafetyVerdict, Unknown, Unsafe

HERE = Path(__file__).parent
DEALLOCATION = (
    "ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,"
    "bufferization-lower-deallocations,cse,canonicalize"
)
PIPELINES = {
    "unchanged": "",
    "ownership": "ownership-based-buffer-deallocation",
    "deallocation": DEALLOCATION,
    "hoisting": "buffer-hoisting",
    "loop-hoisting": "buffer-loop-hoisting",
    "hoisting, cleaned": "buffer-hoisting,buffer-loop-hoisting,cse",
    "to-stack": "promote-buffers-to-stack",
    "out-params": "buffer-results-to-out-params=modify-public-functions=1",
    "cleaned": "cse",
}
FUNCTIONS = {
    "straight": ("chain", "returned", "views", "dynamic", "two_results", "scalars"),
    "branches": ("both", "inner", "around", "own_or_argument"),
    "loops": ("temporary", "outside", "carried", "nested"),
    "blocks": ("diamond", "inside"),
}

# BEFORE and AFTER differ in more than memory (signatures, loop-carried flags), or a value decides what is freed: never
# a false alarm, but no proof either.
NO_PROOF = {
    *(("out-params", name) for name in ("straight.returned", "straight.two_results")),
    *((p, f) for p in ("ownership", "deallocation") for f in ("branches.own_or_argument", "loops.carried")),
    *((p, "blocks.diamond") for p in ("ownership", "deallocation")),
    ("ownership", "branches.both"),
    ("ownership", "blocks.inside"),
}


def cases() -> list[object]:
    found: list[object] = []
    for file, functions in FUNCTIONS.items():
        for pipeline in PIPELINES:
            for function in functions:
                found.append(pytest.param(file, pipeline, function, id=f"{file}.{function}-{pipeline}"))
    return found


@cache
def output(file: str, passes: str) -> str:
    assert MLIR_OPT is not None
    text = (HERE / f"{file}.mlir").read_text("utf-8")
    command = [MLIR_OPT, *(f"--{name}" for name in passes.split(",") if name)]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


@cache
def verdicts(before: str, after: str, profile: str = "linalg-device") -> dict[str, SafetyVerdict]:
    first, second = load_text(before, "before.mlir", profile), load_text(after, "after.mlir", profile)
    return {pair.name: judge_pair(pair, {}, minimum=False).verdict for pair in pairs(first, second)}


def text_of(name: str) -> str:
    return (HERE / f"{name}.mlir").read_text("utf-8")


@needs_mlir_opt
@pytest.mark.parametrize(("file", "pipeline", "function"), cases())
def test_outputs_are_safe(file: str, pipeline: str, function: str) -> None:
    """A stack frame is gone when the host returns, so buffers go there only where linalg runs on the host."""
    profile = "hip" if pipeline == "to-stack" else "linalg-device"
    verdict = verdicts(text_of(file), output(file, PIPELINES[pipeline]), profile)[function]
    if (pipeline, f"{file}.{function}") in NO_PROOF:
        assert not isinstance(verdict, Unsafe)
    else:
        assert isinstance(verdict, Safe), verdict


@needs_mlir_opt
def test_stack_memory_does_not_outlive_the_queue() -> None:
    found = verdicts(text_of("straight"), output("straight", PIPELINES["to-stack"]))
    assert defects(found["chain"]) == {Defect.USE_AFTER_FREE}
    assert isinstance(found["dynamic"], Safe)  # stays on the heap


@needs_mlir_opt
def test_another_signature_is_said() -> None:
    verdict = verdicts(text_of("straight"), output("straight", PIPELINES["out-params"]))["returned"]
    assert isinstance(verdict, Unknown)
    assert "@returned has another type than before" in verdict.reason


# --- edits that break an output ----------------------------------------------------------------------------------


def defects(verdict: SafetyVerdict) -> set[Defect]:
    assert isinstance(verdict, Unsafe), verdict
    return {counterexample.defect for counterexample in verdict.counterexamples}


def function_of(text: str, name: str) -> tuple[int, list[str]]:
    """(index of its first line, its lines)."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if f"@{name}(" in line)
    end = next(i for i in range(start, len(lines)) if lines[i].strip() == "return" or "return %" in lines[i])
    return start, lines[start : end + 1]


def edited(text: str, name: str, old: list[str], new: list[str]) -> str:
    start, lines = function_of(text, name)
    assert lines == old
    whole = text.splitlines()
    return "\n".join([*whole[:start], *new, *whole[start + len(old) :]]) + "\n"


def freed_early(text: str, name: str) -> str:
    """Each dealloc goes up, in front of the op before the last use of its memref."""
    _, lines = function_of(text, name)
    new = [line for line in lines if "memref.dealloc" not in line]
    for line in lines:
        match = re.search(r"memref\.dealloc (%\w+)", line)
        if match:
            uses = [i for i, other in enumerate(new) if re.search(rf"{match[1]}\b", other)]
            new.insert(uses[-1], line)
    return edited(text, name, lines, new)


@needs_mlir_opt
@pytest.mark.parametrize("function", ["chain", "returned", "views", "dynamic", "two_results", "scalars"])
def test_a_dealloc_moved_up(function: str) -> None:
    after = freed_early(output("straight", DEALLOCATION), function)
    assert defects(verdicts(text_of("straight"), after)[function]) == {Defect.USE_AFTER_FREE}


@needs_mlir_opt
@pytest.mark.parametrize("function", ["chain", "views", "dynamic", "scalars"])
def test_a_dealloc_twice_and_none(function: str) -> None:
    before = output("straight", DEALLOCATION)
    _, lines = function_of(before, function)
    at = next(i for i, line in enumerate(lines) if "memref.dealloc" in line)
    twice = edited(before, function, lines, [*lines[: at + 1], *lines[at:]])
    assert defects(verdicts(before, twice)[function]) == {Defect.DOUBLE_FREE}
    none = edited(before, function, lines, [*lines[:at], *lines[at + 1 :]])
    assert defects(verdicts(before, none)[function]) == {Defect.LEAK}


@needs_mlir_opt
def test_hoisted_allocations_in_one() -> None:
    """In @two_results %t is needed while %b is written: one allocation for both reads what it has written over."""
    after = output("straight", PIPELINES["hoisting, cleaned"])
    _, lines = function_of(after, "two_results")
    names = [match[1] for line in lines if (match := re.search(r"(%\w+) = memref\.alloc\(", line))]
    assert len(names) == 3
    shared = [re.sub(rf"{names[2]}\b", names[1], line) for line in lines if f"{names[2]} = " not in line]
    verdict = verdicts(text_of("straight"), edited(after, "two_results", lines, shared))["two_results"]
    assert defects(verdict) == {Defect.OVERLAP}


@needs_mlir_opt
def test_a_returned_buffer_freed() -> None:
    after = output("straight", DEALLOCATION)
    _, lines = function_of(after, "returned")
    result = re.search(r"return (%\w+)", lines[-1])
    assert result is not None
    freed = [*lines[:-1], f"    memref.dealloc {result[1]} : memref<8xf32>", lines[-1]]
    verdict = verdicts(text_of("straight"), edited(after, "returned", lines, freed))["returned"]
    assert defects(verdict) == {Defect.USE_AFTER_FREE}


# --- the static memory planner (llvm #205125), which released versions do not have: outputs in its shape -----------


def test_planned_arenas_are_safe() -> None:
    for before, after in (("before", "after"), ("typed.before", "typed.after")):
        found = verdicts(text_of(f"planned/{before}"), text_of(f"planned/{after}"))
        for verdict in found.values():
            assert isinstance(verdict, Safe), verdict
            assert any("never freed" in note for note in verdict.proof.notes)


@pytest.mark.parametrize(
    ("old", "new", "function", "expected"),
    [
        ("%c256 = arith.constant 256", "%c256 = arith.constant 192", "chain", {Defect.OVERLAP}),
        ("%c256 = arith.constant 256", "%c256 = arith.constant 320", "chain", {Defect.TOO_SMALL}),
        ("%c0_0 = arith.constant 0", "%c0_0 = arith.constant 128", "chain", {Defect.OVERLAP}),
        ("%c64 = arith.constant 64", "%c64 = arith.constant 32", "sizes", {Defect.OVERLAP, Defect.MISALIGNED}),
        ("memref<320xi8>", "memref<256xi8>", "sizes", {Defect.TOO_SMALL}),
        # What the planner itself prints where the allocations ask for nothing: an i8 arena that is aligned to nothing.
        (
            "alignment = 64 : i64} : memref<512xi8>",
            "alignment = 1 : i64} : memref<512xi8>",
            "chain",
            {Defect.MISALIGNED},
        ),
    ],
)
def test_planned_arenas_edited(old: str, new: str, function: str, expected: set[Defect]) -> None:
    after = text_of("planned/after")
    assert old in after
    found = verdicts(text_of("planned/before"), after.replace(old, new))
    assert defects(found[function]) == expected
