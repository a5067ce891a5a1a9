"""Layouts with pairs of cells, against listing all pairs."""

from __future__ import annotations

import pickle
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from abstract_envs.core.pairs import PairLayout

SHAPES = [
    ((49,) * 13, 49, 5, 7),
    ((25,) * 13, 25, 5, 7),
    ((3,), 64, 2, 9),
    ((64, 64, 1), 20, 7, 20),
    ((5, 60), 12, 1, 4),
    ((1,), 2, 2, 2),
]


def words_of(shape: Any, size: int, rng: np.random.Generator) -> list[list[int]]:
    """For every game words of some bits, and disjoint sets of at most so many cells."""
    sizes, cells, sets, most = shape
    games = []
    for _ in range(size):
        singles = [int(rng.integers(0, 2**63)) * 2 + int(rng.integers(2)) & (1 << n) - 1 for n in sizes]
        if rng.random() < 0.3:
            singles = [0 for _ in singles]
        held = [0] * sets
        for cell in rng.permutation(cells)[: rng.integers(0, min(most, cells) + 1)].tolist():
            held[int(rng.integers(sets))] |= 1 << cell
        games.append(singles + held)
    return games


def expected(shape: Any, words: list[int]) -> list[int]:
    """The bits by listing them."""
    sizes, cells = shape[:2]
    bits = [word >> k & 1 for word, n in zip(words, sizes, strict=False) for k in range(n)]
    owner = {c: k for k, word in enumerate(words[len(sizes) :]) for c in range(cells) if word >> c & 1}
    return bits + [int(a in owner and b in owner and owner[a] != owner[b]) for a, b in combinations(range(cells), 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_masks(shape: Any) -> None:
    layout, rng = PairLayout(*shape), np.random.default_rng(0)
    assert layout.total == sum(shape[0]) + shape[1] * (shape[1] - 1) // 2 == sum(layout.sizes)
    for size in (0, 1, 300):
        games = words_of(shape, size, rng)
        wanted = [expected(shape, words) for words in games]
        none = [np.zeros(0, np.uint64)] * (len(shape[0]) + shape[2])
        columns = [np.array(column, np.uint64) for column in zip(*games, strict=True)] or none
        for column in columns:
            column.flags.writeable = False
        assert layout.unpack(columns).tolist() == wanted
        for words, bits in zip(games, wanted, strict=True):
            assert layout.unpack(words).tolist() == bits
            assert layout.joined(words) == sum(bit << k for k, bit in enumerate(bits))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_has(shape: Any) -> None:
    layout, rng = PairLayout(*shape), np.random.default_rng(1)
    games = words_of(shape, 200, rng)
    wanted = [expected(shape, words) for words in games]
    columns = [np.array(column, np.uint64) for column in zip(*games, strict=True)]
    for i in [-1, layout.total, 2**40, -(2**40), *rng.integers(0, layout.total, 60).tolist(), layout.total - 1]:
        bits = [bool(0 <= i < layout.total and bits[i]) for bits in wanted]
        assert layout.has(columns, np.full(200, i)).tolist() == bits
        assert [layout.has(words, i) for words in games] == bits
    each = rng.integers(-5, layout.total + 5, 200)
    assert layout.has(columns, each).tolist() == [layout.has(words, int(i)) for words, i in zip(games, each, strict=True)]


def test_ranks() -> None:
    layout = PairLayout((3, 4), 6, 2, 4)
    assert [layout.rank(a, b) for a, b in combinations(range(6), 2)] == list(range(7, 22))
    assert layout.pairs == list(combinations(range(6), 2))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_draws_are_uniform(shape: Any) -> None:
    layout, rng = PairLayout(*shape), np.random.default_rng(2)
    for words in words_of(shape, 12, rng):
        bits = np.flatnonzero(expected(shape, words))
        columns = [np.full(20_000, word, np.uint64) for word in words]
        drawn = layout.draw(columns, rng)
        assert drawn.dtype == np.int64
        one = [layout.draw(words, rng) for _ in range(200)]
        if not len(bits):
            assert not drawn.any()
            assert not any(one)
            continue
        assert np.isin(one, bits).all()
        counts = np.bincount(drawn, minlength=layout.total)
        assert counts.sum() == counts[bits].sum()
        # chi squared: mean len - 1, standard deviation (2 len)**.5
        chi = ((counts[bits] - 20_000 / len(bits)) ** 2).sum() / (20_000 / len(bits))
        assert chi < len(bits) + 6 * (2 * len(bits)) ** 0.5 + 10


def test_draws_of_a_batch_of_different_games() -> None:
    shape = SHAPES[0]
    layout, rng = PairLayout(*shape), np.random.default_rng(3)
    games = words_of(shape, 3000, rng)
    columns = [np.array(column, np.uint64) for column in zip(*games, strict=True)]
    drawn = layout.draw(columns, rng)
    any_set = layout.unpack(columns).any(1)
    assert layout.has(columns, drawn)[any_set].all()
    assert not drawn[~any_set].any()


def test_pickle() -> None:
    layout = pickle.loads(pickle.dumps(PairLayout(*SHAPES[0])))
    words = words_of(SHAPES[0], 1, np.random.default_rng(0))[0]
    assert layout.joined(words) == PairLayout(*SHAPES[0]).joined(words)
