"""lit configuration: `lit tests/filecheck`, or through pytest (test_filecheck.py)."""

import shutil
import sys
from pathlib import Path

import lit.formats

config.name = "smtalloc"  # noqa: F821 - lit defines config
config.test_format = lit.formats.ShTest(False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["Inputs"]  # noqa: F821
config.test_source_root = str(Path(__file__).parent)  # noqa: F821

python = sys.executable
config.substitutions += [  # noqa: F821
    (r"(?<![\w./-])smtalloc(?![\w./-])", f"{python} -m smtalloc.cli"),
    (r"(?<![\w./-])filecheck(?![\w./-])", f"{python} -m filecheck"),
]
for name in ("mlir-opt", "mlir-opt-22", "mlir-opt-19"):
    if shutil.which(name):
        config.available_features.add("mlir-opt")  # noqa: F821
        config.substitutions.append((r"(?<![\w./-])mlir-opt(?![\w./-])", name))  # noqa: F821
        break
