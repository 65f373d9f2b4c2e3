"""lit configuration: `lit tests/litmus`, or through pytest (test_litmus.py).

`exits N COMMAND` runs the command and asks for exit status N; `%profiles` is the folder of made-up machines.
"""

import sys
from pathlib import Path

import lit.formats

here = Path(__file__).parent
config.name = "litmus"  # noqa: F821 - lit defines config
config.test_format = lit.formats.ShTest(False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["Inputs", "open", "profiles"]  # noqa: F821
config.test_source_root = str(here)  # noqa: F821

python = sys.executable
config.substitutions += [  # noqa: F821
    ("%profiles", str(here / "profiles")),
    (r"\bexits\b", f"{python} {here / 'exits.py'}"),
    (r"\bsmtalloc\b", f"{python} -m smtalloc.cli"),
    (r"\bfilecheck\b", f"{python} -m filecheck"),
]
