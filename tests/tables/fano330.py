"""Fano330-R-Morris: numbers of the sheet, and positions thought through by hand.

Lines are 124, 235, 346, 457, 561, 672, 713. A stack is written bottom first. Many positions below have, with Black's pieces in
stacks, few tops, so that the lines can be seen at a glance.
"""

from __future__ import annotations

from typing import Any

from tables import Case

OPTIONS: list[dict[str, Any]] = [{}, {"repetition_limit": 2}, {"repetition_limit": 5}]

PERFT: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [14, 196, 2520, 30660, 256788]),
    ({"repetition_limit": 2}, [14, 196, 2520, 30660, 256788]),
]

SYMMETRIES: list[tuple[dict[str, Any], int, int]] = [({}, 24, 12), ({"repetition_limit": 2}, 24, 12)]

_ALL = "o1 o2 o3 o4 o5 o6 o7 t1 t2 t3 t4 t5 t6 t7"

POSITIONS = [
    # ----------------------------------------------------------------------------------------------------------- rule 1
    Case(
        "rule 1: White begins, either shape, any point",
        "-/-/-/-/-/-/- w 1",
        legal=_ALL,
        never="1-2 7-1 o0 o8 O1 x3",
        then=(("t3", "-/-/T/-/-/-/- b 1", None),),
    ),
    Case(
        "rule 1: Black may cover a white piece with either shape: the colour differs",
        "-/-/T/-/-/-/- b 1",
        legal=_ALL,
        then=(("t3", "-/-/Tt/-/-/-/- w 1", None), ("o6", "-/-/Tt/-/-/O/- b 1", None)),
    ),
    Case(
        "rule 1: not on one's own piece of the same shape (T on 3), nor on two pieces (1)",
        "Oo/-/T/-/-/-/t w 1",
        legal="o2 o3 o4 o5 o6 o7 t2 t4 t5 t6 t7",
        never="t3 o1 t1",
        then=(("o3", "Oo/-/TO/-/-/-/t b 1", None),),
    ),
    Case(
        "rule 1: only the piece on the point counts, which is on top; both round ones placed: triangles only",
        "O/O/t/-/-/t/- w 1",
        legal="t1 t2 t3 t4 t5 t6 t7",
        never="o3 o7 1-7",
    ),
    Case(
        "rule 1: both triangles placed, one round piece left; 2 and 3 are full, 5 has a round piece of Black's",
        "-/tO/Tt/T/o/-/- w 1",
        legal="o1 o4 o5 o6 o7",
        never="t1 o2 o3 t5",
    ),
    Case(
        "the eighth placement is followed by movement",
        "Oo/Tt/Oo/T/-/-/- b 1",
        legal="t4 t5 t6 t7",
        then=(
            # tops: 1 o, 2 t, 3 o, 4 t: line 124 is o t t, 235 lacks 5, 346 lacks 6
            ("t4", "Oo/Tt/Oo/Tt/-/-/- w 1", 0),
        ),
    ),
    Case(
        "the eighth placement is followed by movement",
        "Oo/-/T/t/-/Oo/T b 1",
        legal="t2 t3 t5 t7",
        then=(
            ("t7", "Oo/-/T/t/-/Oo/Tt w 1", None),
            ("3-2", "Oo/T/-/t/-/Oo/Tt b 1", None),
        ),
    ),
    # ----------------------------------------------------------------------------------------------------------- rule 2
    Case(
        "rule 2: White's only top piece is T on 3; its neighbours are 2, 4 and 7, and 7 is full",
        "Oo/-/T/t/-/Oo/Tt w 1",
        legal="3-2 3-4",
        never="3-7 3-1 3-5 3-6 4-1 1-2 t2",
        then=(("3-4", "Oo/-/-/tT/-/Oo/Tt b 1", None), ("7-3", "Oo/-/t/tT/-/Oo/T w 1", None)),
    ),
    Case(
        "rule 2: a covered piece is free again when the one above it leaves: T on 7 after 7-3",
        "Oo/-/t/tT/-/Oo/T w 1",
        also="4-3 7-5",
        never="1-2 6-7",
    ),
    Case(
        "rule 2: not on one's own piece of the same shape: T on 4 cannot go to T on 7, but on t on 3",
        "Oo/-/t/tT/-/Oo/T w 1",
        never="4-7 7-4",
        also="4-3 4-2 7-3",
    ),
    # ----------------------------------------------------------------------------------------------------------- rule 3
    Case(
        "rule 3: three of one's own colour in placement: O, T, O on 1, 2, 4",
        "O/T/-/-/-/o/t w 1",
        also="o4",
        then=(("o4", "O/T/-/O/-/o/t b 1", 1),),
    ),
    Case(
        "rule 3: three of one shape in line (o O o on 1, 2, 4), two of them the other player's",
        "o/-/-/o/T/T/- w 1",
        also="o2",
        then=(("o2", "o/O/-/o/T/T/- b 1", 1),),
    ),
    Case(
        "rule 3: three of the enemy's colour, uncovered by one's own move: T leaves o on 1, with t on 2 and o on 4",
        "oT/t/tO/o/TO/-/- w 1",
        also="1-7 1-6",
        then=(("1-7", "o/t/tO/o/TO/-/T b 1", 1),),
    ),
    Case(
        "rule 3: three round pieces, uncovered: T leaves 1, and 1, 2, 4 show O o o",
        "OT/o/Ot/o/tT/-/- w 1",
        legal="1-2 1-4 1-6 1-7 5-2 5-7",
        then=(("1-7", "O/o/Ot/o/tT/-/T b 1", 1),),
    ),
    Case("rule 3: a line in the text: the side not to act has lost, White here", "O/T/-/O/-/o/t b 1", outcome=1),
    Case("rule 3: Black has lost here", "O/t/t/O/o/T/- w 1", outcome=0),
    Case("rule 3: covered pieces do not count: 1, 2, 4 show O t O", "O/Tt/-/O/-/o/- b 1", also="o1 t4 o3"),
    Case("rule 3: a line counts before a repetition", "O/t/t/O/o/T/- w 3", outcome=0),
    Case("rule 3: line 346", "-/-/O/T/-/O/ot b 1", outcome=1),
    Case("rule 3: line 457", "o/o/-/O/T/-/T b 1", outcome=1),
    Case("rule 3: line 561", "T/t/o/-/O/O/- b 1", outcome=1),
    Case("rule 3: line 672", "t/T/o/-/-/T/O b 1", outcome=1),
    Case("rule 3: line 713", "T/o/O/-/-/t/O b 1", outcome=1),
    Case("rule 3: line 235", "-/T/O/t/O/t/- b 1", outcome=1),
    Case("123 is no line", "T/O/T/-/t/o/- b 1", also="o1"),
    # ----------------------------------------------------------------------------------------------------------- rule 4
    Case("rule 4: all pieces of Black are covered", "oO/tT/-/-/oT/-/tO b 1", outcome=0),
    # ----------------------------------------------------------------------------------------------------------- rule 5
    Case("rule 5: twice is not yet a draw", "Oo/-/T/t/-/Oo/Tt w 2", legal="3-2 3-4"),
    Case("rule 5: three times is", "Oo/-/T/t/-/Oo/Tt w 3", outcome="draw"),
    Case("rule 5: before rule 4", "oO/tT/-/-/oT/-/tO b 3", outcome="draw"),
    Case(
        "rule 5: the count goes on from the text; the third time ends the game",
        "Oo/-/T/t/-/Oo/Tt w 2",
        then=(
            ("3-2", "Oo/T/-/t/-/Oo/Tt b 1", None),
            ("6-4", "Oo/T/-/to/-/O/Tt w 1", None),
            ("2-3", "Oo/-/T/to/-/O/Tt b 1", None),
            ("4-6", "Oo/-/T/t/-/Oo/Tt w 3", "draw"),
        ),
    ),
    Case(
        "rule 5: with a limit of 5",
        "Oo/-/T/t/-/Oo/Tt w 4",
        then=(
            ("3-2", "Oo/T/-/t/-/Oo/Tt b 1", None),
            ("6-4", "Oo/T/-/to/-/O/Tt w 1", None),
            ("2-3", "Oo/-/T/to/-/O/Tt b 1", None),
            ("4-6", "Oo/-/T/t/-/Oo/Tt w 5", "draw"),
        ),
        options={"repetition_limit": 5},
    ),
    Case(
        "rule 5: with a limit of 2",
        "Oo/-/T/t/-/Oo/Tt w 1",
        then=(
            ("3-2", "Oo/T/-/t/-/Oo/Tt b 1", None),
            ("6-4", "Oo/T/-/to/-/O/Tt w 1", None),
            ("2-3", "Oo/-/T/to/-/O/Tt b 1", None),
            ("4-6", "Oo/-/T/t/-/Oo/Tt w 2", "draw"),
        ),
        options={"repetition_limit": 2},
    ),
    Case("rule 5: limit 2 in a text", "Oo/-/T/t/-/Oo/Tt w 2", outcome="draw", options={"repetition_limit": 2}),
    Case(
        "rule 5: a count in the placement phase: nothing comes again",
        "-/-/-/-/-/-/- w 2",
        legal=_ALL,
        then=(("o1", "O/-/-/-/-/-/- b 1", None),),
    ),
]

