"""The Stable-Baselines3 form, its policy and buffer, and a trained model as an agent, with the real MaskablePPO."""

from __future__ import annotations

import importlib
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from abstract_envs import inphexion_v0
from abstract_envs.agents import NetworkAgent, Policy, evaluate
from abstract_envs.agents.network import Heads, Network, find_heads, heads_of
from abstract_envs.envs.learner import LearnerGames, by_material
from abstract_envs.envs.sb3 import LearnerVecEnv, ModelAgent
from abstract_envs.envs.sb3_policy import (
    ActionHead,
    BoardPolicy,
    BoolMaskBuffer,
    MaskedCategorical,
    ScaledPlanes,
)
from helpers import DOORS, NAMES, every_game, game_of, mid_game
from learner_cases import CAPTURE, SMALL, draw, first_legal, index

ROOT = Path(__file__).parent.parent
torch.set_num_threads(1)


def model_of(venv: LearnerVecEnv, game: Any = SMALL, seed: int = 0, learning_rate: float = 1e-3, **policy: Any) -> MaskablePPO:
    return MaskablePPO(
        BoardPolicy,
        venv,
        learning_rate,
        n_steps=8,
        batch_size=256,
        n_epochs=2,
        policy_kwargs={"game": game, **policy},
        rollout_buffer_class=BoolMaskBuffer,
        seed=seed,
        device="cpu",
    )


def lead(game: Any, states: Any, player: Any) -> Any:
    return np.full(len(player), 0.25, np.float32)


# ------------------------------------------------------------------------------------------------------- the environment


@pytest.mark.parametrize("mirror", [False, True])
def test_it_says_what_the_games_say(mirror: bool) -> None:
    """Observations, masks, rewards and infos, against the games inside another copy; infos counted by hand."""
    options: dict[str, Any] = {"opponent": first_legal, "mirror": mirror, "max_plies": 14}
    venv, games = LearnerVecEnv(SMALL, 20, **options), LearnerGames(SMALL, 20, **options)
    venv.seed(5)
    np.testing.assert_array_equal(venv.reset(), (games.reset(5), games.observe())[1])
    rng, lengths, seen = np.random.default_rng(0), np.zeros(20, int), {True: 0, False: 0}
    for _ in range(40):
        masks = venv.action_masks()
        np.testing.assert_array_equal(masks, games.action_masks())
        actions = draw(masks, rng)
        seen_now: Any
        seen_now, rewards, dones, infos = venv.step(actions)
        step = games.step(actions)
        lengths += 1
        np.testing.assert_array_equal(seen_now, games.observe())
        assert (seen_now.dtype, rewards.dtype, dones.dtype) == (np.int8, np.float32, bool)
        np.testing.assert_array_equal(rewards, step.rewards)
        np.testing.assert_array_equal(dones, step.terminations | step.truncations)
        assert len({id(info) for info in infos}) == 20
        for i, info in enumerate(infos):
            assert bool(info) == dones[i]
        for k, i in enumerate(step.ended):
            info = infos[i]
            np.testing.assert_array_equal(info["terminal_observation"], step.final_observations[k])
            assert info["TimeLimit.truncated"] is bool(step.truncations[i])
            assert {**info["episode"], "t": 0} == {"r": step.rewards[i], "l": lengths[i], "t": 0, "seat": step.final_seats[k]}
            assert info["episode"]["t"] > 0
            seen[info["TimeLimit.truncated"]] += 1
        lengths[dones] = 0
    assert min(seen.values()) > 20


def test_shaping_is_in_the_rewards_and_not_in_the_episodes() -> None:
    """Here the potential is constant: each step costs .25 * (1 - gamma), and the last one all the rest."""
    venv, rng = LearnerVecEnv(SMALL, 8, shaping=lead, gamma=0.9), np.random.default_rng(0)
    venv.reset()
    ended = 0
    for _ in range(20):
        _, rewards, dones, infos = venv.step(draw(venv.action_masks(), rng))
        np.testing.assert_allclose(rewards[~dones], -0.025, atol=1e-6)
        for i in np.flatnonzero(dones):
            assert abs(infos[i]["episode"]["r"]) == 1
            assert rewards[i] == pytest.approx(infos[i]["episode"]["r"] - 0.25)
            ended += 1
    assert ended > 8


