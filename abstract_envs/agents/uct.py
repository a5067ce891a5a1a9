"""The search tree of one position, on ints. It finds what a `forest` finds with one leaf a round, and proves as is said there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log, sqrt
from typing import Any

from abstract_envs.agents.expand import winning_moves_one
from abstract_envs.core.game import Game

__all__ = ["Node", "OneTree"]


class Node:
    """A position of the tree. Edges, its legal moves, are made when it is first passed."""

    __slots__ = ("actions", "children", "counts", "open", "player", "priors", "result", "state", "sums", "value", "visits")

    def __init__(self, game: Game[Any], state: Any) -> None:
        self.state = state
        self.player: int = state.player
        self.result: tuple[float, float] | None = game.rewards(state) if state.outcome else None
        self.visits = 0
        self.value = [0.0, 0.0]
        self.actions: list[int] = []
        self.children: list[Node | None] = []
        self.counts: list[int] = []
        self.sums: list[float] = []
        self.priors: Sequence[float] | None = None
        self.open = 0


class OneTree:
    """The tree of one running game.

    evaluate: priors of all actions, or None, and the values of both players.
    rank: the place of every action in the order in which edges that look alike are followed.
    """

    def __init__(
        self,
        game: Game[Any],
        state: Any,
        evaluate: Callable[[Any], tuple[Sequence[float] | None, Sequence[float]]],
        rank: Sequence[int],
        exploration: float,
    ) -> None:
        self._game, self._evaluate, self._rank, self._exploration = game, evaluate, rank, exploration
        self.root = Node(game, state)
        self._known = self._back_up([], self.root)
        if not self.root.actions:
            self._make_edges(self.root, None)
        for action in winning_moves_one(game, state):
            edge = self.root.actions.index(action)
            self.root.sums[edge], self.root.counts[edge] = inf, 1

    def simulate(self, count: int) -> None:
        """So many simulations, fewer if the result becomes known; none if there is but one move."""
        if len(self.root.actions) > 1:
            for _ in range(count):
                if self._known:
                    return
                self._known = self._back_up(*self._descend())

    def _descend(self) -> tuple[list[tuple[Node, int]], Node]:
        node, path = self.root, []
        while node.visits and not node.result:
            if not node.actions:
                self._make_edges(node, None)
            edge = self._select(node)
            path.append((node, edge))
            child = node.children[edge]
            if child is None:
                child = node.children[edge] = Node(self._game, self._game.advance_one(node.state, node.actions[edge]))
            node = child
        return path, node

    def _select(self, node: Node) -> int:
        mean = node.value[node.player] / node.visits
        if node.priors is None:
            weight = log(node.visits)
            scores = [
                (value + mean) / (visits + 1) + self._exploration * sqrt(weight / (visits + 1))
                for value, visits in zip(node.sums, node.counts, strict=True)
            ]
        else:
            weight = self._exploration * sqrt(node.visits)
            scores = [
                (value + mean) / (visits + 1) + weight * prior / (visits + 1)
                for value, visits, prior in zip(node.sums, node.counts, node.priors, strict=True)
            ]
        return scores.index(max(scores))

    def _back_up(self, path: list[tuple[Node, int]], leaf: Node) -> bool:
        """Evaluates a leaf, and counts what was found on the way to it; whether the root's result is known now."""
        winner = None
        if leaf.result:
            values: Sequence[float] = leaf.result
            winner = None if values[0] == values[1] else int(values[1] > values[0])
        elif any(True for _ in winning_moves_one(self._game, leaf.state)):
            winner, values = leaf.player, (-1.0, 1.0) if leaf.player else (1.0, -1.0)
        else:
            priors, values = self._evaluate(leaf.state)
            if priors is not None:
                self._make_edges(leaf, priors)
        self._count(leaf, values)
        for node, edge in reversed(path):
            self._count(node, values)
            node.counts[edge] += 1
            if winner is None:
                node.sums[edge] += values[node.player]
            elif winner == node.player:
                node.sums[edge] = inf
            else:
                node.sums[edge] = -inf
                node.open -= 1
                if node.open:
                    winner = None
        return winner is not None

    @staticmethod
    def _count(node: Node, values: Sequence[float]) -> None:
        node.visits += 1
        node.value[0] += values[0]
        node.value[1] += values[1]

    def _make_edges(self, node: Node, priors: Sequence[float] | None) -> None:
        node.actions = sorted(self._game.legal_actions(node.state), key=self._rank.__getitem__)
        node.open = len(node.actions)
        node.children, node.counts, node.sums = [None] * node.open, [0] * node.open, [0.0] * node.open
        if priors is not None:
            given = [priors[action] for action in node.actions]
            given = given if sum(given) > 0 else [1.0] * node.open
            total = sum(given)
            node.priors = [prior / total for prior in given]
