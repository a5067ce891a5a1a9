"""Stable-Baselines3: a VecEnv of games against an opponent inside, and a trained model as an agent.

    from sb3_contrib import MaskablePPO
    from abstract_envs import inphexion_v0
    from abstract_envs.envs.sb3 import LearnerVecEnv, ModelAgent
    from abstract_envs.envs.sb3_policy import BoardPolicy, BoolMaskBuffer

    game = inphexion_v0.game()
    venv = LearnerVecEnv(game, num_envs=256, mirror=True)
    model = MaskablePPO(BoardPolicy, venv, n_steps=32, policy_kwargs={"game": game}, rollout_buffer_class=BoolMaskBuffer)
    model.learn(100_000)
    print(evaluate(game, ModelAgent(model, mirror=True), "random", 2_000, np.random.default_rng(0)))

Needs the extra `train`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.options import extra, flag

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn
except ImportError as error:
    raise ImportError(f"abstract_envs.envs.sb3 needs {extra('train')}") from error

from abstract_envs.agents import AgentLike
from abstract_envs.core.game import Game, check_game
from abstract_envs.core.view import act_by_view
from abstract_envs.envs.learner import LearnerGames, Shaping
from abstract_envs.envs.seats import Seat
from abstract_envs.envs.spaces import action_space, observation_space

__all__ = ["LearnerVecEnv", "ModelAgent"]


class LearnerVecEnv(VecEnv):
    """``num_envs`` games stepped together, in each a learner against an opponent.

    Options as of `LearnerGames`, but for max_plies: None is the limit of the game's environments.

    Observations are ``int8[N, P, R, C]``, rewards ``float32[N]``: +1, -1 or 0 at the end, plus shaping if there is any.
    The infos of a game that ended hold ``terminal_observation``, ``TimeLimit.truncated`` and ``episode``: ``r``, its reward
    without shaping, ``l``, the learner's actions, ``t``, seconds since the environment was made, and ``seat``, the learner's.
    SB3's `evaluate_policy` takes results from there, so neither Monitor nor VecMonitor has to be put around it.
    MaskablePPO finds the masks; `action_masks` is the method it calls. ``game`` are the rules.
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        opponent: AgentLike = "random",
        seat: Seat = "alternate",
        mirror: bool = False,
        max_plies: int | None = None,
        shaping: Shaping | None = None,
        gamma: float = 1.0,
    ) -> None:
        check_game(game)
        self.game = game
        limit = game.default_max_plies if max_plies is None else max_plies
        self.games = LearnerGames(game, num_envs, opponent, seat, mirror, limit, shaping=shaping, gamma=gamma)
        self._lengths = np.zeros(self.games.num_envs, np.int64)
        self._made_at = time.time()
        self._actions: NDArray[np.int64] | None = None
        super().__init__(self.games.num_envs, observation_space(game), action_space(game))

    def reset(self) -> NDArray[np.int8]:
        """Starts all games, with the seeds and options (``{"position": text}``) set before, and returns ``int8[N, P, R, C]``."""
        positions = [options.get("position") for options in self._options]
        if any(positions) and not all(positions):
            raise ValueError("set_options: a position is given to all games or to none")
        self.games.reset(
            None if self._seeds[0] is None else self._seeds,  # type: ignore[arg-type]
            {"position": positions} if any(positions) else None,
        )
        self._reset_seeds()
        self._reset_options()
        self._lengths[:] = 0
        return self.games.observe()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the actions, ``[N]``; `step_wait` plays them."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """-> (observations, rewards, dones, infos); a game that ended has been started anew."""
        assert self._actions is not None, "step_async() comes first"
        step = self.games.step(self._actions)
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]  # as SB3 wants it
        seconds = round(time.time() - self._made_at, 6)
        for k, i in enumerate(step.ended.tolist()):
            episode = {"r": float(step.rewards[i]), "l": int(self._lengths[i]), "t": seconds, "seat": int(step.final_seats[k])}
            infos[i] = {
                "terminal_observation": step.final_observations[k],
                "TimeLimit.truncated": bool(step.truncations[i]),
                "episode": episode,
            }
        self._lengths[step.ended] = 0
        return self.games.observe(), step.rewards + step.shaping, step.terminations | step.truncations, infos

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions of every game: ``int8[N, A]``. A fresh array."""
        return self.games.action_masks()

    def close(self) -> None:
        """Nothing to release."""

    # --------------------------------------------------------------------- what SB3 asks of the environments it thinks inside

    def has_attr(self, attr_name: str) -> bool:
        """Whether the environment has the attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute, once for every game asked for: there is one environment inside."""
        if attr_name == "render_mode":  # asked for by SB3 before it sets it
            return [None for _ in self._get_indices(indices)]
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Sets the attribute for all games; ValueError for some of them."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"{attr_name} is one for all games: set_attr takes no indices here")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any) -> Any:
        """``action_masks``: the rows asked for, as one array. No other method: AttributeError."""
        if method_name != "action_masks":
            raise AttributeError(f"{type(self).__name__} has the environment method action_masks, not {method_name!r}")
        masks = self.action_masks()
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped, but what SB3 wants a `Monitor` for is there: ``episode`` in the infos."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[None]:
        """No pictures."""
        return [None] * self.num_envs


class _Model(Protocol):
    def predict(
        self,
        observation: NDArray[np.int8],
        state: None = None,
        episode_start: None = None,
        deterministic: bool = False,
        action_masks: NDArray[np.int8] | None = None,
    ) -> tuple[NDArray[np.int64], Any]: ...


class ModelAgent:
    """A trained MaskablePPO (or its policy alone) as an agent: one network pass an action.

    mirror: as it was trained.
    deterministic: the likeliest action; otherwise one drawn from the policy, by torch's generator.
    """

    def __init__(self, model: _Model, mirror: bool = False, deterministic: bool = True) -> None:
        self._model = model
        self._mirror = flag("mirror", mirror)
        self._deterministic = flag("deterministic", deterministic)

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of a batch of states: ``int64[B]``."""

        def choose(seen: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
            return self._model.predict(seen, deterministic=self._deterministic, action_masks=masks)[0]

        return act_by_view(game, states, self._mirror, choose)
