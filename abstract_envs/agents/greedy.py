"""One ply ahead, and the opponent's reply."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.expand import expand, winning_moves, winning_moves_one
from abstract_envs.core.game import Game

__all__ = ["GreedyAgent"]


class GreedyAgent:
    """Takes a win; else plays a move that neither loses at once nor lets the opponent win with the next action.

    Among equals it draws uniformly. If no move is safe it prefers one that the opponent still has to answer to one that loses at
    once. A move after which the same player is to act again is safe: the opponent cannot answer yet.

    0 where the game has ended.
    """

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of a batch of states: ``int64[B]``."""
        gains = np.full((game.batch_size(states), game.num_actions), -2, np.int8)  # -2 where it is illegal
        for moves in expand(game, states):
            gains[moves.rows, moves.actions] = moves.gains
        best = gains.max(1, keepdims=True)
        keys = np.where(gains == best, rng.random(gains.shape), -1.0)
        chosen = keys.argmax(1)
        # Looking at the replies to one move after another, in random order, until one is safe, draws uniformly from the safe
        # ones. Nearly always the first is: all replies to all moves would be hundreds of times as many.
        unsure = np.flatnonzero(best[:, 0] == 0)
        first = chosen.copy()
        while len(unsure):
            unsafe = unsure[_lets_win(game, game.take(states, unsure), chosen[unsure])]
            keys[unsafe, chosen[unsafe]] = -1.0
            chosen[unsafe] = keys[unsafe].argmax(1)
            none_left = keys[unsafe, chosen[unsafe]] < 0
            chosen[unsafe[none_left]] = first[unsafe[none_left]]
            unsure = unsafe[~none_left]
        chosen[best[:, 0] < -1] = 0
        return chosen

    def act_one(self, game: Game[Any], state: Any, rng: np.random.Generator) -> int:
        """A legal action for one state, without arrays."""
        player = state.player
        legal = game.legal_actions(state)
        if not legal:
            return 0
        after = {action: game.advance_one(state, action) for action in legal}
        gains = {action: game.rewards(after[action])[player] for action in legal}
        best = max(gains.values())
        moves = [legal[i] for i in rng.permutation(len(legal)).tolist() if gains[legal[i]] == best]
        if best == 0:
            for action in moves:
                if not _lets_win_one(game, after[action], player):
                    return action
        return moves[0]


def _lets_win(game: Game[Any], states: Any, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the opponent, if it is to act after an action, has one that wins: ``bool[B]``."""
    players = game.current_player(states)
    after = game.step(states, actions)
    answering = np.flatnonzero(game.current_player(after) != players)
    lets = np.zeros(len(actions), bool)
    lets[answering[winning_moves(game, game.take(after, answering))[0]]] = True
    return lets


def _lets_win_one(game: Game[Any], after: Any, player: int) -> bool:
    """Whether the opponent of a player is to act and has an action that wins."""
    return after.player != player and any(True for _ in winning_moves_one(game, after))
