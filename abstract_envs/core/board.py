"""Boards: cells, their names and neighbours, lines, shifts of whole sets of cells, and the symmetries of the shape.

Coordinates are ``(row, column)``. Hexagonal boards are axial: row r, column q, and the six neighbours of a cell are

        (r-1, q)   (r-1, q+1)              directions, in this order:
                                           0 (0, +1)   1 (+1, 0)   2 (+1, -1)
    (r, q-1)   (r, q)   (r, q+1)           3 (0, -1)   4 (-1, 0)   5 (-1, +1)

        (r+1, q-1)   (r+1, q)

Every cell has an *index* (its place in the action space and in texts) and a *bit* (its place in a word), equal unless a
board says otherwise. Planes show the board as a grid of ``shape`` = (rows, columns), cells that do not exist left zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from abstract_envs.core.bits import Both, Table, Union, Word, set_of

__all__ = ["HEX_DIRECTIONS", "SQUARE_DIRECTIONS", "Board", "Cell", "Shift", "hexagon", "points", "rhombus", "square"]

Cell: TypeAlias = tuple[int, int]
"""(row, column)"""

HEX_DIRECTIONS: tuple[Cell, ...] = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
SQUARE_DIRECTIONS: tuple[Cell, ...] = ((-1, 0), (0, -1), (0, 1), (1, 0))


class Board:
    """A set of cells. Made by `rhombus`, `hexagon`, `square` or `points`.

    cells: (row, column) by index.
    names: text names by index.
    directions: offsets to neighbours.
    neighbours: for every index the indices of the neighbours that exist, in order of the directions.
    bits: bit of a word by index.
    full: the word of all cells.
    shape, places: the grid (rows, columns) of a plane, and the flat place in it by index.
    maps: the symmetries of the shape; each gives for every index the index it is carried to. The first is the identity.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        name: Callable[[Cell], str],
        directions: Sequence[Cell],
        maps: Iterable[Callable[[Cell], Cell]],
        bit: Callable[[Cell], int] | None = None,
        pairs: Iterable[tuple[int, int]] | None = None,
    ) -> None:
        self.cells = tuple(cells)
        self.indices = {cell: i for i, cell in enumerate(self.cells)}
        self.names = tuple(name(cell) for cell in self.cells)
        self.directions = tuple(directions)
        self.bits = tuple(bit(cell) if bit else i for i, cell in enumerate(self.cells))
        self.full = set_of(self.bits)
        self._index_of_name = {name: i for i, name in enumerate(self.names)}
        if pairs is None:
            self.neighbours = tuple(
                tuple(to for d in self.directions if (to := self.step(i, d)) is not None) for i in range(len(self))
            )
        else:
            linked = list(pairs)
            self.neighbours = tuple(tuple(sorted(b for a, b in linked if a == i)) for i in range(len(self)))
        top, left = min(r for r, _ in self.cells), min(q for _, q in self.cells)
        bottom, right = max(r for r, _ in self.cells), max(q for _, q in self.cells)
        self.shape = (bottom - top + 1, right - left + 1)
        self.places = tuple((r - top) * self.shape[1] + q - left for r, q in self.cells)
        self.maps = tuple(tuple(self.indices[image(cell)] for cell in self.cells) for image in maps)
        self._shifts: dict[Cell, Shift] = {}
        self._beside: Union | None = None

    def __len__(self) -> int:
        return len(self.cells)

    def __contains__(self, name: str) -> bool:
        return name in self._index_of_name

    def index(self, name: str, field: str = "") -> int:
        """The index of a cell by its text name; ValueError that names the field and says which cells there are."""
        found = self._index_of_name.get(name)
        if found is None:
            where = f"{field}: " if field else ""
            raise ValueError(f"{where}{name!r} is no cell of this board; its cells are {self.names[0]} to {self.names[-1]}")
        return found

    def step(self, i: int, offset: Cell) -> int | None:
        """The index of the cell at an offset (rows, columns) from cell ``i``; None where there is none."""
        row, column = self.cells[i]
        return self.indices.get((row + offset[0], column + offset[1]))

    def lines(self, direction: Cell) -> list[list[int]]:
        """All maximal straight runs of cells along a direction, cut by holes; ordered by their first cell."""
        backwards = (-direction[0], -direction[1])
        runs: list[list[int]] = []
        for i in range(len(self)):
            if self.step(i, backwards) is None:
                run = [i]
                while (to := self.step(run[-1], direction)) is not None:
                    run.append(to)
                runs.append(run)
        return runs

    def turned(self, image: Sequence[int]) -> list[int]:
        """For every direction the direction into which a symmetry of the board (one of ``maps``) turns it."""
        found: list[int] = []
        for d in self.directions:
            i, to = next((i, to) for i in range(len(self)) if (to := self.step(i, d)) is not None)
            (r, q), (row, column) = self.cells[image[i]], self.cells[image[to]]
            found.append(self.directions.index((row - r, column - q)))
        return found

    def word(self, cells: Iterable[int | str]) -> int:
        """The word of cells given by index or name."""
        return set_of(self.bits[self.index(c) if isinstance(c, str) else c] for c in cells)

    # ------------------------------------------------------------------------------------------------ sets of cells

    def shift(self, x: Word, offset: Cell) -> Word:
        """Every cell of ``x`` moved by an offset (rows, columns); those that would leave the board are dropped.

        Needs a board on which the offset is the same number of bits everywhere: ValueError elsewhere.
        """
        return self.shift_by(offset).of(x)

    def shift_by(self, offset: Cell) -> Shift:
        """`shift` by one offset, prepared."""
        found = self._shifts.get(offset)
        if found is None:
            moves = [(i, to) for i in range(len(self)) if (to := self.step(i, offset)) is not None]
            distances = {self.bits[to] - self.bits[i] for i, to in moves} or {0}
            if len(distances) > 1:
                raise ValueError(f"the offset {offset} is {sorted(distances)} bits on this board, not one number of bits")
            found = self._shifts[offset] = Shift(self.word(i for i, _ in moves), distances.pop())
        return found

    def facing(self, x: Word, among: Word) -> tuple[Word, ...]:
        """For each of the directions the cells of ``among`` whose neighbour there is a cell of ``x``."""
        return tuple(self.shift(x, (-i, -j)) & among for i, j in self.directions)

    def beside(self, x: Word, among: Word) -> Word:
        """The cells of ``among`` that are neighbours of cells of ``x``."""
        if self._beside is None:
            self._beside = Union(self.near.ints[:-1])
        return self._beside[x] & among

    @cached_property
    def near(self) -> Table:
        """The neighbours of each bit, as words; zero in the end, as `connected` wants it."""
        by_bit = [0] * (max(self.bits) + 2)
        for i, near in enumerate(self.neighbours):
            by_bit[self.bits[i]] = self.word(near)
        return Table(by_bit)

    # ---------------------------------------------------------------------------------------------- cells as a plane

    @cached_property
    def grid_sizes(self) -> tuple[int, ...]:
        """How many places of the grid each word of `grid` has: whole rows, as many as fit 64 bits, then the next rows."""
        rows, columns = self.shape
        together = 64 // columns
        return tuple(columns * min(together, rows - row) for row in range(0, rows, together))

    def grid(self, x: Word) -> tuple[Word, ...]:
        """The cells of ``x`` at their places in the grid, as words that follow one another: bit k of the first is place k.

        Places without a cell are zero.
        """
        return self._grid_one(x) if type(x) is int else self._grid_batch(x)

    @cached_property
    def _grid_one(self) -> Callable[[int], tuple[int, ...]]:
        return self._grid_function(int)

    @cached_property
    def _grid_batch(self) -> Callable[[Word], tuple[Word, ...]]:
        return self._grid_function(lambda value: np.array(value, np.uint64))

    def _grid_function(self, constant: Callable[[int], Any]) -> Callable[[Word], tuple[Word, ...]]:
        """`grid` as one expression: cells that move by the same number of bits move together.

        9x9 grid of a hexagon of side 5, its bits by rows: (x & row) << 4 | (x & row) << 7 | .. , (x & row) >> 50 | ..
        """
        constants: dict[str, Any] = {}
        words: list[str] = []
        first = 0
        for size in self.grid_sizes:
            together: dict[int, int] = {}
            for bit, place in zip(self.bits, self.places, strict=True):
                if first <= place < first + size:
                    together[place - first - bit] = together.get(place - first - bit, 0) | 1 << bit
            terms: list[str] = []
            for by, cells in together.items():
                k = len(constants) // 2
                constants[f"cells_{k}"], constants[f"by_{k}"] = constant(cells), constant(abs(by))
                moved = "" if by == 0 else f" << by_{k}" if by > 0 else f" >> by_{k}"
                terms.append(f"(x & cells_{k}){moved}")
            words.append(" | ".join(terms) or "x & zero")
            first += size
        text = f"lambda x: ({', '.join(words)},)"
        function = eval(text, {**constants, "zero": constant(0), "__name__": __name__})
        vars(function)["text"] = text  # for who writes that expression out again
        return function


