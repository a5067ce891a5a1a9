"""No Python loop over games, proven by counting calls: as many for 4,096 games as for 64."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

from helpers import every_game, mid_game

FUNCTIONS = ("step", "action_mask", "observe", "sample")


def calls(f: Callable[[], Any]) -> Counter[str]:
    """Calls of Python and C functions while ``f`` runs, by name."""
    counted: Counter[str] = Counter()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            counted[frame.f_code.co_qualname if sys.version_info >= (3, 11) else frame.f_code.co_name] += 1
        elif event == "c_call":
            counted[getattr(argument, "__qualname__", str(argument))] += 1

    gc.collect()
    gc.disable()  # somebody may be told of a collection, and be counted
    sys.setprofile(profile)
    try:
        f()
    finally:
        sys.setprofile(None)
        gc.enable()
    return counted


def counts(game: Any, states: Any, actions: Any, function: str) -> Counter[str]:
    rng = np.random.default_rng(0)
    run = {
        "step": lambda: game.step(states, actions),
        "action_mask": lambda: game.action_mask(states),
        "observe": lambda: game.observe(states),
        "sample": lambda: game.sample(states, rng),
    }[function]
    run()  # tables are made at the first use
    return calls(run)


@every_game
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_same_games_many_times(game: Any, function: str) -> None:
    """64 games against these 64 games 64 times over: every branch and every sweep of a flood is the same, so exactly as many."""
    few = mid_game(game, 64)
    many = game.take(few, np.arange(4096) % 64)
    actions = game.sample(few, np.random.default_rng(1))
    a = counts(game, few, actions, function)
    b = counts(game, many, np.tile(actions, 64), function)
    assert a == b
    assert a.total() > 0


@every_game
@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_games(game: Any, function: str) -> None:
    """64 games against 4,096 others. Rare branches, and floods that sweep at most once a cell, may add some."""
    few, many = mid_game(game, 64, seed=1), mid_game(game, 4096, seed=2)
    rng = np.random.default_rng(1)
    a = counts(game, few, game.sample(few, rng), function).total()
    b = counts(game, many, game.sample(many, rng), function).total()
    if function == "step":
        assert b - a <= 30 * len(game.board)
    else:
        assert a == b


def test_a_loop_would_be_seen() -> None:
    def loop(n: int) -> int:
        return sum(abs(k) for k in range(n))

    assert calls(lambda: loop(4096)).total() > calls(lambda: loop(64)).total() + 4000
