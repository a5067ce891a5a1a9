"""Position texts: fields separated by single spaces, and boards written row by row with digits for runs of empty cells.

Readers are strict, so that a text that is read is also the text that is written back.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["EMPTY", "choice", "number", "read_rows", "split_fields", "write_rows"]

EMPTY = "."
"""Stands for an empty cell in the lists of symbols that `read_rows` gives and `write_rows` takes."""


def split_fields(text: str, names: Sequence[str]) -> list[str]:
    """The fields of a position text; ValueError unless there are as many as names, separated by single spaces."""
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"a position is a text '{' '.join(names)}', not {text!r}")
    fields = text.split(" ")
    if len(fields) != len(names) or not all(fields):
        raise ValueError(f"a position has the fields '{' '.join(names)}', separated by single spaces, not {text!r}")
    return fields


def choice(field: str, text: str, allowed: Sequence[str]) -> int:
    """Which of the allowed texts this is; ValueError that names the field and what it may be."""
    if text not in list(allowed):  # of a text, "wb" too is in "wb"
        raise ValueError(f"{field} is {text!r}; it is one of {', '.join(map(repr, allowed))}")
    return list(allowed).index(text)


def number(field: str, text: str, low: int, high: int) -> int:
    """A whole number written plainly; ValueError that names the field and its bounds."""
    short = len(text) <= len(str(high))  # the longest texts are no numbers for `int`
    if not (short and text.isascii() and text.isdigit() and str(int(text)) == text and low <= int(text) <= high):
        raise ValueError(f"{field} is {text!r}; it is a whole number from {low} to {high}")
    return int(text)


def write_rows(rows: Sequence[Sequence[str]], digits: bool = True) -> str:
    """Symbols by row -> ``2w1/b3/...``; without digits an empty cell stays a dot."""
    texts: list[str] = []
    for row in rows:
        text = ""
        run = 0
        for symbol in [*row, ""]:
            if symbol == EMPTY and digits:
                run += 1
                continue
            text += (str(run) if run else "") + symbol
            run = 0
        texts.append(text)
    return "/".join(texts)


def read_rows(
    field: str, text: str, lengths: Sequence[int], letters: str, digits: bool = True, unit: str = "row"
) -> list[list[str]]:
    """``2w1/b3/...`` -> symbols by row, `EMPTY` where a cell is empty.

    ValueError that names the field and the row unless every row has its length and holds only the letters (and, with
    ``digits``, numbers for the longest runs of empty cells).
    """
    texts = text.split("/")
    if len(texts) != len(lengths):
        raise ValueError(f"{field} {text!r} has {len(texts)} {unit}s; there are {len(lengths)}")
    rows: list[list[str]] = []
    for k, (row_text, length) in enumerate(zip(texts, lengths, strict=True), 1):
        row: list[str] = []
        at = 0
        while at < len(row_text):
            symbol = row_text[at]
            end = at + 1
            if digits and symbol in "0123456789":
                while end < len(row_text) and row_text[end] in "0123456789":
                    end += 1
                run = row_text[at:end]
                if run[0] == "0" or len(run) > len(str(length)) or int(run) > length:
                    raise ValueError(f"{field}: {run!r} in {unit} {k} ({row_text!r}) is no run of 1 to {length} empty cells")
                row += [EMPTY] * int(run)
            elif symbol in letters:
                row.append(symbol)
            else:
                kinds = f"the letters {letters}" + (" and digits" if digits else "")
                raise ValueError(f"{field}: {symbol!r} in {unit} {k} ({row_text!r}); allowed are {kinds}")
            at = end
        if len(row) != length:
            raise ValueError(f"{field}: {unit} {k} ({row_text!r}) has {len(row)} cells; it has {length}")
        rows.append(row)
    return rows
