"""The four functions of every game's door: options, what is refused and how it says so, help."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from abstract_envs.agents import arena, evaluate, judge_moves, mean_regret, states_with_regret
from abstract_envs.envs.aec import GuardedEnv, RawEnv
from abstract_envs.envs.vector import VectorEnv
from abstract_envs.perft import divide, perft
from abstract_envs.records import GameRecord
from env_cases import Case, all_cases, all_doors
from helpers import DOORS, rows_of_tables

PICTURES = ("width", "height", "theme", "coordinates", "legal_moves")
OWN = {
    "env": ("render_mode", "max_plies", *PICTURES),
    "raw_env": ("render_mode", "max_plies", *PICTURES),
    "vector_env": ("num_envs", "max_plies", "autoreset_mode", "backend", "workers"),
    "game": (),
    "learner_env": ("render_mode", "max_plies", "opponent", "seat", "mirror", *PICTURES),
    "learner_vector_env": ("num_envs", "max_plies", "autoreset_mode", "opponent", "seat", "mirror", "render_mode"),
}
all_functions = pytest.mark.parametrize("function", OWN)
four_functions = pytest.mark.parametrize("function", ["env", "raw_env", "vector_env", "game"])


def name_of(door: Any) -> str:
    return door.__name__.rpartition(".")[2].rpartition("_v")[0]


def call(door: Any, function: str, **options: Any) -> Any:
    return getattr(door, function)(*((2,) if "num_envs" in OWN[function] else ()), **options)


def rules_of(made: Any) -> Any:
    return made if not hasattr(made, "game") else made.game


@all_doors
@all_functions
def test_unknown_options(door: Any, function: str) -> None:
    allowed = (*OWN[function], *door.game().options)
    for names in (("nonsense",), ("maxplies", "nonsense"), ("_state",), ("name",), ("board",)):
        with pytest.raises(TypeError) as caught:
            call(door, function, **dict.fromkeys(names, 1))
        message = str(caught.value)
        assert f"{function}()" in message
        assert name_of(door) in message
        for name in (*names, *allowed):
            assert name in message
    if "max_plies" in allowed:
        with pytest.raises(TypeError, match=r"'max_ply' .did you mean 'max_plies'"):
            call(door, function, max_ply=3)
    else:
        with pytest.raises(TypeError, match="no option 'max_plies'"):
            door.game(max_plies=3)
    assert ("it has no options" in message) == (not allowed)
    assert ("its options are" in message) == bool(allowed)
    for other in {"render_mode", "num_envs", "autoreset_mode"} - set(OWN[function]):
        with pytest.raises(TypeError, match=f"no option '{other}'"):
            call(door, function, **{other: None})


@all_doors
@all_functions
def test_unknown_options_come_first(door: Any, function: str) -> None:
    """A name that is wrong is said before values that are."""
    bad = {name: object() for name in door.game().options}
    with pytest.raises(TypeError, match="'nonsense'"):
        call(door, function, nonsense=1, **bad)


@all_doors
def test_num_envs_is_required(door: Any) -> None:
    with pytest.raises(TypeError, match=r"^vector_env\(\) missing .*'num_envs'"):
        door.vector_env()


@all_functions
@pytest.mark.parametrize(("name", "row"), rows_of_tables("BAD_OPTIONS"))
def test_bad_values(name: str, row: Any, function: str) -> None:
    options, parts = row
    with pytest.raises(ValueError, match="|".join(options)) as caught:
        call(DOORS[name], function, **options)
    for part in parts:
        assert part in str(caught.value)


@all_cases
@four_functions
def test_numpy_values(case: Case, function: str) -> None:
    """NumPy's whole numbers and bools count as Python's, and become Python's."""
    game = case.game()
    kinds: dict[type, tuple[Any, ...]] = {int: (np.int64, np.uint8, np.array), bool: (np.bool_,)}
    for i in range(3):
        given = {
            key: kinds[type(value)][i % len(kinds[type(value)])](value) if type(value) in kinds else value
            for key, value in game.options.items()
        }
        rules = rules_of(call(case.door, function, **given))
        assert rules == game
        assert hash(rules) == hash(game)
        assert [type(value) for value in rules.options.values()] == [type(value) for value in game.options.values()]


