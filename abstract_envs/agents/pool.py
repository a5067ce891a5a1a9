"""Many opponents in place of one, for self-play: a learner that meets only its newest self forgets how to beat the older ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.agent import Agent, AgentLike, resolve
from abstract_envs.core.game import Game
from abstract_envs.core.options import whole_number

__all__ = ["OpponentPool"]


class OpponentPool:
    """Agents of which each game of a batch has one, drawn when it starts: fixed ones, and snapshots of a learner.

    fixed: (agent, weight) of those that stay. A game is given each of them with a chance in proportion to its weight.
    snapshots: how many of the snapshots added are kept. With that many there, a new one takes the place of an old one
        drawn uniformly, so that those kept are of all ages.
    weight: of all snapshots together, once there are some.
    newest: the share of this weight that the newest snapshot has; the others share the rest alike.

    ValueError for numbers out of range, or with neither fixed agents nor room for snapshots.
    """

    def __init__(
        self,
        fixed: Sequence[tuple[AgentLike, float]] = (("random", 1.0),),
        snapshots: int = 8,
        weight: float = 4.0,
        newest: float = 0.5,
    ) -> None:
        self._room = whole_number("snapshots", snapshots, 0)
        if not 0 <= newest <= 1:
            raise ValueError(f"newest is {newest}; it is a share, from 0 to 1")
        if weight < 0 or any(chance < 0 for _, chance in fixed) or not sum(chance for _, chance in fixed) > 0:
            raise ValueError("weights are at least 0, and some fixed agent has one above 0: it plays until there are snapshots")
        self._members: list[Agent] = [resolve(agent) for agent, _ in fixed]
        self._fixed = np.array([chance for _, chance in fixed], float)
        self._weight, self._share = weight, newest
        self._newest = -1

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
        """ValueError for a game that a member cannot play."""
        for member in self._members:
            resolve(member, game)

    def add(self, snapshot: Agent, rng: np.random.Generator) -> None:
        """Takes in a snapshot; rng: which one makes room for it. Games under way against that one go on against the new."""
        if self._room == 0:
            raise ValueError("this pool has no room for snapshots: snapshots is 0")
        count = len(self._members) - len(self._fixed)
        if count < self._room:
            self._newest = count
            self._members.append(snapshot)
            return
        # not the newest, unless it is the only one
        place = (self._newest + int(rng.integers(1, count))) % count if count > 1 else 0
        self._newest = place
        self._members[len(self._fixed) + place] = snapshot

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
            actions[rows] = self._members[member].act(game, game.take(states, rows), rng)
        return actions

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """The same by members drawn anew: for states of which each is another game's."""
        return self.act_as(self.draw(game.batch_size(states), rng), game, states, rng)
