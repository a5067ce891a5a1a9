"""Perfect play: values, distances and regret of moves, the agent, and the positions that regret is measured in."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

from abstract_envs import inphexion_v0
from abstract_envs.agents import (
    AGENTS,
    PerfectAgent,
    evaluate,
    judge_moves,
    keeps_value,
    mean_regret,
    resolve,
    states_with_regret,
    table_of,
)
from abstract_envs.agents.perfect import Moves
from helpers import NAMES, game_of

SOLVED = ("fano330", "honey_donuts")
solved = pytest.mark.parametrize("name", SOLVED)


def moves_of(game: Any, text: str) -> dict[str, tuple[int, int, int, bool]]:
    """Value, distance, regret of each legal move of a position, and whether it is one of the best."""
    state = game.from_string(text)
    moves = judge_moves(game, game.stack([state]))
    assert np.flatnonzero(moves.legal[0]).tolist() == list(game.legal_actions(state))
    return {
        game.action_to_string(state, a): (
            *(int(x[0, a]) for x in (moves.value, moves.distance, moves.regret)),
            bool(moves.best[0, a]),
        )
        for a in game.legal_actions(state)
    }


def test_codes_to_moves() -> None:
    """Win in 3, in 1, draw, loss in 6 and in 2, illegal; then a position that is lost, one that is drawn, one that has ended."""
    codes = np.array([[4, 2, 0, -7, -3, 9], [-7, -3, -7, 9, 9, 9], [0, -2, 9, 9, 9, 9], [9] * 6])
    legal = np.array([[1, 1, 1, 1, 1, 0], [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [0] * 6], bool)
    moves = Moves(codes, legal)
    assert moves.value.tolist() == [[1, 1, 0, -1, -1, -1], [-1] * 6, [0, -1, -1, -1, -1, -1], [-1] * 6]
    assert moves.distance.tolist() == [[3, 1, -1, 6, 2, -1], [6, 2, 6, -1, -1, -1], [-1, 1, -1, -1, -1, -1], [-1] * 6]
    assert moves.regret.tolist() == [[0, 0, 1, 2, 2, 0], [0] * 6, [0, 1, 0, 0, 0, 0], [0] * 6]
    assert moves.best.tolist() == [
        [False, True] + [False] * 4,
        [True, False, True, False, False, False],
        [True] + [False] * 5,
        [False] * 6,
    ]


def test_first_moves_of_fano330() -> None:
    found = moves_of(game_of("fano330", {}), "-/-/-/-/-/-/- w 1")
    assert {text: row for text, row in found.items() if row != (0, -1, 0, True)} == {
        "o7": (-1, 13, 1, False),
        "t7": (-1, 13, 1, False),
    }


def test_a_king_that_can_be_pushed_off() -> None:
    # the King on b4 falls off by the two pushes that end there; no other move wins at once
    found = moves_of(game_of("honey_donuts", {}), "wwb/wRrB/ww.ww/wwww/brw r -")
    assert {text for text, row in found.items() if row == (1, 1, 0, True)} == {"b1-b4", "e2-b4"}
    assert {row[2] for row in found.values()} > {0}
    assert not any(row[3] for text, row in found.items() if text not in ("b1-b4", "e2-b4"))


def test_a_line_loses_at_once() -> None:
    """Every move that ends the game ends it by a line, for example o2 with Black's round pieces on 1 and 4."""
    game = game_of("fano330", {})
    text = "o/-/-/o/T/T/- w 1"
    state = game.from_string(text)
    found = moves_of(game, text)
    assert found["o2"][:2] == (-1, 1)
    for move, row in found.items():
        assert game.is_terminal(game.step(state, game.string_to_action(state, move))) == (row[:2] == (-1, 1)), move


@solved
def test_moves_agree_with_the_table(name: str) -> None:
    """The best move has the value and, behind it, the distance of the position; regret is what is lost of the value."""
    game = game_of(name, {})
    table = table_of(game)
    rng = np.random.default_rng(3)
    states = table.positions.states(table.positions.words(rng.integers(0, len(table.positions), 5000)), np.zeros(5000, np.uint64))
    moves, value, distance = judge_moves(game, states), table.value(states), table.distance(states)
    rows, actions = np.nonzero(moves.legal)
    after = game.step(game.take(states, rows), actions)
    assert np.array_equal(moves.value[rows, actions], -table.value(after))
    assert np.array_equal(moves.regret[rows, actions], value[rows] + table.value(after))
    rows, actions = np.nonzero(moves.best)
    assert np.array_equal(np.unique(rows), np.flatnonzero(moves.legal.any(1)))
    assert np.array_equal(moves.value[rows, actions], value[rows])
    assert np.array_equal(moves.distance[rows, actions], distance[rows])
    assert not moves.regret[rows, actions].any()
    assert {-1, 0, 1} == set(value.tolist())