def test_masking_is_found() -> None:
    venv = LearnerVecEnv(SMALL, 3, seat=0)
    venv.reset()
    assert is_masking_supported(venv)
    np.testing.assert_array_equal(get_action_masks(venv), venv.action_masks())
    before = venv.action_masks()
    venv.action_masks()[:] = 0  # the caller's
    np.testing.assert_array_equal(venv.action_masks(), before)
    np.testing.assert_array_equal(venv.env_method("action_masks", indices=[1]), venv.action_masks()[[1]])
    assert not venv.has_attr("nonsense")
    for missing in (lambda: venv.env_method("nonsense"), lambda: venv.get_attr("nonsense")):
        with pytest.raises(AttributeError, match="nonsense"):
            missing()


def test_what_sb3_asks_of_a_vec_env() -> None:
    venv = LearnerVecEnv(SMALL, 3)
    assert venv.render_mode is None
    assert venv.game is SMALL
    assert venv.get_attr("num_envs") == [3, 3, 3]
    assert venv.get_attr("num_envs", 1) == [3]
    venv.set_attr("note", 5)
    assert venv.get_attr("note", [0, 2]) == [5, 5]
    with pytest.raises(ValueError, match="no indices"):
        venv.set_attr("note", 6, 0)
    assert venv.env_is_wrapped(VecMonitor) == [False] * 3
    assert venv.env_is_wrapped(Monitor, [0, 1]) == [True] * 2
    assert venv.seed(3) == [3, 4, 5]
    venv.reset()
    assert venv.games.seats.tolist() == [1, 0, 1]
    venv.reset()
    assert venv.games.seats.tolist() == [0, 1, 0]  # a seed counts once
    venv.close()


def test_positions() -> None:
    venv = LearnerVecEnv(SMALL, 2, seat=0)
    venv.set_options({"position": CAPTURE})
    observation = venv.reset()
    np.testing.assert_array_equal(observation[1], SMALL.observe(SMALL.from_string(CAPTURE)))
    venv.step(np.array([index("d3-d4")] * 2))
    assert (venv.games.states.waiting == 1).all()  # to act again
    venv.set_options([{"position": CAPTURE}, {}])
    with pytest.raises(ValueError, match="all games or to none"):
        venv.reset()


def test_a_reset_forgets_what_came_before() -> None:
    venv = LearnerVecEnv(SMALL, 3, opponent=first_legal, seat=0, max_plies=4)
    for steps in (1, 2, 1, 2):  # resets come in the midst of games and at their ends
        venv.reset()
        for step in range(1, steps + 1):
            _, _, dones, infos = venv.step(venv.action_masks().argmax(1))
            assert dones.tolist() == [step == 2] * 3
    assert [info["episode"]["l"] for info in infos] == [2, 2, 2]


def test_the_games_ply_limit_is_the_default() -> None:
    assert LearnerVecEnv(SMALL, 1).games.max_plies is SMALL.default_max_plies
    assert LearnerVecEnv(SMALL, 1, max_plies=9).games.max_plies == 9


# -------------------------------------------------------------------------------------------------------------- learning


class Losses(BaseCallback):
    """Notes what PPO logs, and that no illegal action was taken."""

    def _init_callback(self) -> None:
        self.values: list[float] = []

    def _on_step(self) -> bool:
        chosen, masks = self.locals["actions"], self.locals["action_masks"]
        assert masks[np.arange(len(masks)), chosen].all()
        return True

    def _on_rollout_start(self) -> None:
        self.values += [value for name, value in self.model.logger.name_to_value.items() if "loss" in name]


@every_game
def test_maskable_ppo_runs(game: Any) -> None:
    mirror = any(symmetry.exchanges for symmetry in game.symmetries)
    model = model_of(LearnerVecEnv(game, 32, mirror=mirror, max_plies=30), game)
    losses = Losses()
    model.learn(600, callback=losses)
    assert model.num_timesteps == 768
    assert losses.values
    assert np.isfinite(losses.values).all()
    assert model.rollout_buffer.action_masks.dtype == bool
    assert model.ep_info_buffer


