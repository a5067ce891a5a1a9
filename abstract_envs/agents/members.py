"""Agents that are several: of a pool, each game has one member from its start to its end."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.agent import Agent
from abstract_envs.core.game import Game

__all__ = ["Members", "drawn", "members_of"]


@runtime_checkable
class Members(Protocol):
    """Agents of which each game has one; they are known by number."""

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Members for ``count`` games that start: ``int64[count]``."""
        ...

    def member(self, number: int) -> Agent:
        """The member of a number."""
        ...

    def act_as(self, members: NDArray[np.int64], game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """An action for each of a batch of states, by the member given for it: ``int64[B]``."""
        ...


class _Alone:
    """An agent as the only member."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.zeros(count, np.int64)

    def member(self, number: int) -> Agent:
        return self._agent

    def act_as(self, members: NDArray[np.int64], game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        return self._agent.act(game, states, rng)


def members_of(agent: Agent) -> Members:
    """Who plays for an agent in many games: its members, or it alone."""
    return agent if isinstance(agent, Members) else _Alone(agent)


def drawn(agent: Agent, rng: np.random.Generator) -> Agent:
    """Who plays for an agent in one game that starts: a member, or itself."""
    members = members_of(agent)
    return members.member(int(members.draw(1, rng)[0]))
