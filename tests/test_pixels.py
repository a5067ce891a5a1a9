"""Pictures as arrays of pixels, by places whose colour is known."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abstract_envs import alveole_v0, fano330_v0, honey_donuts_v0, inphexion_v0, xahzo_v0
from abstract_envs.render.options import RenderOptions, read_options
from abstract_envs.render.pixels import to_rgb
from abstract_envs.render.scene import lay_out
from abstract_envs.render.themes import THEMES
from env_cases import Case, all_cases, all_doors, legal, mid_game, over


def at(env: Any, x: float, y: float, **options: Any) -> str:
    """The colour at a place, in units of the board."""
    chosen = RenderOptions(**options)
    frame, layout = to_rgb(env.drawing(), chosen), lay_out(env.drawing(), chosen).layout
    scale = chosen.width / layout.width
    pixel = frame[int((y - layout.top) * scale), int((x - layout.left) * scale)]
    return "#" + bytes(pixel).hex()


def cell(env: Any, name: str) -> tuple[float, float]:
    return next((cell.x, cell.y) for cell in env.drawing().look.cells if cell.name == name)


def started(door: Any, actions: str = "", position: str | None = None, **options: Any) -> Any:
    env = door.env(**options)
    env.reset(options={"position": position})
    for action in actions.split():
        env.step(env.game.string_to_action(env.game_state, action))
    return env


sizes = pytest.mark.parametrize("size", [512, 1024])
themes = pytest.mark.parametrize("theme", THEMES)


@sizes
@themes
def test_inphexion(size: int, theme: str) -> None:
    env, colours = started(inphexion_v0, "d4 d4-e4"), THEMES[theme]
    look: dict[str, Any] = {"width": size, "height": size, "theme": theme}
    assert at(env, *cell(env, "a1"), **look) == colours["cell"]
    (x, y), (right, _) = cell(env, "d4"), cell(env, "e4")
    assert at(env, x, y, **look) == colours["black"]
    assert at(env, right, y, **look) == colours["white"]
    assert at(env, x, y - 0.52, **look) == colours["marked"]  # in the upper corner
    assert at(env, -0.5, -1.5, **look) == colours["background"]
    # the coloured borders: a step beyond the middle of each side
    for name, dx, dy, colour in (
        ("d1", 0.25, -0.56, "white"),
        ("d7", 0.25, 0.56, "white"),
        ("a4", -0.58, 0, "black"),
        ("g4", 0.58, 0, "black"),
    ):
        x, y = cell(env, name)
        assert at(env, x + dx, y + dy, **look) == colours[colour], name


@themes
def test_small_pictures(theme: str) -> None:
    """What is large enough has its own colour in pictures of 96 pixels too."""
    colours, look = THEMES[theme], {"width": 96, "height": 96, "theme": theme}
    env = started(inphexion_v0, "d4 d4-e4")
    assert [at(env, *cell(env, name), **look) for name in ("d4", "e4", "b2")] == [colours[c] for c in ("black", "white", "cell")]
    env = started(honey_donuts_v0)
    assert [at(env, *place, **look) for place in ((0, 0), cell(env, "b1"))] == [colours["hole"], colours["white"]]


@sizes
def test_a_captured_disc_waits(size: int) -> None:
    env = started(inphexion_v0, "a2-a3", "bw2/b3/4/4 w -", board_size=4)
    (tray,) = env.drawing().look.trays
    look = {"width": size, "height": size}
    assert at(env, tray.x, tray.y, **look) == THEMES["light"]["black"]
    assert at(env, tray.x + tray.step, tray.y, **look) == THEMES["light"]["background"]
    x, y = cell(env, "a1")
    assert at(env, x + 0.2, y, **look) != at(env, x, y, **look) == THEMES["light"]["cell"]


@sizes
@themes
def test_honey_donuts(size: int, theme: str) -> None:
    env, colours = started(honey_donuts_v0), THEMES[theme]
    look: dict[str, Any] = {"width": size, "height": size, "theme": theme}
    assert at(env, 0, 0, **look) == colours["hole"]
    assert at(env, *cell(env, "c1"), **look) == colours["white"]
    for king, regular, colour in (("a2", "a1", "blue"), ("e2", "e1", "red")):
        x, y = cell(env, king)
        assert at(env, x, y + 0.05, **look) == colours[f"{colour}_ink"]  # the crown
        assert at(env, x, y + 0.24, **look) == colours[colour]
        x, y = cell(env, regular)
        assert at(env, x + 0.2, y, **look) == colours[colour]


@sizes
@themes
def test_fano330(size: int, theme: str) -> None:
    env, colours = started(fano330_v0, "t1 o1 o3"), THEMES[theme]
    look: dict[str, Any] = {"width": size, "height": size, "theme": theme}
    x, y = cell(env, "1")
    assert at(env, x, y, **look) == colours["black"]  # the round piece on top
    assert at(env, x + 0.3, y + 0.26, **look) == colours["white"]  # the side of the triangle beneath
    assert at(env, *cell(env, "3"), **look) == colours["white"]
    assert at(env, *cell(env, "7"), **look) == colours["cell"]
    x, y = cell(env, "7")
    assert at(env, x, y - 0.7, **look) == colours["path"]  # the line up to 3
    assert (
        at(env, x - np.sqrt(3) * 2 / 3 * np.cos(0.6), y + np.sqrt(3) * 2 / 3 * np.sin(0.6), **look) == colours["path"]
    )  # the circle


@sizes
@themes
def test_xahzo(size: int, theme: str) -> None:
    env, colours = started(xahzo_v0, "H@a1 Z@e5", board_size=5, hand=("OXXAAHHZZO", "OXAHZOXAHZ")), THEMES[theme]
    look: dict[str, Any] = {"width": size, "height": size, "theme": theme}
    x, y = cell(env, "a1")
    assert at(env, x, y, **look) == colours["white_ink"]  # the bar of H
    assert at(env, x, y - 0.13, **look) == colours["white"]
    x, y = cell(env, "e5")
    assert at(env, x, y, **look) == colours["black_ink"]  # the stroke of Z
    assert at(env, x - 0.1, y, **look) == colours["black"]
    assert at(env, *cell(env, "c3"), **look) == colours["coloured"]
    assert at(env, *cell(env, "b2"), **look) == colours["cell"]
    assert at(env, x - 0.45, y, **look) == colours["marked"]


@sizes
@themes
def test_marks_hide_no_colour(size: int, theme: str) -> None:
    """A piece that has left and one that has come, both on squares that are coloured."""
    env = started(xahzo_v0, "b3-b4", "1Z1O1/1a2O/1OX2/1Z1z1/1azx1 w -/- 5", board_size=5)
    colours, look = THEMES[theme], {"width": size, "height": size, "theme": theme}
    for name, fill in (("b3", "coloured"), ("b4", "cell")):
        (x, y) = cell(env, name)
        assert at(env, x - 0.45, y, **look) == colours["marked"]
        assert at(env, x + 0.38, y + 0.38, **look) == colours[fill]


@sizes
@themes
def test_alveole(size: int, theme: str) -> None:
    env, colours = started(alveole_v0, "a2-c2"), THEMES[theme]
    look: dict[str, Any] = {"width": size, "height": size, "theme": theme}
    for name, colour in (("c2", "red"), ("a1", "blue")):
        x, y = cell(env, name)
        assert at(env, x, y + 0.2, **look) == colours[colour]
    x, y = cell(env, "a2")
    assert at(env, x, y - 0.45, **look) == colours["marked"]
    assert at(env, x - 0.2, y, **look) == colours["cell"]
    x, y = cell(env, "b3")
    assert at(env, x, y, **look) == colours["cell"]


# ------------------------------------------------------------------------------------------------------------ all pictures


@all_cases
def test_arrays(case: Case) -> None:
    """Of the size that was asked for, wide or high, however small; fresh and writable; the same at every call."""
    for width, height in ((512, 512), (40, 300), (300, 40), (1, 1), (7, 3)):
        env = mid_game(case, 3, render_mode="rgb_array", width=width, height=height, theme="dark")
        frame = env.render()
        assert frame.shape == (height, width, 3)
        assert frame.dtype == np.uint8
        again = frame.copy()
        frame[...] = 0
        np.testing.assert_array_equal(env.render(), again)


@all_cases
def test_frames_differ(case: Case) -> None:
    """Every action is seen, and the legal actions are where they are asked for."""
    env = mid_game(case, 2, render_mode="rgb_array", width=200, height=200)
    hinting = case.env(render_mode="rgb_array", width=200, height=200, legal_moves=True)
    hinting.reset()
    hinting.game_state = env.game_state
    bare = case.env(render_mode="rgb_array", width=200, height=200, coordinates=False)
    bare.reset()
    bare.game_state = env.game_state
    frames: list[NDArray[np.uint8]] = [env.render(), hinting.render(), bare.render()]
    while not over(env) and len(frames) < 8:
        env.step(legal(env)[-1])
        frames.append(env.render())
    assert all((a != b).any() for a, b in pairwise(frames))
    assert (frames[0] != frames[2]).any()


@pytest.mark.parametrize("size", [100, 512])
def test_the_board_is_in_the_middle(size: int) -> None:
    """A wide picture has the square one in its middle."""
    env = started(alveole_v0)
    square = to_rgb(env.drawing(), RenderOptions(width=size, height=size))
    wide = to_rgb(env.drawing(), RenderOptions(width=2 * size, height=size))
    np.testing.assert_allclose(wide[:, size // 2 : -size // 2].astype(int), square.astype(int), atol=3)
    assert (wide[:, : size // 4] == wide[0, 0]).all()


# ---------------------------------------------------------------------------------------------------------------- options


@all_doors
@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"width": 0}, ["width is 0", "from 1 to 8192"]),
        ({"height": 9000}, ["height is 9000", "from 1 to 8192"]),
        ({"width": 10.5}, ["width is 10.5"]),
        ({"width": True}, ["width is True"]),
        ({"theme": "blue"}, ["theme is 'blue'", "'light', 'dark'"]),
        ({"theme": None}, ["theme is None"]),
        ({"coordinates": 1}, ["coordinates is 1", "True or False"]),
        ({"legal_moves": "yes"}, ["legal_moves is 'yes'", "True or False"]),
    ],
)
def test_bad_options(door: Any, options: dict[str, Any], parts: list[str]) -> None:
    for make in (door.env, door.raw_env, door.learner_env):
        for render_mode in (None, "rgb_array"):
            with pytest.raises(ValueError, match=re.escape(parts[0])) as caught:
                make(render_mode=render_mode, **options)
            assert all(part in str(caught.value) for part in parts)


def test_unknown_options() -> None:
    with pytest.raises(TypeError, match="no option 'size'; their options are width, height, theme, coordinates, legal_moves"):
        read_options({"size": 3})
    assert read_options({"width": np.int64(30)}) == RenderOptions(width=30)
    with pytest.raises(TypeError, match="'colour'"):
        inphexion_v0.env(colour="red")


def test_large_boards_are_not_kept() -> None:
    from abstract_envs.render.pixels import _empty_board, forget

    forget()
    drawing = started(fano330_v0, "t1").drawing()
    for size, kept in ((1024, 1), (2048, 1), (2049, 1), (1448, 2)):
        to_rgb(drawing, RenderOptions(width=size, height=size))
        assert _empty_board.cache_info().currsize == kept
    forget()


# --------------------------------------------------------------------------------------------------------- what is loaded

HIDDEN = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def run(code: str, hidden: tuple[str, ...] = ()) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HIDDEN.format(hidden=hidden) + code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_texts_and_svg_need_nothing() -> None:
    code = """
