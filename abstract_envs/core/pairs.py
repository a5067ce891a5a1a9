"""Actions on two cells: a layout whose last bits stand for pairs of cells out of different sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstract_envs.core.bits import Layout, Word, floor_draw, nth_bit

__all__ = ["PairLayout"]

_U64 = np.uint64
_ONE, _64 = np.array(1, _U64), np.array(64, _U64)


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
        self._singles = Layout(sizes)
        self._made_from = self._singles.sizes, cells, sets, most
        self.pairs = list(combinations(range(cells), 2))
        self.sizes = (*self._singles.sizes, len(self.pairs))
        self.total = sum(self.sizes)
        self._first_pair = first = self._singles.total
        self._rank = {pair: first + k for k, pair in enumerate(self.pairs)}
        self._low, self._high = (np.array(column, _U64) for column in zip(*self.pairs, strict=True))
        # the pairs of cell i begin at bit _begin[i], with (i, i + 1); the last cell has none
        begin = [self._rank[i, i + 1] for i in range(cells - 1)] + [self.total]
        self._shift = [at - i - 1 for i, at in enumerate(begin)]
        self._word = np.array(begin, np.int64) >> 6
        self._bit = np.array(begin, _U64) & _U64(63)
        self._sets, self._rounds = sets, most - 1
        # bit b of the number of a set, counted from 1, for every b: the sets that have it
        self._digits = [[k for k in range(sets) if k + 1 >> b & 1] for b in range(sets.bit_length())]

    def __reduce__(self) -> tuple[Any, ...]:
        return PairLayout, self._made_from

    def rank(self, low: int, high: int) -> int:
        """The bit of a pair of cells."""
        return self._rank[low, high]

    def _split(self, words: Sequence[Word]) -> tuple[Sequence[Word], Sequence[Word]]:
        return words[: -self._sets], words[-self._sets :]

    def joined(self, words: Sequence[int]) -> int:  # type: ignore[override]
        """One game's bits as one int of ``total`` bits."""
        singles, sets = self._split(words)
        bits, every = self._singles.joined(singles), 0
        for x in sets:
            every |= x
        for x in sets:
            others = every ^ x
            if not others:
                break
            while x:
                low = x & -x
                above = others & -low
                if above:
                    bits |= above << self._shift[low.bit_length() - 1]
                x ^= low
        return bits

    def pack(self, words: Sequence[Word], out: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
        """A batch's bits as ``uint64[B, ceil(total / 64)]``, bit k of a row in its word k // 64."""
        assert out is None
        singles, sets = self._split(words)
        size = len(words[0])
        packed = np.zeros((size, -(-self.total // 64)), _U64)
        self._singles.pack(singles, packed)
        # the k-th cell of every game, for every k, and its partners above it
        every, digits = _union(sets), [_union([sets[k] for k in of]) for of in self._digits]
        lowest, rest = np.empty((self._rounds, size), _U64), every.copy()
        for low in lowest:
            np.bitwise_and(rest, np.negative(rest), out=low)
            rest ^= low
        other = np.zeros_like(lowest)
        for digit in digits:
            here = digit & lowest != 0
            other |= digit ^ np.negative(here.view(np.uint8), dtype=_U64)
        other &= every
        other &= -(lowest << _ONE)  # all bits above; none where there is no cell
        # placed where they belong: at most two words each, all bits of which come from different partners
        live = np.flatnonzero(other)
        other, low = other.reshape(-1).take(live), lowest.reshape(-1).take(live)
        first = np.bitwise_count(low - _ONE)
        places = live % size * packed.shape[1] + self._word.take(first)
        by = self._bit.take(first)
        other = other >> first + _ONE
        flat = packed.reshape(-1)
        np.add.at(flat, places, other << by)
        over = other >> _64 - by
        more = np.flatnonzero(over)
        np.add.at(flat, places.take(more) + 1, over.take(more))
        return packed

    def has(self, words: Sequence[Word], i: Word) -> Any:
        """Whether bit i (int; ``int64[B]``, one for each game) is set: bool, or ``bool[B]``. Out of range it is not."""
        singles, sets = self._split(words)
        if type(i) is int:
            if i < self._first_pair:
                return self._singles.has(singles, i)
            if i >= self.total:
                return False
            both = [x >> int(self._low[i - self._first_pair]) & 1 | (x >> int(self._high[i - self._first_pair]) & 1) << 1 for x in sets]
            return 1 in both and 2 in both
        found = self._singles.has(singles, i)
        rows = np.flatnonzero((i >= self._first_pair) & (i < self.total))
        pair = i.take(rows) - self._first_pair
        low, high = _ONE << self._low.take(pair), _ONE << self._high.take(pair)
        chosen = np.array(sets).take(rows, axis=1)
        has_low, has_high = chosen & low != 0, chosen & high != 0
        found[rows] = has_low.any(0) & has_high.any(0) & ~(has_low & has_high).any(0)
        return found

    def draw(self, words: Sequence[Word], rng: np.random.Generator) -> Word:
        """The index of a uniformly drawn set bit: int, or ``int64[B]``; 0 where none is set."""
        if type(words[0]) is int:
            joined = self.joined(words)
            return nth_bit(joined, floor_draw(rng, joined.bit_count())) if joined else 0
        singles, sets = self._split(words)
        stacked, ends = self._singles._counted(singles)
        held = np.array(sets)
        sizes = np.bitwise_count(held).astype(np.uint16)
        later = np.add.accumulate(sizes[::-1], axis=0, dtype=np.uint16)[::-1] - sizes  # cells of the sets after
        pairs = np.add.accumulate(sizes * later, axis=0, dtype=np.uint16)
        single = ends[-1]
        total = single + pairs[-1]
        rank = floor_draw(rng, total).astype(np.uint16)
        found = self._singles._nth(stacked, ends, rank % np.maximum(single, 1)) * (total != 0)
        rows = np.flatnonzero((rank >= single) & (total != 0))
        found[rows] = self._nth_pair(held.take(rows, axis=1), later.take(rows, axis=1), pairs.take(rows, axis=1), (rank - single).take(rows))
        return found

    def _nth_pair(
        self, sets: NDArray[np.uint64], later: NDArray[np.uint16], ends: NDArray[np.uint16], rank: NDArray[np.uint16]
    ) -> NDArray[np.int64]:
        """The bit of the pair of each rank, counted by set, by cell of it, by partner in the sets after it."""
        size = len(rank)
        which = (ends <= rank).sum(0)  # the set
        at = which * size + np.arange(size)
        before = np.concatenate((np.zeros((1, size), np.uint16), ends)).reshape(-1).take(at)
        after = np.bitwise_or.accumulate(sets[::-1], axis=0)[::-1] ^ sets
        cell, partner = np.divmod(rank - before, later.reshape(-1).take(at))
        one = nth_bit(sets.reshape(-1).take(at), cell.astype(_U64))
        other = nth_bit(after.reshape(-1).take(at), partner.astype(_U64))
        low, high = np.minimum(one, other), np.maximum(one, other)
        return np.array(self._shift).take(low) + high


def _union(words: Sequence[Word]) -> Word:
    union = words[0]
    for word in words[1:]:
        union = union | word
    return union
