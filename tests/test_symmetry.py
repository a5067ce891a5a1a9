"""The group laws of every game's symmetries. That rules, observations and masks follow them is in `test_rules`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from helpers import every_game, game_of, rows_of_tables


@pytest.mark.parametrize(("name", "row"), rows_of_tables("SYMMETRIES"))
def test_count(name: str, row: tuple[dict[str, Any], int, int]) -> None:
    options, count, exchanging = row
    symmetries = game_of(name, options).symmetries
    assert len(symmetries) == count
    assert sum(symmetry.exchanges for symmetry in symmetries) == exchanging
    assert len({symmetry.name for symmetry in symmetries}) == count


@every_game
def test_they_are_a_group(game: Any) -> None:
    cells, actions, planes = (np.arange(size) for size in (len(game.board), game.num_actions, len(game.plane_names)))
    first = game.symmetries[0]
    assert not first.exchanges
    seen = set()
    for s in game.symmetries:
        assert sorted(s.cells) == cells.tolist()
        assert sorted(s.actions) == actions.tolist()
        assert sorted(s.planes) == planes.tolist()
        seen.add((tuple(s.cells), tuple(s.actions), tuple(s.planes), s.exchanges))
        assert s.then(s.inverse) is first
        assert s.inverse.then(s) is first
        assert s.then(first) is s
        assert first.then(s) is s
    assert len(seen) == len(game.symmetries)
    assert np.array_equal(first.cells, cells)
    assert np.array_equal(first.actions, actions)
    assert np.array_equal(first.planes, planes)
    some = game.symmetries[:: max(1, len(game.symmetries) // 24)]
    for a in some:
        for b in some:
            both = a.then(b)
            assert both in game.symmetries
            assert np.array_equal(both.cells, [b.cells[a.cells[i]] for i in cells])
            assert np.array_equal(both.actions, [b.actions[a.actions[i]] for i in actions])
            assert both.exchanges == (a.exchanges != b.exchanges)


@every_game
def test_actions_masks_and_policies(game: Any) -> None:
    rng = np.random.default_rng(0)
    policy = rng.random((2, 3, game.num_actions), np.float32)
    kept = policy.copy()
    for s in game.symmetries[:24]:
        every = np.arange(game.num_actions)
        assert s.action(every).tolist() == [s.action(a) for a in range(game.num_actions)]
        assert type(s.action(0)) is int
        image = s.policy(policy)
        assert image.dtype == np.float32
        for a in rng.integers(0, game.num_actions, 20):
            assert np.array_equal(image[..., s.action(int(a))], policy[..., a])
        assert np.array_equal(s.inverse.mask(s.mask(policy)), policy)
        image[:] = 0
        s.mask(policy[0, 0])[:] = 0
    assert np.array_equal(policy, kept)


@every_game
def test_pickle(game: Any) -> None:
    for s in game.symmetries[:4]:
        again = pickle.loads(pickle.dumps(s))
        assert np.array_equal(again.actions, s.actions)
        assert (again.name, again.game) == (s.name, s.game)
