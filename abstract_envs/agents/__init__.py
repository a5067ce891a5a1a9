"""Opponents, and matches between them.

An agent is anything with a method ``act(game, states, rng)``, or a function of these arguments, that gives a legal action for
every game of a batch. Agents of the library are also known by name.
"""

from __future__ import annotations

from abstract_envs.agents.agent import AGENTS, Agent, AgentLike, act_one, resolve
from abstract_envs.agents.evaluate import Evaluation, SeatScore, evaluate
from abstract_envs.agents.random import RandomAgent

__all__ = ["AGENTS", "Agent", "AgentLike", "Evaluation", "RandomAgent", "SeatScore", "act_one", "evaluate", "resolve"]
