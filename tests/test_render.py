"""Boards as text. The expected texts are reasoned out by hand: no output was copied."""

from __future__ import annotations

import io
import re
import textwrap
from typing import Any

import pytest

from abstract_envs import alveole_v0, fano330_v0, honey_donuts_v0, inphexion_v0, xahzo_v0
from abstract_envs.core.drawing import HEXAGON, Drawing, DrawnCell, Label, Look, disc
from abstract_envs.render.ansi import has_colour, to_ansi
from abstract_envs.render.options import RenderOptions
from env_cases import Case, all_cases, legal, mid_game, over


def text(shown: str) -> str:
    """A board as written in this file, indented by the code around it."""
    return textwrap.dedent(shown).strip("\n") + "\n"


# ------------------------------------------------------------------------------------------------------------- any drawing


def drawing(
    *cells: tuple[float, float, str], marked: tuple[int, ...] = (), labels: tuple[Label, ...] = (), **more: Any
) -> Drawing:
    """A drawing of cells (x, y, symbol) without names."""
    places = tuple(DrawnCell("", x, y, empty="+" if symbol == "+" else ".") for x, y, symbol in cells)
    pieces = {"w": disc("white"), "b": disc("black"), "10": disc("red"), "x": (), "o": ()}
    look = Look((("Ann", "w"), ("Bob", "b")), places, HEXAGON, labels, pieces)
    symbols = tuple(symbol.strip("+") for *_, symbol in cells)
    return Drawing(look, symbols, more.pop("status", (0, "to move")), marked=frozenset(marked), **more)


def board(*args: Any, **more: Any) -> str:
    """The text without the line of the status."""
    shown = to_ansi(drawing(*args, **more))
    assert shown.endswith("\nAnn (w) to move\n")
    return shown.removesuffix("Ann (w) to move\n")


def test_one_cell() -> None:
    assert board((0, 0, "")) == " .\n"
    assert board((0, 0, "w")) == " w\n"
    assert board((0, 0, "+")) == " +\n"
    assert board((0, 0, "w"), marked=(0,)) == "[w]\n"
    assert board((0, 0, ""), marked=(0,)) == "[.]\n"
    assert board((7, -3, "w"), marked=(0,), last="one", notes=("two",)) == "[w]\nlast action: one\ntwo\n"


def test_status() -> None:
    for status, expected in (((1, "has won"), "Bob (b) has won"), ((None, "drawn"), "drawn")):
        assert to_ansi(drawing((0, 0, ""), status=status)) == f" .\n{expected}\n"


def test_square_board() -> None:
    """Columns are four characters apart, rows in the order of y, whatever the order of the cells."""
    cells = ((1, 1, "x"), (0, 0, "o"), (0, 1, ""), (1, 0, ""))
    labels = (Label(0, -1, "a"), Label(1, -1, "b"), Label(-1, 0, "1"), Label(-1, 1, "2", aside=(5, 5)))
    expected = text("""
      |     a   b
      | 1   o   .
      | 2   .  [x]
    """).replace("|", "")
    assert board(*cells, marked=(0,), labels=labels) == expected
    assert board(*reversed(cells), marked=(3,), labels=labels[::-1]) == expected
    plain = to_ansi(drawing(*cells, marked=(0,), labels=labels), options=RenderOptions(coordinates=False))
    assert plain == " o   .\n .  [x]\nAnn (w) to move\n"


def test_rows_half_a_cell_apart() -> None:
    """A hexagon of seven cells."""
    cells = [(x, y, "") for x, y in ((-0.5, -1), (0.5, -1), (-1, 0), (0, 0), (1, 0), (-0.5, 1), (0.5, 1))]
    cells[3] = (0, 0, "w")
    expected = text("""
      |   .   .
      | .  [w]  .
      |   .   .
    """).replace("|", "")
    assert board(*cells, marked=(3,)) == expected


def test_marked_neighbours_and_long_labels() -> None:
    assert board((0, 0, "w"), (1, 0, "b"), marked=(0, 1)) == "[w] [b]\n"
    assert board((0, 0, "10"), (1, 0, "b"), marked=(0, 1), labels=(Label(-1, 0, "12"),)) == " 12 [10][b]\n"


