"""How pictures are to look: the options that all environments share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from abstract_envs.core.options import flag, one_of, whole_number
from abstract_envs.render.themes import THEMES

__all__ = ["DEFAULT", "NAMES", "RenderOptions", "read_options"]

_LARGEST = 8192


@dataclass(frozen=True, kw_only=True)
class RenderOptions:
    """ValueError, which names the option and what is allowed, for a bad value.

    width, height: of pictures, in pixels, 1 to 8192. The board is as large as fits, in the middle.
    theme: "light" or "dark".
    coordinates: show the names of rows and columns.
    legal_moves: show the legal actions.
    """

    width: int = 512
    height: int = 512
    theme: str = "light"
    coordinates: bool = True
    legal_moves: bool = False

    def __post_init__(self) -> None:
        for side in ("width", "height"):
            object.__setattr__(self, side, whole_number(side, getattr(self, side), 1, _LARGEST))
        one_of("theme", self.theme, tuple(THEMES))
        for name in ("coordinates", "legal_moves"):
            object.__setattr__(self, name, flag(name, getattr(self, name)))


DEFAULT = RenderOptions()
NAMES = tuple(field.name for field in fields(RenderOptions))


def read_options(options: Mapping[str, Any]) -> RenderOptions:
    """The options that were given; TypeError that names an unknown one."""
    for name in options:
        if name not in NAMES:
            raise TypeError(f"pictures have no option {name!r}; their options are {', '.join(NAMES)}")
    return RenderOptions(**options)
