"""inpHeXion: numbers of the sheet, and positions thought through by hand. a1 is the top left corner, beside b1 and a2."""

from __future__ import annotations

from typing import Any

from tables import Case

OPTIONS: list[dict[str, Any]] = [
    {},
    {"board_size": 3},
    {"board_size": 4, "pie_rule": True},
    {"board_size": 5, "neutral": True},
    {"board_size": 6},
    {"board_size": 8, "pie_rule": True},
    {"board_size": 3, "neutral": True, "pie_rule": True},
    {"neutral": True, "pie_rule": True},
]

PERFT: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [49, 240, 1006, 7544, 51026]),
    ({"board_size": 3}, [9, 32, 94, 456]),
    ({"board_size": 5}, [25, 112, 430, 2952]),
    ({"board_size": 5, "pie_rule": True}, [25, 137, 542, 3382]),
    ({"board_size": 5, "neutral": True}, [6, 60, 486, 5286]),
    ({"board_size": 3, "pie_rule": True, "neutral": True}, [6, 52, 286, 1672]),
]

TURNS = [49, 240, 1186, 9680, 102410]
"""7x7, counted by turns: a turn with its relocations as an unordered set counts once."""

SYMMETRIES: list[tuple[dict[str, Any], int, int]] = [
    ({}, 4, 2),
    ({"board_size": 3}, 4, 2),
    ({"board_size": 8, "pie_rule": True}, 4, 2),
    ({"board_size": 5, "neutral": True}, 4, 2),
]

_3, _5 = {"board_size": 3}, {"board_size": 5}
_3P, _3N, _3NP = {**_3, "pie_rule": True}, {**_3, "neutral": True}, {**_3, "neutral": True, "pie_rule": True}
_5N = {**_5, "neutral": True}

