"""docs/frameworks.md: its blocks are run as those of the other pages are, and its versions are those that are tested."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from test_readme import NEEDS_FRAMEWORKS, ROOT, check_command, run_blocks


@pytest.mark.parametrize("page", NEEDS_FRAMEWORKS, ids=lambda page: page.name)
def test_blocks(page: object) -> None:
    run_blocks(page)


def test_versions_of_the_table() -> None:
    """What the table says is pinned, and what is tested here is installed here."""
    page = (ROOT / "docs" / "frameworks.md").read_text()
    pins = "".join((ROOT / f"constraints{which}.txt").read_text() for which in ("", "-frameworks", "-rllib"))
    rows = re.findall(r"^\| [A-Z][\w-]+ \| ([^|]+) \|", page, re.MULTILINE)
    packages = dict(package.split() for row in rows for package in row.strip().split(", "))
    here = {"open_spiel", "torchrl", "tensordict", "tianshou"}
    assert here | {"ray", "stable_baselines3", "sb3_contrib"} == set(packages)
    for name, number in packages.items():
        assert f"\n{name.replace('_', '-')}=={number}\n" in pins.replace("_", "-")
        if name in here:
            assert version(name) == number


def test_examples_and_proofs_of_the_table() -> None:
    """The files are there, and so are the make targets, whose tests are selected by what stands in the names of tests."""
    rows = [line for line in (ROOT / "docs" / "frameworks.md").read_text().splitlines() if "| `make " in line]
    assert len(rows) == 5
    for row in rows:
        example, proof = re.fullmatch(r".*\| `(examples/\w+\.py)` \| `(make [^`]+)` \|", row).groups()
        assert (ROOT / example).is_file(), example
        check_command(proof, "frameworks.md")
        if chosen := re.search(r"make test-frameworks .*-k (\w+)", proof):
            assert list((ROOT / "tests" / "frameworks").glob(f"test_{chosen[1]}.py")), proof
