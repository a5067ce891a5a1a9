"""The word algebra against Python sets and counting, for ints and for arrays."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from abstract_envs.core import bits
from abstract_envs.core.bits import ALL

words = st.one_of(
    st.integers(0, ALL),
    st.sampled_from([0, 1, ALL, 1 << 63, ALL ^ 1]),
    st.sets(st.integers(0, 63), max_size=5).map(lambda cells: sum(1 << c for c in cells)),
)
lists = st.lists(words, min_size=1, max_size=8)
pairs = st.lists(st.tuples(words, words), min_size=1, max_size=8)


def cells(x: int) -> set[int]:
    """The cells of a word, read from its binary digits."""
    return {k for k, digit in enumerate(reversed(f"{int(x):b}")) if digit == "1"}


def array(values: Any) -> Any:
    return np.array(list(values), np.uint64)


def agree(f: Callable[..., Any], expected: Callable[..., int], *columns: list[int]) -> None:
    """``f`` gives what ``expected`` gives: for ints one by one, and for arrays at once; no input changes."""
    rows = list(zip(*columns, strict=True))
    wanted = [expected(*row) for row in rows]
    for row, value in zip(rows, wanted, strict=True):
        found = f(*row)
        assert type(found) is int
        assert found == value
    arrays = [array(column) for column in columns]
    for a in arrays:
        a.flags.writeable = False
    found = f(*arrays)
    assert found.dtype == np.uint64
    assert found.tolist() == wanted


@given(lists)
def test_masks_of_one_word(xs: list[int]) -> None:
    agree(bits.nonzero, lambda x: 2**64 - 1 if cells(x) else 0, xs)
    agree(bits.zero, lambda x: 0 if cells(x) else 2**64 - 1, xs)
    agree(bits.popcount, lambda x: len(cells(x)), xs)
    agree(bits.lowest, lambda x: 2 ** min(cells(x)) if x else 0, xs)
    agree(bits.none_set, lambda x: 0, xs)


@given(pairs)
def test_masks_of_two_words(rows: list[tuple[int, int]]) -> None:
    xs = [x for x, _ in rows]
    for ys in ([y for _, y in rows], xs, [x + 1 & ALL for x in xs]):  # any, equal, next to each other
        agree(bits.equal, lambda x, y: 2**64 - 1 if x == y else 0, xs, ys)
        agree(bits.less, lambda x, y: 2**64 - 1 if x < y else 0, xs, ys)


@given(pairs, st.data())
def test_select(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    masks = [ALL if c else 0 for c in chosen]
    agree(bits.select, lambda m, x, y: x if m else y, masks, [x for x, _ in rows], [y for _, y in rows])


@given(pairs, st.data())
def test_exchange(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    flags = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    columns = flags, [x for x, _ in rows], [y for _, y in rows]
    agree(lambda *words: bits.exchange(*words)[0], lambda flag, x, y: y if flag else x, *columns)
    agree(lambda *words: bits.exchange(*words)[1], lambda flag, x, y: x if flag else y, *columns)


@given(lists)
def test_some(xs: list[int]) -> None:
    assert [bits.some(x) for x in xs] == [x > 0 for x in xs]
    assert bits.some(array(xs)) is any(x > 0 for x in xs)
    assert bits.some(array([])) is False


@given(lists, words)
def test_may_touch(xs: list[int], some_cells: int) -> None:
    assert [bits.may_touch(x, some_cells) for x in xs] == [not cells(x).isdisjoint(cells(some_cells)) for x in xs]
    assert bits.may_touch(array(xs), array([some_cells])) is True  # whatever it holds


@given(st.lists(st.integers(0, 63), min_size=1))
def test_index_and_sets(ks: list[int]) -> None:
    assert [bits.index(1 << k) for k in ks] == ks
    found = bits.index(array(1 << k for k in ks))
    assert found.dtype == np.int64
    assert found.tolist() == ks
    word = bits.set_of(ks)
    assert cells(word) == set(ks)
    assert bits.bit_indices(word) == sorted(set(ks))


def test_table_and_tables() -> None:
    values = [5, 0, ALL, 1 << 40]
    table = bits.Table(values)
    assert [table[i] for i in range(4)] == values
    assert table[np.array([3, 0, 0, 2])].tolist() == [1 << 40, 5, 5, ALL]
    assert len(table) == 4
    a, b = bits.Tables(values, values[::-1])[1]
    assert (a, b) == (0, ALL)
    a, b = bits.Tables(values, values[::-1])[np.array([0, 3])]
    assert (a.tolist(), b.tolist()) == ([5, 1 << 40], [1 << 40, 5])


@given(st.lists(words, min_size=1, max_size=64), lists, st.integers(1, 12))
def test_union(values: list[int], xs: list[int], chunk: int) -> None:
    union = bits.Union(values, chunk)
    xs = [x & (1 << len(values)) - 1 for x in xs]

    def expected(x: int) -> int:
        return sum(1 << k for k in set().union(*(cells(values[i]) for i in cells(x))))

    agree(lambda x: union[x], expected, xs)


@given(st.permutations(range(64)), st.integers(1, 64), lists)
def test_permute(target: list[int], size: int, xs: list[int]) -> None:
    agree(lambda x: bits.permute(x, target), lambda x: sum(1 << target[k] for k in cells(x)), xs)
    agree(
        lambda x: bits.permute(x, target[:size]),
        lambda x: sum(1 << target[k] for k in cells(x) if k < size),
        xs,
    )


# ------------------------------------------------------------------------------------------------------------- layouts


@st.composite
def laid_out(draw: Any) -> tuple[bits.Layout, list[list[int]]]:
    """A layout and words of several games that fit it."""
    sizes = draw(st.lists(st.one_of(st.integers(1, 64), st.sampled_from([1, 2, 49, 63, 64])), min_size=1, max_size=12))
    games = draw(st.integers(1, 5))
    return bits.Layout(sizes), [[draw(words) & (1 << size) - 1 for size in sizes] for _ in range(games)]


def set_bits(layout: bits.Layout, game: list[int]) -> list[int]:
    found, start = [], 0
    for size, word in zip(layout.sizes, game, strict=True):
        found += [start + k for k in sorted(cells(word))]
        start += size
    return found


def columns(games: list[list[int]]) -> list[Any]:
    return [array(column) for column in zip(*games, strict=True)]


@given(laid_out())
def test_layout_unpack_joined_pack(case: tuple[bits.Layout, list[list[int]]]) -> None:
    layout, games = case
    assert layout.total == sum(layout.sizes)
    assert list(layout.offsets) == [sum(layout.sizes[:k]) for k in range(len(layout.sizes))]
    batch = layout.unpack(columns(games))
    packed = layout.pack(columns(games))
    assert (batch.dtype, batch.shape) == (np.int8, (len(games), layout.total))
    assert (packed.dtype, packed.shape) == (np.uint64, (len(games), (layout.total + 63) // 64))
    for row, game in enumerate(games):
        expected = set_bits(layout, game)
        one = layout.unpack(game)
        assert (one.dtype, one.shape) == (np.int8, (layout.total,))
        assert np.flatnonzero(one).tolist() == expected
        assert set(one.tolist()) <= {0, 1}
        assert one.tolist() == batch[row].tolist()
        assert sorted(cells(layout.joined(game))) == expected
        assert sum(int(word) << 64 * k for k, word in enumerate(packed[row])) == layout.joined(game)
    one[:] = 7  # the caller's to write on
    batch[:] = 7
    assert layout.unpack(games[-1]).max(initial=0) <= 1


@given(laid_out(), st.data())
def test_layout_has(case: tuple[bits.Layout, list[list[int]]], data: st.DataObject) -> None:
    layout, games = case
    places = st.one_of(st.integers(-3, layout.total + 3), st.sampled_from([-(2**62), 2**62, -layout.total]))
    at = data.draw(st.lists(places, min_size=len(games), max_size=len(games)))
    expected = [i in set_bits(layout, game) for i, game in zip(at, games, strict=True)]
    assert [layout.has(game, i) for i, game in zip(at, games, strict=True)] == expected
    found = layout.has(columns(games), np.array(at))
    assert found.dtype == np.bool_
    assert found.tolist() == expected


@given(laid_out(), st.integers(0, 2**32))
def test_layout_draw_gives_set_bits(case: tuple[bits.Layout, list[list[int]]], seed: int) -> None:
    layout, games = case
    rng = np.random.default_rng(seed)
    drawn = layout.draw(columns(games), rng)
    assert drawn.dtype == np.int64
    for game, i in zip(games, drawn.tolist(), strict=True):
        expected = set_bits(layout, game) or [0]
        assert i in expected
        one = layout.draw(game, rng)
        assert type(one) is int
        assert one in expected


@given(lists, st.data())
def test_nth_bit(xs: list[int], data: st.DataObject) -> None:
    xs = [x or 1 for x in xs]
    ranks = [data.draw(st.integers(0, len(cells(x)) - 1)) for x in xs]
    expected = [sorted(cells(x))[r] for x, r in zip(xs, ranks, strict=True)]
    assert [bits.nth_bit(x, r) for x, r in zip(xs, ranks, strict=True)] == expected
    for dtype in (np.uint8, np.uint16, np.uint64):
        words, numbers = array(xs), np.array(ranks, dtype)
        words.flags.writeable = numbers.flags.writeable = False
        found = bits.nth_bit(words, numbers)
        assert found.dtype == np.int64
        assert found.tolist() == expected


@given(st.integers(1, 2**2000), st.data())
def test_nth_bit_of_a_long_int(x: int, data: st.DataObject) -> None:
    places = [k for k, digit in enumerate(reversed(f"{x:b}")) if digit == "1"]
    rank = data.draw(st.integers(0, len(places) - 1))
    assert bits.nth_bit(x, rank) == places[rank]


def test_floor_draw_is_uniform_and_below_the_bound() -> None:
    rng = np.random.default_rng(1)
    for bound in (1, 2, 7, 344, 1813):
        batch = bits.floor_draw(rng, np.full(40_000, bound, np.uint16))
        ones = [bits.floor_draw(rng, bound) for _ in range(4_000)]
        for draws in (batch.tolist(), ones):
            assert min(draws) >= 0
            assert max(draws) < bound
            expected = len(draws) / bound
            chi2 = ((np.bincount(draws, minlength=bound) - expected) ** 2 / expected).sum()
            # mean bound - 1, variance 2 (bound - 1): five deviations are enough for a fixed seed
            assert chi2 <= bound - 1 + 5 * np.sqrt(2 * (bound - 1))
    assert bits.floor_draw(rng, np.zeros(3, np.uint16)).tolist() == [0, 0, 0]


CHAIN = bits.Table([(1 << k + 1 & ALL) | (1 << k) >> 1 for k in range(64)] + [0])
"""Neighbours on a line of 64 cells."""


@given(st.lists(st.tuples(words, st.sampled_from([0, 1, ALL])), min_size=1, max_size=8), st.sampled_from([False, True]))
def test_connected_on_a_line(rows: list[tuple[int, int]], with_condition: bool) -> None:
    sets = [row[0] for row in rows] + [0, 1, 1 << 63, ALL, 0b111000, 0b1011]
    sets += [1 | 3 << 62, 0b11111]  # the first walk ends long before the second
    likely = [row[1] for row in rows] + [ALL] * 8 if with_condition else [ALL] * len(sets)

    def expected(x: int) -> int:
        places = sorted(cells(x))
        return ALL if not places or places[-1] - places[0] == len(places) - 1 else 0

    truth = [expected(x) if ask else 0 for x, ask in zip(sets, likely, strict=True)]
    assert [bits.connected(x, CHAIN, ask) for x, ask in zip(sets, likely, strict=True)] == truth
    batch = array(sets)
    batch.flags.writeable = False
    found = bits.connected(batch, CHAIN, array(likely)) if with_condition else bits.connected(batch, CHAIN)
    assert found.dtype == np.uint64
    assert found.tolist() == truth


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=8))
def test_where_set(rows: list[tuple[int, int, int]]) -> None:
    asked: list[Any] = []

    def f(x: Any, y: Any) -> Any:
        asked.append(x)
        return x ^ y

    truth = [x ^ y if mask else 0 for mask, x, y in rows]
    assert [bits.where_set(mask, f, x, y) for mask, x, y in rows] == truth
    assert asked == [x for mask, x, _ in rows if mask]
    asked.clear()
    masks, xs, ys = (array(list(column)) for column in zip(*rows, strict=True))
    assert bits.where_set(masks, f, xs, ys).tolist() == truth
    assert [part.tolist() for part in asked] == [[x for mask, x, _ in rows if mask]]


def test_layout_pickles() -> None:
    layout = pickle.loads(pickle.dumps(bits.Layout((49, 1))))
    assert layout.sizes == (49, 1)
    assert layout.joined([3, 1]) == 3 | 1 << 49


def test_both_kinds_of_a_constant() -> None:
    both = bits.Both(low=1, high=1 << 63)
    assert (both.of(7).low, both.of(7).high) == (1, 1 << 63)
    assert both.of(array([7])).high.dtype == np.uint64
    assert (array([ALL]) & both.of(array([7])).high).tolist() == [1 << 63]