POSITIONS = [
    # ------------------------------------------------------------------------------------------------------ rules 1 and 2
    Case(
        "rule 1: any cell",
        "3/3/3 w -",
        legal="a1 b1 c1 a2 b2 c2 a3 b3 c3",
        never="@a1 a1-b1 swap",
        then=(("a1", "w2/3/3 b -", None),),
        options=_3,
    ),
    Case(
        "rule 2: the corner disc can go to its two neighbours; the taker stands where it was",
        "w2/3/3 b -",
        legal="a1-b1 a1-a2",
        never="a1 b2 b1-a1 a1-b2 swap",
        then=(("a1-b1", "bw1/3/3 w -", None),),
        options=_3,
    ),
    Case(
        "rule 2: six directions in the order of the sheet",
        "7/7/7/3w3/7/7/7 b -",
        legal="d4-e4 d4-d5 d4-c5 d4-c4 d4-d3 d4-e3",
        never="d4-e5 d4-c3 d4-d4 swap",
        then=(("d4-c5", "7/7/7/3b3/2w4/7/7 w -", None),),
    ),
    Case(
        "rule 2: rows do not wrap: g1 and a2 are no neighbours, nor are a1 and g1",
        "w5w/7/7/7/7/7/6w b -",
        legal="a1-b1 a1-a2 g1-g2 g1-f2 g1-f1 g7-f7 g7-g6",
        never="g1-a2 g7-a1",
    ),
    Case("rule 2: not one's own discs", "wb1/3/3 w -", legal="b1-c1 b1-b2 b1-a2", never="a1-a2", options=_3),
    # ------------------------------------------------------------------------------------------------------ rules 3 and 4
    Case(
        "rule 3: the border helps: a1 alone between b1 and a2 is captured; rule 5: not put back on a1",
        "bw3/b4/5/5/5 w -",
        legal="a2-b2 a2-a3",
        then=(("a2-a3", "1w3/w4/b4/5/5 w 1:a1", None), ("@e5", "1w3/w4/b4/5/4b b -", None)),
        options=_5,
    ),
    Case(
        "rules 3 to 5 for Black",
        "wb3/w4/5/5/5 b -",
        legal="a2-b2 a2-a3",
        then=(("a2-a3", "1b3/b4/w4/5/5 b 1:a1", None), ("@b2", "1b3/bw3/w4/5/5 w -", None)),
        options=_5,
    ),
    Case(
        "rule 3: two adjacent discs, enclosed together, stay",
        "bbb2/ww3/5/5/5 w -",
        legal="c1-d1 c1-c2",
        then=(("c1-d1", "bbwb1/ww3/5/5/5 b -", None),),
        options=_5,
    ),
    Case(
        "rule 3: an empty neighbour: not enclosed",
        "b4/b4/5/5/5 w -",
        then=(("a2-a3", "b4/w4/b4/5/5 b -", None),),
        options=_5,
    ),
    Case(
        "rule 4: a disc enclosed before stays",
        "bw3/w4/5/4b/5 w -",
        legal="e4-e5 e4-d5 e4-d4 e4-e3",
        then=(("e4-e5", "bw3/w4/5/4w/4b b -", None),),
        options=_5,
    ),
    Case(
        "rule 4: the disc just shoved is enclosed where it lands",
        "1w3/b4/5/5/5 w -",
        legal="a2-b2 a2-a3 a2-a1",
        then=(("a2-a1", "1w3/w4/5/5/5 w 1:a1", None), ("@a5", "1w3/w4/5/5/b4 b -", None)),
        options=_5,
    ),
    # ------------------------------------------------------------------------------------------------------------- rule 5
    Case(
        "rule 5: two at once, put back one by one, on neither origin and not on one another",
        "bw3/bw3/1w3/w4/5 w -",
        legal="a2-a3",
        then=(
            ("a2-a3", "1w3/ww3/1w3/w4/5 w 2:a1,a3", None),
            ("@c5", "1w3/ww3/1w3/w4/2b2 w 1:a1,a3", None),
            ("@d5", "1w3/ww3/1w3/w4/2bb1 b -", None),
        ),
        options=_5,
    ),
    Case(
        "rule 5: cells the captured discs came from, those already put back included, are no targets",
        "1w1/w2/3 w 1:a1,c3",
        legal="@c1 @b2 @c2 @a3 @b3",
        never="@a1 @c3 @b1 @a2 b2 c1-c2",
        options=_3,
    ),
    Case(
        "rule 5: relocation captures nothing: e5 is surrounded by White's d5 and e4",
        "bw3/b4/5/4w/3w1 w -",
        then=(("a2-a3", "1w3/w4/b4/4w/3w1 w 1:a1", None), ("@e5", "1w3/w4/b4/4w/3wb b -", None)),
        options=_5,
    ),
    # ------------------------------------------------------------------------------------------------------------- rule 6
    Case(
        "rule 6: one captured, no empty cell: White loses although b1, a2, a3 join top and bottom",
        "bwb/b1b/wbb w -",
        legal="a2-b2 c1-b2 c2-b2 b3-b2",
        then=(("a2-b2", "1wb/wbb/wbb w 1:a1", 1),),
        options=_3,
    ),
    Case(
        "rule 6 is not met with one empty cell; rule 7: the chain counts only after the last relocation",
        "bwb/b1b/wb1 w -",
        legal="a2-b2 b3-c3 c2-c3 c1-b2 c2-b2 b3-b2",
        then=(("a2-b2", "1wb/wbb/wb1 w 1:a1", None), ("@c3", "1wb/wbb/wbb b -", 0)),
        options=_3,
    ),
    Case("rule 6 for a position set up: two wait, b2 is the only empty cell", "1wb/w1b/wb1 w 2:a1,c3", 1, legal="", options=_3),
    Case("rule 6 is not met: one waits for b2", "1wb/w1b/wb1 w 1:a1,c3", legal="@b2", options=_3),
    # ------------------------------------------------------------------------------------------------------------- rule 7
    Case(
        "rule 7: White joins top and bottom",
        "w2/w2/b2 w -",
        legal="a3-b3 a3-b2",
        then=(("a3-b3", "w2/w2/wb1 b -", 0),),
        options=_3,
    ),
    Case("rule 7: White's chain from left to right is nothing", "3/www/2b b -", options=_3),
    Case("rule 7: Black's chain from top to bottom is nothing", "b2/b2/b1w w -", options=_3),
    Case("rule 7: Black's chain from left to right", "3/1wb/bb1 w -", 1, legal="", options=_3),
    Case("rule 7: (+1, +1) does not touch: a1, b2, c3", "w2/1w1/b1w b -", options=_3),
    Case("rule 7: the short diagonal touches", "2w/1w1/w1b b -", 0, legal="", options=_3),
    Case(
        "rule 7: White completes Black's chain a2, b2, c2: Black has won",
        "3/bb1/2b w -",
        legal="b2-c2 a2-a3 b2-b3 b2-a3 c3-b3 a2-a1 b2-b1 c3-c2 a2-b1 b2-c1",
        then=(("c3-c2", "3/bbb/2w b -", 1),),
        options=_3,
    ),
    Case(
        "rule 7: so it is by a relocation",
        "1w1/w2/bb1 w 1:a1",
        legal="@c1 @b2 @c2 @c3",
        then=(("@c3", "1w1/w2/bbb b -", 1),),
        options=_3,
    ),
    Case("rule 7: while a disc waits, no chain counts", "1w1/w2/bbb w 1:a1", legal="@c1 @b2 @c2", options=_3),
    # ------------------------------------------------------------------------------------------------------- rules 8 and 9
    Case(
        "rule 9: Black's a1 is enclosed by Black's own move and stays; White moves on",
        "w4/w4/5/5/4b b -",
        legal="a1-b1 a2-b2 a2-a3 a2-b1",
        then=(("a1-b1", "bw3/w4/5/5/4b w -", None), ("e5-d5", "bw3/w4/5/5/3bw b -", None)),
        options=_5,
    ),
    Case(
        "rules 9 and 8: the same with a1 the only black disc: White has no placement and loses",
        "w4/w4/5/5/5 b -",
        then=(("a1-b1", "bw3/w4/5/5/5 w -", 1),),
        options=_5,
    ),
    Case("rule 8: no enemy disc on the board", "w2/3/3 w -", 1, legal="", options=_3),
    Case("rule 7 comes before rule 8: Black cannot move and has joined", "www/bbb/www b -", 1, legal="", options=_3),
    Case("rule 7 comes before rule 8: Black cannot move, White has joined", "bwb/www/bwb b -", 0, legal="", options=_3),
    # ------------------------------------------------------------------------------------------------------------ pie rule
    Case(
        "pie rule: c1 is reflected to a3 and becomes Black's; no swap back",
        "2w/3/3 b -",
        legal="c1-c2 c1-b2 c1-b1 swap",
        then=(("swap", "3/3/b2 w -", None), ("a3-b2", "3/1b1/w2 b -", None)),
        options=_3P,
    ),
    Case(
        "pie rule: a disc on the diagonal stays where it is",
        "3/1w1/3 b -",
        also="swap",
        then=(("swap", "3/1b1/3 w -", None),),
        options=_3P,
    ),
    Case("pie rule: not before the first disc", "3/3/3 w -", never="swap", options=_3P),
    Case("pie rule: not with a black disc on the board", "w1b/3/3 b -", never="swap", options=_3P),
    Case("pie rule: not with two white discs", "ww1/3/3 b -", never="swap", options=_3P),
    Case("pie rule: not for White", "b2/3/3 w -", legal="a1-b1 a1-a2", never="swap", options=_3P),
    # ----------------------------------------------------------------------------------------------------- neutral variant
    Case(
        "neutral: the first action must choose it",
        "3/1n1/3 w -",
        legal="b2-c2 b2-b3 b2-a3 b2-a2 b2-b1 b2-c1",
        never="a1 b2",
        then=(("b2-c2", "3/1wn/3 b -", None),),
        options=_3N,
    ),
    Case(
        "neutral: later either may choose it",
        "3/1wn/3 b -",
        legal="b2-b3 c2-c3 b2-a3 c2-b3 b2-a2 b2-b1 c2-c1 b2-c1",
        then=(("c2-c1", "2n/1wb/3 w -", None),),
        options=_3N,
    ),
    Case(
        "neutral with pie rule: the neutral piece is reflected too",
        "3/1wn/3 b -",
        legal="b2-b3 c2-c3 b2-a3 c2-b3 b2-a2 b2-b1 c2-c1 b2-c1 swap",
        then=(("swap", "3/1b1/1n1 w -", None),),
        options=_3NP,
    ),
    Case(
        "neutral: alone and enclosed it is captured and relocated",
        "nw3/b4/5/5/5 w -",
        legal="a2-b2 a2-a3",
        then=(("a2-a3", "1w3/w4/b4/5/5 w 1:a1n", None), ("@e5", "1w3/w4/b4/5/4n b -", None)),
        options=_5N,
    ),
    Case(
        "neutral: so it is where it was shoved to",
        "1w3/n4/5/5/4b w -",
        legal="a2-b2 a2-a3 e5-d5 a2-a1 e5-e4",
        then=(("a2-a1", "1w3/w4/5/5/4b w 1:a1n", None),),
        options=_5N,
    ),
    Case(
        "neutral: enclosed before, it stays",
        "nw3/w4/5/5/4b w -",
        legal="e5-d5 e5-e4",
        then=(("e5-e4", "nw3/w4/5/4b/4w b -", None),),
        options=_5N,
    ),
    Case(
        "neutral and an adjacent enemy disc are a group of two",
        "nbb2/ww3/5/5/5 w -",
        legal="c1-d1 c1-c2",
        then=(("c1-d1", "nbwb1/ww3/5/5/5 b -", None),),
        options=_5N,
    ),
    Case(
        "neutral is not the mover's: a1 between it and White's a2 is not enclosed",
        "bn3/b4/5/5/5 w -",
        then=(("a2-a3", "bn3/w4/b4/5/5 b -", None),),
        options=_5N,
    ),
    Case(
        "neutral and a disc captured together: the neutral piece is put back last",
        "nw3/bw3/1w3/w4/5 w -",
        legal="a2-a3",
        then=(
            ("a2-a3", "1w3/ww3/1w3/w4/5 w 2:a3,a1n", None),
            ("@c5", "1w3/ww3/1w3/w4/2b2 w 1:a3,a1n", None),
            ("@d5", "1w3/ww3/1w3/w4/2bn1 b -", None),
        ),
        options=_5N,
    ),
    Case("neutral joins nothing for White", "w2/n2/w1b b -", options=_3N),
    Case("neutral joins nothing for Black", "bnb/3/w2 w -", options=_3N),
    Case(
        "rule 8 with neutral: it can be chosen when there is no enemy disc",
        "w2/1n1/3 w -",
        legal="b2-c2 b2-b3 b2-a3 b2-a2 b2-b1 b2-c1",
        options=_3N,
    ),
]