def test_legal_moves_are_shown_when_asked_for() -> None:
    shown = drawing((0, 0, "w"), (1, 0, "b"), (2, 0, ""), marked=(1,), hinted=frozenset({0, 1}))
    assert to_ansi(shown) == " w  [b]  .\nAnn (w) to move\n"
    assert to_ansi(shown, options=RenderOptions(legal_moves=True)) == "(w) [b]  .\nAnn (w) to move\n"


def test_colours() -> None:
    """Letters are black or white on the colour of their piece: here white, #ffffff, the cube's last, and #333333, a grey."""
    white, black, plain = "\x1b[38;5;16;48;5;231m", "\x1b[38;5;231;48;5;236m", "\x1b[0m"
    shown = to_ansi(drawing((0, 0, "w"), (1, 0, "b"), (2, 0, "")), colour=True)
    assert shown == f" {white}w{plain}   {black}b{plain}   .\nAnn (w) to move\n"
    labelled = to_ansi(drawing((0, 0, "w"), labels=(Label(1, 0, "a"),)), colour=True)
    assert labelled == f" {white}w{plain}   \x1b[2ma{plain}\nAnn (w) to move\n"
    # the mark, #7a5500, is nearest to (135, 95, 0) of the cube: 16 + 36 * 2 + 6 * 1
    mark = "\x1b[38;5;231;48;5;94m"
    marked = to_ansi(drawing((0, 0, "w"), marked=(0,)), colour=True)
    assert marked == f"{mark}[{plain}{white}w{plain}{mark}]{plain}\nAnn (w) to move\n"


