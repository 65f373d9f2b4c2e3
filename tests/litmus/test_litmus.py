"""Runs the litmus programs of this folder (lit) as one pytest test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_lit() -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "from lit.main import main; main()",
            "-v",
            "--no-progress-bar",
            str(Path(__file__).parent),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Passed" in ran.stdout
