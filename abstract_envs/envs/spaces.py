"""Gymnasium spaces of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from abstract_envs.core.game import Game

__all__ = ["action_space", "observation_space"]


def action_space(game: Game[Any]) -> spaces.Discrete:
    """``Discrete(A)``."""
    return spaces.Discrete(game.num_actions)


def observation_space(game: Game[Any]) -> spaces.Box:
    """``Box`` of int8 ``[P, R, C]``: from 0 to 1, or to the largest count a plane can show."""
    high = np.broadcast_to(np.array(game.plane_bounds, np.int8)[:, None, None], game.observation_shape)
    return spaces.Box(np.zeros(game.observation_shape, np.int8), high.copy(), dtype=np.int8)
