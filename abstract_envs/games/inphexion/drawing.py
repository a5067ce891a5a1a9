"""What an inpHeXion board looks like."""

from __future__ import annotations

from functools import lru_cache

from abstract_envs.core.bits import bit_indices
from abstract_envs.core.drawing import (
    HEXAGON,
    ROW,
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
from abstract_envs.games.inphexion.rules import InpHeXion, State

__all__ = ["draw", "look"]

PIECES = {
    "w": disc("white"),
    "b": disc("black"),
    "n": disc("neutral", Circle(0.0, 0.0, 0.13, "neutral_edge")),
}


@lru_cache
def look(game: InpHeXion) -> Look:
    """The board: each row starts half a cell further to the right than the row above it."""
    n = game.board_size
    named = zip(game.board.names, game.board.cells, strict=True)
    cells = tuple(DrawnCell(name, column + row / 2, row * ROW) for name, (row, column) in named)
    labels = [Label(j - 0.5, -ROW, "abcdefgh"[j], (0.04, -0.03)) for j in range(n)]
    labels += [Label(i / 2 - 1, i * ROW, str(i + 1), (0.02, 0.0)) for i in range(n)]
    # captured discs wait below the board, on the left, where the rhombus leaves room
    wait = Tray(-0.1, (n - 0.4) * ROW, 0.85, 3, 0.9)
    return Look((("White", "w"), ("Black", "b")), cells, HEXAGON, tuple(labels), PIECES, _borders(n), (wait,))


def _borders(n: int) -> tuple[Shape, ...]:
    """Lines along the four sides, in the colours of who wants to join them. Black's and White's meet in the corners."""

    def corner(row: int, column: int, k: int) -> Point:
        x, y = HEXAGON.points[k]
        return column + row / 2 + x, row * ROW + y

    def between(a: Point, b: Point) -> Point:
        return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2

    last = n - 1
    upper_right = between(corner(0, last, 0), corner(0, last, 1))  # a side of the cell in this corner is shared
    lower_left = between(corner(last, 0, 3), corner(last, 0, 4))
    top = [corner(0, j, k) for j in range(n) for k in (5, 0)] + [upper_right]
    right = [upper_right] + [corner(i, last, k) for i in range(n) for k in (1, 2)]
    bottom = [corner(last, j, k) for j in reversed(range(n)) for k in (2, 3)] + [lower_left]
    left = [lower_left] + [corner(i, 0, k) for i in reversed(range(n)) for k in (4, 5)]
    sides = ((top, "white"), (bottom, "white"), (left, "black"), (right, "black"))
    edges = [Line(tuple(side), f"{colour}_edge", 0.44) for side, colour in sides]
    return *edges, *(Line(tuple(side), colour, 0.36) for side, colour in sides)


def draw(game: InpHeXion, state: State, last: tuple[State, int] | None = None, hints: bool = False) -> Drawing:
    """A position of one game.

    last: the state before the last action, and that action.
    hints: show the legal actions.
    """
    seen = look(game)
    at = places(seen.cells)
    white, black = (state.own, state.opp) if state.player == 0 else (state.opp, state.own)
    neutral = state.neutral & ~state.origins
    symbols = ["w" if white >> i & 1 else "b" if black >> i & 1 else "n" if neutral >> i & 1 else "" for i in range(len(at))]
    left, marked, over = state.origins, tuple[int, ...](), list[Shape]()
    if last is not None:
        marked = _cells(game, *last)
        left |= last[0].origins
        # a relocated disc came from one of these cells: which one is known where there is one
        path = (*bit_indices(last[0].origins), *marked)
        if len(path) == 2:
            over += last_arrow(at[path[0]], at[path[1]])
    # cells that captured pieces have left
    over += [Circle(*at[i], 0.2, "", "arrow", 0.05) for i in bit_indices(left) if not symbols[i]]
    actions = [_cells(game, state, action) for action in game.legal_actions(state)] if hints else []
    waiting = ("b" if state.player == 0 else "w") * state.waiting
    if state.waiting and state.neutral & state.origins:  # it is put back last
        waiting = waiting[1:] + "n"
    return Drawing(
        seen,
        tuple(symbols),
        _status(game, state),
        game.action_text(*last) if last is not None else "",
        frozenset(marked),
        tuple(over),
        frozenset(cells[0] for cells in actions),
        sum((hint_arrow(at[cells[0]], at[cells[1]]) if len(cells) == 2 else hint_dot(at[cells[0]]) for cells in actions), ()),
        (tuple(waiting),),
    )


def _cells(game: InpHeXion, state: State, action: int) -> tuple[int, ...]:
    """The cell of a disc put on the board; the cell that is taken and where its disc goes; the same for a swap."""
    kind, cell = divmod(action, len(game.board))
    if kind == 0:
        return (cell,)
    if kind == 7:  # the only disc is reflected
        cell = bit_indices(state.opp)[0]
        return tuple(dict.fromkeys((cell, game.board.maps[2][cell])))
    to = game.board.step(cell, game.board.directions[kind - 1])
    assert to is not None
    return cell, to


def _status(game: InpHeXion, state: State) -> tuple[int, str]:
    if state.outcome:
        return state.outcome - 1, "has won"
    if state.waiting:
        pending = game.to_string(state).split(" ")[2]
        count, _, cells = pending.partition(":")
        return state.player, f"to relocate {count} captured from {cells}"
    return state.player, f"to move, joins {'left and right' if state.player else 'top and bottom'}"
