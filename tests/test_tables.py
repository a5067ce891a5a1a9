"""The hand-made tables of the games: positions, impossible texts, bad options."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from helpers import DOORS, NAMES, TABLES, game_of, outcome_of, outcomes_of, rows_of_tables
from tables import Case


@pytest.mark.parametrize(("name", "case"), rows_of_tables("POSITIONS"))
def test_position(name: str, case: Case) -> None:
    game = game_of(name, case.options)
    state = game.from_string(case.position)
    assert game.to_string(state) == case.position
    texts = [game.action_to_string(state, action) for action in game.legal_actions(state)]
    if case.legal is not None:
        assert texts == case.legal.split(), case.note
    assert outcome_of(game, state) == case.outcome, case.note
    assert bool(texts) == (case.outcome is None), case.note
    assert set(case.also.split()) <= set(texts), case.note
    for text in case.never.split():
        with pytest.raises(ValueError, match=r"is (not legal|no action)"):
            game.string_to_action(state, text)
    for text, position, outcome in case.then:
        state = game.step(state, game.string_to_action(state, text))
        assert game.to_string(state) == position, case.note
        assert outcome_of(game, state) == outcome, case.note
        # and the text, read again, says the same
        again = game.from_string(position)
        assert (outcome_of(game, again), game.legal_actions(again)) == (outcome, game.legal_actions(state))


@pytest.mark.parametrize("name", sorted(TABLES))
def test_positions_as_batches(name: str) -> None:
    """All positions with the same options in one batch, stepped in lockstep through what follows them."""
    groups: dict[str, list[Case]] = {}
    for case in TABLES[name].POSITIONS:
        groups.setdefault(json.dumps(case.options, sort_keys=True), []).append(case)
    for cases in groups.values():
        game = game_of(name, cases[0].options)
        states = game.stack([game.from_string(case.position) for case in cases])
        texts, outcomes = [case.position for case in cases], [case.outcome for case in cases]
        for ply in range(1 + max(len(case.then) for case in cases)):
            masks, found = game.action_mask(states), outcomes_of(game, states)
            for i, case in enumerate(cases):
                one = game.take(states, i)
                assert (game.to_string(one), found[i]) == (texts[i], outcomes[i]), case.note
                if ply == 0 and case.legal is not None:
                    assert [game.action_text(one, int(a)) for a in np.flatnonzero(masks[i])] == case.legal.split(), case.note
            rows = [i for i, case in enumerate(cases) if ply < len(case.then)]
            if rows:
                cases = [cases[i] for i in rows]
                steps = [case.then[ply] for case in cases]
                states = game.take(states, rows)
                actions = [game.string_to_action(game.take(states, i), step[0]) for i, step in enumerate(steps)]
                states = game.step(states, np.array(actions))
                texts, outcomes = [step[1] for step in steps], [step[2] for step in steps]


@pytest.mark.parametrize(("name", "row"), rows_of_tables("IMPOSSIBLE"))
def test_impossible_position(name: str, row: tuple[dict[str, Any], str, list[str]]) -> None:
    options, text, parts = row
    with pytest.raises(ValueError, match=".") as caught:
        game_of(name, options).from_string(text)
    for part in parts:
        assert part in str(caught.value), f"{text!r}: {caught.value}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [None, 7, b"7/7", ["7"]])
def test_position_that_is_no_text(name: str, text: Any) -> None:
    with pytest.raises(ValueError, match="position"):
        game_of(name, {}).from_string(text)


@pytest.mark.parametrize(("name", "row"), rows_of_tables("BAD_OPTIONS"))
def test_bad_option(name: str, row: tuple[dict[str, Any], list[str]]) -> None:
    options, parts = row
    for make in (DOORS[name].game, DOORS[name].env, DOORS[name].raw_env, lambda **o: DOORS[name].vector_env(2, **o)):
        with pytest.raises(ValueError, match=".") as caught:
            make(**options)
        for part in parts:
            assert part in str(caught.value), f"{options}: {caught.value}"


@pytest.mark.parametrize("name", NAMES)
def test_unknown_option(name: str) -> None:
    door = DOORS[name]
    for make in (door.game, door.env, door.raw_env, lambda **o: door.vector_env(2, **o)):
        with pytest.raises(TypeError, match="no_such_option") as caught:
            make(no_such_option=1)
        for option in door.game().options:
            assert option in str(caught.value)
