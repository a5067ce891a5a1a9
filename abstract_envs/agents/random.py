"""Uniformly random play."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.game import Game

__all__ = ["RandomAgent", "one_of_each"]


def one_of_each(chosen: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """A uniformly drawn column that is set in each row of ``bool[B, A]``: ``int64[B]``; 0 where none is."""
    return np.where(chosen, rng.random(chosen.shape), -1.0).argmax(1)


class RandomAgent:
    """Draws uniformly from the legal actions."""

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of a batch of states: ``int64[B]``."""
        return game.sample(states, rng)

    def act_one(self, game: Game[Any], state: Any, rng: np.random.Generator) -> int:
        """A legal action for one state, without arrays."""
        return game.sample(state, rng)
