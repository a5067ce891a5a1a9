"""What an inpHeXion board looks like."""

from __future__ import annotations

from abstract_envs.core.drawing import Drawing, DrawnCell, Label
from abstract_envs.games.inphexion.rules import InpHeXion, State

__all__ = ["draw"]

_NAMES = ("White (w)", "Black (b)")


def draw(game: InpHeXion, state: State, last: tuple[State, int] | None = None) -> Drawing:
    """A position of one game.

    last: the state before the last action, and that action; its cells are marked.
    """
    n = game.board_size
    white, black = (state.own, state.opp) if state.player == 0 else (state.opp, state.own)
    neutral = state.neutral & ~state.origins
    touched = set[str]()
    captions: list[str] = []
    if last is not None:
        text = game.action_text(*last)
        touched = set(text.removeprefix("@").split("-"))
        captions.append(f"last action: {text}")
    cells: list[DrawnCell] = []
    for i, (row, column) in enumerate(game.board.cells):
        symbol = "w" if white >> i & 1 else "b" if black >> i & 1 else "n" if neutral >> i & 1 else ""
        name = game.board.names[i]
        # each row starts half a cell further to the right than the row above it
        cells.append(DrawnCell(name, column + row / 2, row, symbol, name in touched))
    labels = [Label(j - 0.5, -1, "abcdefgh"[j]) for j in range(n)] + [Label(i / 2 - 1, i, str(i + 1)) for i in range(n)]
    captions.append(_status(game, state))
    return Drawing(tuple(cells), tuple(labels), tuple(captions))


def _status(game: InpHeXion, state: State) -> str:
    if state.outcome:
        return f"{_NAMES[state.outcome - 1]} has won"
    if state.waiting:
        pending = game.to_string(state).split(" ")[2]
        count, _, cells = pending.partition(":")
        return f"{_NAMES[state.player]} to relocate {count} captured from {cells}"
    return f"{_NAMES[state.player]} to move, joins {'left and right' if state.player else 'top and bottom'}"
