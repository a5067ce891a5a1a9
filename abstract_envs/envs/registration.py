"""Makes a game known to PettingZoo and to gymnasium under the name ``abstract_envs/<game>-v<version>``."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any

import gymnasium
import pettingzoo

from abstract_envs.envs.aec import GuardedEnv

__all__ = ["register"]


def register(door: ModuleType) -> None:
    """Registers the game behind a door, the module ``<game>_v<version>``; nothing where it is registered already."""
    package, _, name = door.__name__.rpartition(".")
    env_id = f"{package}/{re.sub(r'_v(?=[0-9]+$)', '-v', name)}"
    if env_id not in gymnasium.registry:
        gymnasium.register(
            env_id,
            entry_point=f"{door.__name__}:learner_env",
            vector_entry_point=f"{door.__name__}:learner_vector_env",
        )
    if env_id not in pettingzoo.aec_registry:

        def env(max_cycles: int | None = None, **options: Any) -> GuardedEnv:
            # pettingzoo.make gives the default below, the user's number, or, for its -1, nothing: no limit
            return door.env(**{"max_plies": max_cycles} | options)

        limit = inspect.signature(door.env).parameters["max_plies"].default
        pettingzoo.register("aec", env_id, env, max_cycles=limit)
