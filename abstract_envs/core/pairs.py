"""Actions on two cells: a layout whose last bits stand for pairs of cells out of different sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.bits import Layout, Word, floor_draw, nonzero, nth_bit, some

__all__ = ["PairLayout"]

_U64 = np.uint64
_ONE: Word = np.array(1, _U64)
_64: Word = np.array(64, _U64)


class PairLayout(Layout):
    """Words laid end to end, then a bit for every pair of cells, lower cell first, in lexicographic order.

        words:     singles ..               sets ..
        bits:      sizes[0], sizes[1], ..   (0,1) (0,2) .. (0,N-1) (1,2) .. (N-2,N-1)

    The last ``sets`` words are disjoint sets of cells. The bit of a pair is set where its cells are in two different
    sets, so a few words stand for hundreds of bits: they are spelled out only where a mask is asked for.

    sizes: bits of the words before.
    cells: N.
    sets: how many words are sets.
    most: the largest number of cells in all sets together.
    """

    def __init__(self, sizes: Iterable[int], cells: int, sets: int, most: int) -> None:
        self.singles = Layout(sizes)
        self._made_from = self.singles.sizes, cells, sets, most
        self.pairs = list(combinations(range(cells), 2))
        self.sizes = (*self.singles.sizes, len(self.pairs))
        self.total = sum(self.sizes)
        self._first_pair = first = self.singles.total
        self._rank = {pair: first + k for k, pair in enumerate(self.pairs)}
        self._low: Word = np.array([low for low, _ in self.pairs], _U64)
        self._high: Word = np.array([high for _, high in self.pairs], _U64)
        # the pairs of cell i begin at bit _begin[i], with (i, i + 1); the last cell has none
        begin = [self._rank[i, i + 1] for i in range(cells - 1)] + [self.total]
        self.shifts: Word = np.array([at - i - 1 for i, at in enumerate(begin)], np.int64)
        self._shift_list: list[int] = self.shifts.tolist()
        self._word: Word = np.array(begin, np.int64) >> 6
        self._bit: Word = np.array(begin, _U64) & _U64(63)
        self.sets, self._rounds = sets, most - 1
        # bit b of the number of a set, counted from 1, for every b: the sets that have it
        self._digits = [[k for k in range(sets) if k + 1 >> b & 1] for b in range(sets.bit_length())]

    def __reduce__(self) -> tuple[Any, ...]:
        return PairLayout, self._made_from

    def rank(self, low: int, high: int) -> int:
        """The bit of a pair of cells."""
        return self._rank[low, high]

    def _split(self, words: Sequence[Word]) -> tuple[Sequence[Word], Sequence[Word]]:
        return words[: -self.sets], words[-self.sets :]

    def joined(self, words: Sequence[int]) -> int:  # type: ignore[override]
        """One game's bits as one int of ``total`` bits."""
        singles, sets = self._split(words)
        bits: int = self.singles.joined(singles)
        every: int = 0
        for x in sets:
            every |= x
        for held in sets:
            x: int = held
            others: int = every ^ x
            if not others:
                break
            while x:
                low = x & -x
                above = others & -low
                if above:
                    bits |= above << self._shift_list[low.bit_length() - 1]
                x ^= low
        return bits

    def pack(self, words: Sequence[Word], out: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
        """A batch's bits as ``uint64[B, ceil(total / 64)]``, bit k of a row in its word k // 64."""
        assert out is None
        singles, sets = self._split(words)
        size, width = len(words[0]), -(-self.total // 64)
        flat = np.zeros(size * width + 1, _U64)  # one more, which what runs over the end of the last game is added to: zeros
        packed = flat[:-1].reshape(size, width)
        self.singles.pack(singles, packed)
        # the k-th cell of every game, for every k, and its partners above it
        every = _union(sets)
        if not some(every):  # as in all games that have just begun
            return packed
        digits = [_union([sets[k] for k in of]) for of in self._digits]
        low, rest = np.empty((self._rounds, size), _U64), every.copy()
        for lowest in low:
            np.bitwise_and(rest, np.negative(rest), out=lowest)
            rest ^= lowest
        other = digits[0] ^ nonzero(digits[0] & low)
        for digit in digits[1:]:
            other |= digit ^ nonzero(digit & low)
        other &= every & np.negative(low << _ONE)  # all bits above; none where there is no cell
        # put where they belong, in at most two words; the bits of one word all come from different pairs, so adding them is OR
        first = np.bitwise_count(low - _ONE)  # 64 where there is no cell
        place: Word = self._word.take(first, mode="clip") + np.arange(0, size * width, width)
        by: Word = self._bit.take(first, mode="clip")
        other >>= first + _ONE
        place = place.reshape(-1)  # `add.at` is five times faster where it is given one axis
        np.add.at(flat, place, (other << by).reshape(-1))
        np.add.at(flat, place + 1, (other >> _64 - by).reshape(-1))
        return packed

    def has(self, words: Sequence[Word], i: Word) -> Any:
        """Whether bit i (int; ``int64[B]``, one for each game) is set: bool, or ``bool[B]``. Out of range it is not."""
        singles, sets = self._split(words)
        if type(i) is int:
            if i < self._first_pair:
                return self.singles.has(singles, i)
            if i >= self.total:
                return False
            low, high = self.pairs[i - self._first_pair]
            held = [(x >> low & 1, x >> high & 1) for x in sets]
            return (1, 0) in held and (0, 1) in held
        found = self.singles.has(singles, i)
        rows: NDArray[np.int64] = ((i >= self._first_pair) & (i < self.total)).nonzero()[0]
        pair = i.take(rows) - self._first_pair
        chosen = np.array(sets).take(rows, axis=1)
        has_low: Any = chosen >> self._low.take(pair) & _ONE != 0
        has_high: Any = chosen >> self._high.take(pair) & _ONE != 0
        found[rows] = has_low.any(0) & has_high.any(0) & ~(has_low & has_high).any(0)
        return found

    def draw(self, words: Sequence[Word], rng: np.random.Generator) -> Word:
        """The index of a uniformly drawn set bit: int, or ``int64[B]``; 0 where none is set."""
        if type(words[0]) is int:
            joined = self.joined(words)
            return nth_bit(joined, floor_draw(rng, joined.bit_count())) if joined else 0
        singles, sets = self._split(words)
        stacked, ends = self.singles.counted(singles)
        single = ends[-1]
        held = np.array(sets)
        sizes = np.bitwise_count(held).astype(np.uint16)
        later, pairs = np.zeros_like(sizes), np.empty_like(sizes)  # cells of the sets after a set; pairs up to the end of it
        for k in range(self.sets - 1, 0, -1):
            np.add(later[k], sizes[k], out=later[k - 1])
        np.multiply(sizes, later, out=pairs)
        for k in range(1, self.sets):
            np.add(pairs[k - 1], pairs[k], out=pairs[k])
        total = single + pairs[-1]
        rank = floor_draw(rng, total).astype(np.uint16)
        found = self.singles.nth(stacked, ends, rank) * (total != 0)
        rows: NDArray[np.int64] = ((rank >= single) & (total != 0)).nonzero()[0]
        # the pairs of a game are counted by set, by cell of it, by partner in the sets after it
        rank, pairs, at = (rank - single).take(rows), pairs.take(rows, 1), np.arange(len(rows))
        which = np.zeros(len(rows), np.int64)
        for end in pairs[:-1]:
            which = which + (end <= rank)
        held, later = held.take(rows, 1), later.take(rows, 1)
        rank = rank - np.where(which, pairs[which - 1, at], 0)
        cell, partner = np.divmod(rank, later[which, at])
        after = _union(sets).take(rows)
        for k in range(self.sets):
            after = after & ~np.where(which >= k, held[k], 0)
        one, other = nth_bit(np.array((held[which, at], after)), np.array((cell, partner), _U64))
        found[rows] = self.shifts.take(np.minimum(one, other)) + np.maximum(one, other)
        return found


def _union(words: Sequence[Word]) -> Word:
    union = words[0]
    for word in words[1:]:
        union = union | word
    return union