_EMPTY = "-/-/-/-/-/-/-"
_FULL = "Oo/-/T/t/-/Oo/Tt"

IMPOSSIBLE: list[tuple[dict[str, Any], str, list[str]]] = [
    ({}, "", ["points", "side", "counts"]),
    ({}, f"{_EMPTY} w", ["points", "side", "counts"]),
    ({}, f"{_EMPTY} w 1 -", ["points", "side", "counts"]),
    ({}, f"{_EMPTY}  w 1", ["points", "side", "counts"]),
    ({}, f" {_EMPTY} w 1", ["points", "side", "counts"]),
    ({}, f"{_EMPTY} w 1\n", ["counts"]),
    ({}, "-/-/-/-/-/- w 1", ["points", "7"]),
    ({}, f"{_EMPTY}/- w 1", ["points", "7"]),
    ({}, "-/-/-/-/-/-/ w 1", ["points", "point 7"]),
    ({}, "-/-/-/x/-/-/- w 1", ["points", "'x'", "point 4"]),
    ({}, "-/-/-/--/-/-/- w 1", ["points", "'--'", "point 4"]),
    ({}, "-/-/-/O-/-/o/- w 1", ["points", "'O-'", "point 4"]),
    ({}, "O/-/-/-/-/-/0 w 1", ["points", "'0'", "point 7"]),
    ({}, "OoT/-/-/t/-/-/- w 1", ["points", "'OoT'", "point 1"]),
    ({}, "OO/-/-/-/-/o/t w 1", ["points", "'OO'", "point 1"]),
    ({}, "O/-/-/-/-/T/tt w 1", ["points", "'tt'", "point 7"]),
    ({}, "O/O/O/-/o/o/t w 1", ["points", "3", "'O'"]),
    ({}, "o/o/T/-/O/o/T w 1", ["points", "3", "'o'"]),
    ({}, f"{_EMPTY} x 1", ["side", "'x'"]),
    ({}, f"{_EMPTY} W 1", ["side", "'W'"]),
    ({}, f"{_EMPTY} wb 1", ["side", "'wb'"]),
    ({}, f"{_EMPTY} b 1", ["side"]),
    ({}, "O/-/-/-/-/-/- w 1", ["side", "White has placed 1", "Black 0"]),
    ({}, "o/-/-/-/-/-/- b 1", ["side", "White has placed 0", "Black 1"]),
    ({}, "O/o/-/-/-/-/- b 1", ["side"]),
    ({}, "O/O/-/-/-/-/T b 1", ["side"]),
    ({}, "Oo/-/T/t/-/Oo/T w 1", ["side"]),
    ({}, f"{_FULL} w 0", ["counts", "'0'", "1 to 3"]),
    ({}, f"{_FULL} w 4", ["counts", "'4'", "1 to 3"]),
    ({}, f"{_FULL} w 01", ["counts", "'01'"]),
    ({}, f"{_FULL} w +1", ["counts", "'+1'"]),
    ({}, f"{_FULL} w x", ["counts", "'x'"]),
    ({"repetition_limit": 2}, f"{_FULL} w 3", ["counts", "'3'", "1 to 2"]),
]

