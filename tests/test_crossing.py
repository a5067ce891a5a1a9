"""Paths across a rhombus against a search cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from abstract_envs.core.bits import ALL
from abstract_envs.core.board import HEX_DIRECTIONS
from abstract_envs.core.crossing import Crossing


def joins_rows(n: int, cells: set[tuple[int, int]]) -> bool:
    reached, todo = set[tuple[int, int]](), [cell for cell in cells if cell[0] == 0]
    while todo:
        row, column = todo.pop()
        reached.add((row, column))
        todo += {(row + r, column + q) for r, q in HEX_DIRECTIONS} & cells - reached
    return any(row == n - 1 for row, _ in reached)


def answers(n: int, x: int) -> tuple[int, int]:
    """Whether a set joins first and last row, and first and last column."""
    cells = {divmod(k, n) for k in range(n * n) if x >> k & 1}
    turned = {(column, row) for row, column in cells}  # neighbours stay neighbours
    return tuple(ALL if joins_rows(n, found) else 0 for found in (cells, turned))  # type: ignore[return-value]


@pytest.mark.parametrize("n", range(3, 9))
def test_rows_and_columns_joined(n: int) -> None:
    rng = np.random.default_rng(n)
    crossing = Crossing(n)
    # around a density of one half, where paths wind, and close to it from both sides
    bits = rng.random((400, n * n)) < rng.choice([0.4, 0.5, 0.55, 0.6], (400, 1))
    sets = [sum(1 << k for k in np.flatnonzero(row).tolist()) for row in bits] + [0, (1 << n * n) - 1, (1 << n) - 1]
    truth = [answers(n, x) for x in sets]
    others, other_truth = sets[1:] + sets[:1], truth[1:] + truth[:1]
    expected = [(rows, columns) for (rows, _), (_, columns) in zip(truth, other_truth, strict=True)]
    assert 50 < sum(rows == ALL for rows, _ in expected) < 350
    assert [crossing.of(x, y, ALL, 1) for x, y in zip(sets, others, strict=True)] == expected
    assert all(type(found) is int for found in crossing.of(sets[0], sets[1], ALL, ALL))
    x, y = (np.array(words, np.uint64) for words in (sets, others))
    x.flags.writeable = y.flags.writeable = False
    rows, columns = crossing.of(x, y, x | ALL, y | ALL)
    assert rows.dtype == columns.dtype == np.uint64
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == expected


def test_asks_only_where_it_may_be() -> None:
    crossing, full = Crossing(3), (1 << 9) - 1
    assert crossing.of(full, full, 0, ALL) == (0, ALL)
    assert crossing.of(full, full, ALL, 0) == (ALL, 0)
    batch = np.full(2, full, np.uint64)
    may = np.array([0, ALL], np.uint64)
    assert [found.tolist() for found in crossing.of(batch, batch, may, may ^ may)] == [[0, ALL], [0, 0]]
    assert [found.tolist() for found in crossing.of(batch[:0], batch[:0], may[:0], may[:0])] == [[], []]


def test_a_winding_path() -> None:
    # through rows 1 and 3 from end to end; and the same with a gap
    path = "x......xxxxxxx......xxxxxxxxx......xxxxxxx......x"
    x = sum(1 << k for k, symbol in enumerate(path) if symbol == "x")
    crossing = Crossing(7)
    assert crossing.of(x, 0, ALL, ALL) == (ALL, 0)
    for cut in (8, 20, 24, 28, 41):
        assert crossing.of(x ^ 1 << cut, 0, ALL, ALL) == (0, 0)
