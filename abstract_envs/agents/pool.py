"""Many opponents in place of one, for self-play: a learner that meets only its newest self forgets how to beat the older ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.agent import Agent, AgentLike, resolve
from abstract_envs.agents.members import Members
from abstract_envs.core.actions import check_actions
from abstract_envs.core.game import Game
from abstract_envs.core.options import real_number, whole_number

__all__ = ["OpponentPool"]

HEAVIEST = 1e9
"""The greatest weight: sums stay finite."""


class OpponentPool:
    """Agents of which each game of a batch has one, drawn when it starts: fixed ones, and snapshots of a learner.

    fixed: (agent, weight) of those that stay. A game is given each of them with a chance in proportion to its weight.
    snapshots: how many of the snapshots added are kept. With that many there, a new one takes the place of an old one
        drawn uniformly, so that those kept are of all ages.
    weight: of all snapshots together, once there are some.
    newest: the share of this weight that the newest snapshot has; the others share the rest alike.

    ValueError for numbers out of range, or if no fixed agent has a weight above 0: they play until there are snapshots; and
    for a pool as a member of a pool.
    """

    def __init__(
        self,
        fixed: Sequence[tuple[AgentLike, float]] = (("random", 1.0),),
        snapshots: int = 8,
        weight: float = 4.0,
        newest: float = 0.5,
    ) -> None:
        self._room = whole_number("snapshots", snapshots, 0)
        self._share = real_number("newest", newest, 0, 1)
        self._weight = real_number("weight", weight, 0, HEAVIEST)
        pairs = [_pair(entry) for entry in fixed]
        self._members: list[Agent] = [_member(agent) for agent, _ in pairs]
        self._fixed = np.array([real_number(f"the weight of {agent!r}", chance, 0, HEAVIEST) for agent, chance in pairs])
        if not self._fixed.any():
            raise ValueError("some fixed agent has a weight above 0: it plays until there are snapshots")
        self._newest = -1
        self._games: list[Game[Any]] = []  # that it plays: what snapshots must play, too

    def __len__(self) -> int:
        return len(self._members)

    @property
    def chances(self) -> NDArray[np.float64]:
        """With what chance a game is given each member: the fixed ones, then the snapshots."""
        count = len(self._members) - len(self._fixed)
        snapshots = np.full(count, (1 - self._share) / max(count - 1, 1))
        if count:
            snapshots[self._newest] = self._share if count > 1 else 1.0
        chances = np.concatenate([self._fixed, self._weight * snapshots])
        return chances / chances.sum()

    def check(self, game: Game[Any]) -> None:
        """ValueError for a game that a member cannot play. It is remembered, and members added later are asked, too."""
        for member in self._members:
            resolve(member, game)
        if game not in self._games:
            self._games.append(game)

    def add(self, snapshot: AgentLike, rng: np.random.Generator) -> None:
        """Takes in a snapshot; rng: which one makes room. Games of a batch under way against that one go on with the new.

        ValueError without room, and for what is no agent or cannot play a game that the pool is used for.
        """
        if self._room == 0:
            raise ValueError("this pool has no room for snapshots: snapshots is 0")
        member = _member(snapshot)
        for game in self._games:
            resolve(member, game)
        count = len(self._members) - len(self._fixed)
        if count < self._room:
            self._newest = count
            self._members.append(member)
            return
        # not the newest, unless it is the only one
        place = (self._newest + int(rng.integers(1, count))) % count if count > 1 else 0
        self._newest = place
        self._members[len(self._fixed) + place] = member

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Members for ``count`` games that start: ``int64[count]``."""
        return rng.choice(len(self._members), count, p=self.chances)

    def member(self, number: int) -> Agent:
        """The member of a number that was drawn."""
        return self._members[number]

    def act_as(self, members: NDArray[np.int64], game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """An action for each of a batch of states, by the member given for it: ``int64[B]``."""
        actions = np.empty(len(members), np.int64)
        for member in np.unique(members).tolist():
            rows = np.flatnonzero(members == member)
            actions[rows] = check_actions(self._members[member].act(game, game.take(states, rows), rng), len(rows))
        return actions

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """The same by members drawn anew: for states of which each is another game's."""
        return self.act_as(self.draw(game.batch_size(states), rng), game, states, rng)


def _pair(entry: Any) -> tuple[AgentLike, Any]:
    if not isinstance(entry, tuple | list) or len(entry) != 2:  # pyright: ignore[reportUnknownArgumentType]
        raise ValueError(f"{entry!r} is no fixed agent of a pool; it is an agent and its weight, as in ('random', 1.0)")
    return entry[0], entry[1]


def _member(agent: AgentLike) -> Agent:
    member = resolve(agent, pools=False)
    if isinstance(member, Members):
        raise ValueError(f"{agent!r} is a pool, and no member of one: give its agents, with weights of their own")
    return member
