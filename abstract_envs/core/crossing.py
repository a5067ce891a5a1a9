"""Paths that join opposite sides of a rhombus of hexagons, looked up row by row.

What a set of cells can still become on the rows to come is told by its last row: which cells of it are joined to the first row,
and which of the others to one another. There are few such patterns (519 on seven rows), and a table leads from a pattern and the
cells of the next row to the next pattern. So there are as many look-ups as rows, however the paths wind.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np

from abstract_envs.core.bits import Word, nonzero

__all__ = ["Crossing"]

_U64 = np.uint64
Pattern: TypeAlias = tuple[int, ...]
"""By column: 0 where the cell is not in the set, 1 where it is joined to the first row, else the number of its group, 2, 3, .."""


class Crossing:
    """For n x n hexagons, bits by rows as in `abstract_envs.core.board.rhombus`."""

    def __init__(self, n: int) -> None:
        self._start, self._next = _patterns(n)
        self._next_words = np.array(self._next, np.uint32)  # half the size of a `Table`: it must share the cache with much else
        self._size = n
        self._row = (1 << n) - 1
        self._column = sum(1 << n * i for i in range(n))
        # a column times this has its bits n*i at n*(n - 1) + i, next to each other
        self._gather, self._gathered = sum(1 << (n - 1) * k for k in range(1, n + 1)), n * (n - 1)
        self._words: list[Word] = [np.array(x, _U64) for x in (self._row, self._column, self._gather, self._gathered)]
        self._places: Word = np.arange(n, dtype=_U64)[:, None]

    def of(self, x: Word, y: Word, x_may: Word, y_may: Word) -> tuple[Word, Word]:
        """All ones where cells of ``x`` join the first row and the last; where cells of ``y`` join the first column and the last.

        Looked at only where the masks ``x_may`` and ``y_may`` are not zero: give necessary conditions that are cheap.
        """
        if type(x) is int:
            x_joined, y_joined = 0, 0
            if x_may:
                x_joined = self._joined(tuple(x >> self._size * i & self._row for i in range(self._size)))
            if y_may:
                y_joined = self._joined(
                    tuple((y >> j & self._column) * self._gather >> self._gathered & self._row for j in range(self._size))
                )
            return x_joined, y_joined
        return self._batch(x, y, x_may.nonzero()[0], y_may.nonzero()[0])

    def _joined(self, lines: tuple[int, ...]) -> int:
        found = self._start
        for line in lines:
            found = self._next[found | line]
        return nonzero(found)

    def _batch(self, x: Word, y: Word, x_games: Word, y_games: Word) -> tuple[Word, Word]:
        row, column, gather, gathered = self._words
        rows = x.take(x_games) >> self._places * self._size & row
        columns = (y.take(y_games) >> self._places & column) * gather >> gathered & row
        found: Word = self._start
        following: Word = self._next_words
        lines: Word = np.concatenate((rows, columns), 1).view(np.int64)
        for line in lines:
            found = following.take(found | line, mode="clip")
        joined, answers = nonzero(found), np.zeros((2, len(x)), _U64)
        answers[0][x_games], answers[1][y_games] = joined[: len(x_games)], joined[len(x_games) :]
        return answers[0], answers[1]


def _patterns(n: int) -> tuple[int, list[int]]:
    """The pattern before the first row, and the table: the next pattern by pattern and cells of a row, ``pattern | cells``.

    A pattern stands there as its number times 2**n; 0 is the one that is joined to the first row nowhere.
    """

    @cache
    def rows(pattern: Pattern, column: int) -> list[Pattern]:
        """The patterns that follow, by the cells of a row from a column on; before that column the pattern is of this row."""
        if column == n:
            return [pattern]
        found = [pattern] * (1 << n - column)
        found[0::2] = rows(_with_cell(pattern, column, False), column + 1)
        found[1::2] = rows(_with_cell(pattern, column, True), column + 1)
        return found

    start, nowhere = (1,) * n, (0,) * n
    numbers = {nowhere: 0, start: 1 << n}
    todo, table = [nowhere, start], list[int]()
    for pattern in todo:
        following = rows(pattern, 0)
        for new in following:
            if new not in numbers:
                numbers[new] = len(todo) << n
                todo.append(new)
        table += [numbers[new] for new in following]
    return numbers[start], table


@cache
def _with_cell(pattern: Pattern, column: int, filled: bool) -> Pattern:
    """A pattern whose cell in a column is replaced by the one below it, which touches the cells above, above right and left."""
    new = list(pattern)
    new[column] = 0
    if filled:
        beside = pattern[max(column - 1, 0) : column + 2]  # the left one is of the same row already
        joined = sorted(set(beside) - {0}) or [len(pattern) + 2]
        new[column] = joined[0]
        new = [joined[0] if group in joined else group for group in new]
    if 1 not in new:
        return (0,) * len(pattern)
    numbers = {0: 0, 1: 1}
    return tuple(numbers.setdefault(group, len(numbers)) for group in new)
