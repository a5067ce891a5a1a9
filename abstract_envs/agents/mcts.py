"""Monte Carlo tree search: UCT, or PUCT where an evaluator gives priors.

A batch is searched as a `forest`, all trees at once; one state as a tree on ints (`uct`). Both follow

    UCT   (value + v) / (n + 1) + exploration * sqrt(log(N) / (n + 1))
    PUCT  (value + v) / (n + 1) + exploration * prior * sqrt(N) / (n + 1)

where N and n count the visits of a node and of the edge, value is the sum of what the edge found and v the mean of what the node
found, all for the player to act at the node: an edge begins as if it had been followed once and found what its node is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.forest import Evaluated, Forest
from abstract_envs.agents.random import one_of_each
from abstract_envs.agents.rollouts import rollouts, rollouts_one
from abstract_envs.agents.uct import OneTree
from abstract_envs.core.game import Game
from abstract_envs.core.options import real_number, whole_number

__all__ = ["Evaluator", "MCTSAgent", "Search"]

Evaluator: TypeAlias = Callable[[Game[Any], Any], Evaluated]
"""What a batch of running games is worth: priors, ``float[B, A]`` or None, and values by player, ``float[B, 2]`` from -1 to 1.

Priors are not negative; those of illegal actions do not matter, nor does their sum.
"""


class Search(NamedTuple):
    """What is known of the moves of a batch of states after a search; A actions, legal or not."""

    visits: NDArray[np.int64]
    """``[B, A]``"""
    action_values: NDArray[np.float64]
    """``[B, A]``: the mean for the player to act; inf where a move is known to win, -inf to lose, nan not visited or illegal."""
    values: NDArray[np.float64]
    """``[B, 2]``: the mean by player; 1 and -1 where the result is known."""
    legal: NDArray[np.bool_]
    """``[B, A]``"""

    def choose(self, temperature: float, rng: np.random.Generator) -> NDArray[np.int64]:
        """A move for each state, ``int64[B]``: one known to win, or none known to lose, as far as there is one.

        temperature: 0 takes the most visited (of these the one with the greatest value, then a random one); T draws in
        proportion to visits ** (1 / T).
        """
        lost, won = self.action_values == -np.inf, self.action_values == np.inf
        usable = self.legal & ~lost
        usable = np.where(usable.any(1, keepdims=True), usable, self.legal)
        usable = np.where(won.any(1, keepdims=True), won, usable)
        visits = np.where(usable, self.visits, 0)
        most = visits.max(1, keepdims=True)
        weights = np.where(most > 0, visits / np.maximum(most, 1), usable)  # no visit: say, all visited moves lose
        if temperature > 0:
            weights = weights ** (1 / temperature)
            ends = weights.cumsum(1)
            return (ends > rng.random((len(ends), 1)) * ends[:, -1:]).argmax(1)
        best = weights == 1
        values = np.where(best, np.nan_to_num(self.action_values, posinf=1, neginf=-1), -2)
        return one_of_each(values == values.max(1, keepdims=True), rng)


class MCTSAgent:
    """Looks ahead by simulations: the more, the stronger and the slower.

    simulations: for every choice, in each state.
    exploration: the weight of moves that have been looked at little.
    rollouts, rollout_limit: a leaf is worth the mean of so many random games, cut off after so many plies (then
    `Game.potential` counts, 0 in most games).
    evaluator: what tells the worth of leaves in place of rollouts, see `Evaluator`.
    temperature: of the choice, see `Search.choose`.
    leaves: how many leaves of each tree are evaluated together; more is faster, in small batches much faster, and looks a little
    less well. For batches only.

    ValueError for an option that makes no sense.
    """

    def __init__(
        self,
        simulations: int = 100,
        exploration: float = 1.0,
        rollouts: int = 1,
        rollout_limit: int = 60,
        evaluator: Evaluator | None = None,
        temperature: float = 0.0,
        leaves: int = 4,
    ) -> None:
        self.simulations = whole_number("simulations", simulations, 1)
        self.exploration = real_number("exploration", exploration, 0)
        self.rollouts = whole_number("rollouts", rollouts, 1)
        self.rollout_limit = whole_number("rollout_limit", rollout_limit, 1)
        if evaluator is not None and not callable(evaluator):
            raise ValueError(f"evaluator is {evaluator!r}; it is a function of a game and a batch of states, or None")
        self.evaluator = evaluator
        self.temperature = real_number("temperature", temperature, 0)
        self.leaves = whole_number("leaves", leaves, 1)

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of a batch of states: ``int64[B]``."""
        return self.search(game, states, rng).choose(self.temperature, rng)

    def act_one(self, game: Game[Any], state: Any, rng: np.random.Generator) -> int:
        """A legal action for one state, searched on ints."""
        return int(self.search_one(game, state, rng).choose(self.temperature, rng)[0])

    def search(self, game: Game[Any], states: Any, rng: np.random.Generator) -> Search:
        """What the simulations find in a batch of states, none of which has ended."""

        def evaluate(leaves: Any) -> Evaluated:
            if self.evaluator is None:
                return None, rollouts(game, leaves, rng, self.rollouts, self.rollout_limit)
            return _checked(game, leaves, self.evaluator(game, leaves))

        forest = Forest(game, states, evaluate, rng.permutation(game.num_actions), self.exploration, self.leaves)
        forest.simulate(self.simulations)
        trees, edges = forest.of_roots()
        actions = forest.edges.action[edges]
        found = _nothing(game, game.action_mask(states) != 0)
        found.visits[trees, actions] = forest.edges.visits[edges]
        found.action_values[trees, actions] = _means(forest.edges.value[edges], forest.edges.visits[edges])
        size = len(found.values)
        players = forest.nodes.player[:size]
        found.values[:] = forest.nodes.value[:size] / forest.nodes.visits[:size, None]
        return _with_proofs(found, players)

    def search_one(self, game: Game[Any], state: Any, rng: np.random.Generator) -> Search:
        """The same for one state, found on ints: a batch of one. ``leaves`` is not used."""

        def evaluate(leaf: Any) -> tuple[Sequence[float] | None, Sequence[float]]:
            if self.evaluator is None:
                return None, rollouts_one(game, leaf, rng, self.rollouts, self.rollout_limit)
            leaves = game.stack([leaf])
            priors, values = _checked(game, leaves, self.evaluator(game, leaves))
            return None if priors is None else priors[0].tolist(), values[0].tolist()

        rank = rng.permutation(game.num_actions).argsort().tolist()
        tree = OneTree(game, state, evaluate, rank, self.exploration)
        tree.simulate(self.simulations)
        root = tree.root
        found = _nothing(game, (game.action_mask(state) != 0)[None])
        found.visits[0, root.actions] = root.counts
        found.action_values[0, root.actions] = _means(np.array(root.sums), np.array(root.counts))
        found.values[0] = np.array(root.value) / root.visits
        return _with_proofs(found, np.array([root.player]))