class Shift:
    """Sets of cells moved by some number of bits, without the cells that would leave the board."""

    def __init__(self, inside: int, bits: int) -> None:
        self._constants = Both(inside=inside, bits=abs(bits))
        self._ahead = bits > 0

    def of(self, x: Word) -> Word:
        """Every cell of ``x`` moved."""
        return self.along(x & self._constants.of(x).inside)

    def along(self, x: Word) -> Word:
        """The same for sets without cells that would leave the board, or run over a side of it: nothing is masked."""
        c = self._constants.of(x)
        return x << c.bits if self._ahead else x >> c.bits


class _Rhombus(Board):
    """Hexagons in n rows of n: a plane is the word itself, and neighbours are four shifts."""

    def __init__(self, n: int) -> None:
        last = n - 1
        super().__init__(
            [(i, j) for i in range(n) for j in range(n)],
            lambda cell: "abcdefgh"[cell[1]] + str(cell[0] + 1),
            HEX_DIRECTIONS,
            (
                lambda c: c,
                lambda c: (last - c[0], last - c[1]),
                lambda c: (c[1], c[0]),
                lambda c: (last - c[1], last - c[0]),
            ),
        )
        columns = [self.word(i * n + j for i in range(n)) for j in range(n)]
        self._edges = Both(
            left=self.full ^ columns[-1],  # all but the last column
            right=self.full ^ columns[0],
            one=1,
            row=n,
        )

    # (+1, -1) is one row on from the west, (-1, +1) one row back from the east; what runs past the last row is none of ``among``

    def facing(self, x: Word, among: Word) -> tuple[Word, ...]:
        c = self._edges.of(x)
        east, west = (x & c.left) << c.one, (x & c.right) >> c.one
        row = c.row
        return west & among, x >> row & among, east >> row & among, east & among, x << row & among, west << row & among

    def beside(self, x: Word, among: Word) -> Word:
        c = self._edges.of(x)
        east, west = (x & c.left) << c.one, (x & c.right) >> c.one
        return (east | west | (x | west) << c.row | (x | east) >> c.row) & among


