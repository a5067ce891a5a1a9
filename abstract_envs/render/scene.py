"""A drawing laid out as a list of shapes: made once, shown by every kind of picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from abstract_envs.core.drawing import Drawing, Look
from abstract_envs.core.shapes import Circle, Polygon, Shape, Text, bounds, moved
from abstract_envs.render.ansi import captions
from abstract_envs.render.options import RenderOptions

__all__ = ["BASELINE", "Item", "Layout", "Scene", "lay_out", "layout_of"]

_MARGIN = 0.15
_LABEL = 0.045
"""Size of coordinates, against the width of the board."""
_LARGEST_LABEL = 0.42
"""Size of coordinates, against the cells."""
_CAPTION = 0.042
"""Size of captions, against the width of the board."""
_LETTER = 0.56
"""How wide letters are in the mean, against their size: lines that would be wider than the picture are made smaller."""
_READABLE = 8
"""Texts that would be lower than this many pixels are left out."""
_INSET, _RING = 0.9, 0.08
"""Of the rings that mark cells: their size against the cell's outline, and how thick they are."""
_LINES = 2
"""Of captions."""
BASELINE = 0.34
"""The line on which letters stand is so far below the middle of a text, against its size."""


class Layout(NamedTuple):
    """Where everything is: the same for all positions of a game.

    left, top, width, height: of what is shown, in units of the board; it has the shape of the picture.
    caption: (x, y, size) of the middle of the first line of text; None: there is none.
    back: the shapes of the empty board.
    """

    left: float
    top: float
    width: float
    height: float
    caption: tuple[float, float, float] | None
    back: tuple[Shape, ...]


Item: TypeAlias = tuple[Shape, ...]
"""What appears and disappears together, such as a piece."""


class Scene(NamedTuple):
    """The empty board, and in front of it, from the lowest to the highest: marked cells, pieces, signs, texts."""

    layout: Layout
    layers: tuple[tuple[Item, ...], ...]

    @property
    def front(self) -> Iterator[Shape]:
        """All shapes in front of the board."""
        for layer in self.layers:
            for item in layer:
                yield from item


@lru_cache(256)
def layout_of(look: Look, width: int, height: int, coordinates: bool) -> Layout:
    """The layout for pictures of width x height pixels."""
    board = [*look.backdrop, *(_cell(look, i) for i in range(len(look.cells)))]
    room = _box([*board, *_ends_of_trays(look)])
    size = min(_LARGEST_LABEL, _LABEL * (room[2] - room[0]))
    labels = [Text(label.x + label.aside[0], label.y + label.aside[1], label.text, size, "text") for label in look.labels]
    with_labels = _box([*board, *_ends_of_trays(look), *labels])

    def layout(labelled: bool, captioned: bool) -> Layout:
        left, top, right, bottom = with_labels if labelled else room
        caption = (right - left) * _CAPTION
        below = (1.45 * _LINES + 0.3) * caption if captioned else 0.0
        # as large as fits, in the middle
        wide = max(right - left, (bottom + below - top) * width / height)
        x, y = (left + right - wide) / 2, (top + bottom + below - wide * height / width) / 2
        text = ((left + right) / 2, bottom + 0.75 * caption, caption) if captioned else None
        return Layout(x, y, wide, wide * height / width, text, (*board, *labels) if labelled else tuple(board))

    full = layout(coordinates, True)
    assert full.caption is not None
    readable = _READABLE * full.width / width
    return layout(coordinates and size >= readable, full.caption[2] >= readable)


def _ends_of_trays(look: Look) -> list[Circle]:
    return [Circle(t.x + k * t.step, t.y, 0.43 * t.scale) for t in look.trays for k in (0, t.room - 1)]


def _box(shapes: Iterable[Shape]) -> tuple[float, float, float, float]:
    """(left, top, right, bottom) around all shapes, with a margin."""
    left, top, right, bottom = zip(*map(bounds, shapes), strict=True)
    return min(left) - _MARGIN, min(top) - _MARGIN, max(right) + _MARGIN, max(bottom) + _MARGIN


@lru_cache(4096)
def _cell(look: Look, i: int) -> Circle | Polygon:
    """The outline of a cell at its place."""
    cell = look.cells[i]
    return moved(look.outline, cell.x, cell.y)._replace(fill=cell.fill)  # type: ignore[return-value]


@lru_cache(4096)
def _ring(look: Look, i: int) -> Circle | Polygon:
    """The mark of a cell: just inside its outline, so that its colour is seen, and a piece on it."""
    cell = look.cells[i]
    inside = moved(look.outline, cell.x, cell.y, _INSET)
    return inside._replace(fill="", line="marked", width=_RING)  # type: ignore[return-value, call-arg]


@lru_cache(8192)
def _piece(look: Look, symbol: str, x: float, y: float, scale: float = 1.0) -> tuple[Shape, ...]:
    return tuple(moved(shape, x, y, scale) for shape in look.pieces[symbol])


def lay_out(drawing: Drawing, options: RenderOptions) -> Scene:
    """The scene of a position."""
    look = drawing.look
    layout = layout_of(look, options.width, options.height, options.coordinates)
    pieces = [_piece(look, s, cell.x, cell.y) for s, cell in zip(drawing.symbols, look.cells, strict=True) if s]
    for tray, symbols in zip(look.trays, drawing.trays, strict=bool(drawing.trays)):
        pieces += [_piece(look, s, tray.x + k * tray.step, tray.y, tray.scale) for k, s in enumerate(symbols)]
    signs = [drawing.over, drawing.hints if options.legal_moves else ()]
    texts: list[Item] = []
    if layout.caption is not None:
        x, y, size = layout.caption
        *more, says = captions(drawing)
        lines = [says, ", ".join(more)]
        room, least = layout.width - _MARGIN, _READABLE * layout.width / options.width
        for k, line in enumerate(lines):
            fits = min(size, room / (_LETTER * max(1, len(line))))
            if line and fits >= least:
                texts.append((Text(x, y + 1.45 * size * k, line, fits, "text"),))
    marks = [(_ring(look, i),) for i in sorted(drawing.marked)]
    return Scene(layout, (tuple(marks), tuple(pieces), tuple(signs), tuple(texts)))
