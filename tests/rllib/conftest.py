"""The examples, and what the tests of the other frameworks share, can be imported."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path += [str(TESTS / "frameworks"), str(TESTS.parent / "examples")]
