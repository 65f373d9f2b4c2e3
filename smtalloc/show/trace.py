"""Schedules in the Chrome trace event format, which Perfetto and chrome://tracing open.

One process per counterexample, one thread per engine, one microsecond per action: only the order means something.
Source: Trace Event Format, Google, 2016 ("X" complete events, "M" metadata).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from smtalloc.plan import Counterexample, SafetyVerdict, Unsafe
from smtalloc.program import HOST


def trace_json(verdicts: Sequence[SafetyVerdict]) -> str:
    """All counterexamples that have a schedule; an empty list of events if there is none."""
    shown = [c for v in verdicts if isinstance(v, Unsafe) for c in v.counterexamples if c.schedule]
    events = [event for process, c in enumerate(shown) for event in _events(process, c)]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}, indent=1) + "\n"


def _events(process: int, counterexample: Counterexample) -> Iterator[dict[str, object]]:
    engines = [HOST, *sorted({step.action.engine for step in counterexample.schedule} - {HOST})]
    yield {
        "ph": "M", "pid": process, "name": "process_name",
        "args": {"name": f"{counterexample.defect}: {counterexample.summary}"},
    }  # fmt: skip
    for thread, engine in enumerate(engines):
        yield {"ph": "M", "pid": process, "tid": thread, "name": "thread_name", "args": {"name": engine}}
    for time, step in enumerate(counterexample.schedule):
        yield {
            "ph": "X",
            "pid": process,
            "tid": engines.index(step.action.engine),
            "ts": time,
            "dur": 1,
            "name": f"{step.action.op} {step.mark}".strip(),
            "args": {"what": step.text, "location": str(step.action.location)},
        }
