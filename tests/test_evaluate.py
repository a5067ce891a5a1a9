"""Matches: seats alternate, scores are the first agent's, draws and cut games count half."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abstract_envs.agents import OpponentPool, RandomAgent, act_one, arena, evaluate, mean_regret, resolve
from abstract_envs.agents.evaluate import Evaluation, SeatScore
from helpers import NAMES, game_of

SMALL = game_of("inphexion", {"board_size": 4})


def first_legal(game: Any, states: Any, rng: Any) -> Any:
    return game.action_mask(states).argmax(axis=1)


def last_legal(game: Any, states: Any, rng: Any) -> Any:
    return game.num_actions - 1 - game.action_mask(states)[:, ::-1].argmax(axis=1)


def winner_of(agents: tuple[Any, Any]) -> tuple[int, int]:
    """(the player who wins a game on the 4x4 board, the plies), played on ints."""
    state, plies = SMALL.init(), 0
    while not SMALL.is_terminal(state):
        batch = SMALL.stack([state])
        state = SMALL.step(state, int(agents[SMALL.current_player(state)](SMALL, batch, None)[0]))
        plies += 1
    return SMALL.rewards(state).index(1.0), plies


def test_scripted_agents() -> None:
    """Both agents are determined, so every game in a seat is the same, and is played here on ints."""
    found = evaluate(SMALL, first_legal, last_legal, 10, np.random.default_rng(0))
    expected = [winner_of((first_legal, last_legal)), winner_of((last_legal, first_legal))]
    assert expected[0][1] != expected[1][1]  # so the lengths tell the seats apart
    for seat in (0, 1):
        wins = 5 if expected[seat][0] == seat else 0
        assert found.seats[seat] == SeatScore(5, wins, 0, 5 - wins, 0)
    assert found.lengths.tolist() == [expected[i % 2][1] for i in range(10)]
    assert found.score == sum(seat.wins for seat in found.seats) / 10
    swapped = evaluate(SMALL, last_legal, first_legal, 10, np.random.default_rng(0))
    assert swapped.score == 1 - found.score
    assert swapped.seats[0].wins == found.seats[1].losses


def test_each_agent_acts_in_its_own_games_and_turns() -> None:
    """The games are even for ``a`` as player_0; an agent is asked only where its player is to act, never after the end."""
    asked: dict[str, int] = {"a": 0, "b": 0}
    first: dict[str, int] = {}

    def agent(name: str) -> Any:
        def act(game: Any, states: Any, rng: Any) -> Any:
            assert not game.is_terminal(states).any()
            size = game.batch_size(states)
            starts = sum(game.take(states, i) == game.init() for i in range(size))
            first[name] = first.get(name, 0) + starts
            asked[name] += size
            return game.sample(states, rng)

        return act

    found = evaluate(SMALL, agent("a"), agent("b"), 20, np.random.default_rng(0))
    assert first == {"a": 10, "b": 10}
    assert asked["a"] + asked["b"] == found.lengths.sum()
    assert [seat.games for seat in found.seats] == [10, 10]


def test_a_player_who_acts_twice_is_asked_twice() -> None:
    """While captured discs wait the same player acts again, so who acts is not told by the number of the ply."""
    game = game_of("inphexion", {"board_size": 5})
    waiting = {"a": 0, "b": 0}
    players: dict[str, list[list[int]]] = {"a": [], "b": []}

    def agent(name: str) -> Any:
        def act(game: Any, states: Any, rng: Any) -> Any:
            waiting[name] += int((states.waiting > 0).sum())
            players[name].append(game.current_player(states).tolist())
            return game.sample(states, rng)

        return act

    found = evaluate(game, agent("a"), agent("b"), 40, np.random.default_rng(0))
    # a capture makes one more action: with as many turns as actions nothing would ever have waited
    assert min(waiting.values()) > 10
    assert found.both.games == 40
    # before the first capture all games of a seat are together: at every even ply `a` acts in the games it begins
    assert players["a"][0] == [0] * 20
    assert players["b"][0] == [0] * 20
    assert players["a"][1] == [1] * 20
    assert players["b"][1] == [1] * 20


def test_cut_games_count_half() -> None:
    found = evaluate(game_of("inphexion", {}), "random", "random", 6, np.random.default_rng(0), max_plies=3)
    assert found.both == SeatScore(6, 0, 6, 0, 6)
    assert found.score == 0.5
    assert found.lengths.tolist() == [3] * 6
    # a game that ends with its last allowed ply has not been cut
    winner, plies = winner_of((first_legal, last_legal))
    found = evaluate(SMALL, first_legal, last_legal, 2, np.random.default_rng(0), max_plies=plies)
    assert found.seats[0] == SeatScore(1, int(winner == 0), 0, int(winner == 1), 0)


def test_scores() -> None:
    assert SeatScore(10, 4, 3, 3, 1).score == 0.55
    found = Evaluation((SeatScore(4, 1, 1, 2, 0), SeatScore(4, 4, 0, 0, 0)), np.zeros(8, np.int64))
    assert found.both == SeatScore(8, 5, 1, 2, 0)
    assert found.score == 5.5 / 8


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        # published: Newcombe, Statistics in Medicine 17 (1998) 857, table I, method 3 (score)
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_wilson_interval(wins: int, games: int, low: float, high: float) -> None:
    score = SeatScore(games, wins, 0, games - wins, 0)
    assert score.interval == pytest.approx((low, high), abs=6e-5)
    # draws as half a win and half a loss
    if wins % 2 == 0:
        assert SeatScore(games, 0, 2 * (wins // 2), games - wins, 0).score == wins / 2 / games


def test_progress() -> None:
    """Every game is told once, those that are cut off too."""
    told: list[int] = []
    found = evaluate(SMALL, "random", "random", 40, np.random.default_rng(0), progress=told.append)
    assert sum(told) == 40
    assert len(told) == len(set(found.lengths.tolist()))
    told.clear()
    evaluate(SMALL, "random", "random", 40, np.random.default_rng(0), max_plies=8, progress=told.append)
    assert sum(told) == 40
    assert 0 < told[-1] < 40


@pytest.mark.parametrize("games", [0, 1, 3, -2, 2.0, "4", None, True])
def test_bad_number_of_games(games: Any) -> None:
    with pytest.raises(ValueError, match="games is"):
        evaluate(SMALL, "random", "random", games, np.random.default_rng(0))


@pytest.mark.parametrize("rng", [0, None, np.random.RandomState(0), np.random])
def test_what_is_no_generator(rng: Any) -> None:
    for play in (lambda: evaluate(SMALL, "random", "greedy", 2, rng), lambda: arena(SMALL, ["random", "greedy"], 2, rng)):
        with pytest.raises(
            ValueError, match=r"rng is .*; it is a numpy\.random\.Generator, such as np\.random\.default_rng\(0\)$"
        ):
            play()


@pytest.mark.parametrize("limit", [0, -1, 1.5, True])
def test_bad_limit(limit: Any) -> None:
    with pytest.raises(ValueError, match="max_plies is"):
        evaluate(SMALL, "random", "random", 2, np.random.default_rng(0), max_plies=limit)


def test_games_that_begin_elsewhere() -> None:
    """Each from its own state: those of the even games with one agent to act, and then those of the odd ones with the other."""
    states = SMALL.init(8, np.random.default_rng(0))
    for _ in range(2):
        states = SMALL.step(states, SMALL.sample(states, np.random.default_rng(1)))
    seen: list[str] = []

    def watch(game: Any, states: Any, rng: np.random.Generator) -> Any:
        seen.extend(game.to_string(game.take(states, i)) for i in range(game.batch_size(states)))
        return first_legal(game, states, rng)

    found = evaluate(SMALL, watch, watch, 8, np.random.default_rng(0), starts=states)
    assert seen[:8] == [SMALL.to_string(SMALL.take(states, i)) for i in (0, 2, 4, 6, 1, 3, 5, 7)]
    assert found.both.games == 8


def test_bad_starts() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="starts are 3 states; there are 4 games"):
        evaluate(SMALL, "random", "random", 4, rng, starts=SMALL.init(3, rng))
    states = SMALL.init(4, rng)
    while not SMALL.is_terminal(states)[2]:
        after = SMALL.step(states, SMALL.sample(states, rng))
        states = SMALL.where(np.arange(4) == 2, after, states)
    with pytest.raises(ValueError, match="starts 2 have ended; games begin where they can go on"):
        evaluate(SMALL, "random", "random", 4, rng, starts=states)


def test_actions_are_integers() -> None:
    """Neither cut to whole numbers nor spread over the games, in a match, for one state, as regret, and in a pool."""
    rng, fano = np.random.default_rng(0), game_of("fano330", {})

    def floats(game: Any, states: Any, rng: Any) -> Any:
        return game.sample(states, rng) + 0.5

    def one(game: Any, states: Any, rng: Any) -> Any:
        return game.sample(states, rng)[:1]

    states = fano.init(4)
    for agent, message in ((floats, r"actions are integers of shape \(\d,\), not float64"), (one, r"not int64 of shape \(1,\)")):
        for player in (agent, OpponentPool([(agent, 1.0)])):
            with pytest.raises(ValueError, match=message):
                evaluate(fano, player, "random", 8, rng)
            with pytest.raises(ValueError, match=message):
                mean_regret(fano, player, states, rng)
    with pytest.raises(ValueError, match="not float64"):
        act_one(resolve(floats), fano, fano.init(), rng)


@pytest.mark.parametrize("agent", ["nobody", None, 3])
def test_no_agent(agent: Any) -> None:
    with pytest.raises(ValueError, match="is no agent"):
        resolve(agent)
    with pytest.raises(ValueError, match="is no agent"):
        evaluate(SMALL, "random", agent, 2, np.random.default_rng(0))


@pytest.mark.parametrize("name", NAMES)
def test_random_play_against_itself(name: str) -> None:
    found = evaluate(game_of(name, {}), RandomAgent(), "random", 400, np.random.default_rng(0))
    assert found.both.games == 400
    assert len(found.lengths) == 400
    low, high = found.interval
    assert low <= 0.5 <= high
    again = evaluate(game_of(name, {}), RandomAgent(), "random", 400, np.random.default_rng(0))
    assert again.seats == found.seats


def test_what_is_printed_is_short() -> None:
    found = repr(evaluate(SMALL, "random", "random", 100, np.random.default_rng(0)))
    assert "SeatScore(games=50" in found
    assert len(found) < 300
