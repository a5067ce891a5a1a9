"""Loops over the games of a batch, compiled: each takes the arrays of a batch of states and writes arrays.

Those that need a game's rules are written as text, for the states of each game have other fields; a `Fields` knows which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.compiled.scalars import History, compile_function, from_text, scalar, spread
from abstract_envs.core.bits import ALL
from abstract_envs.core.game import Game
from abstract_envs.core.history import Past, PastBatch

__all__ = ["Fields", "advancing", "observing", "put", "take"]

_U64 = np.uint64


class Fields:
    """The words of a game's states, one after another, and its history, if it has one."""

    def __init__(self, state: Any) -> None:
        self.paths = list(_paths(state))
        """Source of each word of a state named in front: ``[0]``, ``[2][1]``, .."""
        self._make: Callable[..., Any] = eval(f"lambda words, past: {_built(state, 'words[{}]')}", {"State": type(state)})
        self._flat: Callable[[Any], tuple[Any, ...]] = eval(f"lambda state: ({''.join(f'state{p}, ' for p in self.paths)})")
        self.count = len(self.paths)
        pasts = [k for k, part in enumerate(state) if isinstance(part, Past)]
        self.past = pasts[0] if pasts else None
        """Which field is the history."""
        self.scalars = _built(state, "w{}[i]")
        """Source of one game's state in a loop over games i, from arrays w0, w1, .., and of a `History` named past."""

    def words(self, states: Any) -> tuple[NDArray[np.uint64], ...]:
        """The words of a batch."""
        return self._flat(states)

    def state(self, words: Sequence[NDArray[np.uint64]], past: PastBatch | None) -> Any:
        """The batch of some words."""
        return self._make(words, past)


def _paths(state: Any, name: str = "") -> Iterator[str]:
    for k, part in enumerate(state):
        if isinstance(part, tuple) and not isinstance(part, Past):
            yield from _paths(part, f"{name}[{k}]")
        elif not isinstance(part, Past):
            yield f"{name}[{k}]"


def _built(state: Any, word: str) -> str:
    count = -1

    def part(value: Any) -> str:
        nonlocal count
        if isinstance(value, Past):
            return "past"
        if isinstance(value, tuple):
            return f"({''.join(part(element) + ', ' for element in value)})"
        count += 1
        return word.format(count)

    return f"State{part(tuple(state))}"


# ------------------------------------------------------------------------------------------- what needs a game's rules


def advancing(game: Game[Any], fields: Fields, advance: Callable[..., Any]) -> Any:
    """``(*words, [rows, newest, lengths,] actions, *out, [lengths_out])``: the rules; ended games stay as they are."""
    given, out = _names("w", fields.count), _names("out", fields.count)
    if fields.past is not None:
        given, out = [*given, "rows", "newest", "lengths"], [*out, "lengths_out"]
    lines = [
        f"def kernel({', '.join([*given, 'actions', *out])}):",
        "    for i in range(len(actions)):",
        "        past = History(rows, newest, uint64(lengths[i]), i)" if fields.past is not None else "",
        f"        state = {fields.scalars}",
        f"        if state.outcome == {_RUNNING}:",
        "            state = advance(state, uint64(actions[i]))",
        *(f"        out{k}[i] = state{path}" for k, path in enumerate(fields.paths)),
        f"        lengths_out[i] = state[{fields.past}].age" if fields.past is not None else "",
    ]
    names = {"State": type(game.deal(0)), "advance": scalar(advance), "History": History, _RUNNING: _U64(0)}
    return from_text(lines, names)


def observing(game: Game[Any], fields: Fields, rules: Any) -> Any:
    """``(*words, out)``: what the player to act sees, as bytes in a `scalars.room`.

    rules: whose `Game.planes` and `Game.counts` are compiled, of the same game.
    """
    size, cells = int(np.prod(game.observation_shape)), int(np.prod(game.board.shape))
    plane_sizes: tuple[int, ...] = rules._plane_layout.sizes
    planes_at = np.concatenate([[0], np.cumsum(plane_sizes)])
    names = {"State": type(game.deal(0)), "spread": spread, "fill": _fill}
    names |= {"plane_words": scalar(rules._plane_words), "ALL": _U64(ALL), "past": 0, "grid": game.board_grid.reshape(-1)}
    lines = [
        f"def kernel({', '.join([*_names('w', fields.count), 'out'])}):",
        "    for i in range(len(w0)):",
        f"        state = {fields.scalars}",
        "        seen = plane_words(state, ALL, uint64(0) if state.player else ALL)",
        f"        at = uint64(i) * uint64({size})",
        *(f"        spread(seen[{k}], uint64({n}), out, at + uint64({planes_at[k]}))" for k, n in enumerate(plane_sizes)),
    ]
    if game.count_bounds:
        names["counts"] = scalar(rules.counts)
        first = (game.seat_plane - len(game.count_bounds)) * cells
        lines.append("        numbers = counts(state, ALL)")
        lines += [
            f"        fill(out, at + uint64({first + k * cells}), grid, numbers[{k}])" for k in range(len(game.count_bounds))
        ]
    return from_text(lines, names)


@compile_function
def _fill(planes: Any, at: Any, grid: Any, number: Any) -> None:
    """A plane that shows a number on every cell; it is zero already."""
    if number:
        for k in range(len(grid)):
            planes[at + _U64(k)] = grid[k] * np.int8(number)


_RUNNING = "RUNNING"


def _names(name: str, count: int) -> list[str]:
    return [f"{name}{k}" for k in range(count)]


# -------------------------------------------------------------------------------------------- what is alike in all games


@compile_function
def take(words: Any, rows: Any, out: Any) -> bool:
    """The games ``rows`` of a batch; False, and nothing taken, if one is not from 0 on."""
    if not _inside(rows, len(words[0])):
        return False
    for k in range(len(words)):
        for i in range(len(rows)):
            out[k][i] = words[k][rows[i]]
    return True


@compile_function
def put(words: Any, rows: Any, others: Any, out: Any) -> bool:
    """A batch with the games ``rows`` replaced by others: as many, or one for all; False, and nothing put, if they do not fit."""
    many = len(others[0])
    if not _inside(rows, len(words[0])) or many not in (1, len(rows)):
        return False
    for k in range(len(words)):
        out[k][:] = words[k]
        for i in range(len(rows)):
            out[k][rows[i]] = others[k][i if many > 1 else 0]
    return True


@compile_function
def _inside(rows: Any, count: int) -> bool:
    inside = True
    for row in rows:
        inside = inside and 0 <= row < count
    return inside
