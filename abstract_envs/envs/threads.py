"""Worker threads, asked and ended as worker `processes` are: for code that runs without Python's lock."""

from __future__ import annotations

import mmap
import os
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["Threads"]


class Threads:
    """Threads, each with an object of its own whose methods `ask` calls in all of them at once.

    The calling thread is the first of them: it would only wait, and waking one more takes a good part of a small step.

    An error in a worker, or an interruption while it is waited for (Ctrl-C), ends all: what the others have done meanwhile is
    not known.
    """

    def __init__(self, make: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], names: Sequence[str], nbytes: int) -> None:
        """
        make: called with each worker's arguments and the memory.
        arguments: a tuple for each worker.
        names: what each worker is called in messages.
        nbytes: the size of the memory, zeros at first; it takes up what is written on.
        """
        self._names = names
        self._owner = os.getpid()
        self._why_closed = ""
        self.memory = mmap.mmap(-1, nbytes)
        self._served = [make(*own, self.memory) for own in arguments]
        # threads of a pool end when nothing refers to the pool any more
        self._pool = ThreadPoolExecutor(max(len(names) - 1, 1), "abstract_envs")

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """Calls a method in every worker -> what they return."""
        return self.ask_each(method, [arguments] * len(self._names))

    def ask_each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Calls a method in every worker, each with its own arguments -> what they return."""
        self.check_open()
        self._why_closed = f"a call was interrupted in {method}()"  # until it has come to its end
        calls = [getattr(served, method) for served in self._served]
        errors: list[BaseException | None] = [None]
        replies: list[Any] = [None]
        try:
            others = [self._pool.submit(call, *own) for call, own in zip(calls[1:], arguments[1:], strict=True)]
            try:
                replies[0] = calls[0](*arguments[0])
            except Exception as error:
                errors[0] = error
            errors += [other.exception() for other in others]
        except BaseException as error:
            self._close(f"a call was interrupted in {method}() by {type(error).__name__}")
            raise
        for name, error in zip(self._names, errors, strict=True):
            if error is not None:
                self._close(f"worker {name} failed in {method}()")
                told = "".join(traceback.format_exception(error))
                raise RuntimeError(f"{self._why_closed}; the environment is closed. The worker's traceback:\n\n{told}")
        self._why_closed = ""
        return replies + [other.result() for other in others]

    def check_open(self) -> None:
        """RuntimeError that says why, if the workers have been ended or are another process's."""
        if self._why_closed:
            raise RuntimeError(f"the environment is closed: {self._why_closed}")
        if os.getpid() != self._owner:
            raise RuntimeError(f"the environment belongs to the process {self._owner}, from which this one was forked")

    def close(self) -> None:
        """Ends the workers, if they run. The memory lasts as long as an array in it."""
        self._close(self._why_closed or "close() was called")

    def _close(self, why: str) -> None:
        self._why_closed = why
        self._pool.shutdown(wait=False, cancel_futures=True)