@pytest.mark.slow
@pytest.mark.parametrize("policy", [BoardPolicy, "MlpPolicy"])
def test_a_long_run_on_the_widest_mask(policy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """XAHZO's 1,813 actions: losses stay finite, with this package's policy, and with sb3-contrib's own.

    torch checks the arguments of its distributions meanwhile: "Simplex" errors are known of masks as wide as this.
    """
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
    game = game_of("xahzo", {})
    assert game.num_actions == 1813
    own = policy is BoardPolicy
    model = MaskablePPO(
        policy,
        LearnerVecEnv(game, 256, shaping=by_material(2.0), gamma=0.97),
        n_steps=32,
        batch_size=1024,
        n_epochs=1,
        policy_kwargs={"game": game, "channels": 8, "kernels": (3, 1)} if own else {"net_arch": [32]},
        rollout_buffer_class=BoolMaskBuffer,
        seed=0,
        device="cpu",
    )
    losses = Losses()
    model.learn(200_000, callback=losses)
    assert model.num_timesteps >= 200_000
    assert len(losses.values) > 60
    assert np.isfinite(losses.values).all()
    assert all(torch.isfinite(parameter).all() for parameter in model.policy.parameters())


def test_maskable_ppo_runs_with_its_own_parts_too() -> None:
    """Neither the policy nor the buffer of this package is needed."""
    model = MaskablePPO("MlpPolicy", LearnerVecEnv(SMALL, 8, max_plies=6), n_steps=16, batch_size=64, n_epochs=1, device="cpu")
    model.learn(256)


def test_maskable_ppo_learns() -> None:
    """3x3, twenty thousand actions: from about a half against random play to much more."""
    game = inphexion_v0.game(board_size=3)
    venv = LearnerVecEnv(game, 64, mirror=True)
    model = model_of(venv, game, learning_rate=3e-3)
    agent = ModelAgent(model, mirror=True)
    before = evaluate(game, agent, "random", 1000, np.random.default_rng(0)).score
    model.learn(20_000)
    after = evaluate(game, agent, "random", 1000, np.random.default_rng(0)).score
    assert after > before + 0.15, (before, after)


def test_seeds_repeat_a_training() -> None:
    def weights(seed: int) -> Any:
        venv = LearnerVecEnv(SMALL, 16, mirror=True)
        model = model_of(venv, seed=seed)
        model.learn(256)
        return torch.cat([p.flatten() for p in model.policy.parameters()])

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


def test_a_saved_model_plays_the_same(tmp_path: Path) -> None:
    model = model_of(LearnerVecEnv(SMALL, 16, mirror=True))
    model.learn(256)
    model.save(tmp_path / "model.zip")
    model.policy.save(str(tmp_path / "policy.pt"))
    states = SMALL.init(300)
    rng = np.random.default_rng(0)
    for _ in range(5):
        states = SMALL.step(states, SMALL.sample(states, rng))
    states = SMALL.take(states, ~SMALL.is_terminal(states))
    expected = ModelAgent(model, mirror=True).act(SMALL, states, rng)
    assert SMALL.is_legal(states, expected).all()
    loaded = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    np.testing.assert_array_equal(ModelAgent(loaded, mirror=True).act(SMALL, states, rng), expected)
    policy = BoardPolicy.load(str(tmp_path / "policy.pt"), device="cpu")
    np.testing.assert_array_equal(ModelAgent(policy, mirror=True).act(SMALL, states, rng), expected)


def test_the_agent_sees_the_mirror() -> None:
    """It plays in a position as player_1 the image of what it plays in the image of that position as player_0."""
    model = model_of(LearnerVecEnv(SMALL, 16, mirror=True))
    agent, rng = ModelAgent(model, mirror=True), np.random.default_rng(0)
    symmetry = next(symmetry for symmetry in SMALL.symmetries if symmetry.exchanges)
    states = SMALL.init(200)
    for _ in range(3):
        states = SMALL.step(states, SMALL.sample(states, rng))
    states = SMALL.take(states, (SMALL.current_player(states) == 1) & ~SMALL.is_terminal(states))
    assert len(states[0]) > 50
    chosen = agent.act(SMALL, states, rng)
    image = symmetry.state(states)
    assert (SMALL.current_player(image) == 0).all()
    np.testing.assert_array_equal(symmetry.action(chosen), agent.act(SMALL, image, rng))
    assert (chosen != ModelAgent(model).act(SMALL, states, rng)).any()


def test_the_agent_can_draw() -> None:
    model = model_of(LearnerVecEnv(SMALL, 16))
    agent = ModelAgent(model, deterministic=False)
    states = SMALL.init(64)
    assert len(set(agent.act(SMALL, states, np.random.default_rng(0)).tolist())) > 5


def test_sb3s_own_evaluation() -> None:
    """It says what the rules say, without a warning, though the environment shapes rewards."""
    venv = LearnerVecEnv(SMALL, 4, opponent=first_legal, shaping=lead, gamma=0.9)
    model = model_of(LearnerVecEnv(SMALL, 4))
    rewards, lengths = evaluate_policy(model, venv, n_eval_episodes=12, return_episode_rewards=True)
    assert len(rewards) == len(lengths) == 12
    assert set(rewards) <= {1.0, -1.0}
    assert min(lengths) > 1


def test_a_monitor_would_overwrite_the_episodes() -> None:
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(LearnerVecEnv(SMALL, 4))


def test_evaluation_is_not_shaped() -> None:
    """What an agent scores is what the rules say: whole wins and losses, though it was trained with shaping."""
    model = model_of(LearnerVecEnv(SMALL, 16, shaping=lead, gamma=0.9))
    model.learn(128)
    result = evaluate(SMALL, ModelAgent(model), "random", 100, np.random.default_rng(0)).both
    assert result.wins + result.losses == 100
    assert result.score == result.wins / 100


# -------------------------------------------------------------------------------------------------------------- networks


@pytest.mark.parametrize(
    ("sizes", "cells", "heads"),
    [
        ((49,) * 7 + (1,), 49, Heads(7, 1, 0)),
        ((61,) * 6, 61, Heads(6, 0, 0)),
        ((49,) * 13 + (1176,), 49, Heads(13, 0, 1176)),
        ((49,) * 13 + tuple(range(48, 0, -1)), 49, Heads(13, 0, 1176)),
        ((18, 18), 19, None),  # 18 segments, in two directions
        ((7, 7, 30), 7, None),
        ((1, 49), 49, None),
        ((49, 60), 49, None),
    ],
)
def test_heads(sizes: tuple[int, ...], cells: int, heads: Heads | None) -> None:
    assert find_heads(sizes, cells) == heads


def test_logits_come_in_the_order_of_the_actions() -> None:
    """The logit of action cells*plane + cell is what the plane has at the cell's place; pairs are sums."""
    places = (1, 2, 3, 4)  # of a grid of 2 x 3
    head = ActionHead(Heads(2, 0, 6), 2, (2, 3), places)
    assert head.pairs is not None
    with torch.no_grad():
        for name, parameter in head.named_parameters():
            if name.endswith("bias"):
                parameter.zero_()
        head.planes.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0]])[:, :, None, None])
        head.pairs.weight.copy_(torch.tensor([[1.0, 0.0]])[:, :, None, None])
    features = torch.arange(12.0).reshape(1, 2, 2, 3)
    assert head(features)[0].tolist() == [1, 2, 3, 4, 7, 8, 9, 10, 3, 4, 5, 5, 6, 7]
    other = ActionHead(Heads(2, 3, 0), 2, (2, 3), places)
    assert other(features).shape == (1, 11)


