"""What the games' drawings say, as data, against the rules' own words."""

from __future__ import annotations

import numpy as np
import pytest

from abstract_envs import alveole_v0, fano330_v0, honey_donuts_v0, inphexion_v0, xahzo_v0
from abstract_envs.core.drawing import Drawing, hint_dot, last_arrow
from abstract_envs.core.shapes import Circle, Line, Polygon, Shape, Text, arrow, bounds, moved
from abstract_envs.render.themes import THEMES
from env_cases import Case, all_cases, legal, mid_game, over


def drawn(door: object, actions: str, position: str | None = None, **options: object) -> Drawing:
    """The drawing after some actions."""
    env = door.env(**options)  # type: ignore[attr-defined]
    env.reset(options={"position": position})
    for action in actions.split():
        env.step(env.game.string_to_action(env.game_state, action))
    return env.drawing()


def cells(drawing: Drawing, numbers: frozenset[int]) -> set[str]:
    return {drawing.look.cells[i].name for i in numbers}


def place(drawing: Drawing, name: str) -> tuple[float, float]:
    return next((cell.x, cell.y) for cell in drawing.look.cells if cell.name == name)


def arrows(drawing: Drawing, *pairs: tuple[str, str], both: bool = False) -> tuple[Shape, ...]:
    """The arrows of a last action between cells."""
    return sum((last_arrow(place(drawing, a), place(drawing, b), both) for a, b in pairs), ())


# -------------------------------------------------------------------------------------------------------------- every game


@all_cases
def test_every_position_can_be_drawn(case: Case) -> None:
    """Symbols are those of pieces, colours those of themes, trays have room, and the board is always the same."""
    env, rng = case.env(legal_moves=True), np.random.default_rng(0)
    colours = set(THEMES["light"])
    for seed in range(2):
        env.reset(seed=seed)
        look = env.drawing().look
        while True:
            drawing = env.drawing()
            assert drawing.look is look
            assert len(drawing.symbols) == len(look.cells) == len(env.game.board)
            assert set(drawing.symbols) - {""} <= set(look.pieces)
            assert len(drawing.trays) in (0, len(look.trays))
            for tray, symbols in zip(look.trays, drawing.trays, strict=False):
                assert len(symbols) <= tray.room
                assert set(symbols) <= set(look.pieces)
            shapes = (*drawing.over, *drawing.hints)
            assert {
                colour for shape in shapes for colour in (getattr(shape, "fill", ""), getattr(shape, "line", ""))
            } <= colours | {""}
            # the legal actions begin where they are said to begin: a swap of the pie rule, too, has a cell
            assert bool(drawing.hinted) == bool(drawing.hints) == bool(not env.game.is_terminal(env.game_state))
            if over(env):
                break
            env.step(int(rng.choice(legal(env))))
            assert drawing.last == "" or drawing.marked


@all_cases
def test_hints_only_if_asked_for(case: Case) -> None:
    drawing = mid_game(case).drawing()
    assert drawing.hints == ()
    assert drawing.hinted == frozenset()
    assert mid_game(case, legal_moves=True).drawing().hints


@all_cases
def test_cells_do_not_overlap(case: Case) -> None:
    """Neighbours touch: the middles of two cells are nowhere nearer than the outlines are wide."""
    look = mid_game(case).drawing().look
    left, top, right, bottom = bounds(look.outline._replace(width=0.0))
    places = np.array([(cell.x, cell.y) for cell in look.cells])
    distances = np.linalg.norm(places[:, None] - places, axis=2) + 9 * np.eye(len(places))
    assert distances.min() >= min(right - left, bottom - top) - 1e-9
    assert distances.min() == pytest.approx(1, abs=0.16)  # points of Fano330 have room between them


@pytest.mark.parametrize("door", [inphexion_v0, honey_donuts_v0, alveole_v0])
def test_hexagons_are_true(door: object) -> None:
    """Six neighbours are all one unit away, six corners all as far from the middle, and neighbours share two corners."""
    drawing = drawn(door, "")
    look, board = drawing.look, door.game().board  # type: ignore[attr-defined]
    assert isinstance(look.outline, Polygon)
    assert np.linalg.norm(np.array(look.outline.points), axis=1) == pytest.approx(1 / np.sqrt(3))
    for i, near in enumerate(board.neighbours):
        for to in near:
            a, b = look.cells[i], look.cells[to]
            assert np.hypot(a.x - b.x, a.y - b.y) == pytest.approx(1)
            corners = [{(round(c.x + x, 6) + 0.0, round(c.y + y, 6) + 0.0) for x, y in look.outline.points} for c in (a, b)]
            assert len(corners[0] & corners[1]) == 2


# --------------------------------------------------------------------------------------------------------------- inpHeXion


def test_shove() -> None:
    drawing = drawn(inphexion_v0, "d4 d4-e4")
    assert cells(drawing, drawing.marked) == {"d4", "e4"}
    assert drawing.over == arrows(drawing, ("d4", "e4"))


