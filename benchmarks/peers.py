"""The rows of other libraries' games, as fast as their own interfaces let them be. A peer that is not installed is named.

    pettingzoo/connect_four_v3/raw_env, .../env    the same AEC loop as for this library's games
    openspiel/hex(board_size=7)/lists, .../arrays  one state; mask and observation as Python lists, or made NumPy arrays
    pgx/hex/step/4096                              one jitted call a step: draw, step, autoreset

To have them all: ``pip install "pettingzoo[classic]" open_spiel pgx jax``, in an environment of its own (they bring a pygame).
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.own import SEED, aec
from benchmarks.timing import Row, Work, why_missing

__all__ = ["row", "rows"]

# by suite: games with what their constructors are given
PEERS: dict[str, dict[str, dict[str, Any]]] = {
    "pettingzoo": {"connect_four_v3": {}, "tictactoe_v3": {}, "go_v5(board_size=9)": {"board_size": 9}, "chess_v6": {}},
    "openspiel": {"hex(board_size=7)": {}, "lines_of_action": {}, "breakthrough": {}, "havannah": {}},
    "pgx": {"hex": {}, "tic_tac_toe": {}, "connect_four": {}, "chess": {}},
}
WAYS = {"pettingzoo": ("raw_env", "env"), "openspiel": ("lists", "arrays")}


def rows(batches: Sequence[int], wanted: Sequence[str] = ()) -> Iterator[Row]:
    """The rows of all peers, or of those whose ``suite/game`` contains a wanted text; one row for a game that is missing."""
    for suite, games in PEERS.items():
        for game in games:
            if wanted and not any(text in f"{suite}/{game}" for text in wanted):
                continue
            missing = _missing(suite, game)
            if missing:
                yield Row(suite, game, "", None, None, missing)
            elif suite == "pgx":
                yield from (row(suite, game, "step", batch) for batch in batches)
            else:
                yield from (row(suite, game, way) for way in WAYS[suite])


def row(suite: str, game: str, way: str, batch: int | None = None) -> Row:
    """One row; ValueError for one that is none."""
    if game not in PEERS.get(suite, {}):
        raise ValueError(f"{suite}/{game} is no peer; these are: {', '.join(f'{s}/{g}' for s, gs in PEERS.items() for g in gs)}")
    if suite == "pettingzoo" and way in WAYS[suite] and batch is None:
        build = partial(_pettingzoo, game, way)
    elif suite == "openspiel" and way in WAYS[suite] and batch is None:
        build = partial(_openspiel, game, way == "arrays")
    elif suite == "pgx" and way == "step" and batch is not None:
        build = partial(_pgx, game, batch)
    else:
        raise ValueError(f"{suite}/{game} has no row {way!r} {'for one game' if batch is None else 'for a batch'}")
    missing = _missing(suite, game)
    return Row(suite, game, way, batch, None if missing else build, missing)


def _missing(suite: str, game: str) -> str:
    """Why a peer cannot be imported; empty when it can."""
    modules = {"pettingzoo": [f"pettingzoo.classic.{game.partition('(')[0]}"], "openspiel": ["pyspiel"], "pgx": ["jax", "pgx"]}[
        suite
    ]
    return why_missing(*modules)


def _pettingzoo(game: str, way: str) -> Work:
    module = importlib.import_module(f"pettingzoo.classic.{game.partition('(')[0]}")
    return aec(partial(getattr(module, way), **PEERS["pettingzoo"][game]))


def _openspiel(name: str, arrays: bool) -> Work:
    import pyspiel  # type: ignore[import-not-found]

    game = pyspiel.load_game(name)
    draw = random.Random(SEED).random
    state, ended = game.new_initial_state(), 0

    def run_lists(rounds: int) -> None:
        nonlocal state, ended
        for _ in range(rounds):
            state.observation_tensor()
            state.legal_actions_mask()
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
            if state.is_terminal():
                ended += 1
                state = game.new_initial_state()

    def run_arrays(rounds: int) -> None:
        nonlocal state, ended
        for _ in range(rounds):
            np.array(state.observation_tensor(), np.float32)
            legal = np.array(state.legal_actions_mask(), np.int8).nonzero()[0]
            state.apply_action(int(legal[int(draw() * len(legal))]))
            if state.is_terminal():
                ended += 1
                state = game.new_initial_state()

    return Work(run_arrays if arrays else run_lists, lambda: ended)


def _pgx(name: str, batch: int) -> Work:
    import jax  # type: ignore[import-not-found]
    import jax.numpy as jnp  # type: ignore[import-not-found]
    import pgx  # type: ignore[import-not-found]
    from pgx.experimental import auto_reset  # type: ignore[import-not-found]

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def draw(key: Any, mask: Any) -> Any:
        """A random rank for each game, then the legal action of that rank: a third of the cost of a number for every action."""
        ranks = jnp.cumsum(mask, axis=1, dtype=jnp.int32)
        count = ranks[:, -1:]
        rank = jnp.minimum((jax.random.uniform(key, (batch, 1)) * count).astype(jnp.int32), count - 1)
        return jnp.argmax(ranks > rank, axis=1).astype(jnp.int32)

    @jax.jit
    def advance(state: Any, key: Any, ended: Any) -> tuple[Any, Any, Any]:
        # the state is returned whole, and with it mask and observation: XLA cannot leave them out
        key, for_draw, for_step = jax.random.split(key, 3)
        state = step(state, draw(for_draw, state.legal_action_mask), jax.random.split(for_step, batch))
        return state, key, ended + state.terminated.sum()

    key = jax.random.PRNGKey(SEED)
    carried = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch)), key, jnp.int32(0)

    def run(rounds: int) -> None:
        nonlocal carried
        for _ in range(rounds):
            carried = advance(*carried)
        jax.block_until_ready(carried)

    return Work(run, lambda: int(carried[2]))
