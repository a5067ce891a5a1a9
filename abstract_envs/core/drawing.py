"""What a position looks like, as data: a game's ``drawing.py`` makes it, a renderer shows it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Drawing", "DrawnCell", "Label"]


@dataclass(frozen=True)
class DrawnCell:
    """One cell of the board.

    name: as in texts.
    x, y: its centre, x to the right, y down, in units of the distance between neighbours in a row.
    symbol: the piece on it, a short text; "" where there is none.
    marked: whether the last action concerned it.
    """

    name: str
    x: float
    y: float
    symbol: str
    marked: bool = False


@dataclass(frozen=True)
class Label:
    """A coordinate beside the board, placed as a cell is."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Drawing:
    """A position: cells, coordinates, and lines of text below the board."""

    cells: tuple[DrawnCell, ...]
    labels: tuple[Label, ...]
    captions: tuple[str, ...]
