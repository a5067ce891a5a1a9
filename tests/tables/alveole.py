"""Alveole: numbers of the sheet, and positions thought through by hand.

Columns a to i from the left, cells from the top. Around e5: f5 SE, e6 S, d5 SW, d4 NW, e4 N, f4 NE. From a to e the cell to the
south-east has the number + 1 and the one to the north-east the same number; from e to i it is the same number and the number - 1.
"""

from __future__ import annotations

from typing import Any

from tables import Case

OPTIONS: list[dict[str, Any]] = [{}]

UNLISTED: dict[str, Any] = {"board_size": 5}

PERFT: list[tuple[dict[str, Any], list[int]]] = [({}, [15, 219, 3936, 69492])]

SYMMETRIES: list[tuple[dict[str, Any], int, int]] = [({}, 24, 12)]

START = "br1br/r4b/7/b6r/r7b/b6r/7/r4b/br1br r"

POSITIONS = [
    # ------------------------------------------------------------------------------------------------------------- rule 1
    Case(
        "rule 1: Red begins; no passing. Every line of a red piece holds two pieces, so all moves are two cells long",
        START,
        legal="a2-c4 b1-d3 b1-b3 e1-e3 h1-h3 h1-f3 i2-g4 f8-d7 i2-g2 i5-g5 d8-d6 f8-f6 a2-c2 a5-c5 d8-f7",
        never="pass a1-a2 a2-a4 a5-a3 d1-d3 e1-e2",
        then=(("e1-e3", "br1br/r4b/7/b6r/2r5b/b6r/7/r4b/br1br b", None),),
    ),
    # ------------------------------------------------------------------------------------------------------------- rule 2
    Case(
        "rule 2: alone on its lines, one cell in each of the six directions; a2 stands at the border",
        "1r3/b5/7/8/4r4/8/7/6/2b2 r",
        legal="a2-b3 e5-f5 a2-a3 e5-e6 e5-d5 e5-d4 a2-a1 e5-e4 a2-b2 e5-f4",
        never="e5-e7 e5-f6 e5-e5 a2-b1",
        then=(("e5-f4", "1r3/b5/7/8/9/3r4/7/6/2b2 b", None),),
    ),
    Case(
        "rule 2: three pieces of both colours on column e, before and behind: three cells; rule 3: e3 jumps over its own e5, "
        "e5 captures e8",
        "5/b5/7/8/2r1r2b1/8/7/6/1b3 r",
        legal="e3-f3 e5-f5 e3-e6 e5-e8 e3-d3 e5-d5 e3-d2 e5-d4 e5-e2 e3-f2 e5-f4",
        never="e3-e4 e3-e5 e5-e6 e5-e7 e5-e4",
        then=(("e5-e8", "5/b5/7/8/2r4r1/8/7/6/1b3 b", None),),
    ),
    # ------------------------------------------------------------------------------------------------------------- rule 3
    Case(
        "rule 3: blue e4 is in the way to e5, not behind e3 on the way to e1",
        "4r/6/7/8/2rb5/8/7/6/1b3 r",
        legal="a5-b6 e3-f3 e3-d3 e3-d2 a5-a4 e3-e1 a5-b5 e3-f2",
        never="e3-e5 e3-e4",
        then=(("e3-e1", "4r/6/7/8/r2b5/8/7/6/1b3 b", None),),
    ),
    Case(
        "rule 3: the same for Blue: e4 cannot pass e3, and moves two cells down",
        "4r/6/7/8/2rb5/8/7/6/1b3 b",
        also="e4-e6",
        never="e4-e2 e4-e3",
        then=(("e4-e6", "4r/6/7/8/2r2b3/8/7/6/1b3 r", None),),
    ),
    Case(
        "rule 3: an own piece on the target; the other way is free",
        "5/b5/7/8/2r1r4/8/7/6/1b3 r",
        legal="e3-f3 e5-f5 e5-e7 e3-d3 e5-d5 e3-d2 e5-d4 e3-e1 e3-f2 e5-f4",
        never="e3-e5 e5-e3 e3-e4",
        then=(("e5-e7", "5/b5/7/8/2r3r2/8/7/6/1b3 b", None),),
    ),
    # ------------------------------------------------------------------------------------------------------------- rule 4
    Case(
        "rule 4: d3 touches e3: Red's pieces are one group",
        "5/b5/7/3r4/2r6/8/7/6/1b3 r",
        then=(("d4-d3", "5/b5/7/2r5/2r6/8/7/6/1b3 b", 0),),
    ),
    Case(
        "rule 4: both at once, Blue with one piece left: the mover wins",
        "5/6/7/2b2r1b/2r6/8/7/6/5 r",
        then=(("d6-d3", "5/6/7/2r4b/2r6/8/7/6/5 b", 0),),
    ),
    Case(
        "rule 4: the capture leaves Blue one piece, Red is not joined: Blue wins",
        "5/6/7/2b2r1b/9/8/7/r5/5 r",
        then=(("d6-d3", "5/6/7/2r4b/9/8/7/r5/5 b", 1),),
    ),
    Case(
        "rule 4: the capture leaves Blue a1 and a2, one group",
        "bb3/6/7/2b2r1r/9/8/7/6/5 r",
        then=(("d6-d3", "bb3/6/7/2r4r/9/8/7/6/5 b", 1),),
    ),
    Case(
        "rule 4: the same with the players exchanged",
        "rr3/6/7/2r2b1b/9/8/7/6/5 b",
        then=(("d6-d3", "rr3/6/7/2b4b/9/8/7/6/5 r", 0),),
    ),
    Case("rule 4: both joined; Blue moved last", "rr3/6/7/8/9/8/7/6/3bb r", 1, legal=""),
    Case("rule 4: both joined; Red moved last", "rr3/6/7/8/9/8/7/6/3bb b", 0, legal=""),
    Case("rule 4: both have one piece; Blue moved last", "r4/6/7/8/9/8/7/6/4b r", 1, legal=""),
    Case("rule 4: only the player to act is joined", "rr3/6/7/8/9/8/7/b5/4b r", 0, legal=""),
    Case("rule 4: one piece is a group, whoever is to act", "r4/6/7/8/9/8/7/b5/4b r", 0, legal=""),
    Case("rule 4: one piece is a group, whoever is to act", "r4/6/7/8/9/8/7/b5/4b b", 0, legal=""),
    Case("rule 4: a1 touches b1", "r4/r5/7/8/9/8/7/b5/4b b", 0, legal=""),
    Case("rule 4: a1 touches b2", "r4/1r4/7/8/9/8/7/b5/4b b", 0, legal=""),
    Case("rule 4: a1 does not touch b3", "r4/2r3/7/8/9/8/7/b5/4b b"),
    Case("rule 4: e5 touches f5", "5/6/7/8/4r4/4r3/7/b5/4b b", 0, legal=""),
    Case("rule 4: e5 touches f4", "5/6/7/8/4r4/3r4/7/b5/4b b", 0, legal=""),
    Case("rule 4: e5 does not touch f6", "5/6/7/8/4r4/5r2/7/b5/4b b"),
    Case("rule 4: e5 does not touch f3", "5/6/7/8/4r4/2r5/7/b5/4b b"),
    Case("rule 4: columns do not wrap: a5 does not touch b1", "4r/r5/7/8/9/8/7/b5/4b b"),
    Case("rule 4: rows do not wrap: i1 does not touch d1", "5/6/7/r7/9/8/7/6/r1b1b b"),
    Case("rule 4: diagonals do not wrap: e1 does not touch a2", "1r3/6/7/8/r8/8/7/b5/4b b"),
    Case(
        "rule 4: three pairs of neighbours are enough for four pieces, but not these: d4 is alone", "rr3/r5/7/3r4/9/8/7/b5/4b b"
    ),
    Case("rule 4: nine in a ring with a tail", "5/6/7/2rr4/2rbr4/3rrrrb/7/6/b4 b", 0, legal=""),
    # ------------------------------------------------------------------------------------------------------------- rule 5
    Case(
        "rule 5: Blue shuts a1 in; Red's i5 cannot move either",
        "r4/bb4/1b5/8/9/8/7/4bb/3br b",
        also="c2-a2",
        then=(("c2-a2", "rb3/bb4/7/8/9/8/7/4bb/3br r", 1),),
    ),
    Case("rule 5: the same position set up for Blue to act: Blue can move", "rb3/bb4/7/8/9/8/7/4bb/3br b", also="a2-a4"),
    Case("rule 4 comes before rule 5: Red's one piece cannot move, and is a group", "rb3/bb4/7/8/9/8/7/6/4b r", 0, legal=""),
    Case("rule 4 comes before rule 5: Blue moved last and is joined", "rb3/bb4/7/8/9/8/7/6/4r r", 1, legal=""),
]

