"""What workers gain: steps of ``vector_env`` by the wall clock, with some and without, in turns.

``throughput.py --workers 2`` measures it, on all cores. Other programs take cores away from it: the machine should be idle.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import own
from benchmarks.timing import pairs

__all__ = ["lines", "measure_workers"]


def measure_workers(
    games: Sequence[str], batches: Sequence[int], workers: int, seconds: float, repeats: int, say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """A row for every game and every batch that has a game for each worker; ValueError where no batch has.

    A row that cannot be measured, for there are too few threads, say, has an ``error`` in place of figures.
    """
    if not any(batch >= workers for batch in batches):
        raise ValueError(f"--batch is {', '.join(map(str, batches)) or 'none'}; {workers} workers need {workers} games at least")
    measured: list[dict[str, Any]] = []
    for game in games:
        wanted = [(way, batch) for way in ("vector_env", "vector_env, numba") for batch in batches if batch >= workers]
        for way, batch in wanted:
            row = own.row(game, f"{way}, {workers} workers", batch)
            if row.missing:
                continue
            say(f"measuring {row.id}")
            try:
                many, one = pairs(row, own.row(game, way, batch), seconds, repeats)
            except Exception as error:  # the other rows are measured all the same
                measured.append({"row": row.id, "error": f"{type(error).__name__}: {error}".splitlines()[0]})
                continue
            ratios = [a / b for a, b in zip(many.per_second, one.per_second, strict=True)]
            measured.append(
                {
                    "row": row.id,
                    "steps_per_second": statistics.median(many.per_second),
                    "one_worker_steps_per_second": statistics.median(one.per_second),
                    "ratio": statistics.median(ratios),
                    "ratios": ratios,
                }
            )
    return measured


def lines(measured: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The cells of a table: steps/s by the wall clock, and how many times those of one process they are (and from .. to)."""
    found = [["row", "steps/s", "one worker", "ratio", "from", "to", ""]]
    for m in measured:
        if m.get("error"):
            found.append([m["row"], "-", "-", "-", f"not measured: {m['error']}"])
            continue
        rates = [f"{m[name]:,.0f}" for name in ("steps_per_second", "one_worker_steps_per_second")]
        found.append([m["row"], *rates, *(f"{x:.2f}" for x in (m["ratio"], min(m["ratios"]), max(m["ratios"]))), ""])
    return found
