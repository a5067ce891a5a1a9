"""XAHZO: numbers of the sheet, and positions thought through by hand. a1 is bottom left; a text begins with the top row."""

from __future__ import annotations

from typing import Any

from tables import Case

_5 = {"board_size": 5}
_HANDS = ["OXXAAHHZZO", "OXAHZOXAHZ"]

OPTIONS: list[dict[str, Any]] = [
    {},
    {"board_size": 5},
    {"board_size": 5, "home_rows": 2, "swaps": False},
    {"hand": "free"},
    {"home_rows": 1, "hand": _HANDS, "quiet_limit": 20},
    {"board_size": 5, "hand": "free", "home_rows": 3, "map": ["a1", "e5"], "quiet_limit": 120},
    {"map": "open", "swaps": False, "quiet_limit": 1},
    {"map": ["a1", "g7", "d4", "b6", "f2"]},
    {"board_size": 5, "map": ["a1"], "hand": _HANDS},
]

PERFT: list[tuple[dict[str, Any], list[int]]] = [
    ({"board_size": 5, "hand": _HANDS}, [100, 9500]),
]

PERFT_FROM: list[tuple[dict[str, Any], str, list[int]]] = [
    (_5, "1Z1O1/1a2O/5/aZ1z1/XazxX w -/- 0", [21, 439, 9659]),
]
"""(options, position, counts)."""

STATISTICS: list[tuple[dict[str, Any], bool, float, tuple[float, float, float]]] = [
    ({}, False, 277, (0.20, 0.19, 0.61)),
    (_5, False, 192, (0.37, 0.33, 0.29)),
    ({}, True, 82, (0.53, 0.40, 0.07)),
    (_5, True, 48, (0.56, 0.43, 0.02)),
]
"""(options, whether both capture whenever they can, mean plies, shares of player_0's wins, of player_1's wins, of draws).

From 1,000 games each; the sheet gives their standard error: about .016 in a share, 1 to 4 plies in a mean.
"""

SYMMETRIES: list[tuple[dict[str, Any], int, int]] = [
    ({}, 16, 8),
    (_5, 16, 8),
    ({"map": "open"}, 16, 8),
    ({"map": ["a1"]}, 4, 2),  # the reflection that keeps the corner
    ({"map": ["a1", "g7", "d4", "b6", "f2"]}, 8, 4),  # both diagonals' reflections and the half turn
    ({"map": ["b1"]}, 2, 1),
    ({"home_rows": 2}, 8, 4),  # left to right; half turn and top to bottom exchange the zones
    ({"home_rows": 7}, 16, 8),
    ({"map": ["a1"], "home_rows": 2}, 2, 1),
]


def _drops(types: str, squares: str) -> str:
    return " ".join(f"{letter}@{square}" for letter in types for square in squares.split())


_OFF_CROSS = "a1 b1 c1 d1 e1 a2 b2 d2 e2 a3 e3 a4 b4 d4 e4 a5 b5 c5 d5 e5"
_NO_SWAPS = {**_5, "swaps": False}
_OPEN = {**_5, "map": "open"}
_FREE = {**_5, "hand": "free"}

