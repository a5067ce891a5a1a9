"""How much of a game's value an agent's moves give away."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.agent import AgentLike, resolve
from abstract_envs.agents.perfect import judge_moves
from abstract_envs.agents.tables import Table
from abstract_envs.core.actions import check_actions
from abstract_envs.core.game import Game, check_game

__all__ = ["keeps_value", "mean_regret"]


def mean_regret(game: Game[Any], agent: AgentLike, states: Any, rng: np.random.Generator, table: Table | None = None) -> float:
    """The mean regret of the moves that an agent chooses in a batch of states (`perfect.states_with_regret` draws some).

    ValueError for a game that is not solved, for an empty batch, and for an illegal move.
    """
    return float(_regrets(game, agent, states, rng, table).mean())


def keeps_value(game: Game[Any], agent: AgentLike, states: Any, rng: np.random.Generator, table: Table | None = None) -> float:
    """The share of the moves that an agent chooses in a batch of states which have no regret. Errors as of `mean_regret`."""
    return float((_regrets(game, agent, states, rng, table) == 0).mean())


def _regrets(game: Game[Any], agent: AgentLike, states: Any, rng: np.random.Generator, table: Table | None) -> NDArray[np.int8]:
    """The regret of the move chosen in each state: ``int8[B]``."""
    check_game(game)
    if not game.batch_size(states):
        raise ValueError("states is empty; a mean needs at least one")
    moves = judge_moves(game, states, table)
    actions = check_actions(resolve(agent, game).act(game, states, rng), game.batch_size(states))
    legal = game.is_legal(states, actions)
    if not legal.all():
        raise ValueError(f"the agent plays {actions[~legal][0]}, which is not legal in its game")
    return moves.regret[np.arange(len(actions)), actions]
