"""A round robin between agents: ratings, the worth of the first move, draws and lengths.

From the command line:

    python -m abstract_envs arena fano330 --agents random perfect
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.agent import AgentLike, resolve
from abstract_envs.agents.evaluate import SeatScore, evaluate
from abstract_envs.agents.ratings import fit, resample
from abstract_envs.core.bits import check_generator
from abstract_envs.core.game import Game, check_game
from abstract_envs.core.options import extra

__all__ = ["Arena", "Pairing", "Rating", "arena"]

BOOTSTRAPS = 1000


@dataclass(frozen=True)
class Rating:
    """A number of Elo points and the ends of its 95 % bootstrap interval."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class Pairing:
    """The games between two agents, counted for the first."""

    first: str
    second: str
    seats: tuple[SeatScore, SeatScore]
    """The first agent's games as player_0 and as player_1."""
    plies: int
    """Of all these games."""


@dataclass(frozen=True)
class Arena:
    """What `arena` found."""

    game: str
    options: dict[str, Any]
    agents: tuple[str, ...]
    pairings: tuple[Pairing, ...]
    """Every two agents, in the order of `agents`."""
    ratings: dict[str, Rating]
    """By agent, the best first. `anchor` is at 0, and so are the ends of its interval."""
    anchor: str
    advantage: Rating
    """What moving first is worth: Elo points that the ratings' model adds to player_0's."""

    @property
    def games(self) -> int:
        """Games in all."""
        return sum(seat.games for pairing in self.pairings for seat in pairing.seats)

    @property
    def first_player_score(self) -> float:
        """The score of player_0 in all games, draws as half a win: more than .5 where moving first is good."""
        ahead = sum(p.seats[0].wins - p.seats[0].losses - p.seats[1].wins + p.seats[1].losses for p in self.pairings)
        return 0.5 + ahead / (2 * self.games)

    @property
    def draws(self) -> int:
        """Drawn games, those that the ply limit ended among them."""
        return sum(seat.draws for pairing in self.pairings for seat in pairing.seats)

    @property
    def truncated(self) -> int:
        """Games that the ply limit ended."""
        return sum(seat.truncated for pairing in self.pairings for seat in pairing.seats)

    @property
    def draw_rate(self) -> float:
        """The share of drawn games, from 0 to 1."""
        return self.draws / self.games

    @property
    def mean_length(self) -> float:
        """Plies of a game."""
        return sum(pairing.plies for pairing in self.pairings) / self.games

    def score(self, agent: str) -> float:
        """An agent's share of the points in its games."""
        points = games = 0.0
        for pairing in self.pairings:
            for seat in pairing.seats:
                if agent in (pairing.first, pairing.second):
                    points += seat.score * seat.games if agent == pairing.first else (1 - seat.score) * seat.games
                    games += seat.games
        return points / games

    def table(self) -> str:
        """The ratings, and below them what is to be said of the game, as lines of text."""
        rows = [("agent", "Elo", "95 %", "score")]
        for name, rating in self.ratings.items():
            interval = "" if name == self.anchor else _interval(rating)
            rows.append((name, _elo(rating.elo), interval, f"{100 * self.score(name):.1f} %"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(text.ljust(w) if k == 0 else text.rjust(w) for k, (text, w) in enumerate(zip(row, widths, strict=True)))
            for row in rows
        ]
        cut = f", {self.truncated} of them cut off by the ply limit" if self.truncated else ""
        lines += [
            f"moving first: {_elo(self.advantage.elo)} Elo ({_interval(self.advantage)}), "
            f"{100 * self.first_player_score:.1f} % for player_0",
            f"games: {self.games}, mean length {self.mean_length:.1f} plies, {100 * self.draw_rate:.1f} % drawn{cut}",
        ]
        return "\n".join(line.rstrip() for line in lines) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """All of it as lists, dictionaries, texts and numbers, for JSON, what follows from it included; `from_dict` reads it."""
        follows = {
            "games": self.games,
            "scores": {name: self.score(name) for name in self.ratings},
            "first_player_score": self.first_player_score,
            "draw_rate": self.draw_rate,
            "mean_length": self.mean_length,
            "truncated": self.truncated,
        }
        return json.loads(json.dumps(asdict(self) | follows))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Arena:
        """The arena of an `as_dict`."""
        pairings = [
            Pairing(**{**pairing, "seats": tuple(SeatScore(**seat) for seat in pairing["seats"])}) for pairing in data["pairings"]
        ]
        return cls(
            game=data["game"],
            options=data["options"],
            agents=tuple(data["agents"]),
            pairings=tuple(pairings),
            ratings={name: Rating(**rating) for name, rating in data["ratings"].items()},
            anchor=data["anchor"],
            advantage=Rating(**data["advantage"]),
        )

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draws the ratings with their intervals into a file, whose name's ending is its format (png, svg, pdf).

        ModuleNotFoundError, which says what to install, without matplotlib.
        """
        try:
            from matplotlib.figure import Figure
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"plots are drawn by matplotlib, of {extra('arena')}") from error
        names = list(reversed(self.ratings))
        elo = np.array([self.ratings[name].elo for name in names])
        # an end of the interval may lie a little on the wrong side of the rating, where the prior matters
        reach = np.array([(r.elo - r.low, r.high - r.elo) for r in (self.ratings[name] for name in names)]).T.clip(0)
        figure = Figure((7, 1.2 + 0.4 * len(names)), layout="constrained")
        axes = figure.subplots()
        axes.errorbar(elo, range(len(names)), xerr=reach, fmt="o", capsize=4)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(-0.6, len(names) - 0.4)
        axes.set_xlabel(f"Elo, {self.anchor} at 0, with 95 % bootstrap intervals")
        axes.set_title(f"{self.game}, {self.games} games")
        axes.grid(axis="x", alpha=0.3)
        figure.savefig(path)


def arena(
    game: Game[Any],
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
    games_per_pair: int,
    rng: np.random.Generator,
    max_plies: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Arena:
    """Plays every two agents against one another, those of a pair in alternating seats and as one batch (`evaluate`).

    agents: two at least, by name; or agents alone, whose names are then their texts, or those of their functions or classes.
    games_per_pair: an even number.
    rng: every pair has a stream of its own, and so has the bootstrap: the same seed gives the same numbers.
    max_plies: cut games off after so many actions and count them as draws; None: the limit of the game's environments.
    progress: called with the number of games that have just ended, until all ``games_per_pair * n * (n - 1) / 2`` have.

    Ratings are anchored so that "random" is at 0, or the first agent where there is no "random". See `ratings` for the model.
    """
    check_game(game)
    named = _named(agents)
    if len(named) < 2:
        raise ValueError(f"agents are {', '.join(named) or 'none'}; an arena needs at least two")
    check_generator(rng)
    players = {name: resolve(agent, game) for name, agent in named.items()}
    pairs = list(combinations(players, 2))
    *streams, bootstrap = rng.spawn(len(pairs) + 1)
    pairings: list[Pairing] = []
    for (first, second), stream in zip(pairs, streams, strict=True):
        found = evaluate(game, players[first], players[second], games_per_pair, stream, max_plies, progress)
        pairings.append(Pairing(first, second, found.seats, int(found.lengths.sum())))
    anchor = "random" if "random" in players else next(iter(players))
    ratings, advantage = rate(pairings, anchor, bootstrap)
    options = json.loads(json.dumps(game.options))
    return Arena(game.name, options, tuple(players), tuple(pairings), ratings, anchor, advantage)


def rate(pairings: Sequence[Pairing], anchor: str, rng: np.random.Generator) -> tuple[dict[str, Rating], Rating]:
    """The ratings by agent, the best first, and the first player's advantage."""
    names = list(dict.fromkeys([anchor, *(name for pairing in pairings for name in (pairing.first, pairing.second))]))
    pairs: list[tuple[int, int]] = []
    counts: list[tuple[int, int, int]] = []
    for pairing in pairings:
        a, b = names.index(pairing.first), names.index(pairing.second)
        as_first, as_second = pairing.seats
        pairs += [(a, b), (b, a)]
        counts += [(as_first.wins, as_first.draws, as_first.losses), (as_second.losses, as_second.draws, as_second.wins)]
    seen, who = np.array(counts), np.array(pairs)
    games = seen.sum(1).astype(float)
    points = np.concatenate([(seen[:, 0] + seen[:, 1] / 2)[None], resample(seen, BOOTSTRAPS, rng)])
    elo, advantages = fit(who, points, games)
    rated = [_rating(elo[:, k]) for k in range(len(names))]
    order = sorted(range(len(names)), key=lambda k: -rated[k].elo)
    return {names[k]: rated[k] for k in order}, _rating(advantages)


def _rating(values: NDArray[np.float64]) -> Rating:
    """The first value, and where 95 % of the others lie."""
    low, high = np.percentile(values[1:], (2.5, 97.5))
    return Rating(float(values[0]), float(low), float(high))


def _named(agents: Mapping[str, AgentLike] | Sequence[AgentLike]) -> dict[str, AgentLike]:
    if isinstance(agents, Mapping):
        return dict(agents)
    named: dict[str, AgentLike] = {}
    for agent in agents:
        name = agent if isinstance(agent, str) else getattr(agent, "__name__", type(agent).__name__)
        if name in named:
            raise ValueError(f"two agents are named {name!r}; a dictionary can give them names")
        named[name] = agent
    return named


def _elo(value: float) -> str:
    return str(round(value))


def _interval(rating: Rating) -> str:
    return f"{_elo(rating.low)} to {_elo(rating.high)}"