_EMPTY = "5/6/7/8/9/8/7/6"
_TWO = f"{_EMPTY}/r3b"

IMPOSSIBLE: list[tuple[dict[str, Any], str, list[str]]] = [
    ({}, "", ["columns", "side"]),
    ({}, _TWO, ["columns", "side"]),
    ({}, f"{_TWO} r -", ["columns", "side"]),
    ({}, f"{_TWO}  r", ["columns", "side"]),
    ({}, f" {_TWO} r", ["columns", "side"]),
    ({}, f"{_TWO} r\n", ["side"]),
    ({}, f"{_TWO} w", ["side", "'w'", "'r'", "'b'"]),
    ({}, f"{_TWO} R", ["side", "'R'"]),
    ({}, f"{_TWO} rb", ["side", "'rb'"]),
    ({}, "5/6/7/8/9/8/7/r4b r", ["columns", "8", "9"]),
    ({}, f"{_TWO}/5 r", ["columns", "10", "9"]),
    ({}, "5/6/7/8/9/8/7/5/r3b r", ["columns", "column 8", "6"]),
    ({}, "5/6/7/8/9/8/7/7/r3b r", ["columns", "column 8"]),
    ({}, "5/6/7/8/9/8/7//r3b r", ["columns", "column 8"]),
    ({}, "5/6/7/8/9/8/7/6/r4b r", ["columns", "column 9"]),
    ({}, "5/6/7/8/10/8/7/6/r3b r", ["columns", "column 5"]),
    ({}, "5/6/7/8/45/8/7/6/r3b r", ["columns", "column 5"]),
    ({}, "5/6/7/8/09/8/7/6/r3b r", ["columns", "column 5"]),
    ({}, "5/6/7/8/9/8/7/6/r...b r", ["columns", "column 9", "'.'"]),
    ({}, "5/6/7/8/9/8/7/6/r3B r", ["columns", "column 9", "'B'"]),
    ({}, "5/6/7/8/9/8/7/6/r3w r", ["columns", "column 9", "'w'"]),
    ({}, f"{_EMPTY}/5 r", ["columns", "0 red", "1 to 9"]),
    ({}, f"{_EMPTY}/r4 r", ["columns", "0 blue", "1 to 9"]),
    ({}, f"{_EMPTY}/4b r", ["columns", "0 red", "1 to 9"]),
    ({}, "rrrrr/rrrrr1/7/8/9/8/7/6/4b r", ["columns", "10 red", "1 to 9"]),
    ({}, "bbbbb/bbbbb1/7/8/9/8/7/6/4r b", ["columns", "10 blue", "1 to 9"]),
]

BAD_OPTIONS: list[tuple[dict[str, Any], list[str]]] = []  # there are no options; one that is given is a TypeError


def observation(game: Any, text: str, observer: int, ended: bool) -> dict[str, list[list[int]]]:
    """The planes that an observer sees of a position, cell by cell: row r + 4, column q + 4."""
    columns, side = text.split(" ")
    for digit in range(1, 10):
        columns = columns.replace(str(digit), "." * digit)
    symbols = {
        (r, q): symbol
        for q, column in zip(range(-4, 5), columns.split("/"), strict=True)
        for r, symbol in enumerate(column, max(-4, -4 - q))
    }

    def plane(shown: str) -> list[list[int]]:
        return [[int(symbols.get((r, q), "-") in shown) for q in range(-4, 5)] for r in range(-4, 5)]

    return {
        "own pieces": plane("rb"[observer]),
        "opponent's pieces": plane("rb"[1 - observer]),
        "observer is player_0": plane("rb." if observer == 0 else ""),
        "observer is to act": plane("rb." if "rb"[observer] == side and not ended else ""),
    }
