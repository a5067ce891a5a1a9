"""Game records: games as text, to save, load and replay, in one format for all games. docs/records.md describes it.

from abstract_envs.records import GameRecord, read_records, write_records
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import abstract_envs
from abstract_envs.core.chance import check_seed
from abstract_envs.core.game import Game, check_game
from abstract_envs.core.options import whole_number

__all__ = [
    "RESULTS",
    "GameRecord",
    "door_name",
    "door_of",
    "full_name",
    "names_of",
    "parse_records",
    "read_records",
    "write_records",
]

RESULTS = ("player_0", "player_1", "draw", "truncated", "*")
"""Who won; a draw by the rules; cut off by the ply limit; or not finished."""

_FIELDS = {
    "Seed": "seed",
    "Position": "position",
    "MaxPlies": "max_plies",
    "Player0": "player_0",
    "Player1": "player_1",
    "Event": "event",
    "Date": "date",
}
"""Header -> field of a record; the options of games are headers by their own names, in small letters."""
_HEADERS = ("Game", *_FIELDS, "Result")
_IN_A_LINE = 10
"""Actions."""


class _Wrong(ValueError):
    """What is wrong with a field, by its name, or with an action, by its number from 1."""

    def __init__(self, where: str | int, text: str) -> None:
        super().__init__(text)
        self.where = where


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """A game, and all that is needed to play it again; ValueError, which says what is wrong, if it cannot have been played."""

    game: Game[Any]
    actions: tuple[str, ...] = ()
    """The texts of all actions."""
    seed: int | None = None
    """Of the deal, as in ``env.reset(seed=...)``: where the game is dealt at random, and only there."""
    position: str | None = None
    """The position text of the start; None: the game's own start, or what the seed deals."""
    max_plies: int | None = None
    """The ply limit, if there was one."""
    player_0: str | None = None
    """Who played: any line of text, as the next two."""
    player_1: str | None = None
    event: str | None = None
    date: str | None = None
    """A day, as 2026-01-31."""

    def __post_init__(self) -> None:
        check_game(self.game)
        object.__setattr__(self, "actions", tuple(self.actions))
        for field, check in _CHECKS.items():
            value = getattr(self, field)
            if value is not None:
                try:
                    object.__setattr__(self, field, check(field, value))
                except ValueError as error:
                    raise _Wrong(field, str(error)) from None
        object.__setattr__(self, "_result", self._result_of(self.replay()[-1]))

    @classmethod
    def of(cls, game: Game[Any], actions: Iterable[int], start: Any = None, **more: Any) -> GameRecord:
        """The record of a game whose actions are numbers.

        start: the state that it started from, which becomes the record's position; None: `seed`, `position` or the game's start.
        more: the other fields of a record.

        ValueError for an illegal action, and if the game from the text of ``start`` is another one, because that state has a
        past which its text does not hold.
        """
        check_game(game)
        if start is not None:
            more["position"] = game.to_string(start)
        states = [cls(game=game, **more).start() if start is None else start]
        texts: list[str] = []
        for action in actions:
            texts.append(game.action_to_string(states[-1], action))
            states.append(game.step(states[-1], action))
        record = cls(game=game, actions=tuple(texts), **more)
        for number, (state, again) in enumerate(zip(states, record.replay(), strict=True)):
            if (state.legal, state.outcome) != (again.legal, again.outcome):
                raise ValueError(f"after action {number} the past of the start matters, which {more['position']!r} does not hold")
        return record

    @property
    def result(self) -> str:
        """One of `RESULTS`, by the rules and the ply limit."""
        return self._result  # type: ignore[attr-defined]

    def start(self) -> Any:
        """The state that the game starts from."""
        if self.position is not None:
            if self.seed is not None:
                raise _Wrong("seed", "seed and position are both given; a game has one start")
            try:
                return self.game.from_string(self.position)
            except ValueError as error:
                raise _Wrong("position", str(error)) from None
        if self.game.has_chance:
            if self.seed is None:
                raise _Wrong("seed", f"{self.game.name} is dealt at random with these options: a seed or a position is needed")
            return self.game.episode_start(self.seed)
        if self.seed is not None:
            raise _Wrong("seed", f"seed is {self.seed}; with these options {self.game.name} is not dealt at random, and has none")
        return self.game.init()

    def replay(self) -> list[Any]:
        """The states of the game: its start and the one after each action."""
        states = [self.start()]
        for number, text in enumerate(self.actions, 1):
            state = states[-1]
            try:
                if self.game.is_terminal(state):
                    raise ValueError("the game has ended before")
                if number - 1 == self.max_plies:
                    raise ValueError(f"the ply limit, {self.max_plies}, has ended the game before")
                action = self.game.string_to_action(state, text)
            except ValueError as error:
                raise _Wrong(number, f"action {number}, {text!r}, in {self.game.to_string(state)!r}: {error}") from None
            states.append(self.game.step(state, action))
        return states

    def _result_of(self, end: Any) -> str:
        if self.game.is_terminal(end):
            rewards = self.game.rewards(end)
            return "draw" if rewards[0] == 0 else f"player_{rewards.index(1.0)}"
        return "truncated" if len(self.actions) == self.max_plies else "*"

    def __str__(self) -> str:
        """The text of the record: one paragraph, with a line break at its end."""
        usual = type(self.game)().options
        headers: list[tuple[str, Any]] = [("Game", door_name(door_of(self.game)))]
        headers += [(name, value) for name, value in self.game.options.items() if value != usual[name]]
        headers += [(name, getattr(self, field)) for name, field in _FIELDS.items() if getattr(self, field) is not None]
        headers += [("Result", self.result)]
        lines = [f"[{name} {json.dumps(value, ensure_ascii=False)}]" for name, value in headers]
        for at in range(0, len(self.actions), _IN_A_LINE):
            lines.append(f"{at + 1}. " + " ".join(self.actions[at : at + _IN_A_LINE]))
        return "\n".join(lines) + "\n"


