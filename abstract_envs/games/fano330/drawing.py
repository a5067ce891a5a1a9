"""What a Fano330-R-Morris board looks like."""

from __future__ import annotations

from abstract_envs.core.drawing import Drawing, DrawnCell, Label
from abstract_envs.games.fano330.rules import NAMES, Fano330, State

__all__ = ["PLACES", "draw"]

PLACES = ((2.0, 4.0), (1.0, 2.0), (2.0, 0.0), (3.0, 2.0), (0.0, 4.0), (4.0, 4.0), (2.0, 2.7))
"""(x, y) by point: corners 3, 5, 6 of a triangle, 2, 4, 1 in the middle of its sides, 7 in the middle of all.

           3

        2     4
           7

     5     1     6
"""
_PLAYERS = ("White (O, T)", "Black (o, t)")


def draw(game: Fano330, state: State, last: tuple[State, int] | None = None) -> Drawing:
    """A position of one game; a point shows its pieces bottom first, so that the last one is on top.

    last: the state before the last action, and that action; its points are marked.
    """
    touched = set[str]()
    captions: list[str] = []
    if last is not None:
        text = game.action_text(*last)
        touched = set(text.lstrip("ot").split("-"))
        captions.append(f"last action: {text}")
    stacks = game.to_string(state).split(" ")[0].split("/")
    cells: list[DrawnCell] = []
    labels: list[Label] = []
    for name, stack, (x, y) in zip(NAMES, stacks, PLACES, strict=True):
        cells.append(DrawnCell(name, x, y, stack.strip("-"), name in touched))
        labels.append(Label(x - 0.5, y, name))
    captions.append(_status(game, state))
    return Drawing(tuple(cells), tuple(labels), tuple(captions))


def _status(game: Fano330, state: State) -> str:
    if game.is_terminal(state):
        rewards = game.rewards(state)
        return (
            f"{_PLAYERS[rewards.index(1.0)]} has won" if any(rewards) else f"drawn: the position has occurred {state.count} times"
        )
    doing = "to move" if game.all_placed(state.board) else "to move: to place a piece"
    again = f", the position has occurred {state.count} times" if state.count > 1 else ""
    return f"{_PLAYERS[state.player]} {doing}{again}"
