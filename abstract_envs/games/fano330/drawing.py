"""What a Fano330-R-Morris board looks like."""

from __future__ import annotations

from functools import lru_cache

from abstract_envs.core.drawing import ROW, Drawing, DrawnCell, Label, Look, Tray, hint_arrow, hint_dot, last_arrow, places
from abstract_envs.core.shapes import Circle, Line, Point, Polygon, Shape, moved, regular
from abstract_envs.games.fano330.rules import LINES, NAMES, Fano330, State

__all__ = ["PLACES", "draw", "look"]

_H = 4 * ROW
PLACES: tuple[Point, ...] = ((2.0, _H), (1.0, _H / 2), (2.0, 0.0), (3.0, _H / 2), (0.0, _H), (4.0, _H), (2.0, _H * 2 / 3))
"""(x, y) by point: corners 3, 5, 6 of a triangle, 2, 4, 1 in the middle of its sides, 7 in the middle of all.

           3

        2     4
           7

     5     1     6
"""
_ASIDE: tuple[Point, ...] = ((0.0, 0.68), (-0.1, -0.36), (-0.1, -0.36), (1.1, -0.36), (-0.14, 0.4), (1.14, 0.4), (1.12, 0.0))
_ROUND, _TRIANGULAR = 0.4, 0.5
"""Radius of the pieces: to the corners, of the triangular ones."""


def _piece(letter: str) -> tuple[Shape, ...]:
    colour = "white" if letter.isupper() else "black"
    edge = f"{colour}_edge"
    if letter in "Oo":
        return Circle(0.0, 0.0, _ROUND, colour, edge, 0.05), Circle(0.0, 0.0, _ROUND - 0.09, "", edge, 0.025)
    points = [tuple((x, y + 0.06) for x, y in regular(3, _TRIANGULAR - k, -90)) for k in (0.0, 0.17)]
    return Polygon(points[0], colour, edge, 0.05), Polygon(points[1], "", edge, 0.025)


def _on_top(letter: str) -> tuple[Shape, ...]:
    """Smaller, so that the piece beneath shows all round."""
    return tuple(moved(shape, 0.0, 0.0, 0.55) for shape in _piece(letter))


_SINGLE = {letter: _piece(letter) for letter in "OTot"}
PIECES = _SINGLE | {a + b: _SINGLE[a] + _on_top(b) for a in "OTot" for b in "OTot" if a != b}
"""Stacks have the lower piece first."""


@lru_cache
def look(game: Fano330) -> Look:
    """The board: six lines straight, and one a circle."""
    lines: list[Shape] = []
    for line in LINES[1:]:
        ends = sorted(PLACES[NAMES.index(name)] for name in line)
        lines.append(Line((ends[0], ends[-1]), "path", 0.07))
    lines.append(Circle(*PLACES[6], _H / 3, "", "path", 0.07))  # the first
    cells = tuple(DrawnCell(name, x, y) for name, (x, y) in zip(NAMES, PLACES, strict=True))
    labels = tuple(Label(x - 0.5, y, name, aside) for name, (x, y), aside in zip(NAMES, PLACES, _ASIDE, strict=True))
    trays = (Tray(-0.2, _H + 1.25, 0.55, 4, 0.62), Tray(4.2, _H + 1.25, -0.55, 4, 0.62))
    point = Circle(0.0, 0.0, 0.5, "cell", "cell_line", 0.05)
    return Look((("White", "O, T"), ("Black", "o, t")), cells, point, labels, PIECES, tuple(lines), trays)


def draw(game: Fano330, state: State, last: tuple[State, int] | None = None, hints: bool = False) -> Drawing:
    """A position of one game; a point shows its pieces bottom first, so that the last one is on top.

    last: the state before the last action, and that action: its points are marked.
    hints: show the legal actions: an arrow, or the shapes that can be put on a point.
    """
    seen = look(game)
    at = places(seen.cells)
    stacks = tuple(stack.strip("-") for stack in game.to_string(state).split(" ")[0].split("/"))
    marked = _points(game.action_text(*last)) if last is not None else []
    hinted, shown = set[int](), list[Shape]()
    if hints:
        texts = [game.action_text(state, action) for action in game.legal_actions(state)]
        for text in texts:
            points = _points(text)
            hinted.add(points[0])
            if len(points) == 2:
                shown += hint_arrow(at[points[0]], at[points[1]])
            else:
                beside = f"o{text[1]}" in texts and f"t{text[1]}" in texts
                shown += _hint(text[0], at[points[0]], 0.17 * beside)
    moving = game.all_placed(state.board)
    on_board = "".join(stacks)
    left = [tuple(letter for letter in letters for _ in range(2 - on_board.count(letter))) for letters in ("OT", "ot")]
    return Drawing(
        seen,
        stacks,
        _status(game, state, bool(moving)),
        game.action_text(*last) if last is not None else "",
        frozenset(marked),
        last_arrow(at[marked[0]], at[marked[1]]) if len(marked) == 2 else (),
        frozenset(hinted),
        tuple(shown),
        tuple(left),
    )


def _points(text: str) -> list[int]:
    """The points of an action."""
    return [NAMES.index(name) for name in text.lstrip("ot").split("-")]


def _hint(shape: str, at: Point, aside: float) -> tuple[Shape, ...]:
    """A small piece, so far aside from the middle."""
    if shape == "o":
        return hint_dot((at[0] - aside, at[1]))
    points = tuple((at[0] + aside + x, at[1] + 0.03 + y) for x, y in regular(3, 0.16, -90))
    return (Polygon(points, "hint", "hint_edge", 0.035),)


def _status(game: Fano330, state: State, moving: bool) -> tuple[int | None, str]:
    if game.is_terminal(state):
        rewards = game.rewards(state)
        if any(rewards):
            return rewards.index(1.0), "has won"
        return None, f"drawn: the position has occurred {state.count} times"
    doing = "to move" if moving else "to move: to place a piece"
    again = f", the position has occurred {state.count} times" if state.count > 1 else ""
    return state.player, f"{doing}{again}"
