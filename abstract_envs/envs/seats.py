"""The learner's seat: for one game (ints) and for batches."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from abstract_envs.core.bits import Word

__all__ = ["Seat", "check_seat", "seat_of"]

Seat: TypeAlias = Literal["alternate", 0, 1]
"""The learner is player_0 (0), player_1 (1), or one after the other by turns."""


def check_seat(seat: object) -> Seat:
    """``seat``, if it is one; ValueError otherwise."""
    if isinstance(seat, bool | np.bool_) or seat not in ("alternate", 0, 1):
        raise ValueError(f"seat is {seat!r}; it is 'alternate', 0 or 1")
    return seat if isinstance(seat, str) else int(seat)  # type: ignore[return-value, call-overload]


def seat_of(seat: Seat, number: Word) -> Any:
    """The learner's seat in game ``number`` (its seed plus its number of episodes): int; ``int8[B]`` for ``uint64[B]``.

    A function of the seed, so that game i of a batch and the single environment seeded alike agree, and so that
    a run over seeds sees both seats.
    """
    if type(number) is int:
        return number & 1 if seat == "alternate" else seat
    return (number & np.uint64(1)).astype(np.int8) if seat == "alternate" else np.full(len(number), seat, np.int8)
