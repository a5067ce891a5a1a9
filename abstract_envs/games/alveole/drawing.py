"""What an Alveole board looks like."""

from __future__ import annotations

from functools import lru_cache

from abstract_envs.core.drawing import HEXAGON, ROW, Drawing, DrawnCell, Label, Look, disc, hint_arrow, last_arrow, places
from abstract_envs.core.shapes import Circle, regular
from abstract_envs.games.alveole.rules import Alveole, State

__all__ = ["draw", "look"]

PIECES = {"r": disc("red"), "b": disc("blue", Circle(0.0, 0.0, 0.1, "blue_edge"))}
_FLAT = HEXAGON._replace(points=regular(6, ROW * 2 / 3, 0))
"""With a side at the top."""


@lru_cache
def look(game: Alveole) -> Look:
    """The board: each column starts half a cell further down than the column to the left of it."""
    cells: list[DrawnCell] = []
    labels: list[Label] = []
    for name, (r, q) in zip(game.board.names, game.board.cells, strict=True):
        x, y = q * ROW, r + q / 2
        cells.append(DrawnCell(name, x, y))
        if name.endswith("1"):
            labels.append(Label(x, y - 1, name[0], (0.0, 0.15)))
        if q in (-4, 4):
            labels.append(Label(x * 1.25, y, name[1]))
    return Look((("Red", "r"), ("Blue", "b")), tuple(cells), _FLAT, tuple(labels), PIECES, characters=4 / ROW)


def draw(game: Alveole, state: State, last: tuple[State, int] | None = None, hints: bool = False) -> Drawing:
    """A position of one game.

    last: the state before the last action, and that action: its cells are marked.
    hints: show the legal actions.
    """
    seen = look(game)
    at = places(seen.cells)
    red, blue = game.red_and_blue(state)

    def ends(state: State, action: int) -> tuple[int, int]:
        start, _, end = game.action_text(state, action).partition("-")
        return game.board.index(start), game.board.index(end)

    moves = [ends(state, action) for action in game.legal_actions(state)] if hints else []
    marked = ends(*last) if last is not None else ()
    return Drawing(
        seen,
        tuple("r" if red >> i & 1 else "b" if blue >> i & 1 else "" for i in range(len(at))),
        (state.outcome - 1, "has won") if state.outcome else (state.player, "to move"),
        game.action_text(*last) if last is not None else "",
        frozenset(marked),
        last_arrow(at[marked[0]], at[marked[1]]) if marked else (),
        frozenset(start for start, _ in moves),
        sum((hint_arrow(at[start], at[end]) for start, end in moves), ()),
    )
