"""All positions of Fano330-R-Morris without a line that can be reached from the start, without counting repetition.

A word is a game's key: the board as in `rules`, and the player to move above it. The index is the rank among the sorted words.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.history import PastBatch
from abstract_envs.core.positions import Ends, Positions
from abstract_envs.games.fano330.rules import PAIRS, Fano330, State, column

__all__ = ["Fano330Positions"]

_BLACK = np.uint64(1 << 56)
"""Set in a word where Black is to move."""
_BOARD = np.uint64((1 << 56) - 1)
_COVERED = np.uint64(28)
"""By how many bits the lane of covered pieces lies above the lane of such pieces on top."""
_PLACEMENTS = 14
_BACK = [PAIRS.index((to, start)) + _PLACEMENTS for start, to in PAIRS]
"""Of each move the move back."""


class Fano330Positions(Positions):
    """789,175 positions: 371,827 of the placement phase, 417,348 of the movement phase."""

    def __init__(self, game: Fano330) -> None:
        self._game = game

    @cached_property
    def _sorted(self) -> NDArray[np.uint64]:
        """All words, ascending: what the start leads to, ply by ply until there is nothing new."""
        known = new = np.zeros(1, np.uint64)
        while len(new):
            reached = np.sort(np.concatenate([words for _, words in self._after(new)]))
            reached = reached[np.flatnonzero(np.diff(reached, prepend=~reached[:1]))]
            new = reached[_places(known, reached) < 0]
            known = np.sort(np.concatenate([known, new]), kind="stable")
        return known

    def __len__(self) -> int:
        return len(self._sorted)

    def words(self, index: NDArray[np.int64]) -> NDArray[np.uint64]:
        return self._sorted[index]

    def index(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return _places(self._sorted, words)

    def of(self, states: State) -> NDArray[np.uint64]:
        return self._game.key(states)

    def states(self, words: NDArray[np.uint64], player: NDArray[np.uint64]) -> State:
        past = PastBatch(np.zeros(len(words), np.int64))
        return self._game.judge(words & _BOARD, words >> np.uint64(56), np.ones_like(words), past)

    def ends(self, words: NDArray[np.uint64]) -> Ends:
        legal = np.bitwise_count(self._game.actions(words & _BOARD)).astype(np.int64)
        losing = legal.copy()
        for rows, _ in self._after(words):
            losing[rows] -= 1
        return Ends(legal, np.zeros_like(legal), losing)

    def _after(self, words: NDArray[np.uint64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """For every action the rows in which it is legal and completes no line, and the positions it leads to."""
        boards, other = words & _BOARD, words & _BLACK ^ _BLACK
        legal = self._game.actions(boards)
        for action in range(self._game.num_actions):
            rows = np.flatnonzero(legal >> np.uint64(action) & np.uint64(1))
            after = self._game.turned(self._game.played(boards[rows], np.full(len(rows), action)))
            going = np.flatnonzero(self._game.lined(after) == 0)
            yield rows[going], after[going] | other[rows[going]]

    def before(self, words: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
        """A placement is taken back by lifting the piece, a move by the move back, which must be legal itself."""
        after, other = self._game.turned(words & _BOARD), words & _BLACK ^ _BLACK
        for action in range(_PLACEMENTS):
            piece, point = np.uint64(1 << action), np.uint64(column(action % 7))
            rows = np.flatnonzero(after & piece)
            rest = after[rows] ^ piece
            uncovered = rest >> _COVERED & point
            yield rest ^ uncovered << _COVERED ^ uncovered | other[rows]
        possible = self._game.actions(after)  # with seven pieces, White's last one may "move": that leads back to no position
        for back in _BACK:
            rows = np.flatnonzero(possible >> np.uint64(back) & np.uint64(1))
            yield self._game.played(after[rows], np.full(len(rows), back)) | other[rows]


def _places(ascending: NDArray[np.uint64], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Where words are in an ascending array; -1 for those that are not."""
    found = np.searchsorted(ascending, words).clip(max=len(ascending) - 1)
    return np.where(ascending[found] == words, found, -1)
