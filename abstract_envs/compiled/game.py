"""`compiled`: a game that takes batches through compiled loops, and is otherwise the game it was made from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.compiled import kernels
from abstract_envs.compiled.kernels import Fields
from abstract_envs.compiled.layouts import Actions, actions_of
from abstract_envs.compiled.scalars import room, unspread
from abstract_envs.core.game import Game, interned
from abstract_envs.core.history import PastBatch
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

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._rules, self.options)

    @cached_property
    def _fields(self) -> Fields:
        return Fields(self.deal(0))

    # ----------------------------------------------------------------------------------------------- playing a game

    def step(self, state: Any, action: Any) -> Any:
        if type(state[0]) is int:
            return super().step(state, action)
        actions = self._as_actions(state, action)
        fields = self._fields
        words = fields.words(state)
        out = [np.empty(len(actions), np.uint64) for _ in words]
        if fields.past is None:
            self._advancing(*words, actions, *out)
            return fields.state(out, None)
        past: PastBatch = state[fields.past]
        lengths = np.empty_like(past.lengths)
        rows, newest, pushed = past.opened(lengths)
        self._advancing(*words, rows, newest, past.lengths, actions, *out, lengths)
        return fields.state(out, pushed)

    @cached_property
    def _advancing(self) -> Any:
        return kernels.advancing(self, self._fields, super().advance)

    @cached_property
    def advance_one(self) -> Callable[[Any, int], Any]:
        return written_out(super().advance)

    @cached_property
    def _actions(self) -> Actions:
        return actions_of(self.action_layout)

    def sample(self, state: Any, rng: np.random.Generator) -> Any:
        if type(state[0]) is int:
            return super().sample(state, rng)
        count = len(state[0])
        actions = np.empty(count, np.int64)
        self._actions.draw(state.legal, rng.integers(0, 1 << 32, count, np.uint32), actions)
        return actions

    def is_legal(self, state: Any, action: Any) -> Any:
        if type(state[0]) is int:
            return super().is_legal(state, action)
        actions = self._as_actions(state, action)
        legal = np.empty(len(actions), np.bool_)
        self._actions.test(state.legal, actions, legal)
        return legal

    # ------------------------------------------------------------------------------------------------ what is seen

    def action_mask(self, state: Any) -> NDArray[np.int8]:
        return super().action_mask(state) if type(state[0]) is int else self._actions.mask(state.legal)

    def observe(self, state: Any, player: Any = None) -> NDArray[np.int8]:
        if type(state[0]) is int or player is not None:
            return super().observe(state, player)
        shape = self.observation_shape
        out = room(len(state[0]), int(np.prod(shape)))
        self._observing(*self._fields.words(state), out)
        return unspread(out, *shape)

    @cached_property
    def _observing(self) -> Any:
        return kernels.observing(self, self._fields, super())

    # --------------------------------------------------------------------------------------------- games of a batch

    def take(self, states: Any, i: Any) -> Any:
        if type(states[0]) is int or not _rows(i):
            return super().take(states, i)
        fields = self._fields
        words = fields.words(states)
        out = tuple([np.empty(len(i), np.uint64) for _ in words])
        if not kernels.take(words, i, out):
            return super().take(states, i)
        return fields.state(out, None if fields.past is None else states[fields.past].take(i))

    def put(self, states: Any, rows: NDArray[np.int64], others: Any) -> Any:
        fields = self._fields
        words = fields.words(states)
        out = tuple([np.empty(len(words[0]), np.uint64) for _ in words])
        if not _rows(rows) or not kernels.put(words, rows, fields.words(others), out):
            return super().put(states, rows, others)
        return fields.state(out, None if fields.past is None else states[fields.past].put(rows, others[fields.past]))


def _rows(i: Any) -> bool:
    return isinstance(i, np.ndarray) and i.dtype == np.int64 and i.ndim == 1


def _again(rules: type[Game[Any]], options: dict[str, Any]) -> Game[Any]:
    return compiled(rules(**options))