@pytest.mark.parametrize("network", [None, "conv", "mlp"])
def test_networks(network: str | None) -> None:
    model = model_of(LearnerVecEnv(SMALL, 8), network=network, channels=4, kernels=(3, 1), hidden=8)
    assert isinstance(model.policy.action_net, torch.nn.Linear if network == "mlp" else ActionHead)
    model.learn(64)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("network", ["conv", "mlp"])
def test_numpy_gives_the_logits_that_torch_gives(name: str, network: str) -> None:
    """On states of random play; all weights drawn, since zero biases would hide their places. 70 games: several chunks."""
    game = game_of(name, {})
    if network == "conv" and heads_of(game) is None:
        return
    model = model_of(LearnerVecEnv(game, 2), game, network=network, channels=6, kernels=(5, 3), hidden=12)
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.normal_(std=0.3)
    states = mid_game(game, 120)
    states = game.take(states, np.flatnonzero(~game.is_terminal(states))[:70])
    seen, mask = game.observe(states), game.action_mask(states)
    assert len(seen) == 70
    with torch.no_grad():
        expected = model.policy.get_distribution(torch.as_tensor(seen))._logits.numpy()
    numpy_network = Network(game, model.policy.weights())
    np.testing.assert_allclose(numpy_network.logits(seen), expected, rtol=1e-4, atol=1e-4)
    assert np.ptp(expected, axis=1).min() > 0.1  # they differ
    chosen = NetworkAgent(numpy_network).act(game, states, np.random.default_rng(0))
    assert np.array_equal(chosen, np.where(mask, expected, -np.inf).argmax(1))


