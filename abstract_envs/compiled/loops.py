"""Loops over the games of a batch, and how several threads share one out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import config
from numpy.typing import DTypeLike, NDArray

from abstract_envs.compiled.scalars import OVER, compile_function, copy_bytes
from abstract_envs.core.game import check_out
from abstract_envs.core.options import whole_number

__all__ = ["WRITING", "Kernel", "Loop", "as_compiled", "check_threads", "flat", "from_text", "loop", "writing_bytes"]

Loop = Callable[..., None]
"""``run(count, *arguments)``: a loop over ``count`` games."""


_sharing = threading.RLock()
"""Held by a loop that several threads share out: workqueue, a layer of Numba's, ends the process where two run at once."""

if hasattr(os, "register_at_fork"):  # no child has a lock that a thread holds which it has not
    os.register_at_fork(before=_sharing.acquire, after_in_parent=_sharing.release, after_in_child=_sharing.release)


def check_threads(threads: object, name: str = "threads") -> int:
    """A number of threads; ValueError, which calls it by the name, unless Numba has as many."""
    most: int = config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # made when Numba is imported
    try:
        return whole_number(name, threads, 1, most)
    except ValueError as error:
        limit = "Numba's number of threads (NUMBA_NUM_THREADS, or the cores that it found when it was imported)"
        raise ValueError(f"{error}, {limit}") from None


def from_text(lines: Sequence[str], names: dict[str, Any], parallel: bool = False) -> Any:
    """The compiled function ``kernel`` that some lines define; beside the given names they may use ``uint64``."""
    names = {**names, "uint64": np.uint64}
    exec("\n".join(lines), names)
    return compile_function(names["kernel"], parallel)


class Kernel(NamedTuple):
    """A compiled function ``function(*parameters, first, last)``, which does the games from one on to before another."""

    function: Any
    parameters: Sequence[str]


def loop(kernel: Kernel, threads: int) -> Loop:
    """A loop over all games of a batch. Loops of several threads wait for each other, whoever calls them."""
    one, parameters = kernel
    if threads == 1:
        return lambda count, *arguments: one(*arguments, 0, count)
    given = ", ".join(parameters)
    lines = [
        f"def kernel({given}, count):",
        f"    for part in prange({threads}):",
        f"        one({given}, count * part // {threads}, count * (part + 1) // {threads})",
    ]
    shared = from_text(lines, {"one": one, "prange": numba.prange}, parallel=True)

    def run(count: int, *arguments: Any) -> None:
        with _sharing:
            shared(*arguments, count)

    return run


def writing_bytes(size: int, lines: Sequence[str], out: str = "out") -> list[str]:
    """Lines of a kernel whose games each write ``size`` bytes by `spread`, into ``to`` from ``at`` on, and so onto ``out``.

    `spread` writes past its end. What comes there is of later games, yet to be written; after the last game it is another
    thread's, or no memory of ours: so the last games are written aside and copied. So are all where there is much to write.
    """
    return [
        f"    aside = empty({_ASIDE} * {size} + {OVER}, int8)",
        f"    streaming = len({out}) > {_CACHED}",
        f"    for begin in range(first, last, {_ASIDE}):",
        f"        end = min(begin + {_ASIDE}, last)",
        f"        apart = streaming or (last - end) * {size} < {OVER}",
        f"        to, start = (aside, 0) if apart else ({out}, begin * {size})",
        "        for i in range(begin, end):",
        f"            at = uint64(start + (i - begin) * {size})",
        *(f"    {line}" for line in lines),
        "        if apart:",
        f"            copy_bytes(aside, {out}, uint64(begin * {size}), uint64((end - begin) * {size}), streaming)",
    ]


_ASIDE = 32
"""Games whose bytes are written aside: few enough for the first caches."""

_CACHED = 16 << 20
"""More bytes than these do not stay in a cache until they are used. They are written past it, which spares reading what was there
before: that is what two threads wait for where a step writes 50 MB (XAHZO, 16,384 games)."""

WRITING: dict[str, Any] = {"empty": np.empty, "int8": np.int8, "copy_bytes": copy_bytes, "min": min}
"""Names that `writing_bytes` uses."""


def flat(out: NDArray[np.int8] | None, shape: tuple[int, ...]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """``out``, or a fresh array of a shape, and the same in a row; ValueError for one that cannot be written on so."""
    if out is None:
        out = np.empty(shape, np.int8)
    else:
        check_out(out, shape)
    return out, out.reshape(-1)


def as_compiled(arrays: Sequence[NDArray[Any]], dtype: DTypeLike, count: int) -> tuple[NDArray[Any], ...]:
    """Arrays as the loops are compiled for: of a dtype, next to each other in memory, writable. ValueError unless each has
    ``count`` numbers, for nothing is checked in the loops.

    Others, of torch or broadcast ones, are copied: for every new layout Numba would compile anew, for seconds.
    """
    for array in arrays:
        if array.shape != (count,):
            raise ValueError(f"the arrays of a batch of {count} games have the shape ({count},), not {array.shape}")
        if array.dtype != dtype or not array.flags.carray:
            return tuple([np.require(a, dtype, ["C", "W"]) for a in arrays])
    return tuple(arrays)
