"""What several test files need: the shared inputs, mlir-opt, the command line as a function."""

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

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("SMTALLOC_SHARED", ROOT.parent / "shared"))
EXAMPLES = ROOT / "examples"
MLIR_OPT = next((found for name in ("mlir-opt", "mlir-opt-22", "mlir-opt-19") if (found := shutil.which(name))), None)

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"no shared inputs at {SHARED}")
needs_mlir_opt = pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")

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


def accepted_by_mlir_opt(text: str) -> str:
    """What mlir-opt has against a text; empty if it takes it."""
    assert MLIR_OPT is not None
    command = [MLIR_OPT, "--allow-unregistered-dialect", "--split-input-file", "-o", os.devnull]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).stderr


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
