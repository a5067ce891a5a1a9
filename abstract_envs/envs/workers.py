"""A vector environment on several cores: each worker steps a slice of the games.

Processes and not threads: a batch of some thousand games takes many short NumPy calls, between which threads wait for each
other's lock. Measured on two cores at 16,384 games, two threads make 0.5 to 1.0 times the steps of one. Compiled games need
none of this: their loops run without the lock, on as many threads as they are told (`abstract_envs.compiled`).
"""

from __future__ import annotations

import mmap
import weakref
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, DTypeLike, NDArray

from abstract_envs.core.actions import check_actions, refuse
from abstract_envs.core.bits import draws
from abstract_envs.core.chance import fresh_seed
from abstract_envs.core.game import Game
from abstract_envs.core.options import whole_number
from abstract_envs.envs.processes import Processes
from abstract_envs.envs.vector import (
    Observation,
    VectorEnv,
    consecutive,
    read_positions,
    read_reset_mask,
    read_seeds,
)

__all__ = ["WorkersVectorEnv", "slices"]

_KEPT = 4
"""So many arrays of each kind that is `_LARGE` are given to the caller as they are; while all of them are in use, copies."""


def check_workers(workers: int, num_envs: int) -> int:
    """How many workers share out so many games; ValueError for more of them than games."""
    if whole_number("workers", workers, 1) > num_envs:
        raise ValueError(f"workers is {workers}; with num_envs {num_envs} it is at most {num_envs}, a game for every worker")
    return int(workers)


def slices(games: int, workers: int) -> list[slice]:
    """Consecutive slices of the games, as even as can be, the larger ones first."""
    size, larger = divmod(games, workers)
    ends = [size * k + min(k, larger) for k in range(workers + 1)]
    return [slice(a, b) for a, b in pairwise(ends)]