_EMPTY = "7/7/7/7/7/7/7"
_N = {"neutral": True}

IMPOSSIBLE: list[tuple[dict[str, Any], str, list[str]]] = [
    ({}, "", ["rows", "side", "pending"]),
    ({}, f"{_EMPTY} w", ["rows", "side", "pending"]),
    ({}, f"{_EMPTY} w - -", ["rows", "side", "pending"]),
    ({}, f"{_EMPTY}  w -", ["rows", "side", "pending"]),
    ({}, f"{_EMPTY} w -\n", ["pending"]),
    ({}, "7/7/7/7/7/7 w -", ["rows", "7"]),
    ({}, f"{_EMPTY}/7 w -", ["rows", "7"]),
    ({}, "7/7/7/7/7/7/8 w -", ["rows", "row 7"]),
    ({}, "7/7/6/7/7/7/7 w -", ["rows", "row 3"]),
    ({}, "7/w7/7/7/7/7/7 w -", ["rows", "row 2"]),
    ({}, "7/7/7/7/7/7/6x w -", ["rows", "row 7", "'x'"]),
    ({}, "7/7/7/7/7/7/6W w -", ["rows", "row 7", "'W'"]),
    ({}, "7/7/7/7//7/7 w -", ["rows", "row 5"]),
    ({}, "34/7/7/7/7/7/7 w -", ["rows", "row 1"]),
    ({}, "w06/7/7/7/7/7/7 w -", ["rows", "row 1"]),
    ({}, "w......w/7/7/7/7/7/7 w -", ["rows", "row 1"]),
    ({}, "7/7/7/3n3/7/7/7 w -", ["rows", "row 4", "'n'"]),
    ({}, f"{_EMPTY} x -", ["side", "'x'"]),
    ({}, f"{_EMPTY} W -", ["side", "'W'"]),
    ({}, f"{_EMPTY} wb -", ["side", "'wb'"]),
    ({}, f"{_EMPTY} b -", ["side"]),
    ({}, "w6/7/7/7/7/7/7 b x", ["pending", "'x'"]),
    ({}, "w6/7/7/7/7/7/7 b 0:b1", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 4:b1,c1,d1,e1", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 01:b1", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 1", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 1:", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 1:b1,", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 2:b1", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 1:b1,b1", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 1:c1,b1", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 1:h1", ["pending", "h1"]),
    ({}, "w6/7/7/7/7/7/7 b 1:b8", ["pending", "b8"]),
    ({}, "w6/7/7/7/7/7/7 b 1:a1", ["pending"]),
    ({}, "w6/7/7/7/7/7/7 b 1:b1n", ["pending"]),
    (_N, f"{_EMPTY} w -", ["rows", "neutral"]),
    (_N, "n5n/7/7/7/7/7/7 w -", ["rows", "neutral"]),
    (_N, "n5w/7/7/7/7/7/7 w 1:d4n", ["neutral"]),
    (_N, "6w/7/7/7/7/7/7 w 1:d4", ["neutral"]),
    (_N, "6w/7/7/7/7/7/7 w 2:b1n,d4", ["pending"]),
    (_N, "6w/7/7/7/7/7/7 w 2:b1n,d4n", ["pending"]),
    (_N, "n6/7/7/7/7/7/7 b -", ["side"]),
]

BAD_OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    *(({"board_size": value}, ["board_size", repr(value), "3", "8"]) for value in (2, 9, 0, -7, 7.0, "7", None, True)),
    *(({"pie_rule": value}, ["pie_rule", repr(value), "True", "False"]) for value in (1, 0, "yes", None)),
    *(({"neutral": value}, ["neutral", repr(value), "True", "False"]) for value in (1, "no", None)),
    *(({"neutral": True, "board_size": value}, ["neutral", "board_size", repr(value)]) for value in (4, 6, 8)),
]


