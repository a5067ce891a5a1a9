"""A drawing as plain text in the board's shape."""

from __future__ import annotations

from abstract_envs.core.drawing import Drawing

__all__ = ["to_ansi"]

_COLUMNS = 4
"""Characters from a cell to its neighbour in the row."""


def to_ansi(drawing: Drawing) -> str:
    """The text of a drawing: pieces by their symbols, ``.`` for an empty cell, ``[w]`` where the last action was."""
    marks = [(cell.x, cell.y, (cell.symbol or "."), cell.marked) for cell in drawing.cells]
    marks += [(label.x, label.y, label.text, False) for label in drawing.labels]
    left = min(x for x, *_ in marks)
    lines: dict[float, dict[int, str]] = {}
    for x, y, text, marked in marks:
        start = round((x - left) * _COLUMNS) + 1
        shown = f"[{text}]" if marked else text
        for k, character in enumerate(shown, start - marked):
            lines.setdefault(y, {})[k] = character
    rows = ["".join(line.get(k, " ") for k in range(max(line) + 1)) for _, line in sorted(lines.items())]
    return "\n".join([*rows, *drawing.captions]) + "\n"
