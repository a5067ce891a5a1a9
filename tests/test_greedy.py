"""The greedy agent against its rule, spelled out on ints with the functions of the contract alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from abstract_envs.agents import GreedyAgent, evaluate, resolve
from helpers import NAMES, assert_same, every_game, frozen, game_of, random_game, write_protect

LOSES, LETS_WIN, SAFE, WINS = range(4)


def kind(game: Any, state: Any, action: int) -> int:
    """What an action is to the player to act."""
    player = game.current_player(state)
    after = game.step(state, action)
    if game.is_terminal(after):
        return {1.0: WINS, -1.0: LOSES, 0.0: SAFE}[game.rewards(after)[player]]
    if game.current_player(after) == player:
        return SAFE
    replies = (game.rewards(game.step(after, reply))[player] for reply in game.legal_actions(after))
    return LETS_WIN if -1.0 in replies else SAFE


def late_states(game: Any, games: int, last: int = 4) -> list[Any]:
    """The last positions of random games, before they ended."""
    return [state for seed in range(games) for state in random_game(game, seed, 2000)[0][-last - 1 : -1]]


@every_game
def test_no_other_move_is_better(game: Any) -> None:
    rng = np.random.default_rng(0)
    states = late_states(game, 12)
    actions = GreedyAgent().act(game, game.stack(states), rng)
    chosen: Counter[int] = Counter()
    passed_by: Counter[int] = Counter()
    for state, in_batch in zip(states, actions.tolist(), strict=True):
        for action in (in_batch, GreedyAgent().act_one(game, state, rng)):
            legal = game.legal_actions(state)
            assert action in legal
            mine = kind(game, state, action)
            chosen[mine] += 1
            # the first action that would be better; in XAHZO to look at all of them would take long
            steps = [game.rewards(game.step(state, other))[game.current_player(state)] for other in legal]
            assert mine == WINS or 1.0 not in steps
            passed_by.update(step for step in steps if mine != LOSES)
            if mine < SAFE:
                assert all(kind(game, state, other) <= mine for other in legal)
    assert chosen[SAFE] > 0
    decided = any(any(game.rewards(random_game(game, seed, 2000)[0][-1])) for seed in range(12))
    assert chosen[WINS] > 0 or passed_by[-1.0] > 0 or not decided


def positions_with_a_choice(name: str) -> list[tuple[Any, dict[int, int]]]:
    """Positions in which some moves are better than others, with the kinds of all moves."""
    game = game_of(name, {})
    found = []
    for state in late_states(game, 20, 2):
        kinds = {action: kind(game, state, action) for action in game.legal_actions(state)}
        if len(set(kinds.values())) > 1 and list(kinds.values()).count(max(kinds.values())) > 1:
            found.append((state, kinds))
    return found[:12]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "xahzo"])  # where naming all replies takes a second a move
@pytest.mark.parametrize("one", [False, True])
def test_draws_uniformly_from_the_best(name: str, one: bool) -> None:
    game, rng, agent, times = game_of(name, {}), np.random.default_rng(1), GreedyAgent(), 400
    positions = positions_with_a_choice(name)
    assert len(positions) > 2
    for state, kinds in positions[:: 4 if one else 1]:
        best = [action for action in kinds if kinds[action] == max(kinds.values())]
        if one:
            drawn = [agent.act_one(game, state, rng) for _ in range(times)]
        else:
            drawn = agent.act(game, game.repeat(state, times), rng).tolist()
        counts = Counter(drawn)
        assert set(counts) == set(best)
        expected = times / len(best)
        assert all(abs(count - expected) < 5 * np.sqrt(expected) for count in counts.values())


def test_the_kinds_of_moves_all_occur() -> None:
    seen = {
        (name, sign)
        for name in NAMES
        if name != "xahzo"
        for _, kinds in positions_with_a_choice(name)
        for sign in ((max(kinds.values()), min(kinds.values())))
    }
    assert {kind for _, kind in seen} == {LOSES, LETS_WIN, SAFE, WINS}
    assert ("inphexion", LETS_WIN) in seen


def test_a_move_before_another_of_ones_own() -> None:
    """While captured discs wait the same player acts again: what counts is who is to act, not whose turn it would be."""
    game = game_of("inphexion", {})
    waiting = [s for seed in range(60) for s in random_game(game, seed)[0] if s.waiting and not s.outcome]
    actions = GreedyAgent().act(game, game.stack(waiting), np.random.default_rng(0))
    kinds = [{a: kind(game, state, a) for a in game.legal_actions(state)} for state in waiting]
    assert [k[a] for k, a in zip(kinds, actions.tolist(), strict=True)] == [max(k.values()) for k in kinds]
    assert sum(min(k.values()) < max(k.values()) for k in kinds) > 5


def test_a_win_of_ones_own_next_action_is_no_danger() -> None:
    """A move after which the same player can win is among the safe ones."""
    game, rng = game_of("inphexion", {"board_size": 5}), np.random.default_rng(0)
    found = 0
    for state in late_states(game, 120):
        kinds = {action: kind(game, state, action) for action in game.legal_actions(state)}
        for action in (a for a in kinds if kinds[a] == max(kinds.values()) == SAFE):
            after = game.step(state, action)
            if after.player == state.player and any(kind(game, after, a) == WINS for a in game.legal_actions(after)):
                found += 1
                assert action in GreedyAgent().act(game, game.repeat(state, 200), rng)
                assert action in [GreedyAgent().act_one(game, state, rng) for _ in range(200)]
    assert found > 0


@every_game
def test_inputs_are_left_alone(game: Any) -> None:
    states = game.stack(late_states(game, 3))
    write_protect(states)
    before = frozen(states)
    a = GreedyAgent().act(game, states, np.random.default_rng(0))
    assert_same(before, frozen(states))
    assert np.array_equal(a, GreedyAgent().act(game, states, np.random.default_rng(0)))


@pytest.mark.parametrize("name", NAMES)
def test_beats_random_play(name: str) -> None:
    assert evaluate(game_of(name, {}), "greedy", "random", 60, np.random.default_rng(0)).interval[0] > 0.52
    assert isinstance(resolve("greedy"), GreedyAgent)
