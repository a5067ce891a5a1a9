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
    by_kind: ``int64[K, A]`` where an action index alone does not say what the action is (in XAHZO the same index is a
        direction for a piece of one type and another direction for one of another type): a permutation for every kind
        of action, `Game.action_kinds` tells the kinds in a state, and ``actions`` is the first of them. None elsewhere.
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
        actions: Sequence[int] | Sequence[Sequence[int]],
        planes: Sequence[int] | None = None,
        exchanges: bool = False,
    ) -> None:
        """``actions``: one permutation; or K of them, by kind of action."""
        self.game = game
        self.name = name
        self.cells: NDArray[np.int64] = np.array(cells, np.int64)
        given = np.array(actions, np.int64)
        self.by_kind: NDArray[np.int64] | None = given if given.ndim == 2 else None
        self.actions: NDArray[np.int64] = given if given.ndim == 1 else given[0]
        self._needs_state = self.by_kind is not None and bool((self.by_kind != self.actions).any())
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

    def action(self, action: Any, state: Any = None) -> Any:
        """The image of an action index in a state: int, or ``int64[B]``.

        state: the state, or batch; needed where the permutations ``by_kind`` differ (ValueError without).
        """
        images = self._images(state)
        if isinstance(action, int):
            return int(images[action])
        if images.ndim == 1:
            return images[action]
        return np.take_along_axis(images, np.asarray(action)[:, None], 1)[:, 0]

    def mask(self, mask: ArrayLike, state: Any = None) -> NDArray[Any]:
        """The image of an action mask, or of any numbers by action such as a policy: ``[..., A]``; state as for `action`."""
        if not self._needs_state:
            return np.asarray(mask).take(self._actions_back, axis=-1)
        images, mask = self._images(state), np.asarray(mask)
        moved = np.empty_like(mask)
        np.put_along_axis(moved, np.broadcast_to(images, mask.shape), mask, axis=-1)
        return moved

    def _images(self, state: Any) -> NDArray[np.int64]:
        """The image of every action in a state: ``int64[A]``, or ``int64[B, A]``."""
        if self.by_kind is None or not self._needs_state:
            return self.actions
        if state is None:
            raise ValueError(f"in {self.game.name} the image of an action depends on the state: give the state too")
        return self.by_kind[self.game.action_kinds(state), np.arange(self.game.num_actions)]

    policy = mask

    def observation(self, observation: ArrayLike) -> NDArray[Any]:
        """The image of an observation ``[..., P, R, C]``: what the observer, exchanged if the players are, sees of the image."""
        planes = np.asarray(observation).take(self._planes_back, axis=-3)
        flat = planes.reshape(*planes.shape[:-2], len(self._places_back))
        image = flat.take(self._places_back, axis=-1).reshape(planes.shape)
        if self.exchanges:
            seat, cells = self.game.seat_plane, self.game.board_grid
            image[..., seat, :, :] = cells - image[..., seat, :, :]
        return image

    @property
    def inverse(self) -> Symmetry:
        """The symmetry that undoes this one."""
        actions = self._every_kind.argsort(axis=1)
        return self._find(np.argsort(self.cells), actions, self._planes_back, self.exchanges)

    def then(self, other: Symmetry) -> Symmetry:
        """The symmetry that does this one first and ``other`` after it."""
        actions = np.take_along_axis(other._every_kind, self._every_kind, 1)
        return self._find(other.cells[self.cells], actions, other.planes[self.planes], self.exchanges ^ other.exchanges)

    @property
    def _every_kind(self) -> NDArray[np.int64]:
        """The permutations of actions by kind, one where there is only one kind: ``int64[K, A]``."""
        return self.actions[None] if self.by_kind is None else self.by_kind

    def _find(self, cells: NDArray[np.int64], actions: NDArray[np.int64], planes: NDArray[np.int64], exchanges: bool) -> Symmetry:
        for candidate in self.game.symmetries:
            if (
                candidate.exchanges == exchanges
                and np.array_equal(candidate.cells, cells)
                and np.array_equal(candidate._every_kind, actions)
                and np.array_equal(candidate.planes, planes)
            ):
                return candidate
        raise LookupError(f"the symmetries of {self.game.name} are no group: {self.name} leads out of them")


def _symmetry_of(game: Game[Any], i: int) -> Symmetry:
    return game.symmetries[i]
