"""A lit format that saves the start of two Python processes per RUN line: ten seconds instead of a minute.

A RUN line `exits N smtalloc ... | filecheck ...` is first run in lit's own worker process. If that passes, the test
has passed; for anything else (a failure, another kind of line) lit runs the test as it always does, and reports.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import lit.formats
import lit.Test
import lit.TestRunner
from exits import status_of
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

import smtalloc.commands.races
import smtalloc.commands.verify
import smtalloc.show.verdicts  # noqa: F401 - imported once, before lit forks its workers

_LINE = re.compile(r"(?:%dbg\(.*?\)\s*)?\S+ \S*exits\.py (\d) (.*) \| \S+ -m (filecheck .*)")


class WarmShTest(lit.formats.ShTest):
    """ShTest with a short cut for tests that pass."""

    def execute(self, test: Any, litConfig: Any) -> Any:  # noqa: N803 - lit's name
        if not litConfig.noExecute and _passes(test):
            return lit.Test.Result(lit.Test.PASS)
        return super().execute(test, litConfig)


def _passes(test: Any) -> bool:
    script = lit.TestRunner.parseIntegratedTestScript(test)
    if not isinstance(script, list):
        return False
    substitutions = lit.TestRunner.getDefaultSubstitutions(test, *lit.TestRunner.getTempPaths(test))
    return all(_line_passes(line) for line in lit.TestRunner.applySubstitutions(script, substitutions))


def _line_passes(line: str) -> bool:
    parts = _LINE.fullmatch(line)
    if parts is None:
        return False
    said = io.StringIO()
    stdin = sys.stdin
    try:
        with redirect_stdout(said), redirect_stderr(io.StringIO()):
            if status_of(shlex.split(parts[2])) != int(parts[1]):
                return False
            sys.stdin = io.StringIO(said.getvalue())
            return Matcher.from_opts(parse_argv_options(shlex.split(parts[3]))).run() == 0
    except Exception:  # the real run will show what it is
        return False
    finally:
        sys.stdin = stdin
