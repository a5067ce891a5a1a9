"""Games that were played, as moving pictures.

from abstract_envs.movies import movie
"""

from __future__ import annotations

from typing import Any

from abstract_envs.records import GameRecord, door_of
from abstract_envs.render.movie import Movie

__all__ = ["Movie", "movie"]


def movie(record: GameRecord, fps: float = 2.0, **options: Any) -> Movie:
    """The movie of a game.

    fps: positions a second.
    options: of the pictures: width, height, theme, coordinates, legal_moves. TypeError for an unknown one.

    TypeError for what is no record, such as the name of a file of them.
    """
    if not isinstance(record, GameRecord):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"record is {record!r}; it is a GameRecord, and read_records(path) gives those of a file")
    env = door_of(record.game).raw_env(
        max_plies=record.max_plies, **record.game.options, legal_moves=options.get("legal_moves", False)
    )
    env.reset()  # before which no state can be set
    env.game_state = record.start()
    drawings = [env.drawing()]
    for action in record.actions:
        env.step(record.game.string_to_action(env.game_state, action))
        drawings.append(env.drawing())
    return Movie(drawings, fps, **options)