def _text(field: str, value: object) -> str:
    if not isinstance(value, str) or not value.isprintable() or not value.strip():
        raise ValueError(f"{field} is {value!r}; it is a line of text")
    return value


def _day(field: str, value: object) -> str:
    with suppress(ValueError):
        if isinstance(value, str) and date.fromisoformat(value).isoformat() == value:
            return value
    raise ValueError(f"{field} is {value!r}; it is a day, as '2026-01-31'")


def _seed(field: str, value: object) -> int:
    return check_seed(value)


def _limit(field: str, value: object) -> int:
    return whole_number(field, value, 1)


_CHECKS: dict[str, Callable[[str, object], Any]] = {
    "seed": _seed,
    "position": _text,
    "max_plies": _limit,
    "player_0": _text,
    "player_1": _text,
    "event": _text,
    "date": _day,
}


def write_records(path: str | os.PathLike[str], records: Iterable[GameRecord], append: bool = False) -> None:
    """Writes games to a file, or adds them to its end. A file that is added to must hold nothing but records (ValueError)."""
    path = Path(path)
    held = read_records(path) if append and path.exists() else []
    text = "\n".join(map(str, records))
    if held and text:  # an empty line, and before it the end of a line that an editor may have left out
        text = ("\n" if path.read_bytes().endswith(b"\n") else "\n\n") + text
    with path.open("a" if append else "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def read_records(path: str | os.PathLike[str]) -> list[GameRecord]:
    """The games of a file; ValueError that names the file and the line, and says what is wrong there."""
    try:
        return parse_records(Path(path).read_bytes().decode("utf-8-sig"))  # some editors put a mark before the text
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)}: this is no UTF-8 text: {error}") from None
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}, {error}") from None


def parse_records(text: str) -> list[GameRecord]:
    """The games of a text; ValueError that names the line and says what is wrong there."""
    return [_read(lines) for lines in _paragraphs(text)]


Lines = list[tuple[int, str]]
"""Lines with their numbers."""


def _at(line: int, text: str) -> ValueError:
    return ValueError(f"line {line}: {text}")


def _paragraphs(text: str) -> Iterator[Lines]:
    lines: Lines = []
    for number, line in enumerate([*re.split("\r?\n", text), ""], 1):
        if line.strip():
            lines.append((number, line.rstrip()))
        elif lines:
            yield lines
            lines = []


