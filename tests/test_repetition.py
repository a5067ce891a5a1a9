"""Games with repetition rules: whatever is done with batches, every game in them is what playing it alone gives.

States share their history and keep their own: old states are stepped again, games of different age taken, joined and exchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import assert_same, game_of, label

MOVING = {"fano330": "Oo/-/T/t/-/Oo/Tt w 1", "honey_donuts": None}
"""Where the games begin: Fano330 in its movement phase."""
CASES = [
    ("fano330", {}),
    ("fano330", {"repetition_limit": 5}),
    ("honey_donuts", {}),
    ("honey_donuts", {"repetition": "simple"}),
]
every_case = pytest.mark.parametrize(("name", "options"), CASES, ids=[label(*case) for case in CASES])

Games = list[tuple[int, ...]]
"""The actions of each game of a batch."""


class Alone:
    """Single games by their actions, each played by ints."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.game = game_of(name, options)
        start = MOVING[name]
        self.states = {(): self.game.from_string(start) if start else self.game.init()}

    def state(self, actions: tuple[int, ...]) -> Any:
        if actions not in self.states:
            self.states[actions] = self.game.step(self.state(actions[:-1]), actions[-1])
        return self.states[actions]

    def batch(self, size: int) -> tuple[Any, Games]:
        return self.game.repeat(self.states[()], size), [()] * size

    def stepped(self, states: Any, games: Games, rng: np.random.Generator) -> tuple[Any, Games]:
        """One action each, of few kinds, so that positions come again; ended games stay."""
        actions, after = [], []
        for actions_so_far in games:
            state = self.state(actions_so_far)
            legal = self.game.legal_actions(state)
            actions.append(0)
            if legal:
                lasting = [a for a in legal if not self.game.is_terminal(self.game.step(state, a))] or legal
                back = [a for a in lasting if self.again(actions_so_far, a)]
                choice = back if back and rng.random() < 0.7 else lasting
                actions[-1] = choice[int(rng.integers(len(choice)))]
                after.append((*actions_so_far, actions[-1]))
            else:
                after.append(actions_so_far)
        return self.game.step(states, np.array(actions, np.int64)), after

    def again(self, actions: tuple[int, ...], action: int) -> bool:
        """Whether an action leads to a position of the last four plies."""
        key = self.game.key(self.game.step(self.state(actions), action))
        return any(self.game.key(self.state(actions[: len(actions) - k])) == key for k in range(min(4, len(actions)) + 1))

    def check(self, states: Any, games: Games) -> None:
        masks = self.game.action_mask(states)
        for i, actions in enumerate(games):
            alone = self.state(actions)
            assert np.flatnonzero(masks[i]).tolist() == list(self.game.legal_actions(alone))
            assert_same(self.game.take(states, i), alone)


@every_case
@given(script=st.lists(st.tuples(st.sampled_from("ppppppptcw"), st.integers(0, 2**32)), min_size=5, max_size=40))
def test_batches_are_what_single_games_are(name: str, options: dict[str, Any], script: list[tuple[str, int]]) -> None:
    alone = Alone(name, options)
    game = alone.game
    pool = [alone.batch(3)]
    for operation, seed in script:
        rng = np.random.default_rng(seed)
        states, games = pool[-1] if rng.random() < 0.7 else pool[int(rng.integers(len(pool)))]
        others, other_games = pool[int(rng.integers(len(pool)))]
        if operation == "p":
            made = alone.stepped(states, games, rng)
        elif operation == "t":
            rows = rng.integers(0, len(games), int(rng.integers(1, 5)))
            made = game.take(states, rows), [games[i] for i in rows]
        elif operation == "c" and len(games) + len(other_games) <= 8:
            made = game.concatenate([states, others]), games + other_games
        else:
            rows = np.arange(len(games)) % len(other_games)
            mask = rng.random(len(games)) < 0.5
            mixed = [games[i] if keep else other_games[rows[i]] for i, keep in enumerate(mask)]
            made = game.where(mask, states, game.take(others, rows)), mixed
        pool.append(made)
    for states, games in pool:
        alone.check(states, games)


@every_case
def test_long_games_beside_young_ones(name: str, options: dict[str, Any]) -> None:
    """Games of up to some hundred plies; one after another begins anew."""
    alone = Alone(name, options)
    rng = np.random.default_rng(0)
    states, games = alone.batch(8)
    start, _ = alone.batch(8)
    longest = 0
    for ply in range(160):
        states, games = alone.stepped(states, games, rng)
        over = alone.game.is_terminal(states)
        over[ply % 8] |= ply % 8 < 6  # the last two are not stopped
        states = alone.game.where(over, start, states)
        games = [() if o else actions for o, actions in zip(over, games, strict=True)]
        longest = max(longest, *map(len, games))
        if ply % 20 == 19:
            alone.check(states, games)
    assert longest > 20


def test_memory_follows_the_longest_running_game() -> None:
    """Rows are kept for the longest game of the batch, whatever the number of plies played."""
    game = game_of("honey_donuts", {})
    rng = np.random.default_rng(0)
    states = game.init(16)
    for _ in range(1500):
        states = game.step(states, game.sample(states, rng))
        ended = game.is_terminal(states) | (states.past.lengths >= 40)
        states = game.put(states, np.flatnonzero(ended), game.init(int(ended.sum())))
        assert states.past.height <= 2 * 41 + 16
