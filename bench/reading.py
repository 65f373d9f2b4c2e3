"""How long reading takes, against stock xDSL on the same file: `python bench/reading.py [FILE...]`.

Stock xDSL cannot read memref.global and other custom syntax, nor hip. Where it fails on a file, both read the generic
form that mlir-opt prints of it, and our time on the custom form stands beside. Ours includes what stock leaves out:
verification, symbols, dominance.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from smtalloc.mlir.reader import read_modules

SHARED = Path(os.environ.get("SMTALLOC_SHARED", Path(__file__).parents[1] / ".." / "shared"))
DEFAULT = ["transformer2", "transformer12", "resnet50", "squeezenet", "densenet121", "ocr_rec", "filetype"]


def read_with_stock(text: str) -> None:
    """xDSL with all its dialects, unknown ops and attributes allowed."""
    from xdsl.context import Context
    from xdsl.dialects import get_all_dialects
    from xdsl.parser import Parser

    context = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    Parser(context, text).parse_module()


def cpu_seconds(read: Callable[[], object], runs: int) -> float:
    """Median CPU time, the first run (imports, caches) left out."""
    read()
    times: list[float] = []
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        read()
        times.append(time.process_time() - start)
    return statistics.median(times)


def generic_form(text: str) -> str | None:
    """The text in generic form, if mlir-opt is installed and reads it."""
    tool = next((found for name in ("mlir-opt", "mlir-opt-22", "mlir-opt-19") if (found := shutil.which(name))), None)
    if tool is None:
        return None
    options = ["--allow-unregistered-dialect", "--mlir-print-op-generic"]
    done = subprocess.run([tool, *options], input=text, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def stock_reads(text: str) -> bool:
    """Can stock xDSL read this at all?"""
    try:
        read_with_stock(text)
    except Exception:  # whatever it raises, it did not read it
        return False
    return True


def row(path: Path, runs: int) -> list[str]:
    """One line of the table."""
    text = path.read_text()
    ours = cpu_seconds(lambda: read_modules(text, str(path)), runs)
    common = text if stock_reads(text) else generic_form(text)
    if common is None:
        return [path.name, "-", "-", "-", f"{ours:.3f}", "-"]
    form = "as it is" if common is text else "generic"
    stock = cpu_seconds(lambda: read_with_stock(common), runs)
    same = cpu_seconds(lambda: read_modules(common, str(path)), runs)
    return [path.name, form, f"{stock:.3f}", f"{same:.3f}", f"{ours:.3f}", f"{same / stock:.2f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    files = options.files or [SHARED / "real" / f"{name}.mlir" for name in DEFAULT]
    print(f"CPU seconds, median of {options.runs}; xdsl {version('xdsl')}, Python {platform.python_version()},")
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, {platform.system()} {platform.release()}")
    head = ["file", "form read by both", "stock", "ours", "ours on the file", "ratio"]
    rows = [head, *(row(path, options.runs) for path in files)]
    widths = [max(len(line[column]) for line in rows) for column in range(len(head))]
    for line in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
