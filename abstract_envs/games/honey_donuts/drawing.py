"""What a Honey Donuts board looks like."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from abstract_envs.core.drawing import HEXAGON, ROW, Drawing, DrawnCell, Label, Look, disc, hint_arrow, last_arrow, places
from abstract_envs.core.shapes import Circle, Point, Polygon, Shape
from abstract_envs.games.honey_donuts.rules import BOARD, PUSHES, HoneyDonuts, State

__all__ = ["draw", "look"]

_CROWN: tuple[Point, ...] = ((-0.2, 0.15), (-0.24, -0.12), (-0.1, 0.0), (0.0, -0.19), (0.1, 0.0), (0.24, -0.12), (0.2, 0.15))
PIECES = {
    "r": disc("red"),
    "R": disc("red", Polygon(_CROWN, "red_ink")),
    "b": disc("blue", Circle(0.0, 0.0, 0.1, "blue_edge")),
    "B": disc("blue", Polygon(_CROWN, "blue_ink")),
    "w": disc("white"),
}


@lru_cache
def look(game: HoneyDonuts) -> Look:
    """The board."""
    cells = tuple(DrawnCell(name, q + r / 2, r * ROW) for name, (r, q) in zip(BOARD.names, BOARD.cells, strict=True))
    # the name of each row's first cell; the others are counted on from it, the hole too
    labels = tuple(Label(-3.25, row * ROW, f"{'abcde'[row + 2]}1", (abs(row) / 2 + 0.4, 0.0)) for row in range(-2, 3))
    return Look((("Red", "R, r"), ("Blue", "B, b")), cells, HEXAGON, labels, PIECES, (HEXAGON._replace(fill="hole"),))


def draw(game: HoneyDonuts, state: State, last: tuple[State, int] | None = None, hints: bool = False) -> Drawing:
    """A position of one game.

    last: the state before the last action, and that action: the cells of its segment are marked.
    hints: show the legal actions, each by an arrow where a piece would fall off.
    """
    seen = look(game)
    at = places(seen.cells)
    symbols = game.to_string(state).split(" ")[0].replace("/", "")
    symbols = symbols[:9] + symbols[10:]  # without the hole
    marked, over = tuple[int, ...](), list[Shape]()
    if last is not None:
        marked = PUSHES[last[1]]
        for a, b in pairwise(marked):
            over += last_arrow(at[a], at[b])
    hinted, shown = set[int](), list[Shape]()
    if hints:
        for action in game.legal_actions(state):
            (x, y), (next_x, next_y) = at[PUSHES[action][-2]], at[PUSHES[action][-1]]
            hinted.add(PUSHES[action][0])
            shown += hint_arrow((next_x, next_y), (2 * next_x - x, 2 * next_y - y))
    return Drawing(
        seen,
        tuple(symbol.replace(".", "") for symbol in symbols),
        _status(game, state),
        game.action_text(*last) if last is not None else "",
        frozenset(marked),
        tuple(over),
        frozenset(hinted),
        tuple(shown),
    )


def _status(game: HoneyDonuts, state: State) -> tuple[int | None, str]:
    if game.is_terminal(state):
        rewards = game.rewards(state)
        return (rewards.index(1.0), "has won") if any(rewards) else (None, "drawn: the position has occurred 3 times")
    return state.player, "to move"
