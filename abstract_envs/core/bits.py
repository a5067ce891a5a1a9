"""The word algebra: every rule of every game is written in these terms.

A *word* is a set of up to 64 cells (or a small number): bit ``k`` stands for cell ``k``. It is one of two kinds,

* a Python ``int`` in ``0 .. 2**64 - 1``: one game;
* a NumPy ``uint64`` array of shape ``[B]``: a batch of ``B`` games.

Rules combine words of one kind with ``& | ^``, shifts to the right, *masked* shifts to the left (ints do not truncate)
and the helpers below, which look at the kind of word they are given. Masks that stand for "if" are all ones
(`ALL`) or zero. There is `complement`, not ``~``: negative numbers and uint64 arrays do not mix.

For a batch helpers write on arrays that they have made themselves, and on none that they are given. So they must be given whole
words, not constants alone. Nothing like that may come before they know that a word is no int: `core.onegame` writes them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ALL",
    "Both",
    "Layout",
    "Table",
    "Tables",
    "Union",
    "Word",
    "as_index",
    "bit_indices",
    "check_generator",
    "complement",
    "connected",
    "draws",
    "equal",
    "exchange",
    "floor_draw",
    "index",
    "less",
    "lowest",
    "may_touch",
    "none_set",
    "nonzero",
    "nth_bit",
    "permute",
    "popcount",
    "select",
    "set_of",
    "some",
    "where_set",
    "zero",
]

Word: TypeAlias = Any
"""An ``int`` (one game) or a ``uint64[B]`` array (a batch). The operators do not mix the kinds, and no static type says so."""

ALL = (1 << 64) - 1
_U64 = np.uint64
_ONE: Word = np.array(1, _U64)
_DTYPE = _ONE.dtype


# ------------------------------------------------------------------------------------------------------------- masks


def nonzero(x: Word) -> Word:
    """All ones where ``x`` is not zero."""
    if type(x) is int:
        return ALL if x else 0
    if x.dtype is _DTYPE:
        ones = np.minimum(x, _ONE)  # a comparison and its conversion take twice as long
        return np.negative(ones, ones)
    return np.negative((x != 0).view(np.uint8), dtype=_U64)


def zero(x: Word) -> Word:
    """All ones where ``x`` is zero."""
    if type(x) is int:
        return 0 if x else ALL
    if x.dtype is _DTYPE:
        ones = np.minimum(x, _ONE)
        return np.subtract(ones, _ONE, ones)
    return np.negative((x == 0).view(np.uint8), dtype=_U64)


def complement(x: Word) -> Word:
    """Every bit the other way round: of a mask, all ones where it is zero."""
    return x ^ ALL if type(x) is int else np.invert(x)  # an operation with a Python int takes twice as long, at 256 games


def equal(x: Word, y: Word) -> Word:
    """All ones where ``x`` equals ``y``."""
    return zero(x ^ y)


def less(x: Word, y: Word) -> Word:
    """All ones where the number ``x`` is less than the number ``y``."""
    if type(x) is int and type(y) is int:
        return ALL if x < y else 0
    return np.negative((x < y).view(np.uint8), dtype=_U64)


def select(mask: Word, x: Word, y: Word) -> Word:
    """``x`` where ``mask`` is all ones, ``y`` where it is zero."""
    if type(mask) is int:
        return x if mask else y
    difference = x ^ y
    difference &= mask
    difference ^= y
    return difference


def exchange(flag: Word, x: Word, y: Word) -> tuple[Word, Word]:
    """``y, x`` where ``flag`` is 1, ``x, y`` where it is 0."""
    if type(flag) is int:
        return (y if flag else x), (x if flag else y)
    change = x ^ y
    change *= flag
    first = x ^ change
    change ^= y
    return first, change  # which has become the second


def as_index(x: Word) -> Word:
    """A number as an index for tables: an int, or ``int64[B]``."""
    return x if type(x) is int else x.view(np.int64)


def some(x: Word) -> bool:
    """Whether the word of any game is not zero: lets a rule skip what concerns no game."""
    return x != 0 if type(x) is int else bool(np.count_nonzero(x))  # a quarter of the time of `x.any()`, at 256 games


def may_touch(x: Word, cells: Word) -> bool:
    """Whether ``x`` has any of some cells. True for a batch, which is not looked at: nearly every one has such a game."""
    return x & cells != 0 if type(x) is int else True


def none_set(x: Word) -> Word:
    """A word of the same kind with no bit set."""
    return 0 if type(x) is int else np.zeros(x.shape, _U64)


# -------------------------------------------------------------------------------------------------------------- bits


def popcount(x: Word) -> Word:
    """The number of set bits, as a word."""
    return x.bit_count() if type(x) is int else np.bitwise_count(x).astype(_U64)


def lowest(x: Word) -> Word:
    """The lowest set bit alone; zero where there is none."""
    return x & -x


def index(bit: Word) -> Word:
    """The index of the only set bit; int, or ``int64[B]`` (where no bit is set: -1 for an int, 64 for arrays)."""
    if type(bit) is int:
        return bit.bit_length() - 1
    return np.bitwise_count(bit - _U64(1)).astype(np.int64)


def set_of(cells: Iterable[int]) -> int:
    """The word that holds the given cells."""
    word = 0
    for cell in cells:
        word |= 1 << cell
    return word


def bit_indices(x: int) -> list[int]:
    """The set bits of an int, ascending."""
    found: list[int] = []
    while x:
        low = x & -x
        found.append(low.bit_length() - 1)
        x ^= low
    return found


# ------------------------------------------------------------------------------------------------------------ tables


class Both:
    """Named constants and tables in both kinds: ``of(word)`` has them for the kind of a word.

    Numbers (and tuples of numbers) are ints beside an int and 0-d uint64 arrays beside an array (NumPy takes a third of a
    microsecond more for an operation with a Python int); a `Table` is a list beside an int, `Tables` are a list of tuples.

    >>> edges = Both(top=0b111, bottom=0b111000000)
    >>> edges.of(5).top
    7
    """

    def __init__(self, **values: int | tuple[int, ...] | Table | Tables) -> None:
        self.ints = _Constants()
        self.words = _Constants()
        for name, value in values.items():
            tables = isinstance(value, Table | Tables)
            setattr(self.ints, name, value.ints if tables else value)
            if isinstance(value, tuple):
                setattr(self.words, name, tuple(np.array(number, _U64) for number in value))
            else:
                setattr(self.words, name, value if tables else np.array(value, _U64))

    def of(self, x: Word) -> Any:
        """The constants of the kind of ``x``."""
        return self.ints if type(x) is int else self.words


class _Constants:
    """A plain record, for the speed of its attributes."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no constant {name!r} here")


