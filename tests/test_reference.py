"""Fano330 and Honey Donuts against `reference_<game>`, implementations of their rule sheets that share nothing with the library.

Games are played ply by ply on all options of the tables, from the start and from the positions of the tables, some uniformly
at random, some by players that put off the end (so that late rules are met); ints and arrays in lockstep.
"""

from __future__ import annotations

import importlib
import random
from typing import Any

import numpy as np
import pytest

from helpers import EVERY_GAME, TABLES, assert_same, outcome_of

NAMES = ("fano330", "honey_donuts")
GAMES = 36
"""For each set of options; a third of them begins at a position of the table."""
MOST_PLIES = 120


def reference_of(game: Any) -> Any:
    return importlib.import_module(f"reference_{game.name}").reference(game.options)


def chosen(game: Any, state: Any, legal: dict[str, int], rng: random.Random, careful: bool) -> str:
    """A random action; by careful players mostly one after which the game goes on."""
    if careful and rng.random() < 0.97:
        texts = list(legal)
        rng.shuffle(texts)
        for text in texts[:8]:
            if not game.is_terminal(game.step(state, legal[text])):
                return text
    return rng.choice(list(legal))


def compare(game: Any, state: Any, reference: Any, position: Any) -> dict[str, int]:
    """The legal actions, after everything said about the position has been compared."""
    legal: dict[str, int] = reference.actions(position)
    assert game.to_string(state) == reference.to_string(position)
    assert outcome_of(game, state) == reference.outcome(position), game.to_string(state)
    assert list(game.legal_actions(state)) == list(legal.values()), game.to_string(state)
    assert [game.action_text(state, action) for action in legal.values()] == list(legal)
    assert bool(legal) == (reference.outcome(position) is None)
    return legal


@pytest.mark.parametrize("game", [game for game in EVERY_GAME if game.values[0].name in NAMES])
def test_play_by_play(game: Any) -> None:
    reference = reference_of(game)
    rng = random.Random(repr(game))
    texts = [case.position for case in TABLES[game.name].POSITIONS if game == type(game)(**case.options)]
    positions, states = [], []
    for number in range(GAMES):
        if texts and number % 3 == 0:
            states.append(game.from_string(rng.choice(texts)))
        else:
            states.append(game.init(rng=np.random.default_rng(number)))
        positions.append(reference.from_string(game.to_string(states[-1])))
    batch = game.stack(states)
    for _ in range(MOST_PLIES):
        actions = []
        for i in range(GAMES):
            legal = compare(game, states[i], reference, positions[i])
            actions.append(0)
            if legal:
                text = chosen(game, states[i], legal, rng, careful=i % 2 == 0)
                actions[i] = legal[text]
                positions[i] = reference.play(positions[i], text)
                states[i] = game.step(states[i], actions[i])
        batch = game.step(batch, np.array(actions))
        masks = game.action_mask(batch)
        for i in range(0, GAMES, 7):  # every word of some games, the legal actions of all
            assert_same(game.take(batch, i), states[i])
        assert [np.flatnonzero(mask).tolist() for mask in masks] == [list(game.legal_actions(state)) for state in states]
        if all(game.is_terminal(state) for state in states):
            break


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_starts_where_the_game_does(name: str) -> None:
    game = importlib.import_module(f"abstract_envs.{name}_v0").game()
    reference = reference_of(game)
    assert reference.to_string(reference.start()) == game.to_string(game.init())
