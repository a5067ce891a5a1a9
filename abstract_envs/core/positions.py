"""The contract of a game that is small enough for a look at every position: what a solver asks of it.

A *position word* is a ``uint64`` for a position that has not ended, or has because the player to move cannot: without
what came before, and as far as its value for the player to move depends on it. Words have an *index*, from 0 to the number of
positions less one. The players move in turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ends", "Positions"]


class Ends(NamedTuple):
    """How many actions a position has, each ``int64[N]``."""

    legal: NDArray[np.int64]
    winning: NDArray[np.int64]
    """Of these, actions that end the game and win it for the mover."""
    losing: NDArray[np.int64]
    """Actions that end the game and lose it for the mover."""


class Positions(ABC):
    """All positions of a game before its last move. Everything works on many at once, without a loop over them."""

    options: Mapping[str, Any] = {}
    """The options of the game that the positions and their values depend on."""
    exact: bool = True
    """Whether values without what came before are those of the game; not where its rules on repetition may change them."""

    @abstractmethod
    def __len__(self) -> int:
        """How many positions there are."""

    @abstractmethod
    def words(self, index: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The positions of some indices: ``uint64[N]`` for ``int64[N]``."""

    @abstractmethod
    def index(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The indices of some words, ``int64[N]``; -1 for a word that is no position."""

    @abstractmethod
    def of(self, states: Any) -> NDArray[np.uint64]:
        """The words of a batch of states, ``uint64[B]``; of one that a last move has ended some word that is no position."""

    @abstractmethod
    def states(self, words: NDArray[np.uint64], player: NDArray[np.uint64]) -> Any:
        """A batch of states in these positions, with nothing before them.

        player: who is to move, ``uint64[N]``, where words do not say it; else it is not looked at.
        """

    @abstractmethod
    def ends(self, words: NDArray[np.uint64]) -> Ends:
        """How many actions are legal, and how many of these end the game."""

    @abstractmethod
    def before(self, words: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
        """The positions that a legal action leads to one of ``words`` from, in several arrays, once for every such action.

        No position comes twice in the same array (``words`` being all different). Words that are no position may be among them.
        """