def test_waiting_discs_and_relocation() -> None:
    captured = drawn(inphexion_v0, "a2-a3", "bw2/b3/4/4 w -", board_size=4)
    assert captured.trays == (("b",),)
    ring = Circle(*place(captured, "a1"), 0.2, "", "arrow", 0.05)
    assert captured.over == (*arrows(captured, ("a2", "a3")), ring)
    put_back = drawn(inphexion_v0, "a2-a3 @d4", "bw2/b3/4/4 w -", board_size=4)
    assert put_back.trays == ((),)
    assert put_back.over == (*arrows(put_back, ("a1", "d4")), ring)  # from where there is one cell it can have come from
    assert cells(put_back, put_back.marked) == {"d4"}
    two = drawn(inphexion_v0, "", "4/1wb1/4/4 b 2:a1,d4", board_size=4)
    assert two.trays == (("w", "w"),)
    neutral = drawn(inphexion_v0, "a2-b2", "nw1/b2/3 w -", board_size=3, neutral=True)
    assert neutral.trays == (("n",),)
    assert neutral.symbols[0] == ""


def test_pie_swap() -> None:
    drawing = drawn(inphexion_v0, "b1 swap", board_size=3, pie_rule=True)
    assert cells(drawing, drawing.marked) == {"b1", "a2"}
    assert drawing.over == arrows(drawing, ("b1", "a2"))
    alone = drawn(inphexion_v0, "b2 swap", board_size=3, pie_rule=True)  # reflected to where it is
    assert cells(alone, alone.marked) == {"b2"}
    assert alone.over == ()


def test_borders_are_on_the_right_sides() -> None:
    look = drawn(inphexion_v0, "").look
    borders = [shape for shape in look.backdrop if isinstance(shape, Line) and shape.line in ("white", "black")]
    assert len(borders) == 4
    for border in borders:
        xs, ys = np.array(border.points).T
        if border.line == "white":  # joins top and bottom: along a row
            assert np.ptp(ys) < 0.7
            assert min(abs(ys - look.cells[0].y).min(), abs(ys - look.cells[-1].y).min()) < 0.6
        else:  # along a column: as far right as it goes down, by half
            assert np.ptp(ys) > 5
            assert np.corrcoef(xs, ys)[0, 1] > 0.95


# ------------------------------------------------------------------------------------------------------------- Honey Donuts


def test_push() -> None:
    drawing = drawn(honey_donuts_v0, "e1-c1")
    assert cells(drawing, drawing.marked) == {"e1", "d1", "c1"}
    assert drawing.over == arrows(drawing, ("e1", "d1"), ("d1", "c1"))


def test_kings_are_marked() -> None:
    look = drawn(honey_donuts_v0, "").look
    for king, regular in (("R", "r"), ("B", "b")):
        crowns = [shape for shape in look.pieces[king] if isinstance(shape, Polygon)]
        assert len(crowns) == 1
        assert not any(isinstance(shape, Polygon) for shape in look.pieces[regular])
        assert look.pieces[king][0] == look.pieces[regular][0]


def test_hints_of_pushes_are_all_apart() -> None:
    """Each is where a piece would fall off, which no two pushes share."""
    env = honey_donuts_v0.env(legal_moves=True)
    env.reset()
    hints = env.drawing().hints
    assert len(set(hints)) == len(legal(env)) == 12


# ---------------------------------------------------------------------------------------------------------------- Fano330


def test_lines_of_the_plane() -> None:
    """Each line of the rules runs through its three points: six straight, one round."""
    look = drawn(fano330_v0, "").look
    lines = [shape for shape in look.backdrop if isinstance(shape, Line)]
    (circle,) = (shape for shape in look.backdrop if isinstance(shape, Circle))
    found = set()
    for a, b in (line.points for line in lines):
        on = [cell.name for cell in look.cells if abs((b[0] - a[0]) * (cell.y - a[1]) - (b[1] - a[1]) * (cell.x - a[0])) < 1e-6]
        found.add("".join(on))
    assert found == {"235", "346", "457", "156", "267", "137"}
    on = [c.name for c in look.cells if abs(np.hypot(c.x - circle.x, c.y - circle.y) - circle.radius) < 1e-6]
    assert on == ["1", "2", "4"]


def test_stacks_show_both_pieces() -> None:
    drawing = drawn(fano330_v0, "o1 t1")
    assert drawing.symbols[0] == "Ot"
    pieces = drawing.look.pieces
    below, above = pieces["Ot"][: len(pieces["O"])], pieces["Ot"][len(pieces["O"]) :]
    assert below == pieces["O"]
    assert above == tuple(moved(shape, 0, 0, 0.55) for shape in pieces["t"])
    assert set(pieces) == {*"OTot"} | {a + b for a in "OTot" for b in "OTot" if a != b}


def test_pieces_that_are_left() -> None:
    assert drawn(fano330_v0, "").trays == (("O", "O", "T", "T"), ("o", "o", "t", "t"))
    assert drawn(fano330_v0, "o1 t1 o2").trays == (("T", "T"), ("o", "o", "t"))


# ------------------------------------------------------------------------------------------------------------------ XAHZO

PUSH = "1Z1O1/1a2O/1OX2/1Z1z1/1azx1 w -/- 5"


