"""The environments inside the wrappers, converters and vector environments of PettingZoo and gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import DictInfoToList
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec, turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, MultiEpisodeEnv, OrderEnforcingWrapper, TerminateIllegalWrapper

from abstract_envs import fano330_v0
from env_cases import AGENTS, all_doors
from learner_cases import draw, first_legal

ID = "abstract_envs/fano330-v0"


# --------------------------------------------------------------------------------------------------------------- PettingZoo


def guarded(env: Any) -> Any:
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1)))


@all_doors
@pytest.mark.parametrize("kind", ["env", "raw_env"])
@pytest.mark.parametrize("wrapper", [lambda env: env, guarded], ids=["bare", "guarded"])
def test_several_episodes_as_one(door: Any, kind: str, wrapper: Any) -> None:
    env, rng = MultiEpisodeEnv(wrapper(getattr(door, kind)(max_plies=9)), num_episodes=3), np.random.default_rng(0)
    env.reset(seed=0)
    ended = dict.fromkeys(AGENTS, 0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        ended[agent] += terminated or truncated
        assert reward == 0 or terminated
        env.step(None if terminated or truncated else int(draw(observation["action_mask"], rng)))
    assert ended == dict.fromkeys(AGENTS, 3)


@all_doors
def test_turns_in_parallel(door: Any) -> None:
    """All agents are asked, and the one to move is heard: both see the same game, and both are told its end."""
    env, rng = turn_based_aec_to_parallel(door.env()), np.random.default_rng(0)
    aec = env.unwrapped
    observations, _ = env.reset(seed=0)
    rewards: dict[str, float] = {}
    while env.agents:
        assert [agent for agent in AGENTS if observations[agent]["action_mask"].any()] == [aec.agent_selection]
        actions = {agent: int(draw(observations[agent]["action_mask"], rng)) for agent in env.agents}
        observations, rewards, terminations, truncations, _ = env.step(actions)
    assert sorted(rewards.values()) in ([-1, 1], [0, 0])
    assert tuple(rewards.values()) == aec.game.rewards(aec.game_state)
    assert all(terminations.values()) or all(truncations.values())


def test_moves_are_not_simultaneous() -> None:
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(fano330_v0.env())
    there_and_back = parallel_to_aec(turn_based_aec_to_parallel(fano330_v0.env()))
    there_and_back.reset(seed=0)
    assert there_and_back.agents == list(AGENTS)


# ---------------------------------------------------------------------------------------------------------------- gymnasium

WRAPPERS = {
    "FlattenObservation": {},
    "FrameStackObservation": {"stack_size": 3},
    "DtypeObservation": {"dtype": np.float32},
    "NormalizeObservation": {},
    "DelayObservation": {"delay": 1},
    "TimeLimit": {"max_episode_steps": 2},
    "NormalizeReward": {},
    "RecordEpisodeStatistics": {},
    "AddRenderObservation": {},
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_masks_through_wrappers_of_gymnasium(name: str) -> None:
    env = gymnasium.make(ID, render_mode="rgb_array", opponent=first_legal, width=64, height=64)
    env, rng = getattr(gymnasium.wrappers, name)(env, **WRAPPERS[name]), np.random.default_rng(0)
    observation, info = env.reset(seed=0)
    for _ in range(12):
        assert observation in env.observation_space
        mask = env.get_wrapper_attr("action_masks")()
        np.testing.assert_array_equal(mask, info["action_mask"])
        observation, _, terminated, truncated, info = env.step(draw(mask, rng))
        if terminated or truncated:
            observation, info = env.reset()


def test_drawing_by_the_spaces_own_masks() -> None:
    envs = gymnasium.make_vec(ID, num_envs=4)
    envs.action_space.seed(0)
    _, info = envs.reset(seed=0)
    for _ in range(20):
        actions = envs.action_space.sample(tuple(info["action_mask"]))
        over = ~info["action_mask"].any(1)  # waiting to be started anew: what is drawn there is not looked at
        assert (info["action_mask"][np.arange(4), actions] | over).all()
        _, _, _, _, info = envs.step(actions)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")  # by what other tests import
def test_games_in_processes_of_gymnasium() -> None:
    """They are those of the library's own batches (`test_gym` has the same of all that a process is not needed for)."""
    options: dict[str, Any] = {"num_envs": 3, "opponent": first_legal, "seat": 1}
    ours, theirs = gymnasium.make_vec(ID, **options), gymnasium.make_vec(ID, vectorization_mode="async", **options)
    rng, found = np.random.default_rng(0), [envs.reset(seed=0) for envs in (ours, theirs)]
    for _ in range(15):
        for mine, other in zip(found[0][:-1], found[1][:-1], strict=True):
            np.testing.assert_array_equal(mine, other)
        mask = found[0][-1]["action_mask"]
        np.testing.assert_array_equal(mask, found[1][-1]["action_mask"])
        actions = draw(mask, rng)
        found = [envs.step(actions) for envs in (ours, theirs)]
    theirs.close()


def test_infos_game_by_game() -> None:
    envs = DictInfoToList(gymnasium.make_vec(ID, num_envs=4, autoreset_mode="SameStep", opponent=first_legal))
    envs.reset(seed=0)
    ended = 0
    for _ in range(12):
        _, _, terminations, truncations, infos = envs.step(envs.unwrapped.action_masks().argmax(1))
        for over, info in zip(terminations | truncations, infos, strict=True):
            assert info["action_mask"].shape == (44,)
            assert over == ("final_obs" in info) == ("final_info" in info)
            if over:
                assert info["final_obs"].shape == (11, 1, 7)
                assert not info["final_info"]["action_mask"].any()
                ended += 1
    assert ended > 4
