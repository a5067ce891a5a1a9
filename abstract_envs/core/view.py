"""What a player sees of its games, and what its actions mean: for one game (ints) and for batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.game import Game
from abstract_envs.core.options import flag
from abstract_envs.core.symmetry import Symmetry

__all__ = ["View", "act_by_view"]


class View:
    """What a player sees of its games, and what its actions mean.

    With ``mirror`` player_1 sees the game through a symmetry that exchanges the players, so that both seats look alike:
    in inpHeXion both join top and bottom then. ValueError for a game that has no such symmetry, and unless it is True
    or False.
    Methods take one state and a seat (int), or a batch and ``int8[B]``.
    """

    def __init__(self, game: Game[Any], mirror: bool) -> None:
        self._game = game
        self._symmetry = _exchange(game) if flag("mirror", mirror) else None
        if self._symmetry is not None:
            self._back = self._symmetry.inverse

    def observe(self, states: Any, seats: Any) -> NDArray[np.int8]:
        """``int8[P, R, C]``; ``int8[B, P, R, C]``. A fresh array."""
        observation = self._game.observe(states, seats)
        return observation if self._symmetry is None else _for_player_1(self._symmetry.observation, observation, seats)

    def mask(self, states: Any, seats: Any) -> NDArray[np.int8]:
        """1 for legal actions: ``int8[A]``; ``int8[B, A]``. Meant for games in which that player is to act. A fresh array."""
        mask = self._game.action_mask(states)
        return mask if self._symmetry is None else _for_player_1(self._symmetry.mask, mask, seats)

    def see(self, state: Any, seat: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """`observe` and `mask` of one game in which that player is to act, in one pass."""
        observation, mask = self._game.view(state)
        if self._symmetry is None or not seat:
            return observation, mask
        return self._symmetry.observation(observation), self._symmetry.mask(mask)

    def action(self, shown: Any, seats: Any) -> Any:
        """The game's action for the one that was chosen in this view: int; ``int64[B]``."""
        if self._symmetry is None:
            return shown
        if type(shown) is int:
            return int(self._back.actions[shown]) if seats else shown
        chosen: NDArray[np.int64] = shown
        return np.where(seats == 1, self._back.actions.take(chosen), chosen)

    def policy(self, shown: NDArray[Any], seats: Any) -> NDArray[Any]:
        """Numbers by the game's actions for numbers by the actions as shown: ``[B, A]``. ``shown``, changed where need be."""
        return shown if self._symmetry is None else _for_player_1(self._back.mask, shown, seats)


def act_by_view(
    game: Game[Any],
    states: Any,
    mirror: bool,
    choose: Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Actions, ``int64[B]``, for a batch of states: those that ``choose`` takes from what the players to act see.

    0 where the game has ended.

    choose: from observations ``int8[B, P, R, C]`` and masks ``int8[B, A]`` an action for each, as `View` shows them.
    """
    game.batch_size(states)  # which refuses one state
    view, seats = _view(game, mirror), game.current_player(states)
    actions = view.action(choose(view.observe(states, seats), view.mask(states, seats)), seats)
    return np.where(game.is_terminal(states), 0, actions)


@lru_cache(64)
def _view(game: Game[Any], mirror: bool) -> View:
    return View(game, mirror)


def _exchange(game: Game[Any]) -> Symmetry:
    """A symmetry that exchanges the players, one that leaves the cells where they are if there is any."""
    exchanging = [symmetry for symmetry in game.symmetries if symmetry.exchanges]
    if not exchanging:
        raise ValueError(f"mirror=True needs a symmetry that exchanges the players, and {game.name} has none with these options")
    still = np.arange(len(game.board))
    return next((symmetry for symmetry in exchanging if np.array_equal(symmetry.cells, still)), exchanging[0])


def _for_player_1(image: Any, array: NDArray[np.int8], seats: Any) -> NDArray[np.int8]:
    if isinstance(seats, int):
        return image(array) if seats else array
    rows = np.flatnonzero(seats)
    if len(rows):
        array[rows] = image(array.take(rows, axis=0))
    return array