def test_numpy_plays_in_the_mirror() -> None:
    model, rng = model_of(LearnerVecEnv(SMALL, 16, mirror=True), channels=4), np.random.default_rng(0)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.normal_(std=0.3)
    states = mid_game(SMALL, 80)
    states = SMALL.take(states, ~SMALL.is_terminal(states))
    assert {0, 1} == set(SMALL.current_player(states).tolist())
    agents = ModelAgent(model, mirror=True), NetworkAgent(Network(SMALL, model.policy.weights()), mirror=True)
    first, second = (agent.act(SMALL, states, rng) for agent in agents)
    np.testing.assert_array_equal(first, second)


def test_no_network() -> None:
    with pytest.raises(ValueError, match="network is 'transformer'; it is 'conv', 'mlp' or None"):
        model_of(LearnerVecEnv(SMALL, 2), network="transformer")


def test_counts_are_scaled_by_their_bounds() -> None:
    high = np.ones((2, 3, 3), np.int8)
    high[1] = 100
    planes = ScaledPlanes(spaces.Box(np.zeros_like(high), high, dtype=np.int8))
    out = planes(torch.full((1, 2, 3, 3), 50.0)).reshape(2, 9)
    assert out[0].tolist() == [50.0] * 9
    assert out[1].tolist() == [0.5] * 9


def test_the_distribution_is_sb3_contribs() -> None:
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(50, 30, generator=generator)
    masks = torch.rand(50, 30, generator=generator) < 0.3
    masks[:, 7] = True
    ours, theirs = MaskedCategorical(30), MaskableCategoricalDistribution(30)
    for distribution in (ours, theirs):
        distribution.proba_distribution(logits)
        distribution.apply_masking(masks.numpy().astype(np.int8))
    assert torch.equal(ours.mode(), theirs.mode())
    actions = theirs.sample()
    torch.testing.assert_close(ours.log_prob(actions), theirs.log_prob(actions))
    assert ours.entropy() is None


def test_draws_follow_the_probabilities() -> None:
    torch.manual_seed(0)
    ours = MaskedCategorical(4)
    ours.proba_distribution(torch.tensor([[0.0, 1.0, 5.0, -1.0]]).repeat(40_000, 1))
    ours.apply_masking(np.array([[1, 1, 0, 1]]).repeat(40_000, 0))
    shares = np.bincount(ours.sample().numpy(), minlength=4) / 40_000
    weights = np.exp([0.0, 1.0, -np.inf, -1.0])
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.01)
    assert shares[2] == 0


def test_logits_that_are_no_numbers_are_refused() -> None:
    masks = np.array([[1, 1, 0], [1, 1, 0]])
    for place, refused in (((1, 1), True), ((1, 2), False)):  # of an illegal action it does not matter
        logits = torch.zeros(2, 3)
        logits[place] = torch.nan
        for use in (MaskedCategorical.sample, MaskedCategorical.mode, lambda found: found.log_prob(torch.tensor([0, 0]))):
            ours = MaskedCategorical(3).proba_distribution(logits)
            ours.apply_masking(masks)
            if refused:
                with pytest.raises(ValueError, match="logits are nan: training has diverged"):
                    use(ours)
            else:
                assert torch.isfinite(use(ours)).all()


# ------------------------------------------------------------------------------------------------------- extra, example


def test_what_is_missing_is_said() -> None:
    for module, missing in (("sb3", "stable_baselines3"), ("sb3_policy", "torch")):
        code = f"import sys; sys.modules['{missing}'] = None; import abstract_envs; import abstract_envs.envs.{module}"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
        says = 'needs the extra `train`: pip install ".[train]" in a clone'
        assert f"ImportError: abstract_envs.envs.{module} {says}" in run.stderr


