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
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from typing import Any, BinaryIO, TypeVar

__all__ = ["Processes"]

T = TypeVar("T")

_PARENT_WATCH = 1000
"""Milliseconds between a waiting worker's looks at whether its parent is still there. The end of the connection tells at once,
unless a process that was forked from the parent holds it open."""

_MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(1 << 25), "MALLOC_TRIM_THRESHOLD_": str(1 << 30)}
"""glibc keeps the memory of a step for the next one: taking it from the system anew costs a worker a tenth of its time."""


_STARTS = f"import sys; sys.path[:] = sys.argv[6:]; from {__name__} import serve; serve(*map(int, sys.argv[1:6]))"
"""What a worker is told to run."""

_SAID = 2000
"""So many of the last characters that a worker has written to its standard error are in the message if it does not start."""


class Processes:
    """Worker processes, each with an object of its own whose methods `ask` calls in all of them at once.

    They are started afresh, not forked, so threads of this process do no harm; they do not run its main module, so that
    needs no ``if __name__ == "__main__"``. They are asked in a `call`. What comes in between, be it an error in a worker, its
    death, or an interruption (Ctrl-C), ends all: what the others have done meanwhile is not known.
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
        if not sys.executable or getattr(sys, "frozen", False):
            what = f"a frozen program, {sys.executable!r}" if sys.executable else repr(sys.executable)
            raise RuntimeError(f"worker processes are started with sys.executable, a Python; it is {what}. workers=1 needs none")
        self._names = names
        self._owner = os.getpid()
        self._why_closed = ""
        self._under_way: dict[str, _Call] = {}
        self._running: list[subprocess.Popen[bytes]] = []
        self._connections: list[Connection] = []
        self._errors: list[BinaryIO] = []  # what the workers write to their standard error until they have started
        weakref.finalize(self, _end, self._running, self._connections, self._owner)
        messages = [pickle.dumps((make, own)) for own in arguments]
        try:
            with ExitStack() as stack:
                with _standard_streams_open():
                    memory = stack.enter_context(_nameless(nbytes))
                    self.memory = mmap.mmap(memory.fileno(), nbytes)
                    stderr = stack.enter_context(os.fdopen(os.dup(2), "wb", buffering=0))
                    for _ in names:
                        self._errors.append(stack.enter_context(_nameless(0)))
                        self._start(memory.fileno(), nbytes, stderr.fileno())
                self.call("__init__", self._exchange, messages, "being started")
        except BaseException:
            _end(self._running, self._connections, self._owner)
            raise
        self._errors.clear()

    def _start(self, memory: int, nbytes: int, stderr: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._connections.append(Connection(ours.detach()))
            numbers = (theirs.fileno(), memory, nbytes, stderr, self._owner)
            process = subprocess.Popen(
                [sys.executable, "-c", _STARTS, *map(str, numbers), *_import_path()],
                stdin=subprocess.DEVNULL,
                stderr=self._errors[-1],
                pass_fds=(theirs.fileno(), memory, stderr),
                process_group=0,  # the terminal's Ctrl-C is for the parent
                env={**_MALLOC, **os.environ},
            )
            self._running.append(process)

    @property
    def pids(self) -> list[int]:
        """The numbers of the workers; none once they have been ended."""
        return [] if self._why_closed else [process.pid for process in self._running]

    def call(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a function that asks the workers -> what it returns: all of it is done or, if it is interrupted, all is ended.

        An error before anything has been asked, or after `settle`, ends nothing. RuntimeError, and nothing is called, if the
        workers have been ended, or if another call is under way, in another thread or (a signal handler's) in this one.

        name: what the call is called in messages.
        """
        call, ours = _Call(name), False
        try:
            ours = self._under_way.setdefault("call", call) is call  # no other thread comes in between
            self.check_open()
            if not ours:
                raise RuntimeError(f"the environment is in use: {self._under_way.get('call', call).described()}")
            result = function(*arguments)
            self.check_open()  # `close` may have been called meanwhile
            self._under_way = {}  # an assignment: Python looks for signals after calls
            return result
        except BaseException as error:
            if ours or self._under_way.get("call") is call:
                if self._why_closed or call.asked or not isinstance(error, Exception):
                    self._close(self._why_closed or f"a call was interrupted in {name}() by {type(error).__name__}")
                self._under_way = {}
            raise

    def settle(self) -> None:
        """Says, in a `call`, that what the workers have been asked has left them as they were before."""
        self._under_way["call"].asked = False

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """Calls a method in every worker -> what they return. In a `call` only, as `ask_each`."""
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
        self._under_way["call"].asked = True
        at = 0
        try:
            for at, message in enumerate(messages):
                self._connections[at].send_bytes(message)
            replies: list[tuple[bool, Any]] = []
            for at in range(len(messages)):
                replies.append(pickle.loads(self._connections[at].recv_bytes()))
        except (EOFError, OSError):
            if not _hung_up(self._connections[at]):
                raise  # it is a signal handler's
            ended = f"worker {self._names[at]} ended {what} with {_exit_code(self._running[at])}"
            self.check_open()  # it was `close` that has ended it
            raise self._failure(ended, self._said(at)) from None
        for name, (done, reply) in zip(self._names, replies, strict=True):
            if not done:
                raise self._failure(f"worker {name} failed {what}", f". The worker's traceback:\n\n{reply}")
        return [reply for _, reply in replies]

    def _failure(self, why: str, more: str) -> RuntimeError:
        """Ends the workers -> the error to raise."""
        self._close(why)
        return RuntimeError(f"{why}; the environment is closed{more}")

    def _said(self, at: int) -> str:
        """What a worker that is being started has written to its standard error."""
        if not self._errors:
            return ""
        self._errors[at].seek(0)
        said = self._errors[at].read().decode(errors="replace").strip()
        return f". The worker's last words:\n\n{said[-_SAID:]}" if said else ""

    def close(self) -> None:
        """Ends the workers, if they run; a call under way is then a RuntimeError. The memory lasts as long as an array in it."""
        self._why_closed = self._why_closed or "close() was called"
        # a call under way closes the connections itself: their descriptors may not become others' while it reads from them
        _end(self._running, [] if self._under_way else self._connections, self._owner)

    def _close(self, why: str) -> None:
        self._why_closed = why
        _end(self._running, self._connections, self._owner)


