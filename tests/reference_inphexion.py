"""inpHeXion once more, cell by cell and as slow as it reads: what the library is compared with.

Written from the rule sheet alone. A cell is (row, column); a board is a dict from cells that hold something to "w", "b" or "n".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DIRECTIONS = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)]
OTHER = {"w": "b", "b": "w"}


@dataclass
class Position:
    board: dict[tuple[int, int], str]
    side: str
    waiting: int
    origins: list[tuple[int, int]]  # where this turn's captured pieces came from
    neutral_origin: tuple[int, int] | None  # the one of them the neutral piece came from


class Reference:
    def __init__(self, board_size: int = 7, pie_rule: bool = False, neutral: bool = False) -> None:
        self.n, self.pie_rule, self.neutral = board_size, pie_rule, neutral
        self.cells = [(i, j) for i in range(board_size) for j in range(board_size)]

    def start(self) -> Position:
        return Position({(self.n // 2, self.n // 2): "n"} if self.neutral else {}, "w", 0, [], None)

    def neighbours(self, cell: tuple[int, int]) -> list[tuple[int, int]]:
        around = [(cell[0] + i, cell[1] + j) for i, j in DIRECTIONS]
        return [(i, j) for i, j in around if 0 <= i < self.n and 0 <= j < self.n]

    def empty(self, position: Position) -> list[tuple[int, int]]:
        return [cell for cell in self.cells if cell not in position.board]

    def placements(self, position: Position) -> list[tuple[int, tuple[int, int], tuple[int, int]]]:
        """Rule 2: (direction, cell to take, cell to shove to)."""
        found = []
        for direction, (di, dj) in enumerate(DIRECTIONS):
            for i, j in self.cells:
                to = (i + di, j + dj)
                enemy = position.board.get((i, j), position.side) != position.side
                if enemy and to in self.cells and to not in position.board:
                    found.append((direction, (i, j), to))
        return found

    def first_turn(self, position: Position) -> bool:
        return not position.waiting and not {"w", "b"} & set(position.board.values())

    def actions(self, position: Position) -> dict[str, int]:
        """Legal action texts with their indices, in index order; none when the game has ended."""
        if self.outcome(position) is not None:
            return {}
        n = self.n
        if position.waiting:  # rule 5
            return {"@" + name(c): c[0] * n + c[1] for c in self.empty(position) if c not in position.origins}
        if self.first_turn(position) and not self.neutral:  # rule 1
            return {name(c): c[0] * n + c[1] for c in self.empty(position)}
        found = {
            f"{name(cell)}-{name(to)}": n * n * (1 + direction) + cell[0] * n + cell[1]
            for direction, cell, to in self.placements(position)
        }
        discs = [piece for piece in position.board.values() if piece != "n"]
        if self.pie_rule and discs == ["w"] and position.side == "b":
            found["swap"] = 7 * n * n
        return found

    def enclosed(self, position: Position, cell: tuple[int, int], mover: str) -> bool:
        """Rule 3, for a cell that holds an enemy disc or the neutral piece."""
        return all(position.board.get(near) == mover for near in self.neighbours(cell))

    def play(self, position: Position, text: str) -> Position:
        board, mover = dict(position.board), position.side
        after = Position(board, mover, position.waiting, list(position.origins), position.neutral_origin)
        if text == "swap":
            reflected = {(j, i): "b" if piece == "w" else piece for (i, j), piece in board.items()}
            return Position(reflected, "w", 0, [], None)
        if text[0] == "@":  # rule 5; the neutral piece is the last
            neutral_is_next = after.waiting == 1 and after.neutral_origin is not None
            board[cell_of(text[1:])] = "n" if neutral_is_next else OTHER[mover]
            after.waiting -= 1
        elif "-" not in text:
            board[cell_of(text)] = mover
        else:
            taken, to = map(cell_of, text.split("-"))
            before = dict(board)
            board[to] = board[taken]
            board[taken] = mover
            captured = []
            for cell in self.cells:  # rule 4: every cell of the board is looked at, before and after
                if board.get(cell) in ("n", OTHER[mover]) and self.enclosed(after, cell, mover):
                    was = Position(before, mover, 0, [], None)
                    if not (before.get(cell) in ("n", OTHER[mover]) and self.enclosed(was, cell, mover)):
                        captured.append(cell)
            after.waiting, after.origins = len(captured), captured
            after.neutral_origin = next((cell for cell in captured if board[cell] == "n"), None)
            for cell in captured:
                del board[cell]
        if not after.waiting:
            after = Position(board, OTHER[mover], 0, [], None)
        return after

    def joined(self, position: Position, colour: str) -> bool:
        """Rule 7: White joins the first and the last row, Black the first and the last column."""
        along = 0 if colour == "w" else 1
        reached = [cell for cell, piece in position.board.items() if piece == colour and cell[along] == 0]
        for cell in reached:  # grows while it is gone through
            reached += [c for c in self.neighbours(cell) if position.board.get(c) == colour and c not in reached]
        return any(cell[along] == self.n - 1 for cell in reached)

    def outcome(self, position: Position) -> int | None:
        """The winner, or None while the game runs."""
        loser_if_stuck = "wb".index(position.side)
        if position.waiting:  # rule 6
            room = [cell for cell in self.empty(position) if cell not in position.origins]
            return 1 - loser_if_stuck if len(room) < position.waiting else None
        for player, colour in enumerate("wb"):
            if self.joined(position, colour):
                return player
        if self.first_turn(position) and not self.neutral:
            return None
        return None if self.placements(position) else 1 - loser_if_stuck  # rule 8

    def to_string(self, position: Position) -> str:
        rows = []
        for i in range(self.n):
            row = "".join(position.board.get((i, j), ".") for j in range(self.n))
            for run in range(self.n, 0, -1):
                row = row.replace("." * run, str(run))
            rows.append(row)
        pending = "-"
        if position.waiting:
            origins = [cell for cell in sorted(position.origins) if cell != position.neutral_origin]
            names = [name(cell) for cell in origins]
            names += [name(position.neutral_origin) + "n"] if position.neutral_origin else []
            pending = f"{position.waiting}:{','.join(names)}"
        return f"{'/'.join(rows)} {position.side} {pending}"

    def from_string(self, text: str) -> Position:
        rows, side, pending = text.split(" ")
        board = {}
        for i, row in enumerate(rows.split("/")):
            for digit in "12345678":
                row = row.replace(digit, "." * int(digit))
            board |= {(i, j): piece for j, piece in enumerate(row) if piece != "."}
        if pending == "-":
            return Position(board, side, 0, [], None)
        count, names = pending.split(":")
        neutral = [cell_of(cell[:-1]) for cell in names.split(",") if cell.endswith("n")]
        origins = [cell_of(cell.removesuffix("n")) for cell in names.split(",")]
        return Position(board, side, int(count), origins, neutral[0] if neutral else None)


def name(cell: tuple[int, int]) -> str:
    return "abcdefgh"[cell[1]] + str(cell[0] + 1)


def cell_of(text: str) -> tuple[int, int]:
    return int(text[1:]) - 1, "abcdefgh".index(text[0])


def reference(options: dict[str, Any]) -> Reference:
    return Reference(**options)
