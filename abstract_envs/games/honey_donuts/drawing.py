"""What a Honey Donuts board looks like."""

from __future__ import annotations

from abstract_envs.core.drawing import Drawing, DrawnCell, Label
from abstract_envs.games.honey_donuts.rules import PUSHES, HoneyDonuts, State

__all__ = ["draw"]

_PLAYERS = ("Red (R, r)", "Blue (B, b)")


def draw(game: HoneyDonuts, state: State, last: tuple[State, int] | None = None) -> Drawing:
    """A position of one game.

    last: the state before the last action, and that action; the cells of its segment are marked.
    """
    board = game.board
    touched = set[int]()
    captions: list[str] = []
    if last is not None:
        touched = set(PUSHES[last[1]])
        captions.append(f"last action: {game.action_text(*last)}")
    symbols = game.to_string(state).split(" ")[0].replace("/", "")
    symbols = symbols[:9] + symbols[10:]  # without the hole
    cells: list[DrawnCell] = []
    for i, (row, column) in enumerate(board.cells):
        symbol = symbols[i].replace(".", "")
        cells.append(DrawnCell(board.names[i], column + row / 2, row, symbol, i in touched))
    # the name of each row's first cell; the others are counted on from it, the hole too
    labels = [Label(-3.25, row, f"{'abcde'[row + 2]}1") for row in range(-2, 3)]
    captions.append(_status(game, state))
    return Drawing(tuple(cells), tuple(labels), tuple(captions))


def _status(game: HoneyDonuts, state: State) -> str:
    if game.is_terminal(state):
        rewards = game.rewards(state)
        return f"{_PLAYERS[rewards.index(1.0)]} has won" if any(rewards) else "drawn: the position has occurred 3 times"
    return f"{_PLAYERS[state.player]} to move"
