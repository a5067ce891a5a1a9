"""Repetition histories against lists of keys."""

from __future__ import annotations

import copy
import pickle
from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from abstract_envs.core.history import Near, Past, PastBatch, occurrences, union_of_past

Model = list[list[int]]
"""The earlier positions of each game, oldest first."""


NEAR = (Near(1), Near(0), Near(1, cells=1, lanes=(2,)), Near(1, cells=3, lanes=(1, 2)))
"""Keys have three bits. Third: bits 0 and 2 are the only cell. Last: bits 0, 1, 2 are the first cell, 1 and 2 the second."""


def near(kind: int, difference: int) -> bool:
    a, b, c = (difference >> k & 1 for k in range(3))
    return (a + b + c <= 1, a + b + c == 0, True, (a | b | c) + (b | c) <= 1)[kind]


def f(key: Any, earlier: Any) -> Any:
    return (key & earlier) << 3 | earlier | 1 << 20


def count(model: list[int], key: int) -> int:
    """Positions with the same player to move, the newest (``key``) included: 0, 2, 4, .. plies ago."""
    return sum(1 for plies_ago, k in enumerate([key, *reversed(model)]) if plies_ago % 2 == 0 and k == key)


def union(model: list[int], key: int, first: int, kind: int) -> int:
    found = 0
    for plies_ago, k in enumerate(reversed(model), 1):
        if plies_ago >= first and (plies_ago - first) % 2 == 0 and near(kind, key ^ k):
            found |= f(key, k)
    return found


def check(past: PastBatch, model: Model, keys: list[int]) -> None:
    assert len(past) == len(model)
    assert past.lengths.tolist() == [len(game) for game in model]
    now = np.array(keys, np.uint64)
    ones = [past.one(i) for i in range(len(model))]
    assert [list(one) for one in ones] == model
    assert all(type(one) is Past for one in ones)
    found = occurrences(past, now)
    assert found.dtype == np.uint64
    expected = [count(game, key) for game, key in zip(model, keys, strict=True)]
    assert found.tolist() == expected
    assert [occurrences(one, key) for one, key in zip(ones, keys, strict=True)] == expected
    for first, kind in product((1, 2, 3), range(len(NEAR))):
        newest = [game[-1] if game else 5 for game in model]
        expected = [
            union(game, key, first, kind) | (f(key, last) if game else 0)
            for game, key, last in zip(model, keys, newest, strict=True)
        ]
        batch = union_of_past(past, now, np.array(newest, np.uint64), first, NEAR[kind], f)
        assert batch.dtype == np.uint64
        assert batch.tolist() == expected
        found = [union_of_past(one, key, last, first, NEAR[kind], f) for one, key, last in zip(ones, keys, newest, strict=True)]
        assert found == expected
    assert past.age.tolist() == [one.age for one in ones] == [len(game) for game in model]
    kept = past.kept(np.array([key % 2 for key in keys], np.uint64))
    assert [kept.one(i) for i in range(len(model))] == [one.kept(key % 2) for one, key in zip(ones, keys, strict=True)]
    assert all(list(kept.one(i)) == (model[i] if keys[i] % 2 else []) for i in range(len(model)))


def pushed(past: PastBatch, model: Model, rng: np.random.Generator, ends: float = 0.1) -> tuple[PastBatch, Model]:
    """One ply: a key for each game; some games end."""
    keys = rng.integers(0, 6, len(model), np.uint64)
    running = rng.random(len(model)) >= ends
    after = past.push(keys, np.where(running, np.uint64(2**64 - 1), np.uint64(0)))
    return after, [[*game, int(k)] if r else [] for game, k, r in zip(model, keys, running, strict=True)]


