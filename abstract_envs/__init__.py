"""Reinforcement-learning environments for abstract board games that exist nowhere else in this form.

    from abstract_envs import inphexion_v0
    env = inphexion_v0.env()

Importing the package registers every game with PettingZoo and gymnasium.
"""

from __future__ import annotations

from abstract_envs import inphexion_v0, xahzo_v0
from abstract_envs.envs.registration import register

__version__ = "0.1.0"

GAMES = (inphexion_v0, xahzo_v0)
"""The doors of all games."""

for door in GAMES:
    register(door)
del door, register

__all__ = ["GAMES", "__version__", "inphexion_v0", "xahzo_v0"]
