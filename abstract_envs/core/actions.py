"""Checks of the actions of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["check_actions", "named", "refuse"]


def check_actions(actions: ArrayLike, num_envs: int) -> NDArray[np.int64]:
    """Actions as ``int64[N]``; ValueError unless they are integers, one for every game."""
    array = np.asarray(actions)
    if array.shape != (num_envs,) or array.dtype.kind not in "iu":
        raise ValueError(f"actions are integers of shape ({num_envs},), not {array.dtype} of shape {array.shape}")
    if array.dtype == np.uint64 and len(large := (array > np.iinfo(np.int64).max).nonzero()[0]):
        refuse(array, large[:0], large)  # they would become negative numbers
    return array.astype(np.int64, copy=False)


def refuse(actions: NDArray[Any], ended: NDArray[np.int64], illegal: NDArray[np.int64]) -> None:
    """ValueError if a step is not to be made: the games that have ended, or whose actions are illegal, are named."""
    if len(ended):
        raise ValueError(f"games {named(ended)} have ended: reset(options={{'reset_mask': ...}}) starts them anew")
    if len(illegal):
        raise ValueError(
            f"illegal actions {named(actions[illegal])} in games {named(illegal)}; info['action_mask'] has the legal ones"
        )


def named(numbers: NDArray[Any]) -> str:
    """Some numbers, the first ten at most."""
    shown = ", ".join(str(number) for number in numbers[:10].tolist())
    return shown + (f", .. ({len(numbers)} in all)" if len(numbers) > 10 else "")
