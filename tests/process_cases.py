"""Waiting for processes, for the tests that start some."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

LIMIT = 60  # seconds, for what takes one or two


def gone(pid: int) -> bool:
    """Whether a process has ended (a zombie that nobody has waited for has)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        if sys.platform == "linux":
            return True
        return not subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).stdout.count(b"\n") > 1
    return state in "ZX"


def wait_until(done: Any) -> None:
    end = time.monotonic() + LIMIT
    while not done():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)