POSITIONS = [
    # -------------------------------------------------------------------------------------------------------------- rule 2
    Case(
        "rule 2: what the hand holds, on every square that is empty and not coloured; the players drop in turns",
        "5/5/5/5/5 w XXXXXXXXXO/aaaaaaaaao 0",
        legal=_drops("XO", _OFF_CROSS),
        never="A@a1 X@c3 O@c2 x@a1 a1-a2 a1=a2 X@f1",
        then=(
            ("X@a1", "5/5/5/5/X4 b XXXXXXXXO/aaaaaaaaao 0", None),
            ("A@b1", "5/5/5/5/Xa3 w XXXXXXXXO/aaaaaaaao 0", None),
            ("O@e5", "4O/5/5/5/Xa3 b XXXXXXXX/aaaaaaaao 0", None),
        ),
        options=_5,
    ),
    Case("rule 2: not on a piece", "5/5/5/5/Xa3 w XXXXXXXXO/aaaaaaaao 0", never="X@a1 X@b1 a1-a2", also="X@c1", options=_5),
    Case("rule 2: the map colours nothing", "5/5/5/5/5 w XXXXXXXXXO/aaaaaaaaao 0", also="X@c3 O@c2", options=_OPEN),
    Case(
        "rule 2: the central 3x3 of the 7x7",
        "7/7/7/7/7/7/7 w XXXXXXXXXO/aaaaaaaaao 0",
        also="X@b4 X@d2 O@d6 O@f4",
        never="X@c3 X@d3 X@e3 X@c4 X@d4 X@e4 X@c5 X@d5 X@e5 A@a1",
    ),
    Case(
        "rule 2: the last drop; the rest of the hands is out of the game, and player_0 moves",
        "XAHZO/XA3/5/xa3/xahz1 b HZO/xxoo 0",
        legal=_drops("XO", "e1 c2 d2 e2 a3 b3 c3 d3 e3 c4 d4 e4"),
        then=(("O@e1", "XAHZO/XA3/5/xa3/xahzo w -/- 0", None),),
        options=_OPEN,
    ),
    Case(
        "rule 4 from the last drop on: more X, and no O was dropped",
        "XXAHZ/XA3/5/xa3/xahz1 b HZO/aaoo 0",
        then=(("A@e1", "XXAHZ/XA3/5/xa3/xahza w -/- 0", 0),),
        options=_OPEN,
    ),
    Case(
        "home rows: player_0 from row 1",
        "5/5/5/5/5 w XXXXXXXXXO/aaaaaaaaao 0",
        legal=_drops("XO", "a1 b1 c1 d1 e1 a2 b2 d2 e2"),
        never="X@a3 X@c2 X@a5",
        options={**_5, "home_rows": 2},
    ),
    Case(
        "home rows: player_1 from the top row",
        "5/5/5/5/X4 b XXXXXXXXO/aaaaaaaaao 0",
        legal=_drops("AO", "a4 b4 d4 e4 a5 b5 c5 d5 e5"),
        never="A@b1 A@a3 A@c4",
        options={**_5, "home_rows": 2},
    ),
    Case(
        "home rows bind drops only",
        "5/5/5/X4/4o w -/- 0",
        legal="a2-a1 a2-b1 a2-b2 a2-a3 a2-b3",
        options={**_5, "home_rows": 2},
    ),
    Case(
        "hand free: ten of every type, seven drops",
        "5/5/5/5/5 w 0/0 0",
        legal=_drops("XAHZO", _OFF_CROSS),
        never="X@c3",
        then=(("Z@a1", "5/5/5/5/Z4 b 1/0 0", None), ("X@e5", "4x/5/5/5/Z4 w 1/1 0", None)),
        options=_FREE,
    ),
    Case(
        "hand free: the seventh drop, and all of one type",
        "OOOOO/OO3/5/x4/xxxxx b 7/6 0",
        also="X@e3 A@e3 O@e3",
        then=(("X@e3", "OOOOO/OO3/4x/x4/xxxxx w 7/7 0", None),),
        options=_FREE,
    ),
    # ---------------------------------------------------------------------------------------- rule 3, a piece of each type
    Case("rule 3: X, 8 neighbours", "5/5/2X2/5/o4 w -/- 0", legal="c3-b2 c3-c2 c3-d2 c3-b3 c3-d3 c3-b4 c3-c4 c3-d4", options=_5),
    Case(
        "rule 3: A, 8 knight squares", "5/5/2A2/5/o4 w -/- 0", legal="c3-b1 c3-d1 c3-a2 c3-e2 c3-a4 c3-e4 c3-b5 c3-d5", options=_5
    ),
    Case("rule 3: H, two along row and column", "5/5/2H2/5/o4 w -/- 0", legal="c3-c1 c3-a3 c3-e3 c3-c5", options=_5),
    Case("rule 3: Z, two along the diagonals", "5/5/2Z2/5/4o w -/- 0", legal="c3-a1 c3-e1 c3-a5 c3-e5", options=_5),
    Case("rule 3: O, 4 neighbours", "5/5/2O2/5/o4 w -/- 0", legal="c3-c2 c3-b3 c3-d3 c3-c4", options=_5),
    Case("rule 3: X at the edge does not wrap", "5/5/X4/5/4o w -/- 0", legal="a3-a2 a3-b2 a3-b3 a3-a4 a3-b4", options=_5),
    Case("rule 3: nor at the other edge", "5/5/4X/5/o4 w -/- 0", legal="e3-d2 e3-e2 e3-d3 e3-d4 e3-e4", options=_5),
    Case("rule 3: A at the edge does not wrap", "5/5/A4/5/4o w -/- 0", legal="a3-b1 a3-c2 a3-c4 a3-b5", options=_5),
    Case("rule 3: A one from the edge", "5/5/3A1/5/o4 w -/- 0", legal="d3-c1 d3-e1 d3-b2 d3-b4 d3-c5 d3-e5", options=_5),
    Case("rule 3: H one from the edge", "5/5/3H1/5/o4 w -/- 0", legal="d3-d1 d3-b3 d3-d5", options=_5),
    Case("rule 3: Z one from the edge", "5/5/3Z1/5/o4 w -/- 0", legal="d3-b1 d3-b5", options=_5),
    Case("rule 3: O in the corner", "5/5/5/5/O3o w -/- 0", legal="a1-b1 a1-a2", options=_5),
    Case("rule 3: all leap (H)", "5/2a2/1aHa1/2a2/4o w -/- 0", legal="c3-c1 c3-a3 c3-e3 c3-c5", options=_5),
    Case("rule 3: all leap (Z); e1 is captured", "5/1a1a1/2Z2/1a1a1/4o w -/- 0", legal="c3-a1 c3-e1 c3-a5 c3-e5", options=_5),
    Case(
        "rule 3: player_1 moves as player_0 does",
        "5/5/2h2/5/4O b -/- 5",
        legal="c3-c1 c3-a3 c3-e3 c3-c5",
        then=(("c3-c1", "5/5/5/5/2h1O w -/- 6", None),),
        options=_5,
    ),
    # ------------------------------------------------------------------------------------------------- rule 3, captures
    Case("rule 3: X captures nothing", "5/5/5/Xa3/4o w -/- 0", legal="a2-a1 a2-b1 a2-a3 a2-b3", options=_5),
    Case("rule 3: not an X, nor an O", "5/5/5/Xo3/ox3 w -/- 0", legal="a2-a3 a2-b3", options=_5),
    Case("rule 3: A does not capture X", "5/5/2A2/4x/O4 w -/- 0", never="c3-e2", also="c3-e4 c3-a2 a1=c3", options=_5),
    Case("rule 3: H does not capture X", "5/5/2H1x/5/O4 w -/- 0", never="c3-e3", also="c3-c1", options=_5),
    Case("rule 3: Z does not capture X", "4x/5/2Z2/5/O4 w -/- 0", never="c3-e5", also="c3-a5", options=_5),
    Case(
        "rule 3: A captures A, H, Z and O",
        "1a1h1/5/2A2/z3o/5 w -/- 9",
        also="c3-b5 c3-d5 c3-a2 c3-e2",
        then=(("c3-e2", "1a1h1/5/5/z3A/5 b -/- 0", None),),
        options=_5,
    ),
    Case(
        "rule 3: O captures X",
        "5/5/5/5/Ox2o w -/- 7",
        legal="a1-b1 a1-a2",
        then=(("a1-b1", "5/5/5/5/1O2o b -/- 0", None),),
        options=_5,
    ),
    Case("rule 3: not one's own", "5/5/2H2/5/O1H2 w -/- 0", never="c3-c1 c1-c3", options=_5),
    # --------------------------------------------------------------------------------------------------- rule 3, pushes
    Case(
        "rule 3: O pushes, also onto a coloured square; the count goes on",
        "5/5/OA3/5/4o w -/- 7",
        also="a3-b3",
        then=(("a3-b3", "5/5/1OA2/5/4o b -/- 8", None),),
        options=_5,
    ),
    Case(
        "rule 3: down, left and up",
        "5/2H2/1XO2/2Z2/4o w -/- 0",
        also="c3-c2 c3-b3 c3-c4 c3-d3",
        then=(("c3-c2", "5/2H2/1X3/2O2/2Z1o b -/- 1", None),),
        options=_5,
    ),
    Case(
        "rule 3: O pushes O, but nothing over the edge: not b3-a3",
        "5/5/OO3/5/4o w -/- 0",
        legal="a3-a2 b3-b2 a3-b3 b3-c3 a3-a4 b3-b4",
        then=(("a3-b3", "5/5/1OO2/5/4o b -/- 1", None),),
        options=_5,
    ),
    Case("rule 3: no chains", "5/5/OAH2/5/4o w -/- 0", never="a3-b3", options=_5),
    Case("rule 3: an enemy piece beyond is in the way", "5/5/OAz2/5/4o w -/- 0", never="a3-b3", options=_5),
    Case(
        "rule 3: an enemy piece is captured, not pushed",
        "5/5/Oa3/5/4o w -/- 3",
        then=(("a3-b3", "5/5/1O3/5/4o b -/- 0", None),),
        options=_5,
    ),
    Case("rule 3: only O pushes", "5/5/XA3/5/4o w -/- 0", never="a3-b3", options=_5),
    Case("rule 3: not diagonally", "5/5/5/1A3/O3o w -/- 0", never="a1-b2", options=_5),
    # ---------------------------------------------------------------------------------------------------- rule 3, swaps
    Case(
        "rule 3: a swap, however far; the count goes on",
        "4O/5/5/5/A3o w -/- 41",
        legal="e5-e4 e5-d5 a1-c2 a1-b3 a1=e5",
        never="e5=a1 a1=e1 a1=b1",
        then=(("a1=e5", "4A/5/5/5/O3o b -/- 42", None),),
        options=_5,
    ),
    Case("rule 3: of different type only", "4H/5/5/5/H3o w -/- 0", legal="e5-e3 e5-c5 a1-c1 a1-a3", never="a1=e5", options=_5),
    Case("rule 3: pairs in order", "5/5/5/XAA2/H3o w -/- 0", also="a1=a2 a1=b2 a1=c2 a2=b2 a2=c2", never="b2=c2", options=_5),
    Case("house rule: no swaps", "4O/5/5/5/A3o w -/- 0", legal="e5-e4 e5-d5 a1-c2 a1-b3", never="a1=e5", options=_NO_SWAPS),
    # ---------------------------------------------------------------------------------------------------------- rule 4a
    Case(
        "rule 4a: the last piece is captured",
        "5/3o1/1A3/5/O4 w -/- 3",
        then=(("b3-d4", "5/3A1/5/5/O4 b -/- 0", 0),),
        options=_5,
    ),
    Case("rule 4a: player_0 has no piece", "5/5/5/5/o4 w -/- 0", 1, legal="", options=_5),
    Case("rule 4a: nobody has: the mover wins", "5/5/5/5/5 b -/- 0", 0, legal="", options=_5),
    Case("rule 4a comes before rule 5", "5/5/5/5/o4 w -/- 100", 1, legal="", options=_5),
    # ---------------------------------------------------------------------------------------------------------- rule 4b
    Case("rule 4b: more X", "x4/5/5/5/XX3 w -/- 0", 0, legal="", options=_5),
    Case("rule 4b: more X for the mover", "x4/5/5/5/XX3 b -/- 0", 0, legal="", options=_5),
    Case("rule 4b: more X for the player_1", "xx3/5/5/5/X4 w -/- 0", 1, legal="", options=_5),
    Case("rule 4b: X against none", "x4/5/5/5/AAA2 w -/- 0", 1, legal="", options=_5),
    Case("rule 4b: X count before the others", "xx3/5/5/5/XAHZ1 w -/- 0", 1, legal="", options=_5),
    Case("rule 4b: as many X, more others", "xaz2/5/5/5/X3H w -/- 0", 1, legal="", options=_5),
    Case("rule 4b: as many others too: the game goes on", "xa3/5/5/5/X3H w -/- 0", also="a1=e1 e1-e3", options=_5),
    Case("rule 4b: only X, as many each", "x4/5/5/5/X4 w -/- 0", "draw", legal="", options=_5),
    Case("rule 4b: no X: the game goes on", "4a/5/5/5/A4 w -/- 0", legal="a1-c2 a1-b3", options=_5),
    Case("rule 4b: one O is enough to go on", "x4/5/5/5/XX2O b -/- 0", also="a5-a4", options=_5),
    Case(
        "rule 4b: whoever moved: player_0 takes the last O and loses",
        "xx3/3o1/1A3/5/X4 w -/- 0",
        then=(("b3-d4", "xx3/3A1/5/5/X4 b -/- 0", 1),),
        options=_5,
    ),
    Case("rule 4b comes before rule 5", "x4/5/5/5/XX3 w -/- 100", 0, legal="", options=_5),
    Case("rule 4b: level, and rule 5", "xa3/5/5/5/X3H w -/- 100", "draw", legal="", options=_5),
    Case(
        "rule 4b comes before rule 4c: a1 is shut in, but X are level, others are not",
        "5/5/5/xx3/Xx3 w -/- 0",
        1,
        legal="",
        options=_5,
    ),
    # ---------------------------------------------------------------------------------------------------------- rule 4c
    Case("rule 4c: X shut in", "5/5/5/xx3/Xx2o w -/- 12", 1, legal="", options=_5),
    Case("rule 4c comes before rule 5", "5/5/5/xx3/Xx2o w -/- 100", 1, legal="", options=_5),
    Case("rule 4c: a swap is an action", "5/5/3x1/xx3/XZ2o w -/- 0", legal="a1=b1", options=_5),
    Case("rule 4c: without swaps it is none", "5/5/3x1/xx3/XZ2o w -/- 0", 1, legal="", options=_NO_SWAPS),
    Case("rule 4c: two of a type cannot swap", "5/5/5/xxx2/XXx1o w -/- 0", 1, legal="", options=_5),
    Case(
        "rule 4c: shutting in wins",
        "5/5/5/XX3/x1X1O w -/- 3",
        then=(("c1-b1", "5/5/5/XX3/xX2O b -/- 4", 0),),
        options=_5,
    ),
    # ----------------------------------------------------------------------------------------------------------- rule 5
    Case(
        "rule 5: the hundredth action without a capture",
        "H4/5/5/5/4o w -/- 99",
        then=(("a5-c5", "2H2/5/5/5/4o b -/- 100", "draw"),),
        options=_5,
    ),
    Case("rule 5: a capture begins anew", "H1h2/5/5/5/4o w -/- 99", then=(("a5-c5", "2H2/5/5/5/4o b -/- 0", None),), options=_5),
    Case(
        "rule 5: quiet_limit",
        "H4/5/5/5/4o w -/- 1",
        then=(("a5-a3", "5/5/H4/5/4o b -/- 2", "draw"),),
        options={**_5, "quiet_limit": 2},
    ),
    Case("rule 5 for a position set up", "H4/5/5/5/4o w -/- 100", "draw", legal="", options=_5),
]

