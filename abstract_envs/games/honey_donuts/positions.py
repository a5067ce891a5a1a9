"""All positions of Honey Donuts, seen by the player to move and without a rule on repetition.

A word is a board as in `rules`. The index of a board counts the ways to put down own pieces (816 sets of three cells, times three
for which of them is the King), and for each of these the ways to put down the opponent's on the other cells (455 times three):

    index = 1365 * (3 * own set + own King) + 3 * opponent's set among those disjoint from the own + opponent's King
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.bits import set_of
from abstract_envs.core.history import PastBatch
from abstract_envs.core.positions import Ends, Positions
from abstract_envs.games.honey_donuts.rules import ACTIONS, BOARD, CONSTANTS, FALLS, WIDTH, HoneyDonuts, State

__all__ = ["HoneyDonutsPositions"]

_SETS = np.array([set_of(cells) for cells in combinations(BOARD.bits, 3)], np.uint64)
_PER_OWN = 1365
_OTHERS = 455
"""Sets of three cells disjoint from one of `_SETS`."""


class HoneyDonutsPositions(Positions):
    """3,341,520 boards: on each a King and two regulars a side."""

    exact = False

    def __init__(self, game: HoneyDonuts) -> None:
        self._game = game
        self._set_of_cells = np.full(1 << WIDTH, -1, np.int16)
        self._set_of_cells[_SETS.view(np.int64)] = np.arange(len(_SETS))
        disjoint = _SETS[:, None] & _SETS == 0
        self._rank = np.where(disjoint, disjoint.cumsum(1) - 1, -1).astype(np.int16)
        """[own set, opponent's set]: its rank among the disjoint ones, -1 for others."""
        self._other = disjoint.nonzero()[1].reshape(len(_SETS), _OTHERS).astype(np.int16)
        """[own set, rank]: the opponent's set."""

    def __len__(self) -> int:
        return 3 * len(_SETS) * _PER_OWN

    def words(self, index: NDArray[np.int64]) -> NDArray[np.uint64]:
        own, other = np.divmod(index, _PER_OWN)
        own, king = np.divmod(own, 3)
        rank, other_king = np.divmod(other, 3)
        mine, theirs = _SETS[own], _SETS[self._other[own, rank]]
        kings = self._nth_cell(mine, king) | self._nth_cell(theirs, other_king)
        return mine | theirs << np.uint64(WIDTH) | kings << np.uint64(2 * WIDTH)

    @staticmethod
    def _nth_cell(cells: NDArray[np.uint64], n: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The lowest, second or highest of three cells alone, for n = 0, 1, 2."""
        above = cells & cells - np.uint64(1)  # without the lowest
        highest = above & above - np.uint64(1)
        return np.where(n == 0, cells ^ above, np.where(n == 1, above ^ highest, highest))

    def index(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        c = CONSTANTS.of(words)
        mine, theirs, kings = words & c.lane, words >> c.lane_1 & c.lane, words >> c.lane_2 & c.lane
        own, other = self._set_of_cells[mine.view(np.int64)], self._set_of_cells[theirs.view(np.int64)]
        rank = self._rank[own, other].astype(np.int64)
        my_king, their_king = mine & kings, theirs & kings
        found = (own.astype(np.int64) * 3 + self._below(mine, my_king)) * _PER_OWN + rank * 3 + self._below(theirs, their_king)
        no_position = (own < 0) | (other < 0) | (rank < 0) | (my_king == 0) | (their_king == 0)
        if no_position.any():
            found[no_position] = -1
        return found

    @staticmethod
    def _below(cells: NDArray[np.uint64], king: NDArray[np.uint64]) -> NDArray[np.int64]:
        """How many of some cells lie below the King's."""
        return np.bitwise_count(cells & king - np.uint64(1)).astype(np.int64)

    def of(self, states: State) -> NDArray[np.uint64]:
        return states.board

    def states(self, words: NDArray[np.uint64], player: NDArray[np.uint64]) -> State:
        return self._game.judge(words, np.zeros_like(words), player, PastBatch(np.zeros(len(words), np.int64)))

    def ends(self, words: NDArray[np.uint64]) -> Ends:
        legal = self._game.pushes(words)
        winning = legal & FALLS[self._king_of_other(words)]
        none = np.zeros(len(words), np.int64)
        return Ends(np.bitwise_count(legal).astype(np.int64), np.bitwise_count(winning).astype(np.int64), none)

    @staticmethod
    def _king_of_other(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        c = CONSTANTS.of(words)
        return words >> c.lane_1 & words >> c.lane_2 & c.lane

    def before(self, words: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
        """A push is taken back by the one the other way on the same segment."""
        c = CONSTANTS.of(words)
        after = self._game.turned(words)
        for action in range(ACTIONS):
            segment, up, down = (np.uint64(column) for column in c.shifts[(action + ACTIONS // 2) % ACTIONS])
            earlier = self._game.pushed(after, segment, up, down)
            # a push that lets the other King fall ends the game, and leads nowhere
            allowed = self._game.pushes(earlier) & (FALLS[self._king_of_other(earlier)] ^ c.all)
            yield earlier[allowed >> np.uint64(action) & np.uint64(1) != 0]