def observation(game: Any, text: str, observer: int, ended: bool) -> dict[str, list[list[int]]]:
    """The planes that an observer sees of a position, cell by cell."""
    n = game.board_size
    rows, side, pending = text.split(" ")
    for digit in range(1, 10):
        rows = rows.replace(str(digit), "." * digit)
    count, _, origins = pending.partition(":")
    came_from = [cell.removesuffix("n") for cell in origins.split(",")]
    cells = [["abcdefgh"[j] + str(i + 1) for j in range(n)] for i in range(n)]

    def plane(letter: str) -> list[list[int]]:
        return [[int(symbol == letter) for symbol in row] for row in rows.split("/")]

    def all_of(value: bool) -> list[list[int]]:
        return [[int(value)] * n for _ in range(n)]

    planes = {"own discs": plane("wb"[observer]), "opponent's discs": plane("wb"[1 - observer])}
    if game.neutral:
        planes["neutral piece"] = plane("n")
    planes["cells the captured pieces came from"] = [[int(cell in came_from) for cell in row] for row in cells]
    planes["1 captured piece waits"] = all_of(count == "1")
    planes["2 captured pieces wait"] = all_of(count == "2")
    planes["3 captured pieces wait"] = all_of(count == "3")
    planes["observer is player_0"] = all_of(observer == 0)
    planes["observer is to act"] = all_of("wb"[observer] == side and not ended)
    return planes
