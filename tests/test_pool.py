"""Pools of opponents: who plays how often, which snapshots are kept, and that a game has one opponent from start to end."""

from __future__ import annotations

import io
from typing import Any

import gymnasium
import numpy as np
import pytest

from abstract_envs import fano330_v0, inphexion_v0
from abstract_envs.agents import Agent, NetworkAgent, OpponentPool, RandomAgent, evaluate
from abstract_envs.agents.network import Network
from abstract_envs.cli.session import Session
from abstract_envs.envs.learner import LearnerGames
from abstract_envs.records import GameRecord
from helpers import game_of


class Noting(RandomAgent):
    """Plays at random and notes the boards of its games."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, ...]] = []

    def act(self, game: Any, states: Any, rng: np.random.Generator) -> Any:
        self.seen += [tuple(word.tolist()) for word in np.array(states[:2]).T]
        return super().act(game, states, rng)


def test_chances() -> None:
    pool = OpponentPool([("random", 1.0), (RandomAgent(), 3.0)], snapshots=3, weight=4.0, newest=0.5)
    assert pool.chances.tolist() == [0.25, 0.75]
    rng = np.random.default_rng(0)
    pool.add(RandomAgent(), rng)
    assert pool.chances.tolist() == [1 / 8, 3 / 8, 1 / 2]
    pool.add(RandomAgent(), rng)
    assert pool.chances.tolist() == [1 / 8, 3 / 8, 1 / 4, 1 / 4]
    pool.add(RandomAgent(), rng)
    assert pool.chances.tolist() == [1 / 8, 3 / 8, 1 / 8, 1 / 8, 1 / 4]
    counts = np.bincount(pool.draw(80_000, rng), minlength=5) / 80_000
    assert np.abs(counts - pool.chances).max() < 0.01


def test_a_full_pool_keeps_its_newest_and_its_size() -> None:
    pool, rng = OpponentPool(snapshots=3), np.random.default_rng(1)
    agents: list[Agent] = [RandomAgent() for _ in range(40)]
    for k, agent in enumerate(agents):
        before = pool._members[1:]
        pool.add(agent, rng)
        assert len(pool) == 1 + min(k + 1, 3)
        assert pool._members[1 + pool._newest] is agent
        if k:  # the newest of before is never the one to go
            assert agents[k - 1] in pool._members
        assert len([member for member in before if member not in pool._members]) == (k >= 3)
    # old ones stay for a while, not only the last three
    assert any(agents.index(member) < 37 for member in pool._members[1:])


def test_one_place_is_always_the_newest() -> None:
    pool, rng = OpponentPool(snapshots=1), np.random.default_rng(1)
    for agent in (RandomAgent(), RandomAgent()):
        pool.add(agent, rng)
        assert pool._members[1:] == [agent]
    assert pool.chances.tolist() == [0.2, 0.8]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"snapshots": -1}, "snapshots is -1; it is a whole number of at least 0"),
        ({"newest": 1.5}, "newest is 1.5; it is a number from 0 to 1"),
        ({"newest": float("nan")}, "newest is nan"),
        ({"newest": True}, "newest is True"),
        ({"weight": -1}, r"weight is -1; it is a number from 0 to 1e\+09"),
        ({"weight": float("nan")}, "weight is nan"),
        ({"weight": float("inf")}, "weight is inf"),
        ({"weight": "4"}, "weight is '4'"),
        ({"fixed": []}, "some fixed agent has a weight above 0"),
        ({"fixed": [], "snapshots": 4}, "some fixed agent has a weight above 0"),
        ({"fixed": [("random", 0.0)]}, "some fixed agent has a weight above 0"),
        ({"fixed": [("random", 1.0), ("greedy", float("inf"))]}, "the weight of 'greedy' is inf; it is a number"),
        ({"fixed": [("greedy", float("nan"))]}, "the weight of 'greedy' is nan"),
        ({"fixed": [("greedy", 1e308), ("random", 1e308)]}, "the weight of 'greedy' is 1e\\+308"),
        ({"fixed": ["random"]}, r"'random' is no fixed agent of a pool; .* \('random', 1.0\)"),
        ({"fixed": [("random",)]}, "is no fixed agent of a pool"),
        ({"fixed": [(OpponentPool(), 1.0)]}, "is a pool, and no member of one"),
        ({"fixed": [("nobody", 1.0)]}, "'nobody' is no agent"),
        ({"fixed": [(3, 1.0)]}, "^3 is no agent: .* is such a function$"),
    ],
)
def test_bad_pools(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OpponentPool(**options)
    with pytest.raises(ValueError, match="no room for snapshots"):
        OpponentPool(snapshots=0).add(RandomAgent(), np.random.default_rng(0))


def test_members_that_cannot_play_a_game_are_told_at_once() -> None:
    pool = OpponentPool([("perfect", 1.0)])
    LearnerGames(fano330_v0.game(), 4, pool)
    with pytest.raises(ValueError, match="not solved"):
        LearnerGames(inphexion_v0.game(), 4, pool)


def network_agent(name: str, options: dict[str, Any], mirror: bool = False) -> NetworkAgent:
    game = game_of(name, options)
    inputs = int(np.prod(game.observation_shape))
    weights = {"dense0.weight": np.zeros((inputs, game.num_actions)), "dense0.bias": np.zeros(game.num_actions)}
    return NetworkAgent(Network(game, weights), mirror)


def test_what_is_added_can_play() -> None:
    pool, rng = OpponentPool(), np.random.default_rng(0)
    games = LearnerGames(inphexion_v0.game(), 16, pool)
    games.reset(seed=0)
    for agent, message in (
        ("nobody", "'nobody' is no agent"),
        (3, "3 is no agent"),
        (OpponentPool(), "is a pool, and no member"),
        ("perfect", "not solved"),
        (network_agent("alveole", {}), "this network plays alveole, not inphexion"),
        (network_agent("inphexion", {"board_size": 3}), "this network plays inphexion, with other options"),
    ):
        with pytest.raises(ValueError, match=message):
            pool.add(agent, rng)  # type: ignore[arg-type]
    assert len(pool) == 1
    pool.add("greedy", rng)
    pool.add(network_agent("inphexion", {}, mirror=True), rng)
    for _ in range(6):
        games.step(games.action_masks().argmax(1))
    with pytest.raises(ValueError, match="this network plays inphexion, not alveole"):
        LearnerGames(game_of("alveole", {}), 4, pool)


def test_a_game_has_one_opponent_from_start_to_end() -> None:
    members = [Noting(), Noting(), Noting()]
    games = LearnerGames(fano330_v0.game(), 64, OpponentPool([(member, 1.0) for member in members]), seat=0)
    games.reset(seed=0)
    game, rng, who = games.game, np.random.default_rng(0), np.full(64, -1)
    for _ in range(60):
        before = [len(member.seen) for member in members]
        step = games.step(game.sample(games.states, rng))
        answered = sum(len(member.seen) - count for member, count in zip(members, before, strict=True))
        assert answered <= 64
        ended = np.zeros(64, bool)
        ended[step.ended] = True
        assert (games._members == who)[~ended & (who >= 0)].all()
        who = games._members.copy()
    assert len(set(who.tolist())) == 3
    assert all(member.seen for member in members)


def test_actions_come_from_the_member_named() -> None:
    class Constant:
        def __init__(self, action: int) -> None:
            self.action = action

        def act(self, game: Any, states: Any, rng: np.random.Generator) -> Any:
            return np.full(game.batch_size(states), self.action)

    pool = OpponentPool([(Constant(k), 1.0) for k in range(3)])
    game, rng = fano330_v0.game(), np.random.default_rng(0)
    members = np.array([2, 0, 1, 2, 2])
    assert pool.act_as(members, game, game.init(5), rng).tolist() == [2, 0, 1, 2, 2]
    assert set(pool.act(game, game.init(60), rng).tolist()) == {0, 1, 2}


class Tagged(RandomAgent):
    """Plays at random and notes in a list, which it shares with others, whenever it is asked."""

    def __init__(self, log: list[Any]) -> None:
        self._log = log

    def act(self, game: Any, states: Any, rng: np.random.Generator) -> Any:
        self._log += [self] * game.batch_size(states)
        return super().act(game, states, rng)

    def act_one(self, game: Any, state: Any, rng: np.random.Generator) -> int:
        self._log.append(self)
        return super().act_one(game, state, rng)


def tagged() -> tuple[OpponentPool, list[Any]]:
    """A pool of four, and a list in which its members note that they have been asked."""
    log: list[Any] = []
    return OpponentPool([(Tagged(log), 1.0) for _ in range(4)]), log


def test_a_single_environment_has_one_opponent_a_game() -> None:
    pool, log = tagged()
    env = gymnasium.make("abstract_envs/inphexion-v0", board_size=3, opponent=pool)
    rng, met = np.random.default_rng(0), set[Any]()
    for number in range(30):
        (_, info), over = env.reset(seed=0 if not number else None), False
        while not over:
            _, _, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        assert len(log) > 1
        assert len(set(log)) == 1
        met |= set(log)
        log.clear()
    assert len(met) == 4


def test_evaluate_has_one_opponent_a_game() -> None:
    game, (pool, log) = game_of("inphexion", {"board_size": 3}), tagged()
    met: set[Any] = set()
    for seed in range(12):
        log.clear()
        evaluate(game, pool, "random", 2, np.random.default_rng(seed))
        # two games, one a seat, each with its member: the plies of a game ask its member alone
        assert len(log) > 4
        assert len(set(log)) <= 2
        met |= set(log)
    assert len(met) == 4


def test_a_session_has_one_opponent_a_game() -> None:
    pool, log = tagged()
    env = inphexion_v0.raw_env(board_size=3)
    record = GameRecord(game=env.game)
    Session(env, record, (pool, "random"), np.random.default_rng(0), io.StringIO(), io.StringIO()).run()
    assert len(log) > 1
    assert len(set(log)) == 1
