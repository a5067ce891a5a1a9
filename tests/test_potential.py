"""The potential of a game, `Game.potential`: for every game what makes it one, for XAHZO its values; and shaping by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abstract_envs.agents import RandomAgent, evaluate
from abstract_envs.envs.learner import LearnerGames, by_material
from helpers import every_game, game_of, mid_game, random_states
from learner_cases import draw
from test_no_loops import calls

XAHZO = game_of("xahzo", {})
AHEAD = "7/7/1x5/4o2/7/2O4/XA5 {} -/- 0"
"""The movement phase, three white pieces against two black ones."""


@every_game
def test_what_one_has_the_other_lacks(game: Any) -> None:
    """From -1 to 1, of opposite sign for the players, of the player to act where none is named, one game as a batch."""
    states = random_states(game, 4)
    batch = game.stack(states)
    first, second = game.potential(batch, 0), game.potential(batch, 1)
    assert first.dtype == np.float32
    assert (np.abs(first) <= 1).all()
    np.testing.assert_array_equal(first, -second)
    players = game.current_player(batch)
    np.testing.assert_array_equal(game.potential(batch), np.where(players == 0, first, second))
    np.testing.assert_array_equal(game.potential(batch, 1 - players), -game.potential(batch))
    for i in range(0, len(states), 17):
        assert type(game.potential(states[i], 0)) is float
        assert game.potential(states[i], 0) == pytest.approx(float(first[i]))


@every_game
def test_symmetries_keep_it(game: Any) -> None:
    states = game.stack(random_states(game, 2))
    for symmetry in game.symmetries:
        applies = game.take(states, np.flatnonzero(symmetry.applies(states)))
        expected = game.potential(applies, 0)
        np.testing.assert_array_equal(game.potential(symmetry.state(applies), 0), -expected if symmetry.exchanges else expected)


@every_game
def test_no_loop_over_games(game: Any) -> None:
    few, many = mid_game(game, 64, seed=1), mid_game(game, 4096, seed=2)
    assert calls(lambda: game.potential(few)) == calls(lambda: game.potential(many))


@pytest.mark.parametrize("side", "wb")
def test_pieces_of_xahzo(side: str) -> None:
    state = XAHZO.from_string(AHEAD.format(side))
    assert XAHZO.potential(state, 0) == pytest.approx(1 / 7)
    assert XAHZO.potential(state) == pytest.approx(1 / 7 if side == "w" else -1 / 7)


def test_it_is_zero_in_placement_and_changes_by_captures() -> None:
    rng = np.random.default_rng(0)
    states = XAHZO.init(100, rng)
    for ply in range(60):
        before, counts = XAHZO.potential(states, 0), np.array(pieces(states))
        if ply <= 14:  # all have been dropped after 14
            assert not before.any()
        else:
            np.testing.assert_allclose(before, (counts[0] - counts[1]) / 7, atol=1e-6)
        states = XAHZO.step(states, XAHZO.sample(states, rng))
    assert (before > 0).any()
    assert (before < 0).any()


def pieces(states: Any) -> list[Any]:
    """On the board, of player_0 and of player_1, counted on the planes."""
    return [XAHZO.observe(states, player)[:, :5].sum((1, 2, 3), dtype=np.int64) for player in (0, 1)]


def test_shaping_telescopes() -> None:
    """Discounted and summed over a game it comes to nothing: the potential is 0 at the start and after the end."""
    n, gamma, rng = 60, 0.97, np.random.default_rng(1)
    game = game_of("xahzo", {"board_size": 5, "quiet_limit": 20})
    games = LearnerGames(game, n, shaping=by_material(2.0), gamma=gamma)
    plain = LearnerGames(game, n)
    games.reset(0)
    plain.reset(0)
    sums, factors, gained, finished = np.zeros(n), np.ones(n), np.zeros(n, bool), 0
    for _ in range(150):
        actions = draw(games.action_masks(), rng)
        step, same = games.step(actions), plain.step(actions)
        np.testing.assert_array_equal(step.rewards, same.rewards)
        gained |= step.shaping > 0
        sums += factors * step.shaping
        factors *= gamma
        np.testing.assert_allclose(sums[step.ended], 0, atol=1e-5)
        finished += int(gained[step.ended].sum())
        sums[step.ended], factors[step.ended], gained[step.ended] = 0, 1, False
    assert finished > 20


def test_its_sign_is_the_learners() -> None:
    """Taking a piece is good, losing one is bad, whichever seat the learner has."""
    seen = {0: 0, 1: 0}
    games = LearnerGames(XAHZO, 64, opponent=RandomAgent(), shaping=by_material(2.0))
    games.reset(3)
    rng = np.random.default_rng(3)
    for _ in range(60):
        seats, states = games.seats, games.states
        before = XAHZO.potential(states, seats)
        step = games.step(draw(games.action_masks(), rng))
        going = ~(step.terminations | step.truncations)
        change = XAHZO.potential(games.states, seats) - before
        np.testing.assert_allclose(step.shaping[going], 2 * change[going], atol=1e-6)
        for seat in seen:
            seen[seat] += int((np.abs(change[going & (seats == seat)]) > 0).sum())
    assert min(seen.values()) > 20


def test_matches_know_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """`evaluate` counts what the rules say, and asks no game for its potential."""

    def refuse(*args: Any) -> Any:
        raise AssertionError("a match asks for the potential")

    game = game_of("xahzo", {"board_size": 5, "quiet_limit": 20})
    before = evaluate(game, "random", "random", 40, np.random.default_rng(0))
    monkeypatch.setattr(type(game), "potential", refuse)
    monkeypatch.setattr(type(game), "material", refuse)
    after = evaluate(game, "random", "random", 40, np.random.default_rng(0))
    assert before.seats == after.seats