class _Call:
    """A call under way."""

    def __init__(self, name: str) -> None:
        self._name, self._thread = name, threading.get_ident()
        self.asked = False  # whether workers have been asked something that may have changed them

    def described(self) -> str:
        where = "this thread" if self._thread == threading.get_ident() else "another thread"
        return f"a call of {self._name}() in {where} has not come to its end"


def _import_path() -> list[str]:
    """`sys.path` for workers. Relative entries are what they were when this module was imported from them."""
    path: list[str] = []
    for entry in sys.path:
        if isinstance(entry, str):  # import takes no notice of others
            directory = os.path.join(_IMPORTED_IN, entry)
            path.append(directory if os.path.exists(directory) else entry)
    return path


def _directory() -> str:
    """The current directory; empty if it has been removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


_IMPORTED_IN = _directory()


@contextmanager
def _standard_streams_open() -> Iterator[None]:
    """Where the program's input, output or errors are closed, they are the null device meanwhile, for what is started too.

    Otherwise the next descriptors to be opened have their numbers, and in a worker are then overwritten, or written on.
    """
    opened: list[int] = []
    try:
        while not opened or opened[-1] <= 2:
            opened.append(os.open(os.devnull, os.O_RDWR))
            os.set_inheritable(opened[-1], opened[-1] <= 2)
        yield
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _nameless(nbytes: int) -> BinaryIO:
    """A new file of zeros, in memory if it can be. It has no name, so there is nothing to remove."""
    if sys.platform == "linux":
        file = os.fdopen(os.memfd_create("abstract_envs"), "r+b", buffering=0)  # what limits /dev/shm does not limit this
    else:
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  the caller closes it
    os.ftruncate(file.fileno(), nbytes)
    return file


def _hung_up(connection: Connection) -> bool:
    """Whether a process has closed its end of the connection."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def _exit_code(process: subprocess.Popen[bytes]) -> str:
    """How a process has ended that has closed its end of the connection."""
    end = time.monotonic() + 10
    while process.returncode is None:
        try:
            pid, status = os.waitpid(process.pid, os.WNOHANG)  # `Popen.wait` says 0 where there is nobody to wait for
        except ChildProcessError:
            return "an exit code that is not known: the program ignores SIGCHLD, or has waited for the worker itself"
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
        elif time.monotonic() > end:
            return "no exit code yet"
        else:
            time.sleep(0.001)
    code = process.returncode
    return f"exit code {code}" + (f" ({signal.Signals(-code).name})" if -code in set(signal.Signals) else "")


def _end(running: list[subprocess.Popen[bytes]], connections: list[Connection], owner: int) -> None:
    """Ends workers, but not those of a process that this one was forked from. Again and from several threads, if need be."""
    if os.getpid() != owner:
        for process in running:
            process.returncode = 0  # or subprocess warns that they still run
        return
    for process in running:
        process.kill()  # they have nothing to put in order
    for process in running:
        process.wait()
    while connections:
        connections.pop().close()


# ------------------------------------------------------------------------------------------------------------- the worker's side


def serve(connection_fd: int, memory_fd: int, nbytes: int, stderr_fd: int, parent: int) -> None:
    """What a worker runs: makes its object, then answers until nobody asks any more.

    stderr_fd: what its standard error, a file at first, is to be once it has started.
    """
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
        except (EOFError, OSError):
            return
        try:
            what, arguments = pickle.loads(message)
            if served is None:
                served, reply = what(*arguments, memory), None
                _let_errors_out(stderr_fd)
            else:
                reply = getattr(served, what)(*arguments)
            answer = pickle.dumps((True, reply))
        except Exception:
            answer = pickle.dumps((False, traceback.format_exc()))
        try:
            connection.send_bytes(answer)
        except ConnectionError:
            return


def _let_errors_out(stderr_fd: int) -> None:
    """Makes a descriptor the standard error, and writes on it what has been written to the file that was it before."""
    said = os.pread(2, os.fstat(2).st_size, 0)
    os.dup2(stderr_fd, 2)
    os.close(stderr_fd)
    sys.stderr.write(said.decode(errors="replace"))