@given(st.lists(st.tuples(st.sampled_from("ppppppptcuswmd"), st.integers(0, 2**32)), min_size=12, max_size=60))
def test_histories_share_rows_and_keep_their_own(script: list[tuple[str, int]]) -> None:
    """Any operation on any earlier history; in the end every one of them is what its list says."""
    pool: list[tuple[PastBatch, Model]] = [(PastBatch(np.zeros(3, np.int64)), [[], [], []])]
    for operation, seed in script:
        rng = np.random.default_rng(seed)
        # mostly the newest, sometimes an old one: an old state stepped again
        past, model = pool[-1] if rng.random() < 0.5 else pool[-int(rng.integers(1, min(len(pool), 4) + 1))]
        other, other_model = pool[int(rng.integers(len(pool)))]
        games = len(model)
        if operation == "p":
            made = pushed(past, model, rng)
        elif operation == "t":
            rows = rng.integers(0, games, int(rng.integers(1, 5))) if games else np.zeros(0, np.int64)
            made = past.take(rows), [list(model[i]) for i in rows]
        elif operation == "c" and games + len(other_model) <= 8:
            made = PastBatch.concatenate([past, other]), [list(game) for game in model + other_model]
        elif operation == "u" and games and other_model:
            rows = rng.permutation(games)[: min(games, len(other_model))]
            chosen = rng.permutation(len(other_model))[: len(rows)]
            replaced = [list(game) for game in model]
            for row, i in zip(rows, chosen, strict=True):
                replaced[row] = list(other_model[i])
            made = past.put(rows, other.take(chosen)), replaced
        elif operation == "w" and other_model:  # one for all
            rows = np.flatnonzero(rng.random(games) < 0.5)
            replaced = [list(other_model[0]) if i in rows else list(game) for i, game in enumerate(model)]
            made = past.put(rows, other.take(np.array([0]))), replaced
        elif operation == "s" and games:
            made = PastBatch.stack([past.one(i) for i in range(games)]), [list(game) for game in model]
        elif operation == "m":
            made = past.mapped(lambda key: key ^ np.uint64(5)), [[key ^ 5 for key in game] for game in model]
        else:
            copied = copy.deepcopy(past) if seed % 2 else pickle.loads(pickle.dumps(past))
            made = copied, [list(game) for game in model]
        pool.append(made)
    for past, model in pool:
        check(past, model, [int(k) for k in np.random.default_rng(0).integers(0, 6, len(model))])


def test_long_games_of_different_age() -> None:
    """Looking back goes on in growing chunks, over fewer games."""
    rng = np.random.default_rng(3)
    past, model = PastBatch(np.zeros(9, np.int64)), [[] for _ in range(9)]
    for ply in range(150):
        past, model = pushed(past, model, rng, ends=0.02)
        if ply == 30:  # most of them begin again: only two games are old
            past = past.put(np.arange(7), PastBatch(np.zeros(1, np.int64)))
            model = [[] for _ in range(7)] + model[7:]
        if ply % 10 == 9:
            check(past, model, [int(k) for k in rng.integers(0, 6, 9)])


def test_one_game() -> None:
    past = Past()
    for key in (4, 5, 4, 5):
        past = past.push(key, 1)
    assert past == (4, 5, 4, 5)
    assert occurrences(past, 4) == 3
    assert occurrences(past, 5) == 1  # those with key 5 had the other player to move
    assert past.push(4, 0) == ()
    assert past.mapped(lambda key: key + 1) == (5, 6, 5, 6)
    assert type(pickle.loads(pickle.dumps(past))) is Past


def test_stepping_an_old_history_again_changes_no_other() -> None:
    all_on = np.full(2, 2**64 - 1, np.uint64)
    first = PastBatch(np.zeros(2, np.int64)).push(np.array([1, 2], np.uint64), all_on)
    a = first.push(np.array([3, 4], np.uint64), all_on)
    b = first.push(np.array([5, 6], np.uint64), all_on)
    c = a.push(np.array([7, 8], np.uint64), all_on)
    assert [list(x.one(0)) for x in (first, a, b, c)] == [[1], [1, 3], [1, 5], [1, 3, 7]]
    assert [list(x.one(1)) for x in (first, a, b, c)] == [[2], [2, 4], [2, 6], [2, 4, 8]]


def test_memory_follows_the_longest_running_game() -> None:
    """5,000 plies of games that each last at most 20: some tens of rows, however many plies."""
    games, most = 16, 20
    past = PastBatch(np.zeros(games, np.int64))
    age, rng = np.zeros(games, np.int64), np.random.default_rng(0)
    heights = []
    for _ in range(5_000):
        age += 1
        running = (age < most) & (rng.random(games) > 0.05)
        past = past.push(rng.integers(0, 9, games, np.uint64), running.astype(np.uint64))
        age[~running] = 0
        assert past.lengths.tolist() == age.tolist()
        heights.append(past.height)
    assert max(heights) <= 4 * most + 32
    assert past.nbytes <= (4 * most + 32) * games * 8 + games * 8
    assert max(heights[4000:]) <= max(heights[:1000])
