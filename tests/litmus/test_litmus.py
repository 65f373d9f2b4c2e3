"""Runs the litmus programs of this folder (lit) as one pytest test."""

from __future__ import annotations

from pathlib import Path

from support import run_lit


def test_lit() -> None:
    run_lit(Path(__file__).parent)
