"""What the tests of the learner's environments share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs import inphexion_v0

SMALL = inphexion_v0.game(board_size=4)
CAPTURE = "4/4/3b/2w1 w -"
"""On `SMALL`: White's d3-d4 captures the disc it shoves, and White is to act again, to put it elsewhere."""
WINS = "3w/3w/3w/3b w -"
"""White's d4-c4 wins."""
WON = "3w/3w/3w/3w b -"
"""White has won."""


def first_legal(game: Any, states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    """A deterministic opponent."""
    return game.action_mask(states).argmax(1)


def plays(*texts: str) -> Callable[..., NDArray[np.int64]]:
    """An opponent that plays the first of some actions that is legal, else its first legal one."""

    def act(game: Any, states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        wanted = [game.action_index(None, text) for text in texts]
        legal = game.action_mask(states)
        scores = legal.astype(np.int64)
        scores[:, wanted] *= np.arange(len(wanted) + 1, 1, -1)
        return scores.argmax(1)

    return act


def index(text: str) -> int:
    """The action of a text on `SMALL`."""
    return SMALL.action_index(SMALL.init(), text)


def draw(mask: NDArray[np.int8], rng: np.random.Generator) -> Any:
    """Random legal actions from masks ``[N, A]``, or one from a mask ``[A]``; 0 where there is none."""
    return (mask * rng.random(mask.shape)).argmax(-1)
