"""Shapes that pictures are made of: plain data, in the units of a board, x to the right and y down.

Colours are names that a theme gives a value to; "" is none. Lines have round ends and corners.
"""

from __future__ import annotations

from math import cos, hypot, radians, sin
from typing import NamedTuple, TypeAlias

__all__ = ["Circle", "Line", "Point", "Polygon", "Shape", "Text", "arrow", "bounds", "moved", "regular"]

Point: TypeAlias = tuple[float, float]


class Circle(NamedTuple):
    """A disc, a ring, or both."""

    x: float
    y: float
    radius: float
    fill: str = ""
    line: str = ""
    width: float = 0.0


class Polygon(NamedTuple):
    """An area with straight sides."""

    points: tuple[Point, ...]
    fill: str = ""
    line: str = ""
    width: float = 0.0


class Line(NamedTuple):
    """A line through some points."""

    points: tuple[Point, ...]
    line: str
    width: float


class Text(NamedTuple):
    """A line of text about its middle; ``size`` as of a font."""

    x: float
    y: float
    text: str
    size: float
    fill: str


Shape: TypeAlias = Circle | Polygon | Line | Text


def moved(shape: Shape, dx: float, dy: float, scale: float = 1.0) -> Shape:
    """The shape made larger by a factor, about (0, 0), and then moved."""
    if isinstance(shape, Text):
        return shape._replace(x=dx + shape.x * scale, y=dy + shape.y * scale, size=shape.size * scale)
    width = shape.width * scale
    if isinstance(shape, Circle):
        return shape._replace(x=dx + shape.x * scale, y=dy + shape.y * scale, radius=shape.radius * scale, width=width)
    return shape._replace(points=tuple((dx + x * scale, dy + y * scale) for x, y in shape.points), width=width)


def bounds(shape: Shape) -> tuple[float, float, float, float]:
    """(left, top, right, bottom), half the width of its line counted; of a text as if it were one letter."""
    if isinstance(shape, Circle):
        points, beyond = ((shape.x, shape.y),), shape.radius + shape.width / 2
    elif isinstance(shape, Text):
        points, beyond = ((shape.x, shape.y),), shape.size / 2
    else:
        points, beyond = shape.points, shape.width / 2
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - beyond, min(ys) - beyond, max(xs) + beyond, max(ys) + beyond


def regular(corners: int, radius: float, first: float) -> tuple[Point, ...]:
    """The corners of a regular polygon about (0, 0), clockwise.

    radius: from the middle to a corner.
    first: the direction of the first corner, in degrees clockwise from the right.
    """
    angles = [radians(first + 360 * k / corners) for k in range(corners)]
    return tuple((radius * cos(angle), radius * sin(angle)) for angle in angles)


def arrow(
    start: Point, end: Point, fill: str, line: str, gap: float = 0.4, size: float = 1.0, both: bool = False
) -> tuple[Polygon, ...]:
    """An arrow from near one point to near another.

    gap: how far it stays away from the points, if that leaves room for a head and some shaft.
    size: a factor for its thickness.
    both: with a head at either end.
    """
    length, (dx, dy) = _direction(start, end)
    need = (0.7 if both else 0.5) * size
    first = min(gap, max((length - need) / 2, 0.2 * length))
    last = length - first
    size *= min(1.0, (last - first) / need)
    head, half, notch, shaft, edge = 0.32 * size, 0.2 * size, 0.07 * size, 0.065 * size, 0.05 * size
    outline = [(last - head, half), (last, 0.0), (last - head, -half), (last - head + notch, -shaft)]
    if both:
        outline += [(first + head - notch, -shaft), (first + head, -half), (first, 0.0), (first + head, half)]
        outline += [(first + head - notch, shaft)]
    else:
        outline += [(first, -shaft), (first, shaft)]
    outline += [(last - head + notch, shaft)]
    turned = tuple((start[0] + along * dx - aside * dy, start[1] + along * dy + aside * dx) for along, aside in outline)
    return (Polygon(turned, fill, line, edge),)


def _direction(start: Point, end: Point) -> tuple[float, Point]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    return length, (dx / length, dy / length)
