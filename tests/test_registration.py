"""What `import abstract_envs` makes known to gymnasium and to PettingZoo."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from types import ModuleType
from typing import Any

import gymnasium
import pettingzoo
import pytest
from gymnasium.envs.registration import EnvSpec

import abstract_envs
from abstract_envs.envs.aec import GuardedEnv
from abstract_envs.envs.doors import door as make_door
from abstract_envs.envs.gym import LearnerEnv, LearnerVectorEnv
from abstract_envs.envs.registration import register
from abstract_envs.games.inphexion.drawing import draw
from abstract_envs.games.inphexion.rules import InpHeXion
from env_cases import all_doors

ID = "abstract_envs/inphexion-v0"


def aec(env_id: str, **options: Any) -> Any:
    return pettingzoo.make("aec", env_id, **options)


def vector(env_id: str, **options: Any) -> Any:
    return gymnasium.make_vec(env_id, num_envs=1, **options).unwrapped


def id_of(door: Any) -> str:
    return door.__name__.replace(".", "/").replace("_v0", "-v0")


@all_doors
def test_every_game_is_registered(door: Any) -> None:
    env_id = id_of(door)
    assert isinstance(gymnasium.make(env_id).unwrapped, LearnerEnv)
    assert isinstance(gymnasium.make_vec(env_id, num_envs=2).unwrapped, LearnerVectorEnv)
    env = aec(env_id)
    assert type(env) is GuardedEnv
    assert env.max_plies == door.env().max_plies
    name = door.__name__.rpartition(".")[2]
    assert env.metadata["name"] == name == gymnasium.make(env_id).metadata["name"]


def test_no_other_is() -> None:
    ours = {id_of(door) for door in abstract_envs.GAMES}
    assert {env_id for env_id in gymnasium.registry if env_id.startswith("abstract_envs/")} == ours
    assert {env_id for env_id in pettingzoo.aec_registry if env_id.startswith("abstract_envs/")} == ours


@all_doors
def test_max_cycles_are_max_plies(door: Any) -> None:
    env_id = id_of(door)
    assert aec(env_id, max_cycles=5).max_plies == 5
    assert aec(env_id, max_cycles=-1).max_plies is None
    assert aec(env_id, max_plies=6).max_plies == 6
    made: Any = pettingzoo.spec("aec", env_id).make(max_cycles=7)
    assert made.max_plies == 7
    with pytest.raises(ValueError, match="max_plies is 0"):
        aec(env_id, max_cycles=0)


@pytest.mark.parametrize("limit", [None, 40])
def test_the_limit_of_a_game_is_the_default(limit: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some games have a ply limit unless told otherwise; max_cycles=-1 tells."""

    class Limited(InpHeXion):
        default_max_plies = limit

    module = ModuleType("tests_of_abstract_envs.limited_v3")
    for name, function in make_door(Limited, draw, version=3)._asdict().items():
        setattr(module, name, function)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    env_id = "tests_of_abstract_envs/limited-v3"
    try:
        register(module)
        assert aec(env_id).max_plies == limit
        assert aec(env_id, max_cycles=-1).max_plies is None
        assert vector(env_id).games.max_plies == limit
        assert vector(env_id, max_plies=None).games.max_plies is None
    finally:
        gymnasium.registry.pop(env_id)
        pettingzoo.aec_registry.pop(env_id)


def test_options() -> None:
    env = aec(ID, board_size=5, render_mode="ansi")
    assert env.game.board_size == 5
    assert env.render_mode == "ansi"
    assert gymnasium.make(ID, board_size=5).observation_space.shape == (8, 5, 5)
    for make in (lambda: aec(ID, boardsize=5), lambda: gymnasium.make(ID, boardsize=5)):
        with pytest.raises(TypeError, match="no option 'boardsize'"):
            make()


def test_a_spec_is_text_and_makes_the_same_again() -> None:
    env = gymnasium.make(ID, board_size=5, mirror=True)
    assert env.spec is not None
    again = EnvSpec.from_json(env.spec.to_json()).make()
    assert again.observation_space == env.observation_space


def test_importing_again_is_silent() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for door in abstract_envs.GAMES:
            register(door)
        importlib.reload(abstract_envs)
    assert not caught
    assert not hasattr(abstract_envs, "register")


def test_a_new_process() -> None:
    """`module:id`, gymnasium's way to import what registers an environment; nothing heavy is loaded."""
    code = (
        f"import gymnasium, sys; env = gymnasium.make('abstract_envs:{ID}'); env.reset(seed=0);"
        "print([m for m in ('torch', 'stable_baselines3', 'matplotlib', 'PIL', 'pygame', 'tqdm') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert (run.stdout.strip(), run.stderr) == ("[]", "")