from abstract_envs import xahzo_v0
for mode in ("ansi", "svg"):
    env = xahzo_v0.env(render_mode=mode)
    env.reset(seed=0)
    assert env.render()
    assert env._repr_svg_()
    env.close()
print(sorted({"PIL", "pygame", "matplotlib"} & set(sys.modules)))
"""
    assert run(code) == "[]\n"
    assert run(code, ("PIL", "pygame")) == "[]\n"


def test_errors_name_the_extra() -> None:
    code = """
from abstract_envs import xahzo_v0
for mode in ("rgb_array", "human"):
    try:
        xahzo_v0.env(render_mode=mode)
    except ImportError as error:
        print(error)
    else:
        print("made")
"""
    needs = "need the extra `render`: pip install '.[render]' in a clone"
    pictures, window = run(code, ("PIL",)).splitlines()
    assert needs in pictures
    assert needs in window
    pictures, window = run(code, ("pygame",)).splitlines()
    assert pictures == "made"
    assert "render_mode='human' needs the extra `render`" in window
    assert "pygame-ce" in window


def test_arrays_start_no_window() -> None:
    code = """
from abstract_envs import xahzo_v0
env = xahzo_v0.env(render_mode="rgb_array")
env.reset(seed=0)
print(env.render().shape, "pygame" in sys.modules)
"""
    assert run(code) == "(512, 512, 3) False\n"
