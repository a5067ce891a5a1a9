"""What the tests of the frameworks share: recorded games of every game of the library."""

from __future__ import annotations

from typing import Any

import pytest

from helpers import NAMES, TABLES, by_options, recorded_games


def _playable(record: dict[str, Any]) -> bool:
    """Whether its options are all a user's: the records of some games name a fixed one too."""
    return not set(record["options"]) & set(getattr(TABLES[record["game"]], "UNLISTED", {}))


def _some(of_a_kind: int, kinds: int | None = None) -> list[Any]:
    """So many games of each set of options, and of so many sets."""
    found = []
    for name in NAMES:
        groups = list(by_options([r for r in recorded_games(name) if _playable(r)]).values())[:kinds]
        found += [record for group in groups for record in group[:of_a_kind]]
    return [pytest.param(record, id=f"{record['game']}-{record['seed']}-{i}") for i, record in enumerate(found)]


RECORDS = _some(of_a_kind=2)
FEW_RECORDS = _some(of_a_kind=1, kinds=2)
"""For a framework that takes long over a step."""