_EMPTY = "5/5/5/5/5"
_AB = "XXXXXXXXXO/aaaaaaaaao"

IMPOSSIBLE: list[tuple[dict[str, Any], str, list[str]]] = [
    (_5, "", ["rows", "side", "hands", "quiet"]),
    (_5, f"{_EMPTY} w {_AB}", ["rows", "side", "hands", "quiet"]),
    (_5, f"{_EMPTY} w {_AB} 0 0", ["rows", "side", "hands", "quiet"]),
    (_5, f"{_EMPTY}  w {_AB} 0", ["rows", "side", "hands", "quiet"]),
    (_5, f"5/5/5/5 w {_AB} 0", ["rows", "5"]),
    (_5, f"7/7/7/7/7/7/7 w {_AB} 0", ["rows", "5"]),
    (_5, f"5/5/4/5/5 w {_AB} 0", ["rows", "row 3"]),
    (_5, f"5/5/5/5/Xq3 b {_AB} 0", ["rows", "row 5", "'q'"]),
    (_5, "XXXXX/XXX2/5/5/4o w -/- 0", ["rows", "player_0", "8", "7"]),
    (_5, "XX3/5/5/xxxxx/aaa2 w -/- 0", ["rows", "player_1", "8", "7"]),
    (_5, f"{_EMPTY} x {_AB} 0", ["side", "'x'"]),
    (_5, f"{_EMPTY} W {_AB} 0", ["side", "'W'"]),
    (_5, f"{_EMPTY} b {_AB} 0", ["side", "'b'"]),
    (_5, "5/5/5/5/X4 w XXXXXXXXO/aaaaaaaaao 0", ["side", "'w'"]),
    (_5, f"{_EMPTY} w - 0", ["hands", "'-'"]),
    (_5, f"{_EMPTY} w {_AB}/ 0", ["hands"]),
    (_5, f"{_EMPTY} w aaaaaaaaao/XXXXXXXXXO 0", ["hands", "player_0"]),
    (_5, f"{_EMPTY} w OXXXXXXXXX/aaaaaaaaao 0", ["hands", "player_0", "XAHZO"]),
    (_5, f"{_EMPTY} w XXXXXXXXXO/oaaaaaaaaa 0", ["hands", "player_1", "xahzo"]),
    (_5, f"{_EMPTY} w XXXXXXXXO/aaaaaaaaao 0", ["hands", "player_0", "9"]),
    (_5, f"{_EMPTY} w XXXXXXXXXO/- 0", ["hands", "player_1"]),
    (_5, f"{_EMPTY} w XXXXXXXXXX/aaaaaaaaao 0", ["hands", "player_0", "O"]),
    (_5, "5/5/5/5/X4 b XXXXXXXXXO/aaaaaaaaao 0", ["hands", "player_0"]),
    (_5, "5/5/5/5/xX3 w XXXXXXXXXO/aaaaaaaaao 0", ["hands"]),
    (_5, "5/5/5/5/x4 b XXXXXXXXXO/aaaaaaaao 0", ["hands", "player_0"]),
    (_5, "5/5/5/5/XX3 w XXXXXXXO/aaaaaaaaao 0", ["hands", "player_0"]),
    (_5, "XAHZO/XA3/5/xa3/xahzo w HZO/xxo 0", ["hands", "-/-"]),
    (_5, "5/5/2X2/5/5 b XXXXXXXXO/aaaaaaaaao 0", ["rows", "c3"]),
    ({**_5, "home_rows": 2}, "5/5/X4/5/5 b XXXXXXXXO/aaaaaaaaao 0", ["rows", "a3"]),
    ({**_5, "hand": _HANDS}, f"{_EMPTY} w {_AB} 0", ["hands", "player_0", "XXAAHHZZOO"]),
    ({**_5, "hand": _HANDS}, f"{_EMPTY} w 0/0 0", ["hands"]),
    (_5, f"{_EMPTY} w 0/0 0", ["hands"]),
    (_FREE, f"{_EMPTY} w -/- 0", ["hands", "'-'"]),
    (_FREE, f"{_EMPTY} w 0 0", ["hands", "'0'"]),
    (_FREE, f"{_EMPTY} w 1/0 0", ["hands", "'1/0'", "0/0"]),
    (_FREE, f"{_EMPTY} w 00/0 0", ["hands"]),
    (_FREE, f"{_EMPTY} w 8/7 0", ["hands"]),
    (_FREE, f"{_EMPTY} w {_AB} 0", ["hands"]),
    (_FREE, "5/5/5/5/XX3 w 2/0 0", ["hands", "'2/0'"]),
    (_FREE, "5/5/5/5/X4 w 1/0 0", ["side", "'w'"]),
    (_FREE, "5/5/5/2X2/5 b 1/0 0", ["rows", "c2"]),
    (_5, f"{_EMPTY} w {_AB} 1", ["quiet", "'1'"]),
    (_5, "5/5/5/5/Xo3 w -/- 101", ["quiet", "'101'", "100"]),
    (_5, "5/5/5/5/Xo3 w -/- 007", ["quiet", "'007'"]),
    (_5, "5/5/5/5/Xo3 w -/- -1", ["quiet", "'-1'"]),
    (_5, "5/5/5/5/Xo3 w -/- ", ["rows", "quiet"]),
    ({**_5, "quiet_limit": 3}, "5/5/5/5/Xo3 w -/- 4", ["quiet", "'4'", "3"]),
]

