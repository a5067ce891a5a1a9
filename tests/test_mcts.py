"""MCTS: batch against ints, values of solved and of tiny positions, evaluators, options."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from abstract_envs.agents import MCTSAgent, Search, evaluate
from abstract_envs.agents.forest import Forest
from helpers import NAMES, assert_same, every_game, frozen, game_of, mid_game, write_protect
from search_cases import near_the_end, tiny_inphexion, true_value


def running(game: Any, size: int, seed: int = 0) -> Any:
    states = mid_game(game, 4 * size, seed, 12)
    return game.take(states, np.flatnonzero(~game.is_terminal(states))[:size])


def guess(game: Any, states: Any) -> Any:
    """Values and priors that depend on nothing but the position, and otherwise on nothing sensible."""
    assert not game.is_terminal(states).any()
    keys = game.key(states).reshape(game.batch_size(states), -1)
    mixed = np.bitwise_xor.reduce(keys * np.uint64(0x9E3779B97F4A7C15), 1) >> np.uint64(40)
    values = (mixed % np.uint64(201)).astype(np.float64) / 100 - 1
    priors = mixed[:, None] * np.arange(1, game.num_actions + 1, dtype=np.uint64) % np.uint64(97)
    return priors.astype(np.float64), np.stack([values, -values], 1)


def guess_values(game: Any, states: Any) -> Any:
    return None, guess(game, states)[1]


def assert_same_search(a: Search, b: Search) -> None:
    assert np.array_equal(a.visits, b.visits)
    assert np.array_equal(a.legal, b.legal)
    assert np.allclose(a.values, b.values)
    assert np.allclose(a.action_values, b.action_values, equal_nan=True)


def row(search: Search, i: int) -> Search:
    return Search(*(part[i : i + 1] for part in search))


# ------------------------------------------------------------------------------------------------------ batch and ints


@every_game
@pytest.mark.parametrize("evaluator", [guess, guess_values])
def test_a_batch_finds_what_ints_find(game: Any, evaluator: Any) -> None:
    """The two searches are written apart, tree by tree and in arrays; what they share are the formula and the game."""
    states = running(game, 5)
    agent = MCTSAgent(32, evaluator=evaluator, leaves=1)
    together = agent.search(game, states, np.random.default_rng(7))
    for i in range(game.batch_size(states)):
        assert_same_search(agent.search_one(game, game.take(states, i), np.random.default_rng(7)), row(together, i))
    assert (together.visits[together.legal.sum(1) > 1].sum(1) > 0).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("leaves", [1, 4])
def test_a_batch_finds_what_single_searches_find(name: str, leaves: int) -> None:
    game = game_of(name, {})
    states = running(game, 6, 1)
    agent = MCTSAgent(40, evaluator=guess, leaves=leaves)
    together = agent.search(game, states, np.random.default_rng(3))
    for i in range(game.batch_size(states)):
        assert_same_search(agent.search(game, game.take(states, [i]), np.random.default_rng(3)), row(together, i))


@every_game
def test_choices_are_legal_and_repeatable(game: Any) -> None:
    states = running(game, 12)
    write_protect(states)
    before = frozen(states)
    agent = MCTSAgent(12, rollout_limit=10)
    a = agent.act(game, states, np.random.default_rng(0))
    assert_same(before, frozen(states))
    assert a.dtype == np.int64
    assert game.is_legal(states, a).all()
    assert np.array_equal(a, agent.act(game, states, np.random.default_rng(0)))
    one = game.take(states, 0)
    assert game.is_legal(one, agent.act_one(game, one, np.random.default_rng(0)))


@pytest.mark.parametrize("leaves", [1, 3, 8])
def test_every_simulation_is_counted_once(leaves: int) -> None:
    game = game_of("inphexion", {})
    asked = 0

    def evaluator(game: Any, states: Any) -> Any:
        nonlocal asked
        asked += game.batch_size(states)
        return guess_values(game, states)

    search = MCTSAgent(50, evaluator=evaluator, leaves=leaves).search(game, game.init(5), np.random.default_rng(0))
    assert search.visits.sum(1).tolist() == [50] * 5
    assert asked == 5 * 51  # nothing ends so early, and the root is evaluated too
    assert np.isnan(search.action_values).sum() == (search.visits == 0).sum()


def test_another_score_at_the_roots() -> None:
    """All simulations of a tree follow the edge that the score likes best; what pads the rows is never followed."""
    game = game_of("fano330", {})
    states = running(game, 30)
    size = game.batch_size(states)
    liked = game.sample(states, np.random.default_rng(0))

    def score(trees: Any, edges: Any) -> Any:
        there = np.arange(edges.shape[1]) < forest.nodes.edges[trees][:, None]
        return np.where(there, forest.edges.action[edges] == liked[trees, None], 9.0)

    forest = Forest(game, states, lambda leaves: guess(game, leaves), np.arange(44), 1.0, root_score=score)
    assert len(set(forest.nodes.edges[:size].tolist())) > 2
    forest.simulate(12)
    trees, edges = forest.of_roots()
    visits = np.zeros((size, 44), int)
    visits[trees, forest.edges.action[edges]] = forest.edges.visits[edges]
    assert (visits.sum(1) == visits[np.arange(size), liked]).all()
    assert (visits.sum(1) == 12).sum() > size / 2  # elsewhere the result is proven, or there is but one move


# ------------------------------------------------------------------------------------------------------- known values


@pytest.mark.parametrize("name", ["fano330", "honey_donuts"])
@pytest.mark.parametrize("value", [1, 0])
def test_keeps_the_value_near_the_end_of_solved_games(name: str, value: int) -> None:
    game = game_of(name, {})
    states, moves = near_the_end(name, value, 40)
    rows = np.arange(game.batch_size(states))
    assert len(rows) > 15
    agent, rng = MCTSAgent(800, rollout_limit=20, leaves=8), np.random.default_rng(0)
    assert not moves.regret[rows, agent.act(game, states, rng)].any()
    random = game.sample(states, rng)
    assert moves.regret[rows, random].any()
    one = agent.act_one(game, game.take(states, 0), rng)
    assert moves.regret[0, one] == 0


@pytest.mark.parametrize("leaves", [1, 8])
def test_proofs_where_players_act_twice_in_a_row(leaves: int) -> None:
    """Every position of the 3x3 board is proven in time, and what is proven is true: by player, whoever acts next."""
    game, states = tiny_inphexion(40)
    winners = np.array([true_value(game, state)[0] for state in states])
    found = MCTSAgent(1500, rollouts=1, leaves=leaves).search(game, game.stack(states), np.random.default_rng(0))
    assert (np.abs(found.values) == 1).all()
    assert np.array_equal(found.values.argmax(1), winners)
    for i, state in enumerate(states):
        mover = game.current_player(state)
        for action in game.legal_actions(state):
            wins = true_value(game, game.step(state, action))[0] == mover
            assert found.action_values[i, action] != (-np.inf if wins else np.inf)
    actions = found.choose(0, np.random.default_rng(0))
    assert all(true_value(game, game.step(s, int(a)))[0] == w for s, a, w in zip(states, actions, winners, strict=True))


def test_estimates_where_players_act_twice_in_a_row() -> None:
    """Long before anything is proven: a true value by player as the evaluator leads to the right move."""
    game, states = tiny_inphexion(40)

    def truth(game: Any, leaves: Any) -> Any:
        signs = [1 - 2 * true_value(game, game.take(leaves, i))[0] for i in range(game.batch_size(leaves))]
        return None, np.stack([np.array(signs), -np.array(signs)], 1) / 2

    found = MCTSAgent(24, 0.3, evaluator=truth, leaves=1).search(game, game.stack(states), np.random.default_rng(0))
    actions = found.choose(0, np.random.default_rng(0))
    right = [true_value(game, game.step(s, int(a)))[0] == true_value(game, s)[0] for s, a in zip(states, actions, strict=True)]
    unproven = np.abs(found.values).max(1) < 1
    can_win = np.array([true_value(game, s)[0] == game.current_player(s) for s in states])
    assert (unproven & can_win).sum() > 3
    assert np.array(right)[can_win].all()


@pytest.mark.parametrize("name", NAMES)
def test_a_win_at_once_needs_no_simulation(name: str) -> None:
    game, rng = game_of(name, {}), np.random.default_rng(0)
    states = game.init(60, rng)
    wins: list[Any] = []
    for _ in range(400):
        before, actions = states, game.sample(states, rng)
        states = game.step(states, actions)
        won = game.rewards(states)[np.arange(60), game.current_player(before)] > 0
        wins += [game.take(before, i) for i in np.flatnonzero(won & ~game.is_terminal(before))]
        if len(wins) >= 5 or game.is_terminal(states).all():
            break
    if name == "fano330":
        assert not wins  # there a move of one's own never wins but by leaving no move
        return
    states = game.stack(wins[:5])
    for search in (MCTSAgent(1).search(game, states, rng), MCTSAgent(1).search_one(game, wins[0], rng)):
        chosen = search.choose(0, rng)
        count = len(chosen)
        some = game.take(states, np.arange(count))
        players = game.current_player(some)
        assert (game.rewards(game.step(some, chosen))[np.arange(count), players] == 1).all()
        assert (search.values[np.arange(count), players] == 1).all()


# --------------------------------------------------------------------------------------------------------- evaluators


@pytest.mark.parametrize("name", ["inphexion", "xahzo", "alveole"])
def test_priors_are_followed(name: str) -> None:
    game, rng = game_of(name, {}), np.random.default_rng(0)
    states = game.init(60, rng)
    for _ in range(3):
        states = game.step(states, game.sample(states, rng))
    states = game.take(states, np.flatnonzero(game.action_mask(states).sum(1) > 4)[:20])
    target = game.sample(states, rng)

    def evaluator(game: Any, leaves: Any) -> Any:
        priors = np.full((game.batch_size(leaves), game.num_actions), 1e-3, np.float32)
        if game.batch_size(leaves) == 20:
            priors[np.arange(20), target] = 50
        return priors, np.zeros((game.batch_size(leaves), 2), np.float32)

    assert np.array_equal(MCTSAgent(4, evaluator=evaluator, leaves=1).act(game, states, rng), target)
    none = MCTSAgent(4, evaluator=lambda g, s: (0 * evaluator(g, s)[0], evaluator(g, s)[1]), leaves=1).search(game, states, rng)
    assert (none.visits.max(1) == 1).all()  # no prior at all: all alike


def test_what_an_evaluator_may_return() -> None:
    game, rng = game_of("inphexion", {}), np.random.default_rng(0)
    good = np.zeros((3, 2))
    bad_priors = np.zeros((3, 344))
    bad_priors[0, 0] = -1
    for found, message in [
        (good, "evaluator returns ndarray"),
        ((None, good[:, 0]), r"values have the shape \(3,\)"),
        ((None, good[:2]), r"values have the shape \(2, 2\)"),
        ((None, good * np.nan), "finite"),
        ((np.zeros((3, 343)), good), r"priors have the shape \(3, 343\)"),
        ((bad_priors, good), "from 0 up"),
    ]:
        agent = MCTSAgent(2, evaluator=lambda game, states, found=found: found)
        with pytest.raises(ValueError, match=message):
            agent.act(game, game.init(3), rng)


# --------------------------------------------------------------------------------------------------- choice and options


def search_of(visits: list[int], values: list[float], legal: list[bool] | None = None) -> Search:
    rows = np.array([visits]), np.array([values]), np.zeros((1, 2)), np.array([legal or [True] * len(visits)])
    return Search(*rows)


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (search_of([5, 9, 3], [0.5, 0.1, 0.9]), {1}),
        (search_of([9, 9, 3], [0.5, 0.1, 0.9]), {0}),
        (search_of([9, 9, 3], [0.5, 0.5, 0.9]), {0, 1}),
        (search_of([9, 1, 1], [0.5, np.inf, np.inf]), {1, 2}),
        (search_of([9, 1, 3], [-np.inf, 0.1, -np.inf]), {1}),
        (search_of([9, 0, 3, 0], [-np.inf, np.nan, -np.inf, np.nan], [True, True, True, False]), {1}),
        (search_of([9, 2, 3], [-np.inf, -np.inf, -np.inf]), {0}),
        (search_of([0, 0, 0], [np.nan] * 3, [False, True, False]), {1}),
    ],
)
def test_choice(search: Search, expected: set[int]) -> None:
    rng = np.random.default_rng(0)
    assert {int(search.choose(0, rng)[0]) for _ in range(40)} == expected


@pytest.mark.parametrize(("temperature", "shares"), [(1.0, (0.1, 0.3, 0.6)), (0.5, (1 / 46, 9 / 46, 36 / 46))])
def test_temperature(temperature: float, shares: tuple[float, ...]) -> None:
    one = search_of([1, 3, 6, 5], [0.0, 0.0, 0.0, -np.inf])
    search = Search(*(np.repeat(part, 4000, 0) for part in one))
    counts = Counter(search.choose(temperature, np.random.default_rng(0)).tolist())
    for action, share in enumerate((*shares, 0.0)):
        assert abs(counts[action] - 4000 * share) <= 5 * np.sqrt(4000 * share)


@pytest.mark.parametrize("option", ["simulations", "rollouts", "rollout_limit", "leaves"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "4", None])
def test_bad_counts(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{option} is"):
        MCTSAgent(**{option: value})


@pytest.mark.parametrize("option", ["exploration", "temperature"])
@pytest.mark.parametrize("value", [-1, True, "4", None, float("nan"), float("inf")])
def test_bad_numbers(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{option} is"):
        MCTSAgent(**{option: value})


def test_bad_evaluator() -> None:
    with pytest.raises(ValueError, match="evaluator is 3"):
        MCTSAgent(evaluator=3)  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------------------------- strength


@pytest.mark.parametrize("name", ["fano330", "honey_donuts", "inphexion"])
def test_beats_random_play(name: str) -> None:
    agent = MCTSAgent(24, rollout_limit=20)
    assert evaluate(game_of(name, {}), agent, "random", 30, np.random.default_rng(0)).interval[0] > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_agent_by_name_beats_random_play(name: str) -> None:
    agent = "mcts(simulations=32)" if name == "xahzo" else "mcts"  # random play there lasts long
    assert evaluate(game_of(name, {}), agent, "random", 30, np.random.default_rng(0)).interval[0] > 0.8


@pytest.mark.parametrize("name", ["inphexion", "xahzo"])
def test_rollouts_are_cut_off(name: str) -> None:
    """One ply beyond a leaf is the limit: in the opening all is worth 0, in the middle of XAHZO what the pieces say."""
    game, rng = game_of(name, {}), np.random.default_rng(0)
    agent = MCTSAgent(10, rollout_limit=1, rollouts=3)
    for search in (agent.search(game, game.init(4, rng), rng), agent.search_one(game, game.init(rng=rng), rng)):
        assert not search.values.any()
    if name == "xahzo":
        state = game.from_string("7/2XXA2/7/7/7/7/3o3 w -/- 0")  # three pieces against one, of seven
        for search in (agent.search(game, game.repeat(state, 4), rng), agent.search_one(game, state, rng)):
            assert (search.values[:, 0] > 0.2).all()
            assert np.allclose(search.values[:, 0], -search.values[:, 1])
            assert (search.values[:, 0] < 0.5).all()
