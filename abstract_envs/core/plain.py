"""Options of a game as plain values, as on a command line: which kinds each takes, and texts that hold several."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from abstract_envs.core.game import Game

__all__ = ["JOINED", "join", "kinds_of", "read", "split", "takes_several"]

JOINED = "several texts are joined by + (TEXT+TEXT), one alone ends in it (TEXT+)"
"""How `split` wants them."""


def kinds_of(rules: type[Game[Any]]) -> dict[str, tuple[Any, ...]]:
    """The types that each option can have, ``(int, NoneType)`` for ``int | None``."""
    hints = get_type_hints(rules)
    return {field.name: get_args(hints[field.name]) or (hints[field.name],) for field in fields(rules)}  # type: ignore[arg-type]


def takes_several(kinds: tuple[Any, ...]) -> bool:
    """Whether an option of these types may be several texts."""
    return any(get_origin(kind) is Iterable for kind in kinds)


def split(text: str, kinds: tuple[Any, ...]) -> str | tuple[str, ...]:
    """The texts that ``+`` joins, where an option takes several; else the text itself."""
    if "+" in text and takes_several(kinds):
        return tuple(part for part in text.split("+") if part)
    return text


def join(texts: tuple[str, ...]) -> str:
    """What `split` takes apart."""
    return "+".join(texts) if len(texts) > 1 else "".join(texts) + "+"


def read(text: str, kinds: tuple[Any, ...]) -> Any:
    """The value that was typed for an option: ``None``, a number, texts. What is none of these is left to the rules to refuse."""
    if NoneType in kinds and text == "None":
        return None
    for kind in (int, float):
        if kind in kinds:
            with suppress(ValueError):
                return kind(text)
    return split(text, kinds)
