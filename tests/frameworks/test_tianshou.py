"""Tianshou's PettingZooEnv on every game: what its collector gathers, and the recorded games."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from tianshou.algorithm import MARLRandomDiscreteMaskedOffPolicyAlgorithm, MultiAgentOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv

from abstract_envs.envs.aec import AGENTS
from env_cases import all_doors
from framework_cases import RECORDS
from helpers import DOORS

torch.set_num_threads(1)


@all_doors
def test_what_a_collector_gathers(door: ModuleType) -> None:
    """Of three games at once, random play: every action is legal in its mask, a game's transitions follow one another."""
    envs = DummyVectorEnv([lambda: PettingZooEnv(door.env(max_plies=40)) for _ in range(3)])
    envs.seed(0)
    np.random.seed(0)  # noqa: NPY002  (what Tianshou draws from)
    env = PettingZooEnv(door.env())
    random = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in AGENTS]
    players = MultiAgentOffPolicyAlgorithm(algorithms=random, env=env)
    buffer = VectorReplayBuffer(900, 3)
    collector = Collector(players, envs, buffer)
    collector.reset()
    collector.collect(n_step=450)
    game = door.game()
    ended = 0
    for part in buffer.buffers:
        data = part.sample(0)[0]
        assert len(data) >= 100
        for t in range(len(data)):
            mask, action = data.obs.mask[t], int(data.act[t])
            assert mask[action]
            assert data.obs.obs[t].shape == game.observation_shape
            # the last plane but one tells who sees it
            seat = AGENTS.index(data.obs.agent_id[t])
            assert (data.obs.obs[t][game.seat_plane] == 1 - seat).all() or not game.board_grid.all()
            over = data.terminated[t] or data.truncated[t]
            ended += over
            if data.terminated[t]:
                assert sorted(data.rew[t]) in ([-1, 1], [0, 0])
            else:
                assert not data.rew[t].any()
            if t + 1 < len(data) and not over:
                assert np.array_equal(data.obs_next.obs[t], data.obs.obs[t + 1])
                assert np.array_equal(data.obs_next.mask[t], data.obs.mask[t + 1])
    assert ended >= 3


@pytest.mark.parametrize("record", RECORDS)
def test_recorded_game(record: dict[str, Any]) -> None:
    """The masks along recorded games are the rules'."""
    aec = DOORS[record["game"]].env(max_plies=None, **record["options"])
    env = PettingZooEnv(aec)
    seen, _ = env.reset(options={"position": record["start"]})
    rewards, terminated = [0, 0], False
    for ply in record["plies"]:
        assert seen["agent_id"] == AGENTS[ply["to_move"]]
        assert np.flatnonzero(seen["mask"]).tolist() == ply["legal"]
        assert not terminated
        seen, rewards, terminated, _, _ = env.step(aec.game.string_to_action(aec.game_state, ply["action"]))
    assert terminated == (record["outcome"] is not None)
    assert tuple(rewards) == aec.game.rewards(aec.game_state)
