"""What a position looks like, as data: a game's ``drawing.py`` makes it, the renderers show it.

A `Look` is what all positions of a game have in common, a `Drawing` is one position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

from abstract_envs.core.shapes import Circle, Point, Polygon, Shape, arrow, regular

__all__ = [
    "HEXAGON",
    "ROW",
    "SQUARE",
    "Drawing",
    "DrawnCell",
    "Label",
    "Look",
    "Tray",
    "disc",
    "hint_arrow",
    "hint_dot",
    "last_arrow",
    "places",
]

ROW = sqrt(3) / 2
"""Rows of hexagons are so far apart, if neighbours in a row are 1 apart."""
HEXAGON = Polygon(regular(6, 1 / sqrt(3), -90), "cell", "cell_line", 0.04)
"""With a corner at the top; its corners go round clockwise from there."""
SQUARE = Polygon(regular(4, sqrt(0.5), -135), "cell", "cell_line", 0.04)


@dataclass(frozen=True)
class DrawnCell:
    """One cell of the board.

    name: as in texts.
    x, y: its centre.
    fill: its colour.
    empty: in texts what stands for it where there is no piece.
    """

    name: str
    x: float
    y: float
    fill: str = "cell"
    empty: str = "."


@dataclass(frozen=True)
class Label:
    """A coordinate, placed as a cell is.

    aside: (x, y) by which it is moved in pictures, where it would be in the way.
    """

    x: float
    y: float
    text: str
    aside: Point = (0.0, 0.0)


@dataclass(frozen=True)
class Tray:
    """Where pieces lie that are not on the board, one behind the other.

    x, y: of the first.
    step: from one to the next, to the right; negative: to the left.
    room: for so many.
    scale: of the pieces, against those on the board.
    """

    x: float
    y: float
    step: float
    room: int
    scale: float


@dataclass(frozen=True, eq=False)
class Look:
    """What all positions of a game have in common.

    players: (name, letters of the pieces in texts) of both.
    cells: by index.
    outline: of a cell, about its centre.
    labels: coordinates.
    pieces: by symbol, a short text, the shapes of what stands on a cell, about its centre.
    backdrop: shapes beneath the cells.
    trays: places for pieces beside the board.
    characters: in texts, from x to x + 1.
    """

    players: tuple[tuple[str, str], tuple[str, str]]
    cells: tuple[DrawnCell, ...]
    outline: Circle | Polygon
    labels: tuple[Label, ...]
    pieces: Mapping[str, tuple[Shape, ...]] = field(repr=False)
    backdrop: tuple[Shape, ...] = ()
    trays: tuple[Tray, ...] = ()
    characters: float = 4.0


@dataclass(frozen=True)
class Drawing:
    """A position.

    look: of the game.
    symbols: of the pieces, by cell; "" where there is none.
    status: who is to do what, or who has won: the index of a player, None where it is about both, and a text.
    last: the text of the last action; "" where there is none.
    marked: cells that the last action concerned.
    over: shapes above the pieces that show the last action, and other passing things.
    hinted: cells where a legal action begins; hints: shapes that show the legal actions. Both only if they were asked for.
    trays: symbols of the pieces on each tray.
    tray_text: the same for renderers that show no trays.
    notes: more lines of text.
    """

    look: Look
    symbols: tuple[str, ...]
    status: tuple[int | None, str]
    last: str = ""
    marked: frozenset[int] = frozenset()
    over: tuple[Shape, ...] = ()
    hinted: frozenset[int] = frozenset()
    hints: tuple[Shape, ...] = ()
    trays: tuple[tuple[str, ...], ...] = ()
    tray_text: str = ""
    notes: tuple[str, ...] = ()

    def ended(self, player: int | None, says: str) -> Drawing:
        """The same after an end that the rules do not know: with this status, and no legal action."""
        return replace(self, status=(player, says), hinted=frozenset(), hints=())

    def cut_off(self, plies: int) -> Drawing:
        """The same after the end that the ply limit made."""
        return self.ended(None, f"cut off after {plies} actions")


def places(cells: Sequence[DrawnCell]) -> list[Point]:
    """The centres of cells."""
    return [(cell.x, cell.y) for cell in cells]


# ------------------------------------------------------------------------------------------- pieces and signs, for all games


def disc(colour: str, *signs: Shape) -> tuple[Shape, ...]:
    """A round piece with a rim, and signs on it."""
    edge = f"{colour}_edge"
    return Circle(0.0, 0.0, 0.40, colour, edge, 0.05), Circle(0.0, 0.0, 0.31, "", edge, 0.025), *signs


def last_arrow(start: Point, end: Point, both: bool = False) -> tuple[Shape, ...]:
    """From where to where the last action went."""
    return arrow(start, end, "arrow", "arrow_edge", gap=0.36, both=both)


def hint_arrow(start: Point, end: Point) -> tuple[Shape, ...]:
    """From where to where a legal action goes."""
    return arrow(start, end, "hint", "hint_edge", gap=0.36, size=0.75)


def hint_dot(at: Point, radius: float = 0.12) -> tuple[Shape, ...]:
    """A place for a legal action."""
    return (Circle(*at, radius, "hint", "hint_edge", 0.035),)
