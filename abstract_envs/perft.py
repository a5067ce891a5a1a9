"""Counting the sequences of actions from a position: the standard check of move generators.

From the command line:

    python -m abstract_envs perft inphexion 4
"""

from __future__ import annotations

from typing import Any

import numpy as np

from abstract_envs.core.game import Game, check_game

__all__ = ["divide", "perft"]

_CHUNK = 1 << 14
"""States expanded at once; bounds the memory."""


def perft(game: Game[Any], depth: int, state: Any = None) -> int:
    """The number of sequences of exactly ``depth`` actions from a state (None: the start of the game).

    A sequence that ends the game counts only at its own length. Counted with batches of states.
    """
    _check_depth(depth)
    start = _start(game, state)
    return _count(game, game.stack([start]), depth)


def divide(game: Game[Any], depth: int, state: Any = None) -> dict[str, int]:
    """`perft` by the first action: action text -> number of sequences that begin with it. For finding a fault."""
    _check_depth(depth, 1)
    state = _start(game, state)
    return {
        game.action_to_string(state, action): perft(game, depth - 1, game.step(state, action))
        for action in game.legal_actions(state)
    }


def _count(game: Game[Any], states: Any, depth: int) -> int:
    if depth == 0:
        return game.batch_size(states)
    rows, actions = np.nonzero(game.action_mask(states))
    if depth == 1:
        return len(rows)
    total = 0
    for at in range(0, len(rows), _CHUNK):
        chunk = slice(at, at + _CHUNK)
        total += _count(game, game.step(game.take(states, rows[chunk]), actions[chunk]), depth - 1)
    return total


def _start(game: Game[Any], state: Any) -> Any:
    check_game(game)
    return game.replay((), state)[0]


def _check_depth(depth: int, least: int = 0) -> None:
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < least:
        raise ValueError(f"depth is {depth!r}; it is a whole number of at least {least}")
