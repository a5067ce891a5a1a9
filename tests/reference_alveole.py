"""Alveole once more, cell by cell and as slow as it reads: what the library is compared with.

Written from the rule sheet alone. A cell is its axial (q, r); a board is a dict from cells that hold a piece to "r" or "b".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Cell = tuple[int, int]

DIRECTIONS = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]  # SE S SW NW N NE
OTHER = {"r": "b", "b": "r"}
START = {"r": "a2 a5 b1 d8 e1 f8 h1 i2 i5", "b": "a1 a4 b6 d1 e9 f1 h6 i1 i4"}


@dataclass
class Position:
    board: dict[Cell, str]
    side: str


class Reference:
    def __init__(self) -> None:
        self.columns = [[(q, r) for r in range(-4, 5) if max(abs(q), abs(r), abs(q + r)) <= 4] for q in range(-4, 5)]
        self.cells: list[Cell] = [cell for column in self.columns for cell in column]
        self.on_board = set(self.cells)
        self.names = {cell: "abcdefghi"[q] + str(k + 1) for q, column in enumerate(self.columns) for k, cell in enumerate(column)}
        self.named = {name: cell for cell, name in self.names.items()}

    def start(self) -> Position:
        return Position({self.named[name]: colour for colour, names in START.items() for name in names.split()}, "r")

    def line(self, cell: Cell, direction: Cell) -> list[Cell]:
        """The whole line through a cell: before, itself, behind."""
        return [c for k in range(-8, 9) if (c := (cell[0] + k * direction[0], cell[1] + k * direction[1])) in self.on_board]

    def target(self, position: Position, cell: Cell, direction: Cell) -> Cell:
        """Rule 2, on the board or not."""
        count = sum(c in position.board for c in self.line(cell, direction))
        return cell[0] + count * direction[0], cell[1] + count * direction[1]

    def may_move(self, position: Position, cell: Cell, direction: Cell) -> bool:
        """Rule 3, for a cell with a piece of the side to move."""
        target = self.target(position, cell, direction)
        if target not in self.on_board or position.board.get(target) == position.side:
            return False
        q, r = cell[0] + direction[0], cell[1] + direction[1]
        while (q, r) != target:
            if position.board.get((q, r)) == OTHER[position.side]:
                return False
            q, r = q + direction[0], r + direction[1]
        return True

    def moves(self, position: Position) -> dict[str, int]:
        found = {}
        for d, direction in enumerate(DIRECTIONS):
            for i, cell in enumerate(self.cells):
                if position.board.get(cell) == position.side and self.may_move(position, cell, direction):
                    found[f"{self.names[cell]}-{self.names[self.target(position, cell, direction)]}"] = 61 * d + i
        return found

    def actions(self, position: Position) -> dict[str, int]:
        """Legal action texts with their indices, in index order; none when the game has ended."""
        return {} if self.outcome(position) is not None else self.moves(position)

    def play(self, position: Position, text: str) -> Position:
        board = dict(position.board)
        cell, target = (self.named[name] for name in text.split("-"))
        board[target] = board.pop(cell)
        return Position(board, OTHER[position.side])

    def one_group(self, position: Position, colour: str) -> bool:
        pieces = [cell for cell, piece in position.board.items() if piece == colour]
        reached = pieces[:1]
        for q, r in reached:  # grows while it is gone through
            around = [(q + i, r + j) for i, j in DIRECTIONS]
            reached += [cell for cell in around if cell in pieces and cell not in reached]
        return len(reached) == len(pieces)

    def outcome(self, position: Position) -> int | None:
        """Rules 4 and 5: the winner, or None while the game runs."""
        side, mover = position.side, OTHER[position.side]
        if self.one_group(position, mover):
            return "rb".index(mover)
        if self.one_group(position, side):
            return "rb".index(side)
        return None if self.moves(position) else "rb".index(mover)

    def to_string(self, position: Position) -> str:
        columns = []
        for column in self.columns:
            text = "".join(position.board.get(cell, ".") for cell in column)
            for run in range(9, 0, -1):
                text = text.replace("." * run, str(run))
            columns.append(text)
        return f"{'/'.join(columns)} {position.side}"

    def from_string(self, text: str) -> Position:
        columns, side = text.split(" ")
        for digit in "123456789":
            columns = columns.replace(digit, "." * int(digit))
        pieces = columns.replace("/", "")
        return Position({cell: piece for cell, piece in zip(self.cells, pieces, strict=True) if piece != "."}, side)


def reference(options: dict[str, Any]) -> Reference:
    return Reference(**options)
