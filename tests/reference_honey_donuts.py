"""Honey Donuts once more, cell by cell and as slow as it reads: what the library is compared with.

Written from the rule sheet alone. A board is a dict from (q, r) to the letter of the piece, "." where a King has fallen.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

CELLS = [(q, r) for r in range(-2, 3) for q in range(-2, 3) if max(abs(q), abs(r), abs(q + r)) <= 2 and (q, r) != (0, 0)]
AXES = [(1, 0), (0, 1), (-1, 1)]  # constant r, constant q, constant q + r; each to cells later in reading order
ROW = "bBb/wwww/ww.ww/wwww/rRr r -"


def name(cell: tuple[int, int]) -> str:
    q, r = cell
    return "abcde"[r + 2] + str(q - max(-2, -2 - r) + 1)


def segments() -> list[list[tuple[int, int]]]:
    found = []
    for dq, dr in AXES:
        for q, r in CELLS:
            if (q - dq, r - dr) not in CELLS:
                run = [(q, r)]
                while (run[-1][0] + dq, run[-1][1] + dr) in CELLS:
                    run.append((run[-1][0] + dq, run[-1][1] + dr))
                found.append(run)
    return found


SEGMENTS = segments()
MOVES = SEGMENTS + [run[::-1] for run in SEGMENTS]


@dataclass
class Position:
    board: dict[tuple[int, int], str]
    side: str
    last: str
    earlier: list[str]  # "rows side" of every position of this game, this one included


class Reference:
    def __init__(self, repetition: str = "strict", setup: str = "row") -> None:
        self.strict = repetition == "strict"
        self.setup = ROW if setup == "row" else setup

    def start(self) -> Position:
        return self.from_string(self.setup)

    def pushed(self, position: Position, run: list[tuple[int, int]]) -> Position:
        """Rules 2 and 4."""
        board = dict(position.board)
        for here, there in pairwise(run):
            board[there] = position.board[here]
        off = position.board[run[-1]]
        board[run[0]] = "." if off in "RB" else off
        return Position(board, "b" if position.side == "r" else "r", self.rows(position), [])

    def allowed(self, position: Position, run: list[tuple[int, int]]) -> bool:
        """Rules 2, 3 and 5."""
        if not any(position.board[cell].lower() == position.side for cell in run):
            return False
        off = position.board[run[-1]]
        if off in "RB":
            return off.lower() != position.side
        after = self.pushed(position, run)
        if self.strict:
            return self.plain(after) not in position.earlier
        return self.rows(after) != position.last

    def over(self, position: Position) -> int | str | None:
        """The end by a fallen King or by the third occurrence."""
        for player, king in enumerate("RB"):
            if king not in position.board.values():
                return 1 - player
        if not self.strict and position.earlier.count(position.earlier[-1]) >= 3:
            return "draw"
        return None

    def actions(self, position: Position) -> dict[str, int]:
        """Legal action texts with their indices, in index order; none when the game has ended."""
        if self.over(position) is not None:
            return {}
        return {f"{name(run[0])}-{name(run[-1])}": k for k, run in enumerate(MOVES) if self.allowed(position, run)}

    def outcome(self, position: Position) -> int | str | None:
        over = self.over(position)
        if over is None and not self.actions(position):
            return 1 - "rb".index(position.side)
        return over

    def play(self, position: Position, text: str) -> Position:
        (run,) = (run for run in MOVES if text == f"{name(run[0])}-{name(run[-1])}")
        after = self.pushed(position, run)
        after.earlier = [*position.earlier, self.plain(after)]
        return after

    def rows(self, position: Position) -> str:
        return "/".join("".join(position.board.get((q, r), ".") for q in range(-2, 3) if abs(q + r) <= 2) for r in range(-2, 3))

    def plain(self, position: Position) -> str:
        return f"{self.rows(position)} {position.side}"

    def to_string(self, position: Position) -> str:
        return f"{self.plain(position)} {position.last}"

    def from_string(self, text: str) -> Position:
        rows, side, last = text.split(" ")
        letters = rows.replace("/", "")
        every = [(q, r) for r in range(-2, 3) for q in range(-2, 3) if abs(q + r) <= 2]
        board = {cell: letter for cell, letter in zip(every, letters, strict=True) if cell != (0, 0)}
        position = Position(board, side, last, [])
        position.earlier = [self.plain(position)]
        return position


def reference(options: dict[str, Any]) -> Reference:
    return Reference(**options)