class Table:
    """A word for every index; look it up with an int or with an ``int64[B]`` array of indices.

    Indices of an array are clipped to the table, not checked: legality is the caller's.
    """

    def __init__(self, values: Iterable[int]) -> None:
        self.ints = [int(value) for value in values]
        self.words: Word = np.array(self.ints, _U64)

    def __getitem__(self, i: Word) -> Word:
        return self.ints[i] if type(i) is int else self.words.take(i, mode="clip")

    def __len__(self) -> int:
        return len(self.ints)


class Tables:
    """Several words for every index: ``a, b, c = tables[i]``, each as a `Table` of its own would give it.

    For an array four or more are looked up together, as rows, in the time of two, and are columns of these rows. Fewer are not,
    for it is slower to work on such columns; unless the table is so large that every look-up leaves the cache.
    """

    def __init__(self, *columns: Iterable[int]) -> None:
        tables = [Table(column) for column in columns]
        self.ints = list(zip(*(table.ints for table in tables), strict=True))
        self._width = len(tables)
        self._tables = tables if self._width < 4 and len(self.ints) < 8192 else []
        if not self._tables:
            # a row of 2**k words is copied as one; others word by word
            self._rows: Word = np.zeros((len(self.ints), 1 << (self._width - 1).bit_length()), _U64)
            self._rows[:, : self._width] = self.ints

    def __getitem__(self, i: Word) -> Sequence[Word]:
        if type(i) is int:
            return self.ints[i]
        if self._tables:
            return [table.words.take(i, mode="clip") for table in self._tables]
        return tuple(self._rows.take(i, 0, None, "clip").T[: self._width])


class Union:
    """The OR of one word for every set bit: ``values[k]`` stands for bit ``k``. One look-up for each chunk of bits."""

    def __init__(self, values: Sequence[int], chunk: int = 11) -> None:
        self.parts: list[tuple[int, int, Table]] = []
        """(first bit, mask, table) of each chunk."""
        for start in range(0, len(values), chunk):
            words = [0]
            for value in values[start : start + chunk]:
                words += [word | int(value) for word in words]
            self.parts.append((start, len(words) - 1, Table(words)))
        self._constants = [(np.array(start, _U64), np.array(mask, _U64), table) for start, mask, table in self.parts]

    def __getitem__(self, x: Word) -> Word:
        union: Word = 0
        if type(x) is int:
            for start, mask, table in self.parts:
                union = union | table.ints[x >> start & mask]
            return union
        for k, (start, mask, table) in enumerate(self._constants):
            at = x & mask if k == 0 else x >> start & mask
            found = table.words.take(at.view(np.int64), mode="clip")
            union = found if k == 0 else union | found
        return union


