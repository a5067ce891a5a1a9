"""Worker processes with memory they share: how they are started, asked and ended. What they do is `workers`' affair.

Nothing of it outlives the process that started them, however that ends: the memory never has a name, the workers keep
nothing, and they end when the other end of their connection is closed, or when their parent is another than it was.
"""

from __future__ import annotations

import mmap
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import weakref
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["Processes"]

_PARENT_WATCH = 1000
"""Milliseconds between a waiting worker's looks at whether its parent is still there. The end of the connection tells at once,
unless a process that was forked from the parent holds it open."""

_MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(1 << 25), "MALLOC_TRIM_THRESHOLD_": str(1 << 30)}
"""glibc keeps the memory of a step for the next one: taking it from the system anew costs a worker a tenth of its time."""


class Processes:
    """Worker processes, each with an object of its own whose methods `ask` calls in all of them at once.

    They are started afresh, not forked, so threads of this process do no harm; they do not run its main module, so that
    needs no ``if __name__ == "__main__"``. An error in a worker, its death, or an interruption while it is waited for (Ctrl-C)
    ends all: what the others have done meanwhile is not known.
    """

    def __init__(self, make: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], names: Sequence[str], nbytes: int) -> None:
        """
        make: a function of a module, which a worker calls with its arguments and the shared memory.
        arguments: a tuple for each worker.
        names: what each worker is called in messages.
        nbytes: the size of the shared memory, zeros at first; it takes up what is written on.
        """
        if os.name != "posix":
            raise RuntimeError("worker processes need Linux or macOS; workers=1 works everywhere")
        self._names = names
        self._owner = os.getpid()
        self._why_closed = ""
        self._running: list[subprocess.Popen[bytes]] = []
        self._connections: list[Connection] = []
        self._finalizer = weakref.finalize(self, _end, self._running, self._connections, self._owner)
        descriptor = _nameless(nbytes)
        try:
            self.memory = mmap.mmap(descriptor, nbytes)
            for _ in names:
                self._start(descriptor, nbytes)
        except BaseException:
            self._finalizer()
            raise
        finally:
            os.close(descriptor)
        self._exchange([pickle.dumps((make, own)) for own in arguments], "being started")

    def _start(self, descriptor: int, nbytes: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._connections.append(Connection(ours.detach()))
            code = (
                f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; "
                f"serve({theirs.fileno()}, {descriptor}, {nbytes}, {self._owner})"
            )
            process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), descriptor),
                process_group=0,  # the terminal's Ctrl-C is for the parent
                env={**_MALLOC, **os.environ},
            )
            self._running.append(process)

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that run."""
        return [process.pid for process in self._running]

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """Calls a method in every worker -> what they return."""
        return self._exchange([pickle.dumps((method, arguments))] * len(self._names), f"in {method}()")

    def ask_each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Calls a method in every worker, each with its own arguments -> what they return."""
        return self._exchange([pickle.dumps((method, own)) for own in arguments], f"in {method}()")

    def check_open(self) -> None:
        """RuntimeError that says why, if the workers have been ended or are another process's."""
        if self._why_closed:
            raise RuntimeError(f"the environment is closed: {self._why_closed}")
        if os.getpid() != self._owner:
            raise RuntimeError(f"the environment belongs to the process {self._owner}, from which this one was forked")

    def _exchange(self, messages: Sequence[bytes], what: str) -> list[Any]:
        self.check_open()
        self._why_closed = f"a call was interrupted {what}"  # until it has come to its end
        at = 0
        try:
            for at, message in enumerate(messages):
                self._connections[at].send_bytes(message)
            replies: list[tuple[bool, Any]] = []
            for at in range(len(messages)):
                replies.append(pickle.loads(self._connections[at].recv_bytes()))
        except (EOFError, ConnectionError):
            self._close(f"worker {self._names[at]} ended {what} with {_exit_code(self._running[at])}")
            raise RuntimeError(f"{self._why_closed}; the environment is closed") from None
        except BaseException as error:
            self._close(f"a call was interrupted {what} by {type(error).__name__}")
            raise
        for name, (done, reply) in zip(self._names, replies, strict=True):
            if not done:
                self._close(f"worker {name} failed {what}")
                raise RuntimeError(f"{self._why_closed}; the environment is closed. The worker's traceback:\n\n{reply}")
        self._why_closed = ""
        return [reply for _, reply in replies]

    def close(self) -> None:
        """Ends the workers, if they run. The memory lasts as long as an array in it."""
        self._close(self._why_closed or "close() was called")

    def _close(self, why: str) -> None:
        self._why_closed = why
        self._finalizer()


def _nameless(nbytes: int) -> int:
    """The descriptor of a new file of zeros, in memory if it can be. It has no name, so there is nothing to remove."""
    if sys.platform == "linux":
        descriptor = os.memfd_create("abstract_envs")  # what limits /dev/shm does not limit this
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, nbytes)
    return descriptor


def _exit_code(process: subprocess.Popen[bytes]) -> str:
    """How a process has ended that has closed its end of the connection."""
    try:
        code = process.wait(10)
    except subprocess.TimeoutExpired:
        return "no exit code yet"
    return f"exit code {code}" + (f" ({signal.Signals(-code).name})" if -code in set(signal.Signals) else "")


def _end(running: list[subprocess.Popen[bytes]], connections: list[Connection], owner: int) -> None:
    """Ends workers, but not those of a process that this one was forked from."""
    if os.getpid() != owner:
        for process in running:
            process.returncode = 0  # or subprocess warns that they still run
        return
    for process in running:
        process.kill()  # they have nothing to put in order
    for process in running:
        process.wait()
    for connection in connections:
        connection.close()


# ------------------------------------------------------------------------------------------------------------- the worker's side


def serve(connection_fd: int, memory_fd: int, nbytes: int, parent: int) -> None:
    """What a worker runs: makes its object, then answers until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection, memory = Connection(connection_fd), mmap.mmap(memory_fd, nbytes)
    os.close(memory_fd)
    poll = select.poll()
    poll.register(connection_fd, select.POLLIN)
    served: Any = None
    while True:
        while not poll.poll(_PARENT_WATCH):
            if os.getppid() != parent:
                return
        try:
            message = connection.recv_bytes()
        except (EOFError, ConnectionError):
            return
        try:
            what, arguments = pickle.loads(message)
            if served is None:
                served, reply = what(*arguments, memory), None
            else:
                reply = getattr(served, what)(*arguments)
            answer = pickle.dumps((True, reply))
        except Exception:
            answer = pickle.dumps((False, traceback.format_exc()))
        try:
            connection.send_bytes(answer)
        except ConnectionError:
            return
