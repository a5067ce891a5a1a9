"""Examples whose extra is not installed end with one line that says which it is, and how to install it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from test_walls import NOT_LOADED

EXAMPLES = Path(__file__).parent.parent / "examples"
NEEDS = {
    path.name: found[1]
    for path in sorted(EXAMPLES.glob("*.py"))
    if (found := re.search(r"^Needs the extra `(\w+)`", path.read_text(encoding="utf-8"), re.MULTILINE))
}
HIDDEN = f"import sys, runpy; sys.modules.update(dict.fromkeys({NOT_LOADED!r})); runpy.run_path(sys.argv[1], run_name='__main__')"


@pytest.mark.parametrize(("name", "extra"), NEEDS.items())
def test_missing_extra(name: str, extra: str) -> None:
    command = [sys.executable, "-W", "error", "-c", HIDDEN, str(EXAMPLES / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f'this example needs the extra `{extra}`: pip install ".[{extra}]" in a clone (')


def test_examples() -> None:
    assert {*NEEDS.values()} == {"openspiel", "rllib", "tianshou", "torchrl", "train"}
