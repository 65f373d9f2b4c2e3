"""lit configuration: `lit tests/litmus`, or through pytest (test_litmus.py).

`exits N smtalloc ...` asks for exit status N. `%inputs` is Inputs/ here, `%profiles` the folder of made-up machines.
"""

import sys
from pathlib import Path

here = Path(__file__).parent
sys.path.insert(0, str(here))
from warm import WarmShTest  # noqa: E402

config.name = "litmus"  # noqa: F821 - lit defines config
config.test_format = WarmShTest(False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["Inputs"]  # noqa: F821
config.test_source_root = str(here)  # noqa: F821

python = sys.executable
config.substitutions += [  # noqa: F821
    (r"(?<![\w./-])exits(?![\w./-])", f"{python} {here / 'exits.py'}"),
    (r"(?<![\w./-])filecheck(?![\w./-])", f"{python} -m filecheck"),
    ("%inputs", str(here / "Inputs")),
    ("%profiles", str(here / "profiles")),
]
