"""Docstrings of this library as Markdown, for mkdocstrings."""

from __future__ import annotations

import re
from typing import Any

import griffe

_FIELD = re.compile(r"\*{0,2}[a-z_]\w*(, \*{0,2}[a-z_]\w*)*: ")


class Fields(griffe.Extension):
    """Lines ``name: what it is`` become a list."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called for every object that is read."""
        if obj.docstring is not None:
            obj.docstring.value = listed(obj.docstring.value)


def listed(text: str) -> str:
    """The text with its paragraphs of fields as lists. What belongs to a field is indented in the docstring already."""
    lines: list[str] = []
    for line in text.splitlines():
        found = _FIELD.match(line)
        if found:
            if lines and lines[-1] and not lines[-1].startswith(("- ", " ")):
                lines.append("")
            line = f"- `{found[0].rstrip(': ')}`: {line[found.end() :]}"
        lines.append(line)
    return "\n".join(lines)
