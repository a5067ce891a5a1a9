"""Matches between two agents, many games as one batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.agent import AgentLike, resolve
from abstract_envs.agents.members import members_of
from abstract_envs.core.actions import check_actions, named
from abstract_envs.core.bits import check_generator
from abstract_envs.core.game import Game, check_game
from abstract_envs.core.options import whole_number

__all__ = ["Evaluation", "SeatScore", "evaluate"]


@dataclass(frozen=True)
class SeatScore:
    """Games of one agent, in one seat or in both. A draw, and a game cut off by the ply limit, counts half."""

    games: int
    wins: int
    draws: int
    losses: int
    truncated: int
    """Of the draws, games that the ply limit ended."""

    @property
    def score(self) -> float:
        """(wins + draws / 2) / games."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson score interval of the score (a draw counted as half a win and half a loss)."""
        n, p, z = self.games, self.score, 1.959964
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        reach = z / (1 + z * z / n) * float(np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)))
        return centre - reach, centre + reach


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found, from the first agent's side."""

    seats: tuple[SeatScore, SeatScore]
    """The first agent's games as player_0 and as player_1."""
    lengths: NDArray[np.int64] = field(repr=False)
    """Plies of every game."""

    @property
    def both(self) -> SeatScore:
        """The games in both seats."""
        a, b = self.seats
        return SeatScore(a.games + b.games, a.wins + b.wins, a.draws + b.draws, a.losses + b.losses, a.truncated + b.truncated)

    @property
    def score(self) -> float:
        """The first agent's score over both seats."""
        return self.both.score

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        return self.both.interval


def evaluate(
    game: Game[Any],
    a: AgentLike,
    b: AgentLike,
    games: int,
    rng: np.random.Generator,
    max_plies: int | None = None,
    progress: Callable[[int], object] | None = None,
    starts: Any = None,
) -> Evaluation:
    """Plays ``games`` games between two agents, ``a`` being player_0 in every other game, all as one batch.

    Of an `OpponentPool` each game has one member from start to end.

    games: an even number, so that the seats are shared fairly (ValueError otherwise).
    max_plies: cut games off after so many actions and count them as draws; None: the limit of the game's environments.
    progress: called after every ply in which games have ended, with their number.
    starts: where the games begin, a batch of running states (ValueError for others, or another number of them); None: where the
        game does. Agents that draw nothing at random play the same two games again and again from one start: let them begin
        elsewhere, states 2k and 2k + 1 being the same.
    """
    check_game(game)
    games = whole_number("games", games, 2)
    if games % 2:
        raise ValueError(f"games is {games}; it is an even number: the agents alternate seats")
    check_generator(rng)
    limit = game.default_max_plies if max_plies is None else whole_number("max_plies", max_plies, 1)
    agents = [members_of(resolve(agent, game)) for agent in (a, b)]
    members = [agent.draw(games, rng) for agent in agents]
    seat_of_a = np.arange(games) % 2
    states, rows = game.init(games, rng) if starts is None else _checked(game, starts, games), np.arange(games)
    results = np.zeros(games, np.float32)  # of a
    lengths = np.zeros(games, np.int64)
    truncated = np.zeros(games, bool)
    plies = 0
    while len(rows):
        if plies == limit:
            lengths[rows], truncated[rows] = plies, True
            if progress:
                progress(len(rows))
            break
        actions = np.empty(len(rows), np.int64)
        turn_of_b = game.current_player(states) != seat_of_a[rows]
        for who, agent in enumerate(agents):
            acting = np.flatnonzero(turn_of_b == who)
            if len(acting):
                taken = game.take(states, acting)
                chosen = check_actions(agent.act_as(members[who][rows[acting]], game, taken, rng), len(acting))
                legal = game.is_legal(taken, chosen)
                if not legal.all():
                    raise ValueError(f"agent {'ab'[who]} plays {chosen[~legal][0]}, which is not legal in its game")
                actions[acting] = chosen
        states = game.step(states, actions)
        plies += 1
        ended = game.is_terminal(states)
        over, going = np.flatnonzero(ended), np.flatnonzero(~ended)
        results[rows[over]] = game.rewards(states)[over, seat_of_a[rows[over]]]
        lengths[rows[over]] = plies
        if progress and len(over):
            progress(len(over))
        states, rows = game.take(states, going), rows[going]
    return Evaluation((_count(results, truncated, seat_of_a == 0), _count(results, truncated, seat_of_a == 1)), lengths)


def _checked(game: Game[Any], starts: Any, games: int) -> Any:
    if game.batch_size(starts) != games:
        raise ValueError(f"starts are {game.batch_size(starts)} states; there are {games} games, each with one of its own")
    if len(ended := np.flatnonzero(game.is_terminal(starts))):
        raise ValueError(f"starts {named(ended)} have ended; games begin where they can go on")
    return starts


def _count(results: NDArray[np.float32], truncated: NDArray[np.bool_], which: NDArray[np.bool_]) -> SeatScore:
    r = results[which]
    return SeatScore(len(r), int((r > 0).sum()), int((r == 0).sum()), int((r < 0).sum()), int(truncated[which].sum()))
