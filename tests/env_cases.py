"""What the tests of the environments share: which games with which options, random play, and ways to compare environments."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from helpers import DOORS, TABLES, game_of, label

AGENTS = ("player_0", "player_1")


class Case(NamedTuple):
    """A game's door, with options."""

    door: Any
    options: dict[str, Any]

    def env(self, **more: Any) -> Any:
        return self.door.env(**self.options, **more)

    def raw_env(self, **more: Any) -> Any:
        return self.door.raw_env(**self.options, **more)

    def vector_env(self, num_envs: int, **more: Any) -> Any:
        return self.door.vector_env(num_envs, **self.options, **more)

    def game(self) -> Any:
        return self.door.game(**self.options)


def _lasts(game: Any) -> bool:
    """Whether most games go on for a few plies, as the tests need it."""
    rng = np.random.default_rng(0)
    one, batch = game.init(rng=rng), game.init(50, rng=rng)
    for _ in range(4):
        one, batch = game.step(one, game.legal_actions(one)[0]), game.step(batch, game.sample(batch, rng))
        if game.is_terminal(one) or game.is_terminal(batch).mean() > 0.2:
            return False
    return True


def _options(name: str) -> list[dict[str, Any]]:
    """The defaults and the next three sets of options in a game's table, which `test_conformance` makes sure of."""
    table = TABLES[name].OPTIONS[:4] if name in TABLES else [{}]
    return [options for options in table if _lasts(game_of(name, options))]


all_cases = pytest.mark.parametrize(
    "case",
    [pytest.param(Case(door, options), id=label(name, options)) for name, door in DOORS.items() for options in _options(name)],
)
all_doors = pytest.mark.parametrize("door", [pytest.param(door, id=name) for name, door in DOORS.items()])


# ----------------------------------------------------------------------------------------------------------- playing


def legal(env: Any) -> list[int]:
    """The legal actions, from the rules and not from the mask."""
    return list(env.unwrapped.game.legal_actions(env.unwrapped.game_state))


def illegal(env: Any) -> int:
    """An action of the action space that is illegal now."""
    return min(set(range(env.unwrapped.game.num_actions)) - set(legal(env)))


def over(env: Any) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def play(env: Any, rng: np.random.Generator, plies: int | None = None) -> list[int]:
    """Random play to the end, or so many plies; the actions."""
    actions: list[int] = []
    while not over(env) and len(actions) != plies:
        actions.append(int(rng.choice(legal(env))))
        env.step(actions[-1])
    return actions


def mid_game(case: Case, plies: int = 3, make: Callable[..., Any] | None = None, **more: Any) -> Any:
    """An environment some random plies into a game that has not ended."""
    env = (make or case.env)(**more)
    for seed in range(100):
        env.reset(seed=seed)
        play(env, np.random.default_rng(seed), plies)
        if not over(env):
            return env
    raise AssertionError("no running game found")


def position_text(case: Case, ended: bool) -> str:
    """The text of a position that has ended, or of one in the middle of a game."""
    env = case.env(max_plies=None) if ended else mid_game(case)
    if not ended:
        return env.game.to_string(env.game_state)
    for seed in range(100):
        env.reset(seed=seed)
        play(env, np.random.default_rng(seed))
        text = env.game.to_string(env.game_state)
        if env.game.is_terminal(env.game.from_string(text)):  # not by repetition, which a text does not show
            return text
    raise AssertionError("no ended position found")


# --------------------------------------------------------------------------------------------------------- comparing


class Identical:
    """Equal to the same object only."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identical) and self.value is other.value

    def __repr__(self) -> str:
        return f"Identical({self.value!r})"


def plain(value: Any) -> Any:
    """A value as a copy that compares by ``==``, arrays with dtype and shape; objects of other kinds by identity."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if type(value) in (tuple, list):
        return type(value)(plain(item) for item in value)
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    return Identical(value)


def everything(env: Any) -> dict[str, Any]:
    """All that an environment holds, private fields included; states by identity and by value."""
    held = {key: plain(value) for key, value in vars(env).items()}
    if "_state" in vars(env):
        held["words"] = pickle.dumps(tuple(env.game_state))
        held["text"] = env.game.to_string(env.game_state)
    return held


def attempt(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[str, Any]:
    """("value", plain result) or ("error", type of the exception)."""
    try:
        return "value", plain(function(*args, **kwargs))
    except Exception as error:  # whatever it is, it is compared
        return "error", type(error)


def facts(env: Any) -> dict[str, Any]:
    """What anybody can ask an environment, errors included."""
    names = ("agents", "num_agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
    found = {name: attempt(getattr, env, name) for name in names}
    found |= {f"observe {agent}": attempt(env.observe, agent) for agent in (*AGENTS, "player_2")}
    found["last"] = attempt(env.last)
    found["last without observation"] = attempt(env.last, False)
    found["state"] = attempt(env.state)
    game = env.unwrapped.game
    found["position"] = attempt(lambda: game.to_string(env.unwrapped.game_state))
    found["legal"] = attempt(lambda: game.legal_actions(env.unwrapped.game_state))
    return found