BAD_SETTINGS = (
    ("steps", "steps is given no value; it is NAME=VALUE, such as steps=600000"),
    ("colour=3", "'colour' is no setting; there are steps, mirror, "),
    ("network=foo", "--set: network is 'foo'; it is one of 'conv', 'mlp'"),
    ("gamma=2", "--set: gamma is 2; it is a number from 0 to 1"),
    ("gamma=a b", "--set: gamma is 'a b'; it is a number from 0 to 1"),
    ("gae_lambda=-1", "--set: gae_lambda is -1; it is a number from 0 to 1"),
    ("final_rate=2", "--set: final_rate is 2; it is a number from 0 to 1"),
    ("learning_rate=0", "--set: learning_rate is 0; it is a number above 0"),
    ("mirror=yes", "--set: mirror is 'yes'; it is True or False"),
    ("kernels=3", "--set: kernels is 3; it is one odd size or more, such as (3, 3)"),
    ("pair_bias=1e9", "--set: pair_bias is 1000000000.0; it is a number from -100 to 100"),
    ("material=-1", "--set: material is -1; it is a number from 0 to 1e+09"),
    ("past=-1", "--set: past is -1; it is a number from 0 to 1e+09"),
    ("newest=2", "--set: newest is 2; it is a number from 0 to 1"),
    ("batch_size=1", "--set: batch_size is 1; it is a whole number of at least 2"),
    ("batch_size=8191", "--set: num_envs * n_steps is 8192; batches of 8191 must not leave one alone"),
)

BAD_OPTIONS = (
    ("--set random=0 --set greedy=0", "--set: some fixed agent has a weight above 0"),
    ("--game fano330_v0 --set network=conv", "--set: network is 'conv'; it is 'mlp' or None: the actions of fano330"),
    ("--steps 0", "--steps is 0; it is a whole number of at least 1"),
    ("--steps -5", "--steps is -5; it is a whole number of at least 1"),
    ("--seconds 0", "--seconds is 0.0; it is a number above 0"),
    ("--seed -1", "--seed is -1; it is a whole number from 0 to 4294967295"),
    ("--threads 0", "--threads is 0; it is a whole number of at least 1"),
    ("--games 0", "--games is 0; it is a whole number of at least 1"),
    ("--positions 0", "--positions is 0; it is a whole number of at least 1"),
    ("--at-least nan", "--at-least is nan; it is a number from 0 to 1"),
    ("--opponent nobody", "'nobody' is no agent; the agents known by name are"),
    ("--opponent perfect", "inphexion is not solved"),
)


def test_the_arguments_of_the_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What is out of range is said before the training; what made a policy is told as it was typed."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    example = importlib.import_module("train_maskable_ppo")

    def read(*options: str) -> Any:
        monkeypatch.setattr(sys, "argv", ["train_maskable_ppo.py", *options])
        return example.arguments()

    def refused(*options: str) -> str:
        with pytest.raises(SystemExit) as end:
            read(*options)
        assert end.value.code == 2
        return capsys.readouterr().err

    for text in ("snapshots=0", "snapshot_every=0", "snapshot_every=2.5", "num_envs=0", "steps=0", "channels=0", "hidden=0"):
        name, value = text.split("=")
        assert f"--set: {name} is {value}; it is a whole number of at least 1" in refused("--self-play", "--set", text)
    for text, says in BAD_SETTINGS:
        assert says in refused("--set", text), text
    for options, says in BAD_OPTIONS:
        assert f"error: {says}" in refused(*options.split()), options
    assert example.settings_of(read("--steps", "7", "--set", "steps=8")).steps == 7
    for kernels in ("(5,)", "[3, 1]"):
        assert read("--set", f"kernels={kernels}")
    start = "python examples/train_maskable_ppo.py --game inphexion_v0"
    typed = "--self-play --seed 3 --steps 900 --seconds 2.5 --set channels=4 --set 'kernels=(5, 1)'"
    assert example.command_of(read(*shlex.split(typed))) == f"{start} {typed}"
    assert example.command_of(read()) == f"{start} --opponent random --seed 0"
    assert "--evaluate: nowhere holds no run.json and no model.zip: it is a folder that a" in refused("--evaluate", "nowhere")


