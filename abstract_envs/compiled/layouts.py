"""What `Layout` and `PairLayout` do with the legal actions of a batch, as loops over its games."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from abstract_envs.compiled.loops import WRITING, Kernel, as_compiled, flat, from_text, loop, writing_bytes
from abstract_envs.compiled.scalars import compile_function, nth_bit, popcount, spread
from abstract_envs.core.bits import Layout
from abstract_envs.core.pairs import PairLayout

__all__ = ["Actions", "PairActions", "actions_of"]

Legal: TypeAlias = tuple[NDArray[np.uint64], ...]
_U64 = np.uint64
_0, _1, _32 = _U64(0), _U64(1), _U64(32)


class Actions:
    """Loops over the legal actions of a plain layout; all take ``legal``, the tuple of a batch's words."""

    def __init__(self, layout: Layout, threads: int) -> None:
        words = layout.singles if isinstance(layout, PairLayout) else layout
        sizes = words.sizes
        self._total = layout.total
        self._offsets = np.array(words.offsets, np.int64)
        self._piece = np.repeat(np.arange(len(sizes)), sizes)
        self._bit = np.concatenate([np.arange(size, dtype=_U64) for size in sizes])
        self.spreading = _spreading(layout)
        """``(legal, out)``: masks as bytes."""
        self._spread = loop(self.spreading, threads)
        self._draw = loop(Kernel(_draw, ("legal", "offsets", "draws", "out")), threads)
        self._test = loop(Kernel(_test, ("legal", "piece", "bit", "actions", "out")), threads)

    def pack(self, legal: Legal) -> Legal:
        """The words as they are: they need no packing here."""
        return legal

    def put_rows(self, legal: Legal, rows: NDArray[np.int64], others: Legal, words: Legal) -> Legal:
        """The words as they are then."""
        return words

    def spread_rows(self, legal: Legal, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """As `Layout.spread_rows`: ``int8[B, total]``."""
        out, row = flat(out, (len(legal[0]), self._total))
        self._spread(len(out), as_compiled(legal, np.uint64, len(out)), row)
        return out

    def has_in_rows(self, legal: Legal, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """As `Layout.has_in_rows`."""
        out = np.empty(len(actions), np.bool_)
        (actions,) = as_compiled((actions,), np.int64, len(out))
        self._test_all(as_compiled(legal, np.uint64, len(out)), actions, out)
        return out

    def draw(self, legal: Legal, draws: NDArray[np.uint32]) -> NDArray[np.int64]:
        """As `Layout.draw`, by 32-bit numbers."""
        out = np.empty(len(draws), np.int64)
        (draws,) = as_compiled((draws,), np.uint32, len(out))
        self._draw_all(as_compiled(legal, np.uint64, len(out)), draws, out)
        return out

    def _test_all(self, legal: Legal, actions: NDArray[np.int64], out: NDArray[np.bool_]) -> None:
        self._test(len(out), legal, self._piece, self._bit, actions, out)

    def _draw_all(self, legal: Legal, draws: NDArray[np.uint32], out: NDArray[np.int64]) -> None:
        self._draw(len(out), legal, self._offsets, draws, out)


class PairActions(Actions):
    """The same for a layout with pairs of cells."""

    def __init__(self, layout: PairLayout, threads: int) -> None:
        super().__init__(layout, threads)
        self._sets, self._shift = layout.sets, layout.shifts
        low, high = np.array(layout.pairs, _U64).T
        self._low, self._high = np.ascontiguousarray(low), np.ascontiguousarray(high)
        drawing = Kernel(_draw_pairs, ("singles", "offsets", "sets", "shift", "draws", "out"))
        testing = Kernel(_test_pairs, ("sets", "before", "low", "high", "actions", "out"))
        self._draw_pairs, self._test_pairs = loop(drawing, threads), loop(testing, threads)

    def _test_all(self, legal: Legal, actions: NDArray[np.int64], out: NDArray[np.bool_]) -> None:
        super()._test_all(legal[: -self._sets], actions, out)
        self._test_pairs(len(out), legal[-self._sets :], len(self._piece), self._low, self._high, actions, out)

    def _draw_all(self, legal: Legal, draws: NDArray[np.uint32], out: NDArray[np.int64]) -> None:
        singles, sets = legal[: -self._sets], legal[-self._sets :]
        self._draw_pairs(len(out), singles, self._offsets, sets, self._shift, draws, out)


def actions_of(layout: Layout, threads: int) -> Actions:
    """The loops for a layout."""
    return PairActions(layout, threads) if isinstance(layout, PairLayout) else Actions(layout, threads)


def _spreading(layout: Layout) -> Kernel:
    singles = layout.singles if isinstance(layout, PairLayout) else layout
    names = WRITING | {"spread": spread}
    # written as text, for it takes half the time with sizes that the compiler knows
    lines = [
        f"        spread(legal[{k}][i], uint64({size}), to, at + uint64({offset}))"
        for k, (size, offset) in enumerate(zip(singles.sizes, singles.offsets, strict=True))
    ]
    if isinstance(layout, PairLayout):
        names |= {"spread_pairs": _spread_pairs, "sets": layout.sets, "shift": layout.shifts}
        lines.append(f"        spread_pairs(legal[-{layout.sets}:], i, shift, to, at)")
    kernel = from_text(["def kernel(legal, out, first, last):", *writing_bytes(layout.total, lines)], names)
    return Kernel(kernel, ("legal", "out"))


@compile_function
def _spread_pairs(sets: Any, i: Any, shift: Any, out: Any, at: Any) -> None:
    cells = _U64(len(shift))
    begin, size = _U64(shift[0] + 1), cells * (cells - _1) // _U64(2)
    every = _0
    for word in sets:
        every |= word[i]
    out[at + begin : at + begin + size] = 0
    while every & every - _1:  # in ascending order: `spread` writes on what comes after
        low = nth_bit(every, _0)
        every &= every - _1
        partners = every
        for word in sets:
            partners ^= every & word[i] * (word[i] >> low & _1)
        above = low + _1
        spread(partners >> above, cells - above, out, at + _U64(shift[low]) + above)


@compile_function
def _draw(legal: Any, offsets: Any, draws: Any, out: Any, first: Any, last: Any) -> None:
    for i in range(first, last):
        total = _0
        for word in legal:
            total += popcount(word[i])
        rank = _U64(draws[i]) * total >> _32
        out[i] = 0
        for k in range(len(legal)):
            count = popcount(legal[k][i])
            if rank < count:
                out[i] = offsets[k] + np.int64(nth_bit(legal[k][i], rank))
                break
            rank -= count


@compile_function
def _draw_pairs(singles: Any, offsets: Any, sets: Any, shift: Any, draws: Any, out: Any, first: Any, last: Any) -> None:
    for i in range(first, last):
        single = rest = pairs = _0
        for word in singles:
            single += popcount(word[i])
        for word in sets:
            rest += popcount(word[i])
        later = rest
        for word in sets:
            later -= popcount(word[i])
            pairs += popcount(word[i]) * later
        rank = _U64(draws[i]) * (single + pairs) >> _32
        out[i] = 0
        if rank < single:
            for k in range(len(singles)):  # as in `_draw`: as a function of both it doubles the time of a draw
                count = popcount(singles[k][i])
                if rank < count:
                    out[i] = offsets[k] + np.int64(nth_bit(singles[k][i], rank))
                    break
                rank -= count
            continue
        # pairs are counted by set, by cell of it, by partner in the sets after it
        rank -= single
        for k in range(len(sets)):
            size = popcount(sets[k][i])
            rest -= size
            if rank < size * rest:
                after = _0
                for j in range(k + 1, len(sets)):
                    after |= sets[j][i]
                one = np.int64(nth_bit(sets[k][i], rank // rest))
                other = np.int64(nth_bit(after, rank % rest))
                out[i] = shift[min(one, other)] + max(one, other)
                break
            rank -= size * rest


@compile_function
def _test(legal: Any, piece: Any, bit: Any, actions: Any, out: Any, first: Any, last: Any) -> None:
    for i in range(first, last):
        action = actions[i]
        out[i] = 0 <= action < len(piece) and legal[piece[action]][i] >> bit[action] & _1 != _0


@compile_function
def _test_pairs(sets: Any, before: Any, low: Any, high: Any, actions: Any, out: Any, first: Any, last: Any) -> None:
    for i in range(first, last):
        pair = actions[i] - before
        if 0 <= pair < len(low):
            has_low = has_high = has_both = _0
            for word in sets:
                of_low, of_high = word[i] >> low[pair] & _1, word[i] >> high[pair] & _1
                has_low, has_high, has_both = has_low | of_low, has_high | of_high, has_both | of_low & of_high
            out[i] = has_low & has_high & (has_both ^ _1) != _0
