"""What the suites share: the games with their tables, states seen in random play, and ways to look into a state."""

from __future__ import annotations

import importlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import abstract_envs
from abstract_envs.core.history import PastBatch

CONFORMANCE = Path(__file__).parent / "conformance"
DOORS = {door.__name__.rpartition(".")[2].rpartition("_v")[0]: door for door in abstract_envs.GAMES}
NAMES = sorted(DOORS)


def table(name: str) -> Any:
    """The test table of a game, None where it has none (`test_conformance` fails then)."""
    try:
        return importlib.import_module(f"tables.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"tables.{name}":
            raise
        return None


TABLES = {name: found for name in NAMES if (found := table(name)) is not None}


@lru_cache(None)
def _game(name: str, options: str) -> Any:
    return DOORS[name].game(**json.loads(options))


def game_of(name: str, options: dict[str, Any]) -> Any:
    """A game, made once for all tests."""
    return _game(name, json.dumps(options, sort_keys=True))


def label(name: str, options: dict[str, Any]) -> str:
    return "-".join([name, *(f"{key}={value}" for key, value in options.items())])


EVERY_GAME = [
    pytest.param(game_of(name, options), id=label(name, options)) for name, found in TABLES.items() for options in found.OPTIONS
]
every_game = pytest.mark.parametrize("game", EVERY_GAME)


def rows_of_tables(attribute: str) -> list[Any]:
    """The entries of one list of all tables, as parameters (name, entry)."""
    return [
        pytest.param(name, row, id=f"{name}-{i}")
        for name, found in TABLES.items()
        for i, row in enumerate(getattr(found, attribute))
    ]


def history_matters(game: Any) -> bool:
    """Whether a game of these options looks at earlier positions."""
    return getattr(TABLES[game.name], "history_matters", lambda options: False)(game.options)


def position_of(game: Any, state: Any) -> str:
    """The position text without what it says of earlier positions."""
    return getattr(TABLES[game.name], "without_history", lambda text: text)(game.to_string(state))


# --------------------------------------------------------------------------------------------------------------- random play


@lru_cache(None)
def random_game(game: Any, seed: int, most: int = 400) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The states of one game between uniformly random players (drawn from `legal_actions`), and the actions between them."""
    rng = np.random.default_rng(seed)
    states, actions = [game.init(rng=rng)], []
    while not game.is_terminal(states[-1]) and len(actions) < most:
        legal = game.legal_actions(states[-1])
        actions.append(legal[int(rng.integers(len(legal)))])
        states.append(game.step(states[-1], actions[-1]))
    return tuple(states), tuple(actions)


@lru_cache(None)
def random_states(game: Any, games: int = 12) -> tuple[Any, ...]:
    """States of several random games, starts, ends and rare ones among them."""
    return tuple(state for seed in range(games) for state in random_game(game, seed)[0])


def mid_game(game: Any, batch_size: int, seed: int = 0, plies: int = 24) -> Any:
    """A batch of games of different age; some have ended, as in a batch that is being reset. Finished ones restart."""
    rng = np.random.default_rng(seed)
    states = game.init(batch_size, rng=rng)
    for ply in range(plies):
        states = game.step(states, game.sample(states, rng))
        if ply < plies - 3:
            states = game.where(game.is_terminal(states), game.init(batch_size, rng=rng), states)
    return states


# ------------------------------------------------------------------------------------------------------------ looking into states


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every word of a state by name, histories spelled out game by game: what can be compared and copied."""
    if isinstance(value, PastBatch):
        yield path + ".lengths", value.lengths
        yield path + ".games", [tuple(value.one(i)) for i in range(len(value))]
    elif isinstance(value, tuple):
        for name, part in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            yield from leaves(part, f"{path}.{name}")
    else:
        yield path, value


def frozen(state: Any) -> list[tuple[str, Any]]:
    """A deep copy of all words of a state."""
    return [(path, leaf.copy() if isinstance(leaf, np.ndarray) else leaf) for path, leaf in leaves(state)]


def assert_same(a: Any, b: Any) -> None:
    """Two states (or frozen copies) are the same in kind, types and every word, histories included."""
    a, b = (list(leaves(x)) if isinstance(x, tuple) else x for x in (a, b))
    assert [path for path, _ in a] == [path for path, _ in b]
    for (path, x), (_, y) in zip(a, b, strict=True):
        assert type(x) is type(y), path
        if isinstance(x, np.ndarray):
            assert x.dtype == y.dtype, path
            assert x.shape == y.shape, path
            assert np.array_equal(x, y), path
        else:
            assert x == y, path


def write_protect(state: Any) -> None:
    """Makes any write on an array of a batch an error."""
    for _, leaf in leaves(state):
        if isinstance(leaf, np.ndarray):
            leaf.flags.writeable = False


@contextmanager
def before_line(module: ModuleType, line: int, come_in: Callable[[], object]) -> Iterator[None]:
    """Calls a function before one of the lines of a module that are run meanwhile, counted from 0; not if there are fewer."""
    left = line

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != module.__file__:
            return None
        if event == "line":
            left -= 1
            if left < 0:
                sys.settrace(None)
                come_in()
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)


