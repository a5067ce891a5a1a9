"""Checks of options."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from abstract_envs.core.options import flag, one_number_of, one_of, real_number, whole_number


@pytest.mark.parametrize("value", [3, 8, np.int64(5), np.uint8(5), np.array(5)])
def test_whole_numbers(value: Any) -> None:
    assert whole_number("size", value, 3, 8) == int(value)
    assert type(whole_number("size", value, 3, 8)) is int


@pytest.mark.parametrize("value", [2, 9, -3, 5.0, "5", None, True, np.True_, [5], 2**70, float("nan")])
def test_bad_whole_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match="size is .*from 3 to 8"):
        whole_number("size", value, 3, 8)


def test_without_an_upper_bound() -> None:
    assert whole_number("plies", 10**9, 1) == 10**9
    with pytest.raises(ValueError, match="plies is 0; .* at least 1"):
        whole_number("plies", 0, 1)


@pytest.mark.parametrize("value", [0, 1, 0.25, np.float32(0.5), np.int8(1)])
def test_real_numbers(value: Any) -> None:
    assert real_number("share", value, 0, 1) == value
    assert type(real_number("share", value, 0)) is float


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), 10**400, True, np.False_, "1", None, [1], 1j])
def test_bad_real_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"share is {value!r}; it is a number from 0 to 1")):
        real_number("share", value, 0, 1)
    if value != 1.1:
        with pytest.raises(ValueError, match=re.escape(f"share is {value!r}; it is a number of at least 0")):
            real_number("share", value, 0)


def test_flags() -> None:
    for value in (True, False, np.True_, np.False_):
        assert flag("pie", value) is bool(value)
    for bad in (1, 0, "True", None, [True]):
        with pytest.raises(ValueError, match="pie is .*True or False"):
            flag("pie", bad)


@pytest.mark.parametrize("allowed", [("strict", "none"), ["strict", "none"]])
def test_one_of(allowed: Any) -> None:
    assert one_of("rule", "none", allowed) == "none"
    for bad in ("", "Strict", None, 1, b"none", ["none"]):
        with pytest.raises(ValueError, match="rule is .*'strict', 'none'"):
            one_of("rule", bad, allowed)


@pytest.mark.parametrize("value", [4, 6, 8, "7", 7.0, True, None])
def test_one_number_of_names_all_that_is_allowed(value: object) -> None:
    with pytest.raises(ValueError, match=re.escape(f"size is {value!r}; it is 5 or 7")):
        one_number_of("size", value, (5, 7))
    assert one_number_of("size", np.int64(7), (5, 7)) == 7
