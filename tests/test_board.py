"""Boards against plain geometry: cells, names, neighbours, lines, shifts of sets of cells, symmetries of the shape."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest

from abstract_envs.core.board import HEX_DIRECTIONS, SQUARE_DIRECTIONS, Board, hexagon, points, rhombus, square

LINES = ["124", "235", "346", "457", "561", "672", "713"]  # of the Fano plane
FANO = points("1234567", ["".join(sorted(set("1234567") - {p})) for p in "1234567"], LINES)


def hex_name(cell: tuple[int, int]) -> str:
    return "abcdefghi"[cell[1] + 4] + str(cell[0] + 5)


BOARDS = {
    **{f"rhombus {n}": rhombus(n) for n in range(3, 9)},
    "hexagon 3 with hole": hexagon(3, hex_name, hole=True),
    "hexagon 3 by column, padded": hexagon(3, hex_name, by_column=True, bit=lambda c: 8 * (c[0] + 2) + c[1] + 2),
    "hexagon 5": hexagon(5, hex_name),
    "hexagon 5, names by column, bits by row": hexagon(5, hex_name, by_column=True, bit=hexagon(5, str).cells.index),
    "hexagon 3 with hole, bits by place": hexagon(3, hex_name, hole=True, bit=lambda c: 5 * (c[0] + 2) + c[1] + 2),
    "square 5": square(5),
    "square 7": square(7),
    "points": FANO,
}
every_board = pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
GRIDS = {name: board for name, board in BOARDS.items() if board.directions}
every_grid = pytest.mark.parametrize("board", GRIDS.values(), ids=GRIDS)


def sets_of_cells(board: Board, count: int = 40) -> list[set[int]]:
    """Sets of cell indices: none, all, single cells, random ones."""
    rng = np.random.default_rng(len(board))
    cells = range(len(board))
    return [set(), set(cells), *({i} for i in cells), *({i for i in cells if rng.random() < p} for p in rng.random(count))]


def word(board: Board, cells: set[int]) -> int:
    return sum(1 << board.bits[i] for i in cells)


def agree(board: Board, f: Any, expected: Any, words: int = 1) -> None:
    """``f`` on so many words as ``expected`` on sets of indices, for ints and for a batch."""
    sets = sets_of_cells(board)
    rows = [(*row,) for row in zip(*(sets[k:] + sets[:k] for k in range(0, 13 * words, 13)), strict=True)]
    rows += [(cells,) * words for cells in sets]
    wanted = [word(board, expected(*row)) for row in rows]
    assert [f(*(word(board, cells) for cells in row)) for row in rows] == wanted
    batches = [np.array([word(board, cells) for cells in column], np.uint64) for column in zip(*rows, strict=True)]
    for batch in batches:
        batch.flags.writeable = False
    found = f(*batches)
    assert found.dtype == np.uint64
    assert found.tolist() == wanted


@pytest.mark.parametrize("n", range(3, 9))
def test_rhombus(n: int) -> None:
    board = rhombus(n)
    assert board.cells == tuple((i, j) for i in range(n) for j in range(n))
    assert board.shape == (n, n)
    assert board.places == board.bits == tuple(range(n * n))
    last = "abcdefgh"[n - 1]
    corners = {(0, 0): "a1", (0, n - 1): f"{last}1", (n - 1, 0): f"a{n}", (n - 1, n - 1): f"{last}{n}"}
    for (i, j), name in corners.items():
        assert board.names[n * i + j] == name
        assert board.index(name) == n * i + j
    # acute corners have two neighbours, obtuse ones three
    assert [len(board.neighbours[board.index(c)]) for c in ("a1", f"{last}1", f"a{n}", f"{last}{n}")] == [2, 3, 3, 2]
    assert len(board.maps) == 4
    i = board.index("c1")
    assert [board.names[image[i]] for image in board.maps] == [
        "c1",
        f"{'abcdefgh'[n - 3]}{n}",
        "a3",
        f"{last}{n - 2}",
    ]


def test_hexagons() -> None:
    for side, hole, count in ((3, True, 18), (3, False, 19), (5, False, 61)):
        board = hexagon(side, hex_name, hole)
        assert len(board) == count
        assert ((0, 0) in board.cells) is not hole
        assert board.shape == (2 * side - 1, 2 * side - 1)
        assert all(max(abs(q), abs(r), abs(q + r)) < side for r, q in board.cells)
        assert len(set(board.maps)) == 12
        assert list(board.cells) == sorted(board.cells)
        # without a hole corners have 3 neighbours, other border cells 4, the rest 6; the hole takes one from each cell around it
        degrees = sorted(len(near) for near in board.neighbours)
        inner = count + hole - 6 * (side - 1)
        expected = [3] * 6 + [4] * 6 * (side - 2) + [6] * inner
        if hole:
            expected = [3] * 6 + [4] * 6 * (side - 2) + [5] * 6 + [6] * (inner - 7)
        assert degrees == sorted(expected)
    by_column = hexagon(3, hex_name, by_column=True)
    assert list(by_column.cells) == sorted(by_column.cells, key=lambda cell: (cell[1], cell[0]))
    # a turn by 60 degrees carries the corner east of the centre to the one south-east of it, and so on around
    corners = [(0, 2), (2, 0), (2, -2), (0, -2), (-2, 0), (-2, 2)]
    turned = [by_column.cells[by_column.maps[1][by_column.indices[c]]] for c in corners]
    assert turned in ([*corners[1:], corners[0]], [corners[-1], *corners[:-1]])


@pytest.mark.parametrize("n", [3, 5, 7])
def test_square(n: int) -> None:
    board = square(n)
    assert board.names[0] == "a1"
    assert board.names[n - 1] == "abcdefg"[n - 1] + "1"
    assert board.names[n * n - n] == f"a{n}"
    assert board.directions == SQUARE_DIRECTIONS == ((-1, 0), (0, -1), (0, 1), (1, 0))
    assert {board.names[i] for i in board.neighbours[board.index("b2")]} == {"a2", "c2", "b1", "b3"}
    assert len(set(board.maps)) == 8


def test_points() -> None:
    assert FANO.names == tuple("1234567")
    assert FANO.shape == (1, 7)
    assert all(set(near) == set(range(7)) - {i} for i, near in enumerate(FANO.neighbours))
    # the Fano plane has 168 symmetries (the group PSL(2, 7))
    assert len(set(FANO.maps)) == 168
    lines = {frozenset(int(p) - 1 for p in line) for line in LINES}
    brute = {p for p in permutations(range(7)) if {frozenset(p[i] for i in line) for line in lines} == lines}
    assert set(FANO.maps) == brute
    chain = points("pqr", ["q", "pr", "q"])
    assert chain.neighbours == ((1,), (0, 2), (1,))
    assert set(chain.maps) == {(0, 1, 2), (2, 1, 0)}


@every_board
def test_names_indices_words(board: Board) -> None:
    assert len(board) == len(board.cells) == len(set(board.names)) == len(set(board.bits)) == len(set(board.places))
    for i, name in enumerate(board.names):
        assert name in board
        assert board.index(name) == i
        assert board.indices[board.cells[i]] == i
        row, column = divmod(board.places[i], board.shape[1])
        assert (row, column) == (
            board.cells[i][0] - min(r for r, _ in board.cells),
            board.cells[i][1] - min(q for _, q in board.cells),
        )
    assert board.full == word(board, set(range(len(board))))
    assert board.word([0, board.names[1]]) == 1 << board.bits[0] | 1 << board.bits[1]
    assert "zz" not in board
    with pytest.raises(ValueError, match="'zz' is no cell"):
        board.index("zz")


@every_grid
def test_neighbours_and_steps(board: Board) -> None:
    cells = set(board.cells)
    for i, (r, q) in enumerate(board.cells):
        ahead = [(r + dr, q + dq) for dr, dq in board.directions]
        assert [board.step(i, d) for d in board.directions] == [board.cells.index(c) if c in cells else None for c in ahead]
        assert [board.cells[k] for k in board.neighbours[i]] == [c for c in ahead if c in cells]
        assert all(i in board.neighbours[k] for k in board.neighbours[i])
    if board.directions is not SQUARE_DIRECTIONS:
        assert board.directions == HEX_DIRECTIONS == ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))


@every_board
def test_beside(board: Board) -> None:
    agree(board, board.beside, lambda cells, among: {k for i in cells for k in board.neighbours[i]} & among, words=2)


@every_board
def test_near(board: Board) -> None:
    for i, near in enumerate(board.neighbours):
        assert board.near[board.bits[i]] == word(board, set(near))
    assert board.near[len(board.near) - 1] == 0
    assert len(board.near) > max(board.bits) + 1


@every_board
def test_grid(board: Board) -> None:
    """As words laid end to end, each whole rows of the grid."""
    rows, columns = board.shape
    assert sum(board.grid_sizes) == rows * columns
    assert all(size <= 64 and size % columns == 0 for size in board.grid_sizes)
    sets = sets_of_cells(board)
    wanted = [sum(1 << board.places[i] for i in cells) for cells in sets]

    def joined(words: Any) -> int:
        return sum(int(x) << sum(board.grid_sizes[:k]) for k, x in enumerate(words))

    found = [board.grid(word(board, cells)) for cells in sets]
    assert all(type(x) is int for words in found for x in words)
    assert [joined(words) for words in found] == wanted
    batch = np.array([word(board, cells) for cells in sets], np.uint64)
    batch.flags.writeable = False
    words = board.grid(batch)
    assert [(x.dtype, x.shape) for x in words] == [(np.dtype(np.uint64), batch.shape)] * len(board.grid_sizes)
    assert [joined(parts) for parts in zip(*words, strict=True)] == wanted


def test_grid_of_a_hexagon() -> None:
    assert BOARDS["hexagon 5"].grid_sizes == (63, 18)
    assert BOARDS["hexagon 3 with hole, bits by place"].grid_sizes == (25,)
    board = BOARDS["hexagon 3 with hole, bits by place"]
    assert board.grid(board.full) == (board.full,)


@every_grid
def test_shift_and_facing(board: Board) -> None:
    def moved(cells: set[int], d: tuple[int, int]) -> set[int]:
        return {to for i in cells if (to := board.step(i, d)) is not None}

    offsets = [*board.directions, (2, 0), (0, -2), (1, 1), (-2, 1)]
    for d in offsets:
        distances = {board.bits[to] - board.bits[i] for i in range(len(board)) if (to := board.step(i, d)) is not None}
        if len(distances) == 1:
            agree(board, lambda x, d=d: board.shift(x, d), lambda cells, d=d: moved(cells, d))
        else:
            with pytest.raises(ValueError, match="offset"):
                board.shift(board.full, d)
    try:
        board.facing(board.full, board.full)
    except ValueError:
        return
    for k, d in enumerate(board.directions):
        facing = {i: board.step(i, d) for i in range(len(board))}
        agree(
            board,
            lambda x, among, k=k: board.facing(x, among)[k],
            lambda cells, among, facing=facing: {i for i in among if facing[i] in cells},
            words=2,
        )


@every_grid
def test_lines(board: Board) -> None:
    for d in board.directions:
        lines = board.lines(d)
        assert sorted(i for line in lines for i in line) == list(range(len(board)))
        assert [line[0] for line in lines] == sorted(line[0] for line in lines)
        for line in lines:
            assert all(board.step(a, d) == b for a, b in pairwise(line))
            assert board.step(line[-1], d) is None
            assert board.step(line[0], (-d[0], -d[1])) is None


@every_board
def test_maps_keep_the_shape(board: Board) -> None:
    assert board.maps[0] == tuple(range(len(board)))
    assert len(set(board.maps)) == len(board.maps)
    group = set(board.maps)
    for image in board.maps:
        assert sorted(image) == list(range(len(board)))
        for i, near in enumerate(board.neighbours):
            assert {image[k] for k in near} == set(board.neighbours[image[i]])
    for a in board.maps[:12]:
        assert all(tuple(b[k] for k in a) in group for b in board.maps)


@every_grid
def test_turned_directions(board: Board) -> None:
    for image in board.maps:
        turned = board.turned(image)
        assert sorted(turned) == list(range(len(board.directions)))
        for i in range(len(board)):
            for k, d in enumerate(board.directions):
                to = board.step(i, d)
                assert board.step(image[i], board.directions[turned[k]]) == (None if to is None else image[to])
