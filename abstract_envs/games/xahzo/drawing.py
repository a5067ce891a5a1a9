"""What a XAHZO board looks like."""

from __future__ import annotations

from abstract_envs.core.drawing import Drawing, DrawnCell, Label
from abstract_envs.games.xahzo.rules import TYPES, State, Xahzo

__all__ = ["draw"]

_NAMES = ("player_0 (capitals)", "player_1 (small letters)")


def draw(game: Xahzo, state: State, last: tuple[State, int] | None = None) -> Drawing:
    """A position of one game; ``+`` is an empty coloured square.

    last: the state before the last action, and that action; its cells are marked.
    """
    n = game.board_size
    sides = (state.own, state.opp) if state.player == 0 else (state.opp, state.own)
    touched = set[str]()
    captions: list[str] = []
    if last is not None:
        text = game.action_text(*last)
        touched = set(text.replace("=", "-").replace("@", "-").split("-"))
        captions.append(f"last action: {text}")
    cells: list[DrawnCell] = []
    for i, (row, column) in enumerate(game.board.cells):
        symbol = "+" if game.coloured >> i & 1 else ""
        for words, letters in zip(sides, (TYPES, TYPES.lower()), strict=True):
            for word, letter in zip(words, letters, strict=True):
                symbol = letter if word >> i & 1 else symbol
        name = game.board.names[i]
        cells.append(DrawnCell(name, column, n - 1 - row, symbol, name in touched))
    labels = [Label(j, n, "abcdefg"[j]) for j in range(n)] + [Label(-1, n - 1 - i, str(i + 1)) for i in range(n)]
    hands = game.to_string(state).split(" ")[2]
    if state.drops < 14:
        captions.append(f"drops made: {hands}" if game.hand == "free" else f"hands: {hands}")
    elif not state.outcome:
        captions.append(f"{state.quiet} of {game.quiet_limit} actions without a capture")
    captions.append(_status(state))
    return Drawing(tuple(cells), tuple(labels), tuple(captions))


def _status(state: State) -> str:
    if state.outcome:
        return "draw" if state.outcome == 3 else f"{_NAMES[state.outcome - 1]} has won"
    return f"{_NAMES[state.player]} to {'drop' if state.drops < 14 else 'move'}"