BAD_OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    *(({"board_size": value}, ["board_size", repr(value), "5", "7"]) for value in (6, 3, 4, 8, 7.0, "7", None, True)),
    *(
        ({"map": value}, ["map", repr(value), "ring", "open"])
        for value in ("cross", "a1", "", 3, ["a1", "h1"], ["a8"], [1], [["a1"]])
    ),
    ({"board_size": 5, "map": "ring"}, ["map", "'ring'", "cross", "open"]),
    ({"board_size": 5, "map": [f"{c}{r}" for c in "abcd" for r in (1, 2, 3)]}, ["map", "14"]),
    *(({"home_rows": value}, ["home_rows", repr(value), "1", "7"]) for value in (0, 8, -1, 1.0, "2", True)),
    ({"board_size": 5, "home_rows": 1}, ["home_rows", "1", "player_0", "7"]),
    ({"home_rows": 1, "map": ["a1"]}, ["home_rows", "1", "a1", "player_0", "6", "7"]),
    ({"home_rows": 1, "map": ["a7"]}, ["home_rows", "1", "a7", "player_1", "6", "7"]),
    # 12 and 12 squares, 4 of them shared: 11 are enough; with e3 uncoloured alone it is 11 and 11, 1 shared
    (
        {"board_size": 5, "home_rows": 3, "map": ["a1", "b1", "c1", "d1", "e1"]},
        ["home_rows", "3", "player_0", "10", "12"],
    ),
    *(({"swaps": value}, ["swaps", repr(value), "True", "False"]) for value in (1, 0, "no", None)),
    *(
        ({"hand": value}, ["hand", "'random'", "'free'", "ten", "O"])
        for value in (
            None,
            5,
            "fixed",
            "OXXAAHHZZO",
            [],
            ["OXXAAHHZZO"],
            ["OXXAAHHZZO"] * 3,
            ["OXXAAHHZZO", "OXXAAHHZZ"],
            ["OXXAAHHZZO", "OXXAAHHZZOO"],
            ["OXXAAHHZZO", "XXXAAHHZZX"],
            ["OXXAAHHZZO", "oxxaahhzzo"],
            ["OXXAAHHZZO", "OXXAAHHZZB"],
            ["OXXAAHHZZO", None],
        )
    ),
    *(({"quiet_limit": value}, ["quiet_limit", repr(value), "1", "120"]) for value in (0, 121, -1, 100.0, "100", None, True)),
]


