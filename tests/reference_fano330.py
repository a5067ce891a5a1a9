"""Fano330-R-Morris once more, point by point and as slow as it reads: what the library is compared with.

Written from the rule sheet alone. A board is a dict from points 1 to 7 to strings of pieces, bottom first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LINES = [(1, 2, 4), (2, 3, 5), (3, 4, 6), (4, 5, 7), (5, 6, 1), (6, 7, 2), (7, 1, 3)]
NEIGHBOURS = {
    1: [2, 4, 5, 6, 7],
    2: [1, 3, 4, 5, 7],
    3: [2, 4, 7],
    4: [1, 2, 3, 6, 7],
    5: [1, 2, 7],
    6: [1, 4, 7],
    7: [1, 2, 3, 4, 5, 6],
}
MOVES = [(a, b) for a in range(1, 8) for b in NEIGHBOURS[a]]
SHAPES = "ot"


@dataclass
class Position:
    board: dict[int, str]
    side: str
    earlier: list[str]  # "points side" of every position of this game, this one included


def white(piece: str) -> bool:
    return piece.isupper()


class Reference:
    def __init__(self, repetition_limit: int = 3) -> None:
        self.limit = repetition_limit

    def start(self) -> Position:
        return self.from_string("-/-/-/-/-/-/- w 1")

    def on_board(self, position: Position, piece: str) -> int:
        return "".join(position.board.values()).count(piece)

    def placing(self, position: Position) -> bool:
        return len("".join(position.board.values())) < 8

    def may_stand(self, position: Position, piece: str, point: int) -> bool:
        """The stacking rule."""
        stack = position.board[point]
        return stack == "" or (len(stack) == 1 and stack != piece)

    def own(self, position: Position, shape: str) -> str:
        return shape.upper() if position.side == "w" else shape

    def candidates(self, position: Position) -> dict[str, int]:
        """Rules 1 and 2."""
        found = {}
        if self.placing(position):
            for k, shape in enumerate(SHAPES):
                piece = self.own(position, shape)
                if self.on_board(position, piece) < 2:
                    for point in range(1, 8):
                        if self.may_stand(position, piece, point):
                            found[f"{shape}{point}"] = 7 * k + point - 1
            return found
        for rank, (start, goal) in enumerate(MOVES):
            top = position.board[start][-1:]
            if top and white(top) == (position.side == "w") and self.may_stand(position, top, goal):
                found[f"{start}-{goal}"] = 14 + rank
        return found

    def shows_line(self, position: Position) -> bool:
        """Rule 3."""
        for line in LINES:
            tops = [position.board[point][-1:] for point in line]
            if all(tops) and (len({white(top) for top in tops}) == 1 or len({top.lower() for top in tops}) == 1):
                return True
        return False

    def outcome(self, position: Position) -> int | str | None:
        to_move = "wb".index(position.side)
        if self.shows_line(position):
            return to_move  # the other player has just moved, and has lost
        if position.earlier.count(position.earlier[-1]) >= self.limit:
            return "draw"
        return None if self.candidates(position) else 1 - to_move

    def actions(self, position: Position) -> dict[str, int]:
        """Legal action texts with their indices, in index order; none when the game has ended."""
        return self.candidates(position) if self.outcome(position) is None else {}

    def play(self, position: Position, text: str) -> Position:
        board = dict(position.board)
        if text[0] in SHAPES:
            piece, goal = self.own(position, text[0]), int(text[1])
        else:
            start, goal = int(text[0]), int(text[2])
            piece = board[start][-1]
            board[start] = board[start][:-1]
        board[goal] += piece
        after = Position(board, "b" if position.side == "w" else "w", [])
        after.earlier = [*position.earlier, self.plain(after)]
        return after

    def plain(self, position: Position) -> str:
        """Same pieces, same stacks, same player to move; the phase follows from the pieces."""
        return "/".join(position.board[point] or "-" for point in range(1, 8)) + " " + position.side

    def to_string(self, position: Position) -> str:
        return f"{self.plain(position)} {position.earlier.count(position.earlier[-1])}"

    def from_string(self, text: str) -> Position:
        points, side, count = text.split(" ")
        board = {point: stack.replace("-", "") for point, stack in enumerate(points.split("/"), 1)}
        return Position(board, side, [f"{points} {side}"] * int(count))


def reference(options: dict[str, Any]) -> Reference:
    return Reference(**options)
