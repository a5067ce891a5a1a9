"""What uniformly random play makes of a position: the value of leaves in search without a better judge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.game import Game

__all__ = ["rollouts", "rollouts_one"]


def rollouts(game: Game[Any], states: Any, rng: np.random.Generator, count: int, limit: int) -> NDArray[np.float32]:
    """The mean result by player of ``count`` random games from each of a batch of running games: ``float32[B, 2]``.

    A game that is not over after ``limit`` plies counts as `Game.potential` has it: 0 in games that have none.
    """
    size = game.batch_size(states) * count
    if count > 1:
        states = game.take(states, np.arange(size) // count)
    rows, values = np.arange(size), np.zeros((size, 2), np.float32)
    for _ in range(limit):
        states = game.step(states, game.sample(states, rng))
        ended = game.is_terminal(states)
        if ended.any():
            values[rows[ended]] = game.rewards(states)[ended]
            going = np.flatnonzero(~ended)
            if not len(going):
                break
            states, rows = game.take(states, going), rows[going]
    else:
        values[rows] = np.stack([game.potential(states, 0), game.potential(states, 1)], 1)
    return values.reshape(-1, count, 2).mean(1) if count > 1 else values


def rollouts_one(game: Game[Any], start: Any, rng: np.random.Generator, count: int, limit: int) -> tuple[float, float]:
    """The same for one game, without arrays."""
    step, sample = game.advance_one, game.sample
    first = second = 0.0
    for _ in range(count):
        state = start
        for _ in range(limit):
            state = step(state, sample(state, rng))
            if state.outcome:
                result = game.rewards(state)
                break
        else:
            result = game.potential(state, 0), game.potential(state, 1)
        first, second = first + result[0], second + result[1]
    return first / count, second / count
