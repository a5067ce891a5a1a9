"""The rows of this library's games.

    own/inphexion/rules                 the rules alone, one game
    own/inphexion/raw_env, .../env      the AEC environments
    own/inphexion/rules/4096            the rules alone, a batch
    own/inphexion/vector_env/4096       through ``vector_env.step``, same-step autoreset
    own/inphexion/rules, numba/4096, .../vector_env, numba/4096    the same by compiled code, where Numba is installed
    own/inphexion/vector_env, 2 workers/4096    the same on several cores (see benchmarks/workers.py)
    own/inphexion/rules, late           the rules alone, in a phase of the game (see benchmarks/phases.py); or a batch of these

Every step of every row has the action mask, the observation of the player to act, a uniformly random legal action, and a new
game where one has ended. A game with options is written as a call: ``inphexion(board_size=5)``.
"""

from __future__ import annotations

import ast
import random
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np

import abstract_envs
from abstract_envs.records import names_of
from benchmarks.phases import PHASES, Phase
from benchmarks.timing import Row, Work, why_missing

__all__ = ["aec", "games", "has_workers", "row", "rows"]

SEED = 0
NUMBA = "numba"
KEPT = 100  # steps whose arrays the AEC loop keeps

Start = Callable[[int | None], Any]
"""New games: a batch of so many, or one (None)."""
Over = Callable[[Any], Any]
"""Which games are to be started anew: bool; ``bool[B]``."""


def games() -> dict[str, ModuleType]:
    """The doors of all games by name."""
    return {names_of(door)[0]: door for door in abstract_envs.GAMES}


def rows(game_texts: Sequence[str], batches: Sequence[int]) -> Iterator[Row]:
    """All rows of some games, phases included."""
    for text in game_texts:
        name, _ = parse(text)
        for way in ("rules", "raw_env", "env"):
            yield row(text, way)
        yield from (row(text, "rules", batch) for batch in batches)
        yield from (row(text, way, batch) for way in ("vector_env", "rules, numba", "vector_env, numba") for batch in batches)
        for phase in PHASES.get(name, ()):
            yield from (row(text, f"rules, {phase.name}", batch) for batch in (None, *batches))


def row(text: str, way: str, batch: int | None = None) -> Row:
    """One row; ValueError for a game, an option or a way that is none."""
    name, options = parse(text)
    door = games()[name]
    game = door.game(**options)
    kind, _, phase_name = way.partition(", ")
    missing = ""
    if kind == "rules" and phase_name == NUMBA and batch is not None:
        missing, build = why_missing(NUMBA), partial(_rules_compiled, game, batch)
    elif kind == "rules":
        build = partial(_rules, game, _phase(name, phase_name), batch)
    elif way in ("raw_env", "env") and batch is None:
        build = partial(aec, partial(getattr(door, way), **options), fresh=True)
    elif kind == "vector_env" and batch is not None:
        workers, backend = _workers_and_backend(way)
        missing = why_missing(NUMBA) if backend == NUMBA else ""
        build = partial(_vector, door, options, batch, workers, backend)
    else:
        raise ValueError(f"own/{text} has no row {way!r} {'for one game' if batch is None else 'for a batch'}")
    return Row("own", text, way, batch, None if missing else build, missing)


def _rules_compiled(game: Any, batch: int) -> Work:
    from abstract_envs.compiled import compiled

    return _rules(compiled(game), None, batch)


def parse(text: str) -> tuple[str, dict[str, Any]]:
    """``inphexion(board_size=5)`` -> name and options."""
    try:
        call = ast.parse(text, mode="eval").body
        name = ast.unparse(call.func if isinstance(call, ast.Call) else call)
        options = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg} if isinstance(call, ast.Call) else {}
    except (SyntaxError, ValueError):
        name, options = text, {}
    if name not in games():
        raise ValueError(f"{text!r} is no game; the games are {', '.join(games())}, with options as 'inphexion(board_size=5)'")
    return name, options


def _phase(name: str, phase_name: str) -> Phase | None:
    if not phase_name:
        return None
    for phase in PHASES.get(name, ()):
        if phase.name == phase_name:
            return phase
    raise ValueError(f"{name} has no phase {phase_name!r} in benchmarks/phases.py")


def _workers_and_backend(way: str) -> tuple[int, str]:
    """``vector_env, numba, 2 workers`` -> (2, "numba"); ``vector_env`` -> (1, "numpy")."""
    found = re.fullmatch(r"vector_env(, numba)?(?:, (\d+) workers)?", way)
    if not found:
        raise ValueError(f"{way!r} is no way: vector_env may be compiled and have workers, as 'vector_env, numba, 2 workers'")
    return int(found[2] or 1), NUMBA if found[1] else "numpy"


