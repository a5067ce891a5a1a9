"""Count the sequences of actions from a position, depth by depth: the standard check of move generators."""

from __future__ import annotations

import argparse
import time

from abstract_envs.cli.options import add_games, game_of
from abstract_envs.perft import divide, perft

__all__ = ["NAME", "add_arguments", "run"]

NAME = "perft"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``GAME DEPTH``, the options of the game, ``--position`` and ``--divide``."""
    for game in add_games(parser):
        game.add_argument("depth", metavar="DEPTH", type=int, help="longest sequences to count, at least 1")
        game.add_argument("--position", metavar="TEXT", help="count from this position (default: the start of the game)")
        game.add_argument("--divide", action="store_true", help="count by the first action, at DEPTH only")


def run(args: argparse.Namespace) -> None:
    """Prints a line for each depth or, with ``--divide``, for each first action."""
    game = game_of(args)
    if args.depth < 1:
        raise ValueError(f"DEPTH is {args.depth}; it is a whole number of at least 1")
    if args.position is None and game.has_chance:
        raise ValueError(f"{game.name} is dealt at random with these options: give --position TEXT, or other options")
    state = None if args.position is None else game.from_string(args.position)
    if args.divide:
        counts = divide(game, args.depth, state)
        for text in sorted(counts):
            print(f"{text:<10} {counts[text]:>12}")
        print(f"{'total':<10} {sum(counts.values()):>12}")
        return
    print(f"{'depth':>5} {'count':>14} {'seconds':>9}")
    for depth in range(1, args.depth + 1):
        began = time.perf_counter()
        count = perft(game, depth, state)
        print(f"{depth:>5} {count:>14} {time.perf_counter() - began:>9.2f}", flush=True)
