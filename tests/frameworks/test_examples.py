"""The examples of the frameworks, run as users run them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import NAMES

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def run(script: str, *args: str) -> str:
    command = [sys.executable, str(EXAMPLES / script), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, cwd=EXAMPLES.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_openspiel_search_beats_random_play() -> None:
    out = run("openspiel_mcts.py", "--game", "inphexion_v0(board_size=4)", "--simulations", "20", "--games", "4")
    assert len(re.findall(r"^game \d: search as player_[01] [+-][01] after \d+ moves: ", out, re.MULTILINE)) == 4
    assert float(out.rpartition("search: ")[2]) > 0


def test_openspiel_search_after_a_deal() -> None:
    """Its search plays XAHZO, whose deal is chance nodes."""
    out = run("openspiel_mcts.py", "--game", "xahzo_v0(board_size=5,max_plies=16)", "--simulations", "2", "--games", "2")
    assert re.search(r"after 34 moves: \S+ w -/- 2\n", out)


@pytest.mark.parametrize("name", NAMES)
def test_torchrl_rollout(name: str) -> None:
    out = run("rollout_torchrl.py", "--game", f"{name}_v0", "--steps", "20")
    assert re.match(r"20 steps, \d+ games ended; sum of rewards player_0 [+-]\d+, player_1 [+-]\d+\n", out)
    assert out.endswith("all actions legal: True\n")


def test_tianshou_training() -> None:
    before, after = map(float, re.findall(r"([+-]\d\.\d\d) (?:before|after)", run("train_tianshou.py")))
    assert -0.5 < before < 0.5 < after <= 1
