"""List the games: names, numbers of actions, observation shapes, and options with their defaults."""

from __future__ import annotations

import argparse
from dataclasses import fields

import abstract_envs
from abstract_envs.cli.options import games
from abstract_envs.records import door_name

__all__ = ["NAME", "add_arguments", "run"]

NAME = "games"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(args: argparse.Namespace) -> None:
    """Prints the table."""
    rows = [("name", "module", "actions", "observation", "options")]
    for door, game in zip(abstract_envs.GAMES, games().values(), strict=True):
        shape = "x".join(map(str, game.observation_shape))
        # not those of the game that was made, in which a None has become what it stands for
        options = ", ".join(f"{field.name}={field.default}" for field in fields(type(game)))  # type: ignore[arg-type]
        rows.append((game.name, door_name(door), str(game.num_actions), shape, options))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