def test_values_of_ended_games() -> None:
    game = game_of("honey_donuts", {})
    ended = game.playout(game.init(200), np.random.default_rng(0))
    table = table_of(game)
    assert set(table.value(ended).tolist()) == {-1}  # the player to move has no King
    assert not table.distance(ended).any()
    moves = judge_moves(game, ended)
    assert not moves.legal.any()
    assert not moves.best.any()
    assert not moves.regret.any()


@pytest.mark.parametrize("text", ["oO/-/-/-/-/-/- w 1", "oO/tT/-/-/-/-/- w 1", "oT/tO/-/-/-/-/- w 1"])
def test_a_position_that_the_start_does_not_lead_to(text: str) -> None:
    """White begins, so the first piece is White's: it cannot be that all of Black's lie below all of White's."""
    game = game_of("fano330", {})
    states = game.stack([game.init(), game.from_string(text)])
    with pytest.raises(ValueError, match=f"does not hold '{re.escape(text)}'"):
        table_of(game).value(states)


def test_a_draw_by_repetition_is_seen() -> None:
    """In a lost position of Fano330 the best move is one that brings the last occurrence of a position."""
    game = game_of("fano330", {"repetition_limit": 2})
    table = table_of(game)
    rng = np.random.default_rng(0)
    words = table.positions.words(np.flatnonzero(table.codes != 0)[:: 1 << 3])
    states = table.positions.states(words[np.bitwise_count(words & np.uint64((1 << 56) - 1)) == 8], np.zeros(0, np.uint64))
    for _ in range(3):
        states = game.take(states, ~game.is_terminal(states))
        states = game.step(states, game.sample(states, rng))
    states = game.take(states, ~game.is_terminal(states))
    moves, value = judge_moves(game, states), table.value(states)
    saved = np.flatnonzero((value == -1) & (moves.value.max(1) == 0))
    assert len(saved) > 5
    assert not moves.regret[saved][moves.best[saved]].any()
    actions = moves.best[saved].argmax(1)
    after = game.step(game.take(states, saved), actions)
    assert game.is_terminal(after).all()
    assert not game.rewards(after).any()
    # nothing else differs from the table
    others = np.flatnonzero(moves.value.max(1) > value)
    assert set(others) == set(saved)


# ---------------------------------------------------------------------------------------------------------------- the agent


def test_known_by_name() -> None:
    assert AGENTS["perfect"] is PerfectAgent
    assert isinstance(resolve("perfect"), PerfectAgent)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SOLVED])
def test_other_games_are_not_solved(name: str) -> None:
    game = game_of(name, {})
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=f"{name} is not solved"):
        PerfectAgent().act(game, game.init(3, rng), rng)
    with pytest.raises(ValueError, match=f"{name} is not solved"):
        states_with_regret(game, 3, rng)


@solved
def test_plays_the_best_moves_all_alike(name: str) -> None:
    game = game_of(name, {})
    rng = np.random.default_rng(0)
    states = game.take(states_with_regret(game, 50, rng), np.repeat(np.arange(50), 400))
    best = judge_moves(game, states).best
    actions = PerfectAgent().act(game, states, rng)
    assert actions.dtype == np.int64
    assert best[np.arange(len(actions)), actions].all()
    # of each state every best move, and each about as often
    counts = np.zeros((50, game.num_actions))
    np.add.at(counts, (np.repeat(np.arange(50), 400), actions), 1)
    number = best[::400].sum(1, keepdims=True)
    expected = 400 / number
    assert (np.abs(counts - expected)[best[::400]] < 5 * np.sqrt(np.broadcast_to(expected, counts.shape)[best[::400]])).all()
    assert number.max() > 1


@solved
def test_wins_what_is_won_in_time(name: str) -> None:
    """Against random play from won positions: always, and never later than the distance says."""
    game = game_of(name, {"repetition_limit": 2} if name == "fano330" else {"repetition": "simple"})
    table, rng = table_of(game), np.random.default_rng(0)
    won = np.flatnonzero(table.codes > 0)
    words = table.positions.words(rng.choice(won, 2000))
    states = table.positions.states(words, rng.integers(0, 2, len(words), np.uint64))
    winner, distance = game.current_player(states), table.distance(states)
    plies = np.zeros(len(words), np.int64)
    for ply in range(60):
        going = ~game.is_terminal(states)
        plies[going] += 1
        perfect = np.zeros(len(words), np.int64)
        perfect[going] = PerfectAgent().act(game, game.take(states, going), rng)
        turn = game.current_player(states) == winner
        states = game.step(states, np.where(turn, perfect, game.sample(states, rng)))
        assert ply < 59 or game.is_terminal(states).all()
    assert (game.rewards(states)[np.arange(len(words)), winner] == 1).all()
    assert (plies <= distance).all()
    assert (plies == distance).any()


