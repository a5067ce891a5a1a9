"""Values of all positions of a game that offers them (`Game.positions`), by retrograde analysis.

A *code* is a number for each position, in the order of their indices, seen by the player to move:

    distance + 1       won: the player wins in so many plies
    -(distance + 1)    lost in so many plies
    0                  neither: no player can force a win, and play may go on for ever

The distance is the number of plies to the end when the winner hurries and the loser delays; a player without a legal move has
lost in 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.positions import Positions

__all__ = ["solve"]

_CHUNK = 1 << 16


def solve(positions: Positions, name: str = "the game", progress: bool = True) -> NDArray[np.integer[Any]]:
    """The codes of all positions, in the smallest signed type that holds them.

    From the ends backwards, a ply at a time: what leads to a position lost in d is won in d + 1, and a position is lost in d + 1
    when the last of its actions is found to lead to one won in d (or to lose at once).

    progress: show a bar, where tqdm is installed.
    """
    with _bar(progress, f"{name}: last moves", len(positions)) as bar:
        codes, left = _last_moves(positions, bar)
    with _bar(progress, f"{name}: backwards", len(positions)) as bar:
        for distance in count():
            lost, won = (np.flatnonzero(codes == code) for code in (-distance - 1, distance + 1))
            for earlier in _earlier(positions, lost):
                codes[earlier[codes[earlier] == 0]] = distance + 2
            for earlier in _earlier(positions, won):
                found = earlier[codes[earlier] == 0]
                left[found] -= 1  # no index comes twice
                codes[found[left[found] == 0]] = -distance - 2
            bar.update(len(lost) + len(won))
            if distance and not len(lost) and not len(won):
                break
        bar.update(int(np.count_nonzero(codes == 0)))
    return codes.astype(np.min_scalar_type(-int(np.abs(codes).max(initial=0)) - 1))


def _last_moves(positions: Positions, bar: Any) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """The codes as far as they follow from moves that end the game, and how many moves of each position are not known to lose."""
    codes, left = np.empty(len(positions), np.int16), np.empty(len(positions), np.uint16)
    for start in range(0, len(positions), _CHUNK):
        chunk = np.arange(start, min(start + _CHUNK, len(positions)))
        ends = positions.ends(positions.words(chunk))
        left[chunk] = ends.legal - ends.losing
        codes[chunk] = np.select([ends.legal == 0, ends.winning > 0, ends.legal == ends.losing], [-1, 2, -2], 0)
        bar.update(len(chunk))
    return codes, left


def _earlier(positions: Positions, indices: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The positions that lead to some others, once for every move that does; no position twice in one array."""
    for start in range(0, len(indices), _CHUNK):
        for words in positions.before(positions.words(indices[start : start + _CHUNK])):
            found = positions.index(words)
            yield found[found >= 0]


class _NoBar:
    """In place of a progress bar."""

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, n: int) -> None:
        pass


def _bar(progress: bool, text: str, total: int) -> Any:
    if not progress:
        return _NoBar()
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return _NoBar()
    return tqdm(total=total, desc=text, unit="positions", unit_scale=True, leave=False, disable=None)
