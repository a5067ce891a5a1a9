"""A drawing as text in the board's shape, in colours where they are wanted."""

from __future__ import annotations

import os
from typing import NamedTuple, TextIO

from abstract_envs.core.drawing import Drawing, Look
from abstract_envs.core.shapes import Circle, Polygon
from abstract_envs.render.options import DEFAULT, RenderOptions
from abstract_envs.render.themes import THEMES

__all__ = ["captions", "has_colour", "to_ansi"]

_PLAIN = "\x1b[0m"
_FAINT = "2"


class _Sign(NamedTuple):
    """A character, and the colours of its letter and of its background: SGR parameters, "" for the terminal's own."""

    character: str
    colours: str


def has_colour(stream: TextIO | None) -> bool:
    """Whether what is written to a stream may be coloured: to terminals with 256 colours, and as NO_COLOR and FORCE_COLOR say.

    stream: None, or one that is closed, has no colours.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if stream is None or stream.closed or not stream.isatty():
        return False
    many = "256color" in os.environ.get("TERM", "") or os.environ.get("COLORTERM") in ("truecolor", "24bit")
    return many or "WT_SESSION" in os.environ  # Windows Terminal


def to_ansi(drawing: Drawing, colour: bool = False, options: RenderOptions = DEFAULT) -> str:
    """The text of a drawing: pieces by their symbols, ``[w]`` where the last action was, ``(w)`` where a legal one begins.

    colour: with escape sequences of terminals with 256 colours.
    """
    look, colours_of = drawing.look, THEMES[options.theme]
    lines: dict[float, dict[int, _Sign]] = {}
    labels = look.labels if options.coordinates else ()
    left = min(place.x for place in (*look.cells, *labels))

    def write(x: float, y: float, text: str, colours: list[str], before: int = 0) -> None:
        start = round((x - left) * look.characters) + 1 - before
        for k, sign in enumerate(map(_Sign, text, colours), start):
            lines.setdefault(round(y, 3), {})[k] = sign

    inks = _inks(look, colours_of) if colour else {}
    for i, cell in enumerate(look.cells):
        text = drawing.symbols[i] or cell.empty
        colours = [inks.get(letter, "") for letter in text]
        if i in drawing.marked or (i in drawing.hinted and options.legal_moves):
            signs, name = ("[]", "marked") if i in drawing.marked else ("()", "hint")
            ink = _ink(colours_of[name]) if colour else ""
            write(cell.x, cell.y, signs[0] + text + signs[1], [ink, *colours, ink], 1)
        else:
            write(cell.x, cell.y, text, colours)
    for label in labels:
        write(label.x, label.y, label.text, [_FAINT if colour else ""] * len(label.text))
    rows = [_row(line) for _, line in sorted(lines.items())]
    return "\n".join([*rows, *captions(drawing, letters=True)]) + "\n"


def captions(drawing: Drawing, letters: bool = False) -> list[str]:
    """The lines of text that go with a drawing: the last action, notes, and who is to do what.

    letters: as for a text: with the letters of the players' pieces, and what lies on trays.
    """
    player, says = drawing.status
    if player is not None:
        name, signs = drawing.look.players[player]
        says = f"{name} ({signs}) {says}" if letters else f"{name} {says}"
    last = f"last action: {drawing.last}" if drawing.last else ""
    return [line for line in (last, drawing.tray_text if letters else "", *drawing.notes, says) if line]


def _row(line: dict[int, _Sign]) -> str:
    row, before = "", ""
    for k in range(max(line) + 1):
        sign = line.get(k, _Sign(" ", ""))
        if sign.colours != before:
            row += (_PLAIN if before else "") + (f"\x1b[{sign.colours}m" if sign.colours else "")
        row, before = row + sign.character, sign.colours
    return (row + (_PLAIN if before else "")).rstrip()


def _inks(look: Look, colours: dict[str, str]) -> dict[str, str]:
    """The colours of each letter: as of the piece it stands for, the letter black or white, whichever can be read."""
    inks: dict[str, str] = {}
    for symbol, shapes in look.pieces.items():
        fills = [shape.fill for shape in shapes if isinstance(shape, Circle | Polygon) and shape.fill]
        if len(symbol) == 1 and fills:
            inks[symbol] = _ink(colours[fills[0]])
    return inks


def _ink(colour: str) -> str:
    """The nearest of 256 colours as a background, with black or white letters."""
    rgb = red, green, blue = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    if max(rgb) - min(rgb) < 16 and 3 < red < 243:  # the greys: 8, 18, .. 238
        found = 232 + (red - 3) // 10
    else:  # a cube, with steps at 0, 95, 135, 175, 215, 255
        steps = [0 if value < 48 else 1 if value < 115 else (value - 35) // 40 for value in rgb]
        found = 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
    light = 299 * red + 587 * green + 114 * blue > 128_000
    return f"38;5;{16 if light else 231};48;5;{found}"
