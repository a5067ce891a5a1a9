"""Rules written out for one game: what `written_out` makes of some kinds of code, and that it says the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from abstract_envs.core.bits import Union
from abstract_envs.core.onegame import source_of, written_out
from helpers import every_game, random_game


class Rules:
    """Methods as a game has them."""

    small = Union([1 << 3 * k for k in range(7)])
    large = Union([1 << 2 * k for k in range(30)])
    shifts = (1, 2, 4)

    def looked_up(self, x: int) -> int:
        return self.small[x & 127] ^ self.large[x + 5]

    def grown(self, x: int) -> int:
        return self.small[x & 127] if x & 1 else self.large[x]

    def moved(self, x: int) -> list[int]:
        return [part for shift in self.shifts for part in (x >> shift, x << shift)]

    def pairs(self, x: int) -> tuple[int, ...]:
        return tuple(self.twice(y) for y in (x, x ^ 1))

    def twice(self, x: int) -> int:
        y = x + 1
        return x + y

    def unknown(self, many: list[int]) -> list[int]:
        return [self.twice(x) for x in many]


def test_unions_become_look_ups() -> None:
    for method in (Rules().looked_up, Rules().grown):
        fast = written_out(method)
        assert [fast(x) for x in range(3000)] == [method(x) for x in range(3000)]
    assert "__getitem__" not in source_of(Rules().looked_up)
    assert source_of(Rules().looked_up).count("[") == 4  # one part, and three


def test_comprehensions_over_what_is_known_are_written_out() -> None:
    for method in (Rules().moved, Rules().pairs):
        assert "for" not in source_of(method)
        assert [written_out(method)(x) for x in range(50)] == [method(x) for x in range(50)]
    assert "for" in source_of(Rules().unknown)
    assert written_out(Rules().unknown)([1, 2, 3]) == Rules().unknown([1, 2, 3])


@every_game
def test_games_are_written_out_and_say_the_same(game: Any) -> None:
    assert source_of(game.advance).startswith("def advance(")
    for seed in range(3):
        states, actions = random_game(game, seed)
        for state, action, after in zip(states, actions, states[1:], strict=False):
            assert game.advance(state, action) == after
            observation, mask = game.view(state)
            assert np.array_equal(observation, game.observe(state))
            assert np.array_equal(mask, game.action_mask(state))