@pytest.mark.slow  # imports torch, Stable-Baselines3 and matplotlib twice
@pytest.mark.parametrize(
    ("options", "judges"),
    [([], ["random"]), (["--self-play", "--set", "snapshot_every=1", "--set", "channels=4"], ["random", "greedy"])],
)
def test_the_example(options: list[str], judges: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trains a little, then a fresh process loads the model and plays with it."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    script, folder = str(ROOT / "examples" / "train_maskable_ppo.py"), tmp_path / "run"
    command = [sys.executable, "-W", "error", script]
    train = [*command, "--game", "inphexion", "--steps", "9000", "--out", str(folder), "--games", "20", *options]
    first = subprocess.run(train, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert {path.name for path in folder.iterdir()} == {"model.zip", "policy.npz", "run.json", "progress.csv", "curve.png"}
    assert json.loads((folder / "run.json").read_text())["mirror"] is True
    rows = (folder / "progress.csv").read_text().splitlines()
    columns = [f'"{judge}, as player_{seat}"' for judge in judges for seat in (0, 1)]
    assert rows[0].split(",", 3) == ["steps", "seconds", "cpu", ",".join(columns)]
    assert len(rows) >= 3
    again = [*command, "--evaluate", str(folder), "--games", "20", "--at-least", "0.999"]
    second = subprocess.run(again, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path)
    assert (second.returncode, second.stdout) == (1, first.stdout)
    assert second.stdout.count("as player_1: score") == len(judges)
    policy = Policy.load(folder / "policy.npz")
    learnt, *changed = options or ["--opponent random"]
    words = ["python examples/train_maskable_ppo.py --game inphexion_v0", learnt, "--seed 0 --steps 9000", *changed]
    assert policy.command == " ".join(words)
    loaded, game, rng = MaskablePPO.load(folder / "model.zip", device="cpu"), inphexion_v0.game(), np.random.default_rng(0)
    states = mid_game(game, 80)
    states = game.take(states, ~game.is_terminal(states))
    same = policy.agent(game).act(game, states, rng) == ModelAgent(loaded, mirror=True).act(game, states, rng)
    assert same.mean() > 0.9  # float16 may change the order of two that are nearly alike


def test_a_module_is_no_game() -> None:
    with pytest.raises(TypeError, match="game is the module fano330_v0; it is the rules"):
        LearnerVecEnv(DOORS["fano330"], 4)  # type: ignore[arg-type]
    for make in (LearnerVecEnv, LearnerGames):
        with pytest.raises(TypeError, match=r"^game is 'alveole'; it is the rules, as the function game\(\) of a game's module"):
            make("alveole", 4)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"gamma": 3.0}, r"^gamma is 3.0; it is a number from 0 to 1$"),
        ({"gamma": "x"}, r"^gamma is 'x'; it is a number from 0 to 1$"),
        ({"shaping": "x"}, r"^shaping is 'x'; it is None or a function of game, states and players, as by_material\(1.0\)$"),
        ({"mirror": "yes"}, r"^mirror is 'yes'; it is True or False$"),
        ({"mirror": 1}, r"^mirror is 1; it is True or False$"),
    ],
)
def test_options_out_of_range(option: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        LearnerVecEnv(SMALL, 4, **option)


def test_a_model_agent_takes_true_or_false() -> None:
    model = model_of(LearnerVecEnv(SMALL, 2))
    for option in ("mirror", "deterministic"):
        with pytest.raises(ValueError, match=f"^{option} is 'no'; it is True or False$"):
            ModelAgent(model, **{option: "no"})


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"channels": 0}, r"^channels is 0; it is a whole number of at least 1$"),
        ({"hidden": 0}, r"^hidden is 0; it is a whole number of at least 1$"),
        ({"kernels": ()}, r"^kernels is \(\); it is one odd size or more"),
        ({"kernels": (3, 2)}, r"^kernels is \(3, 2\); it is one odd size or more"),
        ({"kernels": (0,)}, r"^a size in kernels is 0; it is a whole number of at least 1$"),
        ({"pair_bias": float("nan")}, r"^pair_bias is nan; it is a number from -100 to 100$"),
        (
            {"game": inphexion_v0.game(board_size=5)},
            r"^game is .*5.* observations \(.*, 5, 5\) and .* actions; it is .*, 4, 4\)",
        ),
        ({"game": DOORS["alveole"].game()}, r"it is the environment's game, which has observations"),
    ],
)
def test_a_policy_that_cannot_be(option: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        model_of(LearnerVecEnv(SMALL, 2), **option)


def test_a_policy_plays_games() -> None:
    with pytest.raises(TypeError, match="game is 'inphexion'; it is the rules"):
        model_of(LearnerVecEnv(SMALL, 2), game="inphexion")


def test_a_tensor_keeps_its_memory() -> None:
    """Memory of compiled vector environments is used again, but not what a tensor shows."""
    venv = inphexion_v0.vector_env(4, board_size=3, backend="numba")
    held = torch.from_numpy(venv.reset(seed=0)[0])
    before, rng = held.clone(), np.random.default_rng(0)
    for _ in range(8):
        venv.step(venv.sample(rng))
    assert torch.equal(held, before)