def outcome_of(game: Any, state: Any) -> Any:
    """The outcome of one game as the conformance data write it."""
    if not game.is_terminal(state):
        return None
    rewards = game.rewards(state)
    return "draw" if rewards == (0.0, 0.0) else rewards.index(1.0)


def outcomes_of(game: Any, states: Any) -> list[Any]:
    """The same for a batch."""
    ended, rewards = game.is_terminal(states), game.rewards(states)
    return [None if not e else "draw" if not r.any() else int(r.argmax()) for e, r in zip(ended, rewards, strict=True)]


# ------------------------------------------------------------------------------------------------------------- recorded games


def recorded_games(name: str) -> list[dict[str, Any]]:
    """The records of a game, from the reference implementation."""
    path = CONFORMANCE / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def by_options(records: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Records by the text of their options."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        groups[json.dumps(record["options"], sort_keys=True)].append(record)
    return groups


def recorded_game_of(record: dict[str, Any]) -> Any:
    """The game of a record. An option that no sheet lists is an error, also where a record names it."""
    name, options = record["game"], dict(record["options"])
    for option, fixed in getattr(TABLES[name], "UNLISTED", {}).items():
        if option in options:
            with pytest.raises(TypeError, match=option):
                DOORS[name].game(**options)
            assert options.pop(option) == fixed
    return game_of(name, options)


def play_in_lockstep(game: Any, records: list[dict[str, Any]]) -> None:
    """Recorded games with the same options as one batch. Games that have ended stay in it; those cut off leave it."""
    # a file's games twice over, so that even a lone game shares its batch
    records = records * 2 if len(records) == 1 else records
    states = game.stack([game.from_string(record["start"]) for record in records])
    for ply in range(max(len(record["plies"]) for record in records) + 2):
        if not records:
            break
        masks, players, outcomes = game.action_mask(states), game.current_player(states), outcomes_of(game, states)
        actions = []
        for i, record in enumerate(records):
            one = game.take(states, i)
            if ply < len(record["plies"]):
                expected = record["plies"][ply]
                assert game.to_string(one) == expected["position"]
                assert players[i] == expected["to_move"]
                assert np.flatnonzero(masks[i]).tolist() == expected["legal"]
                assert outcomes[i] is None
                actions.append(game.string_to_action(one, expected["action"]))
            else:
                assert game.to_string(one) == record["final"]
                assert outcomes[i] == record["outcome"]
                assert masks[i].any() == (record["outcome"] is None)
                actions.append(0)
        going = [i for i, record in enumerate(records) if ply < len(record["plies"]) or record["outcome"] is not None]
        states, records = game.take(states, np.array(going, np.int64)), [records[i] for i in going]
        states = game.step(states, np.array(actions)[going])


def follow_reference(
    game: Any, reference: Any, singles: list[Any], positions: list[Any], sides: str, seed: int, most: int = 10**9
) -> None:
    """Random games as a batch, on ints and by a cell-by-cell reference, compared at every ply.

    singles, positions: where they start, for the library and for the reference.
    sides: the letters of player_0 and player_1.
    most: stop after so many plies.
    """
    rng = np.random.default_rng(seed)
    states = game.stack(singles)
    for _ in range(most):
        outcomes, masks, players = outcomes_of(game, states), game.action_mask(states), game.current_player(states)
        actions = []
        for i, position in enumerate(positions):
            legal = reference.actions(position)
            text = reference.to_string(position)
            assert game.to_string(game.take(states, i)) == game.to_string(singles[i]) == text
            assert np.flatnonzero(masks[i]).tolist() == list(game.legal_actions(singles[i])) == list(legal.values()), text
            assert outcomes[i] == outcome_of(game, singles[i]) == reference.outcome(position), text
            assert players[i] == sides.index(position.side)
            if not legal:
                actions.append(0)
                continue
            chosen = list(legal)[int(rng.integers(len(legal)))]
            assert game.action_to_string(singles[i], legal[chosen]) == chosen
            assert game.string_to_action(singles[i], chosen) == legal[chosen]
            actions.append(legal[chosen])
            positions[i] = reference.play(position, chosen)
            singles[i] = game.step(singles[i], legal[chosen])
        states = game.step(states, np.array(actions))
        keep = [i for i, outcome in enumerate(outcomes) if outcome is None]
        if not keep:
            return
        states = game.take(states, keep)
        singles, positions = [singles[i] for i in keep], [positions[i] for i in keep]
