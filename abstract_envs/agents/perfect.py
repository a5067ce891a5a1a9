"""Perfect play in solved games: the value of every move, what a move gives away, and an agent that gives nothing away.

Values come from the game's table (`tables.table_of`), looked up behind each legal move. What a game forbids or ends because of
earlier positions is seen for the next move only; beyond it the table knows nothing of the past.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.agents.random import one_of_each
from abstract_envs.agents.tables import Table, solved_positions, table_of
from abstract_envs.core.game import Game, check_game
from abstract_envs.core.options import whole_number

__all__ = ["Moves", "PerfectAgent", "judge_moves", "states_with_regret"]

_ILLEGAL = np.iinfo(np.int64).min
_LONG = 1 << 32
"""More than any distance."""


@dataclass(frozen=True)
class Moves:
    """What the actions of a batch of states are worth to the player to move; A actions, legal or not."""

    codes: NDArray[np.int64]
    """``[B, A]``: distance + 1 where a move wins, -(distance + 1) where it loses, else 0; meaningless where it is illegal."""
    legal: NDArray[np.bool_]
    """``[B, A]``"""

    @cached_property
    def value(self) -> NDArray[np.int8]:
        """1 where an action wins, 0 where it draws, -1 where it loses or is illegal: ``int8[B, A]``."""
        return np.where(self.legal, np.sign(self.codes), -1).astype(np.int8)

    @cached_property
    def distance(self) -> NDArray[np.int64]:
        """Plies to the end, the move itself counted; -1 for a move that neither wins nor loses, or is illegal: ``[B, A]``."""
        return np.where(self.legal, np.abs(self.codes) - 1, -1)

    @cached_property
    def best(self) -> NDArray[np.bool_]:
        """The best moves: of the best value, and then the fastest that win or the slowest that lose. ``bool[B, A]``."""
        # a high rank is good: win in 1, win in 2, .., neither, .., lose in 2, lose in 1
        rank = np.where(self.legal, self.value.astype(np.int64) * _LONG - self.codes, _ILLEGAL)
        return self.legal & (rank == rank.max(1, keepdims=True, initial=_ILLEGAL))

    @cached_property
    def regret(self) -> NDArray[np.int8]:
        """What a move gives away, ``int8[B, A]``: 0 if it keeps the value of the best move, 1 from win to draw or from draw to
        loss, 2 from win to loss; 0 where it is illegal.
        """
        best = self.value.max(1, keepdims=True, initial=-1)
        return np.where(self.legal, best - self.value, 0).astype(np.int8)


def judge_moves(game: Game[Any], states: Any, table: Table | None = None) -> Moves:
    """What every move is worth in a batch of states; where a game has ended no move is legal.

    ValueError for a game that is not solved.
    """
    check_game(game)
    table = table or table_of(game)
    game.batch_size(states)  # which refuses one state
    legal = game.action_mask(states) != 0
    rows, actions = np.nonzero(legal)
    after = game.step(game.take(states, rows), actions)
    codes = table.code(after)
    # the other player is to act, or has lost or won
    same = game.current_player(after) == game.current_player(states)[rows]
    codes = np.where(same, codes, -codes)
    found = np.zeros(legal.shape, np.int64)
    found[rows, actions] = codes + np.sign(codes)
    return Moves(found, legal)


class PerfectAgent:
    """Plays a best move, drawn uniformly where there are several: it wins what is won, as fast as it goes, and delays a loss.

    table: that of the game it plays; None: `tables.table_of` of any game.
    """

    def __init__(self, table: Table | None = None) -> None:
        self._table = table

    def check(self, game: Game[Any]) -> None:
        """ValueError for a game that is not solved."""
        solved_positions(game)

    def act(self, game: Game[Any], states: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """A best move for each of a batch of states: ``int64[B]``. ValueError for a game that is not solved."""
        best = judge_moves(game, states, self._table).best
        return one_of_each(best, rng)


def states_with_regret(game: Game[Any], count: int, rng: np.random.Generator, table: Table | None = None) -> Any:
    """A batch of ``count`` states drawn uniformly, each time anew, from the positions in which some legal move has regret.

    Nothing has come before them. Where positions do not say who is to move, either player is, alike often.

    ValueError for a game that is not solved, or if a million draws find no such position.
    """
    check_game(game)
    table = table or table_of(game)
    count = whole_number("count", count, 1)
    found: list[Any] = []
    missing, tries = count, 0
    while missing:
        size = max(2 * missing, 1 << 10)
        words = table.positions.words(rng.integers(0, len(table.positions), size))
        states = table.positions.states(words, rng.integers(0, 2, size, np.uint64))
        rows = np.flatnonzero(judge_moves(game, states, table).regret.any(1))[:missing]
        found.append(game.take(states, rows))
        missing, tries = missing - len(rows), tries + size
        if missing == count and tries > 1_000_000:
            raise ValueError(f"no position of {game.name} with a move to regret was found")
    return game.concatenate(found)
