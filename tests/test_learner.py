"""Games against an opponent inside: seats, the opponent's turns, ends, the mirror, shaping."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from abstract_envs import inphexion_v0
from abstract_envs.agents import RandomAgent
from abstract_envs.core.game import Game
from abstract_envs.core.view import View
from abstract_envs.envs.aec import InvalidAction
from abstract_envs.envs.learner import LearnerGames
from helpers import every_game
from learner_cases import CAPTURE, SMALL, WINS, WON, draw, first_legal, index, plays


def begun(num_envs: int = 32, position: str | None = None, seed: int = 0, **options: Any) -> LearnerGames:
    games = LearnerGames(options.pop("game", SMALL), num_envs, **options)
    games.reset(seed, None if position is None else {"position": position})
    return games


# ------------------------------------------------------------------------------------------------------------- seats


@every_game
@pytest.mark.parametrize("seed", [0, 7])
def test_seats_alternate_by_game_and_by_episode(game: Game[Any], seed: int) -> None:
    games = begun(6, seed=seed, game=game, max_plies=3)
    rng = np.random.default_rng(1)
    seats = (seed + np.arange(6)) % 2
    for _ in range(8):
        np.testing.assert_array_equal(games.seats, seats)
        assert games.seats.dtype == np.int8
        np.testing.assert_array_equal(game.current_player(games.states), games.seats)
        step = games.step(draw(games.action_masks(), rng))
        np.testing.assert_array_equal(step.final_seats, seats[step.ended])
        seats[step.ended] ^= 1


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_for_good(seat: Any) -> None:
    games, rng = begun(8, seat=seat), np.random.default_rng(1)
    for _ in range(30):
        assert (games.seats == seat).all()
        games.step(draw(games.action_masks(), rng))


@pytest.mark.parametrize("seat", [2, -1, "0", "both", None, True, 0.5])
def test_no_seat(seat: Any) -> None:
    with pytest.raises(ValueError, match=r"^seat is .*; it is 'alternate', 0 or 1$"):
        LearnerGames(SMALL, 2, seat=seat)


# ---------------------------------------------------------------------------------------------- whose turn it is, ends


@every_game
def test_the_learner_is_to_act_or_the_game_is_over(game: Game[Any]) -> None:
    """Also with a player that acts twice in a row; and the loser gets its -1, whoever made the last move."""
    games = begun(100, game=game, max_plies=400, autoreset_mode=AutoresetMode.DISABLED)
    rng, results = np.random.default_rng(2), Counter[float]()
    for _ in range(200):
        masks = games.action_masks()
        np.testing.assert_array_equal(masks, game.action_mask(games.states))
        step = games.step(draw(masks, rng))
        over = step.terminations | step.truncations
        np.testing.assert_array_equal(step.terminations, game.is_terminal(games.states))
        np.testing.assert_array_equal(np.flatnonzero(over), step.ended)
        running = ~over
        np.testing.assert_array_equal(game.current_player(games.states)[running], games.seats[running])
        assert not games.action_masks()[over].any()
        for i in step.ended.tolist():
            rewards = game.rewards(game.take(games.states, i))
            assert step.rewards[i] == rewards[games.seats[i]]
            results[rewards[games.seats[i]]] += 1
        assert not step.rewards[running].any()
        if len(step.ended):
            games.reset(options={"reset_mask": over})
    if results[0.0] < results.total() / 2:  # else a game that random players seldom decide
        assert results[-1.0] > 20
        assert results[1.0] > 20


def test_the_learner_acts_twice() -> None:
    games = begun(2, CAPTURE, seat=0, opponent=first_legal)
    games.step([index("d3-d4"), index("d3-c3")])
    twice, once = SMALL.take(games.states, 0), SMALL.take(games.states, 1)
    assert SMALL.to_string(twice) == "4/4/3w/2w1 w 1:d4"
    np.testing.assert_array_equal(games.action_masks()[0], SMALL.action_mask(twice))
    assert (once.own | once.opp).bit_count() == 4  # White's, and the opponent's answer


def test_the_opponent_acts_twice() -> None:
    games = begun(2, CAPTURE, seat=1, opponent=plays("d3-d4", "@a1"))
    for i in range(2):
        assert SMALL.to_string(SMALL.take(games.states, i)) == "b3/4/3w/2w1 b -"


def test_the_opponent_opens() -> None:
    games = begun(4, seat=1, opponent=plays("c2"))
    assert [SMALL.to_string(SMALL.take(games.states, i)) for i in range(4)] == ["4/2w1/4/4 b -"] * 4


def test_a_win_by_the_opponent() -> None:
    games = begun(3, WINS, seat=1, opponent=plays("d4-c4"), autoreset_mode="Disabled")
    # over before the learner could act: its first step says so, whatever the action
    assert not games.action_masks().any()
    step = games.step([0, 5, 9])
    assert step.terminations.all()
    np.testing.assert_array_equal(step.rewards, [-1, -1, -1])


@pytest.mark.parametrize(("seat", "reward"), [(0, 1), (1, -1)])
def test_a_position_that_is_over(seat: Any, reward: int) -> None:
    games = begun(2, WON, seat=seat)
    step = games.step([0, 0])
    assert step.terminations.all()
    np.testing.assert_array_equal(step.rewards, [reward, reward])
    assert [games.game.take(games.states, i).outcome for i in range(2)] == [0, 0]


@pytest.mark.parametrize("max_plies", [2, 3, 4])
def test_the_ply_limit_counts_both_players(max_plies: int) -> None:
    games, rng = begun(2, max_plies=max_plies, game=inphexion_v0.game(), autoreset_mode="Disabled"), np.random.default_rng(0)
    while True:
        step = games.step(draw(games.action_masks(), rng))
        # the learner of game 0 moves first, that of game 1 second; without captures every action adds a disc
        assert not games.states.waiting.any()
        np.testing.assert_array_equal(step.truncations, np.bitwise_count(games.states.own | games.states.opp) == max_plies)
        assert not step.terminations.any()
        if step.truncations.any():
            break
    assert not step.rewards.any()
    assert not games.action_masks()[step.truncations].any()


def test_a_limit_before_the_learner_could_act() -> None:
    games = begun(2, max_plies=1, seat=1)
    step = games.step([0, 0])
    assert step.truncations.all()
    assert not step.rewards.any()


# ---------------------------------------------------------------------------------------------------------- bad input


def test_an_illegal_action_ends_the_game_with_a_loss() -> None:
    games = begun(3, "4/4/3b/2w1 w -", seat=0, opponent=first_legal, autoreset_mode="Disabled")
    step = games.step([index("d3-d2"), 0, index("d3-c3")])
    np.testing.assert_array_equal(step.rewards, [0, -1, 0])
    np.testing.assert_array_equal(step.terminations, [False, True, False])
    np.testing.assert_array_equal(step.truncations, [False] * 3)
    assert SMALL.to_string(SMALL.take(games.states, 1)) == "4/4/3b/2w1 w -"
    assert not games.action_masks()[1].any()
    with pytest.raises(ValueError, match=r"^games 1 have ended"):
        games.step([0, 0, 0])


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        ([0, -1], InvalidAction),
        ([113, 0], InvalidAction),
        ([0], ValueError),
        ([0.0, 1.0], ValueError),
        ([True, True], ValueError),
        (3, ValueError),
    ],
)
def test_what_is_no_action_changes_nothing(actions: Any, error: type[Exception]) -> None:
    games = begun(2)
    before = games.states, games.action_masks()
    with pytest.raises(error):
        games.step(actions)
    assert games.states is before[0]
    np.testing.assert_array_equal(games.action_masks(), before[1])


def test_an_illegal_opponent_is_found_out() -> None:
    games = LearnerGames(SMALL, 4, lambda game, states, rng: np.full(len(states[0]), 112))
    with pytest.raises(ValueError, match=r"^the opponent's actions 112, 112 in games 1, 3 are illegal"):
        games.reset(0)


def test_the_order_of_calls() -> None:
    games = LearnerGames(SMALL, 2)
    with pytest.raises(ResetNeeded):
        games.step([0, 0])
    with pytest.raises(ValueError, match="first reset"):
        games.reset(options={"reset_mask": np.array([True, False])})


# ------------------------------------------------------------------------------------------------------------- mirror


@pytest.mark.parametrize("mirror", [True, False])
def test_policies_are_turned_back(mirror: bool) -> None:
    """What was said of the actions as shown, said of the game's own: here of each its number, and whether it is legal."""
    view, states = View(SMALL, mirror), SMALL.step(SMALL.init(40), np.arange(40) % 16)
    states = SMALL.concatenate([states, SMALL.init(9)])
    seats = SMALL.current_player(states)
    assert set(seats.tolist()) == {0, 1}
    np.testing.assert_array_equal(view.policy(view.mask(states, seats), seats), SMALL.action_mask(states))
    shown = np.tile(np.arange(SMALL.num_actions), (len(seats), 1))
    found = view.policy(shown.copy(), seats)
    for i in range(SMALL.num_actions):
        actions = view.action(np.full(len(seats), i), seats)
        np.testing.assert_array_equal(found[np.arange(len(seats)), actions], i)


