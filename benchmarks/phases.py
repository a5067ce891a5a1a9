"""Phases of games that random play from the start hardly shows, as data: `PHASES` gives rows ``rules, <phase>``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["PHASES", "Phase", "met_in_play"]


@dataclass(frozen=True)
class Phase:
    """A game that ends, or leaves the phase, is replaced by one drawn from the pool."""

    name: str
    pool: Callable[[Any, np.random.Generator], Any]
    """(game, rng) -> a batch of states to start from, histories included."""
    within: Callable[[Any, Any], Any]
    """(game, states) -> whether they belong to the phase: ``bool[B]``; or bool for one game."""
    idle: float = 0
    """The share of a batch that may be over before it is replaced: where putting games with long histories into a batch would
    take longer than playing them. In half of this share of the steps, about, nothing is played."""


def met_in_play(within: Callable[[Any, Any], Any], plies: int, games: int = 512) -> Callable[[Any, np.random.Generator], Any]:
    """A pool of the running positions of the phase that so many plies of random games come upon, at most ``games`` from a ply."""

    def pool(game: Any, rng: np.random.Generator) -> Any:
        states, found = game.init(games, rng=rng), []
        for _ in range(plies):
            found.append(game.take(states, np.flatnonzero(within(game, states) & ~game.is_terminal(states))))
            states = game.step(states, game.sample(states, rng))
        pool = game.concatenate(found)
        if not game.batch_size(pool):
            raise ValueError(f"{plies} plies of {games} random games of {game.name} do not reach the phase")
        return pool

    return pool


def _many_discs(game: Any, states: Any) -> Any:
    """inpHeXion with half the cells taken: chains are long, and the flood fills of rule 7 are asked for."""
    discs = states.own | states.opp
    count = discs.bit_count() if isinstance(discs, int) else np.bitwise_count(discs)
    return count * 2 >= game.board_size**2


def _all_placed(game: Any, states: Any) -> Any:
    """Fano330 in its movement phase: a uniformly random game seldom comes so far."""
    return game.all_placed(states.board) != 0


def _old(game: Any, states: Any) -> Any:
    """Honey Donuts with a history of about 400 plies (none: the game has ended)."""
    return (states.past.age >= 380) & (states.past.age <= 420)


def _spared(game: Any, rng: np.random.Generator) -> Any:
    """Games of Honey Donuts 390 to 410 plies old, between players who draw again where a push would end the game."""
    states, found = game.init(1024, rng=rng), []
    for ply in range(410):
        if ply >= 390:
            found.append(game.take(states, np.flatnonzero(~game.is_terminal(states))))
        after = game.step(states, game.sample(states, rng))
        for _ in range(6):
            after = game.where(game.is_terminal(after), game.step(states, game.sample(states, rng)), after)
        states = after
    return game.concatenate(found)


def _placing(game: Any, states: Any) -> Any:
    """XAHZO before the fourteenth drop."""
    return states.drops < 14


def _moving(game: Any, states: Any) -> Any:
    """XAHZO after it."""
    return states.drops == 14


PHASES: dict[str, tuple[Phase, ...]] = {
    "inphexion": (Phase("half full", met_in_play(_many_discs, plies=60), _many_discs),),
    "fano330": (Phase("movement", met_in_play(_all_placed, plies=30, games=4096), _all_placed),),
    "honey_donuts": (Phase("400 plies old", _spared, _old, idle=0.1),),
    "xahzo": (
        Phase("placement", met_in_play(_placing, plies=1), _placing),
        Phase("movement", met_in_play(_moving, plies=15), _moving),
    ),
}
