"""What commands share: a game and its options, from the fields of its rules, and files to write."""

from __future__ import annotations

import argparse
import inspect
import re
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import abstract_envs
from abstract_envs.core.game import Game
from abstract_envs.core.options import near
from abstract_envs.core.plain import JOINED, kinds_of, read, takes_several
from abstract_envs.records import names_of

__all__ = ["Parser", "add_games", "check_folder", "flag_of", "game_of", "games", "games_of", "given_options", "made", "number"]


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
    for door, game in zip(abstract_envs.GAMES, games().values(), strict=True):
        name, full = names_of(door)
        shown = "options: " + ", ".join(map(flag_of, game.options)) if game.options else "no options"
        sub = choices.add_parser(name, aliases=[full], help=shown)
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
    return made(args.rules, given_options(args))


def given_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of the game that were typed."""
    return {field.name: getattr(args, field.name) for field in fields(args.rules) if hasattr(args, field.name)}


def made(rules: type[Game[Any]], options: dict[str, Any]) -> Game[Any]:
    """A game with some options; what is wrong with them is said in words for a command line."""
    try:
        return rules(**options)
    except ValueError as error:
        # the text of rules begins with the name of the option that is wrong
        kinds = kinds_of(rules).get(str(error).split(" ")[0], ())
        raise ValueError(f"{error}; {JOINED}" if takes_several(kinds) else str(error)) from None


def number(text: str) -> int | str:
    """The whole number that was typed. Another text as it is, so that who checks the number says what is allowed."""
    return read(text, (int,))


def games_of(args: argparse.Namespace) -> list[Game[Any]]:
    """The same where ``GAME`` may be ``all``."""
    return list(games().values()) if args.rules is None else [game_of(args)]


def check_folder(path: Path) -> None:
    """ValueError if a file cannot be written, for there is no such folder."""
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")


def _add_options(group: argparse._ArgumentGroup, rules: type[Game[Any]]) -> None:
    all_kinds, meanings = kinds_of(rules), _meanings(rules)
    for field in fields(rules):  # type: ignore[arg-type]
        kinds, default = all_kinds[field.name], field.default
        shown = ("on" if default else "off") if bool in kinds else default
        meaning = f"{meanings[field.name]}; {JOINED}" if takes_several(kinds) else meanings[field.name]
        # no default: what is typed is told from what is not
        settings: dict[str, Any] = {
            "default": argparse.SUPPRESS,
            "help": f"{meaning} (default: {shown})".replace("%", "%%"),
        }
        if bool in kinds:
            settings["action"] = argparse.BooleanOptionalAction
        else:
            settings |= {"type": partial(read, kinds=kinds), "metavar": "N" if {int, float} & set(kinds) else "TEXT"}
        group.add_argument(flag_of(field.name), **settings)


def _meanings(rules: type[Game[Any]]) -> dict[str, str]:
    """What the docstring of rules says of each option: ``name: meaning``, further lines indented."""
    found = re.findall(r"^(\w+): (.*(?:\n +.*)*)", inspect.getdoc(rules) or "", re.MULTILINE)
    return {name: " ".join(meaning.split()).rstrip(".") for name, meaning in found}


def flag_of(name: str) -> str:
    """How an option is typed."""
    return "--" + name.replace("_", "-")
