#!/usr/bin/env python3
"""What it takes to compile a game with Numba: seconds and memory, in a fresh process for each.

    python benchmarks/compiling.py                                 every game, for one thread and for two
    python benchmarks/compiling.py --game fano330 --threads 1      some of it

A process imports the library and Numba, makes ``vector_env(64, backend="numba")``, and plays until games have ended and been
started anew, so that all functions of a step have been called. That is timed from where Numba is imported to the end; playing
itself takes a few milliseconds of it.

    import      seconds to import Numba, by the wall clock
    wall, cpu   seconds to compile all functions of a step, by the wall clock and of the processor (Numba compiles on one core)
    before, after, peak    resident MiB of the process: before compiling (Numba imported), after it, and the most
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout this file is in, installed or not

import numpy as np

from benchmarks import own
from benchmarks.fresh import in_fresh_process
from benchmarks.memory import MIB, resident
from benchmarks.tables import align
from benchmarks.timing import why_missing

GAMES = 64


def measure(game_text: str, threads: int) -> dict[str, Any]:
    """Compiles in this process."""
    name, options = own.parse(game_text)
    door, rng = own.games()[name], np.random.default_rng(own.SEED)
    game = door.game(**options)
    game.step(start := game.init(2, rng=rng), game.sample(start, rng))  # tables, which are made without Numba too
    start_of_import = time.perf_counter()
    import abstract_envs.compiled  # noqa: F401  # an extra, and what is timed

    imported, before = time.perf_counter() - start_of_import, resident("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    venv = door.vector_env(GAMES, backend="numba", workers=threads, **options)
    venv.reset(seed=own.SEED)
    ended = 0
    while ended < 2:  # the second time, games are started anew that have been before
        _, _, terminations, _, _ = venv.step(venv.sample(rng))
        ended += int(terminations.any())
    return {
        "game": game_text,
        "threads": threads,
        "import_seconds": imported,
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "before": before,
        "after": resident("VmRSS"),
        "peak": resident("VmHWM"),
    }


def table(measured: Sequence[dict[str, Any]]) -> str:
    lines = [["game", "threads", "import", "wall", "cpu", "before", "after", "peak"]]
    for m in measured:
        seconds = [f"{m[key]:.2f}" for key in ("import_seconds", "wall_seconds", "cpu_seconds")]
        lines.append([m["game"], str(m["threads"]), *seconds, *(f"{m[key] / MIB:,.0f}" for key in ("before", "after", "peak"))])
    return align(lines, left=1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--game", nargs="+", default=list(own.games()), help="games, with options as 'inphexion(board_size=5)' (default: all)")
    add("--threads", nargs="+", type=int, default=[1, 2], help="threads that share out a batch (default: 1 2)")
    add("--json", metavar="FILE", help="write the figures there too")
    add("--in-this-process", action="store_true", help="measure the one game in this process, and print its figures as JSON")
    args = parser.parse_args(arguments)
    if min(args.threads) < 1 or max(args.threads) > GAMES:
        parser.error(f"--threads are from 1 to {GAMES}")
    try:
        for text in args.game:
            own.row(text, "rules")
        if not args.in_this_process and (missing := why_missing(own.NUMBA)):  # there the import is timed
            raise ValueError(missing)
    except (TypeError, ValueError) as error:
        print(f"compiling.py: {error}", file=sys.stderr)
        return 2
    if args.in_this_process:
        print(json.dumps(measure(args.game[0], args.threads[0])))
        return 0
    # as many threads as are asked for, whatever cores there are: compiling does not run on them
    measured = [
        in_fresh_process(
            __file__, "--game", text, "--threads", threads, environment={"NUMBA_NUM_THREADS": str(max(args.threads))}
        )
        for text in args.game
        for threads in args.threads
    ]
    print(table(measured))
    if args.json:
        Path(args.json).write_text(json.dumps({"compile": measured}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