def test_against_random_and_itself() -> None:
    game, rng = game_of("fano330", {}), np.random.default_rng(0)
    assert evaluate(game, "perfect", "random", 400, rng).both.losses == 0
    itself = evaluate(game, "perfect", "perfect", 200, rng)
    assert itself.both.draws == 200  # the start is a draw


@solved
def test_as_an_opponent(name: str) -> None:
    env = gymnasium.make(f"abstract_envs/{name}-v0", opponent="perfect", seat=1)
    rng = np.random.default_rng(0)
    results: list[float] = []
    for seed in range(3):
        _, info = env.reset(seed=seed)
        ended, reward = False, 0.0
        while not ended:
            _, reward, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            ended = terminated or truncated
        results.append(float(reward))
    assert min(results) == -1
    env.close()


# --------------------------------------------------------------------------------------------------------------- the regret


@solved
def test_states_with_regret(name: str) -> None:
    game, rng = game_of(name, {}), np.random.default_rng(0)
    states = states_with_regret(game, 3000, rng)
    assert game.batch_size(states) == 3000
    assert judge_moves(game, states).regret.any(1).all()
    assert not game.is_terminal(states).any()
    assert 0.4 < game.current_player(states).mean() < 0.6
    with pytest.raises(ValueError, match="count"):
        states_with_regret(game, 0, rng)


@solved
def test_mean_regret(name: str) -> None:
    game, rng = game_of(name, {}), np.random.default_rng(0)
    states = states_with_regret(game, 4000, rng)
    moves = judge_moves(game, states)
    assert mean_regret(game, "perfect", states, rng) == 0.0
    worst = mean_regret(game, lambda g, s, r: judge_moves(g, s).regret.argmax(1), states, rng)
    assert worst == moves.regret.max(1).mean()
    assert worst >= 1
    expected = (moves.regret.sum(1) / moves.legal.sum(1)).mean()
    assert abs(mean_regret(game, "random", states, rng) - expected) < 0.05
    with pytest.raises(ValueError, match="not legal"):
        mean_regret(game, lambda g, s, r: (~moves.legal).argmax(1), states, rng)
    with pytest.raises(ValueError, match="empty"):
        mean_regret(game, "random", game.take(states, slice(0)), rng)


@solved
def test_keeps_value(name: str) -> None:
    game, rng = game_of(name, {}), np.random.default_rng(1)
    states = states_with_regret(game, 4000, rng)
    moves = judge_moves(game, states)
    assert keeps_value(game, "perfect", states, rng) == 1.0
    assert keeps_value(game, lambda g, s, r: judge_moves(g, s).regret.argmax(1), states, rng) == 0.0
    kept = ((moves.regret == 0) & moves.legal).sum(1) / moves.legal.sum(1)
    assert abs(keeps_value(game, "random", states, rng) - kept.mean()) < 0.03
    with pytest.raises(ValueError, match="empty"):
        keeps_value(game, "random", game.take(states, slice(0)), rng)


def test_nothing_to_regret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all positions are won, whatever is played, the search for one with regret gives up."""
    game = game_of("honey_donuts", {})
    table = table_of(game)
    flat = type(table)(game, table.positions, np.zeros(len(table.codes), np.int8))
    rng = np.random.default_rng(0)
    monkeypatch.setattr(
        "abstract_envs.agents.perfect.judge_moves", lambda g, s, t: Moves(np.zeros((len(s[0]), 36)), s[0][:, None] > 0)
    )
    with pytest.raises(ValueError, match="honey_donuts"):
        states_with_regret(game, 5, rng, flat)


@pytest.mark.slow
@solved
def test_draws_are_uniform(name: str) -> None:
    """Over all positions with regret: as often from each class of distance as it has of them."""
    game, rng = game_of(name, {}), np.random.default_rng(0)
    table = table_of(game)
    has = np.zeros(len(table.codes), bool)
    for start in range(0, len(has), 1 << 16):
        index = np.arange(start, min(start + (1 << 16), len(has)))
        states = table.positions.states(table.positions.words(index), np.zeros(len(index), np.uint64))
        has[index] = judge_moves(game, states).regret.any(1)
    drawn = table.positions.index(table.positions.of(states_with_regret(game, 100_000, rng)))
    assert has[drawn].all()
    for classes in (table.codes, np.arange(len(has)) * 20 // len(has)):
        share = np.bincount(classes[has] + 60) / has.sum()
        found = np.bincount(classes[drawn] + 60, minlength=len(share))
        assert (np.abs(found - 100_000 * share) < 5 * np.sqrt(100_000 * share) + 5).all()


def test_an_opponent_that_cannot_play_a_game_says_so_when_it_is_made() -> None:
    for make in (inphexion_v0.learner_env, partial(inphexion_v0.learner_vector_env, 2)):
        with pytest.raises(ValueError, match="inphexion is not solved"):
            make(opponent="perfect")
