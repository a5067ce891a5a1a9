"""Rules written out for one game do what the rules as they stand do."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from abstract_envs.core.bits import (
    Both,
    Layout,
    Table,
    Tables,
    Union,
    connected,
    equal,
    exchange,
    less,
    lowest,
    none_set,
    nonzero,
    popcount,
    select,
    some,
    zero,
)
from abstract_envs.core.game import interned
from abstract_envs.core.onegame import source_of, written_out
from helpers import every_game, random_game


@every_game
def test_written_out_rules_agree_with_the_plain_ones(game: Any) -> None:
    step, view = written_out(game.advance), written_out(game._view_bits)
    start = game.deal(0)
    field_step, field_view = written_out(game.advance, start), written_out(game._view_bits, start)
    for seed in range(20):
        states, actions = random_game(game, seed)
        for state, action, after in zip(states, actions, states[1:], strict=False):
            assert game.advance(state, action) == step(state, action) == after
            assert field_step(state, action) == after
            assert type(field_step(state, action)) is type(after)
            assert game._view_bits(state) == view(state) == field_view(state)


@every_game
def test_rules_are_written_out_not_left_as_they_are(game: Any) -> None:
    # no helper of the word algebra is called, and nothing of the game is looked up
    source = source_of(game.advance)
    assert "self" not in source
    assert not any(f"{helper}_" in source for helper in ("zero", "nonzero", "select", "popcount", "some"))


@every_game
def test_fields_of_a_state_are_read_once(game: Any) -> None:
    source = source_of(game._view_bits, game.deal(0))
    assert "state_1." not in source
    assert source.count("state_1") == 2, source  # the argument, and where it is read


UNEVEN = [(1, 2), (3, 4, 5)]
NUMBERS = [1, 2, 3]


class Rules:
    """Rules that need every kind of rewriting."""

    def __init__(self, big: bool) -> None:
        self.big = big
        self.bonus = 16 if big else 1
        self.both = Both(low=0b0011, rows=Tables([1, 2], [4, 8]))
        self.table = Table([7, 8, 9])
        self.near = Table([0b0010, 0b0101, 0b1010, 0b0100, 0])
        self.weights = ((1, 10), (2, 20))
        self.layout = Layout((6, 4, 4, 4, 4))

    def branches(self, x: Any, y: Any) -> Any:
        c = self.both.of(x)
        if self.big:
            x = x | c.low
        z = x & 0
        if some(y & 4):
            z = self.helped(y, x)
            x = x ^ 1
        first, second = c.rows[y & 1]
        x, y = y, x  # an exchange must not become two assignments
        return x, y, z, first | second, *(z & k for k in (1, 2)), self.table[z % 3], self.bonus

    def helped(self, x: Any, twice: Any, more: Any = 2) -> Any:
        x = x + twice  # the caller's x is another
        return select(nonzero(x & 1), x, twice) + more

    def tuples(self, x: Any, y: Any) -> Any:
        pair = x, y
        x = x + 1  # the pair has the old one
        first, kept = tuple(part ^ 1 for part in pair), (x, *pair)
        if y is None or self.bonus is not None:
            first = tuple(first[k] + kept[k] for k in range(2))
        return (*first, *tuple(k * weight for k, weight in self.weights), kept[2])

    def loops(self, x: Any, y: Any) -> Any:
        found, z = self.bonus, x
        for line in tuple(y >> k & 3 for k in range(3)):
            found = self.table[(found ^ line) % 3]
            z = z + line * found
        first, second = 3, 4
        if some(y & 4):
            first = y
            for k in (1, 2):
                z = z << k
        for part in (z, z, x):
            z = z + part
        return found, z, first, second

    def masks(self, x: Any, y: Any) -> Any:
        flag = zero(x) & 1 | self.bonus & nonzero(y)
        known = zero(x ^ 5), zero(x | y | flag), less(x, y) & 6 & flag
        return none_set(x + y) | x, flag, known, x >> 0, 0 >> y, exchange(flag & 1, x, y), lowest(x ^ y)

    def rows(self, x: Any, y: Any) -> Any:
        known = self.layout.joined((x, 0, *self.both.of(x).rows[y & 1], 5))
        lists = self.layout.joined((x, *UNEVEN[0], 1, y & 3)), self.layout.joined((*NUMBERS[y & 1 : (y & 1) + 2], 1, y & 3, x))
        return known, lists, self.layout.joined((*self.weights[y & 1], 0, y & 3, 0))

    def any_of(self, x: Any, y: Any, z: Any) -> Any:
        return zero(x | y | z)

    def early(self, x: Any) -> Any:
        if some(x):
            return 1
        return 2

    def calls_early(self, x: Any) -> Any:
        return self.early(x) + equal(x, 3) % 5 + popcount(x)

    def lazy(self, x: Any, y: Any) -> Any:
        return self.helped(x, y) if x else connected(y, self.near)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("method", ["branches", "calls_early", "lazy", "loops", "masks", "rows", "tuples"])
def test_every_kind_of_rewriting(big: bool, method: str) -> None:
    rules = Rules(big)
    plain = getattr(rules, method)
    two = method != "calls_early"
    out = written_out(plain)
    for x in range(16):
        for y in range(16):
            assert (out(x, y) if two else out(x)) == (plain(x, y) if two else plain(x)), source_of(plain)


def test_masks_that_are_known_are_no_operations() -> None:
    source = source_of(Rules(True).masks)
    assert "0 if x_1 else 1" in source
    assert "16 if y_2 else 0" in source
    assert "x_1 >>" not in source
    assert "0 if x_1 ^ 5 else" in source  # without a name
    assert source.count("x_1 ^ y_2") == 1  # with one, for it is used twice


def test_a_test_of_several_words_ends_at_the_first_that_is_not_zero() -> None:
    seen: list[int] = []

    class Seen(int):
        def __bool__(self) -> bool:
            seen.append(int(self))
            return int(self) != 0

    out = written_out(Rules(True).any_of)
    assert out(Seen(0), Seen(2), Seen(4)) == 0
    assert seen == [0, 2]


def test_a_row_of_tables_is_looked_up_as_one_word() -> None:
    source = source_of(Rules(True).rows).split("lambda")[0]  # the first of the three, which the others follow as calls
    assert source.count("<<") == 1  # of the word behind the row, none of the three before it


def test_loops_over_what_is_known_are_unrolled() -> None:
    assert "for " not in source_of(Rules(True).loops)


def test_options_decide_once() -> None:
    assert " if " not in source_of(Rules(True).branches).split("z_")[0]
    assert "0b" not in source_of(Rules(True).branches)
    assert "low" not in source_of(Rules(True).branches)


def test_a_function_with_an_early_return_stays_a_call() -> None:
    assert "early_" in source_of(Rules(True).calls_early)
    with pytest.raises(OSError, match="straight-line"):
        source_of(Rules(True).early)
    assert written_out(Rules(True).early)(0) == 2


class LooksUp:
    """Methods as a game has them."""

    small = Union([1 << 3 * k for k in range(7)])
    large = Union([1 << 2 * k for k in range(30)])

    def looked_up(self, x: int) -> int:
        return self.small[x & 127] ^ self.large[x + 5]

    def grown(self, x: int) -> int:
        return self.small[x & 127] if x & 1 else self.large[x]


def test_unions_become_look_ups() -> None:
    for method in (LooksUp().looked_up, LooksUp().grown):
        fast = written_out(method)
        assert [fast(x) for x in range(3000)] == [method(x) for x in range(3000)]
    assert "__getitem__" not in source_of(LooksUp().looked_up)
    assert source_of(LooksUp().looked_up).count("[") == 4  # one part, and three


def test_a_source_that_has_changed_since_is_not_used(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "passing_rules.py"
    path.write_text("class R:\n    def f(self, x):\n        return x + 1\n    def g(self, x):\n        return x + 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    rules = importlib.import_module("passing_rules").R()
    # now what was f's line holds g
    path.write_text("class R:\n    def g(self, x):\n        return x + 2\n    def f(self, x):\n        return x + 1\n")
    with pytest.raises(OSError, match="not what was imported"):
        source_of(rules.f)
    assert written_out(rules.f)(5) == 6


@every_game
def test_equal_games_are_written_out_once(game: Any) -> None:
    assert interned(type(game)(**game.options)) is interned(game)