# -------------------------------------------------------------------------------------------------- planes and masks


_UNPACKED = 2048


class Layout:
    """Words laid end to end: of the k-th word the low ``sizes[k]`` bits count (and no other is set).

    So are an action mask, an observation and a key written as words; bit 0 of the first word comes first.
    """

    def __init__(self, sizes: Iterable[int]) -> None:
        self.sizes = tuple(sizes)
        self.total = sum(self.sizes)
        self.offsets = tuple(accumulate(self.sizes, initial=0))[:-1]
        self._places = [(piece, bit) for piece, size in enumerate(self.sizes) for bit in range(size)]
        self._first = np.array(self.offsets, np.int64)
        # one expression takes half the time of a loop over the words
        terms = [f"words[{k}] << {offset}" for k, offset in enumerate(self.offsets)]
        self.joined: Callable[[Sequence[int]], int] = eval(f"lambda words: {' | '.join(terms)}")
        """One game's words as one int of ``total`` bits."""
        vars(self.joined)["offsets"] = self.offsets  # for who writes that expression out again

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, (self.sizes,)

    @cached_property
    def _end(self) -> Word:
        return np.array(self.total, _U64)

    def pack(self, words: Sequence[Word], out: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
        """A batch's words as ``uint64[B, ceil(total / 64)]``, bit k of a row in its word k // 64.

        All but the first may be None: nothing is set. If ``out`` is given they are written into its rows, which may be longer:
        what these have behind the words' bits stays.
        """
        packed = np.empty((len(words[0]), -(-self.total // 64)), _U64) if out is None else out
        filling: Word = None  # the word of `packed` being filled, as far as the words before reach
        column = at = 0
        for word, size in zip(words, self.sizes, strict=True):
            if word is not None:
                placed = word << _SHIFT[at] if at else word
                filling = placed if filling is None else filling | placed
            at += size
            if at >= 64:
                packed[:, column] = 0 if filling is None else filling
                column, at = column + 1, at - 64
                filling = word >> _SHIFT[size - at] if at and word is not None else None
        if at and out is None:
            packed[:, column] = 0 if filling is None else filling
        elif at and filling is not None:
            packed[:, column] |= filling
        return packed

    def unpack(self, words: Sequence[Word]) -> NDArray[np.int8]:
        """A byte of 0 or 1 for each bit: ``int8[total]``, or ``int8[B, total]``. A fresh array."""
        if type(words[0]) is int:
            return self.spread(self.joined(words))
        return self.spread_rows(self.pack(words))

    def spread_rows(self, packed: NDArray[np.uint64], out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """What `pack` gives, a byte of 0 or 1 for each bit: ``int8[B, total]``. A fresh array, or ``out``."""
        octets = packed.view(np.uint8)
        if out is None:
            return np.unpackbits(octets, 1, self.total, "little").view(np.int8)
        for at in range(0, len(out), _UNPACKED):  # it cannot be told where to write: parts that may stay in the processor's cache
            part = octets[at : at + _UNPACKED]
            out[at : at + _UNPACKED] = np.unpackbits(part, 1, self.total, "little").view(np.int8)
        return out

    def put_rows(
        self, packed: NDArray[np.uint64], rows: NDArray[np.int64], others: NDArray[np.uint64], words: Sequence[Word]
    ) -> NDArray[np.uint64]:
        """What `pack` gave, written on: the games ``rows`` have others, or one for all.

        ``words``, those of the whole batch after that, are not needed here.
        """
        packed[rows] = others
        return packed

    def spread(self, joined: int) -> NDArray[np.int8]:
        """What `joined` gives, a byte of 0 or 1 for each bit: ``int8[total]``. A fresh array."""
        data = np.frombuffer(joined.to_bytes(self.total + 7 >> 3, "little"), np.uint8)
        return np.unpackbits(data, None, self.total, "little").view(np.int8)

    def has(self, words: Sequence[Word], i: Word) -> Any:
        """Whether bit i (int; ``int64[B]``, one for each game) is set: bool, or ``bool[B]``. Out of range it is not."""
        if type(i) is int:
            if not 0 <= i < self.total:
                return False
            piece, bit = self._places[i]
            return words[piece] >> bit & 1 == 1
        return self.has_in_rows(self.pack(words), i)

    def has_in_rows(self, packed: NDArray[np.uint64], i: NDArray[np.int64]) -> NDArray[np.bool_]:
        """`has`, from what `pack` gives."""
        bit: Word = i.view(_U64)  # negative numbers are out of range too
        width: int = packed.shape[1]
        at: Word = np.arange(0, len(i) * width, width)
        if width > 1:
            at = at + (bit >> _SHIFT[6]).view(np.int64)
        flat: Word = packed.reshape(-1)
        word: Word = flat.take(at, mode="clip")
        found: NDArray[np.bool_] = word >> (bit & _SHIFT[63]) & _SHIFT[1] != _SHIFT[0]
        return found & (bit < self._end)

    def draw(self, words: Sequence[Word], rng: np.random.Generator) -> Word:
        """The index of a uniformly drawn set bit: int, or ``int64[B]``; 0 where none is set."""
        if type(words[0]) is int:
            joined = self.joined(words)
            return nth_bit(joined, floor_draw(rng, joined.bit_count())) if joined else 0
        if len(words) == 1:
            total = np.bitwise_count(words[0])
            return nth_bit(words[0], floor_draw(rng, total)) * (total != 0)
        stacked, ends = self.counted(words)
        total = ends[-1]
        return self.nth(stacked, ends, floor_draw(rng, total).astype(np.uint16)) * (total != 0)

    @staticmethod
    def counted(words: Sequence[Word]) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
        """A batch's words as ``[len(words), B]``, and how many bits are set in each word and those before it."""
        stacked = np.array(words)
        ends = np.bitwise_count(stacked).astype(np.uint16)
        step = 1
        while step < len(ends):  # `accumulate` takes three times as long
            ends[step:] += ends[:-step]
            step *= 2
        return stacked, ends

    def nth(self, stacked: NDArray[np.uint64], ends: NDArray[np.uint16], rank: NDArray[np.uint16]) -> NDArray[np.int64]:
        """The index of the set bit of each rank (meaningless where there is none)."""
        total = ends[-1]
        # the word that holds the bit of that rank
        which: NDArray[np.uint8] = np.add.reduce((ends[:-1] <= rank).view(np.uint8), 0, np.uint8)
        at = which * np.intp(len(total)) + np.arange(len(total))
        word = stacked.reshape(-1).take(at)
        rank = rank.astype(_U64) + np.bitwise_count(word) - ends.reshape(-1).take(at)
        return self._first.take(which) + nth_bit(word, rank)


def permute(x: Word, target: Sequence[int]) -> Word:
    """The word with bit ``k`` of ``x`` moved to ``target[k]``; bits past the end of ``target`` are dropped."""
    return _permutation(tuple(target))[x]


@lru_cache(1024)
def _permutation(target: tuple[int, ...]) -> Union:
    return Union([1 << t for t in target], 8)


# -------------------------------------------------------------------------------------------------------- connection


def connected(cells: Word, near: Table, likely: Word = ALL) -> Word:
    """All ones where the cells of a word are one connected set (none or one cell is); zero where the mask ``likely`` is zero.

    ``near[k]`` are the neighbours of bit k; its last entry is 0, what lies beside no cell. Looked at only where ``likely`` is not
    zero: give a necessary condition that is cheap, for the walk goes on, cell by cell, until the largest set is walked. Meant
    for small sets.
    """
    if type(cells) is int:
        return _connected_one(cells, near.ints) if likely else 0
    found = none_set(cells)
    rows = np.arange(len(cells)) if type(likely) is int else likely.nonzero()[0]
    rest: Word = cells.take(rows)
    going = lowest(rest)  # reached, and its neighbours not looked at yet
    rest = rest ^ going
    while some(going):
        cell = lowest(going)
        reached = near[index(cell)] & rest  # nothing where the walk has ended
        rest = rest ^ reached
        going = going ^ cell | reached
    found[rows[rest == 0]] = ALL
    return found


def _connected_one(cells: int, near: Sequence[int]) -> int:
    going = cells & -cells
    rest = cells ^ going
    while going and rest:
        cell = going & -going
        reached = near[cell.bit_length() - 1] & rest
        rest ^= reached
        going ^= cell | reached
    return 0 if rest else ALL


def where_set(mask: Word, f: Callable[..., Word], *words: Word) -> Word:
    """``f(*words)`` where the mask is not zero, worked out for these games only; zero elsewhere. For what is rare."""
    if type(mask) is int:
        return f(*words) if mask else 0
    rows = mask.nonzero()[0]
    found = none_set(mask)
    found[rows] = f(*(word.take(rows) for word in words))
    return found


# ------------------------------------------------------------------------------------------------------ random draws


def draws(rng: np.random.Generator | NDArray[np.uint32], size: int) -> NDArray[np.uint32]:
    """Uniform 32-bit draws, ``[size]``; draws made before, which a batch takes in place of a generator, as they are.

    ValueError for what is neither.
    """
    if isinstance(rng, np.ndarray) and rng.dtype == np.uint32 and rng.shape == (size,):
        return rng
    return check_generator(rng, f" (or {size} draws, uint32)").integers(0, 1 << 32, size, np.uint32)


def check_generator(rng: object, otherwise: str = "") -> np.random.Generator:
    """``rng``, if it is a NumPy generator; ValueError otherwise: a seed, or NumPy's older kind, is none.

    otherwise: what else is allowed, for the error to say so.
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng is {rng!r}; it is a numpy.random.Generator, such as np.random.default_rng(0){otherwise}")
    return rng


def floor_draw(rng: np.random.Generator, bound: Word) -> Word:
    """Uniform draws from ``0 .. bound - 1`` (0 where the bound is 0): an int, or an array like ``bound``; bounds below 2**16.

    A batch may be given its `draws` in place of ``rng``.

    A 32-bit draw scaled down, so some values are likelier than others by at most ``bound / 2**32``.
    """
    if type(bound) is int:
        return int(check_generator(rng).random() * bound)
    return draws(rng, len(bound)).astype(_U64) * bound >> _SHIFT[32]


def nth_bit(x: Word, rank: Word) -> Word:
    """The index of the set bit that has ``rank`` set bits below it: int, or ``int64[B]`` (meaningless where there is none).

    Ints of any size; arrays of words by counting bytes in parallel (Knuth, TAOCP 4A, 7.1.3; Vigna, "Broadword
    implementation of rank/select queries", 2008).
    """
    if type(x) is int:
        at, width = 0, x.bit_length()
        while width > 32:
            half = width >> 1
            low = x & ((1 << half) - 1)
            count = low.bit_count()
            if rank < count:
                x, width = low, half
            else:
                x, rank, at, width = x >> half, rank - count, at + half, width - half
        for _ in range(rank):
            x &= x - 1
        return at + (x & -x).bit_length() - 1
    # the set bits of every two, four and eight bits; then byte k has those of bytes 0 .. k
    part = x >> _SHIFT[1]
    part &= _PAIRS
    counts = x - part
    np.right_shift(counts, _SHIFT[2], part)
    part &= _NIBBLES
    counts &= _NIBBLES
    counts += part
    np.right_shift(counts, _SHIFT[4], part)
    counts += part
    counts &= _BYTES
    counts *= _ONES
    # the first bit of the byte that has it: the bytes whose count is not above the rank come before
    below = rank * _ONES
    below |= _TOPS
    below -= counts
    below &= _TOPS
    byte = np.bitwise_count(below).astype(_U64)
    byte <<= _SHIFT[3]
    # how many are set before that byte, and the place in the table
    counts <<= _SHIFT[8]
    counts >>= byte
    counts &= _BYTE
    at = np.right_shift(x, byte, part)
    at &= _BYTE
    at <<= _SHIFT[3]
    at += rank
    at -= counts
    byte += _NTH_IN_BYTE.take(at.view(np.int64), mode="clip")
    return byte.view(np.int64)


_SHIFT = [np.array(k, _U64) for k in range(65)]
_PAIRS, _NIBBLES, _BYTES, _ONES, _TOPS, _BYTE = (
    np.array(value, _U64)
    for value in (
        0x5555555555555555,
        0x3333333333333333,
        0x0F0F0F0F0F0F0F0F,
        0x0101010101010101,
        0x8080808080808080,
        0xFF,
    )
)
# entry 8 * byte + r: the set bit of the byte with r set bits below it
_NTH_IN_BYTE: Word = np.array([(bit_indices(byte) + [0] * 8)[:8] for byte in range(256)], np.uint8).reshape(-1)