@all_cases
def test_colours_change_no_text(case: Case) -> None:
    env = mid_game(case, 5)
    for theme in ("light", "dark"):
        options = RenderOptions(theme=theme)
        coloured = to_ansi(env.drawing(), True, options)
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == to_ansi(env.drawing(), False, options)
        assert coloured.count("\x1b[38;5;") >= 3  # the last action, and a piece


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "variables", "expected"),
    [
        (True, {"TERM": "xterm-256color"}, True),
        (False, {"TERM": "xterm-256color"}, False),
        (True, {}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm"}, False),
        (True, {"TERM": "linux"}, False),
        (True, {"TERM": "xterm-kitty", "COLORTERM": "truecolor"}, True),
        (True, {"TERM": "alacritty", "COLORTERM": "24bit"}, True),
        (True, {"WT_SESSION": "1"}, True),
        (True, {"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm-256color", "NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_has_colour(terminal: bool, variables: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "WT_SESSION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_colour(_Terminal() if terminal else io.StringIO()) is expected


def test_render_asks_the_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    env = inphexion_v0.env(render_mode="ansi", board_size=3)
    env.reset(options={"position": "1w1/3/3 b -"})
    plain = env.render()
    monkeypatch.setattr("sys.stdout", _Terminal())
    assert "\x1b[" not in plain
    assert "\x1b[38;5;16;48;5;231mw" in env.render()


def test_render_without_a_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under pythonw, and after it was closed."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    env = inphexion_v0.env(render_mode="ansi", board_size=3)
    env.reset()
    plain = env.render()
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr("sys.stdout", stream)
        assert env.render() == plain


# ---------------------------------------------------------------------------------------------------------------- inpHeXion


def shown(actions: str, position: str | None = None, door: Any = inphexion_v0, **options: Any) -> str:
    """The text after some actions."""
    env = door.env(render_mode="ansi", **options)
    env.reset(options={"position": position})
    for action in actions.split():
        env.step(env.game.string_to_action(env.game_state, action))
    return env.render()


# (what is shown, options, position, actions, expected)
INPHEXION = [
    (
        "start",
        {"board_size": 3},
        None,
        "",
        """
         |   a   b   c
         | 1   .   .   .
         |   2   .   .   .
         |     3   .   .   .
         |White (w) to move, joins top and bottom
        """,
    ),
    (
        "first disc",
        {"board_size": 3},
        None,
        "b2",
        """
         |   a   b   c
         | 1   .   .   .
         |   2   .  [w]  .
         |     3   .   .   .
         |last action: b2
         |Black (b) to move, joins left and right
        """,
    ),
    (
        "a shove marks both cells",
        {"board_size": 3},
        None,
        "b2 b2-c2",
        """
         |   a   b   c
         | 1   .   .   .
         |   2   .  [b] [w]
         |     3   .   .   .
         |last action: b2-c2
         |White (w) to move, joins top and bottom
        """,
    ),
    (
        "official board, three turns: e4 is taken back",
        {},
        None,
        "d4 d4-e4 d4-d3",
        """
         |   a   b   c   d   e   f   g
         | 1   .   .   .   .   .   .   .
         |   2   .   .   .   .   .   .   .
         |     3   .   .   .  [b]  .   .   .
         |       4   .   .   .  [w]  w   .   .
         |         5   .   .   .   .   .   .   .
         |           6   .   .   .   .   .   .   .
         |             7   .   .   .   .   .   .   .
         |last action: d4-d3
         |Black (b) to move, joins left and right
        """,
    ),
    (
        "captured in the corner, to be relocated",
        {"board_size": 4},
        "bw2/b3/4/4 w -",
        "a2-a3",
        """
         |   a   b   c   d
         | 1   .   w   .   .
         |   2  [w]  .   .   .
         |     3  [b]  .   .   .
         |       4   .   .   .   .
         |last action: a2-a3
         |White (w) to relocate 1 captured from a1
        """,
    ),
    (
        "relocated",
        {"board_size": 4},
        "bw2/b3/4/4 w -",
        "a2-a3 @d4",
        """
         |   a   b   c   d
         | 1   .   w   .   .
         |   2   w   .   .   .
         |     3   b   .   .   .
         |       4   .   .   .  [b]
         |last action: @d4
         |Black (b) to move, joins left and right
        """,
    ),
    (
        "a position is no action: nothing is marked",
        {"board_size": 4},
        "4/1wb1/4/4 b 2:a1,d4",
        "",
        """
         |   a   b   c   d
         | 1   .   .   .   .
         |   2   .   w   b   .
         |     3   .   .   .   .
         |       4   .   .   .   .
         |Black (b) to relocate 2 captured from a1,d4
        """,
    ),
    (
        "White has won",
        {"board_size": 3},
        "w2/w2/b2 w -",
        "a3-b3",
        """
         |   a   b   c
         | 1   w   .   .
         |   2   w   .   .
         |     3  [w] [b]  .
         |last action: a3-b3
         |White (w) has won
        """,
    ),
    (
        "Black has won: a3, b2, c1 join left and right",
        {"board_size": 3},
        "2w/1b1/b2 b -",
        "c1-c2",
        """
         |   a   b   c
         | 1   .   .  [b]
         |   2   .   b  [w]
         |     3   b   .   .
         |last action: c1-c2
         |Black (b) has won
        """,
    ),
    (
        "swap: the disc is reflected, and both cells are marked",
        {"board_size": 3, "pie_rule": True},
        None,
        "b1 swap",
        """
         |   a   b   c
         | 1   .  [.]  .
         |   2  [b]  .   .
         |     3   .   .   .
         |last action: swap
         |White (w) to move, joins top and bottom
        """,
    ),
    (
        "neutral piece",
        {"board_size": 3, "neutral": True},
        None,
        "",
        """
         |   a   b   c
         | 1   .   .   .
         |   2   .   n   .
         |     3   .   .   .
         |White (w) to move, joins top and bottom
        """,
    ),
    (
        "neutral piece shoved",
        {"board_size": 3, "neutral": True},
        None,
        "b2-b3",
        """
         |   a   b   c
         | 1   .   .   .
         |   2   .  [w]  .
         |     3   .  [n]  .
         |last action: b2-b3
         |Black (b) to move, joins left and right
        """,
    ),
    (
        "neutral piece captured: it waits and is not on the board",
        {"board_size": 3, "neutral": True},
        "nw1/b2/3 w -",
        "a2-b2",
        """
         |   a   b   c
         | 1   .   w   .
         |   2  [w] [b]  .
         |     3   .   .   .
         |last action: a2-b2
         |White (w) to relocate 1 captured from a1n
        """,
    ),
    (
        "neutral piece relocated",
        {"board_size": 3, "neutral": True},
        "nw1/b2/3 w -",
        "a2-b2 @c3",
        """
         |   a   b   c
         | 1   .   w   .
         |   2   w   b   .
         |     3   .   .  [n]
         |last action: @c3
         |Black (b) to move, joins left and right
        """,
    ),
]


@pytest.mark.parametrize(("options", "position", "actions", "expected"), [pytest.param(*row[1:], id=row[0]) for row in INPHEXION])
def test_inphexion(options: dict[str, Any], position: str | None, actions: str, expected: str) -> None:
    assert shown(actions, position, **options) == text(expected).replace("|", "")


def test_copy_of_an_ended_game_shows_it_ended_illegally_too() -> None:
    """An illegal action is no move: the board stays, its last action too."""
    env = inphexion_v0.env(render_mode="ansi", board_size=3)
    env.reset()
    env.step(4)
    before = env.render()
    env.step(4)
    assert env.rewards == {"player_0": 0, "player_1": -1}
    assert env.render() == before.replace("to move, joins left and right", "has ended the game by an illegal action")


# ---------------------------------------------------------------------------------------------------------- the other games

OTHERS = {
    "honey_donuts: e1 goes to d1, d1 to c1, and the piece that falls off c1 to e1": (
        honey_donuts_v0,
        {"legal_moves": True},
        None,
        "e1-c1",
        """
         | a1      (b) (B) (b)
         | b1     w  (w) (w)  w
         | c1  [w]  w       w  (w)
         | d1    [r]  w   w   w
         | e1      [w]  R   r
         |last action: e1-c1
         |Blue (B, b) to move
        """,
    ),
    "fano330: the piece on top comes last": (
        fano330_v0,
        {},
        None,
        "o4 o3 t7 t1 t2 o5 o3 t5 4-2 1-6 2-7",
        """
         |         3 oO
         |     2[T]    4 .
         |         7[TO]
         | 5 ot    1 .     6 t
         |last action: 2-7
         |Black (o, t) to move
        """,
    ),
    "xahzo: O pushes X on; b3, c2, c3, c4 and d3 are coloured": (
        xahzo_v0,
        {"board_size": 5},
        "1Z1O1/1a2O/1OX2/1Z1z1/1azx1 w -/- 5",
        "b3-c3",
        """
         | 5   .   Z   .   O   .
         | 4   .   a   +   .   O
         | 3   .  [+] [O]  X   .
         | 2   .   Z   +   z   .
         | 1   .   a   z   x   .
         |     a   b   c   d   e
         |last action: b3-c3
         |6 of 100 actions without a capture
         |player_1 (small letters) to move
        """,
    ),
    "xahzo: the hands, without what was dropped": (
        xahzo_v0,
        {"board_size": 5, "hand": ("OXXAAHHZZO", "OXAHZOXAHZ"), "coordinates": False},
        None,
        "X@a1 O@e5",
        """
         | .   .   .   .  [o]
         | .   .   +   .   .
         | .   +   +   +   .
         | .   .   +   .   .
         | X   .   .   .   .
         |last action: O@e5
         |hands: XAAHHZZOO/xxaahhzzo
         |player_0 (capitals) to drop
        """,
    ),
    "alveole: two pieces on the line, so two cells": (
        alveole_v0,
        {},
        None,
        "a2-c2",
        """
         |                     e
         |                 d       f
         |             c       r       g
         |         b       b       b       h
         |     a       .       .       .       i
         |         r       .       .       r
         | 1   b      [r]      .       .       b   1
         |         .       .       .       .
         | 2  [.]      .       .       .       r   2
         |         .       .       .       .
         | 3   .       .       .       .       .   3
         |         .       .       .       .
         | 4   b       .       .       .       b   4
         |         .       .       .       .
         | 5   r       .       .       .       r   5
         |         b       .       .       b
         |             .       .       .
         |                 r       r
         |                     b
         |last action: a2-c2
         |Blue (b) to move
        """,
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_games(name: str) -> None:
    door, options, position, actions, expected = OTHERS[name]
    assert shown(actions, position, door, **options) == text(expected).replace("|", "")


# ------------------------------------------------------------------------------------------------------------- every game


@all_cases
def test_every_game_is_shown(case: Case) -> None:
    env = case.env(render_mode="ansi")
    for seed in range(3):
        env.reset(seed=seed)
        assert "last action" not in env.render()
        for ply in range(200):
            board = env.render()
            assert board.endswith("\n")
            assert board.isprintable() is False
            assert board.replace("\n", "").isprintable()
            assert all(line == line.rstrip() for line in board.splitlines())
            if over(env):
                break
            action = legal(env)[(7 * ply + seed) % len(legal(env))]
            name = env.game.action_to_string(env.game_state, action)
            env.step(action)
            assert f"last action: {name}\n" in env.render()
