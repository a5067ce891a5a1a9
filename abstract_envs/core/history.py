"""Exact repetition history, for one game and for batches.

A history holds the keys of a game's *earlier* positions, not of the newest, which is in the state itself: so a game that
starts afresh inside a batch clears nothing. A key is a word; two positions are the same exactly if their keys are.
Entry d is the position d plies ago: d = 1 is the one before the newest.

One game: `Past`, a tuple of ints, oldest first. A batch: `PastBatch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.bits import ALL, Word, nonzero

__all__ = ["Near", "Past", "PastBatch", "occurrences", "union_of_past"]


class Past(tuple[int, ...]):
    """The earlier positions of one game, oldest first."""

    __slots__ = ()

    @property
    def age(self) -> int:
        """How many earlier positions there are, a word."""
        return len(self)

    def push(self, key: int, running: int) -> Past:
        """With ``key`` as the newest entry; empty where the game has ended (``running`` zero): nothing will ask again."""
        return Past((*self, key)) if running else _NOTHING

    def kept(self, running: int) -> Past:
        """Empty where ``running`` is zero: where the game has ended, nothing will ask again."""
        return self if running else _NOTHING

    def mapped(self, f: Callable[[int], int]) -> Past:
        """With every key replaced by ``f(key)``."""
        return Past(map(f, self))


_NOTHING = Past()


class _Store:
    """Rows of keys, ``uint64[capacity, B]``, shared by the histories of successive states; ``used`` are written."""

    __slots__ = ("rows", "used")

    def __init__(self, rows: NDArray[np.uint64], used: int) -> None:
        self.rows = rows
        self.used = used


class PastBatch:
    """The earlier positions of a batch: rows by a common clock, newest last, of which each game owns its ``lengths`` last.

    Successive states share the rows. Stepping the newest state appends in place, which older histories do not see; stepping
    an older one copies first. Rows older than the longest running game are dropped when the rows have to grow.
    """

    __slots__ = ("_height", "_store", "lengths")

    lengths: NDArray[np.int64]
    """How many earlier positions each game has, ``[B]``."""

    def __init__(self, lengths: NDArray[np.int64], store: _Store | None = None, height: int = 0) -> None:
        self.lengths = lengths
        self._store = store or _Store(np.empty((0, len(lengths)), np.uint64), 0)
        self._height = height

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def age(self) -> NDArray[np.uint64]:
        """How many earlier positions each game has, a word."""
        return self.lengths.view(np.uint64)

    @property
    def height(self) -> int:
        """The rows that this history can see."""
        return self._height

    @property
    def nbytes(self) -> int:
        """Bytes held: the rows, shared with other states, and the lengths."""
        return self._store.rows.nbytes + self.lengths.nbytes

    def push(self, key: NDArray[np.uint64], running: NDArray[np.uint64]) -> PastBatch:
        """With ``key`` as the newest entry; empty where the game has ended (``running`` zero): nothing will ask again."""
        rows, newest, pushed = self.opened((self.lengths + 1) * (running != 0))
        rows[newest + 1] = key
        return pushed

    def opened(self, lengths: NDArray[np.int64]) -> tuple[NDArray[np.uint64], int, PastBatch]:
        """Room for a newest entry -> (the rows; which of them is the newest of this history; the history with one row more,
        ``rows[newest + 1]``, which the caller writes, and of which each game owns so many).
        """
        store, height = self._store, self._height
        if height == len(store.rows) or store.used != height:
            keep = int(self.lengths.max(initial=0))
            rows = np.empty((2 * keep + 16, len(self)), np.uint64)
            rows[:keep] = store.rows[height - keep : height]
            store, height = _Store(rows, keep), keep
        store.used = height + 1
        return store.rows, height - 1, PastBatch(lengths, store, height + 1)

    def kept(self, running: NDArray[np.uint64]) -> PastBatch:
        """Empty where ``running`` is zero: where the game has ended, nothing will ask again."""
        return PastBatch(self.lengths * (running != 0), self._store, self._height)

    def mapped(self, f: Callable[[NDArray[np.uint64]], NDArray[np.uint64]]) -> PastBatch:
        """With every key replaced by ``f(key)``."""
        rows = self._rows(int(self.lengths.max(initial=0)))
        return _of_rows(f(rows.reshape(-1)).reshape(rows.shape), self.lengths)

    def _rows(self, count: int) -> NDArray[np.uint64]:
        """The newest ``count`` rows."""
        return self._store.rows[self._height - count : self._height]

    def back(self, first: int, last: int, games: NDArray[np.int64] | None = None) -> NDArray[np.uint64]:
        """Rows of the entries first, first + 2, .. last plies ago, ``[k, B]``, or of the columns ``games`` only."""
        newest = self._height - 1
        rows: Any = self._store.rows
        if games is None:
            stop = newest - last
            return rows[newest - first + 1 : (stop if stop >= 0 else None) : -2]
        # flat: a take along an axis would first copy every other row whole
        starts = np.arange(newest - first + 1, newest - last, -2) * rows.shape[1]
        return rows.reshape(-1).take(starts[:, None] + games)

    # ------------------------------------------------------------------------------------- what `core.game` maps over

    def one(self, i: int) -> Past:
        """Game ``i`` alone."""
        return Past(self._rows(int(self.lengths[i]))[:, i].tolist())

    def take(self, games: NDArray[np.int64]) -> PastBatch:
        """The games of an index array, as a batch of its own."""
        lengths = self.lengths.take(games)
        return _of_rows(self._rows(int(lengths.max(initial=0))).take(games, axis=1), lengths)

    def put(self, games: NDArray[np.int64], others: PastBatch) -> PastBatch:
        """With the games of an index array replaced by those of another batch (of as many games, or of one for all)."""
        lengths = self.lengths.copy()
        lengths[games] = others.lengths
        added = int(others.lengths.max(initial=0))
        if added == 0 or not len(games):
            return PastBatch(lengths, self._store, self._height)
        height = int(lengths.max())
        rows = np.empty((height, len(lengths)), np.uint64)
        seen = min(height, self._height)
        rows[height - seen :] = self._rows(seen)
        rows[height - added :, games] = others._rows(added)
        return _of_rows(rows, lengths)

    @staticmethod
    def stack(pasts: Sequence[Past]) -> PastBatch:
        """Single games as a batch."""
        lengths = np.array([len(past) for past in pasts], np.int64)
        rows = np.empty((int(lengths.max(initial=0)), len(pasts)), np.uint64)
        for i, past in enumerate(pasts):
            rows[len(rows) - len(past) :, i] = past
        return _of_rows(rows, lengths)

    @staticmethod
    def concatenate(batches: Sequence[PastBatch]) -> PastBatch:
        """Batches one after another, as one."""
        lengths = np.concatenate([batch.lengths for batch in batches])
        rows = np.empty((int(lengths.max(initial=0)), len(lengths)), np.uint64)
        at = 0
        for batch in batches:
            seen = min(len(rows), batch._height)
            rows[len(rows) - seen :, at : at + len(batch)] = batch._rows(seen)
            at += len(batch)
        return _of_rows(rows, lengths)


def _of_rows(rows: NDArray[np.uint64], lengths: NDArray[np.int64]) -> PastBatch:
    return PastBatch(lengths, _Store(rows, len(rows)), len(rows))


def occurrences(past: Any, key: Word) -> Word:
    """How often the newest position, with key ``key``, has occurred with the same player to move, itself counted; a word.

    past: its `Past` or `PastBatch`.

    The players move in turn: entries 2, 4, .. plies ago are those with the same player to move.
    """
    if type(key) is int:
        return 1 + past[-2::-2].count(key)
    games, _ = _matches(past, key, 2, _SAME)
    if not len(games):
        return np.ones(len(key), np.uint64)
    return np.bincount(games, minlength=len(key)).astype(np.uint64) + np.uint64(1)


class Near:
    """Which keys are near each other: those that differ in at most ``most`` cells.

    cells: the bits that are cells.
    lanes: by how many bits more a cell may also lie further up, ascending; it differs if any of its bits does.
    """

    def __init__(self, most: int, cells: int = ALL, lanes: Sequence[int] = ()) -> None:
        self.most = most
        self.few = 2 if lanes else 4  # it pays to pick games out if so few are left: one in so many
        self.cells, self.lanes = cells, tuple(lanes)
        self._cells = np.array(cells, np.uint64)
        self._first = [np.array(lane, np.uint64) for lane in lanes[:1]]
        self._steps = [np.array(b - a, np.uint64) for a, b in pairwise((0, *lanes[1:]))]
        # one expression takes half the time of a loop over lanes
        differing = "(d := key ^ earlier)" + "".join(f" | d >> {lane}" for lane in lanes)
        self.among: Callable[[int, Iterable[int]], list[int]] = eval(
            f"lambda key, past: [earlier for earlier in past if (({differing}) & {cells}).bit_count() <= {most}]"
        )
        """Those of some keys that are near a key."""

    def where(self, difference: NDArray[np.uint64], work: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Where keys with a difference are near; ``work`` is room for as many words, and both are written on."""
        differing = difference
        for lane in self._first:
            differing = np.right_shift(difference, lane, out=work)
            differing |= difference
        for step in self._steps:
            difference >>= step
            differing |= difference
        differing &= self._cells
        return np.bitwise_count(differing) <= self.most if self.most else differing == 0


