"""Thousands of games at once: `VectorEnv`, for self-play."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from abstract_envs.core.actions import check_actions, refuse
from abstract_envs.core.chance import check_seed, fresh_seed
from abstract_envs.core.game import Game, Seen
from abstract_envs.core.options import given, whole_number
from abstract_envs.envs.arrays import Arrays, SparseArrays
from abstract_envs.envs.spaces import action_space, observation_space

__all__ = [
    "Deals",
    "VectorEnv",
    "autoreset",
    "consecutive",
    "read_positions",
    "read_reset_mask",
    "read_seeds",
]

Observation = NDArray[np.int8]


class VectorEnv:
    """``num_envs`` games of one kind, stepped together; every array has the games as first axis.

    Observations ``int8[N, P, R, C]`` are those of the player to act. ``info`` has

    * ``action_mask``: ``int8[N, A]``, all zero where the game has ended;
    * ``current_player``: ``int8[N]``, who is to act;
    * with same-step autoreset, where some game ended: ``final_obs``, ``int8[N, P, R, C]``, what the player to act would
      have seen of the ended game, ``final_player``, ``int8[N]``, who that is, and ``_final_obs``, ``bool[N]``, for
      which games (the rows of the others are zero).

    Rewards are ``float32[N, 2]``, by player, whoever acted. Arrays are the caller's: none changes
    as long as anybody refers to it. ``states`` is the batch of states.

    Autoreset, as gymnasium names it: SAME_STEP starts an ended game anew in the same call; NEXT_STEP in the next one, which
    ignores its action; DISABLED leaves it as it is until ``reset(options={"reset_mask": ...})``, and a step before that is a
    ValueError.
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        name: str,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        self.game = game
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self.max_plies = None if max_plies is None else whole_number("max_plies", max_plies, 1)
        self.autoreset_mode = autoreset(autoreset_mode)
        self.metadata: dict[str, Any] = {"name": name, "render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = observation_space(game)
        self.single_action_space = action_space(game)
        self._deals = Deals(game, self.num_envs)
        self._observations = Arrays((self.num_envs, *game.observation_shape))
        self._masks = Arrays((self.num_envs, game.num_actions))
        self._final_obs = SparseArrays(self._observations.shape, game)
        self._states: Any = None
        self._legal: Any = None  # the legal actions of `_states`, packed
        self._first_look: Seen | None = None  # what is seen of the start, where there is only one
        self._plies = np.zeros(self.num_envs, np.int64)
        self._over = np.zeros(self.num_envs, bool)

    # made when they are asked for: the bounds of a batch's space are four bytes for every number of its observations
    @cached_property
    def observation_space(self) -> spaces.Space[Any]:
        """That of all games together."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:
        """That of all games together."""
        return batch_space(self.single_action_space, self.num_envs)

    @property
    def states(self) -> Any:
        """The batch of states, after autoreset. AttributeError before the first reset."""
        if self._states is None:
            raise AttributeError("states cannot be accessed before reset")
        return self._states

    def reset(
        self, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts all games, or those of a mask, and returns the observations of all and ``info``.

        seed: game i is dealt as an AEC environment deals after ``reset(seed=seed + i)`` (or ``seed[i]``), its later episodes
            as after further ``reset()``. None: the deals go on from the seed given last.
        options: ``{"reset_mask": bool[N]}`` starts these games only; ``{"position": text}``, or a text for every game,
            starts there; other keys are ignored. ValueError for a bad mask or position, nothing changed.
        """
        rows = read_reset_mask(options, self.num_envs, first=self._states is None)
        positions = read_positions(self.game, options, rows, self.num_envs)
        seen = self._start(rows, read_seeds(seed, self.num_envs), positions)
        return seen.observation, {"action_mask": seen.action_mask, "current_player": seen.player}

    def _start(self, rows: NDArray[np.int64], seeds: NDArray[np.uint64] | None, positions: Any) -> Seen:
        """Starts the games ``rows`` with what `read_seeds` and `read_positions` have read -> what is seen of all."""
        deals = self._deals.fork()
        dealt = deals.start(rows, seeds)
        fresh = dealt if positions is None else positions
        states = fresh if self._states is None else self.game.put(self._states, rows, fresh)
        plies, over = self._plies.copy(), self._over.copy()
        plies[rows], over[rows] = 0, self.game.is_terminal(fresh)
        seen = self._see(states, over)
        self._states, self._legal, self._plies, self._over, self._deals = states, seen.legal, plies, over, deals
        return seen

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays an action in every game -> (observations, rewards ``[N, 2]``, terminations ``[N]``, truncations ``[N]``, info).

        actions: integers ``[N]``. ValueError, nothing stepped, that names the games whose action is illegal.
        """
        if self._states is None:
            raise AssertionError("reset() needs to be called before step.")
        actions = check_actions(actions, self.num_envs)
        refuse(actions, *self._refused(actions))
        return self._play(actions)

    def _refused(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The games that a step may not be made in, for they have ended, and those whose action is illegal."""
        over = self._over
        ended = over.nonzero()[0]
        if len(ended) and self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            return ended, ended[:0]
        return ended[:0], (~(self.game.batch_actions.has_in_rows(self._legal, actions) | over)).nonzero()[0]

    def _play(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """`step` with actions of which none is refused."""
        waiting = self._over.nonzero()[0]
        if len(waiting):
            actions = np.where(self._over, 0, actions)  # what was given for these is not looked up
        plies, deals = self._plies + 1, self._deals.fork()
        states, seen = self.game.turn(self._states, actions, *self._targets())
        terminations, rewards = seen.over, seen.rewards
        if len(waiting):
            terminations[waiting], rewards[waiting], plies[waiting] = False, 0, 0
            states, seen = self._restarted(waiting, deals, states, seen)
        truncations = np.zeros(self.num_envs, bool)
        if self.max_plies is not None:
            truncations = (plies == self.max_plies) & ~terminations
            seen.action_mask[truncations] = 0
        over = terminations | truncations
        info: dict[str, Any] = {"action_mask": seen.action_mask, "current_player": seen.player}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            ended = over.nonzero()[0]
            if len(ended):
                info |= self._final(over, ended, seen)
                states, seen = self._restarted(ended, deals, states, seen)
                plies[ended], over = 0, np.zeros(self.num_envs, bool)
        # at the end and all at once: a step that Ctrl-C interrupts has been made or not
        self._states, self._legal, self._plies, self._over, self._deals = states, seen.legal, plies, over, deals
        return seen.observation, rewards, terminations, truncations, info

    def _targets(self) -> tuple[Observation | None, NDArray[np.int8] | None]:
        """What observations and masks are written on; None: fresh arrays."""
        return (self._observations.take(), self._masks.take()) if self.game.writes_in_place else (None, None)

    def _see(self, states: Any, over: NDArray[np.bool_]) -> Seen:
        """What is seen of states of which some have ended, by their rules or by the ply limit."""
        seen = self.game.look(states, *self._targets())
        if self.max_plies is not None and over.any():
            seen.action_mask[over] = 0
        return seen

    def _final(self, over: NDArray[np.bool_], ended: NDArray[np.int64], seen: Seen) -> dict[str, Any]:
        """What ``info`` has of the games that ended, as long as they are what is seen."""
        final_obs = self._final_obs.with_rows(ended, seen.observation)
        final_player = np.zeros(self.num_envs, np.int8)
        final_player[ended] = seen.player[ended]
        return {"final_obs": final_obs, "_final_obs": over, "final_player": final_player}

    def _restarted(self, ended: NDArray[np.int64], deals: Deals, states: Any, seen: Seen) -> tuple[Any, Seen]:
        """With the games that ended started anew: what is seen of their starts is written on what was seen of their ends."""
        game, starts = self.game, deals.next(ended)
        if game.has_chance:
            first, which = game.look(starts), np.arange(len(ended))
        else:
            first = self._first_look = self._first_look or game.look(starts)
            which = np.zeros(len(ended), np.int64)
        game.copy_rows(first.observation, which, seen.observation, ended)
        game.copy_rows(first.action_mask, which, seen.action_mask, ended)
        seen.player[ended] = first.player
        states = game.put_into(states, ended, starts)
        return states, seen._replace(legal=game.batch_actions.put_rows(seen.legal, ended, first.legal, states.legal))

    def sample(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """A uniformly random legal action for every game, ``int64[N]``; 0 where the game has ended.

        As ``game.sample(states, rng)``, and as fast with worker processes. AttributeError before the first reset.
        """
        return self.game.sample(self.states, rng)

    def close(self) -> None:
        """Nothing to release."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Deals:
    """Where the games of a batch start: a function of each game's seed and of its number of episodes since that was given.

    Its arrays are never written on: a `fork` shares them, and goes on by itself.
    """

    def __init__(self, game: Game[Any], num_envs: int) -> None:
        self._game = game
        self._seeds: NDArray[np.uint64] | None = None
        self._episodes = np.zeros(num_envs, np.uint64)

    def fork(self) -> Deals:
        """Another that goes on from here."""
        forked = Deals.__new__(Deals)  # `copy.copy` takes five times as long
        forked._game, forked._seeds, forked._episodes = self._game, self._seeds, self._episodes
        return forked

    def start(self, rows: NDArray[np.int64], seeds: NDArray[np.uint64] | None) -> Any:
        """The starts of the games ``rows`` after a reset; seeds: ``[N]``, or None to go on from those given last."""
        if seeds is None and self._seeds is not None:
            self._count(rows)
            return self._deal(rows)
        if seeds is None:
            seeds = consecutive(fresh_seed(), len(self._episodes))
        self._seeds = seeds if self._seeds is None else self._seeds.copy()
        self._seeds[rows] = seeds[rows]
        self._episodes = self._episodes.copy()
        self._episodes[rows] = 0
        return self._deal(rows)

    def next(self, rows: NDArray[np.int64]) -> Any:
        """The next starts of the games ``rows``; one for all of them in a game without chance."""
        self._count(rows)
        return self._deal(rows) if self._game.has_chance else self._game.start_for_all

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Seed plus number of episodes of the games ``rows``: one more at every start."""
        assert self._seeds is not None
        return self._seeds[rows] + self._episodes[rows]

    def _count(self, rows: NDArray[np.int64]) -> None:
        self._episodes = self._episodes.copy()
        self._episodes[rows] += np.uint64(1)

    def _deal(self, rows: NDArray[np.int64]) -> Any:
        assert self._seeds is not None
        if not self._game.has_chance:
            return self._game.deal(self._seeds[rows])
        return self._game.episode_start(self._seeds[rows], self._episodes[rows])


def autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    """gymnasium's autoreset mode, or its value as a text; ValueError that says what is allowed."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(repr(m.value) for m in AutoresetMode)
        raise ValueError(f"autoreset_mode is {mode!r}; it is a gymnasium.vector.AutoresetMode, or one of {allowed}") from None


def read_reset_mask(options: dict[str, Any] | None, num_envs: int, first: bool) -> NDArray[np.int64]:
    """The games of ``options["reset_mask"]``, all without one; ValueError unless it is ``bool[N]`` with some game set.

    first: whether no game has been started yet: all have to be set then.
    """
    mask = given(options, "reset_mask")
    if mask is None:
        return np.arange(num_envs)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,) or not mask.any():
        raise ValueError(f"reset_mask is {mask!r}; it is an array bool[{num_envs}] with at least one game to start")
    if first and not mask.all():
        raise ValueError("reset_mask: the first reset starts all games")
    return np.flatnonzero(mask)


def read_seeds(seed: int | Sequence[int] | None, num_envs: int) -> NDArray[np.uint64] | None:
    """A seed for every game, ``[N]``; None for None. ValueError unless it is one, or one for every game."""
    if seed is None:
        return None
    if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str | bytes | bytearray) or np.ndim(seed) == 0:
        return consecutive(check_seed(seed), num_envs)
    if len(seed) != num_envs:
        raise ValueError(f"seed has {len(seed)} numbers; it is one, or {num_envs}, one for every game")
    return np.array([check_seed(s) for s in seed], np.uint64)


def consecutive(seed: int, count: int) -> NDArray[np.uint64]:
    """The seeds of games of which the first has ``seed``."""
    return np.uint64(seed) + np.arange(count, dtype=np.uint64)


def read_positions(game: Game[Any], options: dict[str, Any] | None, rows: NDArray[np.int64], num_envs: int) -> Any:
    """The starts that ``options["position"]``, a text or one for every game, gives to the games ``rows``; None without one."""
    position = given(options, "position")
    if position is None:
        return None
    if isinstance(position, np.ndarray):
        position = position.tolist()
    if isinstance(position, str):
        return game.repeat(game.from_string(position), len(rows))
    if not isinstance(position, Sequence):
        raise ValueError(f"position is {position!r}; it is one text, or {num_envs}, one for every game")
    if len(position) != num_envs:
        raise ValueError(f"position has {len(position)} texts; it is one text, or {num_envs}, one for every game")
    return game.stack([_read_position(game, i, position[i]) for i in rows.tolist()])


def _read_position(game: Game[Any], i: int, text: str) -> Any:
    try:
        return game.from_string(text)
    except ValueError as error:
        raise ValueError(f"position of game {i}: {error}") from None
