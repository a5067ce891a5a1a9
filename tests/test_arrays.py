"""Memory that vector environments use again: never while somebody refers to it."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import numpy as np
import pytest

from abstract_envs.envs import arrays as module
from abstract_envs.envs.arrays import KEPT, Arrays, SparseArrays
from helpers import before_line, game_of

SHAPE = (3, 2, 1, 5)


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_what_nobody_has_is_given_out_again() -> None:
    arrays = Arrays(SHAPE)
    one, other = arrays.take(), arrays.take()
    assert one.shape == SHAPE
    assert one.dtype == np.int8
    assert not np.shares_memory(one, other)
    place = address(one)
    del one
    assert address(arrays.take()) == place


HOLDING: list[Any] = [
    lambda array: array,
    lambda array: array[1:, ..., ::2],
    lambda array: array.reshape(-1)[3:].view(np.uint8),
    lambda array: {"observation": [array.T]},
    memoryview,
    lambda array: np.frombuffer(array, np.int8),
    lambda array: np.lib.stride_tricks.sliding_window_view(array, 2, 0),
    lambda array: array.flat,
    lambda array: np.from_dlpack(array),
]


@pytest.mark.parametrize("hold", HOLDING)
def test_what_somebody_has_is_not(hold: Any) -> None:
    arrays = Arrays(SHAPE)
    place = address(arrays.take())
    held = hold(arrays.take())
    assert all(address(arrays.take()) != place for _ in range(3))
    del held
    gc.collect()
    again = [arrays.take() for _ in range(KEPT)]
    assert place in map(address, again)


def test_what_a_caller_did_to_an_array_is_gone() -> None:
    """Flags are those of the array that was given out, and not of its memory."""
    arrays = Arrays(SHAPE)
    array = arrays.take()
    place = address(array)
    array.flags.writeable = False
    del array
    array = arrays.take()
    assert (address(array), array.flags.writeable) == (place, True)


def test_so_many_are_kept() -> None:
    """Of more arrays that callers hold, the oldest are theirs alone."""
    arrays = Arrays(SHAPE)
    held = [arrays.take() for _ in range(KEPT + 2)]
    kept = set(map(address, held[2:]))
    del held
    again = [arrays.take() for _ in range(KEPT)]
    assert set(map(address, again)) == kept


@pytest.mark.parametrize("line", range(7))
def test_of_two_who_want_an_array_at_once_one_gets_it(line: int) -> None:
    """Another thread, or a signal's handler, comes in before a line."""
    arrays = Arrays(SHAPE)
    arrays.take()
    other: list[np.ndarray] = []
    with before_line(module, line, lambda: other.append(arrays.take())):
        own = arrays.take()
    assert not np.shares_memory(own, *other)


def test_copies_share_no_memory() -> None:
    arrays = Arrays(SHAPE)
    arrays.take()
    assert not np.shares_memory(pickle.loads(pickle.dumps(arrays)).take(), arrays.take())


def test_all_but_some_rows_are_zero() -> None:
    """However an earlier caller left the memory."""
    game = game_of("fano330", {})
    arrays, source = SparseArrays(SHAPE, game), np.arange(30, dtype=np.int8).reshape(SHAPE)
    place = 0
    for rows in ([2], [0, 1], []):
        array = arrays.with_rows(np.array(rows, np.int64), source)
        expected = np.zeros(SHAPE, np.int8)
        expected[rows] = source[rows]
        assert np.array_equal(array, expected)
        assert place in (0, address(array))
        place = address(array)
        array[...] = 7
        array.flags.writeable = False
        del array
    assert pickle.loads(pickle.dumps(arrays)).with_rows(np.array([1]), source)[1].any()
