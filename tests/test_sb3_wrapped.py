"""The environments inside stable-baselines3's wrappers and vector environments, and their masks through these."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecCheckNan, VecFrameStack, VecNormalize

from abstract_envs import inphexion_v0
from abstract_envs.envs.sb3 import LearnerVecEnv
from learner_cases import SMALL, draw, first_legal

ID = "abstract_envs/fano330-v0"


def own(num_envs: int = 3) -> LearnerVecEnv:
    return LearnerVecEnv(SMALL, num_envs, opponent=first_legal)


def theirs(num_envs: int = 3) -> DummyVecEnv:
    return make_vec_env(inphexion_v0.learner_env, num_envs, env_kwargs={"board_size": 4, "opponent": first_legal})


@pytest.mark.parametrize("make", [own, theirs])
@pytest.mark.parametrize(
    "wrapper",
    [lambda venv: venv, VecNormalize, VecCheckNan, lambda venv: VecFrameStack(venv, 2, channels_order="first")],
    ids=["bare", "VecNormalize", "VecCheckNan", "VecFrameStack"],
)
def test_masks_through_wrappers_of_sb3(make: Any, wrapper: Any) -> None:
    venv, rng = wrapper(make()), np.random.default_rng(0)
    venv.seed(5)
    observation = venv.reset()
    assert is_masking_supported(venv)
    fouls = 0
    for _ in range(40):
        assert venv.observation_space.shape == observation.shape[1:]
        masks = get_action_masks(venv)
        assert masks.shape == (3, SMALL.num_actions)
        assert masks.any(1).all()  # also behind an end, where a new game has begun
        observation, _, dones, infos = venv.step(draw(masks, rng))
        for done, info in zip(dones, infos, strict=True):
            if done:
                assert info["terminal_observation"].shape == venv.observation_space.shape
                fouls += info["episode"]["r"] == -1 and info["episode"]["l"] < 3  # sooner than anybody can lose
    assert not fouls


def test_equal_seeds_start_equal_games_in_both() -> None:
    ours, others = own(), theirs()
    for venv in (ours, others):
        assert list(venv.seed(4)) == [4, 5, 6]
    np.testing.assert_array_equal(ours.reset(), others.reset())
    np.testing.assert_array_equal(get_action_masks(ours), get_action_masks(others))
    np.testing.assert_array_equal(get_action_masks(others), [info["action_mask"] for info in others.reset_infos])


@pytest.mark.parametrize("make", [own, theirs])
def test_training_in_wrappers(make: Any) -> None:
    model = MaskablePPO("MlpPolicy", VecNormalize(make()), n_steps=8, batch_size=24, n_epochs=1, device="cpu")
    model.learn(48)
    observation = VecNormalize(make()).reset()
    actions, _ = model.predict(observation, action_masks=np.eye(SMALL.num_actions, dtype=np.int8)[[3, 5, 7]])
    assert actions.tolist() == [3, 5, 7]
    action, _ = model.predict(observation[0], action_masks=np.eye(SMALL.num_actions, dtype=np.int8)[9])
    assert (action.shape, int(action)) == ((), 9)


def test_one_game_takes_what_a_model_predicts() -> None:
    env = ActionMasker(gymnasium.make(ID), lambda env: env.get_wrapper_attr("action_masks")())
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8, n_epochs=1, device="cpu")
    observation, info = env.reset(seed=0)
    np.testing.assert_array_equal(get_action_masks(Monitor(env)), info["action_mask"])
    over = False
    while not over:
        action, _ = model.predict(observation, action_masks=info["action_mask"])
        observation, _, terminated, over, info = env.step(action)
        over |= terminated
    check_env(gymnasium.make(ID).unwrapped, warn=False)


@pytest.mark.slow  # each process loads torch
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_games_in_processes_of_sb3(method: str) -> None:
    """With `module:id` a process that knows nothing of the library makes its games."""
    one = make_vec_env(f"abstract_envs:{ID}", 2, seed=3, env_kwargs={"opponent": "greedy"})
    other = make_vec_env(
        f"abstract_envs:{ID}",
        2,
        seed=3,
        env_kwargs={"opponent": "greedy"},
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": method},
    )
    np.testing.assert_array_equal(one.reset(), other.reset())
    rng = np.random.default_rng(0)
    for _ in range(10):
        masks = get_action_masks(one)
        np.testing.assert_array_equal(get_action_masks(other), masks)
        actions = draw(masks, rng)
        for a, b in zip(one.step(actions)[:3], other.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(a, b)
    other.close()