def _read(lines: Lines) -> GameRecord:
    count = next((k for k, (_, line) in enumerate(lines) if not line.startswith("[")), len(lines))
    first = lines[0][0]
    if not count:
        raise _at(first, f"{lines[0][1]!r} follows no header; a game is headers and, without an empty line between, actions")
    headers, actions = _read_headers(lines[:count]), _read_actions(lines[count:])
    for needed in ("Game", "Result"):
        if needed not in headers:
            raise _at(first, f"this game has no header {needed}; its headers are {', '.join(headers)}")
    game = _read_game(headers)
    line, result = headers["Result"]
    if result not in RESULTS:
        raise _at(line, f"Result is {result!r}; it is one of {', '.join(map(repr, RESULTS))}")
    given = {field: headers[name] for name, field in _FIELDS.items() if name in headers}
    for field, (at, value) in given.items():
        if value is None:
            raise _at(at, f"{field} is null; a header that says nothing is left out")
    more: dict[str, Any] = {field: value for field, (_, value) in given.items()}
    try:
        record = GameRecord(game=game, actions=tuple(text for _, text in actions), **more)
    except _Wrong as error:
        at = actions[error.where - 1][0] if isinstance(error.where, int) else given.get(error.where, headers["Game"])[0]
        raise _at(at, str(error)) from None
    if record.result != result:
        raise _at(line, f"Result is {result!r}; after the {len(actions)} actions of this game it is {record.result!r}")
    return record


def _read_headers(lines: Lines) -> dict[str, tuple[int, Any]]:
    """Name -> (line, value)."""
    found: dict[str, tuple[int, Any]] = {}
    for number, line in lines:
        parts = re.fullmatch(r"\[(\w+) (.+)\]", line)
        if not parts:
            raise _at(number, f"{line!r} is no header; a header is [Name value], the value as in JSON")
        name, text = parts.groups()
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise _at(number, f'the value of {name} is {text}; values are written as in JSON: 5, true, "text"') from None
        if name in found:
            raise _at(number, f"{name} is given twice, first in line {found[name][0]}")
        found[name] = number, value
    return found


def _read_actions(lines: Lines) -> Lines:
    """The action texts, each with its line."""
    found: Lines = []
    for number, line in lines:
        if line.startswith("["):
            raise _at(number, f"{line!r} is a header behind actions; an empty line separates games")
        words = line.split()
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if not re.fullmatch(r"[0-9]+\.", word):
                found.append((number, word))
            elif word != f"{len(found) + 1}." or re.fullmatch(r"([0-9]+\.)?", following):
                raise _at(number, f"{word!r} stands where action {len(found) + 1} is expected, or '{len(found) + 1}.' before it")
    return found


def _read_game(headers: dict[str, tuple[int, Any]]) -> Game[Any]:
    line, name = headers["Game"]
    doors = {door_name(door): door for door in abstract_envs.GAMES}
    if not isinstance(name, str) or name not in doors:
        raise _at(line, f"Game is {name!r}; it is one of {', '.join(map(repr, doors))}")
    options = {key: value for key, (_, value) in headers.items() if key not in _HEADERS}
    known = doors[name].game().options
    for key in options:
        if key not in known:
            allowed = f"there are {', '.join(_HEADERS)}, and the options of {name}: {', '.join(known) or 'none'}"
            raise _at(headers[key][0], f"{key} is no header of this game; {allowed}")
    try:
        return doors[name].game(**options)
    except ValueError as error:
        # the rules look at all options; their text begins with the name of the one that is wrong
        at = headers.get(re.split(r"\W", str(error))[0], headers["Game"])[0]
        raise _at(at, str(error)) from None


def door_of(game: Game[Any]) -> ModuleType:
    """The module ``<game>_v0`` of a game."""
    return next(door for door in abstract_envs.GAMES if type(door.game()) is type(game))


def door_name(door: ModuleType) -> str:
    """``<game>_v0``, as records call a game."""
    return door.__name__.rpartition(".")[2]


def names_of(door: ModuleType) -> tuple[str, str]:
    """What a game is called where one is chosen: ``<game>``, and ``<game>_v0``."""
    return door.game().name, door_name(door)


def full_name(text: str) -> str:
    """``<game>_v0`` for either name of a game; another text as it is, for who asks to refuse."""
    return next((door_name(door) for door in abstract_envs.GAMES if text in names_of(door)), text)
