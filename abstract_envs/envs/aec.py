"""PettingZoo AEC environments, written once for all games: `RawEnv`, and `GuardedEnv`, which checks what it is given."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from abstract_envs.core.chance import check_seed, fresh_seed
from abstract_envs.core.drawing import Drawing
from abstract_envs.core.game import Game
from abstract_envs.core.options import given, one_of, whole_number
from abstract_envs.envs.spaces import action_space, observation_space
from abstract_envs.render.ansi import has_colour, to_ansi
from abstract_envs.render.options import DEFAULT, RenderOptions
from abstract_envs.render.svg import to_svg

if TYPE_CHECKING:
    from abstract_envs.render.window import Window

__all__ = ["AGENTS", "RENDER_FPS", "RENDER_MODES", "GuardedEnv", "InvalidAction", "RawEnv", "read_position"]

AGENTS = ("player_0", "player_1")
RENDER_MODES = ("ansi", "human", "rgb_array", "svg")
RENDER_FPS = 2

Draw = Callable[[Any, Any, Any, bool], Drawing]
"""(game, state, (state before, action) or None, whether to show the legal actions)"""


class InvalidAction(ValueError, AssertionError):
    """An action that is no whole number, or not one of the action space. Nothing has changed."""


class RawEnv(AECEnv[str, dict[str, NDArray[np.int8]], int]):
    """A game as an AEC environment without guards: legality, and the order of calls, are the caller's.

    Observations are ``{"observation": int8[P, R, C], "action_mask": int8[A]}``, fresh arrays at every call; the agent not
    to move sees an all-zero mask, as everybody does after the end. Rewards come at the end: +1, -1, or 0 each.
    """

    metadata: dict[str, Any]

    _window: Window | None = None

    def __init__(
        self,
        game: Game[Any],
        draw: Draw,
        name: str,
        render_mode: str | None = None,
        max_plies: int | None = None,
        render_options: RenderOptions = DEFAULT,
    ) -> None:
        """
        game: the rules.
        draw: its drawing, for `render`.
        name: of the environment, with its version.
        render_mode: None; "human": a window shows every step; or what `render` returns: "ansi", a text; "svg", the text of
            an SVG document; "rgb_array", ``uint8[height, width, 3]``.
        max_plies: truncate both players after so many actions; None: never.
        render_options: how pictures are to look.

        ImportError that names the extra, if what the render mode needs is not installed.
        """
        super().__init__()
        if render_mode is not None:
            _import_for(one_of("render_mode", render_mode, RENDER_MODES))
        self.game = game
        self.render_mode = render_mode
        self.max_plies = None if max_plies is None else whole_number("max_plies", max_plies, 1)
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self.possible_agents = list(AGENTS)
        self._draw = draw
        self._render_options = render_options
        self._look_up()
        self._seed: int | None = None
        self._episode = 0
        seen = spaces.Dict(
            {"observation": observation_space(game), "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8)}
        )
        self.observation_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(AGENTS, seen)
        # actions are drawn from these: seeding one agent's space is not to seed the other's
        self.action_spaces: dict[str, spaces.Space[Any]] = {agent: action_space(game) for agent in AGENTS}
        self.state_space = observation_space(game)

    def _look_up(self) -> None:
        """The functions that every step calls, as attributes of its own."""
        self._advance, self._view = self.game.advance_one, self.game.view_one

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_advance", "_view", "_window")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._look_up()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    # ------------------------------------------------------------------------------------------------------ playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game.

        seed: of the deal, where the game has chance; without one the deals go on from the seed given last.
        options: ``{"position": text}`` starts there (ValueError for an impossible one); other keys are ignored.
        """
        position = read_position(self.game, options)
        if seed is not None:
            self._seed, self._episode = check_seed(seed), 0
        elif self._seed is None:
            self._seed, self._episode = fresh_seed(), 0
        else:
            self._episode += 1
        state = self.game.episode_start(self._seed, self._episode) if position is None else position
        self._begin(state)
        if self.render_mode == "human":
            self.render()

    def _begin(self, state: Any) -> None:
        self._state = state
        self._plies = 0
        self._last: tuple[Any, int] | None = None
        self._foul: int | None = None
        self.agents = list(AGENTS)
        self.infos = {agent: {} for agent in AGENTS}
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._skip_agent_selection: str | None = None
        self.agent_selection = AGENTS[state.player]
        if state.outcome:
            self._end(state)

    @property
    def game_state(self) -> Any:
        """The state of the rules. Setting it starts a game there, as ``reset`` with a position does: plies count from it."""
        return self._state

    @game_state.setter
    def game_state(self, state: Any) -> None:
        if type(state) is not type(self._state) or type(state[0]) is not int:
            raise TypeError(f"game_state is a State of {self.game!r} for one game, not {state!r}")
        # of another size of board, as far as it can be told
        if any(word >> size for word, size in zip(self.game.key_words(state), self.game.key_layout.sizes, strict=True)):
            raise ValueError(f"game_state is a State of {self.game!r}; {state!r} has pieces beside its board")
        self._begin(state)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Plays an action of the agent to move; None for an agent whose game has ended."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]
            return
        before = self._state
        if type(action) is not int:
            action = int(action)  # type: ignore[arg-type]
        state = self._state = self._advance(before, action)
        self._last = before, action
        self._plies += 1
        # until the end all rewards are zero, and so are their sums
        self.agent_selection = AGENTS[state.player]
        if state.outcome:
            self._end(state)
        elif self._plies == self.max_plies:
            self.truncations = dict.fromkeys(AGENTS, True)
        if self.render_mode == "human":
            self.render()

    def _end(self, state: Any) -> None:
        self.terminations = dict.fromkeys(AGENTS, True)
        self.rewards = dict(zip(AGENTS, self.game.rewards(state), strict=True))
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        """What an agent sees. Pure: calling it changes nothing, and what it returns is the caller's."""
        state = self._state
        if agent == AGENTS[state.player] and not (self.terminations.get(agent, True) or self.truncations[agent]):
            observation, mask = self._view(state)
        elif agent in AGENTS:
            observation = self.game.observe(state, AGENTS.index(agent))
            mask = np.zeros(self.game.num_actions, np.int8)
        else:
            raise ValueError(f"{agent!r} is no agent; the agents are {', '.join(AGENTS)}")
        return {"observation": observation, "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[dict[str, NDArray[np.int8]] | None, float, bool, bool, dict[str, Any]]:
        """Of the agent to act: observation (None without ``observe``), summed reward, termination, truncation, info."""
        agent = self.agent_selection
        terminated, truncated = self.terminations[agent], self.truncations[agent]
        if not observe:
            seen = None
        elif terminated or truncated:
            seen = self.observe(agent)
        else:  # what `observe` gives for who is to act, without asking who that is
            observation, mask = self._view(self._state)
            seen = {"observation": observation, "action_mask": mask}
        return seen, self._cumulative_rewards[agent], terminated, truncated, self.infos[agent]

    def state(self) -> NDArray[np.int8]:
        """The position as player_0 sees it: ``int8[P, R, C]``."""
        return self.game.observe(self._state, 0)

    # ------------------------------------------------------------------------------------------------------ showing

    def drawing(self) -> Drawing:
        """The position and the last action, as the data that `render` shows; also how the game was ended, if not by its rules.

        gymnasium's ResetNeeded before the first reset.
        """
        if "_state" not in vars(self):
            raise ResetNeeded("reset() needs to be called before there is something to show")
        drawing = self._draw(self.game, self._state, self._last, self._render_options.legal_moves)
        if self._foul is not None:
            return drawing.ended(self._foul, "has ended the game by an illegal action")
        if self._plies == self.max_plies and not self._state.outcome:
            return drawing.cut_off(self._plies)
        return drawing

    def show_foul(self, player: int) -> None:
        """Lets pictures say that an illegal action of this player has ended the game, until the next one begins."""
        self._foul = player
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:  # type: ignore[override]
        """The board as the render mode says; None in mode "human", and without a render mode, with a warning."""
        options = self._render_options
        if self.render_mode is None:
            modes = ", ".join(map(repr, RENDER_MODES))
            gymnasium.logger.warn(f"render() without a render_mode: make the environment with one of {modes}.")
            return None
        drawing = self.drawing()
        if self.render_mode == "ansi":
            return to_ansi(drawing, has_colour(sys.stdout), options)
        if self.render_mode == "svg":
            return to_svg(drawing, options)
        if self.render_mode == "rgb_array":
            from abstract_envs.render.pixels import to_rgb

            return to_rgb(drawing, options)
        if self._window is None:
            from abstract_envs.render.window import Window

            self._window = Window(self.metadata["name"], options, self.metadata["render_fps"])
        self._window.show(drawing)
        return None

    def _repr_svg_(self) -> str | None:
        """What notebooks show; nothing before the first reset."""
        return to_svg(self.drawing(), self._render_options) if "_state" in vars(self) else None

    def close(self) -> None:
        """Closes the window, if there is one; `render` opens another."""
        window, self._window = self._window, None
        if window is not None:
            window.close()


def _import_for(render_mode: str) -> None:
    """Loads what a render mode needs: ImportError that names the extra, where that is missing."""
    if render_mode == "rgb_array":
        import_module("abstract_envs.render.pixels")
    elif render_mode == "human":
        import_module("abstract_envs.render.window")


_BEFORE_RESET = {
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "agent_selection",
    "num_agents",
    "agents",
    "game_state",
    "_state",
}


class _Turns:
    """The agents to move, one after the other; can be gone through again."""

    def __init__(self, env: GuardedEnv, most: int) -> None:
        self._env, self._most = env, most

    def __iter__(self) -> Iterator[str]:
        return self._env._agents_to_move(self._most)


class GuardedEnv(RawEnv):
    """`RawEnv` with what PettingZoo's TerminateIllegal, AssertOutOfBounds and OrderEnforcing wrappers do, without their cost.

    An illegal action ends the game: -1 for the mover, 0 for the other, terminations and truncations True. One that is no
    whole number or out of range raises `InvalidAction`. Calls before `reset` raise an AssertionError.
    """

    _ready: bool = False  # until reset
    _updated: bool = False  # whether step or reset was called since agent_iter gave an agent

    def __getattr__(self, name: str) -> Any:
        # only asked for what is not there, as all of these are before reset
        if name in _BEFORE_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _begin(self, state: Any) -> None:
        super()._begin(state)
        self._ready = self._updated = True

    def step(self, action: int | None) -> None:
        """Plays an action of the agent to move; None for an agent whose game has ended."""
        if not self._ready:
            EnvLogger.error_step_before_reset()
        self._updated = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                self._check(action)
            self._was_dead_step(action)  # type: ignore[arg-type]
        else:
            action = self._check(action)
            if self.game.action_layout.has(self._state.legal, action):
                super().step(action)
            else:
                self._end_illegally(agent)

    def _check(self, action: object) -> int:
        if type(action) is not int:
            number = isinstance(action, np.ndarray) and action.ndim == 0 and action.dtype.kind in "iu"
            if not (number or (isinstance(action, int | np.integer) and not isinstance(action, bool))):
                raise InvalidAction(f"action is {action!r}; it is a whole number from 0 to {self.game.num_actions - 1}")
            action = operator.index(action)  # type: ignore[arg-type]
        if not 0 <= action < self.game.num_actions:
            raise InvalidAction(f"action is {action}; it is a whole number from 0 to {self.game.num_actions - 1}")
        return action

    def _end_illegally(self, mover: str) -> None:
        EnvLogger.warn_on_illegal_move()
        self.terminations = dict.fromkeys(AGENTS, True)
        self.truncations = dict.fromkeys(AGENTS, True)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self.rewards[mover] = -1.0
        self._accumulate_rewards()
        self._deads_step_first()
        self.show_foul(AGENTS.index(mover))

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        if not self._ready:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def state(self) -> NDArray[np.int8]:
        if not self._ready:
            EnvLogger.error_state_before_reset()
        return super().state()

    def drawing(self) -> Drawing:
        if not self._ready:
            EnvLogger.error_render_before_reset()
        return super().drawing()

    def render(self) -> str | NDArray[np.uint8] | None:  # type: ignore[override]
        if not self._ready:
            EnvLogger.error_render_before_reset()
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> _Turns:  # type: ignore[override]
        """The agent to move, until the game is over; AssertionError if neither step nor reset is called in between."""
        if not self._ready:
            EnvLogger.error_agent_iter_before_reset()
        return _Turns(self, max_iter)

    def _agents_to_move(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            assert self._updated, "need to call step() or reset() in a loop over `agent_iter`"
            self._updated = False
            max_iter -= 1
            yield self.agent_selection


def read_position(game: Game[Any], options: dict[str, Any] | None) -> Any:
    """The state of ``options["position"]``; None where there is none. ValueError that says what is wrong with it."""
    position = given(options, "position")
    return None if position is None else game.from_string(position)
