"""Counts of the sheets, by batches and by a plain recursion on ints."""

from __future__ import annotations

import json
from typing import Any

import pytest

from abstract_envs.perft import divide, perft
from helpers import TABLES, game_of, outcome_of, random_game, rows_of_tables


def count(game: Any, state: Any, depth: int) -> int:
    """Sequences of exactly ``depth`` actions, one by one."""
    if depth == 0:
        return 1
    return sum(count(game, game.step(state, action), depth - 1) for action in game.legal_actions(state))


@pytest.mark.parametrize(("name", "row"), rows_of_tables("PERFT"))
def test_counts_of_the_sheet(name: str, row: tuple[dict[str, Any], list[int]]) -> None:
    options, expected = row
    game = game_of(name, options)
    found = [perft(game, depth) for depth in range(1, len(expected) + 1)]
    assert found == expected, json.dumps(divide(game, len(expected)))
    assert perft(game, 0) == 1


@pytest.mark.parametrize(("name", "row"), rows_of_tables("PERFT"))
def test_counts_of_the_sheet_one_by_one(name: str, row: tuple[dict[str, Any], list[int]]) -> None:
    options, expected = row
    game = game_of(name, options)
    start = game.replay([])[0]
    few = [c for c in expected if c <= 60_000]
    assert [count(game, start, depth) for depth in range(1, len(few) + 1)] == few


@pytest.mark.parametrize(("name", "row"), rows_of_tables("PERFT"))
def test_divide(name: str, row: tuple[dict[str, Any], list[int]]) -> None:
    options, expected = row
    game = game_of(name, options)
    start = game.replay([])[0]
    for depth, total in enumerate(expected[:4], 1):
        parts = divide(game, depth)
        assert sum(parts.values()) == total
        assert list(parts) == [game.action_to_string(start, action) for action in game.legal_actions(start)]
    for text, part in list(divide(game, 3).items())[:3]:
        assert part == count(game, game.replay([text])[1], 2)


@pytest.mark.parametrize("name", sorted(TABLES))
def test_from_a_state(name: str) -> None:
    game = game_of(name, TABLES[name].OPTIONS[-1])
    states, _ = random_game(game, 1)
    for state in (states[len(states) // 2], states[-2], states[-1]):
        for depth in (0, 1, 2, 3):
            assert perft(game, depth, state) == count(game, state, depth)
            if depth:
                assert sum(divide(game, depth, state).values()) == count(game, state, depth)
        assert perft(game, 2, game.to_string(state)) == perft(game, 2, game.from_string(game.to_string(state)))
    assert outcome_of(game, states[-1]) is not None
    assert perft(game, 1, states[-1]) == 0
    assert divide(game, 1, states[-1]) == {}


@pytest.mark.parametrize("depth", [-1, 1.0, "2", None, True])
def test_bad_depth(depth: Any) -> None:
    for name in TABLES:
        for f in (perft, divide):
            with pytest.raises(ValueError, match="depth is"):
                f(game_of(name, {}), depth)


@pytest.mark.parametrize("name", sorted(TABLES))
def test_divide_needs_an_action(name: str) -> None:
    with pytest.raises(ValueError, match="depth is 0"):
        divide(game_of(name, {}), 0)