BAD_OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({"repetition_limit": value}, ["repetition_limit", repr(value), "2", "100"])
    for value in (1, 0, 101, -3, 3.0, "3", None, True)
]


def observation(game: Any, text: str, observer: int, ended: bool) -> dict[str, list[list[int]]]:
    """The planes that an observer sees of a position, point by point."""
    points, side, _ = text.split(" ")
    stacks = [stack.replace("-", "") for stack in points.split("/")]
    planes: dict[str, list[list[int]]] = {}
    for depth, where in ((0, " on top"), (1, ", covered")):
        for owner, letters in (("own", ("OT", "ot")), ("opponent's", ("ot", "OT"))):
            for shape, kind in enumerate(("round", "triangular")):
                letter = letters[observer][shape]
                planes[f"{owner} {kind} pieces{where}"] = [[int(stack[::-1][depth : depth + 1] == letter) for stack in stacks]]
    planes["placement phase"] = [[int(len("".join(stacks)) < 8)] * 7]
    planes["observer is player_0"] = [[int(observer == 0)] * 7]
    planes["observer is to act"] = [[int("wb"[observer] == side and not ended)] * 7]
    return planes


def history_matters(options: dict[str, Any]) -> bool:
    return True


def without_history(text: str) -> str:
    """A position without the number of its occurrences."""
    return text.rpartition(" ")[0]
