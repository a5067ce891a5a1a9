"""What an Alveole board looks like."""

from __future__ import annotations

from abstract_envs.core.drawing import Drawing, DrawnCell, Label
from abstract_envs.games.alveole.rules import Alveole, State

__all__ = ["draw"]

_NAMES = ("Red (r)", "Blue (b)")


def draw(game: Alveole, state: State, last: tuple[State, int] | None = None) -> Drawing:
    """A position of one game.

    last: the state before the last action, and that action; its cells are marked.
    """
    red, blue = game.red_and_blue(state)
    touched = set[str]()
    captions: list[str] = []
    if last is not None:
        text = game.action_text(*last)
        touched = set(text.split("-"))
        captions.append(f"last action: {text}")
    cells: list[DrawnCell] = []
    labels: list[Label] = []
    for i, (r, q) in enumerate(game.board.cells):
        name = game.board.names[i]
        symbol = "r" if red >> i & 1 else "b" if blue >> i & 1 else ""
        # each column starts half a cell further down than the column to the left of it
        cells.append(DrawnCell(name, q, r + q / 2, symbol, name in touched))
        if name.endswith("1"):
            labels.append(Label(q, r + q / 2 - 1, name[0]))
        if q in (-4, 4):
            labels.append(Label(q + q / 4, r + q / 2, name[1]))
    captions.append(_status(state))
    return Drawing(tuple(cells), tuple(labels), tuple(captions))


def _status(state: State) -> str:
    if state.outcome:
        return f"{_NAMES[state.outcome - 1]} has won"
    return f"{_NAMES[state.player]} to move"
