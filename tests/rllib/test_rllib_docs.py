"""docs/rllib.md: its blocks are run as those of the other pages are, and its version is the one that is tested."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import pytest

from test_readme import NEEDS_RLLIB, ROOT, run_blocks


@pytest.mark.parametrize("page", NEEDS_RLLIB, ids=lambda page: page.name)
def test_blocks(page: Path) -> None:
    run_blocks(page)


def test_versions() -> None:
    """Those of the table of frameworks, and those that the page names, are installed here."""
    assert f"| RLlib | ray {version('ray')} |" in (ROOT / "docs" / "frameworks.md").read_text()
    named = re.findall(r"gymnasium (\d+\.\d+\.\d+)", (ROOT / "docs" / "rllib.md").read_text())
    assert named
    assert set(named) == {version("gymnasium")}
