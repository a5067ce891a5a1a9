"""What the time of a step of ``vector_env`` goes to: ``throughput.py --parts`` prints it, as shares.

From cProfile, by the functions that ``VectorEnv.step`` calls: a call of Python weighs more under it than it does, which matters
little where a step has thousands of games, and makes what is in many small functions look larger where it has few.
"""

from __future__ import annotations

import cProfile
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.rows import find
from benchmarks.tables import align
from benchmarks.timing import Runner

__all__ = ["PARTS", "measure_parts", "parts_table"]

# part -> names of the functions, as the driver of the benchmark and `VectorEnv.step` call them
CALLED = {
    "draw": ("sample",),
    "legality": ("has_in_rows",),
    "rules": ("step",),
    "mask": ("pack", "spread_rows"),
    "observation": ("observe",),
    "restart": ("_final", "_restarted"),
}
# of the rules: what their own functions spend in these, of the core; without a name, in all of a module
WITHIN_RULES = {
    "history": (("core/history.py", ()),),
    "connection": (("core/crossing.py", ()), ("core/bits.py", ("connected",))),
    "tables": (("core/bits.py", ("__getitem__",)),),
}
PARTS = ("draw", "legality", "rules", *WITHIN_RULES, "mask", "observation", "restart", "rest")
"""Those between ``rules`` and ``mask`` are parts of ``rules``."""
DRIVERS = (
    ("own.py", "run"),
    *(("envs/vector.py", name) for name in ("sample", "_refused", "_play")),
    *(("core/game.py", name) for name in ("turn", "look")),
)


def measure_parts(row_ids: Sequence[str], seconds: float) -> list[dict[str, Any]]:
    """For each row the shares of `PARTS`; ValueError for a row that is none of ``vector_env``, in this process and on arrays."""
    measured = []
    for row_id in row_ids:
        row = find(row_id)
        if row.suite != "own" or row.way != "vector_env":
            why = "; workers, and what Numba compiles, call no functions of which the time could be told"
            raise ValueError(f"{row_id!r}: parts are those of own/GAME/vector_env/BATCH{why}")
        runner = Runner(row, seconds)
        profiler = cProfile.Profile(time.process_time)  # what other programs take is nobody's share
        start = time.perf_counter()
        profiler.enable()
        while time.perf_counter() - start < seconds:
            runner.play()
        profiler.disable()
        measured.append({"row": row.id, "game": row.game, "batch": row.batch, "parts": _shares(profiler.getstats())})
    return measured


def _shares(entries: Sequence[Any]) -> dict[str, float]:
    spent = dict.fromkeys(PARTS, 0.0)
    total = 0.0
    for entry in entries:
        file, caller = _place(entry.code)
        if file.endswith("own.py") and caller == "run":
            total += entry.totaltime
        driver = any(file.endswith(end) and caller == name for end, name in DRIVERS)
        in_rules = "/games/" in file and caller not in ("planes", "counts")
        for call in entry.calls or () if driver or in_rules else ():
            callee_file, callee = _place(call.code)
            if driver and not callee_file.endswith("envs/vector.py"):
                for part, names in CALLED.items():
                    spent[part] += call.totaltime if callee in names else 0
            elif driver and callee in CALLED["restart"]:
                spent["restart"] += call.totaltime
            elif in_rules:
                for part, places in WITHIN_RULES.items():
                    if any(callee_file.endswith(end) and (not names or callee in names) for end, names in places):
                        spent[part] += call.totaltime
        for call in entry.calls or () if file.endswith("envs/vector.py") and caller == "_restarted" else ():
            if _place(call.code)[1] == "look":  # counted as mask and observation already
                spent["restart"] -= call.totaltime
    spent["rest"] = total - sum(spent[part] for part in CALLED)
    return {part: spent[part] / total for part in PARTS}


def _place(code: Any) -> tuple[str, str]:
    """File and name of what was called; of what is no Python, only its text."""
    return ("", code) if isinstance(code, str) else (code.co_filename.replace("\\", "/"), code.co_name)


def parts_table(measured: Sequence[dict[str, Any]]) -> str:
    lines = [["row", *PARTS]]
    lines += [[m["row"], *(f"{m['parts'][part]:.0%}" for part in PARTS)] for m in measured]
    return align(lines, left=1)
