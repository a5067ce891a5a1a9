"""What a XAHZO board looks like."""

from __future__ import annotations

from functools import lru_cache

from abstract_envs.core.bits import bit_indices
from abstract_envs.core.drawing import (
    SQUARE,
    Drawing,
    DrawnCell,
    Label,
    Look,
    Tray,
    disc,
    hint_arrow,
    hint_dot,
    last_arrow,
    places,
)
from abstract_envs.core.shapes import Circle, Line, Point, Shape
from abstract_envs.games.xahzo.rules import DROPS, TYPES, State, Xahzo

__all__ = ["draw", "look"]

_LETTERS: dict[str, tuple[tuple[Point, ...], ...]] = {
    "X": (((-0.15, -0.18), (0.15, 0.18)), ((0.15, -0.18), (-0.15, 0.18))),
    "A": (((-0.16, 0.18), (0.0, -0.19), (0.16, 0.18)), ((-0.1, 0.06), (0.1, 0.06))),
    "H": (((-0.14, -0.18), (-0.14, 0.18)), ((0.14, -0.18), (0.14, 0.18)), ((-0.14, 0.0), (0.14, 0.0))),
    "Z": (((-0.14, -0.18), (0.14, -0.18), (-0.14, 0.18), (0.14, 0.18)),),
}
"""Strokes. O is a ring."""
_STROKE = 0.075


def _piece(letter: str, colour: str) -> tuple[Shape, ...]:
    ink = f"{colour}_ink"
    if letter == "O":
        return disc(colour, Circle(0.0, 0.0, 0.16, "", ink, _STROKE))
    return disc(colour, *(Line(stroke, ink, _STROKE) for stroke in _LETTERS.get(letter, ())))


PIECES = {
    **{letter: _piece(letter, "white") for letter in TYPES},
    **{letter.lower(): _piece(letter, "black") for letter in TYPES},
    "?": _piece("", "white"),
    "!": _piece("", "black"),
}
"""The last two stand for a piece of any type."""


@lru_cache
def look(game: Xahzo) -> Look:
    """The board, between both hands."""
    n = game.board_size
    cells: list[DrawnCell] = []
    for i, (row, column) in enumerate(game.board.cells):
        coloured = game.coloured >> i & 1
        fill, empty = ("coloured", "+") if coloured else ("cell", ".")
        cells.append(DrawnCell(game.board.names[i], column, n - 1 - row, fill, empty))
    labels = [Label(j, n, "abcdefg"[j], (0.0, -0.22)) for j in range(n)]
    labels += [Label(-1, n - 1 - i, str(i + 1), (0.14, 0.0)) for i in range(n)]
    step = (n - 0.4) / 10
    hands = tuple(Tray((step - 1) / 2 + 0.2, y, step, 10, step * 1.05) for y in (n + 0.35, -1.05))
    players = (("player_0", "capitals"), ("player_1", "small letters"))
    return Look(players, tuple(cells), SQUARE, tuple(labels), PIECES, _zones(game), hands)


def _zones(game: Xahzo) -> tuple[Shape, ...]:
    """With ``home_rows`` a line at the side of the rows on which each player drops, in the player's colour."""
    if game.home_rows is None:
        return ()
    n, rows = game.board_size, game.home_rows
    shapes: list[Shape] = []
    for x, first, colour in ((-0.56, n - rows, "white"), (n - 0.44, 0, "black")):
        side = ((x, first - 0.44), (x, first + rows - 0.56))
        shapes += [Line(side, f"{colour}_edge", 0.2), Line(side, colour, 0.13)]
    return tuple(shapes)


def draw(game: Xahzo, state: State, last: tuple[State, int] | None = None, hints: bool = False) -> Drawing:
    """A position of one game.

    last: the state before the last action, and that action: its cells are marked.
    hints: show the legal actions: squares to drop on, arrows for moves, a dot in the corner of pieces that can be swapped.
    """
    marked, over = _last(game, *last) if last is not None else ((), ())
    hinted, shown = _hints(game, state) if hints else (set[int](), ())
    hands = game.to_string(state).split(" ")[2]
    placing = state.drops < 2 * DROPS
    notes, tray_text = (), ""
    if placing:
        tray_text = f"drops made: {hands}" if game.hand == "free" else f"hands: {hands}"
    elif not state.outcome:
        notes = (f"{state.quiet} of {game.quiet_limit} actions without a capture",)
    return Drawing(
        look(game),
        _symbols(game, state),
        _status(state),
        game.action_text(*last) if last is not None else "",
        frozenset(marked),
        over,
        frozenset(hinted),
        shown,
        _hands(game, hands) if placing else (),
        tray_text,
        notes,
    )


def _symbols(game: Xahzo, state: State) -> tuple[str, ...]:
    sides = (state.own, state.opp) if state.player == 0 else (state.opp, state.own)
    symbols = [""] * len(game.board)
    for words, letters in zip(sides, (TYPES, TYPES.lower()), strict=True):
        for word, letter in zip(words, letters, strict=True):
            for i in bit_indices(word):
                symbols[i] = letter
    return tuple(symbols)


def _last(game: Xahzo, before: State, action: int) -> tuple[tuple[int, ...], tuple[Shape, ...]]:
    """The squares of an action, and its arrows: one for a move, another for a piece that O pushes on, two heads for a swap."""
    board, at = game.board, places(look(game).cells)
    sign, cells = _action(game, before, action)
    if sign == "@":
        return cells, ()
    start, to = cells
    over = last_arrow(at[start], at[to], both=sign == "=")
    if sign == "-" and sum(before.own) >> to & 1:
        (row, column), (to_row, to_column) = board.cells[start], board.cells[to]
        beyond = board.step(to, (to_row - row, to_column - column))
        assert beyond is not None
        over += last_arrow(at[to], at[beyond])
    return cells, over


def _hints(game: Xahzo, state: State) -> tuple[set[int], tuple[Shape, ...]]:
    """The squares where legal actions begin, and signs for these actions."""
    at = places(look(game).cells)
    begin, shown = set[int](), dict[Shape, None]()  # several actions may have the same sign
    for sign, cells in (_action(game, state, action) for action in game.legal_actions(state)):
        begin |= set(cells) if sign == "=" else {cells[0]}
        if sign == "-":
            shown |= dict.fromkeys(hint_arrow(at[cells[0]], at[cells[1]]))
        elif sign == "@":
            shown |= dict.fromkeys(hint_dot(at[cells[0]]))
        else:
            for x, y in (at[i] for i in cells):
                shown |= dict.fromkeys(hint_dot((x + 0.36, y + 0.36), 0.07))
    return begin, tuple(shown)


def _action(game: Xahzo, state: State, action: int) -> tuple[str, tuple[int, ...]]:
    """The sign in an action's text, and its squares: ``@`` of a drop, ``-`` of a move, ``=`` of a swap."""
    text = game.action_text(state, action)
    sign = next(sign for sign in "@-=" if sign in text)
    cells = text[2:] if sign == "@" else text
    return sign, tuple(game.board.index(name) for name in cells.split(sign))


def _hands(game: Xahzo, text: str) -> tuple[tuple[str, ...], ...]:
    first, second = text.split("/")
    if game.hand == "free":
        return ("?",) * (DROPS - int(first)), ("!",) * (DROPS - int(second))
    return tuple(first.strip("-")), tuple(second.strip("-"))


def _status(state: State) -> tuple[int | None, str]:
    if state.outcome:
        return (None, "draw") if state.outcome == 3 else (state.outcome - 1, "has won")
    return state.player, f"to {'drop' if state.drops < 2 * DROPS else 'move'}"