def observation(game: Any, text: str, observer: int, ended: bool) -> dict[str, list[list[int]]]:
    """The planes that an observer sees of a position, cell by cell, row 1 first."""
    n = game.board_size
    rows, side, hands, quiet = text.split(" ")
    for digit in range(1, 10):
        rows = rows.replace(str(digit), "." * digit)
    board = rows.split("/")[::-1]
    halves = hands.split("/")
    if observer:
        halves = halves[::-1]
    coloured = game.map
    if game.map == "ring":
        coloured = [c + r for c in "cde" for r in "345"]
    elif game.map == "cross":
        coloured = ["c2", "b3", "c3", "d3", "c4"]
    elif game.map == "open":
        coloured = []

    def plane(symbol: str) -> list[list[int]]:
        return [[int(found == symbol) for found in row] for row in board]

    def all_of(value: int) -> list[list[int]]:
        return [[int(value)] * n for _ in range(n)]

    planes: dict[str, list[list[int]]] = {}
    for whose, case in (
        ("own", str.upper if observer == 0 else str.lower),
        ("opponent's", str.lower if observer == 0 else str.upper),
    ):
        for letter in "XAHZO":
            planes[f"{whose} {letter}"] = plane(case(letter))
    planes["coloured squares"] = [[int("abcdefg"[j] + str(i + 1) in coloured) for j in range(n)] for i in range(n)]
    planes["movement phase"] = all_of(hands in ("-/-", "7/7"))
    for whose, half in zip(("own", "opponent's"), halves, strict=True):
        if game.hand == "free":
            planes[f"{whose} drops left"] = all_of(7 - int(half))
        else:
            for letter in "XAHZO":
                planes[f"{whose} {letter} in hand"] = all_of(half.upper().count(letter))
    planes["actions since the last capture"] = all_of(int(quiet))
    planes["observer is player_0"] = all_of(observer == 0)
    planes["observer is to act"] = all_of("wb"[observer] == side and not ended)
    return planes
