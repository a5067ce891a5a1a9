"""Tables of solved games: made once, kept in the user's cache folder, verified whenever they are read.

A file is a line of JSON, which says what the table is of and the checksum of the rest, and the compressed codes (see `solver`).
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import sys
import tempfile
import warnings
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents import solver
from abstract_envs.core import bits
from abstract_envs.core.game import Game
from abstract_envs.core.positions import Positions

__all__ = ["FORMAT", "Table", "cache_folder", "read", "table_of", "write"]

FORMAT = 1
"""The version of the files."""


@dataclass(frozen=True)
class Table:
    """The value of, and the distance from the end in, every position of a game.

    Made by `table_of`. Both are those of the player to move, under best play and as if no position had come before.
    """

    game: Game[Any]
    positions: Positions
    codes: NDArray[np.integer[Any]]
    """By index of a position, see `solver`."""

    def code(self, states: Any) -> NDArray[np.int64]:
        """The codes of a batch of states, ``int64[B]``; of an ended one 1, -1 or 0, as the player to move has won, lost or drawn.

        ValueError that names a position which the table does not hold.
        """
        index = self.positions.index(self.positions.of(states))
        ended = self.game.is_terminal(states)
        unknown = np.flatnonzero((index < 0) & ~ended)
        if len(unknown):
            text = self.game.to_string(self.game.take(states, int(unknown[0])))
            raise ValueError(f"the table of {self.game.name} does not hold {text!r}: the start of the game does not lead there")
        rows = np.arange(len(index))
        result = self.game.rewards(states)[rows, self.game.current_player(states)]
        return np.where(ended, result, self.codes[index]).astype(np.int64)

    def value(self, states: Any) -> NDArray[np.int8]:
        """1 where the player to move wins, -1 where the other does, 0 where nobody can force a win: ``int8[B]``."""
        return np.sign(self.code(states)).astype(np.int8)

    def distance(self, states: Any) -> NDArray[np.int64]:
        """Plies to the end when the winner hurries and the loser delays, ``int64[B]``; -1 where the value is 0."""
        return np.abs(self.code(states)) - 1


def table_of(game: Game[Any], folder: str | os.PathLike[str] | None = None, progress: bool = True) -> Table:
    """The table of a game: read from the cache folder, if there is one, or made (some seconds) and put there.

    folder: another folder than `cache_folder`.
    progress: show a bar while the game is being solved, where tqdm is installed.

    ValueError for a game without one. A table is kept in memory for the process's life.
    """
    solved_positions(game)
    return _table_of(game, cache_folder() if folder is None else Path(folder), progress)


def solved_positions(game: Game[Any]) -> Positions:
    """The positions of a game that can be solved; ValueError for another game."""
    positions = game.positions()
    if positions is None:
        raise ValueError(f"{game.name} is not solved: it has no table of values, and nobody plays it perfectly")
    return positions


def cache_folder() -> Path | None:
    """Where tables are kept: the folder that the environment variable ABSTRACT_ENVS_CACHE names, or the user's cache folder.

    None without platformdirs, of the extra `solve`, which finds the latter: tables are made anew in every process then.
    """
    named = os.environ.get("ABSTRACT_ENVS_CACHE")
    if named:
        return Path(named)
    try:
        from platformdirs import user_cache_path
    except ModuleNotFoundError:
        return None
    return user_cache_path("abstract_envs", appauthor=False)


@lru_cache(None)
def _table_of(game: Game[Any], folder: Path | None, progress: bool) -> Table:
    positions = solved_positions(game)
    return Table(game, positions, _codes_of(game, positions, folder, progress))


def _codes_of(game: Game[Any], positions: Positions, folder: Path | None, progress: bool) -> NDArray[np.integer[Any]]:
    if folder is None:
        return solver.solve(positions, game.name, progress)
    options = json.dumps(dict(positions.options), sort_keys=True)
    sources = _sources(game, positions)
    head = {"format": FORMAT, "game": game.name, "options": options, "positions": len(positions), "sources": sources}
    path = folder / f"{game.name}{'-' + _checksum(options.encode())[:12] if positions.options else ''}.table"
    codes = read(path, head)
    if codes is None:
        codes = solver.solve(positions, game.name, progress)
        try:
            write(path, head, codes)
        except OSError as error:
            warnings.warn(f"the table of {game.name} could not be kept in {folder}: {error}", stacklevel=4)
    return codes


def _sources(game: Game[Any], positions: Positions) -> str:
    """The checksum of the code that a table follows from: when it changes, tables are made anew."""
    modules = (solver.__name__, bits.__name__, type(game).__module__, type(positions).__module__)
    texts: list[str] = []
    for name in modules:
        try:
            texts.append(inspect.getsource(sys.modules[name]))
        except (OSError, TypeError):  # installed without its source, or typed into an interpreter
            texts.append(name)
    return _checksum("\0".join(texts).encode())


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write(path: Path, head: dict[str, Any], codes: NDArray[np.integer[Any]]) -> None:
    """Puts a table into a file. Who reads that file meanwhile finds no table, a former one or this one, and always whole."""
    body = zlib.compress(codes.tobytes(), 6)
    line = json.dumps(head | {"type": codes.dtype.str, "sha256": _checksum(body)})
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(".tmp", path.name, path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(line.encode() + b"\n" + body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def read(path: Path, head: dict[str, Any]) -> NDArray[np.integer[Any]] | None:
    """The codes of a file with this head; None where there is no file, or one that is damaged or of something else."""
    try:
        line, _, body = path.read_bytes().partition(b"\n")
        found = json.loads(line)
        if found != head | {"type": found["type"], "sha256": _checksum(body)}:
            return None
        codes = np.frombuffer(zlib.decompress(body), np.dtype(found["type"]))
    except (OSError, ValueError, KeyError, TypeError, zlib.error):
        return None
    return codes if len(codes) == head["positions"] else None
