"""What several test files need: the shared inputs, mlir-opt, what may be missing, the command line and `verify` as
functions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.session import SourceFile, load_text, pairs
from smtalloc.plan import SafetyVerdict
from smtalloc.solvers import cadical, cpsat, kernel

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("SMTALLOC_SHARED", ROOT.parent / "shared"))
EXAMPLES = ROOT / "examples"
MLIR_OPT = next((found for name in ("mlir-opt", "mlir-opt-22", "mlir-opt-19") if (found := shutil.which(name))), None)

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"the shared inputs are not at {SHARED} (SMTALLOC_SHARED names another folder)"
)
needs_mlir_opt = pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed (Debian: mlir-22-tools)")
needs_kernel = pytest.mark.skipif(
    not kernel.AVAILABLE,
    reason="the packing kernel is not compiled (needs a C++20 compiler, Debian: g++, when smtalloc is installed)",
)
needs_sat = pytest.mark.skipif(not cadical.available(), reason="python-sat is not installed (extra: proofs)")
needs_cpsat = pytest.mark.skipif(not cpsat.available(), reason="ortools is not installed (extra: cpsat)")

GENERIC = "--mlir-print-op-generic"
PASSES = ("optimize", "pool", "full", "reordered", "lower")


def inputs() -> list[Path]:
    """Inputs of the golden and real passes (not their outputs)."""
    found = [*SHARED.glob("golden/*/*.mlir"), *SHARED.glob("real/*.mlir")]
    return sorted(path for path in found if path.name.count(".") == 1)


def everything() -> list[Path]:
    """Every golden and real file, inputs and outputs."""
    return sorted([*SHARED.glob("golden/*/*.mlir"), *SHARED.glob("real/*.mlir")])


def outputs(*passes: str) -> list[tuple[Path, Path]]:
    """(input, output of one of the passes) for every golden and real file."""
    pairs = [(path, path.with_suffix(f".{name}.mlir")) for path in inputs() for name in passes]
    return [(before, after) for before, after in pairs if after.exists()]


def name_of(path: object) -> str:
    """Test id of a shared file."""
    return str(path.relative_to(SHARED)) if isinstance(path, Path) else str(path)


def profile_for(path: Path) -> str:
    """The profile of a shared file."""
    return "linalg-device" if path.parent.name == "real" else "hip"


def _mlir_opt(text: str, *options: str) -> subprocess.CompletedProcess[str]:
    assert MLIR_OPT is not None
    command = [MLIR_OPT, "--allow-unregistered-dialect", *options]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False)


def accepted_by_mlir_opt(text: str) -> str:
    """What mlir-opt has against a text; empty if it takes it."""
    return _mlir_opt(text, "--split-input-file", "-o", os.devnull).stderr


def through_mlir_opt(text: str, *options: str) -> str:
    """What mlir-opt prints for a text, which it must take."""
    done = _mlir_opt(text, *options)
    assert done.returncode == 0, done.stderr[:2000] + text[:10_000]
    return done.stdout


def verdicts(before: SourceFile, after: SourceFile) -> list[SafetyVerdict]:
    """What `verify` says of each function."""
    return [judge_pair(pair, {}, minimum=False).verdict for pair in pairs(before, after)]


def verdict_of(before: str, after: str, profile: str = "hip") -> SafetyVerdict:
    """What `verify` says of the one function of two texts."""
    (found,) = verdicts(load_text(before, "b.mlir", profile), load_text(after, "a.mlir", profile))
    return found


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run_lit(folder: Path) -> None:
    """The lit tests of a folder, as one test."""
    command = [sys.executable, "-c", "from lit.main import main; main()", "-v", "--no-progress-bar", str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Passed" in ran.stdout


def smtalloc(*arguments: object, stdin: str | None = None) -> Ran:
    """Run the command line in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "smtalloc.cli", *map(str, arguments)],
        input=stdin,
        text=True,
        capture_output=True,
        check=False,
        timeout=300,
        cwd=ROOT,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