def rhombus(n: int) -> Board:
    """n x n hexagons, index n*row + column, names column letter + row number: a1 top left.

    ``maps``: identity, half turn, and the reflections in the long and in the short diagonal.
    """
    return _Rhombus(n)


def hexagon(
    side: int,
    name: Callable[[Cell], str],
    hole: bool = False,
    by_column: bool = False,
    bit: Callable[[Cell], int] | None = None,
) -> Board:
    """The hexagon max(|q|, |r|, |q+r|) < side, without its centre if ``hole``. ``cells`` are centred: (0, 0) is the middle.

    Index by row, then column; with ``by_column`` by column, then row. ``maps``: the six turns by 60 degrees, then these
    after the reflection (r, q) -> (q, r).
    """
    reach = range(1 - side, side)
    cells = [(r, q) for r in reach for q in reach if abs(q + r) < side and not (hole and q == r == 0)]
    if by_column:
        cells.sort(key=lambda cell: (cell[1], cell[0]))

    def turned(cell: Cell, times: int) -> Cell:
        r, q = cell
        for _ in range(times):
            r, q = r + q, -r
        return r, q

    turns: list[Callable[[Cell], Cell]] = []
    for k in range(6):
        turns.append(lambda cell, k=k: turned(cell, k))
    for k in range(6):
        turns.append(lambda cell, k=k: turned((cell[1], cell[0]), k))
    return Board(cells, name, HEX_DIRECTIONS, turns, bit)


def square(n: int) -> Board:
    """n x n squares, index n*row + column, rows counted from the bottom, names column letter + row number as in chess.

    ``maps``: identity, the three turns, and these after the reflection (row, column) -> (column, row).
    """
    last = n - 1

    def turned(cell: Cell, times: int) -> Cell:
        for _ in range(times):
            cell = cell[1], last - cell[0]
        return cell

    turns: list[Callable[[Cell], Cell]] = []
    for k in range(4):
        turns.append(lambda cell, k=k: turned(cell, k))
    for k in range(4):
        turns.append(lambda cell, k=k: turned((cell[1], cell[0]), k))
    return Board(
        [(i, j) for i in range(n) for j in range(n)],
        lambda cell: "abcdefghijklmnopqrstuvwxyz"[cell[1]] + str(cell[0] + 1),
        SQUARE_DIRECTIONS,
        turns,
    )


def points(names: Sequence[str], neighbours: Sequence[Sequence[str]], lines: Sequence[Sequence[str]] = ()) -> Board:
    """Points in a row, each with its neighbours by name, and lines that symmetries keep.

    ``maps``: every permutation that keeps neighbours and lines, in lexicographic order (so the identity is the first).
    """
    indices = {name: i for i, name in enumerate(names)}
    pairs = [(i, indices[to]) for i, near in enumerate(neighbours) for to in near]
    linked, drawn = set(pairs), {frozenset(indices[name] for name in line) for line in lines}

    def keeps(p: tuple[int, ...]) -> bool:
        return all((p[a], p[b]) in linked for a, b in pairs) and all(frozenset(p[i] for i in line) in drawn for line in drawn)

    maps = [p for p in permutations(range(len(names))) if keeps(p)]
    images: list[Callable[[Cell], Cell]] = []
    for p in maps:
        images.append(lambda cell, p=p: (0, p[cell[1]]))
    return Board([(0, i) for i in range(len(names))], lambda cell: names[cell[1]], (), images, None, pairs)