@all_doors
def test_numpy_limits(door: Any) -> None:
    for number in (np.int32(4), np.uint64(4), np.array(4)):
        assert door.env(max_plies=number).max_plies == 4
        venv = door.vector_env(number, max_plies=number)
        assert (venv.num_envs, venv.max_plies) == (4, 4)
        assert type(venv.num_envs) is type(venv.max_plies) is int


@all_cases
@four_functions
def test_options_arrive(case: Case, function: str) -> None:
    made = call(case.door, function, **case.options)
    kinds = {"env": GuardedEnv, "raw_env": RawEnv, "vector_env": VectorEnv, "game": type(case.game())}
    assert type(made) is kinds[function]
    assert rules_of(made) == case.game()
    assert {key: case.game().options[key] for key in case.options} == case.options
    if function != "game":
        assert made.max_plies == type(case.game()).default_max_plies
        assert call(case.door, function, **case.options, max_plies=5).max_plies == 5
        assert call(case.door, function, **case.options, max_plies=None).max_plies is None


@all_doors
@all_functions
def test_signature(door: Any, function: str) -> None:
    parameters = inspect.signature(getattr(door, function)).parameters
    options = {field.name: field for field in fields(door.game())}
    assert tuple(parameters) == (*OWN[function], *options)
    for name, field in options.items():
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default == field.default
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    for name in ("render_mode", "max_plies", "autoreset_mode"):
        if name in parameters:
            assert parameters[name].default is not inspect.Parameter.empty
    with pytest.raises(TypeError):
        getattr(door, function)(*range(9))


@all_doors
@all_functions
def test_help(door: Any, function: str) -> None:
    text = pydoc.plain(pydoc.render_doc(getattr(door, function)))
    assert f"function {function} in module {door.__name__}" in text
    for name in (*OWN[function], *door.game().options):
        assert name in text
    assert getattr(door, function).__doc__
    page = pydoc.plain(pydoc.render_doc(door))
    for name in (*door.game().options, "env", "raw_env", "vector_env", "game"):
        assert name in page


@all_doors
@all_functions
def test_functions_can_be_pickled(door: Any, function: str) -> None:
    """Worker processes are given functions that make environments."""
    made = getattr(door, function)
    assert pickle.loads(pickle.dumps(made)) is made
    assert copy.deepcopy(made) is made


@all_doors
def test_doors_are_apart(door: Any) -> None:
    """Two environments share nothing that one of them changes."""
    one, other = door.env(), door.env()
    one.metadata["name"] = "mine"
    one.possible_agents.clear()
    assert other.metadata["name"] == f"{name_of(door)}_v0"
    assert other.possible_agents == ["player_0", "player_1"]
    one.reset(seed=1)
    assert not hasattr(other, "agents")


OTHERS = ("record", "record of actions", "regret", "states with regret", "worth of moves")


@pytest.mark.parametrize("use", ["evaluate", "arena", "perft", "divide", *OTHERS])
def test_a_module_is_no_game(use: str) -> None:
    """The likeliest slip: `inphexion_v0` where `inphexion_v0.game()` is meant."""
    rng, door = np.random.default_rng(0), DOORS["inphexion"]
    calls: dict[str, Callable[[Any], object]] = {
        "evaluate": lambda game: evaluate(game, "random", "greedy", 4, rng),
        "arena": lambda game: arena(game, ["random", "greedy"], 4, rng),
        "perft": lambda game: perft(game, 1),
        "divide": lambda game: divide(game, 1),
        "record": lambda game: GameRecord(game=game, actions=()),
        "record of actions": lambda game: GameRecord.of(game, []),
        "regret": lambda game: mean_regret(game, "random", (), rng),
        "states with regret": lambda game: states_with_regret(game, 4, rng),
        "worth of moves": lambda game: judge_moves(game, ()),
    }
    with pytest.raises(TypeError, match=r"game is the module inphexion_v0; it is the rules, as inphexion_v0\.game\(\)"):
        calls[use](door)
    for game in ("inphexion", type(door.game()), None):
        with pytest.raises(TypeError, match=rf"^game is {re.escape(repr(game))}; it is the rules, as the function game\(\) of a"):
            calls[use](game)
