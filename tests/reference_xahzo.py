"""XAHZO once more, square by square and as slow as it reads: what the library is compared with.

Written from the rule sheet alone. A square is (column, row), both from 0; a board is a dict from squares that hold a piece to
its letter, capital for player_0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

TYPES = "XAHZO"


def offsets(letter: str) -> list[tuple[int, int]]:
    """(columns, rows) to all the squares a piece can go to, by ascending (rows, columns)."""
    kinds = {
        "X": [(c, r) for c in (-1, 0, 1) for r in (-1, 0, 1) if (c, r) != (0, 0)],
        "A": [(c, r) for c in (-2, -1, 1, 2) for r in (-2, -1, 1, 2) if abs(c) != abs(r)],
        "H": [(-2, 0), (2, 0), (0, -2), (0, 2)],
        "Z": [(c, r) for c in (-2, 2) for r in (-2, 2)],
        "O": [(-1, 0), (1, 0), (0, -1), (0, 1)],
    }
    return sorted(kinds[letter.upper()], key=lambda offset: (offset[1], offset[0]))


@dataclass
class Position:
    board: dict[tuple[int, int], str]
    player: int
    hands: list[str]
    """What each still holds (with free hands not looked at)."""
    dropped: list[int]
    quiet: int
    moving: bool = field(default=False)


class Reference:
    def __init__(
        self,
        board_size: int = 7,
        map: str | Iterable[str] | None = None,
        home_rows: int | None = None,
        swaps: bool = True,
        hand: Any = "random",
        quiet_limit: int = 100,
    ) -> None:
        self.n, self.home_rows, self.swaps, self.hand, self.quiet_limit = board_size, home_rows, swaps, hand, quiet_limit
        self.squares = [(c, r) for r in range(board_size) for c in range(board_size)]
        if map is None:
            map = {7: "ring", 5: "cross"}[board_size]
        named = {"ring": "c3 d3 e3 c4 d4 e4 c5 d5 e5", "cross": "c2 b3 c3 d3 c4", "open": ""}
        self.coloured = [square_of(name) for name in (named[map].split() if isinstance(map, str) else map)]
        self.pairs = [(a, b) for i, a in enumerate(self.squares) for b in self.squares[i + 1 :]]

    def on_board(self, square: tuple[int, int]) -> bool:
        return 0 <= square[0] < self.n and 0 <= square[1] < self.n

    def mine(self, position: Position, square: tuple[int, int]) -> bool:
        return self.owner(position, square) == position.player

    def owner(self, position: Position, square: tuple[int, int]) -> int | None:
        piece = position.board.get(square)
        return None if piece is None else int(piece.islower())

    def in_zone(self, player: int, square: tuple[int, int]) -> bool:
        if square in self.coloured:
            return False
        if self.home_rows is None:
            return True
        return square[1] < self.home_rows if player == 0 else square[1] >= self.n - self.home_rows

    def actions(self, position: Position) -> dict[str, int]:
        """Legal action texts with their indices, in index order; none when the game has ended."""
        return {} if self.outcome(position) is not None else self.possible(position)

    def possible(self, position: Position) -> dict[str, int]:
        count, found = len(self.squares), {}
        if not position.moving:  # rule 2
            for t, letter in enumerate(TYPES):
                if self.hand == "free" or letter in position.hands[position.player].upper():
                    for i, square in enumerate(self.squares):
                        if square not in position.board and self.in_zone(position.player, square):
                            found[f"{letter}@{name(square)}"] = t * count + i
            return found
        for square, piece in position.board.items():  # rule 3
            if self.mine(position, square):
                for d, (c, r) in enumerate(offsets(piece)):
                    to, beyond = (square[0] + c, square[1] + r), (square[0] + 2 * c, square[1] + 2 * r)
                    if self.on_board(to) and self.may_go(position, piece.upper(), to, beyond):
                        found[f"{name(square)}-{name(to)}"] = 5 * count + count * d + self.squares.index(square)
        for k, (a, b) in enumerate(self.pairs if self.swaps else []):
            if self.mine(position, a) and self.mine(position, b) and position.board[a] != position.board[b]:
                found[f"{name(a)}={name(b)}"] = 13 * count + k
        return dict(sorted(found.items(), key=lambda item: item[1]))

    def may_go(self, position: Position, letter: str, to: tuple[int, int], beyond: tuple[int, int]) -> bool:
        if to not in position.board:
            return True
        if self.mine(position, to):
            return letter == "O" and self.on_board(beyond) and beyond not in position.board
        if letter == "X":
            return False
        return letter == "O" or position.board[to].upper() != "X"

    def play(self, position: Position, text: str) -> Position:
        board, player = dict(position.board), position.player
        after = Position(board, 1 - player, list(position.hands), list(position.dropped), position.quiet, position.moving)
        if "@" in text:
            letter = text[0] if player == 0 else text[0].lower()
            board[square_of(text[2:])] = letter
            after.hands[player] = after.hands[player].replace(letter, "", 1)
            after.dropped[player] += 1
            after.moving = after.dropped == [7, 7]
            return after
        captured = False
        if "=" in text:
            a, b = map(square_of, text.split("="))
            board[a], board[b] = board[b], board[a]
        else:
            start, to = map(square_of, text.split("-"))
            if self.mine(position, to):
                board[2 * to[0] - start[0], 2 * to[1] - start[1]] = board[to]
            captured = to in board and not self.mine(position, to)
            board[to] = board.pop(start)
        after.quiet = 0 if captured else position.quiet + 1
        return after

    def outcome(self, position: Position) -> Any:
        """Rules 4 and 5: the winner, "draw", or None."""
        if not position.moving:
            return None
        mover, nxt = 1 - position.player, position.player
        sides = ["".join(p for s, p in position.board.items() if self.owner(position, s) == k).upper() for k in (0, 1)]
        if not sides[nxt]:
            return mover
        if "O" not in sides[0] + sides[1] and "X" in sides[0] + sides[1]:
            x = [side.count("X") for side in sides]
            others = [len(side) - side.count("X") for side in sides]
            if x[0] != x[1]:
                return 0 if x[0] > x[1] else 1
            if others[0] != others[1]:
                return 0 if others[0] > others[1] else 1
            if others == [0, 0]:
                return "draw"
        if not self.possible(position):
            return mover
        return "draw" if position.quiet >= self.quiet_limit else None

    def to_string(self, position: Position) -> str:
        rows = []
        for r in reversed(range(self.n)):
            row = "".join(position.board.get((c, r), ".") for c in range(self.n))
            for run in range(self.n, 0, -1):
                row = row.replace("." * run, str(run))
            rows.append(row)
        if self.hand == "free":
            hands = "{}/{}".format(*position.dropped)
        elif position.moving:
            hands = "-/-"
        else:
            hands = "/".join("".join(sorted(hand, key=lambda p: TYPES.index(p.upper()))) for hand in position.hands)
        return f"{'/'.join(rows)} {'wb'[position.player]} {hands} {position.quiet}"

    def from_string(self, text: str) -> Position:
        rows, side, hands, quiet = text.split(" ")
        board = {}
        for k, row in enumerate(rows.split("/")):
            for digit in "1234567":
                row = row.replace(digit, "." * int(digit))
            board |= {(c, self.n - 1 - k): piece for c, piece in enumerate(row) if piece != "."}
        moving = hands in ("-/-", "7/7")
        dropped = [sum(p.isupper() for p in board.values()), sum(p.islower() for p in board.values())]
        held = ["", ""] if moving or self.hand == "free" else hands.split("/")
        return Position(board, "wb".index(side), held, [7, 7] if moving else dropped, int(quiet), moving)


def name(square: tuple[int, int]) -> str:
    return "abcdefg"[square[0]] + str(square[1] + 1)


def square_of(text: str) -> tuple[int, int]:
    return "abcdefg".index(text[0]), int(text[1:]) - 1


def reference(options: dict[str, Any]) -> Reference:
    return Reference(**options)
