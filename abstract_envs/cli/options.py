"""What commands share: a game and its options, from the fields of its rules, and files to write."""

from __future__ import annotations

import argparse
import inspect
import re
import types
import typing
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

import abstract_envs
from abstract_envs.core.game import Game
from abstract_envs.core.options import near

__all__ = ["Parser", "add_games", "check_folder", "game_of", "games", "games_of"]


class Parser(argparse.ArgumentParser):
    """One whose messages tell what was perhaps meant."""

    def error(self, message: str) -> NoReturn:
        """Says what is wrong, and leaves."""
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        unknown = re.match(r"unrecognized arguments: (--[^ =]+)", message)
        if wrong:
            message += near(wrong[1], re.findall(r"\w+", wrong[2]))
        elif unknown:
            message += near(unknown[1], self._option_string_actions)
        super().error(message)


def games() -> dict[str, Game[Any]]:
    """Every game by name, with default options."""
    made = [door.game() for door in abstract_envs.GAMES]
    return {game.name: game for game in made}


def add_games(parser: argparse.ArgumentParser, with_all: bool = False) -> list[argparse.ArgumentParser]:
    """Adds ``GAME`` and, behind it, the options of that game -> the parsers of the games, which take further arguments.

    with_all: ``GAME`` may also be ``all``: every game, with its default options.
    """
    parsers: list[argparse.ArgumentParser] = []
    choices = parser.add_subparsers(title="games", metavar="GAME", required=True)
    parser.epilog = f"options of a game: {parser.prog} GAME --help"
    for name, game in games().items():
        sub = choices.add_parser(name, help="options: " + ", ".join(map(_flag, game.options)))
        _add_options(sub.add_argument_group("options of the game"), type(game))
        sub.set_defaults(rules=type(game), parser=sub)
        parsers.append(sub)
    if with_all:
        sub = choices.add_parser("all", help="every game, with its default options")
        sub.set_defaults(rules=None, parser=sub)
        parsers.append(sub)
    return parsers


def game_of(args: argparse.Namespace) -> Game[Any]:
    """The game that a parsed command line names; ValueError if the rules refuse an option."""
    return args.rules(**{field.name: getattr(args, field.name) for field in fields(args.rules)})


def games_of(args: argparse.Namespace) -> list[Game[Any]]:
    """The same where ``GAME`` may be ``all``."""
    return list(games().values()) if args.rules is None else [game_of(args)]


def check_folder(path: Path) -> None:
    """ValueError if a file cannot be written, for there is no such folder."""
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")


def _add_options(group: argparse._ArgumentGroup, rules: type[Game[Any]]) -> None:
    hints, meanings = typing.get_type_hints(rules), _meanings(rules)
    for field in fields(rules):  # type: ignore[arg-type]
        kind, default = _plain(hints[field.name]), field.default
        shown = ("on" if default else "off") if kind is bool else default
        settings: dict[str, Any] = {"default": default, "help": f"{meanings[field.name]} (default: {shown})".replace("%", "%%")}
        if kind is bool:
            settings["action"] = argparse.BooleanOptionalAction
        elif kind in (int, float):
            settings |= {"type": kind, "metavar": "N"}
        else:
            settings["metavar"] = "TEXT"
        group.add_argument(_flag(field.name), **settings)


def _meanings(rules: type[Game[Any]]) -> dict[str, str]:
    """What the docstring of rules says of each option: ``name: meaning``, further lines indented."""
    found = re.findall(r"^(\w+): (.*(?:\n +.*)*)", inspect.getdoc(rules) or "", re.MULTILINE)
    return {name: " ".join(meaning.split()).rstrip(".") for name, meaning in found}


def _plain(hint: Any) -> Any:
    """``int`` for ``int | None``, and so on."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(part for part in typing.get_args(hint) if part is not type(None))
    return hint


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
