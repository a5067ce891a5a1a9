"""Pictures as SVG: texts that need no other library."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby

from abstract_envs.core.drawing import Drawing
from abstract_envs.core.shapes import Circle, Line, Polygon, Shape
from abstract_envs.render.ansi import captions
from abstract_envs.render.options import RenderOptions
from abstract_envs.render.scene import BASELINE, Layout, lay_out
from abstract_envs.render.themes import THEMES

__all__ = ["document", "elements", "to_svg"]

_UNIT = 100
"""Of the picture, in a unit of the board."""


def to_svg(drawing: Drawing, options: RenderOptions) -> str:
    """The picture of a position, a whole SVG document."""
    scene = lay_out(drawing, options)
    return document(scene.layout, options, captions(drawing)[-1], elements(scene.front, options.theme))


def document(layout: Layout, options: RenderOptions, title: str, front: Iterable[str]) -> str:
    """An SVG document: the empty board, and lines of elements in front of it."""
    box = " ".join(map(_number, (layout.left, layout.top, layout.width, layout.height)))
    left, top, width, height = box.split(" ")
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{options.width}" height="{options.height}" viewBox="{box}"'
        ' stroke-linecap="round" stroke-linejoin="round" font-family="sans-serif" text-anchor="middle">',
        f"<title>{escape(title)}</title>",
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{THEMES[options.theme]["background"]}"/>',
        *elements(layout.back, options.theme),
        *front,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def elements(shapes: Iterable[Shape], theme: str) -> list[str]:
    """The shapes as lines of SVG; those that look alike, one behind the other, share a group."""
    lines: list[str] = []
    for style, alike in groupby(shapes, lambda shape: _style(shape, theme)):
        first, *more = alike
        lines += [f"<g {style}>", *map(_element, (first, *more)), "</g>"] if more else [_element(first, f" {style}")]
    return lines


def _style(shape: Shape, theme: str) -> str:
    colours = THEMES[theme]
    if isinstance(shape, Circle | Polygon):
        style = f'fill="{colours[shape.fill] if shape.fill else "none"}"'
        return style + (f' stroke="{colours[shape.line]}" stroke-width="{_number(shape.width)}"' if shape.line else "")
    if isinstance(shape, Line):
        return f'fill="none" stroke="{colours[shape.line]}" stroke-width="{_number(shape.width)}"'
    return f'fill="{colours[shape.fill]}" font-size="{_number(shape.size)}"'


def _element(shape: Shape, style: str = "") -> str:
    if isinstance(shape, Circle):
        return f'<circle cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}"{style}/>'
    if isinstance(shape, Polygon | Line):
        points = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)
        return f'<{"polygon" if isinstance(shape, Polygon) else "polyline"} points="{points}"{style}/>'
    return f'<text x="{_number(shape.x)}" y="{_number(shape.y + BASELINE * shape.size)}"{style}>{escape(shape.text)}</text>'


def _number(value: float) -> str:
    """In the units of the picture, with one decimal where there is one."""
    return f"{round(value * _UNIT, 1) + 0.0:.1f}".removesuffix(".0")
