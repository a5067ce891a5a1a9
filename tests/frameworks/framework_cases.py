"""What the tests of the frameworks share: recorded games, a few of each set of options."""

from __future__ import annotations

import pytest

from helpers import NAMES, by_options, recorded_games

RECORDS = [
    pytest.param(record, id=f"{name}-{record['seed']}-{i}")
    for name in NAMES
    for i, record in enumerate(record for group in by_options(recorded_games(name)).values() for record in group[:2])
]
"""Two games of each set of options."""
