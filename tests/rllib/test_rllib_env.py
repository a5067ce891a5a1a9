"""The games as RLlib sees them: recorded games through its environment and the network, and what its env runner samples."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.columns import Columns
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

import train_rllib
from abstract_envs.envs.aec import AGENTS
from abstract_envs.records import door_name
from env_cases import all_doors
from framework_cases import RECORDS
from helpers import DOORS

# every runner registers its environment anew, and here they all live in one process
pytestmark = pytest.mark.filterwarnings("ignore:.*Overriding environment rllib-multi-agent-env-v0:UserWarning")


def module_for(aec: Any) -> train_rllib.BoardModule:
    torch.manual_seed(0)
    spaces = {"observation_space": aec.observation_space("player_0"), "action_space": aec.action_space("player_0")}
    return train_rllib.BoardModule(**spaces, model_config={"hidden": 16})


def chances(module: train_rllib.BoardModule, seen: dict[str, np.ndarray]) -> np.ndarray:
    """Of every action, as RLlib draws them."""
    batch = {Columns.OBS: {name: torch.from_numpy(array)[None] for name, array in seen.items()}}
    with torch.no_grad():
        logits = module.forward_exploration(batch)[Columns.ACTION_DIST_INPUTS]
    distribution = module.get_exploration_action_dist_cls().from_logits(logits)
    return distribution._dist.probs[0].numpy()


@pytest.mark.parametrize("record", RECORDS)
def test_recorded_game(record: dict[str, Any]) -> None:
    """At every ply RLlib asks the player to act, shows the rules' mask, and the network may choose what is legal, no more."""
    aec = DOORS[record["game"]].env(max_plies=None, **record["options"])
    env, module = PettingZooEnv(aec), module_for(aec)
    seen, _ = env.reset(options={"position": record["start"]})
    rewards, ended = {}, {"__all__": False}
    for ply in record["plies"]:
        mover = AGENTS[ply["to_move"]]
        assert [*seen] == [mover]
        assert env.observation_space[mover].contains(seen[mover])
        assert np.flatnonzero(seen[mover]["action_mask"]).tolist() == ply["legal"]
        assert np.flatnonzero(chances(module, seen[mover])).tolist() == ply["legal"]
        assert not ended["__all__"]
        action = aec.game.string_to_action(aec.game_state, ply["action"])
        seen, rewards, ended, cut, _ = env.step({mover: action})
        assert not cut["__all__"]
    assert ended["__all__"] == (record["outcome"] is not None)
    if ended["__all__"]:
        assert tuple(rewards[agent] for agent in AGENTS) == aec.game.rewards(aec.game_state)


class Starts(RLlibCallback):
    """Notes where the episodes of a runner in this process begin, as the deal of XAHZO is not to be known otherwise."""

    states: dict[str, Any] = {}  # noqa: RUF012

    def on_episode_start(self, *, episode: Any, env: Any, env_index: int, **kwargs: Any) -> None:
        self.states[episode.id_] = env.envs[env_index].unwrapped.env.game_state


@all_doors
def test_sampled_games(door: ModuleType) -> None:
    """What the env runner samples, cut into pieces by its fragments, are games by the rules, with their masks and rewards."""
    settings = train_rllib.Settings(door_name(door), runners=1, games_per_runner=3, hidden=16)
    config = train_rllib.config_of(settings).callbacks([partial(train_rllib.League, settings), Starts])
    runner = MultiAgentEnvRunner(config=config, worker_index=1)
    chunks: dict[str, list[Any]] = {}
    ended: list[list[Any]] = []
    for sample in range(600):
        for piece in runner.sample(num_timesteps=20):
            chunks.setdefault(piece.id_, []).append(piece)
        ended = [pieces for pieces in chunks.values() if pieces[-1].is_done]
        # half of the games are against the league, drawn by ids that cannot be seeded: a few games may all be self-play
        if len(ended) >= 6 and sample >= 4 and not all(all(learners(pieces)) for pieces in ended):
            break
    assert len(ended) >= 6
    assert any(len(pieces) > 1 for pieces in chunks.values())
    points: list[float] = []
    for name, pieces in chunks.items():
        rewards, learns = follow(door.game(), Starts.states[name], pieces), learners(pieces)
        assert any(learns)
        if pieces[-1].is_done and not all(learns):
            points.append((1 + rewards[learns.index(True)]) / 2)
    told = runner.get_metrics()
    assert (told["league_games"].peek(), told["league_points"].peek()) == (len(points), sum(points))


def learners(pieces: list[Any]) -> list[bool]:
    """For each agent of a game whether it is the one that learns."""
    return [pieces[0].module_for(agent) == train_rllib.MAIN for agent in AGENTS]


def follow(game: Any, state: Any, pieces: list[Any]) -> tuple[float, float]:
    """Plays a sampled game by the rules, and gives its result."""
    seen: dict[str, list[Any]] = {agent: [] for agent in AGENTS}
    actions: dict[str, list[int]] = {agent: [] for agent in AGENTS}
    rewards = dict.fromkeys(AGENTS, 0.0)
    for piece in pieces:
        for agent, part in piece.agent_episodes.items():
            observations = part.get_observations()
            # the last of a piece is the first of the next; what is seen after the last action belongs to none
            planes = [observations["observation"][t] for t in range(len(part))]
            masks = [observations["action_mask"][t] for t in range(len(part))]
            seen[agent] += list(zip(planes, masks, strict=True))
            actions[agent] += [int(action) for action in part.get_actions()]
            rewards[agent] += part.get_return()
    plies = sum(map(len, actions.values()))
    for _ in range(plies):
        agent = AGENTS[state.player]
        planes, mask = seen[agent].pop(0)
        assert np.array_equal(planes, game.observe(state))
        assert np.flatnonzero(mask).tolist() == [*game.legal_actions(state)]
        state = game.step(state, actions[agent].pop(0))
    assert pieces[-1].is_done == (game.is_terminal(state) or plies == game.default_max_plies)
    assert tuple(rewards.values()) == game.rewards(state)
    return game.rewards(state)


def test_runners_have_deals_of_their_own() -> None:
    """RLlib seeds game i of runner w with the training's seed + w + i."""
    deals = []
    for runner in (1, 2):
        env = train_rllib.BoardEnv(EnvContext({"game": "xahzo_v0"}, worker_index=runner))
        for seed in range(runner, runner + 4):
            env.reset(seed=seed)
            deals.append(env.env.game_state)
            env.reset(seed=seed)
            assert env.env.game_state == deals[-1]
    assert len(set(deals)) == 8
