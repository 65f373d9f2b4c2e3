"""`exits N smtalloc ARGUMENTS...` (lit.cfg.py): succeeds iff smtalloc's exit status is N. lit's `not` takes any failure."""

from __future__ import annotations

import sys

from smtalloc.cli import main

wanted = int(sys.argv.pop(1))
del sys.argv[0]
try:
    main()
    status: object = 0
except SystemExit as end:
    status = end.code or 0
if status != wanted:
    sys.exit(f"exit status {status}, expected {wanted}")
