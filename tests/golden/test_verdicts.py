"""`verify` on the outputs of the real passes: the right verdict for each probe; z3 and the graph agree on all."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import PASSES, SHARED, name_of, needs_shared, outputs, profile_for

from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.session import load, pairs
from smtalloc.placement import Correspondence
from smtalloc.plan import Defect, SafetyVerdict, Unsafe
from smtalloc.schedule_smt import smt_findings
from smtalloc.solvers.z3 import Z3
from smtalloc.validate import findings

pytestmark = needs_shared
PROBES = SHARED / "golden" / "probes"


def verdicts(before: Path, after: Path, profile: str | None = None) -> dict[str, SafetyVerdict]:
    source = load(str(before), profile)
    return {
        p.name: judge_pair(p, {}, minimum=False).verdict
        for p in pairs(source, load(str(after), source.profile.name if profile is None else profile))
    }


def word(verdict: SafetyVerdict) -> str:
    """The kind of verdict, with the defects of an unsafe one."""
    if isinstance(verdict, Unsafe):
        return "unsafe: " + ", ".join(sorted({str(c.defect) for c in verdict.counterexamples}))
    return type(verdict).__name__.lower()


# The right verdict for every output, by hand (reference/hip.md says what each pass does and which op runs where).
EXPECTED = {
    # %t asks for 256: slot reuse gives it the slot of 16 that opened first; the pool starts at 256 and steps by it.
    "alignment.optimize": {"f": "unsafe: misaligned"},
    "alignment.pool": {"f": "safe"},
    "alignment.full": {"f": "safe"},
    # %s is freed, then %t takes its slot; only %t's own dealloc went away. In the pool nobody frees anything.
    "early_dealloc.optimize": {"f": "unsafe: use-after-free"},
    "early_dealloc.lower": {"f": "unsafe: use-after-free"},
    "early_dealloc.pool": {"f": "safe"},
    "early_dealloc.full": {"f": "safe"},
    # fa: as alignment. fb: both sizes are the same dimension. Pools of 256 times it bytes hold each at their start.
    "dynamic_sizes.optimize": {"fa_dyn_align": "unsafe: misaligned", "fb_dyn_equiv": "safe"},
    "dynamic_sizes.pool": {"fa_dyn_align": "safe", "fb_dyn_equiv": "safe"},
    "dynamic_sizes.full": {"fa_dyn_align": "safe", "fb_dyn_equiv": "safe"},
    # A float is no candidate for host scratch: the host stores into the pool, over a buffer that is still queued.
    "float_scalar_in_pool.pool": {"ff_": "unsafe: racy, space-violation"},
    # The store of %total against the queued read of %sum; in the pool the host cannot address it either. Taken to host
    # scratch first, each scalar has bytes of its own.
    "gqa_preamble.optimize": {"f": "unsafe: racy"},
    "gqa_preamble.full": {"f": "unsafe: racy"},
    "gqa_preamble.pool": {"f": "unsafe: racy, space-violation"},
    "gqa_preamble.reordered": {"f": "safe"},
    # All on one queue, in order, and in the pool not even in common bytes.
    "hoisted_allocs.optimize": {"f": "safe"},
    "hoisted_allocs.pool": {"f": "safe"},
    "hoisted_allocs.full": {"f": "safe"},
    # f: one host-scratch slot for every iteration, so the next store meets the queued read; what is allocated in the
    # loop (optimize, pool) is left alone. fb_: two host-written scalars in one slot, unless each got scratch first.
    "host_scalars_in_sequence_and_loop.optimize": {"f": "safe", "fb_": "unsafe: racy"},
    "host_scalars_in_sequence_and_loop.pool": {"f": "safe", "fb_": "unsafe: racy, space-violation"},
    "host_scalars_in_sequence_and_loop.full": {"f": "unsafe: racy", "fb_": "unsafe: racy"},
    "host_scalars_in_sequence_and_loop.reordered": {"f": "unsafe: racy", "fb_": "safe"},
    # Device ops only, one queue: what shares is used one after the other, whole loops included.
    "loops.optimize": {"fa_": "safe", "fb_": "safe", "fc_": "safe"},
    "loops.pool": {"fa_": "safe", "fb_": "safe", "fc_": "safe"},
    "loops.full": {"fa_": "safe", "fb_": "safe", "fc_": "safe"},
    # The slot's dealloc frees what is returned, but for the direct return of one type. With pools the caller gets a
    # piece of the pool, which the next function takes again: how long the caller needs it is not known.
    "returned_alias.optimize": {
        "fa_cast_dealloc_late": "unsafe: use-after-free",
        "fb_direct_ret_reshaped": "unsafe: use-after-free",
        "fc_direct_ret_same": "safe",
    },
    "returned_alias.lower": {
        "fa_cast_dealloc_late": "unsafe: use-after-free",
        "fb_direct_ret_reshaped": "unsafe: use-after-free",
        "fc_direct_ret_same": "safe",
    },
    "returned_alias.pool": dict.fromkeys(
        ("fa_cast_dealloc_late", "fb_direct_ret_reshaped", "fc_direct_ret_same"), "unknown"
    ),
    "returned_alias.full": dict.fromkeys(
        ("fa_cast_dealloc_late", "fb_direct_ret_reshaped", "fc_direct_ret_same"), "unknown"
    ),
    # Spaces differ: nothing shares; an alloca is no candidate.
    "spaces.optimize": {"fa_space": "safe", "fa_alloca": "safe"},
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_probe(name: str) -> None:
    found = verdicts(PROBES / f"{name.partition('.')[0]}.mlir", PROBES / f"{name}.mlir", "hip")
    assert {function: word(verdict) for function, verdict in found.items()} == EXPECTED[name]


def test_every_output_is_judged() -> None:
    assert set(EXPECTED) == {path.name.removesuffix(".mlir") for path in PROBES.glob("*.*.mlir")}


def test_preamble_reads_4095_instead_of_1536() -> None:
    """The report that started it all, with its numbers; the other schedule writes the sum into the length."""
    source, after = (
        load(str(PROBES / "gqa_preamble.mlir"), None),
        load(str(PROBES / "gqa_preamble.optimize.mlir"), "hip"),
    )
    values = {"%mask": (193, *(192,) * 7), "%one": (1,), "%n": (4096,)}
    verdict = judge_pair(pairs(source, after)[0], values, minimum=False).verdict
    assert isinstance(verdict, Unsafe)
    ahead, late = verdict.counterexamples
    assert (ahead.defect, ahead.expected, ahead.actual) == (Defect.RACE, "%seqlens = 1,536", "%seqlens = 4,095")
    assert (late.defect, late.expected, late.actual) == (Defect.RACE, "%totlen = 4,096", "%totlen = 1,537")
    engines = [step.action.engine for step in ahead.schedule]
    assert engines == ["stream", "host", "stream"], "the store lands between two queued ops"


@pytest.mark.parametrize(
    ("before", "after"),
    [pair for pair in outputs(*PASSES) if pair[0].parent.name != "real"],  # those have thousands of actions
    ids=name_of,
)
def test_solver_and_graph_agree(before: Path, after: Path) -> None:
    source = load(str(before), "hip")
    for pair in pairs(source, load(str(after), "hip")):
        assert isinstance(pair.found, Correspondence), pair.found
        assert set(findings(pair.found).clashes) == set(smt_findings(pair.found, Z3()).clashes)


@pytest.mark.parametrize(("before", "after"), outputs("optimize", "full"), ids=name_of)
def test_no_false_race(before: Path, after: Path) -> None:
    """Without a host access of a shared buffer, one queue cannot race: what is unsafe is so for other reasons."""
    profile = profile_for(before)
    if before.parent.name == "probes":
        return
    for verdict in verdicts(before, after, profile).values():
        assert "racy" not in word(verdict)
        assert "overlap" not in word(verdict)
