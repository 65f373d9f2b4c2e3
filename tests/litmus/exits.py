"""`exits N COMMAND...`: runs the command; succeeds iff its exit status is N (lit's `not` takes any failure)."""

from __future__ import annotations

import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
status = subprocess.run(command, check=False).returncode
if status != wanted:
    print(f"exit status {status}, expected {wanted}", file=sys.stderr)
sys.exit(status != wanted)
