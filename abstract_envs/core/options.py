"""Checks of options: every error names the option, the value and what is allowed."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import inf
from numbers import Real
from typing import Any

import numpy as np

__all__ = ["flag", "given", "one_number_of", "one_of", "positive_number", "real_number", "whole_number"]

_BOOLS: tuple[type, ...] = (bool, np.bool_)


def whole_number(name: str, value: object, low: int, high: int | None = None) -> int:
    """``value`` as an int; ValueError unless it is a whole number (NumPy's count, bools do not) within the bounds."""
    allowed = f"from {low} to {high}" if high is not None else f"of at least {low}"
    number = None
    if not isinstance(value, _BOOLS):
        with suppress(TypeError):
            number = operator.index(value)  # type: ignore[arg-type]
    if number is None or number < low or (high is not None and number > high):
        raise ValueError(f"{name} is {value!r}; it is a whole number {allowed}")
    return number


def positive_number(name: str, value: object) -> float:
    """``value`` as a float; ValueError unless it is a finite number above zero (NumPy's count, bools do not)."""
    number = 0.0
    if isinstance(value, Real) and not isinstance(value, _BOOLS):
        number = float(value)
    if not 0 < number < inf:
        raise ValueError(f"{name} is {value!r}; it is a number above 0")
    return number


def real_number(name: str, value: object, low: float, high: float | None = None) -> float:
    """``value`` as a float; ValueError unless it is a finite number (NumPy's count, bools do not) within the bounds."""
    allowed = f"from {low:,g} to {high:,g}" if high is not None else f"of at least {low:,g}"
    number = inf
    if isinstance(value, Real) and not isinstance(value, _BOOLS):
        with suppress(OverflowError):
            number = float(value)
    if not low <= number < inf or (high is not None and number > high):
        raise ValueError(f"{name} is {value!r}; it is a number {allowed}")
    return number


def one_number_of(name: str, value: object, allowed: Sequence[int]) -> int:
    """``value`` as an int, if it is one of the allowed numbers; ValueError otherwise."""
    with suppress(ValueError):
        number = whole_number(name, value, min(allowed), max(allowed))
        if number in allowed:
            return number
    raise ValueError(f"{name} is {value!r}; it is {' or '.join(map(str, allowed))}")


def flag(name: str, value: object) -> bool:
    """``value`` as a bool; ValueError unless it is True or False."""
    if not isinstance(value, _BOOLS):
        raise ValueError(f"{name} is {value!r}; it is True or False")
    return bool(value)


def one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    """``value``, if it is one of the allowed texts; ValueError otherwise."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} is {value!r}; it is one of {', '.join(map(repr, allowed))}")
    return value


def given(options: Mapping[str, Any] | None, key: str) -> Any:
    """What the ``options`` of a reset have for a key; None for nothing. ValueError unless they are a dict."""
    if options is None:
        return None
    if not isinstance(options, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"options is {options!r}; it is a dict, such as {{'position': ...}}")
    return options.get(key)
