"""Boards as text. The expected texts are reasoned out by hand: no output was copied."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from abstract_envs import inphexion_v0
from abstract_envs.core.drawing import Drawing, DrawnCell, Label
from abstract_envs.render.ansi import to_ansi
from env_cases import Case, all_cases, legal, over


def text(shown: str) -> str:
    """A board as written in this file, indented by the code around it."""
    return textwrap.dedent(shown).strip("\n") + "\n"


# ------------------------------------------------------------------------------------------------------------- any drawing


def test_one_cell() -> None:
    assert to_ansi(Drawing((DrawnCell("a1", 0, 0, ""),), (), ())) == " .\n"
    assert to_ansi(Drawing((DrawnCell("a1", 0, 0, "w"),), (), ())) == " w\n"
    assert to_ansi(Drawing((DrawnCell("a1", 0, 0, "w", True),), (), ())) == "[w]\n"
    assert to_ansi(Drawing((DrawnCell("a1", 0, 0, "", True),), (), ())) == "[.]\n"
    assert to_ansi(Drawing((DrawnCell("a1", 7, -3, "w", True),), (), ("one", "two"))) == "[w]\none\ntwo\n"


def test_square_board() -> None:
    """Columns are four characters apart, rows in the order of y, whatever the order of the cells."""
    cells = [DrawnCell("b2", 1, 1, "x", True), DrawnCell("a1", 0, 0, "o"), DrawnCell("a2", 0, 1, ""), DrawnCell("b1", 1, 0, "")]
    labels = [Label(0, -1, "a"), Label(1, -1, "b"), Label(-1, 0, "1"), Label(-1, 1, "2")]
    expected = text("""
      |     a   b
      | 1   o   .
      | 2   .  [x]
    """).replace("|", "")
    assert to_ansi(Drawing(tuple(cells), tuple(labels), ())) == expected
    assert to_ansi(Drawing(tuple(reversed(cells)), tuple(reversed(labels)), ())) == expected


def test_rows_half_a_cell_apart() -> None:
    """A hexagon of seven cells."""
    cells = [DrawnCell("", x, y, "") for x, y in ((-0.5, -1), (0.5, -1), (-1, 0), (0, 0), (1, 0), (-0.5, 1), (0.5, 1))]
    cells[3] = DrawnCell("", 0, 0, "w", True)
    expected = text("""
      |   .   .
      | .  [w]  .
      |   .   .
    """).replace("|", "")
    assert to_ansi(Drawing(tuple(cells), (), ())) == expected


def test_marked_neighbours_and_long_labels() -> None:
    cells = tuple(DrawnCell("", x, 0, "wb"[x], True) for x in range(2))
    assert to_ansi(Drawing(cells, (), ())) == "[w] [b]\n"
    cells = tuple(DrawnCell("", x, 0, ("10", "b")[x], True) for x in range(2))
    assert to_ansi(Drawing(cells, (Label(-1, 0, "12"),), ())) == " 12 [10][b]\n"


# ---------------------------------------------------------------------------------------------------------------- inpHeXion


def shown(actions: str, position: str | None = None, **options: Any) -> str:
    """The text after some actions."""
    env = inphexion_v0.env(render_mode="ansi", **options)
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
        "swap: the disc is reflected and no cell marked",
        {"board_size": 3, "pie_rule": True},
        None,
        "b1 swap",
        """
         |   a   b   c
         | 1   .   .   .
         |   2   b   .   .
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
    assert env.render() == before


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