@every_game
def test_the_mirror_is_a_symmetry(game: Game[Any]) -> None:
    """The same games, seen as they are and in the mirror; actions drawn in the mirror, and carried over by hand."""
    if not any(symmetry.exchanges for symmetry in game.symmetries):
        with pytest.raises(ValueError, match="mirror=True needs a symmetry that exchanges the players"):
            View(game, True)
        return
    options: dict[str, Any] = {"game": game, "opponent": first_legal, "max_plies": 60}
    plain, mirrored = begun(20, **options), begun(20, mirror=True, **options)
    candidates = [symmetry for symmetry in game.symmetries if symmetry.exchanges]
    still = [symmetry for symmetry in candidates if (symmetry.cells == np.arange(len(game.board))).all()]
    symmetry = (still or candidates)[0]
    rng = np.random.default_rng(3)
    for _ in range(50):
        seats, masks, seen = plain.seats, mirrored.action_masks(), mirrored.observe()
        for i, (one, legal) in enumerate(zip(plain.observe()[:4], plain.action_masks()[:4], strict=True)):
            np.testing.assert_array_equal(seen[i], symmetry.observation(one) if seats[i] else one)
            np.testing.assert_array_equal(masks[i], symmetry.mask(legal) if seats[i] else legal)
        assert (seen[:, game.seat_plane] == game.board_grid).all()  # in either seat it looks as if it were player_0
        shown = draw(masks, rng)
        real = np.array([symmetry.inverse.action(int(a)) if seat else a for a, seat in zip(shown, seats, strict=True)])
        a, b = mirrored.step(shown), plain.step(real)
        for name in ("rewards", "terminations", "truncations", "ended"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        np.testing.assert_array_equal(game.key(mirrored.states), game.key(plain.states))


def test_both_seats_join_top_and_bottom_in_the_mirror() -> None:
    """Black about to join left and right in the bottom row, seen by player_1: a line of own discs from the top down."""
    games = begun(2, "4/4/4/bbbw b -", seat=1, mirror=True)
    np.testing.assert_array_equal(games.observe()[0, 0], [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert games.step(games.action_masks().argmax(1)).rewards.tolist() == [1, 1]


# ------------------------------------------------------------------------------------------------------------ shaping


def lead(game: Any, states: Any, player: NDArray[np.int8]) -> NDArray[np.float32]:
    """A potential: how many legal actions the position has, counted for the player to act."""
    count = game.action_mask(states).sum(1, dtype=np.float32) + 3
    return np.where(game.current_player(states) == player, count, -count).astype(np.float32)


@pytest.mark.parametrize("max_plies", [None, 7])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_shaping_telescopes(max_plies: int | None, mode: AutoresetMode) -> None:
    """Summed over a game and discounted, what shaping adds is minus the potential of the start.

    Plus that of the end where the ply limit cut the game off.
    """
    gamma, n = 0.9, 20
    options: dict[str, Any] = {"opponent": first_legal, "max_plies": max_plies, "autoreset_mode": mode}
    games, plain = begun(n, shaping=lead, gamma=gamma, **options), begun(n, **options)
    rng = np.random.default_rng(4)
    expected = -lead(SMALL, games.states, games.seats)
    sums, factors, told, finished = np.zeros(n), np.ones(n), np.zeros(n, bool), 0
    for _ in range(60):
        actions = draw(games.action_masks(), rng)
        step, same = games.step(actions), plain.step(actions)
        np.testing.assert_array_equal(step.rewards, same.rewards)
        assert not same.shaping.any()
        if mode is AutoresetMode.NEXT_STEP:
            assert not step.shaping[told].any()
        sums += factors * step.shaping
        factors *= gamma
        anew = step.ended if mode is not AutoresetMode.NEXT_STEP else np.flatnonzero(told)
        for i in step.ended.tolist():
            end = 0.0
            if step.truncations[i] and mode is not AutoresetMode.SAME_STEP:
                end = factors[i] * lead(SMALL, games.game.take(games.states, [i]), games.seats[[i]])[0]
            if not step.truncations[i] or mode is not AutoresetMode.SAME_STEP:
                assert sums[i] == pytest.approx(expected[i] + end, abs=1e-4)
                finished += 1
        told = step.terminations | step.truncations
        if mode is AutoresetMode.DISABLED and told.any():
            games.reset(options={"reset_mask": told})
            plain.reset(options={"reset_mask": told})
        expected[anew] = -lead(SMALL, games.states, games.seats)[anew]
        sums[anew], factors[anew] = 0, 1
    assert finished > 20 or (mode is AutoresetMode.SAME_STEP and max_plies)


# ---------------------------------------------------------------------------------------------------------- autoreset


def test_next_step_ignores_the_action_of_a_game_that_starts_anew() -> None:
    games, rng = begun(30, autoreset_mode="NextStep"), np.random.default_rng(5)
    told, seen = np.zeros(30, bool), 0
    for _ in range(60):
        seats = games.seats
        actions = draw(games.action_masks(), rng)
        actions[told] = -1
        step = games.step(actions)
        assert not (step.terminations | step.truncations)[told].any()
        assert not step.rewards[told].any()
        np.testing.assert_array_equal(games.seats, seats ^ told)
        assert (np.bitwise_count((games.states.own | games.states.opp)[told]) == games.seats[told]).all()
        seen += told.sum()
        told = step.terminations | step.truncations
    assert seen > 30


def test_same_step_shows_the_end_and_the_new_start() -> None:
    ending, going = begun(30, opponent=first_legal), begun(30, opponent=first_legal, autoreset_mode="Disabled")
    rng, seen = np.random.default_rng(6), 0
    for _ in range(40):
        actions = draw(ending.action_masks(), rng)
        step, same = ending.step(actions), going.step(actions)
        np.testing.assert_array_equal(step.final_observations, going.observe()[same.ended])
        assert not len(same.final_observations)
        if len(same.ended):
            going.reset(options={"reset_mask": same.terminations | same.truncations})
            seen += len(same.ended)
        np.testing.assert_array_equal(ending.observe(), going.observe())
        np.testing.assert_array_equal(ending.seats, going.seats)
    assert seen > 30


def test_seeds_repeat_the_opponent() -> None:
    def play(seed: int) -> list[int]:
        games, rng = begun(5, seed=seed), np.random.default_rng(0)
        for _ in range(10):
            games.step(draw(games.action_masks(), rng))
        return SMALL.key(games.states).tolist()

    assert play(1) == play(1)
    assert play(1) != play(3)


# -------------------------------------------------------------------------------------------------------------- speed


def test_no_loop_over_games() -> None:
    """The number of Python calls of a step grows with the longest turn and flood, not with the number of games."""
    game, counts = inphexion_v0.game(), {}
    for num_envs in (64, 4096):
        games = begun(num_envs, game=game, mirror=True, opponent=RandomAgent(), shaping=lead)
        rng = np.random.default_rng(0)
        calls, counted = 0, []

        def count(frame: Any, event: str, arg: Any) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        for _ in range(20):
            actions, calls = draw(games.action_masks(), rng), 0
            sys.setprofile(count)
            try:
                games.step(actions)
                games.observe()
                games.action_masks()
            finally:
                sys.setprofile(None)
            counted.append(calls)
        counts[num_envs] = np.mean(counted)
    assert counts[4096] < 2.5 * counts[64]
