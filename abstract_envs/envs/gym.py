"""gymnasium environments: one learner against an opponent inside, for one game (on ints) and for batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from abstract_envs.agents import AgentLike, act_one, drawn, resolve
from abstract_envs.core.chance import check_seed, fresh_seed
from abstract_envs.core.drawing import Drawing
from abstract_envs.core.game import Game
from abstract_envs.core.options import whole_number
from abstract_envs.core.view import View
from abstract_envs.envs.aec import AGENTS, InvalidAction, RawEnv
from abstract_envs.envs.learner import LearnerGames
from abstract_envs.envs.seats import Seat, check_seat, seat_of
from abstract_envs.envs.spaces import action_space, observation_space

__all__ = ["LearnerEnv", "LearnerVectorEnv"]

Observation = NDArray[np.int8]


class LearnerEnv(gymnasium.Env[Observation, int]):
    """One game. Observations are ``int8[P, R, C]``, rewards the learner's: +1, -1 or 0 at the end.

    ``info`` has ``action_mask``, ``int8[A]``, all zero after the end, and ``seat``, where the learner sits.

    An illegal action ends the game with -1, terminated; `InvalidAction` for one that is no whole number or out of range,
    nothing changed. A game that is over before the learner could act (a position set up so) ends with its first step.
    """

    def __init__(self, raw: RawEnv, opponent: AgentLike = "random", seat: Seat = "alternate", mirror: bool = False) -> None:
        """
        raw: the game inside; its ply limit counts the actions of both players.
        opponent: an agent, a function ``act(game, states, rng)``, or a name. It plays whenever it is to act, after `reset`
            as well. ValueError for an illegal action of its own. Of an `OpponentPool` a member plays, drawn when a game starts.
        seat: 0 or 1; "alternate": (seed + episode) % 2.
        mirror: show player_1 the game as player_0 would see it; see `View`.
        """
        self.metadata = {key: raw.metadata[key] for key in ("name", "render_modes", "render_fps")}
        self.render_mode = raw.render_mode
        self.observation_space = observation_space(raw.game)  # type: ignore[assignment]
        self.action_space = action_space(raw.game)  # type: ignore[assignment]
        self._raw = raw
        self._opponent = self._player = resolve(opponent, raw.game)
        self._option: Seat = check_seat(seat)
        self._view = View(raw.game, mirror)
        self._number: int | None = None
        self._seat = 0
        self._over = True  # until reset

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Starts a game.

        seed: of the deal, of the learner's seat and of the opponent's draws; without one they go on from the seed given last.
        options: ``{"position": text}`` starts there (ValueError for an impossible one); other keys are ignored.
        """
        first = check_seed(seed) if seed is not None else fresh_seed() if self._number is None else None
        self._raw.reset(first, options)
        super().reset(seed=seed)
        self._number = self._number + 1 if first is None else first  # type: ignore[operator]
        self._seat = seat_of(self._option, self._number)
        self._over = False
        self._player = drawn(self._opponent, self.np_random)
        self._answer()
        return self._see()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays the learner's action and the opponent's answers -> (observation, reward, terminated, truncated, info)."""
        raw, game = self._raw, self._raw.game
        if self._over:
            raise ResetNeeded("reset() needs to be called before step(), and again after the end of a game")
        try:
            action = self._view.action(whole_number("action", action, 0, game.num_actions - 1), self._seat)
        except ValueError as error:
            raise InvalidAction(str(error)) from None
        if not self._ended():
            if not game.is_legal(raw.game_state, action):
                self._over = True
                raw.show_foul(self._seat)
                observation, info = self._see()
                return observation, -1.0, True, False, info
            raw.step(action)
            self._answer()
        learner = AGENTS[self._seat]
        self._over = self._ended()
        observation, info = self._see()
        return observation, raw.rewards[learner], raw.terminations[learner], raw.truncations[learner], info

    def action_masks(self) -> NDArray[np.int8]:
        """The learner's legal actions, ``int8[A]``, where sb3-contrib looks for them. A fresh array."""
        if self._number is None:
            raise ResetNeeded("reset() needs to be called before action_masks()")
        return self._see()[1]["action_mask"]

    def render(self) -> str | NDArray[np.uint8] | None:  # type: ignore[override]
        """The board as the render mode says; None in mode "human", in which a window shows every step."""
        return self._raw.render()

    def drawing(self) -> Drawing:
        """The position and the last action, as the data that `render` shows."""
        return self._raw.drawing()

    def _repr_svg_(self) -> str | None:
        return self._raw._repr_svg_()

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._raw.close()

    def _see(self) -> tuple[Observation, dict[str, Any]]:
        state = self._raw.game_state
        if self._over or self._ended():
            observation, mask = self._view.observe(state, self._seat), np.zeros(self._raw.game.num_actions, np.int8)
        else:
            observation, mask = self._view.see(state, self._seat)
        return observation, {"action_mask": mask, "seat": self._seat}

    def _ended(self) -> bool:
        learner = AGENTS[self._seat]
        return self._raw.terminations[learner] or self._raw.truncations[learner]

    def _answer(self) -> None:
        """Lets the opponent play until the learner is to act or the game is over."""
        raw, game = self._raw, self._raw.game
        while game.current_player(raw.game_state) != self._seat and not self._ended():
            action = act_one(self._player, game, raw.game_state, self.np_random)
            if not game.is_legal(raw.game_state, action):
                raise ValueError(f"the opponent's action {action} is illegal")
            raw.step(action)