def _checked(game: Game[Any], states: Any, found: Any) -> Evaluated:
    """What an evaluator has found; ValueError if it is not what one finds."""
    size = game.batch_size(states)
    if not isinstance(found, tuple) or len(found) != 2:
        kind = type(found).__name__
        raise ValueError(f"the evaluator returns {kind}; it returns priors (float[B, A] or None) and values (float[B, 2])")
    priors, values = found
    values = np.asarray(values)
    if values.shape != (size, 2) or not np.isfinite(values).all():
        shape = values.shape
        raise ValueError(f"the evaluator's values have the shape {shape}; they are finite numbers by player, float[{size}, 2]")
    if priors is not None:
        priors = np.asarray(priors)
        if priors.shape != (size, game.num_actions) or not (np.isfinite(priors) & (priors >= 0)).all():
            raise ValueError(
                f"the evaluator's priors have the shape {priors.shape}; they are finite numbers from 0 up, "
                f"float[{size}, {game.num_actions}], or None"
            )
    return priors, values


def _nothing(game: Game[Any], legal: NDArray[np.bool_]) -> Search:
    return Search(np.zeros(legal.shape, np.int64), np.full(legal.shape, np.nan), np.zeros((len(legal), 2)), legal)


def _means(sums: NDArray[np.float64], visits: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(visits > 0, sums / np.maximum(visits, 1), np.nan)


def _with_proofs(found: Search, players: NDArray[Any]) -> Search:
    """With the values of states whose result is known."""
    won = (found.action_values == np.inf).any(1)
    lost = (found.action_values == -np.inf).sum(1) == found.legal.sum(1)
    for known, sign in ((won, 1.0), (lost, -1.0)):
        rows = np.flatnonzero(known)
        found.values[rows, players[rows]] = sign
        found.values[rows, 1 - players[rows]] = -sign
    return found
