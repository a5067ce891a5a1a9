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
from abstract_envs.compiled.loops import Kernel, Loop, as_compiled, check_threads, flat, loop
from abstract_envs.core.bits import draws
from abstract_envs.core.game import Game, Seen, check_game, interned
from abstract_envs.core.onegame import written_out

__all__ = ["compiled"]


def compiled(game: Game[Any], threads: int = 1) -> Game[Any]:
    """The same game, of which batches are stepped, drawn from and shown by code that Numba compiles from its rules.

    States, random draws and results are the same as the game's own, so the two can be mixed; one game (ints) is played as
    before. Each function is compiled, for some seconds, when it is first called.

    threads: that share out the games of a batch. ValueError if Numba has fewer (its NUMBA_NUM_THREADS: the cores, unless set).
        With more than one, what Numba says of its threading layers holds: on forks, and on calls from several threads at once.

    >>> from abstract_envs import inphexion_v0
    >>> game = compiled(inphexion_v0.game())
    """
    check_game(game)
    rules = game._rules if isinstance(game, _Compiled) else type(game)
    return interned(_kind(rules, check_threads(threads))(**game.options))


@lru_cache(None)
def _kind(rules: type[Game[Any]], threads: int) -> type[Game[Any]]:
    own = {"_rules": rules, "_threads": threads, "__module__": __name__}
    return type(f"Compiled{rules.__name__}", (_Compiled, rules), own)


class _Compiled(Game[Any]):
    """What replaces the functions of a game for batches; made a game by `_kind`."""

    writes_in_place = True
    _rules: type[Game[Any]]
    _threads: int

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._rules, self._threads, self.options)

    @cached_property
    def _parts(self) -> Fields:
        return Fields(self)

    # ----------------------------------------------------------------------------------------------- playing a game

    def step(self, state: Any, action: Any) -> Any:
        if type(state[0]) is int:
            return super().step(state, action)
        return self._advanced(self._advancing, state, self._as_actions(state, action))

    def turn(
        self,
        states: Any,
        actions: NDArray[np.int64],
        observation: NDArray[np.int8] | None = None,
        mask: NDArray[np.int8] | None = None,
    ) -> tuple[Any, Seen]:
        count = len(actions)
        observation, observation_row = flat(observation, (count, *self.observation_shape))
        mask, mask_row = flat(mask, (count, self.num_actions))
        player, over, rewards = np.empty(count, np.int8), np.empty(count, np.bool_), np.empty((count, 2), np.float32)
        states = self._advanced(self._turning, states, actions, observation_row, mask_row, player, over, rewards.reshape(-1))
        return states, Seen(states.legal, observation, mask, player, over, rewards)

    def _advanced(self, kernel: Loop, states: Any, actions: NDArray[np.int64], *seen: NDArray[Any]) -> Any:
        """What a kernel that has the parameters of `kernels.advancing`, and perhaps more, makes of a batch."""
        fields = self._parts
        words, past = fields.split(states)
        (actions,) = as_compiled((actions,), np.int64, len(words[0]))
        out = [np.empty(len(actions), np.uint64) for _ in words]
        if past is None:
            kernel(len(actions), *words, actions, *out, *seen)
            return fields.state(out, None)
        lengths = np.empty_like(past.lengths)
        rows, newest, pushed = past.opened(lengths)
        kernel(len(actions), *words, rows, newest, past.lengths, actions, *out, lengths, *seen)
        return fields.state(out, pushed)

    @cached_property
    def _turning(self) -> Loop:
        kernel = kernels.turning(self._parts, self._advance_kernel, self._observe_kernel, self.batch_actions.spreading)
        return loop(kernel, self._threads)

    @cached_property
    def _advancing(self) -> Loop:
        return loop(self._advance_kernel, self._threads)

    @cached_property
    def _advance_kernel(self) -> Kernel:
        return kernels.advancing(self._parts, super().advance)

    @cached_property
    def advance_one(self) -> Callable[[Any, int], Any]:
        return written_out(super().advance)

    @cached_property
    def batch_actions(self) -> Actions:
        """Those of the layout, compiled."""
        return actions_of(self.action_layout, self._threads)

    def sample(self, state: Any, rng: np.random.Generator) -> Any:
        if type(state[0]) is int:
            return super().sample(state, rng)
        return self.batch_actions.draw(state.legal, draws(rng, len(state[0])))

    def is_legal(self, state: Any, action: Any) -> Any:
        if type(state[0]) is int:
            return super().is_legal(state, action)
        return self.batch_actions.has_in_rows(state.legal, self._as_actions(state, action))

    # ------------------------------------------------------------------------------------------------ what is seen

    def action_mask(self, state: Any) -> NDArray[np.int8]:
        return super().action_mask(state) if type(state[0]) is int else self.batch_actions.spread_rows(state.legal)

    def observe(self, state: Any, player: Any = None, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        if type(state[0]) is int or player is not None:
            return super().observe(state, player, out)
        count = len(state[0])
        out, row = flat(out, (count, *self.observation_shape))
        self._observing(count, *self._parts.split(state)[0], row)
        return out

    @cached_property
    def _observing(self) -> Loop:
        return loop(self._observe_kernel, self._threads)

    @cached_property
    def _observe_kernel(self) -> Kernel:
        return kernels.observing(self, self._parts, super())

    # --------------------------------------------------------------------------------------------- games of a batch

    def _taken(self, states: Any, rows: NDArray[np.int64]) -> Any:
        fields = self._parts
        words, past = fields.split(states)
        if not _indices(rows) or not kernels.all_inside(rows, len(words[0])):
            return super()._taken(states, rows)
        out = tuple([np.empty(len(rows), np.uint64) for _ in words])
        self._taking(len(rows), words, rows, out)
        return fields.state(out, None if past is None else past.take(rows))

    def put_into(self, states: Any, rows: NDArray[np.int64], others: Any) -> Any:
        fields = self._parts
        (words, past), (new, other) = fields.split(states), fields.split(others)
        self._putting(len(rows), new, rows, words)
        return states if past is None or other is None else fields.state(words, past.put(rows, other))

    def clear(self, array: NDArray[np.int8]) -> None:
        self._clearing(array.size, array.reshape(-1))

    def copy_rows(
        self, source: NDArray[np.int8], which: NDArray[np.int64], out: NDArray[np.int8], rows: NDArray[np.int64]
    ) -> None:
        self._copying(len(rows), source.reshape(len(source), -1), which, out.reshape(len(out), -1), rows)

    @cached_property
    def _copying(self) -> Loop:
        return loop(kernels.copying, self._threads)

    @cached_property
    def _taking(self) -> Loop:
        return loop(kernels.taking, self._threads)

    @cached_property
    def _putting(self) -> Loop:
        return loop(kernels.putting, self._threads)

    @cached_property
    def _clearing(self) -> Loop:
        return loop(kernels.clearing, self._threads)


def _indices(i: Any) -> bool:
    return isinstance(i, np.ndarray) and i.dtype == np.int64 and i.ndim == 1 and i.flags.carray


def _again(rules: type[Game[Any]], threads: int, options: dict[str, Any]) -> Game[Any]:
    return compiled(rules(**options), threads)
