"""What the tests of RLlib share."""

from __future__ import annotations

import re

import pytest

OF_RAY = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]
"""Of what ray itself calls, or leaves open when it ends."""

LINE = re.compile(
    r"iteration (\d+): ([\d,]+) steps, [\d,]+ a second, [\d,]+ games; score against the league .*, snapshots taken (\d+); "
    r"env runners (\d+) of (\d+), restarts (\d+)"
)
"""A line of results of examples/train_rllib.py: iteration, steps, snapshots, env runners there and wanted, restarts."""
