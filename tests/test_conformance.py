"""Recorded games and positions, by both kinds of word. A game without them, or without its table, fails."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from helpers import (
    CONFORMANCE,
    NAMES,
    TABLES,
    by_options,
    game_of,
    label,
    outcome_of,
    outcomes_of,
    play_in_lockstep,
    recorded_game_of,
    recorded_games,
)

GAMES = [pytest.param(r, id=f"{name}-{r['seed']}-{i}") for name in NAMES for i, r in enumerate(recorded_games(name))]
STACKS = [
    pytest.param(records, id=label(name, json.loads(options)))
    for name in NAMES
    for options, records in by_options(recorded_games(name)).items()
]
_POSITIONS = [p for p in json.loads((CONFORMANCE / "positions.json").read_text()) if p["game"] in NAMES]
POSITIONS = [pytest.param(p, id=f"{p['game']}-{i}") for i, p in enumerate(_POSITIONS)]


@pytest.mark.parametrize("name", NAMES)
def test_every_game_has_its_records_its_positions_and_its_table(name: str) -> None:
    assert recorded_games(name), f"tests/conformance/{name}.jsonl is missing or empty"
    assert [p for p in _POSITIONS if p["game"] == name], f"tests/conformance/positions.json has no position of {name}"
    assert name in TABLES, f"tests/tables/{name}.py is missing"
    for part in ("OPTIONS", "PERFT", "POSITIONS", "IMPOSSIBLE", "SYMMETRIES"):
        assert getattr(TABLES[name], part, None), f"tests/tables/{name}.py has no {part}"
    assert TABLES[name].BAD_OPTIONS or not game_of(name, {}).options, f"tests/tables/{name}.py has no BAD_OPTIONS"
    assert all(counts for _, counts in TABLES[name].PERFT)
    assert callable(TABLES[name].observation)


@pytest.mark.parametrize("record", GAMES)
def test_recorded_game(record: dict[str, Any]) -> None:
    """One game on ints, ply by ply."""
    game = recorded_game_of(record)
    state = game.from_string(record["start"])
    for ply in record["plies"]:
        assert game.to_string(state) == ply["position"]
        assert game.current_player(state) == ply["to_move"]
        assert list(game.legal_actions(state)) == ply["legal"]
        assert np.flatnonzero(game.action_mask(state)).tolist() == ply["legal"]
        assert outcome_of(game, state) is None
        action = game.string_to_action(state, ply["action"])
        assert game.action_to_string(state, action) == ply["action"]
        texts = [game.action_to_string(state, legal) for legal in ply["legal"]]
        assert [game.string_to_action(state, text) for text in texts] == ply["legal"]
        state = game.step(state, action)
    assert game.to_string(state) == record["final"]
    assert outcome_of(game, state) == record["outcome"]
    assert (game.legal_actions(state) == ()) == (record["outcome"] is not None)
    assert game.to_string(game.replay([ply["action"] for ply in record["plies"]], record["start"])[-1]) == record["final"]


@pytest.mark.parametrize("records", STACKS)
def test_recorded_games_in_lockstep(records: list[dict[str, Any]]) -> None:
    """All games with the same options as one batch. Games that have ended stay in it; those cut off leave it."""
    play_in_lockstep(recorded_game_of(records[0]), records)


@pytest.mark.parametrize("position", POSITIONS)
def test_recorded_position(position: dict[str, Any]) -> None:
    """Single positions on ints."""
    game = recorded_game_of(position)
    state = game.from_string(position["position"])
    assert game.to_string(state) == position["position"]
    assert game.current_player(state) == position["to_move"]
    assert [game.action_to_string(state, action) for action in game.legal_actions(state)] == position["legal"]
    assert outcome_of(game, state) == position["outcome"]
    if "action" in position:
        assert game.string_to_action(state, position["action"]) == position["index"]
        after = game.step(state, position["index"])
        assert game.to_string(after) == position["result"]
        assert outcome_of(game, after) == position["result_outcome"]


@pytest.mark.parametrize("name", NAMES)
def test_recorded_positions_as_batches(name: str) -> None:
    """All positions with the same options stacked."""
    for group in by_options([p for p in _POSITIONS if p["game"] == name]).values():
        game = recorded_game_of(group[0])
        singles = [game.from_string(p["position"]) for p in group]
        states = game.stack(singles)
        masks = game.action_mask(states)
        assert game.current_player(states).tolist() == [p["to_move"] for p in group]
        assert outcomes_of(game, states) == [p["outcome"] for p in group]
        for i, position in enumerate(group):
            assert [game.action_to_string(singles[i], int(a)) for a in np.flatnonzero(masks[i])] == position["legal"]
        acting = [i for i, p in enumerate(group) if "action" in p]
        after = game.step(game.take(states, np.array(acting, np.int64)), np.array([group[i]["index"] for i in acting], np.int64))
        assert [game.to_string(game.take(after, k)) for k in range(len(acting))] == [group[i]["result"] for i in acting]
        assert outcomes_of(game, after) == [group[i]["result_outcome"] for i in acting]
