"""Measurements in a process of their own, since what was imported, compiled or held before would count."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["in_fresh_process"]


def in_fresh_process(script: str, *arguments: object, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What a script prints, as JSON, when it is run with ``--in-this-process`` and the arguments.

    environment: variables besides those of this process.
    """
    command = [sys.executable, os.path.abspath(script), "--in-this-process", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env={**os.environ, **(environment or {})})
    return json.loads(done.stdout)
