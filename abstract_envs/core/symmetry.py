"""Symmetries: permutations of cells, actions and planes that preserve a game's rules, perhaps with the players exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from abstract_envs.core.game import Game

__all__ = ["Symmetry"]


class Symmetry:
    """One symmetry of a game: it carries cell i to ``cells[i]``, action a to ``actions[a]``, plane p to ``planes[p]``.

    name: what it does to the board.
    cells, actions, planes: permutations, ``int64`` arrays.
    exchanges: whether it exchanges the players.

    The rules are the same before and after: the image of a legal action is legal in the image of the state and leads to the
    image of the next state, with rewards exchanged if the players are. Every method takes one game or a batch and
    returns fresh arrays.
    """

    def __init__(
        self,
        game: Game[Any],
        name: str,
        cells: Sequence[int],
        actions: Sequence[int],
        planes: Sequence[int] | None = None,
        exchanges: bool = False,
    ) -> None:
        self.game = game
        self.name = name
        self.cells: NDArray[np.int64] = np.array(cells, np.int64)
        self.actions: NDArray[np.int64] = np.array(actions, np.int64)
        self.planes: NDArray[np.int64] = np.array(range(len(game.plane_names)) if planes is None else planes, np.int64)
        self.exchanges = exchanges
        self._actions_back = np.argsort(self.actions)
        self._planes_back = np.argsort(self.planes)
        places = np.arange(game.observation_shape[1] * game.observation_shape[2])
        places[np.array(game.board.places)[self.cells]] = game.board.places
        self._places_back = places

    def __repr__(self) -> str:
        return f"<Symmetry of {self.game.name}: {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _symmetry_of, (self.game, self.game.symmetries.index(self))

    def applies(self, state: Any) -> Any:
        """Whether the image of a state is a position of the game: bool, or ``bool[B]``."""
        return self.game.symmetry_applies(self, state)

    def state(self, state: Any) -> Any:
        """The image of a state (where `applies`; elsewhere what comes out is no position of the game)."""
        return self.game.transform(self, state)

    def action(self, action: Any) -> Any:
        """The image of an action index: int, or ``int64[B]``."""
        return int(self.actions[action]) if isinstance(action, int) else self.actions[action]

    def mask(self, mask: ArrayLike) -> NDArray[Any]:
        """The image of an action mask, or of any numbers by action such as a policy: ``[..., A]``."""
        return np.asarray(mask).take(self._actions_back, axis=-1)

    policy = mask

    def observation(self, observation: ArrayLike) -> NDArray[Any]:
        """The image of an observation ``[..., P, R, C]``: what the observer, exchanged if the players are, sees of the image."""
        planes = np.asarray(observation).take(self._planes_back, axis=-3)
        image = planes.reshape(*planes.shape[:-2], -1).take(self._places_back, axis=-1).reshape(planes.shape)
        if self.exchanges:
            seat, cells = self.game.seat_plane, self.game.board_grid
            image[..., seat, :, :] = cells - image[..., seat, :, :]
        return image

    @property
    def inverse(self) -> Symmetry:
        """The symmetry that undoes this one."""
        return self._find(np.argsort(self.cells), self._actions_back, self._planes_back, self.exchanges)

    def then(self, other: Symmetry) -> Symmetry:
        """The symmetry that does this one first and ``other`` after it."""
        return self._find(
            other.cells[self.cells], other.actions[self.actions], other.planes[self.planes], self.exchanges ^ other.exchanges
        )

    def _find(self, cells: NDArray[np.int64], actions: NDArray[np.int64], planes: NDArray[np.int64], exchanges: bool) -> Symmetry:
        for candidate in self.game.symmetries:
            if (
                candidate.exchanges == exchanges
                and np.array_equal(candidate.cells, cells)
                and np.array_equal(candidate.actions, actions)
                and np.array_equal(candidate.planes, planes)
            ):
                return candidate
        raise LookupError(f"the symmetries of {self.game.name} are no group: {self.name} leads out of them")


def _symmetry_of(game: Game[Any], i: int) -> Symmetry:
    return game.symmetries[i]
