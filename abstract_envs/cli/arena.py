"""Rate agents against one another: a round robin with alternating seats."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from abstract_envs.agents import AGENTS, arena, resolve
from abstract_envs.cli.options import add_games, check_folder, games_of, number
from abstract_envs.core.chance import check_seed
from abstract_envs.core.game import Game
from abstract_envs.core.options import extra, whole_number

__all__ = ["NAME", "add_arguments", "run"]

NAME = "arena"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``GAME`` or ``all``, the options of the game, who plays, how often, and where the results go."""
    known = f"of {', '.join(AGENTS)}, or with options as 'mcts(simulations=50)' (default: all of them)"
    for game in add_games(parser, with_all=True):
        game.add_argument("--agents", metavar="NAME", nargs="+", help=known + "; with `all` a game leaves out who cannot play it")
        game.add_argument(
            "--games", metavar="N", type=number, default=200, help="games of every two agents, an even number (200)"
        )
        game.add_argument("--seed", metavar="N", type=number, default=0, help="the same seed gives the same numbers (0)")
        game.add_argument("--max-plies", metavar="N", type=number, help="cut games off after so many actions, as draws")
        game.add_argument("--json", metavar="FILE", type=Path, help="write the results to this file, with `all` a list")
        game.add_argument("--plot", metavar="FILE", type=Path, help="draw the ratings (png, svg, pdf); `all`: {game} in the name")


def run(args: argparse.Namespace) -> None:
    """Prints the table of each game, and writes the files."""
    chosen = games_of(args)
    _check(args, len(chosen) > 1)
    fields = [_able(game, args.agents) for game in chosen]
    for name in args.agents or ():
        if not any(name in able for able in fields):
            resolve(name, chosen[0])  # which says why not
    results: list[dict[str, Any]] = []
    for game, agents in zip(chosen, fields, strict=True):
        if len(chosen) > 1:
            print(f"{'' if game is chosen[0] else chr(10)}{game.name}")
            if len(agents) < 2:
                print(f"no two of the agents can play it: {', '.join(agents) or 'none'}")
                continue
        with _bar(args.games * len(agents) * (len(agents) - 1) // 2, game.name) as progress:
            found = arena(game, agents, args.games, np.random.default_rng(args.seed), args.max_plies, progress)
        print(found.table(), end="", flush=True)
        results.append(found.as_dict())
        if args.json is not None:  # after every game, so that who stops the command keeps what it has found
            shown = results if len(chosen) > 1 else results[0]
            args.json.write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
        if args.plot is not None:
            found.plot(str(args.plot).replace("{game}", game.name))


def _check(args: argparse.Namespace, several: bool) -> None:
    """ValueError for what would else be found out after an hour of games."""
    check_seed(args.seed)
    whole_number("games", args.games, 2)
    named = args.agents or ()
    for name in named:
        if named.count(name) > 1:
            raise ValueError(f"--agents has {name!r} {named.count(name)} times; every agent is given once, or with other options")
    for path in (args.json, args.plot):
        if path is not None:
            if path.is_dir():
                raise ValueError(f"{path} is a folder")
            check_folder(path)
    if args.plot is None:
        return
    if args.plot.suffix not in (".png", ".svg", ".pdf"):
        raise ValueError(f"--plot is {args.plot}; its name ends in .png, .svg or .pdf")
    if several and "{game}" not in args.plot.name:
        raise ValueError(f"--plot is {args.plot}; with `all` its name has {{game}} in it, which stands for the name of each game")
    try:
        has_matplotlib = importlib.util.find_spec("matplotlib") is not None
    except ValueError:  # what `sys.modules` has under the name is no module
        has_matplotlib = False
    if not has_matplotlib:
        raise ValueError(f"--plot needs matplotlib, of {extra('arena')}")


def _able(game: Game[Any], names: list[str] | None) -> list[str]:
    """Those of the agents (None: all known by name) that can play a game."""
    able: list[str] = []
    for name in names or AGENTS:
        with suppress(ValueError):
            resolve(name, game)
            able.append(name)
    return able


@contextmanager
def _bar(total: int, text: str) -> Any:
    """A progress bar on stderr, if that is a terminal and tqdm is installed -> what to call with the number of games ended."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        nothing: Callable[[int], object] | None = None
        yield nothing
        return
    with tqdm(total=total, desc=text, unit=" games", leave=False, disable=None, file=sys.stderr) as bar:
        yield bar.update
