"""All that may come next: every legal move of a batch of states, so many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.game import Game

__all__ = ["Expanded", "expand", "winning_moves", "winning_moves_one"]

CHUNK = 1 << 14
"""States made at once, unless a single state has more moves: as many as the processor's cache likes."""


class Expanded(NamedTuple):
    """K legal moves of some states."""

    rows: NDArray[np.int64]
    """``[K]``: which state each is a move of."""
    actions: NDArray[np.int64]
    """``[K]``"""
    after: Any
    """The batch of states that they lead to."""
    gains: NDArray[np.float32]
    """``[K]``: the reward of the player who moves, 0 where the game goes on."""


def expand(game: Game[Any], states: Any, chunk: int = CHUNK) -> Iterator[Expanded]:
    """Every legal move of a batch of states, in order of states and actions; all moves of a state are in one piece."""
    mask = game.action_mask(states)
    ends = mask.sum(1, np.int64).cumsum()
    players = game.current_player(states)
    first = 0
    while first < len(ends):
        done = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, done + chunk, "right")), first + 1)
        rows, actions = np.nonzero(mask[first:last])
        rows += first
        after = game.step(game.take(states, rows), actions)
        yield Expanded(rows, actions, after, game.rewards(after)[np.arange(len(rows)), players[rows]])
        first = last


def winning_moves(game: Game[Any], states: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The moves of a batch of states that win at once: (which state, which action)."""
    found = [(moves.rows[wins], moves.actions[wins]) for moves in expand(game, states) for wins in [moves.gains > 0]]
    rows, actions = zip(*found, strict=True) if found else ([_NONE], [_NONE])
    return np.concatenate(rows), np.concatenate(actions)


def winning_moves_one(game: Game[Any], state: Any) -> Iterator[int]:
    """The moves of one state that win at once, ascending, without arrays."""
    player, step, rewards = state.player, game.advance_one, game.rewards
    return (action for action in game.legal_actions(state) if rewards(step(state, action))[player] > 0)


_NONE = np.zeros(0, np.int64)