_SAME = Near(0)


def union_of_past(past: Any, key: Word, newest: Word, first: int, near: Near, f: Callable[[Word, Word], Word]) -> Word:
    """The OR of ``f(key, earlier)`` over the entries first, first + 2, .. plies ago that are near ``key``, and over ``newest``.

    past: a `Past` or `PastBatch`.
    newest: the entry one ply ago; where there is none it does not count.
    """
    if type(key) is int:
        return f(key, newest) & nonzero(past.age) | _union_one(past, key, first, near, f)
    return _union_batch(past, key, newest, first, near, f)


def _union_one(past: Past, key: int, first: int, near: Near, f: Callable[[int, int], int]) -> int:
    union = 0
    for earlier in near.among(key, past[-first::-2]):
        union |= f(key, earlier)
    return union


def _union_batch(past: PastBatch, key: Word, newest: Word, first: int, near: Near, f: Callable[[Word, Word], Word]) -> Word:
    games, earlier = _matches(past, key, first, near)
    if not len(games):
        return f(key, newest) * (past.lengths != 0)
    # one call for both: at 256 games most of its time is the same for any number of them
    found = f(np.concatenate((key, key.take(games))), np.concatenate((newest, earlier)))
    union = found[: len(key)] * (past.lengths != 0)
    np.bitwise_or.at(union, games, found[len(key) :])
    return union


