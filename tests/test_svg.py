"""Pictures as SVG: the recorded ones of docs/pictures, and, by another renderer of SVG, what they look like."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abstract_envs import inphexion_v0, xahzo_v0
from abstract_envs.core.shapes import Text
from abstract_envs.render.options import RenderOptions
from abstract_envs.render.pixels import to_rgb
from abstract_envs.render.scene import lay_out
from abstract_envs.render.svg import to_svg
from abstract_envs.render.themes import THEMES
from env_cases import Case, all_cases, mid_game

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command draws."""
    folder = tmp_path_factory.mktemp("pictures")
    script = ROOT / "examples" / "draw_boards.py"
    subprocess.run([sys.executable, "-W", "error", script, "--out", folder], check=True, cwd=ROOT, timeout=120)
    return folder


def test_recorded_pictures(drawn: Path) -> None:
    recorded = {path.name: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    assert len(recorded) == 7
    assert {path.name: path.read_text(encoding="utf-8") for path in drawn.iterdir()} == recorded


def test_games_of_one_name_are_numbered(tmp_path: Path) -> None:
    games = (PICTURES / "boards.txt").read_text(encoding="utf-8")
    (tmp_path / "games.txt").write_text(f"{games}\n{games}", encoding="utf-8")
    script = ROOT / "examples" / "draw_boards.py"
    subprocess.run([sys.executable, "-W", "error", script, "--games", tmp_path / "games.txt"], check=True, cwd=ROOT, timeout=120)
    twice = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg")}
    assert len(twice) == 12
    assert twice["xahzo_2.svg"] == twice["xahzo.svg"] == (PICTURES / "xahzo.svg").read_text(encoding="utf-8")
    assert len(parsed(twice["all.svg"]).findall(f"{SVG}svg")) == 10


def test_whole_text() -> None:
    """A board of one disc and the document around it, reasoned out: hexagons have corners 57.7 from their middles."""
    env = inphexion_v0.env(board_size=3)
    env.reset()
    lines = to_svg(env.drawing(), RenderOptions(width=100, height=50, coordinates=False)).splitlines()
    assert lines[0].startswith('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="')
    assert lines[1] == "<title>White to move, joins top and bottom</title>"
    assert lines[2].startswith("<rect x=")
    assert lines[2].endswith('fill="#fbfaf7"/>')
    hexagon = '<polygon points="0,-57.7 50,-28.9 50,28.9 0,57.7 -50,28.9 -50,-28.9"/>'
    at = lines.index(hexagon)
    assert lines[at - 1] == '<g fill="#e4d8bf" stroke="#b5a587" stroke-width="4">'
    assert lines[at + 1] == '<polygon points="100,-57.7 150,-28.9 150,28.9 100,57.7 50,28.9 50,-28.9"/>'
    assert lines[at + 9 :] == ["</g>", "</svg>"]  # nine cells, and nothing else
    env.step(4)
    lines = to_svg(env.drawing(), RenderOptions(width=100, height=50, coordinates=False)).splitlines()
    # about (1.5, 0.866), the middle of the board, nine tenths of a cell
    corners = "150,34.6 195,60.6 195,112.6 150,138.6 105,112.6 105,60.6"
    assert lines[-4:-1] == [
        f'<polygon points="{corners}" fill="none" stroke="#7a5500" stroke-width="8"/>',
        '<circle cx="150" cy="86.6" r="40" fill="#ffffff" stroke="#6b665c" stroke-width="5"/>',
        '<circle cx="150" cy="86.6" r="31" fill="none" stroke="#6b665c" stroke-width="2.5"/>',
    ]


@all_cases
@pytest.mark.parametrize("theme", THEMES)
def test_well_formed(case: Case, theme: str) -> None:
    env = mid_game(case, 5, render_mode="svg", theme=theme, legal_moves=True, width=300, height=200)
    root = parsed(env.render())
    assert root.tag == f"{SVG}svg"
    assert (root.get("width"), root.get("height")) == ("300", "200")
    x, y, width, height = map(float, root.get("viewBox", "").split())
    assert width / height == pytest.approx(1.5, rel=1e-3)
    assert root.find(f"{SVG}title").text == env.render().split("<title>")[1].split("<")[0]  # type: ignore[union-attr]
    colours = {element.get(name) for element in root.iter() for name in ("fill", "stroke")} - {None, "none"}
    assert colours <= set(THEMES[theme].values())
    for element in root.iter(f"{SVG}circle"):
        assert x <= float(element.get("cx", "")) <= x + width
        assert y <= float(element.get("cy", "")) <= y + height
    assert env.render() == env.render() == env._repr_svg_()


def texts(env: Any, **options: Any) -> list[str]:
    return [element.text or "" for element in parsed(to_svg(env.drawing(), RenderOptions(**options))).iter(f"{SVG}text")]


@all_cases
def test_texts(case: Case) -> None:
    """Coordinates and captions; none that would be lower than eight pixels."""
    env = mid_game(case, 2)
    labels = [label.text for label in env.drawing().look.labels]
    last = f"last action: {env.drawing().last}"
    shown = texts(env)
    assert shown[: len(labels)] == labels
    assert shown[-1].startswith(last)
    assert len(shown) == len(labels) + 2
    assert texts(env, coordinates=False) == shown[-2:]
    assert texts(env, width=64, height=64) == []
    for size in (100, 150, 200, 300, 1024):
        for theme in THEMES:
            scene = lay_out(env.drawing(), RenderOptions(width=size, height=size, theme=theme))
            sizes = [shape.size for shape in (*scene.layout.back, *scene.front) if hasattr(shape, "text")]
            assert all(high * size / scene.layout.width >= 8 for high in sizes)
            assert bool(sizes) or size < 300


def test_captions_fit() -> None:
    """In tall pictures too: pixels of letters, as Pillow draws them, touch no side; where there is no room, there is none."""
    env = xahzo_v0.env(board_size=5)
    env.reset(options={"position": "1Z1O1/1a2O/1OX2/1Z1z1/1azx1 w -/- 5"})
    env.step(env.game.string_to_action(env.game_state, "b3-c3"))
    long = env.drawing().ended(0, "has ended the game by an illegal action")
    for size in ((300, 600), (512, 512), (600, 300), (250, 400)):
        options = RenderOptions(width=size[0], height=size[1], coordinates=False)
        for drawing in (env.drawing(), long):
            captions = [shape for shape in lay_out(drawing, options).front if isinstance(shape, Text)]
            assert captions
            picture = to_rgb(drawing, options)
            background = picture[0, 0]
            assert (picture[:, [0, 1, -2, -1]] == background).all()
    narrow = RenderOptions(width=120, height=400)
    assert not [shape for shape in lay_out(long, narrow).front if isinstance(shape, Text)]


@all_cases
@pytest.mark.parametrize("theme", THEMES)
def test_pixels_agree_with_svg(case: Case, theme: str) -> None:
    """SDL's own renderer of SVG, which knows no texts, shows the same as ours does."""
    import pygame

    env = mid_game(case, 7)
    options = RenderOptions(width=200, height=120, theme=theme, legal_moves=True)
    drawing = env.drawing()
    assert not [shape for shape in lay_out(drawing, options).front if hasattr(shape, "text")]
    surface = pygame.image.load(BytesIO(to_svg(drawing, options).encode()), "board.svg")
    background = pygame.Surface(surface.get_size())
    background.blit(surface, (0, 0))
    theirs = np.frombuffer(pygame.image.tobytes(background, "RGB"), np.uint8).reshape(120, 200, 3).astype(int)
    ours = to_rgb(drawing, options).astype(int)
    difference = np.abs(ours - theirs).max(axis=2)
    assert difference.mean() < 3
    assert (difference > 80).mean() < 0.004