class LearnerVectorEnv(gymnasium.vector.VectorEnv[Observation, ArrayLike, NDArray[Any]]):
    """``num_envs`` games stepped together; game i of ``reset(seed=s)`` is that of a `LearnerEnv` after ``reset(seed=s + i)``.

    Observations are ``int8[N, P, R, C]``, rewards ``float32[N]``, the learner's. ``info`` has ``action_mask``, ``int8[N, A]``,
    and ``seat``, ``int8[N]``; with same-step autoreset, where games ended, also ``final_obs`` (objects, None for the others)
    and ``final_info`` of these two. As gymnasium has it, ``_name`` beside ``name`` says for which games it holds.

    Options as of `LearnerGames`.
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        name: str,
        opponent: AgentLike = "random",
        seat: Seat = "alternate",
        mirror: bool = False,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.games = LearnerGames(game, num_envs, opponent, seat, mirror, max_plies, autoreset_mode)
        self.num_envs = self.games.num_envs
        self.metadata = {"name": name, "render_modes": [], "autoreset_mode": self.games.autoreset_mode}
        self.single_observation_space = observation_space(game)
        self.single_action_space = action_space(game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts all games, or those of a mask, and returns the observations of all and ``info``.

        seed: one number, or one for every game.
        options: ``{"reset_mask": bool[N]}`` starts these games only; ``{"position": text}``, or a text for every game,
            starts there; other keys are ignored. ValueError for a bad mask or position, nothing changed.
        """
        self.games.reset(seed, options)
        return self.games.observe(), self._info()

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays an action ``[N]`` in every game -> (observations, rewards, terminations, truncations, info)."""
        step = self.games.step(actions)
        info = self._info()
        if len(step.final_observations):
            info |= self._final(step.ended, step.final_seats, step.final_observations)
        return self.games.observe(), step.rewards, step.terminations, step.truncations, info

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions of every game: ``int8[N, A]``. A fresh array."""
        return self.games.action_masks()

    def _info(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, bool)
        return {
            "action_mask": self.games.action_masks(),
            "_action_mask": everywhere,
            "seat": self.games.seats.copy(),
            "_seat": everywhere.copy(),
        }

    def _final(self, ended: NDArray[np.int64], seats: NDArray[np.int8], observations: Observation) -> dict[str, Any]:
        over = np.zeros(self.num_envs, bool)
        over[ended] = True
        final_obs = np.full(self.num_envs, None, object)
        final_obs[ended] = np.fromiter(observations, object, len(ended))
        final_seat = np.zeros(self.num_envs, np.int8)
        final_seat[ended] = seats
        final_info = {
            "action_mask": np.zeros((self.num_envs, self.games.game.num_actions), np.int8),
            "_action_mask": over.copy(),
            "seat": final_seat,
            "_seat": over.copy(),
        }
        return {"final_obs": final_obs, "_final_obs": over, "final_info": final_info, "_final_info": over.copy()}
