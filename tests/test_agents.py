"""Agents by name, with and without options; and what every agent of the library keeps to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abstract_envs.agents import AGENTS, AlphaBetaAgent, GreedyAgent, MCTSAgent, act_one, resolve
from helpers import NAMES, assert_same, frozen, game_of, mid_game, write_protect

QUICK = ["random", "greedy", "mcts(simulations=5, rollout_limit=5)", "alphabeta(nodes=50)", "ppo", "ppo(temperature=1)"]


def test_names() -> None:
    assert sorted(AGENTS) == ["alphabeta", "greedy", "mcts", "perfect", "ppo", "random"]
    assert isinstance(resolve("greedy"), GreedyAgent)
    assert isinstance(resolve("alphabeta"), AlphaBetaAgent)
    agent = resolve("mcts")
    assert isinstance(agent, MCTSAgent)
    assert vars(agent) == vars(MCTSAgent())


def test_options() -> None:
    agent = resolve(" mcts( simulations = 400, exploration=0.5,leaves=8 ) ")
    assert vars(agent) == vars(MCTSAgent(400, 0.5, leaves=8))
    agent = resolve("alphabeta(depth=3)")
    assert vars(agent) == vars(AlphaBetaAgent(depth=3))
    assert isinstance(resolve("greedy()"), GreedyAgent)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mtcs", "agents known by name are alphabeta, greedy, mcts, perfect, ppo, random"),
        ("", "agents known by name"),
        ("nobody(simulations=3)", "agents known by name"),
        ("mcts(400)", r"it is mcts alone, or mcts\(simulations=100, exploration=1.0"),
        ("mcts(simulation=400)", r"for simulation=400: it is mcts alone"),
        ("mcts(evaluator=None)", "for evaluator=None"),
        ("mcts(simulations='4')", "for simulations='4'"),
        ("mcts(simulations=[4])", r"for simulations=\[4\]"),
        ("mcts(simulations=2**9)", "it is mcts alone"),
        ("mcts(simulations=print(1))", "it is mcts alone"),
        ("mcts(**{'simulations': 4})", "it is mcts alone"),
        ("mcts(simulations=4", "it is mcts alone"),
        ("mcts(simulations=4, simulations=5)", "it is mcts alone"),
        ("mcts(simulations=4).act", "it is mcts alone"),
        ("mcts(simulations=4)(rollouts=2)", "it is mcts alone"),
        ("mcts(simulations=0)", "simulations is 0"),
        ("mcts(simulations=True)", "simulations is True"),
        ("greedy(depth=2)", "greedy has no options"),
        ("ppo(temperature=-1)", r"temperature is -1; it is a number from 0 to 1e\+06"),
        ("ppo(temperature=1e38)", "temperature is 1e\\+38"),
        ("ppo(temperature=True)", "temperature is True"),
        ("ppo(simulations=5)", r"for simulations=5: it is ppo alone, or ppo\(temperature=0.0\)"),
        ("perfect(table=3)", "perfect has no options"),
    ],
)
def test_no_agents(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        resolve(text)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", QUICK)
def test_the_protocol(name: str, text: str) -> None:
    """Legal actions for a batch and for one state, the same for the same seed, and nothing is written on."""
    game = game_of(name, {})
    states = mid_game(game, 40)
    states = game.take(states, np.flatnonzero(~game.is_terminal(states))[:8])
    write_protect(states)
    before, agent = frozen(states), resolve(text)
    actions = agent.act(game, states, np.random.default_rng(1))
    assert actions.dtype == np.int64
    assert actions.shape == (8,)
    assert game.is_legal(states, actions).all()
    assert np.array_equal(actions, resolve(text).act(game, states, np.random.default_rng(1)))
    one = game.take(states, 3)
    action = act_one(agent, game, one, np.random.default_rng(1))
    assert type(action) is int
    assert game.is_legal(one, action)
    assert action == act_one(agent, game, one, np.random.default_rng(1))
    assert_same(before, frozen(states))


@pytest.mark.parametrize("text", ["greedy", "mcts(simulations=2)", "alphabeta(nodes=5)", "ppo", "perfect"])
def test_one_state_is_no_batch(text: str) -> None:
    game: Any = game_of("fano330", {})
    with pytest.raises(ValueError, match=r"those of one game; a batch is meant here, and stack\(\[state\]\) makes one"):
        resolve(text).act(game, game.init(), np.random.default_rng(0))


@pytest.mark.parametrize("text", QUICK)
def test_no_games_no_actions(text: str) -> None:
    game: Any = game_of("inphexion", {})
    actions = resolve(text).act(game, game.init(0), np.random.default_rng(0))
    assert actions.shape == (0,)
    assert actions.dtype == np.int64
