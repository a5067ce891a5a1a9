"""Games as moving pictures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from abstract_envs.core.drawing import Drawing
from abstract_envs.core.options import positive_number
from abstract_envs.render.ansi import captions
from abstract_envs.render.options import read_options
from abstract_envs.render.scene import Item, lay_out
from abstract_envs.render.svg import document, elements

__all__ = ["Movie"]

_REST = 2.0
"""Seconds that the last position is seen longer than the others, before the movie begins anew."""
_GIF_FASTEST, _GIF_LONGEST = 50, 655.35
"""Pictures a second, since browsers slow down GIFs that are faster; seconds of a picture, all that the format has room for."""


class Movie:
    """The positions of a game one after the other, over and over.

    In notebooks it is shown as an animated SVG; `save` writes that or a GIF.
    """

    def __init__(self, drawings: Iterable[Drawing], fps: float = 2.0, **options: Any) -> None:
        """
        drawings: of the positions of one game, at least one; `drawing()` of an environment gives them.
        fps: positions a second.
        options: as of `RenderOptions`: width, height, theme, coordinates, legal_moves.
        """
        self.drawings = tuple(drawings)
        self.fps = positive_number("fps", fps)
        self.options = read_options(options)
        if not self.drawings:
            raise ValueError("drawings: there is none; a movie shows at least one position")
        if any(drawing.look is not self.drawings[0].look for drawing in self.drawings):
            raise ValueError("drawings are of several games; a movie shows one, with the same options throughout")

    def __len__(self) -> int:
        """How many positions."""
        return len(self.drawings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, as the end of its name says: ``.svg``, or ``.gif``, which needs the extra `render`.

        GIFs count in hundredths of a second: positions stay as many as keep the pace over the whole. ValueError for a GIF of
        more than 50 positions a second, or of so few that the format cannot say how long they stay.
        """
        path = Path(path)
        kinds = {".svg": self._save_svg, ".gif": self._save_gif}
        if path.suffix.lower() not in kinds:
            raise ValueError(f"path is {os.fspath(path)!r}; its name ends in {' or '.join(kinds)}")
        kinds[path.suffix.lower()](path)

    def to_svg(self) -> str:
        """An animated SVG document. What is there for some time is written once; without animation the last position is seen."""
        scenes = [lay_out(drawing, self.options) for drawing in self.drawings]
        layers = zip(*(scene.layers for scene in scenes), strict=True)
        lines = [line for frames in layers for line in self._layer(frames)]
        return document(scenes[0].layout, self.options, captions(self.drawings[-1])[-1], lines)

    _repr_svg_ = to_svg

    def _layer(self, frames: Sequence[tuple[Item, ...]]) -> Iterator[str]:
        """The elements of one layer; those that come and go together share a group."""
        runs = sorted(_runs(frames), key=lambda run: run[:2])
        for (first, end), together in groupby(runs, key=lambda run: run[:2]):
            lines = elements((shape for _, _, item in together for shape in item), self.options.theme)
            if (first, end) == (0, len(self)):
                yield from lines
                continue
            visible = "visible" if end == len(self) else "hidden"
            yield f'<g visibility="{visible}">{self._animation(first, end)}'
            yield from lines
            yield "</g>"

    def _animation(self, first: int, end: int) -> str:
        """Visible from one frame on, until another."""
        seconds = len(self) / self.fps + _REST
        times = {0.0: "hidden"} | {first / self.fps / seconds: "visible"}
        if end < len(self):
            times[end / self.fps / seconds] = "hidden"
        values, keys = ";".join(times.values()), ";".join(f"{time:.5g}" for time in times)
        return (
            f'<animate attributeName="visibility" values="{values}" keyTimes="{keys}" calcMode="discrete"'
            f' dur="{seconds:g}s" repeatCount="indefinite"/>'
        )

    def _save_svg(self, path: Path) -> None:
        path.write_text(self.to_svg(), encoding="utf-8", newline="\n")

    def _save_gif(self, path: Path) -> None:
        if not 1 / (_GIF_LONGEST - _REST) <= self.fps <= _GIF_FASTEST:
            seconds = int(_GIF_LONGEST - _REST)
            raise ValueError(
                f"fps is {self.fps:g}; a GIF has at most {_GIF_FASTEST} positions a second, and at least one in {seconds} seconds"
            )
        from abstract_envs.render.pixels import save_gif  # an extra, imported when used

        times = [round(100 * k / self.fps) for k in range(len(self) + 1)]
        stay = [end - start for start, end in pairwise(times)]
        stay[-1] += round(100 * _REST)
        save_gif(path, self.drawings, self.options, stay)


def _runs(frames: Sequence[tuple[Item, ...]]) -> Iterator[tuple[int, int, Item]]:
    """(first, end, item) for everything that is there from one frame on, until another."""
    since: dict[Item, int] = {}
    for k, frame in enumerate([*frames, ()]):
        there = dict.fromkeys(frame)
        for item in [item for item in since if item not in there]:
            yield since.pop(item), k, item
        for item in there:
            since.setdefault(item, k)