def _matches(past: PastBatch, key: NDArray[np.uint64], first: int, near: Near) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Pairs (game, earlier key) near each other, over entries first, first + 2, .. of each game's own.

    A block of rows at a time, so that what is worked on stays in the processor's cache. Young games are left out as it gets to
    rows older than they are, and the fewer are left the more rows make a block.
    """
    games: list[NDArray[np.int64]] = []
    keys: list[NDArray[np.uint64]] = []
    lengths, now, columns = past.lengths, key, _NO_GAMES
    oldest = int(lengths.max(initial=0))
    room = np.empty((2, _ROWS * len(key)), np.uint64) if first <= oldest else _NO_ROOM
    while first <= oldest:
        old_enough = (lengths >= first).nonzero()[0]
        if len(old_enough) * near.few < len(now):
            lengths, now = lengths.take(old_enough), now.take(old_enough)
            columns = columns.take(old_enough) if len(columns) else old_enough
        last = min(first + 2 * (_ROWS * min(len(key) // len(now), 4)) - 2, oldest)
        rows = past.back(first, last, columns if len(columns) else None)
        difference, work = (part[: rows.size].reshape(rows.shape) for part in room)
        np.bitwise_xor(rows, now, out=difference)
        close = near.where(difference, work).reshape(-1).nonzero()[0]
        if len(close):
            row = close // len(now)
            column = close - row * len(now)
            own = (lengths.take(column) >= 2 * row + first).nonzero()[0]
            row, column = row.take(own), column.take(own)
            games.append(columns.take(column) if len(columns) else column)
            keys.append(rows[row, column])
        first += 2 * len(rows)
    return (np.concatenate(games), np.concatenate(keys)) if games else (_NO_GAMES, _NO_KEYS)


_ROWS = 8
_NO_ROOM = np.empty((2, 0), np.uint64)
_NO_GAMES, _NO_KEYS = np.zeros(0, np.int64), np.zeros(0, np.uint64)
