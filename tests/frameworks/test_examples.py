"""The examples of the frameworks, run as users run them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import NAMES

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def run(script: str, *args: str, code: int = 0) -> str:
    """What it prints, or with another exit code than 0 its error."""
    command = [sys.executable, str(EXAMPLES / script), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=560, check=False, cwd=EXAMPLES.parent)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def test_openspiel_search_beats_random_play() -> None:
    out = run("openspiel_mcts.py", "--game", "inphexion(board_size=4)", "--simulations", "20", "--games", "4")
    assert len(re.findall(r"^game \d: search as player_[01] [+-][01] after \d+ moves: ", out, re.MULTILINE)) == 4
    assert float(out.rpartition("search: ")[2]) > 0


def test_openspiel_search_after_a_deal() -> None:
    """Its search plays XAHZO, whose deal is chance nodes."""
    out = run("openspiel_mcts.py", "--game", "xahzo_v0(board_size=5,max_plies=16)", "--simulations", "2", "--games", "2")
    assert re.search(r"after 34 moves: \S+ w -/- 2\n", out)


@pytest.mark.parametrize("name", NAMES)
def test_torchrl_rollout(name: str) -> None:
    out = run("rollout_torchrl.py", "--game", name, "--steps", "20")
    assert re.match(r"20 steps, \d+ games ended; sum of rewards player_0 [+-]\d+, player_1 [+-]\d+\n", out)
    assert out.endswith("all actions legal: True\n")


def test_tianshou_training() -> None:
    before, after = map(float, re.findall(r"([+-]\d\.\d\d) (?:before|after)", run("train_tianshou.py")))
    assert -0.5 < before < 0.5 < after <= 1


@pytest.mark.parametrize(
    ("script", "args", "error"),
    [
        ("openspiel_mcts.py", ["--game", "chess"], "game is 'chess'; it is one of 'inphexion_v0', "),
        ("openspiel_mcts.py", ["--game", "inphexion_v0(board_size=50)"], "board_size is 50; it is a whole number from 3 to 8"),
        ("openspiel_mcts.py", ["--game", "inphexion_v0(size=5)"], "Unknown parameter 'size'"),
        ("openspiel_mcts.py", ["--simulations", "0"], "simulations is 0; it is a whole number of at least 1"),
        ("openspiel_mcts.py", ["--seed", "-1"], "seed is -1; it is a whole number from 0 to 4294967295"),
        ("rollout_torchrl.py", ["--game", "chess"], "invalid choice: 'chess' (choose from "),
        ("rollout_torchrl.py", ["--steps", "0"], "steps is 0; it is a whole number of at least 1"),
        ("rollout_torchrl.py", ["--seed", "-1"], "seed is -1; it is a whole number from 0 to 4294967295"),
        ("train_tianshou.py", ["--game", "chess"], "invalid choice: 'chess' (choose from "),
        ("train_tianshou.py", ["--games", "0"], "games is 0; it is a whole number of at least 1"),
        ("train_tianshou.py", ["--seed", "-1"], "seed is -1; it is a whole number from 0 to 4294967295"),
    ],
)
def test_bad_arguments(script: str, args: list[str], error: str) -> None:
    assert error in run(script, *args, code=2)
