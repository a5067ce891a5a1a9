"""Matches between two agents, under their public name; see `abstract_envs.agents.evaluate`."""

from __future__ import annotations

from abstract_envs.agents.evaluate import Evaluation, SeatScore, evaluate

__all__ = ["Evaluation", "SeatScore", "evaluate"]
