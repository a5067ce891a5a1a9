"""docs/frameworks.md: its blocks are run as those of the other pages are, and its versions are those that are tested."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from test_readme import NEEDS_FRAMEWORKS, ROOT, run_blocks


@pytest.mark.parametrize("page", NEEDS_FRAMEWORKS, ids=lambda page: page.name)
def test_blocks(page: object) -> None:
    run_blocks(page)


def test_versions_of_the_table() -> None:
    """What the table says is installed here, and pinned."""
    page = (ROOT / "docs" / "frameworks.md").read_text()
    pins = (ROOT / "constraints-frameworks.txt").read_text() + (ROOT / "constraints.txt").read_text()
    rows = re.findall(r"^\| [A-Z][\w-]+ \| ([^|]+) \|", page, re.MULTILINE)
    packages = dict(package.split() for row in rows for package in row.strip().split(", "))
    assert {"open_spiel", "torchrl", "tensordict", "tianshou"} <= set(packages)
    for name, number in packages.items():
        assert f"\n{name.replace('_', '-')}=={number}\n" in pins.replace("_", "-")
        if "baselines" not in name and "sb3" not in name:
            assert version(name) == number
    for path in re.findall(r"`((?:tests|examples)/[\w/]+\.py)`", page):
        assert (ROOT / path).is_file(), path
