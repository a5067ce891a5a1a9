"""The pages that need torch: their blocks are run as those of the other pages are."""

from __future__ import annotations

from pathlib import Path

import pytest

from test_readme import NEEDS_TRAIN, run_blocks


@pytest.mark.parametrize("page", NEEDS_TRAIN, ids=lambda page: page.name)
def test_blocks(page: Path) -> None:
    run_blocks(page)