def test_xahzo_push_and_swap() -> None:
    pushed = drawn(xahzo_v0, "b3-c3", PUSH, board_size=5)
    assert pushed.over == arrows(pushed, ("b3", "c3"), ("c3", "d3"))
    moved_ = drawn(xahzo_v0, "b3-b4", PUSH, board_size=5)  # a capture pushes nothing
    assert moved_.over == arrows(moved_, ("b3", "b4"))
    swapped = drawn(xahzo_v0, "b3=c3", PUSH, board_size=5)
    assert swapped.over == arrows(swapped, ("b3", "c3"), both=True)
    assert cells(swapped, swapped.marked) == {"b3", "c3"}


def test_hands() -> None:
    hands = ("OXXAAHHZZO", "OXAHZOXAHZ")
    drawing = drawn(xahzo_v0, "X@a1 O@e5", board_size=5, hand=hands)
    assert drawing.trays == (tuple("XAAHHZZOO"), tuple("xxaahhzzo"))
    first, second = drawing.look.trays
    ys = [cell.y for cell in drawing.look.cells]
    assert first.y > max(ys) > min(ys) > second.y  # each on its player's side
    free = drawn(xahzo_v0, "X@a1 O@e5 O@a2", board_size=5, hand="free")
    assert free.trays == (("?",) * 5, ("!",) * 6)
    assert drawn(xahzo_v0, "", PUSH, board_size=5).trays == ()


def test_coloured_squares_and_zones() -> None:
    look = drawn(xahzo_v0, "", board_size=5, home_rows=2).look
    assert {cell.name for cell in look.cells if cell.fill == "coloured"} == {"c3", "b3", "d3", "c2", "c4"}
    zones = {shape.line: [y for _, y in shape.points] for shape in look.backdrop if isinstance(shape, Line)}
    rows = {cell.name[1]: cell.y for cell in look.cells}
    assert min(zones["white"]) < rows["2"] < rows["1"] < max(zones["white"]) < rows["1"] + 0.5
    assert min(zones["black"]) < rows["5"] < rows["4"] < max(zones["black"]) < rows["3"]


def test_letters_are_all_different() -> None:
    pieces = drawn(xahzo_v0, "").look.pieces
    assert len({pieces[symbol] for symbol in "XAHZO?xahzo!"}) == 12


def test_hints_of_drops() -> None:
    env = xahzo_v0.env(legal_moves=True, board_size=5)
    env.reset(seed=0)
    drawing = env.drawing()
    free = [cell for cell in drawing.look.cells if cell.fill == "cell"]
    assert set(drawing.hints) == {shape for cell in free for shape in hint_dot((cell.x, cell.y))}
    assert len(drawing.hints) == 20


# ---------------------------------------------------------------------------------------------------------------- Alveole


def test_alveole_move() -> None:
    drawing = drawn(alveole_v0, "a2-c2")
    assert cells(drawing, drawing.marked) == {"a2", "c2"}
    assert drawing.over == arrows(drawing, ("a2", "c2"))


# ---------------------------------------------------------------------------------------------------------------- shapes


def test_bounds() -> None:
    assert bounds(Circle(1, 2, 3, "white", "black", 1.0)) == (-2.5, -1.5, 4.5, 5.5)
    assert bounds(Polygon(((0, 0), (4, 1), (2, -3)), "white")) == (0, -3, 4, 1)
    assert bounds(Line(((0, 0), (4, 1)), "white", 2.0)) == (-1, -1, 5, 2)
    assert bounds(Text(1, 1, "a", 0.5, "text")) == (0.75, 0.75, 1.25, 1.25)


def test_moved() -> None:
    assert moved(Circle(1, 2, 3, "white", "black", 1.0), 10, 20, 2) == Circle(12, 24, 6, "white", "black", 2.0)
    assert moved(Line(((0, 0), (4, 1)), "white", 2.0), 1, 1) == Line(((1, 1), (5, 2)), "white", 2.0)
    assert moved(Text(1, 1, "a", 0.5, "text"), 1, 0, 3) == Text(4, 3, "a", 1.5, "text")


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("length", [0.3, 1.0, 2.0, 7.0])
def test_arrows(length: float, both: bool) -> None:
    """An arrow lies along its way, symmetrical about it, keeps its distance where there is room, and points ahead."""
    ((points, *_),) = arrow((1, 1), (1, 1 + length), "hint", "hint_edge", both=both)
    xs, ys = np.array(points).T
    assert sorted(np.round(xs - 1, 6)) == sorted(np.round(1 - xs, 6))
    tips = [y for x, y in points if abs(x - 1) < 1e-9]
    assert len(tips) == 1 + both
    assert max(tips) == max(ys)
    assert (min(ys) + max(ys)) / 2 == pytest.approx(1 + length / 2)
    if length >= 2:
        assert (min(ys), max(ys)) == (pytest.approx(1.4), pytest.approx(1 + length - 0.4))
    else:
        assert length * 0.49 < np.ptp(ys) < length
    widest = ys[np.argmax(xs)]
    assert both or widest < max(tips) - 0.3 * np.ptp(ys) * (length < 2)
