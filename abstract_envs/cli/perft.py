"""Count the sequences of actions from a position, depth by depth: the standard check of move generators."""

from __future__ import annotations

import argparse
import time

from abstract_envs.cli.options import add_games, flag_of, game_of, number
from abstract_envs.core.options import whole_number
from abstract_envs.perft import divide, perft

__all__ = ["NAME", "add_arguments", "run"]

NAME = "perft"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``GAME DEPTH``, the options of the game, ``--position`` and ``--divide``."""
    for game in add_games(parser):
        game.add_argument("depth", metavar="DEPTH", type=number, help="longest sequences to count, at least 1")
        game.add_argument("--position", metavar="TEXT", help="count from this position (default: the start of the game)")
        game.add_argument("--divide", action="store_true", help="count by the first action, at DEPTH only")


def run(args: argparse.Namespace) -> None:
    """Prints a line for each depth or, with ``--divide``, for each first action."""
    game = game_of(args)
    deepest = whole_number("DEPTH", args.depth, 1)
    if args.position is None and game.has_chance:
        known = "".join(f", or {flag_of(name)} {value}" for name, value in game.without_chance.items())
        raise ValueError(f"{game.name} is dealt at random with these options: give --position TEXT{known}")
    state = None if args.position is None else game.from_string(args.position)
    if args.divide:
        counts = divide(game, deepest, state)
        for text in sorted(counts):
            print(f"{text:<10} {counts[text]:>12}")
        print(f"{'total':<10} {sum(counts.values()):>12}")
        return
    print(f"{'depth':>5} {'count':>14} {'seconds':>9}")
    for depth in range(1, deepest + 1):
        began = time.perf_counter()
        count = perft(game, depth, state)
        print(f"{depth:>5} {count:>14} {time.perf_counter() - began:>9.2f}", flush=True)
