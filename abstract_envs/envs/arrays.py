"""Memory of large arrays that is used again."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.game import Game

__all__ = ["Arrays", "SparseArrays"]

KEPT = 4


class Arrays:
    """``int8`` arrays of one shape, whose memory is given out again once nobody refers to the array or to a view of it.

    Large new memory comes from the system page by page, each cleared before, which takes longer than to write on it; glibc keeps
    what is freed, but no array of more than 32 MB (XAHZO, 65,536 games: a step took nearly twice as long). At most `KEPT` arrays
    are kept.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self._pool: list[NDArray[np.int8]] = []  # what is given out are views of these: their flags and shapes are the caller's

    def take(self) -> NDArray[np.int8]:
        """An array that no caller holds, with whatever is in it."""
        array = self.again()
        return self.keep(np.empty(self.shape, np.int8)) if array is None else array

    def again(self) -> NDArray[np.int8] | None:
        """One of those kept that no caller holds; None where there is none."""
        pool = self._pool
        for k in range(len(pool)):
            view = pool[k].view()  # before it is counted: of two threads, say, that want it at once, not both get it
            if sys.getrefcount(pool[k]) == _WITH_ONE_VIEW:
                return view
        return None

    def keep(self, array: NDArray[np.int8]) -> NDArray[np.int8]:
        """The same as a view, its memory kept to be given out again."""
        self._pool = [*self._pool[1 - KEPT :], array]
        return array.view()

    def __reduce__(self) -> tuple[Any, ...]:
        return Arrays, (self.shape,)


class SparseArrays(Arrays):
    """Arrays of zeros with some rows written, for a few megabytes a call of which next to nothing is written."""

    def __init__(self, shape: tuple[int, ...], game: Game[Any]) -> None:
        super().__init__(shape)
        self._game = game

    def with_rows(self, rows: NDArray[np.int64], source: NDArray[np.int8]) -> NDArray[np.int8]:
        """An array with these rows of another, which no caller holds."""
        array = self.again()
        if array is None:
            array = self.keep(np.zeros(self.shape, np.int8))  # which the system has cleared, as far as it is ever touched
        else:
            self._game.clear(array)  # all of it, for whoever had it may have written anywhere
        self._game.copy_rows(source, rows, array, rows)
        return array

    def __reduce__(self) -> tuple[Any, ...]:
        return SparseArrays, (self.shape, self._game)


_A_POOL = [np.zeros(1, np.int8)]
_A_VIEW = _A_POOL[0].view()
_WITH_ONE_VIEW = sys.getrefcount(_A_POOL[0])
"""References to an array of a pool of which there is one view, as `Arrays.again` counts them."""