class WorkersVectorEnv(VectorEnv):
    """A `VectorEnv` whose games are in worker processes; what it returns and raises is the same, array by array.

    Three things are different. ``states`` are gathered from the workers at every access, which takes longer than a step:
    draw random actions with `sample`. It can be neither pickled nor copied (TypeError). And it has something to release:
    `close`, a ``with`` block, or the end of the last reference to it or of the process, ends the workers; after that,
    calls are a RuntimeError, and so is ``states``, for ``hasattr`` too. So they are after a worker's death or failure, which
    is a RuntimeError too, and after an interruption (Ctrl-C) in the midst of a call. A call during another one, which a
    second thread or a signal handler makes, is a RuntimeError that changes nothing; `close` may come from anywhere.

    Arrays are the caller's as ever, after `close` too. The largest are in memory that the workers write on, and which they
    get back when the caller has no reference to the array or to a view of it any more; what a process that was forked
    meanwhile refers to does not count.
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        name: str,
        workers: int,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        super().__init__(game, num_envs, name, max_plies, autoreset_mode)
        self.workers = check_workers(workers, self.num_envs)
        self._slices = slices(self.num_envs, self.workers)
        self._started = False
        fields, nbytes = _fields(game, self.num_envs)
        self._team = Processes(
            _Slice,
            [(game, self.num_envs, own, self.max_plies, self.autoreset_mode) for own in self._slices],
            [f"{k} of {self.workers} (games {own.start} to {own.stop - 1})" for k, own in enumerate(self._slices)],
            nbytes,
        )
        memory = self._team.memory
        self._given = {name: _Given(fields[name], memory) for name in _LARGE}
        self._arrays = {name: field.array(memory) for name, field in fields.items() if name not in _LARGE}

    @property
    def states(self) -> Any:
        """The batch of states, after autoreset, gathered from the workers. AttributeError before the first reset."""
        return self._team.call("states", self._gathered)

    def _gathered(self) -> Any:
        self._check_states()
        return self.game.concatenate(self._team.ask("states_of_slice"))

    def reset(
        self, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        return self._team.call("reset", self._reset, seed, options)

    def _reset(self, seed: int | Sequence[int] | None, options: dict[str, Any] | None) -> tuple[Observation, dict[str, Any]]:
        rows = read_reset_mask(options, self.num_envs, first=not self._started)
        positions = read_positions(self.game, options, rows, self.num_envs)
        seeds = read_seeds(seed, self.num_envs)
        if seeds is None and not self._started:
            seeds = consecutive(fresh_seed(), self.num_envs)
        to = self._free("observation", "action_mask")
        arguments: list[tuple[Any, ...]] = []
        for own in self._slices:
            first, last = np.searchsorted(rows, (own.start, own.stop))
            starts = None if positions is None or first == last else self.game.take(positions, slice(first, last))
            arguments.append((rows[first:last] - own.start, None if seeds is None else seeds[own], starts, to))
        self._team.ask_each("reset_slice", arguments)
        self._started = True
        return self._seen(to)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        return self._team.call("step", self._step, actions)

    def _step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        if not self._started:
            raise AssertionError("reset() needs to be called before step.")
        actions = check_actions(actions, self.num_envs)
        self._arrays["actions"][...] = actions
        to = self._free(*_LARGE)
        replies = self._team.ask("step_slice", to)
        if any(reply.refused for reply in replies):
            self._team.ask("undo")  # to ask before, in every step, would cost each another round trip
            self._team.settle()
            refused = [
                [rows + own.start for rows in reply.refused]
                for own, reply in zip(self._slices, replies, strict=True)
                if reply.refused
            ]
            ended, illegal = map(np.concatenate, zip(*refused, strict=True))
            refuse(actions, ended, illegal)
        rewards, terminations, truncations = (self._arrays[f].copy() for f in ("rewards", "terminations", "truncations"))
        observation, info = self._seen(to)
        if any(reply.final for reply in replies):
            final_obs = self._given["final_obs"].give(to["final_obs"])
            for own, reply in zip(self._slices, replies, strict=True):
                if not reply.final:
                    final_obs[own] = 0
            info["final_obs"] = final_obs
            info["_final_obs"] = terminations | truncations
            info["final_player"] = self._arrays["final_player"].copy()
        return observation, rewards, terminations, truncations, info

    def sample(self, rng: np.random.Generator) -> NDArray[np.int64]:
        return self._team.call("sample", self._sample, rng)

    def _sample(self, rng: np.random.Generator) -> NDArray[np.int64]:
        self._check_states()
        self._arrays["draws"][...] = draws(rng, self.num_envs)
        self._team.ask("sample_slice")
        return self._arrays["actions"].copy()

    def _check_states(self) -> None:
        if not self._started:
            raise AttributeError("states cannot be accessed before reset")

    def close(self) -> None:
        """Ends the workers; a second time it does nothing. A call that is under way in another thread is then a RuntimeError."""
        self._team.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("an environment with worker processes cannot be pickled or copied; one with workers=1 can")

    def _free(self, *fields: str) -> dict[str, int]:
        return {field: self._given[field].free() for field in fields}

    def _seen(self, to: dict[str, int]) -> tuple[Observation, dict[str, Any]]:
        mask = self._given["action_mask"].give(to["action_mask"])
        info = {"action_mask": mask, "current_player": self._arrays["current_player"].copy()}
        return self._given["observation"].give(to["observation"]), info


# ---------------------------------------------------------------------------------------------------------------- shared memory

_LARGE = ("observation", "action_mask", "final_obs")
"""What is megabytes: there are `_KEPT` arrays of each kind, and one more to copy from."""


class _Field(NamedTuple):
    """An array in the shared memory."""

    start: int
    shape: tuple[int, ...]
    dtype: DTypeLike

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * np.dtype(self.dtype).itemsize

    def array(self, memory: mmap.mmap) -> NDArray[Any]:
        return np.ndarray(self.shape, self.dtype, memory, self.start)

    def part(self, memory: mmap.mmap, k: int) -> NDArray[Any]:
        """``array(memory)[k]``, but not a view of an array: views of it refer to it, and not to what it is a view of."""
        return np.ndarray(self.shape[1:], self.dtype, memory, self.start + k * self.nbytes // self.shape[0])


def _fields(game: Game[Any], num_envs: int) -> tuple[dict[str, _Field], int]:
    """What is in the shared memory, and its size. The games are the first axis, of what is `_LARGE` the second."""
    large, bools = (_KEPT + 1, num_envs), ((num_envs,), np.bool_)
    wanted: dict[str, tuple[tuple[int, ...], DTypeLike]] = {
        "observation": ((*large, *game.observation_shape), np.int8),
        "action_mask": ((*large, game.num_actions), np.int8),
        "final_obs": ((*large, *game.observation_shape), np.int8),
        "final_player": ((num_envs,), np.int8),
        "current_player": ((num_envs,), np.int8),
        "rewards": ((num_envs, 2), np.float32),
        "terminations": bools,
        "truncations": bools,
        "actions": ((num_envs,), np.int64),
        "draws": ((num_envs,), np.uint32),
    }
    fields: dict[str, _Field] = {}
    end = 0
    for name, (shape, dtype) in wanted.items():
        fields[name] = _Field(end, shape, dtype)
        end += -(-fields[name].nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    return fields, end


class _Given:
    """Arrays in shared memory that are given to the caller, one after another, and again when the caller has let go of them."""

    def __init__(self, field: _Field, memory: mmap.mmap) -> None:
        self._field, self._memory = field, memory
        self._in_use: list[Callable[[], Any]] = [lambda: None] * _KEPT

    def free(self) -> int:
        """The number of an array that nobody has; of the one to copy from, if there is none."""
        return next((k for k, array in enumerate(self._in_use) if array() is None), _KEPT)

    def give(self, k: int) -> NDArray[Any]:
        """The array of a number that was `free`, now the caller's."""
        array = self._field.part(self._memory, k)
        if k == _KEPT:
            return array.copy()
        self._in_use[k] = weakref.ref(array)
        return array


