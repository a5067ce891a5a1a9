"""Print what a game is like in numbers: sequences of actions, and the length, choice and results of random games."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from abstract_envs.agents.evaluate import SeatScore
from abstract_envs.agents.tables import table_of
from abstract_envs.cli.options import add_games, game_of, number
from abstract_envs.core.bits import popcount
from abstract_envs.core.chance import check_seed
from abstract_envs.core.game import Game
from abstract_envs.core.options import whole_number
from abstract_envs.perft import perft

__all__ = ["NAME", "add_arguments", "run"]

NAME = "numbers"
MOST = 400_000
"""Sequences that are counted, about."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``GAME``, its options, ``--games`` and ``--seed``."""
    for game in add_games(parser):
        game.add_argument("--games", metavar="N", type=number, default=10_000, help="random games, without a ply limit (10000)")
        game.add_argument("--seed", metavar="N", type=number, default=0, help="the same seed gives the same numbers (0)")


def run(args: argparse.Namespace) -> None:
    """Prints a line for each kind of number."""
    game, seed = game_of(args), check_seed(args.seed)
    games = whole_number("--games", args.games, 1)
    if not game.has_chance:
        print(f"{'perft':<14}{' '.join(map(str, _counts(game)))}")
    for name, text in _random_play(game, games, np.random.default_rng(seed)):
        print(f"{name:<14}{text}", flush=True)
    if game.positions() is not None:
        print(f"{'solved':<14}{_solved(game)}")


def _counts(game: Game[Any]) -> Iterator[int]:
    """`perft` of each depth, until the next would be too many, growing as before."""
    before = 1
    for depth in range(1, 100):
        count = perft(game, depth)
        if not count:
            return
        yield count
        if count * count > MOST * before:
            return
        before = count


def _random_play(game: Game[Any], games: int, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    states = game.init(games, rng)
    lengths, results = np.zeros(games, np.int64), np.zeros(games, np.float32)
    rows, choices = np.arange(games), [np.zeros(0, np.uint64)]
    for ply in range(1, 1 << 31):
        choices.append(np.sum([popcount(word) for word in states.legal], axis=0))
        states = game.step(states, game.sample(states, rng))
        over = game.is_terminal(states)
        lengths[rows[over]], results[rows[over]] = ply, game.rewards(states)[over, 0]
        states, rows = game.take(states, ~over), rows[~over]
        if not len(rows):
            break
    legal = np.concatenate(choices)
    low, middle, high = np.percentile(lengths, (5, 50, 95), method="inverted_cdf")
    yield "random games", f"{games:,}"
    yield (
        "plies",
        f"mean {lengths.mean():.1f}, median {middle}, 5 % up to {low}, 5 % from {high}, {lengths.min()} to {lengths.max()}",
    )
    yield "legal actions", f"mean {legal.mean():.1f}, {legal.min()} to {legal.max()}"
    wins, draws = int((results > 0).sum()), int((results == 0).sum())
    first = SeatScore(games, wins, draws, games - wins - draws, 0)
    yield "first player", "score {:.3f}, 95 % interval {:.3f} to {:.3f}".format(first.score, *first.interval)
    yield "draws", f"{draws / games:.1%}".replace("%", " %")


def _solved(game: Game[Any]) -> str:
    table = table_of(game)
    start = ("drawn", "won", "lost")[table.value(game.init(1))[0]]
    won, lost = int((table.codes > 0).sum()), int((table.codes < 0).sum())
    drawn = len(table.codes) - won - lost
    return f"the start is {start}; of {len(table.codes):,} positions {won:,} won, {lost:,} lost, {drawn:,} drawn"
