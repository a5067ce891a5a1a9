"""Rows, and how they are timed: in turns, so that what else the machine does falls on all alike."""

from __future__ import annotations

import cProfile
import importlib
import io
import pstats
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Result", "Row", "Runner", "Work", "pairs", "profile", "ratio", "rounds"]

WARM_UP_ROUNDS = 200  # by then the games of a batch are of all ages


@dataclass
class Work:
    """Games that can be played on and on. One *step* is one action in one game, one *round* one step of every game."""

    run: Callable[[int], None]
    """Plays so many rounds."""
    ended: Callable[[], int]
    """How many games have ended so far."""
    check: Callable[[], None] = lambda: None
    """Called when all is timed; AssertionError where what was timed is not what it should be."""


def why_missing(*modules: str) -> str:
    """Why one of some modules cannot be imported; empty when all can."""
    try:
        for module in modules:
            importlib.import_module(module)
    except Exception as error:  # a broken installation raises anything
        return f"missing: {type(error).__name__}: {error}".splitlines()[0][:120]
    return ""


@dataclass(frozen=True)
class Row:
    """A line of the table. Its `id` names it: ``suite/game/way``, and ``/batch`` for a batch."""

    suite: str
    game: str
    way: str
    batch: int | None
    """Games in the batch; None: one game, without arrays of games."""
    build: Callable[[], Work] | None
    missing: str = ""
    """Why it cannot be built."""

    @property
    def id(self) -> str:
        parts = (self.suite, self.game, self.way, self.batch)
        return "/".join(str(part) for part in parts if part not in (None, ""))


@dataclass
class Result:
    """The timings of a row: one entry of each list for each repeat."""

    row: Row
    error: str = ""
    per_cpu_second: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)
    game_length: float | None = None
    """Steps of the timed games over the number of those that ended."""

    def median(self) -> float | None:
        """Steps per CPU-second."""
        return statistics.median(self.per_cpu_second) if self.per_cpu_second else None

    def as_dict(self) -> dict[str, Any]:
        row, timed = self.row, bool(self.per_cpu_second)
        return {
            "id": row.id,
            "suite": row.suite,
            "game": row.game,
            "way": row.way,
            "batch": row.batch,
            "error": self.error or None,
            "steps_per_cpu_second": self.median(),
            "steps_per_second": statistics.median(self.per_second) if timed else None,
            "game_length": self.game_length,
            "samples_per_cpu_second": self.per_cpu_second,
            "samples_per_second": self.per_second,
        }


class Runner:
    """A row made ready: built, compiled where it compiles, warmed up."""

    def __init__(self, row: Row, seconds: float) -> None:
        """seconds: the shortest length of one timing."""
        self.result = Result(row)
        self._seconds = seconds
        self._steps = self._ended = 0
        self._work: Work | None = None
        if row.build is None:
            self.result.error = row.missing
            return
        try:
            self._work = row.build()
            self._chunk = _warm_up(self._work, seconds)
        except Exception as error:  # a peer that does not run is a line of the table; the others are timed all the same
            if row.suite == "own":
                raise
            self._work = None
            self.result.error = f"{type(error).__name__}: {error}".splitlines()[0][:120]

    @property
    def ready(self) -> bool:
        return self._work is not None

    def play(self) -> None:
        """As much as is timed at once."""
        assert self._work is not None
        self._work.run(self._chunk)

    def time(self) -> None:
        """Adds one timing to the result."""
        work = self._work
        if work is None:
            return
        _settle()
        work.run(1)  # what the rows before have pushed out of the caches
        ended = work.ended()
        rounds = 0
        wall, cpu = time.perf_counter(), time.process_time()
        while True:
            work.run(self._chunk)
            rounds += self._chunk
            if time.perf_counter() - wall >= self._seconds:
                break
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        steps = rounds * (self.result.row.batch or 1)
        self.result.per_cpu_second.append(steps / cpu)
        self.result.per_second.append(steps / wall)
        self._steps += steps
        self._ended += work.ended() - ended

    def finish(self) -> Result:
        if self._work is not None:
            self._work.check()
            self.result.game_length = self._steps / self._ended if self._ended else None
        return self.result


def _settle() -> None:
    """Waits, five seconds at most, until no other thread of the process works.

    Half a second after a step of a large batch XLA still gives back memory, and the row that is timed next would pay for it.
    """
    for _ in range(100):
        cpu = time.process_time()
        time.sleep(0.05)
        if time.process_time() - cpu < 0.001:
            break


def _warm_up(work: Work, seconds: float) -> int:
    """Plays until the games are of all ages -> rounds to play between looks at the clock.

    After `WARM_UP_ROUNDS` they are; or after two timings, which count from the first end of a game: what starts new ones may be
    compiled then.
    """
    work.run(1)
    start = time.perf_counter()
    chunk = played = 1
    while True:
        any_ended, begun = work.ended() > 0, time.perf_counter()
        work.run(chunk)
        now = time.perf_counter()
        played += chunk
        long_enough = now - begun >= seconds / 16
        if long_enough and (played >= WARM_UP_ROUNDS or (any_ended and now - start >= 2 * seconds)):
            return chunk
        if not any_ended:
            start = now
        if not long_enough:
            chunk *= 2


def rounds(rows: Sequence[Row], seconds: float, repeats: int, say: Callable[[str], None]) -> list[Result]:
    """Times every row once, then every row once more, and so on. ``say`` is told how far it is."""
    runners = []
    for row in rows:
        say(f"preparing {row.id}")
        runners.append(Runner(row, seconds))
    for repeat in range(repeats):
        for runner in runners:
            say(f"repeat {repeat + 1} of {repeats}: {runner.result.row.id}")
            runner.time()
    return [runner.finish() for runner in runners]


def pairs(a: Row, b: Row, seconds: float, repeats: int) -> tuple[Result, Result]:
    """Times two rows in turns, A B A B: neighbours in time, so that their ratio is worth more than either."""
    runners = Runner(a, seconds), Runner(b, seconds)
    if all(runner.ready for runner in runners):
        for _ in range(repeats):
            for runner in runners:
                runner.time()
    return runners[0].finish(), runners[1].finish()


def ratio(a: Result, b: Result) -> float | None:
    """How many times the steps per CPU-second of ``b`` those of ``a`` are: the median over the repeats."""
    ratios = [x / y for x, y in zip(a.per_cpu_second, b.per_cpu_second, strict=False)]
    return statistics.median(ratios) if ratios else None


def profile(row: Row, seconds: float, lines: int = 30) -> str:
    """Where the time of a row goes: cProfile's table, by own time. Python calls weigh more under it than they are."""
    runner = Runner(row, seconds)
    if not runner.ready:
        return f"{row.id}: {runner.result.error}\n"
    profiler = cProfile.Profile()
    start = time.perf_counter()
    profiler.enable()
    while time.perf_counter() - start < seconds:
        runner.play()
    profiler.disable()
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).strip_dirs().sort_stats("tottime").print_stats(lines)
    return text.getvalue()
