"""Alpha-beta against plain minimax, and values of solved and of tiny positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abstract_envs.agents import AlphaBetaAgent, evaluate
from helpers import EVERY_GAME, NAMES, game_of, random_game
from search_cases import near_the_end, tiny_inphexion, true_value

ENOUGH = 10**9


def minimax(game: Any, state: Any, depth: int, player: int, ply: int = 0) -> float:
    """What every line to a depth says a position is worth to a player."""
    if game.is_terminal(state):
        return game.rewards(state)[player] * (1000 - ply)
    if ply == depth:
        return game.potential(state, player)
    values = [minimax(game, game.step(state, a), depth, player, ply + 1) for a in game.legal_actions(state)]
    return max(values) if game.current_player(state) == player else min(values)


@pytest.mark.parametrize("game", [pytest.param(*p.values, id=p.id) for p in EVERY_GAME])
def test_agrees_with_minimax(game: Any) -> None:
    """Late positions of random games. A deeper search stops early if a shallower one has found a win or a loss."""
    checked = 0
    for seed in range(4):
        states = random_game(game, seed, 2000)[0]
        for state in (states[-6:-1:2] if len(states) > 6 else states[:-1])[:3]:
            depth = 3 if len(game.legal_actions(state)) < 25 else 2
            if len(game.legal_actions(state)) > 120:
                continue
            player = game.current_player(state)
            values = [minimax(game, state, d, player) for d in range(1, depth + 1)]
            expected = next((value for value in values if abs(value) > 1), values[-1])
            action, value = AlphaBetaAgent(ENOUGH, depth).search_one(game, state, np.random.default_rng(seed))
            assert value == expected
            at = values.index(expected) + 1
            assert minimax(game, game.step(state, action), at - 1, player) in (value, value + np.sign(value) * (abs(value) > 1))
            checked += 1
    assert checked > 3


@pytest.mark.parametrize("shift", [0, 1])
def test_values_where_players_act_twice_in_a_row(shift: int) -> None:
    game, states = tiny_inphexion(60)
    for state in states:
        mover = game.current_player(state)
        action, value = AlphaBetaAgent(ENOUGH).search_one(game, state, np.random.default_rng(shift))
        winner, plies = true_value(game, state)
        assert value == (1000 - plies if winner == mover else -1000 + plies)
        assert true_value(game, game.step(state, action)) == (winner, plies - 1)


@pytest.mark.parametrize("name", ["fano330", "honey_donuts"])
@pytest.mark.parametrize("value", [1, 0])
def test_keeps_the_value_near_the_end_of_solved_games(name: str, value: int) -> None:
    game = game_of(name, {})
    states, moves = near_the_end(name, value, 30)
    actions = AlphaBetaAgent(20_000, 5).act(game, states, np.random.default_rng(0))
    assert actions.dtype == np.int64
    assert not moves.regret[np.arange(len(actions)), actions].any()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nodes", [1, 30, 500])
def test_stops_when_the_nodes_are_used_up(name: str, nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(name, {})
    state = random_game(game, 0)[0][2]
    made = 0
    advance = game.advance_one

    def counted(state: Any, action: int) -> Any:
        nonlocal made
        made += 1
        return advance(state, action)

    monkeypatch.setitem(vars(game), "advance_one", counted)
    action = AlphaBetaAgent(nodes).act_one(game, state, np.random.default_rng(0))
    assert game.is_legal(state, action)
    assert made == nodes  # nothing is decided so early


@pytest.mark.parametrize("option", ["nodes", "depth"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "4", None])
def test_bad_options(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{option} is"):
        AlphaBetaAgent(**{option: value})


@pytest.mark.parametrize("name", ["fano330", "honey_donuts", "inphexion"])
def test_beats_random_play(name: str) -> None:
    assert evaluate(game_of(name, {}), AlphaBetaAgent(300), "random", 30, np.random.default_rng(0)).interval[0] > 0.8
