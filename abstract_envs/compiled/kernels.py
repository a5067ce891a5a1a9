"""Loops over the games of a batch, compiled: each takes the arrays of a batch of states and writes arrays.

Those that need a game's rules are written as text, for the states of each game have other fields; a `Fields` knows which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.compiled.loops import WRITING, Kernel, as_compiled, from_text, writing_bytes
from abstract_envs.compiled.scalars import History, clear_bytes, compile_function, scalar, spread
from abstract_envs.core.bits import ALL, Layout
from abstract_envs.core.game import REWARD_ROWS, RUNNING, Game
from abstract_envs.core.history import Past, PastBatch

__all__ = ["Fields", "advancing", "all_inside", "clearing", "copying", "observing", "putting", "taking", "turning"]

_U64 = np.uint64


class Fields:
    """The words of a game's states, one after another, and its history, if it has one."""

    def __init__(self, game: Game[Any]) -> None:
        self._flat, self._built = game._fields
        parts = self._flat(game.deal(0))
        pasts = [k for k, part in enumerate(parts) if isinstance(part, Past)]
        self.past = pasts[0] if pasts else None
        """Which of the parts is the history."""
        self.count = len(parts) - len(pasts)
        """How many words there are."""
        self.functions: dict[str, Any] = {"flat": compile_function(self._flat), "built": compile_function(self._built)}

    def split(self, states: Any) -> tuple[tuple[NDArray[np.uint64], ...], PastBatch | None]:
        """The words of a batch, and its history."""
        parts, past = self._flat(states), None
        if self.past is not None:
            past = parts[self.past]
            parts = (*parts[: self.past], *parts[self.past + 1 :])
        return as_compiled(parts, np.uint64, len(parts[0])), past

    def state(self, words: Sequence[NDArray[np.uint64]], past: PastBatch | None) -> Any:
        """The batch of some words."""
        return self._built(words if self.past is None else [*words[: self.past], past, *words[self.past :]])

    def scalars(self) -> str:
        """Source of one game's state in a loop over games i, from arrays w0, w1, .., and from ``past``."""
        parts = [f"w{k}[i]" for k in range(self.count)]
        if self.past is not None:
            parts.insert(self.past, "past")
        return f"built(({', '.join(parts)},))"

    def outs(self, field: str) -> Any:
        """The names that a field of a state, or each word of it, has among the results of `advancing`."""
        names = _names("out", self.count)
        if self.past is not None:
            names.insert(self.past, "")
        return getattr(self._built(names), field)

    def places(self) -> list[str]:
        """Source of each word of ``parts``, the flat form of a state."""
        return [f"parts[{k}]" for k in range(self.count + (self.past is not None)) if k != self.past]


# ------------------------------------------------------------------------------------------- what needs a game's rules


def advancing(fields: Fields, advance: Callable[..., Any]) -> Kernel:
    """``(*words, [rows, newest, lengths,] actions, *out, [lengths_out])``: the rules; ended games stay as they are."""
    given, out = _names("w", fields.count), _names("out", fields.count)
    if fields.past is not None:
        given, out = [*given, "rows", "newest", "lengths"], [*out, "lengths_out"]
    parameters = [*given, "actions", *out]
    lines = [
        f"def kernel({', '.join(parameters)}, first, last):",
        "    for i in range(first, last):",
        "        past = History(rows, newest, uint64(lengths[i]), i)" if fields.past is not None else "",
        f"        state = {fields.scalars()}",
        "        if state.outcome == RUNNING:",
        "            state = advance(state, uint64(actions[i]))",
        "        parts = flat(state)",
        *(f"        out{k}[i] = {place}" for k, place in enumerate(fields.places())),
        f"        lengths_out[i] = parts[{fields.past}].age" if fields.past is not None else "",
    ]
    names = {"advance": scalar(advance), "History": History, "RUNNING": _U64(RUNNING)}
    return Kernel(from_text(lines, names | fields.functions), parameters)


