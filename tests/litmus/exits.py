"""`exits N smtalloc ARGUMENTS...` (lit.cfg.py): asks for exit status N, where lit's `not` takes any failure."""

from __future__ import annotations

import sys

from smtalloc.cli import main


def status_of(arguments: list[str]) -> object:
    """Exit status of the command line `arguments`, run in this process."""
    before, sys.argv = sys.argv, arguments
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    finally:
        sys.argv = before
    return 0


if __name__ == "__main__":
    status = status_of(sys.argv[2:])
    if status != int(sys.argv[1]):
        sys.exit(f"exit status {status}, expected {sys.argv[1]}")
