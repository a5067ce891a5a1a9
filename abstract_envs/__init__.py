"""Reinforcement-learning environments for abstract board games that exist nowhere else in this form.

    from abstract_envs import inphexion_v0
    env = inphexion_v0.env()

Importing the package registers every game with PettingZoo and gymnasium.
"""

from __future__ import annotations

from abstract_envs import alveole_v0, fano330_v0, honey_donuts_v0, inphexion_v0, xahzo_v0
from abstract_envs.envs.registration import register
from abstract_envs.evaluate import evaluate

__version__ = "0.1.0"

GAMES = (inphexion_v0, honey_donuts_v0, fano330_v0, xahzo_v0, alveole_v0)
"""The doors of all games."""

for door in GAMES:
    register(door)
del door, register

__all__ = [
    "GAMES",
    "__version__",
    "alveole_v0",
    "evaluate",
    "fano330_v0",
    "honey_donuts_v0",
    "inphexion_v0",
    "xahzo_v0",
]
