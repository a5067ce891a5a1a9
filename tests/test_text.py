"""Fields, rows and numbers of position texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstract_envs.core.text import EMPTY, choice, number, read_rows, split_fields, write_rows

rows_of_symbols = st.lists(st.lists(st.sampled_from([EMPTY, EMPTY, "w", "b"]), min_size=1, max_size=12), min_size=1, max_size=9)


@given(rows_of_symbols, st.booleans())
def test_rows_round_trip(rows: list[list[str]], digits: bool) -> None:
    text = write_rows(rows, digits)
    assert read_rows("rows", text, [len(row) for row in rows], "wb" if digits else "wb.", digits) == rows
    # written out by hand: every run of empty cells as its length
    expected = "/".join("".join(row) for row in rows)
    if digits:
        for run in range(12, 0, -1):
            expected = expected.replace(EMPTY * run, str(run))
    assert text == expected


@given(st.text("wb0123456789/. ", max_size=12))
def test_what_is_read_is_written_back(text: str) -> None:
    """No two texts for one board."""
    try:
        rows = read_rows("rows", text, [3, 4, 3], "wb")
    except ValueError:
        return
    assert write_rows(rows) == text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("3/4", ["has 2 rows", "there are 3"]),
        ("3/4/3/3", ["has 4 rows", "there are 3"]),
        ("3/4/2", ["row 3", "has 2", "has 3"]),
        ("3/5/3", ["row 2", "'5'"]),
        ("3/x3/3", ["row 2", "'x'"]),
        ("0w2/4/3", ["row 1", "'0'"]),
        ("12/4/3", ["row 1", "'12'"]),
        ("3//3", ["row 2"]),
        ("1.1/4/3", ["row 1", "'.'"]),
    ],
)
def test_bad_rows(text: str, parts: list[str]) -> None:
    with pytest.raises(ValueError, match="board") as caught:
        read_rows("board", text, [3, 4, 3], "wb")
    for part in parts:
        assert part in str(caught.value)


def test_unit_of_rows() -> None:
    with pytest.raises(ValueError, match="points"):
        read_rows("board", "1", [1, 1], "w", unit="point")


def test_fields() -> None:
    assert split_fields("a b", ("x", "y")) == ["a", "b"]
    for text in ("a", "a b c", "a  b", " a b", "a b ", "", "a\tb"):
        with pytest.raises(ValueError, match="x y"):
            split_fields(text, ("x", "y"))
    with pytest.raises(ValueError, match="x y"):
        split_fields(None, ("x", "y"))  # type: ignore[arg-type]


@pytest.mark.parametrize("allowed", ["wb", ["w", "b"], ("w", "b")])
def test_choice(allowed: list[str]) -> None:
    assert [choice("side", text, allowed) for text in "wb"] == [0, 1]
    for text in ("x", "W", "wb", ""):
        with pytest.raises(ValueError, match=r"side is '.*'; it is one of 'w', 'b'"):
            choice("side", text, allowed)


def test_number() -> None:
    assert [number("count", text, 0, 40) for text in ("0", "7", "40")] == [0, 7, 40]
    for text in ("", "-1", "41", "07", "+7", "7.0", " 7", "7 ", "٣", "²", "x", "1_0"):
        with pytest.raises(ValueError, match="count is .*from 0 to 40"):
            number("count", text, 0, 40)


def test_very_long_numbers_are_errors_of_the_field() -> None:
    with pytest.raises(ValueError, match="count is"):
        number("count", "9" * 5000, 1, 3)
    with pytest.raises(ValueError, match="rows"):
        read_rows("rows", "9" * 5000, [7], "w")
