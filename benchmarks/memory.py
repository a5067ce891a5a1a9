#!/usr/bin/env python3
"""Memory of many games at once: bytes a game, and the peak of a process that plays them.

    python benchmarks/memory.py                               100,000 games of every game; exit status 1 if one needs too much
    python benchmarks/memory.py --game fano330 --games 10000  some of it

Each game is played in a process of its own, since the system tells the highest resident memory of a whole process only. It steps
``vector_env`` by uniformly random actions, holding what the last step gave, mask and observation included; so the repetition
histories are as old as they are in such games. Bytes a game:

    state         the words of the batch of states
    history       its repetition history, shared by successive states: the most that was held
    mask, observation, final_obs, other      arrays that a step gives out
    in all        the peak of the process, less what it held before there were games, divided by the games

`before` and `peak` are the resident MiB of the process. The limit is for the peak.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout this file is in, installed or not

import numpy as np

from abstract_envs.core.history import PastBatch
from benchmarks import own
from benchmarks.fresh import in_fresh_process
from benchmarks.tables import align

GAMES = 100_000
STEPS = 300
LIMIT = 2 << 30
"""Bytes that the process of any game may hold."""
MIB = 1 << 20


def measure(game_text: str, games: int, steps: int) -> dict[str, Any]:
    """Plays in this process."""
    name, options = own.parse(game_text)
    door, rng = own.games()[name], np.random.default_rng(own.SEED)
    game = door.game(**options)
    game.observe(game.step(start := game.init(2, rng=rng), game.sample(start, rng)))  # tables, made once, are no memory of games
    before = resident("VmRSS")
    venv = door.vector_env(games, **options)
    observation, info = venv.reset(seed=own.SEED)
    rewards = terminations = truncations = np.zeros(0)
    final_obs, history, oldest = 0, 0, 0
    for _ in range(steps):
        observation, rewards, terminations, truncations, info = venv.step(game.sample(venv.states, rng))
        final_obs = max(final_obs, info["final_obs"].nbytes if "final_obs" in info else 0)
        for past in pasts(venv.states):
            history, oldest = max(history, past.nbytes), max(oldest, int(past.lengths.max()))
    other = [rewards, terminations, truncations, *(v for k, v in info.items() if k not in ("action_mask", "final_obs"))]
    peak = resident("VmHWM")
    return {
        "game": game_text,
        "games": games,
        "steps": steps,
        "bytes_a_game": {
            "state": words(venv.states) / games,
            "history": history / games,
            "mask": info["action_mask"].nbytes / games,
            "observation": observation.nbytes / games,
            "final_obs": final_obs / games,
            "other": sum(array.nbytes for array in other) / games,
            "in all": (peak - before) / games,
        },
        "oldest_history": oldest,
        "before": before,
        "peak": peak,
        "limit": LIMIT,
        "met": peak < LIMIT,
    }


def pasts(state: Any) -> list[PastBatch]:
    """The repetition histories of a batch."""
    return [field for field in state if isinstance(field, PastBatch)]


def words(state: Any) -> int:
    """Bytes of the arrays of a batch, its histories excepted."""
    return state.nbytes if isinstance(state, np.ndarray) else sum(map(words, state)) if isinstance(state, tuple) else 0


def resident(which: str) -> int:
    """Bytes: ``VmRSS``, what this process holds now, or ``VmHWM``, the most it has held."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:  # no Linux: only the most is told, in KiB or, by macOS, in bytes
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(which))


def table(measured: Sequence[dict[str, Any]]) -> str:
    columns = list(measured[0]["bytes_a_game"])
    lines = [["game", *columns, "oldest", "before", "peak", "limit", ""]]
    for m in measured:
        sizes = [f"{m['bytes_a_game'][column]:,.0f}" for column in columns]
        whole = [f"{m[key] / MIB:,.0f}" for key in ("before", "peak", "limit")]
        lines.append([m["game"], *sizes, str(m["oldest_history"] or "-"), *whole, "met" if m["met"] else "MISSED"])
    return align(lines, left=1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--game", nargs="+", default=list(own.games()), help="games, with options as 'inphexion(board_size=5)' (default: all)")
    add("--games", type=int, default=GAMES, help=f"how many of each (default: {GAMES})")
    add("--steps", type=int, default=STEPS, help=f"steps of all games (default: {STEPS})")
    add("--json", metavar="FILE", help="write the figures there too")
    add("--in-this-process", action="store_true", help="measure the one game in this process, and print its figures as JSON")
    args = parser.parse_args(arguments)
    if args.games < 1 or args.steps < 1:
        parser.error("--games and --steps are at least 1")
    try:
        for text in args.game:
            own.row(text, "rules")
    except (TypeError, ValueError) as error:
        print(f"memory.py: {error}", file=sys.stderr)
        return 2
    if args.in_this_process:
        print(json.dumps(measure(args.game[0], args.games, args.steps)))
        return 0
    measured = [in_fresh_process(__file__, "--game", text, "--games", args.games, "--steps", args.steps) for text in args.game]
    print(table(measured))
    if args.json:
        Path(args.json).write_text(json.dumps({"memory": measured}, indent=1) + "\n")
    return int(not all(m["met"] for m in measured))


if __name__ == "__main__":
    raise SystemExit(main())
