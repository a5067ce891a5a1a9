"""Honey Donuts: numbers of the sheet, and positions thought through by hand.

    a1 a2 a3         segments, direction 0:
  b1 b2 b3 b4        rows                   a1-a3 b1-b4 c1-c2 c4-c5 d1-d4 e1-e3
c1 c2    c4 c5       down to the right      a1-b2 a2-d4 a3-c5 b1-e2 c1-e1 d3-e3
  d1 d2 d3 d4        down to the left       a1-c1 a2-d1 a3-b3 b4-e2 c5-e3 d2-e1
    e1 e2 e3
"""

from __future__ import annotations

from typing import Any

from tables import Case

SIMPLE = {"repetition": "simple"}
BLUE_FIRST = {"setup": "bBb/wwww/ww.ww/wwww/rrR b bBb/wwww/ww.ww/wwww/rRr"}
SHORT = {"setup": "www/wwww/rr.bB/Rwww/bww b -", "repetition": "simple"}

OPTIONS: list[dict[str, Any]] = [{}, SIMPLE, BLUE_FIRST, SHORT]

PERFT: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [12, 144, 1814, 22386]),
    (SIMPLE, [12, 144, 1814, 22632]),
]

SYMMETRIES: list[tuple[dict[str, Any], int, int]] = [({}, 24, 12), (SIMPLE, 24, 12)]

_NULL = "www/wwww/rr.bB/Rwww/bww"
"""Red's regulars and Blue's King and regular fill the two segments of length 2 of row c."""

POSITIONS = [
    # ------------------------------------------------------------------------------------------------------ rules 2 and 3
    Case(
        "a finished game: whose King is missing has lost, also where it is the side that is not to act",
        "b.b/wwww/ww.ww/wwww/rRr r -",
        outcome=0,
        legal="",
    ),
    Case("the same with Red's King", "bBb/wwww/ww.ww/wwww/r.r b -", outcome=1, legal=""),
    Case(
        "rule 2: the twelve pushes of the start, with the segment's ends in the direction of the push",
        "bBb/wwww/ww.ww/wwww/rRr r -",
        legal="e1-e3 c1-e1 d3-e3 c5-e3 d2-e1 e3-e1 e2-b1 e1-c1 e3-d3 e2-b4 e3-c5 e1-d2",
        never="e1-e2 a1-a3 b1-e2 b4-e2 e1-e1 c3-c4 c1-c5 x1-e1 e1",
        then=(("e1-e3", "bBb/wwww/ww.ww/wwww/rrR b bBb/wwww/ww.ww/wwww/rRr", None),),
    ),
    Case(
        "rules 2 and 3: e3-e1 brings the piece on e1 back on e3; the King moves to e1",
        "bBb/wwww/ww.ww/wwww/rRr r -",
        then=(("e3-e1", "bBb/wwww/ww.ww/wwww/Rrr b bBb/wwww/ww.ww/wwww/rRr", None),),
    ),
    Case(
        "rule 3: b1-e2 and b4-e2 would push the own King off e2; the other ways from e2 are open",
        "bBb/wwww/ww.ww/wwww/rRr r -",
        never="b1-e2 b4-e2",
        also="e2-b1 e2-b4",
    ),
    # -------------------------------------------------------------------------------------------------------------- rule 4
    Case(
        "rule 4: off the edge; the King is not put back, b1 stays empty",
        "wwb/wRrB/ww.ww/wwww/brw r -",
        also="b1-b4 b4-b1",
        then=(("b1-b4", "wwb/.wRr/ww.ww/wwww/brw b wwb/wRrB/ww.ww/wwww/brw", 0),),
    ),
    Case(
        "rule 4: into the hole",
        "wwb/wwww/rB.Rr/wwww/bww r -",
        also="c1-c2 c2-c1",
        then=(("c1-c2", "wwb/wwww/.r.Rr/wwww/bww b wwb/wwww/rB.Rr/wwww/bww", 0),),
    ),
    Case(
        "rule 4: Blue wins likewise",
        "wwr/wBbR/ww.ww/wwww/rbw b -",
        then=(("b1-b4", "wwr/.wBb/ww.ww/wwww/rbw r wwr/wBbR/ww.ww/wwww/rbw", 1),),
    ),
    Case("rule 4: in a text", "wwb/.wRr/ww.ww/wwww/brw b -", outcome=0),
    Case("rule 4: in a text, with what was before", "wwr/.wBb/ww.ww/wwww/rbw r wwr/wBbR/ww.ww/wwww/rbw", outcome=1),
    Case("rule 4: the simple rule forbids no winning push", "wwb/wRrB/ww.ww/wwww/brw r -", also="b1-b4", options=SIMPLE),
    # -------------------------------------------------------------------------------------------------------------- rule 5
    Case(
        "rule 5: a push may not be undone at once",
        "bBb/wwww/ww.ww/wwww/rRr r -",
        then=(("e1-e3", "bBb/wwww/ww.ww/wwww/rrR b bBb/wwww/ww.ww/wwww/rRr", None),),
    ),
    Case(
        "rule 5: under the strict rule the last position of a text forbids nothing: a1-b2 leads back to it",
        "wBb/wbww/ww.ww/wwww/rrR b bBb/wwww/ww.ww/wwww/rrR",
        also="b2-a1 a1-b2",
    ),
    Case(
        "rule 5: the simple rule forbids both pushes that restore it: the segment a1-b2 has length 2",
        "bBb/wwww/ww.ww/wwww/rrR b wBb/wbww/ww.ww/wwww/rrR",
        never="a1-b2 b2-a1",
        also="a1-a3 a3-a1",
        options=SIMPLE,
    ),
    # -------------------------------------------------------------------------------------------------------------- rule 6
    Case(
        "rule 6: two own regulars on a short segment: both pushes are legal and change nothing",
        f"{_NULL} r -",
        legal="c1-c2 d1-d4 b1-e2 c1-e1 a1-c1 c2-c1 e2-b1 e1-c1 c1-a1 d1-a2",
        then=(("c1-c2", f"{_NULL} b {_NULL}", None),),
    ),
    Case(
        "rules 5 and 6: the opponent changed nothing, so to change nothing is to restore the last position",
        f"{_NULL} r {_NULL}",
        legal="d1-d4 b1-e2 c1-e1 a1-c1 e2-b1 e1-c1 c1-a1 d1-a2",
        never="c1-c2 c2-c1",
        options=SIMPLE,
    ),
    Case("rules 5 and 6: the strict rule looks at the game, not at the text", f"{_NULL} r {_NULL}", also="c1-c2 c2-c1"),
]