def observing(game: Game[Any], fields: Fields, rules: Any) -> Kernel:
    """``(*words, observation)``: what the player to act sees, as bytes.

    rules: whose `Game.planes` and `Game.counts` are compiled, of the same game.
    """
    size, cells = int(np.prod(game.observation_shape)), game.board_grid.size
    layout: Layout = rules._first_planes
    names = fields.functions | WRITING | {"spread": spread, "fill": _fill, "grid": game.board_grid.reshape(-1)}
    names |= {"plane_words": scalar(rules._plane_words), "ALL": _U64(ALL), "past": 0}
    lines = [f"        state = {fields.scalars()}", "        planes = plane_words(state, ALL)"]
    for k, (bits, offset) in enumerate(zip(layout.sizes, layout.offsets, strict=True)):
        lines.append(f"        spread(planes[{k}], uint64({bits}), to, at + uint64({offset}))")
    numbers = ["uint64(state.player == 0)", "uint64(state.outcome == 0)"]
    if game.count_bounds:
        names["counts"] = scalar(rules.counts)
        lines.append("        counted = counts(state, ALL)")
        numbers = [f"counted[{k}]" for k in range(len(game.count_bounds))] + numbers
    for plane, number in enumerate(numbers, len(game.plane_names) - len(numbers)):
        lines.append(f"        fill(to, at + uint64({plane * cells}), grid, {number})")
    parameters = [*_names("w", fields.count), "observation"]
    writing = writing_bytes(size, lines, "observation")
    return Kernel(from_text([f"def kernel({', '.join(parameters)}, first, last):", *writing], names), parameters)


def turning(fields: Fields, advance: Kernel, observe: Kernel, spread_mask: Kernel) -> Kernel:
    """`advancing` and all that is seen after it: the parameters of `advancing`, and then ``observation, mask, player, over,
    rewards``, all in a row.

    Loop after loop: in one with those that write bytes, the rules would not get vector instructions.
    """
    parameters = [*advance.parameters, "observation", "mask", "player", "over", "rewards"]
    seen = ", ".join(_names("out", fields.count))
    lines = [
        f"def kernel({', '.join(parameters)}, first, last):",
        f"    advance({', '.join(advance.parameters)}, first, last)",
        f"    observe({seen}, observation, first, last)",
        f"    spread_mask(({', '.join(fields.outs('legal'))},), mask, first, last)",
        "    for i in range(first, last):",
        f"        player[i] = {fields.outs('player')}[i]",
        f"        outcome = {fields.outs('outcome')}[i]",
        "        over[i] = outcome != RUNNING",
        "        rewards[2 * i], rewards[2 * i + 1] = REWARDS[outcome, 0], REWARDS[outcome, 1]",
    ]
    names: dict[str, Any] = {"REWARDS": REWARD_ROWS, "RUNNING": _U64(RUNNING)}
    names |= {"advance": advance.function, "observe": observe.function, "spread_mask": spread_mask.function}
    return Kernel(from_text(lines, names), parameters)


@compile_function
def _fill(planes: Any, at: Any, grid: Any, number: Any) -> None:
    """A plane that shows a number on every cell."""
    for k in range(len(grid)):
        planes[at + _U64(k)] = grid[k] * np.int8(number)


def _names(name: str, count: int) -> list[str]:
    return [f"{name}{k}" for k in range(count)]


# -------------------------------------------------------------------------------------------- what is alike in all games


@compile_function
def _take(words: Any, rows: Any, out: Any, first: Any, last: Any) -> None:
    for k in range(len(words)):
        for i in range(first, last):
            out[k][i] = words[k][rows[i]]


@compile_function
def _put(words: Any, rows: Any, out: Any, first: Any, last: Any) -> None:
    many = len(words[0]) > 1
    for k in range(len(words)):
        for i in range(first, last):
            out[k][rows[i]] = words[k][i if many else 0]


_READ_SOON = 1 << 20
"""Of more zeros than these hardly any are read before they have left the caches: a few games' rows of final observations are."""


@compile_function
def _clear(out: Any, first: Any, last: Any) -> None:
    if last - first > _READ_SOON:
        clear_bytes(out, _U64(first), _U64(last - first))
    else:
        out[first:last] = 0


@compile_function
def _copy(source: Any, which: Any, out: Any, rows: Any, first: Any, last: Any) -> None:
    for k in range(first, last):
        row, of = rows[k], which[k]
        for byte in range(out.shape[1]):  # half the time of `out[row] = source[of]`
            out[row, byte] = source[of, byte]


@compile_function
def all_inside(rows: Any, count: Any) -> bool:
    """Whether all of some indices are from 0 to before a count."""
    inside = True
    for row in rows:
        inside = inside and 0 <= row < count
    return inside


taking = Kernel(_take, ("words", "rows", "out"))
"""The games ``rows`` of a batch, all of them inside."""
putting = Kernel(_put, ("words", "rows", "out"))
"""Writes games, as many as ``rows`` or one for all, in place of the games ``rows`` of a batch."""
clearing = Kernel(_clear, ("out",))
"""Zeros."""
copying = Kernel(_copy, ("source", "which", "out", "rows"))
"""`Game.copy_rows` of arrays with two axes."""
