"""Bradley-Terry ratings with a first-player advantage, on the Elo scale, and their bootstrap intervals.

The model: player_0 of rating r scores ``1 / (1 + 10 ** -((r - s + advantage) / 400))`` against player_1 of rating s (Bradley and
Terry 1952; the advantage as Davidson and Beaver 1977 have it). A draw counts as half a win and half a loss.

The prior: as if each pair had drawn one more game, half of it in each seat. So a score of 100 % has a finite rating, and a
thousand games a pair hardly feel it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["PRIOR", "fit", "resample"]

PRIOR = 0.5
"""Drawn games added to the games of a pair in each seat."""

ELO = 400 / np.log(10)
"""Elo points in a unit of log odds."""

Floats = NDArray[np.float64]


def fit(pairs: NDArray[np.int64], points: Floats, games: Floats) -> tuple[Floats, Floats]:
    """Ratings and first-player advantages of many outcomes of one tournament: Elo ``[K, agents]``, agent 0 at 0, and ``[K]``.

    pairs: ``[C, 2]``, the agents, by number, that are player_0 and player_1 in each of C kinds of games; every two agents meet
        in both seats.
    points: ``[K, C]``, wins of player_0 and half its draws.
    games: ``[C]``
    """
    kinds, agents = np.arange(len(pairs)), int(pairs.max()) + 1
    # a row of the design is the difference of log odds: agent 0 has no column, the advantage has the last
    design = np.zeros((len(pairs), agents + 1))
    design[kinds, pairs[:, 0]] += 1
    design[kinds, pairs[:, 1]] -= 1
    design[:, agents] = 1
    design = design[:, 1:]
    points, games = points + PRIOR / 2, games + PRIOR
    found = np.zeros((len(points), agents))
    for _ in range(200):
        expected = 1 / (1 + np.exp(-(found @ design.T)))
        slope = (points - games * expected) @ design
        weights = games * expected * (1 - expected)
        curvature = np.einsum("kc,ci,cj->kij", weights, design, design)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        # far from the optimum Newton's step may overshoot: no component goes further than one unit at a time
        step /= np.maximum(1, np.abs(step).max(1, keepdims=True))
        found = found + step
        if np.abs(step).max() < 1e-10:
            break
    found = found * ELO
    return np.concatenate([np.zeros((len(found), 1)), found[:, :-1]], 1), found[:, -1]


def resample(counts: NDArray[np.int64], times: int, rng: np.random.Generator) -> Floats:
    """Points ``[times, C]`` of tournaments that might have been: the games of each kind drawn anew from those that were played.

    counts: ``[C, 3]``, wins, draws and losses of player_0.

    The prior's game is among those drawn from, as half a win and half a loss, so that who has won every game has an interval too.
    """
    games = counts.sum(1)
    shares = (counts + np.array([PRIOR / 2, 0, PRIOR / 2])) / (games + PRIOR)[:, None]
    drawn = rng.multinomial(games, shares, (times, len(games)))
    return drawn[:, :, 0] + drawn[:, :, 1] / 2
