"""Search trees of many positions at once, in arrays.

A round is one simulation in every tree. Positions are not kept: a round steps copies of the roots down to the leaves, all trees
in step, which costs less than storing states and gives every leaf its history.

Nodes and edges of all trees lie in common arrays, root r being node r. An edge is a legal move of a node; those of a node lie
side by side, and are made when it is first passed, so that the many leaves have none. Values are kept by player, and those of an
edge for the player who chooses it: nothing is said about whose turn comes next.

Proofs: a position in which some move wins at once is won, and is not looked at further. The value of an edge known to win is inf,
of one known to lose -inf. A node with a winning edge is won and a node all of whose edges lose is lost; what is known of a node
is handed up as soon as it is known, so search never passes such a node again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.expand import winning_moves
from abstract_envs.core.game import Game

__all__ = ["Evaluated", "Forest", "RootScore"]

Evaluated: TypeAlias = tuple[NDArray[np.floating[Any]] | None, NDArray[np.floating[Any]]]
"""Priors ``[B, A]`` or None, and values by player ``[B, 2]``."""
RootScore: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
"""See `Forest`."""

_NOBODY = 2
_VALUES = np.array([[1.0, -1.0], [-1.0, 1.0]])


class _Nodes(NamedTuple):
    player: NDArray[np.int8]
    """Who is to act."""
    ended: NDArray[np.bool_]
    visits: NDArray[np.int64]
    value: NDArray[np.float64]
    """``[nodes, 2]``: sum by player."""
    first: NDArray[np.int64]
    """The first edge, -1 while there are none."""
    edges: NDArray[np.int64]
    """How many edges."""
    open: NDArray[np.int64]
    """How many edges are not known to lose."""


class _Edges(NamedTuple):
    action: NDArray[np.int64]
    child: NDArray[np.int64]
    """-1 before the first visit."""
    visits: NDArray[np.int64]
    value: NDArray[np.float64]
    """Sum for the player who chooses; inf, -inf: known to win, to lose."""
    prior: NDArray[np.float64]


_NEW_NODE = _Nodes(*(np.array(x) for x in (np.int8(0), False, 0, (0.0, 0.0), -1, 0, 0)))
_NEW_EDGE = _Edges(*(np.array(x) for x in (0, -1, 0, 0.0, 0.0)))


class _Descent(NamedTuple):
    """The ways that one simulation took, in each tree that it was in, and the leaves where they ended."""

    path: list[tuple[NDArray[np.int64], ...]]
    """(trees, nodes, edges) by depth."""
    trees: NDArray[np.int64]
    """``[K]``"""
    nodes: NDArray[np.int64]
    """``[K]``"""
    states: Any


class Forest:
    """Trees of a batch of R running games.

    evaluate: what leaves are worth.
    order: a permutation of the actions: of edges that look alike the first one is followed.
    exploration: the weight of what has been visited little.
    leaves: how many leaves of a tree are found before they are evaluated. While a way waits for its leaf it counts as lost, so
    that the next one goes elsewhere.
    root_score: of R' trees and the edges of their roots, ``[R', E]``, the scores, ``float[R', E]``, of which the greatest is
    followed: in place of the formula for searches that begin in another way. Rows are padded with edges that are passed over.
    """

    def __init__(
        self,
        game: Game[Any],
        roots: Any,
        evaluate: Callable[[Any], Evaluated],
        order: NDArray[np.int64],
        exploration: float,
        leaves: int = 1,
        root_score: RootScore | None = None,
    ) -> None:
        self._game, self._roots, self._evaluate, self._order, self._exploration = game, roots, evaluate, order, exploration
        self._root_score = root_score
        self._leaves, self._loss = leaves, float(leaves > 1)
        size = game.batch_size(roots)
        self.nodes = _Nodes(*(np.full((size, 2) if new.ndim else size, new) for new in _NEW_NODE))
        self.edges = _Edges(*(np.full(0, new) for new in _NEW_EDGE))
        self._used_nodes, self._used_edges = size, 0
        self._has_priors = False
        self._searched = all_roots = np.arange(size)
        """The trees in which there is something to find out: more than one move, and the result not known."""
        self._back_up([_Descent([], all_roots, all_roots, roots)])
        self._make_edges(all_roots, roots)
        wins = np.zeros((size, game.num_actions), bool)
        wins[winning_moves(game, roots)] = True
        trees, edges = self.of_roots()
        edges = edges[wins[trees, self.edges.action[edges]]]
        self.edges.value[edges], self.edges.visits[edges] = np.inf, 1
        self._searched = self._searched[self.nodes.edges[self._searched] > 1]

    def simulate(self, count: int) -> None:
        """So many simulations in every tree."""
        while count > 0 and len(self._searched):
            self._back_up([self._descend() for _ in range(min(count, self._leaves))])
            count -= self._leaves

    def of_roots(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges of all roots: (which tree, which edge)."""
        count = self.nodes.edges[: self._game.batch_size(self._roots)]
        trees = np.repeat(np.arange(len(count)), count)
        return trees, np.arange(len(trees)) + (self.nodes.first[: len(count)] - count.cumsum() + count)[trees]

    def _descend(self) -> _Descent:
        game, trees = self._game, self._searched
        nodes, states = trees, game.take(self._roots, trees)
        path: list[tuple[NDArray[np.int64], ...]] = []
        found: list[tuple[NDArray[np.int64], NDArray[np.int64], Any]] = []
        while len(trees):
            self._make_edges(nodes, states)
            edges = self._select(nodes, None if path else self._root_score)
            path.append((trees, nodes, edges))
            self.edges.visits[edges] += 1
            self.edges.value[edges] -= self._loss
            states = game.step(states, self.edges.action[edges])
            nodes = self._children(edges)
            leaf = self.nodes.ended[nodes] | (self.nodes.visits[nodes] == 0)
            if leaf.any():
                found.append((trees[leaf], nodes[leaf], game.take(states, leaf)))
                going = np.flatnonzero(~leaf)
                trees, nodes, states = trees[going], nodes[going], game.take(states, going)
        of_trees, of_nodes, of_states = zip(*found, strict=True)
        return _Descent(path, np.concatenate(of_trees), np.concatenate(of_nodes), game.concatenate(of_states))

    def _select(self, nodes: NDArray[np.int64], score: RootScore | None) -> NDArray[np.int64]:
        """The edge to follow from each of some nodes."""
        first, count = self.nodes.first[nodes], self.nodes.edges[nodes]
        place = np.arange(count.max())
        edges = np.minimum(first[:, None] + place, self._used_edges - 1)
        scores = self._score(nodes, edges) if score is None else score(nodes, edges)
        return first + np.where(place < count[:, None], scores, -np.inf).argmax(1)

    def _score(self, nodes: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.float64]:
        """UCT or PUCT of the edges of some nodes: ``float64[N, E]``."""
        visits = self.edges.visits[edges] + 1.0
        # every edge begins with one visit that found what its node is worth so far
        parent = self.nodes.visits[nodes]
        mean = self.nodes.value[nodes, self.nodes.player[nodes]] / parent
        score = (self.edges.value[edges] + mean[:, None]) / visits
        if self._has_priors:
            score += (self._exploration * np.sqrt(parent))[:, None] * self.edges.prior[edges] / visits
        else:
            score += self._exploration * np.sqrt(np.log(parent)[:, None] / visits)
        return score

    def _back_up(self, descents: list[_Descent]) -> None:
        """Evaluates leaves, and counts what was found on the way to them."""
        nodes = np.concatenate([descent.nodes for descent in descents])
        states = descents[0].states if len(descents) == 1 else self._game.concatenate([descent.states for descent in descents])
        values, winners = self._judge(nodes, states)
        stops = np.cumsum([len(descent.nodes) for descent in descents])[:-1]
        for descent, value, winner in zip(descents, np.split(values, stops), np.split(winners, stops), strict=True):
            self._back_up_one(descent, value, winner)

    def _judge(self, nodes: NDArray[np.int64], states: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The values of leaves by player, ``[K, 2]``, and who is known to win there."""
        game = self._game
        ended = game.is_terminal(states)
        values = game.rewards(states).astype(np.float64)
        winners = np.where(values[:, 0] == values[:, 1], _NOBODY, values.argmax(1))
        self.nodes.player[nodes], self.nodes.ended[nodes] = game.current_player(states), ended
        rows, _ = winning_moves(game, states)
        winners[rows] = game.current_player(states)[rows]
        values[rows] = _VALUES[winners[rows]]
        running = np.flatnonzero(~ended & (winners == _NOBODY))
        if len(running):
            nodes, states = (nodes, states) if len(running) == len(nodes) else (nodes[running], game.take(states, running))
            priors, values[running] = self._evaluate(states)
            if priors is not None:
                self._has_priors = True
                self._make_edges(nodes, states, priors)
        return values, winners

    def _back_up_one(self, descent: _Descent, values: NDArray[np.float64], winners: NDArray[np.int64]) -> None:
        leaf_of = np.empty(int(descent.trees.max(initial=0)) + 1, np.int64)
        leaf_of[descent.trees] = np.arange(len(descent.trees))
        self.nodes.visits[descent.nodes] += 1
        self.nodes.value[descent.nodes] += values
        for trees, nodes, edges in reversed(descent.path):
            player, leaf = self.nodes.player[nodes], leaf_of[trees]
            self.nodes.visits[nodes] += 1
            self.nodes.value[nodes] += values[leaf]
            self.edges.value[edges] += values[leaf, player] + self._loss
            known = np.flatnonzero(winners[leaf] != _NOBODY)
            if len(known):
                nodes, edges, leaf = nodes[known], edges[known], leaf[known]
                wins = winners[leaf] == player[known]
                # two ways of a round may lead to the same end: it is counted once
                self.nodes.open[nodes] -= ~wins & np.isfinite(self.edges.value[edges])
                self.edges.value[edges] = np.where(wins, np.inf, -np.inf)
                winners[leaf[~wins & (self.nodes.open[nodes] > 0)]] = _NOBODY
        proven = descent.trees[winners != _NOBODY]
        self._searched = self._searched[~np.isin(self._searched, proven)]

    def _children(self, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """The nodes that edges lead to, made where there are none."""
        nodes = self.edges.child[edges]
        new = np.flatnonzero(nodes < 0)
        first, self._used_nodes = self._used_nodes, self._used_nodes + len(new)
        self.nodes = _Nodes(*(_room(x, self._used_nodes, empty) for x, empty in zip(self.nodes, _NEW_NODE, strict=True)))
        nodes[new] = self.edges.child[edges[new]] = np.arange(first, self._used_nodes)
        return nodes

    def _make_edges(self, nodes: NDArray[np.int64], states: Any, priors: Any = None) -> None:
        """The edges of those of some nodes that have none, with their states and priors."""
        new = np.flatnonzero(self.nodes.first[nodes] < 0)
        if not len(new):
            return
        mask = self._game.action_mask(states if len(new) == len(nodes) else self._game.take(states, new))
        nodes = nodes[new]
        which, places = np.nonzero(mask[:, self._order])
        count = np.bincount(which, minlength=len(nodes))
        first, self._used_edges = self._used_edges, self._used_edges + len(which)
        self.edges = _Edges(*(_room(x, self._used_edges, empty) for x, empty in zip(self.edges, _NEW_EDGE, strict=True)))
        self.edges.action[first : self._used_edges] = self._order[places]
        if priors is not None:
            prior = priors[new[which], self._order[places]].astype(np.float64)
            prior = np.where(np.bincount(which, prior)[which] > 0, prior, 1.0)
            self.edges.prior[first : self._used_edges] = prior / np.bincount(which, prior)[which]
        self.nodes.first[nodes] = first + count.cumsum() - count
        self.nodes.edges[nodes] = self.nodes.open[nodes] = count


def _room(array: NDArray[Any], size: int, new: NDArray[Any]) -> NDArray[Any]:
    """An array with room for ``size`` rows, twice as many if it has to grow."""
    if size <= len(array):
        return array
    grown = np.full((2 * size, *array.shape[1:]), new, array.dtype)
    grown[: len(array)] = array
    return grown
