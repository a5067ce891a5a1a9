"""What holds for every game, by both kinds of word: purity, shapes and types, texts, observations, batches, symmetries."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from helpers import (
    DOORS,
    NAMES,
    TABLES,
    assert_same,
    every_game,
    frozen,
    game_of,
    history_matters,
    mid_game,
    outcome_of,
    outcomes_of,
    position_of,
    random_game,
    random_states,
    write_protect,
)


def spread_out(game: Any, most: int) -> list[Any]:
    """At most so many of the states seen in random play, from the first to the last ply; ended ones among them."""
    states = random_states(game)
    ended = [state for state in states if game.is_terminal(state)][:4]
    return [*states[:: max(1, len(states) // most)][:most], *ended]


# ---------------------------------------------------------------------------------------------------------------------- texts


@every_game
def test_texts_round_trip(game: Any) -> None:
    for state in random_states(game, 6):
        text = game.to_string(state)
        assert "\n" not in text
        assert "  " not in text
        again = game.from_string(text)
        assert game.to_string(again) == text
        assert game.current_player(again) == game.current_player(state)
        assert game.key(again) == game.key(state)
        if not history_matters(game):
            assert_same(again, state)
        legal = game.legal_actions(state)
        texts = [game.action_to_string(state, action) for action in legal]
        assert len(set(texts)) == len(texts)
        assert tuple(game.string_to_action(state, t) for t in texts) == legal


@every_game
def test_illegal_actions_have_no_text(game: Any) -> None:
    for state in spread_out(game, 6):
        legal = set(game.legal_actions(state))
        illegal = [a for a in range(game.num_actions) if a not in legal][:: max(1, game.num_actions // 40)]
        for action in [*illegal, -1, game.num_actions, 10**30, np.int64(-5)]:
            with pytest.raises(ValueError, match="not legal"):
                game.action_to_string(state, action)


@every_game
def test_texts_that_are_no_action(game: Any) -> None:
    for state in spread_out(game, 3):
        for text in ("", " ", "pass", "zz", "-", "@", "a1-", "-a1", "a1-a1-a1", "a1 ", "A1", "0", "\n", "é"):
            with pytest.raises(ValueError, match=r"no action|not legal"):
                game.string_to_action(state, text)
        for text in (None, 0, b"a1", ["a1"]):
            with pytest.raises(ValueError, match="no action"):
                game.string_to_action(state, text)


@every_game
def test_replay(game: Any) -> None:
    states, actions = random_game(game, 3)
    texts = [game.action_to_string(s, a) for s, a in zip(states, actions, strict=False)]
    starts = [states[0], game.to_string(states[0]), *([] if game.has_chance else [None])]
    for start in starts:
        replayed = game.replay(texts, start)
        assert len(replayed) == len(states)
        for a, b in zip(replayed, states, strict=True):
            assert_same(a, b)
    for number in (1, len(texts)):
        wrong = [*texts[: number - 1], "no such action"]
        with pytest.raises(ValueError, match=rf"^action {number}: .*no such action"):
            game.replay(wrong, states[0])
    with pytest.raises(ValueError, match="side|position|rows|fields|'"):
        game.replay([], "nonsense")
    if game.has_chance:
        with pytest.raises(ValueError, match="start"):
            game.replay(texts)
    else:
        assert_same(game.replay([])[0], game.init())


# ------------------------------------------------------------------------------------------------------ shapes, types, values


@every_game
def test_one_game(game: Any) -> None:
    planes, rows, columns = game.observation_shape
    assert planes == len(game.plane_names) == len(set(game.plane_names))
    assert (rows, columns) == game.board.shape
    for state in random_states(game, 3):
        over = outcome_of(game, state) is not None
        player, legal, mask = game.current_player(state), game.legal_actions(state), game.action_mask(state)
        assert type(player) is int
        assert player in (0, 1)
        assert game.is_terminal(state) is over
        rewards = game.rewards(state)
        assert type(rewards) is tuple
        assert [type(r) for r in rewards] == [float, float]
        assert sum(rewards) == 0
        assert rewards in ([(0.0, 0.0), (1.0, -1.0), (-1.0, 1.0)] if over else [(0.0, 0.0)])
        assert (mask.dtype, mask.shape) == (np.int8, (game.num_actions,))
        assert type(legal) is tuple
        assert all(type(action) is int for action in legal)
        assert list(legal) == sorted(legal) == np.flatnonzero(mask == 1).tolist() == np.flatnonzero(mask).tolist()
        assert (legal == ()) == over
        observation = game.observe(state)
        assert (observation.dtype, observation.shape) == (np.int8, game.observation_shape)
        viewed, viewed_mask = game.view(state)
        assert (viewed.dtype, viewed_mask.dtype) == (np.int8, np.int8)
        assert np.array_equal(viewed, observation)
        assert np.array_equal(viewed_mask, mask)


@every_game
def test_batch(game: Any) -> None:
    singles = spread_out(game, 24)
    states = game.stack(singles)
    size = len(singles)
    assert game.batch_size(states) == size
    player, ended = game.current_player(states), game.is_terminal(states)
    rewards, mask = game.rewards(states), game.action_mask(states)
    assert (player.dtype, player.shape) == (np.int8, (size,))
    assert (ended.dtype, ended.shape) == (np.bool_, (size,))
    assert (rewards.dtype, rewards.shape) == (np.float32, (size, 2))
    assert (mask.dtype, mask.shape) == (np.int8, (size, game.num_actions))
    assert player.tolist() == [game.current_player(s) for s in singles]
    assert ended.tolist() == [game.is_terminal(s) for s in singles]
    assert ended.any()
    assert rewards.tolist() == [list(game.rewards(s)) for s in singles]
    assert outcomes_of(game, states) == [outcome_of(game, s) for s in singles]
    assert np.array_equal(mask, [game.action_mask(s) for s in singles])
    drawn = game.sample(states, np.random.default_rng(0))
    assert (drawn.dtype, drawn.shape) == (np.int64, (size,))
    assert (drawn[ended] == 0).all()
    assert mask[~ended, drawn[~ended]].all()


@every_game
def test_batches_of_none_and_of_one(game: Any) -> None:
    rng = np.random.default_rng(0)
    for size in (0, 1):
        states = game.init(size, rng=rng)
        states = game.step(states, game.sample(states, rng))
        assert game.observe(states).shape == (size, *game.observation_shape)
        assert game.action_mask(states).shape == (size, game.num_actions)
        assert game.rewards(states).shape == (size, 2)
        assert game.batch_size(game.playout(states, rng)) == size
        assert len(game.key(states)) == size
    for bad in (-1, 1.5, "3"):
        with pytest.raises((ValueError, TypeError)):
            game.init(bad, rng=rng)


@every_game
def test_init(game: Any) -> None:
    if game.has_chance:
        with pytest.raises(ValueError, match="rng"):
            game.init()
        a, b = (game.init(8, rng=np.random.default_rng(5)) for _ in range(2))
        assert_same(a, b)
        assert len({game.to_string(game.take(a, i)) for i in range(8)}) > 1
    else:
        assert_same(game.take(game.init(3), 2), game.init())
        assert_same(game.init(3), game.stack([game.init()] * 3))
        assert_same(game.init(np.int64(3)), game.init(3))


@every_game
def test_is_legal(game: Any) -> None:
    singles = spread_out(game, 12)
    states = game.stack(singles)
    legal = [set(game.legal_actions(s)) for s in singles]
    size = game.num_actions
    for action in [*range(0, size, max(1, size // 50)), size - 1, -1, -size, size, size + 1, 2**40, -(2**40)]:
        expected = [action in actions for actions in legal]
        assert [game.is_legal(s, action) for s in singles] == expected
        assert [game.is_legal(s, np.int64(action)) for s in singles] == expected
        assert all(type(game.is_legal(s, action)) is bool for s in singles)
        found = game.is_legal(states, np.full(len(singles), action))
        assert found.dtype == np.bool_
        assert found.tolist() == expected
    assert not game.is_legal(singles[0], 10**30)
    each = np.array([max(actions, default=0) for actions in legal], np.int32)
    assert game.is_legal(states, each).tolist() == [bool(actions) for actions in legal]


@every_game
def test_integers_of_numpy_are_actions(game: Any) -> None:
    state = random_game(game, 0)[0][1]
    action = game.legal_actions(state)[-1]
    after = game.step(state, action)
    for same in (np.int64(action), np.int16(action), np.array(action)):
        assert_same(game.step(state, same), after)
        assert game.action_to_string(state, same) == game.action_to_string(state, action)
    batch = game.stack([state, state])
    for same in ([action, action], np.array([action] * 2, np.int32), np.array([action] * 2, np.uint16)):
        assert_same(game.step(batch, same), game.stack([after, after]))


# ------------------------------------------------------------------------------------------------------------ one game = batch


@every_game
def test_batch_plays_as_single_games_do(game: Any) -> None:
    """Ply by ply, every word of the state; ended games stay in the batch and stay as they are."""
    games = [random_game(game, seed) for seed in range(24)]
    states = game.stack([played[0] for played, _ in games])
    cut_off = [len(actions) for played, actions in games if not game.is_terminal(played[-1])]
    for ply in range(min(cut_off, default=max(len(actions) for _, actions in games) + 2)):
        now = [played[min(ply, len(played) - 1)] for played, _ in games]
        assert_same(states, game.stack(now))
        for i in range(ply % 4, len(games), 4):
            assert_same(game.take(states, i), now[i])
        if ply % 8 == 0:
            assert np.array_equal(game.observe(states), [game.observe(s) for s in now])
        states = game.step(states, np.array([actions[ply] if ply < len(actions) else 0 for _, actions in games]))


@every_game
def test_ended_games_stay_as_they_are(game: Any) -> None:
    ended = [random_game(game, seed)[0][-1] for seed in range(8)]
    ended = [state for state in ended if game.is_terminal(state)]
    assert ended
    states = game.stack(ended)
    for action in (0, game.num_actions // 2, game.num_actions - 1):
        for state in ended:
            assert_same(game.step(state, action), state)
        assert_same(game.step(states, np.full(len(ended), action)), states)
    assert not game.action_mask(states).any()
    assert game.sample(states, np.random.default_rng(0)).tolist() == [0] * len(ended)
    assert [game.sample(state, np.random.default_rng(0)) for state in ended] == [0] * len(ended)
    assert_same(game.playout(states, np.random.default_rng(0)), states)


@every_game
def test_playout(game: Any) -> None:
    start = random_game(game, 1)[0][0]
    assert game.is_terminal(game.playout(start, np.random.default_rng(0)))
    assert game.is_terminal(game.playout(game.repeat(start, 16), np.random.default_rng(0))).all()


# --------------------------------------------------------------------------------------------------------------------- purity


@every_game
def test_inputs_never_change_one_game(game: Any) -> None:
    rng = np.random.default_rng(0)
    for state in spread_out(game, 30):
        before = frozen(state)
        for action in game.legal_actions(state)[:3] or (0,):
            game.step(state, action)
        game.observe(state)[:] = 9
        game.observe(state, 1)[:] = 9
        game.action_mask(state)[:] = 9
        for array in game.view(state):
            array[:] = 9
        game.sample(state, rng)
        game.stack([state, state])
        game.repeat(state, 3)
        game.to_string(state)
        game.key(state)
        for symmetry in game.symmetries[:6]:
            game.transform(symmetry, state)
        assert_same(frozen(state), before)


@every_game
def test_inputs_never_change_batch(game: Any) -> None:
    """Arrays are write-protected as well, so a write that restored the value would be seen too."""
    rng = np.random.default_rng(1)
    states, others = mid_game(game, 40), mid_game(game, 40, seed=1)
    write_protect(states)
    write_protect(others)
    before, others_before = frozen(states), frozen(others)
    seen = game.observe(states), game.action_mask(states)
    rows = np.array([3, 1, 7])
    mask = np.arange(40) % 3 == 0
    actions = game.sample(states, rng)
    actions.flags.writeable = False
    for _ in range(3):
        made = [game.step(states, actions), game.take(states, rows), game.take(states, slice(0, 40))]
        made += [game.where(mask, states, others)]
        made += [game.put(states, rows, game.take(others, rows)), game.put(states, rows, game.take(others, rows[:1]))]
        made += [game.concatenate([states, others]), game.where(np.ones(40, bool), states, others)]
        made += [game.transform(symmetry, states) for symmetry in game.symmetries[:6]]
        for state in made:  # go on from each
            game.step(state, game.sample(state, rng))
        game.step(states, game.sample(states, rng))
        for array in (game.observe(states), game.observe(states, 0), game.action_mask(states), game.rewards(states)):
            array[:] = 9
        game.key(states)
        game.current_player(states)[:] = 9
        game.is_terminal(states)[:] = False
        game.take(states, 5)
    assert_same(frozen(states), before)
    assert_same(frozen(others), others_before)
    assert np.array_equal(game.observe(states), seen[0])
    assert np.array_equal(game.action_mask(states), seen[1])


@every_game
def test_an_old_batch_can_be_stepped_again(game: Any) -> None:
    rng = np.random.default_rng(2)
    states = mid_game(game, 12, plies=6)
    a, b = game.sample(states, rng), game.sample(states, rng)
    after = game.step(states, a)
    kept = frozen(after)
    game.step(game.step(states, b), a * 0)
    assert_same(frozen(after), kept)
    assert_same(game.step(states, a), after)


# ---------------------------------------------------------------------------------------------------------------- observations


@every_game
def test_observation_shows_the_position(game: Any) -> None:
    """Plane by plane what the table makes of the position text; the same from batches, for one observer or one a game."""
    singles = spread_out(game, 40)
    expected = np.array(
        [
            [list(TABLES[game.name].observation(game, game.to_string(s), p, game.is_terminal(s)).values()) for s in singles]
            for p in (0, 1)
        ],
        np.int8,
    )
    names = tuple(TABLES[game.name].observation(game, game.to_string(singles[0]), 0, False))
    assert names == game.plane_names
    states = game.stack(singles)
    to_act = game.current_player(states)
    rows = np.arange(len(singles))
    for p in (0, 1):
        assert np.array_equal([game.observe(s, p) for s in singles], expected[p])
        assert np.array_equal([game.observe(s, np.int8(p)) for s in singles], expected[p])
        assert np.array_equal(game.observe(states, p), expected[p])
    for player, who in ((None, to_act), (to_act, to_act), (1 - to_act, 1 - to_act), (rows % 2, rows % 2)):
        found = game.observe(states, player)
        assert (found.dtype, found.shape) == (np.int8, (len(singles), *game.observation_shape))
        assert np.array_equal(found, expected[who, rows])
    assert np.array_equal([game.observe(s) for s in singles], expected[to_act, rows])
    bounds = np.array(game.plane_bounds)[None, :, None, None]
    assert expected.min() >= 0
    assert (expected <= bounds).all()
    assert len(game.plane_bounds) == len(game.plane_names)
    assert game.plane_names[game.seat_plane] == "observer is player_0"


@every_game
def test_arrays_are_fresh(game: Any) -> None:
    states = mid_game(game, 5)
    one = game.take(states, 0)
    for f in (game.observe, game.action_mask):
        for state in (states, one):
            first = f(state)
            kept = first.copy()
            f(state)[:] = 7
            assert np.array_equal(first, kept)
            assert not np.shares_memory(first, f(state))
            assert first.flags.writeable


# ------------------------------------------------------------------------------------------------------------------- sampling


@every_game
def test_sample_is_uniform(game: Any) -> None:
    """Chi-square over the legal actions, a fixed seed: mean k - 1, variance 2 (k - 1); beyond five deviations is a fault."""
    rng = np.random.default_rng(12345)
    states = [s for s in spread_out(game, 8) if len(game.legal_actions(s)) > 1]
    for state in states:
        legal = game.legal_actions(state)
        batch = game.sample(game.repeat(state, 20_000), rng)
        ones = np.array([game.sample(state, rng) for _ in range(3_000)])
        assert type(game.sample(state, rng)) is int
        for draws in (batch, ones):
            counts = np.bincount(draws, minlength=game.num_actions)
            assert counts.sum() == counts[list(legal)].sum()
            expected = len(draws) / len(legal)
            chi2 = ((counts[list(legal)] - expected) ** 2 / expected).sum()
            assert chi2 < len(legal) - 1 + 5 * np.sqrt(2 * (len(legal) - 1))


@every_game
def test_sample_follows_the_generator(game: Any) -> None:
    states = mid_game(game, 50)
    one = random_game(game, 0)[0][2]
    for state in (states, one):
        draws = [game.sample(state, np.random.default_rng(seed)) for seed in (1, 1, 2)]
        assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(game.sample(states, np.random.default_rng(1)), game.sample(states, np.random.default_rng(2)))
    rng = np.random.default_rng(3)
    assert len({game.sample(one, rng) for _ in range(50)}) > 1


# ----------------------------------------------------------------------------------------------------------------------- keys


@every_game
def test_keys_are_equal_exactly_where_positions_are(game: Any) -> None:
    singles = [state for seed in range(40) for state in random_game(game, seed)[0]]
    keys, texts = [game.key(s) for s in singles], [position_of(game, s) for s in singles]
    assert all(type(key) is int for key in keys)
    pairs = set(zip(keys, texts, strict=True))
    assert len(pairs) == len(set(keys)) == len(set(texts))
    batch = game.key(game.stack(singles))
    assert batch.dtype == np.uint64
    assert len(batch) == len(singles)
    assert batch.ndim == (1 if max(keys).bit_length() <= 64 and game.key_layout.total <= 64 else 2)
    rows = batch[:, None] if batch.ndim == 1 else batch
    assert [sum(int(word) << 64 * k for k, word in enumerate(row)) for row in rows] == keys


@every_game
def test_keys_tell_neighbours_apart(game: Any) -> None:
    """All successors of a position, and of these again: the likeliest to be confused."""
    for state in spread_out(game, 3):
        found: dict[str, int] = {}
        for action in game.legal_actions(state)[:20]:
            after = game.step(state, action)
            for s in (after, *(game.step(after, a) for a in game.legal_actions(after)[:20])):
                found[position_of(game, s)] = game.key(s)
        assert len(set(found.values())) == len(found)


# ----------------------------------------------------------------------------------------------------- one game <-> a batch


@every_game
def test_stack_and_take(game: Any) -> None:
    singles = spread_out(game, 20)
    states = game.stack(singles)
    for i in (0, 3, -1, np.int64(2)):
        assert_same(game.take(states, i), singles[i])
    n = len(singles)
    for i in (np.array([4, 0, 4]), [1, 2], slice(2, 9, 3), np.arange(n) % 2 == 1, np.zeros(0, np.int64), np.array([-1])):
        expected = np.arange(n)[i]
        found = game.take(states, i)
        assert game.batch_size(found) == len(expected)
        for k, row in enumerate(expected):
            assert_same(game.take(found, k), singles[row])
    assert_same(game.stack([game.take(states, i) for i in range(n)]), states)
    for i in (n, -n - 1, np.array([0, n])):
        with pytest.raises(IndexError):
            game.take(states, i)
    with pytest.raises(ValueError, match="at least one"):
        game.stack([])


@every_game
def test_a_batch_in_place_of_one_game_and_the_other_way_round(game: Any) -> None:
    state = spread_out(game, 1)[0]
    for batch in (game.stack([state]), game.stack([state] * 3)):
        for f in (
            game.legal_actions,
            game.to_string,
            lambda batch: game.stack([batch]),
            lambda batch: game.replay(["a1"], batch),
        ):
            with pytest.raises(ValueError, match=r"is a batch; one game is meant here, and take\(states, i\) gives it$"):
                f(batch)
        for f in (game.action_to_string, game.string_to_action):
            with pytest.raises(ValueError, match="is a batch; one game is meant here"):
                f(batch, game.legal_actions(state)[0] if f == game.action_to_string else "a1")
        with pytest.raises(ValueError, match=r"those of one game; a batch is meant here"):
            game.concatenate([batch, state])


@every_game
@pytest.mark.parametrize("rng", [0, None, np.random.RandomState(0), np.random])
def test_what_is_no_generator(game: Any, rng: Any) -> None:
    state = spread_out(game, 1)[0]
    for states in (state, game.stack([state])):
        for f in (game.sample, game.playout):
            with pytest.raises(ValueError, match=r"rng is .*; it is a numpy\.random\.Generator"):
                f(states, rng)


@every_game
def test_concatenate_where_put_repeat(game: Any) -> None:
    a, b = spread_out(game, 7)[:7], spread_out(game, 31)[10:17]
    batch_a, batch_b = game.stack(a), game.stack(b)
    both = game.concatenate([batch_a, batch_b, game.take(batch_a, [2])])
    for k, state in enumerate([*a, *b, a[2]]):
        assert_same(game.take(both, k), state)
    assert_same(game.take(both, slice(0, 7)), batch_a)
    assert_same(game.take(both, np.arange(7, 14)), batch_b)
    for bits in (0, 127, 0b0101101):
        mask = np.array([bits >> k & 1 for k in range(7)], bool)
        found = game.where(mask, batch_a, batch_b)
        for k in range(7):
            assert_same(game.take(found, k), a[k] if mask[k] else b[k])
        assert_same(game.where(mask.tolist(), batch_a, batch_b), found)
    found = game.put(batch_a, np.array([5, 0]), game.take(batch_b, [1, 3]))
    for k, state in enumerate([b[3], *a[1:5], b[1], a[6]]):
        assert_same(game.take(found, k), state)
    found = game.put(batch_a, np.array([2, 4]), game.take(batch_b, [6]))  # one for all
    for k, state in enumerate([a[0], a[1], b[6], a[3], b[6], a[5], a[6]]):
        assert_same(game.take(found, k), state)
    assert_same(game.repeat(a[3], 4), game.stack([a[3]] * 4))
    with pytest.raises(ValueError, match="at least one"):
        game.concatenate([])


@every_game
def test_games_of_different_age_go_on_as_alone(game: Any) -> None:
    """Mixed by take, concatenate and where, then played on: each as if it had been played alone."""
    games = [random_game(game, seed) for seed in range(10)]
    at = [min(3 * k, len(actions) - 1) for k, (_, actions) in enumerate(games)]
    singles = [played[ply] for (played, _), ply in zip(games, at, strict=True)]
    left, right = game.stack(singles[:4]), game.stack(singles[4:])
    states = game.take(game.concatenate([right, left]), np.array([6, 7, 8, 9, 0, 1, 2, 3, 4, 5]))
    states = game.where(np.arange(10) % 2 == 0, states, game.stack(singles))
    for ply in range(12):
        now = [min(start + ply, len(actions)) for start, (_, actions) in zip(at, games, strict=True)]
        for i, (played, _) in enumerate(games):
            assert_same(game.take(states, i), played[now[i]])
        actions = [acts[n] if n < len(acts) else 0 for n, (_, acts) in zip(now, games, strict=True)]
        states = game.step(states, np.array(actions))


# ---------------------------------------------------------------------------------------------- games and states as values


@pytest.mark.parametrize("name", NAMES)
def test_games_are_values(name: str) -> None:
    makers = TABLES[name].OPTIONS
    games = [DOORS[name].game(**options) for options in makers]
    again = [DOORS[name].game(**options) for options in makers]
    assert games == again
    assert len(set(games)) == len(games) == len({*games, *again})
    for game, options in zip(games, makers, strict=True):
        assert game.name == name
        # an option that can be written in several ways is shown in one of them
        assert game.options.keys() == games[0].options.keys()
        assert all(game.options[key] == value for key, value in options.items() if not isinstance(value, list))
        assert DOORS[name].game(**game.options) == game
        copied = pickle.loads(pickle.dumps(game))
        assert copied == game
        assert hash(copied) == hash(game)
        assert copy.deepcopy(game) == game == copy.copy(game)
        assert name.replace("_", "") in type(game).__name__.lower()
        with pytest.raises((AttributeError, TypeError)):
            setattr(game, next(iter(game.options), "name"), None)


@every_game
def test_states_can_be_pickled_and_copied(game: Any) -> None:
    one, batch = random_game(game, 0)[0][5], mid_game(game, 6, plies=8)
    for state in (one, batch):
        for again in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
            assert type(again) is type(state)
            assert_same(again, state)
            rngs = np.random.default_rng(1), np.random.default_rng(1)
            assert_same(*(game.step(s, game.sample(s, rng)) for s, rng in zip((again, state), rngs, strict=True)))
    assert hash(one) == hash(game.take(game.stack([one]), 0))
    assert one == game.take(game.stack([one]), 0)


# ------------------------------------------------------------------------------------------------------------------ symmetries


@every_game
def test_rules_follow_the_symmetries(game: Any) -> None:
    """Legal actions, the next state, outcome, mask and observation of the image are the images of these."""
    checked = 0
    for symmetry in game.symmetries[:: max(1, len(game.symmetries) // 24)]:
        for state in spread_out(game, 60 if len(game.symmetries) <= 12 else 12):
            if not symmetry.applies(state):
                continue
            image = symmetry.state(state)
            assert game.to_string(game.from_string(game.to_string(image))) == game.to_string(image)
            legal = game.legal_actions(state)
            assert set(game.legal_actions(image)) == {symmetry.action(a, state) for a in legal}
            assert np.array_equal(game.action_mask(image), symmetry.mask(game.action_mask(state), state))
            assert game.current_player(image) == game.current_player(state) ^ symmetry.exchanges
            order = -1 if symmetry.exchanges else 1
            assert game.rewards(image) == game.rewards(state)[::order]
            for player in (0, 1):
                seen = game.observe(image, player ^ symmetry.exchanges)
                assert np.array_equal(seen, symmetry.observation(game.observe(state, player)))
            assert_same(symmetry.inverse.state(image), state)
            for action in legal[:: max(1, len(legal) // 3)]:
                after = game.step(state, action)
                if symmetry.applies(after):
                    assert_same(game.step(image, symmetry.action(action, state)), symmetry.state(after))
                    checked += 1
    assert checked > 20


@every_game
def test_symmetries_of_batches(game: Any) -> None:
    for with_ended in (True, False):
        singles = [s for s in spread_out(game, 30) if with_ended or not game.is_terminal(s)]
        states = game.stack(singles)
        observations = game.observe(states)
        for symmetry in game.symmetries[:: max(1, len(game.symmetries) // 12)]:
            applies = symmetry.applies(states)
            assert applies.dtype == np.bool_
            expected = [symmetry.applies(s) for s in singles]
            assert all(type(e) is bool for e in expected)
            assert applies.tolist() == expected
            image, rows = symmetry.state(states), np.flatnonzero(applies)
            if len(rows):
                assert_same(game.take(image, rows), game.stack([symmetry.state(singles[i]) for i in rows]))
            seen = symmetry.observation(observations)
            assert seen.dtype == np.int8
            assert np.array_equal(seen[rows], game.observe(game.take(image, rows)))


@every_game
def test_images_have_the_cells_moved(game: Any) -> None:
    """By counting alone: an image differs from its state unless the state is symmetric; all images of a state have one orbit."""
    state = spread_out(game, 40)[20]
    images = [s.state(state) for s in game.symmetries if s.applies(state)]
    keys = {game.key(image) for image in images}
    if all(s.applies(state) for s in game.symmetries):
        assert len(game.symmetries) % len(keys) == 0
    assert game.key(state) in keys


@pytest.mark.parametrize("name", NAMES)
def test_games_know_no_global_state(name: str) -> None:
    """Two games of different options, used in turn, play as each alone."""
    both = TABLES[name].OPTIONS[0], TABLES[name].OPTIONS[1 % len(TABLES[name].OPTIONS)]
    a, b = (game_of(name, options) for options in both)
    fresh = [DOORS[name].game(**options) for options in both]
    for game, new in zip((a, b), fresh, strict=True):
        played, actions = random_game(game, 5)
        state = played[0]
        for action, expected in zip(actions, played[1:], strict=True):
            state = new.step(state, action)
            assert_same(state, expected)
