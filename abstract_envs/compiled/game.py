"""`compiled`: a game that takes batches through compiled loops, and is otherwise the game it was made from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from abstract_envs.compiled import kernels
from abstract_envs.compiled.kernels import Fields
from abstract_envs.compiled.layouts import Actions, actions_of
from abstract_envs.compiled.scalars import spread_games
from abstract_envs.core.bits import draws
from abstract_envs.core.game import Game, interned
from abstract_envs.core.onegame import written_out

__all__ = ["compiled"]


def compiled(game: Game[Any]) -> Game[Any]:
    """The same game, of which batches are stepped, drawn from and shown by code that Numba compiles from its rules.

    States, random draws and results are the same as the game's own, so the two can be mixed; one game (ints) is played as
    before. Each function is compiled, for some seconds, when it is first called.

    >>> from abstract_envs import inphexion_v0
    >>> game = compiled(inphexion_v0.game())
    """
    return game if isinstance(game, _Compiled) else interned(_kind(type(game))(**game.options))


@lru_cache(None)
def _kind(rules: type[Game[Any]]) -> type[Game[Any]]:
    return type(f"Compiled{rules.__name__}", (_Compiled, rules), {"_rules": rules, "__module__": __name__})


class _Compiled(Game[Any]):
    """What replaces the functions of a game for batches; made a game by `_kind`."""

    _rules: type[Game[Any]]
    frees_threads: ClassVar[bool] = True

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._rules, self.options)

    @cached_property
    def _parts(self) -> Fields:
        return Fields(self)

    # ----------------------------------------------------------------------------------------------- playing a game

    def step(self, state: Any, action: Any) -> Any:
        if type(state[0]) is int:
            return super().step(state, action)
        actions = self._as_actions(state, action)
        fields = self._parts
        words = fields.words(state)
        out = [np.empty(len(actions), np.uint64) for _ in words]
        past = fields.past_of(state)
        if past is None:
            self._advancing(*words, actions, *out)
            return fields.state(out, None)
        lengths = np.empty_like(past.lengths)
        rows, newest, pushed = past.opened(lengths)
        self._advancing(*words, rows, newest, past.lengths, actions, *out, lengths)
        return fields.state(out, pushed)

    @cached_property
    def _advancing(self) -> Any:
        return kernels.advancing(self._parts, super().advance)

    @cached_property
    def advance_one(self) -> Callable[[Any, int], Any]:
        return written_out(super().advance)

    @cached_property
    def batch_actions(self) -> Actions:
        """Those of the layout, compiled."""
        return actions_of(self.action_layout)

    def sample(self, state: Any, rng: np.random.Generator) -> Any:
        if type(state[0]) is int:
            return super().sample(state, rng)
        return self.batch_actions.draw(state.legal, draws(rng, len(state[0])))

    def is_legal(self, state: Any, action: Any) -> Any:
        if type(state[0]) is int:
            return super().is_legal(state, action)
        return self.batch_actions.has_in_rows(state.legal, self._as_actions(state, action))

    # ------------------------------------------------------------------------------------------------ what is seen

    def action_mask(self, state: Any, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        if type(state[0]) is int:
            return super().action_mask(state)
        return self.batch_actions.spread_rows(state.legal, out)

    def observe(self, state: Any, player: Any = None, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        if type(state[0]) is int or player is not None:
            return super().observe(state, player, out)
        words = self._parts.words(state)

        def write(first: int, last: int, written: NDArray[np.int8]) -> None:
            self._observing(*words, first, last, written)

        return spread_games(write, len(words[0]), self.observation_shape, out)

    @cached_property
    def _observing(self) -> Any:
        return kernels.observing(self, self._parts, super())

    # --------------------------------------------------------------------------------------------- games of a batch

    def _taken(self, states: Any, rows: NDArray[np.int64]) -> Any:
        fields = self._parts
        words = fields.words(states)
        out = tuple([np.empty(len(rows), np.uint64) for _ in words])
        if rows.dtype != np.int64 or not kernels.take(words, rows, out):
            return super()._taken(states, rows)
        past = fields.past_of(states)
        return fields.state(out, None if past is None else past.take(rows))

    def put(self, states: Any, rows: NDArray[np.int64], others: Any) -> Any:
        fields = self._parts
        words = fields.words(states)
        out = tuple([np.empty(len(words[0]), np.uint64) for _ in words])
        if not _indices(rows) or not kernels.put(words, rows, fields.words(others), out):
            return super().put(states, rows, others)
        past, other = fields.past_of(states), fields.past_of(others)
        return fields.state(out, None if past is None or other is None else past.put(rows, other))


def _indices(i: Any) -> bool:
    return isinstance(i, np.ndarray) and i.dtype == np.int64 and i.ndim == 1


def _again(rules: type[Game[Any]], options: dict[str, Any]) -> Game[Any]:
    return compiled(rules(**options))
