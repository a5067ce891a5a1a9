"""Fano330 in its movement phase, which uniformly random games seldom reach: symmetries, counts, a whole game."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from helpers import assert_same, game_of, outcome_of

OPTIONS = [{}, {"repetition_limit": 2}]


@lru_cache(None)
def careful_game(limit: int, seed: int) -> tuple[Any, ...]:
    """The states of a game between players who mostly avoid its end."""
    game = game_of("fano330", {} if limit == 3 else {"repetition_limit": limit})
    rng = np.random.default_rng(seed)
    states = [game.init()]
    while not game.is_terminal(states[-1]) and len(states) < 120:
        legal = rng.permutation(game.legal_actions(states[-1])).tolist()
        after = [game.step(states[-1], action) for action in legal]
        lasting = [state for state in after if not game.is_terminal(state)]
        states.append(lasting[0] if lasting and rng.random() < 0.98 else after[0])
    return tuple(states)


def moving_states(options: dict[str, Any]) -> list[Any]:
    limit = options.get("repetition_limit", 3)
    game = game_of("fano330", options)
    return [state for seed in range(30) for state in careful_game(limit, seed) if game.all_placed(state.board)]


@pytest.mark.parametrize("options", OPTIONS)
def test_all_symmetries_apply_in_the_movement_phase(options: dict[str, Any]) -> None:
    game = game_of("fano330", options)
    states = moving_states(options)
    assert len(states) > 200
    assert options or {1, 2} <= {state.count for state in states}
    batch = game.stack(states)
    for symmetry in game.symmetries:
        assert symmetry.applies(batch).all()
        images = [symmetry.state(state) for state in states]
        assert_same(symmetry.state(batch), game.stack(images))
        assert np.array_equal(symmetry.observation(game.observe(batch)), game.observe(game.stack(images)))
        for state, image in zip(states[::7], images[::7], strict=True):
            assert_same(symmetry.inverse.state(image), state)
            assert outcome_of(game, image) == exchanged(outcome_of(game, state), symmetry.exchanges)
            legal = game.legal_actions(state)
            assert set(game.legal_actions(image)) == {symmetry.action(action) for action in legal}
            for action in legal:
                assert_same(game.step(image, symmetry.action(action)), symmetry.state(game.step(state, action)))


def exchanged(outcome: Any, exchanges: bool) -> Any:
    return 1 - outcome if exchanges and isinstance(outcome, int) else outcome


def test_the_placement_phase_knows_no_exchange_of_colours() -> None:
    game = game_of("fano330", {})
    for state in careful_game(3, 0)[:8]:
        assert [s.applies(state) for s in game.symmetries] == [not s.exchanges for s in game.symmetries]


@pytest.mark.parametrize("count", [1, 2])
def test_a_count_from_a_text_goes_on_as_one_from_play(count: int) -> None:
    """Set up once with the number in the text, and once played so far."""
    game = game_of("fano330", {"repetition_limit": 5})
    circle = ["3-2", "6-4", "2-3", "4-6"]
    played = game.replay(circle * (count - 1), "Oo/-/T/t/-/Oo/Tt w 1")[-1]
    text = game.from_string(f"Oo/-/T/t/-/Oo/Tt w {count}")
    assert game.to_string(played) == game.to_string(text)
    for turn in range(5 - count):
        assert [state.count for state in game.replay(circle, played)][-1] == count + turn + 1
        played, text = (game.replay(circle, state)[-1] for state in (played, text))
        assert game.to_string(played) == game.to_string(text) == f"Oo/-/T/t/-/Oo/Tt w {count + turn + 1}"
        batch = game.stack([played, text])
        assert batch.count.tolist() == [count + turn + 1] * 2
    assert outcome_of(game, played) == outcome_of(game, text) == "draw"
