"""Play in the terminal: a person against any agent, two people, or two agents to watch."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from abstract_envs.agents import AGENTS, resolve
from abstract_envs.cli.options import add_games, check_folder, flag_of, game_of, given_options, made, number
from abstract_envs.cli.session import HELP, HUMAN, Session
from abstract_envs.core.chance import check_seed, fresh_seed
from abstract_envs.core.game import Game
from abstract_envs.records import GameRecord, door_of, read_records

__all__ = ["NAME", "add_arguments", "run"]

NAME = "play"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``GAME``, its options, who plays, where the game starts, and the files to save it in and to go on from."""
    who = f"{HUMAN}, or an agent: {', '.join(AGENTS)}, or with options as 'mcts(simulations=50)'"
    for game in add_games(parser):
        game.epilog, game.formatter_class = HELP, argparse.RawDescriptionHelpFormatter
        game.add_argument("--player-0", metavar="NAME", help=f"{who} (default: {HUMAN})")
        game.add_argument("--player-1", metavar="NAME", help=f"{who} (default: random)")
        game.add_argument("--seed", metavar="N", type=number, help="of the deal, as env.reset(seed=N), and of the agents' chance")
        game.add_argument("--position", metavar="TEXT", help="start from this position")
        game.add_argument("--save", metavar="FILE", type=Path, help="add the game to this file of game records at the end")
        game.add_argument("--load", metavar="FILE", type=Path, help="go on from the last game of this file, with its options")


def run(args: argparse.Namespace) -> None:
    """Plays."""
    if args.seed is not None:
        check_seed(args.seed)
    seed = fresh_seed() if args.seed is None else args.seed
    record, players = _new(args, seed) if args.load is None else _loaded(args)
    if args.save is not None:  # better now than after a game
        check_folder(args.save)
        if args.save.exists():
            read_records(args.save)
    env = door_of(record.game).raw_env(max_plies=None, **record.game.options)
    Session(env, record, players, np.random.default_rng(seed), sys.stdin, sys.stdout, args.save).run()


def _new(args: argparse.Namespace, seed: int) -> tuple[GameRecord, tuple[str, str]]:
    """The record of a game that has not begun, and who plays."""
    game = game_of(args)
    players = args.player_0 or HUMAN, args.player_1 or "random"
    record = GameRecord(
        game=game,
        seed=seed if game.has_chance and args.position is None else None,
        position=args.position,
        max_plies=game.default_max_plies,
        player_0=players[0],
        player_1=players[1],
        date=date.today().isoformat(),
    )
    return record, players


def _loaded(args: argparse.Namespace) -> tuple[GameRecord, tuple[str, str]]:
    """The last game of a file, and who plays on: who is named on the command line, else who played, if that is an agent."""
    if args.position is not None:
        raise ValueError("--load and --position are both given; a game has one start")
    try:
        records = read_records(args.load)
    except OSError as error:
        raise ValueError(f"--load: {error}") from None
    if not records:
        raise ValueError(f"{args.load} holds no game")
    record = records[-1]
    if not isinstance(record.game, args.rules):
        raise ValueError(f"the last game of {args.load} is {record.game.name}, not {args.rules.name}")
    options, given = record.game.options, given_options(args)
    other = made(args.rules, {**options, **given}).options
    if changed := ", ".join(flag_of(name) for name in given if other[name] != options[name]):
        raise ValueError(f"the last game of {args.load} has the options {options}; leave {changed} out, or give the same")
    record = replace(record, player_0=args.player_0 or record.player_0, player_1=args.player_1 or record.player_1)
    return record, (
        args.player_0 or _agent_or_human(record.player_0, record.game),
        args.player_1 or _agent_or_human(record.player_1, record.game),
    )


def _agent_or_human(name: str | None, game: Game[Any]) -> str:
    with suppress(ValueError):
        resolve(name or HUMAN, game)
        return name or HUMAN
    return HUMAN
