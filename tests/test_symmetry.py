"""The group laws of every game's symmetries. That rules, observations and masks follow them is in `test_rules`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from helpers import every_game, game_of, random_game, random_states, rows_of_tables


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
        for kind in s.by_kind if s.by_kind is not None else ():
            assert sorted(kind) == actions.tolist()
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
    singles = random_game(game, 0)[0][::7][:6]
    states = game.stack(singles)
    policy = rng.random((len(singles), game.num_actions), np.float32)
    kept = policy.copy()
    for s in game.symmetries[:24]:
        images = s.state(states)
        image = s.policy(policy, states)
        assert image.dtype == np.float32
        for i, one in enumerate(singles):
            assert type(s.action(0, one)) is int
            assert np.array_equal(s.mask(policy[i], one), image[i])
            for a in rng.integers(0, game.num_actions, 20).tolist():
                assert image[i, s.action(a, one)] == policy[i, a]
        actions = rng.integers(0, game.num_actions, len(singles))
        assert s.action(actions, states).tolist() == [s.action(int(a), one) for a, one in zip(actions, singles, strict=True)]
        assert np.array_equal(s.inverse.mask(image, images), policy)
        if s.by_kind is None:  # then it is the same in all states
            assert s.action(actions).tolist() == s.action(actions, states).tolist() == [s.action(int(a)) for a in actions]
            assert np.array_equal(s.policy(policy), image)
            assert np.array_equal(s.policy(policy[None, :, None]), image[None, :, None])
        image[:] = 0
        s.mask(policy[0], singles[0])[:] = 0
    assert np.array_equal(policy, kept)


@every_game
def test_images(game: Any) -> None:
    """The image of a legal action is legal in the image of the state, and leads to the image of the next state."""
    rng = np.random.default_rng(1)
    states = game.stack(random_states(game, 6))
    actions = game.sample(states, rng)
    for s in game.symmetries[:24]:
        rows = np.flatnonzero(s.applies(states) & ~game.is_terminal(states))
        before, played = game.take(states, rows), actions[rows]
        image = s.state(before)
        assert np.array_equal(game.action_mask(image), s.mask(game.action_mask(before), before))
        assert np.array_equal(game.observe(image), s.observation(game.observe(before)))
        assert game.current_player(image).tolist() == (game.current_player(before) ^ s.exchanges).tolist()
        after, image_after = game.step(before, played), game.step(image, s.action(played, before))
        rewards = game.rewards(after)
        assert np.array_equal(game.rewards(image_after), rewards[:, ::-1] if s.exchanges else rewards)
        applies = np.flatnonzero(s.applies(after))
        both = game.key(s.state(game.take(after, applies))), game.key(game.take(image_after, applies))
        assert np.array_equal(*both)


@every_game
def test_actions_that_depend_on_the_state(game: Any) -> None:
    for s in game.symmetries[1:]:
        if s.by_kind is not None and (s.by_kind != s.actions).any():
            with pytest.raises(ValueError, match="state"):
                s.action(0)
            with pytest.raises(ValueError, match="state"):
                s.mask(np.zeros(game.num_actions))


@every_game
def test_pickle(game: Any) -> None:
    for s in game.symmetries[:4]:
        again = pickle.loads(pickle.dumps(s))
        assert np.array_equal(again.actions, s.actions)
        assert (again.name, again.game) == (s.name, s.game)
