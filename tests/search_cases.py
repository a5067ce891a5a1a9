"""True values for the tests of search: of solved games, and of tiny boards by looking at everything."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from abstract_envs.agents import judge_moves, table_of
from helpers import game_of, random_game


def near_the_end(name: str, value: int, count: int) -> tuple[Any, Any]:
    """Positions of a solved game, won or lost in at most 5 plies (or neither), in which some moves give something away.

    The states, and what `judge_moves` says of them.
    """
    game, rng = game_of(name, {}), np.random.default_rng(value + 1)
    table = table_of(game)
    fits = (np.sign(table.codes) == value) & (np.abs(table.codes) <= 6)
    words = table.positions.words(rng.choice(np.flatnonzero(fits), 40 * count, replace=False))
    states = table.positions.states(words, rng.integers(0, 2, len(words), np.uint64))
    states = game.take(states, ~game.is_terminal(states))
    moves = judge_moves(game, states)
    # a move too many plies from its refutation would ask for a long search
    matters = (moves.regret > 0).any(1) & (np.where(moves.regret > 0, moves.distance, 0) <= 4).all(1)
    rows = np.flatnonzero(matters)[:count]
    states = game.take(states, rows)
    return states, judge_moves(game, states)


@lru_cache(None)
def true_value(game: Any, state: Any) -> tuple[int, int]:
    """(who wins, in how many plies when the winner hurries and the loser delays) of a game without history, by all its lines."""
    if game.is_terminal(state):
        return game.rewards(state).index(1.0), 0
    mover = game.current_player(state)
    ends = [true_value(game, game.step(state, action)) for action in game.legal_actions(state)]
    wins = [plies for who, plies in ends if who == mover]
    return (mover, min(wins) + 1) if wins else (1 - mover, max(plies for _, plies in ends) + 1)


def tiny_inphexion(count: int) -> tuple[Any, list[Any]]:
    """The 3x3 board of inpHeXion, where players act twice in a row, and positions in which the right move matters.

    In half of them captured discs wait, or some move makes them wait.
    """
    game = game_of("inphexion", {"board_size": 3})
    found: dict[bool, dict[int, Any]] = {False: {}, True: {}}
    for seed in range(400):
        for state in random_game(game, seed)[0][2:-1]:
            mover = game.current_player(state)
            after = [game.step(state, action) for action in game.legal_actions(state)]
            if len({true_value(game, s)[0] for s in after}) == 2:
                twice = any(game.current_player(s) == mover and not game.is_terminal(s) for s in after) or bool(state.waiting)
                found[twice][game.key(state)] = state
    states = [state for kind in found.values() for state in list(kind.values())[: count // 2]]
    assert len(states) == count
    return game, states