_ROWS = "bBb/wwww/ww.ww/wwww/rRr"

IMPOSSIBLE: list[tuple[dict[str, Any], str, list[str]]] = [
    ({}, "", ["rows", "side", "last"]),
    ({}, f"{_ROWS} r", ["rows", "side", "last"]),
    ({}, f"{_ROWS} r - -", ["rows", "side", "last"]),
    ({}, f"{_ROWS}  r -", ["rows", "side", "last"]),
    ({}, f"{_ROWS} r -\n", ["last"]),
    ({}, f"{_ROWS} x -", ["side", "'x'"]),
    ({}, f"{_ROWS} R -", ["side", "'R'"]),
    ({}, f"{_ROWS} rb -", ["side", "'rb'"]),
    ({}, "bBb/wwww/ww.ww/wwww r -", ["rows", "5"]),
    ({}, "bBb/wwww/ww.ww/wwww/rRr/w r -", ["rows", "5"]),
    ({}, "bBb/wwww/ww.ww/wwww/rRrw r -", ["rows", "row 5"]),
    ({}, "bBb/www/ww.ww/wwww/rRr r -", ["rows", "row 2"]),
    ({}, "bBb/wwww/wwww/wwww/rRr r -", ["rows", "row 3"]),
    ({}, "bBb/wwww/wwwww/wwww/rRr r -", ["rows", "row 3", "c3"]),
    ({}, "bBb/wwww/w.www/wwww/rRr r -", ["rows", "row 3", "c3"]),
    ({}, "bBb/4/ww.ww/wwww/rRr r -", ["rows", "row 2", "'4'"]),
    ({}, "bBb/wwwx/ww.ww/wwww/rRr r -", ["rows", "row 2", "'x'"]),
    ({}, "bBb/www./ww.ww/wwww/rRr r -", ["rows", "'w'", "'.'"]),
    ({}, "bBb/wwwr/ww.ww/wwww/rRr r -", ["rows", "3 'r'"]),
    ({}, "bBw/wwww/ww.ww/wwww/rRr r -", ["rows", "1 'b'", "13 'w'"]),
    ({}, "bBb/wwwR/ww.ww/wwww/rRr r -", ["rows", "2 'R'"]),
    ({}, "bwb/wwww/ww.ww/wwww/rRr b -", ["rows", "0 'B'"]),
    ({}, "b.b/wwww/ww.ww/wwww/r.r b -", ["rows", "0 'R'", "0 'B'"]),
    ({}, "..b/wwww/ww.ww/wwww/rRr b -", ["rows", "0 'B'"]),
    ({}, f"{_ROWS} r x", ["last"]),
    ({}, f"{_ROWS} r {_ROWS.replace('R', 'r')}", ["last", "0 'R'"]),
    ({}, f"{_ROWS} r b.b/wwww/ww.ww/wwww/rRr", ["last", "0 'B'"]),
    ({}, f"{_ROWS} r bBb/wwww/ww.ww/wwww", ["last", "5"]),
    (SIMPLE, f"{_ROWS} b bBb/wwww/wwwww/wwww/rRr", ["last", "c3"]),
]

BAD_OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    *(
        ({"repetition": value}, ["repetition", repr(value), "'strict'", "'simple'"])
        for value in ("none", "Strict", "", None, 3, True)
    ),
    *(({"setup": value}, ["setup", repr(value), "'row'"]) for value in ("rows", "", None, 3, ["row"])),
    ({"setup": "bBb/wwww/ww.ww/wwww/rRw r -"}, ["setup", "'row'", "rows", "1 'r'"]),
    ({"setup": "wwb/.wRr/ww.ww/wwww/brw b -"}, ["setup", "'row'", "unfinished"]),
]


def observation(game: Any, text: str, observer: int, ended: bool) -> dict[str, list[list[int]]]:
    """The planes that an observer sees of a position, cell by cell: row a to e, axial column -2 to 2."""
    rows, side, _ = text.split(" ")
    grid = []
    for k, row in enumerate(rows.split("/")):
        before = max(2 - k, 0)
        grid.append([" "] * before + list(row) + [" "] * (5 - before - len(row)))
    grid[2][2] = " "

    def plane(letter: str) -> list[list[int]]:
        return [[int(symbol == letter) for symbol in row] for row in grid]

    def all_of(value: bool) -> list[list[int]]:
        return [[int(value and symbol != " ") for symbol in row] for row in grid]

    own, other = "rb"[observer], "br"[observer]
    return {
        "own regulars": plane(own),
        "own King": plane(own.upper()),
        "opponent's regulars": plane(other),
        "opponent's King": plane(other.upper()),
        "observer is player_0": all_of(observer == 0),
        "observer is to act": all_of("rb"[observer] == side and not ended),
    }


def history_matters(options: dict[str, Any]) -> bool:
    return True


def without_history(text: str) -> str:
    """A position without the last one."""
    return text.rpartition(" ")[0]
