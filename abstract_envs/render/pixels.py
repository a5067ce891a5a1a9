"""Pictures as arrays of pixels. Needs the extra `render`.

Every shape becomes a mask, how much of each pixel it covers, drawn several times as large and made smaller; masks are kept, so
that most of a frame is a copy of the empty board and masks that are filled with colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor, hypot, isqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError as error:
    raise ImportError("pictures of pixels need the extra `render`: pip install '.[render]' in a clone") from error

from abstract_envs.core.drawing import Drawing, Look
from abstract_envs.core.shapes import Circle, Line, Point, Polygon, Shape, Text, bounds
from abstract_envs.render.options import RenderOptions
from abstract_envs.render.scene import BASELINE, Layout, lay_out, layout_of
from abstract_envs.render.themes import THEMES

__all__ = ["forget", "save_gif", "to_image", "to_rgb"]

_FINER = 8
"""So many times finer masks are drawn, in both directions; large ones less."""
_LARGEST = 1 << 22
"""Pixels of a mask while it is drawn."""
_KEPT = 256
"""Where a unit of the board is more pixels than this, masks are not kept: they would fill the memory."""

_LARGEST_KEPT = 1 << 21
"""Pixels of the empty boards that are kept: some eight megabytes each."""


class _View(NamedTuple):
    """From units of the board to pixels."""

    left: float
    top: float
    scale: float


_Painted: TypeAlias = tuple[str, tuple[int, int], Image.Image]
"""Name of a colour, left upper corner, mask."""


def to_rgb(drawing: Drawing, options: RenderOptions) -> NDArray[np.uint8]:
    """The picture of a position: ``uint8[height, width, 3]``, a fresh array."""
    return np.array(to_image(drawing, options))


def to_image(drawing: Drawing, options: RenderOptions) -> Image.Image:
    """The same as an image of Pillow's."""
    scene = lay_out(drawing, options)
    small = options.width * options.height <= _LARGEST_KEPT
    image = _empty_board(drawing.look, options).copy() if small else _empty_board.__wrapped__(drawing.look, options)
    _paint(image, scene.front, scene.layout, options)
    return image


@lru_cache(16)
def _empty_board(look: Look, options: RenderOptions) -> Image.Image:
    layout = layout_of(look, options.width, options.height, options.coordinates)
    image = Image.new("RGB", (options.width, options.height), THEMES[options.theme]["background"])
    _paint(image, layout.back, layout, options)
    return image


def forget() -> None:
    """Frees the boards and masks that are kept."""
    _empty_board.cache_clear()
    _painted.cache_clear()


def _paint(image: Image.Image, shapes: Iterable[Shape], layout: Layout, options: RenderOptions) -> None:
    view, colours = _View(layout.left, layout.top, options.width / layout.width), THEMES[options.theme]
    painted = _painted if view.scale <= _KEPT else _painted.__wrapped__
    for shape in shapes:
        for colour, (x, y), mask in painted(shape, view):
            image.paste(colours[colour], (x, y, x + mask.width, y + mask.height), mask)


@lru_cache(2048)
def _painted(shape: Shape, view: _View) -> tuple[_Painted, ...]:
    """The areas that a shape fills, from the lowest to the highest."""
    if isinstance(shape, Text):
        return (_text(shape, view),) if shape.text else ()
    left, top, right, bottom = bounds(shape)
    x, y = floor((left - view.left) * view.scale), floor((top - view.top) * view.scale)
    wide, high = ceil((right - view.left) * view.scale) - x, ceil((bottom - view.top) * view.scale) - y
    finer = max(1, min(_FINER, isqrt(_LARGEST // (wide * high))))
    fine = _View(view.left + x / view.scale, view.top + y / view.scale, view.scale * finer)
    areas: list[_Painted] = []
    for colour, fill in ((shape.fill if not isinstance(shape, Line) else "", True), (shape.line, False)):
        if colour:
            image = Image.new("L", (wide * finer, high * finer))
            _draw(ImageDraw.Draw(image), shape, fill, fine)
            areas.append((colour, (x, y), image.reduce(finer)))
    return tuple(areas)


def _draw(draw: ImageDraw.ImageDraw, shape: Circle | Polygon | Line, fill: bool, view: _View) -> None:
    """The inside of a shape, or its line, in white."""

    def disc(x: float, y: float, radius: float, white: int = 255) -> None:
        x, y, radius = (x - view.left) * view.scale, (y - view.top) * view.scale, radius * view.scale
        if radius >= 0.5:
            draw.ellipse((x - radius, y - radius, x + radius - 1, y + radius - 1), white)

    if isinstance(shape, Circle):
        if fill:
            disc(shape.x, shape.y, shape.radius)
        else:
            disc(shape.x, shape.y, shape.radius + shape.width / 2)
            disc(shape.x, shape.y, shape.radius - shape.width / 2, 0)
        return

    def polygon(points: Iterable[Point]) -> None:
        draw.polygon([((x - view.left) * view.scale, (y - view.top) * view.scale) for x, y in points], 255)

    if fill:
        polygon(shape.points)
        return
    closed = (*shape.points, shape.points[0]) if isinstance(shape, Polygon) else shape.points
    for x, y in closed:
        disc(x, y, shape.width / 2)
    for (x, y), (to_x, to_y) in pairwise(closed):
        length = hypot(to_x - x, to_y - y)
        aside_x, aside_y = (y - to_y) / length * shape.width / 2, (to_x - x) / length * shape.width / 2
        there = [(x + aside_x, y + aside_y), (to_x + aside_x, to_y + aside_y)]
        polygon([*there, (to_x - aside_x, to_y - aside_y), (x - aside_x, y - aside_y)])


def _text(shape: Text, view: _View) -> _Painted:
    font = ImageFont.load_default(shape.size * view.scale)
    x, y = (shape.x - view.left) * view.scale, (shape.y + BASELINE * shape.size - view.top) * view.scale
    left, top, right, bottom = font.getbbox(shape.text, anchor="ms")
    corner = floor(x + left) - 1, floor(y + top) - 1
    mask = Image.new("L", (ceil(right - left) + 3, ceil(bottom - top) + 3))
    ImageDraw.Draw(mask).text((x - corner[0], y - corner[1]), shape.text, 255, font, "ms")
    return shape.fill, corner, mask


def save_gif(path: Path, drawings: Sequence[Drawing], options: RenderOptions, stay: Sequence[int]) -> None:
    """Writes pictures as a GIF that is seen over and over; each stays so many hundredths of a second."""
    images = [to_image(drawing, options) for drawing in drawings]
    # colours are chosen once, from some pictures side by side: chosen for each, they would flicker
    samples = [images[0], images[len(images) // 2], images[-1]]
    together = Image.new("RGB", (options.width, options.height * len(samples)))
    for k, sample in enumerate(samples):
        together.paste(sample, (0, k * options.height))
    palette = together.quantize(256)
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    first.save(path, save_all=True, append_images=others, duration=[10 * time for time in stay], loop=0)
