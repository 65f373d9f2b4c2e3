"""In CI the property tests draw the same examples each time; elsewhere they go on looking.

What tests record as evidence (`record_property("evidence: WHAT", {count: number})`) is added up and printed at the end.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    totals: dict[str, Counter[str]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            properties = report.user_properties if getattr(report, "when", "") == "call" else ()
            for name, counts in properties:
                if name.startswith("evidence: "):
                    totals.setdefault(name, Counter()).update(counts)
    for name, counts in sorted(totals.items()):
        terminalreporter.write_line(f"{name}: " + ", ".join(f"{word} {n}" for word, n in sorted(counts.items())))


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: Ctrl-C would reach nobody
    signal.signal(signal.SIGINT, signal.default_int_handler)
