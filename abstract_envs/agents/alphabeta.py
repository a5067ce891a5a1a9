"""Alpha-beta search on ints, with iterative deepening."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.game import Game
from abstract_envs.core.options import whole_number

__all__ = ["AlphaBetaAgent"]

_WIN = 1000.0
"""What a win is worth, less a point a ply, so that it is not put off; `Game.potential` lies between -1 and 1."""


class AlphaBetaAgent:
    """Looks at every way the game may go, to a depth that grows until the work is done.

    nodes: about so many positions are made for a choice.
    depth: no deeper than so many plies.

    Values are those of one player, the one to choose: at every position the player to act, whoever acted before, is the one who
    chooses or the one who opposes. What has not ended is worth `Game.potential`, 0 in most games.

    For the same CPU time it is stronger than MCTS in Honey Donuts (score .73, 95 % interval .62 to .81) and in XAHZO (.75, .55 to
    .88), and weaker in inpHeXion (.22, .13 to .34); docs/agents.md has the matches, benchmarks/agents.py plays them.

    0 where the game has ended. ValueError for an option that makes no sense.
    """

    def __init__(self, nodes: int = 4000, depth: int = 50) -> None:
        self.nodes = whole_number("nodes", nodes, 1)
        self.depth = whole_number("depth", depth, 1)

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of a batch of states, ``int64[B]``, one state after another."""
        size = game.batch_size(states)
        return np.array([self.act_one(game, game.take(states, i), rng) for i in range(size)], np.int64)

    def act_one(self, game: Game[Any], state: Any, rng: np.random.Generator) -> int:
        """A legal action for one state."""
        return self.search_one(game, state, rng)[0]

    def search_one(self, game: Game[Any], state: Any, rng: np.random.Generator) -> tuple[int, float]:
        """An action, and what it is worth to the player to act: 1000 - n a win in n plies, -1000 + n a loss."""
        return _Search(game, state, self.nodes).deepen(self.depth, rng)


class _NoMoreNodes(Exception):
    pass


class _Search:
    def __init__(self, game: Game[Any], root: Any, nodes: int) -> None:
        self._game, self._root, self._player, self._left = game, root, root.player, nodes
        self._good: dict[tuple[int, int], int] = {}
        """How often a player's action has refuted what came before it, and how deeply: those are tried first."""
        self._horizon = False
        """Whether anything was cut off at the depth; otherwise a deeper search would find the same."""

    def deepen(self, depth: int, rng: np.random.Generator) -> tuple[int, float]:
        legal = self._game.legal_actions(self._root)
        if not legal:
            return 0, self._value(self._root, 0, depth, -inf, inf)
        actions = [legal[i] for i in rng.permutation(len(legal)).tolist()]
        best, value = actions[0], -inf
        for limit in range(1, depth + 1):
            self._horizon = False
            try:
                # the best move so far comes first: if the nodes run out, what is found until then is of use
                found, worth = self._best(actions, limit)
            except _NoMoreNodes:
                break
            best, value = found, worth
            actions = [best, *(action for action in actions if action != best)]
            if abs(value) > 1 or not self._horizon:
                break
        return best, value

    def _best(self, actions: list[int], limit: int) -> tuple[int, float]:
        best, value = actions[0], -inf
        for action in actions:
            worth = self._value(self._step(self._root, action), 1, limit, value, inf)
            if worth > value:
                best, value = action, worth
        return best, value

    def _step(self, state: Any, action: int) -> Any:
        if not self._left:
            raise _NoMoreNodes
        self._left -= 1
        return self._game.advance_one(state, action)

    def _value(self, state: Any, ply: int, limit: int, low: float, high: float) -> float:
        """The value of a position for the player who chooses, exact if it lies between two bounds."""
        if state.outcome:
            return self._game.rewards(state)[self._player] * (_WIN - ply)
        if ply == limit:
            self._horizon = True
            return self._game.potential(state, self._player)
        mine = state.player == self._player
        value = -inf if mine else inf
        for action in self._ordered(state):
            worth = self._value(self._step(state, action), ply + 1, limit, low, high)
            if mine:
                value = max(value, worth)
                low = max(low, value)
            else:
                value = min(value, worth)
                high = min(high, value)
            if low >= high:
                key = state.player, action
                self._good[key] = self._good.get(key, 0) + (limit - ply) ** 2
                break
        return value

    def _ordered(self, state: Any) -> list[int]:
        player, good = state.player, self._good
        return sorted(self._game.legal_actions(state), key=lambda action: -good.get((player, action), 0))
