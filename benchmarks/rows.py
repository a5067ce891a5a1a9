"""Rows by their ids."""

from __future__ import annotations

from benchmarks import own, peers
from benchmarks.timing import Row

__all__ = ["find"]


def find(row_id: str) -> Row:
    """The row of an id; ValueError for one that is none."""
    suite, *rest = row_id.split("/")
    if len(rest) not in (2, 3) or (len(rest) == 3 and not rest[2].isdecimal()):
        raise ValueError(f"{row_id!r} is no row: rows are suite/game/way, or suite/game/way/batch; --list has them")
    game, way, batch = rest[0], rest[1], int(rest[2]) if len(rest) == 3 else None
    return own.row(game, way, batch) if suite == "own" else peers.row(suite, game, way, batch)