def has_workers(row: Row) -> bool:
    """Whether a row's steps are made by other processes or threads than the caller's."""
    return row.suite == "own" and row.way.startswith("vector_env") and _workers_and_backend(row.way)[0] > 1


# ------------------------------------------------------------------------------------------------------------ rules alone


def _rules(game: Any, phase: Phase | None, batch: int | None) -> Work:
    rng = np.random.default_rng(SEED)
    start, over = _from_start(game, rng) if phase is None else _from_pool(game, rng, phase)
    if batch is None:
        return _one(game, start, over, rng)
    return _batch(game, start, over, rng, batch, phase.idle if phase else 0)


def _from_start(game: Any, rng: np.random.Generator) -> tuple[Start, Over]:
    return (lambda size: game.init(size, rng=rng)), game.is_terminal


def _from_pool(game: Any, rng: np.random.Generator, phase: Phase) -> tuple[Start, Over]:
    pool = phase.pool(game, rng)
    size_of_pool = game.batch_size(pool)

    def start(size: int | None) -> Any:
        return game.take(pool, int(rng.integers(size_of_pool)) if size is None else rng.integers(size_of_pool, size=size))

    def over(states: Any) -> Any:
        return game.is_terminal(states) | np.logical_not(phase.within(game, states))

    return start, over


def _one(game: Any, start: Start, over: Over, rng: np.random.Generator) -> Work:
    state, ended = start(None), 0
    step, sample, view = game.step, game.sample, game.view

    def run(rounds: int) -> None:
        nonlocal state, ended
        for _ in range(rounds):
            view(state)  # observation and mask
            state = step(state, sample(state, rng))
            if over(state):
                ended += 1
                state = start(None)

    return Work(run, lambda: ended)


def _batch(game: Any, start: Start, over: Over, rng: np.random.Generator, batch: int, idle: float) -> Work:
    states, ended = start(batch), 0

    def run(rounds: int) -> None:
        nonlocal states, ended
        for _ in range(rounds):
            game.observe(states)
            game.action_mask(states)
            states = game.step(states, game.sample(states, rng))
            done = np.flatnonzero(over(states))
            if len(done) > idle * batch:
                ended += len(done)
                states = game.put(states, done, start(len(done)))

    return Work(run, lambda: ended)


# ----------------------------------------------------------------------------------------------------------- environments


def aec(make: Callable[[], Any], fresh: bool = False) -> Work:
    """The usual AEC loop, the same for this library and for PettingZoo's own games.

    It keeps the arrays of the last steps, as a learner does. fresh: they are checked, at the end, to share no memory.
    """
    env = make()
    env.reset(seed=SEED)
    draw = random.Random(SEED).random
    kept: deque[dict[str, Any]] = deque(maxlen=KEPT)
    ended = 0

    def run(rounds: int) -> None:
        nonlocal ended
        last, step = env.last, env.step
        for _ in range(rounds):
            observation, _, terminated, truncated, _ = last()
            if terminated or truncated:
                ended += 1
                env.reset()
                observation = last()[0]
            kept.append(observation)
            legal = observation["action_mask"].nonzero()[0]
            step(int(legal[int(draw() * len(legal))]))

    def check() -> None:
        arrays = [array for observation in kept for array in observation.values()]
        assert not any(np.may_share_memory(a, b) for a, b in combinations(arrays, 2)), "an array was given out twice"

    return Work(run, lambda: ended, check if fresh else lambda: None)


def _vector(door: ModuleType, options: dict[str, Any], batch: int, workers: int, backend: str) -> Work:
    venv = door.vector_env(batch, autoreset_mode="SameStep", backend=backend, workers=workers, **options)
    game, rng = venv.game, np.random.default_rng(SEED)
    observation, info = venv.reset(seed=SEED)
    mask, ended = info["action_mask"], 0

    def run(rounds: int) -> None:
        nonlocal observation, mask, ended
        for _ in range(rounds):
            observation, _, terminations, truncations, info = venv.step(venv.sample(rng))
            mask = info["action_mask"]
            ended += int(np.count_nonzero(terminations | truncations))

    def check() -> None:
        assert observation.shape == (batch, *game.observation_shape), "not an observation for every game"
        assert (mask != 0).any(axis=1).all(), "a game without a legal action after autoreset"
        venv.close()

    return Work(run, lambda: ended, check)