# -------------------------------------------------------------------------------------------------------------- in the workers


class _Reply(NamedTuple):
    """What a slice's step has come to."""

    refused: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    """Nothing stepped: see `VectorEnv._refused`."""
    final: bool = False
    """Whether there is something final to see."""


class _Slice(VectorEnv):
    """The games of a worker. Its methods are called by `WorkersVectorEnv`; arrays go through the shared memory."""

    def __init__(
        self, game: Game[Any], num_envs: int, own: slice, max_plies: int | None, mode: AutoresetMode, memory: mmap.mmap
    ) -> None:
        super().__init__(game, own.stop - own.start, "", max_plies, mode)
        arrays = {name: field.array(memory) for name, field in _fields(game, num_envs)[0].items()}
        self._shared = {name: array[:, own] if name in _LARGE else array[own] for name, array in arrays.items()}
        self._final_rows = _Rows()
        self._final_obs = self._final_rows  # type: ignore[assignment]
        self._before: Any = None

    def reset_slice(self, rows: NDArray[np.int64], seeds: NDArray[np.uint64] | None, positions: Any, to: dict[str, int]) -> None:
        self._aim(to)
        seen = self._start(rows, seeds, positions) if len(rows) else self._see(self._states, self._over)
        self._shared["current_player"][...] = seen.player

    def step_slice(self, to: dict[str, int]) -> _Reply:
        actions = self._shared["actions"]
        refused = self._refused(actions)
        self._before = None
        if any(map(len, refused)):
            return _Reply(refused)
        self._before = self._states, self._legal, self._plies, self._over, self._deals
        self._aim(to)
        self._final_rows.array = self._shared["final_obs"][to["final_obs"]]
        _, rewards, terminations, truncations, info = self._play(actions)
        self._shared["rewards"][...] = rewards
        self._shared["terminations"][...] = terminations
        self._shared["truncations"][...] = truncations
        self._shared["current_player"][...] = info["current_player"]
        self._shared["final_player"][...] = info.get("final_player", 0)
        return _Reply(final="final_obs" in info)

    def _aim(self, to: dict[str, int]) -> None:
        """Lets observations and masks be written on the arrays of these numbers."""
        self._aims = self._shared["observation"][to["observation"]], self._shared["action_mask"][to["action_mask"]]

    def _targets(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        return self._aims

    def undo(self) -> None:
        """Takes the last step back, if there was one."""
        if self._before is not None:
            self._states, self._legal, self._plies, self._over, self._deals = self._before

    def sample_slice(self) -> None:
        given: Any = self._shared["draws"]
        self._shared["actions"][...] = self.game.sample(self._states, given)

    def states_of_slice(self) -> Any:
        return self._states


class _Rows:
    """In place of `SparseArrays`: writes on the array it has been given."""

    array: NDArray[np.int8]

    def with_rows(self, rows: NDArray[np.int64], source: NDArray[np.int8]) -> NDArray[np.int8]:
        self.array.fill(0)
        self.array[rows] = source[rows]
        return self.array
